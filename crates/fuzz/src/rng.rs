//! Random numbers from a seed, the same on every machine.

/// `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014): neighbouring seeds give unrelated numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// The generator of a seed, which may be any number.
    pub(crate) fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed);
        let first = rng.next();
        Rng(first ^ seed.rotate_left(32))
    }

    /// Any number.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number less than `n`, which is not 0.
    #[inline]
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// True in one of `n` cases.
    #[inline]
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}
