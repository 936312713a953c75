//! From the typed model to the transition system.
//!
//! Every rule is run symbolically, once, from a state of which nothing is known; what comes out for each state
//! function is its update. Finite loops, calls, records, unions and multisets are gone afterwards. A value that Murphi calls
//! undefined is arbitrary here: a choice of the rule that makes it so.
//!
//! - `shape`: the components of a type;
//! - `meaning`: symbolic values, and reading and writing parts of them;
//! - `execute`, `expression`, `unions`, `compare`: statements and expressions;
//! - `defined`: which values may be undefined, and who may know;
//! - `parallel`: loops over types of any size.

mod compare;
mod correspondence;
mod defined;
mod execute;
mod expression;
mod meaning;
mod parallel;
mod shape;
mod unions;

use crate::model::*;
use execute::{Binding, Executor, identity};
use logic::normal_forms::constant_bounds;
use logic::{Function, Name, Sort, Substitution, Term, Variable, substitute, term};
use meaning::parameter;
use shape::{Case, Component, Role, Scalar, Shapes};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use system::correspondence::Correspondence;
use system::instance::Instance;
use system::transition::{
    Assertion, Fact, IndexSort, Predicate, Property as SystemProperty, Rule as SystemRule, Symbol, TransitionSystem,
    Update,
};
use system::{Diagnostic, Span};

/// What every rule is lowered with.
pub(crate) struct Lowering<'m> {
    pub(crate) model: &'m Model,
    pub(crate) shapes: Shapes<'m>,
    /// The state functions of each variable.
    pub(crate) variables: Vec<Vec<Function>>,
    pub(crate) uninterpreted: Vec<Function>,
    choices: Cell<usize>,
    /// Constants that stand where a value does not matter.
    any: RefCell<BTreeSet<Function>>,
}

/// A lowered model, and the way back to it.
pub struct Lowered<'m> {
    pub system: TransitionSystem,
    lowering: Lowering<'m>,
}

impl Lowered<'_> {
    /// The table between the system and an instance that was compiled from the same model.
    pub fn correspondence(&self, instance: &Instance) -> Correspondence {
        correspondence::correspondence(&self.lowering, &self.system, instance)
    }
}

/// Lowers a model that was checked without errors.
pub fn lower(model: &Model) -> Result<Lowered<'_>, Vec<Diagnostic>> {
    let shapes = Shapes::new(model, defined::tracked_types(model));
    let mut lowering = Lowering {
        model,
        shapes,
        variables: Vec::new(),
        uninterpreted: Vec::new(),
        choices: Cell::new(0),
        any: RefCell::default(),
    };
    let mut system = TransitionSystem::default();
    let mut diagnostics = Vec::new();
    lowering.declare(&mut system, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    for axiom in &model.axioms {
        let formula = lowering.formula(&axiom.locals, &[], &axiom.condition, &mut diagnostics);
        system.axioms.push(Fact {
            name: axiom.name.clone(),
            formula,
            span: axiom.span,
        });
    }
    for start in &model.starts {
        system.starts.extend(lowering.rule(start, true, &mut diagnostics));
    }
    for rule in &model.rules {
        system.rules.extend(lowering.rule(rule, false, &mut diagnostics));
    }
    for property in model.properties.iter().filter(|p| p.kind == PropertyKind::Invariant) {
        let formula = lowering.formula(
            &property.locals,
            &property.context,
            &property.condition,
            &mut diagnostics,
        );
        system.properties.push(SystemProperty {
            name: property.name.clone(),
            formula,
            span: property.span,
        });
    }
    for predicate in &model.predicates {
        system.predicates.push(lowering.predicate(predicate, &mut diagnostics));
    }
    for function in lowering.any.borrow().iter() {
        let display = format!("any {}", function.result());
        system.arbitrary.insert(*function);
        system.rigid.push(Symbol {
            function: *function,
            display,
            span: Span::default(),
        });
    }
    if diagnostics.is_empty() {
        Ok(Lowered { system, lowering })
    } else {
        Err(deduplicated(diagnostics))
    }
}

