//! Invariants simplified for people: bounds of the same sum are joined.

use deduction::comparisons::{Interval, interval};
use logic::{Kind, Term, term};

/// An equal formula: `0 < x + 1 and x < 1` is `x = 0`.
pub(super) fn join_bounds(formula: Term) -> Term {
    let Kind::And(conjuncts) = formula.kind() else {
        return formula;
    };
    let mut bounded: Vec<(Term, Interval)> = Vec::new();
    // None in the place of a bounded sum.
    let mut joined: Vec<Option<Term>> = Vec::new();
    for conjunct in conjuncts {
        let Some((sum, interval)) = interval(*conjunct) else {
            joined.push(Some(*conjunct));
            continue;
        };
        match bounded.iter_mut().find(|(known, _)| *known == sum) {
            Some((_, known)) => *known = known.intersection(interval),
            None => {
                bounded.push((sum, interval));
                joined.push(None);
            }
        }
    }
    let mut bounds = bounded.into_iter().map(|(sum, interval)| interval.contains(sum));
    let each = joined.into_iter();
    term::and(each.filter_map(|conjunct| conjunct.or_else(|| bounds.next())))
}

/// `p and q or p and r` as `p and (q or r)`.
pub(super) fn disjunction(parts: &[Term]) -> Term {
    let parts: Vec<Vec<Term>> = parts.iter().map(|part| term::conjuncts(*part)).collect();
    let mut common = parts.first().cloned().unwrap_or_default();
    common.retain(|conjunct| parts.iter().all(|part| part.contains(conjunct)));
    let own = parts.iter().map(|part| {
        let own = part.iter().filter(|conjunct| !common.contains(conjunct));
        term::and(own.copied())
    });
    term::and([term::or(own)].into_iter().chain(common.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::pretty::pretty;
    use logic::{Function, Sort};

    #[test]
    fn common_conjuncts_are_factored_out() {
        let [p, q, r] = ["p", "q", "r"].map(|name| Function::constant(name, Sort::Bool).apply([]));
        let both = |a, b| term::and([a, b]);
        assert_eq!(disjunction(&[both(p, q), both(p, r)]), term::and([term::or([q, r]), p]));
        assert_eq!(disjunction(&[both(p, q), r]), term::or([both(p, q), r]));
        assert_eq!(disjunction(&[both(p, q)]), both(p, q));
        assert_eq!(disjunction(&[p, both(p, q)]), p);
        assert_eq!(disjunction(&[]), term::bool(false));
    }

    #[test]
    fn bounds_of_one_sum_are_joined() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let formula = term::and([
            term::not(term::less_equal(x, term::int(-1))),
            term::less(y, term::int(5)),
            term::not(term::less_equal(term::int(1), x)),
            term::less_equal(term::int(2), y),
        ]);
        assert_eq!(pretty(join_bounds(formula)), "x = 0 & y >= 2 & y <= 4");
    }
}
