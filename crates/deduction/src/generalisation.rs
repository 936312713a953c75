//! Cubes over index variables, generalised against explored states.
//!
//! A cube `c(x)` is a conjunction of literals about different elements `x`; its fact is `forall x. not c(x)`. A cube
//! that must be unreachable is generalised by leaving out variables and literals, as long as no reached state of a
//! small instance satisfies the rest (Conchon, Goel, Krstic, Mebsout and Zaidi, FMCAD 2013).

use crate::combinations::{permutations, subsets};
use crate::cores::shrink;
use crate::samples::{Rows, Samples};
use logic::{Function, Kind, Sort, Substitution, Term, Variable, term};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// Subsets of more literals than this are not enumerated: literals are then left out one by one.
const ENUMERATED: usize = 3;

/// The greatest number of equally general cubes that are considered.
const CANDIDATES: usize = 8;

/// The greatest number of variables of a sort whose orders are all tried.
const MAX_PERMUTED: usize = 4;

/// See the module. Its variables occur in its literals, and are named by sort and number.
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
            // Of many variables not all orders are tried: equal cubes may then look different.
            let orders = match variables.len() {
                count @ 0..=MAX_PERMUTED => permutations(count),
                count => vec![(0..count).collect()],
            };
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

    /// `forall x. not c(x)`, as an implication that is easy to read.
    pub fn fact(&self) -> Term {
        let values: Vec<Term> = self.variables.iter().map(|v| v.term()).collect();
        let is_negation = |l: &&Term| matches!(l.kind(), Kind::Not(_));
        let (negative, positive): (Vec<Term>, Vec<Term>) = self.literals.iter().partition(is_negation);
        let different = all_different(&values);
        let body = if negative.is_empty() {
            term::implies(term::and(different), term::not(term::and(positive)))
        } else {
            let premise = term::and(different.into_iter().chain(positive));
            term::implies(premise, term::or(negative.into_iter().map(term::not)))
        };
        term::forall(self.variables.clone(), body)
    }

    /// Whether every state that satisfies the other cube satisfies this one, as far as the literals show without
    /// renaming.
    fn is_part_of(&self, other: &Cube) -> bool {
        self.literals.iter().all(|l| other.literals.contains(l))
    }
}

/// Whether sorts of these sizes have all elements that the literals speak of: their variables, and one more where
/// something points to none of them.
fn fit(literals: &[Term], size: impl Fn(Sort) -> usize) -> bool {
    let is_variable = |t: &Term| matches!(t.kind(), Kind::Variable(_));
    let pointer = |atom: Term| match atom.kind() {
        Kind::Equal(a, b) if is_variable(a) && !is_variable(b) => Some(*b),
        Kind::Equal(a, b) if is_variable(b) && !is_variable(a) => Some(*a),
        _ => None,
    };
    let known: Vec<Term> = literals.iter().filter_map(|l| pointer(*l)).collect();
    let negated = literals.iter().filter_map(|l| match l.kind() {
        Kind::Not(atom) => pointer(*atom),
        _ => None,
    });
    let elsewhere: BTreeSet<Sort> = negated.filter(|t| !known.contains(t)).map(Term::sort).collect();
    let variables: BTreeSet<Variable> = literals.iter().flat_map(|l| l.free_variables()).copied().collect();
    let of = |sort: Sort| variables.iter().filter(|v| v.sort == sort).count();
    let enough = |sort: Sort| of(sort) + usize::from(elsewhere.contains(&sort)) <= size(sort);
    variables.iter().all(|v| enough(v.sort))
}

fn is_empty(rows: &[u64]) -> bool {
    rows.iter().all(|word| *word == 0)
}

fn intersect(rows: &[u64], with: &[u64]) -> Vec<u64> {
    rows.iter().zip(with).map(|(a, b)| a & b).collect()
}

