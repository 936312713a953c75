//! Questions to a solver about formulas with quantifiers, and those that need no engine.

mod ground_solver;
mod grounding;
mod implication;
mod vacuity;

pub use ground_solver::GroundSolver;
pub use grounding::{Grounding, has_quantifier};
pub use implication::enough;
pub use vacuity::{Vacuity, vacuity};
