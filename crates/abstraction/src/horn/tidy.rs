//! Invariants for people: bounds on the same sum are said together.

use logic::{Kind, Term, term};

#[derive(Clone, Copy, Default)]
struct Bounds {
    least: Option<i128>,
    greatest: Option<i128>,
}

/// An equal formula: `0 < x + 1 and x < 1` is `x = 0`.
pub(super) fn tidy(formula: Term) -> Term {
    let Kind::And(conjuncts) = formula.kind() else {
        return formula;
    };
    let mut bounded: Vec<(Term, Bounds)> = Vec::new();
    let mut tidied: Vec<Option<Term>> = Vec::new();
    for conjunct in conjuncts {
        let Some((sum, bounds)) = bounds(*conjunct) else {
            tidied.push(Some(*conjunct));
            continue;
        };
        match bounded.iter_mut().find(|(known, _)| *known == sum) {
            Some((_, known)) => *known = both(*known, bounds),
            None => {
                bounded.push((sum, bounds));
                tidied.push(None);
            }
        }
    }
    let mut said = bounded.into_iter().map(|(sum, bounds)| within(sum, bounds));
    let each = tidied
        .into_iter()
        .filter_map(|conjunct| conjunct.or_else(|| said.next()));
    term::and(each)
}

/// `p and q or p and r` as `p and (q or r)`.
pub(super) fn choice(parts: &[Term]) -> Term {
    let parts: Vec<Vec<Term>> = parts.iter().map(|part| term::conjuncts(*part)).collect();
    let mut common = parts.first().cloned().unwrap_or_default();
    common.retain(|conjunct| parts.iter().all(|part| part.contains(conjunct)));
    let own = parts.iter().map(|part| {
        let own = part.iter().filter(|conjunct| !common.contains(conjunct));
        term::and(own.copied())
    });
    term::and([term::or(own)].into_iter().chain(common.iter().copied()))
}

fn both(a: Bounds, b: Bounds) -> Bounds {
    let pick = |a: Option<i128>, b: Option<i128>, choose: fn(i128, i128) -> i128| match (a, b) {
        (Some(a), Some(b)) => Some(choose(a, b)),
        (one, other) => one.or(other),
    };
    Bounds {
        least: pick(a.least, b.least, i128::max),
        greatest: pick(a.greatest, b.greatest, i128::min),
    }
}

fn within(sum: Term, bounds: Bounds) -> Term {
    match (bounds.least, bounds.greatest) {
        (Some(least), Some(greatest)) if least == greatest => term::equal(sum, term::int(least)),
        (least, greatest) => {
            let least = least.map(|least| term::less_equal(term::int(least), sum));
            let greatest = greatest.map(|greatest| term::less_equal(sum, term::int(greatest)));
            term::and(least.into_iter().chain(greatest))
        }
    }
}

/// What a literal says of a sum: at least so much, or at most.
fn bounds(literal: Term) -> Option<(Term, Bounds)> {
    let number = |term: Term| match term.kind() {
        Kind::Int(value) => Some(*value),
        _ => None,
    };
    let least = |sum: Term, least: i128| {
        let bounds = Bounds {
            least: Some(least),
            greatest: None,
        };
        Some((sum, bounds))
    };
    let greatest = |sum: Term, greatest: i128| {
        let bounds = Bounds {
            least: None,
            greatest: Some(greatest),
        };
        Some((sum, bounds))
    };
    let (literal, holds) = match literal.kind() {
        Kind::Not(inner) => (*inner, false),
        _ => (literal, true),
    };
    match literal.kind() {
        Kind::LessEqual(a, b) => match (number(*a), number(*b), holds) {
            (None, Some(c), true) => greatest(*a, c),
            (None, Some(c), false) => least(*a, c.checked_add(1)?),
            (Some(c), None, true) => least(*b, c),
            (Some(c), None, false) => greatest(*b, c.checked_sub(1)?),
            _ => None,
        },
        Kind::Less(a, b) => match (number(*a), number(*b), holds) {
            (None, Some(c), true) => greatest(*a, c.checked_sub(1)?),
            (None, Some(c), false) => least(*a, c),
            (Some(c), None, true) => least(*b, c.checked_add(1)?),
            (Some(c), None, false) => greatest(*b, c),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::pretty::pretty;
    use logic::{Function, Sort};

    #[test]
    fn what_all_cases_have_in_common_is_said_once() {
        let [p, q, r] = ["p", "q", "r"].map(|name| Function::constant(name, Sort::Bool).apply([]));
        let both = |a, b| term::and([a, b]);
        assert_eq!(choice(&[both(p, q), both(p, r)]), term::and([term::or([q, r]), p]));
        assert_eq!(choice(&[both(p, q), r]), term::or([both(p, q), r]));
        assert_eq!(choice(&[both(p, q)]), both(p, q));
        assert_eq!(choice(&[p, both(p, q)]), p);
        assert_eq!(choice(&[]), term::bool(false));
    }

    #[test]
    fn bounds_of_one_sum_are_said_together() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let formula = term::and([
            term::not(term::less_equal(x, term::int(-1))),
            term::less(y, term::int(5)),
            term::not(term::less_equal(term::int(1), x)),
            term::less_equal(term::int(2), y),
        ]);
        assert_eq!(pretty(tidy(formula)), "x = 0 & y >= 2 & y <= 4");
    }
}
