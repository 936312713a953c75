//! Packed states: each slot takes as many bits as its values and "undefined" need, and no slot crosses a word boundary.
//!
//! The writes of a rule can be applied directly to packed states ([`Patch`]): constants are masked in, and copied
//! values are moved as bits, many slots at a time.

use crate::vm::{MADE, Write};
use system::instance::{Instance, Type, UNDEFINED};

/// Why a state cannot be packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misfit {
    /// A number outside its window.
    Window,
    /// A value outside its type, stored by unchecked code.
    Type { slot: usize },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Coding {
    /// 0 for undefined, otherwise the value minus `low` plus 1, at most `count`.
    Offset { low: i64, count: u64 },
    /// Like `Offset`, but values outside are out of the window.
    Window { low: i64, count: u64 },
    /// All 64 bits.
    Raw,
    /// The number of a list plus 1.
    List,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
    /// Its position in the word.
    place: u64,
    coding: Coding,
}

/// The packing of the states of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    /// The first slot of each word, and the end.
    starts: Vec<u32>,
    /// The slot of each bit of each word.
    slots: Vec<[u32; 64]>,
    /// Words of a packed state in memory.
    pub(crate) words: usize,
    /// Bytes of a packed state in the store.
    pub(crate) bytes: usize,
    pub(crate) bits: u32,
}

impl Layout {
    /// With `confine`, numbers outside their windows are misfits; otherwise they take 64 bits.
    pub(crate) fn new(instance: &Instance, confine: bool) -> Layout {
        let mut fields = Vec::with_capacity(instance.slots.len());
        let (mut word, mut used, mut bits) = (0, 0, 0);
        let (mut starts, mut slots) = (vec![0], vec![[0; 64]]);
        for slot in &instance.slots {
            let coding = coding(instance, &instance.types[slot.ty], slot.ty, confine);
            let width = width(coding);
            if used + width > 64 {
                word += 1;
                used = 0;
                starts.push(fields.len() as u32);
                slots.push([0; 64]);
            }
            slots[word as usize][used as usize..(used + width) as usize].fill(fields.len() as u32);
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            fields.push(Field {
                word,
                shift: used,
                mask,
                place: mask.checked_shl(used).unwrap_or(0),
                coding,
            });
            used += width;
            bits += width;
        }
        starts.push(fields.len() as u32);
        let bytes = word as usize * 8 + used.div_ceil(8) as usize;
        Layout {
            fields,
            starts,
            slots,
            words: bytes.div_ceil(8),
            bytes,
            bits,
        }
    }

    #[inline]
    fn encode(&self, field: &Field, value: i64, slot: usize) -> Result<u64, Misfit> {
        match field.coding {
            Coding::Offset { low, count } => {
                if value == UNDEFINED {
                    return Ok(0);
                }
                let code = value.wrapping_sub(low).cast_unsigned();
                if code < count {
                    Ok(code + 1)
                } else {
                    Err(Misfit::Type { slot })
                }
            }
            Coding::Window { low, count } => {
                if value == UNDEFINED {
                    return Ok(0);
                }
                let code = value.wrapping_sub(low).cast_unsigned();
                if code < count {
                    Ok(code + 1)
                } else {
                    Err(Misfit::Window)
                }
            }
            Coding::Raw => Ok(value.cast_unsigned()),
            Coding::List => match value {
                UNDEFINED => Ok(0),
                value => Ok(u64::from(u32::try_from(value).map_err(|_| Misfit::Type { slot })?) + 1),
            },
        }
    }

    pub(crate) fn pack(&self, state: &[i64], words: &mut [u64]) -> Result<(), Misfit> {
        words.fill(0);
        for (slot, (field, value)) in self.fields.iter().zip(state).enumerate() {
            words[field.word as usize] |= self.encode(field, *value, slot)? << field.shift;
        }
        Ok(())
    }

    /// Changes one slot of a packed state.
    #[inline]
    pub(crate) fn patch(&self, words: &mut [u64], slot: usize, value: i64) -> Result<(), Misfit> {
        let field = &self.fields[slot];
        let code = self.encode(field, value, slot)?;
        let word = &mut words[field.word as usize];
        *word = *word & !field.place | code << field.shift;
        Ok(())
    }

