//! Symmetry reduction: known counts, and the same verdicts as without.

use crate::build::*;
use crate::{models, plain, run, violation};
use explore::{SearchOptions, SearchVerdict};
use system::instance::{Binary, Fold, Instance, Statement, Type};

fn reduced() -> SearchOptions {
    SearchOptions {
        symmetry: true,
        ..plain()
    }
}

#[test]
fn processes_that_only_count_are_counted() {
    // Tabulated up to 5 processes, refined beyond.
    for n in 2..=9 {
        let all = run(&models::mutex(n), &plain());
        let size = u64::try_from(n).unwrap();
        assert_eq!(all.statistics.states, (1 << n) + size * (1 << (n - 1)), "{n} processes");
        let few = run(&models::mutex(n), &reduced());
        assert!(few.statistics.symmetric);
        assert_eq!(few.statistics.states, 2 * size + 1, "{n} processes, reduced");
        assert!(matches!(few.verdict, SearchVerdict::Ok));
    }
}

#[test]
fn queues_are_renamed() {
    // Up to renaming, a sequence without repetition is its length.
    for n in 2..=6 {
        let few = run(&models::queue(n), &reduced());
        assert_eq!(few.statistics.states, u64::try_from(n).unwrap() + 1);
    }
}

/// `n` processes that each point to some process or to none: the functional graphs on `n` points.
fn pointers(n: i64) -> Instance {
    let mut b = Build::default();
    let pid = b.scalarset("node", n);
    let next = b.array("next", pid, pid);
    let p = vec![b.parameter("i", pid), b.parameter("j", pid)];
    b.start(
        "init",
        Vec::new(),
        vec![each(
            4,
            range(0, n - 1),
            vec![next.set_at(load_local(4), load_local(4))],
        )],
    );
    b.rule("point", p, constant(1), vec![next.set_at(load_local(0), load_local(1))]);
    b.instance
}

#[test]
fn functional_graphs_up_to_isomorphism() {
    // The number of functions from n points to themselves up to renaming: OEIS A001372.
    for (n, graphs) in [(2, 3), (3, 7), (4, 19), (5, 47), (6, 130)] {
        let few = run(&pointers(n), &reduced());
        assert_eq!(few.statistics.states, graphs, "{n} points");
        // Every instance is counted in every state, including those for interchangeable points.
        let instances = u64::try_from(n * n).unwrap();
        assert_eq!(few.statistics.rules_fired, graphs * instances, "{n} points");
    }
    assert_eq!(run(&pointers(4), &plain()).statistics.states, 256);
}

/// `n` nodes with an arbitrary set of edges: the directed graphs with loops.
fn arrows(n: i64) -> Instance {
    let mut b = Build::default();
    let pid = b.scalarset("node", n);
    let boolean = b.boolean();
    let family = b.family("arrow[{}][{}]");
    let base = b.instance.slots.len();
    for i in 0..n {
        for j in 0..n {
            b.slot(boolean, family, vec![(pid, i), (pid, j)]);
        }
    }
    let arrow = Variable::of_scalar(base, boolean);
    let place = |i: usize, j: usize| {
        let subscript = |slot: usize, stride: usize| system::instance::Subscript {
            index: load_local(slot),
            low: 0,
            high: n - 1,
            stride,
            windowed: false,
        };
        system::instance::Place {
            subscripts: vec![subscript(i, usize::try_from(n).unwrap()), subscript(j, 1)],
            ..arrow.place()
        }
    };
    let p = vec![b.parameter("i", pid), b.parameter("j", pid)];
    let clear = each(5, range(0, n - 1), vec![assign(place(4, 5), constant(0), boolean)]);
    b.start("init", Vec::new(), vec![each(4, range(0, n - 1), vec![clear])]);
    b.rule("add", p, constant(1), vec![assign(place(0, 1), constant(1), boolean)]);
    b.instance
}

#[test]
fn directed_graphs_up_to_isomorphism() {
    // Relations on n points up to renaming: OEIS A000595.
    for (n, graphs) in [(2, 10), (3, 104)] {
        let few = run(&arrows(n), &reduced());
        assert_eq!(few.statistics.states, graphs, "{n} points");
        let instances = u64::try_from(n * n).unwrap();
        assert_eq!(few.statistics.rules_fired, graphs * instances, "{n} points");
    }
    assert_eq!(run(&arrows(3), &plain()).statistics.states, 512);
}

#[test]
fn members_of_unions_are_renamed() {
    let mut b = Build::default();
    let node = b.scalarset("node", 4);
    let none = b.ty(Type::Enum {
        name: "none".to_owned(),
        values: vec!["None".to_owned()],
    });
    let maybe = b.ty(Type::Union {
        members: vec![none, node],
    });
    let holder = b.scalar("holder", maybe);
    b.start("init", Vec::new(), vec![holder.set(constant(0))]);
    let p = vec![b.parameter("i", node)];
    b.rule(
        "take",
        p,
        equal(holder.load(), constant(0)),
        vec![holder.set(add(load_local(0), constant(1)))],
    );
    assert_eq!(run(&b.instance, &plain()).statistics.states, 5);
    assert_eq!(run(&b.instance, &reduced()).statistics.states, 2);
}

