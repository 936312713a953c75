//! Types: the meaning of type expressions, type compatibility, and type names in messages.

use std::collections::BTreeMap;

use system::{Diagnostic, Span};

use super::constants::{LARGEST_SIZE, Linear, SymbolicSize, written};
use super::names::Entity;
use super::{BOOLEAN, Checker, EMPTY_LIST, ERROR, INTEGER};
use crate::model::{Expression, ExpressionKind, Field, TypeId, TypeKind};
use crate::syntax;

impl Checker {
    pub(super) fn declare_type(&mut self, name: &syntax::Identifier, definition: &syntax::TypeExpression) {
        let before = self.model.types.len();
        let ty = self.type_expression(definition);
        // A type created by this declaration gets the name; `type A: B` creates none.
        if ty.0 >= before && self.model.types[ty.0].name.is_none() {
            self.model.types[ty.0].name = Some(name.text.clone());
            self.model.types[ty.0].span = name.span;
            let chosen = self.overrides.scalarsets.get(&name.text).copied();
            if let (Some(chosen), TypeKind::Scalarset { size }, true) =
                (chosen, &mut self.model.types[ty.0].kind, self.scopes.is_global())
            {
                *size = chosen;
            }
        }
        self.declare(name, Entity::Type(ty));
    }

    pub(super) fn type_expression(&mut self, definition: &syntax::TypeExpression) -> TypeId {
        let span = definition.span;
        match &definition.kind {
            syntax::TypeKind::Named(name) => self.named_type(name),
            syntax::TypeKind::Range(low, high) => self.range_type(low, high, span),
            syntax::TypeKind::Enum(values) => self.enum_type(values, span),
            syntax::TypeKind::Scalarset(size) => self.scalarset_type(size, span),
            syntax::TypeKind::Union(members) => self.union_type(members, span),
            syntax::TypeKind::Record(fields) => self.record_type(fields, span),
            syntax::TypeKind::Array { index, element } => {
                let index_type = self.type_expression(index);
                let element = self.type_expression(element);
                if !self.is_simple(index_type) {
                    let found = self.short(index_type);
                    self.report(
                        Diagnostic::error(index.span, format!("an array cannot be indexed by `{found}`"))
                            .label("an index is a number, boolean, enumeration, scalarset or union of these"),
                    );
                    return ERROR;
                }
                self.add_type(
                    TypeKind::Array {
                        index: index_type,
                        element,
                    },
                    span,
                )
            }
            syntax::TypeKind::Multiset { capacity, element } => {
                let bound = self.constant_number(capacity, "the capacity of a multiset");
                let element = self.type_expression(element);
                let Some(bound) = bound else { return ERROR };
                if bound < 1 {
                    self.report(
                        Diagnostic::error(capacity.span, "a multiset must have room for at least one element")
                            .label(format!("this is {bound}")),
                    );
                    return ERROR;
                }
                if self.is_too_large(bound, "a multiset can have room for at most", capacity.span) {
                    return ERROR;
                }
                self.add_type(
                    TypeKind::Multiset {
                        capacity: bound,
                        element,
                    },
                    span,
                )
            }
            syntax::TypeKind::List(element) => {
                let of = self.type_expression(element);
                if !self.has_parts(of) {
                    self.report(
                        Diagnostic::error(element.span, "the elements of a list must have a value")
                            .label("this is a record without fields"),
                    );
                    return ERROR;
                }
                self.add_type(TypeKind::List { element: of }, span)
            }
            syntax::TypeKind::Error => ERROR,
        }
    }

    fn named_type(&mut self, name: &syntax::Identifier) -> TypeId {
        match self.scopes.lookup(&name.text) {
            Some(declared) => match declared.entity {
                Entity::Type(ty) => ty,
                _ => {
                    self.report(
                        Diagnostic::error(name.span, format!("`{}` is not a type", name.text))
                            .label("a type is expected here")
                            .related(declared.span, "declared here"),
                    );
                    ERROR
                }
            },
            None if name.text.eq_ignore_ascii_case("boolean") => BOOLEAN,
            None if name.text.eq_ignore_ascii_case("integer") => INTEGER,
            None => {
                self.report_unknown(name, "type", |entity| matches!(entity, Entity::Type(_)));
                ERROR
            }
        }
    }

