//! The interpreter loop.

use crate::call::Passed;
use crate::code::{ByteSource, Choice, Code, EdgeOrigin, Format, Home, Node, Number, Operation, Register, Target};
use crate::compile::compile;
use crate::coverage::Coverage;
use crate::environment::{InputPurpose, RecordedInput, RunEnvironment};
use crate::inputs::Inputs;
use crate::memory::{Memory, MemoryOrigin};
use crate::observe::Observation;
use crate::outcome::{End, Fault, Limit, RunLimits, RunOutcome, UndefinedMode, Uninitialized, Unsupported};
use crate::plan::{PlanProgress, SearchPlan};
use crate::trace::Trace;
use crate::word::Word;
use std::sync::Arc;
use system::Span;
use system::program::{Initial, ProcedureId, Program, Scalar, Undefined};

/// The number of steps between two polls of the cancellation flag.
const LOOK: u64 = 1 << 20;

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Executable<'p> {
    pub(crate) program: &'p Program,
    code: Code,
    origins: Arc<[EdgeOrigin]>,
}

impl<'p> Executable<'p> {
    pub fn new(program: &'p Program) -> Executable<'p> {
        let code = compile(program);
        let origins = code.edges.clone().into();
        Executable { program, code, origins }
    }

    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Runs the program once, from its start.
    pub fn run(&self, inputs: &mut dyn Inputs, limits: &RunLimits) -> RunOutcome {
        let mut machine = Machine::new(self, inputs, limits);
        let end = machine.run();
        if limits.trace > 0 {
            machine.note_end();
        }
        machine.outcome(end)
    }

    /// Runs the program once, and requests an input only when its value is used. `Lazy` has the inputs in the order of
    /// use; the outcome has them in the order in which [`Executable::run`] requests them. A run that is cut off early
    /// hit the step limit.
    pub(crate) fn run_lazily(
        &self,
        inputs: &mut dyn Inputs,
        limits: &RunLimits,
        is_over: &dyn Fn() -> bool,
        plan: Option<&SearchPlan>,
    ) -> (RunOutcome, Lazy) {
        let mut machine = Machine::new(self, inputs, limits);
        machine.planning = plan.map(PlanProgress::new);
        machine.is_lazy = true;
        machine.is_over = Some(is_over);
        let end = machine.run();
        let lazy = Lazy {
            used: machine
                .used
                .iter()
                .filter_map(|input| machine.given.get(*input).map(|given| given.0))
                .collect(),
            hints: machine
                .hints
                .iter()
                .filter_map(|(input, hint)| Some((machine.used.iter().position(|used| used == input)?, *hint)))
                .collect(),
            path: machine.path,
            planned: machine.planning.as_ref().map_or(0, |planning| planning.taken),
            left: machine.planning.as_ref().and_then(|planning| planning.left),
        };
        (machine.outcome(end), lazy)
    }
}

/// The record of a run with lazy inputs.
pub(crate) struct Lazy {
    /// The types of the inputs, in the order of use.
    pub(crate) used: Vec<Scalar>,
    /// Integers that an input was compared with, by the position of the input.
    pub(crate) hints: Vec<(usize, i128)>,
    /// A hash of the branches taken.
    pub(crate) path: u64,
    /// The number of branches that followed the plan, and the number of inputs used before the run left it.
    pub(crate) planned: usize,
    pub(crate) left: Option<usize>,
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activation {
    pub(crate) procedure: ProcedureId,
    /// Its first register.
    pub(crate) base: usize,
    /// The node of the call.
    pub(crate) call: u32,
    /// The number of `alloca` objects before the call.
    pub(crate) objects: usize,
    /// The object that holds the variadic arguments.
    pub(crate) further: Word,
}

pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) code: &'a Code,
    pub(crate) limits: &'a RunLimits,
    pub(crate) wraps: bool,
    /// Uninitialized memory reads as zero instead of as an input.
    pub(crate) reads_zero: bool,
    /// The run ends where an integer leaves the range of its type.
    pub(crate) is_unbounded: bool,
    pub(crate) memory: Memory,
    pub(crate) registers: Vec<Word>,
    /// The first register of the current call.
    pub(crate) base: usize,
    pub(crate) globals: Vec<Word>,
    pub(crate) calls: Vec<Activation>,
    /// The arguments of the last call; kept to reuse the allocation.
    pub(crate) passed: Vec<Passed>,
    /// Objects that become constant at the first call from the start procedure, which initialises them.
    pub(crate) constants: Vec<Word>,
    /// Objects with the lifetime of a call, of all active calls.
    pub(crate) call_objects: Vec<Word>,
    /// The current node.
    pub(crate) position: u32,
    pub(crate) steps: u64,
    pub(crate) output: Vec<u8>,
    pub(crate) unknown: Vec<ProcedureId>,
    /// The number of input pointers that point at objects of their own.
    pub(crate) outside: u64,
    pub(crate) trace: Trace,
    pub(crate) inputs: &'a mut dyn Inputs,
    /// The inputs requested so far, with their values where those were needed.
    pub(crate) given: Vec<(Scalar, Option<Word>, i128)>,
    /// The purposes of the inputs, if steps are traced.
    pub(crate) purposes: Vec<(InputPurpose, Span, Option<ProcedureId>)>,
    /// The external procedures called, if steps are traced.
    pub(crate) unknown_calls: Vec<ProcedureId>,
    /// Inputs get their values on first use.
    pub(crate) is_lazy: bool,
    /// The inputs in the order of use.
    pub(crate) used: Vec<usize>,
    /// Integers that inputs were compared with.
    pub(crate) hints: Vec<(usize, i128)>,
    /// A hash of the branches taken.
    path: u64,
    pub(crate) planning: Option<PlanProgress<'a>>,
    pub(crate) input_name: Option<String>,
    coverage: Coverage,
    pub(crate) observation: Option<Observation<'a>>,
    /// Polled regularly.
    is_over: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(executable: &'a Executable, inputs: &'a mut dyn Inputs, limits: &'a RunLimits) -> Machine<'a> {
        let program = executable.program;
        let procedures = u32::try_from(program.procedures.len()).unwrap_or(u32::MAX);
        let wraps = limits.undefined != UndefinedMode::Report;
        let has_inputs = limits.uninitialised == Uninitialized::Input;
        let mut memory = Memory::new(program.types.pointer_bits, procedures, limits.memory);
        memory.settles = has_inputs;
        memory.has_behind = limits.memory_behind;
        Machine {
            program,
            code: &executable.code,
            limits,
            wraps,
            reads_zero: wraps && !has_inputs,
            is_unbounded: limits.undefined == UndefinedMode::Unbounded,
            memory,
            registers: Vec::new(),
            base: 0,
            globals: executable.code.globals.clone(),
            calls: Vec::new(),
            passed: Vec::new(),
            constants: Vec::new(),
            call_objects: Vec::new(),
            position: 0,
            steps: 0,
            output: Vec::new(),
            unknown: Vec::new(),
            outside: 0,
            trace: Trace::default(),
            inputs,
            given: Vec::new(),
            purposes: Vec::new(),
            unknown_calls: Vec::new(),
            is_lazy: false,
            used: Vec::new(),
            hints: Vec::new(),
            path: 0,
            planning: None,
            input_name: None,
            coverage: Coverage::new(Arc::clone(&executable.origins)),
            observation: None,
            is_over: None,
        }
    }

    pub(crate) fn run(&mut self) -> End {
        match self.start().and_then(|()| self.steps()) {
            Ok(end) => end,
            Err(fault) => End::from(fault),
        }
    }

    /// Creates the global variables and enters the start procedure.
    fn start(&mut self) -> Result<(), Fault> {
        for object in &self.code.global_objects {
            let variable = &self.program[object.variable];
            let is_zero = variable.initial != Initial::Undefined;
            let pointer = self
                .memory
                .allocate(object.bytes, is_zero, MemoryOrigin::Variable(object.variable))?;
            if let Initial::Bytes(bytes) = &variable.initial {
                self.memory.set_bytes(pointer, bytes);
            }
            if variable.is_constant {
                self.constants.push(pointer);
            }
        }
        self.enter(self.program.start, 0, Word::UNDEFINED, &[])
    }

    pub(crate) fn outcome(self, end: End) -> RunOutcome {
        let span = self.span();
        let asked = self.given.iter().zip(&self.purposes);
        let from_outside = RunEnvironment {
            asked: asked
                .map(|((scalar, _, value), (purpose, span, procedure))| RecordedInput {
                    scalar: *scalar,
                    value: *value,
                    purpose: *purpose,
                    span: *span,
                    procedure: *procedure,
                })
                .collect(),
            calls: self.unknown_calls,
        };
        RunOutcome {
            from_outside,
            end,
            span,
            calls: self.calls.iter().rev().map(|call| call.procedure).collect(),
            output: self.output,
            steps: self.steps,
            inputs: self.given.iter().map(|(.., value)| *value).collect(),
            coverage: self.coverage,
            trace: self.trace,
            unknown: self.unknown,
            outside: self.outside,
            fixed: self.memory.touched_fixed(),
            behind: self.memory.touched_behind(),
            has_addresses: self.memory.has_addresses(),
        }
    }

    /// The edge of the program that is executing.
    pub(crate) fn origin(&self) -> Option<EdgeOrigin> {
        let node = self.code.nodes.get(self.position as usize)?;
        self.code.edges.get(node.edge as usize).copied()
    }

    /// The number of innermost calls that are inside of the library.
    pub(crate) fn calls_of_library(&self) -> usize {
        let calls = self.calls.iter().rev();
        calls.take_while(|call| self.program[call.procedure].is_library).count()
    }

    /// The current source location in the user's program: for library code, that of the call into the library.
    pub(crate) fn span(&self) -> Span {
        let inside = self.calls_of_library();
        let call = self
            .calls
            .len()
            .checked_sub(inside)
            .and_then(|first| self.calls.get(first));
        self.span_of(call.map_or(self.position, |call| call.call))
    }

    /// The source location of a node.
    fn span_of(&self, node: u32) -> Span {
        let node = self.code.nodes.get(node as usize);
        let Some(origin) = node.and_then(|node| self.code.edges.get(node.edge as usize)) else {
            return Span::default();
        };
        let system::program::Body::Automaton(automaton) = &self.program[origin.procedure].body else {
            return Span::default();
        };
        let Some(location) = automaton.locations.get(origin.location.index()) else {
            return Span::default();
        };
        let edge = origin.edge.and_then(|edge| location.edges.get(edge as usize));
        edge.map_or(location.span, |edge| edge.span)
    }

    #[inline]
    fn count(&mut self, edge: u32) {
        if let Some(count) = self.coverage.counts.get_mut(edge as usize) {
            *count += 1;
        }
    }

    /// Runs to the end.
    fn steps(&mut self) -> Result<End, Fault> {
        let code = self.code;
        let is_observed = self.observation.is_some();
        let (mut until, mut is_traced) = (0, false);
        loop {
            let Some(node) = code.nodes.get(self.position as usize) else {
                return Ok(End::Stayed);
            };
            if self.steps >= until {
                (until, is_traced) = self.stretch()?;
            }
            self.steps += 1;
            if is_observed {
                if let Some(end) = self.observed(node)? {
                    return Ok(end);
                }
                continue;
            }
            if is_traced {
                if let Some(end) = self.traced(node)? {
                    return Ok(end);
                }
                continue;
            }
            if let Some(end) = self.step(node)? {
                return Ok(end);
            }
        }
    }

    /// The number of steps until the next poll or the begin of the trace, and whether those steps are traced.
    #[cold]
    fn stretch(&mut self) -> Result<(u64, bool), Fault> {
        let limits = self.limits;
        if self.steps >= limits.steps || self.is_over.is_some_and(|is_over| is_over()) {
            return Err(Fault::Limit(Limit::Steps));
        }
        let mut until = limits.steps;
        if self.is_over.is_some() {
            until = until.min(self.steps.saturating_add(LOOK));
        }
        let is_traced = limits.trace > 0 && self.steps >= limits.noted_from;
        if is_traced && self.trace.events.is_empty() {
            self.trace.left_out = self.steps;
        }
        if limits.trace > 0 && !is_traced {
            until = until.min(limits.noted_from);
        }
        Ok((until, is_traced))
    }

    /// Executes one step.
    #[inline]
    pub(crate) fn step(&mut self, node: &Node) -> Result<Option<End>, Fault> {
        match &node.operation {
            Operation::SetLocal(register, number) => {
                let number = self.number(number)?;
                self.set_local(*register, Word::number(number));
            }
            Operation::Branch(branch) => {
                let condition = self.number(&branch.condition)?;
                if self.is_lazy && !matches!(branch.condition, Number::Compare(_)) {
                    let value = i128::from(condition.cast_signed());
                    self.hint(&branch.condition, &Number::Constant(0), value, 0);
                }
                self.choose(if condition != 0 { &branch.yes } else { &branch.no });
                return Ok(None);
            }
            Operation::SetLocalPointer(register, address) => {
                let pointer = self.pointer(address)?;
                self.set_local(*register, pointer);
            }
            Operation::Store(store) => {
                let (address, format, number) = &**store;
                let number = self.number(number)?;
                let address = self.pointer(address)?;
                self.store_at(address, *format, number)?;
            }
            Operation::Move(to, from) => {
                let word = self.moved_word(*from)?;
                self.set_register(*to, word);
            }
            Operation::Skip => {}
            operation => return self.other(node, operation),
        }
        self.go_on(node);
        Ok(None)
    }

    #[inline]
    fn go_on(&mut self, node: &Node) {
        self.count(node.edge);
        self.position = node.to;
    }

    #[inline]
    fn choose(&mut self, choice: &Choice) {
        self.count(choice.edge);
        self.path = (self.path.rotate_left(5) ^ u64::from(choice.edge)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.position = choice.to;
        if self.planning.is_some() {
            self.note_branch(choice.edge);
        }
    }

    #[cold]
    fn note_branch(&mut self, edge: u32) {
        let used = self.used.len();
        if let (Some(planning), Some(origin)) = (&mut self.planning, self.code.edges.get(edge as usize)) {
            planning.take(*origin, used);
        }
    }

    fn other(&mut self, node: &Node, operation: &Operation) -> Result<Option<End>, Fault> {
        match operation {
            Operation::Assign(assign) => {
                let value = self.scalar(&assign.1)?;
                self.assign(&assign.0, value)?;
            }
            Operation::Part(part) => {
                let value = self.scalar(&part.1)?;
                self.set_local(part.0, value);
                self.position = node.to;
                return Ok(None);
            }
            Operation::AssignByte(assign) => self.assign_byte(&assign.0, &assign.1)?,
            Operation::Select(choices) => {
                for choice in choices {
                    if (self.number(&choice.condition)? != 0) == choice.holds {
                        self.choose(choice);
                        return Ok(None);
                    }
                }
                return Ok(Some(End::Stayed));
            }
            Operation::Assume(assume) => {
                if (self.number(&assume.0)? != 0) != assume.1 {
                    return Ok(Some(End::AssumptionFailed));
                }
            }
            Operation::Copy(copy) => {
                let target = self.pointer(&copy.0)?;
                let source = self.pointer(&copy.1)?;
                self.memory.copy(target, source, copy.2)?;
            }
            Operation::Choose(choose) => self.give(&choose.target, choose.type_id, &choose.name)?,
            Operation::Call(call) => {
                self.count(node.edge);
                return self.call(call, node);
            }
            Operation::EnterRegister(register) | Operation::LeaveRegister(register) => {
                self.set_local(*register, Word::UNDEFINED);
            }
            Operation::Enter {
                register,
                variable,
                bytes,
            } => {
                self.memory.release(self.local(*register));
                let object = self.memory.allocate(*bytes, false, MemoryOrigin::Variable(*variable))?;
                self.set_local(*register, object);
            }
            Operation::Leave(register) => {
                self.memory.release(self.local(*register));
                self.set_local(*register, Word::UNDEFINED);
            }
            Operation::Violate(property) => {
                self.count(node.edge);
                return Ok(Some(End::Violated(*property)));
            }
            Operation::Return => {
                self.count(node.edge);
                return self.leave();
            }
            Operation::Stay => {
                self.count(node.edge);
                return Ok(Some(End::Stayed));
            }
            Operation::Skip
            | Operation::SetLocal(..)
            | Operation::SetLocalPointer(..)
            | Operation::Store(_)
            | Operation::Move(..)
            | Operation::Branch(_) => return Err(Fault::Unsupported(Unsupported::Step)),
        }
        self.go_on(node);
        Ok(None)
    }

    /// Copies a byte. An uninitialized byte stays uninitialized, unless reading it is an input.
    fn assign_byte(&mut self, target: &Target, source: &ByteSource) -> Result<(), Fault> {
        let has_inputs = self.limits.uninitialised == Uninitialized::Input;
        let value = match source {
            ByteSource::Local(register) if has_inputs => self.moved_word(Register::Local(*register))?,
            ByteSource::Global(register) if has_inputs => self.moved_word(Register::Global(*register))?,
            ByteSource::Local(register) => self.local(*register),
            ByteSource::Global(register) => self.globals.get(*register as usize).copied().unwrap_or(Word::UNDEFINED),
            ByteSource::Memory(address, kind) => {
                let address = self.pointer(address)?;
                let format = Format::Integer { kind: *kind, bytes: 1 };
                match self.loaded(address, format) {
                    Ok(byte) => Word::number(byte),
                    Err(Fault::Undefined(Undefined::Uninitialised)) => Word::UNDEFINED,
                    Err(fault) => return Err(fault),
                }
            }
        };
        self.assign(target, value)
    }

    /// The content of a variable of the current call, if it is a register.
    pub(crate) fn home_word(&self, home: Home) -> Word {
        match home {
            Home::Register(register) | Home::Object(register) => self.local(register),
            Home::Nowhere => Word::UNDEFINED,
        }
    }
}
