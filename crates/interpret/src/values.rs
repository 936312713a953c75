//! Compilation of values and places.

use crate::code::{
    Address, Binary, Compare, Distance, Element, FloatBinary, Format, Home, Integers, Load, Number, Precision, Scalar,
    Target,
};
use crate::homes::VariableHome;
use crate::outcome::Unsupported;
use crate::word::{Kind, Word};
use system::program::{
    self, BinaryOperator, Bits, Comparison, Float, Integer, Place, Program, Root, Selector, Type, TypeId,
    UnaryOperator, Value, VariableId,
};

/// Deep values are split into parts, which bounds the depth of recursion: one part for this many operators in a left
/// chain, and one for this many levels of nested places and right operands.
const PART: usize = 32;
const LEVELS: usize = 64;
/// The maximum depth of values. Parsers refuse deeper text.
const DEEPEST: usize = 1000;

/// A compiled place.
#[derive(Clone, Debug)]
pub(crate) enum PlaceForm {
    Local(u32),
    Global(u32),
    Memory {
        address: Address,
        type_id: TypeId,
        bits: Option<Bits>,
    },
}

/// Compiles the values of one procedure.
pub(crate) struct Values<'a> {
    pub(crate) program: &'a Program,
    homes: &'a [VariableHome],
    pub(crate) registers: u32,
    /// Parts of deep values, with the registers that receive them before the step.
    pub(crate) before: Vec<(u32, Scalar)>,
    depth: usize,
}

