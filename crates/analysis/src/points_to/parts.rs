//! Folding of array elements, by the type of an object.
//!
//! The *folded* offset of a byte is that of the same byte in the first element of each array around it. Unions are not
//! folded, since an offset in one member is no offset in another.

use super::memory::LISTED;
use system::program::{Field, Program, RecordId, Type, TypeId};

/// The field of a record that has a byte at this offset.
fn field_at(program: &Program, record: RecordId, offset: u64) -> Option<&Field> {
    let holds = |field: &&Field| {
        let size = program.types.size(field.type_id);
        field.offset <= offset && size.is_none_or(|size| offset < field.offset.saturating_add(size))
    };
    program.types[record].fields.iter().rev().find(holds)
}

/// The component at an offset, one level below a type.
enum Inside {
    /// An array with this element type and element size.
    Array(TypeId, u64),
    /// A field and its offset.
    Field(TypeId, u64),
    Nothing,
}

fn inside(program: &Program, type_id: TypeId, offset: u64) -> Inside {
    match &program.types[type_id] {
        Type::Array { element, .. } => match program.types.size(*element) {
            Some(size) if size > 0 => Inside::Array(*element, size),
            _ => Inside::Nothing,
        },
        Type::Record(record) if !program.types[*record].is_union => match field_at(program, *record, offset) {
            Some(field) => Inside::Field(field.type_id, field.offset),
            None => Inside::Nothing,
        },
        _ => Inside::Nothing,
    }
}

/// The folded offset.
pub(super) fn folded(program: &Program, type_id: TypeId, offset: u64) -> u64 {
    match inside(program, type_id, offset) {
        Inside::Array(element, size) => folded(program, element, offset % size),
        Inside::Field(field, start) => start + folded(program, field, offset - start),
        Inside::Nothing => offset,
    }
}

/// All offsets that are folded to this one; none where there are too many.
pub(super) fn unfolded(program: &Program, type_id: TypeId, offset: u64) -> Option<Vec<u64>> {
    match inside(program, type_id, offset) {
        Inside::Array(element, size) => {
            let Type::Array {
                length: Some(length), ..
            } = program.types[type_id]
            else {
                return None;
            };
            let first = unfolded(program, element, offset % size)?;
            if length.saturating_mul(first.len() as u64) > LISTED {
                return None;
            }
            let all = (0..length).flat_map(|number| first.iter().map(move |offset| number * size + offset));
            Some(all.collect())
        }
        Inside::Field(field, start) => {
            let all = unfolded(program, field, offset - start)?;
            Some(all.into_iter().map(|offset| start + offset).collect())
        }
        Inside::Nothing => Some(vec![offset]),
    }
}

/// Whether any multiple of `bytes` leads from here to the same part of another element: the object consists of nested
/// arrays only.
pub(super) fn is_alike(program: &Program, type_id: TypeId, offset: u64, bytes: i128) -> bool {
    match inside(program, type_id, offset) {
        Inside::Array(element, size) => {
            bytes % i128::from(size) == 0 || is_alike(program, element, offset % size, bytes)
        }
        Inside::Field(field, start) => {
            let is_all = start == 0 && program.types.size(field) == program.types.size(type_id);
            is_all && is_alike(program, field, offset, bytes)
        }
        Inside::Nothing => false,
    }
}

/// Whether all bytes from one offset up to another are in the same element of each array around them.
pub(super) fn is_in_element(program: &Program, type_id: TypeId, offset: u64, end: i128) -> bool {
    let (first, last) = (i128::from(offset).min(end), i128::from(offset).max(end - 1));
    match inside(program, type_id, offset) {
        Inside::Array(element, size) => {
            let start = i128::from(offset - offset % size);
            let is_inside = start <= first && last < start + i128::from(size);
            is_inside && is_in_element(program, element, offset % size, end - start)
        }
        Inside::Field(field, start) => {
            let size = program.types.size(field).map_or(i128::MAX, i128::from);
            let is_inside = i128::from(start) <= first && last - i128::from(start) < size;
            match is_inside {
                true => is_in_element(program, field, offset - start, end - i128::from(start)),
                // Adjacent fields without arrays.
                false => !has_array(program, type_id),
            }
        }
        Inside::Nothing => true,
    }
}

fn has_array(program: &Program, type_id: TypeId) -> bool {
    match &program.types[type_id] {
        Type::Array { .. } => true,
        Type::Record(record) if !program.types[*record].is_union => {
            let fields = &program.types[*record].fields;
            fields.iter().any(|field| has_array(program, field.type_id))
        }
        _ => false,
    }
}

/// Whether something of type `wanted` begins at an offset.
pub(super) fn has_at(program: &Program, type_id: TypeId, offset: u64, wanted: TypeId) -> bool {
    if type_id == wanted {
        return offset == 0;
    }
    match inside(program, type_id, offset) {
        Inside::Array(element, size) => has_at(program, element, offset % size, wanted),
        Inside::Field(field, start) => has_at(program, field, offset - start, wanted),
        Inside::Nothing => false,
    }
}
