//! Reading and writing: which cells a place may be.

use crate::hazards::Reached;
use crate::machine::{Chosen, Machine, equal, is_further, less, less_equal};
use crate::numbers::{constant, wrap};
use crate::objects::{CellId, Leaf, ObjectId, Objects, Origin, inside};
use analysis::points_to::Object as Target;
use logic::{Kind, Term, term};
use std::collections::BTreeMap;
use system::program::{Bits, Integer, Place, Program, Root, Scalar, Selector, Type, TypeId, Undefined};

/// A place is at most one of this many; where there are more, nothing is known of what it holds.
const MOST_SPOTS: usize = 200;

/// A part of an object that a place may be.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// No two of a place hold at once.
    pub(crate) condition: Term,
    pub(crate) object: ObjectId,
    /// None where it may be any. It may lie outside of the object, as long as what is selected leads back.
    pub(crate) offset: Option<i128>,
}

/// All that a place may be.
pub(crate) struct Spots {
    pub(crate) spots: Vec<Spot>,
    /// Where it is none of these, but something of which nothing is known.
    pub(crate) elsewhere: Term,
    pub(crate) type_id: TypeId,
    pub(crate) bits: Option<Bits>,
}

impl Machine<'_, '_> {
    /// What a place may be. Where it can be nothing, the step is undefined.
    pub(crate) fn spots(&mut self, place: &Place) -> Spots {
        let (spots, reached) = self.reached(place);
        self.note_access(&spots, &reached, None);
        spots
    }

    /// The same, where it is not said how much of it is accessed.
    pub(crate) fn reached(&mut self, place: &Place) -> (Spots, Reached) {
        let mut reached = Reached {
            address: term::int(0),
            is_indirect: false,
            is_external: false,
            is_checked: false,
        };
        let mut spots = match &place.root {
            Root::Variable(variable) => Spots {
                spots: vec![Spot {
                    condition: term::bool(true),
                    object: self.variable(*variable),
                    offset: Some(0),
                }],
                elsewhere: term::bool(false),
                type_id: self.program[*variable].type_id,
                bits: None,
            },
            Root::Dereference { pointer, type_id } => {
                let targets = self.contexts.points_to.value(self.program, pointer);
                let pointer = self.value(pointer);
                let objects: Vec<Target> = targets.iter().map(|target| target.object).collect();
                (reached.address, reached.is_indirect) = (pointer, true);
                reached.is_external = objects.contains(&Target::External);
                self.pointed_at(pointer, *type_id, &objects)
            }
        };
        if let Root::Variable(_) = place.root {
            reached.address = term::int(Objects::address(spots.spots[0].object));
        }
        for selector in &place.selectors {
            self.select(&mut spots, selector, &mut reached);
        }
        (spots, reached)
    }

