//! The front end for `.cub` files, as Cubicle 1.2 reads them.
//!
//! [`parse`] makes a syntax tree, [`check`] a typed [`model::Model`]. From that, [`compile`] makes a finite instance
//! for exploration and [`lower`] a transition system for proofs about every number of processes, each on its own, so
//! that the two can be compared. What the language means, and where we differ from Cubicle, is in docs/cubicle.md.

mod check;
mod compile;
mod frontend;
mod lex;
mod lower;
pub mod model;
mod parse;
pub mod syntax;

pub use check::check;
pub use compile::{CompileOptions, compile};
pub use frontend::Cubicle;
pub use lower::{Lowered, lower};
pub use parse::parse;
