//! Exact fractions: the values of the sort `Real`.

use std::cmp::Ordering;
use std::fmt;

/// An exact fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rational {
    pub numerator: i128,
    pub denominator: i128,
}

impl Rational {
    pub const ZERO: Rational = Rational {
        numerator: 0,
        denominator: 1,
    };
    pub const ONE: Rational = Rational {
        numerator: 1,
        denominator: 1,
    };

    /// `None` for a zero denominator or on overflow.
    pub fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        let divisor = greatest_common_divisor(numerator.checked_abs()?, denominator.checked_abs()?);
        if denominator == 0 {
            return None;
        }
        let sign = denominator.signum();
        Some(Rational {
            numerator: numerator / divisor * sign,
            denominator: denominator / divisor * sign,
        })
    }

    pub fn from_integer(value: i128) -> Rational {
        Rational {
            numerator: value,
            denominator: 1,
        }
    }

    pub fn checked_add(self, other: Rational) -> Option<Rational> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Rational::new(
            left.checked_add(right)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    pub fn checked_mul(self, other: Rational) -> Option<Rational> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Rational::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    /// Also `None` for division by zero.
    pub fn checked_div(self, other: Rational) -> Option<Rational> {
        let numerator = self.numerator.checked_mul(other.denominator)?;
        Rational::new(numerator, self.denominator.checked_mul(other.numerator)?)
    }

    pub fn checked_neg(self) -> Option<Rational> {
        Some(Rational {
            numerator: self.numerator.checked_neg()?,
            ..self
        })
    }

    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Numeric order. Compares integer parts, then the reciprocals of the fractional parts, so that no product can
/// overflow.
impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        let (mut a, mut b) = ((self.numerator, self.denominator), (other.numerator, other.denominator));
        let mut flipped = false;
        loop {
            let whole = a.0.div_euclid(a.1).cmp(&b.0.div_euclid(b.1));
            let rest = (a.0.rem_euclid(a.1), b.0.rem_euclid(b.1));
            let ordering = match rest {
                _ if whole != Ordering::Equal => whole,
                (0, 0) => Ordering::Equal,
                (0, _) => Ordering::Less,
                (_, 0) => Ordering::Greater,
                (left, right) => {
                    // left / a.1 < right / b.1 exactly where a.1 / left > b.1 / right.
                    (a, b) = ((a.1, left), (b.1, right));
                    flipped = !flipped;
                    continue;
                }
            };
            return if flipped { ordering.reverse() } else { ordering };
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 {
        a.max(1)
    } else {
        greatest_common_divisor(b, a % b)
    }
}

#[cfg(test)]
mod tests {
    use super::Rational;
    use proptest::prelude::*;

    fn small() -> impl Strategy<Value = Rational> {
        (-30i128..30, 1i128..9).prop_filter_map("not zero", |(n, d)| Rational::new(n, d))
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_cross_products(a in small(), b in small()) {
            let expected = (a.numerator * b.denominator).cmp(&(b.numerator * a.denominator));
            prop_assert_eq!(a.cmp(&b), expected);
        }

        #[test]
        fn division_undoes_multiplication(a in small(), b in small()) {
            if !b.is_zero() {
                prop_assert_eq!(a.checked_mul(b).unwrap().checked_div(b), Some(a));
            }
        }
    }

    #[test]
    fn comparison_does_not_overflow() {
        let (low, high) = (Rational::from_integer(i128::MIN), Rational::new(i128::MAX, 3).unwrap());
        assert!(low < high);
        assert!(Rational::new(i128::MAX - 1, i128::MAX).unwrap() < Rational::ONE);
    }

    #[test]
    fn zero_denominators_are_refused() {
        assert_eq!(Rational::new(3, 0), None);
        assert_eq!(Rational::ONE.checked_div(Rational::ZERO), None);
    }
}
