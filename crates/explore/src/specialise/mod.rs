//! Partial evaluation of rules before the search.
//!
//! The parameters of a rule become constants, and everything that depends only on them is computed once: places become
//! fixed addresses, loops and quantifiers over constant ranges are unrolled, functions are inlined, and constant
//! conditions disappear. The meaning is preserved exactly, including faults and evaluation order: an expression is
//! dropped only if it has a value, and code that always fails becomes code that fails when it is reached. A budget of
//! nodes bounds the code; beyond it, loops and calls remain.

mod expression;
mod knowledge;
mod statement;
mod switch;
mod written;

use crate::code::{self, Cell};
use crate::inspect;
use knowledge::Knowledge;
use std::collections::BTreeSet;
use system::instance::{Base, Instance, Place, Property, Rule, UNDEFINED};
use system::{Span, instance};
use written::Written;
pub(crate) use written::recursive_functions;

/// The maximum number of nodes of one rule instance after unrolling and inlining.
const BUDGET: usize = 1_500;
/// The maximum nesting of inlined functions.
const INLINE_DEPTH: usize = 12;
/// The maximum number of unrolled iterations of one loop.
const UNROLL: u64 = 128;

/// The code of a rule for constant parameters, or for parameters in its frame.
#[derive(Clone, Debug)]
pub(crate) struct RuleCode {
    pub(crate) prologue: Vec<code::Statement>,
    pub(crate) guard: code::Expression,
    pub(crate) body: Vec<code::Statement>,
    /// The size of the frame, including those of inlined functions.
    pub(crate) frame: usize,
    /// The number of generated nodes, as a measure of size.
    pub(crate) size: usize,
}

/// Specialises the code of an instance for the machine.
pub(crate) struct Specialiser<'i> {
    instance: &'i Instance,
    /// Whether the function being generated has no fixed frame address.
    called: bool,
    /// The address of the outermost frame if it is fixed.
    base: usize,
    knowledge: Knowledge,
    /// The start of the frame of the function being inlined, relative to the outermost frame.
    frame: usize,
    /// The end of the last frame in use, and its maximum so far.
    top: usize,
    highest: usize,
    inlining: Vec<usize>,
    /// For each function being inlined, the knowledge at its returns.
    returns: Vec<Vec<Knowledge>>,
    size: usize,
    /// By function.
    sizes: Vec<usize>,
    /// Functions that need code of their own.
    pub(crate) needed: BTreeSet<usize>,
}

