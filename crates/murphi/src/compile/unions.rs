//! Unions: a value is its position in the concatenation of the members' values.

use system::Span;
use system::instance::{Binary, Expression, Statement};

use super::Compiler;
use super::expression::and_then;
use super::layout::Bounds;
use super::unit::{Unit, frame_value, sequence, set_frame};
use super::walk::contains_call;
use crate::model::{Expression as ModelExpression, TypeId, TypeKind};

/// The positions of one member in a union: the first position, and the member's values.
#[derive(Clone, Copy)]
struct Part {
    start: i64,
    member: TypeId,
    values: Bounds,
}

impl Part {
    fn last(self) -> i64 {
        self.start.saturating_add(self.values.count() - 1)
    }
}

impl<'m> Compiler<'m> {
    pub(super) fn convert(
        &mut self,
        unit: &mut Unit<'m>,
        inner: &'m ModelExpression,
        to: TypeId,
        span: Span,
    ) -> Expression {
        let from = inner.ty;
        let is_union = |ty| matches!(self.model.kind(ty), TypeKind::Union { .. });
        match (is_union(from), is_union(to)) {
            (false, true) => match self.part(to, from) {
                Some(part) => self.member_to_union(unit, inner, part),
                None => self.expression(unit, inner),
            },
            (true, false) => {
                let value = self.expression(unit, inner);
                match self.part(from, to) {
                    Some(part) => {
                        let value = Expression::InRange {
                            value: Box::new(value),
                            low: part.start,
                            high: part.last(),
                            ty: Some(self.layout.simple_type(&mut self.instance, from)),
                            span,
                        };
                        shift(value, part.start, part.values.low)
                    }
                    None => value,
                }
            }
            (true, true) => self.between_unions(unit, inner, to, span),
            (false, false) => {
                self.link(from, to);
                self.expression(unit, inner)
            }
        }
    }

    fn member_to_union(&mut self, unit: &mut Unit<'m>, inner: &'m ModelExpression, part: Part) -> Expression {
        let value = self.value_within(unit, inner, part.member);
        shift(value, part.values.low, part.start)
    }

    /// The union member to which values of another type belong. A number belongs to the subrange.
    fn part(&self, union: TypeId, ty: TypeId) -> Option<Part> {
        let parts = self.parts(union);
        let by_identity = parts.iter().find(|part| part.member == ty);
        let by_kind = || {
            parts
                .iter()
                .find(|part| match (self.model.kind(part.member), self.model.kind(ty)) {
                    (TypeKind::Range { .. }, TypeKind::Range { .. } | TypeKind::Integer) => true,
                    (TypeKind::Enum { values: left }, TypeKind::Enum { values: right }) => left == right,
                    (TypeKind::Scalarset { size: left }, TypeKind::Scalarset { size: right }) => left == right,
                    _ => false,
                })
        };
        by_identity.or_else(by_kind).copied()
    }

    /// The bounds of the numbers in a union.
    pub(super) fn number_bounds(&self, union: TypeId) -> Option<Bounds> {
        let mut parts = self.parts(union).into_iter();
        parts.find(|part| self.is_number(part.member)).map(|part| part.values)
    }

    fn parts(&self, union: TypeId) -> Vec<Part> {
        let TypeKind::Union { members } = self.model.kind(union) else {
            return Vec::new();
        };
        let mut start = 0;
        let place = |member: &TypeId| {
            let part = Part {
                start,
                member: *member,
                values: self.layout.bounds(*member),
            };
            start = start.saturating_add(part.values.count());
            part
        };
        members.iter().map(place).collect()
    }

    fn between_unions(
        &mut self,
        unit: &mut Unit<'m>,
        inner: &'m ModelExpression,
        to: TypeId,
        span: Span,
    ) -> Expression {
        let from = self.parts(inner.ty);
        let starts = from
            .iter()
            .map(|part| self.part(to, part.member).map(|target| target.start));
        let shifts: Vec<(Part, Option<i64>)> = from.iter().copied().zip(starts).collect();
        let value = self.expression(unit, inner);
        if shifts.iter().all(|(part, start)| *start == Some(part.start)) {
            return value;
        }
        let slot = unit.allocate(1);
        let error = Expression::Sequence(
            vec![Statement::Error {
                message: "the value belongs to no member of the union".to_owned(),
                span,
            }],
            Box::new(Expression::Constant(0)),
        );
        let choose = |otherwise, (part, start): &(Part, Option<i64>)| match start {
            None => otherwise,
            Some(start) => Expression::If(
                Box::new(between(frame_value(slot), part.start, part.last())),
                Box::new(shift(frame_value(slot), part.start, *start)),
                Box::new(otherwise),
            ),
        };
        let code = shifts.iter().rev().fold(error, choose);
        sequence(vec![set_frame(slot, value)], code)
    }

    /// An undefined value belongs to no member.
    pub(super) fn is_member(&mut self, unit: &mut Unit<'m>, value: &'m ModelExpression, member: TypeId) -> Expression {
        let Some(part) = self.part(value.ty, member) else {
            // A value that is no union value belongs to its own type only.
            return Expression::Constant(i64::from(value.ty == member));
        };
        let code = self.passed_value(unit, value, value.ty);
        if !contains_call(value) {
            return between(code, part.start, part.last());
        }
        let slot = unit.allocate(1);
        let test = between(frame_value(slot), part.start, part.last());
        sequence(vec![set_frame(slot, code)], test)
    }
}

fn between(value: Expression, low: i64, high: i64) -> Expression {
    let at_most = |left, right| Expression::Binary(Binary::LessEqual, Box::new(left), Box::new(right), Span::default());
    and_then(
        at_most(Expression::Constant(low), value.clone()),
        at_most(value, Expression::Constant(high)),
    )
}

/// Translates values so that `from` becomes `to`. The distance may overflow if a member's values are near the limits.
fn shift(value: Expression, from: i64, to: i64) -> Expression {
    let apply = |operator, value, by| {
        Expression::Binary(
            operator,
            Box::new(value),
            Box::new(Expression::Constant(by)),
            Span::default(),
        )
    };
    match (&value, to.checked_sub(from)) {
        (_, Some(0)) => value,
        (Expression::Constant(constant), Some(by)) => match constant.checked_add(by) {
            Some(sum) => Expression::Constant(sum),
            None => apply(Binary::Add, value, by),
        },
        (_, Some(by)) => apply(Binary::Add, value, by),
        (_, None) => apply(Binary::Add, apply(Binary::Subtract, value, from), to),
    }
}
