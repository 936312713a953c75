//! Division that truncates towards zero, as programs have it; SMT-LIB's `div` keeps the remainder non-negative.
//!
//! Solvers only know `div`, so truncated division becomes a term with conditions on signs. This module also recognises
//! such terms for pretty-printing.

use crate::term::{self, Kind, Term, as_number, int};

/// `sign(a) * sign(b) * (|a| div |b|)`
pub fn truncated_quotient(a: Term, b: Term) -> Term {
    let zero = int(0);
    let quotient = term::divide(absolute(a), absolute(b));
    let same_sign = term::equal(term::less(a, zero), term::less(b, zero));
    term::ite(same_sign, quotient, term::negate(quotient))
}

/// The remainder of truncated division: `a - b * (a / b)`
pub fn truncated_remainder(a: Term, b: Term) -> Term {
    term::subtract(a, term::multiply(b, truncated_quotient(a, b)))
}

fn absolute(term: Term) -> Term {
    term::ite(term::less(term, int(0)), term::negate(term), term)
}

/// A quotient of numbers, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quotient {
    pub(crate) negative: bool,
    pub(crate) dividend: Term,
    pub(crate) divisor: Term,
    pub(crate) rounding: Rounding,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounding {
    /// Towards zero.
    Truncated,
    /// As SMT-LIB's `div`.
    Euclidean,
}

/// Recognises a quotient, even after simplification has exploited the conditions on signs.
pub(crate) fn recognise(term: Term) -> Option<Quotient> {
    match term.kind() {
        Kind::Divide(a, b) if a.sort() == crate::Sort::Int => Some(Quotient {
            negative: false,
            dividend: *a,
            divisor: *b,
            rounding: Rounding::Euclidean,
        }),
        Kind::Ite(condition, then, otherwise) => {
            by_sign(*condition, *then, *otherwise).or_else(|| as_made(term, *then, *otherwise))
        }
        _ => None,
    }
}

/// The term exactly as [`truncated_quotient`] builds it.
fn as_made(term: Term, then: Term, otherwise: Term) -> Option<Quotient> {
    let (_, a, b) = signed_division(then).or_else(|| signed_division(otherwise))?;
    let [dividends, divisors] = [a, b].map(|side| [unsigned(side), term::negate(unsigned(side))]);
    // Only for a literal is it visible that its sign was removed.
    let several = |side: Term| if as_number(side).is_some() { 2 } else { 1 };
    for dividend in &dividends[..several(a)] {
        for divisor in &divisors[..several(b)] {
            if truncated_quotient(*dividend, *divisor) == term {
                return Some(Quotient {
                    negative: false,
                    dividend: *dividend,
                    divisor: *divisor,
                    rounding: Rounding::Truncated,
                });
            }
        }
    }
    None
}

/// `a < 0 ? -(-a div c) : a div c` for a positive number `c`, and the negation of that.
fn by_sign(condition: Term, then: Term, otherwise: Term) -> Option<Quotient> {
    let (then, otherwise) = (signed_division(then)?, signed_division(otherwise)?);
    let divisor = then.2;
    if otherwise.2 != divisor || otherwise.0 == then.0 || as_number(divisor)?.numerator <= 0 {
        return None;
    }
    // Which branch is for negative numbers?
    [(then, otherwise, false), (otherwise, then, true)]
        .into_iter()
        .find_map(|(below, above, negated)| {
            let dividend = unsigned(above.1);
            let fits = unsigned(below.1) == dividend || below.1 == term::negate(dividend);
            (fits && is_sign_of(condition, negated, dividend)).then_some(Quotient {
                negative: above.0,
                dividend,
                divisor,
                rounding: Rounding::Truncated,
            })
        })
}

/// `a div b` or `-(a div b)`: whether it is negated, and the operands.
fn signed_division(term: Term) -> Option<(bool, Term, Term)> {
    match term.kind() {
        Kind::Divide(a, b) => Some((false, *a, *b)),
        Kind::Multiply(sign, inner) if *sign == int(-1) => match inner.kind() {
            Kind::Divide(a, b) => Some((true, *a, *b)),
            _ => None,
        },
        _ => None,
    }
}

/// The term whose absolute value this is, or the term itself.
fn unsigned(term: Term) -> Term {
    match term.kind() {
        Kind::Ite(_, _, inner) if absolute(*inner) == term => *inner,
        _ => term,
    }
}

