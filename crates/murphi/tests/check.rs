//! Typing of whole models: the corpus, every kind of mistake, sizes, and which types may be of any size.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use murphi::model::{Model, Outcome};
use murphi::{Options, check, parse};
use system::{Diagnostic, Severity, SourceFile};

/// The models with this ending in a folder, in the order of their names.
fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "m"));
    paths.sort();
    paths
}

/// The corpus lies beside the project; without it, tests that need it have nothing to do.
fn corpus() -> Option<PathBuf> {
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
        writeln!(text, "{}\n", diagnostic.render(file, false)).unwrap();
    }
    text
}

/// The model of a text that must be right.
fn accepted(text: &str, options: &Options) -> Model {
    let file = SourceFile::new("test.m", text);
    let (model, diagnostics) = checked(&file, options);
    assert!(diagnostics.is_empty(), "{}", rendered(&file, &diagnostics));
    model
}

fn messages(text: &str, options: &Options) -> Vec<String> {
    let (_, diagnostics) = checked(&SourceFile::new("test.m", text), options);
    diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
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

/// Each decision as a line: `NODE: any size, with 0` or `PROC: fixed, its values are ordered by `<=` (line 83)`.
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

#[test]
fn mistakes_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors/types");
    let paths = models(&folder);
    assert!(paths.len() >= 40);
    for path in paths {
        let file = read(&path);
        let (program, syntax) = parse(&file);
        assert!(syntax.is_empty(), "{}", rendered(&file, &syntax));
        let (_, diagnostics) = check(&program, &Options::default());
        assert!(!diagnostics.is_empty(), "{} is accepted", path.display());
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => "errors/types/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, rendered(&file, &diagnostics));
        });
    }
}

#[test]
fn the_corpus_is_accepted() {
    let Some(folder) = corpus() else { return };
    // These state no property at all, and are told so.
    let without_property = ["pv_flash_nodata.m", "pv_germanish.m", "pv_mesi.m", "pv_mutualEx.m"];
    for path in models(&folder) {
        let file = read(&path);
        let (_, diagnostics) = checked(&file, &Options::default());
        let expected = if without_property.contains(&file.name.as_str()) { 1 } else { 0 };
        assert_eq!(diagnostics.len(), expected, "{}", rendered(&file, &diagnostics));
    }
}

#[test]
fn the_corpus_is_accepted_at_other_sizes() {
    let Some(folder) = corpus() else { return };
    let chosen: BTreeMap<&str, Vec<Vec<(&str, i64)>>> = BTreeMap::from([
        ("2_peterson.m", vec![vec![("pid", 3)]]),
        ("arbiter.m", vec![vec![("n", 1)], vec![("n", 6)]]),
        ("cache3_sym.m", vec![vec![("Proc", 2), ("Value", 1)], vec![("ProcCount", 1)]]),
        ("ctc_flash.m", vec![vec![("NODE", 1), ("DATA", 1)], vec![("NODE_NUM", 4)]]),
        ("ctc_german.m", vec![vec![("NODE", 4)]]),
        ("german_baukus.m", vec![vec![("PROC", 1)], vec![("PROC_NUM", 2)]]),
        ("german_buggy.m", vec![vec![("PROC", 3)]]),
        ("list6_sym.m", vec![vec![("RestCells", 2)], vec![("CellCount", 2)]]),
        ("mcslock1.m", vec![vec![("pid", 2)]]),
        ("n_peterson.m", vec![vec![("N", 3)]]),
        ("pv_flash_nodata.m", vec![vec![("NODE", 3)], vec![("NODE", 1)]]),
        ("pv_german_orig.m", vec![vec![("NODE", 2), ("DATA", 1)]]),
        ("szymanski_at.m", vec![vec![("PROC", 3)]]),
    ]);
    for (name, variants) in chosen {
        let file = read(&folder.join(name));
        for variant in variants {
            let (_, mut diagnostics) = checked(&file, &sizes(&variant));
            diagnostics.retain(|found| found.message != "the model has nothing to check");
            assert!(diagnostics.is_empty(), "{variant:?}: {}", rendered(&file, &diagnostics));
        }
    }
}

#[test]
fn the_models_of_the_parser_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    for path in models(&folder) {
        let file = read(&path);
        let (_, diagnostics) = checked(&file, &Options::default());
        let errors: Vec<Diagnostic> =
            diagnostics.into_iter().filter(|found| found.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{}", rendered(&file, &errors));
    }
}

#[test]
fn decisions_on_the_corpus() {
    let Some(folder) = corpus() else { return };
    let mut text = String::new();
    for path in models(&folder) {
        let file = read(&path);
        let (model, _) = checked(&file, &Options::default());
        writeln!(text, "{}\n{}", file.name, decisions(&file, &model)).unwrap();
    }
    insta::assert_snapshot!(text);
}
