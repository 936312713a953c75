//! Structures, unions and enumerations: C11 6.7.2.1 to 6.7.2.3.

use super::Checker;
use super::attributes::TypeAttributes;
use super::scope::{Entity, Tag};
use crate::layout::{self, RecordAttributes, Unplaced};
use crate::options::DataModel;
use crate::syntax::{EnumerationSpecifier, Enumerator, FieldDeclarator, Member, RecordSpecifier, Specifiers};
use crate::types::{EnumerationId, Field, IntegerKind, Kind, Length, RecordId, Type};
use std::collections::HashMap;
use system::{Diagnostic, Span};

impl Checker {
    pub(super) fn record_specifier(&mut self, specifier: &RecordSpecifier, declares_only: bool) -> Type {
        let id = match &specifier.tag {
            None => self.unit.types.new_record(None, specifier.is_union, specifier.span),
            Some(tag) => {
                let is_new = specifier.members.is_some() || declares_only;
                let found = match is_new {
                    true => self.scopes.find_tag_here(&tag.text),
                    false => self.scopes.find_tag(&tag.text),
                };
                match found {
                    Some((Tag::Record(id), _)) if self.unit.types.record(id).is_union == specifier.is_union => id,
                    Some((_, earlier)) => return self.wrong_tag(&tag.text, tag.span, earlier),
                    None => {
                        let text = Some(tag.text.clone());
                        let id = self.unit.types.new_record(text, specifier.is_union, tag.span);
                        self.scopes.declare_tag(&tag.text, Tag::Record(id), tag.span);
                        id
                    }
                }
            }
        };
        let attributes = self.type_attributes(&specifier.attributes);
        if let Some(members) = &specifier.members {
            if self.unit.types.record(id).fields.is_some() {
                self.defined_twice(specifier, id);
            } else {
                self.complete_record(id, specifier, members, attributes);
            }
        }
        self.unit.types.of(Kind::Record(id))
    }

    fn wrong_tag(&mut self, tag: &str, span: Span, earlier: Span) -> Type {
        let message = format!("`{tag}` is another kind of type");
        self.report(
            Diagnostic::error(span, message)
                .label("used as another kind")
                .related(earlier, "declared here"),
        );
        self.unit.types.error()
    }

    fn defined_twice(&mut self, specifier: &RecordSpecifier, id: RecordId) {
        let name = self.unit.types.record_name(id);
        let earlier = self.unit.types.record(id).span;
        let span = specifier.tag.as_ref().map_or(specifier.span, |tag| tag.span);
        let message = format!("`{name}` is defined twice");
        self.report(
            Diagnostic::error(span, message)
                .label("defined again here")
                .related(earlier, "first defined here"),
        );
    }

    fn complete_record(
        &mut self,
        id: RecordId,
        specifier: &RecordSpecifier,
        members: &[Member],
        attributes: TypeAttributes,
    ) {
        let mut unplaced = Vec::new();
        for member in members {
            match member {
                Member::StaticAssertion(assertion) => self.static_assertion(assertion),
                Member::Fields {
                    specifiers,
                    declarators,
                    span,
                } => self.fields(specifiers, declarators, *span, &mut unplaced),
            }
        }
        self.check_fields(&unplaced, specifier.is_union);
        let record_attributes = RecordAttributes {
            is_packed: attributes.is_packed,
            alignment: attributes.alignment,
            largest_alignment: attributes.largest_alignment,
        };
        let placed = layout::place(&self.unit.types, specifier.is_union, unplaced, record_attributes);
        let Some(placed) = placed else {
            self.report(Diagnostic::error(specifier.span, "this type is larger than memory").label("too large"));
            return;
        };
        let record = self.unit.types.record_mut(id);
        record.fields = Some(placed.fields);
        record.size = placed.size;
        record.alignment = placed.alignment;
        record.span = specifier.tag.as_ref().map_or(specifier.span, |tag| tag.span);
    }

    fn fields(
        &mut self,
        specifiers: &Specifiers,
        declarators: &[FieldDeclarator],
        span: Span,
        unplaced: &mut Vec<Unplaced>,
    ) {
        let specified = self.specified(specifiers, false);
        let alignas = self.alignas(specifiers);
        let shared = self.attributes_quietly(&specifiers.attributes);
        if declarators.is_empty() {
            self.field_without_name(specified, span, alignas.max(shared.alignment), unplaced);
            return;
        }
        for declarator in declarators {
            let own = self.type_attributes(&declarator.attributes);
            let (name, field_type, at) = match &declarator.declarator {
                None => (
                    None,
                    specified,
                    declarator.width.as_ref().map_or(span, |width| width.span),
                ),
                Some(written) => {
                    let declared = self.declared(specified, written);
                    let name = written.name.as_ref();
                    let at = name.map_or(written.span, |name| name.span);
                    (name.map(|name| name.text.clone()), declared, at)
                }
            };
            let only_mode = own.without_alignment();
            let field_type = self.with_attributes(field_type, &only_mode);
            let width = match &declarator.width {
                None => None,
                Some(width) => match self.bit_width(width, field_type, name.as_deref(), at) {
                    Some(width) => Some(width),
                    None => continue,
                },
            };
            let field_type = match width {
                None => self.checked_field_type(field_type, name.as_deref(), at),
                Some(_) => field_type,
            };
            unplaced.push(Unplaced {
                field: Field {
                    name,
                    field_type,
                    offset: 0,
                    bits: None,
                    span: at,
                },
                width,
                alignment: alignas.max(shared.alignment).max(own.alignment),
                is_packed: own.is_packed || shared.is_packed,
            });
        }
    }

