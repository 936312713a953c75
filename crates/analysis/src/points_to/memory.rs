//! The abstract memory: objects, offsets, and the targets stored there.

use super::parts::{folded, has_at, is_alike, is_in_element, unfolded};
use super::{Site, Targets};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{BinaryOperator, Place, ProcedureId, Program, Root, Scalar, Selector, Type, Value, VariableId};

/// Arrays with at most this many elements are processed element by element where no other bound on the index is known.
pub(super) const LISTED: u64 = 32;

/// The maximum number of offsets of one object in a set of targets.
const OFFSETS: usize = 16;

/// An abstract object that pointers may point at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    Variable(VariableId),
    Procedure(ProcedureId),
    /// All objects that an allocation site creates.
    Allocated(Site),
    /// The variadic arguments of all calls of a procedure.
    Variadic(ProcedureId),
    /// Memory of external procedures. As a target, it also represents every object that they know.
    External,
    /// Memory at integers: at literal addresses, and wherever an integer cast to a pointer leads.
    Number,
}

/// In bytes. All elements of an array have the offset of the first element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Offset {
    Known(u64),
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    pub object: Object,
    pub offset: Offset,
}

impl Target {
    pub(crate) fn start(object: Object) -> Target {
        Target {
            object,
            offset: Offset::Known(0),
        }
    }

    pub(super) fn any(self) -> Target {
        Target {
            offset: Offset::Any,
            ..self
        }
    }
}

impl Offset {
    /// Whether two ranges of bytes overlap.
    pub(crate) fn overlaps(self, size: Option<u64>, other: Offset, other_size: Option<u64>) -> bool {
        let (Offset::Known(a), Offset::Known(b)) = (self, other) else {
            return true;
        };
        let end = |from: u64, size: Option<u64>| size.map_or(u64::MAX, |size| from.saturating_add(size));
        a < end(b, other_size) && b < end(a, size)
    }
}

/// A part of an object that was written: its offset and size.
type Part = (u64, u64);

#[derive(Clone, Debug, Default)]
struct Contents {
    /// [`NUMBER`] is among the targets of bytes that were also written as integers.
    parts: BTreeMap<Part, Targets>,
    /// Written at an unknown offset.
    anywhere: Targets,
    /// Of an allocated object: the distance of its elements according to pointer arithmetic. Offsets are modulo this.
    stride: Option<u64>,
    /// Pointer arithmetic disagrees on the elements: offsets are unknown.
    is_one: bool,
    /// External procedures may write to it.
    is_shown: bool,
}

impl Contents {
    /// The canonical offset of a range of bytes.
    fn normal(&self, offset: u64, size: u64) -> Offset {
        match self.stride {
            _ if self.is_one => Offset::Any,
            Some(stride) if (offset % stride).saturating_add(size) > stride => Offset::Any,
            Some(stride) => Offset::Known(offset % stride),
            None => Offset::Known(offset),
        }
    }

