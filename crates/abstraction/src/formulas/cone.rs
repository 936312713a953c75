//! The cone of influence: the part of the state on which given formulas can ever depend.

use logic::substitute::functions_of;
use logic::{Function, Term};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Predicate;

/// The least set of symbols with those of `formulas`, of all assertions with the guards of their rules, and, for every
/// rule that updates one of them, those of its guard and of that update. The system restricted to it has the same runs,
/// seen through the formulas: what lies outside is needed in no proof of them.
pub(super) fn cone_of_influence(
    system: &TransitionSystem,
    formulas: impl IntoIterator<Item = Term>,
) -> BTreeSet<Function> {
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

/// Those of the predicates that can matter for the formulas: each doubles the abstract states at worst. What does
/// matter may tie the cone of influence to variables outside of it, such as those that only remember something.
pub fn relevant(
    system: &TransitionSystem,
    formulas: impl IntoIterator<Item = Term>,
    predicates: &[Predicate],
) -> Vec<Predicate> {
    let mut cone = cone_of_influence(system, formulas);
    loop {
        let matters = |predicate: &&Predicate| {
            let functions = functions_of(predicate.formula);
            functions.is_empty() || !functions.is_disjoint(&cone)
        };
        let relevant: Vec<Predicate> = predicates.iter().filter(matters).cloned().collect();
        let before = cone.len();
        cone.extend(relevant.iter().flat_map(|predicate| functions_of(predicate.formula)));
        if cone.len() == before {
            return relevant;
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
}