impl<'i> Specialiser<'i> {
    pub(crate) fn new(instance: &'i Instance) -> Specialiser<'i> {
        Specialiser {
            instance,
            called: false,
            base: instance.slots.len(),
            knowledge: Knowledge::new(),
            frame: 0,
            top: 0,
            highest: 0,
            inlining: Vec::new(),
            returns: Vec::new(),
            size: 0,
            sizes: instance
                .functions
                .iter()
                .map(|function| inspect::source_size_of_block(&function.body))
                .collect(),
            needed: BTreeSet::new(),
        }
    }

    /// Specialises a rule or start; without `parameters` they are read from the frame.
    pub(crate) fn rule(&mut self, rule: &Rule, parameters: Option<&[i64]>) -> RuleCode {
        self.begin(rule.frame.max(rule.parameters.len()), rule.parameters.len(), parameters);
        let prologue = self.block(&rule.prologue);
        let after_prologue = self.knowledge.clone();
        let guard = self.expression(&rule.guard);
        self.knowledge = after_prologue;
        // The guard may be known to hold without having run, so the body must not rely on values that it left in the
        // frame.
        let mut written = Written::default();
        written.expression(&rule.guard);
        self.forget_written(&written);
        let mut body = Vec::new();
        if guard != code::Expression::Constant(0) {
            body = self.block(&rule.body);
            inspect::drop_dead_stores(&mut body, None, self.instance.slots.len());
        }
        RuleCode {
            prologue,
            guard,
            body,
            frame: self.highest,
            size: self.size,
        }
    }

    /// Specialises a property as a rule without a body.
    pub(crate) fn property(&mut self, property: &Property, parameters: Option<&[i64]>) -> RuleCode {
        self.begin(
            property.frame.max(property.parameters.len()),
            property.parameters.len(),
            parameters,
        );
        let prologue = self.block(&property.prologue);
        let guard = self.expression(&property.condition);
        RuleCode {
            prologue,
            guard,
            body: Vec::new(),
            frame: self.highest,
            size: self.size,
        }
    }

    /// Generates a called function, whose arguments are unknown. Its frame is at the address `place` or, without one,
    /// after those in use.
    pub(crate) fn function(&mut self, number: usize, place: Option<usize>) -> code::Function {
        let Some(procedure) = self.instance.functions.get(number) else {
            return code::Function::default();
        };
        self.begin(procedure.frame, 0, None);
        self.knowledge.forget_all();
        self.called = place.is_none();
        self.base = place.unwrap_or(self.instance.slots.len());
        self.inlining.push(number);
        let body = self.block(&procedure.body);
        self.called = false;
        self.base = self.instance.slots.len();
        self.inlining.clear();
        code::Function {
            name: procedure.name.clone(),
            frame: narrow(self.highest),
            place: place.map(narrow),
            body,
        }
    }

    fn begin(&mut self, frame: usize, arity: usize, parameters: Option<&[i64]>) {
        self.knowledge = Knowledge::new();
        self.knowledge.fill(0, frame, Some(UNDEFINED));
        self.knowledge.forget(0, arity);
        for (slot, value) in parameters.into_iter().flatten().enumerate() {
            self.knowledge.set(slot, Some(*value));
        }
        self.frame = 0;
        self.top = frame;
        self.highest = frame;
        self.size = 0;
        self.returns.clear();
    }

    fn forget_written(&mut self, written: &Written) {
        if written.anything {
            self.knowledge.forget_all();
        }
        for (start, length) in &written.ranges {
            self.knowledge.forget(self.frame + start, *length);
        }
    }

    /// Whether to unroll a loop with a body of about this size.
    fn unrolls(&self, rounds: u64, size: usize) -> bool {
        rounds <= UNROLL && (rounds as usize).saturating_mul(size) <= BUDGET.saturating_sub(self.size) / 2
    }

    /// The first address that is unused after the last inlined function has ended.
    fn dead_from(&self) -> usize {
        if self.called { usize::MAX } else { self.base + self.top }
    }

    fn cell(&self, slot: usize) -> Cell {
        let slot = self.frame + slot;
        if self.called {
            Cell::Framed(narrow(slot))
        } else {
            Cell::Fixed(narrow(self.base + slot))
        }
    }

    fn place(&mut self, place: &Place) -> code::Place {
        let mut origin = self.origin(place);
        let mut subscripts = Vec::new();
        let mut shift = 0usize;
        for subscript in &place.subscripts {
            let index = self.expression(&subscript.index);
            match index {
                code::Expression::Constant(value) if (subscript.low..=subscript.high).contains(&value) => {
                    let distance = usize::try_from(value - subscript.low).unwrap_or(usize::MAX);
                    shift = shift.saturating_add(distance.saturating_mul(subscript.stride));
                }
                // A constant out of bounds remains, to fail or block when it is reached.
                index => subscripts.push(code::Subscript {
                    index,
                    low: subscript.low,
                    high: subscript.high,
                    stride: narrow(subscript.stride),
                    windowed: subscript.windowed,
                }),
            }
        }
        let shift = narrow(shift);
        match &mut origin {
            code::Origin::Fixed(n) | code::Origin::Framed(n) | code::Origin::Reference(_, n) => {
                *n = n.saturating_add(shift);
            }
        }
        match origin {
            code::Origin::Fixed(address) if subscripts.is_empty() && self.is_mapped(address) => {
                code::Place::Fixed(address)
            }
            code::Origin::Framed(slot) if subscripts.is_empty() && (slot as usize) < self.top => {
                code::Place::Framed(slot)
            }
            origin => code::Place::Computed(Box::new(code::Computed {
                origin,
                subscripts: subscripts.into(),
                span: place.span,
            })),
        }
    }

    /// Whether a fixed address is certainly within the machine's memory.
    fn is_mapped(&self, address: u32) -> bool {
        let address = address as usize;
        let in_frame = !self.called && (self.base..self.base + self.top).contains(&address);
        address < self.instance.slots.len() || in_frame
    }

    fn origin(&self, place: &Place) -> code::Origin {
        match place.base {
            Base::State(slot) => code::Origin::Fixed(narrow(slot + place.offset)),
            Base::Frame(slot) => match self.cell(slot + place.offset) {
                Cell::Fixed(address) => code::Origin::Fixed(address),
                Cell::Framed(slot) => code::Origin::Framed(slot),
            },
            Base::Reference(slot) => match self.knowledge.get(self.frame + slot) {
                Some(address) if address >= 0 => code::Origin::Fixed(
                    narrow(usize::try_from(address).unwrap_or(usize::MAX)).saturating_add(narrow(place.offset)),
                ),
                _ => code::Origin::Reference(self.cell(slot), narrow(place.offset)),
            },
        }
    }

    /// The slot of our frames that a fixed place denotes, if any.
    fn frame_slot(&self, place: &code::Place) -> Option<usize> {
        match place {
            code::Place::Fixed(address) if !self.called => (*address as usize).checked_sub(self.base),
            code::Place::Framed(slot) => Some(*slot as usize),
            _ => None,
        }
    }

    /// The value of a slot of our frames, if it is constant.
    fn known(&self, place: &code::Place) -> Option<i64> {
        self.frame_slot(place).and_then(|slot| self.knowledge.get(slot))
    }

    /// Updates the knowledge after `length` slots from a place were written, the first with `value`.
    fn wrote(&mut self, place: &code::Place, length: usize, value: Option<i64>) {
        if let Some(slot) = self.frame_slot(place) {
            self.knowledge.forget(slot, length);
            if length == 1 {
                self.knowledge.set(slot, value);
            }
            return;
        }
        let code::Place::Computed(computed) = place else { return };
        let start = match computed.origin {
            code::Origin::Fixed(address) if !self.called => (address as usize).checked_sub(self.base),
            code::Origin::Fixed(_) => None,
            code::Origin::Framed(slot) => Some(slot as usize),
            code::Origin::Reference(..) => {
                self.knowledge.forget_exposed();
                None
            }
        };
        if let Some(start) = start {
            self.knowledge.forget(start, extent(&computed.subscripts, length));
        }
    }

    /// Records that code may write through this address from now on.
    fn expose(&mut self, place: &code::Place) {
        if let Some(slot) = self.frame_slot(place) {
            self.knowledge.expose(slot);
        } else if let code::Place::Computed(computed) = place {
            match computed.origin {
                code::Origin::Fixed(address) if !self.called => {
                    if let Some(slot) = (address as usize).checked_sub(self.base) {
                        self.knowledge.expose(slot);
                    }
                }
                code::Origin::Framed(slot) => self.knowledge.expose(slot as usize),
                code::Origin::Fixed(_) | code::Origin::Reference(..) => {}
            }
        }
    }

    /// The bounds that an assignment to a type checks, if any.
    fn limits(&self, ty: instance::TypeId) -> Option<(i64, i64)> {
        let (low, count) = self.instance.bounds(ty);
        (count > 0).then(|| (low, low.saturating_add(count - 1)))
    }
}

fn extent(subscripts: &[code::Subscript], length: usize) -> usize {
    subscripts.iter().fold(length, |extent, subscript| {
        let width = usize::try_from(subscript.high.saturating_sub(subscript.low)).unwrap_or(0);
        extent.saturating_add(width.saturating_mul(subscript.stride as usize))
    })
}

/// Addresses and lengths beyond 32 bits become the greatest one, which no memory has: executing such code is a fault.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn malformed(span: Span, message: &str) -> Box<crate::fault::Fault> {
    Box::new(crate::fault::Fault::malformed(span, message))
}
