//! Types and the memory layout of objects.

use crate::Span;
use std::ops::Index;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RecordId(pub u32);

/// All types of a program. Numbers are little-endian.
#[derive(Clone, Debug)]
pub struct Types {
    /// 32 or 64.
    pub pointer_bits: u32,
    types: Vec<Type>,
    records: Vec<Record>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`: what a `void *` points to.
    Void,
    Integer(Integer),
    Float(Float),
    Pointer(TypeId),
    /// An array; without a length if it is incomplete: a flexible array member, or a type that was only declared.
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

/// An integer type: 8, 16, 32 or 64 bits for an object in memory. A bit-[`Field`] and values computed from it may have
/// any width from 1 to 64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Integer {
    pub bits: u32,
    pub is_signed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Float {
    Single,
    Double,
    /// Wider than a double, with as many bytes as here.
    Extended {
        bytes: u32,
    },
}

/// The type of a register value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    Integer(Integer),
    Float(Float),
    Pointer,
}

/// A struct or union; all fields of a union have offset zero.
#[derive(Clone, Debug)]
pub struct Record {
    /// The source name, such as `struct list`.
    pub name: String,
    pub is_union: bool,
    pub fields: Vec<Field>,
    /// `None` if it was only declared.
    pub size: Option<u64>,
    pub alignment: u64,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Empty for an anonymous member.
    pub name: String,
    /// The type of the value; for a bit-field, an integer of its width.
    pub type_id: TypeId,
    /// The offset in bytes; for a bit-field, that of the first byte that holds one of its bits.
    pub offset: u64,
    pub bits: Option<Bits>,
}

/// The bits of a bit-field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits {
    /// The lowest bit, counted from the lowest bit of the byte at the field's offset: 0 to 7.
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

    /// The number of this type that is congruent modulo a power of two.
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

    /// Adds a type. The caller ensures that there are no duplicates.
    pub fn add(&mut self, added: Type) -> TypeId {
        self.types.push(added);
        TypeId(u32::try_from(self.types.len() - 1).unwrap_or(u32::MAX))
    }

    pub fn add_record(&mut self, record: Record) -> RecordId {
        self.records.push(record);
        RecordId(u32::try_from(self.records.len() - 1).unwrap_or(u32::MAX))
    }

    /// Completes a record that was declared before its fields are known.
    pub fn complete(&mut self, id: RecordId, record: Record) {
        self.records[id.0 as usize] = record;
    }

    pub fn count(&self) -> usize {
        self.types.len()
    }

    /// `None` for types without a size: void, procedures, and incomplete records and arrays.
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

    /// The scalar type of a place's value, if it fits a register.
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
