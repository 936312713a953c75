//! A solver that fails on purpose, to test that its users do not mistake a failure for an answer.

use crate::solver::{Answer, Model, Solver, SolverError, UnknownReason};
use crate::statistics::Purpose;
use logic::Term;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    Unknown,
    Timeout,
    Error,
}

impl Fault {
    /// What a check answers that fails so.
    pub(crate) fn outcome(self) -> Result<Answer, SolverError> {
        match self {
            Fault::Unknown => Ok(Answer::Unknown(UnknownReason::Injected)),
            Fault::Timeout => Ok(Answer::Unknown(UnknownReason::Timeout)),
            Fault::Error => Err(SolverError::Injected),
        }
    }
}

/// One check that fails, among those of all solvers that share this.
#[derive(Clone, Debug)]
pub struct SharedFault {
    fault: Fault,
    /// The number of the check that fails, the first being 1.
    failing: u64,
    checks: Arc<AtomicU64>,
}

impl SharedFault {
    pub fn new(fault: Fault, failing: u64) -> SharedFault {
        SharedFault {
            fault,
            failing,
            checks: Arc::default(),
        }
    }

    /// Counts a check; what goes wrong with it, if anything.
    pub(crate) fn next(&self) -> Option<Fault> {
        let number = self.checks.fetch_add(1, Ordering::Relaxed) + 1;
        (number == self.failing).then_some(self.fault)
    }
}

/// Passes everything on to another solver, except for one check.
pub struct FaultySolver<S> {
    solver: S,
    fault: SharedFault,
    /// Whether the last check failed: it then has neither a model nor a core.
    failed: bool,
}

impl<S: Solver> FaultySolver<S> {
    pub fn new(solver: S, fault: Fault, failing: u64) -> FaultySolver<S> {
        FaultySolver::sharing(solver, SharedFault::new(fault, failing))
    }

    /// One of several solvers, one check of which fails.
    pub fn sharing(solver: S, fault: SharedFault) -> FaultySolver<S> {
        FaultySolver {
            solver,
            fault,
            failed: false,
        }
    }

    /// How many checks there were, the failing one included.
    pub fn checks(&self) -> u64 {
        self.fault.checks.load(Ordering::Relaxed)
    }
}

impl<S: Solver> Solver for FaultySolver<S> {
    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        self.solver.assert(formula)
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.solver.push()
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        self.solver.pop()
    }

    fn check_assuming(&mut self, purpose: Purpose, assumptions: &[Term]) -> Result<Answer, SolverError> {
        // The solver is asked all the same: counts stay comparable.
        let answer = self.solver.check_assuming(purpose, assumptions);
        let fault = self.fault.next();
        self.failed = fault.is_some();
        fault.map_or(answer, Fault::outcome)
    }

    fn unsat_core(&mut self) -> Result<Vec<Term>, SolverError> {
        if self.failed {
            Err(SolverError::NoCore)
        } else {
            self.solver.unsat_core()
        }
    }

    fn model(&mut self) -> Result<Box<dyn Model>, SolverError> {
        if self.failed {
            Err(SolverError::NoModel)
        } else {
            self.solver.model()
        }
    }
}
