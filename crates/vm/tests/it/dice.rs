//! Numbers for programs made at random.

use base::Rng;

/// Numbers of a seed. The programs that they make are in files of their own.
#[derive(Debug)]
pub(crate) struct Dice(Rng);

impl Dice {
    /// Others for each seed.
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(Rng::new(seed))
    }

    /// One below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }
}
