//! Random instances: the explorer against the reference, with and without symmetry, sequential and parallel.

use crate::build::*;
use crate::{counts, plain, reference, run};
use explore::{SearchOptions, SearchVerdict};
use system::Span;
use system::instance::{Argument, Base, Binary, Expression, Fold, Instance, Place, Procedure, Statement, TypeId};

/// A minimal pseudo-random generator; the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.roll(100) < percent
    }
}

struct Maker {
    dice: Dice,
    b: Build,
    boolean: TypeId,
    small: TypeId,
    node: TypeId,
    flag: Variable,
    number: Variable,
    pointer: Variable,
    numbers: Variable,
    flags: Variable,
    pointers: Variable,
    /// Frame slots that hold nodes.
    nodes_in_scope: Vec<usize>,
    next_local: usize,
    /// Whether to generate calls and loops with dependent iterations, which symmetric instances must not have.
    anything: bool,
    depth: usize,
}

const NODES: i64 = 3;

impl Maker {
    fn new(seed: u64, anything: bool) -> Maker {
        let mut b = Build::default();
        let boolean = b.boolean();
        let small = b.range(0, 2);
        let node = b.scalarset("node", NODES);
        let flag = b.scalar("flag", boolean);
        let number = b.scalar("number", small);
        let pointer = b.scalar("pointer", node);
        let numbers = b.array("numbers", node, small);
        let flags = b.array("flags", node, boolean);
        let pointers = b.array("pointers", node, node);
        Maker {
            dice: Dice(seed),
            b,
            boolean,
            small,
            node,
            flag,
            number,
            pointer,
            numbers,
            flags,
            pointers,
            nodes_in_scope: Vec::new(),
            next_local: 4,
            anything,
            depth: 0,
        }
    }

    fn instance(mut self) -> Instance {
        self.functions();
        self.start();
        for number in 0..3 + self.dice.roll(3) {
            let arity = self.dice.roll(3) as usize;
            let parameters = ["p", "q"]
                .iter()
                .take(arity)
                .map(|name| self.b.parameter(name, self.node))
                .collect();
            self.nodes_in_scope = (0..arity).collect();
            self.next_local = 4;
            let guard = self.truth(3);
            let length = 1 + self.dice.roll(3);
            let body = (0..length).map(|_| self.statement(2)).collect();
            self.b.rule(&format!("rule {number}"), parameters, guard, body);
        }
        self.nodes_in_scope.clear();
        self.next_local = 4;
        let bound = self.truth(3);
        if self.dice.chance(40) {
            self.b.invariant("some", or(bound, not(self.flag.load())));
        }
        if self.dice.chance(30) {
            for number in 0..self.b.instance.rules.len() {
                self.b.instance.rules[number].priority = self.dice.roll(3).cast_signed();
            }
        }
        self.b.instance
    }

    fn start(&mut self) {
        let mut body = vec![self.flag.set(constant(0)), self.number.set(constant(1))];
        let each_node = |set: Statement| each(4, range(0, NODES - 1), vec![set]);
        body.push(each_node(self.numbers.set_at(load_local(4), constant(0))));
        body.push(each_node(self.flags.set_at(load_local(4), constant(0))));
        // Some variables start undefined.
        if self.dice.chance(70) {
            body.push(each_node(self.pointers.set_at(load_local(4), load_local(4))));
        }
        let parameters = vec![self.b.parameter("first", self.node)];
        if self.dice.chance(80) {
            body.push(self.pointer.set(load_local(0)));
        }
        self.b.start("start", parameters, body);
    }

    /// Function 0 tests a node; procedure 1 writes through its reference; function 2 is recursive.
    fn functions(&mut self) {
        let test = Statement::If {
            condition: Expression::Load(self.flags.at(load_local(0))),
            then: vec![Statement::Return(Some(constant(1)))],
            otherwise: Vec::new(),
        };
        let last = Statement::Return(Some(equal(self.numbers.load_at(load_local(0)), constant(0))));
        let set = Statement::Assign {
            place: reference(0),
            value: load_local(1),
            ty: self.small,
            span: Span::default(),
        };
        let early = when(
            equal(load_local(1), constant(2)),
            vec![Statement::Return(None)],
            Vec::new(),
        );
        let down = Expression::Call(
            2,
            vec![Argument::Value(binary(Binary::Subtract, load_local(0), constant(1)))],
            Span::default(),
        );
        let recurse = when(
            binary(Binary::LessEqual, load_local(0), constant(0)),
            vec![Statement::Return(Some(constant(0)))],
            vec![Statement::Return(Some(binary(Binary::Subtract, constant(1), down)))],
        );
        for (name, frame, body) in [
            ("test", 2, vec![test, last]),
            ("set", 3, vec![early, set]),
            ("parity", 2, vec![recurse]),
        ] {
            self.b.instance.functions.push(Procedure {
                name: name.to_owned(),
                frame,
                body,
                span: Span::default(),
            });
        }
    }

