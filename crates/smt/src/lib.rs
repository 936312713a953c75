//! The only crate that names a solver. Today: the embedded Z3 links, and is the version that we pinned.

/// The version of Z3 that `make setup` installs; the solver's answers, and so our counts, depend on it.
pub const Z3_VERSION: &str = env!("Z3_SYS_Z3_VERSION");

#[cfg(test)]
mod tests {
    use z3::ast::Bool;
    use z3::{SatResult, Solver};

    #[test]
    fn the_linked_z3_is_the_pinned_one() {
        assert_eq!(z3::full_version(), super::Z3_VERSION);
    }

    #[test]
    fn the_core_names_the_assumptions_that_clash() {
        let solver = Solver::new();
        let [p, q, r] = ["p", "q", "r"].map(Bool::new_const);
        solver.assert(p.implies(q.not()));
        assert_eq!(solver.check_assumptions(&[p.clone(), r.clone()]), SatResult::Sat);
        assert_eq!(solver.check_assumptions(&[p.clone(), q.clone(), r]), SatResult::Unsat);
        let mut core = solver.get_unsat_core();
        core.sort_by_key(ToString::to_string);
        assert_eq!(core, [p, q]);
    }
}