    /// Changes one slot of a packed state to a value that is known to fit.
    #[inline]
    pub(crate) fn repack(&self, words: &mut [u64], slot: usize, value: i64) {
        let field = &self.fields[slot];
        let code = match field.coding {
            Coding::Raw => value.cast_unsigned(),
            _ if value == UNDEFINED => 0,
            Coding::Offset { low, .. } | Coding::Window { low, .. } => {
                value.wrapping_sub(low).cast_unsigned().wrapping_add(1)
            }
            Coding::List => value.cast_unsigned().wrapping_add(1),
        };
        let word = &mut words[field.word as usize];
        *word = *word & !field.place | (code & field.mask) << field.shift;
    }

    pub(crate) fn unpack(&self, words: &[u64], state: &mut [i64]) {
        for (number, word) in words.iter().enumerate() {
            self.unpack_word(number, *word, state);
        }
    }

    /// Turns the state that these words pack into the one packed in `bytes`.
    pub(crate) fn change(&self, words: &mut [u64], bytes: &[u8], state: &mut [i64]) {
        let mut tell = |slot: usize, value: i64| state[slot] = value;
        let (full, rest) = bytes.as_chunks();
        for ((slots, word), chunk) in self.slots.iter().zip(&mut *words).zip(full) {
            let next = u64::from_le_bytes(*chunk);
            self.each_changed(slots, std::mem::replace(word, next), next, &mut tell);
        }
        if let (Some(word), Some(slots)) = (words.get_mut(full.len()), self.slots.get(full.len())) {
            let next = from_chunk(rest);
            self.each_changed(slots, std::mem::replace(word, next), next, &mut tell);
        }
    }

    /// Reports the slots that differ between two packed states.
    pub(crate) fn each_difference(&self, old: &[u64], new: &[u64], mut tell: impl FnMut(usize, i64)) {
        for ((slots, old), new) in self.slots.iter().zip(old).zip(new) {
            self.each_changed(slots, *old, *new, &mut tell);
        }
    }

    /// Reports the differing slots of one word, whose slots are given by bit.
    #[inline]
    fn each_changed(&self, slots: &[u32; 64], old: u64, new: u64, tell: &mut impl FnMut(usize, i64)) {
        let mut changed = old ^ new;
        while changed != 0 {
            let slot = slots[changed.trailing_zeros() as usize] as usize;
            let field = &self.fields[slot];
            tell(slot, field.value(new));
            changed &= !field.place;
        }
    }

    /// The patch equivalent to these writes to distinct slots; `None` if a value does not fit or is packed differently
    /// from its source.
    pub(crate) fn patch_of(&self, writes: &[Write]) -> Option<Patch> {
        let mut sets: Vec<Set> = Vec::new();
        let mut moves: Vec<Move> = Vec::new();
        for write in writes {
            let field = self.fields.get(write.slot as usize)?;
            let mask = field.place;
            if write.origin == MADE {
                let code = self.encode(field, write.value, write.slot as usize).ok()?;
                let bits = code << field.shift;
                match sets.iter_mut().rfind(|set| set.word == field.word) {
                    Some(set) => (set.mask, set.bits) = (set.mask | mask, set.bits | bits),
                    None => sets.push(Set {
                        word: field.word,
                        mask,
                        bits,
                    }),
                }
            } else if write.origin != write.slot {
                let from = self.fields.get(write.origin as usize)?;
                if from.coding != field.coding {
                    return None;
                }
                let made = Move {
                    to: field.word,
                    from: from.word,
                    rotation: field.shift.wrapping_sub(from.shift) % 64,
                    mask,
                };
                match moves.iter_mut().rfind(|other| other.goes_with(&made)) {
                    Some(other) => other.mask |= mask,
                    None => moves.push(made),
                }
            }
        }
        Patch::new(&moves, &sets)
    }

    /// Gathers the bits of these slots.
    pub(crate) fn extract_of(&self, slots: impl Iterator<Item = u32>) -> Extract {
        let mut words: Vec<Vec<Move>> = Vec::new();
        let mut free = 0;
        for slot in slots {
            let Field { word, shift, mask, .. } = self.fields[slot as usize];
            let width = mask.count_ones();
            if width > free {
                words.push(Vec::new());
                free = u64::BITS;
            }
            free -= width;
            let made = Move {
                to: 0,
                from: word,
                rotation: free.wrapping_sub(shift) % 64,
                mask: mask << free,
            };
            if let Some(moves) = words.last_mut() {
                match moves.iter_mut().rfind(|other| other.goes_with(&made)) {
                    Some(other) => other.mask |= made.mask,
                    None => moves.push(made),
                }
            }
        }
        Extract {
            words: words.into_iter().map(Vec::into_boxed_slice).collect(),
        }
    }