    fn node(&mut self) -> Expression {
        match self.dice.roll(4) {
            0 => self.pointer.load(),
            1 if self.depth < 3 => {
                self.depth += 1;
                let inner = self.node();
                self.depth -= 1;
                self.pointers.load_at(inner)
            }
            _ => match self.nodes_in_scope.len() as u64 {
                0 => self.pointer.load(),
                count => load_local(self.nodes_in_scope[self.dice.roll(count) as usize]),
            },
        }
    }

    fn integer(&mut self, depth: usize) -> Expression {
        match self.dice.roll(if depth == 0 { 3 } else { 6 }) {
            0 => constant(self.dice.roll(3) as i64),
            1 => self.number.load(),
            2 => {
                let node = self.node();
                self.numbers.load_at(node)
            }
            3 => binary(Binary::Subtract, constant(2), self.integer(depth - 1)),
            4 => {
                let (condition, a, b) = (self.truth(depth - 1), self.integer(depth - 1), self.integer(depth - 1));
                Expression::If(Box::new(condition), Box::new(a), Box::new(b))
            }
            _ if self.anything && self.dice.chance(50) => {
                Expression::Call(2, vec![Argument::Value(self.integer(depth - 1))], Span::default())
            }
            _ => add(self.integer(depth - 1), self.integer(depth - 1)),
        }
    }

    fn truth(&mut self, depth: usize) -> Expression {
        match self.dice.roll(if depth == 0 { 4 } else { 10 }) {
            0 => self.flag.load(),
            1 => {
                let node = self.node();
                self.flags.load_at(node)
            }
            2 => equal(self.node(), self.node()),
            3 => equal(self.integer(0), constant(self.dice.roll(3) as i64)),
            4 => not(self.truth(depth - 1)),
            5 | 6 => and(self.truth(depth - 1), self.truth(depth - 1)),
            7 => or(self.truth(depth - 1), self.truth(depth - 1)),
            8 if self.next_local < 7 => {
                let slot = self.next_local;
                self.next_local += 1;
                self.nodes_in_scope.push(slot);
                let body = self.truth(depth - 1);
                self.nodes_in_scope.pop();
                self.next_local -= 1;
                let kind = [Fold::Forall, Fold::Exists][self.dice.roll(2) as usize];
                fold(kind, slot, range(0, NODES - 1), body)
            }
            9 if self.anything => {
                let node = self.node();
                Expression::Call(0, vec![Argument::Value(node)], Span::default())
            }
            _ => {
                let node = self.node();
                let pointer = self.pointers.at(node);
                Expression::IsUndefined(pointer, 1)
            }
        }
    }

    /// A place and its type.
    fn target(&mut self) -> (Place, TypeId) {
        match self.dice.roll(6) {
            0 => (self.flag.place(), self.boolean),
            1 => (self.number.place(), self.small),
            2 => (self.pointer.place(), self.node),
            3 => (self.flags.at(self.node()), self.boolean),
            4 => (self.numbers.at(self.node()), self.small),
            _ => (self.pointers.at(self.node()), self.node),
        }
    }

