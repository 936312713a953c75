//! From the syntax tree to the model: resolves names, checks types, inlines predicates and `let`.
//!
//! Checking continues after errors; consequences of a reported error stay silent.

mod contradiction;
mod formula;
mod names;
mod outsiders;
mod transition;

use crate::model::*;
use crate::syntax::{self, BlockKind, Item, Program};
use names::Names;
pub(crate) use outsiders::covers_all_cells;
use std::collections::BTreeMap;
use system::{Diagnostic, Severity, Span};

/// Checks a file. The model is fit for use if no diagnostic is an error.
pub fn check(program: &Program) -> (Model, Vec<Diagnostic>) {
    let mut checker = Checker {
        program,
        model: Model::default(),
        names: Names::default(),
        predicates: BTreeMap::new(),
        process_limit: None,
        process_constant: None,
        expanded: 0,
        diagnostics: Vec::new(),
    };
    checker.declarations();
    checker.blocks();
    checker.number_of_processes();
    let Checker {
        mut model,
        mut diagnostics,
        ..
    } = checker;
    let failed = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|d| d.severity == Severity::Error);
    model.broken = !program.complete || failed(&diagnostics);
    if !model.broken {
        model.outsiders = outsiders::needed(&model);
        diagnostics.extend(contradiction::find(&model));
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    diagnostics.dedup();
    (model, diagnostics)
}

struct Checker<'p> {
    program: &'p Program,
    model: Model,
    names: Names,
    predicates: BTreeMap<&'p str, PredicateEntry<'p>>,
    /// From `number_procs`.
    process_limit: Option<(u32, Span)>,
    /// The first use of a process constant such as `#1`.
    process_constant: Option<Span>,
    /// The number of formulas created by inlining predicates.
    expanded: usize,
    diagnostics: Vec<Diagnostic>,
}

struct PredicateEntry<'p> {
    definition: &'p syntax::Predicate,
    /// Whether it was reported.
    broken: bool,
}

/// The names visible at some point of a block or transition.
struct Scope {
    locals: Vec<Local>,
    /// Innermost last.
    visible: Vec<(String, Binding)>,
    /// The first of `locals`: the variables of the block or the parameters of the transition.
    parameters: usize,
    /// Whether the parameters denote different processes.
    distinct: bool,
    depth: usize,
}

#[derive(Clone)]
enum Binding {
    Local(LocalId),
    /// `let`, or an argument of a predicate.
    Term(Term),
    /// A parameter of a predicate whose use is not known yet.
    Parameter,
}

impl Scope {
    fn new(distinct: bool) -> Scope {
        Scope {
            locals: Vec::new(),
            visible: Vec::new(),
            parameters: 0,
            distinct,
            depth: 0,
        }
    }

    fn bind(&mut self, name: &syntax::Identifier) -> LocalId {
        let id = LocalId(self.locals.len());
        self.locals.push(Local {
            name: name.text.clone(),
            span: name.span,
        });
        self.visible.push((name.text.clone(), Binding::Local(id)));
        id
    }

    fn find(&self, name: &str) -> Option<&Binding> {
        self.visible
            .iter()
            .rev()
            .find(|(other, _)| other == name)
            .map(|(_, binding)| binding)
    }
}

