//! Awaits of one location: a word that lets a thread pass, now or once others have changed it.

use crate::hidden::FUTEX_LOCK;
use crate::request::MUTEX_DESTROYED;
use base::Value;

/// The condition under which a word lets a thread pass, and the value that it holds then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AwaitOp {
    /// A semaphore: above 0, and one less then.
    Decrement,
    /// A word that must be 0, and holds this then: the writer of a read-write lock.
    Take(Value),
    /// A word that must be below the limit, and one more then: a reader of a read-write lock.
    Share {
        /// From here on it is a writer's.
        limit: Value,
    },
    /// A word that must be 0, and holds `running` then; or `done` already, and is left as it is.
    Once {
        /// The value while the first thread that has passed makes the call.
        running: Value,
        /// The value when the call is made.
        done: Value,
    },
    /// A word whose upper four bits of eight must be this; it is left as it is.
    Tagged(Value),
    /// The queue of a futex ([`crate::FUTEX_LOCK`]): it must not be locked, and is locked then.
    Seize,
}

/// The effect of a word on a thread that waits there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passage {
    /// It does not let it pass.
    Shut,
    /// It lets it pass.
    Open,
    /// It lets it pass, and holds this then.
    Changes(Value),
}

impl AwaitOp {
    /// The effect of a word that holds this value.
    #[inline]
    pub fn apply(self, value: Value) -> Passage {
        match self {
            AwaitOp::Decrement if value > 0 => Passage::Changes(value - 1),
            // No thread waits for a lock that is gone: it is told the value, and that is an error.
            AwaitOp::Take(_) | AwaitOp::Share { .. } if value == MUTEX_DESTROYED => Passage::Open,
            AwaitOp::Take(new) if value == 0 => Passage::Changes(new),
            AwaitOp::Share { limit } if value < limit => Passage::Changes(value + 1),
            AwaitOp::Once { running, .. } if value == 0 => Passage::Changes(running),
            AwaitOp::Once { done, .. } if value == done => Passage::Open,
            AwaitOp::Tagged(tag) if value >> 4 == tag => Passage::Open,
            AwaitOp::Seize if value & FUTEX_LOCK == 0 => Passage::Changes(value | FUTEX_LOCK),
            AwaitOp::Decrement
            | AwaitOp::Take(_)
            | AwaitOp::Share { .. }
            | AwaitOp::Once { .. }
            | AwaitOp::Tagged(_)
            | AwaitOp::Seize => Passage::Shut,
        }
    }
}

/// The step of a thread where it cannot pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Patience {
    /// It waits until it can.
    Waits,
    /// It goes on, and is told the value that it read, without synchronisation.
    GivesUp,
}

/// Leaving a barrier: all threads that use it have arrived, each with a release write of `value` to its own slot, and
/// the thread reads the `nth` of these slots. After as many such reads as threads it is ordered after all arrivals,
/// which are not ordered among each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Departure {
    /// The first slot of even rounds, a byte; those of the other threads follow, then the slots of odd rounds.
    pub slots: u64,
    /// Whether it is an odd round.
    pub odd: bool,
    /// The value that a thread writes when it arrives in this round, plus [`Departure::LOOKS`] if it looks; never 0.
    pub value: Value,
    /// How many threads must have arrived.
    pub needed: u32,
    /// Which of them is looked at, by the number of its slot.
    pub nth: u32,
}

/// The state of a barrier for a thread that wants to leave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    /// The slot to be read next.
    Open(u64),
    /// Others have not arrived yet.
    Shut,
    /// More threads use it than it waits for.
    Crowded,
}

impl Departure {
    /// How many slots there are for a round, one for each thread.
    pub const SLOTS: u64 = 13;

    /// Set in the slot of a thread that looks at the result of its call, which differs for one of the threads.
    pub const LOOKS: Value = 0x80;

    /// Whether the thread whose slot holds this value has arrived.
    pub fn has_arrived(&self, value: Value) -> bool {
        value & !Departure::LOOKS == self.value
    }

    /// The answer to a thread that reads this value in that slot: the number of the slot, and whether its thread looks.
    pub fn answer(&self, slot: u64, value: Value) -> Value {
        ((slot - self.slots) % Departure::SLOTS) | (value & Departure::LOOKS)
    }

    /// Whether a thread may leave, where the slots hold these values (0: nothing was written there).
    pub fn gate(&self, value: impl Fn(u64) -> Value) -> Gate {
        let slots = |round: Departure| (0..Departure::SLOTS).map(move |thread| round.slot(thread));
        let users = slots(Departure { odd: false, ..*self }).filter(|&slot| value(slot) != 0).count();
        let arrived = || slots(*self).filter(|&slot| self.has_arrived(value(slot)));
        let needed = self.needed as usize;
        if users > needed {
            return Gate::Crowded;
        }
        match arrived().nth(self.nth as usize) {
            Some(slot) if arrived().count() == needed => Gate::Open(slot),
            _ => Gate::Shut,
        }
    }

    /// The slot to which a thread writes when it arrives in this round.
    pub fn slot(&self, thread: u64) -> u64 {
        self.slots + thread + if self.odd { Departure::SLOTS } else { 0 }
    }
}

/// The threads that a notification of a condition variable wakes up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wakes {
    /// One of those that sleep, if there is one.
    One,
    /// All.
    All,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_lets_pass_or_not() {
        let once = AwaitOp::Once { running: 7, done: 9 };
        let share = AwaitOp::Share { limit: 100 };
        for (op, value, passage) in [
            (AwaitOp::Decrement, 0, Passage::Shut),
            (AwaitOp::Decrement, 2, Passage::Changes(1)),
            (AwaitOp::Take(5), 0, Passage::Changes(5)),
            (AwaitOp::Take(5), 1, Passage::Shut),
            (share, 99, Passage::Changes(100)),
            (share, 100, Passage::Shut),
            (once, 0, Passage::Changes(7)),
            (once, 7, Passage::Shut),
            (once, 9, Passage::Open),
            (AwaitOp::Tagged(2), 0x25, Passage::Open),
            (AwaitOp::Tagged(2), 0x15, Passage::Shut),
            (AwaitOp::Seize, 5, Passage::Changes(FUTEX_LOCK | 5)),
            (AwaitOp::Seize, FUTEX_LOCK, Passage::Shut),
        ] {
            assert_eq!(op.apply(value), passage, "{op:?} of {value}");
        }
    }
}