    fn unpack_word(&self, number: usize, word: u64, state: &mut [i64]) {
        let slots = self.starts[number] as usize..self.starts[number + 1] as usize;
        for (field, value) in self.fields[slots.clone()].iter().zip(&mut state[slots]) {
            *value = field.value(word);
        }
    }

    pub(crate) fn bits_of(&self, slot: usize) -> Bits {
        let Field { word, shift, mask, .. } = self.fields[slot];
        Bits { word, shift, mask }
    }

    /// The number of values of a slot and the least one, if there are few enough for tables: the code of a value is
    /// then its offset from the least plus 1, and 0 for undefined.
    pub(crate) fn small_domain(&self, slot: usize) -> Option<(i64, u64)> {
        match self.fields.get(slot)?.coding {
            Coding::Offset { low, count } if count <= 64 => Some((low, count)),
            _ => None,
        }
    }
}

/// The effect of a rule on packed states.
#[derive(Debug)]
pub(crate) struct Patch {
    parts: Box<[Part]>,
}

/// A move and a set of the same word, for different slots.
#[derive(Clone, Copy, Debug)]
struct Part {
    to: u16,
    from: u16,
    rotation: u32,
    /// The moved bits, all changed bits, and the bits to set.
    moved: u64,
    mask: u64,
    bits: u64,
}

/// Overwrites these bits of a word.
#[derive(Clone, Copy, Debug)]
struct Set {
    word: u32,
    mask: u64,
    bits: u64,
}

/// Overwrites these bits of a word by those of a word of the old state, rotated left.
#[derive(Clone, Copy, Debug)]
struct Move {
    to: u32,
    from: u32,
    rotation: u32,
    mask: u64,
}

impl Move {
    /// Whether both moves can be combined.
    fn goes_with(&self, other: &Move) -> bool {
        (self.to, self.from, self.rotation) == (other.to, other.from, other.rotation)
    }
}

/// The bits of some slots of a packed state, concatenated from the highest bit on, in slot order.
#[derive(Debug)]
pub(crate) struct Extract {
    words: Box<[Box<[Move]>]>,
}

impl Extract {
    #[inline]
    pub(crate) fn words(&self, state: &[u64]) -> impl Iterator<Item = u64> {
        self.words.iter().map(|moves| {
            moves.iter().fold(0, |word, part| {
                word | state[part.from as usize].rotate_left(part.rotation) & part.mask
            })
        })
    }
}

/// The position of a slot in packed states. Shifts are less than a word, so they need no check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Bits {
    /// The code of the slot in its word.
    #[inline]
    pub(crate) fn code(self, word: u64) -> u64 {
        word.wrapping_shr(self.shift) & self.mask
    }

    /// The code shifted to the slot's position.
    #[inline]
    pub(crate) fn placed(self, code: u64) -> u64 {
        code.wrapping_shl(self.shift)
    }

    /// The bit mask of the slot in its word.
    #[inline]
    pub(crate) fn mask(self) -> u64 {
        self.mask.wrapping_shl(self.shift)
    }

    pub(crate) fn width(self) -> u32 {
        self.mask.count_ones()
    }

    /// Reports the word and the bit index of each bit.
    pub(crate) fn each_bit(self, mut tell: impl FnMut(usize, usize)) {
        let first = self.shift as usize;
        (first..first + self.width() as usize).for_each(|bit| tell(self.word as usize, bit));
    }
}

impl Patch {
    /// Computes the next state from the current one; returns whether they differ.
    pub(crate) fn apply(&self, current: &[u64], next: &mut [u64]) -> bool {
        next.copy_from_slice(current);
        self.change(current, next)
    }

    /// Applies the patch to `next`, taking moved bits from `current`; returns whether it changes.
    #[inline]
    pub(crate) fn change(&self, current: &[u64], next: &mut [u64]) -> bool {
        let mut changed = 0;
        for part in &self.parts {
            let word = &mut next[part.to as usize];
            let moved = current[part.from as usize].rotate_left(part.rotation) & part.moved;
            let new = *word & !part.mask | moved | part.bits;
            // No two parts change the same bits.
            changed |= *word ^ new;
            *word = new;
        }
        changed != 0
    }

