//! Initialisers: C11 6.7.9, with the ranges of GNU C.

use super::Checker;
use crate::syntax::{self, Designator, Encoding, ExpressionKind as Syntax, InitialiserItem, InitialiserList, TypeName};
use crate::tree::{Expression, ExpressionKind, InitialisedPart, Initialiser, Step, Storage, Variable};
use crate::types::{Kind, Length, Type};
use crate::{constant, tree};
use system::{Diagnostic, Span};

/// The maximum number of parts of an initialiser.
const MOST_PARTS: usize = 1 << 22;

/// The position in a braced list.
struct Cursor<'a> {
    items: &'a [InitialiserItem],
    next: usize,
    /// The checked expression of the next item, if it was checked already.
    ready: Option<Expression>,
}

/// The object under initialisation, from the outermost one on.
struct Building {
    whole: Type,
    parts: Vec<InitialisedPart>,
    path: Vec<Step>,
    /// Whether the parts are in order without overrides.
    is_ordered: bool,
}

impl Checker {
    /// The initialiser and the type, in which the length of an array is completed. None where an error was reported.
    pub(super) fn initialiser(
        &mut self,
        declared: Type,
        written: &syntax::Initialiser,
        is_static: bool,
    ) -> Option<(Initialiser, Type)> {
        let (checked, completed) = match written {
            syntax::Initialiser::Expression(expression) => {
                if self.string_for(declared, expression).is_some() {
                    let mut building = Building::new(declared);
                    let completed = self.string_part(&mut building, declared, expression)?;
                    (Initialiser::Parts(building.parts), completed)
                } else {
                    let value = self.expression(expression);
                    let value = self.whole_value(value, declared)?;
                    (Initialiser::Whole(value), declared)
                }
            }
            syntax::Initialiser::List(list) => self.list(declared, list)?,
        };
        if is_static && !self.require_constant(&checked) {
            return None;
        }
        Some((checked, completed))
    }

    fn whole_value(&mut self, value: Expression, declared: Type) -> Option<Expression> {
        // GNU C: an array may be initialised by a compound literal.
        if self.unit.types.is_array(declared) {
            let is_literal = matches!(value.kind, ExpressionKind::CompoundLiteral { .. });
            if is_literal && value.expression_type.id == declared.id {
                let own = value.expression_type.unqualified();
                let span = value.span;
                return Some(Expression::new(ExpressionKind::Load(Box::new(value)), own, span));
            }
            if !self.is_error(&value) {
                let message = "an array is initialised by what is no list";
                let error = Diagnostic::error(value.span, message).label("put it into braces");
                self.report(error);
            }
            return None;
        }
        let value = self.value(value);
        let value = self.assigned(value, declared, "this initial value");
        (!self.is_error(&value)).then_some(value)
    }

    fn list(&mut self, declared: Type, list: &InitialiserList) -> Option<(Initialiser, Type)> {
        let types = &self.unit.types;
        if types.is_error(declared) {
            return None;
        }
        if types.is_scalar(declared) {
            let value = self.scalar_list(declared, list)?;
            return Some((Initialiser::Whole(value), declared));
        }
        if types.size(declared).is_none() && !types.is_array(declared) {
            let message = format!("an object of the incomplete type `{}`", types.name(declared));
            self.report(Diagnostic::error(list.span, message).label("incomplete type"));
            return None;
        }
        let mut building = Building::new(declared);
        let before = self.diagnostics.len();
        let completed = self.braced(&mut building, declared, list)?;
        let is_wrong = self.diagnostics[before..]
            .iter()
            .any(|found| found.severity == system::Severity::Error);
        (!is_wrong).then_some((Initialiser::Parts(building.parts), completed))
    }

    /// `{ 1 }` for a number, and `{}` for zero.
    fn scalar_list(&mut self, declared: Type, list: &InitialiserList) -> Option<Expression> {
        let Some(first) = list.items.first() else {
            let zero = self.int_constant(0, list.span);
            return Some(self.convert(zero, declared));
        };
        if let Some(second) = list.items.get(1) {
            let span = item_span(second);
            self.report(Diagnostic::warning(
                span,
                "a further value for what holds one: it is not used",
            ));
        }
        if let Some(designator) = first.designators.first() {
            self.wrong_designator(designator, declared, list.span);
            return None;
        }
        match &first.initialiser {
            syntax::Initialiser::Expression(expression) => {
                let value = self.expression(expression);
                self.whole_value(value, declared)
            }
            syntax::Initialiser::List(inner) => self.scalar_list(declared, inner),
        }
    }

