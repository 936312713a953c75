//! Canonical forms by trying all permutations, from tables of where slots come from and how values are renamed.

use super::{Permutation, Renaming, Symmetry};
use std::cmp::Ordering;
use system::instance::UNDEFINED;

/// All permutations but the identity.
#[derive(Debug)]
pub(super) struct Tables {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    /// For each moving slot, in their order: which slot's value comes here, and which renaming it gets.
    sources: Vec<(u32, u32)>,
    /// Renamings as tables of values; the first is empty and stands for none.
    renamings: Vec<Box<[i64]>>,
}

impl Tables {
    /// `None` where there are more than `limit` permutations.
    pub(super) fn new(symmetry: &Symmetry, sizes: &[usize], limit: usize) -> Option<Tables> {
        let mut count = 1usize;
        for size in sizes {
            for factor in 2..=*size {
                count = count.checked_mul(factor).filter(|count| *count <= limit)?;
            }
        }
        let mut permutations: Vec<Permutation> = vec![Vec::new()];
        for size in sizes {
            let of_group = arrangements(*size);
            permutations = permutations
                .iter()
                .flat_map(|done| {
                    of_group
                        .iter()
                        .map(move |next| [done.as_slice(), next.as_slice()].concat())
                })
                .collect();
        }
        let is_identity = |permutation: &Permutation| {
            let mut numbers = symmetry.places.iter().zip(permutation);
            numbers.all(|(place, number)| place.number == *number)
        };
        permutations.retain(|permutation| !is_identity(permutation));
        let rows = permutations.iter().map(|p| row(symmetry, p)).collect();
        Some(Tables { rows })
    }

    /// Images are compared slot by slot, so most permutations cost a few comparisons; only the least one is built.
    pub(super) fn canonicalise(&self, moving: &[u32], state: &mut [i64], best: &mut [i64]) {
        let mut least: Option<&Row> = None;
        for row in &self.rows {
            let value_of_least = |position: usize| match least {
                Some(least) => least.value(position, state),
                None => state[moving[position] as usize],
            };
            let differs = (0..moving.len())
                .map(|position| row.value(position, state).cmp(&value_of_least(position)))
                .find(|order| order.is_ne());
            if differs == Some(Ordering::Less) {
                least = Some(row);
            }
        }
        if let Some(least) = least {
            for (position, value) in best.iter_mut().enumerate().take(moving.len()) {
                *value = least.value(position, state);
            }
            for (&slot, value) in moving.iter().zip(best) {
                state[slot as usize] = *value;
            }
        }
    }
}

impl Row {
    #[inline]
    fn value(&self, position: usize, state: &[i64]) -> i64 {
        let (source, renaming) = self.sources[position];
        let value = state[source as usize];
        if renaming == 0 || value == UNDEFINED {
            return value;
        }
        let table = &self.renamings[renaming as usize];
        usize::try_from(value)
            .ok()
            .and_then(|value| table.get(value))
            .copied()
            .unwrap_or(value)
    }
}

fn row(symmetry: &Symmetry, permutation: &Permutation) -> Row {
    let mut renamings: Vec<Box<[i64]>> = vec![Box::default()];
    let mut by_type = vec![0u32; symmetry.renamings.len()];
    for (renaming, number) in symmetry.renamings.iter().zip(&mut by_type) {
        if let Renaming::Elements(elements) = renaming {
            let rename = |value: i64| match elements.get(value) {
                Some(element) => value - symmetry.places[element].number as i64 + permutation[element] as i64,
                None => value,
            };
            let end = elements.0.len() as i64;
            *number = renamings.len() as u32;
            renamings.push((0..end).map(rename).collect());
        }
    }
    let mut source = vec![0u32; symmetry.shapes.len()];
    for &slot in &symmetry.moving {
        source[symmetry.move_slot(slot, permutation) as usize] = slot;
    }
    let of_slot = |slot: &u32| (source[*slot as usize], by_type[symmetry.shapes[*slot as usize].ty]);
    Row {
        sources: symmetry.moving.iter().map(of_slot).collect(),
        renamings,
    }
}

/// All permutations of `0..size`, in lexicographic order.
fn arrangements(size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        all = all
            .iter()
            .flat_map(|done: &Vec<usize>| {
                (0..size)
                    .filter(|next| !done.contains(next))
                    .map(move |next| [done.as_slice(), &[next]].concat())
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::arrangements;

    #[test]
    fn arrangements_are_all_there() {
        assert_eq!(arrangements(3).len(), 6);
        assert_eq!(arrangements(3)[1], [0, 2, 1]);
        assert_eq!(arrangements(0), [Vec::<usize>::new()]);
    }
}
