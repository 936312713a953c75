//! What is tried, in which order, on which sizes and cores, until there is a verdict.
//!
//! [`check::check`] is the way from a [`Question`] to an [`Answer`]: the file as it is written is explored, and bugs
//! are looked for at other sizes (`search`), beside (`beside`) the proof (`prove`), whose invariant must be confirmed
//! (`certify`) and hold in explored states (`meet`). What can be said in the end is in [`verdict`]. Nothing here
//! prints: an [`Observer`] hears what happens.

pub mod about;
mod account;
mod beside;
mod blackboard;
pub mod boolean;
mod certify;
mod check;
pub mod components;
mod context;
mod crosscheck;
pub mod duration;
mod engine;
mod engines;
mod error;
mod event;
mod exploration;
mod files;
mod front_end;
mod further;
mod inductive;
mod input;
mod lanes;
mod mistake;
mod model;
mod non_safety;
pub mod notation;
mod portfolio;
pub mod program;
mod properties;
mod reads;
mod reason;
pub mod run_folder;
mod run_knowledge;
mod search;
mod solvers;
mod step_check;
mod subject;
mod unrolled;
mod vacuity;
pub mod verdict;

pub use account::{Account, ConjectureSummary, PropertyResult};
pub use blackboard::Blackboard;
pub use certify::Invariant;
pub use check::{Caveat, Decided, ModelAnswer, check, check_by, check_facts};
pub use context::{Context, Stopped};
pub use crosscheck::{Agreement, ContradictedFact, ExploredInstance, Extent, FormulaTest, test_formula};
pub use engine::{Claim, Engine, SuspectedRun, Task};
pub use engines::claim;
pub use error::{Error, Result};
pub use event::{Event, Observer, Phase, Silent};
pub use exploration::{RevalidatedExploration, revalidate_exploration};
pub use files::write_whole;
pub use front_end::{FrontEnd, FrontEnds, kind_of};
pub use further::{FurtherProperty, FurtherStatus};
pub use inductive::{InductionReport, check_inductive};
pub use input::{Input, is_standard_input, language_names, read_file, shown_name};
pub use lanes::STACK;
pub use mistake::{Mistake, MistakeKind, file_name};
pub use model::{LoweredModel, ModelTask, ParsedModel, Question};
pub use non_safety::{NonSafetyProperty, NonSafetyVerdict, non_safety_properties, sizes_text};
pub use portfolio::{Engines, PORTFOLIO, Row, Start, engine_named};
pub use reason::{Kind, Reason, RecursionFailure};
pub use run_knowledge::{RunKnowledge, read_run_knowledge};
pub use solvers::solvers;
pub use step_check::{StepCheck, StepDisagreement, chosen_states};
pub use subject::Answer;
pub use verdict::{Evidence, Exploration, Proof, Proved, Safe, Scope, Unknown, Unsafe, Verdict};
