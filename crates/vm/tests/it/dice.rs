//! Numbers for programs made at random.

/// Small numbers that look random.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Others for each seed.
    pub(crate) fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        for _ in 0..4 {
            dice.below(2);
        }
        dice
    }

    /// One below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}
