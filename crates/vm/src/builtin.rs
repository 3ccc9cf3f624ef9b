//! The C library and pthread functions that have a model.

use crate::sync::SyncCall;
use crate::system::SystemCall;
use crate::unwind::UnwindCall;
use serde::{Deserialize, Serialize};

/// A function with a model. See [`Builtin::from_symbol`] for the symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Builtin {
    /// `void *malloc(size_t)`
    Malloc,
    /// `void *calloc(size_t, size_t)`
    Calloc,
    /// `void *realloc(void *, size_t)`
    Realloc,
    /// `void *aligned_alloc(size_t, size_t)`
    AlignedAlloc,
    /// `int posix_memalign(void **, size_t, size_t)`
    PosixMemalign,
    /// `void free(void *)`
    Free,
    /// `memcpy`, `memmove` (also the intrinsics): destination, source, length
    MemCopy,
    /// `memset`: destination, byte, length
    MemSet,
    /// `memcmp`
    MemCompare,
    /// `strlen`
    StrLen,
    /// `strcmp`
    StrCompare,
    /// `__assert_fail(const char *expression, const char *file, unsigned line, const char *function)`
    AssertFail,
    /// `abort`, `llvm.trap`
    Abort,
    /// `exit`: the destructors of the program run, and it ends
    Exit,
    /// `_exit`, `_Exit`, `quick_exit`: the program ends
    ExitNow,
    /// `pthread_exit`
    PthreadExit,
    /// `pthread_create(pthread_t *, attr, function, argument)`
    PthreadCreate,
    /// `pthread_join(pthread_t, void **)`
    PthreadJoin,
    /// `pthread_self`
    PthreadSelf,
    /// `pthread_equal`
    PthreadEqual,
    /// `pthread_detach` and other calls that change nothing: the answer is 0
    Nothing,
    /// `pthread_mutex_init`
    MutexInit,
    /// `pthread_mutex_destroy`
    MutexDestroy,
    /// `pthread_mutex_lock`
    MutexLock,
    /// `pthread_mutex_trylock`
    MutexTryLock,
    /// `pthread_mutex_unlock`
    MutexUnlock,
    /// Any other way to wait
    Sync(SyncCall),
    /// `putchar`, `fflush` and other output that reads no memory: the arguments are ignored. The results of this and
    /// the next ones have no model
    Output,
    /// `puts`, `fputs`: a string is read
    OutputString,
    /// `perror`: a string is read, if there is one
    OutputError,
    /// `fwrite`: address, size and number of the objects that are read
    OutputBytes,
    /// `printf` and its like: a format, which is this argument, and strings among the arguments after it are read
    OutputFormat(u8),
    /// `vprintf` and its like: a format, which is this argument, is read; it must not ask for more
    OutputList(u8),
    /// `sprintf`, `snprintf` and the like: they write memory, which has no model: refused
    OutputToMemory,
    /// `__errno_location`
    ErrnoLocation,
    /// `__VERIFIER_assume`
    Assume,
    /// `__VERIFIER_error`, `reach_error`
    VerifierError,
    /// `__VERIFIER_nondet_bool`
    NondetBool,
    /// Any other `__VERIFIER_nondet_*`: more values than can be enumerated, refused
    Nondet,
    /// `__VERIFIER_atomic_begin`
    AtomicBegin,
    /// `__VERIFIER_atomic_end`
    AtomicEnd,
    /// A function begins that is an atomic section.
    AtomicEnter,
    /// Such a function returns.
    AtomicLeave,
    /// `__VERIFIER_spin_start`, `__VERIFIER_spin_end`, `sched_yield`, `pause`: hints
    Hint,
    /// `llvm.stacksave`: where the next local variable of the thread would be
    StackSave,
    /// `llvm.stackrestore`: the local variables made since then end
    StackRestore,
    /// Reads the result of a function from the variable that holds it (address, size), if anything was written there.
    /// If not, that is a fault only if the caller wants the result
    Returned,
    /// What follows is one case of very many: only this one is tried
    Sampled,
    /// A function that asks the system for something
    System(SystemCall),
    /// A step on the way of an exception
    Unwind(UnwindCall),
}

