//! From a system to a confirmed answer.

use crate::assembly::{ClosedComponent, System};
use crate::confirm::{self, Confirmation, ConfirmationError, Confirming};
use crate::verify::{self, LoopStatistics, LoopVerdict, Options, Progress, TraceViolation};
use logic::Cancellation;
use smt::{SolverCommand, Solvers};
use unfold::Undefinedness;

/// The answer about components and a specification.
pub enum Answer {
    Conforms(Confirmation),
    /// A trace that the specification does not allow, and the inputs of each component with which the interpreter
    /// reproduces it.
    Violates {
        violation: TraceViolation,
        inputs: Vec<Vec<i128>>,
    },
    Unknown(Reason),
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum Reason {
    #[error(transparent)]
    Loop(#[from] verify::Reason),
    #[error(transparent)]
    ConfirmationError(#[from] ConfirmationError),
}

pub struct ConfirmedAnswer {
    pub answer: Answer,
    /// For an unknown answer: a candidate violation for which no run was found.
    pub suspected: Option<Box<TraceViolation>>,
    pub statistics: LoopStatistics,
}

/// The settings of a check.
pub struct ConformanceCheck<'s> {
    pub options: Options,
    pub undefined: Undefinedness,
    pub solvers: &'s Solvers,
    /// External solver processes, for confirmation.
    pub confirming: &'s [SolverCommand],
    pub cancellation: &'s Cancellation,
    pub is_over: &'s dyn Fn() -> bool,
}

impl ConformanceCheck<'_> {
    /// `about` is what the header of the certificate says about the sources.
    pub fn answer(
        &self,
        system: &System,
        opened: &[ClosedComponent],
        about: &validate::About,
        tell: &mut dyn FnMut(Progress),
    ) -> ConfirmedAnswer {
        let confirming = Confirming {
            finding: self.solvers,
            solvers: self.confirming,
            cancellation: self.cancellation,
            undefined: self.undefined,
            is_over: self.is_over,
            about,
        };
        let outcome = verify::verify(system, &self.options, self.solvers, tell, self.is_over);
        let mut suspected = None;
        let answer = match outcome.verdict {
            LoopVerdict::Unknown(reason) => Answer::Unknown(reason.into()),
            LoopVerdict::Conforms(proof) => match confirm::conforms(system, opened, &proof, &confirming) {
                Ok(confirmed) => Answer::Conforms(confirmed),
                Err(doubt) => Answer::Unknown(doubt.into()),
            },
            LoopVerdict::Violates(violation) => match confirm::violates(system, opened, &violation, self.undefined) {
                Ok(inputs) => Answer::Violates {
                    violation: *violation,
                    inputs,
                },
                Err(doubt) => {
                    suspected = Some(violation);
                    Answer::Unknown(doubt.into())
                }
            },
        };
        ConfirmedAnswer {
            answer,
            suspected,
            statistics: outcome.statistics,
        }
    }
}