    /// The braced list of a record or an array. Returns the type with its length.
    fn braced(&mut self, building: &mut Building, own: Type, list: &InitialiserList) -> Option<Type> {
        // `char s[] = { "abc" };`
        if let [item] = list.items.as_slice()
            && item.designators.is_empty()
            && let syntax::Initialiser::Expression(expression) = &item.initialiser
            && self.string_for(own, expression).is_some()
        {
            return self.string_part(building, own, expression);
        }
        let mut cursor = Cursor {
            items: &list.items,
            next: 0,
            ready: None,
        };
        let reached = self.fill(building, &mut cursor, own, &[], true)?;
        if cursor.next < list.items.len() {
            let span = item_span(&list.items[cursor.next]);
            let message = format!("more values than `{}` has places", self.unit.types.name(own));
            self.report(Diagnostic::warning(span, message).label("not used"));
        }
        Some(match *self.unit.types.kind(own) {
            Kind::Array {
                element,
                length: Length::Unknown,
            } => self
                .unit
                .types
                .array_of(element, Length::Known(reached))
                .qualified_as(own),
            _ => own,
        })
    }

    /// Initialises the parts of a record or array from the cursor. Without its own braces, it ends after the last part,
    /// or at a designator of an enclosing object: C11 6.7.9p20. `designators` lead to the first part. Returns the
    /// number of elements of an array.
    fn fill(
        &mut self,
        building: &mut Building,
        cursor: &mut Cursor<'_>,
        own: Type,
        designators: &[Designator],
        is_braced: bool,
    ) -> Option<u64> {
        let mut position: u64 = 0;
        let mut reached: u64 = 0;
        let mut given = designators;
        while let Some(item) = cursor.items.get(cursor.next) {
            // The checked expression was led here by its designators.
            let mut leading = std::mem::take(&mut given);
            if leading.is_empty() && cursor.ready.is_none() && !item.designators.is_empty() {
                if !is_braced {
                    break;
                }
                leading = &item.designators;
            }
            if let Some((first, rest)) = leading.split_first() {
                let (at, until, through) = self.designated(first, own, item_span(item))?;
                position = at;
                self.designated_part(building, cursor, own, at, &through, rest)?;
                if let Some(until) = until {
                    self.repeat(building, at, until, item_span(item))?;
                    position = until;
                }
            } else {
                let Some(part) = self.part_type(own, position) else {
                    break;
                };
                self.part(building, cursor, part, self.step(own, position), &[])?;
            }
            position += 1;
            reached = reached.max(position);
            if self.is_union(own) {
                // One part is enough.
                position = u64::from(u32::MAX);
            }
        }
        Some(reached)
    }

    /// Initialises the part of a designator, with the designators that follow.
    fn designated_part(
        &mut self,
        building: &mut Building,
        cursor: &mut Cursor<'_>,
        own: Type,
        position: u64,
        through: &[usize],
        rest: &[Designator],
    ) -> Option<()> {
        let mut part = self.part_type(own, position)?;
        let depth = building.path.len();
        let mut step = self.step(own, position);
        for field in through.iter().skip(1) {
            building.path.push(step);
            step = Step::Field(*field);
            part = self.part_type(part, *field as u64)?;
        }
        let done = self.part(building, cursor, part, step, rest);
        building.path.truncate(depth);
        done
    }

    /// Initialises one part: by a value of its own, or, without braces, by the next values for its parts.
    fn part(
        &mut self,
        building: &mut Building,
        cursor: &mut Cursor<'_>,
        part: Type,
        step: Step,
        designators: &[Designator],
    ) -> Option<()> {
        if building.parts.len() > MOST_PARTS {
            self.report(Diagnostic::error(
                item_span(&cursor.items[cursor.next]),
                "this initialiser is too long",
            ));
            return None;
        }
        building.path.push(step);
        let done = self.part_inside(building, cursor, part, designators);
        building.path.pop();
        done
    }

