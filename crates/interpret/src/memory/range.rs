//! Operations on ranges of bytes: copy, fill, compare; and pointers that straddle the borders of a range.

use super::{Memory, NUMBER, POINTER, POINTER_REST, UNDEFINED};
use crate::outcome::Fault;
use crate::word::Word;
use std::ops::Range;
use system::program::Undefined;

impl Memory {
    /// The indices of `size` bytes from a pointer on, all in its object. An empty range is valid anywhere.
    fn range(&mut self, pointer: Word, size: u64) -> Result<Range<usize>, Fault> {
        let present = self.object(pointer)?.bytes.len();
        let out_of_bounds = Fault::Undefined(Undefined::OutOfBounds);
        let start = usize::try_from(pointer.offset()).map_err(|_| out_of_bounds)?;
        let size = usize::try_from(size).map_err(|_| out_of_bounds)?;
        let end = start.checked_add(size).ok_or(out_of_bounds)?;
        if end > present {
            self.grow(pointer, size as u64)?;
        }
        Ok(start..end)
    }

    fn range_to_write(&mut self, pointer: Word, size: u64) -> Result<Range<usize>, Fault> {
        let range = self.range(pointer, size)?;
        if self.is_constant(pointer) {
            return Err(Fault::Undefined(Undefined::Constant));
        }
        Ok(range)
    }

    /// Turns every pointer that overlaps the range into the bytes of its address.
    pub(super) fn spell_out(&mut self, pointer: Word, start: usize, end: usize) -> Result<(), Fault> {
        let size = self.pointer_bytes();
        let mut position = start.saturating_sub(size - 1);
        while position < end {
            let object = self.object(pointer)?;
            let found = match object.states.get(position) {
                Some(&POINTER) if position + size > start => object.pointers.get(position / size).copied(),
                Some(_) => None,
                None => break,
            };
            if let Some(found) = found {
                let number = self.number_of(found)?;
                let object = self.object_mut(pointer)?;
                object.bytes[position..position + size].copy_from_slice(&number.to_le_bytes()[..size]);
                object.states[position..position + size].fill(NUMBER);
            }
            position += 1;
        }
        Ok(())
    }

    /// Turns pointers that straddle one of these positions into the bytes of their addresses.
    pub(super) fn cut(&mut self, pointer: Word, start: usize, end: usize) -> Result<(), Fault> {
        for border in [start, end] {
            let is_inside = self.object(pointer)?.states.get(border) == Some(&POINTER_REST);
            if is_inside {
                self.spell_out(pointer, border, border + 1)?;
            }
        }
        Ok(())
    }

    /// Zeroes the uninitialized bytes of a range.
    pub(super) fn settle(&mut self, pointer: Word, range: Range<usize>) -> Result<(), Fault> {
        let object = self.object_mut(pointer)?;
        let (bytes, states) = (&mut object.bytes, &mut object.states);
        if let (Some(bytes), Some(states)) = (bytes.get_mut(range.clone()), states.get_mut(range)) {
            let unwritten = bytes.iter_mut().zip(states).filter(|(_, state)| **state == UNDEFINED);
            unwritten.for_each(|(byte, state)| (*byte, *state) = (0, NUMBER));
        }
        Ok(())
    }

    /// A mask of the initialized bytes, of at most eight.
    pub(crate) fn written(&self, pointer: Word, size: usize) -> u64 {
        let Ok(object) = self.object(pointer) else { return 0 };
        let start = usize::try_from(pointer.offset()).unwrap_or(usize::MAX);
        let states = object.states.get(start..start.saturating_add(size)).unwrap_or(&[]);
        let places = states.iter().take(8).enumerate();
        let written = places.filter(|(_, state)| **state != UNDEFINED);
        written.fold(0, |mask, (place, _)| mask | 0xff << (8 * place))
    }

    /// Copies bytes as they are, including uninitialized ones and pointers. The ranges may overlap.
    pub(crate) fn copy(&mut self, target: Word, source: Word, size: u64) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        self.note(source);
        self.note(target);
        let from = self.range(source, size)?;
        let to = self.range_to_write(target, size)?;
        self.cut(source, from.start, from.end)?;
        self.cut(target, to.start, to.end)?;
        if self.settles {
            self.settle(source, from.clone())?;
        }
        let width = self.pointer_bytes();
        let object = self.object(source)?;
        let pointers: Vec<(usize, Word)> = if object.pointers.is_empty() {
            Vec::new()
        } else {
            let states = object.states[from.clone()].iter().enumerate();
            let starts = states.filter(|(_, state)| **state == POINTER).map(|(place, _)| place);
            starts
                .filter_map(|place| Some((place, *object.pointers.get((from.start + place) / width)?)))
                .collect()
        };
        if source.has_same_object(target) {
            let object = self.object_mut(target)?;
            object.bytes.copy_within(from.clone(), to.start);
            object.states.copy_within(from, to.start);
        } else if let Ok([source, target]) = self.objects.get_disjoint_mut([source.index(), target.index()]) {
            target.bytes[to.clone()].copy_from_slice(&source.bytes[from.clone()]);
            target.states[to.clone()].copy_from_slice(&source.states[from]);
        }
        if !pointers.is_empty() {
            let object = self.object_mut(target)?;
            if object.pointers.is_empty() || object.pointers.len() <= object.bytes.len() / width {
                object.pointers.resize(object.bytes.len() / width + 1, Word::NULL);
            }
            for (place, pointer) in pointers {
                object.pointers[(to.start + place) / width] = pointer;
            }
        }
        Ok(())
    }

    pub(crate) fn fill(&mut self, target: Word, byte: u8, size: u64) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        let range = self.range_to_write(target, size)?;
        self.cut(target, range.start, range.end)?;
        let object = self.object_mut(target)?;
        object.bytes[range.clone()].fill(byte);
        object.states[range].fill(NUMBER);
        Ok(())
    }

    /// Writes the initial content of a variable.
    pub(crate) fn set_bytes(&mut self, target: Word, bytes: &[u8]) {
        if let Ok(object) = self.object_mut(target) {
            let size = object.bytes.len().min(bytes.len());
            object.bytes[..size].copy_from_slice(&bytes[..size]);
            object.states[..size].fill(NUMBER);
        }
    }

    /// A range of bytes as plain data.
    pub(crate) fn bytes(&mut self, source: Word, size: u64, zero_if_undefined: bool) -> Result<&[u8], Fault> {
        if size == 0 {
            return Ok(&[]);
        }
        let range = self.range(source, size)?;
        self.spell_out(source, range.start, range.end)?;
        if zero_if_undefined && self.settles {
            self.settle(source, range.clone())?;
        }
        let object = self.object(source)?;
        if !zero_if_undefined && object.states[range.clone()].contains(&UNDEFINED) {
            return Err(Fault::Undefined(Undefined::Uninitialised));
        }
        Ok(&object.bytes[range])
    }

    /// The characters before the terminating zero, at most `most` of them.
    pub(crate) fn string(&mut self, source: Word, most: u64, zero_if_undefined: bool) -> Result<&[u8], Fault> {
        let size = self.reach(source).ok_or_else(|| self.reason(source))?;
        let rest = size
            .checked_sub(source.offset())
            .ok_or(Fault::Undefined(Undefined::OutOfBounds))?;
        let mut length = 0;
        while length < most {
            if length >= rest {
                return Err(Fault::Undefined(Undefined::OutOfBounds));
            }
            if self.read(source.plus(length), 1, zero_if_undefined)? == 0 {
                break;
            }
            length += 1;
        }
        self.bytes(source, length, zero_if_undefined)
    }
}
