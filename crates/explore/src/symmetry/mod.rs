//! Symmetry reduction: states that differ only in the names of interchangeable elements are merged.
//!
//! A permutation of the elements of the symmetric scalarsets moves slots (array indices are renamed) and renames
//! values, also inside unions, lists and multisets. The canonical form of a state is the least of its images. For
//! small groups all permutations are tried, from tables ([`tables`]); for larger ones elements are first told apart
//! by what the state says of them, and only permutations that keep this order are tried ([`refine`]). There the
//! number of tries is bounded: past it the form found may not be the least, so that a state may be seen in several
//! forms, which is sound.
//!
//! After Ip and Dill, "Better verification through symmetry" (1996), and for the refinement McKay, "Practical graph
//! isomorphism" (1981).

mod refine;
mod tables;

use crate::lists::Lists;
use crate::store::mix;
use crate::worker::sort_multiset;
use refine::Refiner;
use std::cmp::Ordering;
use std::collections::HashMap;
use system::instance::{Instance, Multiset, Type, TypeId, UNDEFINED};
use tables::Tables;

/// Permutations that are tabulated, and those where states have to be built whole to be compared.
const TABULATED: usize = 120;
const TABULATED_WHOLE: usize = 24;

/// How the elements of the symmetric scalarsets act on states.
#[derive(Debug)]
pub(crate) struct Symmetry {
    /// The sizes of the groups of interchangeable elements.
    groups: Vec<usize>,
    /// How values are renamed, by type.
    renamings: Vec<Renaming>,
    shapes: Vec<Shape>,
    /// Slots that some permutation moves or renames, those first that tell elements apart at once.
    moving: Vec<u32>,
    multisets: Vec<Multiset>,
    /// Multisets or lists among the moving slots: images have to be built whole.
    whole: bool,
    tables: Option<Tables>,
}

#[derive(Clone, PartialEq, Debug)]
enum Renaming {
    Still,
    /// Values `start..start + size` are the elements of a group.
    Elements(Vec<Part>),
    List(TypeId),
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Part {
    start: i64,
    size: i64,
    group: usize,
}

/// What a permutation has to know of a slot.
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
    group: usize,
    element: usize,
    /// The slots that are like this one but for this index, by element.
    siblings: Vec<u32>,
}

/// A permutation of each group.
type Permutation = Vec<Vec<usize>>;

impl Symmetry {
    /// `None` where nothing is symmetric.
    pub(crate) fn new(instance: &Instance) -> Option<Symmetry> {
        let (groups, renamings) = groups(instance);
        if groups.is_empty() {
            return None;
        }
        let shapes = shapes(instance, &renamings)?;
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
        let whole = !instance.multisets.is_empty() || moving.iter().any(has_list);
        let multisets = instance.multisets.clone();
        let mut symmetry = Symmetry {
            groups,
            renamings,
            shapes,
            moving,
            multisets,
            whole,
            tables: None,
        };
        symmetry.tables = Tables::new(&symmetry, if whole { TABULATED_WHOLE } else { TABULATED });
        Some(symmetry)
    }

    pub(crate) fn canonicaliser<'s>(&'s self, lists: &'s Lists) -> Canonicaliser<'s> {
        let slots = self.shapes.len();
        Canonicaliser {
            symmetry: self,
            lists,
            best: vec![UNDEFINED; slots],
            image: vec![UNDEFINED; slots],
            scratch: Vec::new(),
            refiner: Refiner::new(self),
        }
    }

    /// The slot that a permutation moves a slot to.
    fn move_slot(&self, slot: u32, permutation: &Permutation) -> u32 {
        let mut moved = slot;
        for position in 0..self.shapes[slot as usize].indices.len() {
            let original = &self.shapes[slot as usize].indices[position];
            let element = permutation[original.group][original.element];
            moved = self.shapes[moved as usize].indices[position].siblings[element];
        }
        moved
    }

    fn rename(&self, ty: TypeId, value: i64, permutation: &Permutation, lists: &Lists) -> i64 {
        if value == UNDEFINED {
            return value;
        }
        match &self.renamings[ty] {
            Renaming::Still => value,
            Renaming::Elements(parts) => match element_of(parts, value) {
                Some((group, element, start)) => start + permutation[group][element] as i64,
                None => value,
            },
            Renaming::List(element) => {
                let elements: Vec<i64> = lists
                    .elements(value)
                    .iter()
                    .map(|e| self.rename(*element, *e, permutation, lists))
                    .collect();
                // The interner is full only if as many lists exist already; then the state stays as it is.
                lists.intern(&elements).unwrap_or(value)
            }
        }
    }
}

