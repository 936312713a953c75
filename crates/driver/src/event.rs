//! What the driver tells while it works. It prints nothing.

use crate::model::{LoweredModel, ParsedModel};
use crate::reason::Reason;
use abstraction::goal::Goal;
use explore::ConfirmedExploration;
use logic::Term;

/// Hears of everything that happens, from several threads.
pub trait Observer: Sync {
    fn event(&self, event: &Event);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: &Event) {}
}

pub enum Event<'e> {
    /// The model is read and the work begins; again, where it begins anew with types at their declared sizes.
    Begun(&'e ParsedModel),
    /// This is what proofs are about.
    Lowered(&'e LoweredModel),
    /// This many states of the file as it is written were seen.
    Explored(u64),
    /// All of them were seen, and none is unsafe: so much is known, whatever becomes of the proof.
    SafeAsWritten {
        parsed: &'e ParsedModel,
        confirmed: &'e ConfirmedExploration,
        /// What was explored, as a file tells it.
        certificate: String,
    },
    Phase(Phase<'e>),
    /// Reached states of a small instance that engines learn from.
    Examples {
        states: usize,
        size: i64,
    },
    /// Predicates with index variables: how many abstract states are reached after an iteration.
    Iteration {
        number: usize,
        abstract_states: f64,
    },
    /// What these predicates say of all states.
    Reached(Term),
    /// Something is conjectured of every size.
    Conjecture {
        number: usize,
        formula: Term,
    },
    /// A conjecture is withdrawn, since it needs another one that is false.
    Withdrawn {
        formula: Term,
        needs: Term,
    },
    /// There is no proof from examples of this size.
    NoProofAt {
        size: i64,
        reason: &'e Reason,
    },
    /// There is no proof by facts about every size, but these facts are known now.
    NoProof {
        reason: &'e Reason,
        known: &'e [Term],
    },
    /// Predicate abstraction begins while others are at work.
    BeginsBeside,
    /// The invariant of another run is of no use.
    Useless(String),
    /// A predicate was found.
    Predicate {
        goal: &'e Goal,
        formula: Term,
    },
    /// A Boolean program of a C program was searched, or a predicate was found for it.
    Slam(slam::Event<'e>),
    /// How far the abstraction of components is.
    Contained(conformance::verify::Progress),
    /// Horn clauses: the solver has looked at all runs of so many steps.
    Level(usize),
    /// The abstract states were searched once more.
    Searched {
        goal: &'e Goal,
        cycle: usize,
        predicates: usize,
        refinements: usize,
    },
}

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase<'e> {
    Searching,
    LookingForExamples,
    Proving,
    LookingAtAnotherRun,
    Minimising,
    Confirming {
        solver: &'e str,
    },
    CrossChecking,
    Unrolling,
    /// A run of a program is compiled.
    Compiling,
    FollowingRun,
}
