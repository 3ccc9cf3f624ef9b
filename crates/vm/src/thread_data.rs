//! The C library's data about a thread: its keys, how often it owns a lock that it may take again, the calls of
//! `pthread_once` that are under way, in which round of a barrier it is.
//!
//! It is part of private memory: no other thread can see it, it is shared by the copies of a state until it changes,
//! and two states of a thread are the same only if it is the same.

use crate::system::Jump;
use base::{Site, Value};

/// The data of one thread.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct ThreadData {
    /// The values of keys, without those that are null, in the order of the keys.
    pub(crate) keys: Vec<(u32, Value)>,
    /// How many keys the thread has created.
    pub(crate) created_keys: u32,
    /// The recursive and error-checking mutexes that it owns, and how often.
    pub(crate) mutexes: Vec<(u64, u32)>,
    /// The read-write locks that it holds.
    pub(crate) shared_locks: Vec<(u64, Hold)>,
    /// The controls of `pthread_once` whose function is under way, with the depth of the call.
    pub(crate) once: Vec<(u64, u32)>,
    /// The barriers that it has used.
    pub(crate) barriers: Vec<(u64, Rounds)>,
    /// How many barriers it has initialised in memory that other threads know.
    pub(crate) initialised: u32,
    /// It ends: the destructors of its keys run.
    pub(crate) exit: Option<Exit>,
    /// The places that `__sigsetjmp` has saved, and those of them at which a cleanup handler is registered.
    pub(crate) jumps: Vec<Jump>,
    pub(crate) cleanups: Vec<u64>,
    /// The value that it exits with when the handlers have run.
    pub(crate) exit_value: Value,
    /// Its cancellation state and type.
    pub(crate) cancel: [u8; 2],
    /// Whether a futex wait of it has ended without reason.
    pub(crate) woken_early: bool,
    /// The bits that its last futex wait was not for.
    pub(crate) unwanted_bits: u32,
    /// Whether it has announced that it throws.
    pub(crate) has_thrown: bool,
    /// Where it has looked at a clock.
    pub(crate) clocks: Vec<Site>,
}

/// How often the threads of a barrier have met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Rounds {
    /// The word of the barrier, another one after each initialisation.
    pub(crate) word: Value,
    /// All meetings, modulo 4.
    pub(crate) met: u8,
    /// Those in which several threads looked at the result, so that the serial thread had to be chosen and announced,
    /// modulo 4.
    pub(crate) chosen: u8,
}

/// How a read-write lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hold {
    /// By a reader, that many times.
    Shared(u32),
    /// By a writer.
    Exclusive,
}

/// How far the end of a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Exit {
    /// The value that it ends with.
    pub(crate) value: Value,
    /// How often all keys were looked at.
    pub(crate) rounds: u32,
    /// The first key that is still to be looked at in this round.
    pub(crate) next: u32,
}

impl ThreadData {
    /// The value of a key.
    pub(crate) fn key(&self, key: u32) -> Value {
        self.keys.iter().find(|known| known.0 == key).map_or(0, |known| known.1)
    }

    /// Set the value of a key.
    pub(crate) fn set_key(&mut self, key: u32, value: Value) {
        self.keys.retain(|known| known.0 != key);
        if value != 0 {
            self.keys.push((key, value));
            self.keys.sort_unstable();
        }
    }

    /// How often the thread owns a mutex that it may own more than once.
    pub(crate) fn owns(&self, mutex: u64) -> u32 {
        self.mutexes.iter().find(|known| known.0 == mutex).map_or(0, |known| known.1)
    }

    /// Set how often the thread owns a mutex.
    pub(crate) fn set_owns(&mut self, mutex: u64, times: u32) {
        self.mutexes.retain(|known| known.0 != mutex);
        if times > 0 {
            self.mutexes.push((mutex, times));
            self.mutexes.sort_unstable();
        }
    }

    /// How the thread holds a read-write lock.
    pub(crate) fn hold(&self, lock: u64) -> Option<Hold> {
        self.shared_locks.iter().find(|known| known.0 == lock).map(|known| known.1)
    }

    /// Set how the thread holds a read-write lock.
    pub(crate) fn set_hold(&mut self, lock: u64, hold: Option<Hold>) {
        self.shared_locks.retain(|known| known.0 != lock);
        if let Some(hold) = hold {
            self.shared_locks.push((lock, hold));
            self.shared_locks.sort_unstable_by_key(|known| known.0);
        }
    }

    /// The thread is about to wait at a barrier that has this word: its rounds begin again if it has another word.
    pub(crate) fn enter_barrier(&mut self, barrier: u64, word: Value) {
        if self.rounds(barrier).word != word {
            self.set_rounds(barrier, Rounds { word, ..Rounds::default() });
        }
    }

    /// The rounds of a barrier that the thread has passed.
    pub(crate) fn rounds(&self, barrier: u64) -> Rounds {
        self.barriers.iter().find(|known| known.0 == barrier).map_or(Rounds::default(), |known| known.1)
    }

    /// The thread has left a barrier; the serial thread was announced, or not.
    pub(crate) fn next_round(&mut self, barrier: u64, chosen: bool) {
        let Rounds { word, met, chosen: before } = self.rounds(barrier);
        self.set_rounds(
            barrier,
            Rounds { word, met: (met + 1) % 4, chosen: (before + u8::from(chosen)) % 4 },
        );
    }

    fn set_rounds(&mut self, barrier: u64, rounds: Rounds) {
        self.barriers.retain(|known| known.0 != barrier);
        self.barriers.push((barrier, rounds));
        self.barriers.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_undone_is_as_if_it_had_never_been() {
        let mut data = ThreadData::default();
        data.set_key(3, 7);
        data.set_owns(8, 2);
        data.set_hold(16, Some(Hold::Shared(1)));
        assert_eq!((data.key(3), data.key(4), data.owns(8)), (7, 0, 2));
        assert_eq!(data.hold(16), Some(Hold::Shared(1)));
        data.set_key(3, 0);
        data.set_owns(8, 0);
        data.set_hold(16, None);
        assert_eq!(data, ThreadData::default());
        (0..4).for_each(|_| data.next_round(32, true));
        assert_eq!(data.rounds(32), Rounds::default());
    }

    #[test]
    fn rounds_begin_again_when_a_barrier_is_initialised_again() {
        let mut data = ThreadData::default();
        for (word, met) in [(2, 1), (2, 2), (0x103, 1)] {
            data.enter_barrier(32, word);
            data.next_round(32, false);
            assert_eq!(data.rounds(32), Rounds { word, met, chosen: 0 });
        }
    }
}
