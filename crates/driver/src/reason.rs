//! Why there is no answer, and the words for it.

use crate::context::Stopped;
use smt::UnknownReason;
use std::fmt;
use system::program::Undefined;
use system::{Rejected, Severity, Span};
use unfold::UnfoldError;
use validate::{ObligationError, Unconfirmed};

/// The kinds of subjects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Model,
    Program,
    BooleanProgram,
    Components,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Model => "models",
            Kind::Program => "C programs",
            Kind::BooleanProgram => "Boolean programs",
            Kind::Components => "components",
        })
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Reason {
    Stopped(Stopped),
    /// Everything is proved, and there was no time to cross-check the proof against explored states.
    NotCrossChecked(Stopped),
    NothingToCheck(Kind),
    /// There is no transition system of the model.
    NotLowered(Rejected),
    /// There is none of the program.
    NotUnfolded(UnfoldError),
    /// The account says why, for each property.
    NotProved,
    /// The search for facts about every size ended without a proof, and no other was allowed.
    NoFacts(abstraction::Reason),
    /// There is nothing of which such facts could speak.
    NothingOfAnySize,
    /// The engine that the user names does not apply.
    DoesNotApply,
    /// The invariant cannot be put as proof obligations.
    NotCertifiable(ObligationError),
    Unconfirmed(Unconfirmed),
    NoSolver,
    /// The solver that looks for an invariant died, or its answer cannot be read.
    SolverFailed(String),
    /// No invariant was found, for this reason.
    Undecided(UnknownReason),
    /// Some procedure may call itself more often than is followed.
    Recursion(RecursionFailure),
    /// There are spurious counterexamples: something in them is beyond the encoding. Whether the program has a run like
    /// them is not known.
    Spurious {
        runs: usize,
        /// Where the first of them has no defined behaviour any more, before it gets to the violation.
        undefined: Option<(Undefined, Span)>,
        /// Where the first of them takes what is beyond the encoding.
        approximated: Option<Span>,
    },
    /// The solver says that there is a run, and none was found.
    NoRun,
    /// Das' "no difference found": a run of the Boolean program is none of the program, and nothing excludes it.
    NoDifference,
    /// The solver does not know whether a run of the Boolean program is one of the program.
    Unclear,
    /// Decision diagrams became too large.
    TooLarge,
    /// A Boolean program is too large for a certificate.
    TooLargeToCertify,
    /// The invariant of the Boolean program says too little once calls are inlined.
    TooWeak,
    /// Components: the abstraction came to no end.
    Containment(conformance::verify::Reason),
    /// Components: what was found is not confirmed.
    ConfirmationError(conformance::confirm::ConfirmationError),
    /// No run of a Boolean program begins.
    NoRunBegins,
    /// There is a proof, but it says nothing of runs that use the memory behind the ends of objects.
    Behind,
    /// A run violates a property where this function of the C library does what it may not do.
    Guessed {
        name: String,
    },
    /// A run violates a property, but not where this function of the C library returns something else that it may.
    Unspecified {
        name: String,
    },
    /// A run depends on where objects lie in memory, and gcc's program has them elsewhere.
    Addresses {
        inputs: Vec<i128>,
    },
}

/// Why there is no proof by contracts of a program whose procedures call themselves often.
#[derive(Clone, Debug)]
pub enum RecursionFailure {
    /// They cannot have contracts.
    Refused(UnfoldError),
    /// The solver says that there is a violation.
    Refuted,
    Failed(Box<Reason>),
}

impl Reason {
    /// Whether a solver says that what an engine proved is false.
    pub(crate) fn is_refuted(&self) -> bool {
        matches!(self, Reason::Unconfirmed(unconfirmed) if unconfirmed.is_refuted())
    }

    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Reason::NothingToCheck(_))
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stopped::Interrupted => "interrupted",
            Stopped::OutOfTime => "the time limit was reached",
        })
    }
}

