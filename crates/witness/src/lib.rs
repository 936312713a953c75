//! Witnesses of SV-COMP, format 2.0 (YAML): plain data, written and read. What they say about a program is held against
//! it elsewhere.
//!
//! - a *violation witness* is a sequence of waypoints that a run passes, the last of which is the violation;
//! - a *correctness witness* is a set of invariants, as C expressions, each at a place.

mod read;
mod write;
mod yaml;

pub use read::read;
pub use write::write;

use system::Span;

/// What a file says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub task: Task,
    pub content: Content,
}

/// What a witness is about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Task {
    pub file: String,
    /// SHA-256, in hexadecimal digits.
    pub digest: String,
    pub digest_span: Span,
    /// As property files have it.
    pub specification: String,
    pub specification_span: Span,
    /// `ILP32` or `LP64`.
    pub data_model: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Those that are to be followed, in order.
    Violation(Vec<Waypoint>),
    Invariants(Vec<Invariant>),
}

/// A place in the program, counted from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub line: usize,
    /// None: anywhere in the line.
    pub column: Option<usize>,
    pub function: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    pub kind: WaypointKind,
    pub location: Location,
    /// In the witness.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    /// This C expression holds before the statement at the location.
    Assumption(String),
    /// The branch that is taken: `true`, `false`, or a value of `switch`.
    Branching(String),
    /// The closing parenthesis of a call, after which the constraint holds of `\result`.
    FunctionReturn(String),
    /// The closing parenthesis of a call that begins.
    FunctionEnter,
    /// The violation.
    Target,
}

impl WaypointKind {
    pub fn name(&self) -> &'static str {
        match self {
            WaypointKind::Assumption(_) => "assumption",
            WaypointKind::Branching(_) => "branching",
            WaypointKind::FunctionReturn(_) => "function_return",
            WaypointKind::FunctionEnter => "function_enter",
            WaypointKind::Target => "target",
        }
    }
}

/// What holds at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Whenever the head of the loop that begins there is reached; else, before the statement there.
    pub is_of_loop: bool,
    pub location: Location,
    /// A C expression.
    pub value: String,
    /// In the witness.
    pub span: Span,
}
