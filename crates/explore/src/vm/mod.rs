//! The machine: executes specialised code on one memory array, the state followed by the frames.
//!
//! Failing code leaves its fault in the machine and returns a [`Stop`], which fits a register: the error path is as
//! cheap as the normal one. Nondeterminism is handled by re-execution: the machine consumes a vector of choices,
//! extends it with first choices, and `next_choices` increments it like a counter.

mod expression;
mod statement;
mod tracing;

use crate::code::{Cell, Computed, Function, Origin, Place};
use crate::fault::{Fault, FaultKind};
use crate::lists::Lists;
use crate::random::Random;
use crate::stack::apart;
use system::Span;
use system::instance::{Instance, UNDEFINED};
use tracing::Tracer;
pub(crate) use tracing::{MADE, Write};

/// The maximum number of loop iterations and calls in one firing of a rule.
pub(crate) const FUEL: u64 = 20_000_000;
/// The maximum call depth. Threads that run a machine have a stack for this many calls ([`crate::STACK`]).
pub(crate) const CALL_DEPTH: u32 = 2_000;
/// The maximum total size of call frames, in slots.
const MEMORY: usize = 1 << 26;

/// Why execution stopped early. As wide as a value, so that results travel in two registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i64)]
pub(crate) enum Stop {
    /// The machine holds the fault.
    Fault,
    /// An assumption failed: this execution is blocked.
    Assumption,
    /// An integer left its window: this execution is not explored.
    Cut,
}

/// How a completed statement ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Next,
    Return,
}

#[derive(Clone, Copy, Debug)]
struct Choice {
    taken: u64,
    count: u64,
    value: i64,
}

pub(crate) struct Machine<'p> {
    pub(crate) memory: Vec<i64>,
    instance: &'p Instance,
    functions: &'p [Function],
    lists: &'p Lists,
    /// The frame of the running function, and the start of the next one.
    frame: usize,
    top: usize,
    /// The end of the state and of frames at fixed addresses.
    bottom: usize,
    depth: u32,
    fuel: u64,
    /// Arguments of calls that have not begun.
    arguments: Vec<i64>,
    result: Option<i64>,
    fault: Option<Box<Fault>>,
    choices: Vec<Choice>,
    position: usize,
    /// If set, choices are random.
    pub(crate) random: Option<Random>,
    /// Whether a window cut an execution off.
    pub(crate) windowed: bool,
    /// If set, collects the output of `put`.
    pub(crate) output: Option<Vec<String>>,
    tracer: Tracer,
}

