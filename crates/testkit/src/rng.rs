//! Random numbers that are the same everywhere.

/// Marsaglia's xorshift64*, with a seed that may be any number.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03);
        (0..8).for_each(|_| _ = rng.next());
        rng
    }

    /// Any number.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number less than `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }

    /// True in `p` of 100 cases.
    pub fn percent(&mut self, p: u64) -> bool {
        self.below(100) < p
    }

    /// One of some.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}
