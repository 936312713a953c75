//! The abstract memory: objects, offsets in them, and what is known to be there.

use super::{Site, Targets};
use std::collections::{BTreeMap, BTreeSet};
use system::program::{Place, ProcedureId, Program, Root, Selector, Type, TypeId, Value, VariableId};

/// Arrays with at most so many elements are looked at element by element, where nothing else tells which one is meant.
const LISTED: u64 = 32;

/// A set has at most so many offsets in one object.
const OFFSETS: usize = 16;

/// Something that pointers point at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    Variable(VariableId),
    Procedure(ProcedureId),
    /// All objects that a call of an allocator makes.
    Allocated(Site),
    /// The arguments behind the parameters, in all calls.
    Variadic(ProcedureId),
    /// Whatever procedures that nobody knows have made.
    External,
}

/// In bytes. Elements of an array all have the offset of its first one.
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

    fn any(self) -> Target {
        Target {
            offset: Offset::Any,
            ..self
        }
    }
}

impl Offset {
    /// Whether so many bytes from here and so many from there have one in common.
    pub(crate) fn overlaps(self, size: Option<u64>, other: Offset, other_size: Option<u64>) -> bool {
        let (Offset::Known(a), Offset::Known(b)) = (self, other) else {
            return true;
        };
        let end = |from: u64, size: Option<u64>| size.map_or(u64::MAX, |size| from.saturating_add(size));
        a < end(b, other_size) && b < end(a, size)
    }
}

/// A part of an object that was written to: its offset and size.
type Part = (u64, u64);

#[derive(Clone, Debug, Default)]
struct Contents {
    parts: BTreeMap<Part, Targets>,
    /// Written at an offset that is not known.
    anywhere: Targets,
    /// Of an allocated object: how far its elements are apart, as arithmetic says. Offsets are taken modulo this.
    stride: Option<u64>,
    /// Arithmetic does not agree on elements: no offset is known.
    is_one: bool,
}

impl Contents {
    /// Where so many bytes at an offset are kept.
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
}

