//! Random numbers that are the same on every machine (SplitMix64).

#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Different seeds and cases give unrelated sequences.
    pub fn new(seed: u64, case: u64) -> Dice {
        let mut dice = Dice(seed ^ 0x5851_f42d_4c95_7f2d);
        dice.0 = dice.advance().wrapping_add(case);
        dice.0 = dice.advance();
        dice
    }

    pub fn advance(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`, which is not 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        (self.advance() % sides.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }

    /// One of the elements, of which there is at least one.
    pub fn pick<'a, T>(&mut self, elements: &'a [T]) -> &'a T {
        &elements[self.roll(elements.len())]
    }
}
