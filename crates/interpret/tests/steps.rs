//! Programs by hand: what each step and each operator does.

#![allow(clippy::unwrap_used)]

mod building;

use building::*;
use interpret::{End, FixedInputs, Limit, RunLimits, RunOutcome, UndefinedMode, run};
use system::program::{
    BinaryOperator as Op, Bits, Callee, Comparison, Field, Float, Initial, Integer, Library, Place, ProcedureId,
    PropertyId, Scalar, Step, Type, TypeId, Undefined, Value, VariableId, VariableKind,
};

fn start(builder: &mut Builder, writer: Writer) -> RunOutcome {
    run_with(builder, writer, vec![], RunLimits::default())
}

fn run_with(builder: &mut Builder, writer: Writer, inputs: Vec<i128>, limits: RunLimits) -> RunOutcome {
    builder.body(ProcedureId(0), writer);
    run(&builder.program, &mut FixedInputs::new(inputs), &limits)
}

fn wrapping() -> RunLimits {
    RunLimits {
        undefined: UndefinedMode::Wrap,
        ..RunLimits::default()
    }
}

/// How a program ends that assigns the value to its status.
fn value_of(pointer_bits: u32, value: Value, limits: RunLimits) -> End {
    let mut builder = Builder::new(pointer_bits);
    let mut writer = Writer::new();
    writer.set(builder.status(), value);
    run_with(&mut builder, writer, vec![], limits).end
}

#[test]
fn a_loop_adds_up() {
    let mut builder = Builder::new(32);
    let int_type = builder.int();
    let (i, sum) = (builder.local("i", int_type), builder.local("sum", int_type));
    let mut writer = Writer::new();
    writer.set(i, int(0));
    writer.set(sum, int(0));
    let head = writer.here();
    let done = writer.branch(compare(Comparison::Less, builder.get(i), int(10)));
    writer.set(sum, add(builder.get(sum), builder.get(i)));
    writer.set(i, add(builder.get(i), int(1)));
    writer.jump(head, done);
    writer.set(builder.status(), builder.get(sum));
    let outcome = start(&mut builder, writer);
    assert_eq!(outcome.end, End::Exited(45));
    assert_eq!(outcome.coverage.location(ProcedureId(0), head), 11);
    let (all, taken) = outcome.coverage.share();
    assert_eq!(all, taken);
}

#[test]
fn undefined_arithmetic_is_a_finding_or_wraps() {
    let most = i128::from(i32::MAX);
    let least = i128::from(i32::MIN);
    let cases = [
        (Op::Add, most, 1, Undefined::Overflow, Some(0)),
        (Op::Subtract, least, 1, Undefined::Overflow, Some(255)),
        (Op::Multiply, 65536, 65537, Undefined::Overflow, Some(0)),
        (Op::Divide, 1, 0, Undefined::DivisionByZero, None),
        (Op::Remainder, 1, 0, Undefined::DivisionByZero, None),
        (Op::Divide, least, -1, Undefined::Overflow, None),
        (Op::Remainder, least, -1, Undefined::Overflow, None),
        (Op::ShiftLeft, 1, 32, Undefined::Shift, Some(1)),
        (Op::ShiftLeft, 1, -1, Undefined::Shift, Some(0)),
        (Op::ShiftLeft, -1, 1, Undefined::Shift, Some(254)),
        (Op::ShiftLeft, 1, 31, Undefined::Overflow, Some(0)),
        (Op::ShiftRight, 5, 33, Undefined::Shift, Some(2)),
    ];
    for (operator, left, right, finding, wrapped) in cases {
        let value = binary(operator, int(left), int(right));
        let reported = value_of(32, value.clone(), RunLimits::default());
        assert_eq!(reported, End::Undefined(finding), "{operator:?} {left} {right}");
        let expected = wrapped.map_or(End::Undefined(finding), End::Exited);
        assert_eq!(value_of(32, value, wrapping()), expected, "{operator:?} {left} {right}");
    }
}

