//! Shared by several tests: the corpus, and shortcuts from a text to a model and to a search result.

#![allow(dead_code, clippy::unwrap_used)]

use cubicle::CompileOptions;
use cubicle::model::Model;
use logic::Cancellation;
use std::path::{Path, PathBuf};
use system::instance::Instance;
use system::{Diagnostic, Severity, SourceFile, Sources};
use testing::Absent;

/// The published models.
pub(crate) fn corpus() -> Result<Vec<PathBuf>, Absent> {
    let entries = std::fs::read_dir(testing::corpus("cubicle")?).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cub"));
    files.sort();
    Ok(files)
}

/// The file of this name in the corpus.
pub(crate) fn corpus_file(name: &str) -> Result<SourceFile, Absent> {
    let path = corpus()?.into_iter().find(|path| stem(path) == name).unwrap();
    Ok(read(&path))
}

pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

pub(crate) fn read(path: &Path) -> SourceFile {
    SourceFile::new(stem(path) + ".cub", std::fs::read_to_string(path).unwrap())
}

/// The diagnostics of a file, and its model.
pub(crate) fn checked(file: &SourceFile) -> (Model, Vec<Diagnostic>) {
    let (program, mut diagnostics) = cubicle::parse(file);
    let (model, more) = cubicle::check(&program);
    diagnostics.extend(more);
    (model, diagnostics)
}

/// The model of a file without errors.
pub(crate) fn model(file: &SourceFile) -> Model {
    let (model, diagnostics) = checked(file);
    for diagnostic in &diagnostics {
        assert_ne!(
            diagnostic.severity,
            Severity::Error,
            "{}",
            diagnostic.render(&Sources::from(file), false)
        );
    }
    model
}

pub(crate) fn model_of(text: &str) -> Model {
    model(&SourceFile::new("test.cub", text))
}

pub(crate) fn instance(model: &Model, options: &CompileOptions) -> Instance {
    let (instance, diagnostics) = cubicle::compile(model, options);
    let errors = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{options:?}: {diagnostics:?}");
    instance
}

pub(crate) fn processes(processes: u32) -> CompileOptions {
    CompileOptions {
        processes,
        ..CompileOptions::default()
    }
}

/// A sequential search of all states, without reduction.
pub(crate) fn search(instance: &Instance) -> explore::SearchOutcome {
    let options = explore::SearchOptions {
        symmetry: false,
        deadlock: explore::Deadlock::Off,
        ..explore::SearchOptions::default()
    };
    explore::explore(instance, &options, &Cancellation::new(), &mut explore::SilentObserver)
}

/// Whether some reachable state is unsafe.
pub(crate) fn violated(outcome: &explore::SearchOutcome) -> bool {
    match &outcome.verdict {
        explore::SearchVerdict::Violation(violation) => {
            let kind = &violation.kind;
            assert!(
                matches!(kind, explore::ViolationKind::Invariant { .. }),
                "{}",
                violation.message
            );
            true
        }
        explore::SearchVerdict::Ok | explore::SearchVerdict::Incomplete(_) => false,
    }
}
