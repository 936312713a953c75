//! Linear arithmetic: collects like terms and normalises comparisons.

use crate::rational::Rational;
use crate::sort::Sort;
use crate::term::{self, Kind, Term, add, as_number, equal, less, less_equal, multiply, not};
use std::collections::BTreeMap;

/// `c1 * t1 + ... + cn * tn + constant`, where no `ci` is zero and no `ti` is a sum or a constant multiple.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) coefficients: BTreeMap<Term, Rational>,
    pub(super) constant: Rational,
    pub(super) sort: Sort,
}

impl Linear {
    /// `None` on overflow.
    pub(super) fn from_term(term: Term) -> Option<Linear> {
        let mut linear = Linear {
            coefficients: BTreeMap::new(),
            constant: Rational::ZERO,
            sort: term.sort(),
        };
        linear.add(term, Rational::ONE)?;
        Some(linear)
    }

    /// Adds `factor * term`.
    fn add(&mut self, term: Term, factor: Rational) -> Option<()> {
        let mut pending = vec![(term, factor)];
        while let Some((term, factor)) = pending.pop() {
            if let Some(value) = as_number(term) {
                self.constant = self.constant.checked_add(value.checked_mul(factor)?)?;
                continue;
            }
            match term.kind() {
                Kind::Add(operands) => pending.extend(operands.iter().rev().map(|operand| (*operand, factor))),
                Kind::Multiply(a, b) if as_number(*a).is_some() => {
                    pending.push((*b, as_number(*a)?.checked_mul(factor)?));
                }
                _ => {
                    let coefficient = self.coefficients.entry(term).or_insert(Rational::ZERO);
                    *coefficient = coefficient.checked_add(factor)?;
                    if coefficient.is_zero() {
                        self.coefficients.remove(&term);
                    }
                }
            }
        }
        Some(())
    }

    /// `a - b`
    pub(super) fn difference(a: Term, b: Term) -> Option<Linear> {
        let mut linear = Linear::from_term(a)?;
        linear.add(b, Rational::from_integer(-1))?;
        Some(linear)
    }

    pub(super) fn scaled(mut self, factor: Rational) -> Option<Linear> {
        for coefficient in self.coefficients.values_mut() {
            *coefficient = coefficient.checked_mul(factor)?;
        }
        self.constant = self.constant.checked_mul(factor)?;
        Some(self)
    }

    /// `None` if the sort is `Int` and a coefficient is a fraction.
    pub(super) fn term(&self) -> Option<Term> {
        let mut operands = Vec::new();
        for (term, coefficient) in &self.coefficients {
            operands.push(multiply(term::number(*coefficient, self.sort)?, *term));
        }
        operands.push(term::number(self.constant, self.sort)?);
        Some(add(operands))
    }

    /// The factor that makes the coefficients coprime integers with a positive leading one, and whether it is negative.
    fn normalising_factor(&self) -> Option<(Rational, bool)> {
        let first = self.coefficients.values().next()?;
        let mut divisor = Rational::ZERO;
        for coefficient in self.coefficients.values() {
            divisor = common_divisor(divisor, *coefficient)?;
        }
        let negative = first.numerator < 0;
        let sign = Rational::from_integer(if negative { -1 } else { 1 });
        Some((sign.checked_div(divisor)?, negative))
    }

    /// Positive coefficients on the left, negative ones on the right, the constant on the side where it is positive.
    fn sides(&self) -> Option<(Term, Term)> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (term, coefficient) in &self.coefficients {
            let side = if coefficient.numerator > 0 {
                &mut left
            } else {
                &mut right
            };
            let size = if coefficient.numerator > 0 {
                *coefficient
            } else {
                coefficient.checked_neg()?
            };
            side.push(multiply(term::number(size, self.sort)?, *term));
        }
        let moved = self.constant.checked_neg()?;
        if right.is_empty() || moved.numerator > 0 {
            right.push(term::number(moved, self.sort)?);
        } else {
            left.push(term::number(self.constant, self.sort)?);
        }
        Some((add(left), add(right)))
    }
}

/// The largest positive fraction of which both are integer multiples.
fn common_divisor(a: Rational, b: Rational) -> Option<Rational> {
    let (mut a, mut b) = (a, if b.numerator < 0 { b.checked_neg()? } else { b });
    while !b.is_zero() {
        let quotient = a.checked_div(b)?;
        let whole = Rational::from_integer(quotient.numerator.div_euclid(quotient.denominator));
        (a, b) = (b, a.checked_add(b.checked_mul(whole)?.checked_neg()?)?);
    }
    Some(a)
}

/// `x + 2 * y + x` is `2 * x + 2 * y`; `2 * (x + 1)` is `2 * x + 2`.
pub(super) fn collect_sum(term: Term) -> Option<Term> {
    let linear = match term.kind() {
        Kind::Add(_) => Linear::from_term(term)?,
        Kind::Multiply(a, _) if as_number(*a).is_some() => Linear::from_term(term)?,
        _ => return None,
    };
    linear.term()
}

/// Normalises a linear comparison to `p = q + k`, `p <= q + k` or `p < q + k`, or the negation of one of the latter
/// two, where `p` has the least term, coefficients are coprime, and integers are compared by `<=` only, except for `p <
/// q`. Equivalent comparisons mostly become identical, and a comparison and its opposite become `a` and `not a`.
pub(super) fn normalise_comparison(term: Term) -> Option<Term> {
    let (a, b) = match term.kind() {
        Kind::Equal(a, b) | Kind::Less(a, b) | Kind::LessEqual(a, b) => (*a, *b),
        _ => return None,
    };
    if !a.sort().is_numeric() {
        return None;
    }
    let difference = Linear::difference(a, b)?;
    if difference.coefficients.is_empty() {
        let zero = Rational::ZERO;
        return Some(term::bool(match term.kind() {
            Kind::Equal(..) => difference.constant == zero,
            Kind::Less(..) => difference.constant < zero,
            _ => difference.constant <= zero,
        }));
    }
    let (factor, negative) = difference.normalising_factor()?;
    let normal = difference.scaled(factor)?;
    match term.kind() {
        Kind::Equal(..) => equation(&normal),
        // -p < k is not (p <= -k)
        Kind::Less(..) => bound(normal, !negative).map(|bound| if negative { not(bound) } else { bound }),
        _ => bound(normal, negative).map(|bound| if negative { not(bound) } else { bound }),
    }
}

/// `normal = 0`; false if integers cannot add up to a fraction.
fn equation(normal: &Linear) -> Option<Term> {
    if normal.sort == Sort::Int && normal.constant.denominator != 1 {
        return Some(term::bool(false));
    }
    let (left, right) = normal.sides()?;
    Some(equal(left, right))
}

/// `normal < 0` if strict, otherwise `normal <= 0`.
fn bound(mut normal: Linear, strict: bool) -> Option<Term> {
    if normal.sort != Sort::Int {
        let (left, right) = normal.sides()?;
        return Some(if strict {
            less(left, right)
        } else {
            less_equal(left, right)
        });
    }
    // p + k < 0 is p + floor(k) + 1 <= 0, and p + k <= 0 is p + ceiling(k) <= 0.
    let Rational { numerator, denominator } = normal.constant;
    let floor = numerator.div_euclid(denominator);
    let whole = if strict || denominator != 1 {
        floor.checked_add(1)?
    } else {
        floor
    };
    normal.constant = Rational::from_integer(whole);
    if whole == 1 {
        normal.constant = Rational::ZERO;
        let (left, right) = normal.sides()?;
        return Some(less(left, right));
    }
    let (left, right) = normal.sides()?;
    Some(less_equal(left, right))
}
