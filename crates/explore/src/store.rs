//! The store of visited states: packed bytes in one array, and a hash table of their numbers.
//!
//! A state takes its packed bytes, 8 bytes for its origin, and 5 bytes of table divided by the load factor (7/16 to
//! 7/8). The table keeps seven bits of each hash beside the numbers, so a lookup rarely touches a non-matching state.
//! Arrays grow by reallocation, which for large blocks remaps pages instead of copying bytes.

use hashbrown::HashTable;

/// The origin of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    /// The number of the predecessor; [`NONE`] for starts.
    pub(crate) parent: u32,
    /// The rule or start instance.
    pub(crate) by: u32,
}

pub(crate) const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Store {
    width: usize,
    bytes: Vec<u8>,
    /// Empty if no traces are wanted.
    origins: Vec<Origin>,
    keep_origins: bool,
    table: HashTable<u32>,
    count: u32,
}

impl Store {
    /// For states of `width` bytes.
    pub(crate) fn new(width: usize, keep_origins: bool) -> Store {
        Store {
            width,
            bytes: Vec::new(),
            origins: Vec::new(),
            keep_origins,
            table: HashTable::new(),
            count: 0,
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        slice(&self.bytes, self.width, number)
    }

    pub(crate) fn origin(&self, number: u32) -> Option<Origin> {
        self.origins.get(number as usize).copied()
    }

    #[inline]
    pub(crate) fn find(&self, hash: u64, key: &[u8]) -> Option<u32> {
        self.table
            .find(hash, |number| slice(&self.bytes, self.width, *number) == key)
            .copied()
    }

    /// Inserts a state that is not stored yet; `None` if 32 bits do not suffice to number it.
    pub(crate) fn insert(&mut self, hash: u64, key: &[u8], origin: Origin) -> Option<u32> {
        let number = self.count;
        if number >= NONE - 1 {
            return None;
        }
        self.count += 1;
        self.bytes.extend_from_slice(key);
        if self.keep_origins {
            self.origins.push(origin);
        }
        let (bytes, width) = (&self.bytes, self.width);
        self.table
            .insert_unique(hash, number, |number| hash_bytes(slice(bytes, width, *number)));
        Some(number)
    }

    /// The memory in use, including free entries of the table.
    pub(crate) fn memory(&self) -> u64 {
        let table = self.table.capacity() as u64 * 8 / 7 * 5;
        self.bytes.len() as u64 + self.origins.len() as u64 * 8 + table
    }
}

fn slice(bytes: &[u8], width: usize, number: u32) -> &[u8] {
    let start = number as usize * width;
    &bytes[start..start + width]
}

/// The hash of a packed state.
#[inline]
pub(crate) fn hash_words(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| mix(hash, *word))
}

pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let word = |chunk: &[u8]| {
        let mut full = [0; 8];
        full[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(full)
    };
    bytes.chunks(8).fold(0, |hash, chunk| mix(hash, word(chunk)))
}

/// One round of hashing: a full product folded to 64 bits, as in wyhash.
#[inline]
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
    (product as u64) ^ ((product >> 64) as u64).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bytes_hash_alike() {
        let words = [1, u64::MAX, 77];
        let mut bytes = vec![0; 17];
        crate::packing::to_bytes(&words, &mut bytes);
        assert_eq!(hash_words(&words), hash_bytes(&bytes));
        let mut back = [0; 3];
        crate::packing::from_bytes(&bytes, &mut back);
        assert_eq!(words, back);
    }

    #[test]
    fn states_are_found_again() {
        let mut store = Store::new(3, true);
        for number in 0..1000u32 {
            let key = [(number % 256) as u8, (number / 256) as u8, 9];
            assert_eq!(store.find(hash_bytes(&key), &key), None);
            assert_eq!(
                store.insert(hash_bytes(&key), &key, Origin { parent: number, by: 1 }),
                Some(number)
            );
        }
        let key = [7, 1, 9];
        assert_eq!(store.find(hash_bytes(&key), &key), Some(263));
        assert_eq!(store.get(263), key);
        assert_eq!(store.len(), 1000);
    }
}
