//! Integers of machines as mathematical ones: every operation with its wrapping around, in linear arithmetic wherever
//! one operand is known.
//!
//! A value of a type is a number in the range of the type. What has no linear form (the product of two unknowns, bits
//! of two unknowns) is `None`: whoever asks takes any number of the type for it.

use crate::Undefinedness;
use logic::{Kind, Term, term, truncated_quotient, truncated_remainder};
use system::program::{BinaryOperator, Integer};

/// A number that is known.
pub(crate) fn constant(term: Term) -> Option<i128> {
    match term.kind() {
        Kind::Int(value) => Some(*value),
        _ => None,
    }
}

/// `least <= value and value <= greatest`
pub(crate) fn in_range(value: Term, integer: Integer) -> Term {
    let (least, greatest) = (term::int(integer.least()), term::int(integer.greatest()));
    term::and([term::less_equal(least, value), term::less_equal(value, greatest)])
}

/// What is known of any value of a type that is kept.
pub(crate) fn kept(value: Term, integer: Integer, undefined: Undefinedness) -> Term {
    match undefined {
        Undefinedness::Unbounded if integer.bits > 1 => term::bool(true),
        _ => in_range(value, integer),
    }
}

/// What is known of any value of a type that comes from outside.
pub(crate) fn given(value: Term, integer: Integer, undefined: Undefinedness) -> Term {
    match undefined {
        Undefinedness::Unbounded if integer.bits > 1 && integer.is_signed => term::bool(true),
        Undefinedness::Unbounded if integer.bits > 1 => term::less_equal(term::int(0), value),
        _ => in_range(value, integer),
    }
}

/// The number of the type that equals the value modulo a power of two.
pub(crate) fn wrap(value: Term, integer: Integer) -> Term {
    if let Some(value) = constant(value) {
        return term::int(integer.wrap(value));
    }
    if let Kind::Ite(condition, then, otherwise) = value.kind()
        && (constant(*then).is_some() || constant(*otherwise).is_some())
    {
        return term::ite(*condition, wrap(*then, integer), wrap(*otherwise, integer));
    }
    let least = term::int(integer.least());
    let from_least = term::modulo(term::subtract(value, least), term::int(1 << integer.bits));
    term::add([from_least, least])
}

/// As [`wrap`], of a value that is outside of the range by less than its width: what sums and differences are.
pub(crate) fn wrap_once(value: Term, integer: Integer) -> Term {
    if constant(value).is_some() {
        return wrap(value, integer);
    }
    let width = term::int(1 << integer.bits);
    let (least, greatest) = (term::int(integer.least()), term::int(integer.greatest()));
    let raised = term::ite(term::less(value, least), term::add([value, width]), value);
    term::ite(term::less(greatest, value), term::subtract(value, width), raised)
}

