//! Concurrent components against state machines.
//!
//! Sagar Chaki, Joel Ouaknine, Karen Yorav, Edmund Clarke, Ofer Strichman and others: the tool MAGIC, as it is
//! described in *Efficient Verification of Sequential and Concurrent C Programs*, 2004. What is called *the paper* here
//! is this one.
//!
//! - [`lts`], [`compose`], [`containment`], [`quotient`]: labelled transition systems, and what is done with them;
//!   [`aut`]: their exchange with other tools.

pub mod answer;
pub mod assembly;
pub mod aut;
pub mod component;
pub mod compose;
pub mod confirm;
pub mod containment;
mod hazards;
pub mod lts;
pub mod minimise;
pub mod quotient;
pub mod runs;
pub mod specification;

pub mod verify;