#[test]
fn defined_arithmetic() {
    let wide = |value| Value::integer(value, Integer::new(64, true));
    let narrow = |value| convert(Scalar::Integer(INT), value);
    let unsigned = |value| Value::integer(value, UNSIGNED);
    let cases = [
        (binary(Op::Divide, int(-7), int(2)), 253),
        (binary(Op::Remainder, int(-7), int(2)), 255),
        (binary(Op::ShiftRight, int(-8), int(1)), 252),
        (narrow(binary(Op::ShiftRight, unsigned(0x8000_0000), int(28))), 8),
        (narrow(binary(Op::Add, unsigned(u32::MAX.into()), unsigned(3))), 2),
        (narrow(binary(Op::Multiply, wide(1 << 40), wide(3))), 0),
        (narrow(binary(Op::ShiftRight, wide(1 << 40), wide(38))), 4),
        (binary(Op::ExclusiveOr, int(12), int(10)), 6),
        (compare(Comparison::Less, int(-1), int(0)), 1),
        (compare(Comparison::Less, unsigned(u32::MAX.into()), unsigned(0)), 0),
    ];
    for (value, expected) in cases {
        assert_eq!(
            value_of(64, value.clone(), RunLimits::default()),
            End::Exited(expected),
            "{value:?}"
        );
    }
}

#[test]
fn floats_round_as_their_type_says() {
    let float = |value: f64, float| Value::Float {
        bits: value.to_bits(),
        float,
    };
    let to_int = |value| convert(Scalar::Integer(INT), value);
    let single = |value| float(value, Float::Single);
    let double = |value| float(value, Float::Double);
    // 2^24 + 1 is no float.
    let sum = binary(Op::Add, single(16_777_216.0), single(1.0));
    let is_same = compare(Comparison::Equal, sum, single(16_777_216.0));
    assert_eq!(value_of(64, is_same, RunLimits::default()), End::Exited(1));
    let sum = binary(Op::Add, double(16_777_216.0), double(1.0));
    let is_same = compare(Comparison::Equal, sum, double(16_777_216.0));
    assert_eq!(value_of(64, is_same, RunLimits::default()), End::Exited(0));
    assert_eq!(
        value_of(64, to_int(double(-1.9)), RunLimits::default()),
        End::Exited(255)
    );
    let far = to_int(double(3e9));
    assert_eq!(
        value_of(64, far.clone(), RunLimits::default()),
        End::Undefined(Undefined::Conversion)
    );
    assert_eq!(value_of(64, far, wrapping()), End::Exited(0));
    let extended = float(1.0, Float::Extended { bytes: 16 });
    let outcome = value_of(64, to_int(extended), RunLimits::default());
    assert!(matches!(outcome, End::Unsupported(what) if what.name().contains("double")));
}

#[test]
fn ten_thousand_terms() {
    let sum = (0..10_000).fold(int(0), |sum, _| add(sum, int(1)));
    assert_eq!(value_of(64, sum, RunLimits::default()), End::Exited(16));
    // To the right, too, as deep as a parser lets parentheses be.
    let sum = (0..900).fold(int(0), |sum, _| add(int(1), sum));
    assert_eq!(value_of(64, sum, RunLimits::default()), End::Exited(132));
    let sum = (0..2000).fold(int(0), |sum, _| add(int(1), sum));
    assert!(matches!(value_of(64, sum, RunLimits::default()), End::Unsupported(_)));
}

/// `p = &p; **...*p` with as many stars.
#[test]
fn a_pointer_to_itself() {
    let mut builder = Builder::new(64);
    let void = builder.type_of(Type::Void);
    let pointer = builder.pointer(void);
    let p = builder.local("p", pointer);
    let mut writer = Writer::new();
    writer.set(p, address(Place::variable(p)));
    let deep = (0..500).fold(builder.get(p), |value, _| builder.read(Place::at(value, pointer)));
    writer.set(builder.status(), compare(Comparison::Equal, deep, builder.get(p)));
    assert_eq!(start(&mut builder, writer).end, End::Exited(1));
}