impl<'p> Checker<'p> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn blocks(&mut self) {
        let program = self.program;
        let mut init: Option<Span> = None;
        for item in &program.items {
            match item {
                Item::Block(block) => match block.kind {
                    BlockKind::Init => {
                        let checked = self.block(block, false);
                        if let Some(first) = init {
                            self.report(
                                Diagnostic::error(keyword(block.span, "init"), "a file has only one `init`")
                                    .label("a second one")
                                    .related(keyword(first, "init"), "the first one")
                                    .help("join the two formulas with `&&`"),
                            );
                        } else {
                            self.model.init = checked;
                            init = Some(block.span);
                        }
                    }
                    BlockKind::Unsafe => {
                        let checked = self.block(block, true);
                        self.model.unsafes.push(checked);
                    }
                    BlockKind::Invariant => self.invariant(block),
                },
                Item::Predicate(predicate) => self.predicate(predicate),
                Item::Transition(transition) => self.transition(transition),
                _ => {}
            }
        }
        self.missing(init.is_none());
    }

    /// Reports a missing `init` (no initial states) or `unsafe` (nothing to prove).
    fn missing(&mut self, no_init: bool) {
        let program = self.program;
        if !program.complete {
            return;
        }
        let place = Span::default();
        if no_init {
            self.report(
                Diagnostic::error(place, "this file has no `init`")
                    .help("say what the initial states are: `init (z) { ... }`; `init { true }` allows all"),
            );
        }
        if self.model.unsafes.is_empty() {
            self.report(
                Diagnostic::warning(place, "this file has no `unsafe`")
                    .help("there is nothing to check: say what must never happen with `unsafe (x y) { ... }`"),
            );
        }
    }

    /// Checks an invariant. A single note covers all of them.
    fn invariant(&mut self, block: &'p syntax::Block) {
        let checked = self.block(block, true);
        if self.model.invariants.is_empty() {
            let place = keyword(block.span, "invariant");
            self.report(
                Diagnostic::new(Severity::Note, place, "invariants are taken as hints only")
                    .label("Cubicle would trust this without a proof")
                    .help("such states are said to be unreachable; write `unsafe` to have that proved"),
            );
        }
        self.model.invariants.push(checked);
    }

    fn block(&mut self, block: &'p syntax::Block, distinct: bool) -> Block {
        let mut scope = Scope::new(distinct);
        self.parameters(&block.variables, &mut scope, distinct);
        let formula = self.formula(&block.formula, &mut scope);
        Block {
            variables: scope.parameters,
            locals: scope.locals,
            formula,
            span: block.span,
        }
    }

    /// Binds the variables of a block or transition. Cubicle permits repeated names in `init`, which has no effect.
    fn parameters(&mut self, names: &[syntax::Identifier], scope: &mut Scope, distinct: bool) {
        for name in names {
            let first = scope
                .locals
                .iter()
                .find(|local| local.name == name.text)
                .map(|local| local.span);
            if let Some(first) = first {
                let message = format!("the process variable `{}` is declared twice", name.text);
                let severity = if distinct { Severity::Error } else { Severity::Warning };
                self.report(
                    Diagnostic::new(severity, name.span, message)
                        .label("again")
                        .related(first, "first here"),
                );
            } else {
                scope.bind(name);
            }
        }
        scope.parameters = scope.locals.len();
    }

    /// Checks a predicate as far as possible without its arguments, and declares it.
    fn predicate(&mut self, predicate: &'p syntax::Predicate) {
        if let Some(entry) = self.predicates.get(predicate.name.text.as_str()) {
            let first = entry.definition.name.span;
            self.report(
                Diagnostic::error(
                    predicate.name.span,
                    format!("the predicate `{}` is defined twice", predicate.name.text),
                )
                .label("again")
                .related(first, "first here"),
            );
            return;
        }
        let before = self.diagnostics.len();
        let mut scope = Scope::new(true);
        for parameter in &predicate.parameters {
            if scope.find(&parameter.text).is_some() {
                let message = format!("the parameter `{}` is declared twice", parameter.text);
                self.report(Diagnostic::error(parameter.span, message).label("again"));
            }
            scope.visible.push((parameter.text.clone(), Binding::Parameter));
        }
        self.formula(&predicate.formula, &mut scope);
        let broken = self.diagnostics.len() > before;
        self.predicates.insert(
            &predicate.name.text,
            PredicateEntry {
                definition: predicate,
                broken,
            },
        );
    }

    fn number_of_processes(&mut self) {
        self.model.processes = match (self.process_limit, self.process_constant) {
            (None, _) => Processes::Any,
            (Some((limit, _)), None) => Processes::AtMost(limit),
            (Some((limit, _)), Some(_)) => Processes::Exactly(limit),
        };
    }
}

/// The keyword at the start of a declaration.
pub(crate) fn keyword(span: Span, word: &str) -> Span {
    Span {
        end: (span.start + word.len() as u32).min(span.end),
        ..span
    }
}
