//! Operators without side effects: C11 6.5.3 to 6.5.15.

use super::Checker;
use crate::syntax::{self, Binary, TypeName, Unary};
use crate::tree::{Expression, ExpressionKind};
use crate::types::{Kind, Type};
use system::program::{BinaryOperator, Comparison};
use system::{Diagnostic, Span};

impl Checker {
    pub(super) fn unary(&mut self, operator: Unary, operand: &syntax::Expression, span: Span) -> Expression {
        match operator {
            Unary::PreIncrement | Unary::PreDecrement | Unary::PostIncrement | Unary::PostDecrement => {
                self.increment(operator, operand, span)
            }
            Unary::Address => self.address(operand, span),
            Unary::Dereference => {
                let pointer = self.expression(operand);
                let pointer = self.value(pointer);
                self.dereference(pointer, span)
            }
            Unary::Extension | Unary::Real | Unary::Imaginary => self.transparent(operator, operand, span),
            Unary::Not => {
                let operand = self.condition(operand);
                if self.is_error(&operand) {
                    return operand;
                }
                let int = self.unit.types.int();
                Expression::new(ExpressionKind::Not(Box::new(operand)), int, span)
            }
            Unary::Plus | Unary::Minus | Unary::Complement => self.sign(operator, operand, span),
        }
    }

    /// C11 6.5.3.3.
    fn sign(&mut self, operator: Unary, operand: &syntax::Expression, span: Span) -> Expression {
        let checked = self.expression(operand);
        let checked = self.value(checked);
        if self.is_error(&checked) {
            return checked;
        }
        let own = checked.expression_type;
        let fits = match operator {
            Unary::Complement => self.unit.types.is_integer(own),
            _ => self.unit.types.is_arithmetic(own),
        };
        if !fits {
            let word = match operator {
                Unary::Complement => "~",
                Unary::Minus => "-",
                _ => "+",
            };
            let message = format!("`{word}` of what is no number");
            let label = format!("of type `{}`", self.unit.types.name(own));
            return self.wrong(Diagnostic::error(operand.span, message).label(label));
        }
        if self.unit.types.is_unsupported(own) {
            return self.unsupported_value(own, span);
        }
        let operand = self.promoted(checked);
        let own = operand.expression_type;
        let kind = match operator {
            Unary::Complement => ExpressionKind::Complement(Box::new(operand)),
            Unary::Minus => ExpressionKind::Negate(Box::new(operand)),
            _ => return Expression { span, ..operand },
        };
        Expression::new(kind, own, span)
    }

    /// C11 6.5.3.2.
    fn address(&mut self, operand: &syntax::Expression, span: Span) -> Expression {
        let checked = self.expression(operand);
        if self.is_error(&checked) {
            return checked;
        }
        if !checked.is_place() {
            let message = "the address of what lies nowhere";
            return self.wrong(Diagnostic::error(operand.span, message).label("a value, not a place"));
        }
        if self.is_bit_field(&checked) {
            let message = "the address of a bit-field";
            return self.wrong(Diagnostic::error(operand.span, message).label("may begin between bytes"));
        }
        let pointer = self.unit.types.pointer_to(checked.expression_type);
        Expression::new(ExpressionKind::Address(Box::new(checked)), pointer, span)
    }

    pub(super) fn dereference(&mut self, pointer: Expression, span: Span) -> Expression {
        if self.is_error(&pointer) {
            return pointer;
        }
        let Some(target) = self.unit.types.target_of(pointer.expression_type) else {
            let message = "`*` of what is no pointer";
            let label = format!("of type `{}`", self.unit.types.name(pointer.expression_type));
            return self.wrong(Diagnostic::error(pointer.span, message).label(label));
        };
        // `*f` of a function is the function itself.
        if let (true, ExpressionKind::Address(inner)) = (self.unit.types.is_function(target), &pointer.kind) {
            return Expression {
                span,
                ..(**inner).clone()
            };
        }
        Expression::new(ExpressionKind::Dereference(Box::new(pointer)), target, span)
    }

    /// C11 6.5.2.1: `a[i]` is `*(a + i)`.
    pub(super) fn index(&mut self, array: &syntax::Expression, index: &syntax::Expression, span: Span) -> Expression {
        let array = self.expression(array);
        let index = self.expression(index);
        self.indexed(array, index, span)
    }

