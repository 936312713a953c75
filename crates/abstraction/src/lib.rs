//! Proofs about transition systems of any size: three engines, and what they share.
//!
//! - [`predicate`]: predicate abstraction with discovery of predicates (Das); over given predicates the abstract states
//!   are reached exactly, or by a relation that is refined where a counterexample needs it;
//! - [`indexed`]: the strongest facts that given predicates with index variables can say (Lahiri and Bryant);
//! - [`strengthening`]: facts about all elements, found by counterexamples to induction and generalised against
//!   examples;
//! - [`induction`]: which rules keep a formula, and a step by each that does not, for people; which formulas are
//!   inductive together;
//! - [`bounded`]: runs of a few steps into a violation, in a universe of a few elements; [`finite`] is how these are
//!   told to a solver;
//! - [`definedness`]: where values are defined, by templates;
//! - [`horn`]: invariants for each location of a system of scalars, by Horn clauses;
//! - [`goal`]: what is to be proved; [`Reason`]: why it is not.
pub mod bounded;
pub mod definedness;
pub mod finite;
pub mod goal;
pub mod horn;
pub mod indexed;
pub mod induction;
pub mod predicate;
mod reason;
pub mod strengthening;

pub use reason::{Reason, SolverQuestion};
