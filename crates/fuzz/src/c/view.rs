//! The type and value range of an integer expression in one data model.

/// An integer type with a range of values in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueRange {
    pub bits: u32,
    pub is_signed: bool,
    pub low: i128,
    pub high: i128,
}

/// In both data models: with 32-bit and with 64-bit `long`.
pub type ValueRanges = [ValueRange; 2];

/// An integer type of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntegerType {
    pub name: &'static str,
    /// The width of a value in each data model; `_Bool` has one.
    pub bits: [u32; 2],
    pub is_signed: bool,
    /// Its `printf` conversion.
    pub format: &'static str,
}

const fn kind(name: &'static str, bits: [u32; 2], is_signed: bool, format: &'static str) -> IntegerType {
    IntegerType {
        name,
        bits,
        is_signed,
        format,
    }
}

pub const KINDS: [IntegerType; 12] = [
    kind("_Bool", [1, 1], false, "%d"),
    kind("char", [8, 8], true, "%hhd"),
    kind("signed char", [8, 8], true, "%d"),
    kind("unsigned char", [8, 8], false, "%hhu"),
    kind("short", [16, 16], true, "%hd"),
    kind("unsigned short", [16, 16], false, "%hx"),
    kind("int", [32, 32], true, "%d"),
    kind("unsigned", [32, 32], false, "%u"),
    kind("long", [32, 64], true, "%ld"),
    kind("unsigned long", [32, 64], false, "%lx"),
    kind("long long", [64, 64], true, "%lld"),
    kind("unsigned long long", [64, 64], false, "%#llx"),
];

/// Indices into [`KINDS`].
pub const TRUTH: usize = 0;
pub const INT: usize = 6;

impl IntegerType {
    pub fn views(self) -> ValueRanges {
        self.bits.map(|bits| ValueRange::full(bits, self.is_signed))
    }
}

impl ValueRange {
    /// The full range of the type.
    pub fn full(bits: u32, is_signed: bool) -> ValueRange {
        let (low, high) = if is_signed {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        ValueRange {
            bits,
            is_signed,
            low,
            high,
        }
    }

    pub fn int(low: i128, high: i128) -> ValueRange {
        ValueRange {
            bits: 32,
            is_signed: true,
            low,
            high,
        }
    }

    /// The type with another range; the full range if numbers wrap around. `None` if overflow would be undefined.
    pub fn ranged(self, low: i128, high: i128) -> Option<ValueRange> {
        let full = ValueRange::full(self.bits, self.is_signed);
        if full.low <= low && high <= full.high {
            Some(ValueRange { low, high, ..self })
        } else if self.is_signed {
            None
        } else {
            Some(full)
        }
    }

    pub fn converted(self, bits: u32, is_signed: bool) -> ValueRange {
        let full = ValueRange::full(bits, is_signed);
        if bits == 1 && !is_signed {
            return full;
        }
        if full.low <= self.low && self.high <= full.high {
            ValueRange {
                low: self.low,
                high: self.high,
                ..full
            }
        } else {
            full
        }
    }

    pub fn promoted(self) -> ValueRange {
        if self.bits < 32 { self.converted(32, true) } else { self }
    }

    /// The usual arithmetic conversions. Of equally wide types, the unsigned one wins.
    pub fn common(self, other: ValueRange) -> (ValueRange, ValueRange) {
        let (left, right) = (self.promoted(), other.promoted());
        let (bits, is_signed) = match left.bits.cmp(&right.bits) {
            std::cmp::Ordering::Less => (right.bits, right.is_signed),
            std::cmp::Ordering::Greater => (left.bits, left.is_signed),
            std::cmp::Ordering::Equal => (left.bits, left.is_signed && right.is_signed),
        };
        (left.converted(bits, is_signed), right.converted(bits, is_signed))
    }

    /// The range of a binary operation. `None` if it may be undefined.
    pub fn binary(operator: &str, left: ValueRange, right: ValueRange) -> Option<ValueRange> {
        if matches!(operator, "<<" | ">>") {
            return ValueRange::shifted(operator, left.promoted(), right.promoted());
        }
        let (a, b) = left.common(right);
        let corners = |f: &dyn Fn(i128, i128) -> i128| {
            let all = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
            let low = all.iter().copied().min().unwrap_or(0);
            let high = all.iter().copied().max().unwrap_or(0);
            a.ranged(low, high)
        };
        match operator {
            "+" => corners(&|x, y| x + y),
            "-" => corners(&|x, y| x - y),
            // Far from overflowing 128 bits only if one operand is narrow.
            "*" if !a.is_signed => Some(ValueRange::full(a.bits, false)),
            "*" => corners(&|x, y| x * y),
            "/" | "%" if b.low <= 0 && b.high >= 0 => None,
            "/" => {
                let extreme = a.low.abs().max(a.high.abs());
                let low = if a.low >= 0 && b.low >= 0 { 0 } else { -extreme };
                let high = if a.low < 0 && b.low < 0 {
                    extreme
                } else {
                    a.high.max(-a.low)
                };
                // The least number divided by -1.
                a.ranged(low, high)
            }
            "%" => {
                ValueRange::binary("/", left, right)?;
                let extreme = b.low.abs().max(b.high.abs()) - 1;
                a.ranged(
                    if a.low < 0 { -extreme } else { 0 },
                    if a.high > 0 { extreme } else { 0 },
                )
            }
            "&" if a.low >= 0 && b.low >= 0 => a.ranged(0, a.high.min(b.high)),
            "&" if b.low >= 0 => a.ranged(0, b.high),
            "&" if a.low >= 0 => a.ranged(0, a.high),
            "&" | "|" | "^" => {
                let mask = ones(a.low).max(ones(a.high)).max(ones(b.low)).max(ones(b.high));
                let low = if a.low < 0 || b.low < 0 { -mask - 1 } else { 0 };
                a.ranged(low, mask)
            }
            _ => Some(ValueRange::int(0, 1)),
        }
    }

    fn shifted(operator: &str, left: ValueRange, right: ValueRange) -> Option<ValueRange> {
        if right.low < 0 || right.high >= i128::from(left.bits) {
            return None;
        }
        if operator == ">>" {
            return left.ranged(left.low.min(0), left.high.max(0));
        }
        match (left.is_signed, left.low >= 0) {
            (false, _) => left.ranged(0, left.high << right.high),
            (true, true) if left.high < 1 << 62 => left.ranged(0, left.high << right.high),
            _ => None,
        }
    }

    pub fn unary(operator: &str, operand: ValueRange) -> Option<ValueRange> {
        let operand = operand.promoted();
        match operator {
            "-" if operand.is_signed => operand.ranged(-operand.high, -operand.low),
            "-" => Some(ValueRange::full(operand.bits, false)),
            "~" if operand.is_signed => operand.ranged(-operand.high - 1, -operand.low - 1),
            "~" => Some(ValueRange::full(operand.bits, false)),
            "!" => Some(ValueRange::int(0, 1)),
            _ => Some(operand),
        }
    }

    /// The union of two ranges.
    pub fn either(self, other: ValueRange) -> ValueRange {
        let (a, b) = self.common(other);
        ValueRange {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
            ..a
        }
    }
}

/// The least all-ones number of the same width.
fn ones(value: i128) -> i128 {
    let magnitude = if value < 0 { -(value + 1) } else { value };
    let digits = 128 - magnitude.leading_zeros();
    (1i128 << digits) - 1
}
