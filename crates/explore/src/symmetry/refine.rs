//! Canonical forms for large groups, by colour refinement.
//!
//! A state is a collection of facts: each is a slot, or an element of a multiset, together with the symmetric elements
//! that it mentions as array indices or as values. A fact about one element alone is part of this element's initial
//! colour. In each round, the colour of an element absorbs, for every fact about it and others, the content of the fact
//! in terms of current colours; names play no role. Elements of different colours are then ordered by colour. If
//! several share a colour, each in turn gets an individual colour and refinement continues: the leaves of this search
//! tree are permutations, and the least of their images is the canonical form. Elements that a state does not
//! distinguish at all (swapping them changes no fact) need no branches.
//!
//! Colours are hashes. A collision would give one state two forms, which is sound; its probability is negligible.

use super::{Canonicaliser, ElementPlace, Permutation, Renaming, Symmetry, elements};
use crate::store::mix;
use std::cmp::Ordering;
use system::instance::{TypeId, UNDEFINED};

/// The maximum number of leaves visited.
const LEAVES: usize = 120;

/// Prefixes of the place of a mention: as an index, as a value, in a list.
pub(super) const AS_INDEX: u64 = 0x300;
pub(super) const AS_VALUE: u64 = 0x400;

/// Placeholders for a value in a label: undefined, or some element.
const NOTHING: u64 = 3;
pub(super) const ELEMENT: u64 = 5;

/// The number of leading bits of a colour. They encode the facts of the element alone, if these fit, and never change:
/// elements of one kind are then adjacent, and similar states have similar forms.
pub(super) const LEAD: u32 = 24;

/// Replaces the leading bits of a colour.
#[inline]
pub(super) fn with_lead(colour: u64, lead: u64) -> u64 {
    lead << (64 - LEAD) | colour & (u64::MAX >> LEAD)
}

/// Mixes more information into a colour.
#[inline]
fn recoloured(colour: u64, more: u64) -> u64 {
    with_lead(mix(colour, more), colour >> (64 - LEAD))
}

#[derive(Debug)]
pub(super) struct Refiner {
    /// One symmetric index and a value that is never renamed.
    profiles: Vec<Profile>,
    /// No symmetric index, and a value that may name an element.
    pointers: Vec<Pointer>,
    /// One symmetric index, and a value that may name an element.
    links: Vec<Profile>,
    /// The other moving slots outside multisets.
    slots: Vec<u32>,
    /// The initial colours of the elements of a group.
    blank: Vec<u64>,
    /// The elements of each group.
    groups: Vec<std::ops::Range<usize>>,
    sums: Vec<u64>,
    /// Facts about several elements.
    facts: Vec<Fact>,
    mentions: Vec<Mention>,
    /// Elements mentioned by such a fact.
    bound: Vec<bool>,
    order: Vec<u32>,
    /// Elements that may still be distinguished: some of their colour are mentioned by facts.
    open: Vec<bool>,
    permutation: Vec<usize>,
    leaves: usize,
    found: Option<Found>,
}

/// The source of images.
#[derive(Clone, Copy)]
enum Source<'s> {
    State(&'s [i64]),
    Packed(&'s [u64]),
}

/// The least image so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// The state itself.
    State,
    /// Stored in `best`.
    Image,
}

#[derive(Clone, Copy, Debug)]
struct Profile {
    slot: u32,
    element: u32,
    kind: u64,
}

#[derive(Clone, Copy, Debug)]
struct Pointer {
    slot: u32,
    ty: u32,
    /// What the element's colour absorbs.
    weight: u64,
}

#[derive(Clone, Copy, Debug)]
struct Fact {
    label: u64,
    /// The range of its mentions.
    start: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug)]
struct Mention {
    element: u32,
    place: u64,
}

