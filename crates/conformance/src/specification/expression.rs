//! Conditions, with the types and conversions of C.

use super::syntax::{Constant, Expression, ExpressionKind, Operator};
use system::program::{BinaryOperator, Comparison, Integer, Scalar, UnaryOperator, Value};
use system::{Diagnostic, Span};

/// A condition: a Boolean combination of values that are compared with zero.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    Truth(Value),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

/// Resolves names and `$n`.
pub trait Meanings {
    fn name(&self, name: &str, span: Span) -> Result<Value, Diagnostic>;

    fn dollar(&self, number: usize, span: Span) -> Result<Value, Diagnostic>;

    /// The width of `long` in bits.
    fn long_bits(&self) -> u32;
}

const INT: Integer = Integer::new(32, true);

/// Type checks a condition.
pub fn formula(expression: &Expression, meanings: &dyn Meanings) -> Result<Formula, Diagnostic> {
    let both = |left: &Expression, right: &Expression| {
        Ok::<_, Diagnostic>((Box::new(formula(left, meanings)?), Box::new(formula(right, meanings)?)))
    };
    Ok(match &expression.kind {
        ExpressionKind::Not(of) => Formula::Not(Box::new(formula(of, meanings)?)),
        ExpressionKind::Binary(Operator::And, left, right) => {
            let (left, right) = both(left, right)?;
            Formula::And(left, right)
        }
        ExpressionKind::Binary(Operator::Or, left, right) => {
            let (left, right) = both(left, right)?;
            Formula::Or(left, right)
        }
        _ => Formula::Truth(value(expression, meanings)?),
    })
}

fn value(expression: &Expression, meanings: &dyn Meanings) -> Result<Value, Diagnostic> {
    let span = expression.span;
    match &expression.kind {
        ExpressionKind::Number(constant) => Ok(number(*constant, meanings.long_bits())),
        ExpressionKind::Name(name) => meanings.name(name, span),
        ExpressionKind::Dollar(number) => meanings.dollar(*number, span),
        ExpressionKind::Negate(of) => {
            let operand = promoted(value(of, meanings)?, of.span)?;
            Ok(Value::Unary {
                operator: UnaryOperator::Negate,
                operand: Box::new(operand),
            })
        }
        ExpressionKind::Binary(operator, left, right) => {
            let (left, right) = (value(left, meanings)?, value(right, meanings)?);
            binary(*operator, left, right, span)
        }
        ExpressionKind::Not(_) => Err(Diagnostic::error(
            span,
            "`!` makes a condition, which is no number here",
        )),
        ExpressionKind::Error => Err(Diagnostic::error(span, "this cannot be read")),
    }
}

/// C11 6.4.4.1p5: the first type that fits the number, among those that its base and its suffix allow.
fn number(constant: Constant, long_bits: u32) -> Value {
    let widths = [INT.bits, long_bits, 64].into_iter().skip(usize::from(constant.longs));
    let types = widths.flat_map(|bits| [Integer::new(bits, true), Integer::new(bits, false)]);
    let is_allowed = |integer: &Integer| match integer.is_signed {
        true => !constant.is_unsigned,
        false => constant.is_unsigned || !constant.is_decimal,
    };
    let value = i128::from(constant.value);
    let mut fitting = types.filter(is_allowed).filter(|integer| integer.contains(value));
    let integer = fitting.next().unwrap_or(Integer::new(64, constant.is_unsigned));
    Value::Integer { value, integer }
}

/// Integer promotion.
fn promoted(value: Value, span: Span) -> Result<Value, Diagnostic> {
    match value.scalar() {
        Scalar::Integer(integer) if integer.bits < INT.bits => Ok(converted(value, INT)),
        Scalar::Integer(_) => Ok(value),
        _ => Err(Diagnostic::error(span, "only integers can be computed with here")),
    }
}

fn converted(value: Value, integer: Integer) -> Value {
    match value {
        Value::Integer { value, .. } => Value::Integer {
            value: integer.wrap(value),
            integer,
        },
        value if value.scalar() == Scalar::Integer(integer) => value,
        value => Value::Convert {
            to: Scalar::Integer(integer),
            value: Box::new(value),
        },
    }
}

/// The usual arithmetic conversions.
fn common(left: Integer, right: Integer) -> Integer {
    let (narrow, wide) = if left.bits < right.bits {
        (left, right)
    } else {
        (right, left)
    };
    match narrow.bits == wide.bits {
        true => Integer::new(wide.bits, left.is_signed && right.is_signed),
        false => wide,
    }
}

fn binary(operator: Operator, left: Value, right: Value, span: Span) -> Result<Value, Diagnostic> {
    let comparison = match operator {
        Operator::Equal => Some(Comparison::Equal),
        Operator::NotEqual => Some(Comparison::NotEqual),
        Operator::Less => Some(Comparison::Less),
        Operator::LessOrEqual => Some(Comparison::LessOrEqual),
        Operator::Greater => Some(Comparison::Greater),
        Operator::GreaterOrEqual => Some(Comparison::GreaterOrEqual),
        _ => None,
    };
    if let (Some(comparison @ (Comparison::Equal | Comparison::NotEqual)), true) = (
        comparison,
        [&left, &right].iter().any(|side| side.scalar() == Scalar::Pointer),
    ) {
        return Ok(Value::Compare {
            comparison,
            left: Box::new(pointer(left, span)?),
            right: Box::new(pointer(right, span)?),
            integer: INT,
        });
    }
    let (left, right) = (promoted(left, span)?, promoted(right, span)?);
    let (Scalar::Integer(first), Scalar::Integer(second)) = (left.scalar(), right.scalar()) else {
        return Err(Diagnostic::error(span, "only integers can be computed with here"));
    };
    let integer = common(first, second);
    let (left, right) = (Box::new(converted(left, integer)), Box::new(converted(right, integer)));
    if let Some(comparison) = comparison {
        return Ok(Value::Compare {
            comparison,
            left,
            right,
            integer: INT,
        });
    }
    let operator = match operator {
        Operator::Add => BinaryOperator::Add,
        Operator::Subtract => BinaryOperator::Subtract,
        Operator::Multiply => BinaryOperator::Multiply,
        Operator::Divide => BinaryOperator::Divide,
        Operator::Remainder => BinaryOperator::Remainder,
        Operator::BitAnd => BinaryOperator::And,
        _ => return Err(Diagnostic::error(span, "a condition is no number here")),
    };
    Ok(Value::Binary { operator, left, right })
}

/// A pointer, or zero.
fn pointer(value: Value, span: Span) -> Result<Value, Diagnostic> {
    match value {
        value if value.scalar() == Scalar::Pointer => Ok(value),
        Value::Integer { value: 0, .. } => Ok(Value::Convert {
            to: Scalar::Pointer,
            value: Box::new(value),
        }),
        _ => Err(Diagnostic::error(span, "a pointer is compared with a number")
            .help("a pointer can be compared with another one, or with 0")),
    }
}
