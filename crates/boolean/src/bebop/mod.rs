//! The model checker: Bebop's reachability analysis with confirmed answers.
//!
//! *Unsafe* requires that the interpreter replays the run, *safe* that path edges and states are checked to be an
//! inductive invariant.

mod confirm;
mod encode;
mod graph;
mod paths;
mod relations;
mod shortest;
mod states;

use crate::interpret::{Interpreter, NotAllowed};
use crate::program::{Program, StatementId, Variable};
use crate::trace::Trace;
use crate::well_formed::Malformed;
use encode::Encoded;
use logic::{Cancellation, Term};
use thiserror::Error;

pub use relations::{Relations, Vocabulary};

/// The answer about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No assertion can fail.
    Safe,
    /// The shortest run into a failing assertion.
    Unsafe(Trace),
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Reason {
    #[error("the program has no assertion: there is nothing to check")]
    NothingToCheck,
    #[error("no run begins: what is enforced excludes every state")]
    NoRun,
    #[error("interrupted")]
    Interrupted,
    #[error("the decision diagrams became too large")]
    TooLarge,
}

/// The effort of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub procedures: usize,
    pub locations: usize,
    /// The number of sets of path edges and of states processed.
    pub rounds: u64,
    /// The peak number of nodes of decision diagrams in the search.
    pub nodes: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    pub verdict: Verdict,
    pub statistics: Statistics,
}

/// An internal error: the program is malformed, or a confirmation failed.
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

/// The order of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum First {
    /// All reachable states first, then a run if an assertion can fail.
    States,
    /// A run first.
    Run,
}

/// Checks whether an assertion can fail.
pub fn check(program: &Program, cancellation: &Cancellation) -> Result<Answer, Error> {
    Ok(answer(program, cancellation, First::States, None)?.0)
}

/// The same, and where none can fail the invariant that shows it, unless it was cut off.
pub fn check_with_relations(
    program: &Program,
    vocabulary: &dyn Vocabulary,
    cancellation: &Cancellation,
) -> Result<(Answer, Option<Relations>), Error> {
    answer(program, cancellation, First::States, Some(vocabulary))
}

/// As [`check`], optimised for programs in which an assertion is likely to fail.
pub fn check_run_first(program: &Program, cancellation: &Cancellation) -> Result<Answer, Error> {
    Ok(answer(program, cancellation, First::Run, None)?.0)
}

fn answer(
    program: &Program,
    cancellation: &Cancellation,
    first: First,
    vocabulary: Option<&dyn Vocabulary>,
) -> Result<(Answer, Option<Relations>), Error> {
    program.well_formed()?;
    let mut statistics = Statistics {
        procedures: program.procedures.len(),
        ..Statistics::default()
    };
    let assertions: Vec<StatementId> = program.assertions();
    if assertions.is_empty() {
        let verdict = Verdict::Unknown(Reason::NothingToCheck);
        return Ok((Answer { verdict, statistics }, None));
    }
    let mut relations = None;
    let mut encoded = Encoded::new(program, cancellation);
    statistics.locations = encoded.graphs.iter().map(graph::Graph::locations).sum();
    let run = match first {
        First::Run => replayed(&mut encoded)?,
        First::States => None,
    };
    let verdict = match run {
        Some(run) => Some(run),
        None if encoded.manager.is_exhausted() => None,
        None => decide(&mut encoded, &mut statistics, vocabulary, &mut relations, cancellation)?,
    };
    let verdict = verdict.unwrap_or(match cancellation.is_cancelled() {
        true => Verdict::Unknown(Reason::Interrupted),
        false => Verdict::Unknown(Reason::TooLarge),
    });
    Ok((Answer { verdict, statistics }, relations))
}

/// An invariant at each of these statements, over the meaning of the variables there; variables without a meaning are
/// projected out. None where an assertion can fail, or the work was cancelled.
pub fn invariants(
    program: &Program,
    at: &[StatementId],
    meaning: &dyn Fn(usize, Variable) -> Option<Term>,
    cancellation: &Cancellation,
) -> Result<Option<Vec<Term>>, Error> {
    program.well_formed()?;
    let mut encoded = Encoded::new(program, cancellation);
    let mut statistics = Statistics::default();
    let Some(paths) = paths::path_edges(&mut encoded, &mut statistics) else {
        return Ok(None);
    };
    let Some(states) = states::states(&mut encoded, &paths, &mut statistics) else {
        return Ok(None);
    };
    if states.failing.is_some() {
        return Ok(None);
    }
    let formulas = at.iter().enumerate().map(|(number, id)| {
        let reached = states.reached[id.procedure.0][id.number];
        encoded.formula(id.procedure.0, reached, &|variable| meaning(number, variable))
    });
    let formulas: Vec<Term> = formulas.collect();
    Ok((!encoded.manager.is_exhausted()).then_some(formulas))
}

/// The invariant that [`check_with_relations`] finds, also for a program without assertions. None where an assertion
/// can fail, or the work was cancelled.
pub fn relations(
    program: &Program,
    vocabulary: &dyn Vocabulary,
    cancellation: &Cancellation,
) -> Result<Option<Relations>, Error> {
    program.well_formed()?;
    let mut encoded = Encoded::new(program, cancellation);
    let mut statistics = Statistics::default();
    let Some(paths) = paths::path_edges(&mut encoded, &mut statistics) else {
        return Ok(None);
    };
    let states = states::states(&mut encoded, &paths, &mut statistics);
    let found = states.filter(|states| states.failing.is_none());
    Ok(found.and_then(|states| relations::relations(&mut encoded, &paths, &states, vocabulary)))
}

/// `None` where the work was cancelled.
fn decide(
    encoded: &mut Encoded<'_>,
    statistics: &mut Statistics,
    vocabulary: Option<&dyn Vocabulary>,
    relations: &mut Option<Relations>,
    cancellation: &Cancellation,
) -> Result<Option<Verdict>, Error> {
    let Some(paths) = paths::path_edges(encoded, statistics) else {
        return Ok(None);
    };
    let Some(states) = states::states(encoded, &paths, statistics) else {
        return Ok(None);
    };
    let entry = encoded.program.entry.0;
    if states.reached[entry][encoded.graphs[entry].entry] == bdd::Manager::FALSE {
        return Ok(Some(Verdict::Unknown(Reason::NoRun)));
    }
    if states.failing.is_none() {
        return match confirm::confirm(encoded, &paths, &states, cancellation) {
            Ok(()) => {
                *relations = vocabulary.and_then(|known| relations::relations(encoded, &paths, &states, known));
                Ok(Some(Verdict::Safe))
            }
            Err(confirm::Flaw::Interrupted) => Ok(None),
            Err(flaw) => Err(Error::NoInvariant(format!("{flaw:?}"))),
        };
    }
    match replayed(encoded)? {
        None if !encoded.manager.is_exhausted() => Err(Error::NoTrace),
        verdict => Ok(verdict),
    }
}

/// The shortest run, replayed by the interpreter; `None` where there is none, or the work was cancelled.
fn replayed(encoded: &mut Encoded<'_>) -> Result<Option<Verdict>, Error> {
    let Some(trace) = shortest::shortest(encoded) else {
        return Ok(None);
    };
    Interpreter::new(encoded.program).replay(&trace)?;
    Ok(Some(Verdict::Unsafe(trace)))
}

impl Statistics {
    fn count(&mut self, manager: &bdd::Manager) {
        self.rounds += 1;
        self.nodes = self.nodes.max(manager.size());
    }
}
