//! The Murphi front end: text, syntax tree, typed model; then a finite instance or a transition system.

mod check;
mod compile;
mod lex;
pub mod model;
mod parse;
pub mod syntax;
mod lower;
mod visit;

pub use lower::{Lowered, lower};
pub use compile::{CompileOptions, compile};
pub use check::{Options, check};

pub use parse::parse;
