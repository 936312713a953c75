//! Conformance of concurrent components to state machines.
//!
//! Sagar Chaki, Joel Ouaknine, Karen Yorav, Edmund Clarke, Ofer Strichman and others: the tool MAGIC, as described in
//! *Efficient Verification of Sequential and Concurrent C Programs*, 2004, which is *the paper* here.
//!
//! - [`verify`]: the loop; [`confirm`]: independent confirmation of its answers; [`certificate`]: the text that is
//!   confirmed, from which anybody can validate a proof;
//! - [`lts`], [`compose`], [`containment`], [`quotient`]: labelled transition systems and operations on them;
//!   [`aut`]: exchange with other tools.

pub mod assembly;
pub mod aut;
pub mod certificate;
pub mod component;
pub mod compose;
pub mod confirm;
pub mod containment;
pub mod lts;
pub mod minimise;
pub mod quotient;
pub mod runs;
pub mod specification;

pub mod verify;
