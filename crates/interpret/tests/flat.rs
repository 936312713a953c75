//! The interpreter and the second reading agree on the first steps of every program of the corpus.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod support;

use interpret::RandomInputs;
use interpret::flat::agreement;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use testing::trial;

const RUNS: u64 = 3;
const STEPS: u64 = 1_500;

fn main() -> ExitCode {
    let Ok(corpus) = testing::corpus("c") else {
        return testing::run(vec![trial("corpus", || testing::corpus("c").map(|_| ()))]);
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in std::fs::read_dir(corpus).unwrap() {
        let entries = std::fs::read_dir(folder.unwrap().path()).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    let trials = files.into_iter().map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        trial(&name, move || check(&path))
    });
    testing::run(trials.collect())
}

fn check(path: &Path) {
    let unit = support::read(path, c::DataModel::Ilp32);
    for seed in 0..RUNS {
        let agreed = agreement(&unit.program, &mut RandomInputs::new(seed, Vec::new()), STEPS);
        let agreed = agreed.unwrap_or_else(|what| panic!("{what}"));
        if std::env::var_os("CUBIST_FLAT").is_some() {
            eprintln!("{} {seed}: {agreed:?}", path.display());
        }
    }
}