    fn part_inside(
        &mut self,
        building: &mut Building,
        cursor: &mut Cursor<'_>,
        part: Type,
        designators: &[Designator],
    ) -> Option<()> {
        let is_aggregate = self.unit.types.is_array(part) || self.unit.types.record_of(part).is_some();
        if !designators.is_empty() {
            if !is_aggregate {
                self.wrong_designator(&designators[0], part, item_span(&cursor.items[cursor.next]));
                return None;
            }
            self.fill(building, cursor, part, designators, false)?;
            return Some(());
        }
        let item = &cursor.items[cursor.next];
        let expression = match &item.initialiser {
            syntax::Initialiser::List(list) => {
                cursor.next += 1;
                cursor.ready = None;
                if is_aggregate {
                    building.forget(&self.unit);
                    self.refuse_flexible(part, list.span)?;
                    self.braced(building, part, list)?;
                } else {
                    let value = self.scalar_list(part, list)?;
                    building.add(value, part, &self.unit);
                }
                return Some(());
            }
            syntax::Initialiser::Expression(expression) => expression,
        };
        if cursor.ready.is_none() && self.string_for(part, expression).is_some() {
            cursor.next += 1;
            self.refuse_flexible(part, expression.span)?;
            self.string_part(building, part, expression)?;
            return Some(());
        }
        let value = match cursor.ready.take() {
            Some(ready) => ready,
            None => self.expression(expression),
        };
        if !is_aggregate {
            cursor.next += 1;
            let value = self.value(value);
            let value = self.assigned(value, part, "this initial value");
            building.add(value, part, &self.unit);
            return Some(());
        }
        if value.expression_type.id == part.id && !self.unit.types.is_array(part) {
            cursor.next += 1;
            let value = self.value(value);
            building.add(value, part, &self.unit);
            return Some(());
        }
        self.refuse_flexible(part, expression.span)?;
        if self.is_error(&value) {
            cursor.next += 1;
            return Some(());
        }
        cursor.ready = Some(value);
        let before = cursor.next;
        self.fill(building, cursor, part, &[], false)?;
        if cursor.next == before {
            // No part consumed it: a record without fields.
            cursor.next += 1;
            cursor.ready = None;
        }
        Some(())
    }

    /// Reports a flexible array member with an initialiser, which would make the object larger than its type.
    fn refuse_flexible(&mut self, part: Type, span: Span) -> Option<()> {
        let is_flexible = matches!(
            self.unit.types.kind(part),
            Kind::Array {
                length: Length::Unknown,
                ..
            }
        );
        if is_flexible {
            let message = "values for an array of unknown length at the end of a record are not supported";
            self.report(Diagnostic::error(span, message).label("larger than its type"));
            return None;
        }
        Some(())
    }

    /// `[2 ... 5] = v`: copies the initialiser of the first element to the others.
    fn repeat(&mut self, building: &mut Building, from: u64, until: u64, span: Span) -> Option<()> {
        let depth = building.path.len();
        let first = Step::Index(from);
        let prefix = building.path.clone();
        let is_first = |part: &InitialisedPart| part.path.starts_with(&prefix) && part.path.get(depth) == Some(&first);
        let repeated: Vec<InitialisedPart> = building.parts.iter().filter(|part| is_first(part)).cloned().collect();
        let count = usize::try_from(until - from).unwrap_or(usize::MAX);
        if repeated
            .len()
            .saturating_mul(count)
            .saturating_add(building.parts.len())
            > MOST_PARTS
        {
            self.report(Diagnostic::error(span, "this initialiser is too long").label("too many values"));
            return None;
        }
        for index in from + 1..=until {
            for part in &repeated {
                let mut part = part.clone();
                if let Some(step) = part.path.get_mut(depth) {
                    *step = Step::Index(index);
                }
                building.insert(part, &self.unit);
            }
        }
        Some(())
    }

    fn step(&self, own: Type, position: u64) -> Step {
        match self.unit.types.is_array(own) {
            true => Step::Index(position),
            false => Step::Field(usize::try_from(position).unwrap_or(usize::MAX)),
        }
    }

    fn is_union(&self, own: Type) -> bool {
        let record = self.unit.types.record_of(own);
        record.is_some_and(|record| self.unit.types.record(record).is_union)
    }

    /// None behind the last part. Only one part of a union is initialised.
    fn part_type(&mut self, own: Type, position: u64) -> Option<Type> {
        match self.unit.types.kind(own) {
            Kind::Array { element, length } => match length {
                Length::Known(length) if position >= *length => None,
                _ => Some(*element),
            },
            Kind::Record(id) => {
                let field = self.unit.types.fields(*id).get(usize::try_from(position).ok()?)?;
                let (field_type, width) = (field.field_type, field.bits.map(|bits| bits.width));
                Some(self.bit_type(field_type, width))
            }
            _ => None,
        }
    }