    fn range_type(&mut self, low: &syntax::Expression, high: &syntax::Expression, span: Span) -> TypeId {
        let before = self.constant_uses.len();
        let bounds = (
            self.constant_number(low, "the lower bound of a range"),
            self.constant_number(high, "the upper bound of a range"),
        );
        let mentions = self.constant_uses.split_off(before);
        let (Some(first), Some(last)) = bounds else {
            return ERROR;
        };
        if last < first {
            self.report(
                Diagnostic::error(span, "this range is empty")
                    .label(format!("its upper bound {last} is less than its lower bound {first}")),
            );
            return ERROR;
        }
        if last
            .checked_sub(first)
            .and_then(|distance| distance.checked_add(1))
            .is_none()
        {
            self.report_too_many("this range", span);
            return ERROR;
        }
        let ty = self.add_type(TypeKind::Range { low: first, high: last }, span);
        let size = SymbolicSize {
            low: self.linear(low),
            high: self.linear(high),
            mentions,
            text: format!("{}..{}", written(low), written(high)),
        };
        self.sizes.insert(ty, size);
        ty
    }

    fn scalarset_type(&mut self, size: &syntax::Expression, span: Span) -> TypeId {
        let before = self.constant_uses.len();
        let count = self.constant_number(size, "the size of a scalarset");
        let mentions = self.constant_uses.split_off(before);
        let Some(count) = count else { return ERROR };
        if count < 1 {
            self.report(
                Diagnostic::error(size.span, "a scalarset must have at least one element")
                    .label(format!("this is {count}")),
            );
            return ERROR;
        }
        if self.is_too_large(count, "a scalarset can have at most", size.span) {
            return ERROR;
        }
        let ty = self.add_type(TypeKind::Scalarset { size: count }, span);
        let size = SymbolicSize {
            text: format!("scalarset({})", written(size)),
            low: Some(Linear::number(0)),
            high: self.linear(size).and_then(|size| size.plus(&Linear::number(1), -1)),
            mentions,
        };
        self.sizes.insert(ty, size);
        ty
    }

    fn enum_type(&mut self, values: &[syntax::Identifier], span: Span) -> TypeId {
        let kind = TypeKind::Enum {
            values: values.iter().map(|value| (value.text.clone(), value.span)).collect(),
        };
        let ty = self.add_type(kind, span);
        for (position, value) in (0..).zip(values) {
            self.declare(value, Entity::Enumerator { ty, position });
        }
        ty
    }

    fn union_type(&mut self, definitions: &[syntax::TypeExpression], span: Span) -> TypeId {
        let mut members: Vec<TypeId> = Vec::new();
        let mut spans: BTreeMap<TypeId, Span> = BTreeMap::new();
        let mut failed = false;
        for definition in definitions {
            let ty = self.type_expression(definition);
            let parts = match self.model.kind(ty) {
                TypeKind::Enum { .. } | TypeKind::Scalarset { .. } | TypeKind::Range { .. } => vec![ty],
                TypeKind::Union { members } => members.clone(),
                TypeKind::Error => {
                    failed = true;
                    continue;
                }
                _ => {
                    let found = self.short(ty);
                    self.report(
                        Diagnostic::error(definition.span, format!("`{found}` cannot be a member of a union"))
                            .label("members are scalarsets, enumerations and ranges"),
                    );
                    failed = true;
                    continue;
                }
            };
            for part in parts {
                let is_range = matches!(self.model.kind(part), TypeKind::Range { .. });
                let same = |other: &TypeId| {
                    *other == part || is_range && matches!(self.model.kind(*other), TypeKind::Range { .. })
                };
                if let Some(other) = members.iter().find(|other| same(other)) {
                    let message = if *other == part {
                        format!("`{}` is in this union twice", self.short(part))
                    } else {
                        "a union can have one range only".to_owned()
                    };
                    let first = spans.get(other).copied().unwrap_or(span);
                    self.report(
                        Diagnostic::error(definition.span, message)
                            .label("second time")
                            .related(first, "first time"),
                    );
                    failed = true;
                    continue;
                }
                spans.insert(part, definition.span);
                members.push(part);
            }
        }
        if failed {
            return ERROR;
        }
        let mut counts = members.iter().map(|member| self.count(*member));
        if counts.try_fold(0, i64::checked_add).is_none() {
            self.report_too_many("this union", span);
            return ERROR;
        }
        self.add_type(TypeKind::Union { members }, span)
    }

    /// The number of values of a union member.
    fn count(&self, member: TypeId) -> i64 {
        match self.model.kind(member) {
            TypeKind::Range { low, high } => high.saturating_sub(*low).saturating_add(1),
            TypeKind::Scalarset { size } => *size,
            TypeKind::Enum { values } => i64::try_from(values.len()).unwrap_or(i64::MAX),
            _ => 0,
        }
    }

