//! The functions that have a model: from the call to the model.

use crate::access::{Purpose, Reach};
use crate::address::OBJECT_ALIGN;
use crate::builtin::Builtin;
use crate::bytecode::{List, Reg};
use crate::contents::Contents;
use crate::machine::Machine;
use crate::pthread::BUSY;
use crate::reuse::ALLOCATED;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask, fault, refuse};
use base::Value;
use program::{Blocker, FaultKind, Request};

/// `posix_memalign` with an alignment that is not one.
const EINVAL: Value = 22;
/// `posix_memalign` that fails.
const ENOMEM: Value = 12;

impl Machine {
    /// Run the model of a function.
    pub(crate) fn builtin(
        &self,
        state: &mut ThreadState,
        builtin: Builtin,
        arguments: List,
        result: Option<Reg>,
    ) -> Flow {
        let argument = |state: &ThreadState, i: u16| {
            self.function(state).operand(arguments, i).map_or(0, |from| self.get(state, from))
        };
        self.check_inside(state, builtin)?;
        let (a, b, c) = (argument(state, 0), argument(state, 1), argument(state, 2));
        let value = match builtin {
            Builtin::Malloc => self.allocate(state, a, OBJECT_ALIGN, Contents::undefined)?,
            Builtin::Calloc => self.allocate_zeroed(state, a, b)?,
            Builtin::Realloc => self.reallocate(state, a, b)?,
            Builtin::AlignedAlloc if !a.is_power_of_two() => 0,
            Builtin::AlignedAlloc => self.allocate(state, b, a, Contents::undefined)?,
            Builtin::PosixMemalign => self.posix_memalign(state, a, b, c)?,
            Builtin::Free => {
                self.free(state, a)?;
                0
            }
            Builtin::MemCopy => {
                self.copy(state, a, b, c)?;
                a
            }
            Builtin::MemSet => {
                self.set(state, a, b as u8, c)?;
                a
            }
            Builtin::MemCompare => self.compare_bytes(state, a, b, Some(c))?,
            Builtin::StrCompare => self.compare_bytes(state, a, b, None)?,
            Builtin::StrLen => self.string_length(state, a)?,
            Builtin::AssertFail => {
                let expression = self.const_globals.text(a);
                let what = expression.map_or_else(String::new, |text| format!(" `{text}`"));
                return fault(FaultKind::Assertion, format!("assertion{what} failed"));
            }
            Builtin::Abort => return fault(FaultKind::Assertion, "the program aborts"),
            Builtin::VerifierError => return fault(FaultKind::Assertion, "an error location is reached"),
            Builtin::Exit => return self.exit(state),
            Builtin::ExitNow => return self.exit_now(state),
            Builtin::PthreadExit => return self.exit_thread(state, a),
            Builtin::PthreadCreate => {
                let function_argument = argument(state, 3);
                self.create_thread(state, a, c, function_argument)?;
                0
            }
            Builtin::PthreadJoin => return self.join_thread(state, a, b, result, 0),
            Builtin::PthreadSelf => Value::from(state.thread().0) + 1,
            Builtin::PthreadEqual => Value::from(a == b),
            Builtin::Nothing | Builtin::Output | Builtin::Hint => 0,
            Builtin::OutputError if a == 0 => 0,
            Builtin::OutputString | Builtin::OutputError => {
                self.read_string(state, a, None)?;
                0
            }
            Builtin::OutputBytes => {
                self.output_bytes(state, a, b.saturating_mul(c))?;
                0
            }
            Builtin::OutputFormat(format) => {
                self.output_format(state, u16::from(format), arguments)?;
                0
            }
            Builtin::OutputList(format) => {
                let format = argument(state, u16::from(format));
                self.output_list(state, format)?;
                0
            }
            Builtin::OutputToMemory => {
                return refuse("`sprintf` and its like, which write memory, are not modelled");
            }
            Builtin::MutexInit => {
                self.init_mutex_with(state, a, b)?;
                0
            }
            Builtin::MutexDestroy => {
                self.destroy_mutex(state, a)?;
                0
            }
            Builtin::Sync(call) => return self.sync_call(state, call, [a, b, c], result),
            Builtin::System(call) => {
                let arguments = std::array::from_fn(|i| argument(state, i as u16));
                return self.system_call(state, call, arguments, result);
            }
            Builtin::Unwind(call) => return self.unwind_call(state, call, [a, b, c], result),
            Builtin::MutexLock => return self.lock(state, a, result),
            Builtin::MutexTryLock => return self.try_lock(state, a, result, BUSY),
            Builtin::MutexUnlock => return self.unlock(state, a, result),
            Builtin::StackSave => state.memory.stack_mark(),
            Builtin::StackRestore => {
                self.end_locals_since(state, a)?;
                0
            }
            Builtin::Returned => self.returned_value(state, a, b as u8)?,
            Builtin::AtomicBegin => return self.begin_section(state, result),
            Builtin::AtomicEnd => return self.end_section(state, result),
            Builtin::AtomicEnter => return self.enter_section(state, result),
            Builtin::AtomicLeave => return self.leave_section(state, result),
            Builtin::ErrnoLocation => self.errno(state)?,
            Builtin::Assume if a == 0 => return Flow::Break(Request::Block(Blocker::Assume)),
            Builtin::Assume => 0,
            Builtin::NondetBool if state.progress.phase == 0 => {
                return ask(state, Pending::Value, Request::Choose { values: 2 });
            }
            Builtin::NondetBool => state.progress.value,
            Builtin::Sampled if state.progress.phase == 0 => {
                return ask(state, Pending::Value, Request::Choose { values: 0 });
            }
            Builtin::Sampled => 0,
            Builtin::Nondet => {
                return refuse(
                    "a nondeterministic value with too many possibilities to try: \
                     combine `__VERIFIER_nondet_bool` instead",
                );
            }
        };
        self.done(state, result, value)
    }

    /// In the first phase allocate, in the second store the address.
    fn posix_memalign(&self, state: &mut ThreadState, result: u64, align: u64, size: u64) -> Flow<Value> {
        if !align.is_power_of_two() || align < 8 {
            return Flow::Continue(EINVAL);
        }
        if state.progress.phase <= ALLOCATED {
            let address = self.allocate(state, size, align, Contents::undefined)?;
            state.progress = Progress { phase: ALLOCATED + 1, done: 0, value: address };
        }
        let address = state.progress.value;
        if address == 0 {
            return Flow::Continue(ENOMEM);
        }
        self.store_plain(state, result, 8, address)?;
        Flow::Continue(0)
    }

    /// Whether the address is private to the thread, and alive.
    pub(crate) fn is_own(&self, state: &ThreadState, address: u64) -> bool {
        matches!(self.reach(state, address, 1, Purpose::Read), Flow::Continue(Reach::Private(..)))
    }
}