    /// The position of a designator, the end of a range, and the path through anonymous records.
    fn designated(&mut self, designator: &Designator, own: Type, span: Span) -> Option<(u64, Option<u64>, Vec<usize>)> {
        let types = &self.unit.types;
        match designator {
            Designator::Field(name) => {
                let Some(record) = types.record_of(own) else {
                    self.wrong_designator(designator, own, name.span);
                    return None;
                };
                let Some(path) = self.find_field(record, &name.text) else {
                    let type_name = self.unit.types.record_name(record);
                    let message = format!("`{type_name}` has no field `{}`", name.text);
                    let mut error = Diagnostic::error(name.span, message).label("no such field");
                    let names = self
                        .unit
                        .types
                        .fields(record)
                        .iter()
                        .filter_map(|field| field.name.as_deref());
                    if let Some(near) = system::suggest::nearest(&name.text, names) {
                        error = error.help(format!("did you mean `{near}`?"));
                    }
                    self.report(error);
                    return None;
                };
                Some((*path.first()? as u64, None, path))
            }
            Designator::Index(index) => {
                let at = self.designated_index(index, own, designator, span)?;
                Some((at, None, vec![0]))
            }
            Designator::Range(low, high) => {
                let low = self.designated_index(low, own, designator, span)?;
                let last = self.designated_index(high, own, designator, span)?;
                if last < low {
                    self.report(Diagnostic::error(high.span, "this range is empty").label("less than its beginning"));
                    return None;
                }
                Some((low, Some(last), vec![0]))
            }
        }
    }

    fn designated_index(
        &mut self,
        index: &syntax::Expression,
        own: Type,
        designator: &Designator,
        span: Span,
    ) -> Option<u64> {
        if !self.unit.types.is_array(own) {
            self.wrong_designator(designator, own, span);
            return None;
        }
        let value = self.constant_expression(index, "the index of an initial value")?;
        let length = constant::array_length(&self.unit, own).map_or(i128::from(i64::MAX), i128::from);
        if value < 0 || value >= length {
            let message = format!("the index {value} is outside of the array");
            let label = format!("of type `{}`", self.unit.types.name(own));
            self.report(Diagnostic::error(index.span, message).label(label));
            return None;
        }
        u64::try_from(value).ok()
    }

    fn wrong_designator(&mut self, designator: &Designator, own: Type, span: Span) {
        let (message, span) = match designator {
            Designator::Field(name) => (format!("`.{}` in what is no record", name.text), name.span),
            _ => ("an index in what is no array".to_owned(), span),
        };
        let label = format!("of type `{}`", self.unit.types.name(own));
        self.report(Diagnostic::error(span, message).label(label));
    }

    /// The string literal, if it can initialise the array as a whole: C11 6.7.9p14 and p15.
    fn string_for<'a>(&self, own: Type, written: &'a syntax::Expression) -> Option<&'a syntax::StringLiteral> {
        let literal = literal_of(written)?;
        let element = self.unit.types.element_of(own)?;
        let integer = match self.unit.types.kind(element) {
            Kind::Integer(_) => self.unit.types.integer_of(element)?,
            _ => return None,
        };
        let fits = match literal.encoding {
            Encoding::Plain => integer.bits == 8,
            other => integer.bits == 8 * tree::unit_bytes(other),
        };
        fits.then_some(literal)
    }

    /// Returns the type with its length.
    fn string_part(&mut self, building: &mut Building, own: Type, written: &syntax::Expression) -> Option<Type> {
        let literal = literal_of(written)?;
        let value = self.string_literal(literal, written.span);
        let given = literal.units.len() as u64;
        let element = self.unit.types.element_of(own)?;
        let completed = match constant::array_length(&self.unit, own) {
            Some(length) => {
                if given > length {
                    let message = "this string is longer than its array: its end is not used";
                    self.report(Diagnostic::warning(written.span, message));
                }
                own
            }
            None => self.unit.types.array_of(element, Length::Known(given + 1)),
        };
        building.add(value, completed, &self.unit);
        Some(completed)
    }

    /// C11 6.7.9p4: objects with static storage duration have constant initialisers.
    fn require_constant(&mut self, initialiser: &Initialiser) -> bool {
        let values: Vec<&Expression> = match initialiser {
            Initialiser::Whole(value) => vec![value],
            Initialiser::Parts(parts) => parts.iter().map(|part| &part.value).collect(),
        };
        let is_known = |value: &&Expression| {
            matches!(value.kind, ExpressionKind::Literal(_))
                || self.is_static_literal(value)
                || constant::evaluate(&self.unit, value).is_some()
        };
        let unknown = values
            .into_iter()
            .find(|value| !self.is_error(value) && !is_known(value));
        let Some(span) = unknown.map(|value| value.span) else {
            return true;
        };
        let message = "this initial value is not constant";
        self.report(Diagnostic::error(span, message).label("known only when the program runs"));
        false
    }

    /// GNU C: a compound literal whose parts are constant.
    fn is_static_literal(&self, value: &Expression) -> bool {
        let ExpressionKind::Load(place) = &value.kind else {
            return false;
        };
        matches!(place.kind, ExpressionKind::CompoundLiteral { initialiser: None, .. })
    }

    /// C11 6.5.2.5.
    pub(super) fn compound_literal(&mut self, name: &TypeName, list: &InitialiserList, span: Span) -> Expression {
        let declared = self.type_name(name);
        if self.unit.types.is_error(declared) {
            return Expression::error(&self.unit.types, span);
        }
        let is_static = self.function.is_none();
        let written = syntax::Initialiser::List(list.clone());
        let Some((checked, completed)) = self.initialiser(declared, &written, is_static) else {
            return Expression::error(&self.unit.types, span);
        };
        let storage = if is_static { Storage::Static } else { Storage::Local };
        let (stored, initialiser) = match is_static {
            true => (Some(checked), None),
            false => (None, Some(Box::new(checked))),
        };
        let variable = self.new_variable(Variable {
            name: format!("({}){{...}}", self.unit.types.name(completed)),
            variable_type: completed,
            storage,
            initialiser: stored,
            is_defined: true,
            is_used: true,
            span,
        });
        if !is_static {
            self.own_in_block(variable);
        }
        let kind = ExpressionKind::CompoundLiteral { variable, initialiser };
        Expression::new(kind, completed, span)
    }
}

