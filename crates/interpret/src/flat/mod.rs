//! A second, small interpreter of programs: bytes in one address space.
//!
//! It exists for cross-checking, against the interpreter and against the transition system of a program, and shares no
//! code with either. Here a pointer is always an integer, and each block of bytes has an address far from all others.
//! It covers less than the interpreter: it stops with a reason at constructs that it does not support and at undefined
//! behaviour.

pub mod agreement;
mod library;
pub mod memory;
mod value;

pub use agreement::{Agreement, agreement};
pub use memory::{BlockOrigin, Memory};
pub use value::FlatValue;

use crate::inputs::Inputs;
use system::program::{
    Argument, Body, Callee, Initial, LocationId, Place, ProcedureId, Program, PropertyId, Reason, Scalar, Step,
    Undefined, Value, VariableId,
};
use value::Spot;

/// Why a run stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    Exited,
    Violated(PropertyId),
    Stayed,
    /// An assumption in the user's program.
    AssumptionFailed,
    Undefined(Undefined),
    NoInput,
    /// A construct that this interpreter does not support.
    Beyond(&'static str),
}

#[derive(Clone, Copy, Debug, Default)]
pub struct FlatOptions {
    /// Reading uninitialized memory yields an input; otherwise the run stops there.
    pub asks: bool,
    /// Runs stop at integer overflow.
    pub is_strict: bool,
}

/// A call that has not returned.
#[derive(Clone, Debug)]
pub struct Frame {
    pub procedure: ProcedureId,
    pub location: LocationId,
    /// Unique among all calls.
    pub serial: u64,
    /// The call site: location and edge in the frame below.
    pub call: Option<(LocationId, usize)>,
}

/// The step that was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakenStep {
    pub procedure: ProcedureId,
    pub location: LocationId,
    /// None for a return.
    pub edge: Option<usize>,
    /// The called procedure, with or without a body.
    pub callee: Option<ProcedureId>,
}

/// A run.
pub struct Flat<'p> {
    program: &'p Program,
    inputs: &'p mut dyn Inputs,
    options: FlatOptions,
    pub memory: Memory,
    pub frames: Vec<Frame>,
    /// The inputs so far.
    pub given: Vec<i128>,
    /// The uninitialized memory that the last step read: addresses, sizes, and the values that it got.
    pub lazily: Vec<(u64, u64, u64)>,
    /// The allocation of the last step.
    pub allocated: Option<BlockOrigin>,
    /// The run may depend on the addresses of blocks.
    pub saw_addresses: bool,
    serial: u64,
    /// The variables of each procedure.
    variables: Vec<Vec<VariableId>>,
}

