//! Rounds of waits on condition variables: whether the thread is where it was when it began to wait the last time.
//!
//! A round is from the release of the mutex in one wait to its release in the next: the thread has got the mutex back,
//! has looked around, and waits again. If it has written nothing but the mutex, and its registers and its private
//! memory are the same, then the round can be left out of every execution: the mutex is taken and released in it, so
//! the next owner can take it from the owner before the round. The events after the wait are possible without the
//! round. Two things make a difference: the thread may sleep on from here, having missed earlier notifications; and a
//! signal that caused the round woke up no other thread. So the round is run, and then the engine is told
//! (`Request::Sleep`): the thread sleeps for good, or wakes up again if a signal caused the round.
//!
//! A plain read is no effect: the loops that wait read data that a mutex protects. A race of
//! such a read with an access that the same thread brings about after the loop, without synchronisation, is not lost
//! (`kept`). Other mutexes may be taken and released in a round, too, for the same reason; not released and taken
//! again, for other threads may have had them in between because of earlier events of the thread.
//! Not left out: rounds of a program that looks at mutexes without waiting for them (`trylock`), for it could see a
//! mutex taken in such a round.

use super::Visits;
use super::same::Except;
use crate::Builtin;
use crate::bytecode::Op;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::registers::Registers;
use crate::state::{Frame, ThreadState};
use crate::sync::SyncCall;
use program::Request;
use smallvec::SmallVec;
use std::sync::Arc;

/// The state of a thread when it began to wait.
#[derive(Debug)]
pub(crate) struct Round {
    writes: u32,
    pc: u32,
    function: u32,
    depth: u32,
    callers: Option<Arc<Frame>>,
    registers: Registers,
    memory: Memory,
}

impl Machine {
    /// The thread begins to wait. Returns whether the round is useless: the thread is where it was the last time that
    /// it began to wait, and the round is not kept. Remembers the state for the next time.
    pub(crate) fn is_useless_round(&self, state: &mut ThreadState, mutex: u64) -> bool {
        if !self.watches_waits {
            return false;
        }
        let only_its_own = state.visits.taken.as_ref().is_some_and(|taken| taken[..] == [mutex]);
        let round = state.visits.round.as_ref().filter(|_| only_its_own);
        let since = round.filter(|round| self.is_same_round(state, round)).map(|round| round.memory.events);
        let useless = since.is_some_and(|since| !self.keep_round(state, since));
        let round = Round {
            writes: state.visits.writes,
            pc: state.pc,
            function: state.function,
            depth: state.depth,
            callers: state.callers.clone(),
            registers: state.registers.clone(),
            memory: state.memory.clone(),
        };
        state.visits.round = Some(Arc::new(round));
        useless
    }

    fn is_same_round(&self, state: &ThreadState, round: &Round) -> bool {
        let callers = |callers: &Option<Arc<Frame>>| callers.as_ref().map(Arc::as_ptr);
        let count = usize::from(self.function(state).registers);
        round.writes == state.visits.writes
            && (round.pc, round.function, round.depth) == (state.pc, state.function, state.depth)
            && callers(&round.callers) == callers(&state.callers)
            && round.registers[..count] == state.registers[..count]
            && Except { dead: SmallVec::new(), secret: &[] }.same_memory(&state.memory, &round.memory)
    }

    /// Note whether the thread's request writes memory other than mutexes that it takes and releases in this round.
    pub(crate) fn note_write(&self, state: &mut ThreadState, request: &Request) {
        let writes = match *request {
            Request::Read { .. } | Request::Fence(_) | Request::SizeOf { .. } | Request::Choose { .. } => {
                false
            }
            Request::Sleep { .. } => false,
            Request::Lock { at } if self.is_at_wait(state) => {
                state.visits.taken = Some(Arc::new(vec![at.address]));
                false
            }
            Request::Unlock { .. } if self.is_at_wait(state) => false,
            Request::Lock { at } => !state.visits.take(at.address),
            Request::Unlock { at } => !state.visits.give_back(at.address),
            _ => true,
        };
        state.visits.writes = state.visits.writes.wrapping_add(u32::from(writes));
    }

    fn is_at_wait(&self, state: &ThreadState) -> bool {
        let wait = Builtin::Sync(SyncCall::CondWait);
        let timed = [SyncCall::CondTimedWait, SyncCall::CndTimedWait].map(Builtin::Sync);
        match self.function(state).code[state.pc as usize] {
            Op::Builtin { builtin, .. } => builtin == wait || timed.contains(&builtin),
            _ => false,
        }
    }
}

impl Visits {
    /// The thread takes a mutex. Returns whether it is in a round.
    fn take(&mut self, mutex: u64) -> bool {
        let Some(taken) = &mut self.taken else { return false };
        Arc::make_mut(taken).push(mutex);
        true
    }

    /// The thread releases a mutex. Returns whether it has taken it in this round.
    fn give_back(&mut self, mutex: u64) -> bool {
        let Some(taken) = &mut self.taken else { return false };
        let Some(last) = taken.iter().rposition(|&other| other == mutex) else { return false };
        Arc::make_mut(taken).remove(last);
        true
    }
}
