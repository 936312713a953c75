//! Memory: objects as arrays of bytes.
//!
//! A byte is uninitialized, plain data, or part of a pointer that is stored as a whole. Addresses are assigned lazily:
//! an object gets one when a pointer to it is first observed as an integer, and keeps it. A pointer that is read,
//! overwritten or copied in parts turns into the bytes of its address; an address that is read as a pointer turns into
//! a pointer to the object there. So byte-wise copies, unions and casts preserve pointers.
//!
//! Addresses are never reused, and no object begins where another ends.

use crate::outcome::{Fault, Limit};
use crate::word::{FIRST_OBJECT, Word};
use rustc_hash::FxHashMap;
use system::program::{ProcedureId, Undefined, VariableId};

mod behind;
mod fixed;
mod range;
#[cfg(test)]
mod tests;

/// The states of a byte.
const NUMBER: u8 = 0;
const UNDEFINED: u8 = 1;
/// The first byte of a pointer, and the remaining ones.
const POINTER: u8 = 2;
const POINTER_REST: u8 = 3;

/// Integers up to here are offsets from null: the result of dereferencing a null pointer.
const NULL_PAGE: u64 = 4096;
const FIRST_ADDRESS: u64 = 0x1000_0000;
/// Procedures have addresses below all objects.
const FIRST_PROCEDURE: u64 = 0x0010_0000;
const ALIGNMENT: u64 = 16;

/// What created an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryOrigin {
    Variable(VariableId),
    /// `malloc` and similar functions; it may be freed.
    Allocated,
    /// `alloca`, or the arguments of a call; its lifetime is that of the call.
    Call,
    /// The environment: an input pointer points at it.
    Outside,
    /// The environment: it lies at a literal address.
    Fixed,
}

#[derive(Debug)]
struct Object {
    /// Without the memory behind its end.
    size: usize,
    bytes: Vec<u8>,
    states: Vec<u8>,
    /// The pointers stored as a whole, indexed by their offset divided by the size of a pointer. Empty if there has
    /// been none.
    pointers: Vec<Word>,
    generation: u32,
    is_alive: bool,
    is_constant: bool,
    origin: MemoryOrigin,
}

#[derive(Debug)]
pub(crate) struct Memory {
    objects: Vec<Object>,
    /// Indices of dead objects.
    free: Vec<u32>,
    /// 4 or 8.
    pointer_bytes: usize,
    addresses: FxHashMap<(usize, u32), u64>,
    /// Ordered by address: the address of an object, its size, and a pointer to it.
    addressed: Vec<(u64, u64, Word)>,
    next_address: u64,
    procedures: u32,
    /// Objects at literal addresses, ordered by address.
    fixed: Vec<(u64, Word)>,
    live_bytes: u64,
    most_bytes: u64,
    /// Whether there is memory behind the end of each object; the accesses to it are recorded.
    pub(crate) has_behind: bool,
    behind: Vec<MemoryOrigin>,
    /// Whether uninitialized bytes stay zero once they were read as zeros or copied as part of a whole: where they are
    /// inputs, later reads and the copy must see the same value.
    pub(crate) settles: bool,
    /// The accesses, if they are observed.
    pub(crate) log: Option<Box<Log>>,
}

/// Pointers through which memory was accessed, and pointers to new objects.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) touched: Vec<Word>,
    pub(crate) made: Vec<Word>,
}

impl Memory {
    pub(crate) fn new(pointer_bits: u32, procedures: u32, most_bytes: u64) -> Memory {
        // The indices of plain data and of procedures are never alive.
        let nothing = || Object {
            size: 0,
            bytes: Vec::new(),
            states: Vec::new(),
            pointers: Vec::new(),
            generation: u32::MAX,
            is_alive: false,
            is_constant: true,
            origin: MemoryOrigin::Call,
        };
        Memory {
            objects: (0..FIRST_OBJECT).map(|_| nothing()).collect(),
            free: Vec::new(),
            pointer_bytes: if pointer_bits == 32 { 4 } else { 8 },
            addresses: FxHashMap::default(),
            addressed: Vec::new(),
            next_address: FIRST_ADDRESS,
            procedures,
            fixed: Vec::new(),
            live_bytes: 0,
            most_bytes,
            has_behind: false,
            behind: Vec::new(),
            settles: false,
            log: None,
        }
    }

