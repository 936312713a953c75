//! How objects lie in memory.

use crate::Span;
use std::ops::Index;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

/// All types of a program. Numbers have their lowest byte first.
#[derive(Clone, Debug)]
pub struct Types {
    /// 32 or 64.
    pub pointer_bits: u32,
    types: Vec<Type>,
    records: Vec<Record>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Nothing that can be read or written: what a pointer to anything points at.
    Void,
    Integer(Integer),
    Float(Float),
    Pointer(TypeId),
    /// Of unknown length where there is none: the last field of a record, or what was only declared.
    Array {
        element: TypeId,
        length: Option<u64>,
    },
    Record(RecordId),
    Procedure {
        parameters: Vec<TypeId>,
        is_variadic: bool,
        result: TypeId,
    },
}

/// An integer of so many bits: 8, 16, 32 or 64 where it lies in memory by itself. A [`Field`] with bits of its own, and
/// what is computed from one, may have any number of bits from 1 to 64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Integer {
    pub bits: u32,
    pub is_signed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Float {
    Single,
    Double,
    /// With more bits than a double, and as many bytes as here.
    Extended {
        bytes: u32,
    },
}

/// The type of a value: what fits into a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    Integer(Integer),
    Float(Float),
    Pointer,
}

/// A record, or a union, whose fields all begin at its beginning.
#[derive(Clone, Debug)]
pub struct Record {
    /// Such as `struct list`.
    pub name: String,
    pub is_union: bool,
    pub fields: Vec<Field>,
    /// None where it was only declared.
    pub size: Option<u64>,
    pub alignment: u64,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Empty where it has none, such as a union in a record whose fields are named as if they were the record's.
    pub name: String,
    /// Of a field with bits of its own, an integer of so many bits: what is read has this type.
    pub type_id: TypeId,
    /// In bytes. Of a field with bits of its own, that of the first byte it has a bit in.
    pub offset: u64,
    pub bits: Option<Bits>,
}

/// Bits of a field that is not a number of whole bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits {
    /// From the lowest bit of the byte at the field's offset: 0 to 7.
    pub first: u32,
    pub width: u32,
}

impl Integer {
    pub const fn new(bits: u32, is_signed: bool) -> Integer {
        Integer { bits, is_signed }
    }

    pub fn least(self) -> i128 {
        if self.is_signed { -(1i128 << (self.bits - 1)) } else { 0 }
    }

    pub fn greatest(self) -> i128 {
        let bits = if self.is_signed { self.bits - 1 } else { self.bits };
        (1i128 << bits) - 1
    }

    pub fn contains(self, value: i128) -> bool {
        (self.least()..=self.greatest()).contains(&value)
    }

    /// The number of the type that is equal modulo a power of two.
    pub fn wrap(self, value: i128) -> i128 {
        let low = value & ((1i128 << self.bits) - 1);
        if self.is_signed && low > self.greatest() {
            low - (1i128 << self.bits)
        } else {
            low
        }
    }
}

impl Types {
    pub fn new(pointer_bits: u32) -> Types {
        Types {
            pointer_bits,
            types: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Whoever adds types sees to it that none is added twice.
    pub fn add(&mut self, added: Type) -> TypeId {
        self.types.push(added);
        TypeId(u32::try_from(self.types.len() - 1).unwrap_or(u32::MAX))
    }

    pub fn add_record(&mut self, record: Record) -> RecordId {
        self.records.push(record);
        RecordId(u32::try_from(self.records.len() - 1).unwrap_or(u32::MAX))
    }

    /// A record is known before its fields are.
    pub fn complete(&mut self, id: RecordId, record: Record) {
        self.records[id.0 as usize] = record;
    }

    pub fn count(&self) -> usize {
        self.types.len()
    }

    /// None for what has no size: nothing, procedures, records and arrays that were only declared.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match &self[id] {
            Type::Void | Type::Procedure { .. } => None,
            Type::Integer(integer) => Some(u64::from(integer.bits.div_ceil(8))),
            Type::Float(float) => Some(float.bytes()),
            Type::Pointer(_) => Some(u64::from(self.pointer_bits / 8)),
            Type::Array { element, length } => self.size(*element)?.checked_mul((*length)?),
            Type::Record(record) => self[*record].size,
        }
    }

    /// The type of the values of such places, where they fit into a register.
    pub fn scalar(&self, id: TypeId) -> Option<Scalar> {
        match &self[id] {
            Type::Integer(integer) => Some(Scalar::Integer(*integer)),
            Type::Float(float) => Some(Scalar::Float(*float)),
            Type::Pointer(_) => Some(Scalar::Pointer),
            Type::Void | Type::Array { .. } | Type::Record(_) | Type::Procedure { .. } => None,
        }
    }
}

impl Float {
    pub fn bytes(self) -> u64 {
        match self {
            Float::Single => 4,
            Float::Double => 8,
            Float::Extended { bytes } => u64::from(bytes),
        }
    }
}

impl Index<TypeId> for Types {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }
}

impl Index<RecordId> for Types {
    type Output = Record;

    fn index(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_around() {
        let signed = Integer::new(8, true);
        assert_eq!((signed.least(), signed.greatest()), (-128, 127));
        assert_eq!([128, -129, 255, 256].map(|n| signed.wrap(n)), [-128, 127, -1, 0]);
        let unsigned = Integer::new(64, false);
        assert_eq!(unsigned.wrap(-1), i128::from(u64::MAX));
        assert!(!unsigned.contains(-1) && unsigned.contains(i128::from(u64::MAX)));
    }
}