#[test]
fn accesses_outside_of_objects_are_findings() {
    for (index, expected) in [
        (2, End::Exited(7)),
        (3, End::Undefined(Undefined::OutOfBounds)),
        (-1, End::Undefined(Undefined::OutOfBounds)),
    ] {
        let mut builder = Builder::new(32);
        let int_type = builder.int();
        let three = builder.array(int_type, 3);
        let (a, i) = (builder.local("a", three), builder.local("i", int_type));
        let mut writer = Writer::new();
        writer.set(i, int(index));
        writer.assign(builder.element(a, builder.get(i)), int(7));
        writer.set(builder.status(), builder.read(builder.element(a, builder.get(i))));
        assert_eq!(start(&mut builder, writer).end, expected);
    }
}

/// A program with a pointer `p` to int and a variable `x` that is pointed at.
fn with_pointer(write: impl Fn(&mut Builder, &mut Writer, VariableId, VariableId)) -> End {
    let mut builder = Builder::new(32);
    let int_type = builder.int();
    let pointer = builder.pointer(int_type);
    let p = builder.local("p", pointer);
    let x = builder.variable("x", int_type, VariableKind::Local, Some(ProcedureId(0)));
    let mut writer = Writer::new();
    writer.step(Step::Enter(x));
    writer.set(p, address(Place::variable(x)));
    write(&mut builder, &mut writer, p, x);
    start(&mut builder, writer).end
}

#[test]
fn pointers_to_what_is_no_object() {
    let read = |builder: &mut Builder, writer: &mut Writer, p| {
        let int_type = builder.int();
        writer.set(builder.status(), builder.read(builder.at(p, int_type)));
    };
    let ends = [
        with_pointer(|b, w, p, _| read(b, w, p)),
        with_pointer(|b, w, p, x| {
            w.set(x, int(5));
            read(b, w, p);
        }),
        with_pointer(|b, w, p, x| {
            w.step(Step::Leave(x));
            read(b, w, p);
        }),
        with_pointer(|b, w, p, x| {
            w.step(Step::Leave(x));
            w.step(Step::Enter(x));
            w.set(x, int(5));
            read(b, w, p);
        }),
        with_pointer(|b, w, p, _| {
            w.set(p, convert(Scalar::Pointer, int(0)));
            read(b, w, p);
        }),
        with_pointer(|b, w, p, _| {
            w.set(p, convert(Scalar::Pointer, int(0x1234_5678)));
            read(b, w, p);
        }),
        with_pointer(|b, w, p, _| {
            w.set(p, offset(b.get(p), int(1), 4));
            read(b, w, p);
        }),
        with_pointer(|b, w, p, _| w.set(p, offset(b.get(p), int(2), 4))),
        with_pointer(|b, w, p, x| {
            // To a number and back.
            w.set(x, int(9));
            let number = convert(Scalar::Integer(UNSIGNED), b.get(p));
            let number = binary(Op::ExclusiveOr, number, Value::integer(0xffff, UNSIGNED));
            let number = binary(Op::ExclusiveOr, number, Value::integer(0xffff, UNSIGNED));
            w.set(p, convert(Scalar::Pointer, number));
            read(b, w, p);
        }),
    ];
    let expected = [
        End::Undefined(Undefined::Uninitialised),
        End::Exited(5),
        End::Undefined(Undefined::DeadObject),
        End::Undefined(Undefined::DeadObject),
        End::Undefined(Undefined::NullPointer),
        End::Undefined(Undefined::InvalidPointer),
        End::Undefined(Undefined::OutOfBounds),
        End::Undefined(Undefined::OutOfBounds),
        End::Exited(9),
    ];
    assert_eq!(ends, expected);
}

fn plain_field(name: &str, type_id: TypeId, offset: u64) -> Field {
    Field {
        name: name.to_owned(),
        type_id,
        offset,
        bits: None,
    }
}