    fn place(&mut self, offset: Offset, size: u64) -> &mut Targets {
        let offset = match offset {
            Offset::Known(offset) => self.normal(offset, size),
            Offset::Any => Offset::Any,
        };
        match offset {
            Offset::Known(offset) => self.parts.entry((offset, size)).or_default(),
            Offset::Any => &mut self.anywhere,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    objects: BTreeMap<Object, Contents>,
    /// The objects whose addresses became integers: an integer cast to a pointer may point at any of them.
    numbered: BTreeSet<Object>,
    /// Whether a pointer without targets is treated as an integer cast to a pointer.
    pub(super) is_lost_number: bool,
}

impl Memory {
    /// The targets of a value. Adds the objects whose contents it depends on to `reads`.
    pub(super) fn value(&self, program: &Program, value: &Value, reads: &mut BTreeSet<Object>) -> Targets {
        match value {
            Value::Integer { .. } | Value::Float { .. } | Value::Compare { .. } | Value::Distance { .. } => {
                Targets::new()
            }
            Value::Read { place, scalar } => {
                let size = extent(program, place).unwrap_or(1);
                let mut targets = Targets::new();
                for target in self.place(program, place, reads) {
                    reads.insert(target.object);
                    targets.extend(self.read(program, target, size));
                }
                match (scalar, targets.contains(&NUMBER)) {
                    // Bytes that were written as an integer are read as a pointer.
                    (Scalar::Pointer, true) => targets.extend(self.made_from_number(reads)),
                    (_, true) => _ = targets.remove(&NUMBER),
                    (_, false) => {}
                }
                targets
            }
            Value::Address(place) => self.place(program, place, reads),
            Value::Procedure(procedure) => Targets::from([Target::start(Object::Procedure(*procedure))]),
            Value::Unary { operand, .. } => anywhere(self.value(program, operand, reads)),
            Value::Binary { left, right, .. } => {
                let mut targets = self.value(program, left, reads);
                targets.extend(self.value(program, right, reads));
                anywhere(targets)
            }
            Value::Offset { pointer, index, bytes } => {
                let indices = range(index);
                let targets = self.value(program, pointer, reads).into_iter();
                targets
                    .flat_map(|target| self.stepped(program, target, indices, *bytes))
                    .collect()
            }
            Value::Convert { to, value } => {
                let mut targets = self.value(program, value, reads);
                if *to == Scalar::Pointer && is_number(program, value) {
                    match constant(value) {
                        Some(0) => {}
                        // No named object lies at a literal address.
                        Some(_) => targets.extend([NUMBER]),
                        None => targets.extend(self.made_from_number(reads)),
                    }
                }
                targets
            }
        }
    }

    /// The targets of a pointer that was cast from an arbitrary integer.
    pub(super) fn made_from_number(&self, reads: &mut BTreeSet<Object>) -> Targets {
        reads.insert(Object::Number);
        let start = |object: &Object| Target::start(*object).any();
        self.numbered.iter().map(start).chain([NUMBER]).collect()
    }

    /// Records that the addresses of these objects became integers. Returns whether any is new.
    pub(super) fn number(&mut self, targets: &Targets) -> bool {
        let before = self.numbered.len();
        let objects = targets.iter().map(|target| target.object);
        let is_own = |object: &Object| !matches!(object, Object::External | Object::Number);
        self.numbered.extend(objects.filter(is_own));
        self.numbered.len() > before
    }

    pub(super) fn numbered(&self) -> &BTreeSet<Object> {
        &self.numbered
    }

    /// The parts of objects that a place may denote.
    pub(super) fn place(&self, program: &Program, place: &Place, reads: &mut BTreeSet<Object>) -> Targets {
        let (mut targets, mut type_id) = match &place.root {
            Root::Variable(variable) => (
                Targets::from([Target::start(Object::Variable(*variable))]),
                program[*variable].type_id,
            ),
            Root::Dereference { pointer, type_id } => (self.value(program, pointer, reads), *type_id),
        };
        if targets.is_empty() && self.is_lost_number {
            targets = self.made_from_number(reads);
        }
        // A target of the object's own type needs no search.
        let is_exact = |target: &Target| match (&place.root, target.object, target.offset) {
            (Root::Variable(_), ..) => true,
            (_, Object::Variable(variable), Offset::Known(offset)) => {
                has_at(program, program[variable].type_id, offset, type_id)
            }
            _ => false,
        };
        let mut parts: Vec<(Target, bool)> = targets.iter().map(|target| (*target, is_exact(target))).collect();
        for selector in &place.selectors {
            match (selector, &program.types[type_id]) {
                (Selector::Field(field), Type::Record(record)) => {
                    let Some(field) = program.types[*record].fields.get(*field) else {
                        break;
                    };
                    type_id = field.type_id;
                    let by = i128::from(field.offset);
                    let selected = parts.into_iter().flat_map(|(target, is_exact)| {
                        let found = match is_exact {
                            true => self.moved(target, by).map_or(vec![target.any()], |found| vec![found]),
                            false => self.shifted(program, target, by),
                        };
                        found.into_iter().map(move |target| (target, is_exact))
                    });
                    parts = selected.collect();
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    type_id = *element;
                    let bytes = program.types.size(type_id).unwrap_or(0);
                    let indices = range(index);
                    let stays = length.is_some_and(|length| stays_below(indices, length));
                    let selected = parts.into_iter().flat_map(|(target, is_exact)| {
                        // An existing array is folded together with its elements.
                        let found = match is_exact && stays {
                            true => vec![target],
                            false => self.stepped(program, target, indices, bytes),
                        };
                        found.into_iter().map(move |target| (target, is_exact && stays))
                    });
                    parts = selected.collect();
                }
                _ => break,
            }
        }
        targets = parts.into_iter().map(|(target, _)| target).collect();
        targets
    }

    /// A pointer moved by a range of `indices` elements. An index outside of an array may still be inside of the object
    /// that contains the array.
    fn stepped(&self, program: &Program, target: Target, indices: Range, bytes: u64) -> Vec<Target> {
        let Offset::Known(offset) = target.offset else {
            return vec![target];
        };
        let is_alike = match target.object {
            Object::Variable(variable) => is_alike(program, program[variable].type_id, offset, i128::from(bytes)),
            // The solver has agreed on the stride before.
            Object::Allocated(_) => {
                let contents = self.objects.get(&target.object);
                let stride = contents.and_then(|contents| contents.stride);
                stride.is_some_and(|stride| stride > 0 && bytes.is_multiple_of(stride))
            }
            _ => false,
        };
        if is_alike {
            return vec![self.normal(target)];
        }
        match indices.filter(|(least, greatest)| greatest - least < i128::from(LISTED)) {
            Some((least, greatest)) => (least..=greatest)
                .flat_map(|index| self.shifted(program, target, index.saturating_mul(i128::from(bytes))))
                .collect(),
            None => vec![target.any()],
        }
    }

    /// The targets moved by a number of bytes.
    fn shifted(&self, program: &Program, target: Target, by: i128) -> Vec<Target> {
        let Offset::Known(offset) = target.offset else {
            return vec![target];
        };
        let Object::Variable(variable) = target.object else {
            return self.moved(target, by).map_or(vec![target.any()], |found| vec![found]);
        };
        let type_id = program[variable].type_id;
        // All elements behave alike as long as the movement stays in one.
        let end = i128::from(offset).saturating_add(by).saturating_add(1);
        let from = match is_in_element(program, type_id, offset, end) {
            true => Some(vec![offset]),
            false => unfolded(program, type_id, offset),
        };
        let size = program.types.size(type_id).unwrap_or(u64::MAX);
        let shifted = from.into_iter().flatten().filter_map(|offset| {
            let offset = u64::try_from(i128::from(offset).saturating_add(by)).ok()?;
            (offset <= size).then(|| self.canonical(program, target.object, offset))
        });
        let found: Vec<Target> = shifted.collect();
        if found.is_empty() { vec![target.any()] } else { found }
    }

    /// The target moved by a number of bytes, without folding.
    fn moved(&self, target: Target, by: i128) -> Option<Target> {
        let Offset::Known(offset) = target.offset else {
            return Some(target);
        };
        let offset = u64::try_from(i128::from(offset).checked_add(by)?).ok()?;
        let offset = match target.object {
            Object::Variable(_) | Object::Allocated(_) => Offset::Known(offset),
            Object::Procedure(_) | Object::Variadic(_) | Object::External | Object::Number => Offset::Any,
        };
        Some(self.normal(Target { offset, ..target }))
    }

    /// A part of an object in canonical form: elements of arrays are folded.
    pub(super) fn canonical(&self, program: &Program, object: Object, offset: u64) -> Target {
        let offset = match object {
            Object::Variable(variable) => Offset::Known(folded(program, program[variable].type_id, offset)),
            Object::Allocated(_) => Offset::Known(offset),
            Object::Procedure(_) | Object::Variadic(_) | Object::External | Object::Number => Offset::Any,
        };
        self.normal(Target { object, offset })
    }

    /// The canonical range of `size` bytes from a target on; without a size, all bytes behind it. Overlapping ranges
    /// have overlapping canonical ranges.
    pub(super) fn region(&self, program: &Program, target: Target, size: Option<u64>) -> (Target, Option<u64>) {
        let Offset::Known(offset) = target.offset else {
            return (target, size);
        };
        let is_known = match (target.object, size) {
            (Object::Variable(variable), _) => {
                let type_id = program[variable].type_id;
                let size = size.or(program.types.size(type_id).map(|size| size.saturating_sub(offset)));
                let end = size.map(|size| i128::from(offset) + i128::from(size.max(1)));
                end.is_some_and(|end| is_in_element(program, type_id, offset, end))
            }
            (object, size) => match (self.objects.get(&object), size) {
                (Some(contents), Some(size)) => contents.normal(offset, size) != Offset::Any,
                (Some(contents), None) => contents.stride.is_none() && !contents.is_one,
                (None, _) => true,
            },
        };
        match is_known {
            true => (self.normal(target), size),
            false => (target.any(), None),
        }
    }

    /// Brings a target into canonical form again, since the elements of an object may have become known after a pointer
    /// was created.
    pub(super) fn normal(&self, target: Target) -> Target {
        match (self.objects.get(&target.object), target.offset) {
            (Some(contents), Offset::Known(offset)) => Target {
                offset: contents.normal(offset, 1),
                ..target
            },
            _ => target,
        }
    }

    /// The targets that external procedures know.
    pub(super) fn external(&self) -> Option<&Targets> {
        self.objects.get(&Object::External).map(|contents| &contents.anywhere)
    }

    /// Whether external procedures may write to an object.
    pub(super) fn is_shown(&self, object: Object) -> bool {
        self.objects.get(&object).is_some_and(|contents| contents.is_shown)
    }

    /// Records that external procedures may write to an object. Returns whether that is new.
    pub(super) fn show(&mut self, object: Object) -> bool {
        let contents = self.objects.entry(object).or_default();
        !std::mem::replace(&mut contents.is_shown, true)
    }

    pub(super) fn read(&self, program: &Program, target: Target, size: u64) -> Targets {
        if target.object == Object::External {
            return Targets::from([EXTERNAL]);
        }
        if target.object == Object::Number {
            let mut held = self.written(Object::Number);
            held.extend(self.made_from_number(&mut BTreeSet::new()));
            held.extend(self.external().map(|_| EXTERNAL));
            return held;
        }
        let Some(contents) = self.objects.get(&target.object) else {
            return Targets::new();
        };
        let mut targets = at_any_offset(contents);
        let (read, size) = self.region(program, target, Some(size));
        for ((offset, extent), held) in &contents.parts {
            let part = Offset::Known(*offset);
            if part.overlaps(Some(*extent), read.offset, size) {
                targets.extend(held);
            }
        }
        targets
    }

    /// Adds targets to a range; returns whether any is new.
    pub(super) fn write(&mut self, program: &Program, target: Target, size: u64, targets: &Targets) -> bool {
        if targets.is_empty() {
            return false;
        }
        let (written, _) = self.region(program, target, Some(size));
        let contents = self.objects.entry(target.object).or_default();
        merge(contents.place(written.offset, size), targets)
    }

    /// Copies a range of bytes at matching offsets. Returns whether any target is new.
    pub(super) fn copy(&mut self, program: &Program, from: Target, to: Target, size: Option<u64>) -> bool {
        if from.object == Object::External {
            return self.write(program, to.any(), 1, &Targets::from([EXTERNAL]));
        }
        if from.object == Object::Number {
            let held = self.read(program, from, 1);
            return self.write(program, to.any(), 1, &held);
        }
        let from = self.normal(from);
        let Some(contents) = self.objects.get(&from.object) else {
            return false;
        };
        // Folded elements are copied to every element.
        let is_folded = contents.stride.is_some();
        let (source, source_size) = self.region(program, from, size);
        let starts = self.starts(program, from, size);
        let ends = self.starts(program, to, size);
        let mut changes: Vec<(Target, u64, Targets)> = vec![(to.any(), 1, at_any_offset(contents))];
        for ((offset, extent), held) in &contents.parts {
            let part = Target {
                object: from.object,
                offset: Offset::Known(*offset),
            };
            if !is_folded && !part.offset.overlaps(Some(*extent), source.offset, source_size) {
                continue;
            }
            let parts = self.starts(program, part, Some(*extent));
            let places = match (&starts, &parts, &ends) {
                (Some(starts), Some(parts), Some(ends)) if !is_folded => copied(starts, size, parts, *extent, ends),
                _ => None,
            };
            match places {
                Some(places) => {
                    let target = |offset| self.canonical(program, to.object, offset);
                    changes.extend(places.into_iter().map(|offset| (target(offset), *extent, held.clone())));
                }
                None => changes.push((to.any(), *extent, held.clone())),
            }
        }
        let mut is_new = false;
        for (target, extent, held) in changes {
            is_new |= self.write(program, target, extent, &held);
        }
        is_new
    }

    /// The offsets that a target represents, as far as `size` bytes from there are in the object; none where unknown.
    fn starts(&self, program: &Program, target: Target, size: Option<u64>) -> Option<Vec<u64>> {
        let Offset::Known(offset) = target.offset else {
            return None;
        };
        let Object::Variable(variable) = target.object else {
            return Some(vec![offset]);
        };
        let type_id = program[variable].type_id;
        let end = i128::from(offset) + i128::from(size.unwrap_or(1).max(1));
        if size.is_some() && is_in_element(program, type_id, offset, end) {
            return Some(vec![offset]);
        }
        let most = program.types.size(type_id).unwrap_or(u64::MAX);
        let mut all = unfolded(program, type_id, offset)?;
        all.retain(|offset| offset.saturating_add(size.unwrap_or(0)) <= most);
        Some(all)
    }

    /// Records pointer arithmetic with this stride in an allocated object. If strides disagree, offsets in it become
    /// unknown. Returns whether that is new.
    pub(super) fn agree_on_stride(&mut self, object: Object, bytes: u64) -> bool {
        let contents = self.objects.entry(object).or_default();
        if contents.is_one || contents.stride == Some(bytes) || bytes == 0 {
            return false;
        }
        contents.is_one = contents.stride.is_some();
        contents.stride = Some(bytes);
        for ((offset, size), held) in std::mem::take(&mut contents.parts) {
            merge(contents.place(Offset::Known(offset), size), &held);
        }
        true
    }

    /// All parts that hold targets, with these.
    pub(super) fn all(&self) -> Vec<(Target, Targets)> {
        let mut all = Vec::new();
        for (object, contents) in &self.objects {
            let mut add = |offset: Offset, held: Targets| {
                let target = Target {
                    object: *object,
                    offset,
                };
                if held.iter().any(|held| *held != NUMBER) {
                    all.push((target, held));
                }
            };
            for ((offset, _), held) in &contents.parts {
                add(Offset::Known(*offset), held.clone());
            }
            add(Offset::Any, at_any_offset(contents));
        }
        all
    }

    /// All targets stored anywhere in an object.
    pub(super) fn everything(&self, object: Object) -> Targets {
        let mut all = self.written(object);
        if object == Object::External || self.is_shown(object) {
            all.insert(EXTERNAL);
        }
        all
    }

    /// All targets that the program itself stores in an object.
    pub(super) fn written(&self, object: Object) -> Targets {
        let contents = self.objects.get(&object);
        let parts = contents
            .into_iter()
            .flat_map(|contents| contents.parts.values().chain([&contents.anywhere]));
        parts.flatten().copied().collect()
    }
}

/// Memory of external procedures, and every object that they know.
pub(super) const EXTERNAL: Target = Target {
    object: Object::External,
    offset: Offset::Any,
};

/// Memory at integers.
pub(super) const NUMBER: Target = Target {
    object: Object::Number,
    offset: Offset::Any,
};

/// Whether a value is an integer, and not the address of a pointer in transit.
fn is_number(program: &Program, value: &Value) -> bool {
    matches!(value.scalar(), Scalar::Integer(_)) && address_in(program, value).is_none()
}

/// The pointer, where an integer contains all bits of its address.
pub(super) fn address_in<'v>(program: &Program, value: &'v Value) -> Option<&'v Value> {
    match value {
        Value::Convert {
            to: Scalar::Integer(integer),
            value,
        } if value.scalar() == Scalar::Pointer && integer.bits >= program.types.pointer_bits => Some(value),
        _ => None,
    }
}

