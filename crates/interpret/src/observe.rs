//! Observed runs: the reads and writes of each step, for cross-checking static analyses.

use crate::code::{Body, Callee, EdgeOrigin, Node, Operation};
use crate::inputs::Inputs;
use crate::memory::MemoryOrigin;
use crate::outcome::{End, Fault, RunLimits, RunOutcome};
use crate::run::{Executable, Machine};
use crate::word::Word;
use rustc_hash::FxHashMap;
use system::program::{Library, LocationId, ProcedureId, VariableId};

/// An edge of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EdgeId {
    pub procedure: ProcedureId,
    pub location: LocationId,
    pub number: u32,
}

/// The target of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Touched {
    Variable(VariableId),
    Procedure(ProcedureId),
    /// Created by the allocator call on this edge.
    Allocated(EdgeId),
    /// The variadic arguments of a call of this procedure.
    Further(ProcedureId),
}

/// An access of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub edge: EdgeId,
    /// Of a library call: the index of the argument. None where the step itself accessed or called the target.
    pub argument: Option<usize>,
    pub touched: Touched,
    /// In bytes.
    pub offset: u64,
}

pub trait Observer {
    fn access(&mut self, access: &Access);
}

pub(crate) struct Observation<'a> {
    observer: &'a mut dyn Observer,
    /// Objects that are not variables, by index and generation.
    made: FxHashMap<(usize, u32), Touched>,
}

impl Executable<'_> {
    /// Runs the program once and reports the reads, writes and calls of each step. Registers are not reported, since
    /// nothing points at them.
    pub fn run_observed(&self, inputs: &mut dyn Inputs, limits: &RunLimits, observer: &mut dyn Observer) -> RunOutcome {
        let mut machine = Machine::new(self, inputs, limits);
        machine.observation = Some(Observation {
            observer,
            made: FxHashMap::default(),
        });
        machine.memory.log = Some(Box::default());
        let end = machine.run();
        machine.outcome(end)
    }
}

impl Machine<'_> {
    /// Executes one step and reports its accesses.
    pub(crate) fn observed(&mut self, node: &Node) -> Result<Option<End>, Fault> {
        let Some(edge) = self.code.edges.get(node.edge as usize).and_then(edge_of) else {
            return self.step(node);
        };
        let callee = self.callee_of(node);
        if let (Some(callee), Operation::Call(call)) = (callee, &node.operation)
            && matches!(call.callee, Callee::Pointer(_))
        {
            self.tell(edge, None, Touched::Procedure(callee), 0);
        }
        if let Some(log) = &mut self.memory.log {
            log.touched.clear();
            log.made.clear();
        }
        let result = self.step(node);
        let Some(log) = &mut self.memory.log else {
            return result;
        };
        let (touched, made) = (std::mem::take(&mut log.touched), std::mem::take(&mut log.made));
        self.note_made(edge, callee, &made);
        let is_library = callee.is_some_and(|callee| self.library_of(callee).is_some());
        for pointer in touched.iter().filter(|_| !is_library) {
            self.tell_pointer(edge, None, *pointer);
        }
        if is_library {
            for (number, (word, _)) in self.passed.clone().iter().enumerate() {
                self.tell_pointer(edge, Some(number), *word);
            }
        }
        result
    }

    fn library_of(&self, procedure: ProcedureId) -> Option<Library> {
        match self.code.frames.get(procedure.index())?.body {
            Body::Library(library) => Some(library),
            Body::Entry(_) | Body::Unknown => None,
        }
    }

    fn callee_of(&mut self, node: &Node) -> Option<ProcedureId> {
        let Operation::Call(call) = &node.operation else {
            return None;
        };
        match &call.callee {
            Callee::Procedure(procedure) => Some(*procedure),
            Callee::Pointer(pointer) => self.pointer(pointer).ok()?.as_procedure(),
        }
    }

    fn note_made(&mut self, edge: EdgeId, callee: Option<ProcedureId>, made: &[Word]) {
        let Some(callee) = callee else { return };
        let touched = match self.library_of(callee) {
            Some(_) => Touched::Allocated(edge),
            None => Touched::Further(callee),
        };
        if let Some(observation) = &mut self.observation {
            for word in made {
                observation.made.insert((word.index(), word.generation()), touched);
            }
        }
    }

    fn tell_pointer(&mut self, edge: EdgeId, argument: Option<usize>, pointer: Word) {
        let touched = match self.memory.origin(pointer) {
            Some(MemoryOrigin::Variable(variable)) => Some(Touched::Variable(variable)),
            Some(MemoryOrigin::Allocated | MemoryOrigin::Call | MemoryOrigin::Outside | MemoryOrigin::Fixed) => {
                let observation = self.observation.as_ref();
                observation.and_then(|seen| seen.made.get(&(pointer.index(), pointer.generation())).copied())
            }
            None => pointer.as_procedure().map(Touched::Procedure),
        };
        if let Some(touched) = touched {
            self.tell(edge, argument, touched, pointer.offset());
        }
    }

    fn tell(&mut self, edge: EdgeId, argument: Option<usize>, touched: Touched, offset: u64) {
        if let Some(observation) = &mut self.observation {
            observation.observer.access(&Access {
                edge,
                argument,
                touched,
                offset,
            });
        }
    }
}

pub(crate) fn edge_of(origin: &EdgeOrigin) -> Option<EdgeId> {
    Some(EdgeId {
        procedure: origin.procedure,
        location: origin.location,
        number: origin.edge?,
    })
}
