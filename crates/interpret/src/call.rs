//! Calls and returns.

use crate::code::{Argument, ArgumentType, Body, Call, Callee, Frame, Home, Node, Target};
use crate::compile::{fits, register_of_value};
use crate::environment::InputPurpose;
use crate::memory::MemoryOrigin;
use crate::outcome::{End, Fault, Limit, Unsupported};
use crate::run::{Activation, Machine};
use crate::values::format;
use crate::word::{Kind, Word};
use system::program::{ProcedureId, Scalar, Type, TypeId, Undefined};

/// An argument: its value, or a pointer to a record.
pub(crate) type Passed = (Word, ArgumentType);

impl Machine<'_> {
    pub(crate) fn call(&mut self, call: &Call, node: &Node) -> Result<Option<End>, Fault> {
        let callee = match &call.callee {
            Callee::Procedure(procedure) => *procedure,
            Callee::Pointer(pointer) => {
                let pointer = self.pointer(pointer)?;
                self.callee(pointer)?
            }
        };
        let code = self.code;
        let frame = code
            .frames
            .get(callee.index())
            .ok_or(Fault::Unsupported(Unsupported::Step))?;
        let mut passed = std::mem::take(&mut self.passed);
        passed.clear();
        for (argument, argument_type) in &call.arguments {
            let word = match argument {
                Argument::Scalar(value) => match register_of_value(value) {
                    Some(register) if self.is_lazy => self.moved_word(register)?,
                    _ => self.scalar(value)?,
                },
                Argument::Record(place) => self.pointer(place)?,
            };
            passed.push((word, *argument_type));
        }
        if !call.fits && !self.wraps && !fits(&self.program.types, frame, call) {
            return Err(Fault::Undefined(Undefined::Call));
        }
        let end = self.call_with(callee, frame, &mut passed, call, node);
        self.passed = passed;
        end
    }

    fn call_with(
        &mut self,
        callee: ProcedureId,
        frame: &Frame,
        passed: &mut [Passed],
        call: &Call,
        node: &Node,
    ) -> Result<Option<End>, Fault> {
        match frame.body {
            Body::Entry(_) => {
                if frame.is_variadic {
                    self.resolve_all(passed)?;
                }
                let further = self.further(frame, passed)?;
                self.enter(callee, self.position, further, passed)?;
                Ok(None)
            }
            Body::Library(library) => {
                self.resolve_all(passed)?;
                if let Some(end) = self.library(library, callee, passed, call)? {
                    return Ok(Some(end));
                }
                self.position = node.to;
                Ok(None)
            }
            Body::Unknown => {
                self.resolve_all(passed)?;
                self.unknown(callee, frame, passed, call)?;
                self.position = node.to;
                Ok(None)
            }
        }
    }

    /// Resolves lazy inputs among the arguments.
    fn resolve_all(&mut self, passed: &mut [Passed]) -> Result<(), Fault> {
        for (word, _) in passed {
            if let Some(input) = word.as_pending() {
                *word = self.resolved(input)?;
            }
        }
        Ok(())
    }

    fn callee(&mut self, pointer: Word) -> Result<ProcedureId, Fault> {
        match pointer.as_procedure() {
            Some(procedure) => Ok(procedure),
            None if pointer.is_null() => Err(Fault::Undefined(Undefined::NullPointer)),
            None if pointer.points_at_object() && self.memory.size(pointer).is_none() => {
                Err(Fault::Undefined(Undefined::DeadObject))
            }
            None => Err(Fault::Undefined(Undefined::InvalidPointer)),
        }
    }

    /// Stores variadic arguments one after the other in an object of their own.
    fn further(&mut self, frame: &Frame, passed: &[Passed]) -> Result<Word, Fault> {
        if !frame.is_variadic {
            return Ok(Word::UNDEFINED);
        }
        let width = self.memory.pointer_bytes() as u64;
        let arguments = passed.get(frame.parameters.len()..).unwrap_or(&[]);
        let size_of = |argument: &ArgumentType| match argument {
            ArgumentType::Scalar(Scalar::Integer(integer)) => u64::from(integer.bits.div_ceil(8)),
            ArgumentType::Scalar(Scalar::Float(float)) => float.bytes(),
            ArgumentType::Scalar(Scalar::Pointer) => width,
            ArgumentType::Record(size) => *size,
        };
        let place = |size: u64| size.div_ceil(width).saturating_mul(width);
        let size = arguments
            .iter()
            .fold(0u64, |sum, (_, argument)| sum.saturating_add(place(size_of(argument))));
        let object = self.memory.allocate(size, false, MemoryOrigin::Call)?;
        let mut offset = 0;
        for (word, argument) in arguments {
            let at = object.plus(offset);
            match argument {
                ArgumentType::Scalar(Scalar::Pointer) => self.memory.write_pointer(at, *word)?,
                ArgumentType::Scalar(scalar) => self.store_at(at, format(*scalar, None), word.bits())?,
                ArgumentType::Record(size) => self.memory.copy(at, *word, *size)?,
            }
            offset += place(size_of(argument));
        }
        Ok(object)
    }

    /// Enters a call, with a value for each parameter.
    pub(crate) fn enter(
        &mut self,
        procedure: ProcedureId,
        call: u32,
        further: Word,
        passed: &[Passed],
    ) -> Result<(), Fault> {
        let code = self.code;
        let Some(frame) = code.frames.get(procedure.index()) else {
            return Err(Fault::Unsupported(Unsupported::Step));
        };
        let Body::Entry(entry) = frame.body else {
            return Err(Fault::Unsupported(Unsupported::Step));
        };
        if self.calls.len() >= self.limits.depth {
            return Err(Fault::Limit(Limit::Depth));
        }
        let registers = self.registers.len().saturating_add(frame.registers as usize);
        if registers.saturating_mul(size_of::<Word>()) as u64 > self.limits.memory {
            return Err(Fault::Limit(Limit::Memory));
        }
        if self.calls.len() == 1 {
            for constant in self.constants.drain(..) {
                self.memory.set_constant(constant);
            }
        }
        let base = self.registers.len();
        self.registers.resize(base + frame.registers as usize, Word::UNDEFINED);
        self.calls.push(Activation {
            procedure,
            base,
            call,
            objects: self.call_objects.len(),
            further,
        });
        self.base = base;
        for (register, variable, size) in &frame.whole_call {
            let object = self.memory.allocate(*size, false, MemoryOrigin::Variable(*variable))?;
            self.set_local(*register, object);
        }
        for (parameter, (word, given)) in frame.parameters.iter().zip(passed) {
            let scalar = parameter.scalar;
            let word = match (word.as_pending(), parameter.home) {
                (Some(input), Home::Object(_)) => self.resolved(input)?,
                _ => *word,
            };
            let word = match scalar {
                Some(Scalar::Integer(integer)) if !word.is_open() => {
                    Word::number(Kind::new(integer).wrap(self.memory.number_of(word)?))
                }
                _ => word,
            };
            match (parameter.home, scalar, given) {
                (Home::Register(register), ..) => self.set_local(register, word),
                (Home::Object(register), Some(Scalar::Pointer), _) => {
                    self.memory.write_pointer(self.local(register), word)?;
                }
                (Home::Object(register), Some(scalar), _) => {
                    self.store_at(self.local(register), format(scalar, None), word.bits())?;
                }
                (Home::Object(register), None, ArgumentType::Record(size)) => {
                    self.memory.copy(self.local(register), word, *size)?;
                }
                (Home::Object(_), None, ArgumentType::Scalar(_)) | (Home::Nowhere, ..) => {}
            }
        }
        self.position = entry;
        Ok(())
    }

    /// Returns from the current call and passes its result to the caller.
    pub(crate) fn leave(&mut self) -> Result<Option<End>, Fault> {
        let code = self.code;
        let Some(activation) = self.calls.last().copied() else {
            return Ok(Some(End::Stayed));
        };
        let frame = code
            .frames
            .get(activation.procedure.index())
            .ok_or(Fault::Unsupported(Unsupported::Step))?;
        let result = frame
            .result
            .map(|(home, type_id)| (self.home_word(home), home, type_id));
        if self.calls.len() == 1 {
            let status = match result {
                Some((word, Home::Register(_), _)) if !word.is_open() => word.bits(),
                _ => 0,
            };
            return Ok(Some(End::Exited(u8::try_from(status & 0xff).unwrap_or(0))));
        }
        let node = code.nodes.get(activation.call as usize);
        let call = node.and_then(|node| match &node.operation {
            crate::code::Operation::Call(call) => Some((call, node.to)),
            _ => None,
        });
        let Some((call, to)) = call else {
            return Err(Fault::Unsupported(Unsupported::Step));
        };
        let caller = self
            .calls
            .get(self.calls.len().wrapping_sub(2))
            .map_or(0, |caller| caller.base);
        self.base = caller;
        // A fault from here on is located where the result is used.
        self.position = activation.call;
        if let Some((target, wanted)) = &call.result {
            let given = match result {
                Some((word, Home::Register(_), _)) => self.returned(word, *wanted)?,
                Some((object, Home::Object(_), type_id)) => self.returned_object(object, type_id, target)?,
                _ => Some(Word::UNDEFINED),
            };
            if let Some(word) = given {
                self.assign(target, word)?;
            }
        }
        self.release(&activation, frame);
        self.position = to;
        Ok(None)
    }

    fn returned(&self, word: Word, wanted: TypeId) -> Result<Option<Word>, Fault> {
        if word.is_undefined() && !self.wraps {
            return Err(Fault::Undefined(Undefined::MissingReturn));
        }
        Ok(Some(match self.program.types.scalar(wanted) {
            Some(Scalar::Integer(integer)) if word.is_number() => Word::number(Kind::new(integer).wrap(word.bits())),
            _ => word,
        }))
    }

    /// Returns an object in memory. Nothing is left to assign where it was copied as a whole.
    fn returned_object(&mut self, object: Word, type_id: TypeId, target: &Target) -> Result<Option<Word>, Fault> {
        match (target, self.program.types.scalar(type_id)) {
            (Target::Whole { address, bytes }, None) => {
                let address = self.pointer(address)?;
                self.memory.copy(address, object, *bytes)?;
                Ok(None)
            }
            (_, Some(Scalar::Pointer)) => Ok(Some(self.memory.read_pointer(object, self.wraps)?)),
            (_, Some(scalar)) => match self.load_at(object, format(scalar, None)) {
                Err(Fault::Undefined(Undefined::Uninitialised)) if self.wraps => Ok(Some(Word::NULL)),
                number => Ok(Some(Word::number(number?))),
            },
            (_, None) => Err(Fault::Unsupported(Unsupported::Step)),
        }
    }

    fn release(&mut self, activation: &Activation, frame: &Frame) {
        for register in &frame.objects {
            if let Some(object) = self.registers.get(activation.base + *register as usize) {
                self.memory.release(*object);
            }
        }
        for object in self
            .call_objects
            .drain(activation.objects.min(self.call_objects.len())..)
        {
            self.memory.release(object);
        }
        self.memory.release(activation.further);
        self.registers.truncate(activation.base);
        self.calls.pop();
    }

    /// The index of this call among calls of external procedures.
    pub(crate) fn note_unknown(&mut self, callee: ProcedureId) -> usize {
        if self.limits.trace > 0 {
            self.unknown_calls.push(callee);
        }
        self.unknown_calls.len().saturating_sub(1)
    }

    /// The library procedure that the user's program called; it may have called other library procedures.
    pub(crate) fn outermost_library(&self) -> ProcedureId {
        let inside = self.calls_of_library();
        let first = self.calls.get(self.calls.len() - inside).or(self.calls.last());
        first.map_or(self.program.start, |call| call.procedure)
    }

    /// Calls an external procedure: inputs decide its result and what its arguments point at.
    fn unknown(&mut self, callee: ProcedureId, frame: &Frame, passed: &[Passed], call: &Call) -> Result<(), Fault> {
        if !self.unknown.contains(&callee) {
            self.unknown.push(callee);
        }
        let program = self.program;
        let name = program[callee].name.as_str();
        let number = self.note_unknown(callee);
        for (argument, (parameter, (word, _))) in frame.parameters.iter().zip(passed).enumerate() {
            let Type::Pointer(pointee) = program.types[parameter.type_id] else {
                continue;
            };
            let size = program.types.size(pointee).unwrap_or(0);
            let end = word.offset().checked_add(size);
            let is_there = word.points_at_object()
                && self
                    .memory
                    .reach(*word)
                    .is_some_and(|bytes| end.is_some_and(|end| end <= bytes));
            if is_there && !self.memory.is_constant(*word) {
                let why = |offset: u64, bits| InputPurpose::Written {
                    call: number,
                    argument,
                    offset: offset.wrapping_sub(word.offset()),
                    bits,
                };
                self.fill(*word, pointee, name, &why)?;
            }
        }
        if let Some((target, type_id)) = &call.result {
            match (target, program.types.scalar(*type_id)) {
                (Target::Whole { address, .. }, None) => {
                    let address = self.pointer(address)?;
                    self.fill(address, *type_id, name, &|_, _| InputPurpose::Result { call: number })?;
                }
                (target, Some(scalar)) => {
                    let value = self.input(scalar, name, InputPurpose::Result { call: number })?;
                    self.assign(target, value)?;
                }
                _ => return Err(Fault::Unsupported(Unsupported::Step)),
            }
        }
        Ok(())
    }
}
