//! Simple linear invariants by static analysis: conserved sums and bounds. Das asks for them in chapter 7, because no
//! trace of Mux-AST suggests the sum that its proof needs.
//!
//! A rule that adds a constant to each of some integers is a vector. A combination of integers that is orthogonal to
//! all of them keeps its value (Karr; the place invariants of nets). Where a rule does something else to an integer,
//! the combination may still be a good predicate. Bounds by initial values are tried one by one, and those stay that
//! are inductive together.

use super::query::{Literal, Possible, Query};
use deduction::houdini::{Houdini, Preservation, Steps};
use logic::{Function, Kind, Sort, Term, simplify::simplify, term};
use smt::{SolverError, Solvers};
use std::collections::BTreeSet;
use system::TransitionSystem;
use system::transition::Rule;

/// What static analysis says of the integers of a system.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    /// True in every reachable state; inductive together.
    pub invariants: Vec<Term>,
    /// Perhaps worth watching.
    pub candidates: Vec<Term>,
}

/// Coefficients too large for what this is for end the search.
const LARGEST: i128 = 1000;

/// Equations between integers, and bounds, that hold in every state: closed formulas.
pub fn invariants(system: &TransitionSystem, solvers: &Solvers) -> Result<Vec<Term>, SolverError> {
    Ok(analyse(system, solvers)?.invariants)
}

pub(super) fn analyse(system: &TransitionSystem, solvers: &Solvers) -> Result<Linear, SolverError> {
    let integers: Vec<Function> = system
        .state
        .iter()
        .map(|symbol| symbol.function)
        .filter(|f| f.parameters().is_empty() && f.result() == Sort::Int)
        .collect();
    let [start] = &system.starts[..] else {
        return Ok(Linear::default());
    };
    let initial: Vec<Option<Term>> = integers.iter().map(|x| initial_value(system, start, *x)).collect();
    let rows: Vec<Vec<Option<i128>>> = system
        .rules
        .iter()
        .map(|rule| integers.iter().map(|x| difference(rule, *x)).collect())
        .collect();
    let steady: Vec<Vec<i128>> = rows.iter().filter_map(|row| row.iter().copied().collect()).collect();
    let mut tried = Vec::new();
    for vector in orthogonal(&steady, integers.len()) {
        tried.extend(equation(&vector, &integers, &initial));
    }
    for (integer, value) in integers.iter().zip(&initial) {
        if let Some(value) = value {
            let integer = integer.apply([]);
            tried.extend([term::less_equal(*value, integer), term::less_equal(integer, *value)]);
        }
    }
    tried.extend(super::bounds::candidates(system, start));
    let invariants = inductive(system, &tried, solvers)?;
    let is_sum = |fact: &&Term| matches!(fact.kind(), Kind::Equal(..));
    let candidates = tried
        .iter()
        .filter(is_sum)
        .filter(|fact| !invariants.contains(fact))
        .copied()
        .collect();
    Ok(Linear { invariants, candidates })
}

/// The value that the start gives an integer, if it is a term without state.
fn initial_value(system: &TransitionSystem, start: &Rule, integer: Function) -> Option<Term> {
    let update = start.updates.iter().find(|update| update.function == integer)?;
    let rigid: BTreeSet<Function> = system.rigid.iter().map(|symbol| symbol.function).collect();
    let known = logic::substitute::functions_of(update.value).is_subset(&rigid);
    (known && update.value.free_variables().is_empty()).then_some(update.value)
}

/// What a rule adds to an integer, if that is a constant.
fn difference(rule: &Rule, integer: Function) -> Option<i128> {
    let Some(update) = rule.updates.iter().find(|update| update.function == integer) else {
        return Some(0);
    };
    match simplify(term::subtract(update.value, integer.apply([]))).kind() {
        Kind::Int(value) => Some(*value),
        _ => None,
    }
}

