//! The data in the middle: what front ends make and engines read.
//!
//! - [`source`]: places in source text and the messages about them; [`printable`]: text that changes no terminal;
//!   [`suggest`]: what could have been meant;
//!   [`tokens`]: what the readers of small languages share;
//! - [`transition`]: the transition system over terms, for proofs about every size;
//! - [`instance`]: a finite instance as slots and code, for exploration and replay;
//! - [`reached`]: states of it that a search met;
//! - [`correspondence`]: which slot of the one is which function of the other;
//! - [`frontend`]: what a language has to offer, so that nobody asks which one it is;
//! - [`program`]: programs with procedures, for C;
//! - [`certificate`]: an invariant that proves properties;
//! - [`graph`]: graphs of states.

pub mod certificate;
pub mod correspondence;
pub mod frontend;
pub mod graph;
pub mod instance;
pub mod printable;
pub mod program;
pub mod reached;
pub mod source;
pub mod suggest;
pub mod tokens;
pub mod transition;

pub use certificate::Certificate;
pub use frontend::{Language, Model, ReadOptions, Rejected};
pub use printable::printable;
pub use reached::{ReachedStates, Successors};
pub use source::{Diagnostic, FileId, Origin, Role, Severity, SourceFile, Sources, Span};
pub use transition::TransitionSystem;
