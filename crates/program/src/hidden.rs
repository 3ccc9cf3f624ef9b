//! Hidden words, in which the kernel keeps what it knows. They belong to no object, are always there, and are 0 at first
//! ([`LIFE_WORDS`]).
//!
//! Each address that threads wait on as a futex has a queue, and each thread has a word in which it is woken up, and one
//! for the bits that it waits for. The queue has one bit for each thread that waits, and is locked by a bit of its own.

use crate::life::{LIFE_WORDS, proper_address};
use base::{Access, ThreadId, Value};

/// Set in the queue of a futex that a thread has locked.
pub const FUTEX_LOCK: Value = 1 << 63;

/// Among the hidden words: the queues.
const QUEUES: u64 = LIFE_WORDS | 1 << 62;
/// The words in which threads are woken up.
const WAKE_UPS: u64 = LIFE_WORDS | 1 << 61;
/// The bits that threads wait for.
const BITS: u64 = LIFE_WORDS | 1 << 60;
/// Whether threads have ended.
const ENDS: u64 = LIFE_WORDS | 1 << 59;

/// The meaning of a hidden word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HiddenWord {
    /// The queue of the futex at this address.
    Queue(u64),
    /// The word in which this thread is woken up.
    WakeUp(ThreadId),
    /// The bits that this thread waits for.
    Bits(ThreadId),
    /// Whether this thread is about to end, where that can be asked.
    End(ThreadId),
}

impl HiddenWord {
    /// Where it is.
    pub fn access(self) -> Access {
        let address = match self {
            HiddenWord::Queue(address) => QUEUES | address,
            HiddenWord::WakeUp(ThreadId(thread)) => WAKE_UPS | u64::from(thread) << 3,
            HiddenWord::Bits(ThreadId(thread)) => BITS | u64::from(thread) << 3,
            HiddenWord::End(ThreadId(thread)) => ENDS | u64::from(thread) << 3,
        };
        Access { address, size: 8 }
    }

    /// The word at this address, if there is one.
    pub fn at(address: u64) -> Option<HiddenWord> {
        let low = proper_address(address);
        let thread = ThreadId((low >> 3) as u32);
        match address - low {
            QUEUES => Some(HiddenWord::Queue(low)),
            WAKE_UPS => Some(HiddenWord::WakeUp(thread)),
            BITS => Some(HiddenWord::Bits(thread)),
            ENDS => Some(HiddenWord::End(thread)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_at_its_address() {
        for word in
            [HiddenWord::Queue(0x1234), HiddenWord::WakeUp(ThreadId(3)), HiddenWord::Bits(ThreadId(0))]
        {
            assert_eq!(HiddenWord::at(word.access().address), Some(word));
        }
        assert_eq!(HiddenWord::at(crate::life_word(16).address), None);
    }
}
