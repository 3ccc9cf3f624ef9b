//! `syscall`: from the number to the function.
//!
//! Numbers are those of x86-64. A call that fails returns -1 and sets `errno`, as the C library has it.

use super::{Arguments, Clock, SystemCall};
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::ThreadState;
use crate::step::{Flow, refuse};

/// `SYS_futex`.
const FUTEX: u64 = 202;

/// Calls whose number has a name worth telling.
const NAMES: [(u64, &str); 34] = [
    (0, "read"),
    (1, "write"),
    (2, "open"),
    (3, "close"),
    (7, "poll"),
    (13, "rt_sigaction"),
    (14, "rt_sigprocmask"),
    (16, "ioctl"),
    (25, "mremap"),
    (34, "pause"),
    (56, "clone"),
    (57, "fork"),
    (59, "execve"),
    (60, "exit"),
    (62, "kill"),
    (157, "prctl"),
    (158, "arch_prctl"),
    (200, "tkill"),
    (218, "set_tid_address"),
    (231, "exit_group"),
    (232, "epoll_wait"),
    (234, "tgkill"),
    (257, "openat"),
    (271, "ppoll"),
    (273, "set_robust_list"),
    (274, "get_robust_list"),
    (290, "eventfd2"),
    (298, "perf_event_open"),
    (318, "getrandom"),
    (324, "membarrier"),
    (334, "rseq"),
    (425, "io_uring_setup"),
    (435, "clone3"),
    (449, "futex_waitv"),
];

impl Machine {
    /// `syscall(number, …)`.
    pub(super) fn numbered_call(
        &self,
        state: &mut ThreadState,
        arguments: Arguments,
        result: Option<Reg>,
    ) -> Flow {
        let [number, a, b, c, d, e, f] = arguments;
        let function = match number as u32 {
            39 => SystemCall::GetPid,
            110 => SystemCall::GetPpid,
            186 => SystemCall::GetTid,
            309 => SystemCall::GetCpuInto,
            9 => SystemCall::Map,
            11 => SystemCall::Unmap,
            228 => SystemCall::Clock(Clock::GetTime),
            // `sched_yield`, `madvise`, `nanosleep`, `clock_nanosleep`
            24 | 28 | 35 | 230 => return self.done(state, result, 0),
            _ if number == FUTEX => return self.futex(state, [a, b, c, d, e, f], result),
            _ => return refuse(format!("the system call {}", describe(number))),
        };
        self.system_call(state, function, [a, b, c, d, e, f, 0], result)
    }
}

fn describe(number: u64) -> String {
    match NAMES.iter().find(|known| known.0 == number) {
        // Its whole point is what other threads see without a fence of their own.
        Some((_, "membarrier")) => {
            "`membarrier` (324) is not modelled: put `atomic_thread_fence(memory_order_seq_cst)` into the \
             threads that it is to order"
                .to_owned()
        }
        Some((_, name)) => format!("`{name}` ({number}) is not modelled"),
        None => format!("{number} is not modelled"),
    }
}
