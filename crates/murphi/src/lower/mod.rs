//! Lowers the typed model to a transition system.
//!
//! Every rule is executed symbolically, once, from an arbitrary state; the result for each state function is its
//! update. This eliminates finite loops, calls, records, unions and multisets. An undefined value of Murphi is
//! arbitrary here: a choice of the rule that makes it undefined.
//!
//! - `shape`: the components of a type;
//! - `meaning`: symbolic values, and access to their components;
//! - `rules`: the context of code, and the results of its execution;
//! - `execute`, `expression`, `blocks`, `quantifiers`, `multisets`, `unions`, `compare`: statements and expressions;
//! - `defined`, `marks`: possibly undefined values, and reads of them;
//! - `parallel`, `changes`, `counting`, `single`: loops over parametric types;
//! - `refusal`: what cannot be lowered, and why.

mod blocks;
mod changes;
mod compare;
mod correspondence;
mod counting;
mod defined;
mod execute;
mod expression;
mod marks;
mod meaning;
mod multisets;
mod parallel;
mod quantifiers;
mod refusal;
mod rules;
mod shape;
mod single;
mod unions;

use crate::model::*;
use logic::{Cancellation, Function, Name, Sort, Substitution, Term, Variable, term};
use meaning::parameter;
use refusal::Effort;
pub(crate) use refusal::Refusal;
use shape::{Component, Role, Scalar, Shapes};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use system::correspondence::Correspondence;
use system::instance::Instance;
use system::transition::{
    Fact, IndexSort, Predicate, Property as SystemProperty, Rule as SystemRule, Symbol, TransitionSystem,
};
use system::{Diagnostic, Severity, Span};

/// The context in which every rule is lowered.
pub(crate) struct Lowering<'m> {
    pub(crate) model: &'m Model,
    pub(crate) shapes: Shapes<'m>,
    /// The state functions of each variable.
    pub(crate) variables: Vec<Vec<Function>>,
    pub(crate) uninterpreted: Vec<Function>,
    choices: Cell<usize>,
    /// The conditions that symbols are named after, each with the sort of the iterations, which the condition alone
    /// need not mention.
    conditions: RefCell<HashMap<(Sort, Term), usize>>,
    /// The bounds of symbols with subrange values.
    pub(crate) bounds: RefCell<HashMap<Function, (i64, i64)>>,
    /// Symbols that a parametric loop leaves open.
    loops: RefCell<HashMap<Function, Open>>,
    /// Notes about those that matter, by span.
    notes: RefCell<BTreeSet<(Span, String)>>,
    /// Constants that represent irrelevant values.
    any: RefCell<BTreeSet<Function>>,
    pub(crate) effort: Effort,
    /// Whether reads of undefined values are errors, as in exploration.
    pub(crate) asserts_reads: bool,
    /// The definedness marks among the state functions.
    marks: Vec<marks::Mark>,
    /// The reads of properties and axioms: their places, and closed formulas stating that the values are defined.
    reads_in_formulas: RefCell<Vec<(Span, Term)>>,
}

/// A nondeterministic result of a parametric loop.
pub(crate) struct Open {
    /// The sort of its iterations.
    pub(crate) sort: Sort,
    pub(crate) span: Span,
    /// What the system knows less precisely than an instance.
    pub(crate) note: Option<String>,
}

/// A lowered model, and the mapping back to it.
#[derive(Debug)]
pub struct Lowered {
    pub system: TransitionSystem,
    /// Places where the system allows more than an instance does.
    pub(crate) notes: Vec<Diagnostic>,
    /// Reads of possibly undefined values, as far as lowering can tell; the system asserts that they are defined.
    pub reads: Vec<Span>,
    asserts_reads: bool,
    /// The state functions of each variable.
    variables: Vec<Vec<Function>>,
    uninterpreted: Vec<Function>,
    starts: Vec<Origin>,
    rules: Vec<Origin>,
}

/// The result of lowering a rule or start of the model.
#[derive(Debug)]
struct Origin {
    /// The rule or start of the system.
    step: usize,
    /// Rules of the system that only assert what must not go wrong in it.
    errors: Vec<usize>,
}