    fn select(&mut self, spots: &mut Spots, selector: &Selector, reached: &mut Reached) {
        match (selector, &self.program.types[spots.type_id]) {
            (Selector::Field(field), Type::Record(record)) => {
                let field = &self.program.types[*record].fields[*field];
                for spot in &mut spots.spots {
                    spot.offset = spot.offset.map(|offset| offset + i128::from(field.offset));
                }
                (spots.type_id, spots.bits) = (field.type_id, field.bits);
                reached.address = term::add([reached.address, term::int(i128::from(field.offset))]);
            }
            (Selector::Index(index), Type::Array { element, length }) => {
                let (element, length) = (*element, *length);
                let size = self.program.types.size(element).unwrap_or(0);
                let scalar = index.scalar();
                let index = self.value(index);
                let index = match constant(index) {
                    Some(_) => self.stepped(index, scalar),
                    None => index,
                };
                if self.hazards.is_some() {
                    let moved = term::multiply(term::int(i128::from(size)), self.stepped(index, scalar));
                    reached.address = term::add([reached.address, moved]);
                }
                // Outside of an array may still be inside of the object that the array is a part of. And from outside,
                // an index in an element may lead back.
                let is_flat = is_flat(self.program, element);
                let is_whole = |spot: &Spot| is_flat && self.is_whole(spot, spots.type_id);
                let (whole, parts): (Vec<Spot>, Vec<Spot>) = spots.spots.iter().cloned().partition(is_whole);
                spots.type_id = element;
                let in_bounds = |length: u64| {
                    let below = less(index, term::int(i128::from(length)));
                    term::and([less_equal(term::int(0), index), below])
                };
                if let (Some(length), true) = (length, is_flat && parts.is_empty()) {
                    let defined = term::or([spots.elsewhere, in_bounds(length)]);
                    self.require(Undefined::OutOfBounds, defined);
                    reached.is_checked = true;
                }
                // Variables with an array at their end may be larger than their type says.
                let is_fixed = is_flat && length.is_some_and(|length| length > 0);
                if let (true, [part]) = (is_fixed && whole.is_empty(), parts.as_slice()) {
                    let inside = self.touches_object(part, self.stepped(index, scalar), size);
                    self.require(Undefined::OutOfBounds, inside);
                }
                if let Some(index) = constant(index) {
                    let offset = i128::from(size) * index;
                    for spot in &mut spots.spots {
                        spot.offset = spot.offset.and_then(|start| start.checked_add(offset));
                    }
                    return;
                }
                let count = length.unwrap_or(u64::MAX);
                let is_listed = count.saturating_mul(spots.spots.len() as u64) <= MOST_SPOTS as u64;
                if !is_listed {
                    spots.spots.iter_mut().for_each(|spot| spot.offset = None);
                    return;
                }
                let outside = term::not(in_bounds(count));
                let beyond = parts.iter().map(|spot| Spot {
                    condition: term::and([spot.condition, outside]),
                    object: spot.object,
                    offset: None,
                });
                let beyond: Vec<Spot> = beyond.collect();
                let each = whole.into_iter().chain(parts);
                spots.spots = each
                    .flat_map(|spot| {
                        (0..count).map(move |number| Spot {
                            condition: term::and([spot.condition, equal(index, term::int(i128::from(number)))]),
                            object: spot.object,
                            offset: spot.offset.map(|offset| offset + i128::from(number * size)),
                        })
                    })
                    .chain(beyond)
                    .collect();
            }
            _ => {}
        }
    }

    /// Whether some byte of this element is in the object, as far as its size is known.
    fn touches_object(&self, array: &Spot, index: Term, size: u64) -> Term {
        let object = &self.objects.objects[array.object.0 as usize];
        let whole = object.type_id.and_then(|type_id| self.program.types.size(type_id));
        let is_variable = matches!(object.origin, Origin::Variable(..));
        let (Some(whole), Some(start), true) = (whole, array.offset, is_variable) else {
            return term::bool(true);
        };
        let moved = term::multiply(term::int(i128::from(size)), index);
        let offset = term::add([term::int(start), moved]);
        let before = term::int(-i128::from(size));
        let inside = term::and([less(before, offset), less(offset, term::int(i128::from(whole)))]);
        // No more than what the spot is a part of.
        term::or([term::not(array.condition), inside])
    }

    /// Whether an array is the whole object: then what is outside of it is no object.
    fn is_whole(&self, spot: &Spot, type_id: TypeId) -> bool {
        let object = &self.objects.objects[spot.object.0 as usize];
        let sizes = (object.type_id, self.program.types.size(type_id));
        let is_variable = matches!(object.origin, Origin::Variable(..));
        match sizes {
            (Some(whole), Some(size)) => {
                is_variable && spot.offset == Some(0) && self.program.types.size(whole) == Some(size)
            }
            _ => false,
        }
    }

    /// What a pointer may point at, seen as a type.
    fn pointed_at(&mut self, pointer: Term, type_id: TypeId, objects: &[Target]) -> Spots {
        let mut spots = Spots {
            spots: Vec::new(),
            elsewhere: term::bool(false),
            type_id,
            bits: None,
        };
        let mut open = Vec::new();
        self.known(pointer, term::bool(true), &mut spots, &mut open);
        for (condition, pointer) in open {
            self.guessed(condition, pointer, type_id, objects, &mut spots);
        }
        let anything = spots.spots.iter().map(|spot| spot.condition).chain([spots.elsewhere]);
        let defined = term::or(anything);
        self.require(Undefined::NullPointer, defined);
        spots
    }

