//! Union values: a tag, and a payload for each member of any size.

use super::execute::Executor;
use super::meaning::{self, Meaning};
use super::shape::Case;
use crate::model::*;
use logic::{Sort, Term, term};
use system::Span;
use system::transition::AssertionKind;

impl Executor<'_, '_> {
    /// The union value of this case, with the payload where the case has one.
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

    /// For each case of a union: the condition that a value is of that case, and the payload.
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

    pub(super) fn is_member(&mut self, value: &Expression, member: TypeId) -> Term {
        let meaning = self.evaluate(value);
        let Some(union) = self.lowering.shapes.union(value.ty) else {
            return term::bool(value.ty == member);
        };
        let mut conditions = Vec::new();
        for (number, case) in union.cases.iter().enumerate() {
            let (Case::Fixed { member: of, .. } | Case::Payload { member: of, .. }) = case;
            if *of == member {
                conditions.push(term::equal(meaning[0].body, term::enumerator(union.tag, number)));
            }
        }
        term::or(conditions)
    }

    pub(super) fn convert(&mut self, inner: &Expression, ty: TypeId, span: Span) -> Meaning {
        let shapes = &self.lowering.shapes;
        let (from, to) = (shapes.union(inner.ty).is_some(), shapes.union(ty).is_some());
        if !from && !to {
            return self.evaluate_as(inner, ty);
        }
        let value = self.evaluate(inner);
        // Go through the cases of whichever side is a union, or of both.
        let sources: Vec<(Term, TypeId, i64, Option<Term>)> = match shapes.union(inner.ty) {
            Some(union) => {
                let cases = self.union_cases(inner.ty, &value);
                let parts = union.cases.iter().zip(cases);
                parts
                    .map(|(case, (condition, payload))| case_source(*case, condition, payload))
                    .collect()
            }
            None => self.member_sources(inner.ty, value[0].body),
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

    /// A value of a member as one of `ty`, which is a union or that member itself.
    fn converted(&self, ty: TypeId, member: TypeId, position: i64, payload: Option<Term>) -> Option<Meaning> {
        let shapes = &self.lowering.shapes;
        let Some(union) = shapes.union(ty) else {
            let same = shapes.representative(ty) == shapes.representative(member);
            let value = if same {
                payload.or_else(|| shapes.literal(member, position))
            } else {
                None
            };
            return value.map(|v| vec![meaning::constant(v)]);
        };
        let case = union.cases.iter().position(|case| match case {
            Case::Fixed { member: of, value } => *of == member && *value == position,
            Case::Payload { member: of, .. } => shapes.representative(*of) == shapes.representative(member),
        })?;
        Some(self.injected(ty, case, payload))
    }
}

fn case_source(case: Case, condition: Term, payload: Option<Term>) -> (Term, TypeId, i64, Option<Term>) {
    match case {
        Case::Fixed { member, value } => (condition, member, value, None),
        Case::Payload { member, .. } => (condition, member, 0, payload),
    }
}
