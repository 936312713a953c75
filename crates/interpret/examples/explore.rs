//! Looks for an error: `explore FILE.c...`, in the data model that the competitions have for these files.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use interpret::search::{Options, search};
use interpret::{Executable, Given, Uninitialised};
use std::path::Path;
use std::time::Instant;

fn main() {
    for file in std::env::args().skip(1) {
        let begin = Instant::now();
        let unit = match c::read_file(Path::new(&file), &c::Options::new(c::DataModel::Ilp32)) {
            Ok(unit) => unit,
            Err(rejected) => {
                let first = rejected
                    .diagnostics
                    .iter()
                    .find(|found| found.severity == system::Severity::Error);
                println!("{file}: {}", first.unwrap().render(&rejected.sources, false));
                continue;
            }
        };
        let read = begin.elapsed().as_secs_f64();
        let mut options = Options::default();
        options.limits.uninitialised = Uninitialised::Input;
        if let Some(runs) = std::env::var("RUNS").ok().and_then(|runs| runs.parse().ok()) {
            options.runs = runs;
        }
        let executable = Executable::new(&unit.program);
        let searched = search(&executable, &options);
        let (all, taken) = searched.coverage.share();
        let seconds = begin.elapsed().as_secs_f64();
        let name = Path::new(&file).file_name().unwrap().to_string_lossy();
        println!(
            "{name}: {} runs, {} steps, {taken}/{all} edges, read in {read:.1} s, {seconds:.1} s",
            searched.runs, searched.steps
        );
        if let Some(found) = searched.violation {
            let (line, _) = unit.sources.position(found.span);
            println!(
                "    {:?} line {line}, {} inputs, {} steps",
                found.end,
                found.inputs.len(),
                found.steps
            );
            let again = executable.run(&mut Given::new(found.inputs), &options.limits);
            if (again.end, again.steps) != (found.end, found.steps) {
                println!("    but not again: {:?}", again.end);
            }
        }
        for found in searched.undefined.iter().take(3) {
            let (line, _) = unit.sources.position(found.span);
            println!(
                "    {:?} line {line}: {}",
                found.end,
                unit.sources.file(found.span).snippet(found.span)
            );
        }
    }
}
