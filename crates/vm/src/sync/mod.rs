//! The C library's ways to wait beyond joins and plain mutexes: POSIX's and C11's.
//!
//! Each is lowered to primitives of the engine: a mutex word, a word that threads await (`program::AwaitOp`), the slots
//! of a barrier, sleeping on a condition variable. None of them explores an attempt that fails where the thread would
//! just wait.
//!
//! | file | contents |
//! |---|---|
//! | `symbols` | the functions by name |
//! | `kinds` | recursive and error-checking mutexes |
//! | `once` | `pthread_once`, `call_once` |
//! | `keys` | thread-specific values and their destructors |
//! | `condition` | condition variables |
//! | `words` | semaphores and read-write locks |
//! | `futex` | futexes |
//! | `barrier`, `serial` | barriers; whether a thread notices that it is the serial thread of one |

mod barrier;
mod condition;
mod futex;
mod keys;
mod kinds;
mod once;
mod serial;
mod symbols;
mod words;

pub(crate) use serial::Lookers;
pub use symbols::SyncCall;

use crate::Builtin;
use crate::access::{Purpose, Reach};
use crate::bytecode::{Constant, Module, Op, Operand, Reg};
use crate::machine::Machine;
use crate::pthread::{BUSY, WORD, taken, word};
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask, refuse};
use crate::system::SystemCall;
use base::{Access, ReadOrder, RmwOrder, Value};
use condition::{Limit, Wait};
use program::{AwaitOp, Passage, Patience, Request, RmwOp, Wakes};
use words::{Attempt, Side};

/// `ETIMEDOUT`.
pub(crate) const TIMED_OUT: Value = 110;
/// `EAGAIN`.
const AGAIN: Value = 11;
/// `thrd_busy`.
const C11_BUSY: Value = 1;
/// `thrd_timedout`.
const C11_TIMED_OUT: Value = 4;
/// -1, as an `int`.
const MINUS_ONE: Value = 0xffff_ffff;

/// Which of these a module uses; the others cost nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Usage {
    /// Mutexes may be of another kind than the usual one.
    pub(crate) kinds: bool,
    /// Keys are deleted.
    pub(crate) deleted_keys: bool,
    /// Threads wait on condition variables.
    pub(crate) conditions: bool,
    /// Threads look, without waiting, whether a mutex is taken.
    pub(crate) tries: bool,
    /// Threads look, without waiting, whether a thread has ended.
    pub(crate) tries_join: bool,
    /// Threads look at clocks.
    pub(crate) clocks: bool,
}

impl Usage {
    /// The ways to wait that the module uses.
    pub(crate) fn of(module: &Module) -> Usage {
        let mut usage = Usage::default();
        for function in &module.functions {
            for op in &function.code {
                let Op::Builtin { builtin, arguments, .. } = *op else { continue };
                let is_plain = || match function.operand(arguments, 1) {
                    Some(Operand::Const(index)) => {
                        matches!(function.constants[usize::from(index)], Constant::Value(0 | 2))
                    }
                    _ => false,
                };
                usage.add(builtin, is_plain());
            }
        }
        // Functions that are called through a pointer.
        let names = module.functions.iter().flat_map(|function| {
            function.constants.iter().filter_map(|constant| match constant {
                Constant::External(text) => Some(&function.texts[usize::from(*text)]),
                _ => None,
            })
        });
        names.filter_map(|name| Builtin::from_symbol(name)).for_each(|builtin| usage.add(builtin, false));
        usage
    }

    fn add(&mut self, builtin: Builtin, is_plain: bool) {
        match builtin {
            Builtin::MutexTryLock => self.tries = true,
            Builtin::System(SystemCall::Clock(_)) => self.clocks = true,
            Builtin::System(SystemCall::TryJoin | SystemCall::TimedJoin) => self.tries_join = true,
            Builtin::Sync(SyncCall::MutexAttributeType) => self.kinds = true,
            Builtin::Sync(SyncCall::MtxInit) => self.kinds |= !is_plain,
            Builtin::Sync(SyncCall::KeyDelete) => self.deleted_keys = true,
            Builtin::Sync(
                SyncCall::MtxTryLock
                | SyncCall::MutexTimedLock
                | SyncCall::MtxTimedLock
                | SyncCall::SpinTryLock,
            ) => self.tries = true,
            Builtin::Sync(SyncCall::CondWait | SyncCall::CondTimedWait | SyncCall::CndTimedWait) => {
                self.conditions = true;
            }
            _ => {}
        }
    }
}

