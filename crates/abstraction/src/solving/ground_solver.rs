//! Ground, then assert: a solver that is told formulas with quantifiers, and hears their instances.

use crate::solving::Grounding;
use logic::Term;
use smt::{Answer, Model, Purpose, Solver, SolverError, Solvers};

/// A solver together with the [`Grounding`] of all that it was told. Its `unsat` can be trusted; its `sat` means "not
/// refuted" where the grounding is incomplete.
pub struct GroundSolver {
    solver: Box<dyn Solver>,
    pub grounding: Grounding,
}

impl GroundSolver {
    /// One that instantiates with every ground term of a sort.
    pub fn new(solvers: &Solvers) -> Result<GroundSolver, SolverError> {
        GroundSolver::with(solvers, Grounding::new(""))
    }

    pub fn with(solvers: &Solvers, grounding: Grounding) -> Result<GroundSolver, SolverError> {
        Ok(GroundSolver {
            solver: solvers.solver()?,
            grounding: grounding.listening(solvers.cancellation()),
        })
    }

    /// Asserts the formula, with all the instances that it makes necessary; returns what was asserted.
    pub fn assert(&mut self, formula: Term) -> Result<Vec<Term>, SolverError> {
        let ground = self.grounding.assert(formula);
        ground.iter().try_for_each(|ground| self.solver.assert(*ground))?;
        Ok(ground)
    }

    /// Asserts a formula without quantifiers, about terms that need not be known to others.
    pub fn assert_ground(&mut self, formula: Term) -> Result<(), SolverError> {
        self.solver.assert(formula)
    }

    pub fn push(&mut self) -> Result<(), SolverError> {
        self.solver.push()
    }

    /// Forgets what was asserted since the last `push`; nothing with quantifiers may have been.
    pub fn pop(&mut self) -> Result<(), SolverError> {
        self.solver.pop()
    }

    pub fn check(&mut self, purpose: Purpose) -> Result<Answer, SolverError> {
        self.solver.check(purpose)
    }

    pub fn check_assuming(&mut self, purpose: Purpose, assumptions: &[Term]) -> Result<Answer, SolverError> {
        self.solver.check_assuming(purpose, assumptions)
    }

    pub fn unsat_core(&mut self) -> Result<Vec<Term>, SolverError> {
        self.solver.unsat_core()
    }

    /// The core of the last check without what was found superfluous.
    pub fn least_core(&mut self, purpose: Purpose) -> Result<Vec<Term>, SolverError> {
        let core = self.solver.unsat_core()?;
        smt::minimise_core(&mut self.solver, purpose, core)
    }

    pub fn model(&mut self) -> Result<Box<dyn Model>, SolverError> {
        self.solver.model()
    }
}