    pub(crate) fn pointer_bytes(&self) -> usize {
        self.pointer_bytes
    }

    /// Creates an object whose bytes are uninitialized or zero.
    pub(crate) fn allocate(&mut self, size: u64, is_zero: bool, origin: MemoryOrigin) -> Result<Word, Fault> {
        // The bytes and their states.
        let live = self
            .live_bytes
            .saturating_add(size.saturating_mul(2))
            .saturating_add(64);
        let length = usize::try_from(size).map_err(|_| Fault::Limit(Limit::Memory))?;
        if live > self.most_bytes {
            return Err(Fault::Limit(Limit::Memory));
        }
        self.live_bytes = live;
        let state = if is_zero { NUMBER } else { UNDEFINED };
        if let Some(index) = self.free.pop()
            && let Some(object) = self.objects.get_mut(index as usize)
        {
            object.size = length;
            object.bytes.resize(length, 0);
            object.states.resize(length, state);
            object.is_alive = true;
            object.is_constant = false;
            object.origin = origin;
            let made = Word::object(index, object.generation);
            self.note_made(made, origin);
            return Ok(made);
        }
        let index = u32::try_from(self.objects.len()).map_err(|_| Fault::Limit(Limit::Memory))?;
        if index >= u32::MAX - 1 {
            return Err(Fault::Limit(Limit::Memory));
        }
        self.objects.push(Object {
            size: length,
            bytes: vec![0; length],
            states: vec![state; length],
            pointers: Vec::new(),
            generation: 0,
            is_alive: true,
            is_constant: false,
            origin,
        });
        let made = Word::object(index, 0);
        self.note_made(made, origin);
        Ok(made)
    }

    fn note_made(&mut self, made: Word, origin: MemoryOrigin) {
        if let (Some(log), MemoryOrigin::Allocated | MemoryOrigin::Call) = (&mut self.log, origin) {
            log.made.push(made);
        }
    }

    #[inline]
    fn note(&mut self, pointer: Word) {
        if let Some(log) = &mut self.log {
            log.touched.push(pointer);
        }
    }

    /// Ends the lifetime of an object. Dead objects and other pointers are ignored.
    pub(crate) fn release(&mut self, pointer: Word) {
        let Some(object) = self.objects.get_mut(pointer.index()) else {
            return;
        };
        if object.generation != pointer.generation() || !object.is_alive {
            return;
        }
        let size = object.bytes.len() as u64;
        self.live_bytes = self
            .live_bytes
            .saturating_sub(size.saturating_mul(2).saturating_add(64));
        object.is_alive = false;
        if size > 1 << 16 {
            object.bytes = Vec::new();
            object.states = Vec::new();
            object.pointers = Vec::new();
        } else {
            object.bytes.clear();
            object.states.clear();
        }
        if let Some(next) = object.generation.checked_add(1) {
            object.generation = next;
            self.free.push(u32::try_from(pointer.index()).unwrap_or(u32::MAX));
        }
    }

    pub(crate) fn set_constant(&mut self, pointer: Word) {
        if let Some(object) = self.objects.get_mut(pointer.index()) {
            object.is_constant = true;
        }
    }

    /// Why a pointer must not be dereferenced.
    #[cold]
    fn reason(&self, pointer: Word) -> Fault {
        Fault::Undefined(if pointer.is_number() {
            if pointer.bits() < NULL_PAGE {
                Undefined::NullPointer
            } else {
                Undefined::InvalidPointer
            }
        } else if pointer.is_undefined() {
            Undefined::Uninitialised
        } else if pointer.points_at_object() {
            Undefined::DeadObject
        } else {
            Undefined::InvalidPointer
        })
    }

