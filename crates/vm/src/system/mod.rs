//! Functions that ask the system for something: numbers of processes and processors, time, signals, mappings.
//!
//! The answers are fixed, or a choice, or refused; `docs/library.md` has the list.
//!
//! | file | contents |
//! |---|---|
//! | `symbols` | the functions by name |
//! | `numbers` | `syscall`: from the number to the function |
//! | `mapping` | `mmap`, `munmap` |
//! | `signals` | masks and handlers |
//! | `clock` | time, which stands still |
//! | `cleanup` | `pthread_cleanup_push`, and `pthread_exit` under it |

mod cleanup;
mod clock;
mod mapping;
mod numbers;
mod signals;
mod symbols;

pub(crate) use cleanup::Jump;
pub use symbols::{Cancel, Clock, SystemCall};

use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::pthread::{BUSY, WORD};
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask, refuse};
use crate::sync::TIMED_OUT;
use base::{ReadOrder, ThreadId, Value};
use program::{HiddenWord, Request};

/// The process; its first thread has the same number.
const PID: Value = 2;
/// The size of a page.
pub(crate) const PAGE: u64 = 4096;
/// How many processors there are.
const PROCESSORS: Value = 2;

/// Up to six arguments, and the number of a system call before them.
pub(crate) type Arguments = [Value; 7];

impl Machine {
    /// Run the model of a function.
    pub(crate) fn system_call(
        &self,
        state: &mut ThreadState,
        call: SystemCall,
        arguments: Arguments,
        result: Option<Reg>,
    ) -> Flow {
        let [a, b, c, d, ..] = arguments;
        let value = match call {
            SystemCall::Syscall => return self.numbered_call(state, arguments, result),
            SystemCall::GetPid => PID,
            SystemCall::GetPpid => 1,
            SystemCall::GetTid => PID + Value::from(state.thread().0),
            SystemCall::SysConf => system_value(a)?,
            SystemCall::PageSize => PAGE,
            SystemCall::Processors => PROCESSORS,
            SystemCall::GetCpu => self.processor(state)?,
            SystemCall::GetCpuInto => return self.processor_into(state, a, b, result),
            SystemCall::GetAffinity => return self.affinity(state, b, c, result),
            // `SCHED_OTHER`, `SCHED_BATCH` and `SCHED_IDLE` have none.
            SystemCall::PriorityMin => Value::from(matches!(a, 1 | 2)),
            SystemCall::PriorityMax => {
                if matches!(a, 1 | 2) {
                    99
                } else {
                    0
                }
            }
            SystemCall::Poll if b == 0 => 0,
            SystemCall::Select if a as u32 == 0 => 0,
            SystemCall::Poll | SystemCall::Select => {
                return refuse("to wait for file descriptors is not modelled; without any, it is a sleep");
            }
            SystemCall::Map => return self.map(state, [b, c, d], result),
            SystemCall::Unmap => return self.unmap(state, a, b, result),
            SystemCall::Protect if c == mapping::READ_AND_WRITE => 0,
            SystemCall::Protect => {
                return refuse("`mprotect` to anything but reading and writing is not modelled");
            }
            SystemCall::SignalSet { full } => {
                self.set(state, a, if full { 0xff } else { 0 }, signals::SET)?;
                0
            }
            SystemCall::SignalMask => {
                self.forget_signals(state, c, signals::SET)?;
                0
            }
            SystemCall::Signal => {
                signals::check_handler(b)?;
                0
            }
            SystemCall::SignalAction => return self.signal_action(state, b, c, result),
            SystemCall::Cancel(which) => return self.set_cancel(state, which, a, b, result),
            SystemCall::TryJoin => return self.join_perhaps(state, [a, b], BUSY, result),
            SystemCall::TimedJoin => return self.join_perhaps(state, [a, b], TIMED_OUT, result),
            SystemCall::SetJump => {
                self.remember_jump(state, a, result);
                0
            }
            SystemCall::RegisterCleanup => {
                state.memory.private_mut().data.cleanups.push(a);
                0
            }
            SystemCall::UnregisterCleanup => {
                state.memory.private_mut().data.cleanups.retain(|&buffer| buffer != a);
                0
            }
            SystemCall::UnwindNext => {
                let value = self.data(state).map_or(0, |data| data.exit_value);
                return self.exit_thread(state, value);
            }
            SystemCall::Clock(clock) => return self.tell_time(state, clock, [a, b], result),
        };
        self.done(state, result, value)
    }

    /// The processor that the thread is on: any.
    fn processor(&self, state: &mut ThreadState) -> Flow<Value> {
        match state.progress.phase {
            0 => ask(state, Pending::Value, Request::Choose { values: PROCESSORS }),
            _ => Flow::Continue(state.progress.value),
        }
    }

    /// `getcpu(processor, node)`: there is one node.
    fn processor_into(
        &self,
        state: &mut ThreadState,
        processor: u64,
        node: u64,
        result: Option<Reg>,
    ) -> Flow {
        let number = self.processor(state)?;
        if state.progress.phase == 1 {
            if processor != 0 {
                self.store_plain(state, processor, WORD, number)?;
            }
            state.progress = Progress { phase: 2, ..Progress::default() };
        }
        if node != 0 {
            self.store_plain(state, node, WORD, 0)?;
        }
        self.done(state, result, 0)
    }

    /// `sched_getaffinity(process, size, mask)`: all processors.
    fn affinity(&self, state: &mut ThreadState, size: u64, mask: u64, result: Option<Reg>) -> Flow {
        if state.progress.phase == 0 {
            self.set(state, mask, 0, size)?;
            state.progress = Progress { phase: 1, ..Progress::default() };
        }
        self.store_plain(state, mask, 1, (1 << PROCESSORS) - 1)?;
        self.done(state, result, 0)
    }

    /// `pthread_setcancelstate(new, old)`, `pthread_setcanceltype`.
    fn set_cancel(
        &self,
        state: &mut ThreadState,
        which: Cancel,
        new: Value,
        old: u64,
        result: Option<Reg>,
    ) -> Flow {
        let before = self.data(state).map_or(0, |data| data.cancel[which as usize]);
        if old != 0 {
            self.store_plain(state, old, WORD, Value::from(before))?;
        }
        if before != new as u8 {
            state.memory.private_mut().data.cancel[which as usize] = new as u8;
        }
        self.done(state, result, 0)
    }

    /// `pthread_tryjoin_np(thread, value)` and the like: if the thread has ended, it is joined.
    fn join_perhaps(
        &self,
        state: &mut ThreadState,
        [thread, value]: [Value; 2],
        error: Value,
        result: Option<Reg>,
    ) -> Flow {
        match state.progress.phase {
            0 => {
                let at = HiddenWord::End(ThreadId((thread as u32).wrapping_sub(1))).access();
                ask(state, Pending::Value, Request::Read { at, order: ReadOrder::Acquire })
            }
            1 if state.progress.value == 0 => self.done(state, result, error),
            _ => self.join_thread(state, thread, value, result, 1),
        }
    }
}

/// `sysconf`.
fn system_value(name: Value) -> Flow<Value> {
    Flow::Continue(match name as u32 {
        2 => 100,              // _SC_CLK_TCK
        30 => PAGE,            // _SC_PAGESIZE
        83 | 84 => PROCESSORS, // _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN
        190 => 64,             // _SC_LEVEL1_DCACHE_LINESIZE
        number => return refuse(format!("`sysconf` of {number} is not modelled")),
    })
}
