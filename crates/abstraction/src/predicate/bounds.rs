//! Bounds of the integers in arrays, for as long as their element is in use.
//!
//! A message has a hop count once it is sent, a node has one once it has a route; before, the integer is anything. So
//! each candidate is `forall x. g(x) != v => k <= f(x)` (or `f(x) <= k`), where `v` is what the start gives `g`
//! everywhere, and `k` the least (or greatest) number that a rule writes to `f`. All are true at the start, by the way
//! they are made.

use deduction::conditionals::leaves;
use logic::{Function, Kind, Sort, Term, Variable, term};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Rule;

/// The bounds to try: true at the start, and perhaps kept by the rules.
pub(super) fn candidates(system: &TransitionSystem, start: &Rule) -> Vec<Term> {
    let functions: Vec<Function> = system.state.iter().map(|symbol| symbol.function).collect();
    let is_array = |f: &&Function| !f.parameters().is_empty() && f.result() == Sort::Int;
    let mut candidates = Vec::new();
    for integers in functions.iter().filter(is_array) {
        let written = written(system, *integers);
        let (Some(least), Some(greatest)) = (written.first(), written.last()) else {
            continue;
        };
        let variables: Vec<Variable> = integers.parameters().iter().enumerate().map(variable).collect();
        let at = |function: &Function| function.apply(variables.iter().map(|v| v.term()).collect::<Vec<_>>());
        for flag in functions.iter().filter(|f| f.parameters() == integers.parameters()) {
            let Some(unused) = initial_value(start, *flag) else {
                continue;
            };
            let in_use = term::not(term::equal(at(flag), unused));
            for bound in [
                term::less_equal(term::int(*least), at(integers)),
                term::less_equal(at(integers), term::int(*greatest)),
            ] {
                candidates.push(term::forall(variables.clone(), term::implies(in_use, bound)));
            }
        }
    }
    candidates
}

fn variable((number, sort): (usize, &Sort)) -> Variable {
    Variable::new(format!("i{number}").as_str(), *sort)
}

/// The numbers that rules give to elements of an array.
fn written(system: &TransitionSystem, integers: Function) -> BTreeSet<i128> {
    let updates = system.rules.iter().flat_map(|rule| &rule.updates);
    let values = updates.filter(|u| u.function == integers);
    let leaves = values.flat_map(|u| leaves(u.value, usize::MAX).unwrap_or_default());
    let numbers = leaves.filter_map(|leaf| match leaf.kind() {
        Kind::Int(number) => Some(*number),
        _ => None,
    });
    numbers.collect()
}

/// The value that the start gives to each element of an array that is not of integers.
fn initial_value(start: &Rule, flag: Function) -> Option<Term> {
    let update = start.updates.iter().find(|update| update.function == flag)?;
    (flag.result() != Sort::Int && update.value.is_value()).then_some(update.value)
}
