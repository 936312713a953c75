//! Union values: a tag, and a payload for each parametric member.

use super::execute::Executor;
use super::meaning::{self, Meaning};
use super::shape::Case;
use crate::model::*;
use logic::{Sort, Term, term};
use system::Span;
use system::transition::AssertionKind;

impl Executor<'_, '_> {
    /// The union value of this case, with its payload if the case has one.
    pub(crate) fn injected(&self, ty: TypeId, case: usize, inner: Option<Term>) -> Meaning {
        let mut meaning = Vec::new();
        if let Some(union) = self.lowering.shapes.union(ty) {
            meaning.push(meaning::constant(term::enumerator(union.tag, case)));
            for (number, (_, scalar)) in union.payloads.iter().enumerate() {
                let here = matches!(union.cases[case], Case::Payload { payload, .. } if payload == number);
                let value = inner.filter(|_| here).unwrap_or_else(|| self.lowering.any_of(scalar));
                meaning.push(meaning::constant(value));
            }
        }
        meaning
    }

    /// For each case of a union: the condition that a value is of that case, and its payload.
    pub(crate) fn union_cases(&self, ty: TypeId, value: &[logic::Lambda]) -> Vec<(Term, Option<Term>)> {
        let Some(union) = self.lowering.shapes.union(ty) else {
            return Vec::new();
        };
        let cases = union.cases.iter().enumerate().map(|(number, case)| {
            let condition = term::equal(value[0].body, term::enumerator(union.tag, number));
            match case {
                Case::Fixed { .. } => (condition, None),
                Case::Payload { payload, .. } => (condition, Some(value[payload + 1].body)),
            }
        });
        cases.collect()
    }

    /// An undefined value belongs to no member.
    pub(super) fn is_member(&mut self, value: &Expression, member: TypeId) -> Term {
        let Some(union) = self.lowering.shapes.union(value.ty) else {
            return term::bool(value.ty == member);
        };
        let (meaning, mark) = self.copied_value(value, value.ty);
        let mut conditions = Vec::new();
        for (number, case) in union.cases.iter().enumerate() {
            let (Case::Fixed { member: of, .. } | Case::Payload { member: of, .. }) = case;
            if *of == member {
                conditions.push(term::equal(meaning[0].body, term::enumerator(union.tag, number)));
            }
        }
        term::and([mark, term::or(conditions)])
    }

    /// Converts a value to the type `ty`, where one of the types is a union and the other one a union or a member.
    pub(super) fn convert(&mut self, value: Meaning, inner: &Expression, ty: TypeId, span: Span) -> Meaning {
        let from = inner.ty;
        let shapes = &self.lowering.shapes;
        if shapes.union(from).is_none() && shapes.union(ty).is_none() {
            return value;
        }
        // Case split over whichever side is a union, or over both.
        let sources: Vec<(Term, TypeId, i64, Option<Term>)> = match shapes.union(from) {
            Some(union) => {
                let cases = self.union_cases(from, &value);
                let parts = union.cases.iter().zip(cases);
                parts
                    .map(|(case, (condition, payload))| case_source(*case, condition, payload))
                    .collect()
            }
            None => {
                self.check_member(inner, value[0].body, ty, span);
                self.member_sources(from, value[0].body)
            }
        };
        let mut result: Option<Meaning> = None;
        let mut possible = Vec::new();
        for (condition, member, position, payload) in sources.into_iter().rev() {
            let Some(target) = self.converted(ty, member, position, payload) else {
                continue;
            };
            possible.push(condition);
            result = Some(match result {
                Some(otherwise) => meaning::choose(condition, &target, &otherwise),
                None => target,
            });
        }
        let name = shapes.type_name(ty).to_owned();
        self.require(
            AssertionKind::Range,
            term::or(possible),
            format!("the value is not in `{name}`"),
            span,
        );
        result.unwrap_or(value)
    }

    /// Asserts that a number is a value of the union.
    fn check_member(&mut self, inner: &Expression, value: Term, union: TypeId, span: Span) {
        let bounds = self.number_bounds(union).filter(|_| value.sort() == Sort::Int);
        let own = self.bounds(inner);
        let Some((low, high)) = bounds.filter(|(low, high)| own.is_none_or(|own| own.0 < *low || own.1 > *high)) else {
            return;
        };
        let message = format!("the value is not in {low}..{high}");
        self.require(AssertionKind::Range, super::within(value, (low, high)), message, span);
    }

    /// The cases of a value of a member type.
    fn member_sources(&self, member: TypeId, value: Term) -> Vec<(Term, TypeId, i64, Option<Term>)> {
        match value.sort() {
            Sort::Enum(sort) => {
                let positions = 0..sort.values().len();
                positions
                    .map(|p| (term::equal(value, term::enumerator(sort, p)), member, p as i64, None))
                    .filter(|(condition, ..)| !condition.is_false())
                    .collect()
            }
            _ => vec![(term::bool(true), member, 0, Some(value))],
        }
    }

    /// A value of a member as one of `ty`, which is a union or a type with the same values.
    fn converted(&self, ty: TypeId, member: TypeId, position: i64, payload: Option<Term>) -> Option<Meaning> {
        let shapes = &self.lowering.shapes;
        let Some(union) = shapes.union(ty) else {
            let value = || payload.or_else(|| shapes.literal(ty, position));
            return self
                .is_alike(ty, member)
                .then(value)?
                .map(|v| vec![meaning::constant(v)]);
        };
        let of = |case: &Case| match case {
            Case::Fixed { member, .. } | Case::Payload { member, .. } => *member,
        };
        let same = union.cases.iter().map(of).find(|of| *of == member);
        let member = same.or_else(|| union.cases.iter().map(of).find(|of| self.is_alike(*of, member)))?;
        let case = union.cases.iter().position(|case| match case {
            Case::Fixed { member: of, value } => *of == member && *value == position,
            Case::Payload { member: of, .. } => *of == member,
        })?;
        Some(self.injected(ty, case, payload))
    }

    /// Whether values of one type are values of the other: numbers regardless of bounds, and elements with the same
    /// names.
    fn is_alike(&self, a: TypeId, b: TypeId) -> bool {
        let shapes = &self.lowering.shapes;
        let kinds = (self.lowering.model.kind(a), self.lowering.model.kind(b));
        shapes.representative(a) == shapes.representative(b)
            || matches!(kinds, (TypeKind::Enum { values: left }, TypeKind::Enum { values: right }) if left == right)
            || [a, b]
                .iter()
                .all(|ty| shapes.scalar(*ty).is_some_and(|scalar| scalar.sort == Sort::Int))
    }

    /// The bounds of the numbers in a union.
    pub(super) fn number_bounds(&self, ty: TypeId) -> Option<(i64, i64)> {
        let payloads = &self.lowering.shapes.union(ty)?.payloads;
        payloads.iter().find_map(|(_, scalar)| scalar.bounds)
    }
}

fn case_source(case: Case, condition: Term, payload: Option<Term>) -> (Term, TypeId, i64, Option<Term>) {
    match case {
        Case::Fixed { member, value } => (condition, member, value, None),
        Case::Payload { member, .. } => (condition, member, 0, payload),
    }
}
