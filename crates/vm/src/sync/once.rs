//! `pthread_once` and `call_once`: the first thread runs the function, the others wait until it is done.
//!
//! The control is a word: 0, then the thread that runs the function, then [`DONE`].

use super::first_word;
use crate::address::Code;
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::{Progress, RUN_AGAIN, ThreadState};
use crate::step::{Flow, MAX_DEPTH, refuse};
use base::Value;
use program::{AwaitOp, Patience, RmwOp};

/// The function has run.
const DONE: Value = 0x7fff_fff1;

impl Machine {
    /// `pthread_once(control, function)`. The instruction is run again when the function has returned.
    pub(super) fn once(
        &self,
        state: &mut ThreadState,
        control: u64,
        function: Value,
        result: Option<Reg>,
    ) -> Flow {
        let this = (control, state.depth);
        if self.data(state).is_some_and(|data| data.once.last() == Some(&this)) {
            self.release(state, first_word(control), RmwOp::Exchange(DONE))?;
            state.memory.private_mut().data.once.pop();
            return self.done(state, result, 0);
        }
        let running = Value::from(state.thread().0) + 1;
        let op = AwaitOp::Once { running, done: DONE };
        if self.pass(state, first_word(control), op, Patience::Waits)? != 0 {
            return self.done(state, result, 0);
        }
        state.memory.private_mut().data.once.push(this);
        self.call_and_run_again(state, function, None)
    }

    /// An exception leaves all functions that are called more than `depth` deep: what they should do once is not done.
    pub(crate) fn abandon_once(&self, state: &mut ThreadState, depth: u32) -> Flow {
        let last = |state: &ThreadState| self.data(state).and_then(|data| data.once.last().copied());
        while let Some((control, _)) = last(state).filter(|&(_, at)| at >= depth) {
            self.release(state, first_word(control), RmwOp::Exchange(0))?;
            state.progress = Progress::default();
            state.memory.private_mut().data.once.pop();
        }
        Flow::Continue(())
    }

    /// Call a function, with one argument or none, and run this instruction again when it returns.
    pub(super) fn call_and_run_again(
        &self,
        state: &mut ThreadState,
        function: Value,
        argument: Option<Value>,
    ) -> Flow {
        let Some(Code::Function(function)) = self.code_at(function) else {
            return refuse("a function without a body that the C library is to call is not modelled");
        };
        let callee = &self.module().functions[function as usize];
        if state.depth >= MAX_DEPTH {
            return refuse(format!("recursion deeper than {MAX_DEPTH} calls in `{}`", callee.name));
        }
        state.progress = Progress::default();
        state.pc |= RUN_AGAIN;
        state.enter(function, callee.registers);
        if let Some(argument) = argument.filter(|_| callee.parameters > 0) {
            state.registers[0] = argument;
        }
        Flow::Continue(())
    }
}
