//! Operators on values, shared by constant folding and the machine so that both agree.

use crate::fault::FaultKind;
use system::instance::{Binary, UNDEFINED, Unary};

pub(crate) fn unary(operator: Unary, a: i64) -> Result<i64, FaultKind> {
    match operator {
        Unary::Not => Ok(i64::from(a == 0)),
        Unary::Negate => number(a.checked_neg()),
        Unary::BitNot => number(Some(!a)),
    }
}

/// The least 64-bit number marks undefined slots, so a result equal to it is an overflow like any other.
fn number(value: Option<i64>) -> Result<i64, FaultKind> {
    value.filter(|value| *value != UNDEFINED).ok_or(FaultKind::Overflow)
}

/// All operators, including the short-circuiting ones, which are here for constant folding only.
pub(crate) fn binary(operator: Binary, a: i64, b: i64) -> Result<i64, FaultKind> {
    let truth = |condition: bool| Ok(i64::from(condition));
    match operator {
        Binary::Add => number(a.checked_add(b)),
        Binary::Subtract => number(a.checked_sub(b)),
        Binary::Multiply => number(a.checked_mul(b)),
        Binary::Divide | Binary::Modulo if b == 0 => Err(FaultKind::DivisionByZero),
        Binary::Divide => number(a.checked_div(b)),
        Binary::Modulo => number(a.checked_rem(b)),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::Less => truth(a < b),
        Binary::LessEqual => truth(a <= b),
        Binary::And => truth(a != 0 && b != 0),
        Binary::Or => truth(a != 0 || b != 0),
        Binary::Implies => truth(a == 0 || b != 0),
        Binary::BitAnd => number(Some(a & b)),
        Binary::BitOr => number(Some(a | b)),
        Binary::BitXor => number(Some(a ^ b)),
        Binary::ShiftLeft => shift(a, b),
        Binary::ShiftRight => b.checked_neg().map_or(Ok(0), |b| shift(a, b)),
    }
}

/// Shifts left by positive counts and right by negative ones; counts beyond the width give 0, as in Rumur.
fn shift(a: i64, count: i64) -> Result<i64, FaultKind> {
    let width = u32::try_from(count.unsigned_abs()).unwrap_or(u32::MAX);
    let shifted = if count >= 0 {
        a.checked_shl(width)
    } else {
        a.checked_shr(width)
    };
    number(Some(shifted.unwrap_or(0)))
}

/// The number of iterations of a range.
pub(crate) fn rounds(low: i64, high: i64, step: i64) -> u64 {
    let distance = if step > 0 {
        i128::from(high) - i128::from(low)
    } else {
        i128::from(low) - i128::from(high)
    };
    if step == 0 || distance < 0 {
        return 0;
    }
    let rounds = distance / i128::from(step.unsigned_abs()) + 1;
    u64::try_from(rounds).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_truncates_as_in_c() {
        assert_eq!(binary(Binary::Divide, -7, 2), Ok(-3));
        assert_eq!(binary(Binary::Modulo, -7, 3), Ok(-1));
        assert_eq!(binary(Binary::Modulo, 1, 0), Err(FaultKind::DivisionByZero));
        assert_eq!(binary(Binary::Divide, i64::MIN, -1), Err(FaultKind::Overflow));
    }

    #[test]
    fn no_result_is_undefined() {
        assert_eq!(binary(Binary::Subtract, -i64::MAX, 0), Ok(-i64::MAX));
        assert_eq!(binary(Binary::Subtract, -i64::MAX, 1), Err(FaultKind::Overflow));
        assert_eq!(binary(Binary::Multiply, 1 << 62, -2), Err(FaultKind::Overflow));
        assert_eq!(binary(Binary::BitXor, -1, i64::MAX), Err(FaultKind::Overflow));
        assert_eq!(binary(Binary::ShiftLeft, 1, 63), Err(FaultKind::Overflow));
        assert_eq!(unary(Unary::BitNot, i64::MAX), Err(FaultKind::Overflow));
    }

    #[test]
    fn shifts_go_both_ways() {
        assert_eq!(binary(Binary::ShiftLeft, 1, 3), Ok(8));
        assert_eq!(binary(Binary::ShiftLeft, 8, -3), Ok(1));
        assert_eq!(binary(Binary::ShiftRight, 8, -1), Ok(16));
        assert_eq!(binary(Binary::ShiftRight, 8, 64), Ok(0));
        assert_eq!(binary(Binary::ShiftRight, 8, i64::MIN), Ok(0));
    }

    #[test]
    fn rounds_of_ranges() {
        assert_eq!(rounds(1, 3, 1), 3);
        assert_eq!(rounds(3, 1, 1), 0);
        assert_eq!(rounds(3, 0, -2), 2);
        assert_eq!(rounds(0, 9, 0), 0);
        assert_eq!(rounds(i64::MIN, i64::MAX, 1), u64::MAX);
    }
}
