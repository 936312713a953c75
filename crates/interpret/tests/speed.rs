//! How many steps a second. Only prints: `cargo test --release -p cubist-interpret --test speed -- --ignored
//! --nocapture`.

#![allow(clippy::unwrap_used)]

mod building;

use building::*;
use interpret::{Executable, FixedInputs, RunLimits};
use system::program::{BinaryOperator as Op, Comparison, Initial, ProcedureId, VariableKind};

/// Seconds that this thread had a processor: others may be busy beside us.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// `for (i = 0; i < n; i++) { a[i & 255] = sum; sum = (sum * 5 + a[(i + 1) & 255]) & 0xffff; }` and calls.
#[test]
#[ignore = "prints a speed"]
fn steps_a_second() {
    for (what, kind) in [("registers", 0), ("memory", 1), ("calls", 2)] {
        let mut builder = Builder::new(64);
        let int_type = builder.int();
        let row = builder.array(int_type, 256);
        let a = builder.global("a", row, Initial::Zero);
        let (i, sum) = (builder.local("i", int_type), builder.local("sum", int_type));
        let f = builder.procedure("f", false);
        let x = builder.parameter(f, int_type);
        let y = builder.parameter(f, int_type);
        let result = builder.result(f, int_type);
        let z = builder.variable("z", int_type, VariableKind::Temporary, Some(f));
        let mut writer = Writer::new();
        writer.set(z, add(builder.get(x), builder.get(y)));
        writer.set(result, binary(Op::And, builder.get(z), int(0xffff)));
        builder.body(f, writer);
        let mut writer = Writer::new();
        writer.set(i, int(0));
        writer.set(sum, int(1));
        let head = writer.here();
        let done = writer.branch(compare(Comparison::Less, builder.get(i), int(10_000_000)));
        let five = binary(Op::Multiply, builder.get(sum), int(5));
        let index = |by| binary(Op::And, add(builder.get(i), int(by)), int(255));
        match kind {
            0 => writer.set(sum, binary(Op::And, add(five, builder.get(i)), int(0xffff))),
            1 => {
                writer.assign(builder.element(a, index(0)), builder.get(sum));
                let read = builder.read(builder.element(a, index(1)));
                writer.set(sum, binary(Op::And, add(five, read), int(0xffff)));
            }
            _ => writer.call(f, vec![builder.get(sum), int(3)], Some(sum)),
        }
        writer.set(i, add(builder.get(i), int(1)));
        writer.jump(head, done);
        builder.body(ProcedureId(0), writer);
        let executable = Executable::new(&builder.program);
        let begin = processor_time();
        let outcome = executable.run(&mut FixedInputs::new(vec![]), &RunLimits::default());
        let seconds = processor_time() - begin;
        let millions = outcome.steps as f64 / seconds / 1e6;
        println!(
            "{what}: {:?}, {} steps, {millions:.1} million a second",
            outcome.end, outcome.steps
        );
    }
}
