//! Time, which stands still.
//!
//! Every clock always shows the same. A thread remembers where it has looked at one, and the verdict is `bounded` then
//! and names these places (`Hint::clocks`): what the program does when time passes was not explored.

use super::Clock;
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::{Progress, ThreadState};
use crate::step::Flow;
use base::Value;
use program::Program;

/// The time in seconds, and everything else that counts up.
const NOW: Value = 1_000_000_000;

impl Machine {
    /// Tell the time.
    pub(super) fn tell_time(
        &self,
        state: &mut ThreadState,
        clock: Clock,
        [a, b]: [Value; 2],
        result: Option<Reg>,
    ) -> Flow {
        let site = self.site(state);
        if !self.data(state).is_some_and(|data| data.clocks.contains(&site)) {
            let data = &mut state.memory.private_mut().data;
            data.clocks.push(site);
            data.clocks.sort_unstable();
        }
        let (to, words, value) = match clock {
            Clock::Time => (a, 1, NOW),
            Clock::Clock | Clock::Counter => (0, 0, NOW),
            Clock::GetTime => (b, 2, 0),
            Clock::TimeOfDay => (a, 2, 0),
            Clock::TimespecGet => (a, 2, b),
        };
        if to != 0 && words > 0 && state.progress.phase == 0 {
            self.store_plain(state, to, 8, NOW)?;
            state.progress = Progress { phase: 1, ..Progress::default() };
        }
        if to != 0 && words > 1 {
            self.store_plain(state, to + 8, 8, 0)?;
        }
        self.done(state, result, value)
    }
}