    /// The attributes without diagnostics, which were reported before.
    pub(super) fn attributes_quietly(&mut self, attributes: &[crate::syntax::Attribute]) -> TypeAttributes {
        let before = self.diagnostics.len();
        let found = self.type_attributes(attributes);
        self.diagnostics.truncate(before);
        found
    }

    /// An anonymous record, whose fields belong to the enclosing record: C11 6.7.2.1p13.
    fn field_without_name(
        &mut self,
        specified: Type,
        span: Span,
        alignment: Option<u64>,
        unplaced: &mut Vec<Unplaced>,
    ) {
        let is_nameless = match self.unit.types.kind(specified) {
            Kind::Record(id) => self.unit.types.record(*id).tag.is_none(),
            _ => false,
        };
        if !is_nameless {
            if !self.unit.types.is_error(specified) {
                self.report(Diagnostic::warning(span, "this declares no field"));
            }
            return;
        }
        unplaced.push(Unplaced {
            field: Field {
                name: None,
                field_type: specified,
                offset: 0,
                bits: None,
                span,
            },
            width: None,
            alignment,
            is_packed: false,
        });
    }

    /// C11 6.7.2.1p4.
    fn bit_width(
        &mut self,
        width: &crate::syntax::Expression,
        field_type: Type,
        name: Option<&str>,
        at: Span,
    ) -> Option<u32> {
        let value = self.constant_expression(width, "the width of a bit-field")?;
        if self.unit.types.is_error(field_type) {
            return None;
        }
        let Some(integer) = self.unit.types.integer_of(field_type) else {
            let message = format!("a bit-field of type `{}`", self.unit.types.name(field_type));
            self.report(Diagnostic::error(at, message).label("only integers have bits"));
            return None;
        };
        let widest = if self.unit.types.is_bool(field_type) {
            1
        } else {
            integer.bits
        };
        if value < 0 || value > i128::from(widest) {
            let message = format!("a bit-field of {value} bits");
            let label = format!("`{}` has {widest}", self.unit.types.name(field_type));
            self.report(Diagnostic::error(width.span, message).label(label));
            return None;
        }
        if value == 0 && name.is_some() {
            let message = "a bit-field with a name has at least one bit";
            self.report(Diagnostic::error(width.span, message).label("no bits"));
            return None;
        }
        u32::try_from(value).ok()
    }

    fn checked_field_type(&mut self, field_type: Type, name: Option<&str>, at: Span) -> Type {
        let name = name.unwrap_or("");
        let types = &self.unit.types;
        let wrong = match types.kind(field_type) {
            Kind::Error => return field_type,
            Kind::Function(_) => Some("a function is no field"),
            Kind::Array {
                length: Length::Unknown,
                element,
            } if types.size(*element).is_some() => None,
            _ if types.is_variably_modified(field_type) => Some("its length is known only at run time"),
            _ if types.size(field_type).is_none() => Some("incomplete type"),
            _ => None,
        };
        let Some(label) = wrong else { return field_type };
        let message = format!("the field `{name}` cannot have the type `{}`", types.name(field_type));
        self.report(Diagnostic::error(at, message).label(label));
        self.unit.types.error()
    }

    /// Names are unique, also through anonymous records; a flexible array is the last field.
    fn check_fields(&mut self, unplaced: &[Unplaced], is_union: bool) {
        let mut names: HashMap<String, Span> = HashMap::new();
        for item in unplaced {
            let mut found = Vec::new();
            self.names_in(&item.field, &mut found);
            for (name, span) in found {
                if let Some(earlier) = names.insert(name.clone(), span) {
                    let message = format!("the field `{name}` is declared twice");
                    let twice = Diagnostic::error(span, message).label("declared again here");
                    self.report(twice.related(earlier, "first declared here"));
                }
            }
        }
        let is_flexible = |item: &Unplaced| {
            let kind = self.unit.types.kind(item.field.field_type);
            matches!(
                kind,
                Kind::Array {
                    length: Length::Unknown,
                    ..
                }
            )
        };
        let before_last = unplaced.len().saturating_sub(1);
        let early = unplaced[..before_last]
            .iter()
            .find(|item| is_flexible(item) && !is_union);
        if let Some(early) = early {
            let message = "an array of unknown length is not the last field";
            self.report(Diagnostic::error(early.field.span, message).label("further fields follow"));
        }
    }