    /// The live object that a pointer points into.
    #[inline]
    fn object(&self, pointer: Word) -> Result<&Object, Fault> {
        match self.objects.get(pointer.index()) {
            Some(object) if object.generation == pointer.generation() && object.is_alive => Ok(object),
            _ => Err(self.reason(pointer)),
        }
    }

    #[inline]
    fn object_mut(&mut self, pointer: Word) -> Result<&mut Object, Fault> {
        let reason = match self.objects.get(pointer.index()) {
            Some(object) if object.generation == pointer.generation() && object.is_alive => None,
            _ => Some(self.reason(pointer)),
        };
        match (reason, self.objects.get_mut(pointer.index())) {
            (None, Some(object)) => Ok(object),
            (reason, _) => Err(reason.unwrap_or(Fault::Undefined(Undefined::InvalidPointer))),
        }
    }

    /// The size of the object that a pointer points into, if it is alive.
    pub(crate) fn size(&self, pointer: Word) -> Option<u64> {
        self.object(pointer).ok().map(|object| object.size as u64)
    }

    pub(crate) fn origin(&self, pointer: Word) -> Option<MemoryOrigin> {
        self.object(pointer).ok().map(|object| object.origin)
    }

    pub(crate) fn is_constant(&self, pointer: Word) -> bool {
        self.object(pointer).is_ok_and(|object| object.is_constant)
    }

    /// Reads an integer of `size` bytes, without extension.
    #[inline]
    pub(crate) fn read(&mut self, pointer: Word, size: usize, zero_if_undefined: bool) -> Result<u64, Fault> {
        self.note(pointer);
        let object = self.object(pointer)?;
        let start = usize::try_from(pointer.offset()).unwrap_or(usize::MAX);
        let range = start..start.saturating_add(size);
        let (Some(bytes), Some(states)) = (object.bytes.get(range.clone()), object.states.get(range)) else {
            self.grow(pointer, size as u64)?;
            return self.read(pointer, size, zero_if_undefined);
        };
        if let Some(number) = whole(bytes, states) {
            return Ok(number);
        }
        self.read_slowly(pointer, size, zero_if_undefined)
    }

    #[cold]
    fn read_slowly(&mut self, pointer: Word, size: usize, zero_if_undefined: bool) -> Result<u64, Fault> {
        let start = usize::try_from(pointer.offset()).unwrap_or(usize::MAX);
        self.spell_out(pointer, start, start.saturating_add(size))?;
        if zero_if_undefined && self.settles {
            self.settle(pointer, start..start.saturating_add(size))?;
        }
        let object = self.object(pointer)?;
        let mut number = 0;
        for (place, position) in (start..start.saturating_add(size)).enumerate().take(8) {
            let state = object.states.get(position).copied().unwrap_or(UNDEFINED);
            if state != NUMBER && !zero_if_undefined {
                return Err(Fault::Undefined(Undefined::Uninitialised));
            }
            if state == NUMBER {
                number |= u64::from(object.bytes.get(position).copied().unwrap_or(0)) << (8 * place);
            }
        }
        Ok(number)
    }

    /// Writes the lowest bytes of an integer.
    #[inline]
    pub(crate) fn write(&mut self, pointer: Word, size: usize, number: u64) -> Result<(), Fault> {
        self.note(pointer);
        let object = self.object_mut(pointer)?;
        if object.is_constant {
            return Err(self.no_write(pointer, size));
        }
        let start = usize::try_from(pointer.offset()).unwrap_or(usize::MAX);
        let range = start..start.saturating_add(size);
        let (Some(bytes), Some(states)) = (object.bytes.get_mut(range.clone()), object.states.get_mut(range)) else {
            self.grow(pointer, size as u64)?;
            return self.write(pointer, size, number);
        };
        if put(bytes, states, number) {
            return Ok(());
        }
        self.write_slowly(pointer, size, number)
    }

