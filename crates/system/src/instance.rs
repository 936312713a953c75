//! A finite instance: the state as a vector of slots, and rules as code over it.
//!
//! Front ends compile instances directly from their typed trees, not from the lowered transition system, so an instance
//! is an independent translation of the source: the explorer finds its bugs, replays traces on it, and compares it with
//! the lowered system state by state.
//!
//! Every value is an `i64`: a Boolean is 0 or 1, a number itself, an enumerator or scalarset element its position, a
//! union value its position in the concatenation of the members' values, and a list the number under which the run
//! interned it.

use crate::source::Span;

/// The value of an uninitialized slot.
pub const UNDEFINED: i64 = i64::MIN;

/// Index into [`Instance::types`].
pub type TypeId = usize;

/// The values of a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Boolean,
    Range {
        low: i64,
        high: i64,
    },
    Enum {
        name: String,
        values: Vec<String>,
    },
    /// Interchangeable elements if `symmetric`; an element is displayed as `name_1`, `name_2`, or by `labels`.
    Scalarset {
        name: String,
        size: i64,
        symmetric: bool,
        labels: Option<Vec<String>>,
    },
    /// Members are enumerations, scalarsets or ranges.
    Union {
        members: Vec<TypeId>,
    },
    /// Unbounded integers. A choice among them, or a loop over them, covers only `window`, and the run is marked
    /// incomplete.
    Integer {
        window: (i64, i64),
    },
    /// A fixed-point number: the value divided by `scale`. Like `Integer`, windowed.
    Real {
        scale: i64,
        window: (i64, i64),
    },
    List {
        element: TypeId,
    },
}

/// A component of the state vector.
#[derive(Clone, Debug)]
pub struct Slot {
    pub ty: TypeId,
    /// Slots of one variable that differ only in array indices share a family.
    pub family: usize,
    /// The array indices of this slot, each with its type and value.
    pub indices: Vec<(TypeId, i64)>,
}

/// A region of the state that holds a multiset: `capacity` elements of `1 + stride` slots each. The first slot of an
/// element is 1 if it is present, and otherwise undefined or 0. After each rule, the explorer moves present elements to
/// the front, sorts them and makes the rest undefined, so that equal multisets have equal slots.
#[derive(Clone, Debug)]
pub struct Multiset {
    pub base: usize,
    pub capacity: usize,
    pub stride: usize,
}

/// A finite instance of a model.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    pub types: Vec<Type>,
    pub slots: Vec<Slot>,
    /// The display name of each family, with one `{}` per index: `Chan[{}].Cmd`.
    pub families: Vec<String>,
    pub multisets: Vec<Multiset>,
    /// The procedures that `Code` calls.
    pub functions: Vec<Procedure>,
    pub starts: Vec<Rule>,
    pub rules: Vec<Rule>,
    pub properties: Vec<Property>,
    /// Whether the instance is smaller than the source prescribes (integer windows): a completed search is then no
    /// proof, even for these sizes.
    pub windowed: bool,
}

/// A rule or start with its parameters. The code runs in a frame of `frame` slots, which starts with the parameters in
/// order; the rest is undefined. The first parameter varies slowest.
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    /// A rule fires only if no rule with a smaller number is enabled. Irrelevant for starts.
    pub priority: i64,
    pub parameters: Vec<Parameter>,
    /// Runs before the guard and before the body: binds aliases.
    pub prologue: Vec<Statement>,
    pub guard: Expression,
    pub body: Vec<Statement>,
    pub frame: usize,
    pub span: Span,
}

/// Ranges over `low`, `low + step`, ... up to `high`.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub ty: TypeId,
    pub low: i64,
    pub high: i64,
    pub step: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// Holds in every reachable state.
    Invariant,
    /// States that violate it are ignored, without an error.
    Assumption,
    /// Some reachable state satisfies it (Rumur's `cover`).
    Cover,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub kind: PropertyKind,
    pub parameters: Vec<Parameter>,
    pub prologue: Vec<Statement>,
    pub condition: Expression,
    pub frame: usize,
    pub span: Span,
}

