//! The solvers that confirm certificates.

use smt::SolverCommand;
use std::path::PathBuf;
use validate::NamedSolver;

/// cvc5 first, then Z3 as a program of its own, as far as they are installed.
pub fn solvers() -> Vec<NamedSolver> {
    let beside = |path: &str| {
        // The binary lies in target/release of the project that `make setup` prepared.
        let executable = std::env::current_exe().ok()?;
        let candidate = executable.ancestors().nth(3)?.join(path);
        candidate.is_file().then_some(candidate)
    };
    // The Python that cvc5 was installed for, which need not be the first on the path.
    let with_python = || {
        let (python, script) = (beside("third-party/solvers/bin/python")?, beside("tools/cvc5")?);
        Some(SolverCommand::script(python, &script))
    };
    let cvc5 = on_path("cvc5").map(SolverCommand::new).or_else(with_python);
    let cvc5 = cvc5.or_else(|| beside("tools/cvc5").map(SolverCommand::new));
    let z3 = beside("third-party/solvers/bin/z3").or_else(|| on_path("z3"));
    // Proof obligations speak of sorts with few terms: where patterns do not apply, all of them can be tried.
    let cvc5 = cvc5.map(|command| command.argument("--full-saturate-quant"));
    let z3 = z3.map(SolverCommand::new);
    let found = [("cvc5", cvc5), ("z3", z3)];
    found
        .into_iter()
        .filter_map(|(name, command)| Some((name.to_owned(), command?)))
        .collect()
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}
