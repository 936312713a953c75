//! Canonical forms for large groups: elements are told apart by what the state says of them.
//!
//! Each element has a colour. In each round the colour of an element takes up, for every slot that mentions it, what
//! the slot says in terms of the colours so far; nothing in this depends on names. Elements of different colours are
//! then put in the order of their colours. Where several share one, each in turn is given a colour of its own and the
//! rounds go on: the leaves of this tree are permutations, and the least of their images is the canonical form.
//! Elements that a state does not tell apart at all (exchanging them changes nothing) need no branches.

use super::{Canonicaliser, Permutation, Renaming, Symmetry, element_of};
use crate::lists::Lists;
use crate::store::mix;
use std::cmp::Ordering;
use system::instance::{TypeId, UNDEFINED};

/// Leaves of the tree that are looked at.
const LEAVES: usize = 120;

/// The colours of the elements of all groups, one group after the other.
type Colours = Vec<u64>;

#[derive(Debug)]
pub(super) struct Refiner {
    /// Where the elements of each group start.
    starts: Vec<usize>,
    /// Slots that say something of one element alone, whatever the colours: looked at once.
    profiles: Vec<Profile>,
    /// The other moving slots: looked at in each round.
    relations: Vec<u32>,
    sums: Vec<u64>,
    sorted: Vec<u64>,
    leaves: usize,
    found: bool,
}

#[derive(Clone, Copy, Debug)]
struct Profile {
    slot: u32,
    element: u32,
    kind: u64,
}

impl Refiner {
    pub(super) fn new(symmetry: &Symmetry) -> Refiner {
        let mut total = 0;
        let starts = symmetry.groups.iter().map(|size| {
            total += size;
            total - size
        });
        let starts: Vec<usize> = starts.collect();
        let mut profiles = Vec::new();
        let mut relations = Vec::new();
        for &slot in &symmetry.moving {
            let shape = &symmetry.shapes[slot as usize];
            match &shape.indices[..] {
                [index] if symmetry.renamings[shape.ty] == Renaming::Still => {
                    let element = (starts[index.group] + index.element) as u32;
                    profiles.push(Profile {
                        slot,
                        element,
                        kind: shape.kind,
                    });
                }
                _ => relations.push(slot),
            }
        }
        let sums = vec![0; total];
        Refiner {
            starts,
            profiles,
            relations,
            sums,
            sorted: Vec::with_capacity(total),
            leaves: 0,
            found: false,
        }
    }

    fn count_distinct(&mut self, colours: &Colours) -> usize {
        self.sorted.clone_from(colours);
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.sorted.len()
    }
}

