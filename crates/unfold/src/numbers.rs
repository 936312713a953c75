//! Machine integers in integer arithmetic: every operation with its wrap-around, linear wherever one operand is known.
//!
//! A value of a type is an integer in the range of the type. For an operation without a linear form, such as the
//! product of two unknowns, the result is `None`, and the caller havocs it. Bitwise operations on two unknowns have a
//! linear form, but a long one.

use crate::Undefinedness;
use logic::{Kind, Term, term, truncated_quotient, truncated_remainder};
use system::program::{BinaryOperator, Integer, Scalar, Value};

/// The value of an integer literal.
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

/// The range of a stored value of a type.
pub(crate) fn stored_range(value: Term, integer: Integer, undefined: Undefinedness) -> Term {
    match undefined {
        Undefinedness::Unbounded if integer.bits > 1 => term::bool(true),
        _ => in_range(value, integer),
    }
}

/// The range of an input of a type.
pub(crate) fn input_range(value: Term, integer: Integer, undefined: Undefinedness) -> Term {
    match undefined {
        Undefinedness::Unbounded if integer.bits > 1 && integer.is_signed => term::bool(true),
        Undefinedness::Unbounded if integer.bits > 1 => term::less_equal(term::int(0), value),
        _ => in_range(value, integer),
    }
}

/// The value modulo a power of two, in the range of the type.
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

/// As [`wrap`], for values less than one width outside of the range, such as sums and differences.
pub(crate) fn wrap_once(value: Term, integer: Integer) -> Term {
    if constant(value).is_some() {
        return wrap(value, integer);
    }
    let width = term::int(1 << integer.bits);
    let (least, greatest) = (term::int(integer.least()), term::int(integer.greatest()));
    let raised = term::ite(term::less(value, least), term::add([value, width]), value);
    term::ite(term::less(greatest, value), term::subtract(value, width), raised)
}

