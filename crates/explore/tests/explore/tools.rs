//! Simulation, replay and state graphs.

use crate::build::*;
use crate::{models, plain, run, violation};
use explore::{
    Deadlock, FaultKind, FollowOptions, FollowOutcome, GraphError, GraphOptions, Incomplete, SilentObserver,
    SimulateOptions, Trace, Violation, ViolationKind, Waypoint, follow, simulate, state_graph,
};
use logic::Cancellation;
use system::instance::{Instance, Output, Statement};
use system::{FileId, Span};

fn options(runs: u64, seed: u64) -> SimulateOptions {
    SimulateOptions {
        runs,
        length: 50,
        seed,
        ..SimulateOptions::default()
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let instance = models::token_ring(6);
    let go = |seed: u64| simulate(&instance, &options(3, seed), &Cancellation::new(), &mut SilentObserver);
    let (a, b, c) = (go(1), go(1), go(2));
    assert_eq!(a.last, b.last);
    assert_ne!(a.last, c.last);
    assert_eq!((a.runs, a.steps, a.longest), (3, 150, 50));
}

#[test]
fn random_runs_find_violations() {
    let found = simulate(
        &models::broken_mutex(4),
        &options(100, 0),
        &Cancellation::new(),
        &mut SilentObserver,
    );
    let violation = found.violation.unwrap();
    assert!(explore::confirm(&models::broken_mutex(4), &violation).is_ok());
    assert_eq!(violation.kind, ViolationKind::Invariant { property: 0 });
    assert!(violation.trace.unwrap().steps.len() >= 5);
}

#[test]
fn random_runs_notice_deadlocks_and_errors() {
    let mut b = Build::default();
    let digit = b.range(0, 3);
    let x = b.scalar("x", digit);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    let line = Statement::Put(vec![Output::Text("x is ".to_owned()), Output::Value(x.load(), digit)]);
    let guard = not(equal(x.load(), constant(3)));
    b.rule("up", Vec::new(), guard, vec![line, x.set(add(x.load(), constant(1)))]);
    let stuck = SimulateOptions {
        deadlock: Deadlock::Stuck,
        ..options(1, 0)
    };
    let found = simulate(&b.instance, &stuck, &Cancellation::new(), &mut SilentObserver);
    let violation = found.violation.unwrap();
    assert_eq!(violation.kind, ViolationKind::Deadlock);
    assert!(explore::confirm(&b.instance, &violation).is_ok());
    let trace = found.last.unwrap();
    assert_eq!(trace.steps.len(), 4);
    assert_eq!(trace.steps[2].output, ["x is 1"]);
    b.instance.rules[0].guard = constant(1);
    let found = simulate(&b.instance, &options(1, 0), &Cancellation::new(), &mut SilentObserver);
    let violation = found.violation.unwrap();
    assert!(explore::confirm(&b.instance, &violation).is_ok());
    assert_eq!(violation.message, "value 4 is outside 0..3");
    assert_eq!(violation.trace.unwrap().failing.unwrap().name, "up");
}

#[test]
fn simulation_stops_when_asked() {
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let found = simulate(&models::token_ring(4), &options(9, 0), &cancelled, &mut SilentObserver);
    assert!(found.stopped);
    assert_eq!(found.runs, 0);
}

fn named(names: &[&str]) -> Vec<Waypoint> {
    names.iter().map(|name| Waypoint::Named((*name).to_owned())).collect()
}

fn follow_within(
    instance: &Instance,
    waypoints: &[Waypoint],
    properties: &[usize],
    max_states: usize,
) -> FollowOutcome {
    let options = FollowOptions {
        waypoints,
        properties,
        max_states,
    };
    follow(instance, &options, &Cancellation::new())
}

/// The confirmed violation at the end of the run.
fn followed(instance: &Instance, waypoints: &[Waypoint]) -> Violation {
    let FollowOutcome::Violated(found) = follow_within(instance, waypoints, &[0], 1000) else {
        panic!("{waypoints:?} leads nowhere");
    };
    assert!(explore::confirm(instance, &found).is_ok());
    *found
}

#[test]
fn runs_of_the_search_can_be_followed() {
    let instance = models::broken_mutex(3);
    let outcome = run(&instance, &plain());
    let shortest = violation(&outcome).trace.as_ref().unwrap();
    let names: Vec<&str> = shortest.steps.iter().map(|step| step.firing.name.as_str()).collect();
    let found = followed(&instance, &named(&names));
    assert_eq!(found.kind, ViolationKind::Invariant { property: 0 });
    assert_eq!(found.trace.unwrap().steps.len(), shortest.steps.len());
    // Properties outside the selection are not reported.
    let ignored = follow_within(&instance, &named(&names), &[], 1000);
    assert!(matches!(ignored, FollowOutcome::Nothing { steps } if steps == names.len()));
}

#[test]
fn rules_are_known_by_their_place_in_the_source() {
    let mut instance = models::broken_mutex(2);
    let span = |start: usize| Span::new(FileId::MODEL, start, start + 1);
    instance.starts[0].span = span(1);
    instance.rules[0].span = span(2);
    instance.rules[1].span = span(3);
    // Names do not matter then.
    instance.rules[1].name = "try".to_owned();
    let waypoints = [1, 2, 2, 3, 3].map(|start| Waypoint::At(span(start)));
    assert_eq!(followed(&instance, &waypoints).trace.unwrap().steps.len(), 5);
}

#[test]
fn runs_that_are_none_are_not_made_up() {
    let safe = models::mutex(3);
    let nothing = |names: &[&str]| match follow_within(&safe, &named(names), &[0], 1000) {
        FollowOutcome::Nothing { steps } => steps,
        other => panic!("{other:?}"),
    };
    assert_eq!(nothing(&[]), 0);
    assert_eq!(nothing(&["nowhere"]), 0);
    assert_eq!(nothing(&["init", "enter"]), 1);
    assert_eq!(nothing(&["init", "try", "try", "enter", "enter"]), 4);
    assert_eq!(nothing(&["init", "try", "try", "enter"]), 4);
}

/// Only the last of many elements fails, and only for one of many choices: the first ones lead nowhere.
#[test]
fn all_parameters_and_choices_are_tried() {
    let mut b = Build::default();
    let digit = b.range(0, 9);
    let x = b.scalar("x", digit);
    let y = b.scalar("y", digit);
    b.start("init", Vec::new(), vec![x.set(constant(0)), y.set(constant(0))]);
    let i = vec![b.parameter("i", digit)];
    b.rule("pick", i, constant(1), vec![x.set(load_local(0))]);
    let choose = Statement::Choose {
        place: y.place(),
        ty: digit,
    };
    b.rule("choose", Vec::new(), equal(x.load(), constant(8)), vec![choose]);
    b.invariant(
        "not both",
        not(and(equal(x.load(), constant(8)), equal(y.load(), constant(7)))),
    );
    let found = followed(&b.instance, &named(&["init", "pick", "choose"]));
    let trace = found.trace.unwrap();
    assert_eq!(trace.steps[1].firing.parameters[0].value, 8);
    assert_eq!(trace.steps[2].firing.choices, [7]);
    let few = follow_within(&b.instance, &named(&["init", "pick", "choose"]), &[0], 5);
    assert!(
        matches!(few, FollowOutcome::Incomplete(Incomplete::StateLimit(5))),
        "{few:?}"
    );
}

#[test]
fn a_run_may_end_in_a_fault() {
    let mut instance = models::mutex(2);
    let error = Statement::Error {
        message: "not here".to_owned(),
        span: Span::default(),
    };
    instance.rules[1].body.push(error);
    let found = followed(&instance, &named(&["init", "try", "enter"]));
    assert_eq!(found.message, "not here");
    let trace = found.trace.unwrap();
    assert_eq!(trace.steps.len(), 2);
    let entering = trace.failing.unwrap();
    assert_eq!(entering.name, "enter");
    assert_eq!(entering.parameters, trace.steps[1].firing.parameters);
}

#[test]
fn graphs_are_drawn() {
    let options = GraphOptions {
        symmetry: false,
        ..GraphOptions::default()
    };
    let graph = state_graph(&models::broken_mutex(2), &options, &Cancellation::new()).unwrap();
    // Three labels for each of two processes; a process takes the lock when it enters.
    let dot = report::graph::dot(&graph);
    assert!(dot.contains("s0 [label=\"0\", shape=doublecircle"));
    assert!(dot.contains("s0 -> s1 [label=\"try(i = proc_1)\"]"));
    assert!(dot.contains("fillcolor"), "the violating state is marked");
    let svg = report::graph::svg(&graph);
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("at[proc_1] = 1") && svg.contains("class=\"state start\"") && svg.contains("state bad"));
    assert_eq!(svg.matches("<circle").count(), graph.states());
}