impl Builtin {
    /// The model of an external function, by its symbol; `None` if it has none.
    pub fn from_symbol(name: &str) -> Option<Builtin> {
        Some(match name {
            "malloc" => Builtin::Malloc,
            "calloc" => Builtin::Calloc,
            "realloc" => Builtin::Realloc,
            "aligned_alloc" | "memalign" => Builtin::AlignedAlloc,
            "posix_memalign" => Builtin::PosixMemalign,
            "free" => Builtin::Free,
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => Builtin::MemCopy,
            "memset" | "__memset_chk" => Builtin::MemSet,
            "memcmp" | "bcmp" => Builtin::MemCompare,
            "strlen" => Builtin::StrLen,
            "strcmp" => Builtin::StrCompare,
            "__assert_fail" => Builtin::AssertFail,
            "abort" => Builtin::Abort,
            "exit" => Builtin::Exit,
            "_exit" | "_Exit" | "quick_exit" => Builtin::ExitNow,
            "__errno_location" => Builtin::ErrnoLocation,
            "sched_yield" | "usleep" | "nanosleep" | "clock_nanosleep" | "sleep" => Builtin::Hint,
            // They change nothing that is modelled.
            "sched_setscheduler" | "sched_getscheduler" | "sched_setparam" | "sched_setaffinity"
            | "madvise" | "posix_madvise" | "mlock" | "munlock" | "sigaddset" | "sigdelset" => {
                Builtin::Nothing
            }
            _ => {
                let system = || SystemCall::from_symbol(name).map(Builtin::System);
                return pthread(name).or_else(|| output(name)).or_else(|| verifier(name)).or_else(system);
            }
        })
    }

    /// Whether it looks, without waiting, at a lock that other threads may hold, or at anything else of theirs.
    pub(crate) fn tries(self) -> bool {
        match self {
            Builtin::MutexTryLock => true,
            Builtin::Sync(call) => call.tries(),
            Builtin::System(call) => call.tries(),
            _ => false,
        }
    }

    /// Whether it writes to a stream. How much it could write has no model.
    pub fn is_output(self) -> bool {
        matches!(
            self,
            Builtin::Output
                | Builtin::OutputString
                | Builtin::OutputError
                | Builtin::OutputBytes
                | Builtin::OutputFormat(_)
                | Builtin::OutputList(_)
        )
    }
}

fn pthread(name: &str) -> Option<Builtin> {
    Some(match name {
        "thrd_exit" => Builtin::PthreadExit,
        "thrd_current" => Builtin::PthreadSelf,
        "thrd_equal" => Builtin::PthreadEqual,
        "thrd_yield" | "thrd_sleep" => Builtin::Hint,
        "mtx_lock" => Builtin::MutexLock,
        "mtx_unlock" => Builtin::MutexUnlock,
        "mtx_destroy" | "pthread_spin_destroy" => Builtin::MutexDestroy,
        "pthread_create" => Builtin::PthreadCreate,
        "pthread_join" => Builtin::PthreadJoin,
        "pthread_exit" => Builtin::PthreadExit,
        "pthread_self" => Builtin::PthreadSelf,
        "pthread_equal" => Builtin::PthreadEqual,
        "pthread_yield" => Builtin::Hint,
        "pthread_mutex_init" => Builtin::MutexInit,
        "pthread_mutex_destroy" => Builtin::MutexDestroy,
        "pthread_mutex_lock" => Builtin::MutexLock,
        "pthread_mutex_trylock" => Builtin::MutexTryLock,
        "pthread_mutex_unlock" => Builtin::MutexUnlock,
        // Attributes that change nothing that is modelled. A getter is not among them: it writes memory.
        "pthread_detach"
        | "thrd_detach"
        | "pthread_condattr_init"
        | "pthread_condattr_destroy"
        | "pthread_condattr_setclock"
        | "pthread_condattr_setpshared"
        | "pthread_rwlockattr_init"
        | "pthread_rwlockattr_destroy"
        | "pthread_rwlockattr_setpshared"
        | "pthread_barrierattr_init"
        | "pthread_barrierattr_destroy"
        | "pthread_barrierattr_setpshared"
        | "pthread_attr_init"
        | "pthread_attr_destroy"
        | "pthread_attr_setdetachstate"
        | "pthread_attr_setguardsize"
        | "pthread_attr_setinheritsched"
        | "pthread_attr_setschedparam"
        | "pthread_attr_setschedpolicy"
        | "pthread_attr_setscope"
        | "pthread_attr_setstacksize"
        | "pthread_mutexattr_destroy"
        | "pthread_mutexattr_setpshared"
        | "pthread_mutexattr_setprotocol"
        | "pthread_mutexattr_setprioceiling"
        // A thread that ends with such a mutex is a deadlock for those that wait for it.
        | "pthread_mutexattr_setrobust"
        | "pthread_atfork"
        | "pthread_setaffinity_np"
        | "pthread_setconcurrency"
        | "pthread_setname_np"
        | "pthread_setschedparam"
        | "pthread_setschedprio"
        | "pthread_attr_setaffinity_np"
        | "pthread_attr_setstack"
        | "pthread_rwlockattr_setkind_np"
        | "pthread_testcancel" => Builtin::Nothing,
        _ => return SyncCall::from_symbol(name).map(Builtin::Sync),
    })
}

