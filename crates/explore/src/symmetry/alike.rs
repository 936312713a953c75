//! Interchangeable elements of a state, and rules that need not fire for each of them.
//!
//! Two elements are interchangeable in a state if swapping them leaves it unchanged. Instances of a rule for either
//! element then lead to the same state up to symmetry, so it suffices to fire one and count both. Of the instances that
//! differ only in interchangeable elements, the first one is fired.

use super::{Renaming, Symmetry};
use crate::lists::Lists;
use crate::program::{Program, Unit};
use std::collections::BTreeMap;
use system::instance::{Parameter, TypeId, UNDEFINED};

/// No element precedes it.
const FIRST: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Alike<'s> {
    symmetry: &'s Symmetry,
    /// Slots that may name elements, and slots that hold lists of them.
    naming: Vec<Naming>,
    listed: Vec<u32>,
    /// By value: the element that it names, as a bit.
    names: Vec<u64>,
    /// By element: the slots with this index and no other symmetric one, with those of all siblings in the same order.
    own: Vec<Vec<u32>>,
    /// Slots with several symmetric indices.
    tangled: Vec<u32>,
    /// By unit: the elements among its parameters, as offsets into one array.
    ends: Vec<u32>,
    elements: Vec<u32>,
    /// By element: its predecessor in the class, the first of the class, and the size of the class.
    before: Vec<u32>,
    first: Vec<u32>,
    sizes: Vec<u32>,
    /// Whether any class has several elements.
    some: bool,
}

#[derive(Debug)]
struct Naming {
    slot: u32,
    /// The offset of the type's table of names.
    start: u32,
    count: u32,
}

