//! Semaphores and read-write locks: words that threads await.
//!
//! The word of a semaphore is its value. That of a read-write lock is the number of its readers, or [`WRITER`] and the
//! writer. Every change is a read-modify-write, so the changes of a word are one chain and a waiting thread makes no
//! event. Taking is an acquire, giving back a release. Readers come one after the other: k readers have as many orders
//! as a counter.
//!
//! Not modelled: preference. A reader may pass while a writer waits, and the other way round.

use super::first_word;
use crate::access::{Purpose, Reach};
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask, fault};
use crate::thread_data::Hold;
use base::{ReadOrder, Value};
use program::{AwaitOp, FaultKind, MUTEX_DESTROYED, Passage, Patience, Request, RmwOp};

/// From here on the word of a read-write lock is a writer's.
const WRITER: Value = 0x4000_0000;
/// The largest value of a semaphore.
const LARGEST: Value = 0x7fff_ffff;

/// The side that takes a read-write lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Reader,
    Writer,
}

/// The behaviour if it cannot be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attempt {
    Waits,
    /// The call returns this.
    Fails(Value),
}

impl Machine {
    /// `sem_wait`; with an error number for when it would wait, `sem_trywait`.
    pub(super) fn semaphore_wait(
        &self,
        state: &mut ThreadState,
        semaphore: u64,
        error: Option<Value>,
        result: Option<Reg>,
    ) -> Flow {
        if state.progress.phase == 2 {
            return self.fail(state, error.unwrap_or(0), result);
        }
        let patience = if error.is_some() { Patience::GivesUp } else { Patience::Waits };
        let old = self.pass(state, first_word(semaphore), AwaitOp::Decrement, patience)?;
        self.check_semaphore(old)?;
        if old > 0 {
            return self.done(state, result, 0);
        }
        state.progress.phase = 2;
        Flow::Continue(())
    }

    /// `sem_post`.
    pub(super) fn semaphore_post(
        &self,
        state: &mut ThreadState,
        semaphore: u64,
        result: Option<Reg>,
    ) -> Flow {
        let old = self.release(state, first_word(semaphore), RmwOp::Add(1))?;
        self.check_semaphore(old)?;
        self.done(state, result, 0)
    }

    fn check_semaphore(&self, value: Value) -> Flow {
        match value {
            MUTEX_DESTROYED => fault(FaultKind::InvalidAccess, "use of a semaphore that was destroyed"),
            LARGEST.. => fault(FaultKind::InvalidAccess, "the value of a semaphore is too large"),
            _ => Flow::Continue(()),
        }
    }

    /// `sem_getvalue(semaphore, value)`.
    pub(super) fn semaphore_value(
        &self,
        state: &mut ThreadState,
        semaphore: u64,
        to: u64,
        result: Option<Reg>,
    ) -> Flow {
        if state.progress.phase == 0 {
            let at = first_word(semaphore);
            let reach = self.reach(state, at.address, u64::from(at.size), Purpose::Read)?;
            if reach == Reach::Shared {
                return ask(state, Pending::Value, Request::Read { at, order: ReadOrder::Relaxed });
            }
            state.progress.value = self.read_own(state, reach, at.address, at.size)?;
            state.progress.phase = 1;
        }
        let value = state.progress.value;
        if value == MUTEX_DESTROYED {
            return self.check_semaphore(value);
        }
        self.store_plain(state, to, 4, value)?;
        self.done(state, result, 0)
    }

    /// Take a read-write lock as a reader or a writer: `pthread_rwlock_rdlock`, `_wrlock`, the `try` and timed forms.
    pub(super) fn lock_shared(
        &self,
        state: &mut ThreadState,
        lock: u64,
        side: Side,
        attempt: Attempt,
        result: Option<Reg>,
    ) -> Flow {
        let op = match side {
            Side::Reader => AwaitOp::Share { limit: WRITER },
            Side::Writer => AwaitOp::Take(WRITER + Value::from(state.thread().0)),
        };
        let patience = if attempt == Attempt::Waits { Patience::Waits } else { Patience::GivesUp };
        let old = self.pass(state, first_word(lock), op, patience)?;
        if old == MUTEX_DESTROYED {
            return fault(FaultKind::InvalidAccess, "lock of a read-write lock that was destroyed");
        }
        match (op.apply(old), attempt) {
            (Passage::Shut, Attempt::Fails(error)) => self.done(state, result, error),
            _ => {
                let data = &mut state.memory.private_mut().data;
                let hold = match (side, data.hold(lock)) {
                    (Side::Writer, _) => Hold::Exclusive,
                    (Side::Reader, Some(Hold::Shared(times))) => Hold::Shared(times + 1),
                    (Side::Reader, _) => Hold::Shared(1),
                };
                data.set_hold(lock, Some(hold));
                self.done(state, result, 0)
            }
        }
    }

    /// `pthread_rwlock_unlock`.
    pub(super) fn unlock_shared(&self, state: &mut ThreadState, lock: u64, result: Option<Reg>) -> Flow {
        let (op, left) = match self.data(state).and_then(|data| data.hold(lock)) {
            Some(Hold::Exclusive) => (RmwOp::Exchange(0), None),
            Some(Hold::Shared(1)) => (RmwOp::Sub(1), None),
            Some(Hold::Shared(times)) => (RmwOp::Sub(1), Some(Hold::Shared(times - 1))),
            None => {
                let message = "unlock of a read-write lock that this thread does not hold";
                return fault(FaultKind::UnlockNotOwned, message);
            }
        };
        if self.release(state, first_word(lock), op)? == MUTEX_DESTROYED {
            return fault(FaultKind::InvalidAccess, "unlock of a read-write lock that was destroyed");
        }
        state.memory.private_mut().data.set_hold(lock, left);
        self.done(state, result, 0)
    }
}
