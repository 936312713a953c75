//! A system in a universe of a few elements, as propositional logic over numbers.
//!
//! Every index sort gets a number of elements, so that it is an enumeration ([`Universe`]); quantifiers are written
//! out, those over integers for a [`Window`] only (`ground`); and what has a few values becomes truth values, one for
//! each value (`encode`). Numbers stay what they are, without bounds. [`Unrolling`] puts steps one after the other.
//!
//! What has no model here may have one in a larger universe, or with indices outside of the window: so `unsat` says
//! nothing of other sizes. A model is one of the system, but for universal formulas about integers outside of the
//! window: to be sure, replay it.

mod encode;
mod ground;
mod survey;
mod universe;
mod unrolling;

pub(crate) use encode::Cell;
pub use universe::Universe;
pub(crate) use unrolling::{Failure, Unrolling};

/// The integers that quantifiers and indices range over, the last included.
pub type Window = (i128, i128);

/// Why a system cannot be written this way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsuited {
    /// It has lists, or functions of real numbers.
    Sorts,
    /// It has too many cells, or rules with too many instances.
    TooLarge,
    /// Someone asked to stop.
    Cancelled,
}
