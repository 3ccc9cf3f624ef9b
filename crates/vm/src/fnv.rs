//! [FNV-1a](http://www.isthe.com/chongo/tech/comp/fnv/), 64 bits: the same on every machine and in every run.

use std::fmt;

/// The checksum of these bytes: it finds damage, and is no signature.
pub fn checksum(bytes: &[u8]) -> u64 {
    Fnv::of(bytes)
}

/// The hash of the text written so far.
pub(crate) struct Fnv(pub(crate) u64);

impl Fnv {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;

    /// The hash of no bytes.
    pub(crate) fn new() -> Fnv {
        Fnv(Fnv::START)
    }

    /// The hash of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut hash = Fnv::new();
        hash.add(bytes);
        hash.0
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(Fnv::PRIME);
        }
    }
}

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the list of its authors.
    #[test]
    fn known_hashes() {
        assert_eq!(Fnv::of(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv::of(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv::of(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
