//! Memory behind the ends of objects, for logical memory models: no object is in the way of another.

use super::{Memory, MemoryOrigin, UNDEFINED};
use crate::outcome::{Fault, Limit};
use crate::word::Word;
use system::program::Undefined;

/// The number of bytes behind each object.
const BEHIND: u64 = 4096;

impl Memory {
    /// The number of bytes from the beginning of the object that a pointer points into, if it is alive.
    pub(crate) fn reach(&self, pointer: Word) -> Option<u64> {
        let object = self.object(pointer).ok()?;
        // A fixed address has other addresses behind it.
        let has_behind = self.has_behind && object.origin != MemoryOrigin::Fixed;
        let size = object.size as u64;
        Some(size.saturating_add(if has_behind { BEHIND } else { 0 }))
    }

    /// Grows an object if an access of this size reaches behind its end.
    #[cold]
    pub(super) fn grow(&mut self, pointer: Word, bytes: u64) -> Result<(), Fault> {
        let reach = self.reach(pointer).ok_or_else(|| self.reason(pointer))?;
        let end = pointer.offset().checked_add(bytes);
        if end.is_none_or(|end| end > reach) {
            return Err(Fault::Undefined(Undefined::OutOfBounds));
        }
        let length = usize::try_from(reach).map_err(|_| Fault::Limit(Limit::Memory))?;
        let (live, most) = (self.live_bytes, self.most_bytes);
        let object = self.object_mut(pointer)?;
        let more = length.saturating_sub(object.bytes.len()) as u64;
        let live = live.saturating_add(more.saturating_mul(2));
        if live > most {
            return Err(Fault::Limit(Limit::Memory));
        }
        object.bytes.resize(length, 0);
        object.states.resize(length, UNDEFINED);
        let origin = object.origin;
        self.live_bytes = live;
        if !self.behind.contains(&origin) {
            self.behind.push(origin);
        }
        Ok(())
    }

    /// The objects behind whose ends memory was accessed.
    pub(crate) fn touched_behind(&self) -> Vec<MemoryOrigin> {
        self.behind.clone()
    }
}
