//! Rounds that are kept although they have changed nothing.
//!
//! A round that is cut is left out of all executions in which its thread leaves the loop, and so are its races with
//! accesses that the thread brings about after the loop. The engine finds the memory where that may matter
//! (`explore/reductions/left_out.rs`) and names it ([`Program::keep_rounds`](program::Program::keep_rounds)). From then
//! on each thread goes on after the first round that would be cut and that has accessed such memory, and after the
//! rounds around it. All other rounds can be left out of an execution with a given race.
//!
//! A round may be cut before its end, where it is certain that it will be (`futile`), and there may be no code for the
//! rest of it. If such a round is to be kept, there is no verdict.
//!
//! A thread that may still keep a round is not known to be blocked by the values that it reads: it promises nothing to
//! the engine (`Await::No`, no pairs).
//!
//! Differs: [SAVER] takes no notice of races of rounds that it leaves out.
//! Cost: nothing unless there is such memory.

use crate::bytecode::{Op, Reg};
use crate::machine::Machine;
use crate::state::ThreadState;
use program::Request;

/// A thread's record of rounds that are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kept {
    /// How many events the thread had made before its last access to endangered memory.
    touched: Option<u32>,
    /// How many it had made when the round that was kept began, or the outermost one around it that has ended.
    round: Option<u32>,
}

impl Machine {
    /// Note whether the thread's request accesses endangered memory.
    pub(crate) fn note_touch(&self, state: &mut ThreadState, request: &Request) {
        let Some(at) = request.at() else { return };
        if self.endangered.iter().any(|bytes| bytes.start < at.end() && at.address < bytes.end) {
            state.visits.kept.touched = Some(state.memory.events);
        }
    }

    /// A round that began after so many events is about to be cut. Returns whether it is kept: it is the first one that
    /// has accessed endangered memory, or one around that, which began earlier and ends now.
    pub(crate) fn keep_round(&self, state: &mut ThreadState, since: u32) -> bool {
        let kept = &mut state.visits.kept;
        let keeps = match kept.round {
            None => kept.touched.is_some_and(|touched| touched >= since),
            Some(round) => since <= round,
        };
        if keeps {
            kept.round = Some(since);
        }
        keeps
    }

    /// Whether the thread may go on after a round that would be cut.
    #[inline]
    pub(crate) fn may_keep_round(&self, state: &ThreadState) -> bool {
        // (One around the round that was kept may still end.)
        !self.endangered.is_empty() && state.visits.kept.touched.is_some()
    }

    /// The header of the loop whose rounds start by setting this register.
    pub(crate) fn header(&self, state: &ThreadState, since: Reg) -> u32 {
        let code = &self.function(state).code;
        let start = code.iter().position(|op| matches!(op, Op::RoundStart { dst } if *dst == since));
        start.expect("a round that is cut has a start") as u32
    }
}