/// A function or procedure. The caller allocates a frame of `frame` undefined slots, stores the arguments in the first
/// ones, and finds the result in the value of `Return`. A `var` parameter is a slot that holds an address.
#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub frame: usize,
    pub body: Vec<Statement>,
    pub span: Span,
}

/// The base of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A slot of the state.
    State(usize),
    /// A slot of the current frame.
    Frame(usize),
    /// The address stored in this slot of the current frame.
    Reference(usize),
}

/// A slot, or the first of several: the base plus `stride * (index - low)` for each subscript. An index outside
/// `low..=high` is an error.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub base: Base,
    pub offset: usize,
    pub subscripts: Vec<Subscript>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Subscript {
    pub index: Expression,
    pub low: i64,
    pub high: i64,
    pub stride: usize,
    /// Whether unbounded integers index the array and `low..=high` is only the window: leaving it cuts the run off,
    /// which is no error.
    pub windowed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Not,
    Negate,
    BitNot,
}

/// `And`, `Or` and `Implies` evaluate their right operand only if needed. `Divide` and `Modulo` truncate towards zero,
/// like C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    And,
    Or,
    Implies,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    Forall,
    Exists,
    /// The number of values that satisfy the body.
    Count,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    Constant(i64),
    /// Reads a slot; an error if it is undefined.
    Load(Place),
    /// Reads a slot, possibly `UNDEFINED`: for copies and parameters.
    LoadRaw(Place),
    /// 1 if all `length` slots from this place are undefined.
    IsUndefined(Place, usize),
    /// The address of a place, for `var` parameters and aliases; the place may be in the frame.
    Address(Place),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>, Span),
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// Binds a frame slot to each value of the range in turn.
    Fold {
        fold: Fold,
        slot: usize,
        range: Box<Range>,
        body: Box<Expression>,
    },
    /// Whether two blocks of slots are equal; undefined equals undefined.
    SameBlock(Place, Place, usize),
    /// Calls a function with these values in the first slots of its frame.
    Call(usize, Vec<Argument>, Span),
    /// Runs the statements, then evaluates the value: for calls that leave a record or array in the frame. The
    /// statements neither choose nor return.
    Sequence(Vec<Statement>, Box<Expression>),
    /// The value, or an error if it is out of bounds.
    InRange {
        value: Box<Expression>,
        low: i64,
        high: i64,
        /// The type that displays the value in messages; a number if none.
        ty: Option<TypeId>,
        span: Span,
    },
    EmptyList,
    Append(Box<Expression>, Box<Expression>),
    /// An error on the empty list.
    Head(Box<Expression>, Span),
    Tail(Box<Expression>, Span),
    Length(Box<Expression>),
}

/// The contents of the next slots of a callee's frame.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// One slot: a value or an address.
    Value(Expression),
    /// A copy of this many slots.
    Block(Place, usize),
}

