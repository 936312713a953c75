//! One of each algorithm that engines, sessions and checkers share. It depends on no engine and no front end.
//!
//! | algorithm | module |
//! | --- | --- |
//! | Houdini: the largest inductive subset of candidates | [`houdini`] |
//! | minimal cores and subsets, by deletion | [`cores`] |
//! | quantifier instantiation | [`grounding`]; [`GroundSolver`] asks a solver with it |
//! | implication between formulas of a system; vacuity | [`sufficient_facts`], [`vacuity()`] |
//! | generalisation of cubes against explored states | [`generalisation`], [`Samples`] |
//! | constant propagation | [`constants`] |
//! | SMT-LIB text read back as terms | [`reading`] |
//! | cone of influence | [`relevance`] |
//! | rule parameters with a few values | [`parameters`] |
//! | literals, atoms, quantifier alternation | [`formulas`] |
//! | conditionals in atoms | [`conditionals`] |
//! | inequalities and intervals | [`comparisons`] |
//! | subsets, permutations, tuples | [`combinations`] |

pub mod combinations;
pub mod comparisons;
pub mod conditionals;
pub mod constants;
pub mod cores;
pub mod formulas;
pub mod generalisation;
mod ground_solver;
pub mod grounding;
pub mod houdini;
mod implication;
pub mod parameters;
pub mod reading;
pub mod relevance;
pub mod samples;
mod vacuity;

pub use generalisation::Cube;
pub use ground_solver::GroundSolver;
pub use grounding::Grounding;
pub use implication::sufficient_facts;
pub use samples::Samples;
pub use vacuity::{Vacuity, vacuity};
