//! Runs that are watched: what each step reads and writes, for checks of what analyses say.

use crate::code::{Body, Callee, EdgeOrigin, Node, Operation};
use crate::inputs::Inputs;
use crate::memory::Origin;
use crate::outcome::{End, Fault, Limits, Outcome};
use crate::run::{Executable, Machine};
use crate::word::Word;
use rustc_hash::FxHashMap;
use system::program::{Library, LocationId, ProcedureId, VariableId};

/// An edge of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    pub procedure: ProcedureId,
    pub location: LocationId,
    pub number: u32,
}

/// What was pointed at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Touched {
    Variable(VariableId),
    Procedure(ProcedureId),
    /// Made by the call of an allocator on this edge.
    Allocated(Edge),
    /// The arguments behind the parameters of a call of this procedure.
    Further(ProcedureId),
}

/// What a step pointed at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub edge: Edge,
    /// Of a call of the library: which argument it was. None where the step itself read, wrote or called it.
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
    /// Objects that are no variables, by index and generation.
    made: FxHashMap<(usize, u32), Touched>,
}

impl Executable<'_> {
    /// Runs it once, and tells somebody what each step reads, writes and calls. Registers are not told of: nothing
    /// points at them.
    pub fn run_observed(&self, inputs: &mut dyn Inputs, limits: &Limits, observer: &mut dyn Observer) -> Outcome {
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
    /// Runs one step, and tells what it touched.
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

    fn note_made(&mut self, edge: Edge, callee: Option<ProcedureId>, made: &[Word]) {
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

    fn tell_pointer(&mut self, edge: Edge, argument: Option<usize>, pointer: Word) {
        let touched = match self.memory.origin(pointer) {
            Some(Origin::Variable(variable)) => Some(Touched::Variable(variable)),
            Some(Origin::Allocated | Origin::Call | Origin::Outside | Origin::Fixed) => {
                let observation = self.observation.as_ref();
                observation.and_then(|seen| seen.made.get(&(pointer.index(), pointer.generation())).copied())
            }
            None => pointer.as_procedure().map(Touched::Procedure),
        };
        if let Some(touched) = touched {
            self.tell(edge, argument, touched, pointer.offset());
        }
    }

    fn tell(&mut self, edge: Edge, argument: Option<usize>, touched: Touched, offset: u64) {
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

pub(crate) fn edge_of(origin: &EdgeOrigin) -> Option<Edge> {
    Some(Edge {
        procedure: origin.procedure,
        location: origin.location,
        number: origin.edge?,
    })
}
