//! Lowers the model to a transition system, for proofs about every number of processes.
//!
//! Processes are the elements of an index sort `proc`, which is never empty. If the model needs outsiders (see
//! `check/outsiders.rs`), the sort contains them as well: a rigid predicate states which elements are processes, and
//! every process variable is relativised to it. The system has array cells for outsiders, but never reads them.
//!
//! The order of processes is a rigid relation with the axioms of a total order, declared only if it is used.

mod axioms;
mod correspondence;
mod formula;
mod rules;
mod start;

use crate::compile::{display, property_name};
use crate::model::*;
use formula::Scope;
use logic::{Function, Name, Sort, Term, Variable, term};
use system::transition::{IndexSort, Predicate, Property, Symbol as SystemSymbol, TransitionSystem};
use system::{Diagnostic, Span};

/// A transition system with the mapping back to the model.
///
/// Rules are in the order of transitions, properties in that of `unsafe` formulas.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub system: TransitionSystem,
    /// Parallel to the symbols of the model.
    pub symbols: Vec<Function>,
    /// The sort of processes.
    pub processes: Sort,
    /// The predicate for elements that are processes; `None` if all are.
    pub is_process: Option<Function>,
    /// What the user should know about the translation.
    pub notes: Vec<Diagnostic>,
}

/// The number of distinctness formulas is quadratic in the number of process constants.
const MAXIMAL_CONSTANTS: u32 = 100;

/// Lowers only the formula of a block, as a claim about distinct processes.
pub(crate) fn lower_formula(model: &Model, block: &Block) -> Predicate {
    let mut lowering = Lowering::new(model);
    lowering.symbols();
    let (indices, distinct, formula) = lowering.formula(block);
    Predicate {
        name: String::new(),
        indices,
        formula: term::implies(distinct, formula),
        is_claim: true,
        span: block.span,
    }
}

/// Lowers a model that was checked without errors.
pub fn lower(model: &Model) -> Result<Lowered, Vec<Diagnostic>> {
    if model.broken {
        let message = "a file with errors cannot be lowered";
        return Err(vec![Diagnostic::error(Span::default(), message)]);
    }
    if let Processes::Exactly(count) = model.processes
        && count > MAXIMAL_CONSTANTS
    {
        let message = format!("a proof about exactly {count} processes is out of reach");
        let help = format!("process constants such as `#1` can be used with `number_procs` up to {MAXIMAL_CONSTANTS}");
        return Err(vec![Diagnostic::error(Span::default(), message).help(help)]);
    }
    let mut lowering = Lowering::new(model);
    lowering.index_sorts();
    lowering.symbols();
    lowering.axioms();
    lowering.start();
    lowering.rules();
    lowering.properties();
    lowering.hints();
    let twice = lowering.lowered.system.declared_twice();
    assert!(twice.is_none(), "one name stands for two things: {twice:?}");
    Ok(lowering.lowered)
}

impl Lowered {
    fn sort(&self, model: &Model, ty: Type) -> Sort {
        match ty {
            Type::Process | Type::Unknown => self.processes,
            Type::Boolean => Sort::Bool,
            Type::Integer => Sort::Int,
            Type::Real => Sort::Real,
            Type::Declared(id) => {
                let definition = &model.types[id.0];
                let name = Name::new(&definition.name);
                match &definition.constructors {
                    Some(values) => Sort::enumeration(name, values.iter().map(|value| Name::new(value)).collect()),
                    None => Sort::Index(name),
                }
            }
        }
    }
}

struct Lowering<'m> {
    model: &'m Model,
    lowered: Lowered,
    /// `<` on processes, if it is used.
    less: Option<Function>,
    /// `#1`, `#2`, ... if they are used.
    constants: Vec<Function>,
    /// The number of arbitrary values that rules have chosen so far.
    choices: usize,
}

