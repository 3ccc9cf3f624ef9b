//! Lives of memory: an address that is freed may be given again.
//!
//! In C a `free` synchronises with the allocation that gets the same memory next. So each block has a hidden *life
//! word*: a `free` writes the size of the block there, with release, and the next allocation exchanges that for 0, with
//! acquire, or is blocked. Then it publishes the block once more.

use base::Access;

/// The first address of words that belong to no object: they are always there, and 0 at first.
pub const LIFE_WORDS: u64 = 1 << 63;

/// Addresses have fewer bits; above them, the engine keeps the number of the life that an access belongs to.
pub const LIFE_BITS: u32 = 48;

/// The address as the program knows it, in whichever life of its memory.
#[inline(always)]
pub fn proper_address(address: u64) -> u64 {
    address & ((1 << LIFE_BITS) - 1)
}

/// The life word of the block at this address.
pub fn life_word(address: u64) -> Access {
    Access { address: LIFE_WORDS | address, size: 8 }
}
