//! Barriers.
//!
//! A barrier starts with its count. After it, each thread has two bytes of its own: it arrives with a release write to the
//! one of an even round or the one of an odd round, and leaves when the engine has shown it the slots of all (`Departure`).
//! Nothing orders the arrivals, so k threads meet in one way. What is written distinguishes a round from the one before
//! last: a thread cannot be two rounds ahead of another one.
//!
//! Which thread is told `PTHREAD_BARRIER_SERIAL_THREAD` is open. If the program looks, the first of those who meet chooses,
//! and lets the others know.
//! Not modelled: a barrier that more threads use than it waits for; one with more than 13 threads.

use super::MINUS_ONE;
use crate::access::{Purpose, Reach};
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::pthread::WORD;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask, fault, refuse};
use base::{Access, Value, WriteOrder};
use program::{AwaitOp, Departure, FaultKind, MUTEX_DESTROYED, Patience, Request, RmwOp};

/// The size of a `pthread_barrier_t`.
const SIZE: u64 = 32;
/// Where the slots are, after the count.
const SLOTS: u64 = 4;
/// Where those who meet are told who is the one, in even rounds; in odd rounds one byte further.
const CHOSEN: u64 = SLOTS + 2 * Departure::SLOTS;
/// `EINVAL`.
const INVALID: Value = 22;

/// The phases of `pthread_barrier_wait`: the count is read, the thread arrives, it leaves in one phase for each thread.
const ARRIVE: u8 = 1;
const LEAVE: u8 = 2;

impl Machine {
    /// `pthread_barrier_init(barrier, attributes, count)`.
    pub(super) fn init_barrier(
        &self,
        state: &mut ThreadState,
        barrier: u64,
        count: Value,
        result: Option<Reg>,
    ) -> Flow {
        if count == 0 {
            return self.done(state, result, INVALID);
        }
        if state.progress.phase == 0
            && let Some((slot, offset)) = state.memory.find(&self.globals, barrier, SIZE)
        {
            state.memory.contents_mut(slot).fill(offset..offset + SIZE as usize, 0);
        }
        if state.progress.phase == 0 {
            self.store_plain(state, barrier, WORD, count)?;
            state.progress = Progress { phase: 1, ..Progress::default() };
        }
        self.store_plain(state, barrier + CHOSEN, 2, 0)?;
        self.done(state, result, 0)
    }

    /// `pthread_barrier_wait`. `progress.done` has the count in its low byte, then the thread's number among those who meet.
    pub(super) fn wait_at_barrier(&self, state: &mut ThreadState, barrier: u64, result: Option<Reg>) -> Flow {
        if state.progress.phase == 0 {
            return self.enter_barrier(state, barrier);
        }
        let thread = u64::from(state.thread().0);
        let (phase, needed) = (state.progress.phase, state.progress.done as u8);
        let round = self.data(state).map_or(0, |data| data.round(barrier));
        let nth = u32::from(phase.saturating_sub(LEAVE));
        let departure = Departure {
            slots: barrier + SLOTS,
            odd: round % 2 == 1,
            value: 1 + Value::from(round / 2),
            needed: u32::from(needed),
            nth,
        };
        if phase == ARRIVE {
            let at = Access { address: departure.slot(thread), size: 1 };
            let request = Request::Write { at, value: departure.value, order: WriteOrder::Release };
            return ask(state, Pending::Value, request);
        }
        if phase > LEAVE && phase <= LEAVE + needed && state.progress.value == thread {
            state.progress.done |= (nth - 1) << 8;
        }
        if phase < LEAVE + needed {
            return ask(state, Pending::Value, Request::Depart(departure));
        }
        let told = match result {
            Some(_) if needed > 1 => self.choose_serial(state, barrier, &departure)?,
            _ => MINUS_ONE,
        };
        state.memory.private_mut().data.next_round(barrier);
        self.done(state, result, told)
    }

    /// Read the count.
    fn enter_barrier(&self, state: &mut ThreadState, barrier: u64) -> Flow {
        let count = self.load_word(state, barrier)?;
        if count == MUTEX_DESTROYED {
            return fault(FaultKind::InvalidAccess, "wait at a barrier that was destroyed");
        }
        if count == 0 {
            return fault(FaultKind::InvalidAccess, "wait at a barrier that was not initialised");
        }
        if count > Departure::SLOTS || u64::from(state.thread().0) >= Departure::SLOTS {
            let most = Departure::SLOTS;
            return refuse(format!(
                "a barrier of more than {most} threads, or in later ones, is not modelled"
            ));
        }
        if self.reach(state, barrier, SIZE, Purpose::Write)? != Reach::Shared {
            self.escape(state, barrier)?;
        }
        state.progress = Progress { phase: ARRIVE, done: count as u32, value: 0 };
        Flow::Continue(())
    }

    /// What this thread is told, once all have met: the first of them chooses who is the one.
    fn choose_serial(&self, state: &mut ThreadState, barrier: u64, departure: &Departure) -> Flow<Value> {
        let (needed, own) = (departure.needed as u8, Value::from(state.progress.done >> 8 & 0xff));
        let at = Access { address: barrier + CHOSEN + u64::from(departure.odd), size: 1 };
        let chosen = match (own, state.progress.phase - LEAVE - needed) {
            (0, 0) => return ask(state, Pending::Value, Request::Choose { values: Value::from(needed) }),
            (0, 1) => {
                let chosen = state.progress.value;
                state.progress.done |= (chosen as u32) << 16;
                let word = departure.value << 4 | chosen;
                let order = base::RmwOrder::Release;
                let (op, failure) = (RmwOp::Exchange(word), base::ReadOrder::Relaxed);
                return ask(state, Pending::Value, Request::Rmw { at, op, order, failure });
            }
            (0, _) => Value::from(state.progress.done >> 16),
            (_, 0) => {
                let op = AwaitOp::Tagged(departure.value);
                return ask(state, Pending::Value, Request::Await { at, op, patience: Patience::Waits });
            }
            (_, _) => state.progress.value & 0xf,
        };
        Flow::Continue(if chosen == own { MINUS_ONE } else { 0 })
    }
}
