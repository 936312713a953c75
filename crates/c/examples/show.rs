//! Reads a preprocessed file and prints the program: `show FILE [--m32] [--text]`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use c::{DataModel, Options};
use system::{SourceFile, Sources};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let model = if arguments.iter().any(|a| a == "--m32") {
        DataModel::Ilp32
    } else {
        DataModel::Lp64
    };
    let is_text = arguments.iter().any(|a| a == "--text");
    for path in arguments.iter().filter(|a| !a.starts_with("--")) {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let sources = Sources::new(SourceFile::new(path.as_str(), text));
        match c::read(&sources, &Options::new(model)) {
            Err(rejected) => println!("{path}: REJECTED\n{rejected}"),
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
