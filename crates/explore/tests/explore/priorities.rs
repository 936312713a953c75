//! Only enabled rules with the least priority number fire, in every kind of run.

use crate::build::*;
use crate::{counts, plain, run, violation};
use explore::{
    Deadlock, FollowOptions, FollowOutcome, GraphOptions, SearchOptions, SearchVerdict, SilentObserver,
    SimulateOptions, ViolationKind, Waypoint, confirm, follow, simulate, state_graph,
};
use logic::Cancellation;
use system::instance::{Expression, Instance, Statement, Type};

/// The process inside leaves before another one enters. With equal priorities two can be inside.
fn door(enter: i64, leave: i64) -> Instance {
    let mut b = Build::default();
    let boolean = b.boolean();
    let node = b.scalarset("node", 3);
    let inside = b.array("inside", node, boolean);
    let clear = each(4, range(0, 2), vec![inside.set_at(load_local(4), constant(0))]);
    b.start("init", Vec::new(), vec![clear]);
    let node = |b: &Build| vec![b.parameter("n", node)];
    let of_node = inside.load_at(load_local(0));
    let parameters = node(&b);
    b.rule(
        "enter",
        parameters,
        not(of_node.clone()),
        vec![inside.set_at(load_local(0), constant(1))],
    );
    let parameters = node(&b);
    b.rule(
        "leave",
        parameters,
        of_node,
        vec![inside.set_at(load_local(0), constant(0))],
    );
    let both = |a: i64, b: i64| and(inside.load_at(constant(a)), inside.load_at(constant(b)));
    b.invariant("one", not(or(or(both(0, 1), both(0, 2)), both(1, 2))));
    b.instance.rules[0].priority = enter;
    b.instance.rules[1].priority = leave;
    b.instance
}

#[test]
fn the_search_keeps_to_them() {
    let ordered = run(&door(2, 1), &plain());
    assert!(matches!(ordered.verdict, SearchVerdict::Ok));
    assert_eq!(counts(&ordered), (4, 6));
    let options = SearchOptions {
        symmetry: true,
        ..plain()
    };
    let symmetric = run(&door(2, 1), &options);
    assert!(matches!(symmetric.verdict, SearchVerdict::Ok));
    assert_eq!(counts(&symmetric), (2, 4));
    for (enter, leave) in [(7, 7), (1, 2)] {
        let outcome = run(&door(enter, leave), &options);
        let found = violation(&outcome);
        assert_eq!(found.trace.as_ref().unwrap().steps.len(), 3, "{enter} {leave}");
    }
}

#[test]
fn random_runs_and_graphs_keep_to_them() {
    let many = SimulateOptions {
        runs: 50,
        length: 40,
        ..SimulateOptions::default()
    };
    let go = |instance: &Instance| simulate(instance, &many, &Cancellation::new(), &mut SilentObserver);
    assert!(go(&door(0, 0)).violation.is_some());
    let ordered = go(&door(2, 1));
    assert!(ordered.violation.is_none());
    assert_eq!(ordered.steps, 50 * 40);
    let options = GraphOptions {
        symmetry: false,
        ..GraphOptions::default()
    };
    let graph = state_graph(&door(2, 1), &options, &Cancellation::new()).unwrap();
    assert_eq!(graph.nodes.len(), 4);
}

#[test]
fn a_run_that_passes_over_a_rule_is_none() {
    let waypoints: Vec<Waypoint> = ["init", "enter", "enter"]
        .iter()
        .map(|name| Waypoint::Named((*name).to_owned()))
        .collect();
    let options = FollowOptions {
        waypoints: &waypoints,
        properties: &[0],
        max_states: 1000,
    };
    let go = |instance: &Instance| follow(instance, &options, &Cancellation::new());
    assert!(matches!(go(&door(2, 1)), FollowOutcome::Nothing { steps: 2 }));
    let FollowOutcome::Violated(found) = go(&door(1, 1)) else {
        panic!("two can enter");
    };
    assert!(confirm(&door(1, 1), &found).is_ok());
    assert!(confirm(&door(1, 2), &found).is_ok());
    let error = confirm(&door(2, 1), &found).unwrap_err().to_string();
    assert!(error.contains("has to wait, in step 2"), "{error}");
}