/// The exact result before it wraps around, and whether it is less than one width outside of the range of the type.
/// None where there is no linear form.
pub(crate) fn exact(operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Option<(Term, bool)> {
    Some(match operator {
        BinaryOperator::Add => (term::add([left, right]), true),
        BinaryOperator::Subtract => (term::subtract(left, right), true),
        BinaryOperator::Multiply => {
            match (constant(left), constant(right)) {
                (None, None) => return None,
                // Beyond 128 bits, the part that is cut off is a multiple of the width of every type.
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
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::ExclusiveOr => (
            from_conjunction(operator, left, right, both(left, right, integer)?)?,
            true,
        ),
    })
}

/// `a & b`, `a | b` or `a ^ b`, in terms of `a & b`.
fn from_conjunction(operator: BinaryOperator, left: Term, right: Term, both: Term) -> Option<Term> {
    let sum = || term::add([left, right]);
    match operator {
        BinaryOperator::And => Some(both),
        BinaryOperator::Or => Some(term::subtract(sum(), both)),
        BinaryOperator::ExclusiveOr => Some(term::subtract(sum(), term::multiply(term::int(2), both))),
        _ => None,
    }
}

/// A bitwise operation on two unknowns that can both be one only in the bits of `shared`, one bit at a time.
pub(crate) fn bit_by_bit(
    operator: BinaryOperator,
    left: Term,
    right: Term,
    shared: u128,
    integer: Integer,
) -> Option<Term> {
    let bits = (0..integer.bits).filter(|bit| shared >> bit & 1 == 1);
    let both = bits.map(|bit| {
        let is_set = |of: Term| {
            let from = term::divide(of, term::int(1 << bit));
            term::equal(term::modulo(from, term::int(2)), term::int(1))
        };
        let weight = match integer.is_signed && bit + 1 == integer.bits {
            // The sign bit has negative weight.
            true => integer.least(),
            false => 1 << bit,
        };
        let are_set = term::and([is_set(left), is_set(right)]);
        term::ite(are_set, term::int(weight), term::int(0))
    });
    from_conjunction(operator, left, right, term::add(both))
}

/// The bits that may be one in a value, according to its operators.
pub(crate) fn possible_bits(value: &Value) -> u128 {
    let Scalar::Integer(integer) = value.scalar() else {
        return u128::MAX;
    };
    let all = ones(integer.bits);
    let is_negative = |bits: u128| integer.is_signed && bits >> (integer.bits - 1) & 1 == 1;
    match value {
        // Negative numbers are in two's complement.
        Value::Integer { value, .. } => value.cast_unsigned() & all,
        Value::Compare { .. } => 1,
        Value::Convert { value: inner, .. } => {
            let Scalar::Integer(from) = inner.scalar() else {
                return all;
            };
            let bits = possible_bits(inner);
            let is_extended = from.is_signed && bits >> (from.bits - 1) & 1 == 1;
            let extended = if is_extended { bits | !ones(from.bits) } else { bits };
            match integer.bits {
                // Any nonzero value is true.
                1 => 1,
                _ => extended & all,
            }
        }
        Value::Binary { operator, left, right } => {
            let bits = possible_bits(left);
            let by = match (operator, &**right) {
                (BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, Value::Integer { value, .. }) => {
                    u32::try_from(*value).ok().filter(|by| *by < integer.bits)
                }
                _ => None,
            };
            match (operator, by) {
                (BinaryOperator::And, _) => bits & possible_bits(right),
                (BinaryOperator::Or | BinaryOperator::ExclusiveOr, _) => bits | possible_bits(right),
                (BinaryOperator::ShiftLeft, Some(by)) => bits << by & all,
                (BinaryOperator::ShiftRight, Some(by)) if !is_negative(bits) => bits >> by,
                _ => all,
            }
        }
        _ => all,
    }
}

/// A mask of the lowest bits.
fn ones(bits: u32) -> u128 {
    match bits {
        0..128 => (1 << bits) - 1,
        _ => u128::MAX,
    }
}

/// As [`exact`], for unbounded integers: negative ones have infinitely many leading ones.
pub(crate) fn unbounded(operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Option<Term> {
    let both = || match (constant(left), constant(right)) {
        (Some(mask), None) if mask < 0 => Some(term::subtract(right, bits_of(right, !mask))),
        (None, Some(mask)) if mask < 0 => Some(term::subtract(left, bits_of(left, !mask))),
        (Some(mask), None) => Some(bits_of(right, mask)),
        (None, Some(mask)) => Some(bits_of(left, mask)),
        _ => both(left, right, integer),
    };
    match operator {
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::ExclusiveOr => {
            from_conjunction(operator, left, right, both()?)
        }
        _ => exact(operator, left, right, Integer::new(integer.bits, true)).map(|(exact, _)| exact),
    }
}

/// Division that truncates towards zero, by a known nonzero number.
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

/// Linear constraints on the result `r` of an operation on two unknowns; zero always satisfies them:
///
/// | operation | for `a >= 0` | for `a <= 0` | and |
/// | --- | --- | --- | --- |
/// | `a % b` | `0 <= r <= a` | `a <= r <= 0` | `-b < r < b` for `b > 0`, `b < r < -b` for `b < 0` |
/// | `a / b`, `b > 0` | `0 <= r <= a` | `a <= r <= 0` | `r < a` for `a > 0`, `b > 1` |
/// | `a & b` | `0 <= r <= a` | | `0 <= r <= b` for `b >= 0` |
/// | `a ^ b`, both at least 0 | `0 <= r <= a + b` | | |
pub(crate) fn result_constraints(operator: BinaryOperator, left: Term, right: Term, result: Term) -> Term {
    let zero = term::int(0);
    let between =
        |least: Term, greatest: Term| term::and([term::less_equal(least, result), term::less_equal(result, greatest)]);
    let strictly = |least: Term, greatest: Term| term::and([term::less(least, result), term::less(result, greatest)]);
    let is_positive = |number: Term| term::less(zero, number);
    let is_natural = |number: Term| term::less_equal(zero, number);
    let towards_zero = || {
        let above = term::implies(is_natural(left), between(zero, left));
        let below = term::implies(term::less_equal(left, zero), between(left, zero));
        term::and([above, below])
    };
    match operator {
        BinaryOperator::Remainder => {
            let above = term::implies(is_positive(right), strictly(term::negate(right), right));
            let below = term::implies(term::less(right, zero), strictly(right, term::negate(right)));
            term::and([towards_zero(), above, below])
        }
        BinaryOperator::Divide => {
            let shrinks = term::and([is_positive(left), term::less(term::int(1), right)]);
            let smaller = term::implies(shrinks, term::less(result, left));
            term::implies(is_positive(right), term::and([towards_zero(), smaller]))
        }
        BinaryOperator::And => {
            let within = |operand: Term| term::implies(is_natural(operand), between(zero, operand));
            term::and([within(left), within(right)])
        }
        BinaryOperator::ExclusiveOr => {
            let are_natural = term::and([is_natural(left), is_natural(right)]);
            term::implies(are_natural, between(zero, term::add([left, right])))
        }
        _ => term::bool(true),
    }
}

/// Cases of a bitwise operation on two unknowns that have a simple result: one operand is zero or all ones, or both are
/// equal. Masks such as `x >> 31` fall into them.
pub(crate) fn mask_cases(operator: BinaryOperator, left: Term, right: Term, integer: Integer) -> Vec<(Term, Term)> {
    let ones = if integer.is_signed { -1 } else { integer.greatest() };
    let (none, all) = (term::int(0), term::int(ones));
    // The results for an operand of zeros, of ones, and for equal operands.
    let by_none = |value: Term| if operator == BinaryOperator::And { none } else { value };
    let by_all = |value: Term| match operator {
        BinaryOperator::And => value,
        BinaryOperator::Or => all,
        _ => term::subtract(all, value),
    };
    let by_itself = match operator {
        BinaryOperator::And | BinaryOperator::Or => left,
        BinaryOperator::ExclusiveOr => none,
        _ => return Vec::new(),
    };
    vec![
        (term::equal(right, none), by_none(left)),
        (term::equal(right, all), by_all(left)),
        (term::equal(left, none), by_none(right)),
        (term::equal(left, all), by_all(right)),
        (term::equal(left, right), by_itself),
    ]
}

/// A shift by a known amount, or a case split over all amounts.
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

/// `a & b` where one of them is known: a sum over the runs of ones in the mask. Flooring division is right for negative
/// numbers, too.
fn both(left: Term, right: Term, integer: Integer) -> Option<Term> {
    let (mask, other) = match (constant(left), constant(right)) {
        (Some(a), Some(b)) => return Some(term::int(a & b)),
        (Some(mask), None) => (mask, right),
        (None, Some(mask)) => (mask, left),
        (None, None) if left == right => return Some(left),
        (None, None) => return conjunction_of_choices(left, right),
    };
    let bits = if integer.is_signed {
        integer.bits - 1
    } else {
        integer.bits
    };
    let below_sign = bits_of(other, mask & ((1 << bits) - 1));
    if integer.is_signed && mask < 0 {
        // The sign bit has negative weight.
        let sign = term::less(other, term::int(0));
        let sign = term::ite(sign, term::int(integer.least()), term::int(0));
        return Some(term::add([below_sign, sign]));
    }
    Some(below_sign)
}

/// `other & mask`, for a nonnegative mask.
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

/// `a & b` where each is an if-then-else between few known integers, such as truth values.
fn conjunction_of_choices(left: Term, right: Term) -> Option<Term> {
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
    fn without_bounds_every_operation_is_mathematical() {
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
    fn bitwise_operations_match_the_machine() {
        use BinaryOperator::*;
        let (x, y) = (Function::constant("x", Sort::Int), Function::constant("y", Sort::Int));
        for integer in [BYTE, UNSIGNED] {
            for operator in [And, Or, ExclusiveOr] {
                // The second operand has only bits of a mask.
                for mask in [0, 1, 0x0f, 0xf0, 0x81, 0xff] {
                    let value = bit_by_bit(operator, x.apply([]), y.apply([]), mask, integer).unwrap();
                    for a in (integer.least()..=integer.greatest()).step_by(3) {
                        for b in (0..256i128).step_by(7).map(|b| integer.wrap(b & mask.cast_signed())) {
                            let with_a = logic::substitute::replace(value, x.apply([]), term::int(a));
                            let expected = machine(operator, a, b, integer);
                            assert_eq!(put(with_a, y, b), expected, "{operator:?} {a} {b} {integer:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn results_of_two_unknowns_satisfy_their_constraints() {
        use BinaryOperator::*;
        for integer in [BYTE, UNSIGNED] {
            let all = || (integer.least()..=integer.greatest()).step_by(3).chain([-1, 0, 1, 2]);
            let of_type = |number: &i128| (integer.least()..=integer.greatest()).contains(number);
            for operator in [Multiply, Divide, Remainder, And, Or, ExclusiveOr] {
                for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                    if !of_type(&a) || !of_type(&b) || (b == 0 && matches!(operator, Divide | Remainder)) {
                        continue;
                    }
                    let may_be =
                        |result| result_constraints(operator, term::int(a), term::int(b), term::int(result)).is_true();
                    assert!(may_be(machine(operator, a, b, integer)), "{operator:?} {a} {b}");
                    assert!(may_be(0), "{operator:?} {a} {b}");
                }
            }
        }
        let excluded = [
            (Remainder, 7, 4, 4),
            (Remainder, -7, 4, 1),
            (Divide, 7, 2, 7),
            (And, 5, -1, 6),
        ];
        for (operator, a, b, result) in excluded {
            assert!(!result_constraints(operator, term::int(a), term::int(b), term::int(result)).is_true());
        }
    }

    #[test]
    fn masks_match_the_machine() {
        use BinaryOperator::*;
        for integer in [BYTE, UNSIGNED] {
            for operator in [And, Or, ExclusiveOr, Add] {
                let all = || integer.least()..=integer.greatest();
                for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                    let cases = mask_cases(operator, term::int(a), term::int(b), integer);
                    let holding = cases.into_iter().filter(|(condition, _)| condition.is_true());
                    for (_, value) in holding {
                        let expected = machine(operator, a, b, integer);
                        assert_eq!(constant(logic::simplify(value)), Some(expected), "{operator:?} {a} {b}");
                    }
                }
            }
        }
        let mask = mask_cases(ExclusiveOr, term::int(5), term::int(-1), BYTE);
        assert!(mask.iter().any(|(condition, _)| condition.is_true()));
    }

    #[test]
    fn possible_bits_follow_from_operators() {
        let int = Integer::new(32, true);
        let number = |value, integer| Box::new(Value::Integer { value, integer });
        let binary = |operator, left, right| Value::Binary { operator, left, right };
        let convert = |to, value| Value::Convert {
            to: Scalar::Integer(to),
            value,
        };
        assert_eq!(possible_bits(&number(-1, BYTE)), 0xff);
        assert_eq!(possible_bits(&convert(int, number(-128, BYTE))), 0xffff_ff80);
        assert_eq!(possible_bits(&convert(int, number(200, UNSIGNED))), 200);
        let byte = convert(int, number(0xff, UNSIGNED));
        let high = binary(BinaryOperator::ShiftLeft, Box::new(byte.clone()), number(24, int));
        assert_eq!(possible_bits(&high), 0xff00_0000);
        let either = binary(BinaryOperator::Or, Box::new(high.clone()), Box::new(byte));
        assert_eq!(possible_bits(&either), 0xff00_00ff);
        // The sign is copied.
        let back = binary(BinaryOperator::ShiftRight, Box::new(high), number(24, int));
        assert_eq!(possible_bits(&back), 0xffff_ffff);
        assert_eq!(
            possible_bits(&binary(BinaryOperator::Add, number(1, int), number(1, int))),
            0xffff_ffff
        );
    }

    #[test]
    fn every_operation_on_bytes_matches_the_machine() {
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
