//! Static analyses of programs. They over-approximate all runs without undefined behaviour.
//!
//! - [`points_to`]: what pointers may point at, and which procedures calls through pointers may reach;
//! - [`slice`]: which steps are relevant for a property.

mod control;
pub mod points_to;
pub mod slice;

pub use points_to::PointsTo;
pub use slice::{Criterion, Slice, slice};
