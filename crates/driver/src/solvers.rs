//! The solvers that confirm certificates.

use smt::SolverCommand;

/// cvc5 first, then Z3 as a program of its own, as far as they are installed.
pub fn solvers() -> Vec<SolverCommand> {
    let solvers = smt::installed_solvers().into_iter();
    // Proof obligations speak of sorts with few terms: where patterns do not apply, all of them can be tried.
    let saturating = |solver: SolverCommand| match solver.name().as_str() {
        "cvc5" => solver.argument("--full-saturate-quant"),
        _ => solver,
    };
    solvers.map(saturating).collect()
}