impl Lowered {
    /// The correspondence between the system and an instance compiled from `model`: the lowered model, or the same one
    /// at other sizes of parametric types, for which the system is identical.
    pub fn correspondence(&self, model: &Model, instance: &Instance) -> Correspondence {
        correspondence::correspondence(self, model, instance)
    }
}

/// Lowers only a predicate of a model that was checked without errors.
pub(crate) fn lower_predicate(model: &Model, predicate: &Formula) -> Result<Predicate, Vec<Refusal>> {
    let effort = Effort::new(Cancellation::new());
    let lowering = Lowering::new(model, effort, false, &mut TransitionSystem::default())?;
    let mut refusals = Vec::new();
    let predicate = lowering.predicate(predicate, &mut refusals);
    if refusals.is_empty() {
        Ok(predicate)
    } else {
        Err(refusal::deduplicated(refusals))
    }
}

/// Lowers a model that was checked without errors, with every type that it marks as parametric.
pub fn lower(model: &Model) -> Result<Lowered, Vec<Diagnostic>> {
    let diagnostics = |refusals: Vec<Refusal>| refusals.into_iter().map(|refusal| refusal.diagnostic).collect();
    lower_until(model, false, &Cancellation::new()).map_err(diagnostics)
}

/// Like [`lower`], but asserts that no undefined value is read.
pub fn lower_with_reads(model: &Model) -> Result<Lowered, Vec<Diagnostic>> {
    let diagnostics = |refusals: Vec<Refusal>| refusals.into_iter().map(|refusal| refusal.diagnostic).collect();
    lower_until(model, true, &Cancellation::new()).map_err(diagnostics)
}

/// Like [`lower`], until cancelled; refusals are then meaningless.
pub(crate) fn lower_until(
    model: &Model,
    asserts_reads: bool,
    cancellation: &Cancellation,
) -> Result<Lowered, Vec<Refusal>> {
    let mut system = TransitionSystem::default();
    let mut refusals = Vec::new();
    let effort = Effort::new(cancellation.clone());
    let lowering = Lowering::new(model, effort, asserts_reads, &mut system)?;
    for axiom in &model.axioms {
        let formula = lowering.formula(&axiom.locals, &[], &axiom.condition, false, &mut refusals);
        system.axioms.push(Fact {
            name: axiom.name.clone(),
            formula,
            span: axiom.span,
        });
    }
    let (mut starts, mut rules) = (Vec::new(), Vec::new());
    for start in &model.starts {
        let lowered = lowering.rule(start, true, &mut refusals);
        let errors = append(&mut system.rules, lowered.errors);
        let step = system.starts.len();
        system.starts.push(lowered.step);
        starts.push(Origin { step, errors });
    }
    for rule in &model.rules {
        let lowered = lowering.rule(rule, false, &mut refusals);
        let errors = append(&mut system.rules, lowered.errors);
        let step = system.rules.len();
        system.rules.push(lowered.step);
        rules.push(Origin { step, errors });
    }
    for property in model.properties.iter().filter(|p| p.kind == PropertyKind::Invariant) {
        let formula = lowering.formula(
            &property.locals,
            &property.context,
            &property.condition,
            true,
            &mut refusals,
        );
        system.properties.push(SystemProperty {
            name: property.name.clone(),
            formula,
            span: property.span,
        });
    }
    for predicate in &model.predicates {
        system.predicates.push(lowering.predicate(predicate, &mut refusals));
    }
    lowering.declare_arbitrary(&mut system);
    lowering.declare_approximate(&mut system);
    if let Some(stopped) = lowering.stopped() {
        return Err(vec![stopped]);
    }
    if refusals.is_empty() {
        let reads = match asserts_reads {
            true => marks::settle(&lowering, &mut system, [&mut starts, &mut rules]),
            false => Vec::new(),
        };
        let twice = system.declared_twice();
        assert!(twice.is_none(), "one name stands for two things: {twice:?}");
        let notes = lowering.notes.into_inner().into_iter();
        let note = |(span, message)| Diagnostic::new(Severity::Note, span, message);
        Ok(Lowered {
            system,
            notes: notes.map(note).collect(),
            reads,
            asserts_reads,
            variables: lowering.variables,
            uninterpreted: lowering.uninterpreted,
            starts,
            rules,
        })
    } else {
        Err(refusal::deduplicated(refusals))
    }
}

