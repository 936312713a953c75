//! Reads a file and prints the program: `show FILE... [--m32] [--text]`.
#![allow(clippy::print_stdout)]

use c::{DataModel, Options};
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let model = if arguments.iter().any(|a| a == "--m32") {
        DataModel::Ilp32
    } else {
        DataModel::Lp64
    };
    let is_text = arguments.iter().any(|a| a == "--text");
    for path in arguments.iter().filter(|a| !a.starts_with("--")) {
        let mut options = Options::new(model);
        options.include_paths.push("/usr/include/csmith".into());
        match c::read_file(Path::new(path), &options) {
            Err(rejected) => {
                println!("{path}: REJECTED");
                for found in rejected
                    .diagnostics
                    .iter()
                    .filter(|found| found.severity == system::Severity::Error)
                {
                    println!("{}", found.render(&rejected.sources, false));
                }
            }
            Ok(unit) => {
                if is_text {
                    for found in &unit.diagnostics {
                        println!("{}", found.render(&unit.sources, false));
                    }
                    for assumed in &unit.assumed {
                        println!("assumed: {}", assumed.what);
                    }
                    println!("{}", unit.program.text());
                }
                let malformed = unit.program.malformed();
                for found in malformed.iter().take(5) {
                    let name = found.procedure.map(|id| unit.program[id].name.clone());
                    println!("{path}: MALFORMED {name:?} {:?}: {}", found.location, found.what);
                }
                println!(
                    "{path}: {} procedures, {} malformed",
                    unit.program.procedures.len(),
                    malformed.len()
                );
            }
        }
    }
}
