//! Why an engine does not know, as data; its words are here and nowhere else.

use deduction::Cube;
use logic::Term;
use logic::pretty::pretty;
use smt::UnknownReason;
use std::fmt;

/// Why there is neither a proof nor a concrete run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// There was no time even to begin.
    NotLookedAt,
    /// Someone asked to stop.
    Cancelled,
    /// The solver could not decide a question on which all depends.
    Undecided {
        question: SolverQuestion,
        reason: UnknownReason,
    },
    /// The diagrams of abstract states became too large.
    TooManyAbstractStates,
    /// Discovery was allowed this many cycles.
    NoProofAfter { cycles: usize },
    /// What would rule the abstract run out is among the predicates, and does not.
    PredicatesKnown { found: Vec<Term> },
    /// A single abstract state is bad, and no run through it is to blame.
    BadStateStays,
    /// Nothing that was seen of the end of an abstract run contradicts the step that leads to it.
    WeakConditions,
    /// A property may fail in an initial state, as far as the solver can tell.
    MayFailInitially { property: Term },
    /// No more conjectures than this were allowed.
    TooManyConjectures { limit: usize },
    /// The rule may lead from the cube to a violation of the property, and examples do not allow to conjecture that
    /// nothing is in the cube.
    CannotExclude { property: Term, rule: String, cube: Cube },
}

/// What a solver was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverQuestion {
    /// Whether an abstract run has a concrete one.
    Run,
    /// Whether the end of an abstract run has a concrete one.
    Tail,
    /// Whether a step can lead to where the concrete end of an abstract run begins.
    Step,
    /// Whether a rule keeps a fact.
    Kept { rule: String, fact: Term },
}

impl Reason {
    /// That the solver does not know; an interrupt says nothing about the question.
    pub(crate) fn undecided(question: SolverQuestion, reason: UnknownReason) -> Reason {
        match reason {
            UnknownReason::Interrupted => Reason::Cancelled,
            reason => Reason::Undecided { question, reason },
        }
    }

    /// Whether predicates that were found in another way might have helped.
    pub fn is_about_predicates(&self) -> bool {
        matches!(
            self,
            Reason::Undecided { .. }
                | Reason::NoProofAfter { .. }
                | Reason::PredicatesKnown { .. }
                | Reason::BadStateStays
                | Reason::WeakConditions
        )
    }

    /// Whether more time might have helped.
    pub fn is_cancellation(&self) -> bool {
        matches!(self, Reason::NotLookedAt | Reason::Cancelled)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotLookedAt => f.write_str("not looked at"),
            Reason::Cancelled => f.write_str("interrupted"),
            Reason::Undecided { question, reason } => write!(f, "it is not known whether {question}: {reason}"),
            Reason::TooManyAbstractStates => f.write_str("there are too many abstract states"),
            Reason::NoProofAfter { cycles } => write!(
                f,
                "no proof after {cycles} discovery cycle{}",
                if *cycles == 1 { "" } else { "s" }
            ),
            Reason::PredicatesKnown { .. } => f.write_str("the predicates found are there already"),
            Reason::BadStateStays => f.write_str("a single abstract state is bad and cannot be refined"),
            Reason::WeakConditions => f.write_str("the conditions on the abstract run are not strong enough"),
            Reason::MayFailInitially { .. } => f.write_str("a property may fail in an initial state"),
            Reason::TooManyConjectures { limit } => write!(f, "no proof with {limit} conjectures"),
            Reason::CannotExclude { rule, cube, .. } => {
                let literals: Vec<String> = cube.literals.iter().map(|literal| pretty(*literal)).collect();
                let states = literals.join(" & ");
                write!(
                    f,
                    "states before a violation by \"{rule}\" cannot be excluded: {states}"
                )
            }
        }
    }
}

impl fmt::Display for SolverQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverQuestion::Run => f.write_str("the abstract run has a concrete one"),
            SolverQuestion::Tail => f.write_str("the end of the abstract run has a concrete one"),
            SolverQuestion::Step => f.write_str("a step can lead to the end of the abstract run"),
            SolverQuestion::Kept { rule, fact } => write!(f, "\"{rule}\" keeps {}", pretty(*fact)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_is_no_fault_of_the_question() {
        let reason = |reason: UnknownReason| Reason::undecided(SolverQuestion::Run, reason).to_string();
        assert_eq!(reason(UnknownReason::Interrupted), "interrupted");
        assert_eq!(
            reason(UnknownReason::ResourceLimit),
            "it is not known whether the abstract run has a concrete one: the resource limit of one check is reached"
        );
    }
}