fn output(name: &str) -> Option<Builtin> {
    Some(match name {
        "putchar" | "putc" | "fputc" | "fflush" => Builtin::Output,
        "puts" | "fputs" => Builtin::OutputString,
        "perror" => Builtin::OutputError,
        "fwrite" => Builtin::OutputBytes,
        "printf" => Builtin::OutputFormat(0),
        "fprintf" | "dprintf" | "__printf_chk" => Builtin::OutputFormat(1),
        "__fprintf_chk" => Builtin::OutputFormat(2),
        "vprintf" => Builtin::OutputList(0),
        "vfprintf" | "vdprintf" => Builtin::OutputList(1),
        "sprintf" | "snprintf" | "vsprintf" | "vsnprintf" | "__sprintf_chk" | "__snprintf_chk"
        | "asprintf" | "vasprintf" => Builtin::OutputToMemory,
        _ => return None,
    })
}

fn verifier(name: &str) -> Option<Builtin> {
    Some(match name {
        "reach_error" => Builtin::VerifierError,
        "__threadbare_atomic_enter" => Builtin::AtomicEnter,
        "__threadbare_atomic_leave" => Builtin::AtomicLeave,
        "__threadbare_sampled" => Builtin::Sampled,
        "__threadbare_landing" => Builtin::Unwind(UnwindCall::Clauses),
        "__threadbare_land" => Builtin::Unwind(UnwindCall::Land),
        "__threadbare_place" => Builtin::Unwind(UnwindCall::Place),
        "__threadbare_throws" => Builtin::Unwind(UnwindCall::Throws),
        "__threadbare_uncaught" => Builtin::Unwind(UnwindCall::Uncaught),
        _ => match name.strip_prefix("__VERIFIER_")? {
            "assume" => Builtin::Assume,
            "error" => Builtin::VerifierError,
            "nondet_bool" | "nondet__Bool" => Builtin::NondetBool,
            "atomic_begin" => Builtin::AtomicBegin,
            "atomic_end" => Builtin::AtomicEnd,
            "loop_begin" | "loop_bound" | "spin_start" | "spin_end" => Builtin::Hint,
            other if other.starts_with("nondet_") => Builtin::Nondet,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_have_their_models_and_others_have_none() {
        for (name, builtin) in [
            ("memmove", Builtin::MemCopy),
            ("bcmp", Builtin::MemCompare),
            ("pthread_mutex_trylock", Builtin::MutexTryLock),
            ("pthread_mutexattr_settype", Builtin::Sync(SyncCall::MutexAttributeType)),
            ("cnd_wait", Builtin::Sync(SyncCall::CondWait)),
            ("mtx_lock", Builtin::MutexLock),
            ("snprintf", Builtin::OutputToMemory),
            ("fflush", Builtin::Output),
            ("fputs", Builtin::OutputString),
            ("fprintf", Builtin::OutputFormat(1)),
            ("vprintf", Builtin::OutputList(0)),
            ("_exit", Builtin::ExitNow),
            ("__VERIFIER_nondet_bool", Builtin::NondetBool),
            ("__VERIFIER_nondet_uint", Builtin::Nondet),
            ("__VERIFIER_error", Builtin::VerifierError),
            ("syscall", Builtin::System(SystemCall::Syscall)),
            ("clock_nanosleep", Builtin::Hint),
        ] {
            assert_eq!(Builtin::from_symbol(name), Some(builtin), "{name}");
        }
        for name in ["pthread_attr_getstacksize", "sem_open", "__VERIFIER_thread", "fork", ""] {
            assert_eq!(Builtin::from_symbol(name), None, "{name}");
        }
    }
}
