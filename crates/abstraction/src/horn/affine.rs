//! Affine relations between machine integers: the smallest set of solutions of equations modulo `2^64` that has given
//! points.
//!
//! M. Müller-Olm and H. Seidl, *Analysis of modular arithmetic*, 2007; A. King and H. Søndergaard, *Automatic
//! abstraction for congruences*, 2010. An equation modulo a smaller power of two is one modulo `2^64`, multiplied by
//! the rest: so numbers of all widths are in one system.

/// Of the modulus.
const BITS: u32 = u64::BITS;

/// `x = c1 y1 + ... + c`, modulo `2^bits`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Relation {
    /// The position of `x`.
    pub(super) variable: usize,
    /// Of other variables, by their positions. None is zero.
    pub(super) coefficients: Vec<(usize, i128)>,
    pub(super) constant: i128,
    pub(super) bits: u32,
}

/// Points, none of which is in what those before it span.
#[derive(Clone, Debug, Default)]
pub(super) struct Hull {
    /// Each begins with a one, for the constant.
    points: Vec<Vec<u64>>,
}

impl Hull {
    pub(super) fn add(&mut self, point: &[i128]) {
        let coordinates = point.iter().map(|value| modulo(*value));
        self.points.push([1].into_iter().chain(coordinates).collect());
    }

    /// The equations that hold at all points. What an equation is solved for is in no later one. Where there is a
    /// choice, coefficients are small, and then it is the variable that comes first in the order.
    pub(super) fn relations(&self, order: &[usize]) -> Vec<Relation> {
        let width = order.len() + 1;
        let mut left = kernel(self.points.clone(), width);
        let mut solved: Vec<(usize, u32, Vec<u64>)> = Vec::new();
        while let Some((row, column, twos)) = best_pivot(&left, order) {
            let mut pivot = left.swap_remove(row);
            let unit = inverse(pivot[column] >> twos);
            scale(&mut pivot, unit);
            let others = left.iter_mut().chain(solved.iter_mut().map(|(_, _, row)| row));
            for other in others {
                let factor = other[column] >> twos;
                subtract(other, &pivot, factor);
            }
            solved.push((column, twos, pivot));
        }
        let relation = |(column, twos, row): (usize, u32, Vec<u64>)| {
            let bits = BITS - twos;
            let value = |position: usize| centred((row[position] >> twos).wrapping_neg(), bits);
            let others = (1..width).filter(|position| *position != column);
            Relation {
                variable: column - 1,
                coefficients: others
                    .map(|position| (position - 1, value(position)))
                    .filter(|(_, coefficient)| *coefficient != 0)
                    .collect(),
                constant: value(0),
                bits,
            }
        };
        solved.into_iter().map(relation).collect()
    }
}

/// Vectors that span all that are orthogonal to the rows: columns are combined until the matrix is diagonal.
fn kernel(mut rows: Vec<Vec<u64>>, width: usize) -> Vec<Vec<u64>> {
    let identity = |position: usize| (0..width).map(|other| u64::from(other == position)).collect();
    let mut columns: Vec<Vec<u64>> = (0..width).map(identity).collect();
    let mut diagonal = Vec::new();
    let order: Vec<usize> = (0..width).collect();
    while let Some((row, column, twos)) = pivot(&rows, &order[diagonal.len()..]) {
        let at = diagonal.len();
        let mut pivot = rows.swap_remove(row);
        pivot.swap(at, column);
        rows.iter_mut().for_each(|row| row.swap(at, column));
        columns.swap(at, column);
        let unit = inverse(pivot[at] >> twos);
        scale(&mut pivot, unit);
        for row in &mut rows {
            let factor = row[at] >> twos;
            subtract(row, &pivot, factor);
        }
        let (done, rest) = columns.split_at_mut(at + 1);
        for (column, entry) in rest.iter_mut().zip(&pivot[at + 1..]) {
            subtract(column, &done[at], entry >> twos);
        }
        diagonal.push(twos);
    }
    for (column, twos) in columns.iter_mut().zip(&diagonal) {
        // What `2^twos` makes zero.
        scale(column, 1u64.checked_shl(BITS - twos).unwrap_or(0));
    }
    columns.retain(|column| column.iter().any(|entry| *entry != 0));
    columns
}

/// The entry with fewest twos in these columns, or the first of them: its row, its column, and how many these are.
fn pivot(rows: &[Vec<u64>], columns: &[usize]) -> Option<(usize, usize, u32)> {
    let entries = columns.iter().flat_map(|column| {
        let entries = rows
            .iter()
            .enumerate()
            .map(move |(row, entries)| (row, *column, entries[*column]));
        entries.filter(|(_, _, entry)| *entry != 0)
    });
    let counted = entries.map(|(row, column, entry)| (row, column, entry.trailing_zeros()));
    counted.min_by_key(|(_, _, twos)| *twos)
}