#[test]
fn pointers_survive_copies_by_bytes() {
    for bits in [32, 64] {
        let width = u64::from(bits / 8);
        let mut builder = Builder::new(bits);
        let int_type = builder.int();
        let character = builder.type_of(Type::Integer(CHAR));
        let pointer = builder.pointer(int_type);
        let x = builder.global("x", int_type, Initial::Zero);
        let (p, q, r) = (
            builder.local("p", pointer),
            builder.local("q", pointer),
            builder.local("r", pointer),
        );
        let record = builder.record(
            false,
            vec![plain_field("p", pointer, 0), plain_field("i", int_type, width)],
            2 * width,
        );
        let (s, t) = (builder.local("s", record), builder.local("t", record));
        let mut writer = Writer::new();
        writer.set(x, int(42));
        writer.set(p, address(Place::variable(x)));
        writer.set(q, convert(Scalar::Pointer, int(0)));
        for byte in 0..width {
            let at = |of| {
                let start = convert(Scalar::Pointer, address(Place::variable(of)));
                Place::at(offset(start, int(byte.into()), 1), character)
            };
            writer.assign(at(q), builder.read(at(p)));
        }
        // The other field is undefined, and is copied all the same.
        writer.assign(field(Place::variable(s), 0), builder.get(q));
        writer.step(Step::Copy {
            target: Place::variable(t),
            source: Place::variable(s),
        });
        writer.set(r, builder.read(field(Place::variable(t), 0)));
        writer.set(builder.status(), builder.read(builder.at(r, int_type)));
        assert_eq!(start(&mut builder, writer).end, End::Exited(42));
    }
}

#[test]
fn fields_with_bits_of_their_own() {
    let mut builder = Builder::new(32);
    let three = builder.type_of(Type::Integer(Integer::new(3, true)));
    let thirteen = builder.type_of(Type::Integer(Integer::new(13, false)));
    let bits = |name: &str, type_id, offset, first, width| Field {
        name: name.to_owned(),
        type_id,
        offset,
        bits: Some(Bits { first, width }),
    };
    let record = builder.record(false, vec![bits("a", three, 0, 2, 3), bits("b", thirteen, 0, 5, 13)], 4);
    let s = builder.local("s", record);
    let mut writer = Writer::new();
    let place = |index| field(Place::variable(s), index);
    writer.assign(place(1), Value::integer(0x1abc, Integer::new(13, false)));
    // -3 in three bits.
    writer.assign(place(0), convert(Scalar::Integer(Integer::new(3, true)), int(5)));
    let is_same = |place, value| {
        let read = convert(Scalar::Integer(INT), builder.read(place));
        compare(Comparison::Equal, read, int(value))
    };
    let both = add(is_same(place(0), -3), is_same(place(1), 0x1abc));
    writer.set(builder.status(), both);
    assert_eq!(start(&mut builder, writer).end, End::Exited(2));
}

#[test]
fn allocated_objects_live_until_they_are_freed() {
    let end = |last: &dyn Fn(&mut Builder, &mut Writer, VariableId, ProcedureId)| {
        let mut builder = Builder::new(64);
        let int_type = builder.int();
        let size = builder.type_of(Type::Integer(Integer::new(64, false)));
        let pointer = builder.pointer(int_type);
        let allocate = builder.library(Library::Allocate, &[size], Some(pointer));
        let free = builder.library(Library::Free, &[pointer], None);
        let p = builder.local("p", pointer);
        let mut writer = Writer::new();
        writer.call(allocate, vec![Value::integer(8, Integer::new(64, false))], Some(p));
        last(&mut builder, &mut writer, p, free);
        start(&mut builder, writer).end
    };
    let set_status = |b: &mut Builder, w: &mut Writer, p| {
        let int_type = b.int();
        w.assign(b.at(p, int_type), int(3));
        w.set(b.status(), b.read(b.at(p, int_type)));
    };
    assert_eq!(end(&|b, w, p, _| set_status(b, w, p)), End::Exited(3));
    let freed = end(&|b, w, p, free| {
        w.call(free, vec![b.get(p)], None);
        set_status(b, w, p);
    });
    assert_eq!(freed, End::Undefined(Undefined::DeadObject));
    let twice = end(&|b, w, p, free| {
        w.call(free, vec![b.get(p)], None);
        w.call(free, vec![b.get(p)], None);
    });
    assert_eq!(twice, End::Undefined(Undefined::Free));
    let middle = end(&|b, w, p, free| w.call(free, vec![offset(b.get(p), int(1), 4)], None));
    assert_eq!(middle, End::Undefined(Undefined::Free));
}

