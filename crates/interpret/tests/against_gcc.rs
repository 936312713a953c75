//! What the interpreter says is what the compiled program does: programs by csmith, and programs of one construct.
//!
//! `CUBIST_CSMITH=FIRST-LAST` runs the programs of these seeds instead of a few.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use interpret::{End, Limit, RunLimits};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use support::{Folder, by_gcc, gcc_has, interpreted, seen};
use testing::{Outcome, Trial, trial};

/// Twenty programs: each in both data models.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=10;

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for data_model in c::DataModel::ALL {
        let name = format!("csmith{}", data_model.gcc_option());
        trials.push(trial(&name, move || csmith(data_model)));
    }
    trials.extend(programs());
    testing::run(trials)
}

fn seeds() -> std::ops::RangeInclusive<u64> {
    let given = std::env::var("CUBIST_CSMITH").ok();
    let parsed = given.as_ref().and_then(|given| given.split_once('-'));
    match parsed.map(|(first, last)| (first.parse(), last.parse())) {
        Some((Ok(first), Ok(last))) => first..=last,
        _ => SEEDS,
    }
}

/// Options differ by the seed, so that small programs with many functions are among them, and such without packed
/// records.
fn generate(seed: u64, path: &Path) -> bool {
    let further: &[&str] = match seed % 4 {
        0 => &["--max-funcs", "4"],
        1 => &["--no-packed-struct"],
        2 => &[
            "--max-funcs",
            "3",
            "--max-block-depth",
            "3",
            "--max-expr-complexity",
            "6",
        ],
        _ => &["--no-argc", "--max-funcs", "5", "--unary-plus-operator"],
    };
    let status = Command::new("timeout")
        .args([
            "20",
            "csmith",
            "--seed",
            &seed.to_string(),
            "--no-volatiles",
            "--no-volatile-pointers",
            "--concise",
        ])
        .args(further)
        .arg("-o")
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

fn csmith(data_model: c::DataModel) -> Outcome {
    testing::tool("csmith", "--version")?;
    testing::tool("gcc", "--version")?;
    if !support::csmith_headers().exists() || !gcc_has(data_model) {
        // As if the tool were not there: the headers, or the libraries for this machine, are missing.
        return testing::tool("csmith's headers and libraries for both data models", "");
    }
    let folder = Folder::new(&format!("csmith{}", data_model.gcc_option()));
    let limits = RunLimits {
        steps: 50_000_000,
        ..RunLimits::default()
    };
    let (mut same, mut different) = (0, Vec::new());
    for seed in seeds() {
        let path = folder.0.join(format!("{seed}.c"));
        if !generate(seed, &path) {
            continue;
        }
        let Some(expected) = by_gcc(&path, &folder, data_model) else {
            continue;
        };
        let outcome = interpreted(&path, data_model, &limits);
        match seen(&outcome) {
            Ok(seen) if seen == expected => same += 1,
            Err(End::Limit(Limit::Steps)) => {}
            seen => different.push(format!("seed {seed}: {seen:?} instead of {expected:?}")),
        }
        std::fs::remove_file(&path).unwrap();
    }
    assert!(
        different.is_empty(),
        "{same} are the same, but {}",
        different.join("\n")
    );
    assert!(same > 0);
    Ok(())
}

/// Programs of one construct, with their output in the first line.
fn programs() -> Vec<Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = ["../c/tests/programs", "tests/programs"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(root.join(folder)).ok())
        .flat_map(|entries| entries.map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    let trials = files.into_iter().flat_map(|path| {
        c::DataModel::ALL.map(|data_model| {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let name = format!("{stem}{}", data_model.gcc_option());
            let path = path.clone();
            trial(&name, move || construct(&path, data_model))
        })
    });
    trials.collect()
}

/// As gcc's program; where there is no gcc, as the first line says, which has `\n` for the end of a line and may have
/// two outputs: `// -m32: ...; -m64: ...`.
fn construct(path: &Path, data_model: c::DataModel) -> Outcome {
    testing::tool("gcc", "--version")?;
    let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
    let outcome = interpreted(path, data_model, &RunLimits::default());
    let seen = seen(&outcome).unwrap_or_else(|end| panic!("{end:?}"));
    let folder = Folder::new(&format!("{stem}{}", data_model.gcc_option()));
    if gcc_has(data_model) {
        assert_eq!(Some(seen), by_gcc(path, &folder, data_model));
    }
    Ok(())
}
