//! Machine integers: bit-vectors of 1 to 128 bits, with the operations of SMT-LIB's theory of fixed-size bit-vectors.
//!
//! A bit-vector has no sign: operations that depend on one exist in a signed and an unsigned variant. All operations
//! are total. Division by zero gives all ones (the signed variant: 1 or -1, by the sign of the dividend), and the
//! remainder is the dividend.

use crate::order;
use crate::sort::Sort;
use crate::term::{self, Kind, Term, make};
use std::fmt;

/// The widest bit-vector.
pub const WIDEST: u32 = 128;

/// A bit-vector: its width and a number below `2^width`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bits {
    width: u32,
    value: u128,
}

/// Operations on bit-vectors. Operands have the same width, except for [`BitOperation::Concatenate`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BitOperation {
    Negate,
    Complement,
    Add,
    Multiply,
    And,
    Or,
    ExclusiveOr,
    UnsignedDivide,
    UnsignedRemainder,
    /// Rounds towards zero.
    SignedDivide,
    /// Takes the sign of the dividend.
    SignedRemainder,
    ShiftLeft,
    /// Fills with zeros.
    UnsignedShiftRight,
    /// Fills with the sign.
    SignedShiftRight,
    /// The first operand supplies the high bits.
    Concatenate,
    /// The bits from `low` to `high`, both included.
    Extract {
        high: u32,
        low: u32,
    },
    /// Prepends this many zeros.
    ZeroExtend(u32),
    /// Prepends this many copies of the sign bit.
    SignExtend(u32),
    UnsignedLess,
    UnsignedLessEqual,
    SignedLess,
    SignedLessEqual,
}

/// The result of an operation: a bit-vector or a truth value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitResult {
    Bits(Bits),
    Truth(bool),
}

impl Bits {
    /// The number modulo two to the power of the width, which is from 1 to 128.
    pub fn new(width: u32, number: u128) -> Bits {
        let width = width.clamp(1, WIDEST);
        Bits {
            width,
            value: number & ones(width),
        }
    }

    /// Wraps negative numbers around as well.
    pub fn from_signed(width: u32, number: i128) -> Bits {
        Bits::new(width, number.cast_unsigned())
    }

    pub fn width(self) -> u32 {
        self.width
    }

    pub fn unsigned(self) -> u128 {
        self.value
    }

    /// The value in two's complement.
    pub fn signed(self) -> i128 {
        let unused = WIDEST - self.width;
        (self.value << unused).cast_signed() >> unused
    }

    pub fn is_zero(self) -> bool {
        self.value == 0
    }

    pub fn is_all_ones(self) -> bool {
        self.value == ones(self.width)
    }

    fn is_negative(self) -> bool {
        self.signed() < 0
    }

    fn with_value(self, value: u128) -> Bits {
        Bits::new(self.width, value)
    }

    fn negate(self) -> Bits {
        self.with_value(self.value.wrapping_neg())
    }

    fn magnitude(self) -> Bits {
        if self.is_negative() { self.negate() } else { self }
    }

    fn unsigned_divide(self, by: Bits) -> Bits {
        self.with_value(self.value.checked_div(by.value).unwrap_or(u128::MAX))
    }

    fn unsigned_remainder(self, by: Bits) -> Bits {
        self.with_value(self.value.checked_rem(by.value).unwrap_or(self.value))
    }

    /// `|a| / |b|` with the sign of the quotient; the least number divided by -1 is itself.
    fn signed_divide(self, by: Bits) -> Bits {
        let quotient = self.magnitude().unsigned_divide(by.magnitude());
        if self.is_negative() == by.is_negative() {
            quotient
        } else {
            quotient.negate()
        }
    }

    fn signed_remainder(self, by: Bits) -> Bits {
        let remainder = self.magnitude().unsigned_remainder(by.magnitude());
        if self.is_negative() {
            remainder.negate()
        } else {
            remainder
        }
    }

    /// Shifts by the other number, which may exceed the width.
    fn shift(self, by: Bits, operation: BitOperation) -> Bits {
        let by = u32::try_from(by.value).unwrap_or(u32::MAX).min(self.width);
        match operation {
            BitOperation::ShiftLeft => self.with_value(self.value.checked_shl(by).unwrap_or(0)),
            BitOperation::UnsignedShiftRight => self.with_value(self.value.checked_shr(by).unwrap_or(0)),
            _ => Bits::from_signed(self.width, self.signed() >> by.min(WIDEST - 1)),
        }
    }
}

/// A number of this many one bits.
fn ones(width: u32) -> u128 {
    u128::MAX >> (WIDEST - width)
}

/// Displayed as a signed number, the usual reading.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.signed())
    }
}

