//! Run-time errors: each is detected and named, with a trace.

use crate::build::*;
use crate::{plain, run, violation};
use explore::{Deadlock, FaultKind, SearchOptions, SearchVerdict, ViolationKind};
use system::Span;
use system::instance::{
    Argument, Base, Binary, Expression, Instance, Place, Procedure, Statement, Subscript, Type, TypeId,
};
use system::source::FileId;

const SPAN: Span = Span {
    file: FileId::MODEL,
    start: 7,
    end: 9,
};

struct Fixture {
    build: Build,
    /// 0..3, initially 0.
    x: Variable,
    /// Initially undefined.
    u: Variable,
    array: Variable,
    digit: TypeId,
}

fn fixture() -> Fixture {
    let mut build = Build::default();
    let digit = build.range(0, 3);
    let x = build.scalar("x", digit);
    let u = build.scalar("u", digit);
    let array = build.array("a", digit, digit);
    build.start("init", Vec::new(), vec![x.set(constant(0))]);
    build.rule(
        "step",
        Vec::new(),
        binary(Binary::Less, x.load(), constant(2)),
        vec![x.set(add(x.load(), constant(1)))],
    );
    Fixture {
        build,
        x,
        u,
        array,
        digit,
    }
}

/// The rule exceeds its limit in the third state: this is neither an error of the model nor a deadlock, but the search
/// is incomplete.
fn expect_limit(mut instance: Instance, x: Variable, body: Vec<Statement>, message: &str) {
    let mut b = Build { instance };
    b.rule("fail", Vec::new(), equal(x.load(), constant(2)), body);
    instance = b.instance;
    for (jobs, deadlock) in [(1, Deadlock::Off), (1, Deadlock::Stuttering), (2, Deadlock::Stuck)] {
        let options = SearchOptions {
            jobs,
            deadlock,
            ..plain()
        };
        let outcome = run(&instance, &options);
        let SearchVerdict::Incomplete(why) = outcome.verdict else {
            panic!("{:?}", outcome.verdict)
        };
        assert_eq!(why.to_string(), message);
        assert_eq!(outcome.statistics.states, 3);
    }
}

/// The rule fails in the third state, and the trace says so.
fn expect(mut instance: Instance, x: Variable, body: Vec<Statement>, kind: FaultKind, message: &str) {
    let mut b = Build { instance };
    b.rule("fail", Vec::new(), equal(x.load(), constant(2)), body);
    instance = b.instance;
    for jobs in [1, 2] {
        let outcome = run(&instance, &SearchOptions { jobs, ..plain() });
        let found = violation(&outcome);
        assert_eq!(found.kind, ViolationKind::Fault(kind));
        assert_eq!(found.message, message);
        let trace = found.trace.as_ref().unwrap();
        assert_eq!(trace.steps.len(), 3);
        assert_eq!(trace.failing.as_ref().unwrap().name, "fail");
    }
}

fn expect_value(f: Fixture, value: Expression, kind: FaultKind, message: &str) {
    let body = vec![f.x.set(value)];
    expect(f.build.instance, f.x, body, kind, message);
}

#[test]
fn undefined_reads() {
    let f = fixture();
    let value = f.u.load();
    expect_value(f, value, FaultKind::UndefinedRead, "read of undefined u");
    let f = fixture();
    let value = f.array.load_at(f.x.load());
    expect_value(f, value, FaultKind::UndefinedRead, "read of undefined a[2]");
    let f = fixture();
    expect_value(
        f,
        load_local(3),
        FaultKind::UndefinedRead,
        "read of an undefined local variable",
    );
}

#[test]
fn values_and_indices_out_of_range() {
    let f = fixture();
    let value = add(f.x.load(), constant(5));
    expect_value(f, value, FaultKind::OutOfRange, "value 7 is outside 0..3");
    let f = fixture();
    expect_value(f, constant(-1), FaultKind::OutOfRange, "value -1 is outside 0..3");
    let f = fixture();
    let value = f.array.load_at(add(f.x.load(), f.x.load()));
    expect_value(f, value, FaultKind::IndexOutOfBounds, "index 4 is outside 0..3");
    let f = fixture();
    let value = f.array.load_at(constant(9));
    expect_value(f, value, FaultKind::IndexOutOfBounds, "index 9 is outside 0..3");
}

#[test]
fn arithmetic() {
    let f = fixture();
    let zero = binary(Binary::Subtract, f.x.load(), f.x.load());
    let value = binary(Binary::Divide, constant(1), zero);
    expect_value(f, value, FaultKind::DivisionByZero, "division by zero");
    let f = fixture();
    let value = binary(Binary::Modulo, constant(1), constant(0));
    expect_value(f, value, FaultKind::DivisionByZero, "division by zero");
    let f = fixture();
    let value = binary(Binary::Multiply, constant(i64::MAX), f.x.load());
    expect_value(f, value, FaultKind::Overflow, "number beyond 64 bits");
}

#[test]
fn stated_errors() {
    let f = fixture();
    let assert = Statement::Assert {
        condition: equal(f.x.load(), constant(1)),
        message: "x is one".to_owned(),
        span: SPAN,
    };
    expect(
        f.build.instance,
        f.x,
        vec![assert],
        FaultKind::Assertion,
        "assertion failed: x is one",
    );
    let f = fixture();
    let error = Statement::Error {
        message: "oh no".to_owned(),
        span: SPAN,
    };
    expect(f.build.instance, f.x, vec![error], FaultKind::Error, "oh no");
}

