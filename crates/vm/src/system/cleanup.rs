//! `pthread_cleanup_push`, and `pthread_exit` under it.
//!
//! The C library's macro saves the place with `__sigsetjmp` and registers it. `pthread_exit` goes back to the place that
//! was registered last, where `__sigsetjmp` returns once more, with 1; the macro then calls the handler and goes on with
//! `__pthread_unwind_next`. Registers are as they were when the place was saved: variables that have changed since, and
//! that are not in memory, are indeterminate by then, as C has it.
//!
//! Not modelled: `longjmp`, which is refused, so that every other `setjmp` returns once. Local variables of functions
//! that are left on the way, and that other threads can reach, live on.

use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::{Progress, ThreadState};
use crate::step::{Flow, refuse};
use base::Value;

/// A place that a thread can go back to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Jump {
    buffer: u64,
    function: u32,
    depth: u32,
    pc: u32,
    result: Option<Reg>,
    registers: Vec<u64>,
}

impl Machine {
    /// `__sigsetjmp(buffer, …)`.
    pub(super) fn remember_jump(&self, state: &mut ThreadState, buffer: u64, result: Option<Reg>) {
        let count = usize::from(self.function(state).registers);
        let (function, depth, pc) = (state.function, state.depth, state.pc);
        let registers = state.registers[..count].to_vec();
        let jump = Jump { buffer, function, depth, pc, result, registers };
        let jumps = &mut state.memory.private_mut().data.jumps;
        jumps.retain(|known| known.depth <= depth && known.buffer != buffer);
        jumps.push(jump);
    }

    /// The thread exits with this value: go back to the handler that was registered last. Returns whether there is one.
    pub(crate) fn go_to_cleanup(&self, state: &mut ThreadState, value: Value) -> Flow<bool> {
        if self.data(state).is_none_or(|data| data.cleanups.is_empty()) {
            return Flow::Continue(false);
        }
        let depth = state.depth;
        let data = &mut state.memory.private_mut().data;
        data.exit_value = value;
        let buffer = data.cleanups.pop().expect("there is one");
        let Some(at) = data.jumps.iter().position(|jump| jump.buffer == buffer && jump.depth <= depth) else {
            return refuse("a cleanup handler of a function that has returned is not modelled");
        };
        let jump = data.jumps.remove(at);
        while state.depth > jump.depth {
            state.leave();
        }
        debug_assert_eq!(
            (state.function, state.depth),
            (jump.function, jump.depth),
            "the place is still there"
        );
        for (register, value) in jump.registers.into_iter().enumerate() {
            state.registers[register] = value;
        }
        state.pc = jump.pc;
        state.progress = Progress::default();
        state.finish(jump.result, 1);
        Flow::Continue(true)
    }
}
