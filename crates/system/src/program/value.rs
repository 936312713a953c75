//! Values without effects, and places that can be read and written.

use super::types::{Float, Integer, Scalar, TypeId};
use super::{ProcedureId, VariableId};

/// A value that fits into a register. To compute it changes nothing, but may be undefined.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Integer {
        /// In the range of its type.
        value: i128,
        integer: Integer,
    },
    Float {
        /// The bits of a double, whatever the type is.
        bits: u64,
        float: Float,
    },
    /// What a place holds. Its type is a scalar.
    Read { place: Box<Place>, scalar: Scalar },
    /// A pointer to a place. Nothing is read.
    Address(Box<Place>),
    /// A pointer to a procedure.
    Procedure(ProcedureId),
    Unary {
        operator: UnaryOperator,
        operand: Box<Value>,
    },
    /// Both operands have the same type, except of shifts, whose result has the type of the first.
    Binary {
        operator: BinaryOperator,
        left: Box<Value>,
        right: Box<Value>,
    },
    /// One or zero, of the type that the language has for truth.
    Compare {
        comparison: Comparison,
        left: Box<Value>,
        right: Box<Value>,
        integer: Integer,
    },
    /// A pointer so many elements further on, each of so many bytes.
    Offset {
        pointer: Box<Value>,
        /// An integer of any type.
        index: Box<Value>,
        bytes: u64,
    },
    /// How many elements of so many bytes lie between two pointers.
    Distance {
        left: Box<Value>,
        right: Box<Value>,
        bytes: u64,
        integer: Integer,
    },
    /// Integers wrap around, and become pointers and come from them as numbers; floats are rounded.
    Convert { to: Scalar, value: Box<Value> },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnaryOperator {
    Negate,
    Complement,
}

/// Of integers and, the first four, of floats. Division rounds towards zero, and the remainder fits it.
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

/// Of integers of one type, of floats, of pointers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A part of an object, which can be read, written and pointed at.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub root: Root,
    /// From the whole to its part.
    pub selectors: Vec<Selector>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Root {
    Variable(VariableId),
    /// What a pointer points at, seen as this type.
    Dereference {
        pointer: Box<Value>,
        type_id: TypeId,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Selector {
    /// By its position in the record.
    Field(usize),
    /// An element of an array, by an integer of any type.
    Index(Box<Value>),
}

impl Value {
    /// Calls `visit` with every value in this one, and then with itself.
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
    /// Calls `visit` with every value that is needed to find the place.
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

    /// What a pointer points at.
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
