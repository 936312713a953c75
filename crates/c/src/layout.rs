//! The layout of records, as gcc does it for x86 and x86-64 (the System V ABIs, with gcc's attributes).
//!
//! Bit-fields share storage: one may begin at any bit, but must not straddle more units of its declared type than one
//! such unit has (the ABI of x86-64, "Bit-Fields"; gcc calls it `PCC_BITFIELD_TYPE_MATTERS`). A width of zero advances
//! to the next unit. `packed` records have no such border. Only named bit-fields align the record.

use crate::options::DataModel;
use crate::types::{Field, FloatKind, IntegerKind, Kind, Length, Type, Types};

pub(crate) use system::program::Bits;

/// A field without an offset.
#[derive(Clone, Debug)]
pub(crate) struct Unplaced {
    pub(crate) field: Field,
    /// In bits, for bit-fields. Unnamed ones are padding.
    pub(crate) width: Option<u32>,
    /// By an attribute or `_Alignas` of the field itself.
    pub(crate) alignment: Option<u64>,
    pub(crate) is_packed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecordAttributes {
    pub(crate) is_packed: bool,
    pub(crate) alignment: Option<u64>,
    /// `#pragma pack`: the maximum alignment of fields, except for a width of zero.
    pub(crate) largest_alignment: Option<u64>,
}

/// A record with the offsets of its fields.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) fields: Vec<Field>,
    pub(crate) size: u64,
    pub(crate) alignment: u64,
}

/// None where the record would be larger than memory.
pub(crate) fn place(
    types: &Types,
    is_union: bool,
    unplaced: Vec<Unplaced>,
    attributes: RecordAttributes,
) -> Option<Placed> {
    let mut layout = Layout {
        types,
        largest_alignment: attributes.largest_alignment.unwrap_or(u64::MAX),
        bits: 0,
        alignment: 1,
    };
    let mut fields = Vec::new();
    let mut largest = 0;
    for mut item in unplaced {
        if is_union {
            layout.bits = 0;
        }
        item.is_packed |= attributes.is_packed;
        let is_filler = item.width.is_some() && item.field.name.is_none();
        let placed = layout.place(item)?;
        if !is_filler {
            fields.push(placed);
        }
        largest = largest.max(layout.bits);
    }
    let alignment = layout.alignment.max(attributes.alignment.unwrap_or(1));
    let size = round_up(largest.div_ceil(8), alignment)?;
    // gcc's own limit: half of the address space.
    let limit = 1u64 << (types.data_model.pointer_bits() - 1);
    (size < limit).then_some(Placed {
        fields,
        size,
        alignment,
    })
}

struct Layout<'a> {
    types: &'a Types,
    largest_alignment: u64,
    /// Where the next field may begin.
    bits: u64,
    /// Of the record.
    alignment: u64,
}

