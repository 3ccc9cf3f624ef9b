//! Random numbers from a seed: the same on every machine, and the same for every version of Threadbare.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

/// The only generator of random numbers here: `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014), one word of state.
///
/// What a seed stands for is written down by users, so the algorithm has a name and does not change.
#[derive(Clone, Debug)]
pub struct Rng(SplitMix64);

impl Rng {
    /// The generator of a seed, which may be any number. Neighbouring seeds give unrelated numbers.
    pub fn new(seed: u64) -> Rng {
        // The seed is no state: states that differ by a multiple of the algorithm's increment give the same numbers, only
        // later.
        let first = SplitMix64::seed_from_u64(seed).next_u64();
        Rng(SplitMix64::seed_from_u64(first ^ seed.rotate_left(32)))
    }

    /// A number less than `n`, which is not 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        debug_assert!(n > 0, "there is no number below 0");
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// An index of a list of this length, which is not 0.
    #[inline]
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True in one of `n` cases.
    #[inline]
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// True in `p` of 100 cases.
    #[inline]
    pub fn percent(&mut self, p: u64) -> bool {
        self.below(100) < p
    }

    /// One of some.
    #[inline]
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_stands_for_these_numbers() {
        let numbers = |seed| {
            let mut rng = Rng::new(seed);
            [0; 8].map(|_| rng.below(1000))
        };
        assert_eq!(numbers(0), [652, 701, 387, 656, 787, 146, 778, 265]);
        assert_eq!(numbers(1), [129, 723, 726, 242, 822, 837, 987, 510]);
        assert_eq!(numbers(u64::MAX), [386, 466, 996, 155, 529, 713, 189, 892]);
    }

    #[test]
    fn all_numbers_come_about_equally_often() {
        let (mut rng, mut times) = (Rng::new(7), [0; 6]);
        (0..60_000).for_each(|_| times[rng.index(6)] += 1);
        assert!(times.iter().all(|times| (9_700..10_300).contains(times)), "{times:?}");
    }
}
