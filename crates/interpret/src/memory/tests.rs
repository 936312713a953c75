//! Memory with pointers, cross-checked against plain bytes.

use super::{Memory, MemoryOrigin};
use crate::outcome::Fault;
use crate::word::Word;
use system::program::Undefined;

const SIZE: u64 = 29;

/// A reference model in which pointers are the bytes of their addresses.
struct Plain {
    bytes: Vec<Vec<Option<u8>>>,
}

impl Plain {
    fn number(&self, object: usize, offset: usize, size: usize) -> Option<u64> {
        let bytes = self.bytes[object][offset..offset + size].iter();
        bytes.enumerate().try_fold(0, |number, (place, byte)| {
            Some(number | u64::from((*byte)?) << (8 * place))
        })
    }

    fn put(&mut self, object: usize, offset: usize, size: usize, number: u64) {
        for (place, byte) in number.to_le_bytes().iter().take(size).enumerate() {
            self.bytes[object][offset + place] = Some(*byte);
        }
    }
}

/// Reading integers gives the same result as if pointers had always been integers.
#[test]
fn pointers_are_the_bytes_of_their_addresses() {
    for pointer_bits in [32, 64] {
        let width = pointer_bits as usize / 8;
        let mut random = oorandom::Rand64::new(u128::from(pointer_bits));
        let mut memory = Memory::new(pointer_bits, 3, 1 << 20);
        let objects: Vec<Word> = (0..3)
            .map(|_| memory.allocate(SIZE, false, MemoryOrigin::Allocated).unwrap())
            .collect();
        let addresses: Vec<u64> = objects
            .iter()
            .map(|object| memory.number_of(*object).unwrap())
            .collect();
        let mut plain = Plain {
            bytes: vec![vec![None; SIZE as usize]; 3],
        };
        for _ in 0..200_000 {
            let (a, b) = (random.rand_range(0..3) as usize, random.rand_range(0..3) as usize);
            let size = [1, 2, 4, 8][random.rand_range(0..4) as usize];
            let at = random.rand_range(0..SIZE - 7);
            let from = random.rand_range(0..SIZE - 7);
            let (place, offset) = (objects[a].plus(at), at as usize);
            match random.rand_range(0..8) {
                0 | 1 => {
                    let to = random.rand_range(0..SIZE + 1);
                    memory.write_pointer(place, objects[b].plus(to)).unwrap();
                    plain.put(a, offset, width, addresses[b] + to);
                }
                2 => {
                    let number = random.rand_u64();
                    memory.write(place, size, number).unwrap();
                    plain.put(a, offset, size, number);
                }
                3 | 4 => {
                    let length = random.rand_range(0..SIZE - at.max(from) + 1);
                    memory.copy(place, objects[b].plus(from), length).unwrap();
                    let (from, length) = (from as usize, length as usize);
                    let copied = plain.bytes[b][from..from + length].to_vec();
                    plain.bytes[a][offset..offset + length].copy_from_slice(&copied);
                }
                5 => {
                    memory.write_undefined(place, 1).unwrap();
                    plain.bytes[a][offset] = None;
                }
                6 => {
                    let read = memory.read_pointer(place, false);
                    let expected = plain.number(a, offset, width).map(|number| memory.pointer_of(number));
                    assert_eq!(read, expected.ok_or(Fault::Undefined(Undefined::Uninitialised)));
                }
                _ => {
                    let expected = plain.number(a, offset, size);
                    let read = memory.read(place, size, false);
                    assert_eq!(read, expected.ok_or(Fault::Undefined(Undefined::Uninitialised)));
                }
            }
        }
    }
}