/// Whether the condition, or its negation, states that the number is negative.
fn is_sign_of(condition: Term, negated: bool, number: Term) -> bool {
    let below_zero = match (condition.kind(), negated) {
        (Kind::Less(a, b), false) => term::subtract(*a, *b),
        (Kind::LessEqual(a, b), false) => term::add([*a, term::negate(*b), int(-1)]),
        (Kind::Less(a, b), true) => term::add([*b, term::negate(*a), int(-1)]),
        (Kind::LessEqual(a, b), true) => term::subtract(*b, *a),
        _ => return false,
    };
    // A positive factor does not change the sign.
    let without_factor = |term: Term| match term.kind() {
        Kind::Multiply(factor, inner) if as_number(*factor).is_some_and(|factor| factor.numerator > 0) => *inner,
        _ => term,
    };
    term::subtract(without_factor(below_zero), without_factor(number)) == int(0)
}

/// A sum with recognised remainders: `rest + factor * (dividend % divisor) + ...`
pub(crate) struct Remainders {
    pub(crate) rest: Term,
    pub(crate) parts: Vec<(i128, Quotient)>,
}

/// Recognises `factor * (a - b * (a / b))` in a sum if that makes the sum shorter.
pub(crate) fn remainders(sum: Term) -> Remainders {
    let mut found = Remainders {
        rest: sum,
        parts: Vec::new(),
    };
    while let Some((rest, part)) = operands(found.rest)
        .iter()
        .find_map(|operand| without_remainder(found.rest, *operand))
    {
        found.rest = rest;
        found.parts.push(part);
    }
    found
}

/// The operands of a sum.
fn operands(sum: Term) -> Vec<Term> {
    match sum.kind() {
        Kind::Add(operands) => operands.clone(),
        Kind::Int(0) => Vec::new(),
        _ => vec![sum],
    }
}

fn without_remainder(sum: Term, operand: Term) -> Option<(Term, (i128, Quotient))> {
    let (factor, quotient) = multiple_of_quotient(operand)?;
    let others = term::subtract(sum, operand);
    let rest = term::subtract(others, term::multiply(int(factor), quotient.dividend));
    let shorter = operands(rest).len() < operands(others).len();
    shorter.then_some((rest, (factor, quotient)))
}

/// The factor `m` if the operand is `-m * b * (a / b)`.
fn multiple_of_quotient(operand: Term) -> Option<(i128, Quotient)> {
    let (number, product) = match operand.kind() {
        Kind::Multiply(number, product) if as_number(*number).is_some() => (as_number(*number)?.numerator, *product),
        _ => (1, operand),
    };
    let negated = |quotient: &Quotient| if quotient.negative { 1 } else { -1 };
    if let Some(quotient) = recognise(product) {
        let divisor = as_number(quotient.divisor)?.numerator;
        let times = number.checked_mul(negated(&quotient))?;
        return (times.checked_rem(divisor)? == 0).then_some((times / divisor, quotient));
    }
    let Kind::Multiply(a, b) = product.kind() else {
        return None;
    };
    [(*a, *b), (*b, *a)].into_iter().find_map(|(divisor, quotient)| {
        let quotient = recognise(quotient).filter(|quotient| quotient.divisor == divisor)?;
        Some((number.checked_mul(negated(&quotient))?, quotient))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplify;
    use crate::sort::Sort;
    use crate::term::Function;

    #[test]
    fn numbers_are_divided_as_in_programs() {
        for a in -7..=7_i64 {
            for b in [-3, -2, -1, 1, 2, 3_i64] {
                let [x, y] = [a, b].map(|number| int(i128::from(number)));
                assert_eq!(truncated_quotient(x, y), int(i128::from(a / b)), "{a} / {b}");
                assert_eq!(truncated_remainder(x, y), int(i128::from(a % b)), "{a} % {b}");
            }
        }
    }

    #[test]
    fn quotients_are_found_again() {
        let [x, y] = ["x", "y"].map(|name| Function::constant(name, Sort::Int).apply([]));
        let next = term::add([x, int(3)]);
        let twice = term::multiply(int(2), x);
        for (dividend, divisor) in [
            (x, int(2)),
            (next, int(2)),
            (twice, int(5)),
            (x, y),
            (int(10), y),
            (int(-10), y),
        ] {
            let expected = Quotient {
                negative: false,
                dividend,
                divisor,
                rounding: Rounding::Truncated,
            };
            let quotient = truncated_quotient(dividend, divisor);
            assert_eq!(recognise(quotient), Some(expected));
            if as_number(divisor).is_some() {
                assert_eq!(
                    recognise(simplify(quotient)),
                    Some(expected),
                    "{:?}",
                    simplify(quotient)
                );
            }
        }
        let negative = recognise(truncated_quotient(x, int(-2)));
        assert_eq!(
            negative.map(|quotient| (quotient.negative, quotient.divisor)),
            Some((true, int(2)))
        );
        // Not the sign of the dividend.
        let other = term::ite(
            term::less(y, int(0)),
            term::negate(term::divide(term::negate(x), int(2))),
            term::divide(x, int(2)),
        );
        assert_eq!(recognise(other), None);
    }
}
