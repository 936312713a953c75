//! Lowers rules, starts, properties and predicates: their context, and the results of executing their code.

use super::Lowering;
use super::counting;
use super::execute::{Binding, Executor, identity};
use super::meaning::{self, Meaning};
use super::multisets;
use super::quantifiers::FIXED;
use super::refusal::{self, Refusal};
use super::shape::{Case, Scalar};
use super::within;
use crate::model::*;
use logic::hashing::{FastMap, FastSet};
use logic::normal_forms::constant_bounds;
use logic::{Function, Kind, Lambda, Sort, Substitution, Term, Variable, term};
use system::Diagnostic;
use system::transition::{Assertion, AssertionKind, Predicate, Rule as SystemRule, Update};

/// The result of lowering a rule or start.
pub(super) struct LoweredRule {
    /// The step itself.
    pub(super) step: SystemRule,
    /// Rules without updates. They assert what must not go wrong where the step cannot express it: in the guard, which
    /// is evaluated even if it is false, and before an assumption, which comes too late to excuse an error.
    pub(super) errors: Vec<SystemRule>,
}

/// The bound context of a rule or property.
struct Surroundings {
    parameters: Vec<Variable>,
    /// Constraints on the parameters.
    ranges: Vec<Term>,
    /// That the multiset elements bound by `choose` are present.
    present: Vec<Term>,
}

impl Surroundings {
    fn conditions(&self) -> Term {
        term::and(self.ranges.iter().chain(&self.present).copied())
    }
}

/// A formula of the source: its value, and the condition under which it is defined.
struct Evaluated {
    value: Term,
    sound: Vec<Assertion>,
}

/// The parts of a rule of the system.
struct Parts {
    guard: Term,
    updates: Vec<Update>,
    assertions: Vec<Assertion>,
}

impl<'m> Lowering<'m> {
    /// Lowers a rule or start.
    pub(super) fn rule(&self, rule: &'m Rule, is_start: bool, refusals: &mut Vec<Refusal>) -> LoweredRule {
        let mut executor = Executor::new(self, &rule.locals);
        if is_start {
            executor.state.variables = self
                .model
                .variables
                .iter()
                .map(|v| executor.arbitrary(v.ty, &v.name, false))
                .collect();
        }
        let (before, choices) = (executor.state.variables.clone(), executor.choices.len());
        let around = self.context(&mut executor, &rule.context);
        executor.path = around.conditions();
        let condition = rule.guard.as_ref().map(|guard| executor.scalar(guard));
        let guard = term::and([around.conditions()].into_iter().chain(condition));
        let guard_assertions = std::mem::take(&mut executor.assertions);
        executor.path = guard;
        // Effects and choices on the way to the body are evaluated again for the body.
        if !is_start && (executor.state.variables != before || executor.choices.len() > choices) {
            for part in &rule.context {
                if let Context::Alias(local, target) = part {
                    executor.alias(*local, target);
                }
            }
        }
        executor.run(&rule.body);
        executor.path = term::bool(true);
        executor.state.active = term::bool(true);
        self.assume_properties(&mut executor, refusals);
        refusal::append(refusals, std::mem::take(&mut executor.refusals));
        let updates = self.updates(&before, &executor, is_start);
        let mut assertions = std::mem::take(&mut executor.assertions);
        let mut errors = Vec::new();
        let failing = |kind: &str, guard: Term, assertions: Vec<Assertion>| {
            let parts = Parts {
                guard,
                updates: Vec::new(),
                assertions,
            };
            self.assemble(format!("{} ({kind})", rule.name), rule, &around, parts, &executor)
        };
        if is_start {
            // A start is always enabled.
            assertions.splice(0..0, guard_assertions);
        } else if !guard_assertions.is_empty() {
            let ranges = term::and(around.ranges.iter().copied());
            errors.push(failing("guard", ranges, guard_assertions));
        }
        let possible = executor.state.possible;
        if !possible.is_true() && !assertions.is_empty() {
            errors.push(failing("before assumptions", guard, std::mem::take(&mut assertions)));
        }
        let parts = Parts {
            guard: term::and([guard, possible]),
            updates,
            assertions,
        };
        let step = self.assemble(rule.name.clone(), rule, &around, parts, &executor);
        LoweredRule { step, errors }
    }

