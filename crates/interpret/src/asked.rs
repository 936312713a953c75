//! What the inputs of a run were for: enough to make the same run elsewhere.

use crate::observe::Edge;
use system::Span;
use system::program::{Bits, ProcedureId, Scalar};

/// An input of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    pub scalar: Scalar,
    pub value: i128,
    pub purpose: Purpose,
    /// The step that asked, and whose it is.
    pub span: Span,
    pub procedure: Option<ProcedureId>,
}

/// Why a program asked for an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The step of this edge chooses a value.
    Choice { edge: Option<Edge> },
    /// What a procedure returned that nobody knows, by the number of the call among calls of such.
    Result { call: usize },
    /// What such a procedure left behind a pointer that it was given, so many bytes behind it.
    Written {
        call: usize,
        argument: usize,
        offset: u64,
        bits: Option<Bits>,
    },
    /// What a variable holds that nobody gave a value, or what lies in memory that nobody wrote to.
    Uninitialised,
    /// Whether there is memory.
    Allocation,
}

/// All that a run had from outside, in order.
#[derive(Clone, Default, Debug)]
pub struct FromOutside {
    pub asked: Vec<Asked>,
    /// Calls of procedures that nobody knows.
    pub calls: Vec<ProcedureId>,
}
