//! Symmetry reduction: states that are equal up to renaming of interchangeable elements are merged.
//!
//! A permutation of the elements of the symmetric scalarsets moves slots (array indices are renamed) and renames
//! values, also inside unions, lists and multisets. The canonical form of a state is the least of its images. For small
//! groups all permutations are tried, from tables ([`tables`]). For larger ones, and for multisets and lists, elements
//! are first distinguished by the facts of the state, and only permutations that respect this order are tried
//! ([`refine`]). The number of tries is bounded there: beyond it the result may not be the least image, so a state may
//! have several forms, which is sound. The images of simple states are computed on packed bits ([`packed`]), and rules
//! fire only once for interchangeable elements ([`alike`]).
//!
//! After Ip and Dill, "Better verification through symmetry" (1996); the refinement follows McKay, "Practical graph
//! isomorphism" (1981).

mod alike;
mod image;
mod packed;
mod refine;
mod tables;

use crate::lists::Lists;
use crate::packing::Layout;
use crate::store::mix;
pub(crate) use alike::Alike;
use image::Image;
use packed::Packed;
use refine::Refiner;
use std::cmp::Ordering;
use std::collections::HashMap;
use system::instance::{Instance, Multiset, Type, TypeId, UNDEFINED};
use tables::Tables;

/// The maximum number of tabulated permutations.
const TABULATED: usize = 120;

/// The action of the elements of the symmetric scalarsets on states.
#[derive(Debug)]
pub(crate) struct Symmetry {
    /// The elements of all groups, one group after another: the group of each, and the start of each group.
    places: Vec<ElementPlace>,
    starts: Vec<usize>,
    /// By type: how its values are renamed.
    renamings: Vec<Renaming>,
    shapes: Vec<Shape>,
    /// Slots that some permutation moves or renames; those that distinguish elements immediately come first.
    moving: Vec<u32>,
    /// The multisets that are moved as a whole.
    bags: Vec<Bag>,
    multisets: Vec<Multiset>,
    tables: Option<Tables>,
}

/// A multiset, and the parts of its elements that are renamed. Symmetric indices are those of the multiset itself.
#[derive(Debug)]
struct Bag {
    multiset: Multiset,
    renamed: Vec<usize>,
}

/// The offsets of the present elements of a settled multiset, which come first.
fn elements(multiset: &Multiset, state: &[i64]) -> impl Iterator<Item = usize> {
    let Multiset { base, capacity, stride } = *multiset;
    let starts = (0..capacity).map(move |number| base + number * (stride + 1));
    starts.take_while(|start| state[*start] == 1)
}

/// An element of a group.
#[derive(Clone, Copy, Debug)]
struct ElementPlace {
    group: usize,
    /// Its index in the group.
    number: usize,
}

#[derive(Clone, PartialEq, Debug)]
enum Renaming {
    Still,
    /// Some of the values name elements.
    Elements(Elements),
    List(TypeId),
}

/// The element that each value of a type names, if any.
#[derive(Clone, PartialEq, Debug)]
struct Elements(Box<[Option<u32>]>);

impl Elements {
    #[inline]
    fn get(&self, value: i64) -> Option<usize> {
        let element = usize::try_from(value).ok().and_then(|value| self.0.get(value))?;
        element.map(|element| element as usize)
    }
}

/// How permutations act on a slot.
#[derive(Debug)]
struct Shape {
    ty: TypeId,
    indices: Vec<Index>,
    /// Equal for slots that permutations may exchange.
    kind: u64,
}

/// A symmetric array index of a slot.
#[derive(Debug)]
struct Index {
    element: usize,
    /// The slots that differ from this one only in this index, by the element's index in its group.
    siblings: Vec<u32>,
}

/// The new index of each element in its group.
type Permutation = Vec<usize>;

impl Symmetry {
    /// `None` if nothing is symmetric.
    pub(crate) fn new(instance: &Instance) -> Option<Symmetry> {
        let (sizes, renamings) = groups(instance);
        if sizes.is_empty() {
            return None;
        }
        let of_group = |(group, size): (usize, &usize)| (0..*size).map(move |number| ElementPlace { group, number });
        let places: Vec<ElementPlace> = sizes.iter().enumerate().flat_map(of_group).collect();
        let starts = sizes.iter().scan(0, |next, size| {
            *next += size;
            Some(*next - size)
        });
        let starts: Vec<usize> = starts.collect();
        let shapes = shapes(instance, &renamings, &places, &sizes)?;
        let mut moving: Vec<u32> = (0u32..)
            .zip(&shapes)
            .filter(|(_, shape)| !shape.indices.is_empty() || renamings[shape.ty] != Renaming::Still)
            .map(|(slot, _)| slot)
            .collect();
        if moving.is_empty() {
            return None;
        }
        moving.sort_by_key(|slot| renamings[shapes[*slot as usize].ty] != Renaming::Still);
        let has_list = |slot: &u32| matches!(renamings[shapes[*slot as usize].ty], Renaming::List(_));
        // Images of these cannot be compared slot by slot.
        let whole = !instance.multisets.is_empty() || moving.iter().any(has_list);
        let multisets = instance.multisets.clone();
        let bags = bags(instance, &shapes, &renamings);
        let mut symmetry = Symmetry {
            places,
            starts,
            renamings,
            shapes,
            moving,
            bags,
            multisets,
            tables: None,
        };
        if !whole {
            symmetry.tables = Tables::new(&symmetry, &sizes, TABULATED);
        }
        Some(symmetry)
    }