    /// Assumes the model's assumptions about the state; evaluating them must not fail.
    fn assume_properties(&self, executor: &mut Executor<'_, 'm>, refusals: &mut Vec<Refusal>) {
        let assumptions = self
            .model
            .properties
            .iter()
            .filter(|p| p.kind == PropertyKind::Assumption);
        for property in assumptions {
            let formula = self.evaluated(
                &property.locals,
                &property.context,
                &property.condition,
                false,
                refusals,
            );
            let after = self.after(&executor.state.variables);
            for assertion in formula.sound {
                let message = format!("{} in \"{}\"", assertion.message, property.name);
                executor.require(
                    assertion.kind,
                    after.apply(assertion.condition),
                    message,
                    assertion.span,
                );
            }
            executor.assume(after.apply(formula.value));
        }
    }

    /// The updates of all functions. A start has none for functions that it leaves arbitrary.
    fn updates(&self, before: &[Meaning], executor: &Executor<'_, '_>, is_start: bool) -> Vec<Update> {
        let arbitrary = |meaning: &Lambda| executor.choices.iter().any(|c| identity(c.function) == *meaning);
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

    /// Assembles a rule of the system, with the choices that occur in it.
    fn assemble(
        &self,
        name: String,
        rule: &Rule,
        around: &Surroundings,
        parts: Parts,
        executor: &Executor<'_, '_>,
    ) -> SystemRule {
        let mut formulas = vec![parts.guard];
        formulas.extend(parts.updates.iter().map(|update| update.value));
        formulas.extend(parts.assertions.iter().map(|assertion| assertion.condition));
        let chosen = chosen_in(executor, &formulas);
        self.note_open(&chosen);
        let facts = chosen.iter().map(|(_, fact)| *fact);
        SystemRule {
            name,
            parameters: around.parameters.clone(),
            choices: chosen.iter().map(|(c, _)| *c).collect(),
            guard: term::and([parts.guard].into_iter().chain(facts)),
            updates: parts.updates,
            constraint: term::bool(true),
            assertions: parts.assertions,
            span: rule.span,
        }
    }

    /// Maps a formula over the state to one over the post-state of execution.
    fn after(&self, variables: &[Meaning]) -> Substitution {
        let pairs = self.variables.iter().zip(variables);
        Substitution::of_functions(pairs.flat_map(|(functions, meaning)| {
            functions
                .iter()
                .copied()
                .zip(meaning.iter().cloned())
                .collect::<Vec<_>>()
        }))
    }

    /// Binds the context of a rule or property, from the outside in.
    fn context(&self, executor: &mut Executor<'_, 'm>, context: &[Context]) -> Surroundings {
        let mut around = Surroundings {
            parameters: Vec::new(),
            ranges: Vec::new(),
            present: Vec::new(),
        };
        for part in context {
            match part {
                Context::Alias(local, target) => executor.alias(*local, target),
                Context::Choose { local, multiset } => {
                    let number = executor.fresh(&executor.local(*local).name, Sort::Int);
                    around.parameters.push(number);
                    executor.scope.push(number);
                    let capacity = match self.model.kind(multiset.ty) {
                        TypeKind::Multiset { capacity, .. } => *capacity,
                        _ => 0,
                    };
                    around.ranges.push(within(number.term(), (0, capacity - 1)));
                    let place = executor.place(multiset);
                    let present = executor.read(&place.at(multisets::mark(number.term())));
                    around.present.extend(present.first().map(|l| l.body));
                    // Inner parts of the context are evaluated only if the element is present.
                    executor.path = term::and(around.present.iter().copied());
                    executor.bind(*local, Binding::Value(vec![meaning::constant(number.term())]));
                }
                Context::Parameter(binder) => self.parameter(executor, binder, &mut around),
            }
        }
        around
    }

    fn parameter(&self, executor: &mut Executor<'_, 'm>, binder: &Binder, around: &mut Surroundings) {
        let name = executor.local(binder.local).name.clone();
        let parameters = &mut around.parameters;
        let conditions = &mut around.ranges;
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
                    // Irrelevant payloads are fixed, so that no rule instance occurs twice.
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
                conditions.push(in_steps(executor, term, (low, high, step.as_ref())));
                vec![meaning::constant(term)]
            }
        };
        executor.bind(binder.local, Binding::Value(value));
    }

    /// A closed formula over the state: the condition holds, and evaluates without an error, for all values of its
    /// context. Choices made on the way are universally quantified if `any_choice` is set, and otherwise not permitted.
    pub(super) fn formula(
        &self,
        locals: &'m [Local],
        context: &'m [Context],
        condition: &Expression,
        any_choice: bool,
        refusals: &mut Vec<Refusal>,
    ) -> Term {
        let evaluated = self.evaluated(locals, context, condition, any_choice, refusals);
        let sound = evaluated.sound.iter().map(|a| a.condition);
        term::and([evaluated.value].into_iter().chain(sound))
    }

    fn evaluated(
        &self,
        locals: &'m [Local],
        context: &'m [Context],
        condition: &Expression,
        any_choice: bool,
        refusals: &mut Vec<Refusal>,
    ) -> Evaluated {
        let mut executor = Executor::new(self, locals);
        let around = self.context(&mut executor, context);
        let conditions = around.conditions();
        executor.path = conditions;
        let value = executor.scalar(condition);
        let value = term::implies(executor.reached(), value);
        let mut sound = std::mem::take(&mut executor.assertions);
        let closed = |formula: Term, refusals: &mut Vec<Refusal>| {
            let formula = for_all_choices(&executor, formula, any_choice, condition.span, refusals);
            for_all_parameters(&around, conditions, formula)
        };
        let value = closed(value, refusals);
        for assertion in &mut sound {
            assertion.condition = closed(assertion.condition, refusals);
            if assertion.kind == AssertionKind::UndefinedRead {
                let read = (assertion.span, assertion.condition);
                self.reads_in_formulas.borrow_mut().push(read);
            }
        }
        refusal::append(refusals, std::mem::take(&mut executor.refusals));
        Evaluated { value, sound }
    }

    pub(super) fn predicate(&self, predicate: &'m Formula, refusals: &mut Vec<Refusal>) -> Predicate {
        let mut executor = Executor::new(self, &predicate.locals);
        let mut indices = Vec::new();
        for (number, local) in predicate.locals.iter().enumerate() {
            if let (LocalKind::Bound, Some(union)) = (local.kind, self.shapes.union(local.ty)) {
                let mut variables = vec![Variable::new(local.name.as_str(), Sort::Enum(union.tag))];
                variables.extend(union.payloads.iter().map(|(member, scalar)| {
                    let name = format!("{}.{}", local.name, self.shapes.type_name(*member));
                    Variable::new(name.as_str(), scalar.sort)
                }));
                let value = variables.iter().map(|v| meaning::constant(v.term())).collect();
                executor.bind(LocalId(number), Binding::Value(value));
                indices.extend(variables);
            }
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
        let formula = for_all_choices(&executor, formula, false, predicate.span, refusals);
        refusal::append(refusals, std::mem::take(&mut executor.refusals));
        let free = logic::free_variables(formula);
        indices.retain(|v| free.contains(v));
        Predicate {
            name: predicate.name.clone(),
            indices,
            formula,
            is_claim: false,
            span: predicate.span,
        }
    }
}

