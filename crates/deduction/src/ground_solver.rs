//! A solver that instantiates quantifiers before it asserts a formula.

use crate::cores::{labelled, minimise_core, positions};
use crate::grounding::Grounding;
use logic::Term;
use smt::{Answer, Model, Purpose, Solver, SolverError, Solvers};

/// A solver with the [`Grounding`] of all its assertions. `unsat` is sound; `sat` means "not refuted" where the
/// grounding is incomplete.
pub struct GroundSolver {
    solver: Box<dyn Solver>,
    pub grounding: Grounding,
}

impl GroundSolver {
    /// Instantiates with every ground term of a sort.
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

    /// Asserts a formula without quantifiers. Its terms are not used for instantiation.
    pub fn assert_ground(&mut self, formula: Term) -> Result<(), SolverError> {
        self.solver.assert(formula)
    }

    pub fn push(&mut self) -> Result<(), SolverError> {
        self.solver.push()
    }

    /// Retracts the assertions since the last `push`, none of which may have quantifiers.
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
        minimise_core(&mut self.solver, purpose, core)
    }

    /// Asserts formulas under labels. The positions of a minimal subset that contradicts the assertions; none where all
    /// of them are not known to. `word` is the stem of the labels.
    pub fn contradiction(
        &mut self,
        purpose: Purpose,
        word: &str,
        formulas: &[Term],
    ) -> Result<Option<Vec<usize>>, SolverError> {
        let (labels, implications) = labelled(word, formulas);
        for implication in implications {
            self.assert(implication)?;
        }
        match self.check_assuming(purpose, &labels)? {
            Answer::Unsat => Ok(Some(positions(&labels, &self.least_core(purpose)?))),
            Answer::Sat | Answer::Unknown(_) => Ok(None),
        }
    }

    pub fn model(&mut self) -> Result<Box<dyn Model>, SolverError> {
        self.solver.model()
    }
}