/// `int f(int n) { return n == 0 ? 0 : f(n - 1) + 1; }`
fn recursive(builder: &mut Builder) -> ProcedureId {
    let int_type = builder.int();
    let f = builder.procedure("f", false);
    let n = builder.parameter(f, int_type);
    let result = builder.result(f, int_type);
    let t = builder.variable("t", int_type, VariableKind::Temporary, Some(f));
    let mut writer = Writer::new();
    let zero = writer.branch(compare(Comparison::NotEqual, builder.get(n), int(0)));
    writer.call(f, vec![add(builder.get(n), int(-1))], Some(t));
    writer.set(result, add(builder.get(t), int(1)));
    let end = writer.here();
    writer.edge(
        zero,
        Step::Assign {
            target: Place::variable(result),
            value: int(0),
        },
        end,
    );
    builder.body(f, writer);
    f
}

#[test]
fn calls_may_be_deep_up_to_a_limit() {
    for (depth, expected) in [(50_000, End::Exited(80)), (200_000, End::Limit(Limit::Depth))] {
        let mut builder = Builder::new(32);
        let f = recursive(&mut builder);
        let mut writer = Writer::new();
        writer.call(f, vec![int(depth)], Some(builder.status()));
        assert_eq!(start(&mut builder, writer).end, expected);
    }
}

#[test]
fn calls_by_pointers_fit_or_are_findings() {
    let mut ends = Vec::new();
    for arguments in [vec![int(3)], vec![], vec![Value::integer(3, Integer::new(64, true))]] {
        let mut builder = Builder::new(32);
        let f = recursive(&mut builder);
        let void = builder.type_of(Type::Void);
        let pointer = builder.pointer(void);
        let p = builder.local("p", pointer);
        let mut writer = Writer::new();
        writer.set(p, Value::Procedure(f));
        writer.step(Step::Call {
            callee: Callee::Pointer(builder.get(p)),
            arguments: arguments.into_iter().map(system::program::Argument::Scalar).collect(),
            result: Some(Place::variable(builder.status())),
        });
        ends.push(start(&mut builder, writer).end);
    }
    let finding = End::Undefined(Undefined::Call);
    assert_eq!(ends, [End::Exited(3), finding, finding]);
}

#[test]
fn limits_end_runs() {
    let mut builder = Builder::new(32);
    let mut writer = Writer::new();
    writer.step(Step::Skip);
    let here = writer.here();
    writer.edge(here, Step::Skip, here);
    let limits = RunLimits {
        steps: 1000,
        trace: 10,
        ..RunLimits::default()
    };
    let outcome = run_with(&mut builder, writer, vec![], limits);
    assert_eq!((outcome.end, outcome.steps), (End::Limit(Limit::Steps), 1000));
    assert_eq!((outcome.trace.events.len(), outcome.trace.left_out), (10, 990));
}

#[test]
fn inputs_decide() {
    let mut ends = Vec::new();
    for inputs in [vec![7], vec![8], vec![0], vec![]] {
        let mut builder = Builder::new(32);
        let int_type = builder.int();
        let x = builder.local("x", int_type);
        let mut writer = Writer::new();
        writer.step(Step::Choose {
            target: Place::variable(x),
            name: "input".to_owned(),
        });
        writer.step(Step::Assume {
            condition: builder.get(x),
            holds: true,
            reason: system::program::Reason::Assumption,
        });
        let other = writer.branch(compare(Comparison::Equal, builder.get(x), int(7)));
        writer.step(Step::Violate(PropertyId(0)));
        let end = writer.here();
        writer.edge(other, Step::Skip, end);
        ends.push(run_with(&mut builder, writer, inputs, RunLimits::default()).end);
    }
    let expected = [
        End::Violated(PropertyId(0)),
        End::Exited(0),
        End::AssumptionFailed,
        End::InputsExhausted,
    ];
    // The default status is zero.
    assert_eq!(ends, expected);
}

