//! The parser's entry point.

use crate::program::Program;
use crate::{check, parse};
use system::{Diagnostic, Rejected, SourceFile, Sources, Span};

/// Parses and checks a program; reports all errors at once.
pub fn read(file: SourceFile) -> Result<(Program, Sources), Rejected> {
    let (program, diagnostics) = read_with_messages(&file);
    let sources = Sources::new(file);
    match diagnostics.is_empty() {
        true => Ok((program, sources)),
        false => Err(Rejected { sources, diagnostics }),
    }
}

fn read_with_messages(file: &SourceFile) -> (Program, Vec<Diagnostic>) {
    let (tree, mut diagnostics) = parse::parse(file);
    let end = file.text.trim_end().len();
    let (program, found) = check::check(&tree, Span::new(file.id(), end.saturating_sub(1), end));
    diagnostics.extend(found);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    (program, diagnostics)
}