impl<'s> Alike<'s> {
    /// `None` if it cannot help: no rule has elements as parameters, or there are too many elements for a word.
    pub(crate) fn new(symmetry: &'s Symmetry, program: &Program) -> Option<Alike<'s>> {
        let total = symmetry.places.len();
        let mut elements = Vec::new();
        let ends = program.rules.iter().map(|unit| {
            elements.extend(symmetry.parameters(program, unit));
            elements.len() as u32
        });
        let ends = ends.collect();
        if elements.is_empty() || total > 64 {
            return None;
        }
        let mut alike = Alike {
            symmetry,
            naming: Vec::new(),
            listed: Vec::new(),
            names: Vec::new(),
            own: vec![Vec::new(); total],
            tangled: Vec::new(),
            ends,
            elements,
            before: vec![FIRST; total],
            first: (0..total as u32).collect(),
            sizes: vec![1; total],
            some: false,
        };
        let mut tables = BTreeMap::new();
        for &slot in &symmetry.moving {
            let shape = &symmetry.shapes[slot as usize];
            match &symmetry.renamings[shape.ty] {
                Renaming::Still => {}
                Renaming::List(_) => alike.listed.push(slot),
                Renaming::Elements(elements) => {
                    let names = &mut alike.names;
                    let start = *tables.entry(shape.ty).or_insert_with(|| {
                        let bit = |element: &Option<u32>| element.map_or(0, |element| 1 << element);
                        names.extend(elements.0.iter().map(bit));
                        names.len() - elements.0.len()
                    });
                    let (start, count) = (start as u32, elements.0.len() as u32);
                    alike.naming.push(Naming { slot, start, count });
                }
            }
            match &shape.indices[..] {
                [] => {}
                // Computed once for all elements.
                [index] if symmetry.places[index.element].number == 0 => {
                    for (element, sibling) in (index.element..).zip(&index.siblings) {
                        alike.own[element].push(*sibling);
                    }
                }
                [_] => {}
                _ => alike.tangled.push(slot),
            }
        }
        Some(alike)
    }

    /// Finds the interchangeable elements of a settled state.
    pub(crate) fn find(&mut self, state: &[i64], lists: &Lists) {
        if std::mem::take(&mut self.some) {
            self.before.fill(FIRST);
            self.first
                .iter_mut()
                .zip(0..)
                .for_each(|(first, element)| *first = element);
            self.sizes.fill(1);
        }
        let symmetry = self.symmetry;
        let named = self.named(state, lists);
        for group in symmetry.groups() {
            let of_group = (u64::MAX >> (64 - group.len())) << group.start;
            let free = of_group & !named;
            // The lowest bit only counts together with the others.
            let mut rest = free & free.wrapping_sub(1);
            while rest != 0 {
                let element = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let mut others = free & ((1 << element) - 1);
                // In descending order: interchangeable elements are adjacent in canonical forms.
                while others != 0 {
                    let other = others.ilog2() as usize;
                    others &= !(1 << other);
                    if self.exchangeable(other, element, state) {
                        let first = self.first[other];
                        self.before[element] = other as u32;
                        self.first[element] = first;
                        self.sizes[first as usize] += 1;
                        self.some = true;
                        break;
                    }
                }
            }
        }
    }

    /// The elements that a state names.
    fn named(&self, state: &[i64], lists: &Lists) -> u64 {
        let mut named = 0;
        for Naming { slot, start, count } in &self.naming {
            let value = state[*slot as usize];
            // The undefined value names no element and is the least value.
            if value.cast_unsigned() < u64::from(*count) {
                named |= self.names[*start as usize + value as usize];
            }
        }
        for slot in &self.listed {
            let ty = self.symmetry.shapes[*slot as usize].ty;
            named |= self.symmetry.named(ty, state[*slot as usize], lists);
        }
        named
    }

    /// Whether swapping two elements of a group, which no slot names, changes nothing.
    fn exchangeable(&self, a: usize, b: usize, state: &[i64]) -> bool {
        let same = |(x, y): (&u32, &u32)| state[*x as usize] == state[*y as usize];
        self.own[a].iter().zip(&self.own[b]).all(same)
            && self
                .tangled
                .iter()
                .all(|slot| same((slot, &self.symmetry.exchanged(*slot, a, b))))
    }

    /// The number of rule instances equivalent to this unit, including itself, if it is the first of them; otherwise 0.
    #[inline]
    pub(crate) fn count(&self, unit: usize) -> u64 {
        if !self.some {
            return 1;
        }
        let start = unit.checked_sub(1).map_or(0, |last| self.ends[last]) as usize;
        self.count_elements(&self.elements[start..self.ends[unit] as usize])
    }

    /// The number of tuples that permutations of interchangeable elements make of this one, if it is the
    /// representative: in each class, elements occur in order of first use.
    fn count_elements(&self, elements: &[u32]) -> u64 {
        let mut count = 1;
        for (position, &element) in elements.iter().enumerate() {
            let earlier = &elements[..position];
            if earlier.contains(&element) {
                continue;
            }
            let before = self.before[element as usize];
            if before != FIRST && !earlier.contains(&before) {
                return 0;
            }
            let first = self.first[element as usize];
            let is_taken =
                |member: u32, at: usize| self.first[member as usize] == first && !earlier[..at].contains(&member);
            let taken = earlier
                .iter()
                .enumerate()
                .filter(|(at, member)| is_taken(**member, *at))
                .count();
            count *= u64::from(self.sizes[first as usize]) - taken as u64;
        }
        count
    }
}

impl Symmetry {
    /// The elements among the parameters of a unit. `None` if a parameter cannot be replaced by every other element of
    /// its group.
    fn parameters(&self, program: &Program, unit: &Unit) -> Vec<u32> {
        let instance = program.instance;
        let parameters = &instance.rules[unit.source].parameters;
        if unit.count != 1 || unit.parameters.len() != parameters.len() {
            return Vec::new();
        }
        let mut elements = Vec::new();
        for (
            Parameter {
                ty, low, high, step, ..
            },
            value,
        ) in parameters.iter().zip(&unit.parameters)
        {
            let Some(Renaming::Elements(of_type)) = self.renamings.get(*ty) else {
                continue;
            };
            let (first, count) = instance.bounds(*ty);
            if (*low, *high, *step) != (first, first + count - 1, 1) {
                return Vec::new();
            }
            elements.extend(of_type.get(*value).map(|element| element as u32));
        }
        elements
    }

    /// The elements that a value names.
    fn named(&self, ty: TypeId, value: i64, lists: &Lists) -> u64 {
        match &self.renamings[ty] {
            Renaming::Elements(elements) => elements.get(value).map_or(0, |element| 1 << element),
            Renaming::List(element) if value != UNDEFINED => {
                let names = lists.elements(value);
                names
                    .iter()
                    .fold(0, |names, value| names | self.named(*element, *value, lists))
            }
            Renaming::Still | Renaming::List(_) => 0,
        }
    }

    /// The position of a slot after two elements of a group are swapped.
    fn exchanged(&self, slot: u32, a: usize, b: usize) -> u32 {
        let mut moved = slot;
        for position in 0..self.shapes[slot as usize].indices.len() {
            let other = match self.shapes[slot as usize].indices[position].element {
                element if element == a => b,
                element if element == b => a,
                _ => continue,
            };
            moved = self.shapes[moved as usize].indices[position].siblings[self.places[other].number];
        }
        moved
    }
}
