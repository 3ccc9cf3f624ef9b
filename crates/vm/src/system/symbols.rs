//! The functions by name.

use serde::{Deserialize, Serialize};

/// A function that asks the system for something, and has a model here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the function that it is called after")]
pub enum SystemCall {
    Syscall,
    GetPid,
    GetPpid,
    GetTid,
    SysConf,
    PageSize,
    Processors,
    GetCpu,
    GetCpuInto,
    GetAffinity,
    PriorityMin,
    PriorityMax,
    Poll,
    Select,
    Map,
    Unmap,
    Protect,
    SignalSet { full: bool },
    SignalMask,
    Signal,
    SignalAction,
    Cancel(Cancel),
    TryJoin,
    TimedJoin,
    SetJump,
    RegisterCleanup,
    UnregisterCleanup,
    UnwindNext,
    Clock(Clock),
}

/// Whether and how a thread may be cancelled, which none ever is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "`pthread_setcancelstate` and `pthread_setcanceltype`")]
pub enum Cancel {
    State,
    Type,
}

/// A function that tells the time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the function that it is called after")]
pub enum Clock {
    Time,
    Clock,
    GetTime,
    TimeOfDay,
    TimespecGet,
    /// The processor's counter.
    Counter,
}

impl SystemCall {
    /// The function with this name; `None` if it is not one of these.
    pub(crate) fn from_symbol(name: &str) -> Option<SystemCall> {
        Some(match name {
            "syscall" => SystemCall::Syscall,
            "getpid" => SystemCall::GetPid,
            "getppid" => SystemCall::GetPpid,
            "gettid" => SystemCall::GetTid,
            "sysconf" => SystemCall::SysConf,
            "getpagesize" => SystemCall::PageSize,
            "get_nprocs" | "get_nprocs_conf" => SystemCall::Processors,
            "sched_getcpu" => SystemCall::GetCpu,
            "getcpu" => SystemCall::GetCpuInto,
            "sched_getaffinity" | "pthread_getaffinity_np" => SystemCall::GetAffinity,
            "sched_get_priority_min" => SystemCall::PriorityMin,
            "sched_get_priority_max" => SystemCall::PriorityMax,
            "poll" | "ppoll" | "__poll_chk" => SystemCall::Poll,
            "select" | "pselect" => SystemCall::Select,
            "mmap" | "mmap64" => SystemCall::Map,
            "munmap" => SystemCall::Unmap,
            "mprotect" => SystemCall::Protect,
            "sigemptyset" => SystemCall::SignalSet { full: false },
            "sigfillset" => SystemCall::SignalSet { full: true },
            "pthread_sigmask" | "sigprocmask" => SystemCall::SignalMask,
            "signal" => SystemCall::Signal,
            "sigaction" => SystemCall::SignalAction,
            _ => return thread(name).or_else(|| clock(name)),
        })
    }

    /// Whether it looks, without waiting, at something that changes: a futex, the end of a thread, the time.
    pub(crate) fn tries(self) -> bool {
        matches!(
            self,
            SystemCall::Syscall | SystemCall::TryJoin | SystemCall::TimedJoin | SystemCall::Clock(_)
        )
    }

    /// Whether a thread may find out by it which one it is.
    pub(crate) fn tells_threads_apart(self) -> bool {
        match self {
            // Futexes, too: their queues have a place for each thread.
            SystemCall::Syscall | SystemCall::GetTid => true,
            SystemCall::TryJoin
            | SystemCall::TimedJoin
            | SystemCall::SetJump
            | SystemCall::RegisterCleanup
            | SystemCall::UnregisterCleanup
            | SystemCall::UnwindNext => true,
            SystemCall::GetPid
            | SystemCall::GetPpid
            | SystemCall::SysConf
            | SystemCall::PageSize
            | SystemCall::Processors
            | SystemCall::GetCpu
            | SystemCall::GetCpuInto
            | SystemCall::GetAffinity
            | SystemCall::PriorityMin
            | SystemCall::PriorityMax
            | SystemCall::Poll
            | SystemCall::Select
            | SystemCall::Map
            | SystemCall::Unmap
            | SystemCall::Protect
            | SystemCall::SignalSet { .. }
            | SystemCall::SignalMask
            | SystemCall::Signal
            | SystemCall::SignalAction
            | SystemCall::Cancel(_)
            | SystemCall::Clock(_) => false,
        }
    }
}

fn thread(name: &str) -> Option<SystemCall> {
    Some(match name {
        "pthread_setcancelstate" => SystemCall::Cancel(Cancel::State),
        "pthread_setcanceltype" => SystemCall::Cancel(Cancel::Type),
        "pthread_tryjoin_np" => SystemCall::TryJoin,
        "pthread_timedjoin_np" | "pthread_clockjoin_np" => SystemCall::TimedJoin,
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" => SystemCall::SetJump,
        "__pthread_register_cancel" => SystemCall::RegisterCleanup,
        "__pthread_unregister_cancel" => SystemCall::UnregisterCleanup,
        "__pthread_unwind_next" => SystemCall::UnwindNext,
        _ => return None,
    })
}

fn clock(name: &str) -> Option<SystemCall> {
    let clock = match name {
        "time" => Clock::Time,
        "clock" => Clock::Clock,
        "clock_gettime" => Clock::GetTime,
        "gettimeofday" => Clock::TimeOfDay,
        "timespec_get" => Clock::TimespecGet,
        _ => return None,
    };
    Some(SystemCall::Clock(clock))
}