impl<'p> Machine<'p> {
    /// A machine whose fixed frames take `frame` slots.
    pub(crate) fn new(
        instance: &'p Instance,
        functions: &'p [Function],
        lists: &'p Lists,
        frame: usize,
    ) -> Machine<'p> {
        let bottom = instance.slots.len() + frame;
        Machine {
            memory: apart(UNDEFINED, bottom),
            instance,
            functions,
            lists,
            frame: bottom,
            top: bottom,
            bottom,
            depth: 0,
            fuel: FUEL,
            arguments: Vec::new(),
            result: None,
            fault: None,
            choices: Vec::new(),
            position: 0,
            random: None,
            windowed: false,
            output: None,
            tracer: Tracer::new(instance.slots.len()),
        }
    }

    /// Prepares to execute code from its beginning, with the current choices.
    pub(crate) fn rewind(&mut self) {
        self.frame = self.bottom;
        self.top = self.bottom;
        self.depth = 0;
        self.fuel = FUEL;
        self.position = 0;
    }

    /// Records reads and writes from now on, until `end_trace`.
    pub(crate) fn begin_trace(&mut self) {
        self.tracer.begin(self.memory.len());
    }

    /// The recorded reads and writes.
    pub(crate) fn end_trace(&mut self, writes: &mut Vec<Write>) -> &[(u32, i64)] {
        writes.clear();
        writes.extend(self.tracer.end(&self.memory));
        &self.tracer.reads
    }

    /// Whether the execution has made a choice so far.
    pub(crate) fn has_chosen(&self) -> bool {
        self.position > 0
    }

    /// The value of a slot.
    #[inline(always)]
    fn read(&mut self, address: usize) -> i64 {
        let value = self.memory[address];
        if self.tracer.on {
            self.tracer.read(address, value);
        }
        value
    }

    #[inline(always)]
    fn write(&mut self, address: usize, value: i64) {
        self.memory[address] = value;
        if self.tracer.on {
            self.tracer.wrote(address);
        }
    }

    /// Records a read of several slots.
    #[inline(always)]
    fn read_block(&mut self, block: &std::ops::Range<usize>) {
        if self.tracer.on {
            for address in block.clone() {
                self.tracer.read(address, self.memory[address]);
            }
        }
    }

    /// Records a write of several slots.
    #[inline(always)]
    fn wrote_block(&mut self, block: std::ops::Range<usize>) {
        if self.tracer.on {
            block.for_each(|address| self.tracer.wrote(address));
        }
    }

    fn copy(&mut self, from: std::ops::Range<usize>, to: usize) {
        self.memory.copy_within(from.clone(), to);
        if self.tracer.on {
            self.tracer.copied(from, to);
        }
    }

    pub(crate) fn forget_choices(&mut self) {
        self.choices.clear();
    }

    /// Advances to the next vector of choices; false if there is none.
    pub(crate) fn next_choices(&mut self) -> bool {
        while let Some(last) = self.choices.last_mut() {
            if last.taken + 1 < last.count {
                last.taken += 1;
                return true;
            }
            self.choices.pop();
        }
        false
    }

    /// The values chosen so far.
    pub(crate) fn chosen(&self) -> Vec<i64> {
        self.choices
            .iter()
            .take(self.position)
            .map(|choice| choice.value)
            .collect()
    }

    /// The fault behind the last [`Stop::Fault`].
    pub(crate) fn take_fault(&mut self) -> Fault {
        match self.fault.take() {
            Some(fault) => *fault,
            None => Fault::malformed(Span::default(), "a fault without a reason"),
        }
    }

    #[cold]
    #[inline(never)]
    fn fail<T>(&mut self, fault: Fault) -> Result<T, Stop> {
        self.fault = Some(Box::new(fault));
        Err(Stop::Fault)
    }

    #[cold]
    #[inline(never)]
    fn fail_undefined<T>(&mut self, address: usize, span: Span) -> Result<T, Stop> {
        let message = if address < self.instance.slots.len() {
            format!("read of undefined {}", self.instance.slot_name(address))
        } else {
            "read of an undefined local variable".to_owned()
        };
        self.fail(Fault::new(FaultKind::UndefinedRead, span, message))
    }

    #[cold]
    #[inline(never)]
    fn fail_malformed<T>(&mut self, span: Span, message: &str) -> Result<T, Stop> {
        self.fail(Fault::malformed(span, message))
    }

    fn burn(&mut self, span: Span) -> Result<(), Stop> {
        match self.fuel.checked_sub(1) {
            Some(fuel) => {
                self.fuel = fuel;
                Ok(())
            }
            None => self.fail(Fault::new(
                FaultKind::LoopLimit,
                span,
                format!("no end after {FUEL} rounds of loops and calls"),
            )),
        }
    }

    fn cell(&self, cell: Cell) -> usize {
        match cell {
            Cell::Fixed(address) => address as usize,
            Cell::Framed(slot) => self.frame + slot as usize,
        }
    }

    #[inline]
    fn address(&mut self, place: &Place) -> Result<usize, Stop> {
        match place {
            Place::Fixed(address) => Ok(*address as usize),
            Place::Framed(slot) => Ok(self.frame + *slot as usize),
            Place::Computed(computed) => self.compute(computed),
        }
    }

    #[inline(never)]
    fn compute(&mut self, computed: &Computed) -> Result<usize, Stop> {
        let mut address = match computed.origin {
            Origin::Fixed(address) => address as usize,
            Origin::Framed(slot) => self.frame + slot as usize,
            Origin::Reference(cell, offset) => {
                let cell = self.cell(cell);
                self.read_block(&(cell..(cell + 1).min(self.memory.len())));
                match self.memory.get(cell).map(|address| usize::try_from(*address)) {
                    Some(Ok(address)) => address + offset as usize,
                    _ => return self.fail_malformed(computed.span, "no address"),
                }
            }
        };
        for subscript in &computed.subscripts {
            let index = self.evaluate(&subscript.index)?;
            if index < subscript.low || index > subscript.high {
                if subscript.windowed {
                    self.windowed = true;
                    return Err(Stop::Cut);
                }
                return self.fail(Fault::index(index, subscript.low, subscript.high, computed.span));
            }
            // The offset is non-negative and within the array, hence within memory.
            address += index.wrapping_sub(subscript.low) as usize * subscript.stride as usize;
        }
        if address >= self.memory.len() {
            return self.fail_malformed(computed.span, "an address outside memory");
        }
        Ok(address)
    }

    /// The addresses of several slots, all within memory.
    fn block(&mut self, place: &Place, length: u32) -> Result<std::ops::Range<usize>, Stop> {
        let start = self.address(place)?;
        let end = start + length as usize;
        if end > self.memory.len() {
            return self.fail_malformed(Span::default(), "a block outside memory");
        }
        Ok(start..end)
    }

    fn choose(&mut self, low: i64, count: u64) -> i64 {
        if self.position == self.choices.len() {
            let taken = self.random.as_mut().map_or(0, |random| random.below(count));
            self.choices.push(Choice { taken, count, value: 0 });
        }
        let choice = &mut self.choices[self.position];
        choice.value = low.wrapping_add(choice.taken.cast_signed());
        self.position += 1;
        choice.value
    }
}
