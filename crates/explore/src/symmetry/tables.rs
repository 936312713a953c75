//! Canonical forms by trying all permutations, using precomputed tables.

use super::{Permutation, Renaming, Symmetry};
use std::cmp::Ordering;
use system::instance::UNDEFINED;

/// All permutations, the identity first.
#[derive(Debug)]
pub(super) struct Tables {
    rows: Vec<Row>,
    /// The moving slots in order.
    moving: Vec<u32>,
    /// The number of leading slots whose values are never renamed.
    still: usize,
}

#[derive(Debug)]
struct Row {
    permutation: Permutation,
    /// For each moving slot, in order: the slot whose value moves here.
    sources: Vec<u32>,
    /// For renamed slots: the index of the renaming.
    renamings: Vec<u32>,
    /// Renamings as tables of values.
    tables: Vec<Box<[i64]>>,
}

impl Tables {
    /// `None` if there are more than `limit` permutations.
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
        let is_still = |slot: &&u32| symmetry.renamings[symmetry.shapes[**slot as usize].ty] == Renaming::Still;
        let still = symmetry.moving.iter().take_while(is_still).count();
        let rows = permutations.iter().map(|p| row(symmetry, p, still)).collect();
        Some(Tables {
            rows,
            moving: symmetry.moving.clone(),
            still,
        })
    }

    /// The permutation with the least image; `None` if that is the identity. Images are compared slot by slot, so most
    /// permutations cost a few comparisons.
    fn least(&self, state: &[i64]) -> Option<&Row> {
        let (identity, rows) = self.rows.split_first()?;
        let mut least = identity;
        for row in rows {
            if self.compare(row, least, state) == Ordering::Less {
                least = row;
            }
        }
        (!std::ptr::eq(least, identity)).then_some(least)
    }

    pub(super) fn least_permutation(&self, state: &[i64]) -> Option<&Permutation> {
        self.least(state).map(|row| &row.permutation)
    }

    /// Builds only the least image. False if the state is canonical already.
    pub(super) fn canonicalise(&self, state: &mut [i64], best: &mut [i64]) -> bool {
        let Some(least) = self.least(state) else {
            return false;
        };
        for (value, source) in best.iter_mut().zip(&least.sources) {
            *value = state[*source as usize];
        }
        for (value, renaming) in best[self.still..].iter_mut().zip(&least.renamings) {
            *value = least.renamed(*value, *renaming);
        }
        for (&slot, value) in self.moving.iter().zip(best) {
            state[slot as usize] = *value;
        }
        true
    }

    /// Compares two images of a state.
    fn compare(&self, a: &Row, b: &Row, state: &[i64]) -> Ordering {
        let (still_a, rest_a) = a.sources.split_at(self.still);
        let (still_b, rest_b) = b.sources.split_at(self.still);
        for (x, y) in still_a.iter().zip(still_b) {
            let (x, y) = (state[*x as usize], state[*y as usize]);
            if x != y {
                return x.cmp(&y);
            }
        }
        let rest_a = rest_a.iter().zip(&a.renamings);
        let rest_b = rest_b.iter().zip(&b.renamings);
        for ((x, by_a), (y, by_b)) in rest_a.zip(rest_b) {
            let (x, y) = (state[*x as usize], state[*y as usize]);
            // Most are undefined.
            if x == UNDEFINED && y == UNDEFINED {
                continue;
            }
            let order = a.renamed(x, *by_a).cmp(&b.renamed(y, *by_b));
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }
}

impl Row {
    #[inline]
    fn renamed(&self, value: i64, renaming: u32) -> i64 {
        let table = &self.tables[renaming as usize];
        let known = usize::try_from(value).ok().and_then(|value| table.get(value));
        known.copied().unwrap_or(value)
    }
}

fn row(symmetry: &Symmetry, permutation: &Permutation, still: usize) -> Row {
    let mut tables: Vec<Box<[i64]>> = vec![Box::default()];
    let mut by_type = vec![0u32; symmetry.renamings.len()];
    for (renaming, number) in symmetry.renamings.iter().zip(&mut by_type) {
        if let Renaming::Elements(elements) = renaming {
            let rename = |value: i64| match elements.get(value) {
                Some(element) => value - symmetry.places[element].number as i64 + permutation[element] as i64,
                None => value,
            };
            let end = elements.0.len() as i64;
            *number = tables.len() as u32;
            tables.push((0..end).map(rename).collect());
        }
    }
    let mut source = vec![0u32; symmetry.shapes.len()];
    for &slot in &symmetry.moving {
        source[symmetry.move_slot(slot, permutation) as usize] = slot;
    }
    let renaming = |slot: &u32| by_type[symmetry.shapes[*slot as usize].ty];
    Row {
        permutation: permutation.clone(),
        sources: symmetry.moving.iter().map(|slot| source[*slot as usize]).collect(),
        renamings: symmetry.moving[still..].iter().map(renaming).collect(),
        tables,
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