    /// Values are counted in 64 bits, here and in everything derived from the model.
    fn report_too_many(&mut self, what: &str, span: Span) {
        self.report(
            Diagnostic::error(span, format!("{what} has too many values")).label(format!("more than {}", i64::MAX)),
        );
    }

    /// Reports an unreasonable number of elements: the size of derived data grows with it.
    fn is_too_large(&mut self, number: i64, limit: &str, span: Span) -> bool {
        let is_too_large = number > LARGEST_SIZE;
        if is_too_large {
            self.report(
                Diagnostic::error(span, format!("{limit} {LARGEST_SIZE} elements")).label(format!("this is {number}")),
            );
        }
        is_too_large
    }

    /// Whether a value of the type has at least one simple component.
    fn has_parts(&self, ty: TypeId) -> bool {
        match self.model.kind(ty) {
            TypeKind::Record { fields } => fields.iter().any(|field| self.has_parts(field.ty)),
            TypeKind::Array { element, .. } => self.has_parts(*element),
            _ => true,
        }
    }

    fn record_type(&mut self, groups: &[(Vec<syntax::Identifier>, syntax::TypeExpression)], span: Span) -> TypeId {
        let mut fields: Vec<Field> = Vec::new();
        for (names, definition) in groups {
            let ty = self.type_expression(definition);
            for name in names {
                if let Some(earlier) = fields.iter().find(|field| field.name == name.text) {
                    let first = earlier.span;
                    self.report(
                        Diagnostic::error(name.span, format!("this record already has a field `{}`", name.text))
                            .label("declared again here")
                            .related(first, "first declared here"),
                    );
                    continue;
                }
                fields.push(Field {
                    name: name.text.clone(),
                    ty,
                    span: name.span,
                });
            }
        }
        self.add_type(TypeKind::Record { fields }, span)
    }

    /// The value of a constant numeric expression; reports an error otherwise.
    pub(super) fn constant_number(&mut self, expression: &syntax::Expression, what: &str) -> Option<i64> {
        let value = self.expression(expression);
        match (&value.kind, self.model.kind(value.ty)) {
            _ if self.is_wrong(&value) => None,
            (ExpressionKind::Literal(number), TypeKind::Integer | TypeKind::Range { .. }) => Some(*number),
            (_, TypeKind::Integer | TypeKind::Range { .. }) => {
                self.report(
                    Diagnostic::error(expression.span, format!("{what} must be constant"))
                        .label("this is known only when the model runs"),
                );
                None
            }
            _ => {
                let found = self.describe(value.ty);
                self.report(
                    Diagnostic::error(expression.span, format!("{what} must be a number"))
                        .label(format!("this is {found}")),
                );
                None
            }
        }
    }

    pub(super) fn is_number(&self, ty: TypeId) -> bool {
        matches!(self.model.kind(ty), TypeKind::Integer | TypeKind::Range { .. })
    }

    /// Whether an error in the expression was reported.
    pub(super) fn is_wrong(&self, value: &Expression) -> bool {
        matches!(value.kind, ExpressionKind::Error) || self.is_error(value.ty)
    }

    pub(super) fn is_error(&self, ty: TypeId) -> bool {
        matches!(self.model.kind(ty), TypeKind::Error)
    }

    /// Whether values have no components, so that they can index arrays and be quantified over.
    pub(super) fn is_simple(&self, ty: TypeId) -> bool {
        matches!(
            self.model.kind(ty),
            TypeKind::Boolean
                | TypeKind::Integer
                | TypeKind::Range { .. }
                | TypeKind::Enum { .. }
                | TypeKind::Scalarset { .. }
                | TypeKind::Union { .. }
                | TypeKind::Error
        )
    }

    /// Whether two types have the same values and representation: structural equality, as in Rumur. CMurphi uses name
    /// equality and thus accepts less.
    pub(super) fn same_type(&self, left: TypeId, right: TypeId) -> bool {
        if left == right {
            return true;
        }
        // Memoised, since types that share components could otherwise be compared exponentially often.
        if let Some(known) = self.same_types.borrow().get(&(left, right)) {
            return *known;
        }
        let same = self.same_structure(left, right);
        self.same_types.borrow_mut().insert((left, right), same);
        same
    }