impl<'a> Values<'a> {
    pub(crate) fn new(program: &'a Program, homes: &'a [VariableHome], registers: u32) -> Values<'a> {
        Values {
            program,
            homes,
            registers,
            before: Vec::new(),
            depth: 0,
        }
    }

    pub(crate) fn home(&self, variable: VariableId) -> Option<VariableHome> {
        self.homes.get(variable.index()).copied()
    }

    pub(crate) fn size_of(&self, variable: VariableId) -> u64 {
        self.program.types.size(self.program[variable].type_id).unwrap_or(0)
    }

    pub(crate) fn place(&mut self, place: &Place) -> PlaceForm {
        let (mut address, mut type_id) = match &place.root {
            Root::Variable(variable) => {
                let address = match self.home(*variable) {
                    Some(VariableHome::Local(Home::Register(register))) => return PlaceForm::Local(register),
                    Some(VariableHome::GlobalRegister(register)) => return PlaceForm::Global(register),
                    Some(VariableHome::Local(Home::Object(register))) => Address::Object { register, offset: 0 },
                    Some(VariableHome::GlobalObject(object)) => Address::Constant(object),
                    Some(VariableHome::Local(Home::Nowhere)) | None => Address::Unsupported(Unsupported::Step),
                };
                (address, self.program[*variable].type_id)
            }
            Root::Dereference { pointer, type_id } => (self.pointer(pointer), *type_id),
        };
        let mut offset = 0u64;
        let mut bits = None;
        for selector in &place.selectors {
            match (selector, &self.program.types[type_id]) {
                (Selector::Field(field), Type::Record(record)) => {
                    let Some(field) = self.program.types[*record].fields.get(*field) else {
                        address = Address::Unsupported(Unsupported::Step);
                        continue;
                    };
                    offset = offset.wrapping_add(field.offset);
                    bits = field.bits;
                    type_id = field.type_id;
                }
                (Selector::Index(index), Type::Array { element, .. }) => {
                    let bytes = self.program.types.size(*element).unwrap_or(0);
                    type_id = *element;
                    if let Value::Integer { value, integer } = &**index {
                        let index = Kind::new(*integer).bits_of(*value);
                        offset = offset.wrapping_add(index.wrapping_mul(bytes));
                    } else {
                        address = self.element(with_offset(address, offset), index, bytes);
                        offset = 0;
                    }
                }
                _ => address = Address::Unsupported(Unsupported::Step),
            }
        }
        PlaceForm::Memory {
            address: with_offset(address, offset),
            type_id,
            bits,
        }
    }

    fn element(&mut self, base: Address, index: &Value, bytes: u64) -> Address {
        let kind = match index.scalar() {
            program::Scalar::Integer(integer) => Kind::new(integer),
            _ => return Address::Unsupported(Unsupported::Step),
        };
        let index = self.number(index);
        Address::Element(Box::new(Element {
            base,
            index,
            kind,
            bytes,
        }))
    }

    /// The address of a place in memory.
    pub(crate) fn address(&mut self, place: &Place) -> Address {
        match self.place(place) {
            PlaceForm::Memory { address, .. } => address,
            PlaceForm::Local(_) | PlaceForm::Global(_) => Address::Unsupported(Unsupported::Step),
        }
    }

    pub(crate) fn target(&mut self, place: &Place) -> Target {
        match self.place(place) {
            PlaceForm::Local(register) => Target::Local(register),
            PlaceForm::Global(register) => Target::Global(register),
            PlaceForm::Memory { address, type_id, bits } => match self.program.types.scalar(type_id) {
                Some(program::Scalar::Pointer) => Target::Pointer(address),
                Some(scalar) => Target::Number {
                    address,
                    format: format(scalar, bits),
                },
                None => Target::Whole {
                    address,
                    bytes: self.program.types.size(type_id).unwrap_or(0),
                },
            },
        }
    }

    pub(crate) fn scalar(&mut self, value: &Value) -> Scalar {
        match value.scalar() {
            program::Scalar::Pointer => Scalar::Pointer(self.pointer(value)),
            program::Scalar::Integer(_) | program::Scalar::Float(_) => Scalar::Number(self.number(value)),
        }
    }

    /// A value converted to the type of the target: bit-fields need integers wrapped.
    pub(crate) fn scalar_for(&mut self, target: &Place, value: &Value) -> Scalar {
        let of_target = self.program.types.scalar(self.program.type_of(target));
        let compiled = self.scalar(value);
        match (compiled, of_target, value.scalar()) {
            (Scalar::Number(number), Some(program::Scalar::Integer(to)), program::Scalar::Integer(from))
                if to != from =>
            {
                Scalar::Number(wrap(number, Kind::new(from), Kind::new(to)))
            }
            (compiled, Some(to), from) if std::mem::discriminant(&to) == std::mem::discriminant(&from) => compiled,
            _ => Scalar::Number(Number::Unsupported(Unsupported::Step)),
        }
    }

    /// A number that is nonzero where the condition holds.
    pub(crate) fn truth(&mut self, condition: &Value) -> Number {
        match condition.scalar() {
            program::Scalar::Integer(_) => self.number(condition),
            program::Scalar::Float(_) => {
                let number = self.number(condition);
                Number::FloatCompare(Box::new((Comparison::NotEqual, number, Number::Constant(0))))
            }
            program::Scalar::Pointer => {
                let pointer = self.pointer(condition);
                let null = Address::Constant(Word::NULL);
                Number::PointerCompare(Box::new((Comparison::NotEqual, pointer, null)))
            }
        }
    }

    /// Compiles an integer or a float. Long sums lean to the left, so the left operands are walked iteratively.
    pub(crate) fn number(&mut self, value: &Value) -> Number {
        if self.depth > DEEPEST {
            return Number::Unsupported(Unsupported::Step);
        }
        self.depth += 1;
        let mut outer = Vec::new();
        let mut inner = value;
        while let Some(operand) = number_operand(inner) {
            outer.push(inner);
            inner = operand;
        }
        let mut number = self.innermost(inner);
        let mut scalar = inner.scalar();
        for (height, value) in outer.into_iter().rev().enumerate() {
            (number, scalar) = self.around(value, number, scalar);
            if (height + 1).is_multiple_of(PART) {
                number = Number::Local(self.part(Scalar::Number(number)));
            }
        }
        self.depth -= 1;
        if self.depth > 0 && self.depth.is_multiple_of(LEVELS) {
            number = Number::Local(self.part(Scalar::Number(number)));
        }
        number
    }

    /// The register of a part of a value.
    fn part(&mut self, part: Scalar) -> u32 {
        let register = self.registers;
        self.registers = self.registers.saturating_add(1);
        self.before.push((register, part));
        register
    }

    fn innermost(&mut self, value: &Value) -> Number {
        match value {
            Value::Integer { value, integer } => Number::Constant(Kind::new(*integer).bits_of(*value)),
            Value::Float {
                bits,
                float: Float::Double,
            } => Number::Constant(*bits),
            #[allow(clippy::cast_possible_truncation)]
            Value::Float {
                bits,
                float: Float::Single,
            } => Number::Constant(f64::from(f64::from_bits(*bits) as f32).to_bits()),
            Value::Float { .. } => Number::Unsupported(Unsupported::ExtendedFloat),
            Value::Read { place, scalar } => match self.place(place) {
                PlaceForm::Local(register) => Number::Local(register),
                PlaceForm::Global(register) => Number::Global(register),
                PlaceForm::Memory { address, bits, .. } => Number::Load(Box::new(Load {
                    address,
                    format: format(*scalar, bits),
                })),
            },
            Value::Compare {
                comparison,
                left,
                right,
                ..
            } => {
                let (left, right) = (self.pointer(left), self.pointer(right));
                Number::PointerCompare(Box::new((*comparison, left, right)))
            }
            Value::Distance {
                left,
                right,
                bytes,
                integer,
            } => Number::Distance(Box::new(Distance {
                left: self.pointer(left),
                right: self.pointer(right),
                bytes: *bytes,
                kind: Kind::new(*integer),
            })),
            Value::Convert {
                to: program::Scalar::Integer(integer),
                value,
            } => Number::FromPointer(Box::new((self.pointer(value), Kind::new(*integer)))),
            _ => Number::Unsupported(Unsupported::Step),
        }
    }

    /// A value around its compiled first operand.
    fn around(&mut self, value: &Value, inner: Number, scalar: program::Scalar) -> (Number, program::Scalar) {
        let unsupported = |what| (Number::Unsupported(what), scalar);
        let is_extended = |scalar| matches!(scalar, program::Scalar::Float(Float::Extended { .. }));
        if is_extended(scalar) {
            return unsupported(Unsupported::ExtendedFloat);
        }
        let number = match (value, scalar) {
            (Value::Unary { operator, .. }, program::Scalar::Integer(integer)) => {
                let operand = Box::new((inner, Kind::new(integer)));
                match operator {
                    UnaryOperator::Negate => Number::Negate(operand),
                    UnaryOperator::Complement => Number::Complement(operand),
                }
            }
            (
                Value::Unary {
                    operator: UnaryOperator::Negate,
                    ..
                },
                program::Scalar::Float(_),
            ) => Number::FloatNegate(Box::new(inner)),
            (Value::Binary { operator, right, .. }, program::Scalar::Integer(integer)) => {
                self.integers(*operator, inner, integer, right)
            }
            (Value::Binary { operator, right, .. }, program::Scalar::Float(float)) => {
                Number::Float(Box::new(FloatBinary {
                    left: inner,
                    right: self.number(right),
                    operator: *operator,
                    precision: if float == Float::Single {
                        Precision::Single
                    } else {
                        Precision::Double
                    },
                }))
            }
            (
                Value::Compare {
                    comparison,
                    right,
                    integer: truth,
                    ..
                },
                of_operands,
            ) => {
                let right = self.number(right);
                let number = match of_operands {
                    program::Scalar::Integer(integer) => Number::Compare(Box::new(Compare {
                        left: inner,
                        right,
                        comparison: *comparison,
                        is_signed: integer.is_signed,
                    })),
                    _ => Number::FloatCompare(Box::new((*comparison, inner, right))),
                };
                return (number, program::Scalar::Integer(*truth));
            }
            (Value::Convert { to, .. }, from) => return (convert(inner, from, *to), *to),
            _ => return unsupported(Unsupported::Step),
        };
        (number, scalar)
    }

    fn integers(&mut self, operator: BinaryOperator, left: Number, integer: Integer, right: &Value) -> Number {
        let kind = Kind::new(integer);
        let right_kind = match right.scalar() {
            program::Scalar::Integer(integer) => Kind::new(integer),
            _ => return Number::Unsupported(Unsupported::Step),
        };
        let right = self.number(right);
        let integers = |left, right| Box::new(Integers { left, right, kind });
        match operator {
            BinaryOperator::Add => Number::Add(integers(left, right)),
            BinaryOperator::Subtract => Number::Subtract(integers(left, right)),
            BinaryOperator::Multiply => Number::Multiply(integers(left, right)),
            _ => Number::Binary(Box::new(Binary {
                left,
                right,
                operator,
                kind,
                right_kind,
            })),
        }
    }

    pub(crate) fn pointer(&mut self, value: &Value) -> Address {
        if self.depth > DEEPEST {
            return Address::Unsupported(Unsupported::Step);
        }
        self.depth += 1;
        let pointer = match value {
            Value::Read { place, .. } => match self.place(place) {
                PlaceForm::Local(register) => Address::Local(register),
                PlaceForm::Global(register) => Address::Global(register),
                PlaceForm::Memory { address, .. } => Address::Load(Box::new(address)),
            },
            Value::Address(place) => match self.address(place) {
                address @ (Address::Object { .. } | Address::Constant(_)) => address,
                address => Address::Checked(Box::new(address)),
            },
            Value::Procedure(procedure) => Address::Constant(Word::procedure(*procedure)),
            Value::Offset { pointer, index, bytes } => {
                let base = self.pointer(pointer);
                Address::Checked(Box::new(self.element(base, index, *bytes)))
            }
            Value::Convert {
                to: program::Scalar::Pointer,
                value,
            } => match value.scalar() {
                program::Scalar::Pointer => self.pointer(value),
                program::Scalar::Integer(_) => match self.number(value) {
                    Number::Constant(0) => Address::Constant(Word::NULL),
                    Number::Constant(number) if self.program.types.pointer_bits == 32 => {
                        Address::Fixed(number & u64::from(u32::MAX))
                    }
                    Number::Constant(number) => Address::Fixed(number),
                    number => Address::FromNumber(Box::new(number)),
                },
                program::Scalar::Float(_) => Address::Unsupported(Unsupported::Step),
            },
            _ => Address::Unsupported(Unsupported::Step),
        };
        self.depth -= 1;
        if self.depth > 0 && self.depth.is_multiple_of(LEVELS) {
            return Address::Local(self.part(Scalar::Pointer(pointer)));
        }
        pointer
    }
}