impl Machine {
    /// Run the model of a function.
    pub(crate) fn sync_call(
        &self,
        state: &mut ThreadState,
        call: SyncCall,
        [a, b, c]: [Value; 3],
        result: Option<Reg>,
    ) -> Flow {
        let wait = |limit| Wait { condition: a, mutex: b, limit };
        match call {
            SyncCall::ThreadCreate => {
                self.create_thread(state, a, b, c)?;
                self.done(state, result, 0)
            }
            SyncCall::ThreadJoin => self.join_c11(state, a, b, result),
            SyncCall::MutexAttributeInit => self.store_word(state, a, 0, result),
            SyncCall::MutexAttributeType => self.set_mutex_kind(state, a, b, result),
            SyncCall::MtxInit => {
                self.init_mutex_of_kind(state, a, b & 1)?;
                self.done(state, result, 0)
            }
            SyncCall::MtxTryLock => self.try_lock(state, a, result, C11_BUSY),
            // A timed lock gets the mutex some time, or else it has found it taken.
            SyncCall::MutexTimedLock => self.try_lock(state, a, result, TIMED_OUT),
            SyncCall::MtxTimedLock => self.try_lock(state, a, result, C11_TIMED_OUT),
            SyncCall::SpinInit => self.store_word(state, a, 0, result),
            SyncCall::SpinLock => self.lock_plain(state, a, result),
            SyncCall::SpinTryLock => {
                let free = self.take(state, a, 0)?;
                self.done(state, result, if free { 0 } else { BUSY })
            }
            SyncCall::SpinUnlock => self.unlock_plain(state, a, result),
            SyncCall::Once => self.once(state, a, b, result),
            SyncCall::KeyCreate => self.create_key(state, a, b, result),
            SyncCall::KeyDelete => self.delete_key(state, a, result),
            SyncCall::GetSpecific => {
                let value = self.data(state).map_or(0, |data| data.key(a as u32));
                self.done(state, result, value)
            }
            SyncCall::SetSpecific => {
                state.memory.private_mut().data.set_key(a as u32, b);
                self.done(state, result, 0)
            }
            SyncCall::CondInit => self.init_condition(state, a, result),
            SyncCall::CondDestroy => self.destroy_word(state, a, result),
            SyncCall::CondWait => self.wait(state, wait(Limit::None), result),
            SyncCall::CondTimedWait => self.wait(state, wait(Limit::Time(TIMED_OUT)), result),
            SyncCall::CndTimedWait => self.wait(state, wait(Limit::Time(C11_TIMED_OUT)), result),
            SyncCall::CondSignal => self.notify(state, a, Wakes::One, result),
            SyncCall::CondBroadcast => self.notify(state, a, Wakes::All, result),
            SyncCall::SemInit => self.store_word(state, a, c, result),
            SyncCall::SemWait => self.semaphore_wait(state, a, None, result),
            SyncCall::SemTryWait => self.semaphore_wait(state, a, Some(AGAIN), result),
            SyncCall::SemTimedWait => self.semaphore_wait(state, a, Some(TIMED_OUT), result),
            SyncCall::SemPost => self.semaphore_post(state, a, result),
            SyncCall::SemGetValue => self.semaphore_value(state, a, b, result),
            SyncCall::SemDestroy => self.destroy_word(state, a, result),
            SyncCall::RwInit => self.store_word(state, a, 0, result),
            SyncCall::RwDestroy => self.destroy_word(state, a, result),
            SyncCall::RwReadLock => self.lock_shared(state, a, Side::Reader, Attempt::Waits, result),
            SyncCall::RwWriteLock => self.lock_shared(state, a, Side::Writer, Attempt::Waits, result),
            SyncCall::RwTryReadLock => self.lock_shared(state, a, Side::Reader, Attempt::Fails(BUSY), result),
            SyncCall::RwTryWriteLock => {
                self.lock_shared(state, a, Side::Writer, Attempt::Fails(BUSY), result)
            }
            SyncCall::RwTimedReadLock => {
                self.lock_shared(state, a, Side::Reader, Attempt::Fails(TIMED_OUT), result)
            }
            SyncCall::RwTimedWriteLock => {
                self.lock_shared(state, a, Side::Writer, Attempt::Fails(TIMED_OUT), result)
            }
            SyncCall::RwUnlock => self.unlock_shared(state, a, result),
            SyncCall::BarrierInit => self.init_barrier(state, a, c, result),
            SyncCall::BarrierWait => self.wait_at_barrier(state, a, result),
            SyncCall::BarrierDestroy => self.destroy_word(state, a, result),
        }
    }