/// The parametric types, which become index sorts, each with its least value and its size.
fn parametric_types(model: &Model) -> impl Iterator<Item = (TypeId, &Parametric, (i64, i64))> {
    model.types.iter().enumerate().filter_map(|(number, ty)| {
        let is_first = |parametric: &&Parametric| parametric.representative == TypeId(number);
        let bounds = match ty.kind {
            TypeKind::Range { low, high } => (low, high.saturating_sub(low).saturating_add(1)),
            TypeKind::Scalarset { size } => (0, size),
            _ => return None,
        };
        Some((TypeId(number), ty.parametric.as_ref().filter(is_first)?, bounds))
    })
}

/// Appends rules; returns their positions.
fn append(rules: &mut Vec<SystemRule>, more: Vec<SystemRule>) -> Vec<usize> {
    let first = rules.len();
    rules.extend(more);
    (first..rules.len()).collect()
}

/// `low <= value <= high`
pub(crate) fn within(value: Term, (low, high): (i64, i64)) -> Term {
    let number = |v: i64| term::int(i128::from(v));
    term::and([
        term::less_equal(number(low), value),
        term::less_equal(value, number(high)),
    ])
}

impl<'m> Lowering<'m> {
    /// Declares all symbols of the system.
    fn new(
        model: &'m Model,
        effort: Effort,
        asserts_reads: bool,
        system: &mut TransitionSystem,
    ) -> Result<Lowering<'m>, Vec<Refusal>> {
        let shapes = Shapes::new(model, defined::tracked_types(model, asserts_reads));
        let mut lowering = Lowering {
            model,
            shapes,
            variables: Vec::new(),
            uninterpreted: Vec::new(),
            choices: Cell::new(0),
            conditions: RefCell::default(),
            bounds: RefCell::default(),
            loops: RefCell::default(),
            notes: RefCell::default(),
            any: RefCell::default(),
            effort,
            asserts_reads,
            marks: Vec::new(),
            reads_in_formulas: RefCell::default(),
        };
        let mut refusals = Vec::new();
        lowering.declare(system, &mut refusals);
        if refusals.is_empty() {
            Ok(lowering)
        } else {
            Err(refusals)
        }
    }

    /// Index sorts, state functions and uninterpreted symbols.
    fn declare(&mut self, system: &mut TransitionSystem, refusals: &mut Vec<Refusal>) {
        self.declare_index_sorts(system);
        for variable in &self.model.variables {
            match self.shapes.components(variable.ty) {
                Ok(components) => {
                    let mut functions = Vec::new();
                    for component in components {
                        let function = component_function(&variable.name, &component);
                        let display = format!("{}{}", variable.name, component.display);
                        system.state.push(Symbol {
                            function,
                            display,
                            span: variable.span,
                        });
                        let formula = self.bounds_of(function, &component, &[]);
                        if !formula.is_true() {
                            let name = format!("type of {}{}", variable.name, component.suffix);
                            system.type_facts.push(Fact {
                                name,
                                formula,
                                span: variable.span,
                            });
                        }
                        functions.push(function);
                        if component.role == Role::Defined {
                            let indices = component.parameters;
                            self.marks.push(marks::Mark { function, indices });
                        }
                    }
                    self.variables.push(functions);
                }
                Err(unsupported) => {
                    let diagnostic = Diagnostic::error(unsupported.span, unsupported.message);
                    refusals.push(Refusal::new(diagnostic, Vec::new()));
                }
            }
        }
        for symbol in &self.model.uninterpreted {
            self.declare_uninterpreted(symbol, system, refusals);
        }
    }

    fn declare_index_sorts(&self, system: &mut TransitionSystem) {
        for (id, parametric, (low, size)) in parametric_types(self.model) {
            let (number, ty) = (id.0, &self.model.types[id.0]);
            let mut constants = Vec::new();
            for &literal in &parametric.literals {
                let function = self.shapes.distinguished(TypeId(number), literal);
                system.rigid.push(Symbol {
                    function,
                    display: literal.to_string(),
                    span: ty.span,
                });
                constants.push((function, u64::try_from(literal - low).unwrap_or(0)));
            }
            for (position, (a, _)) in constants.iter().enumerate() {
                for (b, _) in &constants[position + 1..] {
                    let formula = term::distinct(a.apply([]), b.apply([]));
                    system.axioms.push(Fact {
                        name: format!("{a:?} != {b:?}"),
                        formula,
                        span: ty.span,
                    });
                }
            }
            let order = parametric.ordered.then(|| self.declare_order(TypeId(number), system));
            system.index_sorts.push(IndexSort {
                name: Name::new(self.shapes.type_name(TypeId(number))),
                declared_size: u64::try_from(size).ok(),
                constants,
                order,
                span: ty.span,
            });
        }
    }

    /// A rigid relation with the axioms of a total order.
    fn declare_order(&self, ty: TypeId, system: &mut TransitionSystem) -> Function {
        let sort = Sort::Index(Name::new(self.shapes.type_name(ty)));
        let span = self.model.types[ty.0].span;
        let less = self.shapes.less(sort);
        system.rigid.push(Symbol {
            function: less,
            display: "{} < {}".to_owned(),
            span,
        });
        let axioms = system::transition::total_order(less, sort);
        system.axioms.extend(axioms.map(|(adjective, formula)| Fact {
            name: format!("the order of {} is {adjective}", self.shapes.type_name(ty)),
            formula,
            span,
        }));
        less
    }

    fn declare_uninterpreted(
        &mut self,
        symbol: &Uninterpreted,
        system: &mut TransitionSystem,
        refusals: &mut Vec<Refusal>,
    ) {
        let scalars: Option<Vec<Scalar>> = symbol.parameters.iter().map(|ty| self.shapes.scalar(*ty)).collect();
        let (Some(parameters), Some(value)) = (scalars, self.shapes.scalar(symbol.result)) else {
            let message = format!("`{}` must take and give simple values", symbol.name);
            refusals.push(Refusal::new(Diagnostic::error(symbol.span, message), Vec::new()));
            return;
        };
        let holes = vec!["{}"; parameters.len()].join(", ");
        let display = if parameters.is_empty() {
            String::new()
        } else {
            format!("({holes})")
        };
        let component = Component {
            suffix: String::new(),
            display,
            parameters,
            value,
            role: Role::Value,
        };
        let function = component_function(&symbol.name, &component);
        let formula = self.bounds_of(function, &component, &[]);
        if !formula.is_true() {
            system.axioms.push(Fact {
                name: format!("type of {}", symbol.name),
                formula,
                span: symbol.span,
            });
        }
        let display = format!("{}{}", symbol.name, component.display);
        system.rigid.push(Symbol {
            function,
            display,
            span: symbol.span,
        });
        self.uninterpreted.push(function);
    }

    /// Declares the constants that represent irrelevant values.
    fn declare_arbitrary(&self, system: &mut TransitionSystem) {
        for function in self.any.borrow().iter() {
            let display = format!("any {}", function.result());
            system.arbitrary.insert(*function);
            system.rigid.push(Symbol {
                function: *function,
                display,
                span: Span::default(),
            });
        }
    }

    /// The refusal if lowering was stopped.
    fn stopped(&self) -> Option<Refusal> {
        let message = match (self.effort.is_over(), self.effort.is_cancelled()) {
            (false, _) => return None,
            (true, true) => "interrupted before there was a transition system",
            (true, false) => "the rules of this model do more than can be put into a transition system",
        };
        let help = "calls are put in line, and loops over types of a known size are unrolled: `cubist explore` runs it";
        let diagnostic = Diagnostic::error(Span::default(), message).help(help);
        Some(Refusal::new(diagnostic, Vec::new()))
    }

    /// A name for a symbol that depends on the iterations that satisfy a condition: equal for equal conditions on
    /// iterations of the same sort, and otherwise different. Conditions are numbered from 1.
    pub(crate) fn name_by_condition(&self, word: &str, round: Variable, condition: Term) -> String {
        let mut conditions = self.conditions.borrow_mut();
        let next = conditions.len() + 1;
        let number = *conditions.entry((round.sort, condition)).or_insert(next);
        format!("{word} {}: {}!{number}", round.name, round.sort)
    }

    /// Records that a loop leaves this symbol open.
    pub(crate) fn made_by_loop(&self, symbol: Function, open: Open) {
        self.loops.borrow_mut().insert(symbol, open);
    }

    /// Notes the open symbols that a rule depends on.
    fn note_open(&self, symbols: &[(Function, Term)]) {
        let loops = self.loops.borrow();
        let open = symbols.iter().filter_map(|(symbol, _)| loops.get(symbol));
        let notes = open.filter_map(|open| Some((open.span, open.note.clone()?)));
        self.notes.borrow_mut().extend(notes);
    }

    /// Declares the approximate choices of rules: those with a note.
    fn declare_approximate(&self, system: &mut TransitionSystem) {
        let loops = self.loops.borrow();
        let is_approximate = |choice: &Function| loops.get(choice).is_some_and(|open| open.note.is_some());
        let rules = system.starts.iter().chain(&system.rules);
        let choices = rules.flat_map(|rule| rule.choices.iter().copied());
        system.approximate = choices.filter(is_approximate).collect();
    }

    /// The parametric types that cause this symbol to exist, or to be imprecise.
    fn types_behind(&self, symbol: Function) -> Vec<TypeId> {
        let made_by = self.loops.borrow().get(&symbol).map(|open| open.sort);
        let sorts = made_by.into_iter().chain(symbol.parameters().iter().copied());
        sorts.filter_map(|sort| self.shapes.type_of_sort(sort)).collect()
    }

    pub(crate) fn next_choice(&self) -> usize {
        self.choices.set(self.choices.get() + 1);
        self.choices.get()
    }

    /// An arbitrary value of a sort, where any will do.
    pub(crate) fn any_of(&self, scalar: &Scalar) -> Term {
        match scalar.sort {
            Sort::Bool => term::bool(false),
            Sort::Int => term::int(scalar.bounds.map_or(0, |(low, _)| i128::from(low))),
            Sort::Enum(sort) => term::enumerator(sort, 0),
            sort => {
                let function = Function::constant(format!("{sort}?any").as_str(), sort);
                self.any.borrow_mut().insert(function);
                function.apply([])
            }
        }
    }

    /// The bounds of a subrange component, for all indices. The first parameters of the function are those of `rounds`.
    pub(crate) fn bounds_of(&self, function: Function, component: &Component, rounds: &[Variable]) -> Term {
        let Some(bounds) = component.value.bounds else {
            return term::bool(true);
        };
        self.bounds.borrow_mut().insert(function, bounds);
        let mut arguments: Vec<Term> = rounds.iter().map(|v| v.term()).collect();
        let indices = component.parameters.iter().enumerate();
        arguments.extend(indices.map(|(n, p)| parameter(n, p.sort).term()));
        let formula = self.for_all_indices(component, 0, within(function.apply(arguments), bounds));
        term::forall(rounds, formula)
    }

    /// `formula` for all values of the indices of a component from number `from` on: small ranges are expanded,
    /// parametric types are quantified.
    pub(crate) fn for_all_indices(&self, component: &Component, from: usize, formula: Term) -> Term {
        let Some(index) = component.parameters.get(from) else {
            return formula;
        };
        let inner = self.for_all_indices(component, from + 1, formula);
        self.for_all(parameter(from, index.sort), *index, inner)
    }

    /// `formula` for all values of a variable.
    pub(crate) fn for_all(&self, variable: Variable, scalar: Scalar, formula: Term) -> Term {
        match scalar.bounds {
            Some((low, high)) if high.checked_sub(low).is_some_and(|size| size < 64) => {
                let values = (low..=high).map(|v| term::int(i128::from(v)));
                term::and(values.map(|v| Substitution::of_variables([(variable, v)]).apply(formula)))
            }
            Some(bounds) => term::forall([variable], term::implies(within(variable.term(), bounds), formula)),
            None => term::forall([variable], formula),
        }
    }
}

/// The state function of a component of a variable.
fn component_function(variable: &str, component: &Component) -> Function {
    let sorts = component.parameters.iter().map(|p| p.sort).collect();
    Function::new(
        format!("{variable}{}", component.suffix).as_str(),
        sorts,
        component.value.sort,
    )
}
