//! Implicit conversions: C11 6.3.

use super::Checker;
use crate::tree::{Expression, ExpressionKind};
use crate::types::{FloatKind, Integer, IntegerKind, Kind, Type};
use crate::{constant, tree};
use system::Diagnostic;

impl Checker {
    /// Lvalue conversion: C11 6.3.2.1p2. Arrays become pointers to their first elements (p3), functions pointers to
    /// themselves (p4).
    pub(super) fn value(&mut self, expression: Expression) -> Expression {
        let own = expression.expression_type;
        let span = expression.span;
        if self.is_error(&expression) {
            return expression;
        }
        if let Some(element) = self.unit.types.element_of(own) {
            let pointer = self.unit.types.pointer_to(element);
            return Expression::new(ExpressionKind::Decay(Box::new(expression)), pointer, span);
        }
        if self.unit.types.is_function(own) {
            let pointer = self.unit.types.pointer_to(own.unqualified());
            return Expression::new(ExpressionKind::Address(Box::new(expression)), pointer, span);
        }
        if !expression.is_place() {
            return match &expression.kind {
                // A field of a record value.
                ExpressionKind::Member { .. } => {
                    Expression::new(ExpressionKind::Load(Box::new(expression)), own.unqualified(), span)
                }
                _ => expression,
            };
        }
        if self.unit.types.is_void(own) {
            return expression;
        }
        if self.unit.types.is_unsupported(own) {
            return self.unsupported_value(own, span);
        }
        if self.unit.types.size(own).is_none() {
            let message = format!("a value of the incomplete type `{}`", self.unit.types.name(own));
            return self.wrong(Diagnostic::error(span, message).label("incomplete type"));
        }
        Expression::new(ExpressionKind::Load(Box::new(expression)), own.unqualified(), span)
    }

    /// Inserts a conversion if the type changes. The caller has checked that it is allowed.
    pub(super) fn convert(&mut self, expression: Expression, to: Type) -> Expression {
        let to = to.unqualified();
        if expression.expression_type.id == to.id || self.is_error(&expression) {
            return Expression {
                expression_type: if self.is_error(&expression) {
                    expression.expression_type
                } else {
                    to
                },
                ..expression
            };
        }
        if self.unit.types.is_error(to) {
            return Expression::error(&self.unit.types, expression.span);
        }
        // `DBL_MAX` is written as a `long double`.
        if let (ExpressionKind::Float(value), Kind::Float(kind @ (FloatKind::Single | FloatKind::Double))) =
            (&expression.kind, self.unit.types.kind(to))
        {
            let kind = ExpressionKind::Float(constant::round(*kind, *value));
            return Expression::new(kind, to, expression.span);
        }
        let from = expression.expression_type;
        let is_computed = |of| self.unit.types.is_unsupported(of);
        if is_computed(from) || is_computed(to) {
            let unsupported = if is_computed(from) { from } else { to };
            return self.unsupported_value(unsupported, expression.span);
        }
        // Literals stay literals, which keeps constants recognisable.
        if let (ExpressionKind::Integer(value), Some(integer)) = (&expression.kind, self.unit.types.integer_of(to)) {
            let value = if self.unit.types.is_bool(to) {
                i128::from(*value != 0)
            } else {
                integer.wrap(*value)
            };
            return Expression::new(ExpressionKind::Integer(value), to, expression.span);
        }
        let span = expression.span;
        Expression::new(ExpressionKind::Convert(Box::new(expression)), to, span)
    }

    pub(super) fn unsupported_value(&mut self, unsupported: Type, span: system::Span) -> Expression {
        let message = format!(
            "values of type `{}` are not supported",
            self.unit.types.name(unsupported)
        );
        self.refused(Diagnostic::error(span, message).label("cannot be computed"))
    }

    /// The integer promotions, C11 6.3.1.1p2: `int` where it has all values, else `unsigned int`; wider types stay. A
    /// bit-field has the values of its bits.
    pub(super) fn promoted(&mut self, expression: Expression) -> Expression {
        match self.promoted_type(expression.expression_type) {
            Some(to) => self.convert(expression, to),
            None => expression,
        }
    }

    pub(super) fn promoted_type(&mut self, of: Type) -> Option<Type> {
        let integer = self.unit.types.integer_of(of)?;
        let is_wide = match self.unit.types.kind(of) {
            Kind::Integer(kind) => kind.rank() > IntegerKind::Int.rank(),
            Kind::Enumeration(id) => {
                let underlying = self
                    .unit
                    .types
                    .enumeration(*id)
                    .underlying
                    .unwrap_or(IntegerKind::UnsignedInt);
                if underlying.rank() > IntegerKind::Int.rank() {
                    return Some(self.unit.types.integer(underlying));
                }
                false
            }
            _ => integer.bits > 32,
        };
        if is_wide {
            return Some(of.unqualified());
        }
        Some(match integer {
            Integer {
                bits: 32,
                is_signed: false,
            } => self.unit.types.integer(IntegerKind::UnsignedInt),
            _ => self.unit.types.int(),
        })
    }