    /// The addresses that are known, behind choices; the rest is open. What several choices share is looked at once,
    /// after all of them: what is deeper comes first.
    pub(crate) fn known(&mut self, pointer: Term, condition: Term, spots: &mut Spots, open: &mut Vec<(Term, Term)>) {
        let mut waiting = BTreeMap::from([(pointer, condition)]);
        while let Some((pointer, condition)) = waiting.pop_last() {
            match pointer.kind() {
                Kind::Int(0) => {}
                Kind::Int(address) => self.known_address(*address, condition, spots),
                Kind::Ite(choice, then, otherwise) if spots.spots.len() + open.len() + waiting.len() < MOST_SPOTS => {
                    for (part, chosen) in [(*then, *choice), (*otherwise, term::not(*choice))] {
                        let here = term::and([condition, chosen]);
                        let all = waiting.get(&part).map_or(here, |before| term::or([*before, here]));
                        waiting.insert(part, all);
                    }
                }
                _ => open.push((condition, pointer)),
            }
        }
    }

    fn known_address(&self, address: i128, condition: Term, spots: &mut Spots) {
        let place = self.objects.at(address).filter(|(object, _)| {
            let origin = self.objects.objects[object.0 as usize].origin;
            !matches!(origin, Origin::Procedure(_))
        });
        let Some((object, offset)) = place.map(|(object, offset)| (object, Some(offset))) else {
            spots.elsewhere = term::or([spots.elsewhere, condition]);
            return;
        };
        let mut known = spots.spots.iter_mut();
        match known.find(|spot| (spot.object, spot.offset) == (object, offset)) {
            Some(spot) => spot.condition = term::or([spot.condition, condition]),
            None => spots.spots.push(Spot {
                condition,
                object,
                offset,
            }),
        }
    }

    /// A pointer of which only the analysis knows something.
    fn guessed(&mut self, condition: Term, pointer: Term, type_id: TypeId, objects: &[Target], spots: &mut Spots) {
        for target in objects {
            for object in self.instances(*target) {
                let row = &self.objects.objects[object.0 as usize];
                let starts = match row.type_id {
                    Some(element) => starts_in_row(self.program, element, row.count, type_id),
                    None => Vec::new(),
                };
                let address = Objects::address(object);
                let mut covered = Vec::new();
                for offset in &starts {
                    let here = equal(pointer, term::int(address + i128::from(*offset)));
                    covered.push(here);
                    spots.spots.push(Spot {
                        condition: term::and([condition, here]),
                        object,
                        offset: Some(i128::from(*offset)),
                    });
                }
                // Anywhere else in the object.
                let inside = inside(pointer, address);
                let uncovered = covered.into_iter().map(term::not);
                spots.spots.push(Spot {
                    condition: term::and([condition, inside].into_iter().chain(uncovered)),
                    object,
                    offset: None,
                });
            }
        }
        // Numbers may lead to any object whose address became one.
        for (object, is_inside) in self.found_out(pointer, objects) {
            spots.spots.push(Spot {
                condition: term::and([condition, is_inside]),
                object,
                offset: None,
            });
        }
        // What nobody knows may point at memory that nobody knows.
        let is_null = equal(pointer, term::int(0));
        let here = spots.spots.iter().map(|spot| term::not(spot.condition));
        let elsewhere = term::and([condition, term::not(is_null)].into_iter().chain(here));
        spots.elsewhere = term::or([spots.elsewhere, elsewhere]);
        if spots.spots.len() > MOST_SPOTS {
            for spot in &mut spots.spots {
                spot.offset = None;
            }
        }
    }

    /// The objects of the unfolded program that an object of the analysis stands for, as far as they live.
    pub(crate) fn instances(&mut self, target: Target) -> Vec<ObjectId> {
        let chain: Vec<_> = self.contexts.chain(self.context).collect();
        match target {
            Target::Variable(variable) if self.program[variable].procedure.is_none() => {
                vec![self.variable_in(self.context, variable)]
            }
            // Whoever began a call that stands for any.
            Target::Variable(variable) if self.contexts.root_of(self.context).is_some() => self
                .contexts
                .of_procedure(self.program[variable].procedure)
                .into_iter()
                .filter_map(|context| self.objects.get(Origin::Variable(Some(context), variable)))
                .collect(),
            Target::Variable(variable) => chain
                .into_iter()
                .filter_map(|context| self.objects.get(Origin::Variable(Some(context), variable)))
                .collect(),
            Target::Allocated(site) => {
                let is_same = |object: &&(usize, &crate::objects::Object)| matches!(object.1.origin, Origin::Allocated(_, of, _) if of == site);
                let objects = self.objects.objects.iter().enumerate().collect::<Vec<_>>();
                let same = objects.iter().filter(is_same);
                same.map(|(number, _)| ObjectId(u32::try_from(*number).unwrap_or(u32::MAX)))
                    .collect()
            }
            Target::Procedure(_) | Target::Variadic(_) | Target::External | Target::Number => Vec::new(),
        }
    }