impl BitOperation {
    /// The SMT-LIB name, without indices.
    pub fn symbol(self) -> &'static str {
        match self {
            BitOperation::Negate => "bvneg",
            BitOperation::Complement => "bvnot",
            BitOperation::Add => "bvadd",
            BitOperation::Multiply => "bvmul",
            BitOperation::And => "bvand",
            BitOperation::Or => "bvor",
            BitOperation::ExclusiveOr => "bvxor",
            BitOperation::UnsignedDivide => "bvudiv",
            BitOperation::UnsignedRemainder => "bvurem",
            BitOperation::SignedDivide => "bvsdiv",
            BitOperation::SignedRemainder => "bvsrem",
            BitOperation::ShiftLeft => "bvshl",
            BitOperation::UnsignedShiftRight => "bvlshr",
            BitOperation::SignedShiftRight => "bvashr",
            BitOperation::Concatenate => "concat",
            BitOperation::Extract { .. } => "extract",
            BitOperation::ZeroExtend(_) => "zero_extend",
            BitOperation::SignExtend(_) => "sign_extend",
            BitOperation::UnsignedLess => "bvult",
            BitOperation::UnsignedLessEqual => "bvule",
            BitOperation::SignedLess => "bvslt",
            BitOperation::SignedLessEqual => "bvsle",
        }
    }

    /// The sort of the result; `None` if the operation is not defined on operands of these sorts.
    pub fn result(self, operands: &[Sort]) -> Option<Sort> {
        let widths: Option<Vec<u32>> = operands.iter().map(|sort| sort.width()).collect();
        let width = match (self, widths?.as_slice()) {
            (BitOperation::Negate | BitOperation::Complement, [a]) => Some(*a),
            (BitOperation::Concatenate, [a, b]) => a.checked_add(*b),
            (BitOperation::Extract { high, low }, [a]) if low <= high && high < *a => Some(high - low + 1),
            (BitOperation::ZeroExtend(by) | BitOperation::SignExtend(by), [a]) => a.checked_add(by),
            (_, [a, b]) if a == b => match self {
                BitOperation::UnsignedLess
                | BitOperation::UnsignedLessEqual
                | BitOperation::SignedLess
                | BitOperation::SignedLessEqual => return Some(Sort::Bool),
                BitOperation::Extract { .. } | BitOperation::ZeroExtend(_) | BitOperation::SignExtend(_) => None,
                BitOperation::Negate | BitOperation::Complement => None,
                _ => Some(*a),
            },
            _ => None,
        };
        width.filter(|width| (1..=WIDEST).contains(width)).map(Sort::BitVector)
    }

    /// Evaluates the operation; `None` if the operands do not fit.
    pub fn apply(self, operands: &[Bits]) -> Option<BitResult> {
        let sorts: Vec<Sort> = operands.iter().map(|bits| Sort::BitVector(bits.width)).collect();
        self.result(&sorts)?;
        let outcome = match (self, operands) {
            (BitOperation::UnsignedLess, [a, b]) => BitResult::Truth(a.value < b.value),
            (BitOperation::UnsignedLessEqual, [a, b]) => BitResult::Truth(a.value <= b.value),
            (BitOperation::SignedLess, [a, b]) => BitResult::Truth(a.signed() < b.signed()),
            (BitOperation::SignedLessEqual, [a, b]) => BitResult::Truth(a.signed() <= b.signed()),
            (_, [a]) => BitResult::Bits(self.apply_unary(*a)),
            (_, [a, b]) => BitResult::Bits(self.apply_binary(*a, *b)),
            _ => return None,
        };
        Some(outcome)
    }

    fn apply_unary(self, a: Bits) -> Bits {
        match self {
            BitOperation::Complement => a.with_value(!a.value),
            BitOperation::Extract { high, low } => Bits::new(high - low + 1, a.value >> low),
            BitOperation::ZeroExtend(by) => Bits::new(a.width + by, a.value),
            BitOperation::SignExtend(by) => Bits::from_signed(a.width + by, a.signed()),
            _ => a.negate(),
        }
    }

    fn apply_binary(self, a: Bits, b: Bits) -> Bits {
        match self {
            BitOperation::Multiply => a.with_value(a.value.wrapping_mul(b.value)),
            BitOperation::And => a.with_value(a.value & b.value),
            BitOperation::Or => a.with_value(a.value | b.value),
            BitOperation::ExclusiveOr => a.with_value(a.value ^ b.value),
            BitOperation::UnsignedDivide => a.unsigned_divide(b),
            BitOperation::UnsignedRemainder => a.unsigned_remainder(b),
            BitOperation::SignedDivide => a.signed_divide(b),
            BitOperation::SignedRemainder => a.signed_remainder(b),
            BitOperation::ShiftLeft | BitOperation::UnsignedShiftRight | BitOperation::SignedShiftRight => {
                a.shift(b, self)
            }
            BitOperation::Concatenate => Bits::new(a.width + b.width, (a.value << b.width) | b.value),
            _ => a.with_value(a.value.wrapping_add(b.value)),
        }
    }

    fn is_commutative(self) -> bool {
        matches!(
            self,
            BitOperation::Add
                | BitOperation::Multiply
                | BitOperation::And
                | BitOperation::Or
                | BitOperation::ExclusiveOr
        )
    }
}