#[test]
fn graphs_with_symmetry_are_smaller() {
    let plain = GraphOptions {
        symmetry: false,
        ..GraphOptions::default()
    };
    let graph = |options: &GraphOptions| state_graph(&models::mutex(4), options, &Cancellation::new()).unwrap();
    assert_eq!(graph(&plain).states(), 16 + 4 * 8);
    assert_eq!(graph(&GraphOptions::default()).states(), 9);
}

#[test]
fn large_graphs_are_refused() {
    let plain = GraphOptions {
        symmetry: false,
        ..GraphOptions::default()
    };
    let error = state_graph(&models::mutex(12), &plain, &Cancellation::new()).unwrap_err();
    assert_eq!(error, GraphError::TooManyStates { limit: 500 });
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let stopped = state_graph(&models::mutex(3), &plain, &cancelled).unwrap_err();
    assert_eq!(stopped, GraphError::Stopped);
}

type Change<'c> = &'c dyn Fn(&mut Violation, &mut Trace);

/// Runs that a faulty search could produce: the plain interpreter rejects all of them.
#[test]
fn runs_that_are_none_are_not_confirmed() {
    let instance = models::broken_mutex(3);
    let outcome = run(&instance, &plain());
    let found = violation(&outcome);
    let trace = found.trace.as_ref().unwrap();
    assert!(trace.steps.len() > 2 && !trace.steps[1].firing.parameters.is_empty());
    let slot = 0;
    let changed = |change: Change| {
        let (mut violation, mut trace) = (found.clone(), trace.clone());
        change(&mut violation, &mut trace);
        violation.trace = Some(trace);
        explore::confirm(&instance, &violation)
    };
    assert!(changed(&|_, _| ()).is_ok());
    let cases: [(&str, Change); 8] = [
        ("the last step is missing", &|_, trace| {
            trace.steps.pop();
        }),
        ("the first rule is missing", &|_, trace| {
            trace.steps.remove(1);
        }),
        ("there is no start", &|_, trace| {
            trace.steps.remove(0);
        }),
        ("another state is shown", &|_, trace| {
            trace.steps[1].texts[slot].push('0');
        }),
        ("another parameter", &|_, trace| {
            let value = &mut trace.steps[1].firing.parameters[0].value;
            *value = (*value + 1) % 3;
        }),
        ("a parameter that there is not", &|_, trace| {
            trace.steps[1].firing.parameters[0].value = 7;
        }),
        ("no error", &|violation, _| {
            violation.kind = ViolationKind::Fault(FaultKind::DivisionByZero);
        }),
        ("no deadlock", &|violation, _| {
            violation.kind = ViolationKind::Deadlock;
        }),
    ];
    for (name, change) in cases {
        assert!(changed(change).is_err(), "{name}");
    }
    let without = Violation {
        trace: None,
        ..found.clone()
    };
    assert!(explore::confirm(&instance, &without).is_err());
}
