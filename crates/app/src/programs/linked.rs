//! Files are not linked: a program that calls what another of the given files defines is no whole program.

use c::{Options, Unit};
use std::path::PathBuf;
use system::program::{Body, Callee, ProcedureId, Step};
use system::{Diagnostic, Rejected, Span};

/// An error for each function that the program calls and one of these files defines. Files that begin runs themselves
/// are programs of their own.
pub(super) fn expect_whole(unit: &Unit, beside: &[PathBuf], options: &Options) -> Result<(), Rejected> {
    let called = called(unit);
    if called.is_empty() {
        return Ok(());
    }
    let mut diagnostics = Vec::new();
    // What is wrong with a file is told where it is read as a whole.
    let outlines = beside
        .iter()
        .filter(|path| driver::kind_of(path) == driver::Kind::Program);
    let outlines = outlines.filter_map(|path| c::outline(path, options).ok());
    for outline in outlines.filter(|outline| !outline.defined.contains(&unit.entry)) {
        for (name, span) in &called {
            if let Some(place) = outline.offered.get(name) {
                let message = format!("`{name}` is called here, and {place} defines it");
                let diagnostic = Diagnostic::error(*span, message).label("its body is in another file");
                diagnostics.push(
                    diagnostic
                        .help("the files of one program are not linked yet: check one file that includes all others"),
                );
            }
        }
    }
    match diagnostics.is_empty() {
        true => Ok(()),
        false => Err(Rejected::new(unit.sources.clone(), diagnostics)),
    }
}

/// The functions without bodies that the program calls, with the first call of each.
fn called(unit: &Unit) -> Vec<(String, Span)> {
    let program = &unit.program;
    let procedures = program
        .procedures
        .iter()
        .zip(0..)
        .map(|(procedure, number)| (procedure, ProcedureId(number)));
    let unknown = procedures.filter(|(procedure, _)| matches!(procedure.body, Body::Unknown));
    let calls = unknown.map(|(procedure, id)| {
        let automata = program
            .procedures
            .iter()
            .filter_map(|procedure| procedure.body.automaton());
        let mut edges = automata
            .flat_map(|automaton| &automaton.locations)
            .flat_map(|location| &location.edges);
        let call = edges
            .find(|edge| matches!(&edge.step, Step::Call { callee: Callee::Procedure(callee), .. } if *callee == id));
        // Its address may be taken instead.
        (procedure.name.clone(), call.map_or(procedure.span, |edge| edge.span))
    });
    calls.collect()
}