/// The one place where reasons become words.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(stopped) => write!(f, "{stopped}"),
            Reason::NotCrossChecked(stopped) => {
                write!(f, "{stopped} before the proof was cross-checked against explored states")
            }
            Reason::NothingToCheck(Kind::Model) => f.write_str("the model has nothing to check"),
            Reason::NothingToCheck(Kind::BooleanProgram) => {
                f.write_str("the program has no assertion: there is nothing to check")
            }
            Reason::NothingToCheck(Kind::Components) => f.write_str("there is nothing to verify"),
            Reason::NothingToCheck(Kind::Program) => f.write_str(
                "the program has nothing to check: no call of `reach_error` or `__VERIFIER_error`, no assertion, no rule, or \
                 none that the property file names",
            ),
            Reason::NotUnfolded(refusal) => write!(f, "{refusal}"),
            Reason::DoesNotApply => f.write_str("the engine does not apply to this file"),
            Reason::Containment(reason) => write!(f, "{reason}"),
            Reason::ConfirmationError(error) => write!(f, "{error}"),
            Reason::NoRunBegins => f.write_str("no run begins: what is enforced excludes every state"),
            Reason::NotLowered(rejected) => write!(f, "{}", first_error(rejected)),
            Reason::NotProved => f.write_str("not every property is proved"),
            Reason::NoFacts(reason) => write!(f, "{reason}"),
            Reason::NothingOfAnySize => f.write_str("no type has any size"),
            Reason::NotCertifiable(error) => write!(f, "the proof cannot be certified: {error}"),
            Reason::Unconfirmed(unconfirmed) => write!(f, "{}", unconfirmed_text(unconfirmed)),
            Reason::NoSolver => f.write_str("Z3 is not installed; `make setup` installs it"),
            Reason::SolverFailed(error) => write!(f, "the solver that looks for an invariant failed: {error}"),
            Reason::Undecided(reason) => write!(f, "no invariant was found: {reason}"),
            Reason::TooLarge => f.write_str("the decision diagrams became too large"),
            Reason::TooLargeToCertify => f.write_str("the program is too large for a solver to confirm it soon"),
            Reason::TooWeak => f.write_str("the Boolean program is safe, but not with all calls inlined"),
            Reason::NoRun => f.write_str("there should be a run into a violation, but none was found"),
            Reason::Recursion(deep) => write!(f, "{deep}"),
            Reason::Spurious { runs, .. } => spurious(*runs, f),
            about_a_run => about_a_run.run_text(f),
        }
    }
}

impl Reason {
    /// The words for a run that is no violation of the program that gcc compiles.
    fn run_text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Behind => f.write_str(
                "no run into a violation was found, and with `--memory-model logical` nothing is proved: without it, \
                 where runs end outside of objects, this program is safe",
            ),
            Reason::Guessed { name } => write!(
                f,
                "a run into a violation takes `{name}` to do anything, and with the real one, gcc's program does not get \
                 there; Cubist does not know what `{name}` does: give it a body"
            ),
            Reason::Unspecified { name } => write!(
                f,
                "a run into a violation rests on what `{name}` returns where the C standard leaves that open, and with \
                 the real one, gcc's program does not get there"
            ),
            Reason::Addresses { inputs } => write!(
                f,
                "the run with the inputs {inputs:?} violates a property, and depends on where objects lie in memory: \
                 gcc's program, which has them elsewhere, does not get there"
            ),
            Reason::NoDifference => f.write_str(
                "no difference found: a run of the Boolean program is none of the program, and neither predicates nor \
                 constraints exclude it",
            ),
            Reason::Unclear => {
                f.write_str("the solver does not know whether a run of the Boolean program is one of the program")
            }
            _ => Ok(()),
        }
    }
}

fn spurious(runs: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match runs {
        1 => f.write_str("the solver found a counterexample that no run confirms: it rests")?,
        runs => write!(
            f,
            "the solver found {runs} counterexamples that no run confirms: they rest"
        )?,
    }
    f.write_str(
        " on what proofs only approximate, such as floats, long arrays, memory that is allocated in a loop or by an \
         external function, variable arguments, bit-fields behind other types, or products of unknowns",
    )
}

impl fmt::Display for RecursionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a procedure may call itself more often than is inlined, and ")?;
        match self {
            RecursionFailure::Refused(refusal) => write!(f, "it has no contract: {refusal}"),
            RecursionFailure::Refuted => {
                f.write_str("contracts prove nothing: there should be a run into a violation, but none was found")
            }
            RecursionFailure::Failed(reason) => write!(f, "contracts prove nothing: {reason}"),
        }
    }
}

/// What a front end cannot put into a transition system.
fn first_error(rejected: &Rejected) -> String {
    let errors = rejected.diagnostics.iter();
    let error = errors.min_by_key(|found| found.severity != Severity::Error);
    error.map_or_else(
        || "the model cannot be put as a transition system".to_owned(),
        |error| {
            let (line, _) = rejected.sources.position(error.span);
            format!("line {line} cannot be put into a proof: {}", error.message)
        },
    )
}

fn unconfirmed_text(unconfirmed: &Unconfirmed) -> String {
    let judgement = match unconfirmed {
        Unconfirmed::Unreadable(error) => return format!("the certificate just made cannot be read: {error}"),
        Unconfirmed::NoSolver => {
            return "no solver is installed that could confirm the proof; `make setup` installs them".to_owned();
        }
        Unconfirmed::Judged(judgement) => judgement,
    };
    let solver = judgement.against.as_deref().unwrap_or("a solver");
    if let Some(error) = &judgement.report.error {
        return format!("{solver} rejects the certificate: {error}");
    }
    if let Some(query) = judgement.report.refuted().next() {
        return format!("{solver} refutes the certificate: {}", query.name);
    }
    match judgement.report.unknown().count() {
        1 => "1 proof obligation was confirmed by no solver".to_owned(),
        open => format!("{open} proof obligations were confirmed by no solver"),
    }
}
