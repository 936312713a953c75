//! Assignments, and what may be assigned to what: C11 6.5.16, 6.5.2.4, 6.5.3.1.

use super::Checker;
use super::operators::{is_shift, operation};
use crate::syntax::{self, Binary, Unary};
use crate::tree::{Expression, ExpressionKind, Update};
use crate::types::{Kind, Type};
use system::{Diagnostic, Span};

impl Checker {
    pub(super) fn assignment(
        &mut self,
        operator: Option<Binary>,
        target: &syntax::Expression,
        value: &syntax::Expression,
        span: Span,
    ) -> Expression {
        let target = self.expression(target);
        let value = self.expression(value);
        let value = self.value(value);
        if !self.is_modifiable(&target) || self.is_error(&target) || self.is_error(&value) {
            return Expression::error(&self.unit.types, span);
        }
        let own = target.expression_type.unqualified();
        match operator {
            None => {
                let value = self.assigned(value, own, "this value");
                if self.is_error(&value) {
                    return Expression::error(&self.unit.types, span);
                }
                let kind = ExpressionKind::Assign {
                    target: Box::new(target),
                    value: Box::new(value),
                };
                Expression::new(kind, own, span)
            }
            Some(operator) => self.update(operator, target, value, false, span),
        }
    }

    /// `a op= b` is `a = a op b` with `a` evaluated once: C11 6.5.16.2p3.
    fn update(
        &mut self,
        operator: Binary,
        target: Expression,
        value: Expression,
        gives_old: bool,
        span: Span,
    ) -> Expression {
        let own = target.expression_type.unqualified();
        let types = &self.unit.types;
        let (update, value) = if types.is_pointer(own) {
            let update = match operator {
                Binary::Add => Update::Forward,
                Binary::Subtract => Update::Back,
                _ => return self.no_operands(operator, &target, &value, span),
            };
            if !types.is_integer(value.expression_type) {
                return self.no_operands(operator, &target, &value, span);
            }
            if !self.has_step(own, target.span) {
                return Expression::error(&self.unit.types, span);
            }
            (update, self.promoted(value))
        } else {
            match self.arithmetic_update(operator, &target, value, span) {
                Some(update) => update,
                None => return Expression::error(&self.unit.types, span),
            }
        };
        let kind = ExpressionKind::Update {
            target: Box::new(target),
            update,
            value: Box::new(value),
            gives_old,
        };
        Expression::new(kind, own, span)
    }

    fn arithmetic_update(
        &mut self,
        operator: Binary,
        target: &Expression,
        value: Expression,
        span: Span,
    ) -> Option<(Update, Expression)> {
        let own = target.expression_type.unqualified();
        let (operation, needs_integers) = operation(operator)?;
        let types = &self.unit.types;
        let fits = |of: Type| {
            if needs_integers {
                types.is_integer(of)
            } else {
                types.is_arithmetic(of)
            }
        };
        if !fits(own) || !fits(value.expression_type) {
            self.no_operands(operator, target, &value, span);
            return None;
        }
        let (computed, value) = if is_shift(operation) {
            (self.promoted_type(own)?, self.promoted(value))
        } else {
            let common = self.usual_type(own, value.expression_type);
            (common, self.convert(value, common))
        };
        if self.unit.types.is_unsupported(computed) {
            self.unsupported_value(computed, span);
            return None;
        }
        Some((Update::Arithmetic(operation, computed), value))
    }

    /// C11 6.5.2.4, 6.5.3.1: adding or subtracting 1.
    pub(super) fn increment(&mut self, operator: Unary, operand: &syntax::Expression, span: Span) -> Expression {
        let target = self.expression(operand);
        if self.is_error(&target) || !self.is_modifiable(&target) {
            return Expression::error(&self.unit.types, span);
        }
        if !self.unit.types.is_scalar(target.expression_type) {
            let message = "`++` or `--` of what is neither a number nor a pointer";
            let label = format!("of type `{}`", self.unit.types.name(target.expression_type));
            return self.wrong(Diagnostic::error(operand.span, message).label(label));
        }
        let by = match operator {
            Unary::PreIncrement | Unary::PostIncrement => Binary::Add,
            _ => Binary::Subtract,
        };
        let gives_old = matches!(operator, Unary::PostIncrement | Unary::PostDecrement);
        let one = self.int_constant(1, span);
        // gcc: `++` of a `_Bool` sets it, `--` inverts it, which the conversion to `_Bool` does, too.
        self.update(by, target, one, gives_old, span)
    }

