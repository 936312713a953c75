//! Questions to SMT solvers. This is the only crate that names a solver.
//!
//! [`Solver`] is what engines see, and [`Solvers`] is where they get them from. [`Z3Solver`] answers inside of the
//! process, [`ProcessSolver`] talks SMT-LIB 2 to any solver that runs as a program, and [`FaultySolver`] breaks
//! another one on purpose, for tests.

mod assertions;
pub mod expression;
mod faulty;
mod installed;
mod process;
mod process_backend;
mod process_model;
mod script;
mod solver;
mod solvers;
mod statistics;
mod z3_backend;
mod z3_model;
mod z3_raw;
mod z3_translate;

pub use faulty::{Fault, FaultySolver, SharedFault};
pub use installed::{horn_solver, installed_solvers};
pub use process::SolverCommand;
pub use process_backend::{ProcessOptions, ProcessSolver};
pub use process_model::ProcessModel;
pub use script::{model_of_script, run_script};
pub use solver::{Answer, Model, Solver, SolverError, UnknownReason};
pub use solvers::Solvers;
pub use statistics::{Purpose, Statistics};
pub use z3_backend::{Z3_VERSION, Z3Options, Z3Solver};
pub use z3_model::Z3Model;