impl Building {
    fn new(whole: Type) -> Building {
        Building {
            whole,
            parts: Vec::new(),
            path: Vec::new(),
            is_ordered: true,
        }
    }

    fn add(&mut self, value: Expression, part_type: Type, unit: &tree::Unit) {
        let part = InitialisedPart {
            path: self.path.clone(),
            value,
            part_type,
        };
        self.insert(part, unit);
    }

    /// C11 6.7.9p19: later initialisers override earlier ones.
    fn insert(&mut self, part: InitialisedPart, unit: &tree::Unit) {
        let is_next = self.parts.last().is_none_or(|last| last.path < part.path);
        if !(self.is_ordered && is_next) || self.has_union(&part.path, unit) {
            self.is_ordered &= is_next;
            self.remove(&part.path, unit);
        }
        self.parts.push(part);
    }

    /// A braced list replaces all earlier initialisers.
    fn forget(&mut self, unit: &tree::Unit) {
        let path = self.path.clone();
        if !self.is_ordered || self.parts.last().is_some_and(|last| last.path >= path) || self.has_union(&path, unit) {
            self.remove(&path, unit);
        }
    }

    fn remove(&mut self, path: &[Step], unit: &tree::Unit) {
        let whole = self.whole;
        self.parts.retain(|part| !is_replaced(unit, whole, &part.path, path));
    }

    fn has_union(&self, path: &[Step], unit: &tree::Unit) -> bool {
        let mut own = self.whole;
        for step in path {
            if let Kind::Record(id) = unit.types.kind(own)
                && unit.types.record(*id).is_union
            {
                return true;
            }
            match constant::part(unit, own, &[*step]) {
                Some((_, part)) => own = part,
                None => return false,
            }
        }
        false
    }
}

/// Whether an initialiser for `later` overrides that for `earlier`: it is the same part, contains it, or is another
/// member of the same union.
fn is_replaced(unit: &tree::Unit, whole: Type, earlier: &[Step], later: &[Step]) -> bool {
    let mut own = whole;
    for (ours, theirs) in earlier.iter().zip(later) {
        if ours != theirs {
            return match unit.types.kind(own) {
                Kind::Record(id) => unit.types.record(*id).is_union,
                _ => false,
            };
        }
        match constant::part(unit, own, &[*ours]) {
            Some((_, part)) => own = part,
            None => return false,
        }
    }
    earlier.len() >= later.len()
}

fn item_span(item: &InitialiserItem) -> Span {
    match &item.initialiser {
        syntax::Initialiser::Expression(expression) => expression.span,
        syntax::Initialiser::List(list) => list.span,
    }
}

/// The tree has no parentheses.
fn literal_of(written: &syntax::Expression) -> Option<&syntax::StringLiteral> {
    match &written.kind {
        Syntax::String(literal) => Some(literal),
        Syntax::Unary {
            operator: syntax::Unary::Extension,
            operand,
        } => literal_of(operand),
        _ => None,
    }
}
