//! Specialised code, executed by the machine.
//!
//! Rules are expanded over their parameters before the search, so nearly every place is a fixed address and nearly
//! every test compares a slot with a constant. The most frequent shapes have nodes of their own. Recursive matching on
//! a tree of small enums proved as fast as any alternative in safe Rust, and remains inspectable.

use crate::fault::{Fault, FaultKind};
use system::Span;
use system::instance::{Binary, Fold, Instance, TypeId, Unary};

/// The address of a slot, or of the first of several.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Place {
    /// A fixed address: a slot of the state, or of the frame of a rule.
    Fixed(u32),
    /// Relative to the frame of a called (not inlined) function.
    Framed(u32),
    Computed(Box<Computed>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Computed {
    pub(crate) origin: Origin,
    pub(crate) subscripts: Box<[Subscript]>,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Origin {
    Fixed(u32),
    Framed(u32),
    /// The address stored in the slot at this address, plus an offset.
    Reference(Cell, u32),
}

/// A slot that holds an address.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Cell {
    Fixed(u32),
    Framed(u32),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Subscript {
    pub(crate) index: Expression,
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) stride: u32,
    pub(crate) windowed: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expression {
    Constant(i64),
    /// Reads a slot at a fixed address; a fault if it is undefined.
    Slot(u32, Span),
    RawSlot(u32),
    Load(Box<Place>, Span),
    LoadRaw(Box<Place>),
    /// A fault if the slot is undefined, unless it is read raw; likewise below.
    SlotEquals {
        slot: u32,
        raw: bool,
        span: Span,
        constant: i64,
    },
    SlotDiffers {
        slot: u32,
        raw: bool,
        span: Span,
        constant: i64,
    },
    /// Tests whether the value minus `low` is the index of a set bit of `members`.
    SlotIn {
        slot: u32,
        raw: bool,
        span: Span,
        low: i64,
        members: u64,
    },
    IsUndefined(Box<Place>, u32),
    Address(Box<Place>),
    Not(Box<Expression>),
    Unary(Unary, Box<Expression>, Span),
    Binary(Binary, Box<(Expression, Expression)>, Span),
    /// Evaluates from left to right, up to the first false operand.
    And(Box<[Expression]>),
    /// Evaluates from left to right, up to the first true operand.
    Or(Box<[Expression]>),
    If(Box<(Expression, Expression, Expression)>),
    Fold(Box<FoldLoop>),
    SameBlock(Box<(Place, Place)>, u32),
    Call(Box<Call>),
    /// The inlined statements of a function.
    Inline(Box<Inline>),
    Sequence(Box<(Vec<Statement>, Expression)>),
    InRange(Box<InRange>),
    Append(Box<(Expression, Expression)>, Span),
    Head(Box<Expression>, Span),
    Tail(Box<Expression>, Span),
    Length(Box<Expression>),
    Fail(Box<Fault>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FoldLoop {
    pub(crate) fold: Fold,
    pub(crate) slot: Cell,
    pub(crate) range: Range,
    pub(crate) body: Expression,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Range {
    pub(crate) low: Expression,
    pub(crate) high: Expression,
    pub(crate) step: Expression,
    pub(crate) windowed: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Call {
    pub(crate) function: usize,
    pub(crate) arguments: Box<[Argument]>,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Argument {
    Value(Expression),
    Block(Place, u32),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Inline {
    pub(crate) body: Vec<Statement>,
    pub(crate) function: usize,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct InRange {
    pub(crate) value: Expression,
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) ty: Option<TypeId>,
    pub(crate) span: Span,
}

impl InRange {
    /// The fault for a value out of bounds.
    pub(crate) fn fault(&self, value: i64, instance: &Instance) -> Fault {
        let name = |value: i64| match self.ty {
            Some(ty) => instance.value_name(ty, value),
            None => value.to_string(),
        };
        let (value, low, high) = (name(value), name(self.low), name(self.high));
        let message = format!("value {value} is outside {low}..{high}");
        Fault::new(FaultKind::OutOfRange, self.span, message)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Statement {
    SetConstant {
        slot: u32,
        value: i64,
    },
    /// Stores at a fixed address without a check.
    SetSlot {
        slot: u32,
        value: Expression,
    },
    /// Stores at a fixed address a value that must be within bounds.
    AssignSlot {
        slot: u32,
        check: Box<InRange>,
    },
    Store(Box<(Place, Expression)>),
    Assign(Box<(Place, InRange)>),
    CopyFixed {
        to: u32,
        from: u32,
        length: u32,
    },
    Copy(Box<(Place, Place)>, u32),
    UndefineFixed {
        slot: u32,
        length: u32,
    },
    Undefine(Box<Place>, u32),
    Fill(Box<(Place, Box<[i64]>)>),
    Choose(Box<Choice>),
    If(Box<(Expression, Vec<Statement>, Vec<Statement>)>),
    Switch(Box<Switch>),
    For(Box<ForLoop>),
    While(Box<(Expression, Vec<Statement>, Span)>),
    Call(Box<Call>),
    /// The inlined body of a procedure: `Return` leaves only this block.
    Block(Vec<Statement>),
    Return(Option<Expression>),
    Assert(Box<(Expression, Fault)>),
    Assume(Expression),
    Prune(Expression),
    Fail(Box<Fault>),
    Put(Box<[Output]>),
    MultisetAdd(Box<MultisetAdd>),
    MultisetRemove(Box<MultisetRemove>),
    MultisetRemoveIf(Box<MultisetRemoveIf>),
    /// Evaluated only for its faults.
    Evaluate(Expression),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Choice {
    pub(crate) place: Place,
    pub(crate) low: i64,
    pub(crate) count: u64,
    /// Whether the window omits some values.
    pub(crate) windowed: bool,
}

/// A chain of tests of one slot.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Switch {
    pub(crate) slot: Cell,
    /// If set, an undefined slot takes the first branch instead of being a fault.
    pub(crate) raw: bool,
    /// The place of the first test.
    pub(crate) span: Span,
    pub(crate) low: i64,
    /// The branch for each value from `low` on.
    pub(crate) table: Box<[u16]>,
    /// The first branch is the default.
    pub(crate) branches: Vec<Vec<Statement>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ForLoop {
    pub(crate) slot: Cell,
    pub(crate) range: Range,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Output {
    Text(String),
    Value(Expression, TypeId),
    Block {
        name: String,
        place: Place,
        types: Box<[TypeId]>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MultisetAdd {
    pub(crate) place: Place,
    pub(crate) capacity: u32,
    pub(crate) stride: u32,
    pub(crate) from: Place,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MultisetRemove {
    pub(crate) place: Place,
    pub(crate) capacity: u32,
    pub(crate) stride: u32,
    pub(crate) index: Expression,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MultisetRemoveIf {
    pub(crate) place: Place,
    pub(crate) capacity: u32,
    pub(crate) stride: u32,
    pub(crate) slot: Cell,
    pub(crate) condition: Expression,
}

/// A function that is called, not inlined.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) frame: u32,
    /// The fixed address of its frame; `None` if the function may be recursive.
    pub(crate) place: Option<u32>,
    pub(crate) body: Vec<Statement>,
}
