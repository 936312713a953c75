//! What Cubist can say of a program. *Safe* takes a confirmed certificate, *unsafe* a run that the interpreter has
//! made.

use super::CrossChecked;
use super::hazards::HazardSite;
use crate::account::{Account, Accounted};
use interpret::RunOutcome;
use logic::Term;
use system::Span;
use system::program::PropertyId;
use validate::Confirmed;

pub type Verdict = crate::verdict::Verdict<Proved, Unsafe>;

/// What holds whenever the program is at a place.
#[derive(Clone, Debug)]
pub struct LocatedFact {
    pub span: Span,
    /// The procedure of the place, and those that called it, the first one first.
    pub calls: Vec<String>,
    /// The first of these has a contract: it holds however that one was called.
    pub is_any_call: bool,
    pub formula: Term,
}

/// What holds whenever a procedure that calls itself is called, and whenever it returns.
#[derive(Clone, Debug)]
pub struct ProvedContract {
    pub procedure: String,
    pub span: Span,
    pub requires: Term,
    /// What was given to the call is `old(x)`.
    pub ensures: Term,
}

/// An invariant that solvers have confirmed, and of what.
pub struct Proved {
    pub account: Account,
    pub(super) invariant: Vec<LocatedFact>,
    pub certificate: Confirmed,
    /// What is taken not to happen: steps that are undefined in some states, where that is not excluded.
    pub provided: Vec<HazardSite>,
    /// Of procedures that call themselves, where they are not inlined.
    pub contracts: Vec<ProvedContract>,
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

impl Accounted for Proved {
    fn account_mut(&mut self) -> &mut Account {
        &mut self.account
    }
}

impl Proved {
    /// By place; nothing where no place needs a fact.
    pub fn invariant(&self) -> &[LocatedFact] {
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
