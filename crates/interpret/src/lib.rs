//! Runs programs on given inputs: the oracle of what is said about them.
//!
//! A program is compiled into a compact form first ([`Executable`]), and run as often as one likes. A run is a function
//! of the program, its inputs and its limits: the same again gives the same.
//!
//! What differs from the meaning of `system::program`:
//! - arithmetic on null and on pointers that were made from numbers is arithmetic on numbers: only an access is a
//!   finding. So is arithmetic on pointers to dead objects;
//! - a byte is defined as a whole: to write some of its bits makes the others zero, where they were undefined;
//! - a procedure that nobody knows changes only what its pointer arguments point at directly;
//! - floats with more bits than a double are refused.

mod ask;
pub mod asked;
mod call;
mod code;
mod compile;
pub mod coverage;
mod evaluate;
pub mod flat;
mod homes;
pub mod inputs;
mod leaves;
mod library;
pub mod memory;
mod note;
pub mod observe;
pub mod outcome;
pub mod plan;
mod print;
mod run;
pub mod search;
pub mod trace;
mod values;
mod word;

pub use asked::{Asked, FromOutside, Purpose};
pub use coverage::Coverage;
pub use inputs::{Enumerated, Given, Inputs, Random, Recorded, Request};
pub use memory::Origin;
pub use observe::{Access, Observer, Touched};
pub use outcome::{End, Limit, Limits, Outcome, UndefinedMode, Uninitialised, Unsupported};
pub use plan::Plan;
pub use run::Executable;
pub use trace::Trace;

use system::program::Program;

/// Runs a program once.
pub fn run(program: &Program, inputs: &mut dyn Inputs, limits: &Limits) -> Outcome {
    Executable::new(program).run(inputs, limits)
}