impl Refiner {
    pub(super) fn new(symmetry: &Symmetry) -> Refiner {
        let mut in_bag = vec![false; symmetry.shapes.len()];
        for multiset in &symmetry.multisets {
            let end = multiset.base + multiset.capacity * (multiset.stride + 1);
            in_bag[multiset.base..end].fill(true);
        }
        let (mut profiles, mut pointers) = (Vec::new(), Vec::new());
        let (mut links, mut slots) = (Vec::new(), Vec::new());
        for &slot in symmetry.moving.iter().filter(|slot| !in_bag[**slot as usize]) {
            let shape = &symmetry.shapes[slot as usize];
            let profile = |element: usize| Profile {
                slot,
                element: element as u32,
                kind: shape.kind,
            };
            match (&shape.indices[..], &symmetry.renamings[shape.ty]) {
                ([index], Renaming::Still) => profiles.push(profile(index.element)),
                ([index], Renaming::Elements(_)) => links.push(profile(index.element)),
                ([], Renaming::Elements(_)) => pointers.push(Pointer {
                    slot,
                    ty: shape.ty as u32,
                    weight: mix(mix(shape.kind, ELEMENT), AS_VALUE),
                }),
                _ => slots.push(slot),
            }
        }
        let total = symmetry.places.len();
        Refiner {
            groups: symmetry.groups().collect(),
            profiles,
            pointers,
            links,
            slots,
            blank: symmetry.places.iter().map(|place| mix(2, place.group as u64)).collect(),
            sums: vec![0; total],
            facts: Vec::new(),
            mentions: Vec::new(),
            bound: vec![false; total],
            order: Vec::with_capacity(total),
            open: vec![false; total],
            permutation: vec![0; total],
            leaves: 0,
            found: None,
        }
    }

    /// Discards the previous state.
    pub(super) fn begin(&mut self, colours: &mut Vec<u64>) {
        colours.clone_from(&self.blank);
        self.facts.clear();
        self.mentions.clear();
        self.bound.fill(false);
    }

    /// Adds the fact that a slot of one element names another.
    #[inline]
    pub(super) fn link(&mut self, label: u64, element: u32, other: u32) {
        let start = self.mentions.len() as u32;
        for (element, place) in [(element, AS_INDEX), (other, AS_VALUE)] {
            self.mentions.push(Mention { element, place });
            self.bound[element as usize] = true;
        }
        self.facts.push(Fact {
            label,
            start,
            end: start + 2,
        });
    }

    /// Sorts the elements of each group by colour; returns the number of distinct colours.
    fn sort(&mut self, colours: &[u64]) -> usize {
        self.order.clear();
        let mut cells = 0;
        for group in &self.groups {
            let start = self.order.len();
            self.order.extend(group.start as u32..group.end as u32);
            let order = &mut self.order[start..];
            cells += order.len();
            // Insertion sort: groups are small.
            for end in 1..order.len() {
                let element = order[end];
                let colour = colours[element as usize];
                let mut place = end;
                while place > 0 && colours[order[place - 1] as usize] > colour {
                    order[place] = order[place - 1];
                    place -= 1;
                }
                order[place] = element;
                if place > 0 && colours[order[place - 1] as usize] == colour {
                    cells -= 1;
                }
            }
        }
        cells
    }

    /// Finds the elements that share their colour with others of their group and are mentioned by facts; false if there
    /// are none. The elements are sorted.
    fn find_open(&mut self, colours: &[u64]) -> bool {
        self.open.fill(false);
        let mut some = false;
        for group in &self.groups {
            let same = |a: &u32, b: &u32| colours[*a as usize] == colours[*b as usize];
            // Groups are contiguous among the elements.
            for cell in self.order[group.clone()].chunk_by(same) {
                if cell.len() > 1 && cell.iter().any(|element| self.bound[*element as usize]) {
                    cell.iter().for_each(|element| self.open[*element as usize] = true);
                    some = true;
                }
            }
        }
        some
    }

    /// A hash of the facts about two elements, by name, with the two swapped or not.
    fn signature(&self, a: u32, b: u32, exchanged: bool) -> u64 {
        let name = |element: u32| match element {
            element if exchanged && element == a => b,
            element if exchanged && element == b => a,
            element => element,
        };
        let mut sum = 0u64;
        for fact in &self.facts {
            let mentions = &self.mentions[fact.start as usize..fact.end as usize];
            if mentions
                .iter()
                .any(|mention| mention.element == a || mention.element == b)
            {
                let hash = mentions.iter().fold(fact.label, |hash, mention| {
                    mix(hash, mention.place ^ u64::from(name(mention.element)) << 32)
                });
                sum = sum.wrapping_add(hash);
            }
        }
        sum
    }
}