    /// `None` if the states are too large.
    fn new(moves: &[Move], sets: &[Set]) -> Option<Patch> {
        let mut parts: Vec<Part> = Vec::with_capacity(moves.len() + sets.len());
        for made in moves {
            parts.push(Part {
                to: u16::try_from(made.to).ok()?,
                from: u16::try_from(made.from).ok()?,
                rotation: made.rotation,
                moved: made.mask,
                mask: made.mask,
                bits: 0,
            });
        }
        for Set { word, mask, bits } in sets {
            let word = u16::try_from(*word).ok()?;
            match parts.iter_mut().find(|part| part.to == word) {
                Some(part) => (part.mask, part.bits) = (part.mask | mask, part.bits | bits),
                None => parts.push(Part {
                    to: word,
                    from: word,
                    rotation: 0,
                    moved: 0,
                    mask: *mask,
                    bits: *bits,
                }),
            }
        }
        Some(Patch { parts: parts.into() })
    }

    /// The number of parts.
    pub(crate) fn size(&self) -> usize {
        self.parts.len()
    }
}

impl Field {
    /// The value of the field in its word.
    #[inline]
    fn value(&self, word: u64) -> i64 {
        let code = word.wrapping_shr(self.shift) & self.mask;
        match self.coding {
            Coding::Offset { low, .. } => match code {
                0 => UNDEFINED,
                code => low.wrapping_add(code.wrapping_sub(1).cast_signed()),
            },
            coding => decode(coding, code),
        }
    }
}

fn coding(instance: &Instance, ty: &Type, id: usize, confine: bool) -> Coding {
    match ty {
        Type::Integer { window } | Type::Real { window, .. } if confine => {
            match u64::try_from(i128::from(window.1) - i128::from(window.0) + 1) {
                Ok(count) if count < u64::MAX => Coding::Window { low: window.0, count },
                _ => Coding::Raw,
            }
        }
        Type::Integer { .. } | Type::Real { .. } => Coding::Raw,
        Type::List { .. } => Coding::List,
        Type::Range { low, high } => match u64::try_from(i128::from(*high) - i128::from(*low) + 1) {
            Ok(count) if count < u64::MAX => Coding::Offset { low: *low, count },
            _ => Coding::Raw,
        },
        _ => {
            let (low, count) = instance.bounds(id);
            Coding::Offset {
                low,
                count: u64::try_from(count).unwrap_or(0),
            }
        }
    }
}

fn decode(coding: Coding, code: u64) -> i64 {
    match coding {
        Coding::Raw => code.cast_signed(),
        _ if code == 0 => UNDEFINED,
        Coding::Offset { low, .. } | Coding::Window { low, .. } => low.wrapping_add(code.wrapping_sub(1).cast_signed()),
        Coding::List => code.wrapping_sub(1).cast_signed(),
    }
}

fn width(coding: Coding) -> u32 {
    match coding {
        Coding::Offset { count, .. } | Coding::Window { count, .. } => u64::BITS - count.leading_zeros(),
        Coding::Raw => 64,
        Coding::List => 33,
    }
}

/// Writes the low bytes of packed words.
pub(crate) fn to_bytes(words: &[u64], bytes: &mut [u8]) {
    let (full, rest) = bytes.as_chunks_mut();
    for (word, chunk) in words.iter().zip(full.iter_mut()) {
        *chunk = word.to_le_bytes();
    }
    if let Some(word) = words.get(full.len()) {
        rest.iter_mut()
            .zip(word.to_le_bytes())
            .for_each(|(byte, new)| *byte = new);
    }
}

pub(crate) fn from_bytes(bytes: &[u8], words: &mut [u64]) {
    for (chunk, word) in bytes.chunks(8).zip(words) {
        *word = from_chunk(chunk);
    }
}

/// The word of up to eight bytes.
#[inline]
fn from_chunk(chunk: &[u8]) -> u64 {
    match chunk.try_into() {
        Ok(full) => u64::from_le_bytes(full),
        Err(_) => {
            let mut full = [0; 8];
            full[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(full)
        }
    }
}
