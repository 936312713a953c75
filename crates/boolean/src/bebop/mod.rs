//! The model checker: Bebop's reachability, and answers that were looked at twice.
//!
//! *Unsafe* is said only of a run that the interpreter has replayed, *safe* only where the path edges were found once
//! more to be an invariant.

mod confirm;
mod encode;
mod graph;
mod reach;
mod shortest;

use crate::interpret::{Interpreter, NotAllowed};
use crate::program::{Program, StatementId};
use crate::trace::Trace;
use crate::well_formed::Malformed;
use encode::Encoded;
use logic::Cancellation;
use thiserror::Error;

/// What is known of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No assertion can fail.
    Safe,
    /// The shortest run into an assertion that fails.
    Unsafe(Trace),
    Unknown(Reason),
}

/// Why nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Reason {
    #[error("the program has no assertion: there is nothing to check")]
    NothingToCheck,
    #[error("interrupted")]
    Interrupted,
    #[error("the decision diagrams became too large")]
    TooLarge,
}

/// How much work it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub procedures: usize,
    pub locations: usize,
    /// Sets of path edges that were looked at.
    pub rounds: u64,
    /// The largest number of nodes of decision diagrams in the search.
    pub nodes: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub verdict: Verdict,
    pub statistics: Statistics,
}

/// There is no answer since something is wrong: with the program as it was built, or with this crate.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    #[error("the program does not hold together: {0}")]
    Malformed(#[from] Malformed),
    #[error("the run that was found is none: {0}")]
    NoRun(#[from] NotAllowed),
    #[error("an assertion fails, and no run was found that leads to it")]
    NoTrace,
    #[error("what was found to be an invariant is none: {0}")]
    NoInvariant(String),
}

/// Whether an assertion can fail.
pub fn check(program: &Program, cancellation: &Cancellation) -> Result<Answer, Error> {
    program.well_formed()?;
    let mut statistics = Statistics {
        procedures: program.procedures.len(),
        ..Statistics::default()
    };
    let assertions: Vec<StatementId> = program.assertions();
    if assertions.is_empty() {
        let verdict = Verdict::Unknown(Reason::NothingToCheck);
        return Ok(Answer { verdict, statistics });
    }
    let mut encoded = Encoded::new(program, cancellation);
    statistics.locations = encoded.graphs.iter().map(graph::Graph::locations).sum();
    let reached = reach::reach(&mut encoded);
    let cut_off = || match cancellation.is_cancelled() {
        true => Reason::Interrupted,
        false => Reason::TooLarge,
    };
    statistics.rounds = reached.rounds;
    statistics.nodes = reached.nodes;
    if reached.is_cut_off {
        let verdict = Verdict::Unknown(cut_off());
        return Ok(Answer { verdict, statistics });
    }
    let verdict = match reached.failing {
        Some(_) => match shortest::shortest(&mut encoded) {
            Some(trace) => {
                Interpreter::new(program).replay(&trace)?;
                Verdict::Unsafe(trace)
            }
            None if encoded.manager.is_exhausted() => Verdict::Unknown(cut_off()),
            None => return Err(Error::NoTrace),
        },
        None => {
            let found = (&encoded.manager, reached.path.as_slice());
            match confirm::confirm(program, &encoded.graphs, found, cancellation) {
                Ok(()) => Verdict::Safe,
                Err(confirm::Flaw::Interrupted) => Verdict::Unknown(cut_off()),
                Err(flaw) => return Err(Error::NoInvariant(format!("{flaw:?}"))),
            }
        }
    };
    Ok(Answer { verdict, statistics })
}
