//! Static analyses of programs. They over-approximate what every run does that has no undefined behaviour.
//!
//! - [`points_to`]: what pointers point at, and which procedures calls by pointer reach.

pub mod points_to;

pub use points_to::PointsTo;
