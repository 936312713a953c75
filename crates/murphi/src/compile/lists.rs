//! Lists of records and arrays: one list for each simple component, all of the same length.

use system::Span;
use system::instance::{Binary, Expression, Place, Statement};

use super::Compiler;
use super::expression::and_then;
use super::statement::moved;
use super::unit::{Unit, frame_place, sequence};
use crate::model::{Expression as ModelExpression, ExpressionKind, TypeKind};

impl<'m> Compiler<'m> {
    /// The block of slots for an operation whose result is a list of records, or an element of one.
    pub(super) fn list_block(
        &mut self,
        unit: &mut Unit<'m>,
        node: &'m ModelExpression,
        before: &mut Vec<Statement>,
    ) -> Place {
        let slot = self.allocate_value(unit, node.ty, node.span);
        let result = frame_place(slot, node.span);
        let parts: Vec<Expression> = match &node.kind {
            ExpressionKind::Head(list) => {
                let list = self.block(unit, list, before);
                let head = |part| Expression::Head(Box::new(load(&list, part)), node.span);
                (0..self.layout.size(node.ty)).map(head).collect()
            }
            ExpressionKind::Tail(list) => {
                let list = self.block(unit, list, before);
                let tail = |part| Expression::Tail(Box::new(load(&list, part)), node.span);
                (0..self.layout.size(node.ty)).map(tail).collect()
            }
            ExpressionKind::Append(list, element) => {
                let list = self.block(unit, list, before);
                let element = self.block(unit, element, before);
                // Undefined components of a record are copied along.
                let raw = |part| Box::new(Expression::LoadRaw(moved(&element, part)));
                let append = |part| Expression::Append(Box::new(load(&list, part)), raw(part));
                (0..self.layout.size(node.ty)).map(append).collect()
            }
            _ => vec![Expression::EmptyList; self.layout.size(node.ty)],
        };
        for (part, value) in parts.into_iter().enumerate() {
            let place = moved(&result, part);
            before.push(Statement::Store { place, value });
        }
        result
    }

    pub(super) fn length(&mut self, unit: &mut Unit<'m>, list: &'m ModelExpression) -> Expression {
        if self.layout.is_simple(list.ty) {
            return Expression::Length(Box::new(self.expression(unit, list)));
        }
        let mut before = Vec::new();
        let place = self.block(unit, list, &mut before);
        sequence(before, Expression::Length(Box::new(Expression::Load(place))))
    }

    /// Equality of lists of records. Unlike records, lists must be defined to be compared.
    pub(super) fn equal_lists(
        &mut self,
        unit: &mut Unit<'m>,
        left: &'m ModelExpression,
        right: &'m ModelExpression,
        span: Span,
    ) -> Option<Expression> {
        if !matches!(self.model.kind(left.ty), TypeKind::List { .. }) {
            return None;
        }
        let same = |left, right| Expression::Binary(Binary::Equal, Box::new(left), Box::new(right), span);
        let mut before = Vec::new();
        if matches!(right.kind, ExpressionKind::EmptyList) {
            let left = self.block(unit, left, &mut before);
            return Some(sequence(before, same(Expression::Load(left), Expression::EmptyList)));
        }
        let parts = self.layout.size(left.ty);
        let left = self.block(unit, left, &mut before);
        let right = self.block(unit, right, &mut before);
        let equal = (0..parts).map(|part| same(load(&left, part), load(&right, part)));
        let all = equal.reduce(and_then).unwrap_or(Expression::Constant(1));
        Some(sequence(before, all))
    }
}

fn load(place: &Place, part: usize) -> Expression {
    Expression::Load(moved(place, part))
}