/// `low <= term <= high` in steps from `low`, or down from `low` to `high` for a negative step. The checker has ensured
/// that bounds are constants.
fn in_steps(
    executor: &mut Executor<'_, '_>,
    term: Term,
    range: (&Expression, &Expression, Option<&Expression>),
) -> Term {
    let (low, high, step) = range;
    let constant = |node: Option<&Expression>| match node.map(|node| &node.kind) {
        None => Some(1),
        Some(ExpressionKind::Literal(value)) => Some(*value),
        _ => None,
    };
    let Some(step) = constant(step).filter(|step| *step != 0) else {
        executor.unsupported(
            high.span,
            "the step of this ruleset is not known",
            "give it as a constant",
        );
        return term::bool(false);
    };
    let (low, high) = (executor.scalar(low), executor.scalar(high));
    let (least, most) = if step > 0 { (low, high) } else { (high, low) };
    let distance = term::subtract(term, low);
    let steps = term::modulo(distance, term::int(i128::from(step).abs()));
    term::and([
        term::less_equal(least, term),
        term::less_equal(term, most),
        term::equal(steps, term::int(0)),
    ])
}

/// The choices in these formulas, with their axioms.
fn chosen_in(executor: &Executor<'_, '_>, formulas: &[Term]) -> Vec<(Function, Term)> {
    let choices = executor.choices.iter();
    let facts: FastMap<Function, Term> = choices.map(|choice| (choice.function, choice.fact)).collect();
    let mut used: FastSet<Function> = FastSet::default();
    let mut seen: FastSet<Term> = FastSet::default();
    let mut pending = formulas.to_vec();
    while let Some(part) = pending.pop() {
        if !seen.insert(part) {
            continue;
        }
        if let Kind::Apply(function, _) = part.kind()
            && used.insert(*function)
        {
            pending.extend(facts.get(function));
        }
        part.for_each_child(|child| pending.push(child));
    }
    executor
        .choices
        .iter()
        .filter(|choice| used.contains(&choice.function))
        .map(|choice| (choice.function, choice.fact))
        .collect()
}

