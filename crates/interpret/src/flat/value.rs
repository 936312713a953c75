//! Values and places.

use super::memory::BlockOrigin;
use super::{Flat, Stop};
use crate::inputs::Request;
use system::program::{
    BinaryOperator, Bits, Comparison, Float, Integer, Place, Root, Scalar, Selector, Type, TypeId, UnaryOperator,
    Undefined, Value, VariableId,
};

/// A value: an integer in the range of its type, an address, or a float.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FlatValue {
    Integer(i128),
    Float(f64),
}

/// A place in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) address: u64,
    pub(super) type_id: TypeId,
    pub(super) bits: Option<Bits>,
}

impl FlatValue {
    pub(super) fn integer(self) -> Result<i128, Stop> {
        match self {
            FlatValue::Integer(number) => Ok(number),
            FlatValue::Float(_) => Err(Stop::Beyond("a float where an integer belongs")),
        }
    }

    fn float(self) -> Result<f64, Stop> {
        match self {
            FlatValue::Float(number) => Ok(number),
            FlatValue::Integer(_) => Err(Stop::Beyond("an integer where a float belongs")),
        }
    }
}

impl Flat<'_> {
    pub(super) fn pointer_type(&self) -> Integer {
        Integer::new(self.program.types.pointer_bits, false)
    }

    pub(super) fn address_of(&self, variable: VariableId) -> Result<u64, Stop> {
        let origin = match self.program[variable].procedure {
            None => BlockOrigin::Global(variable),
            Some(_) => BlockOrigin::Local(self.frame()?.serial, variable),
        };
        self.memory
            .base_of(origin)
            .ok_or(Stop::Beyond("a variable of another call"))
    }

    pub(super) fn spot(&mut self, place: &Place) -> Result<Spot, Stop> {
        let (mut address, mut type_id) = match &place.root {
            Root::Variable(variable) => (self.address_of(*variable)?, self.program[*variable].type_id),
            Root::Dereference { pointer, type_id } => (self.address(pointer)?, *type_id),
        };
        let mut bits = None;
        for selector in &place.selectors {
            match (selector, &self.program.types[type_id]) {
                (Selector::Field(field), Type::Record(record)) => {
                    let field = &self.program.types[*record].fields[*field];
                    address = self.moved(address, i128::from(field.offset))?;
                    (type_id, bits) = (field.type_id, field.bits);
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    let (element, length) = (*element, *length);
                    let size = self.program.types.size(element).unwrap_or(0);
                    let index = self.value(index)?.integer()?;
                    // An index outside of an array may be inside of its object, but systems may treat it as undefined.
                    let is_inside = |length: u64| (0..=i128::from(length)).contains(&index);
                    if self.options.asks && length.is_some_and(|length| length > 0 && !is_inside(length)) {
                        return Err(Stop::Undefined(Undefined::OutOfBounds));
                    }
                    address = self.moved(address, index * i128::from(size))?;
                    type_id = element;
                }
                _ => return Err(Stop::Beyond("a selector that does not fit")),
            }
        }
        Ok(Spot { address, type_id, bits })
    }

    fn moved(&self, address: u64, by: i128) -> Result<u64, Stop> {
        let number = self.pointer_type().wrap(i128::from(address) + by);
        let to = u64::try_from(number).unwrap_or(0);
        // Systems remember the object of a pointer that is far out of bounds; here it would be forgotten.
        let near = |address| self.memory.block_at(address).map(|(origin, _)| origin);
        if self.options.asks && by != 0 && near(address).is_some_and(|origin| near(to) != Some(origin)) {
            return Err(Stop::Undefined(Undefined::OutOfBounds));
        }
        Ok(to)
    }

    pub(super) fn address(&mut self, value: &Value) -> Result<u64, Stop> {
        let number = self.value(value)?.integer()?;
        u64::try_from(number).map_err(|_| Stop::Beyond("a negative address"))
    }

    /// Reads a place. Uninitialized memory becomes an input, or stops the run.
    pub(super) fn load(&mut self, spot: Spot, scalar: Scalar) -> Result<FlatValue, Stop> {
        let size = self.size_of(spot, scalar)?;
        let found = match self.memory.read(spot.address, size)? {
            Some(found) => found,
            None if !self.options.asks => return Err(Stop::Undefined(Undefined::Uninitialised)),
            None => {
                let value = self.input(scalar, "")?;
                let changed = self.memory.changed.clone();
                self.store(spot, scalar, value)?;
                // The input counts as the initial content, not as a write.
                self.memory.changed = changed;
                let number = self.memory.read(spot.address, size)?.map_or(0, |(number, _)| number);
                self.lazily.push((spot.address, size, number));
                return Ok(value);
            }
        };
        let (number, is_pointer) = found;
        self.saw_addresses |= is_pointer && scalar != Scalar::Pointer;
        Ok(match (scalar, spot.bits) {
            (Scalar::Integer(integer), Some(bits)) => {
                FlatValue::Integer(integer.wrap(i128::from(number >> bits.first) & ((1 << bits.width) - 1)))
            }
            (Scalar::Integer(integer), None) => FlatValue::Integer(integer.wrap(i128::from(number))),
            (Scalar::Pointer, _) => FlatValue::Integer(i128::from(number)),
            (Scalar::Float(Float::Single), _) => {
                let bits = u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0);
                FlatValue::Float(f64::from(f32::from_bits(bits)))
            }
            (Scalar::Float(Float::Double), _) => FlatValue::Float(f64::from_bits(number)),
            (Scalar::Float(Float::Extended { .. }), _) => return Err(Stop::Beyond("wide floats")),
        })
    }

    fn size_of(&self, spot: Spot, scalar: Scalar) -> Result<u64, Stop> {
        Ok(match (spot.bits, scalar) {
            (Some(bits), _) => u64::from((bits.first + bits.width).div_ceil(8)),
            (None, Scalar::Integer(integer)) => u64::from(integer.bits.div_ceil(8)),
            (None, Scalar::Pointer) => u64::from(self.program.types.pointer_bits / 8),
            (None, Scalar::Float(Float::Single)) => 4,
            (None, Scalar::Float(Float::Double)) => 8,
            (None, Scalar::Float(Float::Extended { .. })) => return Err(Stop::Beyond("wide floats")),
        })
        .and_then(|size| {
            if size > 8 {
                Err(Stop::Beyond("wide fields"))
            } else {
                Ok(size)
            }
        })
    }

    pub(super) fn store(&mut self, spot: Spot, scalar: Scalar, value: FlatValue) -> Result<(), Stop> {
        let size = self.size_of(spot, scalar)?;
        let number = match (scalar, value) {
            #[allow(clippy::cast_possible_truncation)]
            (Scalar::Float(Float::Single), FlatValue::Float(float)) => u64::from((float as f32).to_bits()),
            (_, FlatValue::Float(float)) => float.to_bits(),
            (_, FlatValue::Integer(number)) => u64::try_from(number & i128::from(u64::MAX)).unwrap_or(0),
        };
        let Some(bits) = spot.bits else {
            return self.memory.write(spot.address, size, number, scalar == Scalar::Pointer);
        };
        // Bytes are initialized as a whole.
        for byte in 0..size {
            if self.memory.read(spot.address + byte, 1)?.is_none() {
                self.memory.define(spot.address + byte, 1)?;
            }
        }
        let held = self.memory.read(spot.address, size)?.map_or(0, |(held, _)| held);
        let mask = (u64::MAX >> (64 - bits.width)) << bits.first;
        let number = (held & !mask) | ((number << bits.first) & mask);
        self.memory.write(spot.address, size, number, false)
    }

    /// Requests an input of a type.
    pub(super) fn input(&mut self, scalar: Scalar, name: &str) -> Result<FlatValue, Stop> {
        let request = Request {
            name,
            scalar,
            place: None,
            planned: None,
        };
        let value = self.inputs.next(request).ok_or(Stop::NoInput)?;
        let unsigned = |bits| u64::try_from(Integer::new(bits, false).wrap(value)).unwrap_or(0);
        let number = match scalar {
            Scalar::Integer(integer) => FlatValue::Integer(integer.wrap(value)),
            #[allow(clippy::cast_possible_truncation)]
            Scalar::Float(Float::Single) => FlatValue::Float(f64::from(f64::from_bits(unsigned(64)) as f32)),
            Scalar::Float(Float::Double) => FlatValue::Float(f64::from_bits(unsigned(64))),
            Scalar::Float(Float::Extended { .. }) => return Err(Stop::Beyond("wide floats")),
            Scalar::Pointer => FlatValue::Integer(i128::from(unsigned(self.program.types.pointer_bits))),
        };
        self.given.push(value);
        Ok(number)
    }

    pub(super) fn truth(&mut self, value: &Value) -> Result<bool, Stop> {
        Ok(match self.value(value)? {
            FlatValue::Integer(number) => number != 0,
            FlatValue::Float(number) => number != 0.0,
        })
    }

    pub(super) fn value(&mut self, value: &Value) -> Result<FlatValue, Stop> {
        Ok(match value {
            Value::Integer { value, integer } => FlatValue::Integer(integer.wrap(*value)),
            Value::Float { bits, float } => rounded(f64::from_bits(*bits), *float)?,
            Value::Read { place, scalar } => {
                let spot = self.spot(place)?;
                self.load(spot, *scalar)?
            }
            Value::Address(place) => FlatValue::Integer(i128::from(self.spot(place)?.address)),
            Value::Procedure(procedure) => {
                let base = self.memory.base_of(BlockOrigin::Procedure(*procedure));
                FlatValue::Integer(i128::from(base.ok_or(Stop::Beyond("a procedure"))?))
            }
            Value::Unary { operator, operand } => {
                let scalar = operand.scalar();
                match (self.value(operand)?, scalar) {
                    (FlatValue::Float(number), Scalar::Float(float)) => rounded(-number, float)?,
                    (FlatValue::Integer(number), Scalar::Integer(integer)) => match operator {
                        UnaryOperator::Negate => self.fitted(-number, integer)?,
                        UnaryOperator::Complement => FlatValue::Integer(integer.wrap(!number)),
                    },
                    _ => return Err(Stop::Beyond("an operand that does not fit")),
                }
            }
            Value::Binary { operator, left, right } => {
                let scalar = left.scalar();
                let (left, right) = (self.value(left)?, self.value(right)?);
                match scalar {
                    Scalar::Float(float) => rounded(of_floats(*operator, left.float()?, right.float()?)?, float)?,
                    Scalar::Integer(integer) => {
                        self.of_integers(*operator, left.integer()?, right.integer()?, integer)?
                    }
                    Scalar::Pointer => return Err(Stop::Beyond("arithmetic on addresses")),
                }
            }
            Value::Compare {
                comparison,
                left,
                right,
                ..
            } => {
                let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                let is_pointer = left.scalar() == Scalar::Pointer;
                let (left, right) = (self.value(left)?, self.value(right)?);
                if let (true, FlatValue::Integer(left), FlatValue::Integer(right)) = (is_pointer, left, right) {
                    self.compared(left, right, is_order)?;
                }
                FlatValue::Integer(i128::from(compared(*comparison, left, right)))
            }
            Value::Offset { pointer, index, bytes } => {
                let address = self.address(pointer)?;
                let index = self.value(index)?.integer()?;
                FlatValue::Integer(i128::from(self.moved(address, index * i128::from(*bytes))?))
            }
            Value::Distance {
                left,
                right,
                bytes,
                integer,
            } => {
                let (left, right) = (self.address(left)?, self.address(right)?);
                self.compared(i128::from(left), i128::from(right), true)?;
                let apart = Integer::new(integer.bits, true).wrap(i128::from(left) - i128::from(right));
                FlatValue::Integer(integer.wrap(apart / i128::from(*bytes).max(1)))
            }
            Value::Convert { to, value } => {
                let from = value.scalar();
                let number = self.value(value)?;
                self.converted(from, *to, number)?
            }
        })
    }

    /// Marks a result that depends on the addresses of blocks, in which other semantics may differ.
    fn compared(&mut self, left: i128, right: i128, is_order: bool) -> Result<(), Stop> {
        let block = |number: i128| {
            u64::try_from(number)
                .ok()
                .and_then(|address| self.memory.block_at(address))
        };
        let (one, other) = (block(left), block(right));
        let is_same = one.map(|(origin, _)| origin) == other.map(|(origin, _)| origin);
        let is_null = left == 0 || right == 0;
        if is_order && !is_same && !is_null {
            if self.options.is_strict && one.is_some() && other.is_some() {
                return Err(Stop::Undefined(Undefined::DifferentObjects));
            }
            self.saw_addresses = true;
        }
        Ok(())
    }

    fn converted(&mut self, from: Scalar, to: Scalar, number: FlatValue) -> Result<FlatValue, Stop> {
        Ok(match (number, to) {
            (FlatValue::Integer(number), Scalar::Integer(integer)) => {
                if from == Scalar::Pointer {
                    let address = u64::try_from(number).unwrap_or(0);
                    self.saw_addresses |= self.memory.block_at(address).is_some();
                }
                FlatValue::Integer(integer.wrap(number))
            }
            (FlatValue::Integer(number), Scalar::Pointer) => FlatValue::Integer(self.pointer_type().wrap(number)),
            #[allow(clippy::cast_precision_loss)]
            (FlatValue::Integer(number), Scalar::Float(Float::Single)) => FlatValue::Float(f64::from(number as f32)),
            #[allow(clippy::cast_precision_loss)]
            (FlatValue::Integer(number), Scalar::Float(float)) => rounded(number as f64, float)?,
            (FlatValue::Float(number), Scalar::Float(float)) => rounded(number, float)?,
            (FlatValue::Float(number), Scalar::Integer(integer)) => {
                let whole = number.trunc();
                #[allow(clippy::cast_precision_loss)]
                let fits = whole >= integer.least() as f64 && whole <= integer.greatest() as f64;
                if !fits || whole.abs() > 1e18 {
                    return Err(Stop::Undefined(Undefined::Conversion));
                }
                #[allow(clippy::cast_possible_truncation)]
                FlatValue::Integer(integer.wrap(whole as i128))
            }
            (FlatValue::Float(_), Scalar::Pointer) => return Err(Stop::Beyond("a float as an address")),
        })
    }

    fn fitted(&self, number: i128, integer: Integer) -> Result<FlatValue, Stop> {
        if self.options.is_strict && integer.is_signed && !integer.contains(number) {
            return Err(Stop::Undefined(Undefined::Overflow));
        }
        Ok(FlatValue::Integer(integer.wrap(number)))
    }

    fn of_integers(
        &self,
        operator: BinaryOperator,
        left: i128,
        right: i128,
        integer: Integer,
    ) -> Result<FlatValue, Stop> {
        let number = match operator {
            BinaryOperator::Add => return self.fitted(left + right, integer),
            BinaryOperator::Subtract => return self.fitted(left - right, integer),
            BinaryOperator::Multiply => return self.fitted(left.wrapping_mul(right), integer),
            BinaryOperator::Divide | BinaryOperator::Remainder if right == 0 => {
                return Err(Stop::Undefined(Undefined::DivisionByZero));
            }
            // The machine traps.
            BinaryOperator::Divide | BinaryOperator::Remainder
                if integer.is_signed && left == integer.least() && right == -1 =>
            {
                return Err(Stop::Undefined(Undefined::Overflow));
            }
            BinaryOperator::Divide => left / right,
            BinaryOperator::Remainder => left % right,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                let bits = u32::try_from(right).ok().filter(|bits| *bits < integer.bits);
                let Some(bits) = bits else {
                    return Err(Stop::Undefined(Undefined::Shift));
                };
                match operator {
                    BinaryOperator::ShiftRight => left >> bits,
                    _ if self.options.is_strict
                        && integer.is_signed
                        && (left < 0 || !integer.contains(left << bits)) =>
                    {
                        return Err(Stop::Undefined(Undefined::Shift));
                    }
                    _ => left.wrapping_shl(bits),
                }
            }
            BinaryOperator::And => left & right,
            BinaryOperator::Or => left | right,
            BinaryOperator::ExclusiveOr => left ^ right,
        };
        Ok(FlatValue::Integer(integer.wrap(number)))
    }
}

