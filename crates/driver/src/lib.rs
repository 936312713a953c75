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
mod certify;
mod check;
mod context;
pub mod duration;
mod engine;
mod error;
mod event;
mod exploration;
mod files;
mod further;
mod inductive;
mod input;
mod lanes;
mod learned;
mod meet;
pub mod notation;
mod others;
pub mod program;
mod properties;
mod prove;
mod reads;
pub mod run_folder;
mod search;
mod solvers;
mod subject;
mod unrolled;
mod vacuity;
pub mod verdict;

pub use account::{Account, Conjectured, PropertyResult};
pub use behind::{Behind, Disagreed, chosen_states};
pub use check::{Answer, Caveat, Decided, Mistake, Refuted, check, given};
pub use context::{Context, Stopped};
pub use engine::Engine;
pub use error::Error;
pub use event::{Event, Observer, Phase, Silent};
pub use exploration::{Revisited, revisit};
pub use files::write_whole;
pub use further::{Further, Standing};
pub use inductive::{Inductive, inductive};
pub use input::{Input, is_standard_input, language_names, read_file, shown_name};
pub use lanes::STACK;
pub use learned::{Learned, learned};
pub use meet::{Agreement, Contradicted, Explored, Extent, Seen, seen};
pub use others::{Other, OtherAnswer, others, sizes_text};
pub use prove::{Claim, claim};
pub use solvers::solvers;
pub use subject::{Question, Subject, Written};
pub use verdict::{Evidence, Exploration, Proof, Proved, Reason, Safe, Scope, Unknown, Unsafe, Verdict};
