//! The logic that front ends, engines and solvers share: sorts and hash-consed terms.

pub mod bits;
mod cancellation;
pub mod evaluate;
pub mod hashing;
pub mod normal_forms;
mod order;
pub mod pretty;
mod quotient;
pub mod rational;
pub mod simplify;
pub mod smtlib;
pub mod sort;
pub mod substitute;
pub mod term;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;
pub mod traverse;
pub mod turns;
pub mod well_sorted;

pub use bits::{BitOperation, Bits};
pub use cancellation::Cancellation;
pub use evaluate::{Environment, EvaluateError, Interpretation, Value, evaluate, holds};
pub use quotient::{truncated_quotient, truncated_remainder};
pub use rational::Rational;
pub use simplify::simplify;
pub use sort::{EnumSort, Name, Sort};
pub use substitute::{Lambda, Substitution, free_variables};
pub use term::{Function, Kind, Quantifier, Term, Variable};
pub use turns::{Turn, Turns};
