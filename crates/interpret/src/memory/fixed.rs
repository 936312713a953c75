//! Memory at literal addresses.

use super::{ALIGNMENT, FIRST_ADDRESS, FIRST_PROCEDURE, Memory, MemoryOrigin, UNDEFINED};
use crate::outcome::Fault;
use crate::word::Word;

/// The maximum size of such an object; the next object may cut it short.
const FIXED_BYTES: u64 = 4096;

impl Memory {
    /// The pointer for a literal address, into an existing object or a new one.
    pub(crate) fn at_fixed(&mut self, number: u64) -> Result<Word, Fault> {
        let known = self.pointer_of(number);
        if !known.is_number() || number == 0 {
            return Ok(known);
        }
        let object = self.allocate(FIXED_BYTES.min(self.space(number)), false, MemoryOrigin::Fixed)?;
        let place = self.fixed.partition_point(|(base, _)| *base < number);
        self.addresses.insert((object.index(), object.generation()), number);
        self.fixed.insert(place, (number, object));
        Ok(object)
    }

    /// The number of bytes before the next address in use.
    fn space(&self, number: u64) -> u64 {
        let last = if self.pointer_bytes() == 4 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        let fixed = self.fixed.iter().map(|(base, _)| *base);
        let objects = self.addressed.iter().map(|(base, ..)| *base);
        let others = fixed.chain(objects).chain([FIRST_PROCEDURE, FIRST_ADDRESS]);
        let next = others.filter(|base| *base > number).min();
        next.map_or((last - number).saturating_add(1), |next| next - number)
    }

    /// The pointer into an object at a literal address, or a dangling one.
    pub(super) fn in_fixed(&self, number: u64) -> Word {
        let after = self.fixed.partition_point(|(base, _)| *base <= number);
        let last = after.checked_sub(1).and_then(|place| self.fixed.get(place));
        match last {
            Some((base, object)) if self.size(*object).is_some_and(|size| number - base < size) => {
                object.at(number - base)
            }
            _ => Word::number(number),
        }
    }

    /// Converts such a pointer to an integer; other pointers are unchanged.
    pub(crate) fn as_number(&self, pointer: Word) -> Word {
        if self.fixed.is_empty() || self.origin(pointer) != Some(MemoryOrigin::Fixed) {
            return pointer;
        }
        let base = self.addresses.get(&(pointer.index(), pointer.generation()));
        base.map_or(pointer, |base| Word::number(base.wrapping_add(pointer.offset())))
    }

    /// The next address for an object of this size that does not overlap one at a literal address.
    pub(super) fn free_address(&self, size: u64) -> u64 {
        let mut base = self.next_address;
        for (start, object) in &self.fixed {
            let end = start.saturating_add(self.size(*object).unwrap_or(0));
            if base <= end && base.saturating_add(size) >= *start {
                base = end.saturating_add(ALIGNMENT) & !(ALIGNMENT - 1);
            }
        }
        base
    }

    /// The literal addresses that were accessed.
    pub(crate) fn touched_fixed(&self) -> Vec<u64> {
        let is_touched = |object: &Word| match self.object(*object) {
            Ok(object) => object.states.iter().any(|state| *state != UNDEFINED),
            Err(_) => false,
        };
        let touched = self.fixed.iter().filter(|(_, object)| is_touched(object));
        touched.map(|(base, _)| *base).collect()
    }
}
