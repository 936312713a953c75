//! The language in which front ends, engines and solvers speak to each other: sorts and hash-consed terms.

pub mod smtlib;
pub mod sort;
pub mod substitute;
pub mod term;

pub use sort::{EnumSort, Name, Sort};
pub use substitute::{Lambda, Substitution, free_variables};
pub use term::{Function, Kind, Quantifier, Term, Variable};