    /// The cell that is just this part of an object.
    fn cell_at(&self, object: ObjectId, offset: i128, bytes: u64, bits: Option<Bits>) -> Option<CellId> {
        let offset = u64::try_from(offset).ok()?;
        let first = bits.map_or(0, |bits| bits.first);
        let cell = *self.objects.objects[object.0 as usize].cells.get(&(offset, first))?;
        let found = &self.objects.cells[cell.0 as usize];
        (found.bits == bits && (bits.is_some() || found.bytes == bytes)).then_some(cell)
    }

    /// The integer that some bytes are a part of, and how many bits of it lie below them.
    fn around(&self, spot: &Spot, spots: &Spots, bytes: u64, scalar: Scalar) -> Option<(CellId, u32)> {
        let (Some(offset), None, Scalar::Integer(_)) = (spot.offset, spots.bits, scalar) else {
            return None;
        };
        let cells = self.objects.overlapping(spot.object, offset, Some(bytes));
        let [(cell, _)] = cells.as_slice() else { return None };
        let found = &self.objects.cells[cell.0 as usize];
        let offset = u64::try_from(offset).ok()?;
        let is_inside = found.offset <= offset && offset + bytes <= found.offset + found.bytes;
        let is_integer = found.bits.is_none() && matches!(found.scalar, Scalar::Integer(_));
        let below = u32::try_from((offset.checked_sub(found.offset)?) * 8).ok()?;
        (is_inside && is_integer).then_some((*cell, below))
    }

    /// Bytes of an integer: `cell div 2^below`, wrapped around. Division that rounds down sees the bits of negative
    /// numbers.
    fn read_part(&mut self, spot: &Spot, spots: &Spots, bytes: u64, scalar: Scalar) -> Option<Term> {
        let Scalar::Integer(integer) = scalar else { return None };
        let (cell, below) = self.around(spot, spots, bytes, scalar)?;
        // An interpreter asks for these bytes only.
        if self.walk.as_ref().is_some_and(|walk| walk.unwritten.contains(&cell)) {
            return None;
        }
        let held = self.get(cell);
        Some(wrap(term::divide(held, term::int(1 << below)), integer))
    }

    /// Puts bytes into an integer: `cell + (new - old) * 2^below`, wrapped around. False where there is none.
    fn write_part(&mut self, spot: &Spot, spots: &Spots, bytes: u64, scalar: Scalar, value: Term) -> bool {
        let Some((cell, below)) = self.around(spot, spots, bytes, scalar) else {
            return false;
        };
        let Scalar::Integer(whole) = self.objects.cells[cell.0 as usize].scalar else {
            return false;
        };
        if self.walk.as_ref().is_some_and(|walk| walk.unwritten.contains(&cell)) {
            return false;
        }
        let part = Integer::new(u32::try_from(bytes * 8).unwrap_or(64), false);
        let held = self.get(cell);
        let old = wrap(term::divide(held, term::int(1 << below)), part);
        let change = term::multiply(term::int(1 << below), term::subtract(wrap(value, part), old));
        let written = wrap(term::add([held, change]), whole);
        self.set_if(spot.condition, cell, written);
        true
    }