fn rounded(number: f64, float: Float) -> Result<FlatValue, Stop> {
    match float {
        #[allow(clippy::cast_possible_truncation)]
        Float::Single => Ok(FlatValue::Float(f64::from(number as f32))),
        Float::Double => Ok(FlatValue::Float(number)),
        Float::Extended { .. } => Err(Stop::Beyond("wide floats")),
    }
}

fn of_floats(operator: BinaryOperator, left: f64, right: f64) -> Result<f64, Stop> {
    Ok(match operator {
        BinaryOperator::Add => left + right,
        BinaryOperator::Subtract => left - right,
        BinaryOperator::Multiply => left * right,
        BinaryOperator::Divide => left / right,
        _ => return Err(Stop::Beyond("bits of a float")),
    })
}

#[allow(clippy::float_cmp)]
fn compared(comparison: Comparison, left: FlatValue, right: FlatValue) -> bool {
    let order = match (left, right) {
        (FlatValue::Integer(left), FlatValue::Integer(right)) => Some(left.cmp(&right)),
        (FlatValue::Float(left), FlatValue::Float(right)) => left.partial_cmp(&right),
        _ => None,
    };
    match comparison {
        Comparison::Equal => order.is_some_and(|order| order.is_eq()),
        Comparison::NotEqual => !order.is_some_and(|order| order.is_eq()),
        Comparison::Less => order.is_some_and(|order| order.is_lt()),
        Comparison::LessOrEqual => order.is_some_and(|order| order.is_le()),
        Comparison::Greater => order.is_some_and(|order| order.is_gt()),
        Comparison::GreaterOrEqual => order.is_some_and(|order| order.is_ge()),
    }
}
