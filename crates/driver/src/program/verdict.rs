//! What Cubist can say of a program. *Safe* takes a confirmed certificate, *unsafe* a run that the interpreter has
//! made.

use super::CrossChecked;
use super::hazards::Provided;
use crate::context::Stopped;
use interpret::RunOutcome;
use logic::Term;
use smt::UnknownReason;
use std::fmt;
use system::Span;
use system::program::{PropertyId, Undefined};
use unfold::UnfoldError;
use validate::{Confirmed, ObligationError, Unconfirmed};

pub enum Verdict {
    Safe(Box<Safe>),
    Unsafe(Box<Unsafe>),
    Unknown(Box<Unknown>),
}

impl Verdict {
    pub fn unknown(reason: Reason) -> Verdict {
        Verdict::Unknown(Box::new(Unknown { reason }))
    }
}

/// No run violates a property.
pub struct Safe {
    proved: Proved,
}

impl Safe {
    pub(super) fn new(proved: Proved) -> Safe {
        Safe { proved }
    }

    pub fn proved(&self) -> &Proved {
        &self.proved
    }
}

/// What holds whenever the program is at a place.
#[derive(Clone, Debug)]
pub struct Placed {
    pub span: Span,
    /// The procedure of the place, and those that called it, the first one first.
    pub calls: Vec<String>,
    /// The first of these has a contract: it holds however that one was called.
    pub is_any_call: bool,
    pub formula: Term,
}

/// What holds whenever a procedure that calls itself is called, and whenever it returns.
#[derive(Clone, Debug)]
pub struct Promised {
    pub procedure: String,
    pub span: Span,
    pub requires: Term,
    /// What was given to the call is `old(x)`.
    pub ensures: Term,
}

/// An invariant that solvers have confirmed, and of what.
pub struct Proved {
    pub(super) invariant: Vec<Placed>,
    pub certificate: Confirmed,
    /// What is taken not to happen: steps that are undefined in some states, where that is not excluded.
    pub provided: Vec<Provided>,
    /// Of procedures that call themselves, where they are not inlined.
    pub contracts: Vec<Promised>,
    /// With all calls inlined.
    pub locations: usize,
    /// Of the transition system.
    pub rules: usize,
    pub state: usize,
    /// Random runs of the interpreter that go the same way in the system.
    pub runs: u64,
    /// Random runs that go the same way there up to where they cannot be followed.
    pub prefixes: u64,
    /// What was compared with runs of the second reading.
    pub checked: CrossChecked,
}

impl Proved {
    /// By place; nothing where no place needs a fact.
    pub fn invariant(&self) -> &[Placed] {
        &self.invariant
    }
}

/// A run that violates a property, as the interpreter made it.
pub struct Unsafe {
    property: PropertyId,
    outcome: RunOutcome,
    pub(super) compiled: Compiled,
}

/// What gcc's program of a run says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// It reaches the violation, too.
    pub is_reached: bool,
    /// Why nobody knows.
    pub reason: Option<String>,
    /// The program, where it can be written.
    pub harness: Option<String>,
}

impl Compiled {
    pub(super) fn not(reason: String) -> Compiled {
        Compiled {
            is_reached: false,
            reason: Some(reason),
            harness: None,
        }
    }
}

impl Unsafe {
    pub(super) fn new(property: PropertyId, outcome: RunOutcome) -> Unsafe {
        Unsafe {
            property,
            outcome,
            compiled: Compiled::not("nobody asked for it".to_owned()),
        }
    }

    pub fn property(&self) -> PropertyId {
        self.property
    }

    /// Whether gcc's program goes the same way.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// How the run went: its inputs and its steps.
    pub fn outcome(&self) -> &RunOutcome {
        &self.outcome
    }
}

pub struct Unknown {
    pub reason: Reason,
}