    /// As many bytes from one place to another, where both are known.
    pub(crate) fn copy_bytes(&mut self, target: &Spots, source: &Spots, bytes: u64) -> bool {
        let ([to], [from]) = (target.spots.as_slice(), source.spots.as_slice()) else {
            return false;
        };
        let (Some(start), Some(first)) = (to.offset, from.offset) else {
            return false;
        };
        if !target.elsewhere.is_false() || !source.elsewhere.is_false() {
            return false;
        }
        let held: Vec<_> = self
            .objects
            .overlapping(from.object, first, Some(bytes))
            .into_iter()
            .filter(|(_, is_whole)| *is_whole)
            .map(|(cell, _)| cell)
            .collect();
        let is_unwritten = |cell: &CellId| self.walk.as_ref().is_some_and(|walk| walk.unwritten.contains(cell));
        if held.iter().any(is_unwritten) {
            return false;
        }
        let values: Vec<(CellId, Term)> = held.into_iter().map(|cell| (cell, self.get(cell))).collect();
        for (cell, is_whole) in self.objects.overlapping(to.object, start, Some(bytes)) {
            let here = &self.objects.cells[cell.0 as usize];
            let copied = values.iter().find(|(source, _)| {
                let there = &self.objects.cells[source.0 as usize];
                let is_same = (here.bits, here.scalar, here.bytes) == (there.bits, there.scalar, there.bytes);
                is_whole && is_same && i128::from(here.offset) - start == i128::from(there.offset) - first
            });
            match copied.copied() {
                Some((_, value)) => self.set_if(to.condition, cell, value),
                None => self.forget_if(to.condition, cell, Chosen::Approximation),
            }
        }
        true
    }

    pub(crate) fn read(&mut self, place: &Place, scalar: Scalar) -> Term {
        let spots = self.spots(place);
        self.read_spots(&spots, scalar)
    }

    pub(crate) fn read_spots(&mut self, spots: &Spots, scalar: Scalar) -> Term {
        let bytes = self.program.types.size(spots.type_id).unwrap_or(0);
        let mut result = None;
        let mut anything = None;
        for spot in spots.spots.iter().rev() {
            let cell = spot
                .offset
                .and_then(|offset| self.cell_at(spot.object, offset, bytes, spots.bits));
            let held = cell.map(|cell| (self.objects.cells[cell.0 as usize].scalar, cell));
            let value = match held {
                Some((of, cell)) if of == scalar => self.get(cell),
                Some((Scalar::Integer(_), cell)) if matches!(scalar, Scalar::Integer(_)) => {
                    let held = self.get(cell);
                    match scalar {
                        Scalar::Integer(integer) => wrap(held, integer),
                        _ => held,
                    }
                }
                _ => match self.read_part(spot, spots, bytes, scalar) {
                    Some(part) => part,
                    None => *anything.get_or_insert_with(|| self.choose(Some(scalar), Chosen::Approximation)),
                },
            };
            result = Some(match result {
                None => value,
                Some(rest) => term::ite(spot.condition, value, rest),
            });
        }
        let is_certain = spots.elsewhere.is_false();
        match result {
            Some(result) if is_certain => result,
            Some(result) => {
                let any = self.choose(Some(scalar), Chosen::Approximation);
                term::ite(spots.elsewhere, any, result)
            }
            None => self.choose(Some(scalar), Chosen::Approximation),
        }
    }

    pub(crate) fn write(&mut self, spots: &Spots, scalar: Scalar, value: Term) {
        let bytes = self.program.types.size(spots.type_id).unwrap_or(0);
        for spot in &spots.spots {
            let Some(offset) = spot.offset else {
                self.forget_all(spot.condition, spot.object);
                continue;
            };
            if let Some(cell) = self.cell_at(spot.object, offset, bytes, spots.bits) {
                match (self.objects.cells[cell.0 as usize].scalar, scalar) {
                    (of, scalar) if of == scalar => self.set_if(spot.condition, cell, value),
                    (Scalar::Integer(integer), Scalar::Integer(_)) => {
                        self.set_if(spot.condition, cell, wrap(value, integer));
                    }
                    _ => self.forget_if(spot.condition, cell, Chosen::Approximation),
                }
                continue;
            }
            if self.write_part(spot, spots, bytes, scalar, value) {
                continue;
            }
            let extent = spots
                .bits
                .map_or(bytes, |bits| u64::from((bits.first + bits.width).div_ceil(8)));
            for (cell, _) in self.objects.overlapping(spot.object, offset, Some(extent)) {
                self.forget_if(spot.condition, cell, Chosen::Approximation);
            }
        }
    }

    /// An object holds anything.
    pub(crate) fn forget_all(&mut self, condition: Term, object: ObjectId) {
        for (cell, _) in self.objects.overlapping(object, 0, None) {
            self.forget_if(condition, cell, Chosen::Approximation);
        }
    }

    /// A place holds anything.
    pub(crate) fn forget_spots(&mut self, spots: &Spots) {
        let size = self.program.types.size(spots.type_id);
        for spot in &spots.spots {
            for (cell, _) in self.touched(spot, size) {
                self.forget_if(spot.condition, cell, Chosen::Approximation);
            }
        }
    }