impl Canonicaliser<'_> {
    pub(super) fn refine(&mut self, state: &mut [i64]) {
        let symmetry = self.symmetry;
        let mut colours: Colours = Vec::with_capacity(self.refiner.sums.len());
        for (group, size) in symmetry.groups.iter().enumerate() {
            colours.extend(std::iter::repeat_n(mix(2, group as u64), *size));
        }
        for profile in &self.refiner.profiles {
            let colour = &mut colours[profile.element as usize];
            *colour = colour.wrapping_add(mix(profile.kind, state[profile.slot as usize].cast_unsigned()));
        }
        self.refiner.leaves = 0;
        self.refiner.found = false;
        self.descend(state, colours);
        state.copy_from_slice(&self.best);
    }

    /// Looks at all leaves below a colouring.
    fn descend(&mut self, state: &[i64], mut colours: Colours) {
        loop {
            self.settle_colours(state, &mut colours);
            let Some(cell) = self.first_cell(&colours) else {
                return self.leaf(state, &colours);
            };
            let representatives = self.representatives(state, &cell);
            if representatives.len() == 1 {
                // Any order of these is as good as any other.
                for (rank, element) in cell.iter().enumerate() {
                    colours[*element] = mix(colours[*element], 0x100 + rank as u64);
                }
                continue;
            }
            for element in representatives {
                if self.refiner.leaves < LEAVES {
                    let mut colours = colours.clone();
                    colours[element] = mix(colours[element], 0x200);
                    self.descend(state, colours);
                }
            }
            return;
        }
    }

    /// Rounds of recolouring until they tell nothing new.
    fn settle_colours(&mut self, state: &[i64], colours: &mut Colours) {
        let mut cells = self.refiner.count_distinct(colours);
        while cells < colours.len() {
            self.refiner.sums.fill(0);
            for position in 0..self.refiner.relations.len() {
                self.add_slot(state, self.refiner.relations[position], colours);
            }
            for (colour, sum) in colours.iter_mut().zip(&self.refiner.sums) {
                *colour = mix(*colour, *sum);
            }
            let now = self.refiner.count_distinct(colours);
            if now <= cells {
                return;
            }
            cells = now;
        }
    }

    /// Adds to each element that a slot mentions what the slot says.
    fn add_slot(&mut self, state: &[i64], slot: u32, colours: &Colours) {
        let symmetry = self.symmetry;
        let shape = &symmetry.shapes[slot as usize];
        let mut hash = shape.kind;
        for index in &shape.indices {
            hash = mix(hash, colours[self.refiner.starts[index.group] + index.element]);
        }
        let value = state[slot as usize];
        hash = self.hash_value(hash, shape.ty, value, colours);
        for (position, index) in shape.indices.iter().enumerate() {
            let sum = &mut self.refiner.sums[self.refiner.starts[index.group] + index.element];
            *sum = sum.wrapping_add(mix(hash, 0x300 + position as u64));
        }
        let (sums, starts) = (&mut self.refiner.sums, &self.refiner.starts);
        let mut mention = |place: u64, group: usize, element: usize| {
            let sum = &mut sums[starts[group] + element];
            *sum = sum.wrapping_add(mix(hash, 0x400 + place));
        };
        mentions(symmetry, self.lists, shape.ty, value, &mut mention);
    }

    fn hash_value(&self, hash: u64, ty: TypeId, value: i64, colours: &Colours) -> u64 {
        if value == UNDEFINED {
            return mix(hash, 3);
        }
        match &self.symmetry.renamings[ty] {
            Renaming::Still => mix(hash, value.cast_unsigned()),
            Renaming::Elements(parts) => match element_of(parts, value) {
                Some((group, element, _)) => mix(hash, colours[self.refiner.starts[group] + element]),
                None => mix(hash, value.cast_unsigned()),
            },
            Renaming::List(element) => {
                let elements = self.lists.elements(value);
                elements
                    .iter()
                    .fold(mix(hash, 5), |hash, e| self.hash_value(hash, *element, *e, colours))
            }
        }
    }

    /// The elements of the first colour that several share, groups taken in order.
    fn first_cell(&self, colours: &Colours) -> Option<Vec<usize>> {
        for (group, size) in self.symmetry.groups.iter().enumerate() {
            let start = self.refiner.starts[group];
            let mut elements: Vec<usize> = (start..start + size).collect();
            elements.sort_by_key(|element| colours[*element]);
            let cell = elements
                .chunk_by(|a, b| colours[*a] == colours[*b])
                .find(|cell| cell.len() > 1);
            if let Some(cell) = cell {
                return Some(cell.to_vec());
            }
        }
        None
    }

    /// One element of each class of elements that can be exchanged without changing the state.
    fn representatives(&mut self, state: &[i64], cell: &[usize]) -> Vec<usize> {
        let mut representatives: Vec<usize> = Vec::new();
        for &element in cell {
            let known = representatives
                .iter()
                .any(|known| self.exchangeable(state, *known, element));
            if !known {
                representatives.push(element);
            }
        }
        representatives
    }

    fn exchangeable(&mut self, state: &[i64], a: usize, b: usize) -> bool {
        let symmetry = self.symmetry;
        let exchange = |(group, size): (usize, &usize)| {
            let start = self.refiner.starts[group];
            let other = |element: usize| match start + element {
                element if element == a => b - start,
                element if element == b => a - start,
                _ => element,
            };
            (0..*size).map(other).collect()
        };
        let permutation: Permutation = symmetry.groups.iter().enumerate().map(exchange).collect();
        if symmetry.whole {
            self.build_image(state, &permutation);
            return self.image == state;
        }
        symmetry.moving.iter().all(|&slot| {
            let ty = symmetry.shapes[slot as usize].ty;
            let value = symmetry.rename(ty, state[slot as usize], &permutation, self.lists);
            state[symmetry.move_slot(slot, &permutation) as usize] == value
        })
    }

    /// All colours differ: they are a permutation.
    fn leaf(&mut self, state: &[i64], colours: &Colours) {
        self.refiner.leaves += 1;
        let rank = |(group, size): (usize, &usize)| {
            let own = &colours[self.refiner.starts[group]..self.refiner.starts[group] + size];
            own.iter()
                .map(|colour| own.iter().filter(|other| *other < colour).count())
                .collect()
        };
        let permutation: Permutation = self.symmetry.groups.iter().enumerate().map(rank).collect();
        self.build_image(state, &permutation);
        if !self.refiner.found || self.compare(&self.image, &self.best) == Ordering::Less {
            std::mem::swap(&mut self.image, &mut self.best);
            self.refiner.found = true;
        }
    }
}

/// Tells of the elements that a value is or holds, each with its place in it.
fn mentions(symmetry: &Symmetry, lists: &Lists, ty: TypeId, value: i64, tell: &mut dyn FnMut(u64, usize, usize)) {
    if value == UNDEFINED {
        return;
    }
    match &symmetry.renamings[ty] {
        Renaming::Still => {}
        Renaming::Elements(parts) => {
            if let Some((group, element, _)) = element_of(parts, value) {
                tell(0, group, element);
            }
        }
        Renaming::List(element) => {
            for (place, value) in (1u64..).zip(lists.elements(value)) {
                let mut inner = |deeper: u64, group: usize, element: usize| {
                    tell(mix(place, deeper), group, element);
                };
                mentions(symmetry, lists, *element, value, &mut inner);
            }
        }
    }
}
