//! Pseudo-random numbers: the same seed gives the same run on every machine.

use oorandom::Rand64;

#[derive(Clone, Debug)]
pub(crate) struct Random(Rand64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(Rand64::new(u128::from(seed)))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.rand_u64()
    }

    /// A number below `bound`, or 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        match bound {
            0 => 0,
            bound => self.0.rand_range(0..bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_numbers() {
        let (mut a, mut b) = (Random::new(7), Random::new(7));
        assert!((0..100).all(|_| a.below(10) == b.below(10)));
        assert!((0..1000).all(|_| a.below(3) < 3));
        assert_eq!(a.below(0), 0);
    }
}
