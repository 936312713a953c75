//! The running example of the paper: figures 2 to 6, examples 1 to 4.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Subject, models};
use conformance::component::Component;
use conformance::component::abstraction::{Abstractor, ControlState, Model, Oracle};
use conformance::lts::{Actions, TAU};
use conformance::verify::{LoopVerdict, Options, verify};
use logic::pretty::pretty;
use logic::term;
use smt::Solvers;
use std::collections::{BTreeMap, BTreeSet};

fn subject() -> Subject {
    Subject::read(&models().join("example.spec"), &[models().join("example.c")])
}

/// What the paper calls the nodes: by where they are, from INIT on.
fn names(component: &Component) -> BTreeMap<usize, String> {
    let automaton = &component.automaton;
    let next = |node: usize| -> Vec<usize> {
        let edges = automaton.nodes[node].edges.iter().map(|edge| &automaton.edges[*edge]);
        let mut edges: Vec<_> = edges.collect();
        // The `then` successor first: its condition is not a negation.
        edges.sort_by_key(|edge| {
            matches!(edge.condition.kind(), logic::Kind::Not(_)) || pretty(edge.condition).contains("<=")
        });
        edges.iter().map(|edge| edge.to).collect()
    };
    let mut names = BTreeMap::from([(0, "INIT".to_owned()), (automaton.last, "FINAL".to_owned())]);
    let s0 = automaton.entry;
    let [s1] = next(s0)[..] else {
        panic!("S0 is an assignment")
    };
    let [s2, s3] = next(s1)[..] else {
        panic!("S1 is a branch")
    };
    let ([s4], [s5]) = (&next(s2)[..], &next(s3)[..]) else {
        panic!("S2 and S3 are calls")
    };
    let ([s6, s7], [s8, s9]) = (&next(*s4)[..], &next(*s5)[..]) else {
        panic!("S4 and S5 are branches")
    };
    for (number, node) in [s0, s1, s2, s3, *s4, *s5, *s6, *s7, *s8, *s9].into_iter().enumerate() {
        names.insert(node, format!("S{number}"));
    }
    names
}

fn candidates(component: &Component, wanted: &[&str]) -> BTreeSet<usize> {
    let names = names(component);
    let is_wanted = |number: &usize| wanted.contains(&names[&component.candidates[*number].node].as_str());
    (0..component.candidates.len()).filter(is_wanted).collect()
}

fn model(component: &Component, chosen: &BTreeSet<usize>) -> Model {
    let mut oracle = Oracle::new(Solvers::default().solver().unwrap());
    let predicates = component.predicates(chosen);
    Abstractor::new(component, &predicates, &mut oracle)
        .model(&predicates, 1000, &|| false)
        .unwrap()
}

/// Each transition once, states by their nodes and what holds there.
fn transitions(component: &Component, model: &Model, actions: &Actions) -> BTreeSet<String> {
    let names = names(component);
    let state = |number: usize| {
        let state = &model.states[number];
        let (node, inside) = match state.place {
            ControlState::Stop => return "STOP".to_owned(),
            ControlState::At(node) => (node, String::new()),
            ControlState::Inside(edge, _, inside) => (component.automaton.edges[edge].from, format!(".{inside}")),
        };
        let values = model.predicates.at[node].iter().zip(&state.valuation);
        let values: Vec<String> = values
            .map(|(predicate, value)| format!("{}{}", if *value { "" } else { "!" }, short(&pretty(*predicate))))
            .collect();
        format!("{}{inside}[{}]", names[&node], values.join(" "))
    };
    let mut found = BTreeSet::new();
    for from in 0..model.states.len() {
        for step in &model.moves[from] {
            let action = if step.action == TAU {
                "tau"
            } else {
                actions.name(step.action)
            };
            found.insert(format!("{} {action} {}", state(from), state(step.to)));
        }
    }
    found
}

fn short(predicate: &str) -> String {
    predicate.replace("component:", "").replace(' ', "")
}

/// Example 1: the automaton of figure 4.
#[test]
fn example_1() {
    let subject = subject();
    let system = subject.system(0, false).unwrap();
    let component = &system.components[0];
    let names = names(component);
    assert_eq!(names.len(), component.automaton.nodes.len(), "S0 to S9, INIT and FINAL");
    let own = (0..component.automaton.edges.len())
        .filter(|edge| component.automaton.nodes.iter().any(|node| node.edges.contains(edge)));
    let edges = own.map(|edge| &component.automaton.edges[edge]);
    let edges: BTreeSet<String> = edges
        .map(|edge| format!("{} {}", names[&edge.from], names[&edge.to]))
        .collect();
    let expected = [
        "INIT S0", "S0 S1", "S1 S2", "S1 S3", "S2 S4", "S3 S5", "S4 S6", "S4 S7", "S5 S8", "S5 S9", "S6 FINAL",
        "S7 FINAL", "S8 FINAL", "S9 FINAL",
    ];
    assert_eq!(edges, expected.iter().map(ToString::to_string).collect());
}