    /// The cells that a part of an object of this many bytes may share a byte with.
    fn touched(&self, spot: &Spot, bytes: Option<u64>) -> Vec<(CellId, bool)> {
        match spot.offset {
            Some(offset) => self.objects.overlapping(spot.object, offset, bytes),
            None => self.objects.overlapping(spot.object, 0, None),
        }
    }

    /// Any value of its type, whatever that is.
    pub(crate) fn choose_place(&mut self, place: &Place) {
        let spots = self.spots(place);
        match self.program.types.scalar(spots.type_id) {
            Some(scalar) => {
                let value = self.given(scalar);
                self.write(&spots, scalar, value);
            }
            None => self.fill(&spots),
        }
    }

    /// An input.
    fn given(&mut self, scalar: Scalar) -> Term {
        let value = self.choose(Some(scalar), Chosen::Input);
        if self.own_pointers && scalar == Scalar::Pointer {
            let is_own = term::or([equal(value, term::int(0)), is_further(value)]);
            self.requirements.push(is_own);
        }
        value
    }

    /// A record or an array is filled by inputs, one for each scalar, in the order of the type.
    fn fill(&mut self, spots: &Spots) {
        let mut parts = Vec::new();
        scalars(self.program, spots.type_id, 0, &mut parts);
        for (offset, type_id, bits) in parts {
            let Some(scalar) = self.program.types.scalar(type_id) else {
                continue;
            };
            let value = self.given(scalar);
            let moved = spots.spots.iter().map(|spot| Spot {
                offset: spot.offset.map(|start| start + i128::from(offset)),
                ..spot.clone()
            });
            let part = Spots {
                spots: moved.collect(),
                elsewhere: spots.elsewhere,
                type_id,
                bits,
            };
            self.write(&part, scalar, value);
        }
        // What has no scalars of its own, such as a union.
        if has_union(self.program, spots.type_id) {
            self.forget_spots(spots);
        }
    }

    /// Records and arrays as a whole.
    pub(crate) fn copy(&mut self, target: &Place, source: &Place) {
        let (target, source) = (self.spots(target), self.spots(source));
        self.copy_spots(&target, &source);
    }

    pub(crate) fn copy_spots(&mut self, target: &Spots, source: &Spots) {
        let part = |of: &Spots, offset: u64, bits, type_id| Spots {
            spots: of
                .spots
                .iter()
                .map(|spot| Spot {
                    offset: spot.offset.map(|start| start + i128::from(offset)),
                    ..spot.clone()
                })
                .collect(),
            elsewhere: of.elsewhere,
            type_id,
            bits,
        };
        let leaves = self.objects.leaves(self.program, source.type_id);
        let mut values = Vec::new();
        for leaf in &leaves {
            let from = part(source, leaf.offset, leaf.bits, leaf.type_id);
            values.push((self.read_quietly(&from, leaf.scalar), leaf.clone()));
        }
        // What is not copied cell by cell is not known any more.
        let size = self.program.types.size(target.type_id);
        for spot in &target.spots {
            for (cell, _) in self.touched(spot, size) {
                let held = &self.objects.cells[cell.0 as usize];
                let lies_at = |offset: i128| i128::from(held.offset) == offset;
                let is_held = |leaf: &Leaf| {
                    spot.offset
                        .is_some_and(|start| lies_at(start + i128::from(leaf.offset)))
                };
                let is_same = |leaf: &Leaf| is_held(leaf) && (leaf.bits, leaf.bytes) == (held.bits, held.bytes);
                if !leaves.iter().any(is_same) {
                    self.forget_if(spot.condition, cell, Chosen::Approximation);
                }
            }
        }
        for (value, leaf) in values {
            let to = part(target, leaf.offset, leaf.bits, leaf.type_id);
            self.write(&to, leaf.scalar, value);
        }
    }

    /// To copy what nobody gave a value asks for no input.
    fn read_quietly(&mut self, spots: &Spots, scalar: Scalar) -> Term {
        if let Some(walk) = &mut self.walk {
            walk.is_quiet = true;
        }
        let value = self.read_spots(spots, scalar);
        if let Some(walk) = &mut self.walk {
            walk.is_quiet = false;
        }
        value
    }
}

