//! Implicit conversions: which types are compatible where a value is assigned, passed or compared.

use system::{Diagnostic, Span};

use super::{Checker, EMPTY_LIST, INTEGER};
use crate::model::{Binary, Expression, ExpressionKind, TypeId, TypeKind};

impl Checker {
    pub(super) fn coerce_or_report(&mut self, value: Expression, ty: TypeId, what: &str) -> Expression {
        let span = value.span;
        if self.is_wrong(&value) {
            return self.wrong(ty, span);
        }
        match self.convert(value, ty) {
            Ok(value) => {
                self.warn_out_of_range(&value, ty, what);
                self.warn_mixed_scalarsets(value.ty, ty, span);
                value
            }
            Err(value) => {
                let (expected, found) = (self.describe(ty), self.describe(value.ty));
                self.report(
                    Diagnostic::error(span, format!("{what} must be {expected}")).label(format!("this is {found}")),
                );
                self.wrong(ty, span)
            }
        }
    }

    /// Converts the value to the given type if possible: numbers to number types, members to unions and back. Literals,
    /// also in branches of a conditional, take the target type.
    pub(super) fn convert(&self, mut value: Expression, ty: TypeId) -> Result<Expression, Expression> {
        if value.ty == ty || self.is_error(ty) {
            return Ok(value);
        }
        if self.is_number(value.ty) && self.is_number(ty) {
            self.retype_literals(&mut value, ty);
            return Ok(value);
        }
        if value.ty == EMPTY_LIST || matches!(value.kind, ExpressionKind::EmptyList) {
            return self.convert_empty_list(value, ty);
        }
        if self.member_of(ty, value.ty).is_some() || self.member_of(value.ty, ty).is_some() {
            let span = value.span;
            return Ok(Expression {
                kind: ExpressionKind::Convert(Box::new(value)),
                ty,
                span,
            });
        }
        if self.same_type(value.ty, ty) {
            Ok(value)
        } else {
            Err(value)
        }
    }

    fn retype_literals(&self, value: &mut Expression, ty: TypeId) {
        let TypeKind::Range { low, high } = self.model.kind(ty) else {
            return;
        };
        match &mut value.kind {
            // Only untyped literals (enumeration constants never get here).
            ExpressionKind::Literal(number) if value.ty == INTEGER && (*low..=*high).contains(number) => value.ty = ty,
            ExpressionKind::If(_, then, otherwise) if value.ty == INTEGER => {
                self.retype_literals(then, ty);
                self.retype_literals(otherwise, ty);
                if then.ty == ty && otherwise.ty == ty {
                    value.ty = ty;
                }
            }
            _ => {}
        }
    }

    fn convert_empty_list(&self, mut value: Expression, ty: TypeId) -> Result<Expression, Expression> {
        let TypeKind::List { element } = self.model.kind(ty) else {
            return Err(value);
        };
        match value.kind {
            ExpressionKind::Append(list, last) => {
                let span = value.span;
                let rebuild = |list, last, ty| Expression {
                    kind: ExpressionKind::Append(Box::new(list), Box::new(last)),
                    ty,
                    span,
                };
                let list = self.convert(*list, ty);
                let last = self.convert(*last, *element);
                match (list, last) {
                    (Ok(list), Ok(last)) => Ok(rebuild(list, last, ty)),
                    (Ok(list) | Err(list), Ok(last) | Err(last)) => Err(rebuild(list, last, EMPTY_LIST)),
                }
            }
            ExpressionKind::If(condition, then, otherwise) => {
                let (then, otherwise) = (self.convert(*then, ty)?, self.convert(*otherwise, ty)?);
                Ok(Expression {
                    kind: ExpressionKind::If(condition, Box::new(then), Box::new(otherwise)),
                    ty,
                    span: value.span,
                })
            }
            _ => {
                value.ty = ty;
                Ok(value)
            }
        }
    }

    /// Warns about a literal outside the target's range: always wrong, but no type error. No warning if the range
    /// depends on a constant, since the chosen size may be the reason.
    fn warn_out_of_range(&mut self, value: &Expression, ty: TypeId, what: &str) {
        let (ExpressionKind::Literal(number), TypeKind::Range { low, high }) = (&value.kind, self.model.kind(ty))
        else {
            return;
        };
        if (*low..=*high).contains(number) || self.depends_on_constant(ty) {
            return;
        }
        let message = format!("{what} is always out of range");
        let label = format!("{number} is not in {low}..{high}");
        self.report(Diagnostic::warning(value.span, message).label(label));
    }

    pub(super) fn depends_on_constant(&self, ty: TypeId) -> bool {
        self.sizes.get(&ty).is_some_and(|size| !size.mentions.is_empty())
    }

    /// Converts both to a common type, and returns whether there is one: a literal takes the type of the other operand,
    /// a union member becomes a union value.
    pub(super) fn common_type(&self, left: Expression, right: Expression) -> (Expression, Expression, bool) {
        let is_union = |ty| matches!(self.model.kind(ty), TypeKind::Union { .. });
        let is_plain = |value: &Expression| value.ty == INTEGER || value.ty == EMPTY_LIST;
        if is_union(left.ty) || is_plain(&right) && !is_union(right.ty) {
            match self.convert(right, left.ty) {
                Ok(right) => (left, right, true),
                Err(right) => (left, right, false),
            }
        } else {
            match self.convert(left, right.ty) {
                Ok(left) => (left, right, true),
                Err(left) => (left, right, false),
            }
        }
    }

    /// Warns about a comparison of numbers from disjoint ranges, unless a constant determines a range.
    pub(super) fn warn_disjoint(&mut self, operator: Binary, left: &Expression, right: &Expression, span: Span) {
        let bounds = |value: &Expression| match (&value.kind, self.model.kind(value.ty)) {
            (ExpressionKind::Literal(number), TypeKind::Integer) => Some((*number, *number)),
            (_, TypeKind::Range { low, high }) if !self.depends_on_constant(value.ty) => Some((*low, *high)),
            _ => None,
        };
        let is_literal = |value: &Expression| matches!(value.kind, ExpressionKind::Literal(_));
        let (Some(first), Some(second)) = (bounds(left), bounds(right)) else {
            return;
        };
        if is_literal(left) && is_literal(right) || first.0 <= second.1 && second.0 <= first.1 {
            return;
        }
        let answer = if operator == Binary::Equal { "false" } else { "true" };
        let show = |(low, high): (i64, i64)| {
            if low == high {
                low.to_string()
            } else {
                format!("{low}..{high}")
            }
        };
        let label = format!("{} and {} have no value in common", show(first), show(second));
        self.report(Diagnostic::warning(span, format!("this comparison is always {answer}")).label(label));
    }

    /// Rumur permits mixing scalarsets of equal size, which is rarely intended.
    pub(super) fn warn_mixed_scalarsets(&mut self, left: TypeId, right: TypeId, span: Span) {
        if left != right
            && matches!(self.model.kind(left), TypeKind::Scalarset { .. })
            && matches!(self.model.kind(right), TypeKind::Scalarset { .. })
        {
            let message = format!(
                "`{}` and `{}` are different scalarsets",
                self.short(left),
                self.short(right)
            );
            self.report(Diagnostic::warning(span, message).label("mixed because they have the same size"));
        }
    }
}
