//! Instances with known state spaces.

use crate::build::*;
use system::instance::{Binary, Expression, Fold, Instance, Statement};

/// Peterson's mutual exclusion for two processes.
pub(crate) fn peterson() -> Instance {
    let mut b = Build::default();
    let pid = b.scalarset("pid", 2);
    let label = b.range(0, 3);
    let boolean = b.boolean();
    let at = b.array("P", pid, label);
    let wants = b.array("Q", pid, boolean);
    let turn = b.scalar("turn", pid);
    let i = || load_local(0);
    let p = vec![b.parameter("i", pid)];
    let all = |body: Vec<Statement>| each(4, range(0, 1), body);
    let reset = all(vec![
        at.set_at(load_local(4), constant(0)),
        wants.set_at(load_local(4), constant(0)),
    ]);
    b.start("init", p.clone(), vec![reset, turn.set(i())]);
    b.rule(
        "want",
        p.clone(),
        equal(at.load_at(i()), constant(0)),
        vec![wants.set_at(i(), constant(1)), at.set_at(i(), constant(1))],
    );
    b.rule(
        "yield",
        p.clone(),
        equal(at.load_at(i()), constant(1)),
        vec![turn.set(i()), at.set_at(i(), constant(2))],
    );
    let others_do_not = fold(
        Fold::Forall,
        5,
        range(0, 1),
        binary(
            Binary::Implies,
            binary(Binary::NotEqual, load_local(5), i()),
            not(wants.load_at(load_local(5))),
        ),
    );
    b.rule(
        "enter",
        p.clone(),
        and(
            equal(at.load_at(i()), constant(2)),
            or(others_do_not, not(equal(turn.load(), i()))),
        ),
        vec![at.set_at(i(), constant(3))],
    );
    b.rule(
        "leave",
        p,
        equal(at.load_at(i()), constant(3)),
        vec![wants.set_at(i(), constant(0)), at.set_at(i(), constant(0))],
    );
    b.invariant("mutual exclusion", at_most_one(at, 2, 3));
    b.instance
}

/// At most one of `count` processes is at a label.
pub(crate) fn at_most_one(at: Variable, count: i64, label: i64) -> Expression {
    let is_there = equal(at.load_at(load_local(8)), constant(label));
    binary(
        Binary::LessEqual,
        fold(Fold::Count, 8, range(0, count - 1), is_there),
        constant(1),
    )
}

/// `n` processes that cycle through idle, trying and critical, where critical requires a lock. With the lock, the
/// states are those with all processes in {idle, trying} (`2^n`) and those with one critical process (`n * 2^(n-1)`);
/// up to symmetry, `n + 1` and `n`.
pub(crate) fn mutex(n: i64) -> Instance {
    let mut b = Build::default();
    let pid = b.scalarset("proc", n);
    let label = b.range(0, 2);
    let boolean = b.boolean();
    let at = b.array("at", pid, label);
    let lock = b.scalar("lock", boolean);
    let i = || load_local(0);
    let p = vec![b.parameter("i", pid)];
    let reset = each(4, range(0, n - 1), vec![at.set_at(load_local(4), constant(0))]);
    b.start("init", Vec::new(), vec![reset, lock.set(constant(0))]);
    b.rule(
        "try",
        p.clone(),
        equal(at.load_at(i()), constant(0)),
        vec![at.set_at(i(), constant(1))],
    );
    b.rule(
        "enter",
        p.clone(),
        and(equal(at.load_at(i()), constant(1)), not(lock.load())),
        vec![at.set_at(i(), constant(2)), lock.set(constant(1))],
    );
    b.rule(
        "leave",
        p,
        equal(at.load_at(i()), constant(2)),
        vec![at.set_at(i(), constant(0)), lock.set(constant(0))],
    );
    b.invariant("mutual exclusion", at_most_one(at, n, 2));
    b.instance
}

/// Without the lock: two processes enter after four steps.
pub(crate) fn broken_mutex(n: i64) -> Instance {
    let mut instance = mutex(n);
    if let Expression::Binary(Binary::And, left, ..) = &instance.rules[1].guard {
        instance.rules[1].guard = (**left).clone();
    }
    instance
}

