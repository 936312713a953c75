//! Conditions and partially evaluated expressions.

use super::builder::Builder;
use super::values;
use crate::constant;
use crate::tree::{Expression, ExpressionKind};
use crate::types::Type;
use system::Span;
use system::program::{LocationId, Place, Value};

impl Builder<'_, '_> {
    /// Branches to one of two locations. `&&`, `||` and `!` become control flow.
    pub(super) fn branch(&mut self, condition: &Expression, yes: LocationId, no: LocationId) {
        let span = condition.span;
        if let Some(known) = constant::is_true(self.lowering.unit, condition) {
            self.go(if known { yes } else { no }, span);
            return;
        }
        match &condition.kind {
            ExpressionKind::And(left, right) => {
                let between = self.location(right.span);
                self.branch(left, between, no);
                self.frame.current = between;
                self.branch(right, yes, no);
            }
            ExpressionKind::Or(left, right) => {
                let between = self.location(right.span);
                self.branch(left, yes, between);
                self.frame.current = between;
                self.branch(right, yes, no);
            }
            ExpressionKind::Not(operand) => self.branch(operand, no, yes),
            ExpressionKind::Comma(left, right) => {
                self.effect(left);
                self.branch(right, yes, no);
            }
            ExpressionKind::Convert(operand) if self.keeps_truth(condition, operand) => self.branch(operand, yes, no),
            _ => {
                let value = self.value(condition);
                self.split(values::truth(value), yes, no, span);
            }
        }
    }

    /// Whether a conversion preserves zero and nonzero: to `_Bool`, or to a type at least as wide.
    fn keeps_truth(&self, to: &Expression, from: &Expression) -> bool {
        let types = &self.lowering.unit.types;
        if types.is_bool(to.expression_type) {
            return types.is_scalar(from.expression_type);
        }
        match (
            types.integer_of(to.expression_type),
            types.integer_of(from.expression_type),
        ) {
            (Some(to), Some(from)) => to.bits >= from.bits,
            _ => false,
        }
    }

    /// The value 1 or 0 of `&&` and `||`.
    pub(super) fn truth_value(&mut self, expression: &Expression) -> Value {
        let span = expression.span;
        let own = expression.expression_type;
        if let Some(known) = constant::is_true(self.lowering.unit, expression) {
            return values::int(i128::from(known));
        }
        let (yes, no, end) = (self.location(span), self.location(span), self.location(span));
        let target = self.result_place(own, span);
        self.branch(expression, yes, no);
        self.frame.current = yes;
        self.assign(target.clone(), values::int(1), span);
        self.go(end, span);
        self.frame.current = no;
        self.assign(target.clone(), values::int(0), span);
        self.join(end, span);
        self.read(target, own)
    }

    /// A temporary that each branch assigns.
    fn result_place(&mut self, own: Type, span: Span) -> Place {
        let type_id = self.lowering.type_id(own);
        Place::variable(self.temporary(type_id, span))
    }

    /// C11 6.5.15.
    pub(super) fn conditional_value(
        &mut self,
        condition: &Expression,
        then: &Expression,
        otherwise: &Expression,
        own: Type,
        span: Span,
    ) -> Value {
        let (yes, no, end) = (
            self.location(then.span),
            self.location(otherwise.span),
            self.location(span),
        );
        let target = self.result_place(own, span);
        self.branch(condition, yes, no);
        self.frame.current = yes;
        self.assign_from(target.clone(), then, then.span);
        self.go(end, span);
        self.frame.current = no;
        self.assign_from(target.clone(), otherwise, otherwise.span);
        self.join(end, span);
        self.read(target, own)
    }

    /// `a ?: b`: the condition is evaluated once.
    pub(super) fn conditional_same(
        &mut self,
        condition: &Expression,
        otherwise: &Expression,
        own: Type,
        span: Span,
    ) -> Value {
        let (yes, no, end) = (self.location(span), self.location(otherwise.span), self.location(span));
        let value = self.value(condition);
        let value = self.save(value, condition.expression_type, condition.span);
        let target = self.result_place(own, span);
        self.split(values::truth(value.clone()), yes, no, condition.span);
        self.frame.current = yes;
        let converted = self.converted(value, own);
        self.assign(target.clone(), converted, span);
        self.go(end, span);
        self.frame.current = no;
        self.assign_from(target.clone(), otherwise, otherwise.span);
        self.join(end, span);
        self.read(target, own)
    }

    pub(super) fn conditional_effect(
        &mut self,
        condition: &Expression,
        then: Option<&Expression>,
        otherwise: &Expression,
        span: Span,
    ) {
        let (yes, no, end) = (self.location(span), self.location(otherwise.span), self.location(span));
        self.branch(condition, yes, no);
        self.frame.current = yes;
        if let Some(then) = then {
            self.effect(then);
        }
        self.go(end, span);
        self.frame.current = no;
        self.effect(otherwise);
        self.join(end, span);
    }
}