    /// The elements of each group.
    fn groups(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let ends = self.starts[1..].iter().copied().chain([self.places.len()]);
        self.starts.iter().zip(ends).map(|(start, end)| *start..end)
    }

    pub(crate) fn canonicaliser<'s>(&'s self, lists: &'s Lists, layout: &Layout) -> Canonicaliser<'s> {
        let slots = self.shapes.len();
        Canonicaliser {
            symmetry: self,
            lists,
            best: vec![UNDEFINED; slots],
            image: Image::new(self),
            packed: Packed::new(self, layout),
            colours: Vec::new(),
            refiner: Refiner::new(self),
        }
    }

    /// The slot to which a permutation moves a slot.
    fn move_slot(&self, slot: u32, permutation: &Permutation) -> u32 {
        let mut moved = slot;
        for position in 0..self.shapes[slot as usize].indices.len() {
            let original = &self.shapes[slot as usize].indices[position];
            let number = permutation[original.element];
            moved = self.shapes[moved as usize].indices[position].siblings[number];
        }
        moved
    }

    #[inline]
    fn rename(&self, ty: TypeId, value: i64, permutation: &Permutation, lists: &Lists) -> i64 {
        match &self.renamings[ty] {
            Renaming::Still => value,
            // The undefined value names no element.
            Renaming::Elements(elements) => match elements.get(value) {
                Some(element) => value - self.places[element].number as i64 + permutation[element] as i64,
                None => value,
            },
            Renaming::List(_) if value == UNDEFINED => value,
            Renaming::List(element) => self.rename_list(*element, value, permutation, lists),
        }
    }

    fn rename_list(&self, element: TypeId, list: i64, permutation: &Permutation, lists: &Lists) -> i64 {
        let elements: Vec<i64> = lists
            .elements(list)
            .iter()
            .map(|value| self.rename(element, *value, permutation, lists))
            .collect();
        // The interner is full only if that many lists already exist; the state then stays as it is.
        lists.intern(&elements).unwrap_or(list)
    }
}

/// Finds the least image of states, without allocating.
pub(crate) struct Canonicaliser<'s> {
    symmetry: &'s Symmetry,
    lists: &'s Lists,
    best: Vec<i64>,
    image: Image,
    packed: Option<Packed>,
    /// Scratch space for colours.
    colours: Vec<u64>,
    refiner: Refiner,
}

