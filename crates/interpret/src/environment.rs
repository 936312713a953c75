//! The purposes of the inputs of a run: what is needed to reproduce it elsewhere.

use crate::observe::EdgeId;
use system::Span;
use system::program::{Bits, ProcedureId, Scalar};

/// An input of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordedInput {
    pub scalar: Scalar,
    pub value: i128,
    pub purpose: InputPurpose,
    /// The step that requested it, and its procedure.
    pub span: Span,
    pub procedure: Option<ProcedureId>,
}

/// Why a program requested an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputPurpose {
    /// The step of this edge makes a nondeterministic choice.
    Choice { edge: Option<EdgeId> },
    /// The result of an external procedure, by the index of the call among such calls.
    Result { call: usize },
    /// A write of such a procedure through a pointer argument, at this offset.
    Written {
        call: usize,
        argument: usize,
        offset: u64,
        bits: Option<Bits>,
    },
    /// The content of an uninitialized variable or of uninitialized memory.
    Uninitialized,
    /// Whether an allocation succeeds.
    Allocation,
}

/// All that a run had from outside, in order.
#[derive(Clone, Default, Debug)]
pub struct RunEnvironment {
    pub asked: Vec<RecordedInput>,
    /// The calls of external procedures.
    pub calls: Vec<ProcedureId>,
}
