//! Boolean programs: the language of SLAM's Bebop, and its model checker.
//!
//! - [`program`]: programs as data; [`well_formed`]: whether one that was built holds together;
//! - [`read`]: from text to a program; [`print`](mod@print): and back;
//! - [`trace`]: runs; [`interpret`]: what statements mean, on explicit states; [`enumerate`]: all that can be reached,
//!   by enumeration, for tests;
//! - [`lower`](mod@lower): programs as transition systems, for certificates and engines that know nothing of them;
//! - [`bebop`]: the model checker; [`random`]: programs for its tests.

pub mod bebop;
mod check;
pub mod enumerate;
pub mod interpret;
mod lex;
pub mod lower;
mod parse;
pub mod print;
pub mod program;
pub mod random;
mod read;
mod syntax;
pub mod trace;
pub mod well_formed;

pub use bebop::{
    Answer, Error, Reason, Relations, Statistics, Verdict, Vocabulary, check, check_run_first, check_with_relations,
    invariants, relations,
};
pub use lower::{Lowered, lower};
pub use program::{Action, Expression, LabelId, Procedure, ProcedureId, Program, Statement, StatementId, Variable};
pub use read::read;
pub use trace::{Control, Point, State, Trace};
pub use well_formed::Malformed;
