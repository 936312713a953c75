//! Values without side effects, in simplified form.

use super::INT;
use super::builder::Builder;
use crate::constant;
use crate::types::{Kind, Type};
use system::program::{BinaryOperator, Comparison, Float, Integer, Scalar, UnaryOperator, Value};

/// The maximum nesting of values; deeper parts are saved in temporaries, on which recursive functions rely.
const DEEPEST_VALUE: u32 = 60;

pub(super) fn int(value: i128) -> Value {
    Value::integer(value, INT)
}

/// Zero, or the null pointer.
pub(super) fn zero(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Integer(integer) => Value::integer(0, integer),
        Scalar::Float(float) => Value::Float { bits: 0, float },
        Scalar::Pointer => Value::Convert {
            to: Scalar::Pointer,
            value: Box::new(int(0)),
        },
    }
}

/// Converts literals immediately.
pub(super) fn convert(value: Value, to: Scalar) -> Value {
    if value.scalar() == to {
        return value;
    }
    match (&value, to) {
        (Value::Integer { value, .. }, Scalar::Integer(integer)) => Value::integer(integer.wrap(*value), integer),
        (Value::Float { bits, .. }, Scalar::Float(Float::Double)) => Value::Float {
            bits: *bits,
            float: Float::Double,
        },
        _ => Value::Convert {
            to,
            value: Box::new(value),
        },
    }
}

pub(super) fn compare(comparison: Comparison, left: Value, right: Value) -> Value {
    Value::Compare {
        comparison,
        left: Box::new(left),
        right: Box::new(right),
        integer: INT,
    }
}

/// The truth value: not zero.
pub(super) fn truth(value: Value) -> Value {
    match value.scalar() {
        Scalar::Integer(_) => value,
        scalar => compare(Comparison::NotEqual, value, zero(scalar)),
    }
}

/// Folds constants, if the result is defined.
pub(super) fn binary(operator: BinaryOperator, left: Value, right: Value) -> Value {
    if let (Value::Integer { value: ours, integer }, Value::Integer { value: theirs, .. }) = (&left, &right)
        && let Some(result) = defined_operation(operator, *ours, *theirs, *integer)
    {
        return Value::integer(result, *integer);
    }
    Value::Binary {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    }
}

fn defined_operation(operator: BinaryOperator, left: i128, right: i128, integer: Integer) -> Option<i128> {
    let is_shift = matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
    if is_shift && (left < 0 || integer.is_signed && operator == BinaryOperator::ShiftLeft) {
        return None;
    }
    let result = constant::integer_operation(operator, left, right, integer.bits)?;
    match integer.is_signed {
        true => integer.contains(result).then_some(result),
        false => Some(integer.wrap(result)),
    }
}

pub(super) fn negate(operand: Value) -> Value {
    match operand {
        Value::Integer { value, integer } if integer.is_signed && integer.contains(-value) => {
            Value::integer(-value, integer)
        }
        operand => Value::Unary {
            operator: UnaryOperator::Negate,
            operand: Box::new(operand),
        },
    }
}

pub(super) fn complement(operand: Value) -> Value {
    match operand {
        Value::Integer { value, integer } => Value::integer(integer.wrap(!value), integer),
        operand => Value::Unary {
            operator: UnaryOperator::Complement,
            operand: Box::new(operand),
        },
    }
}

fn depth(value: &Value) -> u32 {
    1 + match value {
        Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => 0,
        Value::Read { place, .. } | Value::Address(place) => place_depth(place),
        Value::Unary { operand, .. } | Value::Convert { value: operand, .. } => depth(operand),
        Value::Binary { left, right, .. }
        | Value::Compare { left, right, .. }
        | Value::Distance { left, right, .. }
        | Value::Offset {
            pointer: left,
            index: right,
            ..
        } => depth(left).max(depth(right)),
    }
}

fn place_depth(place: &system::program::Place) -> u32 {
    use system::program::{Root, Selector};
    let root = match &place.root {
        Root::Variable(_) => 0,
        Root::Dereference { pointer, .. } => depth(pointer),
    };
    let indexes = place.selectors.iter().map(|selector| match selector {
        Selector::Field(_) => 0,
        Selector::Index(index) => depth(index),
    });
    indexes.max().unwrap_or(0).max(root)
}

impl Builder<'_, '_> {
    /// C11 6.3.1.2 to 6.3.1.5, 6.3.2.3: a conversion between scalar types.
    pub(super) fn converted(&self, value: Value, to: Type) -> Value {
        let scalar = self.lowering.scalar(to);
        if matches!(self.lowering.unit.types.kind(to), Kind::Bool) {
            return to_bool(value, scalar);
        }
        convert(value, scalar)
    }

    /// Saves a deeply nested value in a temporary.
    pub(super) fn shallow(&mut self, value: Value, of: Type, span: system::Span) -> Value {
        match depth(&value) > DEEPEST_VALUE {
            true => self.save(value, of, span),
            false => value,
        }
    }
}

/// C11 6.3.1.2: 0 where it is equal to zero, else 1.
fn to_bool(value: Value, scalar: Scalar) -> Value {
    match &value {
        Value::Integer { value, .. } => convert(int(i128::from(*value != 0)), scalar),
        Value::Compare { .. } => convert(value, scalar),
        _ => {
            let zero = zero(value.scalar());
            convert(compare(Comparison::NotEqual, value, zero), scalar)
        }
    }
}