    fn statement(&mut self, depth: usize) -> Statement {
        match self.dice.roll(if depth == 0 { 6 } else { 11 }) {
            0 => {
                let (place, _) = self.target();
                Statement::Undefine { place, length: 1 }
            }
            // Not in loops, where there would be too many combinations.
            1 if self.next_local == 4 => {
                let (place, ty) = self.target();
                Statement::Choose { place, ty }
            }
            1..=5 => {
                let (place, ty) = self.target();
                let value = if ty == self.boolean {
                    self.truth(1)
                } else if ty == self.small {
                    self.integer(1)
                } else {
                    self.node()
                };
                assign(place, value, ty)
            }
            6 | 7 => when(
                self.truth(2),
                vec![self.statement(depth - 1)],
                vec![self.statement(depth - 1)],
            ),
            8 => Statement::Assume {
                condition: self.truth(2),
            },
            9 if self.anything && self.next_local < 7 => {
                let slot = self.next_local;
                self.next_local += 1;
                self.nodes_in_scope.push(slot);
                let body = vec![self.statement(depth - 1)];
                self.nodes_in_scope.pop();
                self.next_local -= 1;
                each(slot, range(0, NODES - 1), body)
            }
            10 if self.anything => {
                let place = self.numbers.at(self.node());
                let arguments = vec![
                    Argument::Value(Expression::Address(place)),
                    Argument::Value(self.integer(1)),
                ];
                Statement::Call {
                    function: 1,
                    arguments,
                    span: Span::default(),
                }
            }
            _ => Statement::CopyBlock {
                to: self.numbers.at(self.node()),
                from: self.numbers.at(self.node()),
                length: 1,
            },
        }
    }
}

fn reference(slot: usize) -> Place {
    Place {
        base: Base::Reference(slot),
        offset: 0,
        subscripts: Vec::new(),
        span: Span::default(),
    }
}

/// The number of rules before a violation.
fn depth_of_violation(verdict: &SearchVerdict) -> Option<usize> {
    match verdict {
        SearchVerdict::Violation(violation) => {
            let trace = violation.trace.as_ref().expect("violations have traces");
            Some(trace.steps.len() + usize::from(trace.failing.is_some()) - 1)
        }
        _ => None,
    }
}

/// Instances with more states are skipped.
const LIMIT: u64 = 2000;

fn limited() -> SearchOptions {
    SearchOptions {
        max_states: Some(LIMIT),
        ..plain()
    }
}

#[test]
fn the_explorer_agrees_with_the_reference() {
    let (mut violated, mut compared, mut states) = (0, 0, 0);
    for seed in 0..1500 {
        let instance = Maker::new(seed, true).instance();
        let Some(expected) = reference::explore(&instance, LIMIT as usize) else {
            continue;
        };
        let outcome = run(&instance, &plain());
        assert_eq!(depth_of_violation(&outcome.verdict), expected.failure, "seed {seed}");
        let count = expected.states.len() as u64;
        if expected.failure.is_none() {
            assert_eq!(counts(&outcome), (count, expected.fired), "seed {seed}");
        }
        violated += usize::from(expected.failure.is_some());
        compared += 1;
        states += count;
    }
    // The instances are neither all faulty nor all empty.
    assert!(
        (compared / 5..compared * 9 / 10).contains(&violated),
        "{violated} of {compared} violated"
    );
    assert!(states > 10_000, "{states} states");
}

#[test]
fn symmetry_does_not_change_verdicts() {
    for seed in 0..1500 {
        let instance = Maker::new(seed, false).instance();
        let all = run(&instance, &limited());
        if matches!(all.verdict, SearchVerdict::Incomplete(_)) {
            continue;
        }
        let options = SearchOptions {
            symmetry: true,
            ..plain()
        };
        let few = run(&instance, &options);
        assert!(few.statistics.symmetric);
        assert_eq!(
            depth_of_violation(&all.verdict),
            depth_of_violation(&few.verdict),
            "seed {seed}"
        );
        if depth_of_violation(&all.verdict).is_none() {
            assert!(few.statistics.states <= all.statistics.states, "seed {seed}");
            assert_eq!(few.statistics.max_depth, all.statistics.max_depth, "seed {seed}");
        }
    }
}

#[test]
fn threads_do_not_change_anything() {
    for seed in 0..150 {
        let instance = Maker::new(seed, true).instance();
        for symmetry in [false, true] {
            let base = SearchOptions { symmetry, ..limited() };
            let one = run(&instance, &base);
            if matches!(one.verdict, SearchVerdict::Incomplete(_)) {
                continue;
            }
            let two = run(&instance, &SearchOptions { jobs: 2, ..base });
            assert_eq!(counts(&one), counts(&two), "seed {seed}");
            assert_eq!(one.statistics.max_depth, two.statistics.max_depth, "seed {seed}");
            if let (SearchVerdict::Violation(a), SearchVerdict::Violation(b)) = (&one.verdict, &two.verdict) {
                assert_eq!((&a.message, &a.trace), (&b.message, &b.trace), "seed {seed}");
            }
        }
    }
}
