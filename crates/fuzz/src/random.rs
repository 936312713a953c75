//! Machine-independent pseudo-random numbers.

use oorandom::Rand64;

#[derive(Clone, Debug)]
pub struct Dice(Rand64);

impl Dice {
    /// Different seeds and cases give unrelated sequences.
    pub fn new(seed: u64, case: u64) -> Dice {
        Dice(Rand64::new(u128::from(seed) << 64 | u128::from(case)))
    }

    /// A number below `sides`, which must not be 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0.rand_range(0..sides.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }

    /// A random element of a non-empty slice.
    pub fn pick<'a, T>(&mut self, elements: &'a [T]) -> &'a T {
        &elements[self.roll(elements.len())]
    }
}