/// A basis of the vectors that are orthogonal to all rows, in small integers.
fn orthogonal(rows: &[Vec<i128>], width: usize) -> Vec<Vec<i128>> {
    let mut rows = rows.to_vec();
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..width {
        let from = pivots.len();
        let Some(found) = (from..rows.len()).find(|row| rows[*row][column] != 0) else {
            continue;
        };
        rows.swap(from, found);
        let pivot = rows[from].clone();
        for (number, row) in rows.iter_mut().enumerate() {
            if number != from && row[column] != 0 {
                let (a, b) = (pivot[column], row[column]);
                row.iter_mut()
                    .zip(&pivot)
                    .for_each(|(value, p)| *value = *value * a - p * b);
                reduce(row);
                if row.iter().any(|value| value.abs() > LARGEST) {
                    return Vec::new();
                }
            }
        }
        pivots.push(column);
    }
    let free = (0..width).filter(|column| !pivots.contains(column));
    free.map(|column| {
        // Scaled so that every pivot divides.
        let scale: i128 = pivots
            .iter()
            .enumerate()
            .map(|(row, pivot)| rows[row][*pivot].abs())
            .product();
        let mut vector = vec![0; width];
        vector[column] = scale;
        for (row, pivot) in pivots.iter().enumerate() {
            vector[*pivot] = -rows[row][column] * scale / rows[row][*pivot];
        }
        reduce(&mut vector);
        vector
    })
    .filter(|vector| vector.iter().all(|value| value.abs() <= LARGEST))
    .collect()
}

/// Divides by the greatest common divisor.
fn reduce(vector: &mut [i128]) {
    let divisor = vector.iter().fold(0, |a, b| greatest_common_divisor(a, b.abs()));
    if divisor > 1 {
        vector.iter_mut().for_each(|value| *value /= divisor);
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// `sum of coefficients * integers = its initial value`, where more than one integer takes part.
fn equation(vector: &[i128], integers: &[Function], initial: &[Option<Term>]) -> Option<Term> {
    let mut now = Vec::new();
    let mut then = Vec::new();
    for (number, coefficient) in vector.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0) {
        let coefficient = term::int(*coefficient);
        now.push(term::multiply(coefficient, integers[number].apply([])));
        then.push(term::multiply(coefficient, initial[number]?));
    }
    (now.len() > 1).then(|| simplify(term::equal(term::add(now), term::add(then))))
}

/// The largest subset of facts, all true at the start, that every rule preserves.
fn inductive(system: &TransitionSystem, tried: &[Term], solvers: &Solvers) -> Result<Vec<Term>, SolverError> {
    if tried.is_empty() {
        return Ok(Vec::new());
    }
    let always: Vec<Term> = system
        .axioms
        .iter()
        .chain(&system.type_facts)
        .map(|fact| fact.formula)
        .collect();
    let mut rules = Rules(Vec::new());
    let mut obligations = Vec::new();
    for (number, rule) in system.rules.iter().enumerate() {
        let step = rule.substitution();
        let mut facts = always.clone();
        facts.extend([rule.guard, step.apply(rule.constraint)]);
        let mut query = Query::new(solvers, &facts, step)?;
        for fact in tried {
            query.add_predicate(*fact)?;
        }
        let changed = (0..tried.len()).filter(|n| query.images[*n] != tried[*n]);
        obligations.extend(changed.map(|fact| (number, fact)));
        rules.0.push(query);
    }
    let mut houdini = Houdini::new(vec![true; tried.len()], usize::MAX);
    houdini.run_least_first(&mut rules, obligations)?;
    let standing = tried.iter().zip(houdini.standing).filter(|(_, stands)| *stands);
    Ok(standing.map(|(fact, _)| *fact).collect())
}

/// An obligation is a rule and a fact.
struct Rules(Vec<Query>);

impl Steps for Rules {
    type Obligation = (usize, usize);

    fn candidates(&self, (_, fact): (usize, usize)) -> Vec<usize> {
        vec![fact]
    }

    fn check(
        &mut self,
        (rule, fact): (usize, usize),
        _: &[usize],
        standing: &[bool],
    ) -> Result<Preservation, SolverError> {
        let before = (0..standing.len()).filter(|n| standing[*n]).map(|n| Literal {
            predicate: n,
            after: false,
            value: true,
        });
        let violated = Literal {
            predicate: fact,
            after: true,
            value: false,
        };
        let literals: Vec<Literal> = before.chain([violated]).collect();
        Ok(match self.0[rule].possible(&literals)? {
            Possible::Yes => Preservation::Broken(vec![fact]),
            Possible::Maybe(_) => Preservation::Unknown,
            Possible::No(core) => {
                Preservation::Preserved(core.iter().filter(|l| !l.after).map(|l| l.predicate).collect())
            }
        })
    }
}