/// A bit-vector as a term.
pub fn literal(bits: Bits) -> Term {
    make(Kind::BitVector(bits), Sort::BitVector(bits.width))
}

/// Applies an operation to terms. Operands that do not fit yield an ill-sorted term, which solvers reject.
pub fn operation(operation: BitOperation, operands: impl Into<Vec<Term>>) -> Term {
    let mut operands = operands.into();
    let known: Option<Vec<Bits>> = operands.iter().map(|operand| as_bits(*operand)).collect();
    match known.and_then(|known| operation.apply(&known)) {
        Some(BitResult::Bits(bits)) => return literal(bits),
        Some(BitResult::Truth(value)) => return term::bool(value),
        None => {}
    }
    if let (true, [a, b]) = (operation.is_commutative(), operands.as_slice()) {
        operands = order::sides(*a, *b).to_vec();
    }
    if let Some(simpler) = simpler(operation, &operands) {
        return simpler;
    }
    let sorts: Vec<Sort> = operands.iter().map(|operand| operand.sort()).collect();
    let sort = operation.result(&sorts);
    debug_assert!(sort.is_some(), "{operation:?} of {sorts:?}");
    make(Kind::Bits(operation, operands), sort.unwrap_or(Sort::Bool))
}

pub fn subtract(a: Term, b: Term) -> Term {
    operation(BitOperation::Add, [a, operation(BitOperation::Negate, [b])])
}

pub fn as_bits(term: Term) -> Option<Bits> {
    match term.kind() {
        Kind::BitVector(bits) => Some(*bits),
        _ => None,
    }
}

/// Simplifies neutral elements, zeros and inverse operations.
fn simpler(operation: BitOperation, operands: &[Term]) -> Option<Term> {
    match operands {
        [a] => simpler_unary(operation, *a),
        [a, b] if a.sort() == b.sort() || operation == BitOperation::Concatenate => simpler_binary(operation, *a, *b)
            .or_else(|| {
                let turned = operation.is_commutative();
                turned.then(|| simpler_binary(operation, *b, *a)).flatten()
            }),
        _ => None,
    }
}

fn simpler_unary(operation: BitOperation, a: Term) -> Option<Term> {
    let width = a.sort().width()?;
    match (operation, a.kind()) {
        // - - a = a, ~ ~ a = a
        (BitOperation::Negate | BitOperation::Complement, Kind::Bits(inner, parts)) if *inner == operation => {
            parts.first().copied()
        }
        (BitOperation::ZeroExtend(0) | BitOperation::SignExtend(0), _) => Some(a),
        (BitOperation::Extract { high, low: 0 }, _) if high + 1 == width => Some(a),
        // The low bits of an extended value are those of the original.
        (
            BitOperation::Extract { high, low },
            Kind::Bits(BitOperation::ZeroExtend(_) | BitOperation::SignExtend(_), parts),
        ) => {
            let inner = *parts.first()?;
            let fits = high < inner.sort().width()?;
            fits.then(|| self::operation(BitOperation::Extract { high, low }, [inner]))
        }
        (BitOperation::Extract { high, low }, Kind::Bits(BitOperation::Extract { low: inner, .. }, parts)) => {
            let (high, low) = (high.checked_add(*inner)?, low.checked_add(*inner)?);
            Some(self::operation(BitOperation::Extract { high, low }, parts.as_slice()))
        }
        (BitOperation::ZeroExtend(by), Kind::Bits(BitOperation::ZeroExtend(inner), parts)) => {
            let by = by.checked_add(*inner)?;
            Some(self::operation(BitOperation::ZeroExtend(by), parts.as_slice()))
        }
        (BitOperation::SignExtend(by), Kind::Bits(BitOperation::SignExtend(inner), parts)) => {
            let by = by.checked_add(*inner)?;
            Some(self::operation(BitOperation::SignExtend(by), parts.as_slice()))
        }
        _ => None,
    }
}

