//! Inequalities of numbers, and the intervals that they define.

use logic::{Function, Kind, Term, term};
use std::collections::BTreeMap;

/// `left <= right`, or `left < right`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    pub left: Term,
    pub right: Term,
    pub is_strict: bool,
}

/// The inequality that a literal is: `not a < b` is `b <= a`.
pub fn comparison(literal: Term) -> Option<Comparison> {
    let (left, right, is_strict) = match literal.kind() {
        Kind::LessEqual(a, b) => (a, b, false),
        Kind::Less(a, b) => (a, b, true),
        Kind::Not(inner) => match inner.kind() {
            Kind::LessEqual(a, b) => (b, a, true),
            Kind::Less(a, b) => (b, a, false),
            _ => return None,
        },
        _ => return None,
    };
    Some(Comparison {
        left: *left,
        right: *right,
        is_strict,
    })
}

/// The integers between two bounds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Interval {
    pub least: Option<i128>,
    pub greatest: Option<i128>,
}

impl Interval {
    #[must_use]
    pub fn intersection(self, other: Interval) -> Interval {
        let both = |a: Option<i128>, b: Option<i128>, choose: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(choose(a, b)),
            (bound, None) | (None, bound) => bound,
        };
        Interval {
            least: both(self.least, other.least, i128::max),
            greatest: both(self.greatest, other.greatest, i128::min),
        }
    }

    /// Both bounds, where there are both.
    pub fn range(self) -> Option<(i128, i128)> {
        self.least.zip(self.greatest)
    }

    /// That a term is in the interval.
    pub fn contains(self, term: Term) -> Term {
        match (self.least, self.greatest) {
            (Some(least), Some(greatest)) if least == greatest => term::equal(term, term::int(least)),
            (least, greatest) => {
                let least = least.map(|least| term::less_equal(term::int(least), term));
                let greatest = greatest.map(|greatest| term::less_equal(term, term::int(greatest)));
                term::and(least.into_iter().chain(greatest))
            }
        }
    }
}

/// A term that is no number, and the interval in which a literal says that it is.
pub fn interval(literal: Term) -> Option<(Term, Interval)> {
    let Comparison { left, right, is_strict } = comparison(literal)?;
    let strict = i128::from(is_strict);
    match (left.kind(), right.kind()) {
        (Kind::Int(_), Kind::Int(_)) => None,
        (Kind::Int(bound), _) => Some((
            right,
            Interval {
                least: Some(bound.checked_add(strict)?),
                greatest: None,
            },
        )),
        (_, Kind::Int(bound)) => Some((
            left,
            Interval {
                least: None,
                greatest: Some(bound.checked_sub(strict)?),
            },
        )),
        _ => None,
    }
}

/// The same where the term is a function, of any arguments.
pub fn interval_of_function(literal: Term) -> Option<(Function, Interval)> {
    let (term, interval) = interval(literal)?;
    match term.kind() {
        Kind::Apply(function, _) => Some((*function, interval)),
        _ => None,
    }
}

/// The least and the greatest values of functions.
pub type Ranges = BTreeMap<Function, (i128, i128)>;

/// The ranges that conjunctions define, of functions with both bounds.
pub fn ranges(formulas: impl IntoIterator<Item = Term>) -> Ranges {
    let mut intervals: BTreeMap<Function, Interval> = BTreeMap::new();
    let conjuncts = formulas.into_iter().flat_map(term::conjuncts);
    for (function, interval) in conjuncts.filter_map(interval_of_function) {
        let known = intervals.entry(function).or_default();
        *known = known.intersection(interval);
    }
    let both = intervals.into_iter();
    both.filter_map(|(function, interval)| Some((function, interval.range()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Sort;
    use logic::simplify;
    use logic::substitute::replace;

    /// All literals `x <= c`, `x < c` and so on against all small numbers.
    #[test]
    fn a_literal_holds_in_its_interval_and_nowhere_else() {
        let x = Function::constant("x", Sort::Int).apply([]);
        for c in -2..=2 {
            let c = term::int(c);
            let atoms = [
                term::less(x, c),
                term::less(c, x),
                term::less_equal(x, c),
                term::less_equal(c, x),
            ];
            for literal in atoms.into_iter().flat_map(|atom| [atom, term::not(atom)]) {
                let (of, interval) = interval(literal).unwrap();
                assert_eq!(of, x);
                for value in -4..=4 {
                    let at = |formula: Term| simplify(replace(formula, x, term::int(value)));
                    assert_eq!(at(literal), at(interval.contains(x)), "{literal:?} {value}");
                }
            }
        }
        assert_eq!(interval(term::equal(x, term::int(1))), None);
        assert_eq!(interval(term::less(term::int(i128::MAX), x)), None);
    }

    #[test]
    fn ranges_need_both_bounds_and_take_the_tightest() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int));
        let (at_x, at_y) = (x.apply([]), y.apply([]));
        let both = term::and([term::less(term::int(0), at_x), term::less_equal(at_x, term::int(9))]);
        let formulas = [both, term::less(at_x, term::int(5)), term::less(at_y, term::int(5))];
        assert_eq!(ranges(formulas), Ranges::from([(x, (1, 4))]));
    }
}