impl Canonicaliser<'_> {
    /// Whether canonical forms are computed on packed states.
    pub(crate) fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// Whether the unpacked state is needed nevertheless.
    pub(crate) fn compares_states(&self) -> bool {
        self.symmetry.tables.is_some()
    }

    /// Replaces a state by its canonical form; false if it is canonical already.
    pub(crate) fn canonicalise(&mut self, state: &mut [i64]) -> bool {
        match &self.symmetry.tables {
            Some(tables) => tables.canonicalise(state, &mut self.best),
            None => self.refine(state),
        }
    }

    fn compare(&self, a: &[i64], b: &[i64]) -> Ordering {
        let order = |slot: &u32| {
            let slot = *slot as usize;
            self.symmetry.order(self.lists, slot, a[slot], b[slot])
        };
        self.symmetry
            .moving
            .iter()
            .map(order)
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl Symmetry {
    /// For each slot, whether it is part of a multiset that is moved as a whole.
    fn in_bags(&self) -> Vec<bool> {
        let mut in_bag = vec![false; self.shapes.len()];
        for Bag { multiset, .. } in &self.bags {
            let end = multiset.base + multiset.capacity * (multiset.stride + 1);
            in_bag[multiset.base..end].fill(true);
        }
        in_bag
    }

    fn order(&self, lists: &Lists, slot: usize, a: i64, b: i64) -> Ordering {
        match self.renamings[self.shapes[slot].ty] {
            Renaming::List(_) => lists.compare(a, b),
            _ => a.cmp(&b),
        }
    }
}

/// Values `start..start + size` of a type name the elements of a group, from `first` on.
struct Part {
    start: i64,
    size: i64,
    first: u32,
}

/// The sizes of the groups of an instance, and the renaming of each type.
fn groups(instance: &Instance) -> (Vec<usize>, Vec<Renaming>) {
    let mut names: Vec<&Type> = Vec::new();
    let mut sizes = Vec::new();
    let mut renamings = Vec::with_capacity(instance.types.len());
    for ty in &instance.types {
        // The table may repeat types: equal ones are merged.
        if let Type::Scalarset {
            size, symmetric: true, ..
        } = ty
            && *size >= 2
            && !names.contains(&ty)
        {
            names.push(ty);
            sizes.push(usize::try_from(*size).unwrap_or(usize::MAX));
        }
    }
    let part = |id: TypeId, start: i64| {
        let ty = instance.types.get(id)?;
        let group = names.iter().position(|name| *name == ty)?;
        Some(Part {
            start,
            size: instance.bounds(id).1,
            first: sizes[..group].iter().sum::<usize>() as u32,
        })
    };
    for (id, ty) in instance.types.iter().enumerate() {
        let parts: Vec<Part> = match ty {
            Type::Scalarset { .. } => part(id, 0).into_iter().collect(),
            Type::Union { members } => {
                let starts = members.iter().scan(0, |next, member| {
                    let start = *next;
                    *next += instance.bounds(*member).1;
                    Some((*member, start))
                });
                starts.filter_map(|(member, start)| part(member, start)).collect()
            }
            _ => Vec::new(),
        };
        renamings.push(match parts.iter().map(|part| part.start + part.size).max() {
            None => Renaming::Still,
            Some(end) => {
                let part = |value: i64| {
                    parts
                        .iter()
                        .find(|part| (part.start..part.start + part.size).contains(&value))
                };
                let element = |value: i64| part(value).map(|part| part.first + (value - part.start) as u32);
                Renaming::Elements(Elements((0..end).map(element).collect()))
            }
        });
    }
    // Lists of renamed values, and nested lists.
    loop {
        let lists: Vec<(TypeId, TypeId)> = (0..)
            .zip(&instance.types)
            .filter_map(|(id, ty)| match ty {
                Type::List { element }
                    if renamings[id] == Renaming::Still && renamings[*element] != Renaming::Still =>
                {
                    Some((id, *element))
                }
                _ => None,
            })
            .collect();
        if lists.is_empty() {
            return (sizes, renamings);
        }
        lists
            .into_iter()
            .for_each(|(id, element)| renamings[id] = Renaming::List(element));
    }
}

/// Multisets whose slots have no symmetric indices except those of the multiset.
fn bags(instance: &Instance, shapes: &[Shape], renamings: &[Renaming]) -> Vec<Bag> {
    let bag = |multiset: &Multiset| {
        let all = multiset.base..multiset.base + multiset.capacity * (multiset.stride + 1);
        let indices = shapes.get(multiset.base)?.indices.len();
        let is_rigid = shapes.get(all)?.iter().all(|shape| shape.indices.len() == indices);
        let is_renamed = |offset: &usize| renamings[shapes[multiset.base + offset].ty] != Renaming::Still;
        is_rigid.then(|| Bag {
            multiset: multiset.clone(),
            renamed: (1..=multiset.stride).filter(is_renamed).collect(),
        })
    };
    instance.multisets.iter().filter_map(bag).collect()
}

/// `None` if the slots contradict their families and indices: then nothing can be permuted.
fn shapes(instance: &Instance, renamings: &[Renaming], places: &[ElementPlace], sizes: &[usize]) -> Option<Vec<Shape>> {
    let mut by_indices: HashMap<(usize, Vec<i64>), u32> = HashMap::new();
    for (number, slot) in (0u32..).zip(&instance.slots) {
        let values = slot.indices.iter().map(|(_, value)| *value).collect();
        if by_indices.insert((slot.family, values), number).is_some() {
            return None;
        }
    }
    let mut shapes = Vec::with_capacity(instance.slots.len());
    for (number, slot) in instance.slots.iter().enumerate() {
        let mut indices = Vec::new();
        let in_multiset = instance
            .multisets
            .iter()
            .any(|m| (m.base..m.base + m.capacity * (m.stride + 1)).contains(&number));
        let mut kind = mix(1, slot.family as u64);
        for (position, (ty, value)) in slot.indices.iter().enumerate() {
            let element = match &renamings[*ty] {
                Renaming::Elements(elements) => elements.get(*value),
                _ => None,
            };
            let Some(element) = element else {
                // The position of an element in a multiset depends on names, so it must not distinguish slots.
                kind = mix(kind, if in_multiset { 0 } else { value.cast_unsigned() });
                continue;
            };
            kind = mix(kind, 7);
            let ElementPlace { group, number } = places[element];
            let (start, size) = (*value - number as i64, sizes[group]);
            let mut siblings = Vec::with_capacity(size);
            for sibling in 0..size {
                let mut values: Vec<i64> = slot.indices.iter().map(|(_, value)| *value).collect();
                values[position] = start + sibling as i64;
                siblings.push(*by_indices.get(&(slot.family, values))?);
            }
            indices.push(Index { element, siblings });
        }
        shapes.push(Shape {
            ty: slot.ty,
            indices,
            kind,
        });
    }
    Some(shapes)
}