#[test]
fn empty_lists() {
    let mut f = fixture();
    let list = f.build.ty(Type::List { element: f.digit });
    let line = f.build.scalar("line", list);
    f.build.instance.starts[0].body.push(line.set(Expression::EmptyList));
    let head = Expression::Head(Box::new(line.load()), SPAN);
    expect(
        f.build.instance,
        f.x,
        vec![f.x.set(head)],
        FaultKind::EmptyList,
        "head of the empty list",
    );
}

#[test]
fn endless_loops_and_recursion() {
    let f = fixture();
    let forever = Statement::While {
        condition: constant(1),
        body: Vec::new(),
        span: SPAN,
    };
    let message = "a rule has no end after 20000000 rounds of loops and calls";
    expect_limit(f.build.instance, f.x, vec![forever], message);
    let mut f = fixture();
    let call = Statement::Call {
        function: 0,
        arguments: vec![Argument::Value(add(load_local(0), constant(1)))],
        span: SPAN,
    };
    f.build.instance.functions.push(Procedure {
        name: "deeper".to_owned(),
        frame: 2,
        body: vec![call],
        span: SPAN,
    });
    let body = vec![Statement::Call {
        function: 0,
        arguments: vec![Argument::Value(constant(0))],
        span: SPAN,
    }];
    let message = "a rule makes more than 2000 calls inside each other";
    expect_limit(f.build.instance, f.x, body, message);
}

#[test]
fn functions_without_a_result() {
    let mut f = fixture();
    f.build.instance.functions.push(Procedure {
        name: "nothing".to_owned(),
        frame: 1,
        body: Vec::new(),
        span: SPAN,
    });
    let value = Expression::Call(0, Vec::new(), SPAN);
    let message = "the end of function nothing was reached without a result";
    expect_value(f, value, FaultKind::NoResult, message);
}

#[test]
fn multisets_are_bounded() {
    let mut f = fixture();
    let base = f.build.multiset("bag", 2, f.digit);
    let bag = Variable::of_scalar(base, f.digit);
    let put = Statement::MultisetAdd {
        place: bag.place(),
        capacity: 2,
        stride: 1,
        from: f.x.place(),
        span: SPAN,
    };
    let message = "the multiset is full: it holds 2 elements";
    let three = vec![put.clone(), put.clone(), put];
    expect(f.build.instance, f.x, three, FaultKind::MultisetFull, message);
    let mut f = fixture();
    let base = f.build.multiset("bag", 2, f.digit);
    let take = Statement::MultisetRemove {
        place: Variable::of_scalar(base, f.digit).place(),
        capacity: 2,
        stride: 1,
        index: constant(1),
        span: SPAN,
    };
    expect(
        f.build.instance,
        f.x,
        vec![take],
        FaultKind::MultisetAbsent,
        "the multiset has no element 1",
    );
}

#[test]
fn a_guard_does_not_look_past_what_decides_it() {
    // `x = 3 & u = 1`: u is undefined but never read; in the other order it is read.
    let f = fixture();
    let (x, u) = (f.x, f.u);
    let mut b = f.build;
    b.rule(
        "safe",
        Vec::new(),
        and(equal(x.load(), constant(3)), equal(u.load(), constant(1))),
        Vec::new(),
    );
    assert!(matches!(run(&b.instance, &plain()).verdict, explore::SearchVerdict::Ok));
    b.rule(
        "unsafe",
        Vec::new(),
        and(equal(u.load(), constant(1)), equal(x.load(), constant(3))),
        Vec::new(),
    );
    let outcome = run(&b.instance, &plain());
    assert_eq!(violation(&outcome).kind, ViolationKind::Fault(FaultKind::UndefinedRead));
    let trace = violation(&outcome).trace.as_ref().unwrap();
    assert_eq!(trace.failing.as_ref().unwrap().name, "unsafe");
}

#[test]
fn properties_can_fail() {
    let f = fixture();
    let mut b = f.build;
    b.invariant("u is small", binary(Binary::Less, f.u.load(), constant(2)));
    let outcome = run(&b.instance, &plain());
    assert_eq!(
        violation(&outcome).message,
        "read of undefined u, in property \"u is small\""
    );
    assert_eq!(outcome.statistics.states, 0);
}

#[test]
fn starts_can_fail() {
    let f = fixture();
    let mut b = f.build;
    b.start("second", Vec::new(), vec![f.x.set(f.u.load())]);
    let outcome = run(&b.instance, &plain());
    let trace = violation(&outcome).trace.as_ref().unwrap();
    assert!(trace.steps.is_empty());
    assert_eq!(trace.failing.as_ref().unwrap().name, "second");
}

#[test]
fn malformed_instances_do_not_crash() {
    let f = fixture();
    let far = Place {
        base: Base::State(4_000_000),
        offset: 0,
        subscripts: Vec::new(),
        span: SPAN,
    };
    let instance = f.build.instance.clone();
    let message = "malformed instance: an address outside memory";
    expect(
        instance,
        f.x,
        vec![f.x.set(Expression::Load(far))],
        FaultKind::Malformed,
        message,
    );
    let reference = Place {
        base: Base::Reference(3),
        offset: 0,
        subscripts: vec![Subscript {
            index: f.x.load(),
            low: 0,
            high: 3,
            stride: 1,
            windowed: false,
        }],
        span: SPAN,
    };
    let body = vec![f.x.set(Expression::Load(reference))];
    expect(
        f.build.instance,
        f.x,
        body,
        FaultKind::Malformed,
        "malformed instance: no address",
    );
}