/// A token that circulates among `n` places, each with a bit that it flips: `n * 2^n` states.
pub(crate) fn token_ring(n: i64) -> Instance {
    let mut b = Build::default();
    let place = b.range(0, n - 1);
    let boolean = b.boolean();
    let token = b.scalar("token", place);
    let bits = b.array("bit", place, boolean);
    let clear = each(4, range(0, n - 1), vec![bits.set_at(load_local(4), constant(0))]);
    b.start("init", Vec::new(), vec![clear, token.set(constant(0))]);
    let next = binary(Binary::Modulo, add(token.load(), constant(1)), constant(n));
    b.rule("pass", Vec::new(), constant(1), vec![token.set(next)]);
    b.rule(
        "flip",
        Vec::new(),
        constant(1),
        vec![bits.set_at(token.load(), not(bits.load_at(token.load())))],
    );
    b.instance
}

/// Adds up to `capacity` elements of `values` kinds to a multiset, and removes any: the states are the multisets.
pub(crate) fn bag(capacity: usize, values: i64) -> Instance {
    let mut b = Build::default();
    let value = b.range(1, values);
    let position = b.range(0, capacity as i64 - 1);
    let base = b.multiset("bag", capacity, value);
    let bag = Variable2 { base };
    let count = fold(
        Fold::Count,
        5,
        range(0, capacity as i64 - 1),
        bag.present(load_local(5)),
    );
    b.start("empty", Vec::new(), Vec::new());
    let v = vec![b.parameter("v", value)];
    b.rule(
        "put",
        v,
        binary(Binary::Less, count, constant(capacity as i64)),
        vec![Statement::MultisetAdd {
            place: bag.place(),
            capacity,
            stride: 1,
            from: local(0),
            span: system::Span::default(),
        }],
    );
    let n = vec![b.parameter("n", position)];
    b.rule(
        "take",
        n,
        bag.present(load_local(0)),
        vec![Statement::MultisetRemove {
            place: bag.place(),
            capacity,
            stride: 1,
            index: load_local(0),
            span: system::Span::default(),
        }],
    );
    b.instance
}

/// A multiset with elements of two slots, the first of which is the presence mark.
struct Variable2 {
    base: usize,
}

impl Variable2 {
    fn place(&self) -> system::instance::Place {
        system::instance::Place {
            base: system::instance::Base::State(self.base),
            offset: 0,
            subscripts: Vec::new(),
            span: system::Span::default(),
        }
    }

    fn present(&self, number: Expression) -> Expression {
        let subscript = system::instance::Subscript {
            index: number,
            low: 0,
            high: 99,
            stride: 2,
            windowed: false,
        };
        let place = system::instance::Place {
            subscripts: vec![subscript],
            ..self.place()
        };
        equal(Expression::LoadRaw(place), constant(1))
    }
}

/// `n` processes, each appended to a queue on request: the states are the sequences without repetition.
pub(crate) fn queue(n: i64) -> Instance {
    let mut b = Build::default();
    let pid = b.scalarset("proc", n);
    let boolean = b.boolean();
    let list = b.ty(system::instance::Type::List { element: pid });
    let waiting = b.array("waiting", pid, boolean);
    let line = b.scalar("line", list);
    let i = || load_local(0);
    let reset = each(4, range(0, n - 1), vec![waiting.set_at(load_local(4), constant(0))]);
    b.start("init", Vec::new(), vec![reset, line.set(Expression::EmptyList)]);
    let p = vec![b.parameter("i", pid)];
    let append = Expression::Append(Box::new(line.load()), Box::new(i()));
    b.rule(
        "join",
        p,
        not(waiting.load_at(i())),
        vec![waiting.set_at(i(), constant(1)), line.set(append)],
    );
    let head = Expression::Head(Box::new(line.load()), system::Span::default());
    let tail = Expression::Tail(Box::new(line.load()), system::Span::default());
    let some = binary(Binary::Less, constant(0), Expression::Length(Box::new(line.load())));
    b.rule(
        "serve",
        Vec::new(),
        some,
        vec![waiting.set_at(head, constant(0)), line.set(tail)],
    );
    b.instance
}
