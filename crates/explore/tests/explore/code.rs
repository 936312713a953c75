//! Shapes of code that the machine implements specially.

use crate::build::*;
use crate::{counts, plain, reference, run, violation};
use explore::{FaultKind, SearchVerdict, ViolationKind};
use system::Span;
use system::instance::{Argument, Expression, Instance, Procedure, Statement};

/// Rules map every value of x to the result of a chain of tests of x.
fn chain(defined: bool) -> Instance {
    let mut b = Build::default();
    let digit = b.range(-3, 90);
    let (x, y) = (b.scalar("x", digit), b.scalar("y", digit));
    let start = if defined { vec![x.set(constant(-3))] } else { Vec::new() };
    b.start("init", Vec::new(), [start, vec![y.set(constant(0))]].concat());
    let is = |value: i64| equal(x.load(), constant(value));
    let then = |value: i64| vec![y.set(constant(value))];
    let last = when(is(-3), then(7), then(8));
    // A repeated value, and one far from all others.
    let far = when(or(is(2), is(90)), then(5), vec![last]);
    let several = when(or(is(1), or(is(2), is(5))), then(2), vec![far]);
    let first = when(is(0), then(1), vec![several]);
    b.rule("look", Vec::new(), constant(1), vec![first]);
    for value in [-3, 0, 1, 2, 3, 5, 89, 90] {
        let guard = or(is(-3), or(is(0), or(is(2), is(5))));
        b.rule("set", Vec::new(), guard, vec![x.set(constant(value))]);
    }
    b.instance
}

#[test]
fn chains_of_tests_are_what_they_say() {
    let instance = chain(true);
    let expected = reference::explore(&instance, 5000).unwrap();
    let outcome = run(&instance, &plain());
    assert!(matches!(outcome.verdict, SearchVerdict::Ok));
    assert_eq!(counts(&outcome), (expected.states.len() as u64, expected.fired));
    let outcome = run(&chain(false), &plain());
    assert_eq!(violation(&outcome).kind, ViolationKind::Fault(FaultKind::UndefinedRead));
}

/// Too long to be inlined.
fn long(parameters: usize, result: Expression) -> Vec<Statement> {
    let store = |number: usize| Statement::Store {
        place: local(parameters),
        value: constant(number as i64),
    };
    (0..12_000)
        .map(store)
        .chain([Statement::Return(Some(result))])
        .collect()
}

#[test]
fn calls_inside_the_arguments_of_a_call() {
    let mut b = Build::default();
    let digit = b.range(0, 20);
    let x = b.scalar("x", digit);
    let sum = add(load_local(0), add(load_local(1), load_local(1)));
    b.instance.functions.push(Procedure {
        name: "weigh".to_owned(),
        frame: 3,
        body: long(2, sum),
        span: Span::default(),
    });
    let call = |a: Expression, b: Expression| {
        Expression::Call(0, vec![Argument::Value(a), Argument::Value(b)], Span::default())
    };
    b.start("init", Vec::new(), vec![x.set(constant(1))]);
    // 3 + 2 * (1 + 2 * 2) is 13, and the first argument survives the evaluation of the second.
    let nested = call(constant(3), call(x.load(), constant(2)));
    b.rule("weigh", Vec::new(), equal(x.load(), constant(1)), vec![x.set(nested)]);
    b.invariant(
        "thirteen",
        or(equal(x.load(), constant(1)), equal(x.load(), constant(13))),
    );
    let outcome = run(&b.instance, &plain());
    assert!(matches!(outcome.verdict, SearchVerdict::Ok), "{:?}", outcome.verdict);
    assert_eq!(counts(&outcome), (2, 1));
}
