//! Has a solver answer the queries of a certificate.
//!
//! All queries first go to one process. What that one does not decide, in time or at all, is asked again alone:
//! solvers are better at a single question. What is still open then is *unknown*, and never counted as confirmed.
//!
//! Anything but an answer rejects the certificate as a whole: an error message (z3 goes on after its own, and ends
//! well), an answer too many or too few, a process that fails.

use crate::obligation::Expected;
use crate::parse::{Asks, CertificateError, Query, parse_certificate};
use crate::query::QueryKind;
use logic::Cancellation;
use smt::{Answer, SolverCommand, SolverError, UnknownReason, run_script};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How much time a solver may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For one query, asked alone.
    pub query: Option<Duration>,
    /// For the whole certificate.
    pub total: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            query: Some(Duration::from_secs(20)),
            total: None,
        }
    }
}

/// The result of one query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QueryResult {
    /// The answer is the expected one.
    Confirmed,
    /// The answer is the opposite.
    Refuted,
    /// There is no answer.
    Unknown(UnknownReason),
}

/// The result of a certificate.
#[derive(Clone, Debug)]
#[must_use]
pub struct Report {
    /// The queries in order, by name, with what became of them. After an error, no outcome counts.
    pub outcomes: Vec<(Query, QueryResult)>,
    /// Why the certificate is rejected as a whole.
    pub error: Option<SolverError>,
}

impl Report {
    /// Whether the certificate is accepted: everything is confirmed, and nothing went wrong.
    pub fn is_confirmed(&self) -> bool {
        let mut kinds = self.outcomes.iter().map(|(query, _)| query.label.kind);
        // An invariant of no state proves nothing, and neither does a certificate without queries.
        let is_invariant = kinds.clone().any(|kind| kind == QueryKind::InitialStates);
        let is_of_components = kinds.len() > 0 && kinds.all(|kind| QueryKind::OF_COMPONENTS.contains(&kind));
        self.error.is_none()
            && (is_invariant || is_of_components)
            && self
                .outcomes
                .iter()
                .all(|(_, outcome)| *outcome == QueryResult::Confirmed)
    }

    pub fn confirmed(&self) -> usize {
        self.outcomes
            .iter()
            .filter(|(_, outcome)| *outcome == QueryResult::Confirmed)
            .count()
    }

    pub fn refuted(&self) -> impl Iterator<Item = &Query> {
        self.outcomes
            .iter()
            .filter(|(_, outcome)| *outcome == QueryResult::Refuted)
            .map(|(query, _)| query)
    }

    pub fn unknown(&self) -> impl Iterator<Item = (&Query, &UnknownReason)> {
        self.outcomes.iter().filter_map(|(query, outcome)| match outcome {
            QueryResult::Unknown(reason) => Some((query, reason)),
            QueryResult::Confirmed | QueryResult::Refuted => None,
        })
    }
}

/// Reads a certificate and has it confirmed.
pub fn confirm_text(
    text: &str,
    solver: &SolverCommand,
    limits: Limits,
    cancellation: &Cancellation,
) -> Result<Report, CertificateError> {
    Ok(confirm(&parse_certificate(text)?, solver, limits, cancellation))
}

/// Has a solver answer all queries of a certificate.
pub fn confirm(certificate: &dyn Asks, solver: &SolverCommand, limits: Limits, cancellation: &Cancellation) -> Report {
    let deadline = limits.total.and_then(|total| Instant::now().checked_add(total));
    let run = Run {
        certificate,
        solver,
        limits,
        deadline,
        cancellation,
    };
    let unasked = QueryResult::Unknown(UnknownReason::Interrupted);
    let mut outcomes = vec![unasked; certificate.queries().len()];
    let error = run.all(&mut outcomes).err();
    Report {
        outcomes: certificate.queries().iter().cloned().zip(outcomes).collect(),
        error,
    }
}

struct Run<'a> {
    certificate: &'a dyn Asks,
    solver: &'a SolverCommand,
    limits: Limits,
    deadline: Option<Instant>,
    cancellation: &'a Cancellation,
}

impl Run<'_> {
    fn all(&self, outcomes: &mut [QueryResult]) -> Result<(), SolverError> {
        let mut again = VecDeque::new();
        let mut next = 0;
        while next < outcomes.len() {
            let answers = self.ask_together(next)?;
            for answer in answers {
                outcomes[next] = outcome(self.certificate.queries()[next].expected, answer);
                if matches!(outcomes[next], QueryResult::Unknown(_)) {
                    again.push_back(next);
                }
                next += 1;
            }
        }
        for position in again {
            if self.is_over() {
                break;
            }
            outcomes[position] = outcome(self.certificate.queries()[position].expected, self.ask_alone(position)?);
        }
        Ok(())
    }

    /// Answers to some of the queries from this one on, to one at least; the last may be `unknown` for want of time.
    fn ask_together(&self, first: usize) -> Result<Vec<Answer>, SolverError> {
        let queries = &self.certificate.queries()[first..];
        let mut script = self.certificate.prelude().to_owned();
        for query in queries {
            script.push_str("(push 1)\n");
            script.push_str(&query.assertions);
            script.push_str("(check-sat)\n(pop 1)\n");
        }
        let answers = self.run(&script)?;
        let is_stopped = matches!(
            answers.last(),
            Some(Answer::Unknown(UnknownReason::Timeout | UnknownReason::Interrupted))
        );
        let is_complete = answers.len() == queries.len() || (is_stopped && answers.len() < queries.len());
        if is_complete {
            Ok(answers)
        } else {
            Err(miscounted(queries.len(), answers.len()))
        }
    }

    fn ask_alone(&self, position: usize) -> Result<Answer, SolverError> {
        let query = &self.certificate.queries()[position];
        let script = format!("{}{}(check-sat)\n", self.certificate.prelude(), query.assertions);
        let mut answers = self.run(&script)?;
        match (answers.pop(), answers.len()) {
            (Some(answer), 0) => Ok(answer),
            (_, more) => Err(miscounted(1, more + 1)),
        }
    }

    fn run(&self, script: &str) -> Result<Vec<Answer>, SolverError> {
        if self.is_over() {
            return Ok(vec![Answer::Unknown(self.reason())]);
        }
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = [self.limits.query, left].into_iter().flatten().min();
        run_script(self.solver, script, timeout, self.cancellation)
    }

    fn is_over(&self) -> bool {
        self.cancellation.is_cancelled() || self.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    fn reason(&self) -> UnknownReason {
        if self.cancellation.is_cancelled() {
            UnknownReason::Interrupted
        } else {
            UnknownReason::Timeout
        }
    }
}

fn outcome(expected: Expected, answer: Answer) -> QueryResult {
    match (expected, answer) {
        (Expected::Sat, Answer::Sat) | (Expected::Unsat, Answer::Unsat) => QueryResult::Confirmed,
        (Expected::Sat, Answer::Unsat) | (Expected::Unsat, Answer::Sat) => QueryResult::Refuted,
        (_, Answer::Unknown(reason)) => QueryResult::Unknown(reason),
    }
}

fn miscounted(expected: usize, found: usize) -> SolverError {
    SolverError::Protocol(format!("{expected} answers were expected, and {found} came"))
}
