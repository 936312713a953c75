//! Strengthening by counterexamples to induction, generalised against examples.
//!
//! What it computes: an inductive set of facts `forall x. not c(x)`, with the properties among them. It begins with the
//! properties. Where a rule does not keep a fact, the solver's model of that step is a counterexample to induction; the
//! state before it is generalised to a cube that no reached state of a small instance satisfies, and the negation of
//! the cube is the next conjecture. Rules are asked about every size, so the examples decide what is tried, never what
//! is proved.
//!
//! What it does not: no pre-image is computed, neither exactly nor approximately, and no fixpoint; a cube is made of
//! one model. It refutes nothing. Where a property cannot be kept it gives up, and says which of its conjectures are
//! inductive all the same.
//!
//! The idea to generalise backwards on the states of a small instance is that of S. Conchon, A. Goel, S. Krstic, A.
//! Mebsout and F. Zaidi ("Invariants for finite instances and beyond", FMCAD 2013). Unlike there, a step is asked of a
//! solver with all conjectures as hypotheses, with guards as they are; so universal guards need no approximation, and
//! no assumption about crashing processes is needed.
//!
//! `search` is the loop; `induction` asks whether a rule keeps a conjecture, and `implicant` reads the counterexample;
//! `cube` generalises it by [`Samples`], of which `directed` finds more.

mod clauses;
mod directed;
mod implicant;
mod induction;
mod satisfying;
mod search;

pub(crate) use induction::{Conjecture, Decision, Step};
pub use search::{Event, Invariant, Known, StrengtheningResult, prove};