impl<'p> Flat<'p> {
    /// A run at its start.
    pub fn new(program: &'p Program, inputs: &'p mut dyn Inputs, options: FlatOptions) -> Result<Flat<'p>, Stop> {
        let mut flat = Flat {
            program,
            inputs,
            options,
            memory: Memory::new(program.types.pointer_bits),
            frames: Vec::new(),
            given: Vec::new(),
            lazily: Vec::new(),
            allocated: None,
            saw_addresses: false,
            serial: 0,
            variables: vec![Vec::new(); program.procedures.len()],
        };
        for id in (0..).map(ProcedureId).take(program.procedures.len()) {
            flat.memory.make(BlockOrigin::Procedure(id), 0)?;
        }
        for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
            if let Some(procedure) = variable.procedure {
                flat.variables[procedure.index()].push(id);
                continue;
            }
            let size = program.types.size(variable.type_id).unwrap_or(0);
            let base = flat.memory.make(BlockOrigin::Global(id), size)?;
            match &variable.initial {
                Initial::Undefined => {}
                Initial::Zero => flat.memory.set(base, &[]),
                Initial::Bytes(bytes) => flat.memory.set(base, bytes),
            }
        }
        flat.enter(program.start, None)?;
        Ok(flat)
    }

    fn frame(&self) -> Result<&Frame, Stop> {
        self.frames.last().ok_or(Stop::Exited)
    }

    /// Takes the next step.
    pub fn step(&mut self) -> Result<TakenStep, Stop> {
        self.memory.changed.clear();
        self.lazily.clear();
        self.allocated = None;
        let Frame {
            procedure, location, ..
        } = *self.frame()?;
        let program = self.program;
        let automaton = program[procedure].body.automaton().ok_or(Stop::Beyond("no body"))?;
        if location == automaton.exit {
            self.leave()?;
            return Ok(TakenStep {
                procedure,
                location,
                edge: None,
                callee: None,
            });
        }
        let edges = automaton
            .locations
            .get(location.index())
            .map_or(&[][..], |location| &location.edges);
        for (number, edge) in edges.iter().enumerate() {
            if let Step::Assume {
                condition,
                holds,
                reason,
            } = &edge.step
                && self.truth(condition)? != *holds
            {
                if *reason == Reason::Assumption {
                    return Err(Stop::AssumptionFailed);
                }
                continue;
            }
            let mut taken = TakenStep {
                procedure,
                location,
                edge: Some(number),
                callee: None,
            };
            let is_inside = self.effect(&edge.step, location, number, &mut taken)?;
            if !is_inside && let Some(frame) = self.frames.last_mut() {
                frame.location = edge.to;
            }
            return Ok(taken);
        }
        Err(Stop::Stayed)
    }

    /// Executes a step; returns whether it entered a call.
    fn effect(
        &mut self,
        step: &'p Step,
        location: LocationId,
        number: usize,
        taken: &mut TakenStep,
    ) -> Result<bool, Stop> {
        match step {
            Step::Skip | Step::Assume { .. } => {}
            Step::Assign { target, value } => self.assign(target, value)?,
            Step::Copy { target, source } => {
                let (target, source) = (self.spot(target)?, self.spot(source)?);
                let size = self.program.types.size(target.type_id).unwrap_or(0);
                self.memory.copy(target.address, source.address, size)?;
            }
            Step::Choose { target, name } => {
                let spot = self.spot(target)?;
                self.fill(spot, name)?;
            }
            Step::Enter(variable) => {
                let base = self.address_of(*variable)?;
                self.memory.revive(base);
            }
            Step::Leave(variable) => {
                let base = self.address_of(*variable)?;
                self.memory.end(base);
            }
            Step::Violate(property) => return Err(Stop::Violated(*property)),
            Step::Call {
                callee,
                arguments,
                result,
            } => {
                let callee = match callee {
                    Callee::Procedure(procedure) => *procedure,
                    Callee::Pointer(pointer) => {
                        let address = self.address(pointer)?;
                        match self.memory.block_at(address) {
                            Some((BlockOrigin::Procedure(procedure), 0)) => procedure,
                            _ => return Err(Stop::Undefined(Undefined::Call)),
                        }
                    }
                };
                taken.callee = Some(callee);
                return self.call(callee, arguments, result.as_ref(), (location, number));
            }
        }
        Ok(false)
    }

    fn assign(&mut self, target: &Place, value: &Value) -> Result<(), Stop> {
        // An uninitialized byte may be copied.
        if let Value::Read { place, scalar } = value
            && matches!(scalar, Scalar::Integer(integer) if integer.bits == 8)
            && !self.options.asks
        {
            let (to, from) = (self.spot(target)?, self.spot(place)?);
            if to.bits.is_none() && from.bits.is_none() && self.memory.read(from.address, 1)?.is_none() {
                return self.memory.copy(to.address, from.address, 1);
            }
        }
        let scalar = value.scalar();
        let value = self.value(value)?;
        let spot = self.spot(target)?;
        self.store(spot, scalar, value)
    }

    fn call(
        &mut self,
        callee: ProcedureId,
        arguments: &'p [Argument],
        result: Option<&'p Place>,
        site: (LocationId, usize),
    ) -> Result<bool, Stop> {
        let program = self.program;
        let procedure = &program[callee];
        match &procedure.body {
            Body::Automaton(_) if procedure.is_variadic => Err(Stop::Beyond("variable arguments")),
            Body::Automaton(_) => {
                let mut passed = Vec::new();
                for argument in arguments {
                    passed.push(match argument {
                        Argument::Scalar(value) => Ok((self.value(value)?, value.scalar())),
                        Argument::Record(place) => Err(self.spot(place)?),
                    });
                }
                self.enter(callee, Some(site))?;
                for (parameter, passed) in procedure.parameters.iter().zip(passed) {
                    let to = self.variable(*parameter)?;
                    match passed {
                        Ok((value, scalar)) => match program.types.scalar(to.type_id) {
                            Some(wanted) if wanted == scalar => self.store(to, wanted, value)?,
                            _ => return Err(Stop::Beyond("an argument of another type")),
                        },
                        Err(from) => {
                            let size = program.types.size(to.type_id).unwrap_or(0);
                            self.memory.copy(to.address, from.address, size)?;
                        }
                    }
                }
                Ok(true)
            }
            Body::Library(library) => {
                self.library(*library, callee, arguments, result)?;
                Ok(false)
            }
            Body::Unknown => {
                self.unknown(callee, arguments, result)?;
                Ok(false)
            }
        }
    }

    fn variable(&self, variable: VariableId) -> Result<Spot, Stop> {
        Ok(Spot {
            address: self.address_of(variable)?,
            type_id: self.program[variable].type_id,
            bits: None,
        })
    }

    fn enter(&mut self, procedure: ProcedureId, call: Option<(LocationId, usize)>) -> Result<(), Stop> {
        let program = self.program;
        let entry = program[procedure]
            .body
            .automaton()
            .ok_or(Stop::Beyond("no body"))?
            .entry;
        if self.frames.len() == 1 {
            // Constants have been initialised by now.
            for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
                if let (true, Some(base)) = (variable.is_constant, self.memory.base_of(BlockOrigin::Global(id))) {
                    self.memory.make_constant(base);
                }
            }
        }
        self.serial += 1;
        self.frames.push(Frame {
            procedure,
            location: entry,
            serial: self.serial,
            call,
        });
        for number in 0..self.variables[procedure.index()].len() {
            let id = self.variables[procedure.index()][number];
            let size = program.types.size(program[id].type_id).unwrap_or(0);
            self.memory.make(BlockOrigin::Local(self.serial, id), size)?;
        }
        Ok(())
    }

    /// Returns from the current call and passes its result to the caller.
    fn leave(&mut self) -> Result<(), Stop> {
        let program = self.program;
        let frame = self.frame()?.clone();
        let Some((location, number)) = frame.call else {
            return Err(Stop::Exited);
        };
        let from = program[frame.procedure]
            .result
            .map(|result| self.variable(result))
            .transpose()?;
        self.frames.pop();
        let caller = self.frame()?.procedure;
        let automaton = program[caller].body.automaton().ok_or(Stop::Beyond("no body"))?;
        let edge = &automaton.locations[location.index()].edges[number];
        if let (
            Step::Call {
                result: Some(place), ..
            },
            Some(from),
        ) = (&edge.step, from)
        {
            let to = self.spot(place)?;
            match program.types.scalar(from.type_id) {
                Some(scalar) => {
                    if program.types.scalar(to.type_id) != Some(scalar) {
                        return Err(Stop::Beyond("a result of another type"));
                    }
                    let value = self.load(from, scalar)?;
                    self.store(to, scalar, value)?;
                }
                None => {
                    let size = program.types.size(from.type_id).unwrap_or(0);
                    self.memory.copy(to.address, from.address, size)?;
                }
            }
        }
        for id in &self.variables[frame.procedure.index()] {
            if let Some(base) = self.memory.base_of(BlockOrigin::Local(frame.serial, *id)) {
                self.memory.end(base);
            }
        }
        if let Some(below) = self.frames.last_mut() {
            below.location = edge.to;
        }
        Ok(())
    }
}