/// The formula, universally quantified over the choices. A choice for each element of a type cannot be quantified over,
/// and is reported.
fn for_all_choices(
    executor: &Executor<'_, '_>,
    formula: Term,
    any_choice: bool,
    span: system::Span,
    refusals: &mut Vec<Refusal>,
) -> Term {
    let formula = counting::without_numbers(formula, &executor.choices);
    let chosen = chosen_in(executor, &[formula]);
    if chosen.is_empty() {
        return formula;
    }
    let lowering = executor.lowering;
    // A loop leaves this open only because the type has no order: at a known size it is determined.
    let is_open = |choice: Function| choice.parameters().is_empty() && lowering.types_behind(choice).is_empty();
    if !any_choice || !chosen.iter().all(|(choice, _)| is_open(*choice)) {
        let message = "what this formula says depends on a value that the model does not determine";
        let types = chosen
            .iter()
            .flat_map(|(choice, _)| lowering.types_behind(*choice))
            .collect();
        refusals.push(Refusal::new(Diagnostic::error(span, message).help(FIXED), types));
        return formula;
    }
    let facts = term::and(chosen.iter().map(|(_, fact)| *fact));
    let variable = |choice: Function| Variable::new(choice.name(), choice.result());
    let lambdas = chosen
        .iter()
        .map(|(choice, _)| (*choice, meaning::constant(variable(*choice).term())));
    let formula = Substitution::of_functions(lambdas).apply(term::implies(facts, formula));
    let scalar = |choice: Function| Scalar {
        sort: choice.result(),
        bounds: lowering.bounds.borrow().get(&choice).copied(),
    };
    // A few numbers are expanded, as in quantifiers; the facts state the bounds of others.
    let count = |choice: Function| {
        scalar(choice)
            .bounds
            .map_or(1, |(low, high)| high.saturating_sub(low).saturating_add(1))
    };
    let cases = chosen
        .iter()
        .fold(1i64, |cases, (choice, _)| cases.saturating_mul(count(*choice)));
    if cases > 64 {
        let variables = chosen.iter().map(|(choice, _)| variable(*choice));
        return term::forall(variables.collect::<Vec<_>>(), formula);
    }
    chosen.iter().fold(formula, |formula, (choice, _)| {
        lowering.for_all(variable(*choice), scalar(*choice), formula)
    })
}

/// The formula for all values of the parameters; small ranges are expanded, as in quantifiers.
fn for_all_parameters(around: &Surroundings, conditions: Term, formula: Term) -> Term {
    let mut body = formula;
    for parameter in around.parameters.iter().rev() {
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
