//! The implicit engine against the algorithm of figure 3.1 of the thesis, taken word for word.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use abstraction::goal::{Goal, goals};
use abstraction::predicate::approximate::{Abstraction, ReachabilityResult, facts};
use abstraction::predicate::implicit;
use common::{declared, library, lowered};
use deduction::GroundSolver;
use logic::testing::Choices;
use logic::{Substitution, Term, term};
use smt::{Answer, Purpose, Solvers};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Rule;

type States = BTreeSet<Vec<bool>>;

/// The reachable abstract states by breadth-first search, with the recursion of figure 3.1 for each image.
struct Reference<'r> {
    system: &'r TransitionSystem,
    facts: Vec<Term>,
    predicates: &'r [Term],
    solvers: Solvers,
}

impl Reference<'_> {
    fn reach(&self) -> States {
        let mut reached = States::new();
        for start in &self.system.starts {
            reached.extend(self.next_states(start, None));
        }
        let mut ring = reached.clone();
        while !ring.is_empty() {
            let mut next = States::new();
            for rule in &self.system.rules {
                next.extend(self.next_states(rule, Some(&ring)));
            }
            ring = next.difference(&reached).cloned().collect();
            reached.extend(ring.iter().cloned());
        }
        reached
    }

    /// `ABSTRACT_NEXT_STATES(S) = H(R_C(x, y) and gamma(S)(x), 1)`
    fn next_states(&self, rule: &Rule, states: Option<&States>) -> States {
        let step = rule.substitution();
        let mut psi = self.facts.clone();
        psi.extend([rule.guard, step.apply(rule.constraint)]);
        if let Some(states) = states {
            let literal = |(predicate, value): (&Term, &bool)| if *value { *predicate } else { term::not(*predicate) };
            let state = |state: &Vec<bool>| term::and(self.predicates.iter().zip(state).map(literal));
            psi.push(term::or(states.iter().map(state)));
        }
        let mut successors = States::new();
        self.divide(&mut psi, &step, &mut Vec::new(), &mut successors);
        successors
    }

    /// `H(psi, i)`
    fn divide(&self, psi: &mut Vec<Term>, step: &Substitution, chosen: &mut Vec<bool>, successors: &mut States) {
        if !self.is_satisfiable(psi) {
            return;
        }
        let Some(predicate) = self.predicates.get(chosen.len()) else {
            successors.insert(chosen.clone());
            return;
        };
        let image = step.apply(*predicate);
        for value in [true, false] {
            psi.push(if value { image } else { term::not(image) });
            chosen.push(value);
            self.divide(psi, step, chosen, successors);
            chosen.pop();
            psi.pop();
        }
    }

    fn is_satisfiable(&self, psi: &[Term]) -> bool {
        let mut solver = GroundSolver::new(&self.solvers).unwrap();
        for formula in psi {
            solver.assert(*formula).unwrap();
        }
        match solver.check(Purpose::Other).unwrap() {
            Answer::Sat => true,
            Answer::Unsat => false,
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
}

fn state_number(number: u32, predicates: usize) -> Vec<bool> {
    (0..predicates).map(|n| number >> n & 1 == 1).collect()
}

/// Both sets must be the same; returns it, and how many checks ours and the reference took.
fn compare(system: &TransitionSystem, goal: &Goal, declared: &[Term]) -> (States, u64, u64) {
    let solvers = Solvers::default();
    let goal = Goal {
        // Nothing is bad, so that all states are reached.
        bad: term::bool(false),
        property: term::bool(true),
        ..goal.clone()
    };
    let mut abstraction = Abstraction::new(system, &goal, &solvers).unwrap();
    for predicate in declared {
        abstraction.add_predicate(*predicate).unwrap();
    }
    let predicates = abstraction.predicates.clone();
    let ReachabilityResult::Proved(reached) = implicit::prove(&mut abstraction).unwrap() else {
        panic!("a trace to nowhere");
    };
    let manager = &mut abstraction.manager;
    let ours: States = (0..1u32 << predicates.len())
        .map(|number| state_number(number, predicates.len()))
        .filter(|state| {
            let cube = abstraction::predicate::machine::cube(manager, state, false);
            manager.and(cube, reached) == cube
        })
        .collect();
    let reference = Reference {
        system,
        facts: facts(system, &goal),
        predicates: &predicates,
        solvers: Solvers::default(),
    };
    assert_eq!(ours, reference.reach());
    (
        ours,
        solvers.statistics().total(),
        reference.solvers.statistics().total(),
    )
}

#[test]
fn models_of_the_library_reach_the_same_states_with_fewer_checks() {
    for name in [
        "bakery.m",
        "simple-cache.m",
        "semaphore.m",
        "mutex-server.m",
        "ticket.m",
        "sifakis-79.m",
    ] {
        let system = library(name);
        let property = &system.properties[0];
        let goal = &goals(&property.name, property.formula, &system)[0];
        let (reached, ours, reference) = compare(&system, goal, &declared(&system));
        assert!(!reached.is_empty(), "{name}");
        assert!(
            3 * ours <= reference,
            "{name}: {ours} checks, the reference {reference}"
        );
    }
}

const ATOMS: [&str; 12] = [
    "x = 0",
    "x < y",
    "x <= 2",
    "y = x + 1",
    "b",
    "c = red",
    "c != blue",
    "x + y > 3",
    "y < 0",
    "b | x = 1",
    "d = c",
    "b & c = red",
];
const ASSIGNMENTS: [&str; 12] = [
    "x := 0",
    "x := x + 1",
    "x := y",
    "y := x - y",
    "b := !b",
    "b := x < y",
    "c := red",
    "c := b ? blue : d",
    "d := c",
    "y := 2",
    "havoc y",
    "havoc c",
];

/// A model over two integers, a Boolean and two colours, and the predicates to see it with.
fn random_model(choices: &mut Choices) -> String {
    let mut text = "type COLOUR: enum { red, green, blue };\n\
                    var x, y: integer; b: boolean; c, d: COLOUR;\n\
                    startstate x := 0; y := 1; b := false; c := red; havoc d; end;\n"
        .to_owned();
    let some = |from: &[&str; 12], choices: &mut Choices| from[choices.below(12)].to_owned();
    for _ in 0..2 + choices.below(3) {
        let guard = format!("{} & ({})", some(&ATOMS, choices), some(&ATOMS, choices));
        let body = format!("{}; {};", some(&ASSIGNMENTS, choices), some(&ASSIGNMENTS, choices));
        text.push_str(&format!("rule {guard} ==> {body} end;\n"));
    }
    text.push_str(&format!("invariant \"p\" !({});\n", some(&ATOMS, choices)));
    for number in 0..2 + choices.below(4) {
        text.push_str(&format!("predicate \"{number}\" {};\n", some(&ATOMS, choices)));
    }
    text
}

/// Exactly the states of figure 3.1; and what the exact states prove, successive approximation proves as well (theorem
/// 3).
#[test]
fn random_models_reach_the_same_states_and_both_engines_agree() {
    let (mut safe, mut large) = (0, 0);
    for seed in 0..40 {
        let text = random_model(&mut Choices::random(seed, 100));
        let system = lowered(&text);
        let property = &system.properties[0];
        for goal in goals(&property.name, property.formula, &system) {
            let predicates: Vec<Term> = goal.atoms().into_iter().chain(declared(&system)).collect();
            let (reached, ..) = compare(&system, &goal, &predicates);
            large += usize::from(reached.len() > 3);
            let solvers = Solvers::default();
            let proved = [true, false].map(|exact| {
                let mut abstraction = Abstraction::new(&system, &goal, &solvers).unwrap();
                for predicate in &predicates {
                    abstraction.add_predicate(*predicate).unwrap();
                }
                let outcome = match exact {
                    true => implicit::prove(&mut abstraction),
                    false => abstraction.prove(),
                };
                matches!(outcome.unwrap(), ReachabilityResult::Proved(_))
            });
            assert_eq!(proved[0], proved[1], "{text}");
            safe += usize::from(proved[0]);
        }
    }
    assert!(
        (4..36).contains(&safe) && large > 12,
        "{safe} safe, {large} with many states"
    );
}
