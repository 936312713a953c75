//! What a run did, step by step. Data only: whoever prints it finds the words.

use crate::memory::Origin;
use std::collections::VecDeque;
use system::Span;
use system::program::{LocationId, ProcedureId, TypeId, VariableId};

/// The last steps of a run, as many as were asked for.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub events: VecDeque<Event>,
    /// Steps before the first that is kept.
    pub left_out: u64,
}

/// One step.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// How many calls it is inside of.
    pub depth: usize,
    pub procedure: ProcedureId,
    pub location: LocationId,
    /// Which edge of the location was taken; none where a call returned, or where the program ended.
    pub edge: Option<u32>,
    pub span: Span,
    pub change: Option<Change>,
    /// The procedure that was called, with its arguments.
    pub call: Option<(ProcedureId, Vec<Known>)>,
    /// The name of an input that was read.
    pub input: Option<String>,
    pub is_return: bool,
}

/// A place with what it holds from now on.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub place: Changed,
    pub type_id: TypeId,
    pub value: Known,
    /// Of a record or an array: its first scalars that are not what they were before.
    pub members: Vec<(Vec<Member>, Known)>,
}

/// A step on the way from a whole to its part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// By its number.
    Field(usize),
    Element(u64),
}

/// Where something was changed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Changed {
    /// The whole variable.
    Variable(VariableId),
    /// Part of an object.
    Object { origin: Origin, offset: u64 },
}

/// A value, as one can tell another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Known {
    Undefined,
    Integer(i128),
    Float(f64),
    Null,
    /// A pointer that points at nothing.
    Number(u64),
    Procedure(ProcedureId),
    /// A pointer into an object that lives.
    Object {
        origin: Origin,
        offset: u64,
    },
    /// A pointer into an object that is dead.
    Dead,
    /// A record or an array.
    Whole,
}

impl Trace {
    pub(crate) fn push(&mut self, event: Event, most: usize) {
        if self.events.len() >= most {
            self.events.pop_front();
            self.left_out += 1;
        }
        self.events.push_back(event);
    }
}