/// The group and element that a value of a type with these parts is, and where the part starts.
fn element_of(parts: &[Part], value: i64) -> Option<(usize, usize, i64)> {
    let part = parts
        .iter()
        .find(|part| (part.start..part.start + part.size).contains(&value))?;
    Some((part.group, usize::try_from(value - part.start).ok()?, part.start))
}

/// Finds the least image of states; has room to do so without allocating.
pub(crate) struct Canonicaliser<'s> {
    symmetry: &'s Symmetry,
    lists: &'s Lists,
    best: Vec<i64>,
    image: Vec<i64>,
    scratch: Vec<i64>,
    refiner: Refiner,
}

impl Canonicaliser<'_> {
    /// Puts the canonical form in place of a state.
    pub(crate) fn canonicalise(&mut self, state: &mut [i64]) {
        match &self.symmetry.tables {
            Some(tables) if self.symmetry.whole => {
                self.best.copy_from_slice(state);
                for permutation in tables.permutations() {
                    self.try_permutation(state, permutation);
                }
                state.copy_from_slice(&self.best);
            }
            Some(tables) => tables.canonicalise(&self.symmetry.moving, state, &mut self.best),
            None => self.refine(state),
        }
    }

    /// Keeps the image of a state where it is less than the best so far.
    fn try_permutation(&mut self, state: &[i64], permutation: &Permutation) {
        self.build_image(state, permutation);
        if self.compare(&self.image, &self.best) == Ordering::Less {
            std::mem::swap(&mut self.image, &mut self.best);
        }
    }

    fn build_image(&mut self, state: &[i64], permutation: &Permutation) {
        let symmetry = self.symmetry;
        self.image.copy_from_slice(state);
        for &slot in &symmetry.moving {
            let ty = symmetry.shapes[slot as usize].ty;
            let value = symmetry.rename(ty, state[slot as usize], permutation, self.lists);
            self.image[symmetry.move_slot(slot, permutation) as usize] = value;
        }
        for multiset in &symmetry.multisets {
            let lists = self.lists;
            sort_multiset(&mut self.image, multiset, &mut self.scratch, |a, b, slot| {
                symmetry.order(lists, slot, a, b)
            });
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
    fn order(&self, lists: &Lists, slot: usize, a: i64, b: i64) -> Ordering {
        match self.renamings[self.shapes[slot].ty] {
            Renaming::List(_) => lists.compare(a, b),
            _ => a.cmp(&b),
        }
    }
}

/// The groups of an instance, and how the values of each type are renamed.
fn groups(instance: &Instance) -> (Vec<usize>, Vec<Renaming>) {
    let mut names: Vec<&Type> = Vec::new();
    let mut sizes = Vec::new();
    let mut renamings = Vec::with_capacity(instance.types.len());
    for ty in &instance.types {
        // Types may repeat in the table: equal ones are one.
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
            group,
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
        renamings.push(if parts.is_empty() {
            Renaming::Still
        } else {
            Renaming::Elements(parts)
        });
    }
    // Lists of what is renamed, and lists of those.
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

/// `None` where the slots are not what their families and indices promise: then nothing can be permuted.
fn shapes(instance: &Instance, renamings: &[Renaming]) -> Option<Vec<Shape>> {
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
                Renaming::Elements(parts) => element_of(parts, *value),
                _ => None,
            };
            let Some((group, element, start)) = element else {
                // The place of an element in a multiset depends on names, so it must not tell slots apart.
                kind = mix(kind, if in_multiset { 0 } else { value.cast_unsigned() });
                continue;
            };
            kind = mix(kind, 7);
            let size = renaming_size(&renamings[*ty], group);
            let mut siblings = Vec::with_capacity(size);
            for sibling in 0..size {
                let mut values: Vec<i64> = slot.indices.iter().map(|(_, value)| *value).collect();
                values[position] = start + sibling as i64;
                siblings.push(*by_indices.get(&(slot.family, values))?);
            }
            indices.push(Index {
                group,
                element,
                siblings,
            });
        }
        shapes.push(Shape {
            ty: slot.ty,
            indices,
            kind,
        });
    }
    Some(shapes)
}

fn renaming_size(renaming: &Renaming, group: usize) -> usize {
    match renaming {
        Renaming::Elements(parts) => {
            let part = parts.iter().find(|part| part.group == group);
            part.map_or(0, |part| usize::try_from(part.size).unwrap_or(0))
        }
        _ => 0,
    }
}
