//! The search finds the errors in the programs of others that small inputs reach, and none where there is none.

#![allow(clippy::unwrap_used)]

mod support;

use interpret::search::{SearchOptions, search};
use interpret::{End, Executable, FixedInputs, Uninitialized};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use testing::trial;

/// It writes into a variable of four bytes as if it were a record, before anything else happens.
const WRONG: &str = "kbfiltr_false-unreach-call.i.cil.c";

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
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let has_error = name.contains("false-unreach-call") && name != WRONG;
    let unit = support::read(path, c::DataModel::Ilp32);
    let mut options = SearchOptions {
        runs: if has_error { 20_000 } else { 500 },
        ..SearchOptions::default()
    };
    options.limits.uninitialised = Uninitialized::Input;
    options.limits.steps = 20_000;
    let executable = Executable::new(&unit.program);
    let searched = search(&executable, &options, &|| false);
    assert_eq!(searched.violation.is_some(), has_error);
    if let Some(found) = searched.violation {
        assert!(matches!(found.end, End::Violated(_)));
        let again = executable.run(&mut FixedInputs::new(found.inputs), &options.limits);
        assert_eq!((again.end, again.steps), (found.end, found.steps));
    }
}
