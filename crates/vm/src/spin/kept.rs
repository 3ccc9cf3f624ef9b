//! Rounds that are kept although they have changed nothing.
//!
//! A round that is cut is left out of all executions in which its thread leaves the loop, and so are its races with what
//! the thread brings about after the loop. The engine finds the memory where that may matter (`explore/left_out.rs`) and
//! names it ([`Program::keep_rounds`](program::Program::keep_rounds)). From then on each thread goes on after the first round that
//! would be cut and that has accessed such memory. All other rounds can be left out of an execution with a given race.
//!
//! A thread that may still keep a round is not known to be blocked by what it reads: it promises nothing to the engine
//! (`Await::No`, no pairs).
//!
//! Differs: [SAVER] takes no notice of races of rounds that it leaves out.
//! Cost: nothing unless there is such memory.

use crate::bytecode::{Op, Reg};
use crate::machine::Machine;
use crate::state::ThreadState;
use program::Request;

/// What a thread remembers of rounds that are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kept {
    /// How many events the thread had made right after its last access to endangered memory; 0: none.
    touched: u32,
    /// How many it had made when the round that was kept began.
    round: Option<u32>,
}

impl Machine {
    /// The thread asks this. Does it access endangered memory?
    pub(crate) fn note_touch(&self, state: &mut ThreadState, request: &Request) {
        let (Request::Read { at, .. } | Request::Rmw { at, .. }) = *request else { return };
        if self.endangered.iter().any(|bytes| bytes.start < at.end() && at.address < bytes.end) {
            state.visits.kept.touched = state.memory.events.wrapping_add(1);
        }
    }

    /// A round that began after so many events is about to be cut. If it is to be kept, it is from now on, up to its end.
    pub(crate) fn keep_round(&self, state: &mut ThreadState, since: u32) -> bool {
        let kept = &mut state.visits.kept;
        let keeps = kept.round == Some(since) || kept.round.is_none() && kept.touched > since;
        if keeps {
            kept.round = Some(since);
        }
        keeps
    }

    /// May the thread go on after a round that would be cut?
    #[inline]
    pub(crate) fn may_keep_round(&self, state: &ThreadState) -> bool {
        let kept = state.visits.kept;
        !self.endangered.is_empty() && kept.touched > 0 && kept.round.is_none()
    }

    /// The header of the loop whose rounds start by setting this register.
    pub(crate) fn header(&self, state: &ThreadState, since: Reg) -> u32 {
        let code = &self.function(state).code;
        let start = code.iter().position(|op| matches!(op, Op::RoundStart { dst } if *dst == since));
        start.expect("a round that is cut has a start") as u32
    }
}
