//! Decomposition of predicates into atoms.
//!
//! A sum in C may wrap around, so a comparison of a sum is a case split: whether it wraps around, and the comparison in
//! either case. The weakest precondition of a case split nests another one, and doubles with each iteration of a loop.
//! The comparisons in it stay small, and their values determine the whole predicate.

use deduction::comparisons::Ranges;
use deduction::conditionals::find_conditional;
use logic::substitute::{functions_of, numbers_of, rebuild};
use logic::{Kind, Sort, Term, simplify, term};
use std::collections::BTreeSet;

/// The maximum number of comparisons of a decomposed predicate.
const MOST_ATOMS: usize = 8;

/// The distance from the ends of a range, relative to its width, is capped here.
const FAR: i128 = 1 << 40;

/// The predicates that determine a formula: itself; or, where sums in it may wrap around, the comparisons in it, if all
/// of them have the same form. Those about the ends of ranges come last, since they are the least likely to matter.
pub(super) fn apart(formula: Term, bounds: &Ranges) -> Vec<Term> {
    if to_an_end(formula, bounds) > FAR {
        return vec![formula];
    }
    let mut atoms = BTreeSet::new();
    let mut pending = vec![formula];
    while let Some(part) = pending.pop() {
        let part = simplify(decided(part, bounds));
        match part.kind() {
            Kind::Bool(_) => {}
            Kind::And(parts) | Kind::Or(parts) => pending.extend(parts),
            Kind::Not(part) => pending.push(*part),
            Kind::Implies(left, right) => pending.extend([*left, *right]),
            Kind::Ite(condition, then, otherwise) => pending.extend([*condition, *then, *otherwise]),
            Kind::Equal(left, right) if left.sort() == Sort::Bool => pending.extend([*left, *right]),
            _ => match find_conditional(part, |_| true) {
                Some(split) => pending.extend([split.condition, split.then, split.otherwise]),
                None => {
                    atoms.insert(part);
                }
            },
        }
        if atoms.len() + pending.len() > MOST_ATOMS {
            return vec![formula];
        }
    }
    let mut mentioned = atoms.iter().map(|atom| functions_of(*atom));
    let first = mentioned.next();
    if !mentioned.all(|functions| Some(functions) == first) {
        return vec![formula];
    }
    let mut atoms: Vec<Term> = atoms.into_iter().collect();
    atoms.sort_by_key(|atom| std::cmp::Reverse(to_an_end(*atom, bounds)));
    atoms
}

/// The distance of the constants of a formula from the ends of the ranges of its symbols, relative to the widths of
/// these; zero beyond an end. The lower end of unsigned ranges does not count, since comparisons with zero are common.
fn to_an_end(formula: Term, bounds: &Ranges) -> i128 {
    let functions = functions_of(formula);
    let numbers = numbers_of(&[formula]);
    let distance = |(least, greatest): &(i128, i128), number: i128| {
        let above = greatest.saturating_sub(number);
        let below = number.saturating_sub(*least);
        let nearest = if *least < 0 || below < 0 {
            above.min(below)
        } else {
            above
        };
        nearest.max(0).saturating_mul(FAR * 64) / greatest.saturating_sub(*least).max(1)
    };
    let ranges = functions.iter().filter_map(|function| bounds.get(function));
    let distances = ranges.flat_map(|range| numbers.iter().map(|number| distance(range, *number)));
    distances.min().unwrap_or(i128::MAX)
}

/// Evaluates the comparisons of a formula that the ranges determine.
fn decided(formula: Term, bounds: &Ranges) -> Term {
    let truth = match formula.kind() {
        Kind::LessEqual(left, right) => compared(*left, *right, bounds, |least, greatest| {
            (greatest <= 0).then_some(true).or((least > 0).then_some(false))
        }),
        Kind::Less(left, right) => compared(*left, *right, bounds, |least, greatest| {
            (greatest < 0).then_some(true).or((least >= 0).then_some(false))
        }),
        Kind::Equal(left, right) if left.sort() == Sort::Int => {
            let differ = |least, greatest| (least > 0 || greatest < 0).then_some(false);
            compared(*left, *right, bounds, differ)
        }
        _ => None,
    };
    match truth {
        Some(truth) => term::bool(truth),
        None => rebuild(formula, |part| decided(part, bounds)),
    }
}

