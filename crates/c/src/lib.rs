//! The C front end: GNU C11, from text to [`system::program::Program`].
//!
//! preprocess (the installed preprocessor) → lex → parse ([`syntax`]) → check (types, layout, conversions) → lower
//! (control-flow automata). Each step returns what it made, and diagnostics.

mod lex;
pub mod parse;
pub mod syntax;
