//! From a system to an answer that others have confirmed.

use crate::assembly::{Opened, System};
use crate::confirm::{self, Confirmed, Doubt};
use crate::verify::{self, Options, Progress, Statistics, Verdict, Violation};
use smt::Solvers;
use unfold::Undefinedness;

/// What is said of components and a specification.
pub enum Answer {
    Conforms(Confirmed),
    /// A trace that the specification does not have, and the inputs with which the interpreter has made it, component
    /// by component.
    Violates {
        violation: Violation,
        inputs: Vec<Vec<i128>>,
    },
    Unknown(Reason),
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum Reason {
    #[error(transparent)]
    Loop(#[from] verify::Reason),
    #[error(transparent)]
    Doubt(#[from] Doubt),
}

pub struct Answered {
    pub answer: Answer,
    /// Where the answer is not known: a trace that the specification does not have, of which no run could be made.
    pub suspected: Option<Box<Violation>>,
    pub statistics: Statistics,
}

/// How an answer is looked for.
pub struct Search<'s> {
    pub options: Options,
    pub undefined: Undefinedness,
    pub solvers: &'s Solvers,
    /// Solvers that run as other programs, for the confirmation.
    pub confirming: &'s Solvers,
    pub is_over: &'s dyn Fn() -> bool,
}

impl Search<'_> {
    pub fn answer(&self, system: &System, opened: &[Opened], tell: &mut dyn FnMut(Progress)) -> Answered {
        let outcome = verify::verify(system, &self.options, self.solvers, tell, self.is_over);
        let mut suspected = None;
        let answer = match outcome.verdict {
            Verdict::Unknown(reason) => Answer::Unknown(reason.into()),
            Verdict::Conforms(proof) => {
                match confirm::conforms(system, opened, &proof, self.confirming, self.undefined, self.is_over) {
                    Ok(confirmed) => Answer::Conforms(confirmed),
                    Err(doubt) => Answer::Unknown(doubt.into()),
                }
            }
            Verdict::Violates(violation) => match confirm::violates(system, opened, &violation, self.undefined) {
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
        Answered {
            answer,
            suspected,
            statistics: outcome.statistics,
        }
    }
}
