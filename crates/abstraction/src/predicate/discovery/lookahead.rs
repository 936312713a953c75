//! The predicates that the next trace would ask for.
//!
//! A predicate that was just found becomes true by some rule; the next spurious trace takes this rule from a state in
//! which its guard cannot hold. So the conditions of the guard, for the processes that the property speaks of, are
//! added now: a cycle of discovery saved for some predicates that may prove useless.

use crate::goal::Goal;
use deduction::conditionals::{find_conditional, lift_conditionals};
use deduction::formulas::collect_atoms;
use logic::Cancellation;
use logic::{Function, Sort, Substitution, Term, simplify::simplify, substitute::functions_of};
use std::cell::LazyCell;
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Rule;

/// The atoms of guards, and of what rules make of the predicates, over the goal's constants and the state; not all of
/// them after an interrupt.
pub(crate) fn lookahead(
    system: &TransitionSystem,
    goal: &Goal,
    predicates: &[Term],
    cancellation: &Cancellation,
) -> Vec<Term> {
    let state: BTreeSet<Function> = system.state.iter().map(|symbol| symbol.function).collect();
    let mut known: BTreeSet<Function> = goal.constants.iter().map(|(constant, _)| *constant).collect();
    known.extend(system.rigid.iter().map(|symbol| symbol.function));
    known.extend(&state);
    let mut atoms = Vec::new();
    for rule in &system.rules {
        for assignment in assignments(rule, goal) {
            let guard = LazyCell::new(|| lift_conditionals(simplify(assignment.apply(rule.guard))));
            for predicate in predicates.iter().filter(|p| !p.has_quantifier()) {
                if cancellation.is_cancelled() {
                    break;
                }
                let image = simplify(assignment.apply(rule.substitution().apply(*predicate)));
                if image != *predicate && !image.is_false() {
                    collect_atoms(lift_conditionals(image), &mut atoms);
                    collect_atoms(*guard, &mut atoms);
                }
            }
        }
    }
    atoms.retain(|atom| {
        let functions = functions_of(*atom);
        let is_said_of_state = !functions.is_disjoint(&state) && functions.is_subset(&known);
        let is_simple = !atom.has_quantifier() && find_conditional(*atom, |sort| sort != Sort::Bool).is_none();
        is_said_of_state && is_simple && atom.free_variables().is_empty()
    });
    atoms
}

/// The ways to have constants of the goal as parameters of a rule.
fn assignments(rule: &Rule, goal: &Goal) -> Vec<Substitution> {
    let mut ways: Vec<Vec<(logic::Variable, Term)>> = vec![Vec::new()];
    for parameter in &rule.parameters {
        let constants = goal
            .constants
            .iter()
            .filter(|(constant, _)| constant.result() == parameter.sort);
        let values: Vec<Term> = constants.map(|(constant, _)| constant.apply([])).collect();
        if !values.is_empty() {
            let longer = ways.iter().flat_map(|way| {
                values
                    .iter()
                    .map(|value| way.iter().copied().chain([(*parameter, *value)]).collect())
            });
            ways = longer.collect();
        }
    }
    ways.into_iter().map(Substitution::of_variables).collect()
}
