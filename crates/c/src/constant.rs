//! Constant expressions: C11 6.6.
//!
//! As in gcc, an expression is constant if its value can be computed, whatever its form. Overflow wraps around.

use crate::tree::{Expression, ExpressionKind, FunctionId, LiteralId, Step, Storage, Unit, VariableId};
use crate::types::{FloatKind, Kind, Length, Type};
use system::program::{BinaryOperator, Comparison, Integer};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Constant {
    /// Of an integer type, or a pointer cast from an integer.
    Integer(i128),
    Float(f64),
    Address(Address),
}

/// An offset in bytes from the beginning of an object: C11 6.6p9.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub(crate) base: Base,
    pub(crate) offset: i128,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// No object: a plain integer.
    Nothing,
    Variable(VariableId),
    Literal(LiteralId),
    Function(FunctionId),
}

/// None where the value is not constant.
pub(crate) fn evaluate(unit: &Unit, expression: &Expression) -> Option<Constant> {
    let own = expression.expression_type;
    match &expression.kind {
        ExpressionKind::Integer(value) => Some(Constant::Integer(*value)),
        ExpressionKind::Float(value) => Some(Constant::Float(*value)),
        ExpressionKind::Decay(place) | ExpressionKind::Address(place) => Some(address(locate(unit, place)?)),
        ExpressionKind::Convert(operand) => convert(unit, evaluate(unit, operand)?, own),
        ExpressionKind::Negate(operand) => match evaluate(unit, operand)? {
            Constant::Integer(value) => wrapped(unit, -value, own),
            Constant::Float(value) => Some(Constant::Float(-value)),
            Constant::Address(_) => None,
        },
        ExpressionKind::Complement(operand) => match evaluate(unit, operand)? {
            Constant::Integer(value) => wrapped(unit, !value, own),
            _ => None,
        },
        ExpressionKind::Not(operand) => Some(truth(!is_true(unit, operand)?)),
        ExpressionKind::Binary { operator, left, right } => binary(unit, *operator, left, right, own),
        ExpressionKind::Compare {
            comparison,
            left,
            right,
        } => compare(*comparison, evaluate(unit, left)?, evaluate(unit, right)?).map(truth),
        ExpressionKind::PointerOffset {
            pointer,
            index,
            is_back,
        } => offset(unit, pointer, index, *is_back),
        ExpressionKind::PointerDifference { left, right } => difference(unit, left, right),
        ExpressionKind::And(left, right) => Some(truth(is_true(unit, left)? && is_true(unit, right)?)),
        ExpressionKind::Or(left, right) => Some(truth(is_true(unit, left)? || is_true(unit, right)?)),
        ExpressionKind::Conditional {
            condition,
            then,
            otherwise,
        } => evaluate(unit, if is_true(unit, condition)? { then } else { otherwise }),
        ExpressionKind::ConditionalSame { condition, otherwise } => match is_true(unit, condition)? {
            true => convert(unit, evaluate(unit, condition)?, own),
            false => evaluate(unit, otherwise),
        },
        _ => None,
    }
}

/// The value of an integer constant expression: C11 6.6p6.
pub(crate) fn integer(unit: &Unit, expression: &Expression) -> Option<i128> {
    match evaluate(unit, expression)? {
        Constant::Integer(value) if unit.types.is_integer(expression.expression_type) => Some(value),
        _ => None,
    }
}

/// A null pointer constant: C11 6.3.2.3p3.
pub(crate) fn is_null_pointer(unit: &Unit, expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Convert(operand) if unit.types.is_pointer(expression.expression_type) => {
            let to_void = unit
                .types
                .target_of(expression.expression_type)
                .is_some_and(|target| unit.types.is_void(target) && !target.is_const && !target.is_volatile);
            to_void && integer(unit, operand) == Some(0)
        }
        _ => integer(unit, expression) == Some(0),
    }
}

/// Whether the value is nonzero.
pub(crate) fn is_true(unit: &Unit, expression: &Expression) -> Option<bool> {
    Some(match evaluate(unit, expression)? {
        Constant::Integer(value) => value != 0,
        Constant::Float(value) => value != 0.0,
        // The address of an object is never null.
        Constant::Address(_) => true,
    })
}

fn truth(holds: bool) -> Constant {
    Constant::Integer(i128::from(holds))
}

fn address(address: Address) -> Constant {
    match address.base {
        Base::Nothing => Constant::Integer(address.offset),
        _ => Constant::Address(address),
    }
}

/// The value wrapped into the range of its type.
fn wrapped(unit: &Unit, value: i128, to: Type) -> Option<Constant> {
    let integer = unit.types.integer_of(to)?;
    (integer.bits <= 64).then(|| Constant::Integer(integer.wrap(value)))
}

