//! Static initialisers as bytes.

use super::Lowering;
use crate::constant::{self, Constant};
use crate::tree::{Expression, ExpressionKind, InitialisedPart, Initialiser, Step, Unit, VariableId};
use crate::types::{FloatKind, Kind, Type};
use system::program::Initial;

/// The bytes of an object, and the parts that are not constant: addresses and computed values.
pub(super) struct Image {
    pub(super) bytes: Vec<u8>,
    /// The indices of these parts.
    pub(super) missing: Vec<usize>,
}

/// The maximum size of an image; larger objects are assigned part by part.
const LARGEST_IMAGE: u64 = 1 << 28;

impl Lowering<'_> {
    /// The initial bytes of a variable, and whether addresses must be stored into it at the start.
    pub(super) fn initial(&self, id: VariableId) -> (Initial, bool) {
        let variable = &self.unit[id];
        if !variable.is_defined {
            return (Initial::Undefined, false);
        }
        let Some(initialiser) = &variable.initialiser else {
            return (Initial::Zero, false);
        };
        let image = image(self.unit, variable.variable_type, initialiser);
        match image {
            Some(image) => {
                let is_missing = !image.missing.is_empty();
                (as_initial(image.bytes), is_missing)
            }
            None => (Initial::Zero, true),
        }
    }
}

pub(super) fn as_initial(bytes: Vec<u8>) -> Initial {
    match bytes.iter().all(|byte| *byte == 0) {
        true => Initial::Zero,
        false => Initial::Bytes(bytes),
    }
}

/// None where the object is too large.
pub(super) fn image(unit: &Unit, whole: Type, initialiser: &Initialiser) -> Option<Image> {
    let size = unit.types.size(whole).filter(|size| *size <= LARGEST_IMAGE)?;
    let mut image = Image {
        bytes: vec![0; usize::try_from(size).ok()?],
        missing: Vec::new(),
    };
    match initialiser {
        Initialiser::Whole(value) => {
            if put(unit, &mut image.bytes, whole, &[], value, whole).is_none() {
                image.missing.push(0);
            }
        }
        Initialiser::Parts(parts) => {
            for (position, part) in parts.iter().enumerate() {
                if put_part(unit, &mut image.bytes, whole, part).is_none() {
                    image.missing.push(position);
                }
            }
        }
    }
    Some(image)
}

fn put_part(unit: &Unit, bytes: &mut [u8], whole: Type, part: &InitialisedPart) -> Option<()> {
    put(unit, bytes, whole, &part.path, &part.value, part.part_type)
}

/// None where the value is not a constant number.
fn put(unit: &Unit, bytes: &mut [u8], whole: Type, path: &[Step], value: &Expression, part: Type) -> Option<()> {
    let (offset, _) = constant::part(unit, whole, path)?;
    let offset = usize::try_from(offset).ok()?;
    if let ExpressionKind::Literal(literal) = &value.kind {
        let size = usize::try_from(unit.types.size(part)?).ok()?;
        let text = unit[*literal].bytes();
        let length = text.len().min(size);
        bytes
            .get_mut(offset..offset.checked_add(length)?)?
            .copy_from_slice(&text[..length]);
        return Some(());
    }
    if let Some(inner) = static_literal(unit, value) {
        return put_static_literal(unit, bytes, offset, value.expression_type, inner);
    }
    let known = constant::evaluate(unit, value)?;
    let bits = bit_field(unit, whole, path);
    if let Some((first, width)) = bits {
        let Constant::Integer(number) = known else { return None };
        return put_bits(bytes, offset, first, width, number);
    }
    put_constant(unit, bytes, offset, known, part)
}

fn put_constant(unit: &Unit, bytes: &mut [u8], offset: usize, known: Constant, part: Type) -> Option<()> {
    let size = usize::try_from(unit.types.size(part)?).ok()?;
    let target = bytes.get_mut(offset..offset.checked_add(size)?)?;
    match (known, unit.types.kind(part)) {
        (Constant::Address(_), _) => return None,
        (Constant::Float(value), Kind::Float(FloatKind::Single)) => {
            #[allow(clippy::cast_possible_truncation)]
            target.copy_from_slice(&(value as f32).to_le_bytes());
        }
        (Constant::Float(value), Kind::Float(FloatKind::Double)) => target.copy_from_slice(&value.to_le_bytes()),
        (Constant::Integer(value), Kind::Pointer(_)) if value != 0 => {
            // A pointer cast from an integer is stored at the start of the program.
            let _ = value;
            return None;
        }
        (Constant::Integer(value), _) => {
            let number = value.to_le_bytes();
            target.copy_from_slice(number.get(..size)?);
        }
        (Constant::Float(_), _) => return None,
    }
    Some(())
}

/// The bits of the bit-field at the end of a path.
fn bit_field(unit: &Unit, whole: Type, path: &[Step]) -> Option<(u32, u32)> {
    let (last, outer) = path.split_last()?;
    let Step::Field(field) = last else { return None };
    let (_, record) = constant::part(unit, whole, outer)?;
    let field = unit.types.fields(unit.types.record_of(record)?).get(*field)?;
    field.bits.map(|bits| (bits.first, bits.width))
}

fn put_bits(bytes: &mut [u8], offset: usize, first: u32, width: u32, number: i128) -> Option<()> {
    for bit in 0..width {
        let at = first + bit;
        let byte = bytes.get_mut(offset + (at / 8) as usize)?;
        let mask = 1u8 << (at % 8);
        match (number >> bit) & 1 {
            0 => *byte &= !mask,
            _ => *byte |= mask,
        }
    }
    Some(())
}

/// GNU C: a compound literal at file scope, as the value of a part.
fn static_literal<'u>(unit: &'u Unit, value: &Expression) -> Option<&'u Initialiser> {
    let ExpressionKind::Load(place) = &value.kind else {
        return None;
    };
    match &place.kind {
        ExpressionKind::CompoundLiteral {
            variable,
            initialiser: None,
        } => unit[*variable].initialiser.as_ref(),
        _ => None,
    }
}

fn put_static_literal(
    unit: &Unit,
    bytes: &mut [u8],
    offset: usize,
    own: Type,
    initialiser: &Initialiser,
) -> Option<()> {
    let inner = image(unit, own, initialiser)?;
    if !inner.missing.is_empty() {
        return None;
    }
    let target = bytes.get_mut(offset..offset.checked_add(inner.bytes.len())?)?;
    target.copy_from_slice(&inner.bytes);
    Some(())
}
