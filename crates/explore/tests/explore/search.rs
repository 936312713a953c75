//! Counts, limits and traces of the search.

use crate::build::*;
use crate::{counts, models, plain, run, violation};
use explore::{Deadlock, Incomplete, Observer, SearchEvent, SearchOptions, SearchVerdict, ViolationKind, explore};
use logic::Cancellation;
use std::time::Duration;
use system::instance::{Instance, PropertyKind, Statement, Type};
use system::{FileId, Span};

#[test]
fn peterson_excludes() {
    let instance = models::peterson();
    let outcome = run(&instance, &plain());
    assert!(matches!(outcome.verdict, SearchVerdict::Ok));
    let expected = crate::reference::explore(&instance, 1000).unwrap();
    assert_eq!(counts(&outcome), (expected.states.len() as u64, expected.fired));
    assert_eq!(counts(&outcome), (20, 34));
    assert_eq!(outcome.statistics.starts, 2);
    assert_eq!(outcome.statistics.fired_by_rule.iter().sum::<u64>(), 34);
}

#[test]
fn rules_that_never_fire_are_named_once() {
    let mut b = Build::default();
    let digit = b.range(0, 3);
    let x = b.scalar("x", digit);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    // By name, place, and the value at which it fires; 0 is the only one.
    let rules = [
        ("split", 1, 2),
        ("b", 2, 1),
        ("split", 1, 0),
        ("a", 3, 1),
        ("b", 4, 3),
        // Two rules with the same user-given name.
        ("same", 5, 0),
        ("same", 6, 1),
    ];
    for (name, at, value) in rules {
        b.rule(name, Vec::new(), equal(x.load(), constant(value)), Vec::new());
        if let Some(rule) = b.instance.rules.last_mut() {
            rule.span = Span::new(FileId::MODEL, at, at + 1);
        }
    }
    let outcome = run(&b.instance, &plain());
    assert_eq!(outcome.statistics.fired_by_rule, [0, 0, 1, 0, 0, 1, 0]);
    let never = outcome.statistics.never_fired(&b.instance);
    let never: Vec<(&str, u32)> = never.iter().map(|rule| (rule.name.as_str(), rule.span.start)).collect();
    assert_eq!(never, [("b", 2), ("a", 3), ("same", 6)]);
}

#[test]
fn token_ring_has_every_combination() {
    let outcome = run(&models::token_ring(5), &plain());
    assert_eq!(counts(&outcome), (5 * 32, 2 * 5 * 32));
    // The farthest state: all five flipped, which ends at the last place, and then on to the last but one.
    assert_eq!(outcome.statistics.max_depth, 5 + 4 + 4);
}

#[test]
fn multisets_forget_the_order_of_their_elements() {
    // Multisets of at most 4 elements of 3 kinds: C(3+4, 4) = 35.
    let outcome = run(&models::bag(4, 3), &plain());
    assert_eq!(outcome.statistics.states, 35);
    // Each present element can be removed, equal ones too; three kinds can be added to 1 + 3 + 6 + 10 multisets.
    assert_eq!(
        outcome.statistics.fired_by_rule,
        [3 * (1 + 3 + 6 + 10), 3 + 2 * 6 + 3 * 10 + 4 * 15]
    );
}

#[test]
fn lists_are_states() {
    // Sequences without repetition of 3 elements: 1 + 3 + 6 + 6.
    let outcome = run(&models::queue(3), &plain());
    assert_eq!(outcome.statistics.states, 16);
    let cut = run(
        &models::queue(3),
        &SearchOptions {
            max_list_length: Some(1),
            ..plain()
        },
    );
    assert_eq!(cut.statistics.states, 4);
    assert!(matches!(
        cut.verdict,
        SearchVerdict::Incomplete(Incomplete::ListLength(1))
    ));
}

#[test]
fn every_number_of_threads_finds_the_same() {
    let instances = [
        models::mutex(9),
        models::broken_mutex(9),
        models::token_ring(9),
        models::bag(6, 4),
        models::queue(5),
    ];
    for instance in &instances {
        let one = run(instance, &SearchOptions { ..plain() });
        for jobs in [2, 3] {
            let many = run(instance, &SearchOptions { jobs, ..plain() });
            assert_eq!(counts(&one), counts(&many));
            assert_eq!(one.statistics.fired_by_rule, many.statistics.fired_by_rule);
            assert_eq!(one.statistics.max_depth, many.statistics.max_depth);
            assert_eq!(one.statistics.starts, many.statistics.starts);
            match (&one.verdict, &many.verdict) {
                (SearchVerdict::Violation(a), SearchVerdict::Violation(b)) => assert_eq!(a.trace, b.trace),
                (a, b) => assert_eq!(std::mem::discriminant(a), std::mem::discriminant(b)),
            }
        }
    }
}