/// C11 6.3.1.2 to 6.3.1.5, 6.3.2.3.
pub(crate) fn convert(unit: &Unit, value: Constant, to: Type) -> Option<Constant> {
    let pointer = Integer::new(unit.types.data_model.pointer_bits(), false);
    match (unit.types.kind(to), value) {
        (Kind::Bool, Constant::Integer(value)) => Some(truth(value != 0)),
        (Kind::Bool, Constant::Float(value)) => Some(truth(value != 0.0)),
        (Kind::Bool, Constant::Address(_)) => Some(truth(true)),
        (Kind::Pointer(_), Constant::Integer(value)) => Some(Constant::Integer(pointer.wrap(value))),
        (Kind::Pointer(_), Constant::Address(_)) => Some(value),
        (Kind::Float(kind), Constant::Integer(value)) => Some(rounded(*kind, integer_to_float(*kind, value))),
        (Kind::Float(kind), Constant::Float(value)) => Some(rounded(*kind, value)),
        (_, Constant::Integer(value)) => wrapped(unit, value, to),
        (_, Constant::Float(value)) => float_to_integer(unit, value, to),
        (_, Constant::Address(_)) => (unit.types.integer_of(to)?.bits == pointer.bits).then_some(value),
    }
}

/// Rounds once, also for integers that do not fit a double.
#[allow(clippy::cast_precision_loss)]
fn integer_to_float(kind: FloatKind, value: i128) -> f64 {
    match kind {
        FloatKind::Single => f64::from(value as f32),
        _ => value as f64,
    }
}

fn rounded(kind: FloatKind, value: f64) -> Constant {
    Constant::Float(round(kind, value))
}

/// The nearest value of this type: C11 6.3.1.5.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn round(kind: FloatKind, value: f64) -> f64 {
    match kind {
        FloatKind::Single => f64::from(value as f32),
        _ => value,
    }
}

/// C11 6.3.1.4p1: undefined where it does not fit, and no constant then.
#[allow(clippy::cast_possible_truncation)]
fn float_to_integer(unit: &Unit, value: f64, to: Type) -> Option<Constant> {
    let integer = unit.types.integer_of(to)?;
    let whole = value.trunc() as i128;
    (value.is_finite() && integer.bits <= 64 && integer.contains(whole)).then_some(Constant::Integer(whole))
}

fn binary(unit: &Unit, operator: BinaryOperator, left: &Expression, right: &Expression, own: Type) -> Option<Constant> {
    match (evaluate(unit, left)?, evaluate(unit, right)?) {
        (Constant::Integer(left), Constant::Integer(right)) => {
            let integer = unit.types.integer_of(own)?;
            (integer.bits <= 64).then_some(())?;
            Some(Constant::Integer(integer.wrap(integer_operation(
                operator,
                left,
                right,
                integer.bits,
            )?)))
        }
        (Constant::Float(left), Constant::Float(right)) => {
            let result = match operator {
                BinaryOperator::Add => left + right,
                BinaryOperator::Subtract => left - right,
                BinaryOperator::Multiply => left * right,
                BinaryOperator::Divide => left / right,
                _ => return None,
            };
            match unit.types.kind(own) {
                Kind::Float(kind) => Some(rounded(*kind, result)),
                _ => None,
            }
        }
        // An address cast to an integer, moved by an integer.
        (Constant::Address(address), Constant::Integer(by)) => match operator {
            BinaryOperator::Add => Some(moved(address, by)),
            BinaryOperator::Subtract => Some(moved(address, -by)),
            _ => None,
        },
        (Constant::Integer(by), Constant::Address(address)) if operator == BinaryOperator::Add => {
            Some(moved(address, by))
        }
        _ => None,
    }
}

fn moved(address: Address, by: i128) -> Constant {
    Constant::Address(Address {
        offset: address.offset.wrapping_add(by),
        ..address
    })
}

/// The exact result, before it wraps around. Operands have at most 64 bits.
pub(crate) fn integer_operation(operator: BinaryOperator, left: i128, right: i128, bits: u32) -> Option<i128> {
    Some(match operator {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left.wrapping_mul(right),
        BinaryOperator::Divide => left.checked_div(right)?,
        BinaryOperator::Remainder => left.checked_rem(right)?,
        BinaryOperator::And => left & right,
        BinaryOperator::Or => left | right,
        BinaryOperator::ExclusiveOr => left ^ right,
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
            let by = u32::try_from(right).ok().filter(|by| *by < bits)?;
            match operator {
                BinaryOperator::ShiftLeft => left.wrapping_shl(by),
                _ => left >> by,
            }
        }
    })
}

