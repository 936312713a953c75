//! The data structures between front ends and engines.
//!
//! - [`source`]: spans and diagnostics; [`printable`]: text that is safe to print on a terminal; [`suggest`]: spelling
//!   suggestions; [`tokens`]: a token cursor for the parsers of small languages;
//! - [`transition`]: transition systems over terms, for proofs about every size;
//! - [`instance`]: finite instances as slots and code, for exploration and replay;
//! - [`reached`]: sampled reachable states of an instance;
//! - [`correspondence`]: which slot of an instance is which function of a transition system;
//! - [`frontend`]: the interface of a front end, which makes everything downstream independent of the language;
//! - [`program`]: programs with procedures, for C;
//! - [`certificate`]: an invariant that proves properties;
//! - [`graph`]: state graphs.

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