    #[cold]
    fn no_write(&self, pointer: Word, size: usize) -> Fault {
        let end = pointer.offset().checked_add(size as u64);
        let fits = end.is_some_and(|end| self.size(pointer).is_some_and(|size| end <= size));
        Fault::Undefined(if fits {
            Undefined::Constant
        } else {
            Undefined::OutOfBounds
        })
    }

    #[cold]
    fn write_slowly(&mut self, pointer: Word, size: usize, number: u64) -> Result<(), Fault> {
        let start = usize::try_from(pointer.offset()).unwrap_or(usize::MAX);
        let end = start.saturating_add(size);
        self.cut(pointer, start, end)?;
        let object = self.object_mut(pointer)?;
        for (byte, value) in object.bytes.iter_mut().take(end).skip(start).zip(number.to_le_bytes()) {
            *byte = value;
        }
        object.states[start..end].fill(NUMBER);
        Ok(())
    }

    /// Writes uninitialized bytes, for a copy of such.
    pub(crate) fn write_undefined(&mut self, pointer: Word, size: usize) -> Result<(), Fault> {
        self.write(pointer, size, 0)?;
        let start = usize::try_from(pointer.offset()).unwrap_or(usize::MAX);
        let object = self.object_mut(pointer)?;
        object.states[start..start.saturating_add(size)].fill(UNDEFINED);
        Ok(())
    }

    pub(crate) fn read_pointer(&mut self, pointer: Word, zero_if_undefined: bool) -> Result<Word, Fault> {
        self.note(pointer);
        let size = self.pointer_bytes;
        let object = self.object(pointer)?;
        let start = usize::try_from(pointer.offset()).unwrap_or(usize::MAX);
        let Some(states) = object.states.get(start..start.saturating_add(size)) else {
            self.grow(pointer, size as u64)?;
            return self.read_pointer(pointer, zero_if_undefined);
        };
        let is_whole = matches!(states, [POINTER, rest @ ..] if rest.iter().all(|state| *state == POINTER_REST));
        if is_whole && let Some(found) = object.pointers.get(start / size) {
            return Ok(*found);
        }
        let number = self.read(pointer, size, zero_if_undefined)?;
        Ok(self.pointer_of(number))
    }

    pub(crate) fn write_pointer(&mut self, pointer: Word, value: Word) -> Result<(), Fault> {
        let size = self.pointer_bytes;
        // Handles the previous content and checks that the object may be written.
        self.write(pointer, size, if value.is_number() { value.bits() } else { 0 })?;
        if value.is_number() {
            return Ok(());
        }
        let start = usize::try_from(pointer.offset()).unwrap_or(usize::MAX);
        let object = self.object_mut(pointer)?;
        if object.pointers.len() <= start / size {
            object.pointers.resize(object.bytes.len() / size + 1, Word::NULL);
        }
        if value.is_undefined() {
            object.states[start..start + size].fill(UNDEFINED);
            return Ok(());
        }
        object.states[start..start + size].fill(POINTER_REST);
        object.states[start] = POINTER;
        object.pointers[start / size] = value;
        Ok(())
    }