fn compare(comparison: Comparison, left: Constant, right: Constant) -> Option<bool> {
    let order = match (left, right) {
        (Constant::Integer(left), Constant::Integer(right)) => Some(left.cmp(&right)),
        (Constant::Float(left), Constant::Float(right)) => left.partial_cmp(&right),
        (Constant::Address(left), Constant::Address(right)) if left.base == right.base => {
            Some(left.offset.cmp(&right.offset))
        }
        // The address of an object is never null.
        (Constant::Address(_), Constant::Integer(0)) | (Constant::Integer(0), Constant::Address(_)) => {
            return match comparison {
                Comparison::Equal => Some(false),
                Comparison::NotEqual => Some(true),
                _ => None,
            };
        }
        _ => return None,
    };
    Some(match comparison {
        Comparison::Equal => order.is_some_and(|order| order.is_eq()),
        Comparison::NotEqual => order.is_none_or(|order| order.is_ne()),
        Comparison::Less => order.is_some_and(|order| order.is_lt()),
        Comparison::LessOrEqual => order.is_some_and(|order| order.is_le()),
        Comparison::Greater => order.is_some_and(|order| order.is_gt()),
        Comparison::GreaterOrEqual => order.is_some_and(|order| order.is_ge()),
    })
}

/// GNU C: arithmetic on pointers to void and to functions is in bytes.
pub(crate) fn step_size(unit: &Unit, pointer: Type) -> Option<u64> {
    let target = unit.types.target_of(pointer)?;
    match unit.types.kind(target) {
        Kind::Void | Kind::Function(_) => Some(1),
        _ => unit.types.size(target),
    }
}

fn offset(unit: &Unit, pointer: &Expression, index: &Expression, is_back: bool) -> Option<Constant> {
    let size = i128::from(step_size(unit, pointer.expression_type)?);
    let by = integer(unit, index)?.wrapping_mul(size);
    let by = if is_back { -by } else { by };
    match evaluate(unit, pointer)? {
        Constant::Address(address) => Some(moved(address, by)),
        Constant::Integer(value) => {
            let pointer = Integer::new(unit.types.data_model.pointer_bits(), false);
            Some(Constant::Integer(pointer.wrap(value + by)))
        }
        Constant::Float(_) => None,
    }
}

fn difference(unit: &Unit, left: &Expression, right: &Expression) -> Option<Constant> {
    let size = i128::from(step_size(unit, left.expression_type)?);
    let distance = match (evaluate(unit, left)?, evaluate(unit, right)?) {
        (Constant::Address(left), Constant::Address(right)) if left.base == right.base => left.offset - right.offset,
        (Constant::Integer(left), Constant::Integer(right)) => left - right,
        _ => return None,
    };
    distance.checked_div(size).map(Constant::Integer)
}

/// The literal address of a place that is not part of an object.
pub(crate) fn absolute(unit: &Unit, place: &Expression) -> Option<i128> {
    let found = locate(unit, place)?;
    (found.base == Base::Nothing && found.offset >= 0).then_some(found.offset)
}

/// The address of a place with static storage duration.
fn locate(unit: &Unit, place: &Expression) -> Option<Address> {
    let whole = |base| Some(Address { base, offset: 0 });
    match &place.kind {
        ExpressionKind::Literal(literal) => whole(Base::Literal(*literal)),
        ExpressionKind::Function(function) => whole(Base::Function(*function)),
        ExpressionKind::Variable(variable)
        | ExpressionKind::CompoundLiteral {
            variable,
            initialiser: None,
        } if unit[*variable].storage == Storage::Static => whole(Base::Variable(*variable)),
        ExpressionKind::Dereference(pointer) => match evaluate(unit, pointer)? {
            Constant::Address(address) => Some(address),
            Constant::Integer(offset) => Some(Address {
                base: Base::Nothing,
                offset,
            }),
            Constant::Float(_) => None,
        },
        ExpressionKind::Member { operand, field } => {
            let record = unit.types.record_of(operand.expression_type)?;
            let field = unit.types.fields(record).get(*field)?;
            let whole = locate(unit, operand)?;
            Some(Address {
                offset: whole.offset + i128::from(field.offset),
                ..whole
            })
        }
        _ => None,
    }
}

/// The offset of a part in an aggregate, and its type.
pub(crate) fn part(unit: &Unit, whole: Type, path: &[Step]) -> Option<(u64, Type)> {
    let mut offset: u64 = 0;
    let mut part = whole;
    for step in path {
        let (further, next) = match (step, unit.types.kind(part)) {
            (Step::Field(field), Kind::Record(record)) => {
                let field = unit.types.fields(*record).get(*field)?;
                (field.offset, field.field_type)
            }
            (Step::Index(index), Kind::Array { element, .. }) => {
                (unit.types.size(*element)?.checked_mul(*index)?, *element)
            }
            _ => return None,
        };
        offset = offset.checked_add(further)?;
        part = next;
    }
    Some((offset, part))
}

/// The number of elements, if it is constant.
pub(crate) fn array_length(unit: &Unit, of: Type) -> Option<u64> {
    match unit.types.kind(of) {
        Kind::Array {
            length: Length::Known(length),
            ..
        } => Some(*length),
        _ => None,
    }
}
