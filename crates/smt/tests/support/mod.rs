//! Solvers for the tests.
#![allow(dead_code, clippy::print_stdout, clippy::unwrap_used)] // Each test uses a part.

use smt::{ProcessOptions, ProcessSolver, SolverCommand, Statistics, Z3Options, Z3Solver};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The solvers that `make setup` installs, as programs. Says so where one is missing.
pub(crate) fn programs() -> Vec<(&'static str, SolverCommand)> {
    let solvers = root().join("third-party/solvers");
    let known = [
        ("z3", solvers.join("bin/z3"), solvers.join("bin/z3")),
        ("cvc5", solvers.join("cvc5"), root().join("tools/cvc5")),
    ];
    let mut programs = Vec::new();
    for (name, installed, program) in known {
        if installed.exists() && program.exists() {
            programs.push((name, SolverCommand::new(program)));
        } else {
            println!("{name} is not installed (`make setup`): it is left out of this test");
        }
    }
    programs
}

pub(crate) fn z3() -> Z3Solver {
    z3_with(Z3Options::default())
}

pub(crate) fn z3_with(options: Z3Options) -> Z3Solver {
    Z3Solver::new(options, Arc::default()).unwrap()
}

pub(crate) fn process(command: SolverCommand) -> ProcessSolver {
    let options = ProcessOptions {
        timeout: Some(Duration::from_secs(20)),
        ..ProcessOptions::new(command)
    };
    process_with(options)
}

pub(crate) fn process_with(options: ProcessOptions) -> ProcessSolver {
    ProcessSolver::new(options, Arc::new(Statistics::default())).unwrap()
}