    /// The usual arithmetic conversions, C11 6.3.1.8: both operands get one type.
    pub(super) fn usual(&mut self, left: Expression, right: Expression) -> (Expression, Expression, Type) {
        let common = self.usual_type(left.expression_type, right.expression_type);
        (self.convert(left, common), self.convert(right, common), common)
    }

    pub(super) fn usual_type(&mut self, left: Type, right: Type) -> Type {
        let float = |of: Type| match self.unit.types.kind(of) {
            Kind::Float(kind) => Some(*kind),
            _ => None,
        };
        // The wider of the floating types, or the only one.
        if let Some(kind) = float(left).max(float(right)) {
            return self.unit.types.of(Kind::Float(kind));
        }
        let (Some(left), Some(right)) = (self.promoted_type(left), self.promoted_type(right)) else {
            return self.unit.types.error();
        };
        if left.id == right.id {
            return left;
        }
        let (Some(ours), Some(theirs)) = (self.unit.types.integer_of(left), self.unit.types.integer_of(right)) else {
            return self.unit.types.error();
        };
        let (our_rank, their_rank) = (self.rank(left), self.rank(right));
        // With the same signedness: the greater rank.
        if ours.is_signed == theirs.is_signed {
            return if our_rank >= their_rank { left } else { right };
        }
        let (unsigned, signed, unsigned_rank, signed_rank) = match ours.is_signed {
            false => (left, right, our_rank, their_rank),
            true => (right, left, their_rank, our_rank),
        };
        if unsigned_rank >= signed_rank {
            return unsigned;
        }
        let (signed_bits, unsigned_bits) = match ours.is_signed {
            false => (theirs.bits, ours.bits),
            true => (ours.bits, theirs.bits),
        };
        // The signed type, if it has all values of the unsigned one; otherwise the unsigned type of the same width.
        if signed_bits > unsigned_bits {
            signed
        } else {
            self.unsigned_type(signed)
        }
    }

    /// Ordered by width first, since gcc has types for bit-fields wider than `int`; C11 6.3.1.1p1 orders the rest.
    fn rank(&self, of: Type) -> (u32, u32) {
        let bits = self.unit.types.integer_of(of).map_or(0, |integer| integer.bits);
        match self.unit.types.kind(of) {
            Kind::Integer(kind) => (bits, kind.rank()),
            _ => (bits, 0),
        }
    }

    pub(super) fn unsigned_type(&mut self, signed: Type) -> Type {
        match *self.unit.types.kind(signed) {
            Kind::Integer(kind) => self.unit.types.integer(kind.to_unsigned()),
            Kind::Bits { width, .. } => self.unit.types.of(Kind::Bits {
                width,
                is_signed: false,
            }),
            _ => signed,
        }
    }

    /// The default argument promotions: C11 6.5.2.2p6.
    pub(super) fn promoted_argument(&mut self, argument: Expression) -> Expression {
        match self.unit.types.kind(argument.expression_type) {
            Kind::Float(FloatKind::Single) => {
                let double = self.unit.types.of(Kind::Float(FloatKind::Double));
                self.convert(argument, double)
            }
            _ => {
                // Arguments never have such widths.
                let odd =
                    matches!(self.unit.types.kind(argument.expression_type), Kind::Bits { width, .. } if *width > 32);
                if odd {
                    return self.whole_bits(argument);
                }
                self.promoted(argument)
            }
        }
    }

    /// The value of a wide bit-field in its declared type.
    fn whole_bits(&mut self, value: Expression) -> Expression {
        let is_signed = self
            .unit
            .types
            .integer_of(value.expression_type)
            .is_none_or(|integer| integer.is_signed);
        let kind = if is_signed {
            IntegerKind::LongLong
        } else {
            IntegerKind::UnsignedLongLong
        };
        let wide = self.unit.types.integer(kind);
        self.convert(value, wide)
    }

    /// The value of an expression statement, which is evaluated and discarded.
    pub(super) fn unused_value(&mut self, expression: Expression) -> Expression {
        match self.unit.types.kind(expression.expression_type) {
            Kind::Void | Kind::Error => expression,
            _ => self.value(expression),
        }
    }

    pub(super) fn is_null_pointer(&self, expression: &Expression) -> bool {
        constant::is_null_pointer(&self.unit, expression)
    }

    pub(super) fn is_bit_field(&self, expression: &Expression) -> bool {
        let tree::ExpressionKind::Member { operand, field } = &expression.kind else {
            return false;
        };
        let record = self.unit.types.record_of(operand.expression_type);
        let field = record.and_then(|record| self.unit.types.fields(record).get(*field));
        field.is_some_and(|field| field.bits.is_some())
    }
}
