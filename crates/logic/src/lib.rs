//! The language in which front ends, engines and solvers speak to each other: sorts and hash-consed terms.

pub mod evaluate;
pub mod rational;
pub mod smtlib;
pub mod sort;
pub mod substitute;
pub mod term;
pub mod traverse;

pub use evaluate::{Environment, EvaluateError, Interpretation, Value, evaluate, holds};
pub use rational::Rational;
pub use sort::{EnumSort, Name, Sort};
pub use substitute::{Lambda, Substitution, free_variables};
pub use term::{Function, Kind, Quantifier, Term, Variable};
