//! Canonical forms of packed states, without unpacking them.
//!
//! If each moving slot belongs to at most one element, holds no list and is in no multiset, a few bits contain all that
//! [`super::refine`] needs: they distinguish elements, the slots of an element move as bits, many at a time, and names
//! are looked up by their codes.

use super::refine::{AS_INDEX, AS_VALUE, ELEMENT, LEAD, Refiner, with_lead};
use super::{Permutation, Renaming, Symmetry};
use crate::packing::{Bits, Extract, Layout, Patch};
use crate::store::mix;
use crate::vm::Write;
use std::collections::BTreeMap;
use system::instance::TypeId;

#[derive(Debug)]
pub(super) struct Packed {
    /// By element: the slots with this index, whose values are never renamed.
    profiles: Vec<Extract>,
    /// No symmetric index, and a value that may name an element.
    pointers: Vec<Pointer>,
    pointer_places: Places,
    /// One symmetric index, and a value that may name an element.
    links: Vec<Link>,
    link_places: Places,
    /// By code of a value: the element that it names, or the number of elements if none.
    elements: Vec<u32>,
    /// The slots of the elements of a group.
    runs: Vec<Run>,
    /// Slots with renamed values.
    renamed: Vec<Renamed>,
    renamed_places: Places,
    /// By code of a value: its new code, as the code of an element of the group plus an offset.
    entries: Vec<Entry>,
    names: Vec<u64>,
    pub(super) image: Vec<u64>,
    pub(super) best: Vec<u64>,
}

/// Positions of slots in packed states, so that undefined ones cost nothing: most names are undefined.
#[derive(Debug, Default)]
struct Places {
    /// The words that contain any.
    words: Vec<PlacesOfWord>,
}

#[derive(Debug)]
struct PlacesOfWord {
    number: usize,
    /// The bits of any of them.
    mask: u64,
    /// By bit: the slot that it belongs to.
    owners: [u32; 64],
}

impl Places {
    fn new(words: usize, places: impl Iterator<Item = Bits>) -> Places {
        let blank = |number| PlacesOfWord {
            number,
            mask: 0,
            owners: [0; 64],
        };
        let mut words: Vec<PlacesOfWord> = (0..words).map(blank).collect();
        for (owner, bits) in (0..).zip(places) {
            bits.each_bit(|word, bit| {
                words[word].mask |= 1 << bit;
                words[word].owners[bit] = owner;
            });
        }
        words.retain(|word| word.mask != 0);
        Places { words }
    }

    /// Reports all defined slots with their codes.
    #[inline]
    fn each(&self, words: &[u64], bits: impl Fn(usize) -> Bits, mut tell: impl FnMut(usize, u64)) {
        for places in &self.words {
            places.each(words[places.number], &bits, &mut tell);
        }
    }
}