#[test]
fn multisets_of_elements_are_sorted_after_renaming() {
    // A multiset of up to 3 out of n names: up to renaming, the partitions of 0, 1, 2 and 3.
    for n in [3, 4, 6] {
        let mut b = Build::default();
        let node = b.scalarset("node", n);
        let base = b.multiset("bag", 3, node);
        let bag = Variable::of_scalar(base, node);
        b.start("empty", Vec::new(), Vec::new());
        let p = vec![b.parameter("i", node)];
        let full = equal(Build::raw(base + 4), constant(1));
        b.rule(
            "put",
            p,
            not(full),
            vec![system::instance::Statement::MultisetAdd {
                place: bag.place(),
                capacity: 3,
                stride: 1,
                from: local(0),
                span: system::Span::default(),
            }],
        );
        assert_eq!(
            run(&b.instance, &reduced()).statistics.states,
            1 + 1 + 2 + 3,
            "{n} names"
        );
    }
}

#[test]
fn traces_are_concrete_under_symmetry() {
    for n in [3, 4, 7] {
        for jobs in [1, 2] {
            let instance = models::broken_mutex(n);
            let outcome = run(&instance, &SearchOptions { jobs, ..reduced() });
            let trace = violation(&outcome).trace.clone().unwrap();
            assert_eq!(trace.steps.len(), 5);
            // Each step changes exactly one process: its parameter.
            for number in 1..5 {
                let changes = trace.changes(&instance, number);
                let who = &trace.steps[number].firing.parameters[0].text;
                let processes: Vec<&str> = changes
                    .iter()
                    .map(|c| c.name.as_str())
                    .filter(|n| n.starts_with("at"))
                    .collect();
                assert_eq!(processes, [format!("at[{who}]")]);
            }
        }
    }
}

#[test]
fn a_wrong_symmetry_flag_is_survived() {
    // The rules treat process 0 specially although the scalarset is declared symmetric.
    let mut b = Build::default();
    let pid = b.scalarset("proc", 3);
    let label = b.range(0, 2);
    let at = b.array("at", pid, label);
    let zero = || constant(0);
    b.start(
        "init",
        Vec::new(),
        vec![each(4, range(0, 2), vec![at.set_at(load_local(4), zero())])],
    );
    b.rule(
        "first",
        Vec::new(),
        equal(at.load_at(zero()), zero()),
        vec![at.set_at(zero(), constant(1))],
    );
    b.rule(
        "second",
        Vec::new(),
        equal(at.load_at(constant(2)), constant(1)),
        vec![at.set_at(constant(2), constant(2))],
    );
    let nobody = fold(
        Fold::Count,
        8,
        range(0, 2),
        equal(at.load_at(load_local(8)), constant(2)),
    );
    b.invariant("nobody at 2", binary(Binary::Equal, nobody, zero()));
    // The reduced search finds a violation that no concrete run confirms.
    assert!(matches!(run(&b.instance, &reduced()).verdict, SearchVerdict::Ok));
}

/// Three processes move in sequence; the last may also fail on an uninitialized variable.
fn stumbling(stumble: impl Fn(Variable) -> Vec<Statement>) -> (Build, Variable, Variable) {
    let mut b = Build::default();
    let pid = b.scalarset("proc", 3);
    let label = b.range(0, 1);
    let at = b.array("at", pid, label);
    let unknown = b.array("unknown", pid, label);
    b.start(
        "init",
        Vec::new(),
        vec![each(4, range(0, 2), vec![at.set_at(load_local(4), constant(0))])],
    );
    let i = vec![b.parameter("i", pid)];
    let waits = equal(at.load_at(load_local(0)), constant(0));
    b.rule(
        "go",
        i.clone(),
        waits.clone(),
        vec![at.set_at(load_local(0), constant(1))],
    );
    let moved = fold(
        Fold::Count,
        8,
        range(0, 2),
        equal(at.load_at(load_local(8)), constant(1)),
    );
    b.rule("stumble", i, and(waits, equal(moved, constant(2))), stumble(unknown));
    (b, at, unknown)
}

/// Every name in a message must be that of the shown run.
fn named_in_the_run(b: &Build, message: impl Fn(&str) -> String) {
    for (symmetry, jobs) in [(false, 1), (true, 1), (true, 2)] {
        let options = SearchOptions {
            symmetry,
            jobs,
            ..plain()
        };
        let outcome = run(&b.instance, &options);
        let found = violation(&outcome);
        let trace = found.trace.as_ref().unwrap();
        let firing = trace.failing.as_ref().unwrap_or(&trace.steps.last().unwrap().firing);
        assert_eq!(
            found.message,
            message(&firing.parameters[0].text),
            "symmetry: {symmetry}"
        );
        explore::confirm(&b.instance, found).unwrap();
    }
}

#[test]
fn a_fault_names_the_element_of_the_shown_run() {
    let read = |unknown: Variable| vec![unknown.set_at(load_local(0), unknown.load_at(load_local(0)))];
    named_in_the_run(&stumbling(read).0, |who| format!("read of undefined unknown[{who}]"));
    let store = |unknown: Variable| {
        let (place, value) = (unknown.at(load_local(0)), constant(7));
        vec![Statement::Store { place, value }]
    };
    named_in_the_run(&stumbling(store).0, |who| {
        format!("unknown[{who}] was given the value 7, which its type does not have")
    });
}

#[test]
fn a_property_that_cannot_be_evaluated_names_the_element_of_the_shown_run() {
    let (mut b, at, unknown) = stumbling(|_| Vec::new());
    let mut known = equal(unknown.load_at(load_local(8)), constant(0));
    known = or(equal(at.load_at(load_local(8)), constant(0)), known);
    b.invariant("known", fold(Fold::Forall, 8, range(0, 2), known));
    named_in_the_run(&b, |who| {
        format!("read of undefined unknown[{who}], in property \"known\"")
    });
}