    /// The integer value of a pointer. An object gets its address on demand.
    pub(crate) fn number_of(&mut self, pointer: Word) -> Result<u64, Fault> {
        if pointer.is_number() || pointer.is_open() {
            return Ok(pointer.bits());
        }
        let mask = if self.pointer_bytes == 4 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        if !pointer.points_at_object() {
            let base = FIRST_PROCEDURE + u64::from(pointer.generation()) * ALIGNMENT;
            return Ok(base.wrapping_add(pointer.bits()) & mask);
        }
        let key = (pointer.index(), pointer.generation());
        if let Some(base) = self.addresses.get(&key) {
            return Ok(base.wrapping_add(pointer.offset()) & mask);
        }
        // Dead objects keep their addresses, so these count as memory.
        if (self.addressed.len() as u64).saturating_mul(64) > self.most_bytes {
            return Err(Fault::Limit(Limit::Memory));
        }
        let size = self.reach(pointer).unwrap_or(0);
        let base = self.free_address(size);
        let next = base
            .checked_add(size)
            .and_then(|end| end.checked_add(ALIGNMENT))
            .map(|end| end & !(ALIGNMENT - 1));
        match next {
            Some(next) if next < mask - NULL_PAGE => self.next_address = next,
            _ => return Err(Fault::Limit(Limit::Memory)),
        }
        self.addresses.insert(key, base);
        self.addressed.push((base, size, pointer.at(0)));
        Ok(base.wrapping_add(pointer.offset()) & mask)
    }

    /// Whether the address of an object was observed.
    pub(crate) fn has_addresses(&self) -> bool {
        !self.addressed.is_empty()
    }

    /// Casts an integer to a pointer: into the object at this address, or to nothing.
    pub(crate) fn pointer_of(&self, number: u64) -> Word {
        if number < FIRST_ADDRESS {
            let place = number.wrapping_sub(FIRST_PROCEDURE);
            return match u32::try_from(place / ALIGNMENT) {
                Ok(procedure) if number >= FIRST_PROCEDURE && procedure < self.procedures => {
                    Word::procedure(ProcedureId(procedure)).at(place % ALIGNMENT)
                }
                _ => self.in_fixed(number),
            };
        }
        let after = self.addressed.partition_point(|(base, ..)| *base <= number);
        match after.checked_sub(1).and_then(|before| self.addressed.get(before)) {
            Some((base, size, pointer)) if number - base <= *size => pointer.at(number - base),
            _ => self.in_fixed(number),
        }
    }
}

/// The integer in these bytes, if all of them are plain data.
#[inline]
fn whole(bytes: &[u8], states: &[u8]) -> Option<u64> {
    match (bytes, states) {
        (&[byte], &[state]) => (state == NUMBER).then_some(u64::from(byte)),
        (&[a, b], &[s, t]) => (s | t == NUMBER).then_some(u64::from(u16::from_le_bytes([a, b]))),
        (&[a, b, c, d], &[s, t, u, v]) => {
            (u32::from_le_bytes([s, t, u, v]) == 0).then_some(u64::from(u32::from_le_bytes([a, b, c, d])))
        }
        (&[a, b, c, d, e, f, g, h], &[s, t, u, v, w, x, y, z]) => {
            (u64::from_le_bytes([s, t, u, v, w, x, y, z]) == 0).then_some(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
        }
        _ => None,
    }
}

/// Stores an integer, unless a part of a pointer is in the way.
#[inline]
fn put(bytes: &mut [u8], states: &mut [u8], number: u64) -> bool {
    let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
    match (bytes, states) {
        ([byte], [state]) if *state < POINTER => {
            *byte = a;
            *state = NUMBER;
        }
        ([p, q], [s, t]) if (*s | *t) < POINTER => {
            [*p, *q] = [a, b];
            [*s, *t] = [NUMBER; 2];
        }
        (bytes @ [_, _, _, _], states @ [_, _, _, _]) if states.iter().all(|state| *state < POINTER) => {
            bytes.copy_from_slice(&[a, b, c, d]);
            states.copy_from_slice(&[NUMBER; 4]);
        }
        (bytes @ [_, _, _, _, _, _, _, _], states @ [_, _, _, _, _, _, _, _])
            if states.iter().all(|state| *state < POINTER) =>
        {
            bytes.copy_from_slice(&[a, b, c, d, e, f, g, h]);
            states.copy_from_slice(&[NUMBER; 8]);
        }
        _ => return false,
    }
    true
}
