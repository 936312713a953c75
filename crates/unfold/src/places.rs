//! Memory accesses: the regions that a place may denote, reads and writes.

use crate::hazards::Access;
use crate::machine::{ChoiceKind, Machine, equal, is_unnamed, less, less_equal};
use crate::numbers::{constant, wrap};
use crate::objects::{CellId, Leaf, ObjectId, ObjectOrigin, Objects, inside};
use analysis::points_to::Object as Target;
use logic::{Kind, Term, term};
use std::collections::BTreeMap;
use system::program::{Bits, Integer, Place, Program, Root, Scalar, Selector, Type, TypeId, Undefined};

/// The maximum number of regions of a place; beyond it, offsets are forgotten and reads yield arbitrary values.
const MAX_REGIONS: usize = 200;

/// A part of an object that a place may denote.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The conditions of the regions of one place are mutually exclusive.
    pub(crate) condition: Term,
    pub(crate) object: ObjectId,
    /// None if unknown. It may be out of bounds, as long as later selectors lead back into the object.
    pub(crate) offset: Option<i128>,
}

/// All regions that a place may denote.
pub(crate) struct Regions {
    pub(crate) candidates: Vec<Region>,
    /// The condition under which the place is none of these, but memory outside of the encoding.
    pub(crate) elsewhere: Term,
    pub(crate) type_id: TypeId,
    pub(crate) bits: Option<Bits>,
}

impl Machine<'_, '_> {
    /// Resolves a place. Requires that it denotes some memory.
    pub(crate) fn resolve(&mut self, place: &Place) -> Regions {
        let (regions, access) = self.resolve_unchecked(place);
        self.note_access(&regions, &access, None);
        regions
    }

