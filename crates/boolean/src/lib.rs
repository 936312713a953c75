//! Boolean programs: the language of SLAM's Bebop, and its model checker.
//!
//! - [`program`]: programs as data; [`well_formed`]: validation of programs that were built as data;
//! - [`read`]: the parser; [`print`](mod@print): the printer;
//! - [`trace`]: runs; [`interpret`]: the semantics of statements on explicit states; [`enumerate`]: reachability by
//!   enumeration, for tests;
//! - [`lower`](mod@lower): programs as transition systems, for certificates and for other engines;
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