#[test]
fn what_nobody_knows_gives_inputs() {
    let mut builder = Builder::new(32);
    let int_type = builder.int();
    let pointer = builder.pointer(int_type);
    let f = builder.procedure("f", false);
    builder.parameter(f, pointer);
    builder.result(f, int_type);
    let x = builder.local("x", int_type);
    let y = builder.local("y", int_type);
    let mut writer = Writer::new();
    writer.call(f, vec![address(Place::variable(x))], Some(y));
    writer.set(builder.status(), add(builder.get(x), builder.get(y)));
    let outcome = run_with(&mut builder, writer, vec![3, 4], RunLimits::default());
    assert_eq!((outcome.end, outcome.unknown), (End::Exited(7), vec![f]));
}

#[test]
fn literals_are_constant() {
    let mut builder = Builder::new(32);
    let text = builder.literal("abc");
    let f = builder.procedure("f", false);
    let mut writer = Writer::new();
    writer.assign(builder.element(text, int(0)), Value::integer(65, CHAR));
    builder.body(f, writer);
    // The first procedure gives constants their values.
    let mut writer = Writer::new();
    writer.assign(builder.element(text, int(0)), Value::integer(65, CHAR));
    writer.call(f, vec![], None);
    assert_eq!(start(&mut builder, writer).end, End::Undefined(Undefined::Constant));
}

/// `x = input(); y = input(); unused = input(); if (x == 4711) if (y < -100) error();`
#[test]
fn a_search_finds_what_inputs_are_compared_with() {
    let mut builder = Builder::new(32);
    let int_type = builder.int();
    let [x, y, unused] = ["x", "y", "unused"].map(|name| builder.local(name, int_type));
    let mut writer = Writer::new();
    for variable in [unused, x, y] {
        writer.step(Step::Choose {
            target: Place::variable(variable),
            name: "input".to_owned(),
        });
    }
    let first = writer.branch(compare(Comparison::Equal, builder.get(x), int(4711)));
    let second = writer.branch(compare(Comparison::Less, builder.get(y), int(-100)));
    writer.step(Step::Violate(PropertyId(0)));
    let end = writer.here();
    writer.edge(first, Step::Skip, end);
    writer.edge(second, Step::Skip, end);
    builder.body(ProcedureId(0), writer);
    let executable = interpret::Executable::new(&builder.program);
    let searched = interpret::search::search(&executable, &interpret::search::SearchOptions::default(), &|| false);
    let found = searched.violation.unwrap();
    assert_eq!(found.end, End::Violated(PropertyId(0)));
    assert_eq!((found.inputs[0], found.inputs[1]), (0, 4711));
    let again = executable.run(&mut FixedInputs::new(found.inputs), &RunLimits::default());
    assert_eq!((again.end, again.steps), (found.end, found.steps));
}

