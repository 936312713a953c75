//! Reads files, shows what is wrong with them, and says how long it took.

#![allow(clippy::print_stdout)]

use c::preprocess::Preprocessing;
use std::path::Path;
use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        let sources = match c::preprocess::read(Path::new(&path), &Preprocessing::default()) {
            Ok((sources, _)) => sources,
            Err(rejected) => {
                for found in rejected.diagnostics {
                    println!("{}", found.render(&rejected.sources, false));
                }
                continue;
            }
        };
        let preprocessed = start.elapsed();
        let start = Instant::now();
        let parsed = c::parse::parse(&sources);
        let duration = start.elapsed();
        for found in parsed.diagnostics.iter().take(5) {
            println!("{}", found.render(&sources, false));
        }
        println!(
            "{path}: {} items, {} messages, {preprocessed:?} + {duration:?}",
            parsed.unit.items.len(),
            parsed.diagnostics.len()
        );
    }
}