impl Canonicaliser<'_> {
    /// Replaces a state by its canonical form; false if it is canonical already.
    pub(super) fn refine(&mut self, state: &mut [i64]) -> bool {
        let mut colours = std::mem::take(&mut self.colours);
        self.gather(state, &mut colours);
        self.refiner.leaves = 0;
        self.refiner.found = None;
        self.descend(Source::State(state), &mut colours);
        self.colours = colours;
        let is_other = self.refiner.found == Some(Found::Image);
        if is_other {
            state.copy_from_slice(&self.best);
        }
        is_other
    }

    /// Computes the canonical form of a packed state, whose unpacked form is also given, if [`Packed`] supports such
    /// states.
    pub(crate) fn canonicalise_packed(&mut self, words: &[u64], state: &[i64], canonical: &mut [u64]) {
        if let (Some(packed), Some(tables)) = (&mut self.packed, &self.symmetry.tables) {
            match tables.least_permutation(state) {
                Some(permutation) => {
                    packed.build(words, permutation);
                    canonical.copy_from_slice(&packed.image);
                }
                None => canonical.copy_from_slice(words),
            }
            return;
        }
        let mut colours = std::mem::take(&mut self.colours);
        if let Some(packed) = &self.packed {
            packed.gather(words, &mut self.refiner, &mut colours);
        }
        self.refiner.leaves = 0;
        self.refiner.found = None;
        self.descend(Source::Packed(words), &mut colours);
        self.colours = colours;
        match &self.packed {
            Some(packed) if self.refiner.found == Some(Found::Image) => canonical.copy_from_slice(&packed.best),
            _ => canonical.copy_from_slice(words),
        }
    }

    /// Collects the facts. Those about one element go into its colour.
    fn gather(&mut self, state: &[i64], colours: &mut Vec<u64>) {
        self.refiner.begin(colours);
        for profile in &self.refiner.profiles {
            let colour = &mut colours[profile.element as usize];
            *colour = colour.wrapping_add(mix(profile.kind, state[profile.slot as usize].cast_unsigned()));
        }
        for pointer in &self.refiner.pointers {
            if let Renaming::Elements(elements) = &self.symmetry.renamings[pointer.ty as usize]
                && let Some(element) = elements.get(state[pointer.slot as usize])
            {
                colours[element] = colours[element].wrapping_add(pointer.weight);
            }
        }
        self.gather_links(state, colours);
        for position in 0..self.refiner.slots.len() {
            let slot = self.refiner.slots[position];
            let shape = &self.symmetry.shapes[slot as usize];
            let value = state[slot as usize];
            if shape.indices.is_empty() && value == UNDEFINED {
                continue;
            }
            self.mention_indices(slot);
            let label = self.mention_value(shape.kind, shape.ty, value, AS_VALUE);
            self.close(label, colours);
        }
        let symmetry = self.symmetry;
        for multiset in &symmetry.multisets {
            for base in elements(multiset, state) {
                self.mention_indices(base as u32);
                let mut label = symmetry.shapes[base].kind;
                for offset in 1..=multiset.stride {
                    let ty = symmetry.shapes[base + offset].ty;
                    // Indices inside a multiset element, if any.
                    let inner = symmetry.shapes[base + offset].indices.len() > symmetry.shapes[base].indices.len();
                    if inner {
                        self.mention_indices((base + offset) as u32);
                    }
                    label = self.mention_value(label, ty, state[base + offset], AS_VALUE + offset as u64);
                }
                self.close(label, colours);
            }
        }
    }

    fn gather_links(&mut self, state: &[i64], colours: &mut [u64]) {
        let refiner = &mut self.refiner;
        for position in 0..refiner.links.len() {
            let link = refiner.links[position];
            let value = state[link.slot as usize];
            let other = match &self.symmetry.renamings[self.symmetry.shapes[link.slot as usize].ty] {
                Renaming::Elements(elements) => elements.get(value),
                Renaming::Still | Renaming::List(_) => None,
            };
            let Some(other) = other else {
                let said = if value == UNDEFINED {
                    NOTHING
                } else {
                    value.cast_unsigned()
                };
                let colour = &mut colours[link.element as usize];
                *colour = colour.wrapping_add(mix(mix(link.kind, said), AS_INDEX));
                continue;
            };
            refiner.link(mix(link.kind, ELEMENT), link.element, other as u32);
        }
    }

    fn mention_indices(&mut self, slot: u32) {
        for (position, index) in (0..).zip(&self.symmetry.shapes[slot as usize].indices) {
            self.refiner.mentions.push(Mention {
                element: index.element as u32,
                place: AS_INDEX + position,
            });
        }
    }

    /// Records the elements mentioned by a value, and mixes the rest of it into the label.
    fn mention_value(&mut self, label: u64, ty: TypeId, value: i64, place: u64) -> u64 {
        if value == UNDEFINED {
            return mix(label, NOTHING);
        }
        match &self.symmetry.renamings[ty] {
            Renaming::Still => mix(label, value.cast_unsigned()),
            Renaming::Elements(elements) => match elements.get(value) {
                Some(element) => {
                    let mention = Mention {
                        element: element as u32,
                        place,
                    };
                    self.refiner.mentions.push(mention);
                    mix(label, ELEMENT)
                }
                None => mix(label, value.cast_unsigned()),
            },
            Renaming::List(element) => {
                let values = self.lists.elements(value);
                (1..).zip(values).fold(mix(label, 7), |label, (number, value)| {
                    self.mention_value(label, *element, value, mix(place, number))
                })
            }
        }
    }

    /// Makes a fact of the mentions since the last one.
    fn close(&mut self, label: u64, colours: &mut [u64]) {
        let refiner = &mut self.refiner;
        let start = refiner.facts.last().map_or(0, |fact| fact.end);
        let mentions = &refiner.mentions[start as usize..];
        if let [mention] = mentions {
            let colour = &mut colours[mention.element as usize];
            *colour = colour.wrapping_add(mix(label, mention.place));
            refiner.mentions.pop();
        } else if !mentions.is_empty() {
            for mention in mentions {
                refiner.bound[mention.element as usize] = true;
            }
            let end = refiner.mentions.len() as u32;
            refiner.facts.push(Fact { label, start, end });
        }
    }

    /// Visits all leaves below a colouring.
    fn descend(&mut self, state: Source, colours: &mut [u64]) {
        loop {
            let is_open = self.settle_colours(colours);
            let Some(cell) = is_open.then(|| self.first_cell(colours)).flatten() else {
                return self.leaf(state);
            };
            let representatives = self.representatives(&cell);
            if representatives.len() == 1 {
                // All orders of these are equivalent.
                for (rank, element) in cell.iter().enumerate() {
                    colours[*element as usize] = recoloured(colours[*element as usize], 0x100 + rank as u64);
                }
                continue;
            }
            for element in representatives {
                if self.refiner.leaves < LEAVES {
                    let mut colours = colours.to_vec();
                    colours[element as usize] = recoloured(colours[element as usize], 0x200);
                    self.descend(state, &mut colours);
                }
            }
            return;
        }
    }

    /// Refines colours until they are stable; false if all elements are distinguished. The elements are then sorted.
    fn settle_colours(&mut self, colours: &mut [u64]) -> bool {
        let refiner = &mut self.refiner;
        let mut cells = refiner.sort(colours);
        while cells < colours.len() && refiner.find_open(colours) {
            refiner.sums.fill(0);
            for fact in &refiner.facts {
                let mentions = &refiner.mentions[fact.start as usize..fact.end as usize];
                if !mentions.iter().any(|mention| refiner.open[mention.element as usize]) {
                    continue;
                }
                let hash = mentions.iter().fold(fact.label, |hash, mention| {
                    mix(hash, colours[mention.element as usize].wrapping_add(mention.place))
                });
                for mention in mentions {
                    let sum = &mut refiner.sums[mention.element as usize];
                    *sum = sum.wrapping_add(mix(hash, mention.place));
                }
            }
            let all = colours.iter_mut().zip(&refiner.sums).zip(&refiner.open);
            for ((colour, sum), _) in all.filter(|(_, open)| **open) {
                *colour = recoloured(*colour, *sum);
            }
            let now = refiner.sort(colours);
            if now <= cells {
                return true;
            }
            cells = now;
        }
        false
    }

    /// The elements of the first shared colour, unless no fact relates them to others.
    fn first_cell(&self, colours: &[u64]) -> Option<Vec<u32>> {
        let refiner = &self.refiner;
        let same = |a: &u32, b: &u32| {
            let group = |element: u32| self.symmetry.places[element as usize].group;
            colours[*a as usize] == colours[*b as usize] && group(*a) == group(*b)
        };
        let mut cells = refiner.order.chunk_by(same);
        let is_open = |cell: &&[u32]| cell.len() > 1 && cell.iter().any(|element| refiner.bound[*element as usize]);
        cells.find(is_open).map(<[u32]>::to_vec)
    }

    /// One element of each class of elements that can be swapped without changing a fact.
    fn representatives(&self, cell: &[u32]) -> Vec<u32> {
        let refiner = &self.refiner;
        let mut representatives: Vec<u32> = Vec::new();
        for &element in cell {
            let exchangeable =
                |known: &u32| refiner.signature(*known, element, false) == refiner.signature(*known, element, true);
            if !representatives.iter().any(exchangeable) {
                representatives.push(element);
            }
        }
        representatives
    }

    /// The order of the elements is a permutation.
    fn leaf(&mut self, state: Source) {
        self.refiner.leaves += 1;
        let mut permutation = std::mem::take(&mut self.refiner.permutation);
        for (position, &element) in self.refiner.order.iter().enumerate() {
            let place = &self.symmetry.places[element as usize];
            let start = self.symmetry.starts[place.group];
            permutation[element as usize] = position - start;
        }
        let is_identity = |(place, number): (&ElementPlace, &usize)| place.number == *number;
        let found = match self.symmetry.places.iter().zip(&permutation).all(is_identity) {
            true => Found::State,
            false => Found::Image,
        };
        let is_less = match state {
            Source::State(state) => self.leaf_of_state(state, &permutation, found),
            Source::Packed(words) => self.leaf_of_packed(words, &permutation, found),
        };
        self.refiner.permutation = permutation;
        if is_less {
            self.refiner.found = Some(found);
        }
    }

    /// Whether an image is less than all before; it is then kept.
    fn leaf_of_state(&mut self, state: &[i64], permutation: &Permutation, found: Found) -> bool {
        if found == Found::Image {
            self.image.build(self.symmetry, state, permutation, self.lists);
        }
        let image = match found {
            Found::State => state,
            Found::Image => &self.image.state,
        };
        let is_less = match self.refiner.found {
            None => true,
            Some(Found::State) => self.compare(image, state) == Ordering::Less,
            Some(Found::Image) => self.compare(image, &self.best) == Ordering::Less,
        };
        if is_less && found == Found::Image {
            std::mem::swap(&mut self.image.state, &mut self.best);
        }
        is_less
    }

    fn leaf_of_packed(&mut self, words: &[u64], permutation: &Permutation, found: Found) -> bool {
        let Some(packed) = &mut self.packed else { return false };
        if found == Found::Image {
            packed.build(words, permutation);
        }
        let image = match found {
            Found::State => words,
            Found::Image => &packed.image,
        };
        let is_less = match self.refiner.found {
            None => true,
            Some(Found::State) => image < words,
            Some(Found::Image) => image < &packed.best[..],
        };
        if is_less && found == Found::Image {
            std::mem::swap(&mut packed.image, &mut packed.best);
        }
        is_less
    }
}