/// The same in a row of elements.
fn starts_in_row(program: &Program, element: TypeId, count: u64, part: TypeId) -> Vec<u64> {
    let (size, starts) = (program.types.size(element).unwrap_or(0), starts(program, element, part));
    let rows = (0..count).flat_map(|number| starts.iter().map(move |start| number * size + start));
    rows.take(MOST_SPOTS + 1).collect()
}

/// The offsets at which a type of this size and kind begins in another.
fn starts(program: &Program, whole: TypeId, part: TypeId) -> Vec<u64> {
    let mut found = Vec::new();
    collect_starts(program, whole, part, 0, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}

fn collect_starts(program: &Program, whole: TypeId, part: TypeId, offset: u64, found: &mut Vec<u64>) {
    if found.len() > MOST_SPOTS {
        return;
    }
    let scalars = (program.types.scalar(whole), program.types.scalar(part));
    let is_alike = matches!(scalars, (Some(_), Some(_))) && program.types.size(whole) == program.types.size(part);
    if whole == part || is_alike {
        found.push(offset);
    }
    match &program.types[whole] {
        Type::Array { element, length } => {
            let size = program.types.size(*element).unwrap_or(0);
            for index in 0..length.unwrap_or(0).min(MOST_SPOTS as u64 + 1) {
                collect_starts(program, *element, part, offset + index * size, found);
            }
        }
        Type::Record(record) => {
            for field in program.types[*record]
                .fields
                .iter()
                .filter(|field| field.bits.is_none())
            {
                collect_starts(program, field.type_id, part, offset + field.offset, found);
            }
        }
        _ => {}
    }
}

/// The scalars of a type, without those of unions, in order.
fn scalars(program: &Program, type_id: TypeId, offset: u64, found: &mut Vec<(u64, TypeId, Option<Bits>)>) {
    match &program.types[type_id] {
        Type::Void | Type::Procedure { .. } => {}
        Type::Integer(_) | Type::Float(_) | Type::Pointer(_) => found.push((offset, type_id, None)),
        Type::Array { element, length } => {
            let size = program.types.size(*element).unwrap_or(0);
            for index in 0..length.unwrap_or(0).min(1 << 12) {
                scalars(program, *element, offset + index * size, found);
            }
        }
        Type::Record(record) => {
            for field in &program.types[*record].fields {
                match field.bits {
                    Some(bits) => found.push((offset + field.offset, field.type_id, Some(bits))),
                    None => scalars(program, field.type_id, offset + field.offset, found),
                }
            }
        }
    }
}

/// Whether there is no array in a type.
fn is_flat(program: &Program, type_id: TypeId) -> bool {
    match &program.types[type_id] {
        Type::Array { .. } => false,
        Type::Record(record) => {
            let fields = &program.types[*record].fields;
            fields.iter().all(|field| is_flat(program, field.type_id))
        }
        _ => true,
    }
}

fn has_union(program: &Program, type_id: TypeId) -> bool {
    match &program.types[type_id] {
        Type::Array { element, .. } => has_union(program, *element),
        Type::Record(record) => {
            let record = &program.types[*record];
            record.is_union || record.fields.iter().any(|field| has_union(program, field.type_id))
        }
        _ => false,
    }
}

/// The scalars of a type as an interpreter fills them: a union byte by byte.
pub(crate) fn filled(program: &Program, type_id: TypeId, offset: u64, found: &mut Vec<(u64, Option<Bits>)>) {
    match &program.types[type_id] {
        Type::Void | Type::Procedure { .. } => {}
        Type::Integer(_) | Type::Float(_) | Type::Pointer(_) => found.push((offset, None)),
        Type::Array { element, length } => {
            let size = program.types.size(*element).unwrap_or(0);
            for index in 0..length.unwrap_or(0) {
                filled(program, *element, offset + index * size, found);
            }
        }
        Type::Record(record) if program.types[*record].is_union => {
            let bytes = program.types[*record].size.unwrap_or(0);
            found.extend((0..bytes).map(|byte| (offset + byte, None)));
        }
        Type::Record(record) => {
            for field in &program.types[*record].fields {
                match field.bits {
                    Some(bits) => found.push((offset + field.offset, Some(bits))),
                    None => filled(program, field.type_id, offset + field.offset, found),
                }
            }
        }
    }
}
