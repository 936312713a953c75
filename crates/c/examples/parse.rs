//! Reads preprocessed files, shows what is wrong with them, and says how long it took.

#![allow(clippy::print_stdout)]

use std::time::Instant;
use system::{SourceFile, Sources};

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let sources = Sources::new(SourceFile::new(path.clone(), String::from_utf8_lossy(&bytes)));
        let start = Instant::now();
        let parsed = c::parse::parse(&sources);
        let duration = start.elapsed();
        for found in parsed.diagnostics.iter().take(5) {
            println!("{}", found.render(&sources, false));
        }
        println!(
            "{path}: {} items, {} messages, {duration:?}",
            parsed.unit.items.len(),
            parsed.diagnostics.len()
        );
    }
    Ok(())
}