#[test]
fn counterexamples_are_shortest_and_name_parameters() {
    let instance = models::broken_mutex(3);
    let outcome = run(&instance, &plain());
    let found = violation(&outcome);
    assert_eq!(found.kind, ViolationKind::Invariant { property: 0 });
    assert_eq!(found.message, "invariant \"mutual exclusion\" is violated");
    let trace = found.trace.as_ref().unwrap();
    let steps: Vec<String> = trace.steps.iter().map(|step| step.firing.to_string()).collect();
    assert_eq!(
        steps,
        [
            "init",
            "try(i = proc_1)",
            "try(i = proc_2)",
            "enter(i = proc_1)",
            "enter(i = proc_2)"
        ]
    );
    let changes = trace.changes(&instance, 4);
    let shown: Vec<String> = changes
        .iter()
        .map(|c| format!("{}: {} -> {}", c.name, c.old, c.new))
        .collect();
    assert_eq!(shown, ["at[proc_2]: 1 -> 2"]);
    assert_eq!(trace.changes(&instance, 0).len(), 4);
    assert!(trace.changes(&instance, 9).is_empty());
}

#[test]
fn without_origins_there_is_no_trace() {
    let options = SearchOptions {
        traces: false,
        ..plain()
    };
    assert!(violation(&run(&models::broken_mutex(3), &options)).trace.is_none());
}

#[test]
fn limits_leave_the_search_incomplete() {
    let instance = models::token_ring(8);
    let limited = |options: SearchOptions| match run(&instance, &options).verdict {
        SearchVerdict::Incomplete(why) => why,
        other => panic!("{other:?}"),
    };
    for jobs in [1, 2] {
        let base = SearchOptions { jobs, ..plain() };
        let states = SearchOptions {
            max_states: Some(100),
            ..base.clone()
        };
        assert_eq!(limited(states), Incomplete::StateLimit(100));
        let depth = SearchOptions {
            max_depth: Some(3),
            ..base.clone()
        };
        assert_eq!(limited(depth), Incomplete::DepthLimit(3));
        let time = SearchOptions {
            time_limit: Some(Duration::ZERO),
            ..base.clone()
        };
        assert_eq!(limited(time), Incomplete::TimeLimit(Duration::ZERO));
        let memory = SearchOptions {
            memory_limit: Some(100),
            ..base.clone()
        };
        assert_eq!(limited(memory), Incomplete::MemoryLimit(100));
        let cancelled = Cancellation::new();
        cancelled.cancel();
        let stopped = explore(&instance, &base, &cancelled, &mut explore::SilentObserver);
        assert!(matches!(
            stopped.verdict,
            SearchVerdict::Incomplete(Incomplete::Stopped)
        ));
    }
}

/// One bit that is set once, or repeatedly.
fn latch(stutters: bool) -> Instance {
    let mut b = Build::default();
    let boolean = b.boolean();
    let x = b.scalar("x", boolean);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    let guard = if stutters { constant(1) } else { not(x.load()) };
    b.rule("up", Vec::new(), guard, vec![x.set(constant(1))]);
    b.instance
}

#[test]
fn deadlocks_as_rumur_defines_them() {
    let verdict = |stutters: bool, deadlock: Deadlock| {
        let options = SearchOptions { deadlock, ..plain() };
        matches!(run(&latch(stutters), &options).verdict, SearchVerdict::Violation(_))
    };
    assert!(!verdict(false, Deadlock::Off));
    assert!(verdict(false, Deadlock::Stuck));
    assert!(verdict(false, Deadlock::Stuttering));
    assert!(!verdict(true, Deadlock::Stuck));
    assert!(verdict(true, Deadlock::Stuttering));
    let options = SearchOptions {
        deadlock: Deadlock::Stuttering,
        ..plain()
    };
    let outcome = run(&latch(true), &options);
    assert_eq!(violation(&outcome).kind, ViolationKind::Deadlock);
    assert_eq!(violation(&outcome).trace.as_ref().unwrap().steps.len(), 2);
}

