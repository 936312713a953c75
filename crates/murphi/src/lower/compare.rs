//! Equality of values.

use super::execute::Executor;
use super::meaning::parameter;
use super::shape::{Case, Index};
use crate::model::*;
use logic::{Lambda, Term, term};

impl Executor<'_, '_> {
    /// `left = right`. Where comparing undefined values is no error, they equal each other and nothing else.
    pub(crate) fn equal(&mut self, left: &Expression, right: &Expression) -> Term {
        let is_literal = |e: &Expression| matches!(e.kind, ExpressionKind::Literal(_) | ExpressionKind::EmptyList);
        // The type of the parametric operand, if one is parametric.
        let ty = if is_literal(left) { right.ty } else { left.ty };
        if self.is_block(ty) {
            return self.equal_blocks(left, right, ty);
        }
        let (a, left_defined) = self.compared(left, ty);
        let (b, right_defined) = self.compared(right, ty);
        let same = self.same(ty, &a, &b);
        unless_undefined(left_defined, right_defined, same)
    }

    /// Whether two values of a type are equal: all components are, for all indices.
    pub(crate) fn same(&self, ty: TypeId, a: &[Lambda], b: &[Lambda]) -> Term {
        self.same_below(ty, a, b, 0)
    }

    /// `depth` parameters of the lambdas are already fixed.
    fn same_below(&self, ty: TypeId, a: &[Lambda], b: &[Lambda], depth: usize) -> Term {
        let shapes = &self.lowering.shapes;
        let (index, element) = match self.lowering.model.kind(ty) {
            TypeKind::Record { fields } => {
                let mut offset = 0;
                let same = fields.iter().map(|field| {
                    let part = offset..offset + shapes.width(field.ty);
                    offset = part.end;
                    self.same_below(field.ty, &a[part.clone()], &b[part], depth)
                });
                return term::and(same);
            }
            TypeKind::Array { index, element } => (shapes.index(*index), *element),
            _ => return self.same_simple(ty, a, b),
        };
        match index {
            Index::Parameter(scalar) => {
                let same = self.same_below(element, a, b, depth + 1);
                self.lowering.for_all(parameter(depth, scalar.sort), scalar, same)
            }
            Index::Union(ty) => {
                let (width, union) = (shapes.width(element), shapes.union(ty));
                let cases = union.iter().flat_map(|union| union.cases.iter().enumerate());
                let same = cases.map(|(number, case)| {
                    let part = number * width..(number + 1) * width;
                    let (a, b) = (&a[part.clone()], &b[part]);
                    match (case, union) {
                        (Case::Payload { payload, .. }, Some(union)) => {
                            let scalar = union.payloads[*payload].1;
                            let same = self.same_below(element, a, b, depth + 1);
                            self.lowering.for_all(parameter(depth, scalar.sort), scalar, same)
                        }
                        _ => self.same_below(element, a, b, depth),
                    }
                });
                term::and(same)
            }
        }
    }

    /// A union payload is relevant only if the tag selects it, and a value only if it is defined.
    fn same_simple(&self, ty: TypeId, a: &[Lambda], b: &[Lambda]) -> Term {
        let shapes = &self.lowering.shapes;
        let is_marked = shapes.tracked.contains(&ty) && a.len() == shapes.width(ty) && b.len() == a.len();
        let values = if is_marked { a.len() - 1 } else { a.len().min(b.len()) };
        let equal = |number: usize| term::equal(a[number].body, b[number].body);
        let same = match shapes.union(ty) {
            None => term::and((0..values).map(equal)),
            Some(union) => {
                let payloads = union.cases.iter().enumerate().filter_map(|(number, case)| match case {
                    Case::Fixed { .. } => None,
                    Case::Payload { payload, .. } => {
                        let here = term::equal(a[0].body, term::enumerator(union.tag, number));
                        Some(term::implies(here, equal(payload + 1)))
                    }
                });
                term::and([equal(0)].into_iter().chain(payloads))
            }
        };
        if is_marked {
            unless_undefined(a[values].body, b[values].body, same)
        } else {
            same
        }
    }
}

/// `same` if both are defined; otherwise whether neither is.
fn unless_undefined(left: Term, right: Term, same: Term) -> Term {
    term::ite(term::and([left, right]), same, term::equal(left, right))
}
