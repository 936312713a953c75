//! Where the solvers are that confirm proofs, each a program of its own.
//!
//! They are looked for beside this executable, wherever it was installed:
//!
//! | `cubist` | cvc5 | Z3 |
//! | --- | --- | --- |
//! | `PREFIX/bin/cubist` | `PREFIX/bin/cubist-cvc5` | `PREFIX/lib/cubist/z3` |
//! | `target/release/cubist` | `target/release/cubist-cvc5` | `third-party/solvers/bin/z3` |
//! | `target/debug/deps/*`, tests | `target/debug/cubist-cvc5` | `third-party/solvers/bin/z3` |
//!
//! What is not there may be on the path.

use crate::process::SolverCommand;
use std::path::{Path, PathBuf};

/// The solvers that are installed: cvc5 first, then Z3.
pub fn installed_solvers() -> Vec<SolverCommand> {
    let executable = std::env::current_exe().unwrap_or_default();
    let folder = executable.parent().unwrap_or(Path::new("."));
    let cvc5 = existing(&[folder.join("cubist-cvc5"), folder.join("../cubist-cvc5")]).or_else(|| on_path("cvc5"));
    let z3 = existing(&[
        folder.join("../lib/cubist/z3"),
        folder.join("../../third-party/solvers/bin/z3"),
        folder.join("../../../third-party/solvers/bin/z3"),
    ])
    .or_else(|| on_path("z3"));
    [cvc5, z3].into_iter().flatten().map(SolverCommand::new).collect()
}

/// The solver of constrained Horn clauses, which is a part of Z3.
pub fn horn_solver() -> Option<SolverCommand> {
    let mut solvers = installed_solvers().into_iter();
    solvers.find(|solver| solver.name() == "z3")
}

fn existing(candidates: &[PathBuf]) -> Option<PathBuf> {
    candidates.iter().find(|candidate| candidate.is_file()).cloned()
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}