    pub(super) fn indexed(&mut self, array: Expression, index: Expression, span: Span) -> Expression {
        let array = self.value(array);
        let index = self.value(index);
        if self.is_error(&array) || self.is_error(&index) {
            return Expression::error(&self.unit.types, span);
        }
        let types = &self.unit.types;
        let (pointer, index) = match types.is_pointer(array.expression_type) {
            true => (array, index),
            false => (index, array),
        };
        if !types.is_pointer(pointer.expression_type) || !types.is_integer(index.expression_type) {
            let message = "an index needs a pointer or an array, and an integer";
            let names = (types.name(pointer.expression_type), types.name(index.expression_type));
            let label = format!("`{}` and `{}`", names.0, names.1);
            return self.wrong(Diagnostic::error(span, message).label(label));
        }
        let element = self.offset(pointer, index, false, span);
        self.dereference(element, span)
    }

    /// Pointer arithmetic: C11 6.5.6p8.
    pub(super) fn offset(&mut self, pointer: Expression, index: Expression, is_back: bool, span: Span) -> Expression {
        let own = pointer.expression_type;
        let index = self.promoted(index);
        if self.is_error(&index) || !self.has_step(own, pointer.span) {
            return Expression::error(&self.unit.types, span);
        }
        let kind = ExpressionKind::PointerOffset {
            pointer: Box::new(pointer),
            index: Box::new(index),
            is_back,
        };
        Expression::new(kind, own.unqualified(), span)
    }

