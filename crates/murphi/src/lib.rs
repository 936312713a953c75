//! The Murphi front end: parses and checks the source, then compiles a finite instance or lowers a transition system.

mod check;
mod compile;
mod frontend;
mod lex;
mod lower;
pub mod model;
mod parse;
pub mod syntax;
mod visit;

pub use check::{CheckOptions, check};
pub use compile::{CompileOptions, compile};
pub use frontend::Murphi;
pub use lower::{Lowered, lower, lower_with_reads};

pub use parse::parse;