/// The result as a mathematical number, before it wraps around, and whether it can be outside by less than the width of
/// the type only. None where there is no linear form.
pub(crate) fn exact(operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Option<(Term, bool)> {
    Some(match operator {
        BinaryOperator::Add => (term::add([left, right]), true),
        BinaryOperator::Subtract => (term::subtract(left, right), true),
        BinaryOperator::Multiply => {
            match (constant(left), constant(right)) {
                (None, None) => return None,
                // Beyond 128 bits, what is lost is a multiple of the width of every type.
                (Some(left), Some(right)) => (term::int(left.wrapping_mul(right)), false),
                _ => (term::multiply(left, right), false),
            }
        }
        BinaryOperator::Divide => (quotient(left, right, integer)?, true),
        BinaryOperator::Remainder => (remainder(left, right, integer)?, true),
        BinaryOperator::ShiftLeft => (
            shifted(right, integer, |by| term::multiply(left, term::int(1 << by)))?,
            false,
        ),
        BinaryOperator::ShiftRight => (
            shifted(right, integer, |by| term::divide(left, term::int(1 << by)))?,
            true,
        ),
        BinaryOperator::And => (both(left, right, integer)?, true),
        // a | b = a + b - (a & b)
        BinaryOperator::Or => {
            let both = both(left, right, integer)?;
            (term::subtract(term::add([left, right]), both), true)
        }
        // a ^ b = a + b - 2 (a & b)
        BinaryOperator::ExclusiveOr => {
            let both = both(left, right, integer)?;
            (
                term::subtract(term::add([left, right]), term::multiply(term::int(2), both)),
                true,
            )
        }
    })
}

/// As [`exact`], where numbers have no end: those below zero have infinitely many ones.
pub(crate) fn unbounded(operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Option<Term> {
    let both = || match (constant(left), constant(right)) {
        (Some(mask), None) if mask < 0 => Some(term::subtract(right, bits_of(right, !mask))),
        (None, Some(mask)) if mask < 0 => Some(term::subtract(left, bits_of(left, !mask))),
        (Some(mask), None) => Some(bits_of(right, mask)),
        (None, Some(mask)) => Some(bits_of(left, mask)),
        _ => both(left, right, integer),
    };
    match operator {
        BinaryOperator::And => both(),
        BinaryOperator::Or => Some(term::subtract(term::add([left, right]), both()?)),
        BinaryOperator::ExclusiveOr => {
            let twice = term::multiply(term::int(2), both()?);
            Some(term::subtract(term::add([left, right]), twice))
        }
        _ => exact(operator, left, right, Integer::new(integer.bits, true)).map(|(exact, _)| exact),
    }
}

/// Rounded towards zero, by a number that is known and not zero.
fn quotient(left: Term, right: Term, integer: Integer) -> Option<Term> {
    let divisor = constant(right).filter(|divisor| *divisor != 0)?;
    Some(match integer.is_signed || divisor < 0 {
        true => truncated_quotient(left, right),
        false => term::divide(left, right),
    })
}

fn remainder(left: Term, right: Term, integer: Integer) -> Option<Term> {
    let divisor = constant(right).filter(|divisor| *divisor != 0)?;
    Some(match integer.is_signed || divisor < 0 {
        true => truncated_remainder(left, right),
        false => term::modulo(left, right),
    })
}

/// By a number that is known, or by each that it may be.
fn shifted(by: Term, integer: Integer, shift: impl Fn(u32) -> Term) -> Option<Term> {
    if let Some(by) = constant(by) {
        let by = u32::try_from(by).ok().filter(|by| *by < integer.bits)?;
        return Some(shift(by));
    }
    let cases = (1..integer.bits).rev();
    Some(cases.fold(shift(0), |rest, amount| {
        term::ite(term::equal(by, term::int(i128::from(amount))), shift(amount), rest)
    }))
}

/// `a & b` where one of them is known: a sum over the runs of ones in it. Division that rounds down sees the bits of
/// negative numbers, too.
fn both(left: Term, right: Term, integer: Integer) -> Option<Term> {
    let (mask, other) = match (constant(left), constant(right)) {
        (Some(a), Some(b)) => return Some(term::int(a & b)),
        (Some(mask), None) => (mask, right),
        (None, Some(mask)) => (mask, left),
        (None, None) if left == right => return Some(left),
        (None, None) => return choices_of_both(left, right),
    };
    let bits = if integer.is_signed {
        integer.bits - 1
    } else {
        integer.bits
    };
    let below_sign = bits_of(other, mask & ((1 << bits) - 1));
    if integer.is_signed && mask < 0 {
        // The bit of the sign counts less than nothing.
        let sign = term::less(other, term::int(0));
        let sign = term::ite(sign, term::int(integer.least()), term::int(0));
        return Some(term::add([below_sign, sign]));
    }
    Some(below_sign)
}

/// `other & mask`, where the mask is not negative.
fn bits_of(other: Term, mask: i128) -> Term {
    let bits = i128::BITS - 1;
    let mut parts = Vec::new();
    let mut bit = 0;
    while bit < bits {
        if mask >> bit & 1 == 0 {
            bit += 1;
            continue;
        }
        let first = bit;
        while bit < bits && mask >> bit & 1 == 1 {
            bit += 1;
        }
        let from_first = term::divide(other, term::int(1 << first));
        let run = term::modulo(from_first, term::int(1 << (bit - first)));
        parts.push(term::multiply(term::int(1 << first), run));
    }
    term::add(parts)
}

/// `a & b` where each is a choice between a few known numbers, such as truth values.
fn choices_of_both(left: Term, right: Term) -> Option<Term> {
    fn leaves(term: Term, depth: usize) -> bool {
        match term.kind() {
            Kind::Int(_) => true,
            Kind::Ite(_, then, otherwise) => depth > 0 && leaves(*then, depth - 1) && leaves(*otherwise, depth - 1),
            _ => false,
        }
    }
    fn and(left: Term, right: Term) -> Term {
        match (left.kind(), right.kind()) {
            (Kind::Ite(condition, then, otherwise), _) => {
                term::ite(*condition, and(*then, right), and(*otherwise, right))
            }
            (_, Kind::Ite(condition, then, otherwise)) => {
                term::ite(*condition, and(left, *then), and(left, *otherwise))
            }
            (Kind::Int(a), Kind::Int(b)) => term::int(a & b),
            _ => left,
        }
    }
    (leaves(left, 3) && leaves(right, 3)).then(|| and(left, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Function;
    use logic::{Sort, simplify};

    const BYTE: Integer = Integer::new(8, true);
    const UNSIGNED: Integer = Integer::new(8, false);

    fn put(term: Term, unknown: Function, value: i128) -> i128 {
        let put = logic::substitute::replace(term, unknown.apply([]), term::int(value));
        constant(simplify(put)).unwrap()
    }

    /// What a machine of eight bits computes.
    fn machine(operator: BinaryOperator, a: i128, b: i128, integer: Integer) -> i128 {
        integer.wrap(match operator {
            BinaryOperator::Add => a + b,
            BinaryOperator::Subtract => a - b,
            BinaryOperator::Multiply => a * b,
            BinaryOperator::Divide => a / b,
            BinaryOperator::Remainder => a % b,
            BinaryOperator::ShiftLeft => a << b,
            BinaryOperator::ShiftRight => a >> b,
            BinaryOperator::And => a & b,
            BinaryOperator::Or => a | b,
            BinaryOperator::ExclusiveOr => a ^ b,
        })
    }

    #[test]
    fn without_end_every_operation_is_that_of_mathematics() {
        use BinaryOperator::*;
        let x = Function::constant("x", Sort::Int);
        for operator in [
            Add,
            Subtract,
            Multiply,
            Divide,
            Remainder,
            ShiftLeft,
            ShiftRight,
            And,
            Or,
            ExclusiveOr,
        ] {
            for b in [-300, -129, -128, -7, -1, 0, 1, 2, 5, 7, 127, 128, 255, 256, 300] {
                let is_shift = matches!(operator, ShiftLeft | ShiftRight);
                if (matches!(operator, Divide | Remainder) && b == 0) || (is_shift && !(0..8).contains(&b)) {
                    continue;
                }
                for integer in [BYTE, UNSIGNED] {
                    let value = unbounded(operator, x.apply([]), term::int(b), integer).unwrap();
                    for a in (-700..700).step_by(13) {
                        let expected = match operator {
                            Add => a + b,
                            Subtract => a - b,
                            Multiply => a * b,
                            Divide => a / b,
                            Remainder => a % b,
                            ShiftLeft => a << b,
                            ShiftRight => a >> b,
                            And => a & b,
                            Or => a | b,
                            ExclusiveOr => a ^ b,
                        };
                        assert_eq!(put(value, x, a), expected, "{operator:?} {a} {b} {integer:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_operation_on_bytes_is_the_machines() {
        use BinaryOperator::*;
        let x = Function::constant("x", Sort::Int);
        for integer in [BYTE, UNSIGNED] {
            let all = || integer.least()..=integer.greatest();
            for operator in [
                Add,
                Subtract,
                Multiply,
                Divide,
                Remainder,
                ShiftLeft,
                ShiftRight,
                And,
                Or,
                ExclusiveOr,
            ] {
                for b in all().step_by(7).chain([1, 2, 4, 12, integer.greatest()]) {
                    let is_shift = matches!(operator, ShiftLeft | ShiftRight);
                    if (matches!(operator, Divide | Remainder) && b == 0) || (is_shift && !(0..8).contains(&b)) {
                        continue;
                    }
                    let (value, is_near) = exact(operator, x.apply([]), term::int(b), integer).unwrap();
                    let value = if is_near {
                        wrap_once(value, integer)
                    } else {
                        wrap(value, integer)
                    };
                    for a in all().step_by(5) {
                        let found = put(value, x, a);
                        assert_eq!(
                            found,
                            machine(operator, a, b, integer),
                            "{operator:?} {a} {b} {integer:?}"
                        );
                    }
                }
            }
        }
    }
}
