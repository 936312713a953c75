//! Successors that were met, as they were before anybody looked for their canonical form.
//!
//! Most successors are found more than once: two rules that do not disturb each other lead to the same state in both
//! orders. To know one of them again is cheaper than to find its canonical form again. The table is not large, and
//! forgets; what it says is exact.

/// Entries at first, and at most.
const FEW: usize = 1 << 10;
const MANY: usize = 1 << 16;
/// Words of all entries together.
const ROOM: usize = 2 << 20;

#[derive(Debug)]
pub(crate) struct Recent {
    /// Words of a packed state.
    width: usize,
    /// The hashes with their lowest bit set; 0 for an empty entry.
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

    /// Twice as many entries, as long as there is room. An entry stays where it is, or moves up by as many places as
    /// there were, where nobody is: the table grows in place.
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
            // The place of an entry does not depend on the bit that its tag lost.
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

/// Entries are a power of two, or none.
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
            // Whatever the hash is.
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