impl Layout<'_> {
    fn place(&mut self, item: Unplaced) -> Option<Field> {
        match item.width {
            None => self.place_whole(item),
            Some(0) => self.place_border(item),
            Some(width) => self.place_bits(item, width),
        }
    }

    fn place_whole(&mut self, item: Unplaced) -> Option<Field> {
        let natural = match item.is_packed {
            true => 1,
            false => self.types.alignment(item.field.field_type),
        };
        let alignment = match item.alignment {
            Some(own) if item.is_packed => own,
            own => natural.max(own.unwrap_or(1)),
        };
        let alignment = alignment.min(self.largest_alignment);
        let size = self.types.size(item.field.field_type).unwrap_or(0);
        let offset = round_up(self.bits.div_ceil(8), alignment)?;
        self.bits = offset.checked_add(size)?.checked_mul(8)?;
        self.alignment = self.alignment.max(alignment);
        Some(Field {
            offset,
            bits: None,
            ..item.field
        })
    }

    fn place_border(&mut self, item: Unplaced) -> Option<Field> {
        let unit = self
            .types
            .alignment(item.field.field_type)
            .max(item.alignment.unwrap_or(1));
        self.bits = round_up(self.bits, unit.checked_mul(8)?)?;
        Some(item.field)
    }

    fn place_bits(&mut self, item: Unplaced, width: u32) -> Option<Field> {
        let size = self.types.size(item.field.field_type).unwrap_or(1).checked_mul(8)?;
        let unit = self.types.alignment(item.field.field_type).min(self.largest_alignment);
        let unit = unit.checked_mul(8)?;
        let own_alignment = item.alignment.map(|own| own.min(self.largest_alignment));
        let mut start = self.bits;
        if let Some(own) = own_alignment {
            start = round_up(start, own.checked_mul(8)?)?;
        }
        let units = ((start % unit) + u64::from(width)).div_ceil(unit);
        // `#pragma pack` removes the border in gcc.
        if !item.is_packed && self.largest_alignment == u64::MAX && units > size / unit {
            start = round_up(start, unit)?;
        }
        self.bits = start.checked_add(u64::from(width))?;
        if item.field.name.is_some() {
            // Of `packed` and `#pragma pack`, gcc obeys the latter here.
            let is_packed = item.is_packed && self.largest_alignment == u64::MAX;
            let implied = if is_packed { 1 } else { unit / 8 };
            self.alignment = self.alignment.max(implied).max(own_alignment.unwrap_or(1));
        }
        let bits = Bits {
            first: u32::try_from(start % 8).unwrap_or(0),
            width,
        };
        Some(Field {
            offset: start / 8,
            bits: Some(bits),
            ..item.field
        })
    }
}

fn round_up(value: u64, to: u64) -> Option<u64> {
    value.checked_next_multiple_of(to.max(1))
}

impl Types {
    /// In bytes. None for types without a size, or with one that is known only at run time.
    pub(crate) fn size(&self, of: Type) -> Option<u64> {
        Some(match self.kind(of) {
            Kind::Error | Kind::Void | Kind::Function(_) => return None,
            Kind::Bool | Kind::Integer(_) | Kind::Enumeration(_) => u64::from(self.integer_of(of)?.bits / 8),
            Kind::Bits { .. } => 8,
            Kind::Float(kind) => self.float_size(*kind),
            Kind::Complex(kind) => 2 * self.float_size(*kind),
            Kind::Pointer(_) => u64::from(self.data_model.pointer_bits() / 8),
            Kind::Array {
                element,
                length: Length::Known(length),
            } => self.size(*element)?.checked_mul(*length)?,
            Kind::Array { .. } => return None,
            Kind::Record(id) => {
                let record = self.record(*id);
                record.fields.as_ref()?;
                record.size
            }
        })
    }

    fn float_size(&self, kind: FloatKind) -> u64 {
        match (kind, self.data_model) {
            (FloatKind::Single, _) => 4,
            (FloatKind::Double, _) => 8,
            (FloatKind::Long, DataModel::Ilp32) => 12,
            (FloatKind::Long, DataModel::Lp64) | (FloatKind::Quadruple, _) => 16,
        }
    }

    /// In bytes, in records and alone: gcc for x86 aligns integers of eight bytes to four.
    pub(crate) fn alignment(&self, of: Type) -> u64 {
        if let Some(alignment) = of.alignment_attribute() {
            return alignment;
        }
        let of_size = |size: u64| match self.data_model {
            DataModel::Ilp32 => size.min(4),
            DataModel::Lp64 => size,
        };
        match self.kind(of) {
            Kind::Error | Kind::Void | Kind::Function(_) => 1,
            Kind::Complex(FloatKind::Quadruple)
            | Kind::Float(FloatKind::Quadruple)
            | Kind::Integer(IntegerKind::Int128 | IntegerKind::UnsignedInt128) => 16,
            Kind::Float(FloatKind::Long) | Kind::Complex(FloatKind::Long) => of_size(16),
            Kind::Complex(kind) => of_size(self.float_size(*kind)),
            Kind::Array { element, .. } => self.alignment(*element),
            Kind::Record(id) => self.record(*id).alignment,
            _ => of_size(self.size(of).unwrap_or(1)),
        }
    }
}