/// `low`, `low + step`, ... until the value passes `high`; a negative step counts down. The step is never 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    pub low: Expression,
    pub high: Expression,
    pub step: Expression,
    /// Whether the range represents all integers.
    pub windowed: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// An error if the value is not in the type of the place.
    Assign {
        place: Place,
        value: Expression,
        ty: TypeId,
        span: Span,
    },
    /// Stores without a check: locals, parameters, aliases, copies of possibly undefined values.
    Store {
        place: Place,
        value: Expression,
    },
    /// Copies slots, undefined ones included; the blocks may overlap.
    CopyBlock {
        to: Place,
        from: Place,
        length: usize,
    },
    Undefine {
        place: Place,
        length: usize,
    },
    /// Sets slots to constants.
    Fill {
        place: Place,
        values: Vec<i64>,
    },
    /// Havoc: assigns an arbitrary value of the slot's type, so the rule has one successor for each.
    Choose {
        place: Place,
        ty: TypeId,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// Evaluates the range once, before the first iteration.
    For {
        slot: usize,
        range: Range,
        body: Vec<Statement>,
    },
    While {
        condition: Expression,
        body: Vec<Statement>,
        span: Span,
    },
    Call {
        function: usize,
        arguments: Vec<Argument>,
        span: Span,
    },
    Return(Option<Expression>),
    Assert {
        condition: Expression,
        message: String,
        span: Span,
    },
    /// Blocks the execution if the condition is false.
    Assume {
        condition: Expression,
    },
    /// Like `Assume`, but does nothing if the condition depends on undefined values or cannot be evaluated: prunes
    /// between choices, for a condition that an `Assume` checks after the last one.
    Prune {
        condition: Expression,
    },
    Error {
        message: String,
        span: Span,
    },
    /// Output, shown in simulations and replays only.
    Put(Vec<Output>),
    /// Adds the `stride` slots from `from` (see [`Multiset`]); an error if it is full.
    MultisetAdd {
        place: Place,
        capacity: usize,
        stride: usize,
        from: Place,
        span: Span,
    },
    /// Marks an element as absent; its slots stay readable until the rule ends.
    MultisetRemove {
        place: Place,
        capacity: usize,
        stride: usize,
        index: Expression,
        span: Span,
    },
    /// Removes every element that satisfies the condition; `slot` holds the index of the element.
    MultisetRemoveIf {
        place: Place,
        capacity: usize,
        stride: usize,
        slot: usize,
        condition: Expression,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    Text(String),
    Value(Expression, TypeId),
    /// A whole variable, with its name.
    Block {
        name: String,
        place: Place,
        types: Vec<TypeId>,
    },
}

impl Instance {
    /// The display name of a slot, such as `Chan[PROC_1].Cmd`.
    pub fn slot_name(&self, slot: usize) -> String {
        let slot = &self.slots[slot];
        let mut name = String::new();
        let mut indices = slot.indices.iter();
        let mut rest = self.families[slot.family].as_str();
        while let Some((before, after)) = rest.split_once("{}") {
            name.push_str(before);
            if let Some((ty, value)) = indices.next() {
                name.push_str(&self.value_name(*ty, *value));
            }
            rest = after;
        }
        name.push_str(rest);
        name
    }

    /// The display form of a value. Lists must be resolved by the owner of their interner.
    pub fn value_name(&self, ty: TypeId, value: i64) -> String {
        if value == UNDEFINED {
            return "undefined".to_owned();
        }
        match &self.types[ty] {
            Type::Boolean => if value == 0 { "false" } else { "true" }.to_owned(),
            Type::Range { .. } | Type::Integer { .. } => value.to_string(),
            Type::Enum { values, .. } => match usize::try_from(value).ok().and_then(|v| values.get(v)) {
                Some(name) => name.clone(),
                None => value.to_string(),
            },
            Type::Scalarset { name, labels, .. } => {
                match labels
                    .as_ref()
                    .and_then(|l| usize::try_from(value).ok().and_then(|v| l.get(v)))
                {
                    Some(label) => label.clone(),
                    None => format!("{name}_{}", i128::from(value) + 1),
                }
            }
            Type::Union { members } => {
                let mut value = value;
                for member in members {
                    let (low, count) = self.bounds(*member);
                    if value < count {
                        return self.value_name(*member, low.saturating_add(value));
                    }
                    value -= count;
                }
                value.to_string()
            }
            Type::Real { scale, .. } if value % scale == 0 => format!("{}.0", value / scale),
            Type::Real { scale, .. } => format!("{value}/{scale}"),
            Type::List { .. } => format!("list#{value}"),
        }
    }

    /// The least value of a type and the number of its values (0: not fixed).
    pub fn bounds(&self, ty: TypeId) -> (i64, i64) {
        match &self.types[ty] {
            Type::Boolean => (0, 2),
            Type::Range { low, high } => (*low, high.saturating_sub(*low).saturating_add(1)),
            Type::Enum { values, .. } => (0, i64::try_from(values.len()).unwrap_or(i64::MAX)),
            Type::Scalarset { size, .. } => (0, *size),
            Type::Union { members } => {
                let counts = members.iter().map(|member| self.bounds(*member).1);
                (0, counts.fold(0, i64::saturating_add))
            }
            Type::Integer { .. } | Type::Real { .. } | Type::List { .. } => (0, 0),
        }
    }
}
