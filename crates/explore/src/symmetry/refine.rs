//! Canonical forms for large groups: elements are told apart by what the state says of them.
//!
//! What a state says is a collection of facts: a slot, or an element of a multiset, and the elements that it mentions,
//! as array indices or as values. A fact about one element alone is part of the colour that this element has from the
//! beginning. In each round the colour of an element takes up, for every fact about it and others, what the fact says
//! in terms of the colours so far; nothing in this depends on names. Elements of different colours are then put in
//! the order of their colours. Where several share one, each in turn is given a colour of its own and the rounds go
//! on: the leaves of this tree are permutations, and the least of their images is the canonical form. Elements that a
//! state does not tell apart at all (exchanging them changes no fact) need no branches.
//!
//! Colours are hashes. Two that are equal by chance, which nobody will see, would make two forms of one state.

use super::{Canonicaliser, ElementPlace, Permutation, Renaming, Symmetry, elements};
use crate::store::mix;
use std::cmp::Ordering;
use system::instance::{TypeId, UNDEFINED};

/// Leaves of the tree that are looked at.
const LEAVES: usize = 120;

/// What begins the places of mentions: as an index, as a value, in a list.
pub(super) const AS_INDEX: u64 = 0x300;
pub(super) const AS_VALUE: u64 = 0x400;

/// What takes the place of a value in a label: undefined, or some element.
const NOTHING: u64 = 3;
pub(super) const ELEMENT: u64 = 5;

/// Bits that a colour begins with. They say what the element says of itself, where that is known in so few, and never
/// change: elements of one kind are then beside each other, and states that are much alike have forms that are.
pub(super) const LEAD: u32 = 24;

/// A colour with other bits in front.
#[inline]
pub(super) fn with_lead(colour: u64, lead: u64) -> u64 {
    lead << (64 - LEAD) | colour & (u64::MAX >> LEAD)
}

/// What becomes of a colour with something more.
#[inline]
fn recoloured(colour: u64, more: u64) -> u64 {
    with_lead(mix(colour, more), colour >> (64 - LEAD))
}

#[derive(Debug)]
pub(super) struct Refiner {
    /// One symmetric index and a value that is never renamed.
    profiles: Vec<Profile>,
    /// No symmetric index, and a value that may be an element.
    pointers: Vec<Pointer>,
    /// One symmetric index, and a value that may be an element.
    links: Vec<Profile>,
    /// The other moving slots outside of multisets.
    slots: Vec<u32>,
    /// The colours that the elements of a group begin with.
    blank: Vec<u64>,
    /// The elements of each group.
    groups: Vec<std::ops::Range<usize>>,
    sums: Vec<u64>,
    /// Facts about several elements.
    facts: Vec<Fact>,
    mentions: Vec<Mention>,
    /// Elements that such a fact is about.
    bound: Vec<bool>,
    order: Vec<u32>,
    /// Elements that may still be told apart: some of their colour are bound.
    open: Vec<bool>,
    permutation: Vec<usize>,
    leaves: usize,
    found: Option<Found>,
}

/// What images are made of.
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
    /// In `best`.
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
    /// What the colour of the element takes up.
    weight: u64,
}

#[derive(Clone, Copy, Debug)]
struct Fact {
    label: u64,
    /// Where its mentions are.
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

    /// Forgets the last state.
    pub(super) fn begin(&mut self, colours: &mut Vec<u64>) {
        colours.clone_from(&self.blank);
        self.facts.clear();
        self.mentions.clear();
        self.bound.fill(false);
    }

    /// Adds the fact that a slot of an element names another.
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

    /// Puts the elements of each group in the order of their colours; returns how many different ones there are.
    fn sort(&mut self, colours: &[u64]) -> usize {
        self.order.clear();
        let mut cells = 0;
        for group in &self.groups {
            let start = self.order.len();
            self.order.extend(group.start as u32..group.end as u32);
            let order = &mut self.order[start..];
            cells += order.len();
            // By insertion: groups are small.
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

    /// Finds the elements that share their colour with others of their group, some of which are bound; false where
    /// there are none. The elements are in order.
    fn find_open(&mut self, colours: &[u64]) -> bool {
        self.open.fill(false);
        let mut some = false;
        for group in &self.groups {
            let same = |a: &u32, b: &u32| colours[*a as usize] == colours[*b as usize];
            // Groups lie in the order as they do among the elements.
            for cell in self.order[group.clone()].chunk_by(same) {
                if cell.len() > 1 && cell.iter().any(|element| self.bound[*element as usize]) {
                    cell.iter().for_each(|element| self.open[*element as usize] = true);
                    some = true;
                }
            }
        }
        some
    }

    /// What the facts about two elements say, in names, with the two exchanged or as they are.
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
    /// Puts the canonical form in place of a state; false where that is the state itself.
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

    /// Fills in the canonical form of a packed state, which is this unpacked, where that is of a kind that [`Packed`]
    /// knows.
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
                    // Indices inside of an element, where there are any.
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

    /// Mentions the elements of a value, and puts the rest of it into the label.
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

    /// Looks at all leaves below a colouring.
    fn descend(&mut self, state: Source, colours: &mut [u64]) {
        loop {
            let is_open = self.settle_colours(colours);
            let Some(cell) = is_open.then(|| self.first_cell(colours)).flatten() else {
                return self.leaf(state);
            };
            let representatives = self.representatives(&cell);
            if representatives.len() == 1 {
                // Any order of these is as good as any other.
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

    /// Rounds of recolouring until they tell nothing new; false where nothing is left to be told apart. The elements
    /// are then in order.
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

    /// The elements of the first colour that several share, unless nothing relates them to others.
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

    /// One element of each class of elements that can be exchanged without changing a fact.
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
