//! Condition variables: `pthread_cond_*` and `cnd_*`.
//!
//! To wait is to release the mutex, to sleep, and to take the mutex again. When the thread wakes up is open: by a
//! notification, or without reason, which POSIX and C allow; with a time limit also because the time is over.
//! Notifications order nothing. That a thread is never woken up is a choice of its own, which the engine explores where
//! no notification excludes it (`explore/reductions/sleeping.rs`): a lost wake-up is a deadlock.
//!
//! A program that waits in a loop can wake up and wait again any number of times. A round that has written nothing but
//! the mutex, and after which the thread is where it was when it began to wait, is run once: after it the thread sleeps
//! for good, unless a signal caused the round, which then woke up no other thread (`spin/rounds.rs`).

use super::first_word;
use crate::access::{Purpose, Reach};
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::pthread::word;
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask, fault, refuse};
use base::{ReadOrder, Value};
use program::{Blocker, FaultKind, MUTEX_DESTROYED, Request, Wakes};

/// The size of a `pthread_cond_t`.
const SIZE: u64 = 48;

/// How long a thread waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    /// Until it is woken up.
    None,
    /// Or until some time; then the call returns this.
    Time(Value),
}

/// A wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wait {
    pub(super) condition: u64,
    pub(super) mutex: u64,
    pub(super) limit: Limit,
}

/// `progress.done` of a thread that is where it was when it began to wait the last time.
const USELESS_ROUND: u32 = 1;

impl Machine {
    /// `pthread_cond_init`.
    pub(super) fn init_condition(
        &self,
        state: &mut ThreadState,
        condition: u64,
        result: Option<Reg>,
    ) -> Flow {
        if let Some((slot, offset)) = state.memory.find(&self.globals, condition, SIZE) {
            state.memory.contents_mut(slot).fill(offset..offset + SIZE as usize, 0);
            return self.done(state, result, 0);
        }
        self.store_word(state, condition, 0, result)
    }

    /// `pthread_cond_wait` and `pthread_cond_timedwait`. The phases: look at the condition variable, release the mutex,
    /// sleep, take the mutex.
    pub(super) fn wait(&self, state: &mut ThreadState, wait: Wait, result: Option<Reg>) -> Flow {
        let Wait { condition, mutex, limit } = wait;
        let timed = limit != Limit::None;
        match state.progress.phase {
            0 => self.look_at_condition(state, condition),
            1 => {
                if state.progress.value == MUTEX_DESTROYED {
                    return fault(FaultKind::InvalidAccess, "use of a condition variable that was destroyed");
                }
                self.check_mutex_of_wait(state, mutex)?;
                if self.is_useless_round(state, mutex) {
                    state.progress.done = USELESS_ROUND;
                }
                ask(state, Pending::Value, Request::Unlock { at: word(mutex) })
            }
            2 => {
                let again = state.progress.done == USELESS_ROUND;
                ask(state, Pending::Value, Request::Sleep { on: condition, timed, again })
            }
            _ => {
                let again = state.progress.done == USELESS_ROUND;
                let value = match (state.progress.value == u64::from(again), limit) {
                    (true, _) => 0,
                    (false, Limit::Time(_)) if again => return Flow::Break(Request::Block(Blocker::Assume)),
                    (false, Limit::Time(over)) => over,
                    (false, Limit::None) => {
                        return Flow::Break(Request::Block(Blocker::Sleep { on: condition }));
                    }
                };
                if let Some(Reg(register)) = result {
                    state.registers[usize::from(register)] = value;
                }
                ask(state, Pending::Next, Request::Lock { at: word(mutex) })
            }
        }
    }

    /// The mutex must be one that others can reach, and not be owned more than once.
    fn check_mutex_of_wait(&self, state: &mut ThreadState, mutex: u64) -> Flow {
        if self.data(state).is_some_and(|data| data.owns(mutex) > 1) {
            return refuse("a wait with a recursive mutex that is owned more than once is not modelled");
        }
        if self.reach(state, mutex, 4, Purpose::Write)? != Reach::Shared {
            self.escape(state, mutex)?;
        }
        Flow::Continue(())
    }

    /// A condition variable that was destroyed, or never initialised, must not be used.
    fn look_at_condition(&self, state: &mut ThreadState, condition: u64) -> Flow {
        let at = first_word(condition);
        let reach = self.reach(state, condition, SIZE, Purpose::Read)?;
        if reach == Reach::Shared {
            return ask(state, Pending::Value, Request::Read { at, order: ReadOrder::Relaxed });
        }
        let value = self.read_own(state, reach, condition, at.size)?;
        state.progress.phase = 1;
        state.progress.value = value;
        Flow::Continue(())
    }

    /// `pthread_cond_signal` and `pthread_cond_broadcast`.
    pub(super) fn notify(
        &self,
        state: &mut ThreadState,
        condition: u64,
        wakes: Wakes,
        result: Option<Reg>,
    ) -> Flow {
        if state.progress.phase == 0 {
            return self.look_at_condition(state, condition);
        }
        if state.progress.value == MUTEX_DESTROYED {
            return fault(FaultKind::InvalidAccess, "use of a condition variable that was destroyed");
        }
        if let Some(Reg(register)) = result {
            state.registers[usize::from(register)] = 0;
        }
        ask(state, Pending::Next, Request::Notify { on: condition, wakes })
    }
}
