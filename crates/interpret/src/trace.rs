//! The trace of a run as data; printing it is up to the caller.

use crate::memory::MemoryOrigin;
use std::collections::VecDeque;
use system::Span;
use system::program::{LocationId, ProcedureId, TypeId, VariableId};

/// The last steps of a run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub events: VecDeque<TraceEvent>,
    /// The number of earlier steps that were dropped.
    pub left_out: u64,
}

/// One step.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceEvent {
    /// The depth of the call stack.
    pub depth: usize,
    pub procedure: ProcedureId,
    pub location: LocationId,
    /// The index of the edge taken; none for a return and for the end of the program.
    pub edge: Option<u32>,
    pub span: Span,
    pub change: Option<TraceChange>,
    /// The called procedure and its arguments.
    pub call: Option<(ProcedureId, Vec<TraceValue>)>,
    /// The name of an input that was read.
    pub input: Option<String>,
    pub is_return: bool,
}

/// A place and its new content.
#[derive(Clone, PartialEq, Debug)]
pub struct TraceChange {
    pub place: ChangedPlace,
    pub type_id: TypeId,
    pub value: TraceValue,
    /// Of a record or an array: its first scalars that changed.
    pub members: Vec<(Vec<Member>, TraceValue)>,
}

/// A selector from a whole to its part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// By its index.
    Field(usize),
    Element(u64),
}

/// The place of a change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ChangedPlace {
    /// The whole variable.
    Variable(VariableId),
    /// Part of an object.
    Object { origin: MemoryOrigin, offset: u64 },
}

/// A value in printable form.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TraceValue {
    Undefined,
    Integer(i128),
    Float(f64),
    Null,
    /// A dangling pointer.
    Number(u64),
    Procedure(ProcedureId),
    /// A pointer into a live object.
    Object {
        origin: MemoryOrigin,
        offset: u64,
    },
    /// A pointer into a dead object.
    Dead,
    /// A record or an array.
    Whole,
}

impl Trace {
    pub(crate) fn push(&mut self, event: TraceEvent, most: usize) {
        if self.events.len() >= most {
            self.events.pop_front();
            self.left_out += 1;
        }
        self.events.push_back(event);
    }
}
