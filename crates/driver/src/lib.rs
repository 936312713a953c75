//! What is tried, in which order, on which sizes and cores, until there is a verdict.
//!
//! [`check::check`] is the way from a [`Question`] to an [`Answer`]: the file as it is written is explored, and bugs
//! are looked for at other sizes (`search`), beside (`beside`) the proof (`prove`), whose invariant must be confirmed
//! (`certify`) and hold in explored states (`meet`). What can be said in the end is in [`verdict`]. Nothing here
//! prints: an [`Observer`] hears what happens.

pub mod about;
mod account;
mod behind;
mod beside;
mod blackboard;
pub mod boolean;
mod certify;
mod check;
pub mod components;
mod context;
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
mod learned;
mod meet;
mod mistake;
mod model;
pub mod notation;
mod others;
mod portfolio;
pub mod program;
mod properties;
mod reads;
mod reason;
pub mod run_folder;
mod search;
mod solvers;
mod subject;
mod unrolled;
mod vacuity;
pub mod verdict;

pub use account::{Account, Conjectured, PropertyResult};
pub use behind::{Behind, Disagreed, chosen_states};
pub use blackboard::Blackboard;
pub use certify::Invariant;
pub use check::{Caveat, Decided, ModelAnswer, check, check_by, given};
pub use context::{Context, Stopped};
pub use engine::{Claim, Engine, SuspectedRun, Task};
pub use engines::claim;
pub use error::{Error, Result};
pub use event::{Event, Observer, Phase, Silent};
pub use exploration::{Revisited, revisit};
pub use files::write_whole;
pub use front_end::{FrontEnd, FrontEnds, kind_of};
pub use further::{Further, Standing};
pub use inductive::{Inductive, inductive};
pub use input::{Input, is_standard_input, language_names, read_file, shown_name};
pub use lanes::STACK;
pub use learned::{Learned, learned};
pub use meet::{Agreement, Contradicted, Explored, Extent, Seen, seen};
pub use mistake::{Mistake, MistakeKind, file_name};
pub use model::{LoweredModel, ModelTask, Question, Written};
pub use others::{Other, OtherAnswer, others, sizes_text};
pub use portfolio::{Engines, PORTFOLIO, Row, Start, engine_named};
pub use reason::{Deep, Kind, Reason};
pub use solvers::solvers;
pub use subject::Answer;
pub use verdict::{Evidence, Exploration, Proof, Proved, Safe, Scope, Unknown, Unsafe, Verdict};
