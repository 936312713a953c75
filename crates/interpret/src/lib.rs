//! A concrete interpreter of programs: the oracle against which every verdict is cross-checked.
//!
//! A program is first compiled into a compact form ([`Executable`]), which can be run many times. A run is a function
//! of the program, its inputs and its limits, so it is reproducible.
//!
//! Differences from the semantics of `system::program`:
//! - arithmetic on null and on pointers cast from integers is integer arithmetic, and arithmetic on pointers to dead
//!   objects is no finding: only an access is;
//! - bytes are initialized as a whole: writing some bits of an uninitialized byte zeroes the others;
//! - an external procedure changes only what its pointer arguments point at directly;
//! - floats with more bits than a double are unsupported.

mod ask;
mod call;
mod code;
mod compile;
pub mod coverage;
pub mod environment;
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

pub use coverage::Coverage;
pub use environment::{InputPurpose, RecordedInput, RunEnvironment};
pub use inputs::{EnumeratedInputs, FixedInputs, Inputs, RandomInputs, RecordingInputs, Request};
pub use memory::MemoryOrigin;
pub use observe::{Access, Observer, Touched};
pub use outcome::{End, Limit, RunLimits, RunOutcome, UndefinedMode, Uninitialized, Unsupported};
pub use plan::SearchPlan;
pub use run::Executable;
pub use trace::Trace;

use system::program::Program;

/// Compiles a program and runs it once.
pub fn run(program: &Program, inputs: &mut dyn Inputs, limits: &RunLimits) -> RunOutcome {
    Executable::new(program).run(inputs, limits)
}