    fn same_structure(&self, left: TypeId, right: TypeId) -> bool {
        let all = |left: &[TypeId], right: &[TypeId]| {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| self.same_type(*left, *right))
        };
        match (self.model.kind(left), self.model.kind(right)) {
            (TypeKind::Error, _) | (_, TypeKind::Error) => true,
            (TypeKind::Boolean, TypeKind::Boolean) | (TypeKind::Integer, TypeKind::Integer) => true,
            (TypeKind::Range { low, high }, TypeKind::Range { low: first, high: last }) => low == first && high == last,
            (TypeKind::Enum { values: left }, TypeKind::Enum { values: right }) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.0 == right.0)
            }
            (TypeKind::Scalarset { size: left }, TypeKind::Scalarset { size: right }) => left == right,
            (TypeKind::Union { members: left }, TypeKind::Union { members: right }) => all(left, right),
            (TypeKind::Record { fields: left }, TypeKind::Record { fields: right }) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(right)
                        .all(|(left, right)| left.name == right.name && self.same_type(left.ty, right.ty))
            }
            (
                TypeKind::Array { index, element },
                TypeKind::Array {
                    index: other_index,
                    element: other_element,
                },
            ) => self.same_type(*index, *other_index) && self.same_type(*element, *other_element),
            (
                TypeKind::Multiset { capacity, element },
                TypeKind::Multiset {
                    capacity: other_capacity,
                    element: other_element,
                },
            ) => capacity == other_capacity && self.same_type(*element, *other_element),
            (TypeKind::List { element }, TypeKind::List { element: other }) => self.same_type(*element, *other),
            _ => false,
        }
    }

    /// The union member that values of this type belong to.
    pub(super) fn member_of(&self, union: TypeId, ty: TypeId) -> Option<TypeId> {
        let TypeKind::Union { members } = self.model.kind(union) else {
            return None;
        };
        let fits = |member: &&TypeId| {
            let numbers = self.is_number(**member) && self.is_number(ty);
            let same_enum = matches!(self.model.kind(ty), TypeKind::Enum { .. }) && self.same_type(**member, ty);
            **member == ty || numbers || same_enum
        };
        members.iter().find(fits).copied()
    }

    /// The description of the type in messages.
    pub(super) fn describe(&self, ty: TypeId) -> String {
        let described = &self.model.types[ty.0];
        match &described.kind {
            TypeKind::Boolean => return "a boolean".to_owned(),
            TypeKind::Integer => return "a number".to_owned(),
            _ => {}
        }
        if let Some(name) = &described.name {
            let vowel = name.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
            return format!("{} `{name}`", if vowel { "an" } else { "a" });
        }
        match &described.kind {
            TypeKind::Boolean => "a boolean".to_owned(),
            TypeKind::Integer => "a number".to_owned(),
            TypeKind::Range { low, high } => format!("a number in {low}..{high}"),
            TypeKind::Enum { values } => {
                let mut names: Vec<&str> = values.iter().take(3).map(|(name, _)| name.as_str()).collect();
                if values.len() > names.len() {
                    names.push("...");
                }
                format!("one of {{{}}}", names.join(", "))
            }
            TypeKind::Scalarset { size } => format!("an element of scalarset({size})"),
            TypeKind::Union { .. } => "a union".to_owned(),
            TypeKind::Record { .. } => "a record".to_owned(),
            TypeKind::Array { index, element } => {
                format!("an array [{}] of {}", self.short(*index), self.short(*element))
            }
            TypeKind::Multiset { element, .. } => format!("a multiset of {}", self.short(*element)),
            TypeKind::List { .. } if ty == EMPTY_LIST => "an empty list".to_owned(),
            TypeKind::List { element } => format!("a list of {}", self.short(*element)),
            TypeKind::Error => "something wrong".to_owned(),
        }
    }

    /// The source form of a type, approximately.
    pub(super) fn short(&self, ty: TypeId) -> String {
        let described = &self.model.types[ty.0];
        match (&described.name, &described.kind) {
            (Some(name), _) => name.clone(),
            (None, TypeKind::Range { low, high }) => format!("{low}..{high}"),
            (None, TypeKind::Record { .. }) => "record".to_owned(),
            (None, TypeKind::Enum { .. }) => "enum".to_owned(),
            (None, TypeKind::Scalarset { size }) => format!("scalarset({size})"),
            (None, TypeKind::Array { index, element }) => {
                format!("array [{}] of {}", self.short(*index), self.short(*element))
            }
            (None, TypeKind::List { element }) => format!("list of {}", self.short(*element)),
            (None, TypeKind::Multiset { element, .. }) => format!("multiset of {}", self.short(*element)),
            (None, _) => "...".to_owned(),
        }
    }
}
