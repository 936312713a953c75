//! Simulation, replay and graphs.

use crate::build::*;
use crate::{models, plain, run, violation};
use explore::{
    Deadlock, FaultKind, GraphError, GraphOptions, ReplayError, ReplayStep, Silent, SimulateOptions, Trace, Violation,
    ViolationKind, replay, simulate, state_graph,
};
use logic::Cancellation;
use system::instance::{Output, Statement};

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
    let go = |seed: u64| simulate(&instance, &options(3, seed), &Cancellation::new(), &mut Silent);
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
        &mut Silent,
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
    let found = simulate(&b.instance, &stuck, &Cancellation::new(), &mut Silent);
    let violation = found.violation.unwrap();
    assert_eq!(violation.kind, ViolationKind::Deadlock);
    assert!(explore::confirm(&b.instance, &violation).is_ok());
    let trace = found.last.unwrap();
    assert_eq!(trace.steps.len(), 4);
    assert_eq!(trace.steps[2].output, ["x is 1"]);
    b.instance.rules[0].guard = constant(1);
    let found = simulate(&b.instance, &options(1, 0), &Cancellation::new(), &mut Silent);
    let violation = found.violation.unwrap();
    assert!(explore::confirm(&b.instance, &violation).is_ok());
    assert_eq!(violation.message, "value 4 is outside 0..3");
    assert_eq!(violation.trace.unwrap().failing.unwrap().name, "up");
}

#[test]
fn simulation_stops_when_asked() {
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let found = simulate(&models::token_ring(4), &options(9, 0), &cancelled, &mut Silent);
    assert!(found.stopped);
    assert_eq!(found.runs, 0);
}

fn step(name: &str, parameters: &[(&str, &str)]) -> ReplayStep {
    ReplayStep {
        name: name.to_owned(),
        parameters: parameters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    }
}

#[test]
fn traces_of_the_search_can_be_replayed() {
    let instance = models::broken_mutex(3);
    let outcome = run(&instance, &plain());
    let trace = violation(&outcome).trace.as_ref().unwrap();
    let steps: Vec<ReplayStep> = trace
        .steps
        .iter()
        .map(|s| ReplayStep {
            name: s.firing.name.clone(),
            parameters: s
                .firing
                .parameters
                .iter()
                .map(|p| (p.name.clone(), p.text.clone()))
                .collect(),
        })
        .collect();
    let replayed = replay(&instance, &steps).unwrap();
    assert_eq!(replayed.trace.steps, trace.steps);
    assert_eq!(
        replayed.violation.unwrap().kind,
        ViolationKind::Invariant { property: 0 }
    );
    let shorter = replay(&instance, &steps[..4]).unwrap();
    assert!(shorter.violation.is_none());
}

#[test]
fn missing_parameters_may_be_anything() {
    let steps = [
        step("init", &[]),
        step("try", &[]),
        step("try", &[]),
        step("enter", &[]),
        step("enter", &[]),
    ];
    let replayed = replay(&models::broken_mutex(3), &steps).unwrap();
    assert!(replayed.violation.is_some());
}

#[test]
fn impossible_replays_say_why() {
    let instance = models::mutex(3);
    let error = |steps: &[ReplayStep]| replay(&instance, steps).unwrap_err();
    assert_eq!(error(&[]), ReplayError::NoSteps);
    assert_eq!(error(&[step("x", &[])]).to_string(), "there is no start \"x\"");
    assert_eq!(
        error(&[step("init", &[]), step("x", &[])]).to_string(),
        "there is no rule \"x\", in step 1"
    );
    let other = [step("init", &[]), step("try", &[("j", "proc_1")])];
    assert_eq!(
        error(&other).to_string(),
        "\"try\" has no parameter j with the value proc_1, in step 1"
    );
    let early = [step("init", &[]), step("enter", &[("i", "proc_2")])];
    assert_eq!(error(&early).to_string(), "\"enter\" cannot be fired, in step 1");
}

#[test]
fn replays_may_end_in_a_fault() {
    let mut instance = models::mutex(2);
    let error = Statement::Error {
        message: "not here".to_owned(),
        span: system::Span::default(),
    };
    instance.rules[1].body.push(error);
    let steps = [
        step("init", &[]),
        step("try", &[("i", "proc_2")]),
        step("enter", &[("i", "proc_2")]),
    ];
    let replayed = replay(&instance, &steps).unwrap();
    assert_eq!(replayed.violation.unwrap().message, "not here");
    assert_eq!(replayed.trace.steps.len(), 2);
    assert_eq!(replayed.trace.failing.unwrap().to_string(), "enter(i = proc_2)");
}

#[test]
fn graphs_are_drawn() {
    let options = GraphOptions {
        symmetry: false,
        ..GraphOptions::default()
    };
    let graph = state_graph(&models::broken_mutex(2), &options, &Cancellation::new()).unwrap();
    // Three labels for each of two processes, the lock being taken by whoever enters.
    let dot = graph.dot();
    assert!(dot.contains("s0 [label=\"0\", shape=doublecircle"));
    assert!(dot.contains("s0 -> s1 [label=\"try(i = proc_1)\"]"));
    assert!(dot.contains("fillcolor"), "the violating state is marked");
    let svg = graph.svg();
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

/// What a search with a mistake could invent: the other interpreter says no to all of it.
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
