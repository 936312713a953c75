//! Cubes over index variables, and how they become as general as the small instance allows.
//!
//! A cube `c(x)` is a conjunction of literals about different elements `x`. It stands for the fact `forall x. not c(x)`.
//! From a cube that must be unreachable come stronger facts by leaving out variables and literals, as long as no
//! reached state of the small instance satisfies what is left (Conchon, Goel, Krstic, Mebsout and Zaidi, FMCAD 2013).

use super::samples::{Rows, Samples};
use logic::{Sort, Substitution, Term, Variable, term};
use std::collections::{BTreeMap, BTreeSet};

/// Subsets of more literals than this are not enumerated: literals are then left out one by one.
const ENUMERATED: usize = 3;

/// See the module. The variables are those that occur, named by their sort and number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cube {
    pub variables: Vec<Variable>,
    /// In order.
    pub literals: Vec<Term>,
}

/// The variable of a cube with this number, counted from 0 for each sort.
pub fn variable(sort: Sort, number: usize) -> Variable {
    Variable::new(
        format!("{}{}", sort.to_string().to_lowercase(), number + 1).as_str(),
        sort,
    )
}

/// That terms of the same sort are different.
pub fn all_different(terms: &[Term]) -> Vec<Term> {
    let mut formulas = Vec::new();
    for (number, a) in terms.iter().enumerate() {
        let others = terms[..number].iter().filter(|b| b.sort() == a.sort());
        formulas.extend(others.map(|b| term::distinct(*a, *b)));
    }
    formulas
}

impl Cube {
    /// The literals with their variables renamed such that equal cubes look equal.
    pub fn new(literals: impl IntoIterator<Item = Term>) -> Cube {
        let literals: BTreeSet<Term> = literals.into_iter().collect();
        let used: BTreeSet<Variable> = literals.iter().flat_map(|l| l.free_variables()).copied().collect();
        let mut by_sort: BTreeMap<Sort, Vec<Variable>> = BTreeMap::new();
        used.iter().for_each(|v| by_sort.entry(v.sort).or_default().push(*v));
        let mut renamings: Vec<Vec<(Variable, Term)>> = vec![Vec::new()];
        for (sort, variables) in &by_sort {
            let orders = permutations(variables.len());
            let longer = |renaming: &Vec<(Variable, Term)>| {
                let renaming = renaming.clone();
                let with = move |order: &Vec<usize>| {
                    let pairs = variables
                        .iter()
                        .zip(order)
                        .map(|(v, n)| (*v, variable(*sort, *n).term()));
                    renaming.iter().copied().chain(pairs).collect::<Vec<_>>()
                };
                orders.iter().map(with).collect::<Vec<_>>()
            };
            renamings = renamings.iter().flat_map(longer).collect();
        }
        let renamed = |renaming: Vec<(Variable, Term)>| {
            let substitution = Substitution::of_variables(renaming);
            literals.iter().map(|l| substitution.apply(*l)).collect::<BTreeSet<_>>()
        };
        let least = renamings.into_iter().map(renamed).min().unwrap_or_default();
        let variables: BTreeSet<Variable> = least.iter().flat_map(|l| l.free_variables()).copied().collect();
        Cube {
            variables: variables.into_iter().collect(),
            literals: least.into_iter().collect(),
        }
    }

    /// The cube for these values of its variables, which must be different.
    pub fn instance(&self, values: &[Term]) -> Term {
        let substitution = Substitution::of_variables(self.variables.iter().copied().zip(values.iter().copied()));
        let literals = self.literals.iter().map(|l| substitution.apply(*l));
        term::and(all_different(values).into_iter().chain(literals))
    }

    /// `forall x. not c(x)`
    pub fn fact(&self) -> Term {
        let values: Vec<Term> = self.variables.iter().map(|v| v.term()).collect();
        term::forall(self.variables.clone(), term::not(self.instance(&values)))
    }

    /// Whether every state that satisfies the other cube satisfies this one, as far as the literals show without renaming.
    fn is_part_of(&self, other: &Cube) -> bool {
        self.literals.iter().all(|l| other.literals.contains(l))
    }
}

/// All orders of the numbers below `n`, at most four of which are moved.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n > 4 {
        return vec![(0..n).collect()];
    }
    let mut orders = vec![Vec::new()];
    for number in 0..n {
        let insert = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, number);
                longer
            })
        };
        orders = orders.iter().flat_map(insert).collect();
    }
    orders
}

fn is_empty(rows: &[u64]) -> bool {
    rows.iter().all(|word| *word == 0)
}

fn intersect(rows: &[u64], with: &[u64]) -> Vec<u64> {
    rows.iter().zip(with).map(|(a, b)| a & b).collect()
}

/// The most general cube, with fewest variables and then fewest literals, that holds in no sample, implies the given one's
/// being unreachable, and is not part of a refused one. `None` where even the cube itself holds in a sample.
pub fn generalise(cube: &Cube, samples: &mut Samples, refused: &[Cube]) -> Option<Cube> {
    let count = cube.variables.len();
    for size in 0..=count {
        for chosen in subsets(count, size) {
            let kept: Vec<Variable> = chosen.iter().map(|n| cube.variables[*n]).collect();
            if !samples.has_room(&kept) {
                continue;
            }
            let inside = |l: &&Term| l.free_variables().iter().all(|v| kept.contains(v));
            let part = Cube::new(cube.literals.iter().filter(inside).copied());
            if part.literals.is_empty() || part.variables.len() < kept.len() {
                continue;
            }
            if let Some(found) = leave_out_literals(&part, samples, refused) {
                return Some(found);
            }
        }
    }
    None
}

fn leave_out_literals(cube: &Cube, samples: &mut Samples, refused: &[Cube]) -> Option<Cube> {
    let rows: Vec<Rows> = cube
        .literals
        .iter()
        .map(|l| samples.rows(&cube.variables, *l))
        .collect();
    let first = rows.first()?;
    let all = rows
        .iter()
        .fold(vec![u64::MAX; first.len()], |all, rows| intersect(&all, rows));
    if !is_empty(&all) {
        return None;
    }
    let accepted = |literals: &[usize]| {
        let part = Cube::new(literals.iter().map(|n| cube.literals[*n]));
        (!refused.iter().any(|r| part.is_part_of(r))).then_some(part)
    };
    for size in 1..=ENUMERATED.min(cube.literals.len()) {
        for subset in subsets(cube.literals.len(), size) {
            let (last, others) = subset.split_last()?;
            let rest = others
                .iter()
                .fold(rows[*last].to_vec(), |rest, n| intersect(&rest, &rows[*n]));
            if is_empty(&rest)
                && let Some(part) = accepted(&subset)
            {
                return Some(part);
            }
        }
    }
    let mut kept: Vec<usize> = (0..cube.literals.len()).collect();
    for literal in 0..cube.literals.len() {
        let without: Vec<usize> = kept.iter().copied().filter(|n| *n != literal).collect();
        let rest = without
            .iter()
            .fold(vec![u64::MAX; first.len()], |rest, n| intersect(&rest, &rows[*n]));
        if is_empty(&rest) && accepted(&without).is_some() {
            kept = without;
        }
    }
    accepted(&kept)
}

/// The subsets of the numbers below `count` with this many elements, in order.
fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut subsets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = |subset: &Vec<usize>| {
            let subset = subset.clone();
            let from = subset.last().map_or(0, |last| last + 1);
            (from..count).map(move |next| [subset.clone(), vec![next]].concat())
        };
        subsets = subsets.iter().flat_map(longer).collect();
    }
    subsets
}
