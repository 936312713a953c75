//! What several files of tests use.

#![allow(clippy::unwrap_used, dead_code)]

pub(crate) mod printer;
pub(crate) mod snippets;

use c::parse::{Parsed, parse};
use system::{Severity, SourceFile, Sources};

/// The tree of a text that has no errors.
pub(crate) fn read(name: &str, text: &str) -> Parsed {
    let sources = Sources::new(SourceFile::new(name, text));
    let parsed = parse(&sources);
    let errors = parsed
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|error| error.render(&sources, false)).collect();
    assert!(errors.is_empty(), "{name}:\n{}", errors.join("\n"));
    parsed
}

/// The tree as C is read as the same tree.
pub(crate) fn comes_back(name: &str, text: &str) {
    let printed = printer::unit(&read(name, text).unit);
    let again = printer::unit(&read(&format!("{name}, printed"), &printed).unit);
    assert_eq!(printed, again, "{name}");
}
