//! Everything that reads what somebody else wrote, as functions of any text: for [`inputs`](crate::inputs), which draws texts at random, and for
//! the targets of `cargo fuzz` in `fuzz/`, which look for texts that reach more code.
//!
//! None of them may panic, hang, or take all memory, whatever the text is.

use abstraction::goal::{Goal, goals};
use std::sync::OnceLock;
use system::{Diagnostic, Severity, SourceFile, TransitionSystem};
use validate::{against, parse_certificate, sealed};

/// The reader of one kind of text.
pub type Reader = fn(&str);

/// All readers, by the names of the targets of `cargo fuzz`.
pub const READERS: &[(&str, Reader)] = &[
    ("murphi", murphi),
    ("cubicle", cubicle),
    ("additions", additions),
    ("certificate", certificate),
    ("run_folder", run_folder),
];

/// What additions and run folders are about: it has values of every sort that Murphi has.
pub const MODEL: &str = "\
type NODE: scalarset(3); COLOUR: enum { red, green };
var colour: array [NODE] of COLOUR; count: array [NODE] of integer; queue: list of NODE; owner: NODE; on: boolean;
startstate
  for i: NODE do colour[i] := red; count[i] := 0; end;
  queue := []; on := false; havoc owner;
end;
ruleset p: NODE do rule \"step\" on ==> colour[p] := green; count[p] := count[p] + 1; owner := p; end; end;
invariant \"positive\" forall i: NODE do 0 <= count[i] end;
";

fn is_right(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().all(|found| found.severity != Severity::Error)
}

/// As a Murphi model, on both of its ways.
pub fn murphi(text: &str) {
    let file = SourceFile::new("fuzz.m", text);
    let (program, diagnostics) = murphi::parse(&file);
    murphi_program(&program, diagnostics, &file);
}

fn murphi_program(program: &murphi::syntax::Program, mut diagnostics: Vec<Diagnostic>, file: &SourceFile) {
    let (model, found) = murphi::check(program, &murphi::Options::default());
    diagnostics.extend(found);
    if is_right(&diagnostics) {
        let _ = murphi::lower(&model);
        let _ = murphi::compile(&model, &murphi::CompileOptions { integer_window: (0, 2) });
    }
    render(&diagnostics, file);
}

/// Messages are shown with the lines that they are about, as far as somebody would read them.
fn render(diagnostics: &[Diagnostic], file: &SourceFile) {
    for diagnostic in diagnostics.iter().take(100) {
        let _ = diagnostic.render(file, true);
    }
}

/// As a Cubicle model, on both of its ways.
pub fn cubicle(text: &str) {
    let file = SourceFile::new("fuzz.cub", text);
    let (program, mut diagnostics) = cubicle::parse(&file);
    let (model, found) = cubicle::check(&program);
    diagnostics.extend(found);
    if is_right(&diagnostics) {
        let _ = cubicle::lower(&model);
        let _ = cubicle::compile(&model, &cubicle::CompileOptions::default());
    }
    render(&diagnostics, &file);
}

/// As predicates and properties that are added to a model.
pub fn additions(text: &str) {
    let (mut program, _) = murphi::parse(&SourceFile::new("model.m", MODEL));
    let behind_model = SourceFile::new("fuzz.m", "\n".repeat(MODEL.len()) + text);
    let (read, diagnostics) = murphi::parse(&behind_model);
    program.items.extend(read.items);
    murphi_program(&program, diagnostics, &behind_model);
}

/// As a certificate, and once more with a digest that fits, so that more than the first check is reached; and held against a model.
pub fn certificate(text: &str) {
    let _ = parse_certificate(text);
    let sealed = sealed(text);
    let _ = parse_certificate(&sealed);
    if let Some((system, _)) = about() {
        let _ = against(&sealed, system, &[]);
    }
}

/// What certificates and run folders are about.
fn about() -> Option<&'static (TransitionSystem, Goal)> {
    static ABOUT: OnceLock<Option<(TransitionSystem, Goal)>> = OnceLock::new();
    let about = ABOUT.get_or_init(|| {
        let (program, _) = murphi::parse(&SourceFile::new("model.m", MODEL));
        let (model, _) = murphi::check(&program, &murphi::Options::default());
        let system = murphi::lower(&model).ok()?.system;
        let property = system.properties.first()?.clone();
        let goal = goals(&property.name, property.formula, &system).into_iter().next()?;
        Some((system, goal))
    });
    about.as_ref()
}

/// As the JSON of a run folder, what it says of each goal or, where it names none, as what it says of one.
pub fn run_folder(text: &str) {
    // The first line of the file has its format and a checksum.
    let body = match text.split_once('\n') {
        Some((head, body)) if head.starts_with("cubist run ") => body,
        _ => text,
    };
    if let Some((system, goal)) = about() {
        driver::run_folder::read_all(body, system, goal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_one() {
        let file = SourceFile::new("model.m", MODEL);
        let (program, diagnostics) = murphi::parse(&file);
        assert!(is_right(&diagnostics));
        let (model, diagnostics) = murphi::check(&program, &murphi::Options::default());
        assert!(
            is_right(&diagnostics),
            "{:?}",
            diagnostics.first().map(|d| d.render(&file, false))
        );
        assert!(murphi::lower(&model).is_ok());
    }
}