    /// Whether the element size is known. GNU C counts in bytes for pointers to void and to functions.
    pub(super) fn has_step(&mut self, pointer: Type, span: Span) -> bool {
        let Some(target) = self.unit.types.target_of(pointer) else {
            return false;
        };
        let types = &self.unit.types;
        let has_step = types.is_void(target)
            || types.is_function(target)
            || types.is_variable_array(target)
            || types.size(target).is_some();
        if !has_step && !types.is_error(target) {
            let message = format!("arithmetic with a pointer to `{}`", types.name(target));
            self.report(Diagnostic::error(span, message).label("incomplete type"));
        }
        has_step
    }

    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: &syntax::Expression,
        right: &syntax::Expression,
        span: Span,
    ) -> Expression {
        if matches!(operator, Binary::And | Binary::Or) {
            return self.short_circuit(operator, left, right, span);
        }
        let left = self.expression(left);
        let left = self.value(left);
        let right = self.expression(right);
        let right = self.value(right);
        if self.is_error(&left) || self.is_error(&right) {
            return Expression::error(&self.unit.types, span);
        }
        match operator {
            Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessOrEqual
            | Binary::Greater
            | Binary::GreaterOrEqual => self.comparison(operator, left, right, span),
            Binary::Add | Binary::Subtract => self.additive(operator, left, right, span),
            _ => self.arithmetic(operator, left, right, span),
        }
    }

    /// C11 6.5.13, 6.5.14.
    fn short_circuit(
        &mut self,
        operator: Binary,
        left: &syntax::Expression,
        right: &syntax::Expression,
        span: Span,
    ) -> Expression {
        let left = self.condition(left);
        let right = self.condition(right);
        if self.is_error(&left) || self.is_error(&right) {
            return Expression::error(&self.unit.types, span);
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let int = self.unit.types.int();
        let kind = match operator {
            Binary::And => ExpressionKind::And(left, right),
            _ => ExpressionKind::Or(left, right),
        };
        Expression::new(kind, int, span)
    }

    /// C11 6.5.6.
    fn additive(&mut self, operator: Binary, left: Expression, right: Expression, span: Span) -> Expression {
        let types = &self.unit.types;
        let (left_type, right_type) = (left.expression_type, right.expression_type);
        let is_back = operator == Binary::Subtract;
        match (types.is_pointer(left_type), types.is_pointer(right_type)) {
            (true, false) if types.is_integer(right_type) => self.offset(left, right, is_back, span),
            (false, true) if types.is_integer(left_type) && !is_back => {
                // The order of evaluation does not affect the sum.
                self.offset(right, left, false, span)
            }
            (true, true) if is_back => self.difference(left, right, span),
            (false, false) => self.arithmetic(operator, left, right, span),
            _ => self.no_operands(operator, &left, &right, span),
        }
    }

    /// C11 6.5.6p9.
    fn difference(&mut self, left: Expression, right: Expression, span: Span) -> Expression {
        let targets = (
            self.unit.types.target_of(left.expression_type),
            self.unit.types.target_of(right.expression_type),
        );
        let (Some(ours), Some(theirs)) = targets else {
            return Expression::error(&self.unit.types, span);
        };
        if !self.unit.types.is_compatible_unqualified(ours, theirs) {
            return self.no_operands(Binary::Subtract, &left, &right, span);
        }
        if !self.has_step(left.expression_type, left.span) {
            return Expression::error(&self.unit.types, span);
        }
        let difference = self.unit.types.difference_type();
        let kind = ExpressionKind::PointerDifference {
            left: Box::new(left),
            right: Box::new(right),
        };
        Expression::new(kind, difference, span)
    }

    fn arithmetic(&mut self, operator: Binary, left: Expression, right: Expression, span: Span) -> Expression {
        let Some((operation, needs_integers)) = operation(operator) else {
            return Expression::error(&self.unit.types, span);
        };
        let types = &self.unit.types;
        let fits = |of: Type| {
            if needs_integers {
                types.is_integer(of)
            } else {
                types.is_arithmetic(of)
            }
        };
        if !fits(left.expression_type) || !fits(right.expression_type) {
            return self.no_operands(operator, &left, &right, span);
        }
        // C11 6.5.7p3: the operands of shifts are promoted separately.
        let (left, right, own) = if is_shift(operation) {
            let left = self.promoted(left);
            let right = self.promoted(right);
            let own = left.expression_type;
            (left, right, own)
        } else {
            self.usual(left, right)
        };
        if self.is_error(&left) || self.is_error(&right) {
            return Expression::error(&self.unit.types, span);
        }
        if self.unit.types.is_unsupported(own) {
            return self.unsupported_value(own, span);
        }
        let kind = ExpressionKind::Binary {
            operator: operation,
            left: Box::new(left),
            right: Box::new(right),
        };
        Expression::new(kind, own, span)
    }

    pub(super) fn no_operands(
        &mut self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        span: Span,
    ) -> Expression {
        if self.is_error(left) || self.is_error(right) {
            return Expression::error(&self.unit.types, span);
        }
        let message = format!("`{}` does not go with these operands", operator_text(operator));
        let names = (
            self.unit.types.name(left.expression_type),
            self.unit.types.name(right.expression_type),
        );
        let label = format!("`{}` and `{}`", names.0, names.1);
        self.wrong(Diagnostic::error(span, message).label(label))
    }

    /// C11 6.5.8, 6.5.9. As in gcc, comparing pointers of different types is only a warning.
    fn comparison(&mut self, operator: Binary, left: Expression, right: Expression, span: Span) -> Expression {
        let types = &self.unit.types;
        let (left_type, right_type) = (left.expression_type, right.expression_type);
        let (left, right) = match (types.is_pointer(left_type), types.is_pointer(right_type)) {
            (false, false) if types.is_arithmetic(left_type) && types.is_arithmetic(right_type) => {
                let (left, right, own) = self.usual(left, right);
                let is_wrong = self.is_error(&left) || self.is_error(&right);
                if !is_wrong && self.unit.types.is_unsupported(own) {
                    return self.unsupported_value(own, span);
                }
                (left, right)
            }
            (true, true) => {
                self.warn_of_different_pointers(&left, &right, span);
                (left, right)
            }
            (true, false) if types.is_integer(right_type) => {
                self.warn_of_number(&right);
                let right = self.convert(right, left_type);
                (left, right)
            }
            (false, true) if types.is_integer(left_type) => {
                self.warn_of_number(&left);
                let left = self.convert(left, right_type);
                (left, right)
            }
            _ => return self.no_operands(operator, &left, &right, span),
        };
        if self.is_error(&left) || self.is_error(&right) {
            return Expression::error(&self.unit.types, span);
        }
        let kind = ExpressionKind::Compare {
            comparison: comparison(operator),
            left: Box::new(left),
            right: Box::new(right),
        };
        let int = self.unit.types.int();
        Expression::new(kind, int, span)
    }

    fn warn_of_number(&mut self, number: &Expression) {
        if !self.is_null_pointer(number) {
            self.report(Diagnostic::warning(number.span, "a pointer is compared with a number"));
        }
    }

    fn warn_of_different_pointers(&mut self, left: &Expression, right: &Expression, span: Span) {
        let types = &self.unit.types;
        let targets = (
            types.target_of(left.expression_type),
            types.target_of(right.expression_type),
        );
        let (Some(ours), Some(theirs)) = targets else { return };
        let fits = types.is_compatible_unqualified(ours, theirs) || types.is_void(ours) || types.is_void(theirs);
        if !fits {
            let names = (types.name(left.expression_type), types.name(right.expression_type));
            let message = format!(
                "pointers of different types are compared: `{}` and `{}`",
                names.0, names.1
            );
            self.report(Diagnostic::warning(span, message));
        }
    }

    /// C11 6.5.15.
    pub(super) fn conditional(
        &mut self,
        condition: &syntax::Expression,
        then: Option<&syntax::Expression>,
        otherwise: &syntax::Expression,
        span: Span,
    ) -> Expression {
        let condition = self.condition(condition);
        let then_value = then.map(|then| {
            let checked = self.expression(then);
            self.value(checked)
        });
        let checked = self.expression(otherwise);
        let otherwise = self.value(checked);
        let first = then_value.as_ref().unwrap_or(&condition);
        if self.is_error(&condition) || self.is_error(first) || self.is_error(&otherwise) {
            return Expression::error(&self.unit.types, span);
        }
        let Some(own) = self.conditional_type(first, &otherwise, span) else {
            return Expression::error(&self.unit.types, span);
        };
        let is_value = !self.unit.types.is_void(own);
        let otherwise = if is_value {
            self.convert(otherwise, own)
        } else {
            otherwise
        };
        let kind = match then_value {
            Some(then) => ExpressionKind::Conditional {
                condition: Box::new(condition),
                then: Box::new(if is_value { self.convert(then, own) } else { then }),
                otherwise: Box::new(otherwise),
            },
            None => ExpressionKind::ConditionalSame {
                condition: Box::new(condition),
                otherwise: Box::new(otherwise),
            },
        };
        Expression::new(kind, own.unqualified(), span)
    }

    /// C11 6.5.15p3 to p6. None where an error was reported.
    fn conditional_type(&mut self, then: &Expression, otherwise: &Expression, span: Span) -> Option<Type> {
        let (left, right) = (then.expression_type, otherwise.expression_type);
        let types = &self.unit.types;
        if types.is_arithmetic(left) && types.is_arithmetic(right) {
            return Some(self.usual_type(left, right));
        }
        // GNU C allows one of them to be void.
        if types.is_void(left) || types.is_void(right) {
            return Some(self.unit.types.void());
        }
        if left.id == right.id {
            return Some(left);
        }
        match (types.is_pointer(left), types.is_pointer(right)) {
            (true, true) => Some(self.conditional_pointer(then, otherwise, span)),
            (true, false) if types.is_integer(right) => {
                if !self.is_null_pointer(otherwise) {
                    self.report(Diagnostic::warning(span, "a pointer or a number, as a condition says"));
                }
                Some(left)
            }
            (false, true) if types.is_integer(left) => {
                if !self.is_null_pointer(then) {
                    self.report(Diagnostic::warning(span, "a pointer or a number, as a condition says"));
                }
                Some(right)
            }
            _ => {
                let names = (types.name(left), types.name(right));
                let message = "the two values of `?:` have no common type";
                let label = format!("`{}` or `{}`", names.0, names.1);
                self.report(Diagnostic::error(span, message).label(label));
                None
            }
        }
    }

    fn conditional_pointer(&mut self, then: &Expression, otherwise: &Expression, span: Span) -> Type {
        let (left, right) = (then.expression_type, otherwise.expression_type);
        let types = &self.unit.types;
        let targets = (types.target_of(left), types.target_of(right));
        let (Some(ours), Some(theirs)) = targets else {
            return left;
        };
        let is_left_null = self.is_null_pointer(then);
        let is_right_null = self.is_null_pointer(otherwise);
        let target = if is_left_null && !is_right_null {
            theirs
        } else if is_right_null {
            ours
        } else if types.is_compatible_unqualified(ours, theirs) {
            self.unit
                .types
                .composite(ours, theirs)
                .qualified_as(ours)
                .qualified_as(theirs)
        } else {
            if !types.is_void(ours) && !types.is_void(theirs) {
                self.report(Diagnostic::warning(
                    span,
                    "pointers of different types, as a condition says",
                ));
            }
            self.unit.types.void().qualified_as(ours).qualified_as(theirs)
        };
        self.unit.types.pointer_to(target)
    }

    /// C11 6.5.4.
    pub(super) fn cast(&mut self, type_name: &TypeName, operand: &syntax::Expression, span: Span) -> Expression {
        let to = self.type_name(type_name);
        let checked = self.expression(operand);
        let checked = self.value(checked);
        let cast = self.cast_value(checked, to, span);
        self.after_lengths(cast, span)
    }

    pub(super) fn cast_value(&mut self, value: Expression, to: Type, span: Span) -> Expression {
        if self.is_error(&value) || self.unit.types.is_error(to) {
            return Expression::error(&self.unit.types, span);
        }
        let from = value.expression_type;
        let types = &self.unit.types;
        let is_allowed = match (types.kind(to), types.kind(from)) {
            (Kind::Void, _) => {
                let kind = ExpressionKind::Convert(Box::new(value));
                return Expression::new(kind, to.unqualified(), span);
            }
            (Kind::Pointer(_), Kind::Float(_)) | (Kind::Float(_), Kind::Pointer(_)) => false,
            (Kind::Record(_), Kind::Record(_)) if to.id == from.id => return Expression { span, ..value },
            (Kind::Record(id), _) if types.record(*id).is_union => return self.cast_to_union(to, span),
            _ => types.is_scalar(to) && types.is_scalar(from),
        };
        if !is_allowed {
            let message = format!(
                "a value of type `{}` cannot be cast to `{}`",
                types.name(from),
                types.name(to)
            );
            return self.wrong(Diagnostic::error(span, message).label("no such conversion"));
        }
        Expression {
            span,
            ..self.convert(value, to)
        }
    }

    /// GNU C: a union whose member of that type has the value.
    fn cast_to_union(&mut self, to: Type, span: Span) -> Expression {
        let message = format!("casts to unions are not supported: `{}`", self.unit.types.name(to));
        let help = "write a compound literal: `(union u){ .field = value }`";
        self.refused(Diagnostic::error(span, message).label("a union").help(help))
    }
}

