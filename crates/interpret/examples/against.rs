//! Compares programs with what gcc made of them: `against 32|64 FILE.c...`, each with its output and status in
//! `FILE.32.out` or `FILE.64.out`. Without that file, the output is shown.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use interpret::{End, Executable, Given, Limits, UndefinedMode};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let bits = arguments.next().unwrap();
    let (mut same, mut other, mut long) = (0, 0, 0);
    for file in arguments {
        let path = PathBuf::from(&file);
        let expected = std::fs::read(path.with_extension(format!("{bits}.out"))).ok();
        let begin = Instant::now();
        let (text, steps) = run(&path, &bits, UndefinedMode::Report);
        let Some(expected) = expected else {
            println!("{text}");
            continue;
        };
        let expected = String::from_utf8_lossy(&expected).into_owned();
        if expected.contains("status 124") {
            continue;
        }
        let seconds = begin.elapsed().as_secs_f64();
        if text.contains("Limit(Steps)") {
            long += 1;
        } else if text == expected {
            same += 1;
            if seconds > 5.0 {
                println!("{file} -m{bits}: same, {steps} steps in {seconds:.1} s");
            }
        } else {
            other += 1;
            let wrapped = run(&path, &bits, UndefinedMode::Wrap).0;
            println!(
                "{file} -m{bits}: {text:?} instead of {expected:?}, {}, {steps} steps",
                wrapped == expected
            );
        }
    }
    println!("{same} same, {other} not, {long} too long");
}

fn run(path: &Path, bits: &str, undefined: UndefinedMode) -> (String, u64) {
    let data_model = if bits == "32" {
        c::DataModel::Ilp32
    } else {
        c::DataModel::Lp64
    };
    let preprocessing = c::preprocess::Preprocessing {
        machine: Some(data_model.gcc_option()),
        include_paths: vec![PathBuf::from("/usr/include/csmith")],
        ..c::preprocess::Preprocessing::default()
    };
    let read = c::preprocess::read(path, &preprocessing)
        .and_then(|(sources, _)| c::read(&sources, &c::Options::new(data_model)));
    let unit = match read {
        Ok(unit) => unit,
        Err(rejected) => {
            let errors = rejected
                .diagnostics
                .iter()
                .filter(|found| found.severity == system::Severity::Error);
            let texts: Vec<String> = errors.map(|found| found.render(&rejected.sources, false)).collect();
            return (texts.join("\n"), 0);
        }
    };
    let malformed = unit.program.malformed();
    if !malformed.is_empty() {
        return (format!("malformed: {:?}", malformed.first()), 0);
    }
    let steps = std::env::var("STEPS").ok().and_then(|steps| steps.parse().ok());
    let limits = Limits {
        undefined,
        steps: steps.unwrap_or(1_000_000_000),
        ..Limits::default()
    };
    let outcome = Executable::new(&unit.program).run(&mut Given::new(Vec::new()), &limits);
    let mut text = String::from_utf8_lossy(&outcome.output).into_owned();
    match outcome.end {
        End::Exited(status) => text += &format!("status {status}\n"),
        End::Aborted => text += "status 134\n",
        end => {
            let (line, column) = unit.sources.position(outcome.span);
            let file = unit.sources.file(outcome.span);
            text += &format!(
                "{end:?} at {}:{line}:{column}: {}\n",
                file.name,
                file.snippet(outcome.span)
            );
        }
    }
    (text, outcome.steps)
}
