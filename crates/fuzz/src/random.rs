//! Random numbers that are the same on every machine.

use oorandom::Rand64;

#[derive(Clone, Debug)]
pub struct Dice(Rand64);

impl Dice {
    /// Different seeds and cases give unrelated sequences.
    pub fn new(seed: u64, case: u64) -> Dice {
        Dice(Rand64::new(u128::from(seed) << 64 | u128::from(case)))
    }

    /// A number below `sides`, which is not 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0.rand_range(0..sides.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }

    /// One of the elements, of which there is at least one.
    pub fn pick<'a, T>(&mut self, elements: &'a [T]) -> &'a T {
        &elements[self.roll(elements.len())]
    }
}
