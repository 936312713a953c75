//! Evaluation of values in the compact form.

use crate::code::{
    Address, Binary, Compare, Distance, Element, FloatBinary, Format, Load, Number, Precision, Register, Scalar, Target,
};
use crate::environment::InputPurpose;
use crate::outcome::{Fault, Uninitialized, Unsupported};
use crate::run::Machine;
use crate::word::{Kind, Word};
use std::cmp::Ordering;
use system::program::{self, BinaryOperator, Comparison, Undefined};

/// The maximum number of hints of a run: loops compare often.
const MOST_HINTS: usize = 400;

impl Machine<'_> {
    /// Continues where a machine defines undefined behaviour.
    #[inline]
    fn unless_wrapping(&self, kind: Undefined) -> Result<(), Fault> {
        if self.is_unbounded {
            Err(Fault::Unsupported(Unsupported::Beyond))
        } else if self.wraps {
            Ok(())
        } else {
            Err(Fault::Undefined(kind))
        }
    }

    /// An unbounded integer, if it is in the range of the type.
    fn within(kind: Kind, number: Option<i128>) -> Result<u64, Fault> {
        let number = number.filter(|number| kind.value(kind.bits_of(*number)) == *number);
        let number = number.ok_or(Fault::Unsupported(Unsupported::Beyond))?;
        Ok(kind.bits_of(number))
    }

    /// Unbounded arithmetic.
    fn arithmetic(kind: Kind, operator: BinaryOperator, left: u64, right: u64) -> Result<u64, Fault> {
        let (left, right) = (kind.value(left), kind.value(right));
        let number = match operator {
            BinaryOperator::Add => left.checked_add(right),
            BinaryOperator::Subtract => left.checked_sub(right),
            BinaryOperator::Multiply => left.checked_mul(right),
            _ => None,
        };
        Self::within(kind, number)
    }

    #[inline]
    fn local_number(&mut self, register: u32) -> Result<u64, Fault> {
        let word = self.local(register);
        if word.is_open() {
            return Ok(self.closed(Register::Local(register), word)?.bits());
        }
        Ok(word.bits())
    }

    #[inline]
    fn global_number(&mut self, register: u32) -> Result<u64, Fault> {
        let word = self.global(register);
        if word.is_open() {
            return Ok(self.closed(Register::Global(register), word)?.bits());
        }
        Ok(word.bits())
    }

    /// Resolves a register that held an input or nothing.
    #[cold]
    fn closed(&mut self, register: Register, word: Word) -> Result<Word, Fault> {
        if let Some(input) = word.as_pending() {
            return self.resolved(input);
        }
        if self.limits.uninitialised == Uninitialized::Input
            && let Some(scalar) = self.scalar_of(register)
        {
            let word = self.input(scalar, "uninitialised", InputPurpose::Uninitialized)?;
            self.set_register(register, word);
            return match word.as_pending() {
                Some(input) => self.resolved(input),
                None => Ok(word),
            };
        }
        if !self.wraps {
            return Err(Fault::Undefined(Undefined::Uninitialised));
        }
        Ok(Word::NULL)
    }

    fn scalar_of(&self, register: Register) -> Option<program::Scalar> {
        let (scalars, register) = match register {
            Register::Global(register) => (&self.code.global_scalars, register),
            Register::Local(register) => {
                let procedure = self.calls.last()?.procedure;
                (&self.code.frames.get(procedure.index())?.scalars, register)
            }
        };
        scalars.get(register as usize).copied().flatten()
    }

    pub(crate) fn register(&self, register: Register) -> Word {
        match register {
            Register::Local(register) => self.local(register),
            Register::Global(register) => self.global(register),
        }
    }

    pub(crate) fn set_register(&mut self, register: Register, value: Word) {
        match register {
            Register::Local(register) => self.set_local(register, value),
            Register::Global(register) => {
                if let Some(global) = self.globals.get_mut(register as usize) {
                    *global = value;
                }
            }
        }
    }

    /// Copies a register; an input without a value stays lazy.
    pub(crate) fn moved_word(&mut self, from: Register) -> Result<Word, Fault> {
        let word = self.register(from);
        if word.is_undefined() {
            self.closed(from, word)?;
            return Ok(self.register(from));
        }
        Ok(word)
    }

    #[inline]
    pub(crate) fn local(&self, register: u32) -> Word {
        self.registers
            .get(self.base + register as usize)
            .copied()
            .unwrap_or(Word::UNDEFINED)
    }

    #[inline]
    fn global(&self, register: u32) -> Word {
        self.globals.get(register as usize).copied().unwrap_or(Word::UNDEFINED)
    }

    #[inline]
    pub(crate) fn number(&mut self, number: &Number) -> Result<u64, Fault> {
        match number {
            Number::Constant(bits) => Ok(*bits),
            Number::Local(register) => self.local_number(*register),
            number => self.computed(number),
        }
    }

    fn computed(&mut self, number: &Number) -> Result<u64, Fault> {
        match number {
            Number::Constant(bits) => Ok(*bits),
            Number::Local(register) => self.local_number(*register),
            Number::Global(register) => self.global_number(*register),
            Number::Load(load) => self.load(load),
            Number::Add(integers) => {
                let left = self.number(&integers.left)?;
                let right = self.number(&integers.right)?;
                if self.is_unbounded {
                    return Self::arithmetic(integers.kind, BinaryOperator::Add, left, right);
                }
                let (sum, overflowed) = left.cast_signed().overflowing_add(right.cast_signed());
                self.in_range(integers.kind, sum, overflowed)
            }
            Number::Subtract(integers) => {
                let left = self.number(&integers.left)?;
                let right = self.number(&integers.right)?;
                if self.is_unbounded {
                    return Self::arithmetic(integers.kind, BinaryOperator::Subtract, left, right);
                }
                let (difference, overflowed) = left.cast_signed().overflowing_sub(right.cast_signed());
                self.in_range(integers.kind, difference, overflowed)
            }
            Number::Multiply(integers) => {
                let left = self.number(&integers.left)?;
                let right = self.number(&integers.right)?;
                if self.is_unbounded {
                    return Self::arithmetic(integers.kind, BinaryOperator::Multiply, left, right);
                }
                let (product, overflowed) = left.cast_signed().overflowing_mul(right.cast_signed());
                self.in_range(integers.kind, product, overflowed)
            }
            Number::Compare(compare) => self.compare(compare),
            Number::Binary(binary) => self.binary(binary),
            Number::Wrap(operand) => {
                let (number, from, to) = &**operand;
                let bits = self.number(number)?;
                if self.is_unbounded {
                    return Self::within(*to, Some(from.value(bits)));
                }
                Ok(to.wrap(bits))
            }
            Number::Negate(operand) if self.is_unbounded => {
                let number = self.number(&operand.0)?;
                Self::within(operand.1, Some(-operand.1.value(number)))
            }
            Number::Complement(operand) if self.is_unbounded => {
                let number = self.number(&operand.0)?;
                Self::within(operand.1, Some(-1 - operand.1.value(number)))
            }
            Number::Negate(operand) => {
                let (number, overflowed) = self.number(&operand.0)?.cast_signed().overflowing_neg();
                self.in_range(operand.1, number, overflowed)
            }
            Number::Complement(operand) => Ok(operand.1.wrap(!self.number(&operand.0)?)),
            Number::PointerCompare(compare) => {
                let left = self.pointer(&compare.1)?;
                let right = self.pointer(&compare.2)?;
                self.compare_pointers(compare.0, left, right)
            }
            Number::FromPointer(operand) => {
                let pointer = self.pointer(&operand.0)?;
                Ok(operand.1.wrap(self.memory.number_of(pointer)?))
            }
            Number::Distance(distance) => self.distance(distance),
            Number::Unsupported(what) => Err(Fault::Unsupported(*what)),
            Number::Float(_)
            | Number::FloatNegate(_)
            | Number::FloatCompare(_)
            | Number::FloatFromInteger(_)
            | Number::FloatToInteger(_)
            | Number::FloatRound(_) => self.float(number),
        }
    }

    /// Checks the result of 64-bit arithmetic against its type. Unsigned integers wrap around.
    #[inline]
    fn in_range(&self, kind: Kind, result: i64, overflowed: bool) -> Result<u64, Fault> {
        let wrapped = kind.wrap(result.cast_unsigned());
        if kind.is_signed && (overflowed || wrapped != result.cast_unsigned()) {
            self.unless_wrapping(Undefined::Overflow)?;
        }
        Ok(wrapped)
    }

    #[inline]
    fn compare(&mut self, compare: &Compare) -> Result<u64, Fault> {
        let left = self.number(&compare.left)?;
        let right = self.number(&compare.right)?;
        if self.is_lazy {
            let kind = Kind {
                bits: 64,
                is_signed: compare.is_signed,
            };
            self.hint(&compare.left, &compare.right, kind.value(left), kind.value(right));
        }
        // Flipping the sign bit maps the signed order to the unsigned one.
        let turn = if compare.is_signed { 1 << 63 } else { 0 };
        let (left, right) = (left ^ turn, right ^ turn);
        Ok(u64::from(match compare.comparison {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
        }))
    }

    fn binary(&mut self, binary: &Binary) -> Result<u64, Fault> {
        let kind = binary.kind;
        let left = self.number(&binary.left)?;
        let right = self.number(&binary.right)?;
        match binary.operator {
            BinaryOperator::And => Ok(left & right),
            BinaryOperator::Or => Ok(left | right),
            BinaryOperator::ExclusiveOr => Ok(left ^ right),
            BinaryOperator::Divide | BinaryOperator::Remainder => self.divide(binary, left, right),
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => self.shift(binary, left, right),
            operator @ (BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply)
                if self.is_unbounded =>
            {
                Self::arithmetic(kind, operator, left, right)
            }
            BinaryOperator::Add => Ok(kind.wrap(left.wrapping_add(right))),
            BinaryOperator::Subtract => Ok(kind.wrap(left.wrapping_sub(right))),
            BinaryOperator::Multiply => Ok(kind.wrap(left.wrapping_mul(right))),
        }
    }

    /// Division: a machine traps at zero divisors and at the quotient that overflows.
    fn divide(&mut self, binary: &Binary, left: u64, right: u64) -> Result<u64, Fault> {
        let is_quotient = binary.operator == BinaryOperator::Divide;
        if right == 0 {
            return Err(Fault::Undefined(Undefined::DivisionByZero));
        }
        if !binary.kind.is_signed {
            return Ok(if is_quotient { left / right } else { left % right });
        }
        let (left, right) = (left.cast_signed(), right.cast_signed());
        let overflow = Fault::Undefined(Undefined::Overflow);
        let quotient = left.checked_div(right).ok_or(overflow)?;
        if binary.kind.wrap(quotient.cast_unsigned()) != quotient.cast_unsigned() {
            return Err(overflow);
        }
        let result = if is_quotient {
            quotient
        } else {
            left.checked_rem(right).ok_or(overflow)?
        };
        Ok(result.cast_unsigned())
    }

    fn shift(&mut self, binary: &Binary, left: u64, right: u64) -> Result<u64, Fault> {
        let kind = binary.kind;
        let is_negative = binary.right_kind.is_signed && right.cast_signed() < 0;
        let count = match u32::try_from(right) {
            Ok(count) if !is_negative && count < kind.bits => count,
            _ => {
                self.unless_wrapping(Undefined::Shift)?;
                u32::try_from(right & if kind.bits > 32 { 63 } else { 31 }).unwrap_or(0)
            }
        };
        if binary.operator == BinaryOperator::ShiftRight {
            return Ok(if kind.is_signed {
                (left.cast_signed() >> count.min(63)).cast_unsigned()
            } else {
                left.checked_shr(count).unwrap_or(0)
            });
        }
        if self.is_unbounded {
            return Self::within(kind, kind.value(left).checked_mul(1 << count));
        }
        let shifted = kind.wrap(left.checked_shl(count).unwrap_or(0));
        if kind.is_signed {
            if left.cast_signed() < 0 {
                self.unless_wrapping(Undefined::Shift)?;
            } else if (shifted.cast_signed() >> count.min(63)) != left.cast_signed() {
                self.unless_wrapping(Undefined::Overflow)?;
            }
        }
        Ok(shifted)
    }

    /// Records the integer that an input is compared with. If no operand is an input itself, the hint is for the last
    /// input plus the difference.
    #[cold]
    pub(crate) fn hint(&mut self, left: &Number, right: &Number, left_value: i128, right_value: i128) {
        for (number, other) in [(left, right_value), (right, left_value)] {
            let word = match number {
                Number::Local(register) => self.local(*register),
                Number::Global(register) => self.global(*register),
                _ => continue,
            };
            if let Some(input) = word.as_pending() {
                self.add_hint(input, other);
                return;
            }
        }
        if let Some(last) = self.used.last().copied()
            && let Some((.., value)) = self.given.get(last).copied()
        {
            let distance = right_value - left_value;
            self.add_hint(last, value.saturating_add(distance));
            self.add_hint(last, value.saturating_sub(distance));
        }
    }

    fn add_hint(&mut self, input: usize, value: i128) {
        if self.hints.len() < MOST_HINTS && !self.hints.contains(&(input, value)) {
            self.hints.push((input, value));
        }
    }

    fn load(&mut self, load: &Load) -> Result<u64, Fault> {
        let address = self.pointer(&load.address)?;
        self.loaded(address, load.format)
    }

    /// Reads memory: uninitialized bytes may become inputs.
    pub(crate) fn loaded(&mut self, address: Word, format: Format) -> Result<u64, Fault> {
        match self.load_at(address, format) {
            Err(Fault::Undefined(Undefined::Uninitialised)) if self.limits.uninitialised == Uninitialized::Input => {
                let Some(scalar) = format.scalar() else {
                    return Err(Fault::Undefined(Undefined::Uninitialised));
                };
                let word = self.eager_input(scalar, "uninitialised", InputPurpose::Uninitialized)?;
                self.settled(address, format.bytes(), |machine| {
                    machine.store_at(address, format, word.bits())
                })?;
                self.load_at(address, format)
            }
            result => result,
        }
    }

    /// Stores an input into uninitialized bytes; initialized ones keep their content.
    fn settled(
        &mut self,
        address: Word,
        bytes: usize,
        store: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let written = self.memory.written(address, bytes);
        if written == 0 {
            return store(self);
        }
        let before = self.memory.read(address, bytes, true)?;
        store(self)?;
        let after = self.memory.read(address, bytes, true)?;
        self.memory
            .write(address, bytes, (before & written) | (after & !written))
    }

    pub(crate) fn load_at(&mut self, address: Word, format: Format) -> Result<u64, Fault> {
        match format {
            Format::Integer { kind, bytes } => {
                Ok(kind.wrap(self.memory.read(address, bytes as usize, self.reads_zero)?))
            }
            Format::Bits { kind, first } => {
                let mut number = 0u128;
                for byte in 0..(first + kind.bits).div_ceil(8) {
                    let value = self.memory.read(address.plus(u64::from(byte)), 1, self.reads_zero)?;
                    number |= u128::from(value) << (8 * byte);
                }
                let low = (number >> first) & u128::from(u64::MAX);
                Ok(kind.wrap(u64::try_from(low).unwrap_or(0)))
            }
            Format::Single => {
                let bits = self.memory.read(address, 4, self.reads_zero)?;
                Ok(f64::from(f32::from_bits(u32::try_from(bits).unwrap_or(0))).to_bits())
            }
            Format::Double => self.memory.read(address, 8, self.reads_zero),
            Format::Unsupported(what) => Err(Fault::Unsupported(what)),
        }
    }

    pub(crate) fn store_at(&mut self, address: Word, format: Format, number: u64) -> Result<(), Fault> {
        match format {
            Format::Integer { bytes, .. } => self.memory.write(address, bytes as usize, number),
            Format::Bits { kind, first } => {
                let mask = ((1u128 << kind.bits) - 1) << first;
                let value = u128::from(number) << first;
                for byte in 0..(first + kind.bits).div_ceil(8) {
                    let low = |number: u128| u64::try_from((number >> (8 * byte)) & 0xff).unwrap_or(0);
                    let place = address.plus(u64::from(byte));
                    // Uninitialized neighbouring bits become zero.
                    let before = self.memory.read(place, 1, true)?;
                    self.memory
                        .write(place, 1, (before & !low(mask)) | (low(value) & low(mask)))?;
                }
                Ok(())
            }
            #[allow(clippy::cast_possible_truncation)]
            Format::Single => {
                let bits = (f64::from_bits(number) as f32).to_bits();
                self.memory.write(address, 4, u64::from(bits))
            }
            Format::Double => self.memory.write(address, 8, number),
            Format::Unsupported(what) => Err(Fault::Unsupported(what)),
        }
    }

    pub(crate) fn pointer(&mut self, address: &Address) -> Result<Word, Fault> {
        match address {
            Address::Constant(word) => Ok(*word),
            Address::Object { register, offset } => {
                let object = self.local(*register);
                if object.is_undefined() {
                    // The lifetime of the object has not begun or has ended.
                    return Err(Fault::Undefined(Undefined::DeadObject));
                }
                Ok(object.plus(*offset))
            }
            Address::Local(register) => self.register_pointer(Register::Local(*register)),
            Address::Global(register) => self.register_pointer(Register::Global(*register)),
            Address::Load(address) => {
                let address = self.pointer(address)?;
                match self.memory.read_pointer(address, self.reads_zero) {
                    Err(Fault::Undefined(Undefined::Uninitialised))
                        if self.limits.uninitialised == Uninitialized::Input =>
                    {
                        let pointer =
                            self.eager_input(program::Scalar::Pointer, "uninitialised", InputPurpose::Uninitialized)?;
                        let bytes = self.memory.pointer_bytes();
                        self.settled(address, bytes, |machine| machine.memory.write_pointer(address, pointer))?;
                        self.memory.read_pointer(address, false)
                    }
                    result => result,
                }
            }
            Address::Field(field) => Ok(self.moved(&field.0, field.1)?),
            Address::Element(element) => self.element(element),
            Address::Checked(address) => {
                let pointer = self.pointer(address)?;
                if !self.wraps && self.memory.reach(pointer).is_some_and(|reach| pointer.offset() > reach) {
                    return Err(Fault::Undefined(Undefined::OutOfBounds));
                }
                Ok(pointer)
            }
            Address::FromNumber(number) => {
                let number = self.number(number)?;
                let mask = if self.memory.pointer_bytes() == 4 {
                    u64::from(u32::MAX)
                } else {
                    u64::MAX
                };
                Ok(self.memory.pointer_of(number & mask))
            }
            Address::Fixed(number) if self.limits.fixed_memory => self.memory.at_fixed(*number),
            Address::Fixed(number) => Ok(self.memory.pointer_of(*number)),
            Address::Unsupported(what) => Err(Fault::Unsupported(*what)),
        }
    }

    fn register_pointer(&mut self, register: Register) -> Result<Word, Fault> {
        let word = self.register(register);
        if word.is_open() {
            self.closed(register, word)
        } else {
            Ok(word)
        }
    }

    fn moved(&mut self, base: &Address, bytes: u64) -> Result<Word, Fault> {
        let base = self.pointer(base)?;
        Ok(self.shortened(base.plus(bytes)))
    }

    /// Wraps pointers of 32 bits.
    #[inline]
    fn shortened(&self, pointer: Word) -> Word {
        if self.memory.pointer_bytes() == 4 {
            let bits = pointer.bits();
            if pointer.is_number() {
                return pointer.at(bits & u64::from(u32::MAX));
            } else if self.wraps {
                return pointer.at(((bits << 32).cast_signed() >> 32).cast_unsigned());
            }
        }
        pointer
    }

    fn element(&mut self, element: &Element) -> Result<Word, Fault> {
        let base = self.pointer(&element.base)?;
        let index = self.number(&element.index)?;
        let (distance, overflowed) = index.cast_signed().overflowing_mul(element.bytes.cast_signed());
        let is_huge = !element.kind.is_signed && index.cast_signed() < 0;
        if (overflowed || is_huge) && !base.is_number() {
            self.unless_wrapping(Undefined::OutOfBounds)?;
        }
        Ok(self.shortened(base.plus(distance.cast_unsigned())))
    }

    fn compare_pointers(&mut self, comparison: Comparison, left: Word, right: Word) -> Result<u64, Fault> {
        let (left, right) = (self.memory.as_number(left), self.memory.as_number(right));
        let order = if left.has_same_object(right) {
            if left.is_number() || self.wraps {
                left.bits().cmp(&right.bits())
            } else {
                left.bits().cast_signed().cmp(&right.bits().cast_signed())
            }
        } else {
            let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            if !is_equality {
                self.unless_wrapping(Undefined::DifferentObjects)?;
            }
            if is_equality && (left.is_null() || right.is_null() || !(left.is_number() || right.is_number())) {
                // No two objects share an address, and none is at null.
                Ordering::Less
            } else {
                self.memory.number_of(left)?.cmp(&self.memory.number_of(right)?)
            }
        };
        Ok(u64::from(holds(comparison, order)))
    }

    fn distance(&mut self, distance: &Distance) -> Result<u64, Fault> {
        let left = self.pointer(&distance.left)?;
        let right = self.pointer(&distance.right)?;
        let (left, right) = (self.memory.as_number(left), self.memory.as_number(right));
        let bytes = if left.has_same_object(right) {
            left.bits().wrapping_sub(right.bits())
        } else {
            self.unless_wrapping(Undefined::DifferentObjects)?;
            self.memory.number_of(left)?.wrapping_sub(self.memory.number_of(right)?)
        };
        let elements = bytes
            .cast_signed()
            .checked_div(distance.bytes.cast_signed())
            .unwrap_or(0);
        Ok(distance.kind.wrap(elements.cast_unsigned()))
    }

    fn float(&mut self, number: &Number) -> Result<u64, Fault> {
        match number {
            Number::Float(binary) => self.float_binary(binary),
            Number::FloatNegate(operand) => Ok((-f64::from_bits(self.number(operand)?)).to_bits()),
            Number::FloatCompare(compare) => {
                let left = f64::from_bits(self.number(&compare.1)?);
                let right = f64::from_bits(self.number(&compare.2)?);
                Ok(u64::from(match left.partial_cmp(&right) {
                    Some(order) => holds(compare.0, order),
                    None => compare.0 == Comparison::NotEqual,
                }))
            }
            #[allow(clippy::cast_precision_loss)]
            Number::FloatFromInteger(operand) => {
                let (inner, kind, precision) = &**operand;
                let bits = self.number(inner)?;
                let single = *precision == Precision::Single;
                // Each conversion rounds once.
                let value = match (kind.is_signed, single) {
                    (true, true) => f64::from(bits.cast_signed() as f32),
                    (true, false) => bits.cast_signed() as f64,
                    (false, true) => f64::from(bits as f32),
                    (false, false) => bits as f64,
                };
                Ok(value.to_bits())
            }
            Number::FloatToInteger(operand) => {
                let value = f64::from_bits(self.number(&operand.0)?);
                self.integer_of(value, operand.1)
            }
            #[allow(clippy::cast_possible_truncation)]
            Number::FloatRound(operand) => Ok(f64::from(f64::from_bits(self.number(operand)?) as f32).to_bits()),
            number => self.computed(number),
        }
    }

    #[allow(clippy::cast_possible_truncation)]
    fn float_binary(&mut self, binary: &FloatBinary) -> Result<u64, Fault> {
        let left = f64::from_bits(self.number(&binary.left)?);
        let right = f64::from_bits(self.number(&binary.right)?);
        let exact = match binary.operator {
            BinaryOperator::Add => left + right,
            BinaryOperator::Subtract => left - right,
            BinaryOperator::Multiply => left * right,
            BinaryOperator::Divide => left / right,
            _ => return Err(Fault::Unsupported(Unsupported::Step)),
        };
        // A double has more than twice the bits of a float, so rounding twice equals rounding once.
        Ok(match binary.precision {
            Precision::Double => exact.to_bits(),
            Precision::Single => f64::from(exact as f32).to_bits(),
        })
    }

    #[allow(clippy::cast_possible_truncation)]
    fn integer_of(&self, value: f64, kind: Kind) -> Result<u64, Fault> {
        let whole = value.trunc();
        let is_small = whole.abs() < 1e30;
        let number = if is_small { whole as i128 } else { i128::MAX };
        let bits = kind.bits_of(number);
        if !is_small || kind.value(bits) != number {
            self.unless_wrapping(Undefined::Conversion)?;
            return Ok(kind.wrap(out_of_range(whole, kind)));
        }
        Ok(bits)
    }

    pub(crate) fn scalar(&mut self, scalar: &Scalar) -> Result<Word, Fault> {
        match scalar {
            Scalar::Number(number) => Ok(Word::number(self.number(number)?)),
            Scalar::Pointer(pointer) => self.pointer(pointer),
        }
    }

    /// Assigns a value of the target's type, or an uninitialized one.
    pub(crate) fn assign(&mut self, target: &Target, value: Word) -> Result<(), Fault> {
        let value = match (target, value.as_pending()) {
            (Target::Local(_) | Target::Global(_), _) | (_, None) => value,
            (_, Some(input)) => self.resolved(input)?,
        };
        match target {
            Target::Local(register) => self.set_local(*register, value),
            Target::Global(register) => self.set_register(Register::Global(*register), value),
            Target::Number { address, format } => {
                let address = self.pointer(address)?;
                if value.is_undefined() {
                    let bytes = match format {
                        Format::Integer { bytes, .. } => *bytes as usize,
                        Format::Single => 4,
                        Format::Double => 8,
                        Format::Bits { .. } | Format::Unsupported(_) => {
                            return self.store_at(address, *format, 0);
                        }
                    };
                    return self.memory.write_undefined(address, bytes);
                }
                self.store_at(address, *format, value.bits())?;
            }
            Target::Pointer(address) => {
                let address = self.pointer(address)?;
                self.memory.write_pointer(address, value)?;
            }
            Target::Whole { .. } => return Err(Fault::Unsupported(Unsupported::Step)),
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn set_local(&mut self, register: u32, value: Word) {
        if let Some(local) = self.registers.get_mut(self.base + register as usize) {
            *local = value;
        }
    }
}

fn holds(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}

/// The result of gcc's code for a float out of the range of the integer type: it converts to signed 32 bits, or to 64
/// bits for unsigned types of at least 32 bits, and truncates; where the value is out of range there, too, the
/// processor yields the minimum. Unsigned 64-bit integers convert their upper half separately.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn out_of_range(whole: f64, kind: Kind) -> u64 {
    let half = 9_223_372_036_854_775_808.0;
    let wide = |value: f64| match (-half..half).contains(&value) {
        true => (value as i64).cast_unsigned(),
        false => 1 << 63,
    };
    match (kind.bits, kind.is_signed) {
        (64, false) if whole >= half => wide(whole - half) ^ (1 << 63),
        (64, _) | (32, false) => wide(whole),
        _ if wide(whole) == i64::from(whole as i32).cast_unsigned() => wide(whole),
        _ => 1 << 31,
    }
}
