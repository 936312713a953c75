//! What every solver offers.
//!
//! An answer is one of three things, and nothing turns it into a `bool`: `unknown` is never taken for either of the
//! others by accident. What went wrong (a parse error, a dead process) is an error and never an answer.

use crate::statistics::Purpose;
use logic::pretty::pretty;
use logic::{EvaluateError, Interpretation, Term, Value};
use std::fmt;

/// Whether the assertions and assumptions of a check can hold together.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Answer {
    /// They can; [`Solver::model`] tells how.
    Sat,
    /// They cannot; [`Solver::unsat_core`] tells which assumptions are to blame.
    Unsat,
    /// The solver does not know. It may be either.
    Unknown(UnknownReason),
}

/// Why a solver does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// The time for one check is up.
    Timeout,
    /// The reproducible resource limit of one check was reached.
    ResourceLimit,
    /// Someone asked to stop.
    Interrupted,
    /// The problem is beyond the solver's procedures; in its own words.
    Incomplete(String),
    /// A test made it so.
    Injected,
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Timeout => f.write_str("the time for one check is up"),
            UnknownReason::ResourceLimit => f.write_str("the resource limit of one check is reached"),
            UnknownReason::Interrupted => f.write_str("interrupted"),
            UnknownReason::Incomplete(words) => write!(f, "the solver cannot decide it ({words})"),
            UnknownReason::Injected => f.write_str("injected by a test"),
        }
    }
}

/// Why there is no answer. Nothing follows from it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolverError {
    #[error("this term is not well sorted: {}", pretty(*.0))]
    IllSorted(Term),
    #[error("a formula was expected, not {}", pretty(*.0))]
    NotAFormula(Term),
    #[error("pop without push")]
    PopWithoutPush,
    #[error("there is no model: the last answer was not `sat`")]
    NoModel,
    #[error("there is no unsatisfiable core: the last answer was not `unsat`")]
    NoCore,
    #[error("the model gives no value to {}", pretty(*.0))]
    NoValue(Term),
    #[error("the model gives no value to {}: {reason}", pretty(*.term))]
    CannotEvaluate { term: Term, reason: EvaluateError },
    #[error("Z3 {found} is linked, but {expected} is the version that Cubist was tested with")]
    WrongVersion { expected: String, found: String },
    #[error("the solver reports an error: {0}")]
    Reported(String),
    #[error("cannot run the solver {program}: {message}")]
    CannotStart { program: String, message: String },
    #[error("the solver ended unexpectedly ({0})")]
    Died(String),
    #[error("the solver's answer cannot be understood: {0}")]
    Protocol(String),
    #[error("injected by a test")]
    Injected,
}

/// A stack of assertions that can be asked whether it is satisfiable. Symbols need no declaration; free variables stand
/// for themselves, like constants.
pub trait Solver {
    fn assert(&mut self, formula: Term) -> Result<(), SolverError>;

    /// Opens a level: [`Solver::pop`] will forget what is asserted from here on.
    fn push(&mut self) -> Result<(), SolverError>;

    fn pop(&mut self) -> Result<(), SolverError>;

    /// Whether the assertions can hold together with the assumptions, which are forgotten afterwards. Assumptions
    /// that are literals (Boolean constants, variables and their negations) are much cheaper than others. The check
    /// is counted under its purpose.
    fn check_assuming(&mut self, purpose: Purpose, assumptions: &[Term]) -> Result<Answer, SolverError>;

    /// After [`Answer::Unsat`]: assumptions of that check that cannot hold together with the assertions. Not minimal.
    fn unsat_core(&mut self) -> Result<Vec<Term>, SolverError>;

    /// After [`Answer::Sat`]: an interpretation in which the assertions and assumptions hold.
    fn model(&mut self) -> Result<Box<dyn Model>, SolverError>;

    /// Whether the assertions can hold together.
    fn check(&mut self, purpose: Purpose) -> Result<Answer, SolverError> {
        self.check_assuming(purpose, &[])
    }
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        (**self).assert(formula)
    }

    fn push(&mut self) -> Result<(), SolverError> {
        (**self).push()
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        (**self).pop()
    }

    fn check_assuming(&mut self, purpose: Purpose, assumptions: &[Term]) -> Result<Answer, SolverError> {
        (**self).check_assuming(purpose, assumptions)
    }

    fn unsat_core(&mut self) -> Result<Vec<Term>, SolverError> {
        (**self).unsat_core()
    }

    fn model(&mut self) -> Result<Box<dyn Model>, SolverError> {
        (**self).model()
    }
}

/// An interpretation that a solver found. What it leaves open has some value, always the same one.
pub trait Model: Interpretation {
    fn value(&self, term: Term) -> Result<Value, SolverError>;
}