/// A literal operand of a commutative operation is tried on either side.
fn simpler_binary(operation: BitOperation, a: Term, b: Term) -> Option<Term> {
    if a == b {
        return match operation {
            BitOperation::And | BitOperation::Or => Some(a),
            BitOperation::ExclusiveOr => Some(literal(Bits::new(a.sort().width()?, 0))),
            BitOperation::UnsignedLess | BitOperation::SignedLess => Some(term::bool(false)),
            BitOperation::UnsignedLessEqual | BitOperation::SignedLessEqual => Some(term::bool(true)),
            _ => None,
        };
    }
    let cancels = |x: Term, y: Term| matches!(y.kind(), Kind::Bits(BitOperation::Negate, parts) if parts == &[x]);
    if operation == BitOperation::Add && cancels(a, b) {
        return Some(literal(Bits::new(a.sort().width()?, 0)));
    }
    let left = as_bits(a);
    if let Some(bits) = left {
        match operation {
            // 0 <= b, 0 < b
            BitOperation::UnsignedLessEqual if bits.is_zero() => return Some(term::bool(true)),
            BitOperation::UnsignedLess if bits.is_zero() => return Some(term::distinct(a, b)),
            // Nothing is greater than the greatest value.
            BitOperation::UnsignedLess if bits.is_all_ones() => return Some(term::bool(false)),
            _ => {}
        }
    }
    let bits = as_bits(b)?;
    let one = bits.unsigned() == 1;
    match operation {
        BitOperation::Add | BitOperation::Or | BitOperation::ExclusiveOr if bits.is_zero() => Some(a),
        BitOperation::ShiftLeft | BitOperation::UnsignedShiftRight | BitOperation::SignedShiftRight
            if bits.is_zero() =>
        {
            Some(a)
        }
        BitOperation::Multiply | BitOperation::And if bits.is_zero() => Some(b),
        BitOperation::And if bits.is_all_ones() => Some(a),
        BitOperation::Or if bits.is_all_ones() => Some(b),
        BitOperation::ExclusiveOr if bits.is_all_ones() => Some(self::operation(BitOperation::Complement, [a])),
        BitOperation::Multiply | BitOperation::UnsignedDivide | BitOperation::SignedDivide if one => {
            // For width 1, 1 equals -1.
            (bits.width() > 1 || operation != BitOperation::SignedDivide).then_some(a)
        }
        // a < 0, a <= the greatest
        BitOperation::UnsignedLess if bits.is_zero() => Some(term::bool(false)),
        BitOperation::UnsignedLessEqual if bits.is_all_ones() => Some(term::bool(true)),
        BitOperation::UnsignedLessEqual if bits.is_zero() => Some(term::equal(a, b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(operation: BitOperation, a: i128, b: i128) -> i128 {
        match operation.apply(&[Bits::from_signed(8, a), Bits::from_signed(8, b)]) {
            Some(BitResult::Bits(bits)) => bits.signed(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_pairs_of_signs_divide_as_c_does() {
        let quotients = [(7, 2), (-7, 2), (7, -2), (-7, -2)].map(|(a, b)| both(BitOperation::SignedDivide, a, b));
        assert_eq!(quotients, [3, -3, -3, 3]);
        let rests = [(7, 2), (-7, 2), (7, -2), (-7, -2)].map(|(a, b)| both(BitOperation::SignedRemainder, a, b));
        assert_eq!(rests, [1, -1, 1, -1]);
        assert_eq!(both(BitOperation::SignedDivide, -128, -1), -128);
    }

    #[test]
    fn division_by_zero_is_total() {
        assert_eq!(both(BitOperation::UnsignedDivide, 5, 0), -1);
        assert_eq!(both(BitOperation::UnsignedRemainder, 5, 0), 5);
        assert_eq!(both(BitOperation::SignedDivide, -5, 0), 1);
        assert_eq!(both(BitOperation::SignedRemainder, -5, 0), -5);
    }

    #[test]
    fn shifts_beyond_the_width_leave_nothing_but_the_sign() {
        assert_eq!(both(BitOperation::ShiftLeft, -1, 8), 0);
        assert_eq!(both(BitOperation::UnsignedShiftRight, -1, 100), 0);
        assert_eq!(both(BitOperation::SignedShiftRight, -2, 100), -1);
        let widest = [Bits::from_signed(128, -1), Bits::new(128, 128)];
        let shifted = BitOperation::SignedShiftRight.apply(&widest);
        assert_eq!(shifted, Some(BitResult::Bits(widest[0])));
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let (narrow, wide) = (Bits::new(8, 1), Bits::new(16, 1));
        assert_eq!(BitOperation::Add.apply(&[narrow, wide]), None);
        assert_eq!(BitOperation::Extract { high: 8, low: 0 }.apply(&[narrow]), None);
        assert_eq!(BitOperation::Extract { high: 0, low: 1 }.apply(&[narrow]), None);
        assert_eq!(BitOperation::ZeroExtend(121).apply(&[narrow]), None);
        assert_eq!(BitOperation::Negate.apply(&[narrow, narrow]), None);
    }
}