#[test]
fn assumptions_leave_states_out_but_their_rules_are_fired() {
    let mut b = Build::default();
    let count = b.range(0, 9);
    let x = b.scalar("x", count);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    b.rule("up", Vec::new(), constant(1), vec![x.set(add(x.load(), constant(1)))]);
    let small = binary(system::instance::Binary::Less, x.load(), constant(3));
    b.property(PropertyKind::Assumption, "small", small);
    let options = SearchOptions {
        deadlock: Deadlock::Stuttering,
        ..plain()
    };
    let outcome = run(&b.instance, &options);
    assert!(matches!(outcome.verdict, SearchVerdict::Ok));
    assert_eq!(counts(&outcome), (3, 3));
}

#[test]
fn failed_assumptions_in_rules_do_not_fire() {
    let mut b = Build::default();
    let boolean = b.boolean();
    let x = b.scalar("x", boolean);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    let never = Statement::Assume { condition: x.load() };
    b.rule("up", Vec::new(), constant(1), vec![never, x.set(constant(1))]);
    let outcome = run(&b.instance, &plain());
    assert_eq!(counts(&outcome), (1, 0));
    let options = SearchOptions {
        deadlock: Deadlock::Stuck,
        ..plain()
    };
    assert_eq!(violation(&run(&b.instance, &options)).kind, ViolationKind::Deadlock);
}

#[test]
fn choices_give_one_successor_each() {
    let mut b = Build::default();
    let digit = b.range(0, 3);
    let (x, y) = (b.scalar("x", digit), b.scalar("y", digit));
    b.start("init", Vec::new(), vec![x.set(constant(0)), y.set(constant(0))]);
    let choose = |v: Variable| Statement::Choose {
        place: v.place(),
        ty: v.ty,
    };
    let ordered = Statement::Assume {
        condition: binary(system::instance::Binary::Less, x.load(), y.load()),
    };
    b.rule("choose", Vec::new(), constant(1), vec![choose(x), choose(y), ordered]);
    b.invariant(
        "not 2, 3",
        not(and(equal(x.load(), constant(2)), equal(y.load(), constant(3)))),
    );
    let outcome = run(&b.instance, &plain());
    let trace = violation(&outcome).trace.as_ref().unwrap();
    assert_eq!(trace.steps[1].firing.choices, [2, 3]);
    assert_eq!(trace.steps[1].state, [2, 3]);
    b.instance.properties.clear();
    // The start and the six pairs in order; from each of them all six.
    assert_eq!(counts(&run(&b.instance, &plain())), (7, 42));
}

#[test]
fn covers_are_reported() {
    let mut instance = latch(false);
    let mut b = Build { instance };
    let x = Variable::of_scalar(0, 0);
    b.property(PropertyKind::Cover, "high", x.load());
    b.property(PropertyKind::Cover, "never", and(x.load(), not(x.load())));
    instance = b.instance;
    let outcome = run(&instance, &plain());
    assert_eq!(outcome.statistics.covered, [(0, true), (1, false)]);
    assert_eq!(violation(&outcome).kind, ViolationKind::Uncovered { property: 1 });
}

#[test]
fn integers_stay_in_their_window() {
    let mut b = Build::default();
    let integer = b.ty(Type::Integer { window: (-2, 5) });
    let x = b.scalar("x", integer);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    b.rule("up", Vec::new(), constant(1), vec![x.set(add(x.load(), constant(1)))]);
    let outcome = run(&b.instance, &plain());
    assert_eq!(counts(&outcome), (6, 6));
    assert!(matches!(
        outcome.verdict,
        SearchVerdict::Incomplete(Incomplete::IntegerWindow)
    ));
    let wide = SearchOptions {
        confine_integers: false,
        max_states: Some(1000),
        ..plain()
    };
    let outcome = run(&b.instance, &wide);
    assert_eq!(outcome.statistics.states, 1000);
    assert!(matches!(
        outcome.verdict,
        SearchVerdict::Incomplete(Incomplete::StateLimit(1000))
    ));
}

#[test]
fn threads_go_only_a_little_past_a_limit_of_states() {
    let mut b = Build::default();
    let digit = b.range(0, 9);
    let digits: Vec<_> = (0..12).map(|n| b.scalar(&format!("x{n}"), digit)).collect();
    b.start("init", Vec::new(), digits.iter().map(|d| d.set(constant(0))).collect());
    for d in &digits {
        let below = not(equal(d.load(), constant(9)));
        b.rule("up", Vec::new(), below, vec![d.set(add(d.load(), constant(1)))]);
    }
    let limited = SearchOptions {
        jobs: 4,
        max_states: Some(2000),
        ..plain()
    };
    let states = run(&b.instance, &limited).statistics.states;
    assert!((2000..2500).contains(&states), "{states}");
}