/// One message for each place, however often the code there was put in line.
fn deduplicated(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|d| d.span);
    diagnostics.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    diagnostics
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
    /// Index sorts, state functions and uninterpreted symbols.
    fn declare(&mut self, system: &mut TransitionSystem, diagnostics: &mut Vec<Diagnostic>) {
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
                    }
                    self.variables.push(functions);
                }
                Err(unsupported) => diagnostics.push(Diagnostic::error(unsupported.span, unsupported.message)),
            }
        }
        for symbol in &self.model.uninterpreted {
            self.declare_uninterpreted(symbol, system, diagnostics);
        }
    }

    fn declare_index_sorts(&self, system: &mut TransitionSystem) {
        for (number, ty) in self.model.types.iter().enumerate() {
            let Some(parametric) = ty.parametric.as_ref().filter(|p| p.representative == TypeId(number)) else {
                continue;
            };
            let (low, size) = match ty.kind {
                TypeKind::Range { low, high } => (low, high - low + 1),
                TypeKind::Scalarset { size } => (0, size),
                _ => continue,
            };
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
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let scalars: Option<Vec<Scalar>> = symbol.parameters.iter().map(|ty| self.shapes.scalar(*ty)).collect();
        let (Some(parameters), Some(value)) = (scalars, self.shapes.scalar(symbol.result)) else {
            let message = format!("`{}` must take and give simple values", symbol.name);
            diagnostics.push(Diagnostic::error(symbol.span, message));
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

    pub(crate) fn next_choice(&self) -> usize {
        self.choices.set(self.choices.get() + 1);
        self.choices.get()
    }

    /// Some value of a sort, where it does not matter which.
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

    /// What the subrange of a component says of its function, for all indices. The first parameters of the function are
    /// those of `rounds`.
    pub(crate) fn bounds_of(&self, function: Function, component: &Component, rounds: &[Variable]) -> Term {
        let Some(bounds) = component.value.bounds else {
            return term::bool(true);
        };
        let mut arguments: Vec<Term> = rounds.iter().map(|v| v.term()).collect();
        let indices = component.parameters.iter().enumerate();
        arguments.extend(indices.map(|(n, p)| parameter(n, p.sort).term()));
        let formula = self.for_all_indices(component, 0, within(function.apply(arguments), bounds));
        term::forall(rounds, formula)
    }

    /// `formula` for all values of the indices of a component from the one with this number on: small ranges are written
    /// out, types of any size are quantified.
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
            Some((low, high)) if high - low < 64 => {
                let values = (low..=high).map(|v| term::int(i128::from(v)));
                term::and(values.map(|v| Substitution::of_variables([(variable, v)]).apply(formula)))
            }
            Some(bounds) => term::forall([variable], term::implies(within(variable.term(), bounds), formula)),
            None => term::forall([variable], formula),
        }
    }

    /// Lowers a rule or start. What can go wrong in its guard can do so also where the guard does not hold: that is
    /// a rule of its own, which changes nothing.
    fn rule(&self, rule: &'m Rule, is_start: bool, diagnostics: &mut Vec<Diagnostic>) -> Vec<SystemRule> {
        let mut executor = Executor::new(self, &rule.locals);
        if is_start {
            executor.state.variables = self
                .model
                .variables
                .iter()
                .map(|v| executor.arbitrary(v.ty, &v.name, false))
                .collect();
        }
        let before = executor.state.variables.clone();
        let (parameters, mut conditions) = self.context(&mut executor, &rule.context);
        let in_range = term::and(conditions.clone());
        executor.path = in_range;
        conditions.extend(rule.guard.as_ref().map(|guard| executor.scalar(guard)));
        let guard = term::and(conditions);
        let guard_assertions = std::mem::take(&mut executor.assertions);
        executor.path = guard;
        if executor.state.variables != before {
            // What the guard changed is looked at again.
            for part in &rule.context {
                if let Context::Alias(local, target) = part {
                    executor.alias(*local, target);
                }
            }
        }
        executor.run(&rule.body);
        let path = guard;
        executor.path = term::bool(true);
        executor.state.active = term::bool(true);
        for property in self
            .model
            .properties
            .iter()
            .filter(|p| p.kind == PropertyKind::Assumption)
        {
            let formula = self.formula(&property.locals, &property.context, &property.condition, diagnostics);
            let after = self.after(&executor.state.variables);
            executor.assumptions.push(after.apply(formula));
        }
        diagnostics.append(&mut executor.diagnostics);
        let updates = self.updates(&before, &executor, is_start);
        let mut rules = Vec::new();
        if !guard_assertions.is_empty() && !is_start {
            let name = format!("{} (guard)", rule.name);
            rules.push(self.assemble(
                name,
                rule,
                &parameters,
                in_range,
                Vec::new(),
                guard_assertions,
                &executor,
            ));
        }
        let guard = term::and([path].into_iter().chain(executor.assumptions.iter().copied()));
        let assertions = std::mem::take(&mut executor.assertions);
        rules.push(self.assemble(
            rule.name.clone(),
            rule,
            &parameters,
            guard,
            updates,
            assertions,
            &executor,
        ));
        rules
    }

    /// What became of every function. A start says nothing of those that it leaves arbitrary.
    fn updates(&self, before: &[meaning::Meaning], executor: &Executor<'_, '_>, is_start: bool) -> Vec<Update> {
        let arbitrary = |meaning: &logic::Lambda| executor.choices.iter().any(|(c, _)| identity(*c) == *meaning);
        let mut updates = Vec::new();
        for (functions, (old, new)) in self.variables.iter().zip(before.iter().zip(&executor.state.variables)) {
            for (function, (old, new)) in functions.iter().zip(old.iter().zip(new)) {
                if old != new || (is_start && !arbitrary(new)) {
                    let parameters = new.parameters.clone();
                    updates.push(Update {
                        function: *function,
                        parameters,
                        value: new.body,
                    });
                }
            }
        }
        updates
    }

    /// Puts the parts of a rule together, with those of its choices that occur in them.
    #[allow(clippy::too_many_arguments)]
    fn assemble(
        &self,
        name: String,
        rule: &Rule,
        parameters: &[Variable],
        guard: Term,
        updates: Vec<Update>,
        assertions: Vec<Assertion>,
        executor: &Executor<'_, '_>,
    ) -> SystemRule {
        let mut used = substitute::functions_of(guard);
        updates
            .iter()
            .for_each(|u| used.extend(substitute::functions_of(u.value)));
        assertions
            .iter()
            .for_each(|a| used.extend(substitute::functions_of(a.condition)));
        let chosen: Vec<&(Function, Term)> = executor.choices.iter().filter(|(c, _)| used.contains(c)).collect();
        let facts = chosen.iter().map(|(_, fact)| *fact);
        SystemRule {
            name,
            parameters: parameters.to_vec(),
            choices: chosen.iter().map(|(c, _)| *c).collect(),
            guard: term::and([guard].into_iter().chain(facts)),
            updates,
            constraint: term::bool(true),
            assertions,
            span: rule.span,
        }
    }

    /// From a formula over the state to the same over the state that execution has made.
    fn after(&self, variables: &[meaning::Meaning]) -> Substitution {
        let pairs = self.variables.iter().zip(variables);
        Substitution::of_functions(pairs.flat_map(|(functions, meaning)| {
            functions
                .iter()
                .copied()
                .zip(meaning.iter().cloned())
                .collect::<Vec<_>>()
        }))
    }

    /// Binds what surrounds a rule or property. Returns its parameters and what holds of them.
    fn context(&self, executor: &mut Executor<'_, 'm>, context: &[Context]) -> (Vec<Variable>, Vec<Term>) {
        let mut parameters = Vec::new();
        let mut conditions = Vec::new();
        for part in context {
            match part {
                Context::Alias(local, target) => executor.alias(*local, target),
                Context::Choose { local, multiset } => {
                    let number = executor.fresh(&executor.local(*local).name, Sort::Int);
                    parameters.push(number);
                    executor.scope.push(number);
                    let capacity = match self.model.kind(multiset.ty) {
                        TypeKind::Multiset { capacity, .. } => *capacity,
                        _ => 0,
                    };
                    conditions.push(within(number.term(), (0, capacity - 1)));
                    let place = executor.place(multiset);
                    let step = meaning::Step::Index {
                        index: number.term(),
                        offset: 0,
                        width: 1,
                    };
                    conditions.extend(meaning::select(&executor.read(&place), &step).first().map(|l| l.body));
                    executor.bind(*local, Binding::Value(vec![meaning::constant(number.term())]));
                }
                Context::Parameter(binder) => self.parameter(executor, binder, &mut parameters, &mut conditions),
            }
        }
        (parameters, conditions)
    }

    fn parameter(
        &self,
        executor: &mut Executor<'_, 'm>,
        binder: &Binder,
        parameters: &mut Vec<Variable>,
        conditions: &mut Vec<Term>,
    ) {
        let name = executor.local(binder.local).name.clone();
        let mut variable = |executor: &mut Executor<'_, 'm>, name: &str, sort| {
            let variable = executor.fresh(name, sort);
            executor.scope.push(variable);
            parameters.push(variable);
            variable.term()
        };
        let value = match &binder.domain {
            Domain::Type(ty) => match (self.shapes.union(*ty), self.shapes.scalar(*ty)) {
                (Some(union), _) => {
                    let mut value = vec![meaning::constant(variable(executor, &name, Sort::Enum(union.tag)))];
                    for (member, scalar) in &union.payloads {
                        let name = format!("{name}.{}", self.shapes.type_name(*member));
                        let payload = variable(executor, &name, scalar.sort);
                        conditions.extend(scalar.bounds.map(|bounds| within(payload, bounds)));
                        value.push(meaning::constant(payload));
                    }
                    // Payloads that do not count are fixed, so that no instance of the rule comes twice.
                    for (number, case) in union.cases.iter().enumerate() {
                        if let Case::Payload { payload, .. } = case {
                            let here = term::equal(value[0].body, term::enumerator(union.tag, number));
                            let any = self.any_of(&union.payloads[*payload].1);
                            conditions.push(term::or([here, term::equal(value[payload + 1].body, any)]));
                        }
                    }
                    value
                }
                (None, Some(scalar)) => {
                    let term = variable(executor, &name, scalar.sort);
                    conditions.extend(scalar.bounds.map(|bounds| within(term, bounds)));
                    vec![meaning::constant(term)]
                }
                _ => Vec::new(),
            },
            Domain::Range { low, high, step } => {
                let term = variable(executor, &name, Sort::Int);
                let (low, high) = (executor.scalar(low), executor.scalar(high));
                conditions.extend([term::less_equal(low, term), term::less_equal(term, high)]);
                if let Some(step) = step {
                    let remainder = term::modulo(term::subtract(term, low), executor.scalar(step));
                    conditions.push(term::equal(remainder, term::int(0)));
                }
                vec![meaning::constant(term)]
            }
        };
        executor.bind(binder.local, Binding::Value(value));
    }

    /// A closed formula over the state: the condition, for all values of what surrounds it, without an error in
    /// evaluating it.
    fn formula(
        &self,
        locals: &'m [Local],
        context: &'m [Context],
        condition: &Expression,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Term {
        let mut executor = Executor::new(self, locals);
        let (parameters, conditions) = self.context(&mut executor, context);
        let conditions = term::and(conditions);
        executor.path = conditions;
        let value = executor.scalar(condition);
        diagnostics.append(&mut executor.diagnostics);
        let sound = executor.assertions.iter().map(|a| a.condition);
        let mut body = term::and([term::implies(conditions, value)].into_iter().chain(sound));
        // Small ranges are written out, as in quantifiers.
        for parameter in parameters.iter().rev() {
            body = match constant_bounds(conditions, *parameter) {
                Some((low, high)) if high - low < 64 => {
                    let at = |v| Substitution::of_variables([(*parameter, term::int(v))]).apply(body);
                    term::and((low..=high).map(at))
                }
                _ => term::forall([*parameter], body),
            };
        }
        body
    }

    fn predicate(&self, predicate: &'m Formula, diagnostics: &mut Vec<Diagnostic>) -> Predicate {
        let mut executor = Executor::new(self, &predicate.locals);
        let mut indices = Vec::new();
        for (number, local) in predicate.locals.iter().enumerate() {
            if let (LocalKind::Bound, Some(scalar)) = (local.kind, self.shapes.scalar(local.ty)) {
                let variable = Variable::new(local.name.as_str(), scalar.sort);
                executor.bind(
                    LocalId(number),
                    Binding::Value(vec![meaning::constant(variable.term())]),
                );
                indices.push(variable);
            }
        }
        executor.scope.clone_from(&indices);
        let formula = executor.scalar(&predicate.condition);
        diagnostics.append(&mut executor.diagnostics);
        let free = logic::free_variables(formula);
        indices.retain(|v| free.contains(v));
        Predicate {
            name: predicate.name.clone(),
            indices,
            formula,
            span: predicate.span,
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