/// Decides a comparison by the interval of the difference of two terms.
fn compared(left: Term, right: Term, bounds: &Ranges, decide: impl Fn(i128, i128) -> Option<bool>) -> Option<bool> {
    let (left, right) = (interval(left, bounds)?, interval(right, bounds)?);
    decide(left.0.checked_sub(right.1)?, left.1.checked_sub(right.0)?)
}

fn interval(term: Term, bounds: &Ranges) -> Option<(i128, i128)> {
    match term.kind() {
        Kind::Int(number) => Some((*number, *number)),
        Kind::Apply(function, operands) if operands.is_empty() => bounds.get(function).copied(),
        Kind::Add(parts) => {
            let mut sum = (0_i128, 0_i128);
            for part in parts {
                let (least, greatest) = interval(*part, bounds)?;
                sum = (sum.0.checked_add(least)?, sum.1.checked_add(greatest)?);
            }
            Some(sum)
        }
        Kind::Multiply(left, right) => {
            let (left, right) = (interval(*left, bounds)?, interval(*right, bounds)?);
            let ends = [
                (left.0, right.0),
                (left.0, right.1),
                (left.1, right.0),
                (left.1, right.1),
            ];
            let products: Option<Vec<i128>> = ends.iter().map(|(a, b)| a.checked_mul(*b)).collect();
            let products = products?;
            Some((*products.iter().min()?, *products.iter().max()?))
        }
        Kind::Modulo(_, by) => match by.kind() {
            Kind::Int(by) if *by > 0 => Some((0, by - 1)),
            _ => None,
        },
        Kind::Ite(_, then, otherwise) => {
            let (then, otherwise) = (interval(*then, bounds)?, interval(*otherwise, bounds)?);
            Some((then.0.min(otherwise.0), then.1.max(otherwise.1)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Function;
    use logic::substitute::replace;

    fn number(name: &str) -> (Function, Term) {
        let function = Function::constant(name, Sort::Int);
        (function, function.apply([]))
    }

    /// `i + 1`, of 32 bits
    fn next(i: Term) -> Term {
        let sum = term::add([i, term::int(1)]);
        let greatest = term::int((1 << 31) - 1);
        term::ite(term::less(greatest, sum), term::subtract(sum, term::int(1 << 32)), sum)
    }

    #[test]
    fn comparisons_of_sums_that_wrap_around_stay_small() {
        let (function, i) = number("i");
        let bounds = Ranges::from([(function, (-(1 << 31), (1 << 31) - 1))]);
        let mut known = vec![simplify(term::less_equal(i, term::int(2)))];
        for round in 0..10 {
            let before: BTreeSet<Term> = known
                .iter()
                .flat_map(|one| apart(simplify(replace(*one, i, next(i))), &bounds))
                .collect();
            let wanted = simplify(term::less_equal(i, term::int(1 - round)));
            assert!(before.contains(&wanted), "round {round}: {before:?}");
            assert!(before.len() <= 12, "round {round}: {before:?}");
            known = before.into_iter().collect();
        }
    }

    #[test]
    fn ranges_decide_comparisons() {
        let (function, i) = number("i");
        let bounds = Ranges::from([(function, (0, 255))]);
        assert_eq!(apart(term::less_equal(i, term::int(300)), &bounds), []);
        assert_eq!(apart(term::equal(i, term::int(-1)), &bounds), []);
        for number in [254, 7] {
            let open = simplify(term::less_equal(i, term::int(number)));
            assert_eq!(apart(open, &bounds), [open]);
        }
    }

    #[test]
    fn choices_between_different_things_stay_whole() {
        let [(p_function, p), (x_function, x), (y_function, y)] = ["p", "x", "y"].map(number);
        let bounds = Ranges::from([p_function, x_function, y_function].map(|function| (function, (0, 255))));
        let pointed_at = term::ite(term::equal(p, term::int(64)), x, y);
        let formula = simplify(term::equal(pointed_at, term::int(255)));
        assert_eq!(apart(formula, &bounds), [formula]);
    }
}
