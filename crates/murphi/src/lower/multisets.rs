//! Multisets: arrays of elements, each present or absent.

use super::execute::{Binding, Executor, Place};
use super::meaning::{self, Step};
use crate::model::*;
use logic::{Term, term};
use system::Span;
use system::transition::AssertionKind;

/// The step from a multiset to the presence mark of the element with this index.
pub(super) fn mark(index: Term) -> Step {
    Step::Index {
        index,
        offset: 0,
        width: 1,
    }
}

impl Executor<'_, '_> {
    fn multiset_shape(&self, ty: TypeId) -> (i64, TypeId) {
        match self.lowering.model.kind(ty) {
            TypeKind::Multiset { capacity, element } => (*capacity, *element),
            _ => (0, ty),
        }
    }

    /// Whether the element with this index is present.
    pub(crate) fn present(&self, multiset: &Place, number: i64) -> Term {
        let index = term::int(i128::from(number));
        self.read(&multiset.at(mark(index)))[0].body
    }

    fn set_present(&mut self, multiset: &Place, index: Term, present: bool) {
        self.write(&multiset.at(mark(index)), &[meaning::constant(term::bool(present))]);
    }

    /// Adds at the first free index. Elements have no order, so any free index would do.
    pub(super) fn multiset_add(&mut self, element: &Expression, multiset: &Designator, span: Span) {
        let (capacity, element_type) = self.multiset_shape(multiset.ty);
        let place;
        let value = if self.is_block(element_type) {
            let source = self.block(element, element_type);
            let source = self.located(source);
            place = self.place(multiset);
            self.contents(&source, element_type)
        } else {
            let value = self.read_as(element, element_type, "the element");
            place = self.place(multiset);
            value
        };
        let mut free = term::int(i128::from(capacity) - 1);
        let mut some_free = term::bool(false);
        for number in (0..capacity).rev() {
            let absent = term::not(self.present(&place, number));
            free = term::ite(absent, term::int(i128::from(number)), free);
            some_free = term::or([absent, some_free]);
        }
        self.require(AssertionKind::Operation, some_free, "the multiset is full", span);
        let target = place.at(Step::Index {
            index: free,
            offset: 1,
            width: self.lowering.shapes.width(element_type),
        });
        self.write(&target, &value);
        self.set_present(&place, free, true);
    }

    pub(super) fn multiset_remove(&mut self, index: &Expression, multiset: &Designator, span: Span) {
        let (capacity, _) = self.multiset_shape(multiset.ty);
        let value = self.scalar(index);
        let place = self.place(multiset);
        self.check_bounds(index, value, Some((0, capacity - 1)), "the number of the element");
        let present = self.read(&place.at(mark(value)));
        self.require(
            AssertionKind::Operation,
            present[0].body,
            "the element to remove is not in the multiset",
            span,
        );
        self.set_present(&place, value, false);
    }

    pub(super) fn multiset_remove_if(&mut self, local: LocalId, multiset: &Designator, condition: &Expression) {
        let (capacity, _) = self.multiset_shape(multiset.ty);
        let place = self.place(multiset);
        for number in 0..capacity {
            let index = term::int(i128::from(number));
            let present = self.present(&place, number);
            self.bind(local, Binding::Value(vec![meaning::constant(index)]));
            let remove = |e: &mut Self| {
                let holds = e.scalar(condition);
                e.branch(holds, |e| e.set_present(&place, index, false), |_| ());
            };
            self.branch(present, remove, |_| ());
        }
    }

    pub(super) fn multiset_count(&mut self, local: LocalId, multiset: &Designator, condition: &Expression) -> Term {
        let capacity = match self.lowering.model.kind(multiset.ty) {
            TypeKind::Multiset { capacity, .. } => *capacity,
            _ => 0,
        };
        let place = self.place(multiset);
        let mut counts = Vec::new();
        for number in 0..capacity {
            let present = self.present(&place, number);
            self.bind(
                local,
                Binding::Value(vec![meaning::constant(term::int(i128::from(number)))]),
            );
            let (holds, _) = self.branch(present, |e| e.scalar(condition), |_| term::bool(false));
            counts.push(term::ite(term::and([present, holds]), term::int(1), term::int(0)));
        }
        term::add(counts)
    }
}
