//! The diagnostics for erroneous files, verbatim; and nothing makes the front end panic.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use system::{Diagnostic, SourceFile, Sources};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// All messages about a file.
fn messages(file: &SourceFile) -> Vec<Diagnostic> {
    let (program, mut diagnostics) = cubicle::parse(file);
    let (_, more) = cubicle::check(&program);
    diagnostics.extend(more);
    diagnostics
}

fn broken_files() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cub"))
        .collect();
    files.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    files
        .iter()
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn messages_are_as_recorded() {
    for (name, text) in broken_files() {
        let file = SourceFile::new(format!("{name}.cub"), text);
        let rendered: Vec<String> = messages(&file)
            .iter()
            .map(|d| d.render(&Sources::from(&file), false))
            .collect();
        assert!(!rendered.is_empty(), "{name}: nothing is said");
        insta::with_settings!({ snapshot_path => "errors", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, rendered.join("\n\n"));
        });
    }
}