    /// C11 6.3.2.1p1: a complete nonconstant lvalue that is no array. Reports an error otherwise.
    fn is_modifiable(&mut self, target: &Expression) -> bool {
        if self.is_error(target) {
            return true;
        }
        let own = target.expression_type;
        let types = &self.unit.types;
        let label = if !target.is_place() || types.is_function(own) {
            "a value, not a place"
        } else if types.is_array(own) {
            "an array cannot be assigned to as a whole"
        } else if types.has_constant_part(own) {
            "constant"
        } else if types.is_void(own) || types.size(own).is_none() {
            "incomplete type"
        } else {
            return true;
        };
        self.report(Diagnostic::error(target.span, "this cannot be assigned to").label(label));
        false
    }

    /// The value converted as if by assignment, for arguments, returns and initialisers, too: C11 6.5.16.1p1. `role`
    /// describes it in messages. As in gcc, incompatible pointers are only a warning.
    pub(super) fn assigned(&mut self, value: Expression, to: Type, role: &str) -> Expression {
        let from = value.expression_type;
        if self.is_error(&value) || self.unit.types.is_error(to) {
            return Expression::error(&self.unit.types, value.span);
        }
        let types = &self.unit.types;
        let fits = match (types.kind(to), types.kind(from)) {
            (Kind::Pointer(target), Kind::Pointer(source)) => {
                let (target, source) = (*target, *source);
                self.warn_of_pointers(&value, target, source, role);
                true
            }
            (Kind::Bool, Kind::Pointer(_)) => true,
            (Kind::Pointer(_), _) if types.is_integer(from) => {
                if !self.is_null_pointer(&value) {
                    let message = format!("{role} is a number, made a pointer without a cast");
                    self.report(Diagnostic::warning(value.span, message));
                }
                true
            }
            (_, Kind::Pointer(_)) if types.is_integer(to) => {
                let message = format!("{role} is a pointer, made a number without a cast");
                self.report(Diagnostic::warning(value.span, message));
                true
            }
            (Kind::Record(ours), Kind::Record(theirs)) => ours == theirs,
            _ => types.is_arithmetic(to) && types.is_arithmetic(from),
        };
        if !fits {
            let types = &self.unit.types;
            let message = format!(
                "{role} of type `{}` does not fit `{}`",
                types.name(from),
                types.name(to)
            );
            return self.wrong(Diagnostic::error(value.span, message).label("no such conversion"));
        }
        self.convert(value, to)
    }

    fn warn_of_pointers(&mut self, value: &Expression, target: Type, source: Type, role: &str) {
        let types = &self.unit.types;
        if self.is_null_pointer(value) {
            return;
        }
        let fits = types.is_compatible_unqualified(target, source)
            || types.is_void(target)
            || types.is_void(source)
            || self.differ_in_sign(target, source);
        if !fits {
            let names = (types.name(value.expression_type), types.name(target));
            let message = format!("{role} of type `{}` becomes a pointer to `{}`", names.0, names.1);
            self.report(Diagnostic::warning(value.span, message).label("another type of pointer"));
        } else if source.is_const && !target.is_const && !types.is_function(target) {
            let message = format!("{role} is a pointer to what is constant, and becomes one to what is not");
            self.report(Diagnostic::warning(value.span, message));
        }
    }

    /// gcc accepts `char` and `unsigned char` pointers silently, unless it is pedantic.
    fn differ_in_sign(&self, left: Type, right: Type) -> bool {
        let types = &self.unit.types;
        match (types.integer_of(left), types.integer_of(right)) {
            (Some(left), Some(right)) => left.bits == right.bits,
            _ => false,
        }
    }
}
