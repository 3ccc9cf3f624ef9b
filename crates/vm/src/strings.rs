//! `memcmp`, `strcmp`, `strlen` and strings that are only read: byte by byte, so that nothing behind the decisive
//! byte is accessed.

use crate::access::{Purpose, Reach};
use crate::machine::Machine;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask};
use base::{Access, ReadOrder, Value};
use program::Request;

impl Machine {
    /// `memcmp` with a length, `strcmp` without.
    pub(crate) fn compare_bytes(
        &self,
        state: &mut ThreadState,
        a: u64,
        b: u64,
        len: Option<u64>,
    ) -> Flow<Value> {
        loop {
            let Progress { phase, done, value } = state.progress;
            let offset = u64::from(done);
            match phase {
                0 if len == Some(offset) => return Flow::Continue(0),
                0 => self.byte(state, a.wrapping_add(offset))?,
                1 => self.byte(state, b.wrapping_add(offset))?,
                _ => {
                    let (x, y) = (value >> 8, value & 0xff);
                    if x != y {
                        return Flow::Continue(if x < y { 0xffff_ffff } else { 1 });
                    }
                    if len.is_none() && x == 0 {
                        return Flow::Continue(0);
                    }
                    state.progress = Progress { phase: 0, done: done + 1, value: 0 };
                }
            }
        }
    }

    /// `strlen`.
    pub(crate) fn string_length(&self, state: &mut ThreadState, address: u64) -> Flow<Value> {
        loop {
            let Progress { phase, done, value } = state.progress;
            match phase {
                0 => self.byte(state, address.wrapping_add(u64::from(done)))?,
                _ if value == 0 => return Flow::Continue(u64::from(done)),
                _ => state.progress = Progress { phase: 0, done: done + 1, value: 0 },
            }
        }
    }

    /// Read a string up to its end or for `limit` bytes. The instruction's value is kept.
    pub(crate) fn read_string(&self, state: &mut ThreadState, address: u64, limit: Option<u64>) -> Flow {
        loop {
            let Progress { phase, done, value } = state.progress;
            if phase == 0 {
                if limit == Some(u64::from(done)) {
                    return Flow::Continue(());
                }
                self.byte(state, address.wrapping_add(u64::from(done)))?;
                continue;
            }
            state.progress = Progress { phase: 0, done: done + 1, value: value >> 8 };
            if value & 0xff == 0 {
                return Flow::Continue(());
            }
        }
    }

    /// Append a byte of memory to the instruction's value, and go to its next phase.
    pub(crate) fn byte(&self, state: &mut ThreadState, address: u64) -> Flow {
        let reach = self.reach(state, address, 1, Purpose::Read)?;
        if reach == Reach::Shared {
            let at = Access { address, size: 1 };
            return ask(state, Pending::Byte, Request::Read { at, order: ReadOrder::NotAtomic });
        }
        let byte = self.read_own(state, reach, address, 1)?;
        let progress = &mut state.progress;
        progress.value = progress.value << 8 | byte;
        progress.phase += 1;
        Flow::Continue(())
    }
}
