//! Certificates that are confirmed: this is the only place where one can be made.

use crate::confirm::{Limits, QueryResult, Report, confirm};
use crate::conformance::{is_conformance, parse_conformance};
use crate::parse::{Asks, CertificateError, parse_certificate};
use logic::Cancellation;
use smt::SolverCommand;
use std::time::{Duration, Instant};

/// A certificate of which every obligation was confirmed by a solver that runs as another program, and refuted by none.
#[derive(Clone, Debug)]
pub struct Confirmed {
    text: String,
    opinions: Vec<Opinion>,
}

impl Confirmed {
    /// Has the solvers judge a certificate, one after the other, until nothing is open; `tell` hears whose turn it is.
    pub fn of(
        text: String,
        solvers: &[SolverCommand],
        cancellation: &Cancellation,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Confirmed, Unconfirmed> {
        Confirmed::within(Limits::default(), text, solvers, cancellation, tell)
    }

    /// The same with other limits.
    pub fn within(
        limits: Limits,
        text: String,
        solvers: &[SolverCommand],
        cancellation: &Cancellation,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Confirmed, Unconfirmed> {
        let certificate: Box<dyn Asks> = match is_conformance(&text) {
            true => Box::new(parse_conformance(&text).map_err(Unconfirmed::Unreadable)?),
            false => Box::new(parse_certificate(&text).map_err(Unconfirmed::Unreadable)?),
        };
        let judgement = judge(&*certificate, solvers, limits, cancellation, tell);
        let judgement = judgement.ok_or(Unconfirmed::NoSolver)?;
        if judgement.report.is_confirmed() {
            let opinions = judgement.opinions;
            return Ok(Confirmed { text, opinions });
        }
        Err(Unconfirmed::Judged(Box::new(judgement)))
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn opinions(&self) -> &[Opinion] {
        &self.opinions
    }
}

/// Why a certificate is not confirmed.
#[derive(Clone, Debug)]
pub enum Unconfirmed {
    /// The certificate just made cannot be read.
    Unreadable(CertificateError),
    NoSolver,
    Judged(Box<Judgement>),
}

impl Unconfirmed {
    /// Whether a solver says that an obligation is false.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Unconfirmed::Judged(judgement) if judgement.report.refuted().next().is_some())
    }
}

/// How a solver that did not find a proof judges it.
#[derive(Clone, Debug)]
pub struct Opinion {
    pub solver: String,
    /// How many obligations there are.
    pub total: usize,
    /// Those that it could not decide, by name.
    pub undecided: Vec<String>,
    pub time: Duration,
}

/// What several solvers know between them.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub report: Report,
    pub opinions: Vec<Opinion>,
    /// Who reports the error of the report, or refutes something.
    pub against: Option<String>,
}

/// Asks one solver after the other: what the first leaves open, the next may decide. `None` where there is no solver.
pub fn judge(
    certificate: &dyn Asks,
    solvers: &[SolverCommand],
    limits: Limits,
    cancellation: &Cancellation,
    tell: &mut dyn FnMut(&str),
) -> Option<Judgement> {
    let started = Instant::now();
    let mut whole: Option<Judgement> = None;
    for solver in solvers {
        let name = solver.name();
        tell(&name);
        let asked = Instant::now();
        let left = |total: Duration| total.saturating_sub(started.elapsed());
        let limits = Limits {
            total: limits.total.map(left),
            ..limits
        };
        let report = confirm(certificate, solver, limits, cancellation);
        let judgement = whole.get_or_insert_with(|| Judgement::unasked(certificate));
        judgement.add(&name, report, asked.elapsed());
        if judgement.against.is_some() || judgement.report.unknown().next().is_none() {
            break;
        }
    }
    whole
}

impl Judgement {
    fn unasked(certificate: &dyn Asks) -> Judgement {
        let unasked = QueryResult::Unknown(smt::UnknownReason::Interrupted);
        Judgement {
            report: Report {
                outcomes: certificate
                    .queries()
                    .iter()
                    .map(|query| (query.clone(), unasked.clone()))
                    .collect(),
                error: None,
            },
            opinions: Vec::new(),
            against: None,
        }
    }

    fn add(&mut self, solver: &str, report: Report, time: Duration) {
        if report.error.is_some() || report.refuted().next().is_some() {
            self.against = Some(solver.to_owned());
        }
        self.opinions.push(Opinion {
            solver: solver.to_owned(),
            total: report.outcomes.len(),
            undecided: report.unknown().map(|(query, _)| query.name.clone()).collect(),
            time,
        });
        for ((_, known), (_, new)) in self.report.outcomes.iter_mut().zip(report.outcomes) {
            match (&*known, &new) {
                (QueryResult::Refuted, _)
                | (QueryResult::Confirmed, QueryResult::Confirmed | QueryResult::Unknown(_)) => {}
                _ => *known = new,
            }
        }
        self.report.error = report.error;
    }
}
