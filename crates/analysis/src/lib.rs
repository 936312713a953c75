//! Static analyses of programs. They over-approximate what every run does that has no undefined behaviour.
//!
//! - [`points_to`]: what pointers point at, and which procedures calls by pointer reach.
//! - [`slice`]: which steps matter for a property.

mod control;
pub mod points_to;
pub mod slice;

pub use points_to::PointsTo;
pub use slice::{Criterion, Slice, slice};
