//! Side-effect-free values, and places in memory.

use super::types::{Float, Integer, Scalar, TypeId};
use super::{ProcedureId, VariableId};

/// A register value. Evaluating it has no effect, but may be undefined behaviour.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Integer {
        /// Within the range of its type.
        value: i128,
        integer: Integer,
    },
    Float {
        /// The bits of a double, regardless of the type.
        bits: u64,
        float: Float,
    },
    /// Reads a place of scalar type.
    Read { place: Box<Place>, scalar: Scalar },
    /// The address of a place. Reads nothing.
    Address(Box<Place>),
    /// The address of a procedure.
    Procedure(ProcedureId),
    Unary {
        operator: UnaryOperator,
        operand: Box<Value>,
    },
    /// Both operands have the same type, except for shifts, whose result has the type of the left operand.
    Binary {
        operator: BinaryOperator,
        left: Box<Value>,
        right: Box<Value>,
    },
    /// One or zero, of the language's type for truth values.
    Compare {
        comparison: Comparison,
        left: Box<Value>,
        right: Box<Value>,
        integer: Integer,
    },
    /// Pointer arithmetic: advances a pointer by a number of elements of this size.
    Offset {
        pointer: Box<Value>,
        /// An integer of any type.
        index: Box<Value>,
        bytes: u64,
    },
    /// Pointer difference in elements of this size.
    Distance {
        left: Box<Value>,
        right: Box<Value>,
        bytes: u64,
        integer: Integer,
    },
    /// A conversion: integers wrap around and convert to and from pointers; floats are rounded.
    Convert { to: Scalar, value: Box<Value> },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnaryOperator {
    Negate,
    Complement,
}

/// On integers and, for the first four, on floats. Division truncates towards zero, with the matching remainder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    ExclusiveOr,
}

/// On integers of one type, on floats, on pointers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A part of an object that can be read, written and addressed.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub root: Root,
    /// Selectors from the whole object to its part.
    pub selectors: Vec<Selector>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Root {
    Variable(VariableId),
    /// The target of a pointer, accessed with this type.
    Dereference {
        pointer: Box<Value>,
        type_id: TypeId,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Selector {
    /// A field, by its index in the record.
    Field(usize),
    /// An array element, indexed by an integer of any type.
    Index(Box<Value>),
}

impl Value {
    /// Calls `visit` with every value in this one, operands first.
    pub fn for_each_mut(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        match self {
            Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => {}
            Value::Read { place, .. } | Value::Address(place) => place.for_each_value_mut(visit),
            Value::Unary { operand: value, .. } | Value::Convert { value, .. } => value.for_each_mut(visit),
            Value::Binary { left, right, .. }
            | Value::Compare { left, right, .. }
            | Value::Distance { left, right, .. }
            | Value::Offset {
                pointer: left,
                index: right,
                ..
            } => {
                left.for_each_mut(visit);
                right.for_each_mut(visit);
            }
        }
        visit(self);
    }
}

impl Place {
    /// Calls `visit` with every value that determines the place.
    pub fn for_each_value_mut(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        if let Root::Dereference { pointer, .. } = &mut self.root {
            pointer.for_each_mut(visit);
        }
        for selector in &mut self.selectors {
            if let Selector::Index(index) = selector {
                index.for_each_mut(visit);
            }
        }
    }

    pub fn variable(variable: VariableId) -> Place {
        Place {
            root: Root::Variable(variable),
            selectors: Vec::new(),
        }
    }

    /// The target of a pointer.
    pub fn at(pointer: Value, type_id: TypeId) -> Place {
        Place {
            root: Root::Dereference {
                pointer: Box::new(pointer),
                type_id,
            },
            selectors: Vec::new(),
        }
    }

    #[must_use]
    pub fn select(mut self, selector: Selector) -> Place {
        self.selectors.push(selector);
        self
    }
}

impl Value {
    pub fn integer(value: i128, integer: Integer) -> Value {
        Value::Integer { value, integer }
    }

    pub fn scalar(&self) -> Scalar {
        match self {
            Value::Integer { integer, .. } | Value::Compare { integer, .. } | Value::Distance { integer, .. } => {
                Scalar::Integer(*integer)
            }
            Value::Float { float, .. } => Scalar::Float(*float),
            Value::Read { scalar, .. } | Value::Convert { to: scalar, .. } => *scalar,
            Value::Address(_) | Value::Procedure(_) | Value::Offset { .. } => Scalar::Pointer,
            Value::Unary { operand, .. } | Value::Binary { left: operand, .. } => operand.scalar(),
        }
    }
}
