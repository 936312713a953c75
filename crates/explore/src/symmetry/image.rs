//! Computes the image of a state under a permutation.
//!
//! Slots indexed by an element are moved in runs; names are replaced by tables that are filled once per permutation.

use super::{Bag, Permutation, Renaming, Symmetry, elements};
use crate::lists::Lists;
use crate::worker::sort_multiset;
use std::collections::BTreeMap;
use system::instance::{Multiset, UNDEFINED};

/// Builds images of states; holds the buffer for one.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) state: Vec<i64>,
    /// Slots with one symmetric index.
    runs: Vec<Run>,
    /// Slots with several.
    tangled: Vec<u32>,
    /// Slots with renamed values, and slots that hold lists.
    renamed: Vec<Renamed>,
    listed: Vec<u32>,
    /// The new value of each value of each type: an offset, by element.
    entries: Vec<Entry>,
    names: Vec<i64>,
}

/// Consecutive slots, for each element of a group.
#[derive(Debug)]
struct Run {
    /// The first element of the group.
    group: u32,
    starts: Box<[u32]>,
    length: u32,
}

#[derive(Debug)]
struct Renamed {
    slot: u32,
    /// The offset of the type's table of names.
    start: u32,
    count: u32,
}

#[derive(Debug)]
struct Entry {
    /// The value or, for an element, that of the first element of its group.
    value: i64,
    element: Option<u32>,
}

impl Image {
    pub(super) fn new(symmetry: &Symmetry) -> Image {
        let in_bag = symmetry.in_bags();
        let mut image = Image {
            state: vec![UNDEFINED; symmetry.shapes.len()],
            runs: Vec::new(),
            tangled: Vec::new(),
            renamed: Vec::new(),
            listed: Vec::new(),
            entries: Vec::new(),
            names: Vec::new(),
        };
        let mut tables = BTreeMap::new();
        let mut slots = symmetry.moving.clone();
        slots.sort_unstable();
        for &slot in slots.iter().filter(|slot| !in_bag[**slot as usize]) {
            let shape = &symmetry.shapes[slot as usize];
            match &shape.indices[..] {
                [] => {}
                // Computed once for all elements.
                [index] if symmetry.places[index.element].number == 0 => {
                    image.carry(index.element as u32, &index.siblings);
                }
                [_] => {}
                _ => image.tangled.push(slot),
            }
            match &symmetry.renamings[shape.ty] {
                Renaming::Still => {}
                Renaming::List(_) => image.listed.push(slot),
                Renaming::Elements(elements) => {
                    let start = *tables.entry(shape.ty).or_insert_with(|| {
                        let start = image.entries.len() as u32;
                        image
                            .entries
                            .extend((0..).zip(&elements.0).map(|(value, element)| Entry {
                                value: value
                                    - element.map_or(0, |element| symmetry.places[element as usize].number as i64),
                                element: *element,
                            }));
                        start
                    });
                    image.renamed.push(Renamed {
                        slot,
                        start,
                        count: elements.0.len() as u32,
                    });
                }
            }
        }
        image.names = vec![0; image.entries.len()];
        image
    }

    /// Adds a slot that each element of a group has to the last run, or starts a new one.
    fn carry(&mut self, group: u32, slots: &[u32]) {
        if let Some(run) = self.runs.last_mut()
            && run.group == group
            && run
                .starts
                .iter()
                .zip(slots)
                .all(|(start, slot)| start + run.length == *slot)
        {
            run.length += 1;
            return;
        }
        self.runs.push(Run {
            group,
            starts: slots.into(),
            length: 1,
        });
    }

    /// Computes the image of a state.
    pub(super) fn build(&mut self, symmetry: &Symmetry, state: &[i64], permutation: &Permutation, lists: &Lists) {
        self.state.copy_from_slice(state);
        for run in &self.runs {
            let length = run.length as usize;
            let numbers = &permutation[run.group as usize..];
            for (number, (start, to)) in run.starts.iter().zip(numbers).enumerate() {
                if *to != number {
                    let (start, to) = (*start as usize, run.starts[*to] as usize);
                    self.state[to..to + length].copy_from_slice(&state[start..start + length]);
                }
            }
        }
        for &slot in &self.tangled {
            self.state[symmetry.move_slot(slot, permutation) as usize] = state[slot as usize];
        }
        for (name, entry) in self.names.iter_mut().zip(&self.entries) {
            let number = entry.element.map_or(0, |element| permutation[element as usize]);
            *name = entry.value + number as i64;
        }
        for renamed in &self.renamed {
            let value = &mut self.state[renamed.slot as usize];
            // The undefined value names no element and is the least value.
            if value.cast_unsigned() < u64::from(renamed.count) {
                *value = self.names[renamed.start as usize + *value as usize];
            }
        }
        for &slot in &self.listed {
            let ty = symmetry.shapes[slot as usize].ty;
            let value = &mut self.state[slot as usize];
            *value = symmetry.rename(ty, *value, permutation, lists);
        }
        for bag in &symmetry.bags {
            self.build_bag(symmetry, state, permutation, (bag, lists));
        }
        // Multisets are already sorted.
        if symmetry.bags.len() < symmetry.multisets.len() {
            for multiset in &symmetry.multisets {
                self.sort(symmetry, multiset, lists);
            }
        }
    }

    /// Renames and moves the elements of a settled multiset.
    fn build_bag(
        &mut self,
        symmetry: &Symmetry,
        state: &[i64],
        permutation: &Permutation,
        (bag, lists): (&Bag, &Lists),
    ) {
        let Multiset { base, capacity, stride } = bag.multiset;
        let width = stride + 1;
        let place = symmetry.move_slot(base as u32, permutation) as usize;
        let mut present = 0;
        for start in elements(&bag.multiset, state) {
            let target = place + (start - base);
            self.state[target..target + width].copy_from_slice(&state[start..start + width]);
            for offset in &bag.renamed {
                let ty = symmetry.shapes[start + offset].ty;
                self.state[target + offset] = symmetry.rename(ty, state[start + offset], permutation, lists);
            }
            present += 1;
        }
        // Clears the old elements.
        for number in present..capacity {
            let start = place + number * width;
            if self.state[start] != 1 {
                break;
            }
            self.state[start..start + width].fill(UNDEFINED);
        }
        if present > 1 && !bag.renamed.is_empty() {
            let moved = Multiset {
                base: place,
                ..bag.multiset
            };
            self.sort(symmetry, &moved, lists);
        }
    }

    fn sort(&mut self, symmetry: &Symmetry, multiset: &Multiset, lists: &Lists) {
        sort_multiset(&mut self.state, multiset, |a, b, slot| {
            symmetry.order(lists, slot, a, b)
        });
    }
}