#[test]
fn several_violations_are_collected() {
    let mut b = Build::default();
    let count = b.range(0, 5);
    let x = b.scalar("x", count);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    b.rule("up", Vec::new(), constant(1), vec![x.set(add(x.load(), constant(1)))]);
    b.rule(
        "jump",
        Vec::new(),
        equal(x.load(), constant(1)),
        vec![x.set(constant(4))],
    );
    b.invariant("not 3", not(equal(x.load(), constant(3))));
    for jobs in [1, 2] {
        let options = SearchOptions {
            max_violations: 9,
            jobs,
            ..plain()
        };
        let outcome = run(&b.instance, &options);
        assert_eq!(violation(&outcome).kind, ViolationKind::Invariant { property: 0 });
        assert_eq!(outcome.further.len(), 1);
        assert_eq!(
            outcome.further[0].kind,
            ViolationKind::Fault(explore::FaultKind::OutOfRange)
        );
        assert_eq!(outcome.further[0].trace.as_ref().unwrap().steps.len(), 4);
    }
}

#[derive(Default)]
struct Listener {
    started: usize,
    violations: Vec<String>,
}

impl Observer for Listener {
    fn event(&mut self, event: &SearchEvent) {
        match event {
            SearchEvent::Started { .. } => self.started += 1,
            SearchEvent::Violation { message } => self.violations.push(message.clone()),
            SearchEvent::Progress(_) | SearchEvent::SymmetryDropped => {}
        }
    }
}

#[test]
fn observers_hear_of_violations() {
    let mut listener = Listener::default();
    explore(&models::broken_mutex(2), &plain(), &Cancellation::new(), &mut listener);
    assert_eq!(listener.started, 1);
    assert_eq!(listener.violations, ["invariant \"mutual exclusion\" is violated"]);
}

#[test]
fn an_empty_instance_has_no_states() {
    let outcome = run(&Instance::default(), &plain());
    assert_eq!(counts(&outcome), (0, 0));
}

#[test]
fn an_instance_without_variables_has_one_state() {
    let mut b = Build::default();
    b.start("init", Vec::new(), Vec::new());
    b.rule("idle", Vec::new(), constant(1), Vec::new());
    for jobs in [1, 2] {
        let outcome = run(&b.instance, &SearchOptions { jobs, ..plain() });
        assert_eq!(counts(&outcome), (1, 1));
    }
}

#[test]
fn rules_with_too_many_instances_are_not_expanded() {
    let mut b = Build::default();
    let large = b.range(0, 99_999);
    let x = b.scalar("x", large);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    let p = vec![b.parameter("i", large)];
    let next = equal(
        binary(system::instance::Binary::Subtract, load_local(0), x.load()),
        constant(50_000),
    );
    b.rule("far", p, next, vec![x.set(load_local(0))]);
    let outcome = run(&b.instance, &plain());
    assert_eq!(counts(&outcome), (2, 1));
    assert_eq!(outcome.statistics.rule_instances, 100_000);
}

/// Cancels the search as soon as it has started.
struct Impatient<'s>(&'s Cancellation);

impl Observer for Impatient<'_> {
    fn event(&mut self, _: &SearchEvent) {
        self.0.cancel();
    }
}

#[test]
fn a_state_with_endless_choices_can_be_interrupted() {
    let mut b = Build::default();
    let huge = b.range(0, 1 << 40);
    let x = b.scalar("x", huge);
    b.start("init", Vec::new(), vec![x.set(constant(0))]);
    let choose = Statement::Choose {
        place: x.place(),
        ty: huge,
    };
    let zero = Statement::Assume {
        condition: equal(x.load(), constant(0)),
    };
    b.rule("choose", Vec::new(), constant(1), vec![choose, zero]);
    for jobs in [1, 2] {
        let cancellation = Cancellation::new();
        let outcome = explore(
            &b.instance,
            &SearchOptions { jobs, ..plain() },
            &cancellation,
            &mut Impatient(&cancellation),
        );
        assert!(matches!(
            outcome.verdict,
            SearchVerdict::Incomplete(Incomplete::Stopped)
        ));
        let options = SearchOptions {
            jobs,
            time_limit: Some(Duration::from_millis(20)),
            ..plain()
        };
        assert!(matches!(
            run(&b.instance, &options).verdict,
            SearchVerdict::Incomplete(Incomplete::TimeLimit(_))
        ));
    }
}