    /// Resolves a place without noting the hazards of an access, for callers that know its size.
    pub(crate) fn resolve_unchecked(&mut self, place: &Place) -> (Regions, Access) {
        let mut access = Access {
            address: term::int(0),
            is_indirect: false,
            is_external: false,
            is_checked: false,
        };
        let mut regions = match &place.root {
            Root::Variable(variable) => Regions {
                candidates: vec![Region {
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
                (access.address, access.is_indirect) = (pointer, true);
                access.is_external = objects.contains(&Target::External);
                self.resolve_pointer(pointer, *type_id, &objects)
            }
        };
        if let Root::Variable(_) = place.root {
            access.address = term::int(Objects::address(regions.candidates[0].object));
        }
        for selector in &place.selectors {
            self.select(&mut regions, selector, &mut access);
        }
        (regions, access)
    }

    fn select(&mut self, regions: &mut Regions, selector: &Selector, access: &mut Access) {
        match (selector, &self.program.types[regions.type_id]) {
            (Selector::Field(field), Type::Record(record)) => {
                let field = &self.program.types[*record].fields[*field];
                for region in &mut regions.candidates {
                    region.offset = region.offset.map(|offset| offset + i128::from(field.offset));
                }
                (regions.type_id, regions.bits) = (field.type_id, field.bits);
                access.address = term::add([access.address, term::int(i128::from(field.offset))]);
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
                    access.address = term::add([access.address, moved]);
                }
                // An index outside of an array may still be inside of the object that contains the array, and an index
                // into an element may lead back into bounds.
                let is_flat = is_flat(self.program, element);
                let is_whole = |region: &Region| is_flat && self.is_whole(region, regions.type_id);
                let (whole, parts): (Vec<Region>, Vec<Region>) = regions.candidates.iter().cloned().partition(is_whole);
                regions.type_id = element;
                let in_bounds = |length: u64| {
                    let below = less(index, term::int(i128::from(length)));
                    term::and([less_equal(term::int(0), index), below])
                };
                if let (Some(length), true) = (length, is_flat && parts.is_empty()) {
                    let defined = term::or([regions.elsewhere, in_bounds(length)]);
                    self.require(Undefined::OutOfBounds, defined);
                    access.is_checked = true;
                }
                // Variables with a flexible array member may be larger than their type.
                let is_fixed = is_flat && length.is_some_and(|length| length > 0);
                if let (true, [part]) = (is_fixed && whole.is_empty(), parts.as_slice()) {
                    let inside = self.touches_object(part, self.stepped(index, scalar), size);
                    self.require(Undefined::OutOfBounds, inside);
                }
                if let Some(index) = constant(index) {
                    let offset = i128::from(size) * index;
                    for region in &mut regions.candidates {
                        region.offset = region.offset.and_then(|start| start.checked_add(offset));
                    }
                    return;
                }
                let count = length.unwrap_or(u64::MAX);
                let is_listed = count.saturating_mul(regions.candidates.len() as u64) <= MAX_REGIONS as u64;
                if !is_listed {
                    regions.candidates.iter_mut().for_each(|region| region.offset = None);
                    return;
                }
                let outside = term::not(in_bounds(count));
                let beyond = parts.iter().map(|region| Region {
                    condition: term::and([region.condition, outside]),
                    object: region.object,
                    offset: None,
                });
                let beyond: Vec<Region> = beyond.collect();
                let each = whole.into_iter().chain(parts);
                regions.candidates = each
                    .flat_map(|region| {
                        (0..count).map(move |number| Region {
                            condition: term::and([region.condition, equal(index, term::int(i128::from(number)))]),
                            object: region.object,
                            offset: region.offset.map(|offset| offset + i128::from(number * size)),
                        })
                    })
                    .chain(beyond)
                    .collect();
            }
            _ => {}
        }
    }

    /// Whether some byte of this element is in the object, where its size is known.
    fn touches_object(&self, array: &Region, index: Term, size: u64) -> Term {
        let object = &self.objects[array.object];
        let whole = object.type_id.and_then(|type_id| self.program.types.size(type_id));
        let is_variable = matches!(object.origin, ObjectOrigin::Variable(..));
        let (Some(whole), Some(start), true) = (whole, array.offset, is_variable) else {
            return term::bool(true);
        };
        let moved = term::multiply(term::int(i128::from(size)), index);
        let offset = term::add([term::int(start), moved]);
        let before = term::int(-i128::from(size));
        let inside = term::and([less(before, offset), less(offset, term::int(i128::from(whole)))]);
        // The bound applies only where the place denotes this region.
        term::or([term::not(array.condition), inside])
    }

    /// Whether an array is a whole object, so that an index outside of it is out of bounds.
    fn is_whole(&self, region: &Region, type_id: TypeId) -> bool {
        let object = &self.objects[region.object];
        let sizes = (object.type_id, self.program.types.size(type_id));
        let is_variable = matches!(object.origin, ObjectOrigin::Variable(..));
        match sizes {
            (Some(whole), Some(size)) => {
                is_variable && region.offset == Some(0) && self.program.types.size(whole) == Some(size)
            }
            _ => false,
        }
    }

    /// Resolves what a pointer may point at, seen as a type.
    fn resolve_pointer(&mut self, pointer: Term, type_id: TypeId, objects: &[Target]) -> Regions {
        let mut regions = Regions {
            candidates: Vec::new(),
            elsewhere: term::bool(false),
            type_id,
            bits: None,
        };
        let mut open = Vec::new();
        self.split_known(pointer, term::bool(true), &mut regions, &mut open);
        for (condition, pointer) in open {
            self.add_candidates(condition, pointer, type_id, objects, &mut regions);
        }
        let anything = regions
            .candidates
            .iter()
            .map(|region| region.condition)
            .chain([regions.elsewhere]);
        let defined = term::or(anything);
        self.require(Undefined::NullPointer, defined);
        regions
    }

    /// Splits a pointer into known addresses, behind if-then-else, and the open rest. A shared subterm is visited once,
    /// after all terms that contain it, since terms are ordered by depth.
    pub(crate) fn split_known(
        &mut self,
        pointer: Term,
        condition: Term,
        regions: &mut Regions,
        open: &mut Vec<(Term, Term)>,
    ) {
        let mut waiting = BTreeMap::from([(pointer, condition)]);
        while let Some((pointer, condition)) = waiting.pop_last() {
            match pointer.kind() {
                Kind::Int(0) => {}
                Kind::Int(address) => self.known_address(*address, condition, regions),
                Kind::Ite(choice, then, otherwise)
                    if regions.candidates.len() + open.len() + waiting.len() < MAX_REGIONS =>
                {
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

    fn known_address(&self, address: i128, condition: Term, regions: &mut Regions) {
        let place = self.objects.at(address).filter(|(object, _)| {
            let origin = self.objects[*object].origin;
            !matches!(origin, ObjectOrigin::Procedure(_))
        });
        let Some((object, offset)) = place.map(|(object, offset)| (object, Some(offset))) else {
            regions.elsewhere = term::or([regions.elsewhere, condition]);
            return;
        };
        let mut known = regions.candidates.iter_mut();
        match known.find(|region| (region.object, region.offset) == (object, offset)) {
            Some(region) => region.condition = term::or([region.condition, condition]),
            None => regions.candidates.push(Region {
                condition,
                object,
                offset,
            }),
        }
    }

    /// Resolves a pointer by the points-to analysis only.
    fn add_candidates(
        &mut self,
        condition: Term,
        pointer: Term,
        type_id: TypeId,
        objects: &[Target],
        regions: &mut Regions,
    ) {
        for target in objects {
            for object in self.instances(*target) {
                let row = &self.objects[object];
                let starts = match row.type_id {
                    Some(element) => starts_in_array(self.program, element, row.count, type_id),
                    None => Vec::new(),
                };
                let address = Objects::address(object);
                let mut covered = Vec::new();
                for offset in &starts {
                    let here = equal(pointer, term::int(address + i128::from(*offset)));
                    covered.push(here);
                    regions.candidates.push(Region {
                        condition: term::and([condition, here]),
                        object,
                        offset: Some(i128::from(*offset)),
                    });
                }
                // Anywhere else in the object.
                let inside = inside(pointer, address);
                let uncovered = covered.into_iter().map(term::not);
                regions.candidates.push(Region {
                    condition: term::and([condition, inside].into_iter().chain(uncovered)),
                    object,
                    offset: None,
                });
            }
        }
        // An integer cast to a pointer may point into any object whose address became an integer.
        for (object, is_inside) in self.cast_targets(pointer, objects) {
            regions.candidates.push(Region {
                condition: term::and([condition, is_inside]),
                object,
                offset: None,
            });
        }
        // A pointer from outside may point at memory outside of the program.
        let is_null = equal(pointer, term::int(0));
        let here = regions.candidates.iter().map(|region| term::not(region.condition));
        let elsewhere = term::and([condition, term::not(is_null)].into_iter().chain(here));
        regions.elsewhere = term::or([regions.elsewhere, elsewhere]);
        if regions.candidates.len() > MAX_REGIONS {
            for region in &mut regions.candidates {
                region.offset = None;
            }
        }
    }

    /// The objects of the unfolded program that an abstract object represents, among those that are alive.
    pub(crate) fn instances(&mut self, target: Target) -> Vec<ObjectId> {
        let chain: Vec<_> = self.contexts.chain(self.context).collect();
        match target {
            Target::Variable(variable) if self.program[variable].procedure.is_none() => {
                vec![self.variable_in(self.context, variable)]
            }
            // In an arbitrary call, the callers are unknown.
            Target::Variable(variable) if self.contexts.root_of(self.context).is_some() => self
                .contexts
                .of_procedure(self.program[variable].procedure)
                .into_iter()
                .filter_map(|context| self.objects.get(ObjectOrigin::Variable(Some(context), variable)))
                .collect(),
            Target::Variable(variable) => chain
                .into_iter()
                .filter_map(|context| self.objects.get(ObjectOrigin::Variable(Some(context), variable)))
                .collect(),
            Target::Allocated(site) => {
                let is_same = |object: &&(usize, &crate::objects::Object)| matches!(object.1.origin, ObjectOrigin::Allocated(_, of, _) if of == site);
                let objects = self.objects.objects.iter().enumerate().collect::<Vec<_>>();
                let same = objects.iter().filter(is_same);
                same.map(|(number, _)| ObjectId(u32::try_from(*number).unwrap_or(u32::MAX)))
                    .collect()
            }
            Target::Procedure(_) | Target::Variadic(_) | Target::External | Target::Number => Vec::new(),
        }
    }

    /// The cell with exactly this extent.
    fn cell_at(&self, object: ObjectId, offset: i128, bytes: u64, bits: Option<Bits>) -> Option<CellId> {
        let offset = u64::try_from(offset).ok()?;
        let first = bits.map_or(0, |bits| bits.first);
        let cell = *self.objects[object].cells.get(&(offset, first))?;
        let found = &self.objects[cell];
        (found.bits == bits && (bits.is_some() || found.bytes == bytes)).then_some(cell)
    }

    /// The integer cell that contains these bytes, and the number of its bits below them.
    fn around(&self, region: &Region, regions: &Regions, bytes: u64, scalar: Scalar) -> Option<(CellId, u32)> {
        let (Some(offset), None, Scalar::Integer(_)) = (region.offset, regions.bits, scalar) else {
            return None;
        };
        let cells = self.objects.overlapping(region.object, offset, Some(bytes));
        let [(cell, _)] = cells.as_slice() else { return None };
        let found = &self.objects[*cell];
        let offset = u64::try_from(offset).ok()?;
        let is_inside = found.offset <= offset && offset + bytes <= found.offset + found.bytes;
        let is_integer = found.bits.is_none() && matches!(found.scalar, Scalar::Integer(_));
        let below = u32::try_from((offset.checked_sub(found.offset)?) * 8).ok()?;
        (is_inside && is_integer).then_some((*cell, below))
    }

    /// Reads bytes of an integer: `cell div 2^below`, wrapped around. Flooring division is right for negative numbers,
    /// too.
    fn read_part(&mut self, region: &Region, regions: &Regions, bytes: u64, scalar: Scalar) -> Option<Term> {
        let Scalar::Integer(integer) = scalar else { return None };
        let (cell, below) = self.around(region, regions, bytes, scalar)?;
        // The interpreter reads only these bytes of an uninitialized cell.
        if self
            .walk
            .as_ref()
            .is_some_and(|walk| walk.uninitialized.contains(&cell))
        {
            return None;
        }
        let held = self.get(cell);
        Some(wrap(term::divide(held, term::int(1 << below)), integer))
    }

    /// Writes bytes of an integer: `cell + (new - old) * 2^below`, wrapped around. False where there is no such cell.
    fn write_part(&mut self, region: &Region, regions: &Regions, bytes: u64, scalar: Scalar, value: Term) -> bool {
        let Some((cell, below)) = self.around(region, regions, bytes, scalar) else {
            return false;
        };
        let Scalar::Integer(whole) = self.objects[cell].scalar else {
            return false;
        };
        if self
            .walk
            .as_ref()
            .is_some_and(|walk| walk.uninitialized.contains(&cell))
        {
            return false;
        }
        let part = Integer::new(u32::try_from(bytes * 8).unwrap_or(64), false);
        let held = self.get(cell);
        let old = wrap(term::divide(held, term::int(1 << below)), part);
        let change = term::multiply(term::int(1 << below), term::subtract(wrap(value, part), old));
        let written = wrap(term::add([held, change]), whole);
        self.set_if(region.condition, cell, written);
        true
    }

    /// Copies bytes between two known regions. False where they are not known.
    pub(crate) fn copy_bytes(&mut self, target: &Regions, source: &Regions, bytes: u64) -> bool {
        let ([to], [from]) = (target.candidates.as_slice(), source.candidates.as_slice()) else {
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
        let is_uninitialized = |cell: &CellId| self.walk.as_ref().is_some_and(|walk| walk.uninitialized.contains(cell));
        if held.iter().any(is_uninitialized) {
            return false;
        }
        let values: Vec<(CellId, Term)> = held.into_iter().map(|cell| (cell, self.get(cell))).collect();
        for (cell, is_whole) in self.objects.overlapping(to.object, start, Some(bytes)) {
            let here = &self.objects[cell];
            let copied = values.iter().find(|(source, _)| {
                let there = &self.objects[*source];
                let is_same = (here.bits, here.scalar, here.bytes) == (there.bits, there.scalar, there.bytes);
                is_whole && is_same && i128::from(here.offset) - start == i128::from(there.offset) - first
            });
            match copied.copied() {
                Some((_, value)) => self.set_if(to.condition, cell, value),
                None => self.havoc_if(to.condition, cell, ChoiceKind::Approximation),
            }
        }
        true
    }

    pub(crate) fn read(&mut self, place: &Place, scalar: Scalar) -> Term {
        let regions = self.resolve(place);
        self.read_regions(&regions, scalar)
    }

    pub(crate) fn read_regions(&mut self, regions: &Regions, scalar: Scalar) -> Term {
        let bytes = self.program.types.size(regions.type_id).unwrap_or(0);
        let mut result = None;
        let mut anything = None;
        for region in regions.candidates.iter().rev() {
            let cell = region
                .offset
                .and_then(|offset| self.cell_at(region.object, offset, bytes, regions.bits));
            let held = cell.map(|cell| (self.objects[cell].scalar, cell));
            let value = match held {
                Some((of, cell)) if of == scalar => self.get(cell),
                Some((Scalar::Integer(_), cell)) if matches!(scalar, Scalar::Integer(_)) => {
                    let held = self.get(cell);
                    match scalar {
                        Scalar::Integer(integer) => wrap(held, integer),
                        _ => held,
                    }
                }
                _ => match self.read_part(region, regions, bytes, scalar) {
                    Some(part) => part,
                    None => *anything.get_or_insert_with(|| self.choose(Some(scalar), ChoiceKind::Approximation)),
                },
            };
            result = Some(match result {
                None => value,
                Some(rest) => term::ite(region.condition, value, rest),
            });
        }
        let is_certain = regions.elsewhere.is_false();
        match result {
            Some(result) if is_certain => result,
            Some(result) => {
                let any = self.choose(Some(scalar), ChoiceKind::Approximation);
                term::ite(regions.elsewhere, any, result)
            }
            None => self.choose(Some(scalar), ChoiceKind::Approximation),
        }
    }

    pub(crate) fn write(&mut self, regions: &Regions, scalar: Scalar, value: Term) {
        let bytes = self.program.types.size(regions.type_id).unwrap_or(0);
        for region in &regions.candidates {
            let Some(offset) = region.offset else {
                self.havoc_object(region.condition, region.object);
                continue;
            };
            if let Some(cell) = self.cell_at(region.object, offset, bytes, regions.bits) {
                match (self.objects[cell].scalar, scalar) {
                    (of, scalar) if of == scalar => self.set_if(region.condition, cell, value),
                    (Scalar::Integer(integer), Scalar::Integer(_)) => {
                        self.set_if(region.condition, cell, wrap(value, integer));
                    }
                    _ => self.havoc_if(region.condition, cell, ChoiceKind::Approximation),
                }
                continue;
            }
            if self.write_part(region, regions, bytes, scalar, value) {
                continue;
            }
            let extent = regions
                .bits
                .map_or(bytes, |bits| u64::from((bits.first + bits.width).div_ceil(8)));
            for (cell, _) in self.objects.overlapping(region.object, offset, Some(extent)) {
                self.havoc_if(region.condition, cell, ChoiceKind::Approximation);
            }
        }
    }

    /// Havocs an object.
    pub(crate) fn havoc_object(&mut self, condition: Term, object: ObjectId) {
        for (cell, _) in self.objects.overlapping(object, 0, None) {
            self.havoc_if(condition, cell, ChoiceKind::Approximation);
        }
    }

    /// Havocs a place.
    pub(crate) fn havoc_regions(&mut self, regions: &Regions) {
        let size = self.program.types.size(regions.type_id);
        for region in &regions.candidates {
            for (cell, _) in self.touched(region, size) {
                self.havoc_if(region.condition, cell, ChoiceKind::Approximation);
            }
        }
    }

    /// The cells that may share a byte with the first `bytes` bytes of a region.
    fn touched(&self, region: &Region, bytes: Option<u64>) -> Vec<(CellId, bool)> {
        match region.offset {
            Some(offset) => self.objects.overlapping(region.object, offset, bytes),
            None => self.objects.overlapping(region.object, 0, None),
        }
    }

    /// Assigns an input to a place of any type.
    pub(crate) fn choose_place(&mut self, place: &Place) {
        let regions = self.resolve(place);
        match self.program.types.scalar(regions.type_id) {
            Some(scalar) => {
                let value = self.choose_input(scalar);
                self.write(&regions, scalar, value);
            }
            None => self.assign_inputs(&regions),
        }
    }

    /// An input of a scalar type.
    fn choose_input(&mut self, scalar: Scalar) -> Term {
        let value = self.choose(Some(scalar), ChoiceKind::Input);
        if self.own_pointers && scalar == Scalar::Pointer {
            let is_own = term::or([equal(value, term::int(0)), is_unnamed(value)]);
            self.requirements.push(is_own);
        }
        value
    }

    /// Assigns inputs to a record or an array, one for each scalar, in the order of the type.
    fn assign_inputs(&mut self, regions: &Regions) {
        let mut parts = Vec::new();
        scalars(self.program, regions.type_id, 0, &mut parts);
        for (offset, type_id, bits) in parts {
            let Some(scalar) = self.program.types.scalar(type_id) else {
                continue;
            };
            let value = self.choose_input(scalar);
            let moved = regions.candidates.iter().map(|region| Region {
                offset: region.offset.map(|start| start + i128::from(offset)),
                ..region.clone()
            });
            let part = Regions {
                candidates: moved.collect(),
                elsewhere: regions.elsewhere,
                type_id,
                bits,
            };
            self.write(&part, scalar, value);
        }
        // Unions have no scalars of their own.
        if has_union(self.program, regions.type_id) {
            self.havoc_regions(regions);
        }
    }

    /// Copies records and arrays.
    pub(crate) fn copy(&mut self, target: &Place, source: &Place) {
        let (target, source) = (self.resolve(target), self.resolve(source));
        self.copy_regions(&target, &source);
    }

    pub(crate) fn copy_regions(&mut self, target: &Regions, source: &Regions) {
        let part = |of: &Regions, offset: u64, bits, type_id| Regions {
            candidates: of
                .candidates
                .iter()
                .map(|region| Region {
                    offset: region.offset.map(|start| start + i128::from(offset)),
                    ..region.clone()
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
        // Cells of the target that are not copied one by one are havocked.
        let size = self.program.types.size(target.type_id);
        for region in &target.candidates {
            for (cell, _) in self.touched(region, size) {
                let held = &self.objects[cell];
                let lies_at = |offset: i128| i128::from(held.offset) == offset;
                let is_held = |leaf: &Leaf| {
                    region
                        .offset
                        .is_some_and(|start| lies_at(start + i128::from(leaf.offset)))
                };
                let is_same = |leaf: &Leaf| is_held(leaf) && (leaf.bits, leaf.bytes) == (held.bits, held.bytes);
                if !leaves.iter().any(is_same) {
                    self.havoc_if(region.condition, cell, ChoiceKind::Approximation);
                }
            }
        }
        for (value, leaf) in values {
            let to = part(target, leaf.offset, leaf.bits, leaf.type_id);
            self.write(&to, leaf.scalar, value);
        }
    }

    /// Reads without recording an input: copying an uninitialized value is not a use of it.
    fn read_quietly(&mut self, regions: &Regions, scalar: Scalar) -> Term {
        if let Some(walk) = &mut self.walk {
            walk.is_quiet = true;
        }
        let value = self.read_regions(regions, scalar);
        if let Some(walk) = &mut self.walk {
            walk.is_quiet = false;
        }
        value
    }
}

/// The same for an array of elements.
fn starts_in_array(program: &Program, element: TypeId, count: u64, part: TypeId) -> Vec<u64> {
    let (size, starts) = (program.types.size(element).unwrap_or(0), starts(program, element, part));
    let rows = (0..count).flat_map(|number| starts.iter().map(move |start| number * size + start));
    rows.take(MAX_REGIONS + 1).collect()
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
    if found.len() > MAX_REGIONS {
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
            for index in 0..length.unwrap_or(0).min(MAX_REGIONS as u64 + 1) {
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

/// The scalars of a type, without those in unions, in order.
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

/// Whether a type contains no array.
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

/// The scalars of a type in the order in which the interpreter fills them: a union byte by byte.
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