/// The most general parts of the cube, with fewest variables and then fewest literals, that hold in no sample and are
/// not part of a refused cube. None where the cube itself holds in a sample, and after an interrupt.
pub fn generalise(cube: &Cube, samples: &mut Samples, refused: &[Cube], always: &BTreeSet<Function>) -> Vec<Cube> {
    let count = cube.variables.len();
    for size in 0..=count {
        let mut found: Vec<Cube> = Vec::new();
        for chosen in subsets(count, size) {
            let kept: Vec<Variable> = chosen.iter().map(|n| cube.variables[*n]).collect();
            if samples.is_interrupted() {
                return Vec::new();
            }
            if !samples.has_room(&kept) {
                continue;
            }
            let inside = |l: &&Term| l.free_variables().iter().all(|v| kept.contains(v));
            let part = Cube::new(cube.literals.iter().filter(inside).copied());
            if part.literals.is_empty() || part.variables.len() < kept.len() {
                continue;
            }
            found.extend(leave_out_literals(&part, samples, refused, always));
        }
        if let Some(fewest) = found.iter().map(|cube| cube.literals.len()).min() {
            found.retain(|cube| cube.literals.len() == fewest);
            found.dedup();
            found.truncate(CANDIDATES);
            return found;
        }
    }
    Vec::new()
}

/// The rows in which literals may hold.
struct Table {
    always: Vec<u64>,
    rows: Vec<Rows>,
}

impl Table {
    /// Whether no row satisfies all these literals. Most sets hold in one of the first.
    fn is_unreached(&self, literals: &[usize]) -> bool {
        let holds = |place: usize| {
            literals
                .iter()
                .fold(self.always[place], |word, n| word & self.rows[*n][place])
        };
        (0..self.always.len()).all(|place| holds(place) == 0)
    }
}

fn leave_out_literals(cube: &Cube, samples: &mut Samples, refused: &[Cube], always: &BTreeSet<Function>) -> Vec<Cube> {
    let is_fixed = |l: &Term| matches!(l.kind(), Kind::Apply(function, _) if always.contains(function));
    let (fixed, mut literals): (Vec<Term>, Vec<Term>) = cube.literals.iter().copied().partition(is_fixed);
    // Equations between numbers are the least likely to be of use for every size, quantifiers the least easy to prove.
    literals.sort_by_key(|l| {
        let is_equation = matches!(l.kind(), Kind::Equal(a, _) if a.sort().is_numeric());
        (l.has_quantifier(), is_equation)
    });
    let mut rows =
        |literals: &[Term]| -> Vec<Rows> { literals.iter().map(|l| samples.rows(&cube.variables, *l)).collect() };
    let (rows, fixed_rows) = (rows(&literals), rows(&fixed));
    let Some(first) = rows.first() else { return Vec::new() };
    let all = vec![u64::MAX; first.len()];
    let table = Table {
        always: fixed_rows.iter().fold(all, |rest, rows| intersect(&rest, rows)),
        rows,
    };
    let everything: Vec<usize> = (0..literals.len()).collect();
    // Where the instance has too few elements for all of this, it says nothing.
    if is_empty(&table.always) || !table.is_unreached(&everything) {
        return Vec::new();
    }
    let accepted = |chosen: &[usize]| {
        let chosen: Vec<Term> = chosen.iter().map(|n| literals[*n]).collect();
        let occurs = |l: &&Term| {
            l.free_variables()
                .iter()
                .all(|v| chosen.iter().any(|c| c.free_variables().contains(v)))
        };
        let part: Vec<Term> = chosen.iter().chain(fixed.iter().filter(occurs)).copied().collect();
        if !fit(&part, |sort| samples.members(sort)) {
            return None;
        }
        let part = Cube::new(part);
        (!refused.iter().any(|r| part.is_part_of(r))).then_some(part)
    };
    for size in 1..=ENUMERATED.min(literals.len()) {
        let unreached = subsets(literals.len(), size).filter(|subset| table.is_unreached(subset));
        let found: Vec<Cube> = unreached
            .take_while(|_| !samples.is_interrupted())
            .filter_map(|subset| accepted(&subset))
            .take(CANDIDATES)
            .collect();
        if !found.is_empty() {
            return found;
        }
    }
    let kept = shrink(everything.into_iter().collect(), 0..literals.len(), |rest, _| {
        let chosen: Vec<usize> = rest.iter().copied().collect();
        let is_accepted = table.is_unreached(&chosen) && accepted(&chosen).is_some();
        Ok::<_, Infallible>(is_accepted.then(|| rest.clone()))
    });
    let Ok(kept) = kept;
    accepted(&kept.into_iter().collect::<Vec<_>>()).into_iter().collect()
}
