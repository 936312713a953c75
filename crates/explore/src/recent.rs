//! A cache of recent successors, in the form before canonicalisation.
//!
//! Most successors are found more than once: two independent rules lead to the same state in either order. Recognising
//! such a state is cheaper than canonicalising it again. The cache is bounded and evicts entries; its answers are
//! exact.

/// The initial and the maximum number of entries.
const FEW: usize = 1 << 10;
const MANY: usize = 1 << 16;
/// The maximum total size of entries, in words.
const ROOM: usize = 2 << 20;

#[derive(Debug)]
pub(crate) struct Recent {
    /// Words of a packed state.
    width: usize,
    /// The hashes with the lowest bit set; 0 for an empty entry.
    tags: Vec<u64>,
    words: Vec<u64>,
    added: usize,
}

impl Recent {
    /// For states of `width` words.
    pub(crate) fn new(width: usize) -> Recent {
        Recent {
            width,
            tags: Vec::new(),
            words: Vec::new(),
            added: 0,
        }
    }

    #[inline]
    pub(crate) fn contains(&self, hash: u64, state: &[u64]) -> bool {
        let place = place(hash, self.tags.len());
        self.tags.get(place) == Some(&(hash | 1)) && self.words[place * self.width..][..self.width] == *state
    }

    pub(crate) fn add(&mut self, hash: u64, state: &[u64]) {
        if self.added >= self.tags.len() {
            self.grow();
        }
        self.added += 1;
        self.put(hash | 1, hash, state);
    }

    fn put(&mut self, tag: u64, hash: u64, state: &[u64]) {
        let place = place(hash, self.tags.len());
        self.tags[place] = tag;
        self.words[place * self.width..][..self.width].copy_from_slice(state);
    }

    /// Doubles the table while the limit permits. An entry stays in place, or moves up by the old size if that entry is
    /// free: the table grows in place.
    fn grow(&mut self) {
        let before = self.tags.len();
        let entries = (before * 2).max(FEW);
        if entries > MANY || (entries > FEW && entries * self.width > ROOM) {
            self.added = 0;
            return;
        }
        self.tags.resize(entries, 0);
        self.words.resize(entries * self.width, 0);
        for number in 0..before {
            // The position of an entry does not depend on the bit that its tag lost.
            let (tag, to) = (self.tags[number], place(self.tags[number], entries));
            if tag != 0 && to != number {
                self.tags.swap(number, to);
                let start = number * self.width;
                self.words.copy_within(start..start + self.width, to * self.width);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.tags.fill(0);
        self.added = 0;
    }

    pub(crate) fn memory(&self) -> u64 {
        (self.tags.len() + self.words.len()) as u64 * 8
    }
}

/// The number of entries is a power of two, or zero.
#[inline]
fn place(hash: u64, entries: usize) -> usize {
    (hash >> 20) as usize & entries.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hash_words;

    #[test]
    fn what_it_knows_was_added() {
        let mut recent = Recent::new(2);
        assert!(!recent.contains(hash_words(&[0, 0]), &[0, 0]));
        for number in 0..50_000u64 {
            let state = [number, number / 7];
            recent.add(hash_words(&state), &state);
            assert!(recent.contains(hash_words(&state), &state));
            // For any hash.
            assert!(!recent.contains(hash_words(&state), &[number, number / 7 + 1]));
        }
        let known = (0..50_000u64).filter(|number| {
            let state = [*number, number / 7];
            recent.contains(hash_words(&state), &state)
        });
        assert!(known.count() > 25_000);
        assert!(!recent.contains(hash_words(&[1, 1]), &[1, 1]));
        recent.clear();
        assert!(!recent.contains(hash_words(&[3, 0]), &[3, 0]));
    }

    #[test]
    fn states_without_variables_have_no_words() {
        let mut recent = Recent::new(0);
        recent.add(0, &[]);
        assert!(recent.contains(0, &[]));
    }
}