/// `for (i = 0; i < 300000; i++); error();`
#[test]
fn a_search_makes_long_runs_longer_and_shows_their_ends() {
    use interpret::search::{SearchOptions, search};
    let mut builder = Builder::new(32);
    let int_type = builder.int();
    let i = builder.local("i", int_type);
    let mut writer = Writer::new();
    writer.set(i, int(0));
    let head = writer.here();
    let done = writer.branch(compare(Comparison::Less, builder.get(i), int(300_000)));
    writer.set(i, add(builder.get(i), int(1)));
    writer.jump(head, done);
    writer.step(Step::Violate(PropertyId(0)));
    builder.body(ProcedureId(0), writer);
    let executable = interpret::Executable::new(&builder.program);
    let options = |further_steps| SearchOptions {
        further_steps,
        ..SearchOptions::default()
    };
    let searched = search(&executable, &options(10_000_000), &|| false);
    assert!(!searched.is_cut);
    let found = searched.violation.unwrap();
    assert!(found.steps > options(0).limits.steps && found.steps == searched.longest);
    let limits = found.limits(10, &options(0).limits);
    let again = executable.run(&mut FixedInputs::new(found.inputs), &limits);
    assert_eq!((again.end, again.steps), (found.end, found.steps));
    assert_eq!(again.trace.events.len(), 10);
    assert_eq!(again.trace.left_out + 10, found.steps);
    // With too few steps, or told to end, it does not get there.
    for (steps, is_over) in [(200_000, false), (10_000_000, true)] {
        let runs = std::cell::Cell::new(0);
        let is_over = || is_over && runs.replace(runs.get() + 1) > 5;
        let searched = search(&executable, &options(steps), &is_over);
        assert!(searched.violation.is_none() && searched.is_cut);
    }
}

#[test]
fn a_trace_says_what_changed_and_who_called() {
    use interpret::trace::{ChangedPlace, TraceValue};
    let mut builder = Builder::new(32);
    let f = recursive(&mut builder);
    let int_type = builder.int();
    let two = builder.array(int_type, 2);
    let a = builder.global("a", two, Initial::Zero);
    let mut writer = Writer::new();
    writer.assign(builder.element(a, int(1)), int(1));
    writer.call(
        f,
        vec![builder.read(builder.element(a, int(1)))],
        Some(builder.status()),
    );
    let limits = RunLimits {
        trace: 100,
        ..RunLimits::default()
    };
    let status = builder.status();
    let outcome = run_with(&mut builder, writer, vec![], limits);
    assert_eq!(outcome.end, End::Exited(1));
    let events: Vec<_> = outcome
        .trace
        .events
        .iter()
        .map(|event| {
            let change = event.change.as_ref().map(|change| (change.place, change.value));
            (event.depth, event.call.clone(), change, event.is_return)
        })
        .collect();
    let origin = interpret::MemoryOrigin::Variable(a);
    let stored = (ChangedPlace::Object { origin, offset: 4 }, TraceValue::Integer(1));
    assert_eq!(events[0], (0, None, Some(stored), false));
    assert_eq!(events[1], (0, Some((f, vec![TraceValue::Integer(1)])), None, false));
    // The branch, and the inner call.
    assert_eq!(events[2], (1, None, None, false));
    assert_eq!(events[3], (1, Some((f, vec![TraceValue::Integer(0)])), None, false));
    let last = &events[events.len() - 2];
    let returned = (ChangedPlace::Variable(status), TraceValue::Integer(1));
    assert_eq!(last, &(1, None, Some(returned), true));
}

/// What `printf` writes, with one argument.
fn printed(format: &str, argument: Value) -> String {
    let mut builder = Builder::new(64);
    let text = builder.literal(format);
    let character = builder.type_of(Type::Integer(CHAR));
    let pointer = builder.pointer(character);
    let int_type = builder.int();
    let print = builder.library(Library::Print, &[pointer], Some(int_type));
    let mut writer = Writer::new();
    writer.call(print, vec![address(Place::variable(text)), argument], None);
    String::from_utf8(start(&mut builder, writer).output).unwrap()
}