impl<'m> Lowering<'m> {
    fn new(model: &'m Model) -> Lowering<'m> {
        let processes = Sort::Index(Name::new("proc"));
        // No name in a source contains a dot.
        let relation = |name: &str, arity: usize| Function::new(name, vec![processes; arity], Sort::Bool);
        let constants = match model.processes {
            Processes::Exactly(count) => (1..=count)
                .map(|n| Function::constant(format!("#{n}").as_str(), processes))
                .collect(),
            _ => Vec::new(),
        };
        Lowering {
            model,
            lowered: Lowered {
                system: TransitionSystem::default(),
                symbols: Vec::new(),
                processes,
                is_process: model.outsiders.then(|| relation("proc.process", 1)),
                notes: Vec::new(),
            },
            less: model.ordered.then(|| relation("proc.less", 2)),
            constants,
            choices: 0,
        }
    }

    fn sort(&self, ty: Type) -> Sort {
        self.lowered.sort(self.model, ty)
    }

    fn index_sorts(&mut self) {
        let declared_size = match self.model.processes {
            Processes::Any => None,
            Processes::AtMost(count) | Processes::Exactly(count) => Some(u64::from(count)),
        };
        let processes = IndexSort {
            name: Name::new("proc"),
            declared_size,
            constants: self.constants.iter().copied().zip(0..).collect(),
            order: self.less,
            span: Span::default(),
        };
        // An abstract type has infinitely many values, but a finite run uses finitely many.
        let abstracts = self
            .model
            .types
            .iter()
            .filter(|definition| definition.constructors.is_none());
        let abstracts = abstracts.map(|definition| IndexSort {
            name: Name::new(&definition.name),
            declared_size: None,
            constants: Vec::new(),
            order: None,
            span: definition.span,
        });
        self.lowered.system.index_sorts = [processes].into_iter().chain(abstracts).collect();
    }

    fn symbols(&mut self) {
        let rigid = |function: Function, display: &str| SystemSymbol {
            function,
            display: display.to_owned(),
            span: Span::default(),
        };
        let mut rigids: Vec<SystemSymbol> = Vec::new();
        rigids.extend(self.less.map(|less| rigid(less, "({} < {})")));
        rigids.extend(self.lowered.is_process.map(|process| rigid(process, "process({})")));
        rigids.extend(
            self.constants
                .iter()
                .map(|constant| rigid(*constant, constant.name().as_str())),
        );
        let mut state = Vec::new();
        for symbol in &self.model.symbols {
            let parameters = vec![self.lowered.processes; symbol.arity];
            let function = Function::new(symbol.name.as_str(), parameters, self.sort(symbol.ty));
            self.lowered.symbols.push(function);
            let group = if symbol.rigid { &mut rigids } else { &mut state };
            group.push(SystemSymbol {
                function,
                display: display(&symbol.name, symbol.arity),
                span: symbol.span,
            });
        }
        self.lowered.system.rigid = rigids;
        self.lowered.system.state = state;
    }

    fn function(&self, symbol: SymbolId) -> Function {
        self.lowered.symbols[symbol.0]
    }

    /// The restriction of a process variable to processes.
    fn is_process(&self, variable: Variable) -> Term {
        match self.lowered.is_process {
            Some(predicate) => predicate.apply([variable.term()]),
            None => term::bool(true),
        }
    }

    /// States that the variables denote different processes.
    fn distinct_processes(&self, variables: &[Variable]) -> Term {
        let mut conditions: Vec<Term> = variables.iter().map(|variable| self.is_process(*variable)).collect();
        for (number, variable) in variables.iter().enumerate() {
            conditions.extend(
                variables[..number]
                    .iter()
                    .map(|before| term::distinct(before.term(), variable.term())),
            );
        }
        term::and(conditions)
    }

    /// The variables of a block, their distinctness, and its formula.
    fn formula(&self, block: &Block) -> (Vec<Variable>, Term, Term) {
        let scope = Scope::new(self, &block.locals, block.variables);
        let variables = scope.parameters().to_vec();
        let formula = scope.formula(&block.formula);
        let distinct = self.distinct_processes(&variables);
        (variables, distinct, formula)
    }

    /// States that no distinct processes satisfy the block's formula, as an implication over its variables.
    fn excluded(&self, block: &Block) -> (Vec<Variable>, Term) {
        let (variables, distinct, formula) = self.formula(block);
        (variables, term::implies(distinct, term::not(formula)))
    }

    fn properties(&mut self) {
        for (number, block) in self.model.unsafes.iter().enumerate() {
            let (variables, formula) = self.excluded(block);
            self.lowered.system.properties.push(Property {
                name: property_name(number),
                formula: term::forall(variables, formula),
                span: block.span,
            });
        }
    }

    /// The user's invariants, as candidate predicates only.
    fn hints(&mut self) {
        for (number, block) in self.model.invariants.iter().enumerate() {
            let (indices, formula) = self.excluded(block);
            self.lowered.system.predicates.push(Predicate {
                name: format!("hint {}", number + 1),
                indices,
                formula,
                is_claim: true,
                span: block.span,
            });
        }
    }
}
