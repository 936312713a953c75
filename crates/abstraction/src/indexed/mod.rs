//! Invariants of facts about all elements of index sorts.
//!
//! - [`backward`]: facts from the property backwards, without predicates; [`clauses`], [`cube`], [`directed`], [`implicant`], [`induction`], [`samples`] and [`satisfying`] are its parts;
//! - [`reachability`]: the strongest facts that given indexed predicates can say; [`projection`] and [`arrangement`] are its parts.

pub mod arrangement;
pub mod backward;
mod clauses;
pub mod cube;
mod directed;
pub mod implicant;
pub mod induction;
pub mod projection;
pub mod reachability;
pub mod samples;
mod satisfying;