/// The same among variables (the column of the constant is none of them), where small coefficients are left.
fn best_pivot(rows: &[Vec<u64>], order: &[usize]) -> Option<(usize, usize, u32)> {
    let columns: Vec<usize> = order.iter().map(|variable| variable + 1).collect();
    let (_, _, twos) = pivot(rows, &columns)?;
    let entries = columns
        .iter()
        .flat_map(|column| (0..rows.len()).map(move |row| (row, *column, twos)));
    let entries = entries.filter(|(row, column, twos)| {
        let entry = rows[*row][*column];
        entry != 0 && entry.trailing_zeros() == *twos
    });
    entries.min_by_key(|(row, column, twos)| {
        let unit = inverse(rows[*row][*column] >> twos);
        let coefficient = |entry: &u64| centred((entry >> twos).wrapping_mul(unit), BITS - twos).unsigned_abs();
        rows[*row]
            .iter()
            .map(|entry| u128::BITS - coefficient(entry).leading_zeros())
            .sum::<u32>()
    })
}

fn scale(row: &mut [u64], factor: u64) {
    row.iter_mut().for_each(|entry| *entry = entry.wrapping_mul(factor));
}

fn subtract(row: &mut [u64], other: &[u64], factor: u64) {
    for (entry, other) in row.iter_mut().zip(other) {
        *entry = entry.wrapping_sub(other.wrapping_mul(factor));
    }
}

/// Of an odd number, by Newton's method: each step doubles the bits that are right, three at first.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |inverse, _| {
        inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)))
    })
}

fn modulo(value: i128) -> u64 {
    u64::try_from(value.rem_euclid(1 << BITS)).unwrap_or_default()
}

/// The number nearest to zero that is the same modulo `2^bits`.
pub(super) fn centred(value: u64, bits: u32) -> i128 {
    nearest(i128::from(value), bits)
}

pub(super) fn nearest(value: i128, bits: u32) -> i128 {
    let modulus = 1i128 << bits;
    let value = value.rem_euclid(modulus);
    if value > modulus / 2 { value - modulus } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hull(points: &[&[i128]]) -> Hull {
        let mut hull = Hull::default();
        points.iter().for_each(|point| hull.add(point));
        hull
    }

    fn holds(relation: &Relation, point: &[i128]) -> bool {
        let others = relation.coefficients.iter().map(|(other, c)| c * point[*other]);
        let sum = others.sum::<i128>() + relation.constant;
        (point[relation.variable] - sum).rem_euclid(1 << relation.bits) == 0
    }

    #[test]
    fn a_line_is_one_equation_for_each_further_variable() {
        let relations = hull(&[&[1, 0, 7], &[2, 2, 7]]).relations(&[1, 2, 0]);
        let expected = [(2, vec![], 7), (1, vec![(0, 2)], -2)].map(|(variable, coefficients, constant)| Relation {
            variable,
            coefficients,
            constant,
            bits: 64,
        });
        assert_eq!(relations, expected);
    }

    #[test]
    fn numbers_that_wrap_around_earlier_are_related_modulo_less() {
        // A byte beside a wider counter.
        let relations = hull(&[&[0, 0], &[1, 1], &[256, 0]]).relations(&[1, 0]);
        let expected = Relation {
            variable: 1,
            coefficients: vec![(0, 1)],
            constant: 0,
            bits: 8,
        };
        assert_eq!(relations, [expected]);
        // Every third number modulo a power of two is any number; every fourth is not.
        assert!(hull(&[&[1], &[4]]).relations(&[0]).iter().all(|found| found.bits < 2));
        let relations = hull(&[&[3], &[7]]).relations(&[0]);
        assert_eq!((relations[0].bits, relations[0].constant), (2, -1));
    }

    /// Against all points of a small grid: the hull has those that the equations have.
    #[test]
    fn equations_hold_at_all_points_and_at_combinations_of_them_alone() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i128::from(seed >> 33) % 64 - 32
        };
        for round in 0..300 {
            let count = round % 4 + 1;
            let points: Vec<Vec<i128>> = (0..count).map(|_| (0..3).map(|_| random()).collect()).collect();
            let slices: Vec<&[i128]> = points.iter().map(Vec::as_slice).collect();
            let relations = hull(&slices).relations(&[0, 1, 2]);
            assert!(
                points
                    .iter()
                    .all(|point| relations.iter().all(|found| holds(found, point)))
            );
            let affine: Vec<i128> = (0..3)
                .map(|at| points[0][at] + 5 * (points[count - 1][at] - points[0][at]))
                .collect();
            assert!(relations.iter().all(|found| holds(found, &affine)), "{points:?}");
            // A point is new if and only if some equation fails there.
            let other: Vec<i128> = (0..3).map(|_| random()).collect();
            let with: Vec<&[i128]> = slices.iter().copied().chain([other.as_slice()]).collect();
            let is_in = relations.iter().all(|found| holds(found, &other));
            assert_eq!(
                hull(&with).relations(&[0, 1, 2]) == relations,
                is_in,
                "{points:?} {other:?}"
            );
        }
    }
}
