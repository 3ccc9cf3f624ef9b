//! Weak compare-exchanges, which may fail although they read the expected value.
//!
//! To fail so is a choice of its own, before the compare-exchange: then it is a load, and must read the expected value,
//! for otherwise it fails anyway. Most weak compare-exchanges are in loops that merely try again, and there it makes no
//! difference: if the thread, after such a failure, comes to the end of a round that is cut (`spin`) without a request,
//! then the failure would end there, and is not explored.
//!
//! Cost: a copy of the thread's state for each weak compare-exchange that is run.

use crate::access::{Purpose, Reach};
use crate::bytecode::Op;
use crate::machine::Machine;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask};
use base::{Access, ReadOrder, Value};
use program::{Blocker, Request};

/// The phases of a weak compare-exchange: it may fail spuriously or not, it does, it has.
const CHOOSE: u8 = 0;
const CHOSEN: u8 = 1;
const FAILED: u8 = 2;

impl Machine {
    /// Whether the compare-exchange at `pc` fails although it reads the expected value. If so, it is done.
    pub(crate) fn fails_spuriously(
        &self,
        state: &mut ThreadState,
        at: Access,
        expected: Value,
        failure: ReadOrder,
    ) -> Flow<bool> {
        let reach = self.reach(state, at.address, u64::from(at.size), Purpose::Write)?;
        let known = if reach == Reach::Shared {
            None
        } else {
            Some(self.read_own(state, reach, at.address, at.size)?)
        };
        match state.progress.phase {
            CHOOSE if known.is_some_and(|value| value != expected) => return Flow::Continue(false),
            CHOOSE if state.pending != Pending::LooksAhead && !self.is_noticed(state, expected) => {
                return Flow::Continue(false);
            }
            CHOOSE => return ask(state, Pending::Value, Request::Choose { values: 2 }),
            CHOSEN if state.progress.value == 0 => return Flow::Continue(false),
            CHOSEN if known.is_none() => {
                return ask(state, Pending::Value, Request::Read { at, order: failure });
            }
            CHOSEN => {}
            FAILED if state.progress.value != expected => {
                return Flow::Break(Request::Block(Blocker::Assume));
            }
            _ => {}
        }
        self.fail_spuriously(state, expected);
        Flow::Continue(true)
    }

    fn fail_spuriously(&self, state: &mut ThreadState, expected: Value) {
        let Op::CompareExchange { dst, success, .. } = self.function(state).code[state.pc as usize] else {
            unreachable!("a compare-exchange fails")
        };
        state.registers[usize::from(success.0)] = 0;
        state.finish(Some(dst), expected);
    }

    /// Whether the thread would do anything after such a failure but come to the end of a round that is cut.
    fn is_noticed(&self, state: &ThreadState, expected: Value) -> bool {
        let mut ahead = state.clone();
        ahead.pending = Pending::LooksAhead;
        ahead.progress = Progress::default();
        self.fail_spuriously(&mut ahead, expected);
        !matches!(self.run(&mut ahead), Request::Block(blocker) if blocker.is_about_values())
    }
}