    /// `thrd_join(thread, value)`: the value is an `int`.
    fn join_c11(&self, state: &mut ThreadState, thread: Value, value: u64, result: Option<Reg>) -> Flow {
        if state.progress.phase == 0 {
            return self.join_thread(state, thread, value, result, 0);
        }
        let returned = taken(state.progress.value)?;
        self.store_plain(state, value, 4, returned)?;
        self.done(state, result, 0)
    }

    /// Initialise a word, plainly.
    fn store_word(&self, state: &mut ThreadState, address: u64, value: Value, result: Option<Reg>) -> Flow {
        self.store_plain(state, address, WORD, value)?;
        self.done(state, result, 0)
    }

    /// Write, plainly, a word that must not be used any more: a thread that still uses it races with that.
    fn destroy_word(&self, state: &mut ThreadState, address: u64, result: Option<Reg>) -> Flow {
        self.store_word(state, address, program::MUTEX_DESTROYED, result)
    }

    /// A plain load of a word, as a part of an instruction: it starts with a `progress.done` of 0, and leaves it so.
    pub(crate) fn load_word(&self, state: &mut ThreadState, address: u64) -> Flow<Value> {
        let reach = self.reach(state, address, u64::from(WORD), Purpose::Read)?;
        if reach != Reach::Shared {
            return self.read_own(state, reach, address, WORD);
        }
        let done = state.progress.done as u8;
        if done == WORD {
            let value = state.progress.value;
            state.progress = Progress { done: 0, value: 0, ..state.progress };
            return Flow::Continue(value);
        }
        let address = address + u64::from(done);
        let at = Access { address, size: self.layout.piece(address, WORD - done) };
        ask(state, Pending::LoadPart(at.size), Request::Read { at, order: ReadOrder::NotAtomic })
    }

    /// Pass a word, in phase 0; in phase 1 the value that was read is there.
    fn pass(&self, state: &mut ThreadState, at: Access, op: AwaitOp, patience: Patience) -> Flow<Value> {
        if state.progress.phase > 0 {
            let value = state.progress.value;
            if patience == Patience::GivesUp {
                state.visits.rmw_answered(op.apply(value) != Passage::Shut);
            }
            return Flow::Continue(value);
        }
        let reach = self.reach(state, at.address, u64::from(at.size), Purpose::Write)?;
        if reach == Reach::Shared {
            return ask(state, Pending::Value, Request::Await { at, op, patience });
        }
        let old = self.read_own(state, reach, at.address, at.size)?;
        match (op.apply(old), patience) {
            (Passage::Changes(new), _) => self.write_own(state, reach, at.size, new),
            (Passage::Open, _) | (Passage::Shut, Patience::GivesUp) => {}
            // No other thread can open it. Once it is published, the engine reports this deadlock like any other.
            (Passage::Shut, Patience::Waits) => {
                self.escape(state, at.address)?;
                return refuse("a word that cannot be published is awaited");
            }
        }
        Flow::Continue(old)
    }

    /// Change a word that other threads may await, as a release, in phase 0; then the value that it held is there.
    fn release(&self, state: &mut ThreadState, at: Access, op: RmwOp) -> Flow<Value> {
        if state.progress.phase > 0 {
            return Flow::Continue(state.progress.value);
        }
        match self.rmw_private(state, at.address, at.size, op)? {
            Some(old) => Flow::Continue(old),
            None => {
                self.ask_rmw(state, Pending::Value, at, op, RmwOrder::Release, ReadOrder::Relaxed)?;
                unreachable!("a request ends the instruction for now")
            }
        }
    }

    /// -1, and `errno`.
    fn fail(&self, state: &mut ThreadState, error: Value, result: Option<Reg>) -> Flow {
        self.set_errno(state, error)?;
        self.done(state, result, MINUS_ONE)
    }

    /// The same for a function that returns a `long` or a pointer.
    pub(crate) fn fail_long(&self, state: &mut ThreadState, error: Value, result: Option<Reg>) -> Flow {
        self.set_errno(state, error)?;
        self.done(state, result, Value::MAX)
    }

    fn set_errno(&self, state: &mut ThreadState, error: Value) -> Flow {
        let errno = self.errno(state)?;
        self.store_plain(state, errno, WORD, error)
    }
}

/// The word that an object starts with.
fn first_word(address: u64) -> Access {
    word(address)
}