    fn names_in(&self, field: &Field, found: &mut Vec<(String, Span)>) {
        match (&field.name, self.unit.types.kind(field.field_type)) {
            (Some(name), _) => found.push((name.clone(), field.span)),
            (None, Kind::Record(id)) => {
                for inner in self.unit.types.fields(*id) {
                    self.names_in(inner, found);
                }
            }
            _ => {}
        }
    }

    /// The path to a field, through anonymous records.
    pub(super) fn find_field(&self, record: RecordId, name: &str) -> Option<Vec<usize>> {
        for (index, field) in self.unit.types.fields(record).iter().enumerate() {
            match (&field.name, self.unit.types.kind(field.field_type)) {
                (Some(own), _) if own == name => return Some(vec![index]),
                (None, Kind::Record(inner)) => {
                    if let Some(mut path) = self.find_field(*inner, name) {
                        path.insert(0, index);
                        return Some(path);
                    }
                }
                _ => {}
            }
        }
        None
    }

    pub(super) fn enumeration_specifier(&mut self, specifier: &EnumerationSpecifier) -> Type {
        let attributes = self.type_attributes(&specifier.attributes);
        let id = match &specifier.tag {
            None => self.unit.types.new_enumeration(None, specifier.span),
            Some(tag) => {
                let found = match specifier.enumerators {
                    Some(_) => self.scopes.find_tag_here(&tag.text),
                    None => self.scopes.find_tag(&tag.text),
                };
                match found {
                    Some((Tag::Enumeration(id), _)) => id,
                    Some((_, earlier)) => return self.wrong_tag(&tag.text, tag.span, earlier),
                    None => {
                        let id = self.unit.types.new_enumeration(Some(tag.text.clone()), tag.span);
                        self.scopes.declare_tag(&tag.text, Tag::Enumeration(id), tag.span);
                        id
                    }
                }
            }
        };
        if let Some(enumerators) = &specifier.enumerators {
            if self.unit.types.enumeration(id).underlying.is_some() {
                let name = self.unit.types.of(Kind::Enumeration(id));
                let message = format!("`{}` is defined twice", self.unit.types.name(name));
                let earlier = self.unit.types.enumeration(id).span;
                let twice = Diagnostic::error(specifier.span, message).label("defined again here");
                self.report(twice.related(earlier, "first defined here"));
            } else {
                self.enumerators(id, enumerators, attributes.is_packed);
            }
        }
        self.unit.types.of(Kind::Enumeration(id))
    }

    /// C11 6.7.2.2. gcc allows values that do not fit `int`.
    fn enumerators(&mut self, id: EnumerationId, enumerators: &[Enumerator], is_packed: bool) {
        let int = self.unit.types.int();
        let mut next: i128 = 0;
        let (mut least, mut greatest) = (0, 0);
        let mut declared = Vec::new();
        for enumerator in enumerators {
            if let Some(written) = &enumerator.value {
                next = self
                    .constant_expression(written, "the value of an enumerator")
                    .unwrap_or(next);
            }
            least = least.min(next);
            greatest = greatest.max(next);
            self.declare_enumerator(enumerator, next, int);
            declared.push((enumerator, next));
            next += 1;
        }
        let underlying = self.underlying(least, greatest, is_packed);
        self.unit.types.enumerations[id.0 as usize].underlying = Some(underlying);
        let int_range = IntegerKind::Int.integer(self.unit.types.data_model);
        let wide = self.unit.types.integer(underlying);
        for (enumerator, value) in declared {
            if !int_range.contains(value) {
                let entity = Entity::Enumerator {
                    value,
                    enumerator_type: wide,
                };
                self.scopes.declare(&enumerator.name.text, entity, enumerator.name.span);
            }
        }
    }

    fn declare_enumerator(&mut self, enumerator: &Enumerator, value: i128, enumerator_type: Type) {
        let name = &enumerator.name;
        if let Some((_, earlier)) = self.scopes.find_here(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            let twice = Diagnostic::error(name.span, message).label("declared again here");
            self.report(twice.related(earlier, "first declared here"));
        }
        let entity = Entity::Enumerator { value, enumerator_type };
        self.scopes.declare(&name.text, entity, name.span);
    }

    /// The first type that fits all values: unsigned if none is negative, as in gcc.
    fn underlying(&self, least: i128, greatest: i128, is_packed: bool) -> IntegerKind {
        use IntegerKind::{Int, Long, LongLong, Short, SignedChar};
        let model = self.unit.types.data_model;
        let small: &[IntegerKind] = if is_packed { &[SignedChar, Short] } else { &[] };
        let wide = match model {
            DataModel::Ilp32 => LongLong,
            DataModel::Lp64 => Long,
        };
        for kind in small.iter().chain(&[Int, wide]) {
            let kind = if least < 0 { *kind } else { kind.to_unsigned() };
            let integer = kind.integer(model);
            if integer.contains(least) && integer.contains(greatest) {
                return kind;
            }
        }
        wide
    }
}
