//! Predicate abstraction (S. Das, "Predicate abstraction", dissertation, Stanford 2003; chapter and figure numbers are
//! of that).
//!
//! An abstract state is a truth value for each predicate. [`prover`] is the loop of refinement over the steps of
//! [`Refinement`]. It reaches abstract states by [`approximate`] (a relation for each rule, refined where a
//! counterexample needs it, chapter 4) or by [`implicit`] (exact images, chapter 3), both over the solvers of [`query`]
//! and the diagrams of [`machine`]; finds predicates by [`discovery`] (chapter 5); and begins with what `linear` knows
//! of integers. [`knowledge`] is what one run hands to another, [`graph`] is a drawing.

pub mod approximate;
mod bounds;
mod concrete;
pub mod discovery;
pub mod graph;
pub mod implicit;
pub mod knowledge;
mod linear;
pub mod machine;
pub mod prover;
pub mod query;
mod refinement;

pub use concrete::{Concrete, Taken};
pub use discovery::Analysis;
pub use graph::{Subject, abstract_graph};
pub use knowledge::{Constraint, Knowledge, News, QueryPlace};
pub use linear::invariants as linear_invariants;
pub use machine::AbstractTrace;
pub use prover::{Engine, Event, GoalReport, GoalVerdict, Prover, Settings};
pub use query::Literal;
pub use refinement::{Refinement, Searched};
