//! Confirmation of a run by gcc: a violating run of a C program becomes a C program of its own, the preprocessed text
//! followed by definitions of everything that the run received from its environment. Compiled by gcc, it must reach the
//! violation; otherwise either our semantics or gcc's is wrong.
//!
//! Definitions have names of their own and get the symbols of the program's functions by assembler labels
//! (`__asm__("name")`), so they need only match the calling convention and not the declared types.
//!
//! [`cbmc`] asks another tool for its opinion on a program.
//!
//! Not covered, and reported as such: rules about calls, which are not part of the program; uninitialized variables
//! with values other than zero; assembler whose outputs are relevant; records that external functions take or return
//! by value.

pub mod cbmc;
mod compiled;
mod library;
mod promises;
mod text;

pub use compiled::{Tried, options, try_it};
pub use library::{determined, unspecified};
pub use text::{Source, Unwritable, text};

/// The exit status of a harness that reached the violation.
pub const REACHED: i32 = 10;