#[test]
fn printf_as_glibc_does() {
    let long = |value| Value::integer(value, Integer::new(64, true));
    let integers = [
        ("%d", int(-5), "-5"),
        ("%5d|", int(42), "   42|"),
        ("%-5d|", int(42), "42   |"),
        ("%05d", int(-42), "-0042"),
        ("%+d", int(42), "+42"),
        ("% d", int(42), " 42"),
        ("%.3d", int(7), "007"),
        ("%6.3d|", int(-7), "  -007|"),
        ("%06.3d|", int(7), "   007|"),
        ("%.0d|", int(0), "|"),
        ("%u", int(-1), "4294967295"),
        ("%x", int(255), "ff"),
        ("%#X", int(255), "0XFF"),
        ("%#x", int(0), "0"),
        ("%o", int(8), "10"),
        ("%#o", int(8), "010"),
        ("%#o", int(0), "0"),
        ("%#08x", int(255), "0x0000ff"),
        ("%c%%", int(65), "A%"),
        ("%hhd", int(300), "44"),
        ("%hd", int(70_000), "4464"),
        ("%hu", int(-1), "65535"),
        ("%ld", long(1 << 40), "1099511627776"),
        ("%lld", long(-1), "-1"),
        ("%llx", long(-1), "ffffffffffffffff"),
        ("%zu", long(12), "12"),
        ("%d", long(1 << 40), "0"),
    ];
    for (format, argument, expected) in integers {
        assert_eq!(printed(format, argument), expected, "{format}");
    }
    let floats = [
        ("%f", 1.5, "1.500000"),
        ("%.0f", 2.5, "2"),
        ("%.0f", 3.5, "4"),
        ("%#.0f", 3.0, "3."),
        ("%8.3f|", -1.0005, "  -1.000|"),
        ("%08.2f", -1.5, "-0001.50"),
        ("%e", 12345.678, "1.234568e+04"),
        ("%.2E", 0.00012, "1.20E-04"),
        ("%e", 1e100, "1.000000e+100"),
        ("%g", 100_000.0, "100000"),
        ("%g", 1_000_000.0, "1e+06"),
        ("%g", 0.0001, "0.0001"),
        ("%g", 0.00001, "1e-05"),
        ("%g", 123.456_789, "123.457"),
        ("%#g", 1.0, "1.00000"),
        ("%g", 0.0, "0"),
        ("%.3g", 999.9, "1e+03"),
        ("%+g", f64::INFINITY, "+inf"),
        ("%F", f64::NAN, "NAN"),
        ("%05f", f64::INFINITY, "  inf"),
    ];
    for (format, value, expected) in floats {
        let argument = Value::Float {
            bits: value.to_bits(),
            float: Float::Double,
        };
        assert_eq!(printed(format, argument), expected, "{format} {value}");
    }
}

/// `do { x = input(); sum += x; } while (x == 1);` with a sum of three at most.
#[test]
fn all_small_inputs_are_enumerated() {
    let mut builder = Builder::new(32);
    let int_type = builder.int();
    let (x, sum) = (builder.local("x", int_type), builder.local("sum", int_type));
    let mut writer = Writer::new();
    writer.set(sum, int(0));
    let head = writer.here();
    writer.step(Step::Choose {
        target: Place::variable(x),
        name: "input".to_owned(),
    });
    writer.set(sum, add(builder.get(sum), builder.get(x)));
    writer.step(Step::Assume {
        condition: compare(Comparison::Less, builder.get(sum), int(4)),
        holds: true,
        reason: system::program::Reason::Assumption,
    });
    let done = writer.branch(compare(Comparison::Equal, builder.get(x), int(1)));
    writer.jump(head, done);
    writer.set(builder.status(), builder.get(sum));
    builder.body(ProcedureId(0), writer);
    let mut inputs = interpret::EnumeratedInputs::new(vec![0, 1, 2]);
    let mut ends = Vec::new();
    loop {
        ends.push(run(&builder.program, &mut inputs, &RunLimits::default()).end);
        if !inputs.advance() {
            break;
        }
    }
    let exits = [0, 1, 2, 3].map(End::Exited);
    let failed = End::AssumptionFailed;
    // In the order of 0; 1 0; 1 1 0; 1 1 1 0; 1 1 1 1; 1 1 1 2; 1 1 2; 1 2; 2.
    let expected = [
        exits[0], exits[1], exits[2], exits[3], failed, failed, failed, exits[3], exits[2],
    ];
    assert_eq!(ends, expected);
}
