//! Typing of whole models.

// A test that cannot go on stops, and says why it was skipped.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod corpus;
mod mistakes;
mod parametric;
mod sizes;
mod structure;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use murphi::model::{Model, Outcome};
use murphi::{Options, check, parse};
use system::{Diagnostic, SourceFile, Sources};

/// The models in a folder, in the order of their names.
fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "m"));
    paths.sort();
    paths
}

/// The corpus lies beside the project; without it, tests that need it have nothing to do.
fn corpus_folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/murphi");
    if !folder.is_dir() {
        eprintln!("skipped: {} does not exist", folder.display());
        return None;
    }
    Some(folder)
}

fn read(path: &Path) -> SourceFile {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    SourceFile::new(name, std::fs::read_to_string(path).unwrap())
}

fn checked(file: &SourceFile, options: &Options) -> (Model, Vec<Diagnostic>) {
    let (program, mut diagnostics) = parse(file);
    let (model, more) = check(&program, options);
    diagnostics.extend(more);
    (model, diagnostics)
}

fn rendered(file: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        writeln!(text, "{}\n", diagnostic.render(&Sources::from(file), false)).unwrap();
    }
    text
}

/// The model of a text that must be right, but for saying that there is nothing to check.
fn accepted(text: &str, options: &Options) -> Model {
    let file = SourceFile::new("test.m", text);
    let (model, mut diagnostics) = checked(&file, options);
    diagnostics.retain(|found| found.span != system::Span::default() || found.message.contains('='));
    assert!(diagnostics.is_empty(), "{}", rendered(&file, &diagnostics));
    model
}

/// The messages about a text, without those about the model as a whole.
fn messages(text: &str, options: &Options) -> Vec<String> {
    let (_, diagnostics) = checked(&SourceFile::new("test.m", text), options);
    let mut messages: Vec<String> = diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect();
    messages.retain(|message| !message.starts_with("the model has no"));
    messages
}

fn sizes(pairs: &[(&str, i64)]) -> Options {
    Options {
        sizes: pairs.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect(),
        ..Options::default()
    }
}

fn constants(pairs: &[(&str, i64)]) -> Options {
    Options {
        constants: pairs.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect(),
        ..Options::default()
    }
}

/// Each decision as a line: `NODE: any size, with [0]`, or ``PROC: fixed, its values are ordered by `<=` (line 83)``.
fn decisions(file: &SourceFile, model: &Model) -> String {
    let mut text = String::new();
    for decision in &model.decisions {
        let outcome = match &decision.outcome {
            Outcome::Parametric { literals } if literals.is_empty() => "any size".to_owned(),
            Outcome::Parametric { literals } => format!("any size, with {literals:?}"),
            Outcome::Fixed { reason, span } => {
                format!("fixed, {reason} (line {})", file.position(span.start).0)
            }
        };
        writeln!(text, "{}: {outcome}", decision.name).unwrap();
    }
    text
}
