//! The cone of influence, and what is connected to formulas by the symbols that they share.

use logic::substitute::functions_of;
use logic::{Function, Term};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Predicate;

/// The least set of symbols with those of `formulas`, of all assertions with the guards of their rules, and, for every
/// rule that updates one of them, those of its guard and of that update. The system restricted to it has the same runs,
/// seen through the formulas: what lies outside is needed in no proof of them.
pub fn cone_of_influence(system: &TransitionSystem, formulas: impl IntoIterator<Item = Term>) -> BTreeSet<Function> {
    let mut cone: BTreeSet<Function> = formulas.into_iter().flat_map(functions_of).collect();
    for step in system.starts.iter().chain(&system.rules) {
        for assertion in &step.assertions {
            cone.extend(functions_of(step.guard));
            cone.extend(functions_of(assertion.condition));
        }
    }
    // An initial condition or an axiom may tie symbols to each other.
    let ties: Vec<BTreeSet<Function>> = system
        .starts
        .iter()
        .map(|start| start.constraint)
        .chain(system.axioms.iter().map(|axiom| axiom.formula))
        .map(functions_of)
        .collect();
    loop {
        let before = cone.len();
        for step in system.starts.iter().chain(&system.rules) {
            for update in &step.updates {
                if cone.contains(&update.function) {
                    cone.extend(functions_of(step.guard));
                    cone.extend(functions_of(update.value));
                }
            }
        }
        for tie in &ties {
            if !tie.is_disjoint(&cone) {
                cone.extend(tie);
            }
        }
        if cone.len() == before {
            return cone;
        }
    }
}

/// The predicates that can matter for the formulas: each doubles the abstract states at worst. A relevant predicate may
/// tie the cone of influence to variables outside of it, such as history variables.
pub fn relevant_predicates(
    system: &TransitionSystem,
    formulas: impl IntoIterator<Item = Term>,
    predicates: &[Predicate],
) -> Vec<Predicate> {
    let cone = cone_of_influence(system, formulas);
    let symbols: Vec<BTreeSet<Function>> = predicates.iter().map(|one| functions_of(one.formula)).collect();
    let connected = connected(cone, &symbols);
    let is_relevant = |at: &usize| symbols[*at].is_empty() || connected.contains(at);
    (0..predicates.len())
        .filter(is_relevant)
        .map(|at| predicates[at].clone())
        .collect()
}

/// The positions of sets that share an element with the seed, or with another such set.
pub fn connected<T: Ord + Copy>(mut seed: BTreeSet<T>, sets: &[BTreeSet<T>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for (at, set) in sets.iter().enumerate() {
            if !found.contains(&at) && !set.is_disjoint(&seed) {
                found.insert(at);
                seed.extend(set);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Sort, term};
    use system::transition::{Rule, Update};

    #[test]
    fn follows_guards_and_updates_backwards() {
        let names = ["seen", "cause", "guarding", "counted", "tied"];
        let symbols = names.map(|name| Function::constant(name, Sort::Bool));
        let [seen, cause, guarding, counted, tied] = symbols;
        let update = |function: Function, value: Function| Update {
            function,
            parameters: Vec::new(),
            value: value.apply([]),
        };
        let rule = Rule {
            guard: guarding.apply([]),
            updates: vec![update(seen, cause), update(counted, seen)],
            ..Rule::identity()
        };
        let start = Rule {
            constraint: term::equal(tied.apply([]), cause.apply([])),
            ..Rule::identity()
        };
        let system = TransitionSystem {
            starts: vec![start],
            rules: vec![rule],
            ..TransitionSystem::default()
        };
        let cone = cone_of_influence(&system, [seen.apply([])]);
        assert_eq!(cone, BTreeSet::from([seen, cause, guarding, tied]));
    }

    #[test]
    fn sets_are_connected_through_others() {
        let sets = [[1, 2], [3, 4], [2, 3], [5, 6], [7, 7]].map(BTreeSet::from);
        assert_eq!(connected(BTreeSet::from([4]), &sets), BTreeSet::from([0, 1, 2]));
        assert_eq!(connected(BTreeSet::from([8]), &sets), BTreeSet::new());
    }
}
