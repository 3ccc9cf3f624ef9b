//! Where memory is accessed: an address and a number of bytes.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What memory holds and registers carry: up to eight bytes, zero-extended.
pub type Value = u64;

/// The bytes `address .. address + size`. Two accesses are to the same location iff they are equal: a front end
/// splits what it accesses so that different accesses do not overlap (`program::Program::refine`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Access {
    /// The first byte.
    pub address: u64,
    /// How many bytes: 1 to 8.
    pub size: u8,
}

impl Access {
    /// The first byte after it.
    pub fn end(self) -> u64 {
        self.address + u64::from(self.size)
    }

    /// Whether the two share a byte.
    pub fn overlaps(self, other: Access) -> bool {
        self.address < other.end() && other.address < self.end()
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}/{}", self.address, self.size)
    }
}

/// The low `size` bytes of `value`.
#[inline(always)]
pub fn truncate(value: Value, size: u8) -> Value {
    if size >= 8 { value } else { value & ((1 << (8 * u32::from(size))) - 1) }
}
