//! A flat address space of bytes.

use super::Stop;
use std::collections::BTreeMap;
use system::program::{ProcedureId, Undefined, VariableId};

/// The alignment of blocks, so that addresses shortly before or behind a block are in no other one.
pub const APART: u64 = 1 << 16;
/// The address of the first block, by the size of pointers; no round number, since device registers are at those.
const FIRST: u64 = 0x2a5c_71d3_0000;
const FIRST_SHORT: u64 = 0x5a31_0000;
/// The maximum size of a block, and of all blocks.
const LARGEST: u64 = 1 << 20;
const ALL: u64 = 1 << 24;

/// What created a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BlockOrigin {
    Global(VariableId),
    /// A variable of the call with this serial number.
    Local(u64, VariableId),
    /// The allocated block with this serial number.
    Allocated(u64),
    Procedure(ProcedureId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Byte {
    value: u8,
    is_defined: bool,
    /// Part of a pointer, so its value depends on the addresses of blocks.
    is_pointer: bool,
}

const UNDEFINED: Byte = Byte {
    value: 0,
    is_defined: false,
    is_pointer: false,
};

#[derive(Clone, Debug)]
struct Block {
    origin: BlockOrigin,
    bytes: Vec<Byte>,
    is_alive: bool,
    is_constant: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Memory {
    blocks: BTreeMap<u64, Block>,
    of: BTreeMap<BlockOrigin, u64>,
    next: u64,
    used: u64,
    most: u64,
    /// The bytes whose content changed since the last call of the observer, with their previous content; none if it was
    /// uninitialized.
    pub changed: BTreeMap<u64, Option<u8>>,
}

impl Memory {
    pub(super) fn new(pointer_bits: u32) -> Memory {
        let is_short = pointer_bits == 32;
        Memory {
            next: if is_short { FIRST_SHORT } else { FIRST },
            most: if is_short { u64::from(u32::MAX) } else { 1 << 47 },
            ..Memory::default()
        }
    }

    /// Creates a block of uninitialized bytes.
    pub(super) fn make(&mut self, origin: BlockOrigin, size: u64) -> Result<u64, Stop> {
        self.used = self.used.saturating_add(size);
        let next = self.next.saturating_add(size).saturating_add(3 * APART) & !(APART - 1);
        if size > LARGEST || self.used > ALL || next >= self.most {
            return Err(Stop::Beyond("memory"));
        }
        let base = self.next;
        self.next = next;
        let block = Block {
            origin,
            bytes: vec![UNDEFINED; usize::try_from(size).unwrap_or(0)],
            is_alive: true,
            is_constant: false,
        };
        self.blocks.insert(base, block);
        self.of.insert(origin, base);
        Ok(base)
    }

    /// The address of a block, dead or alive.
    pub fn base_of(&self, origin: BlockOrigin) -> Option<u64> {
        self.of.get(&origin).copied()
    }

    pub fn is_alive(&self, origin: BlockOrigin) -> bool {
        let block = self.base_of(origin).and_then(|base| self.blocks.get(&base));
        block.is_some_and(|block| block.is_alive)
    }

    /// The block at or near an address, and the offset from its beginning.
    pub fn block_at(&self, address: u64) -> Option<(BlockOrigin, i128)> {
        let (base, block) = self.blocks.range(..=address.saturating_add(APART / 2)).next_back()?;
        let offset = i128::from(address) - i128::from(*base);
        (offset <= block.bytes.len() as i128 + i128::from(APART / 2)).then_some((block.origin, offset))
    }

    fn find(&mut self, address: u64, size: u64) -> Result<(&mut Block, usize), Stop> {
        let found = self.blocks.range_mut(..=address).next_back();
        let Some((base, block)) = found else {
            return Err(Stop::Undefined(Undefined::InvalidPointer));
        };
        let offset = address - base;
        if offset.saturating_add(size) > block.bytes.len() as u64 {
            return Err(Stop::Undefined(Undefined::InvalidPointer));
        }
        if !block.is_alive {
            return Err(Stop::Undefined(Undefined::DeadObject));
        }
        Ok((block, usize::try_from(offset).unwrap_or(0)))
    }

    /// Reads a little-endian integer, and whether a part of a pointer is in it. None if no byte is initialized.
    pub fn read(&mut self, address: u64, size: u64) -> Result<Option<(u64, bool)>, Stop> {
        let (block, at) = self.find(address, size)?;
        let bytes = &block.bytes[at..at + size as usize];
        if bytes.iter().all(|byte| !byte.is_defined) && size > 0 {
            return Ok(None);
        }
        if bytes.iter().any(|byte| !byte.is_defined) {
            return Err(Stop::Undefined(Undefined::Uninitialised));
        }
        let number = bytes
            .iter()
            .rev()
            .fold(0, |number: u64, byte| number << 8 | u64::from(byte.value));
        Ok(Some((number, bytes.iter().any(|byte| byte.is_pointer))))
    }

    /// As [`Self::read`], without a reason for failure.
    pub fn look(&self, address: u64, size: u64) -> Option<(u64, bool)> {
        let (base, block) = self.blocks.range(..=address).next_back()?;
        let at = usize::try_from(address - base).ok()?;
        let bytes = block.bytes.get(at..at.checked_add(usize::try_from(size).ok()?)?)?;
        let is_defined = block.is_alive && size <= 8 && bytes.iter().all(|byte| byte.is_defined);
        let number = bytes
            .iter()
            .rev()
            .fold(0, |number: u64, byte| number << 8 | u64::from(byte.value));
        is_defined.then_some((number, bytes.iter().any(|byte| byte.is_pointer)))
    }

    pub(super) fn write(&mut self, address: u64, size: u64, number: u64, is_pointer: bool) -> Result<(), Stop> {
        let (block, at) = self.find(address, size)?;
        if block.is_constant {
            return Err(Stop::Undefined(Undefined::Constant));
        }
        let mut changed = Vec::new();
        let places = block.bytes[at..at + size as usize].iter_mut();
        for ((place, value), number) in places.zip(number.to_le_bytes()).zip(address..) {
            if !place.is_defined || place.value != value {
                changed.push((number, place.is_defined.then_some(place.value)));
            }
            *place = Byte {
                value,
                is_defined: true,
                is_pointer,
            };
        }
        self.note(changed);
        Ok(())
    }

    /// Records the first previous content of each byte.
    fn note(&mut self, changed: Vec<(u64, Option<u8>)>) {
        for (number, old) in changed {
            self.changed.entry(number).or_insert(old);
        }
    }

    /// Copies bytes as they are, initialized or not.
    pub(super) fn copy(&mut self, to: u64, from: u64, size: u64) -> Result<(), Stop> {
        if size == 0 {
            return Ok(());
        }
        let (block, at) = self.find(from, size)?;
        let bytes = block.bytes[at..at + size as usize].to_vec();
        let (block, at) = self.find(to, size)?;
        if block.is_constant {
            return Err(Stop::Undefined(Undefined::Constant));
        }
        let places = block.bytes[at..at + size as usize].iter().zip(&bytes).zip(to..);
        let is_new = |old: &Byte, new: &Byte| new.is_defined && (!old.is_defined || old.value != new.value);
        let changed = places.filter(|((old, new), _)| is_new(old, new));
        let changed = changed
            .map(|((old, _), number)| (number, old.is_defined.then_some(old.value)))
            .collect();
        block.bytes[at..at + size as usize].copy_from_slice(&bytes);
        self.note(changed);
        Ok(())
    }

    /// Zeroes uninitialized bytes of which only some bits are written next.
    pub(super) fn define(&mut self, address: u64, size: u64) -> Result<(), Stop> {
        let (block, at) = self.find(address, size)?;
        for byte in &mut block.bytes[at..at + size as usize] {
            byte.is_defined = true;
        }
        Ok(())
    }

    /// Writes initial content before the program starts.
    pub(super) fn set(&mut self, base: u64, bytes: &[u8]) {
        if let Some(block) = self.blocks.get_mut(&base) {
            for (place, value) in block
                .bytes
                .iter_mut()
                .zip(bytes.iter().copied().chain(std::iter::repeat(0)))
            {
                *place = Byte {
                    value,
                    is_defined: true,
                    is_pointer: false,
                };
            }
        }
    }

    pub(super) fn make_constant(&mut self, base: u64) {
        if let Some(block) = self.blocks.get_mut(&base) {
            block.is_constant = true;
        }
    }

    /// Begins the lifetime of a block, with uninitialized bytes.
    pub(super) fn revive(&mut self, base: u64) {
        if let Some(block) = self.blocks.get_mut(&base) {
            block.is_alive = true;
            block.bytes.fill(UNDEFINED);
        }
    }

    pub(super) fn end(&mut self, base: u64) {
        if let Some(block) = self.blocks.get_mut(&base) {
            block.is_alive = false;
        }
    }

    pub(super) fn free(&mut self, address: u64) -> Result<(), Stop> {
        let block = self.blocks.get_mut(&address);
        match block.filter(|block| block.is_alive && matches!(block.origin, BlockOrigin::Allocated(_))) {
            Some(block) => {
                block.is_alive = false;
                Ok(())
            }
            None => Err(Stop::Undefined(Undefined::Free)),
        }
    }

    /// The number of bytes from an address to the end of its block.
    pub(super) fn room(&mut self, address: u64) -> u64 {
        self.find(address, 0)
            .map_or(0, |(block, at)| (block.bytes.len() - at) as u64)
    }
}