/// The first operand of a number, if it is a number itself.
fn number_operand(value: &Value) -> Option<&Value> {
    match value {
        Value::Unary { operand, .. } => Some(operand),
        Value::Binary { left, .. } => Some(left),
        Value::Compare { left: operand, .. } | Value::Convert { value: operand, .. } => {
            // Only these can be pointers.
            let is_pointer = match &**operand {
                Value::Unary { .. } | Value::Binary { .. } => false,
                operand => operand.scalar() == program::Scalar::Pointer,
            };
            (!is_pointer).then_some(&**operand)
        }
        _ => None,
    }
}

fn with_offset(address: Address, offset: u64) -> Address {
    match address {
        address if offset == 0 => address,
        Address::Constant(word) => Address::Constant(word.plus(offset)),
        Address::Object {
            register,
            offset: before,
        } => Address::Object {
            register,
            offset: before.wrapping_add(offset),
        },
        address => Address::Field(Box::new((address, offset))),
    }
}

pub(crate) fn format(scalar: program::Scalar, bits: Option<Bits>) -> Format {
    match (scalar, bits) {
        (program::Scalar::Integer(integer), Some(bits)) => Format::Bits {
            kind: Kind::new(Integer::new(bits.width, integer.is_signed)),
            first: bits.first,
        },
        (program::Scalar::Integer(integer), None) if matches!(integer.bits, 8 | 16 | 32 | 64) => Format::Integer {
            kind: Kind::new(integer),
            bytes: integer.bits / 8,
        },
        (program::Scalar::Float(Float::Single), _) => Format::Single,
        (program::Scalar::Float(Float::Double), _) => Format::Double,
        (program::Scalar::Float(Float::Extended { .. }), _) => Format::Unsupported(Unsupported::ExtendedFloat),
        _ => Format::Unsupported(Unsupported::Step),
    }
}

