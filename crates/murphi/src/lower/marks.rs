//! Asserts that no undefined value is read.
//!
//! Every value carries a definedness mark, and every read asserts it. Most marks are invariant: lowering computes the
//! greatest set of marks that each start establishes and each rule preserves if all of them hold before. These are
//! replaced by `true`, and assertions that become trivial disappear. Exploration reports such reads as errors, so
//! *safe* covers them.

use super::shape::Scalar;
use super::{Lowering, Origin};
use logic::{Function, Lambda, Sort, Substitution, Term, Variable, term};
use std::collections::BTreeSet;
use system::Span;
use system::transition::{AssertionKind, Rule, TransitionSystem};

/// The maximum number of index values tried for one mark.
const MOST_VALUES: usize = 4096;

/// A state function that tells whether another one is defined.
pub(crate) struct Mark {
    pub(super) function: Function,
    pub(super) indices: Vec<Scalar>,
}

/// Replaces invariant marks, and returns the places of reads that may be undefined, as far as can be seen.
pub(super) fn settle(lowering: &Lowering, system: &mut TransitionSystem, origins: [&mut Vec<Origin>; 2]) -> Vec<Span> {
    let always = always(lowering, system);
    let known = all_true(&always);
    for rule in system.starts.iter_mut().chain(&mut system.rules) {
        replace(rule, &known, &always);
    }
    for property in &mut system.properties {
        property.formula = known.apply(property.formula);
    }
    for predicate in &mut system.predicates {
        predicate.formula = known.apply(predicate.formula);
    }
    system.state.retain(|symbol| !always.contains(&symbol.function));
    remove_idle_errors(system, origins);
    let rules = system.starts.iter().chain(&system.rules);
    let assertions = rules.flat_map(|rule| &rule.assertions);
    let reads = assertions.filter(|assertion| assertion.kind == AssertionKind::UndefinedRead);
    let mut places: BTreeSet<Span> = reads.map(|assertion| assertion.span).collect();
    let formulas = lowering.reads_in_formulas.borrow();
    let open = formulas
        .iter()
        .filter(|(_, condition)| !known.apply(*condition).is_true());
    places.extend(open.map(|(span, _)| *span));
    places.into_iter().collect()
}

fn all_true(marks: &BTreeSet<Function>) -> Substitution {
    let always = |mark: &Function| {
        let parameters = super::execute::identity(*mark).parameters;
        let body = term::bool(true);
        (*mark, Lambda { parameters, body })
    };
    Substitution::of_functions(marks.iter().map(always))
}

/// The greatest set of marks that all starts establish, and all rules preserve if all marks of the set hold before.
fn always(lowering: &Lowering, system: &TransitionSystem) -> BTreeSet<Function> {
    let mut always: BTreeSet<Function> = lowering.marks.iter().map(|mark| mark.function).collect();
    loop {
        let known = all_true(&always);
        let is_kept = |mark: &Mark| {
            let mut steps = system.starts.iter().map(|start| (start, true));
            let mut rules = system.rules.iter().map(|rule| (rule, false));
            steps.all(|(step, is_start)| keeps(step, is_start, mark, &known))
                && rules.all(|(step, is_start)| keeps(step, is_start, mark, &known))
        };
        let lost = lowering
            .marks
            .iter()
            .filter(|mark| always.contains(&mark.function) && !is_kept(mark));
        let lost: Vec<Function> = lost.map(|mark| mark.function).collect();
        if lost.is_empty() || lowering.effort.is_over() {
            return if lost.is_empty() { always } else { BTreeSet::new() };
        }
        lost.iter().for_each(|mark| {
            always.remove(mark);
        });
    }
}

/// Whether a mark holds after a step: it is set for all indices, or a rule leaves it unchanged.
fn keeps(step: &Rule, is_start: bool, mark: &Mark, known: &Substitution) -> bool {
    let update = step.updates.iter().find(|update| update.function == mark.function);
    match update {
        None => !is_start,
        Some(update) => {
            let indices: Vec<(Variable, Scalar)> = update
                .parameters
                .iter()
                .copied()
                .zip(mark.indices.iter().copied())
                .collect();
            holds(known.apply(update.value), &indices, &mut MOST_VALUES.clone())
        }
    }
}

/// Whether a formula is true for all index values. False if that is hard to see.
fn holds(formula: Term, indices: &[(Variable, Scalar)], budget: &mut usize) -> bool {
    if formula.is_true() {
        return true;
    }
    let Some(((index, scalar), rest)) = indices.split_first() else {
        return false;
    };
    let values: Vec<Term> = match (scalar.sort, scalar.bounds) {
        (Sort::Bool, _) => vec![term::bool(false), term::bool(true)],
        (Sort::Enum(sort), _) => (0..sort.values().len())
            .map(|value| term::enumerator(sort, value))
            .collect(),
        (Sort::Int, Some((low, high))) if high.saturating_sub(low) < 1024 => {
            (low..=high).map(|value| term::int(i128::from(value))).collect()
        }
        _ => return holds(formula, rest, budget),
    };
    values.into_iter().all(|value| {
        *budget = budget.saturating_sub(1);
        let at = Substitution::of_variables([(*index, value)]).apply(formula);
        *budget > 0 && holds(at, rest, budget)
    })
}

fn replace(rule: &mut Rule, known: &Substitution, always: &BTreeSet<Function>) {
    rule.guard = known.apply(rule.guard);
    rule.updates.retain(|update| !always.contains(&update.function));
    for update in &mut rule.updates {
        update.value = known.apply(update.value);
    }
    for assertion in &mut rule.assertions {
        assertion.condition = known.apply(assertion.condition);
    }
    rule.assertions.retain(|assertion| !assertion.condition.is_true());
    let functions = rule.updates.iter().map(|update| update.value);
    let conditions = rule.assertions.iter().map(|assertion| assertion.condition);
    let mut used = logic::substitute::functions_of(rule.guard);
    for formula in functions.chain(conditions) {
        used.extend(logic::substitute::functions_of(formula));
    }
    rule.choices.retain(|choice| used.contains(choice));
}

/// Removes rules for possible errors in other rules' guards that no longer assert anything.
fn remove_idle_errors(system: &mut TransitionSystem, origins: [&mut Vec<Origin>; 2]) {
    let errors: BTreeSet<usize> = origins
        .iter()
        .flat_map(|group| group.iter())
        .flat_map(|o| o.errors.clone())
        .collect();
    let is_idle = |number: usize| errors.contains(&number) && system.rules[number].assertions.is_empty();
    let kept: Vec<usize> = (0..system.rules.len()).filter(|number| !is_idle(*number)).collect();
    if kept.len() == system.rules.len() {
        return;
    }
    let place = |number: usize| kept.binary_search(&number).ok();
    let [starts, rules] = origins;
    for origin in rules.iter_mut() {
        origin.step = place(origin.step).unwrap_or(origin.step);
    }
    for origin in starts.iter_mut().chain(rules) {
        origin.errors = origin.errors.iter().filter_map(|number| place(*number)).collect();
    }
    let mut number = 0;
    system.rules.retain(|_| {
        number += 1;
        kept.binary_search(&(number - 1)).is_ok()
    });
}