/// Example 2: the predicates of figure 4.
#[test]
fn example_2() {
    let subject = subject();
    let system = subject.system(0, false).unwrap();
    let component = &system.components[0];
    let predicates = component.predicates(&candidates(component, &["S4", "S5"]));
    let names = names(component);
    let found: BTreeMap<&str, Vec<String>> = predicates
        .at
        .iter()
        .enumerate()
        .filter(|(_, at)| !at.is_empty())
        .map(|(node, at)| {
            (
                names[&node].as_str(),
                at.iter().map(|predicate| short(&pretty(*predicate))).collect(),
            )
        })
        .collect();
    // y < 10, and y > 5 or its negation.
    let (p1, p2) = (&found["S4"], &found["S5"]);
    assert_eq!((p1.len(), p2.len()), (1, 1), "{found:?}");
    let expected: BTreeMap<&str, Vec<String>> = [
        ("S1", found["S1"].clone()),
        ("S2", p1.clone()),
        ("S3", p2.clone()),
        ("S4", p1.clone()),
        ("S5", p2.clone()),
    ]
    .into();
    assert_eq!(found, expected);
    let both: BTreeSet<&String> = found["S1"].iter().collect();
    assert_eq!(both, p1.iter().chain(p2).collect());
    assert!(
        p1[0].contains("y") && p1[0].contains("10") || p1[0].contains("9"),
        "{p1:?}"
    );
}

/// Example 3: what the values of predicates stand for.
#[test]
fn example_3() {
    let subject = subject();
    let system = subject.system(0, false).unwrap();
    let component = &system.components[0];
    let predicates = component.predicates(&candidates(component, &["S4", "S5"]));
    let names = names(component);
    let s1 = names
        .iter()
        .find(|(_, name)| *name == "S1")
        .map(|(node, _)| *node)
        .unwrap();
    let at: Vec<_> = predicates.at[s1].iter().copied().collect();
    let [first, second] = at[..] else { panic!("{at:?}") };
    let [v1, v2] = [[false, true], [true, false]];
    assert_eq!(
        predicates.concretization(s1, &v1),
        term::and([term::not(first), second])
    );
    assert_eq!(
        predicates.concretization(s1, &v2),
        term::and([first, term::not(second)])
    );
}

/// Example 4 and figure 6: without predicates, a and b are followed by either of their returns; with p1 and p2, only by
/// those that can be.
#[test]
fn example_4() {
    let subject = subject();
    let system = subject.system(0, false).unwrap();
    let component = &system.components[0];
    let none = transitions(component, &model(component, &BTreeSet::new()), &system.actions);
    let expected = [
        "INIT[] tau S0[]",
        "S0[] tau S1[]",
        "S1[] tau S2[]",
        "S1[] tau S3[]",
        "S2[] tau S2.0[]",
        "S2.0[] a S2.1[]",
        "S2.1[] tau S4[]",
        "S3[] tau S3.0[]",
        "S3.0[] b S3.1[]",
        "S3.1[] tau S5[]",
        "S4[] tau S6[]",
        "S4[] tau S7[]",
        "S5[] tau S8[]",
        "S5[] tau S9[]",
        "S6[] return {$0 == 0} STOP",
        "S7[] return otherwise STOP",
        "S8[] return {$0 == 2} STOP",
        "S9[] return otherwise STOP",
    ];
    assert_eq!(none, expected.iter().map(ToString::to_string).collect());
    let both = model(component, &candidates(component, &["S4", "S5"]));
    let returns: BTreeSet<&str> = both
        .lts
        .alphabet
        .iter()
        .filter(|action| (0..both.lts.states()).any(|state| both.lts.successors(state, **action).next().is_some()))
        .map(|action| system.actions.name(*action))
        .collect();
    assert_eq!(
        returns,
        BTreeSet::from(["a", "b", "return {$0 == 0}", "return {$0 == 2}"])
    );
    let with = transitions(component, &both, &system.actions);
    // Figure 6 (b): the states of (a), without S7 and S9.
    assert_eq!(with.len(), expected.len() - 4, "{with:#?}");
    assert!(!with.iter().any(|line| line.contains("S7") || line.contains("S9")));
}

#[test]
fn the_example_conforms() {
    let subject = subject();
    let system = subject.system(0, false).unwrap();
    let outcome = verify(&system, &Options::default(), &Solvers::default(), &mut |_| {}, &|| {
        false
    });
    let LoopVerdict::Conforms(_) = outcome.verdict else {
        panic!("it conforms")
    };
    assert_eq!(outcome.statistics.predicates.2, 2, "both branches are needed");
}