pub(super) fn is_shift(operator: BinaryOperator) -> bool {
    matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight)
}

/// The operation, and whether its operands must be integers.
pub(super) fn operation(operator: Binary) -> Option<(BinaryOperator, bool)> {
    Some(match operator {
        Binary::Multiply => (BinaryOperator::Multiply, false),
        Binary::Divide => (BinaryOperator::Divide, false),
        Binary::Add => (BinaryOperator::Add, false),
        Binary::Subtract => (BinaryOperator::Subtract, false),
        Binary::Remainder => (BinaryOperator::Remainder, true),
        Binary::ShiftLeft => (BinaryOperator::ShiftLeft, true),
        Binary::ShiftRight => (BinaryOperator::ShiftRight, true),
        Binary::BitAnd => (BinaryOperator::And, true),
        Binary::ExclusiveOr => (BinaryOperator::ExclusiveOr, true),
        Binary::BitOr => (BinaryOperator::Or, true),
        _ => return None,
    })
}

fn comparison(operator: Binary) -> Comparison {
    match operator {
        Binary::NotEqual => Comparison::NotEqual,
        Binary::Less => Comparison::Less,
        Binary::LessOrEqual => Comparison::LessOrEqual,
        Binary::Greater => Comparison::Greater,
        Binary::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => Comparison::Equal,
    }
}

pub(super) fn operator_text(operator: Binary) -> &'static str {
    match operator {
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Less => "<",
        Binary::Greater => ">",
        Binary::LessOrEqual => "<=",
        Binary::GreaterOrEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::BitAnd => "&",
        Binary::ExclusiveOr => "^",
        Binary::BitOr => "|",
        Binary::And => "&&",
        Binary::Or => "||",
    }
}
