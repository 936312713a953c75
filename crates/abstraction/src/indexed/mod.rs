//! Indexed predicates.
pub mod backward;
pub mod cube;
pub mod implicant;
pub mod induction;
pub mod samples;