fn at_any_offset(contents: &Contents) -> Targets {
    let mut targets = contents.anywhere.clone();
    if contents.is_shown {
        targets.insert(EXTERNAL);
    }
    targets
}

/// The offsets to which `parts` are copied from one of `starts` to one of `ends`; none where unknown.
fn copied(starts: &[u64], size: Option<u64>, parts: &[u64], extent: u64, ends: &[u64]) -> Option<BTreeSet<u64>> {
    let mut places = BTreeSet::new();
    for start in starts {
        for part in parts {
            let end = size.map_or(u64::MAX, |size| start.saturating_add(size));
            if *part >= end || part.saturating_add(extent) <= *start {
                continue;
            }
            let by = part.checked_sub(*start)?;
            places.extend(ends.iter().map(|end| end.saturating_add(by)));
        }
    }
    Some(places)
}

/// Adds targets; returns whether any is new. A set with too many offsets of one object is widened to all offsets, since
/// a pointer that traverses a record byte by byte would never reach a fixed point quickly.
fn merge(held: &mut Targets, targets: &Targets) -> bool {
    let mut is_new = false;
    for target in targets {
        if held.contains(&target.any()) || !held.insert(*target) {
            continue;
        }
        is_new = true;
        let first = Target::start(target.object);
        let is_many = held.range(first..target.any()).nth(OFFSETS).is_some();
        if is_many || target.offset == Offset::Any {
            held.retain(|other| other.object != target.object);
            held.insert(target.any());
        }
    }
    is_new
}