fn wrap(number: Number, from: Kind, to: Kind) -> Number {
    match number {
        Number::Constant(bits) => Number::Constant(to.wrap(bits)),
        number if to.holds_all_of(from) => number,
        number => Number::Wrap(Box::new((number, from, to))),
    }
}

fn convert(inner: Number, from: program::Scalar, to: program::Scalar) -> Number {
    match (from, to) {
        (program::Scalar::Integer(from), program::Scalar::Integer(to)) => wrap(inner, Kind::new(from), Kind::new(to)),
        (_, program::Scalar::Float(Float::Extended { .. })) => Number::Unsupported(Unsupported::ExtendedFloat),
        (program::Scalar::Integer(from), program::Scalar::Float(to)) => {
            let precision = if to == Float::Single {
                Precision::Single
            } else {
                Precision::Double
            };
            Number::FloatFromInteger(Box::new((inner, Kind::new(from), precision)))
        }
        (program::Scalar::Float(_), program::Scalar::Integer(to)) => {
            Number::FloatToInteger(Box::new((inner, Kind::new(to))))
        }
        (program::Scalar::Float(_), program::Scalar::Float(Float::Single)) => Number::FloatRound(Box::new(inner)),
        (program::Scalar::Float(_), program::Scalar::Float(_)) => inner,
        _ => Number::Unsupported(Unsupported::Step),
    }
}
