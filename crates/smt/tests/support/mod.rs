//! Solvers for the tests.
#![allow(dead_code, clippy::unwrap_used)] // Each test uses a part.

use smt::{ProcessOptions, ProcessSolver, SolverCommand, Statistics, Z3Options, Z3Solver};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The solvers that `make setup` installs, as programs.
pub(crate) fn programs() -> Vec<(&'static str, SolverCommand)> {
    let z3 = SolverCommand::new(root().join("third-party/solvers/bin/z3"));
    let cvc5 = smt::installed_solvers()
        .into_iter()
        .find(|solver| solver.name() == "cvc5");
    let cvc5 = cvc5.expect("cubist-cvc5 is not built: `cargo test --workspace` or `cargo build -p cubist` does it");
    vec![("z3", z3), ("cvc5", cvc5)]
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
