//! Records what an execution reads of the state, and what it writes.
//!
//! The values read, in order, determine an execution: another one that reads the same values behaves the same. A value
//! that is only copied is not read: its origin is tracked with the copy, and it counts as read when a copy is
//! inspected.

/// The origin of a value that is not from the initial state.
pub(crate) const MADE: u32 = u32::MAX;

/// A slot of the state, and its new value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Write {
    pub(crate) slot: u32,
    /// The slot whose initial value this is, or [`MADE`].
    pub(crate) origin: u32,
    pub(crate) value: i64,
}

/// Traces one execution at a time.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    pub(super) on: bool,
    /// The number of slots of the state.
    slots: usize,
    /// For each memory address, the slot whose initial value it holds, or [`MADE`].
    origins: Vec<u32>,
    /// By slot: the last execution that read its initial value.
    seen: Vec<u32>,
    /// By address: the last execution that wrote to it.
    written: Vec<u32>,
    run: u32,
    /// The slots read, with their values, in order.
    pub(crate) reads: Vec<(u32, i64)>,
    /// The slots written, each once; likewise addresses after the state.
    writes: Vec<u32>,
    behind: Vec<u32>,
    /// Origins of arguments of calls that have not begun.
    arguments: Vec<u32>,
}

impl Tracer {
    pub(super) fn new(slots: usize) -> Tracer {
        Tracer {
            slots,
            ..Tracer::default()
        }
    }

    /// Starts tracing an execution on a memory of this size.
    pub(super) fn begin(&mut self, memory: usize) {
        if self.seen.is_empty() {
            self.seen = vec![0; self.slots];
            self.origins.extend(0..self.slots as u32);
        }
        if self.run == u32::MAX {
            self.seen.fill(0);
            self.written.fill(0);
            self.run = 0;
        }
        self.run += 1;
        self.grow(memory);
        // Resets the origins to before the last execution.
        for slot in self.writes.drain(..) {
            self.origins[slot as usize] = slot;
        }
        for address in self.behind.drain(..) {
            self.origins[address as usize] = MADE;
        }
        self.reads.clear();
        self.arguments.clear();
        self.on = true;
    }

    /// The written slots, with their current values.
    pub(super) fn end<'t>(&'t mut self, memory: &'t [i64]) -> impl Iterator<Item = Write> + 't {
        self.on = false;
        let this = &*self;
        this.writes.iter().map(move |&slot| {
            let origin = this.origins[slot as usize];
            let is_seen = origin != MADE && this.seen[origin as usize] == this.run;
            Write {
                slot,
                origin: if is_seen { MADE } else { origin },
                value: memory[slot as usize],
            }
        })
    }

    pub(super) fn grow(&mut self, memory: usize) {
        if memory > self.origins.len() {
            self.origins.resize(memory, MADE);
        }
        if memory > self.written.len() {
            self.written.resize(memory, 0);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn read(&mut self, address: usize, value: i64) {
        let origin = self.origins[address];
        if origin != MADE && self.seen[origin as usize] != self.run {
            self.seen[origin as usize] = self.run;
            self.reads.push((origin, value));
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn wrote(&mut self, address: usize) {
        self.set(address, MADE);
    }

    /// Several slots were copied.
    #[cold]
    #[inline(never)]
    pub(super) fn copied(&mut self, from: std::ops::Range<usize>, to: usize) {
        let length = from.len();
        self.origins.copy_within(from, to);
        (to..to + length).for_each(|address| self.mark(address));
    }

    /// The values of several slots, or a computed value, became arguments of a call.
    pub(super) fn pass(&mut self, from: Option<std::ops::Range<usize>>) {
        match from {
            Some(from) => self.arguments.extend_from_slice(&self.origins[from]),
            None => self.arguments.push(MADE),
        }
    }

    pub(super) fn drop_arguments(&mut self, first: usize) {
        self.arguments.truncate(first);
    }

    /// The arguments from `first` on became the start of a frame, the rest of which is new.
    pub(super) fn entered(&mut self, first: usize, frame: std::ops::Range<usize>) {
        for (position, address) in frame.enumerate() {
            let origin = self.arguments.get(first + position).copied().unwrap_or(MADE);
            self.set(address, origin);
        }
        self.arguments.truncate(first);
    }

    fn set(&mut self, address: usize, origin: u32) {
        self.origins[address] = origin;
        self.mark(address);
    }

    fn mark(&mut self, address: usize) {
        if self.written[address] != self.run {
            self.written[address] = self.run;
            match address < self.slots {
                true => self.writes.push(address as u32),
                false => self.behind.push(address as u32),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(slot: u32, origin: u32, value: i64) -> Write {
        Write { slot, origin, value }
    }

    #[test]
    fn a_copy_is_read_when_somebody_looks_at_it() {
        // Three slots of the state, and a frame of two.
        let mut tracer = Tracer::new(3);
        tracer.begin(5);
        tracer.copied(0..1, 3);
        tracer.copied(3..4, 2);
        assert!(tracer.reads.is_empty());
        assert_eq!(tracer.end(&[7, 8, 7, 7, 0]).collect::<Vec<_>>(), [write(2, 0, 7)]);
        tracer.begin(5);
        tracer.copied(0..1, 3);
        tracer.read(3, 7);
        tracer.read(0, 7);
        tracer.copied(3..4, 2);
        assert_eq!(tracer.reads, [(0, 7)]);
        assert_eq!(tracer.end(&[7, 8, 7, 7, 0]).collect::<Vec<_>>(), [write(2, MADE, 7)]);
    }

    #[test]
    fn what_a_run_has_written_it_does_not_read() {
        let mut tracer = Tracer::new(2);
        tracer.begin(2);
        tracer.wrote(1);
        tracer.read(1, 5);
        assert!(tracer.reads.is_empty());
        // The initial value of a slot may have been copied elsewhere before.
        tracer.begin(3);
        tracer.copied(1..2, 2);
        tracer.wrote(1);
        tracer.read(2, 4);
        assert_eq!(tracer.reads, [(1, 4)]);
    }

    #[test]
    fn copies_may_overlap() {
        let mut tracer = Tracer::new(4);
        tracer.begin(4);
        tracer.copied(1..4, 0);
        tracer.wrote(3);
        let writes: Vec<Write> = tracer.end(&[1, 2, 3, 9]).collect();
        let shifted = [write(0, 1, 1), write(1, 2, 2), write(2, 3, 3), write(3, MADE, 9)];
        assert_eq!(writes, shifted);
    }

    #[test]
    fn arguments_keep_their_origins() {
        let mut tracer = Tracer::new(2);
        tracer.begin(2);
        tracer.pass(None);
        tracer.pass(Some(0..2));
        tracer.grow(6);
        tracer.entered(0, 2..6);
        tracer.read(2, 0);
        tracer.read(5, 0);
        assert!(tracer.reads.is_empty());
        tracer.read(4, 6);
        assert_eq!(tracer.reads, [(1, 6)]);
    }
}
