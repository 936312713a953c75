//! The front end for `.cub` files, as Cubicle 1.2 reads them.
//!
//! [`parse`] builds a syntax tree and [`check`] a typed [`model::Model`]. From the model, [`compile`] produces a finite
//! instance for exploration and [`lower`] a transition system for proofs about every number of processes; these two are
//! independent of each other, so that they can be compared. docs/cubicle.md documents the language and our differences
//! from Cubicle.

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