impl PlacesOfWord {
    #[inline]
    fn each(&self, word: u64, bits: impl Fn(usize) -> Bits, mut tell: impl FnMut(usize, u64)) {
        let mut rest = word & self.mask;
        while rest != 0 {
            let owner = self.owners[rest.trailing_zeros() as usize] as usize;
            let place = bits(owner);
            tell(owner, place.code(word));
            rest &= !place.mask();
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Pointer {
    bits: Bits,
    /// The offset of the type's table of elements.
    start: u32,
    /// What the element's colour absorbs.
    weight: u64,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    bits: Bits,
    start: u32,
    element: u32,
    kind: u64,
    /// The label of the fact that it names an element, and what its own element's colour absorbs.
    label: u64,
    weight: u64,
}

#[derive(Debug)]
struct Run {
    /// The first element of the group, and the size of the group.
    group: usize,
    size: usize,
    /// The moves from element `a` to element `b`: at index `a * size + b`.
    moves: Vec<Patch>,
}

#[derive(Clone, Copy, Debug)]
struct Renamed {
    bits: Bits,
    start: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The code or, for an element, that of the first element of its group.
    code: u64,
    element: Option<u32>,
}

impl Packed {
    /// `None` if the states have other slots.
    pub(super) fn new(symmetry: &Symmetry, layout: &Layout) -> Option<Packed> {
        if !symmetry.multisets.is_empty() {
            return None;
        }
        let mut packed = Packed {
            profiles: Vec::new(),
            pointers: Vec::new(),
            pointer_places: Places::default(),
            links: Vec::new(),
            link_places: Places::default(),
            elements: Vec::new(),
            runs: Vec::new(),
            renamed: Vec::new(),
            renamed_places: Places::default(),
            entries: Vec::new(),
            names: Vec::new(),
            image: vec![0; layout.words],
            best: vec![0; layout.words],
        };
        let mut tables = BTreeMap::new();
        let mut own = vec![Vec::new(); symmetry.places.len()];
        for &slot in &symmetry.moving {
            let shape = &symmetry.shapes[slot as usize];
            let (bits, kind) = (layout.bits_of(slot as usize), shape.kind);
            let start = match &symmetry.renamings[shape.ty] {
                Renaming::Still => None,
                Renaming::List(_) => return None,
                Renaming::Elements(_) => Some(packed.table(symmetry, layout, (slot, shape.ty), &mut tables)?),
            };
            match (&shape.indices[..], start) {
                // Computed once for all elements, so that their slots are in the same order.
                ([index], None) if symmetry.places[index.element].number == 0 => {
                    for (own, sibling) in own[index.element..].iter_mut().zip(&index.siblings) {
                        own.push(*sibling);
                    }
                }
                ([_], None) => {}
                ([index], Some(start)) => {
                    let label = mix(kind, ELEMENT);
                    packed.links.push(Link {
                        bits,
                        start,
                        element: index.element as u32,
                        kind,
                        label,
                        weight: mix(label, AS_INDEX),
                    });
                }
                ([], Some(start)) => {
                    let weight = mix(mix(kind, ELEMENT), AS_VALUE);
                    packed.pointers.push(Pointer { bits, start, weight });
                }
                _ => return None,
            }
            if let Some(start) = start {
                packed.renamed.push(Renamed { bits, start });
            }
        }
        let extract = |slots: &Vec<u32>| layout.extract_of(slots.iter().copied());
        packed.profiles = own.iter().map(extract).collect();
        packed.link_places = Places::new(layout.words, packed.links.iter().map(|link| link.bits));
        packed.pointer_places = Places::new(layout.words, packed.pointers.iter().map(|pointer| pointer.bits));
        packed.renamed_places = Places::new(layout.words, packed.renamed.iter().map(|renamed| renamed.bits));
        packed.names = vec![0; packed.entries.len()];
        for group in symmetry.groups() {
            packed.runs.push(run(symmetry, layout, group)?);
        }
        Some(packed)
    }

    /// The elements that the values of a type name, by code.
    fn table(
        &mut self,
        symmetry: &Symmetry,
        layout: &Layout,
        (slot, ty): (u32, TypeId),
        tables: &mut BTreeMap<TypeId, u32>,
    ) -> Option<u32> {
        let (low, count) = layout.small_domain(slot as usize)?;
        let Renaming::Elements(elements) = &symmetry.renamings[ty] else {
            return None;
        };
        if let Some(start) = tables.get(&ty) {
            return Some(*start);
        }
        let start = self.entries.len() as u32;
        // One entry for each code of this width.
        let codes = (count + 1).next_power_of_two();
        for code in 0..codes {
            let value = (code > 0).then(|| low + (code - 1).cast_signed());
            let element = value.and_then(|value| elements.get(value));
            let number = element.map_or(0, |element| symmetry.places[element].number);
            self.elements.push(element.unwrap_or(symmetry.places.len()) as u32);
            self.entries.push(Entry {
                code: code - number as u64,
                element: element.map(|element| element as u32),
            });
        }
        tables.insert(ty, start);
        Some(start)
    }

    /// Collects the facts of a packed state about its elements, like `Canonicaliser::gather`. An extra colour
    /// represents "no element". A colour starts with the facts of its element alone.
    pub(super) fn gather(&self, words: &[u64], refiner: &mut Refiner, colours: &mut Vec<u64>) {
        refiner.begin(colours);
        let no_element = colours.len() as u32;
        colours.push(0);
        let pointer = |number: usize| &self.pointers[number];
        self.pointer_places.each(
            words,
            |number| pointer(number).bits,
            |number, code| {
                let element = self.elements[pointer(number).start as usize + code as usize];
                let colour = &mut colours[element as usize];
                *colour = colour.wrapping_add(pointer(number).weight);
            },
        );
        let link = |number: usize| &self.links[number];
        self.link_places.each(
            words,
            |number| link(number).bits,
            |number, code| {
                let link = link(number);
                let other = self.elements[link.start as usize + code as usize];
                let fact = match other == no_element {
                    true => mix(mix(link.kind, code), AS_INDEX),
                    false => link.weight,
                };
                let colour = &mut colours[link.element as usize];
                *colour = colour.wrapping_add(fact);
                if other != no_element {
                    refiner.link(link.label, link.element, other);
                }
            },
        );
        colours.pop();
        for (own, colour) in self.profiles.iter().zip(colours) {
            let mut own = own.words(words);
            let first = own.next().unwrap_or(0);
            let whole = own.fold(mix(*colour, first), mix);
            *colour = with_lead(whole, first >> (u64::BITS - LEAD));
        }
    }

    /// Computes the image of a packed state.
    pub(super) fn build(&mut self, words: &[u64], permutation: &Permutation) {
        self.image.copy_from_slice(words);
        for run in &self.runs {
            let numbers = &permutation[run.group..run.group + run.size];
            for (number, to) in numbers.iter().enumerate().filter(|(number, to)| number != *to) {
                run.moves[number * run.size + to].change(words, &mut self.image);
            }
        }
        for (name, entry) in self.names.iter_mut().zip(&self.entries) {
            let number = entry.element.map_or(0, |element| permutation[element as usize]);
            *name = entry.code + number as u64;
        }
        for places in &self.renamed_places.words {
            let word = self.image[places.number];
            let mut renamed = word;
            places.each(
                word,
                |owner| self.renamed[owner].bits,
                |owner, code| {
                    let Renamed { bits, start } = self.renamed[owner];
                    renamed ^= bits.placed(code ^ self.names[start as usize + code as usize]);
                },
            );
            self.image[places.number] = renamed;
        }
    }
}

/// The slots of the elements of a group and their moves. `None` if they are packed differently.
fn run(symmetry: &Symmetry, layout: &Layout, group: std::ops::Range<usize>) -> Option<Run> {
    let own = |slot: &&u32| {
        let indices = &symmetry.shapes[**slot as usize].indices;
        matches!(&indices[..], [index] if index.element == group.start)
    };
    let slots: Vec<u32> = symmetry.moving.iter().filter(own).copied().collect();
    let siblings = |slot: &u32| &symmetry.shapes[*slot as usize].indices[0].siblings;
    let size = group.len();
    let mut moves = Vec::with_capacity(size * size);
    for from in 0..size {
        for to in 0..size {
            let copy = |slot: &u32| Write {
                slot: siblings(slot)[to],
                origin: siblings(slot)[from],
                value: 0,
            };
            let copies: Vec<Write> = slots.iter().map(copy).collect();
            moves.push(layout.patch_of(&copies)?);
        }
    }
    Some(Run {
        group: group.start,
        size,
        moves,
    })
}
