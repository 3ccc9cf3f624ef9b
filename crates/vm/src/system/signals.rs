//! Signals: none ever comes, so masks change nothing, and a handler is refused.

use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::{Progress, ThreadState};
use crate::step::{Flow, refuse};
use base::Value;

/// The size of a `sigset_t`.
pub(super) const SET: u64 = 128;
/// The size of a `struct sigaction`, which starts with its handler.
const ACTION: u64 = 152;

/// A handler must be `SIG_DFL` or `SIG_IGN`.
pub(super) fn check_handler(handler: Value) -> Flow {
    match handler {
        0 | 1 => Flow::Continue(()),
        _ => refuse("a signal handler is not modelled"),
    }
}

impl Machine {
    /// `sigaction(signal, new, old)`.
    pub(super) fn signal_action(
        &self,
        state: &mut ThreadState,
        new: u64,
        old: u64,
        result: Option<Reg>,
    ) -> Flow {
        if state.progress.phase == 0 {
            if new != 0 {
                // The address of a function has four bytes.
                let handler = self.load_word(state, new)?;
                check_handler(handler)?;
            }
            state.progress = Progress { phase: 1, ..Progress::default() };
        }
        self.forget_signals(state, old, ACTION)?;
        self.done(state, result, 0)
    }

    /// The state before: as it was when the program started.
    pub(super) fn forget_signals(&self, state: &mut ThreadState, old: u64, size: u64) -> Flow {
        if old == 0 { Flow::Continue(()) } else { self.set(state, old, 0, size) }
    }
}
