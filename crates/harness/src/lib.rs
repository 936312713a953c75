//! A run of a C program into a violation, as a C program of its own: the text after the preprocessor, and behind it
//! definitions of everything that the run had from outside. Compiled by gcc, it reaches the violation; where it does
//! not, somebody is wrong.
//!
//! Definitions go by other names than the program's, and get its symbols from the assembler (`__asm__("name")`): so
//! they need not repeat types that the program has declared, only what the calling convention makes of them.
//!
//! Another tool's opinion on a program is asked for in [`cbmc`].
//!
//! Not covered, and said: rules about calls, which are no part of the program; values of variables that nobody gave
//! one, other than zero; assembler whose outputs matter; records that unknown functions take or return as such.

pub mod cbmc;
mod compiled;
mod library;
mod promises;
mod text;

pub use compiled::{Tried, options, try_it};
pub use library::{determined, unspecified};
pub use text::{Source, Unwritable, text};

/// The status that the harness ends with where it reached the violation.
pub const REACHED: i32 = 10;
