//! Symbolic execution of one step.

use crate::Call;
use crate::contexts::{ContextId, Node};
use crate::machine::{ChoiceKind, Machine, equal};
use crate::numbers::constant;
use crate::objects::ObjectId;
use crate::places::{Region, Regions};
use crate::values::integer_of;
use analysis::points_to::Object as Target;
use logic::substitute::functions_of;
use logic::{Term, term};
use std::collections::BTreeSet;
use system::program::{
    Argument, Body, Callee, Edge, Library, LocationId, Place, Procedure, ProcedureId, Scalar, Step, Type, Undefined,
    Value, VariableId,
};

/// The result of a step: its condition and its target. The new state is the machine's.
pub(crate) struct Taken {
    pub(crate) condition: Term,
    /// None where the run ends.
    pub(crate) to: Option<Node>,
}

impl<'p> Machine<'p, '_> {
    /// The resolutions of an edge: one, or one for each procedure that a call through a pointer may reach.
    pub(crate) fn ways(&self, context: ContextId, location: LocationId, number: usize) -> Vec<Option<ProcedureId>> {
        let edges = self.contexts.edges(context, location);
        match edges.get(number).map(|edge| &edge.step) {
            Some(Step::Call {
                callee: Callee::Procedure(procedure),
                ..
            }) => vec![Some(*procedure)],
            Some(Step::Call { .. }) => {
                // None: the pointer points at no known procedure.
                let callees = self.contexts.callees(context, location, number);
                callees.into_iter().map(Some).chain([None]).collect()
            }
            _ => vec![None],
        }
    }

    /// Takes an edge; a call goes to `callee`.
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
                self.make_uninitialized(object);
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
                    condition = self.pointer_calls(pointer, self.contexts.callees(context, location, number), callee);
                }
                match callee {
                    Some(callee) => {
                        let call = (callee, arguments.as_slice(), result.as_ref());
                        to = self.call((context, location, number), call, edge, &mut condition);
                    }
                    None => self.call_external(None, arguments, result.as_ref()),
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
        let (regions, access) = self.resolve_unchecked(target);
        self.note_access(&regions, &access, None);
        self.note_write(&regions, &access);
        self.write(&regions, scalar, value);
    }

    /// Marks an object as uninitialized.
    pub(crate) fn make_uninitialized(&mut self, object: ObjectId) {
        for (cell, _) in self.objects.overlapping(object, 0, None) {
            self.havoc_if(term::bool(true), cell, ChoiceKind::Uninitialized);
            if let Some(walk) = &mut self.walk {
                walk.uninitialized.insert(cell);
            }
        }
    }

    /// Whether a pointer points at `callee`, or at none of the known procedures and is not null.
    fn pointer_calls(&mut self, pointer: Term, known: Vec<ProcedureId>, callee: Option<ProcedureId>) -> Term {
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
                .call_library(*library, site, arguments, result, condition)
                .then_some(Node::At(context, edge.to)),
            Body::Unknown => {
                self.call_external(Some(callee), arguments, result);
                Some(Node::At(context, edge.to))
            }
        }
    }

    /// Binds parameters to arguments; all other variables of the call start uninitialized.
    fn bind(&mut self, child: ContextId, procedure: &'p Procedure, arguments: &[Argument]) {
        let mut scalars: Vec<(VariableId, Scalar, Term)> = Vec::new();
        for (parameter, argument) in procedure.parameters.iter().zip(arguments) {
            match argument {
                Argument::Scalar(value) => {
                    let scalar = value.scalar();
                    scalars.push((*parameter, scalar, self.value(value)));
                }
                Argument::Record(place) => {
                    let source = self.resolve(place);
                    let target = self.whole_variable(child, *parameter);
                    self.copy_regions(&target, &source);
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
            self.make_uninitialized(object);
        }
        for (parameter, scalar, value) in scalars {
            let target = self.whole_variable(child, parameter);
            self.write(&target, scalar, value);
        }
    }

    /// The region of a whole variable.
    fn whole_variable(&mut self, context: ContextId, variable: VariableId) -> Regions {
        let object = self.variable_in(context, variable);
        Regions {
            candidates: vec![Region {
                condition: term::bool(true),
                object,
                offset: Some(0),
            }],
            elsewhere: term::bool(false),
            type_id: self.program[variable].type_id,
            bits: None,
        }
    }

    /// Returns from a call: stores its result and drops its variables.
    pub(crate) fn return_from_call(&mut self, context: ContextId) -> Option<Node> {
        let to = self.store_call_result(context)?;
        self.leave(context);
        Some(to)
    }

    /// Stores the result of a call where the caller expects it.
    pub(crate) fn store_call_result(&mut self, context: ContextId) -> Option<Node> {
        let (caller, edge) = self.contexts.call_of(context)?;
        let procedure = &self.program[self.contexts[context].procedure];
        self.requirements.clear();
        if let (
            Step::Call {
                result: Some(place), ..
            },
            Some(result),
        ) = (&edge.step, procedure.result)
        {
            let source = self.whole_variable(context, result);
            self.context = caller;
            let target = self.resolve(place);
            match self.program.types.scalar(source.type_id) {
                Some(scalar) => {
                    let value = self.read_regions(&source, scalar);
                    self.write(&target, scalar, value);
                }
                None => self.copy_regions(&target, &source),
            }
        }
        Some(Node::At(caller, edge.to))
    }

    /// Drops the variables of a call.
    pub(crate) fn leave(&mut self, context: ContextId) {
        let objects = &self.objects;
        self.state.retain(|cell, _| !objects.is_of(*cell, context));
    }

    fn store_result(&mut self, result: Option<&Place>, value: impl FnOnce(&mut Self, Scalar) -> Term) {
        let Some(place) = result else { return };
        let regions = self.resolve(place);
        match self.program.types.scalar(regions.type_id) {
            Some(scalar) => {
                let value = value(self, scalar);
                self.write(&regions, scalar, value);
            }
            None => self.havoc_regions(&regions),
        }
    }

    /// Models a library function. False where the run ends.
    fn call_library(
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
            Library::Input => self.store_result(result, |machine, scalar| {
                machine.choose(Some(scalar), ChoiceKind::Input)
            }),
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
                self.store_result(result, |_, _| term::ite(is_there, pointer, term::int(0)));
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
                    self.store_result(result, |_, _| pointer);
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
                // Otherwise the target is havocked.
                for argument in arguments.iter().take(1).filter(|_| !is_copied) {
                    self.havoc_pointees(argument);
                }
                let pointer = scalar(0).map(|target| self.value(target));
                self.store_result(result, |machine, _| match (library, pointer) {
                    (Library::Reallocate, _) | (_, None) => machine.choose(None, ChoiceKind::Approximation),
                    (_, Some(pointer)) => pointer,
                });
            }
            Library::VariadicStart => {
                for argument in arguments {
                    self.havoc_pointees(argument);
                }
            }
            Library::Unspecified => self.store_result(result, |machine, scalar| {
                machine.choose(Some(scalar), ChoiceKind::Unspecified)
            }),
            Library::Print | Library::PutLine | Library::PutCharacter => {
                self.store_result(result, |machine, scalar| {
                    machine.choose(Some(scalar), ChoiceKind::Approximation)
                });
            }
        }
        true
    }

    /// False where the regions or the size are unknown.
    fn copy_memory(&mut self, target: &Value, source: &Value, size: &Value) -> bool {
        let size = self.value(size);
        let Some(bytes) = constant(size).and_then(|size| u64::try_from(size).ok()) else {
            self.note_bytes(&[target, source], size);
            return false;
        };
        let byte = self.byte_type();
        let [target, source] = [target, source].map(|pointer| Place::at(pointer.clone(), byte));
        let [(target, written), (source, read)] = [target, source].map(|place| self.resolve_unchecked(&place));
        self.note_access(&target, &written, Some(size));
        self.note_access(&source, &read, Some(size));
        self.note_write(&target, &written);
        self.copy_bytes(&target, &source, bytes)
    }

    fn set_memory(&mut self, target: &Value, byte: Term, size: Term) {
        let place = Place::at(target.clone(), self.byte_type());
        let (regions, access) = self.resolve_unchecked(&place);
        self.note_access(&regions, &access, Some(size));
        self.note_write(&regions, &access);
        let size = constant(size).and_then(|size| u64::try_from(size).ok());
        let byte = constant(byte).map(|byte| byte & 0xff);
        for region in &regions.candidates {
            let bytes = size.filter(|_| region.offset.is_some());
            for (cell, is_whole) in self
                .objects
                .overlapping(region.object, region.offset.unwrap_or(0), bytes)
            {
                let found = &self.objects[cell];
                match (byte, found.bits) {
                    (Some(0), _) if is_whole && bytes.is_some() => self.set_if(region.condition, cell, term::int(0)),
                    (Some(byte), None) if is_whole && bytes.is_some() && found.scalar != Scalar::Pointer => {
                        let repeated = (0..found.bytes).fold(0i128, |number, _| number << 8 | byte);
                        let value = integer_of(found.scalar).wrap(repeated);
                        self.set_if(region.condition, cell, term::int(value));
                    }
                    _ => self.havoc_if(region.condition, cell, ChoiceKind::Approximation),
                }
            }
        }
    }

    /// Some type of one byte.
    pub(crate) fn byte_type(&self) -> system::program::TypeId {
        let bytes = (0..).map(system::program::TypeId).take(self.program.types.count());
        let is_byte = |id: &system::program::TypeId| self.program.types.size(*id) == Some(1);
        bytes.into_iter().find(is_byte).unwrap_or(system::program::TypeId(0))
    }

    /// Havocs what an argument points at directly.
    fn havoc_pointees(&mut self, argument: &Argument) {
        let Argument::Scalar(value) = argument else { return };
        let targets = self.contexts.points_to.value(self.program, value);
        let objects: BTreeSet<Target> = targets.iter().map(|target| target.object).collect();
        self.havoc_objects(&objects);
        if !self.contexts.points_to.numbered().is_empty() {
            let pointer = self.value(value);
            let known: Vec<Target> = objects.into_iter().collect();
            for (object, is_inside) in self.cast_targets(pointer, &known) {
                self.havoc_object(is_inside, object);
            }
        }
    }

    fn havoc_objects(&mut self, objects: &BTreeSet<Target>) {
        for target in objects {
            if let Target::Variable(variable) = target
                && self.program[*variable].is_constant
            {
                continue;
            }
            for object in self.instances(*target) {
                self.havoc_object(term::bool(true), object);
            }
        }
    }

    /// Calls an external procedure: it returns an arbitrary value and havocs everything that it may reach.
    fn call_external(&mut self, callee: Option<ProcedureId>, arguments: &[Argument], result: Option<&Place>) {
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
                        objects.extend(self.pointees_in(target.object));
                    }
                }
            }
        }
        self.add_reachable(&mut objects);
        let passed = self.scalar_arguments(arguments);
        self.havoc_objects(&objects);
        if let (Some(callee), true) = (callee, self.walk.is_some()) {
            self.ask_for_pointees(callee, arguments);
        }
        let mut returned = None;
        self.store_result(result, |machine, scalar| {
            let chosen = machine.choose(Some(scalar), ChoiceKind::Input);
            returned = functions_of(chosen).into_iter().next();
            chosen
        });
        self.called = callee.map(|callee| Call {
            callee,
            arguments: passed,
            result: returned,
        });
    }

    /// The scalar arguments, where calls are recorded.
    fn scalar_arguments(&mut self, arguments: &[Argument]) -> Vec<Option<Term>> {
        if !self.records_calls {
            return Vec::new();
        }
        let scalar = |argument: &Argument| match argument {
            Argument::Scalar(value) => Some(self.value(value)),
            Argument::Record(_) => None,
        };
        arguments.iter().map(scalar).collect()
    }

    /// In a walk: reads inputs for what the parameters point at directly.
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

    /// Adds everything reachable from the objects.
    fn add_reachable(&self, objects: &mut BTreeSet<Target>) {
        let mut pending: Vec<Target> = objects.iter().copied().collect();
        while let Some(object) = pending.pop() {
            for target in self.pointees_in(object) {
                if objects.insert(target) {
                    pending.push(target);
                }
            }
        }
    }

    /// The objects that pointers anywhere in an object may point at.
    fn pointees_in(&self, object: Target) -> BTreeSet<Target> {
        self.contexts
            .points_to
            .everything(object)
            .iter()
            .map(|target| target.object)
            .collect()
    }
}
