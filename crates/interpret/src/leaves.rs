//! The scalars of records and arrays, for traces.

use crate::run::Machine;
use crate::trace::{Member, TraceValue};
use crate::values::format;
use crate::word::Word;
use system::program::{Bits, Program, Scalar, Type, TypeId};

/// The maximum number of scalars shown.
const MOST: usize = 64;

/// A scalar inside of an aggregate, and the path to it.
pub(crate) struct Leaf {
    pub(crate) path: Vec<Member>,
    offset: u64,
    scalar: Scalar,
    bits: Option<Bits>,
}

/// The first scalars of a type; for a union, those of its first member.
pub(crate) fn leaves(program: &Program, type_id: TypeId) -> Vec<Leaf> {
    let mut found = Vec::new();
    collect(program, type_id, 0, &mut Vec::new(), &mut found);
    found
}

fn collect(program: &Program, type_id: TypeId, offset: u64, path: &mut Vec<Member>, found: &mut Vec<Leaf>) {
    if found.len() >= MOST {
        return;
    }
    match &program.types[type_id] {
        Type::Array { element, length } => {
            let size = program.types.size(*element).unwrap_or(0);
            for number in 0..length.unwrap_or(0).min(MOST as u64) {
                path.push(Member::Element(number));
                collect(
                    program,
                    *element,
                    offset.saturating_add(number.saturating_mul(size)),
                    path,
                    found,
                );
                path.pop();
            }
        }
        Type::Record(record) => {
            let record = &program.types[*record];
            let most = if record.is_union { 1 } else { record.fields.len() };
            for (number, field) in record.fields.iter().enumerate().take(most) {
                path.push(Member::Field(number));
                let offset = offset.saturating_add(field.offset);
                match (field.bits, program.types.scalar(field.type_id)) {
                    (Some(bits), Some(scalar)) => found.push(Leaf {
                        path: path.clone(),
                        offset,
                        scalar,
                        bits: Some(bits),
                    }),
                    _ => collect(program, field.type_id, offset, path, found),
                }
                path.pop();
            }
        }
        _ => {
            let scalar = program.types.scalar(type_id);
            found.extend(scalar.map(|scalar| Leaf {
                path: path.clone(),
                offset,
                scalar,
                bits: None,
            }));
        }
    }
}

impl Machine<'_> {
    /// The scalars of an aggregate in memory.
    pub(crate) fn members(&mut self, address: Word, type_id: TypeId) -> Vec<(Vec<Member>, TraceValue)> {
        let mut members = Vec::new();
        for leaf in leaves(self.program, type_id) {
            let at = address.plus(leaf.offset);
            let word = match leaf.scalar {
                Scalar::Pointer => self.memory.read_pointer(at, false),
                scalar => self.load_at(at, format(scalar, leaf.bits)).map(Word::number),
            };
            let value = word.map_or(TraceValue::Undefined, |word| self.known(word, leaf.scalar));
            members.push((leaf.path, value));
        }
        members
    }
}
