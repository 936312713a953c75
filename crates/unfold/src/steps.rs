//! What a step makes of the state.

use crate::Call;
use crate::contexts::{ContextId, Node};
use crate::machine::{Chosen, Machine, equal};
use crate::numbers::constant;
use crate::objects::ObjectId;
use crate::places::{Spot, Spots};
use crate::values::integer_of;
use analysis::points_to::Object as Target;
use logic::substitute::functions_of;
use logic::{Term, term};
use std::collections::BTreeSet;
use system::program::{
    Argument, Body, Callee, Edge, Library, LocationId, Place, Procedure, ProcedureId, Scalar, Step, Type, Undefined,
    Value, VariableId,
};

/// Where a step leads, under which condition: the state is the machine's afterwards.
pub(crate) struct Taken {
    pub(crate) condition: Term,
    /// None where the program ends or stays.
    pub(crate) to: Option<Node>,
}

impl<'p> Machine<'p, '_> {
    /// The ways to take an edge: one, or one for each procedure that a pointer may call.
    pub(crate) fn ways(&self, context: ContextId, location: LocationId, number: usize) -> Vec<Option<ProcedureId>> {
        let edges = self.contexts.edges(context, location);
        match edges.get(number).map(|edge| &edge.step) {
            Some(Step::Call {
                callee: Callee::Procedure(procedure),
                ..
            }) => vec![Some(*procedure)],
            Some(Step::Call { .. }) => {
                // Or none of those that are known.
                let callees = self.contexts.callees(context, location, number);
                callees.into_iter().map(Some).chain([None]).collect()
            }
            _ => vec![None],
        }
    }

    /// Takes an edge. `callee` is whom it calls.
    pub(crate) fn take(
        &mut self,
        context: ContextId,
        location: LocationId,
        number: usize,
        callee: Option<ProcedureId>,
    ) -> Taken {
        self.context = context;
        self.requirements.clear();
        let edge: &'p Edge = &self.contexts.edges(context, location)[number];
        let mut condition = term::bool(true);
        let mut to = Some(Node::At(context, edge.to));
        match &edge.step {
            Step::Skip | Step::Leave(_) => {}
            Step::Assume {
                condition: value,
                holds,
                ..
            } => {
                let truth = self.truth(value);
                condition = if *holds { truth } else { term::not(truth) };
            }
            Step::Assign { target, value } => self.assign(target, value),
            Step::Copy { target, source } => self.copy(target, source),
            Step::Choose { target, .. } => self.choose_place(target),
            Step::Enter(variable) => {
                let object = self.variable(*variable);
                self.forget_uninitialised(object);
            }
            Step::Violate(property) => to = Some(Node::Violated(*property)),
            Step::Call {
                callee: by,
                arguments,
                result,
            } => {
                if let Callee::Pointer(pointer) = by {
                    let (called, pointer) = (pointer, self.value(pointer));
                    self.note_call(called, pointer, &self.contexts.callees(context, location, number));
                    condition = self.calls(pointer, self.contexts.callees(context, location, number), callee);
                }
                match callee {
                    Some(callee) => {
                        let call = (callee, arguments.as_slice(), result.as_ref());
                        to = self.call((context, location, number), call, edge, &mut condition);
                    }
                    None => self.unknown(None, arguments, result.as_ref()),
                }
            }
        }
        let requirements = std::mem::take(&mut self.requirements);
        Taken {
            condition: term::and([condition].into_iter().chain(requirements)),
            to,
        }
    }

    fn assign(&mut self, target: &Place, value: &Value) {
        let scalar = value.scalar();
        let value = self.value(value);
        let (spots, reached) = self.reached(target);
        self.note_access(&spots, &reached, None);
        self.note_write(&spots, &reached);
        self.write(&spots, scalar, value);
    }

    /// Nobody has given the cells of an object a value.
    pub(crate) fn forget_uninitialised(&mut self, object: ObjectId) {
        for (cell, _) in self.objects.overlapping(object, 0, None) {
            self.forget_if(term::bool(true), cell, Chosen::Uninitialised);
            if let Some(walk) = &mut self.walk {
                walk.unwritten.insert(cell);
            }
        }
    }

    /// Whether a pointer calls this one, or, of these, none. Null calls nobody.
    fn calls(&mut self, pointer: Term, known: Vec<ProcedureId>, callee: Option<ProcedureId>) -> Term {
        match callee {
            Some(callee) => equal(pointer, self.address_of_procedure(callee)),
            None => {
                let mut addresses = vec![term::int(0)];
                addresses.extend(known.into_iter().map(|callee| self.address_of_procedure(callee)));
                term::and(addresses.into_iter().map(|address| term::not(equal(pointer, address))))
            }
        }
    }

    fn call(
        &mut self,
        site: (ContextId, LocationId, usize),
        (callee, arguments, result): (ProcedureId, &[Argument], Option<&Place>),
        edge: &Edge,
        condition: &mut Term,
    ) -> Option<Node> {
        let (context, location, number) = site;
        let procedure: &'p Procedure = &self.program[callee];
        match &procedure.body {
            Body::Automaton(automaton) => {
                let Some(child) = self.contexts.child(context, location, number, callee) else {
                    return Some(Node::TooDeep);
                };
                self.bind(child, procedure, arguments);
                Some(Node::At(child, automaton.entry))
            }
            Body::Library(library) => self
                .library(*library, site, arguments, result, condition)
                .then_some(Node::At(context, edge.to)),
            Body::Unknown => {
                self.unknown(Some(callee), arguments, result);
                Some(Node::At(context, edge.to))
            }
        }
    }

    /// Parameters get their arguments; whatever else the call has of its own holds nothing yet.
    fn bind(&mut self, child: ContextId, procedure: &'p Procedure, arguments: &[Argument]) {
        let mut scalars: Vec<(VariableId, Scalar, Term)> = Vec::new();
        for (parameter, argument) in procedure.parameters.iter().zip(arguments) {
            match argument {
                Argument::Scalar(value) => {
                    let scalar = value.scalar();
                    scalars.push((*parameter, scalar, self.value(value)));
                }
                Argument::Record(place) => {
                    let source = self.spots(place);
                    let target = self.whole(child, *parameter);
                    self.copy_spots(&target, &source);
                }
            }
        }
        let missing = procedure
            .parameters
            .iter()
            .skip(arguments.len())
            .chain(&procedure.result);
        for variable in missing {
            let object = self.variable_in(child, *variable);
            self.forget_uninitialised(object);
        }
        for (parameter, scalar, value) in scalars {
            let target = self.whole(child, parameter);
            self.write(&target, scalar, value);
        }
    }

    /// A variable of a context as a place.
    fn whole(&mut self, context: ContextId, variable: VariableId) -> Spots {
        let object = self.variable_in(context, variable);
        Spots {
            spots: vec![Spot {
                condition: term::bool(true),
                object,
                offset: Some(0),
            }],
            elsewhere: term::bool(false),
            type_id: self.program[variable].type_id,
            bits: None,
        }
    }

    /// A call ends: its result goes to where the caller wants it, and its variables are gone.
    pub(crate) fn give_back(&mut self, context: ContextId) -> Option<Node> {
        let to = self.give_result(context)?;
        self.leave(context);
        Some(to)
    }

    /// The result of a call goes to where the caller wants it.
    pub(crate) fn give_result(&mut self, context: ContextId) -> Option<Node> {
        let (caller, edge) = self.contexts.call_of(context)?;
        let procedure = &self.program[self.contexts.get(context).procedure];
        self.requirements.clear();
        if let (
            Step::Call {
                result: Some(place), ..
            },
            Some(result),
        ) = (&edge.step, procedure.result)
        {
            let source = self.whole(context, result);
            self.context = caller;
            let target = self.spots(place);
            match self.program.types.scalar(source.type_id) {
                Some(scalar) => {
                    let value = self.read_spots(&source, scalar);
                    self.write(&target, scalar, value);
                }
                None => self.copy_spots(&target, &source),
            }
        }
        Some(Node::At(caller, edge.to))
    }

    /// The variables of a call are gone.
    pub(crate) fn leave(&mut self, context: ContextId) {
        let objects = &self.objects;
        self.state.retain(|cell, _| !objects.is_of(*cell, context));
    }

    fn give(&mut self, result: Option<&Place>, value: impl FnOnce(&mut Self, Scalar) -> Term) {
        let Some(place) = result else { return };
        let spots = self.spots(place);
        match self.program.types.scalar(spots.type_id) {
            Some(scalar) => {
                let value = value(self, scalar);
                self.write(&spots, scalar, value);
            }
            None => self.forget_spots(&spots),
        }
    }

    /// Whether the program goes on.
    fn library(
        &mut self,
        library: Library,
        site: (ContextId, LocationId, usize),
        arguments: &[Argument],
        result: Option<&Place>,
        condition: &mut Term,
    ) -> bool {
        let scalar = |position: usize| match arguments.get(position) {
            Some(Argument::Scalar(value)) => Some(value),
            _ => None,
        };
        match library {
            Library::Input => self.give(result, |machine, scalar| machine.choose(Some(scalar), Chosen::Input)),
            Library::Assume => {
                if let Some(value) = scalar(0) {
                    let truth = self.truth(value);
                    *condition = term::and([*condition, truth]);
                }
            }
            Library::Abort | Library::Exit => return false,
            Library::Unreachable => {
                self.require(Undefined::Unreachable, term::bool(false));
                return false;
            }
            Library::Allocate | Library::AllocateZero | Library::AllocateLocal => {
                let sizes = [0, 1].map(|position| scalar(position).map(|size| self.value(size)));
                let pointer = self.allocate(site, library == Library::AllocateZero);
                let is_there = self.can_be_allocated(library, sizes);
                self.give(result, |_, _| term::ite(is_there, pointer, term::int(0)));
            }
            Library::Free => {
                if let Some(pointer) = scalar(0) {
                    self.note_free(pointer);
                }
            }
            Library::VariadicEnd => {}
            Library::MemorySet => {
                if let (Some(target), Some(byte), Some(size)) = (scalar(0), scalar(1), scalar(2)) {
                    let (byte, size) = (self.value(byte), self.value(size));
                    self.set_memory(target, byte, size);
                    let pointer = self.value(target);
                    self.give(result, |_, _| pointer);
                }
            }
            Library::MemoryCopy | Library::MemoryMove | Library::Reallocate => {
                let is_copied = match (library, scalar(0), scalar(1), scalar(2)) {
                    (Library::MemoryCopy | Library::MemoryMove, Some(target), Some(source), Some(size)) => {
                        self.copy_memory(target, source, size)
                    }
                    (Library::Reallocate, Some(pointer), ..) => {
                        self.note_free(pointer);
                        false
                    }
                    _ => false,
                };
                // Else what is there now is not followed, only that it changed.
                for argument in arguments.iter().take(1).filter(|_| !is_copied) {
                    self.forget_behind(argument);
                }
                let pointer = scalar(0).map(|target| self.value(target));
                self.give(result, |machine, _| match (library, pointer) {
                    (Library::Reallocate, _) | (_, None) => machine.choose(None, Chosen::Approximation),
                    (_, Some(pointer)) => pointer,
                });
            }
            Library::VariadicStart => {
                for argument in arguments {
                    self.forget_behind(argument);
                }
            }
            Library::Unspecified => {
                self.give(result, |machine, scalar| {
                    machine.choose(Some(scalar), Chosen::Unspecified)
                });
            }
            Library::Print | Library::PutLine | Library::PutCharacter => {
                self.give(result, |machine, scalar| {
                    machine.choose(Some(scalar), Chosen::Approximation)
                });
            }
        }
        true
    }

    /// False where it is not known what is copied to where.
    fn copy_memory(&mut self, target: &Value, source: &Value, size: &Value) -> bool {
        let size = self.value(size);
        let Some(bytes) = constant(size).and_then(|size| u64::try_from(size).ok()) else {
            self.note_bytes(&[target, source], size);
            return false;
        };
        let byte = self.byte_type();
        let [target, source] = [target, source].map(|pointer| Place::at(pointer.clone(), byte));
        let [(target, reached), (source, from)] = [target, source].map(|place| self.reached(&place));
        self.note_access(&target, &reached, Some(size));
        self.note_access(&source, &from, Some(size));
        self.note_write(&target, &reached);
        self.copy_bytes(&target, &source, bytes)
    }

    fn set_memory(&mut self, target: &Value, byte: Term, size: Term) {
        let place = Place::at(target.clone(), self.byte_type());
        let (spots, reached) = self.reached(&place);
        self.note_access(&spots, &reached, Some(size));
        self.note_write(&spots, &reached);
        let size = constant(size).and_then(|size| u64::try_from(size).ok());
        let byte = constant(byte).map(|byte| byte & 0xff);
        for spot in &spots.spots {
            let bytes = size.filter(|_| spot.offset.is_some());
            for (cell, is_whole) in self.objects.overlapping(spot.object, spot.offset.unwrap_or(0), bytes) {
                let found = &self.objects.cells[cell.0 as usize];
                match (byte, found.bits) {
                    (Some(0), _) if is_whole && bytes.is_some() => self.set_if(spot.condition, cell, term::int(0)),
                    (Some(byte), None) if is_whole && bytes.is_some() && found.scalar != Scalar::Pointer => {
                        let repeated = (0..found.bytes).fold(0i128, |number, _| number << 8 | byte);
                        let value = integer_of(found.scalar).wrap(repeated);
                        self.set_if(spot.condition, cell, term::int(value));
                    }
                    _ => self.forget_if(spot.condition, cell, Chosen::Approximation),
                }
            }
        }
    }

    /// Some type of one byte, to point at any.
    pub(crate) fn byte_type(&self) -> system::program::TypeId {
        let bytes = (0..).map(system::program::TypeId).take(self.program.types.count());
        let is_byte = |id: &system::program::TypeId| self.program.types.size(*id) == Some(1);
        bytes.into_iter().find(is_byte).unwrap_or(system::program::TypeId(0))
    }

    /// What an argument points at directly holds anything.
    fn forget_behind(&mut self, argument: &Argument) {
        let Argument::Scalar(value) = argument else { return };
        let targets = self.contexts.points_to.value(self.program, value);
        let objects: BTreeSet<Target> = targets.iter().map(|target| target.object).collect();
        self.forget_objects(&objects);
        if !self.contexts.points_to.numbered().is_empty() {
            let pointer = self.value(value);
            let known: Vec<Target> = objects.into_iter().collect();
            for (object, is_inside) in self.found_out(pointer, &known) {
                self.forget_all(is_inside, object);
            }
        }
    }

    fn forget_objects(&mut self, objects: &BTreeSet<Target>) {
        for target in objects {
            if let Target::Variable(variable) = target
                && self.program[*variable].is_constant
            {
                continue;
            }
            for object in self.instances(*target) {
                self.forget_all(term::bool(true), object);
            }
        }
    }

    /// A procedure that nobody knows returns anything, and changes whatever it may reach.
    fn unknown(&mut self, callee: Option<ProcedureId>, arguments: &[Argument], result: Option<&Place>) {
        let mut objects: BTreeSet<Target> = self.contexts.points_to.all_shown().collect();
        for argument in arguments {
            match argument {
                Argument::Scalar(value) => {
                    let targets = self.contexts.points_to.value(self.program, value);
                    objects.extend(targets.iter().map(|target| target.object));
                }
                Argument::Record(place) => {
                    let targets = self.contexts.points_to.place(self.program, place);
                    for target in targets {
                        objects.extend(self.contents(target.object));
                    }
                }
            }
        }
        self.close(&mut objects);
        let passed = self.passed(arguments);
        self.forget_objects(&objects);
        if let (Some(callee), true) = (callee, self.walk.is_some()) {
            self.ask_for_pointees(callee, arguments);
        }
        let mut returned = None;
        self.give(result, |machine, scalar| {
            let chosen = machine.choose(Some(scalar), Chosen::Input);
            returned = functions_of(chosen).into_iter().next();
            chosen
        });
        self.called = callee.map(|callee| Call {
            callee,
            arguments: passed,
            result: returned,
        });
    }

    /// The scalars among arguments, where calls are told.
    fn passed(&mut self, arguments: &[Argument]) -> Vec<Option<Term>> {
        if !self.tells_calls {
            return Vec::new();
        }
        let scalar = |argument: &Argument| match argument {
            Argument::Scalar(value) => Some(self.value(value)),
            Argument::Record(_) => None,
        };
        arguments.iter().map(scalar).collect()
    }

    /// In a walk: what the parameters point at directly was filled by inputs.
    fn ask_for_pointees(&mut self, callee: ProcedureId, arguments: &[Argument]) {
        let parameters: &'p [VariableId] = &self.program[callee].parameters;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let type_id = self.program[*parameter].type_id;
            if let (Type::Pointer(pointee), Argument::Scalar(value)) = (&self.program.types[type_id], argument) {
                let pointer = self.value(value);
                self.ask_for_filled(pointer, *pointee);
            }
        }
    }

    /// With all that can be reached from them.
    fn close(&self, objects: &mut BTreeSet<Target>) {
        let mut pending: Vec<Target> = objects.iter().copied().collect();
        while let Some(object) = pending.pop() {
            for target in self.contents(object) {
                if objects.insert(target) {
                    pending.push(target);
                }
            }
        }
    }

    /// What may be pointed at from anywhere in an object.
    fn contents(&self, object: Target) -> BTreeSet<Target> {
        self.contexts
            .points_to
            .everything(object)
            .iter()
            .map(|target| target.object)
            .collect()
    }
}