/// The number of bytes that a place touches; none where unknown.
pub(crate) fn extent(program: &Program, place: &Place) -> Option<u64> {
    let mut type_id = match &place.root {
        Root::Variable(variable) => program[*variable].type_id,
        Root::Dereference { type_id, .. } => *type_id,
    };
    let mut bits = None;
    for selector in &place.selectors {
        match (selector, &program.types[type_id]) {
            (Selector::Field(field), Type::Record(record)) => {
                let field = program.types[*record].fields.get(*field)?;
                (type_id, bits) = (field.type_id, field.bits);
            }
            (Selector::Index(_), Type::Array { element, .. }) => (type_id, bits) = (*element, None),
            _ => return None,
        }
    }
    match bits {
        Some(bits) => Some(u64::from((bits.first + bits.width).div_ceil(8))),
        None => program.types.size(type_id),
    }
}

/// The same objects at unknown offsets.
pub(super) fn anywhere(targets: Targets) -> Targets {
    targets.into_iter().map(Target::any).collect()
}

/// The range of a value, according to its operators.
type Range = Option<(i128, i128)>;

fn range(value: &Value) -> Range {
    let Scalar::Integer(integer) = value.scalar() else {
        return None;
    };
    let whole = (integer.least(), integer.greatest());
    let is_kept = |(least, greatest): &(i128, i128)| whole.0 <= *least && *greatest <= whole.1;
    let known = match value {
        Value::Integer { value, .. } => Some((*value, *value)),
        Value::Compare { .. } => Some((0, 1)),
        Value::Convert { value, .. } => range(value).filter(is_kept),
        Value::Binary { operator, left, right } => match (operator, constant(left), constant(right)) {
            (BinaryOperator::And, Some(mask), _) | (BinaryOperator::And, _, Some(mask)) if mask >= 0 => Some((0, mask)),
            (BinaryOperator::Remainder, _, Some(by)) if by > 0 => {
                let is_natural = range(left).is_some_and(|(least, _)| least >= 0);
                Some((if is_natural { 0 } else { 1 - by }, by - 1))
            }
            _ => None,
        },
        _ => None,
    };
    Some(known.unwrap_or(whole))
}

/// Whether an index is in bounds of every array of this length.
fn stays_below(indices: Range, length: u64) -> bool {
    indices.is_some_and(|(least, greatest)| 0 <= least && greatest < i128::from(length))
}

pub(super) fn constant(value: &Value) -> Option<i128> {
    match value {
        Value::Integer { value, .. } => Some(*value),
        Value::Convert {
            to: Scalar::Integer(integer),
            value,
        } => Some(integer.wrap(constant(value)?)),
        _ => None,
    }
}