/// Counts to 3; from 2 on, a rule of higher priority is a self-loop, has a faulting guard, or fails.
fn counter(first: impl Fn(Variable, Variable) -> (Expression, Statement)) -> Instance {
    let mut b = Build::default();
    let digit = b.range(0, 3);
    let x = b.scalar("x", digit);
    let never = b.scalar("never", digit);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    let up = vec![x.set(add(x.load(), constant(1)))];
    b.rule("up", Vec::new(), not(equal(x.load(), constant(3))), up);
    let (guard, body) = first(x, never);
    b.rule("first", Vec::new(), guard, vec![body]);
    b.instance.rules[0].priority = 1;
    b.instance
}

#[test]
fn a_rule_that_leads_nowhere_makes_a_deadlock() {
    let instance = counter(|x, _| (equal(x.load(), constant(2)), x.set(constant(2))));
    let with = |deadlock| SearchOptions { deadlock, ..plain() };
    let stuttering = run(&instance, &with(Deadlock::Stuttering));
    assert_eq!(violation(&stuttering).kind, ViolationKind::Deadlock);
    assert_eq!(counts(&stuttering), (3, 3));
    assert!(matches!(
        run(&instance, &with(Deadlock::Stuck)).verdict,
        SearchVerdict::Ok
    ));
}

#[test]
fn a_deadlock_is_confirmed_where_those_that_would_lead_on_wait() {
    let instance = counter(|x, _| (equal(x.load(), constant(2)), x.set(constant(2))));
    let options = SearchOptions {
        deadlock: Deadlock::Stuttering,
        ..plain()
    };
    let outcome = run(&instance, &options);
    let found = violation(&outcome);
    assert_eq!(found.kind, ViolationKind::Deadlock);
    assert!(confirm(&instance, found).is_ok());
    // With these numbers counting does not wait.
    for (up, first) in [(1, 1), (1, 2), (0, 7)] {
        let mut other = instance.clone();
        (other.rules[0].priority, other.rules[1].priority) = (up, first);
        let error = confirm(&other, found).unwrap_err().to_string();
        assert!(
            error.contains("the rule \"up\" leads on from the end"),
            "{up} {first}: {error}"
        );
    }
}

#[test]
fn errors_in_guards_count_where_the_rule_waits_and_others_do_not() {
    // The guard of the higher-priority rule faults from 2 on, so that no other rule fires there.
    let is_two = |x: Variable| equal(x.load(), constant(2));
    let broken = counter(|x, never| (and(is_two(x), equal(never.load(), constant(1))), x.set(constant(0))));
    let options = SearchOptions {
        max_violations: 9,
        deadlock: Deadlock::Stuttering,
        ..plain()
    };
    let outcome = run(&broken, &options);
    assert!(matches!(violation(&outcome).kind, ViolationKind::Fault(_)));
    assert!(outcome.further.is_empty(), "{:?}", outcome.further);
    assert_eq!(counts(&outcome), (3, 2));
    let mut waits = broken.clone();
    waits.rules[1].priority = 2;
    let outcome = run(&waits, &options);
    assert!(matches!(violation(&outcome).kind, ViolationKind::Fault(_)));
    // Counting continues to its end.
    assert_eq!(counts(&outcome), (4, 3));
    assert_eq!(outcome.further.len(), 1);
    // The body of a waiting rule does not run.
    let mut body = counter(|x, never| (is_two(x), x.set(never.load())));
    assert!(matches!(run(&body, &plain()).verdict, SearchVerdict::Violation(_)));
    body.rules[1].priority = 2;
    assert!(matches!(run(&body, &plain()).verdict, SearchVerdict::Ok));
}

#[test]
fn a_guard_beyond_a_window_keeps_the_others_waiting() {
    let mut b = Build::default();
    let integer = b.ty(Type::Integer { window: (0, 2) });
    let boolean = b.boolean();
    let x = b.scalar("x", integer);
    let flags = b.array("flags", boolean, boolean);
    let clear = each(4, range(0, 1), vec![flags.set_at(load_local(4), constant(0))]);
    b.start("init", Vec::new(), vec![x.set(constant(0)), clear]);
    let up = vec![x.set(add(x.load(), constant(1)))];
    b.rule("up", Vec::new(), constant(1), up);
    let mut beyond = flags.at(x.load());
    beyond.subscripts[0].windowed = true;
    b.rule("first", Vec::new(), Expression::Load(beyond), Vec::new());
    b.invariant("small", not(equal(x.load(), constant(3))));
    b.instance.rules[0].priority = 1;
    let outcome = run(&b.instance, &plain());
    assert!(
        matches!(outcome.verdict, SearchVerdict::Incomplete(_)),
        "{:?}",
        outcome.verdict
    );
    assert_eq!(outcome.statistics.states, 3);
}