impl Memory {
    /// What a value may point at. Adds the objects whose contents it depends on.
    pub(super) fn value(&self, program: &Program, value: &Value, reads: &mut BTreeSet<Object>) -> Targets {
        match value {
            Value::Integer { .. } | Value::Float { .. } | Value::Compare { .. } | Value::Distance { .. } => {
                Targets::new()
            }
            Value::Read { place, .. } => {
                let size = extent(program, place).unwrap_or(1);
                let mut targets = Targets::new();
                for target in self.place(program, place, reads) {
                    reads.insert(target.object);
                    targets.extend(self.read(target, size));
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
                let index = constant(index);
                let targets = self.value(program, pointer, reads).into_iter();
                targets
                    .map(|target| self.stepped(program, target, index, *bytes))
                    .collect()
            }
            Value::Convert { value, .. } => self.value(program, value, reads),
        }
    }

    /// The parts of objects that a place may be.
    pub(super) fn place(&self, program: &Program, place: &Place, reads: &mut BTreeSet<Object>) -> Targets {
        let (mut targets, mut type_id) = match &place.root {
            Root::Variable(variable) => (
                Targets::from([Target::start(Object::Variable(*variable))]),
                program[*variable].type_id,
            ),
            Root::Dereference { pointer, type_id } => (self.value(program, pointer, reads), *type_id),
        };
        for selector in &place.selectors {
            match (selector, &program.types[type_id]) {
                (Selector::Field(field), Type::Record(record)) => {
                    let Some(field) = program.types[*record].fields.get(*field) else {
                        break;
                    };
                    type_id = field.type_id;
                    let by = i128::from(field.offset);
                    targets = targets
                        .into_iter()
                        .map(|target| self.moved(program, target, Some(1), by))
                        .collect();
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    type_id = *element;
                    let bytes = program.types.size(type_id).unwrap_or(0);
                    let indices = match (constant(index), length) {
                        (Some(index), _) => vec![Some(index)],
                        (None, Some(length)) if *length <= LISTED => (0..i128::from(*length)).map(Some).collect(),
                        (None, _) => vec![None],
                    };
                    let moved = |target| indices.iter().map(move |index| (target, *index));
                    targets = targets
                        .into_iter()
                        .flat_map(moved)
                        .map(|(target, index)| self.moved(program, target, index, bytes))
                        .collect();
                }
                _ => break,
            }
        }
        targets
    }

    /// A pointer so many elements further on; `None` for an unknown number. In allocated objects all elements are one, as
    /// nobody knows where an array in them begins.
    fn stepped(&self, program: &Program, target: Target, index: Option<i128>, bytes: u64) -> Target {
        match (target.object, index) {
            (_, Some(0)) => target,
            (Object::Allocated(_), _) => match self.objects.get(&target.object).and_then(|contents| contents.stride) {
                // Whoever solves has agreed on the stride before.
                Some(stride) if stride == bytes => self.normal(target),
                _ => target.any(),
            },
            _ => self.moved(program, target, index, bytes),
        }
    }

    /// A part so many elements further on in an array or a record.
    fn moved(&self, program: &Program, target: Target, index: Option<i128>, bytes: impl Into<i128>) -> Target {
        let bytes = bytes.into();
        let Offset::Known(offset) = target.offset else {
            return target;
        };
        let Some(index) = index else {
            return match target.object {
                _ if bytes == 0 => target,
                Object::Variable(variable) => {
                    let stays = is_in_array(program, program[variable].type_id, offset, bytes);
                    if stays { target } else { target.any() }
                }
                _ => target.any(),
            };
        };
        let offset = index
            .checked_mul(bytes)
            .and_then(|by| by.checked_add(i128::from(offset)));
        match offset.and_then(|offset| u64::try_from(offset).ok()) {
            Some(offset) => self.canonical(program, target.object, offset),
            None => target.any(),
        }
    }

    /// A part of an object, with elements of arrays made one.
    pub(super) fn canonical(&self, program: &Program, object: Object, offset: u64) -> Target {
        let offset = match object {
            Object::Variable(variable) => Offset::Known(first_element(program, program[variable].type_id, offset)),
            Object::Allocated(_) => Offset::Known(offset),
            Object::Procedure(_) | Object::Variadic(_) | Object::External => Offset::Any,
        };
        self.normal(Target { object, offset })
    }

    /// The same part as it is known now: more may be known about the elements of an object than when a pointer was made.
    pub(super) fn normal(&self, target: Target) -> Target {
        match (self.objects.get(&target.object), target.offset) {
            (Some(contents), Offset::Known(offset)) => Target {
                offset: contents.normal(offset, 1),
                ..target
            },
            _ => target,
        }
    }

    pub(super) fn read(&self, target: Target, size: u64) -> Targets {
        let Some(contents) = self.objects.get(&target.object) else {
            return Targets::new();
        };
        let mut targets = contents.anywhere.clone();
        let read = match target.offset {
            Offset::Known(offset) => contents.normal(offset, size),
            Offset::Any => Offset::Any,
        };
        for ((offset, extent), held) in &contents.parts {
            let part = Offset::Known(*offset);
            if part.overlaps(Some(*extent), read, Some(size)) {
                targets.extend(held);
            }
        }
        targets
    }

    /// Whether anything was new.
    pub(super) fn write(&mut self, target: Target, size: u64, targets: &Targets) -> bool {
        if targets.is_empty() {
            return false;
        }
        let held = self
            .objects
            .entry(target.object)
            .or_default()
            .place(target.offset, size);
        merge(held, targets)
    }

    /// Copies so many bytes from one part to another, keeping what is where. Whether anything was new.
    pub(super) fn copy(&mut self, from: Target, to: Target, size: Option<u64>) -> bool {
        let from = self.normal(from);
        let Some(contents) = self.objects.get(&from.object) else {
            return false;
        };
        // Elements that are one are copied to any element.
        let is_folded = contents.stride.is_some();
        let mut changes: Vec<(Target, u64, Targets)> = vec![(to.any(), 1, contents.anywhere.clone())];
        for ((offset, extent), held) in &contents.parts {
            let part = Offset::Known(*offset);
            if !is_folded && !part.overlaps(Some(*extent), from.offset, size) {
                continue;
            }
            let moved = match (from.offset, to.offset) {
                (Offset::Known(first), Offset::Known(to)) if !is_folded => {
                    offset.checked_sub(first).map(|by| to.saturating_add(by))
                }
                _ => None,
            };
            let target = Target {
                object: to.object,
                offset: moved.map_or(Offset::Any, Offset::Known),
            };
            changes.push((target, *extent, held.clone()));
        }
        let mut is_new = false;
        for (target, extent, held) in changes {
            is_new |= self.write(target, extent, &held);
        }
        is_new
    }

    /// Arithmetic in an allocated object: its elements are so far apart. Where others said otherwise, no offset in it is
    /// known from now on. Whether that was new.
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

    pub(super) fn all(&self) -> impl Iterator<Item = (Target, &Targets)> {
        self.objects.iter().flat_map(|(object, contents)| {
            let parts = contents
                .parts
                .iter()
                .map(|((offset, _), held)| (Offset::Known(*offset), held));
            let anywhere = (!contents.anywhere.is_empty()).then_some((Offset::Any, &contents.anywhere));
            parts.chain(anywhere).map(|(offset, held)| {
                let target = Target {
                    object: *object,
                    offset,
                };
                (target, held)
            })
        })
    }

    /// Everything that an object holds.
    pub(super) fn everything(&self, object: Object) -> Targets {
        self.read(Target::start(object).any(), 1)
    }
}

/// Adds targets; whether any was new. Where a set would have many offsets in one object, it has all of them: else a
/// pointer that walks through a record byte by byte would have as many as there are numbers.
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

/// How many bytes a place has a bit in; none where that is not known.
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

/// The same objects, at offsets that nobody knows.
pub(super) fn anywhere(targets: Targets) -> Targets {
    targets.into_iter().map(Target::any).collect()
}

fn constant(value: &Value) -> Option<i128> {
    match value {
        Value::Integer { value, .. } => Some(*value),
        Value::Convert { value, .. } => constant(value),
        _ => None,
    }
}

/// The same offset in the first element of each array around it.
fn first_element(program: &Program, type_id: TypeId, offset: u64) -> u64 {
    match &program.types[type_id] {
        Type::Array { element, .. } => match program.types.size(*element) {
            Some(size) if size > 0 => first_element(program, *element, offset % size),
            _ => 0,
        },
        Type::Record(record) => {
            let record = &program.types[*record];
            let holds = |field: &&system::program::Field| {
                let size = program.types.size(field.type_id);
                field.offset <= offset && size.is_none_or(|size| offset < field.offset.saturating_add(size))
            };
            // Fields of a union lie on each other: an offset in one is no offset in another.
            if record.is_union {
                return offset;
            }
            match record.fields.iter().rev().find(holds) {
                Some(field) => field.offset + first_element(program, field.type_id, offset - field.offset),
                None => offset,
            }
        }
        _ => offset,
    }
}

/// Whether there is an array at the offset in whose elements so many bytes lead to another.
fn is_in_array(program: &Program, type_id: TypeId, offset: u64, bytes: i128) -> bool {
    match &program.types[type_id] {
        Type::Array { element, .. } => match program.types.size(*element) {
            Some(size) if size > 0 => {
                bytes % i128::from(size) == 0 || is_in_array(program, *element, offset % size, bytes)
            }
            _ => false,
        },
        Type::Record(record) if !program.types[*record].is_union => {
            let fields = program.types[*record].fields.iter();
            fields
                .rev()
                .find(|field| field.offset <= offset)
                .is_some_and(|field| is_in_array(program, field.type_id, offset - field.offset, bytes))
        }
        _ => false,
    }
}