/// Why there is no proof by contracts of a program whose procedures call themselves often.
#[derive(Clone, Debug)]
pub enum Deep {
    /// They cannot have contracts.
    Refused(UnfoldError),
    /// The solver says that there is a violation.
    Refuted,
    Failed(Box<Reason>),
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Reason {
    NothingToCheck,
    Stopped(Stopped),
    NotUnfolded(UnfoldError),
    NoSolver,
    /// The solver that looks for an invariant died, or said what nobody understands.
    SolverFailed(String),
    /// No invariant was found, for this reason.
    Undecided(UnknownReason),
    NotCertifiable(ObligationError),
    Unconfirmed(Unconfirmed),
    /// Some procedure may call itself more often than is followed.
    Recursion(Deep),
    /// There are spurious counterexamples: something in them is beyond the encoding. Whether the
    /// program has a run like them is not known.
    Unreal {
        runs: usize,
        /// Where the first of them has no defined behaviour any more, before it gets to the violation.
        undefined: Option<(Undefined, Span)>,
        /// Where the first of them takes what is beyond the encoding.
        approximated: Option<Span>,
    },
    /// There should be a run, and nobody found it.
    NoRun,
    /// Das' "no difference found": a run of the Boolean program is none of the program, and nothing excludes it.
    NoDifference,
    /// The solver does not know whether a run of the Boolean program is one of the program.
    Unclear,
    /// Decision diagrams became too large.
    TooLarge,
    /// The invariant of the Boolean program says too little once calls are inlined.
    NoFacts,
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
    /// A mistake of Cubist: a run of the program with these inputs is none of the system of which everything is proved.
    Contradicted {
        inputs: Vec<i128>,
    },
    /// A run depends on where objects lie in memory, and gcc's program has them elsewhere.
    Addresses {
        inputs: Vec<i128>,
    },
    /// A mistake of Cubist: a step of a run is none of the system of which everything is proved.
    Disagrees {
        what: String,
    },
    /// A mistake of Cubist: the run with these inputs violates a property, and gcc's program with them does not.
    Elsewhere {
        how: String,
        harness: String,
        inputs: Vec<i128>,
    },
}

impl Reason {
    /// Whether Cubist has found a mistake of its own. That is no verdict.
    pub fn is_mistake(&self) -> bool {
        matches!(
            self,
            Reason::Contradicted { .. } | Reason::Disagrees { .. } | Reason::Elsewhere { .. }
        )
    }
}

impl Reason {
    /// The words for what Cubist has done wrong.
    fn mistake(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Contradicted { inputs } => write!(
                f,
                "this is a mistake of Cubist, please report it: there is a proof, but the run of the program with the inputs \
                 {inputs:?} is none of the system that it is about"
            ),
            Reason::Disagrees { what } => write!(
                f,
                "this is a mistake of Cubist, please report it: there is a proof, but the system that it is about does not do \
                 what the program does: {what}"
            ),
            Reason::Elsewhere { how, inputs, .. } => write!(
                f,
                "the run with the inputs {inputs:?} violates a property, and the same program compiled by gcc does not: {how} \
                 (C leaves open in which order operands are evaluated; here it may be another one than gcc's)"
            ),
            _ => Ok(()),
        }
    }
}

/// The one place where these reasons become words.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NothingToCheck => f.write_str(
                "the program has nothing to check: no call of `reach_error` or `__VERIFIER_error`, no assertion, no rule, or \
                 none that the property file names",
            ),
            Reason::Stopped(stopped) => write!(f, "{stopped}"),
            Reason::NotUnfolded(refusal) => write!(f, "{refusal}"),
            Reason::NoSolver => f.write_str("Z3 is not installed; `make setup` installs it"),
            Reason::SolverFailed(error) => write!(f, "the solver that looks for an invariant failed: {error}"),
            Reason::Undecided(reason) => write!(f, "no invariant was found: {reason}"),
            Reason::NotCertifiable(error) => write!(f, "the proof cannot be certified: {error}"),
            Reason::Unconfirmed(unconfirmed) => write!(f, "{}", crate::verdict::words(unconfirmed)),
            Reason::Recursion(deep) => {
                f.write_str("a procedure may call itself more often than is inlined, and ")?;
                match deep {
                    Deep::Refused(refusal) => write!(f, "it has no contract: {refusal}"),
                    Deep::Refuted => {
                        f.write_str("contracts prove nothing: there should be a run into a violation, but none was found")
                    }
                    Deep::Failed(reason) => write!(f, "contracts prove nothing: {reason}"),
                }
            }
            Reason::Unreal { runs, .. } => {
                match runs {
                    1 => f.write_str("the solver found a counterexample that no run confirms: it rests")?,
                    runs => write!(
                        f,
                        "the solver found {runs} counterexamples that no run confirms: they rest"
                    )?,
                }
                f.write_str(
                    " on what proofs only approximate, such as floats, long arrays, memory that is allocated in a loop \
                     or that nobody knows, variable arguments, bit-fields behind other types, or products of unknowns",
                )
            }
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
            Reason::Contradicted { .. } | Reason::Disagrees { .. } | Reason::Elsewhere { .. } => self.mistake(f),
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
            Reason::TooLarge => f.write_str("the decision diagrams became too large"),
            Reason::NoFacts => f.write_str("the Boolean program is safe, but not with all calls inlined"),
            Reason::NoRun => f.write_str("there should be a run into a violation, but none was found"),
        }
    }
}
