//! The end of the program: `exit` and its like, and the destructors.
//!
//! When there are destructors, the machine adds a function that calls them, one after the other. When `main` returns
//! or calls `exit`, its thread goes on with this function instead of its own and ends with it.
//!
//! Not modelled: destructors in a program that ends otherwise (another thread calls `exit`, `main` calls
//! `pthread_exit`, a destructor calls `exit`): refused.

use crate::bytecode::{Function, List, Module, Op, Operand, Reg};
use crate::machine::Machine;
use crate::state::ThreadState;
use crate::step::{Flow, refuse};
use base::{Site, ThreadId, Value};
use program::{Blocker, Request};

/// Add the function that runs the destructors and returns its argument. `None`: there are none.
pub(crate) fn add_exit_function(module: &mut Module) -> Option<u32> {
    if module.destructors.is_empty() {
        return None;
    }
    let (arguments, results) = (List::default(), List::default());
    let calls = module.destructors.iter().map(|&function| Op::Call { function, arguments, results });
    let code: Vec<Op> = calls.chain([Op::Return { values: List { first: 0, len: 1 } }]).collect();
    module.functions.push(Function {
        name: "exit".to_owned(),
        parameters: 1,
        registers: 1,
        operands: vec![Operand::Reg(Reg(0))],
        sites: vec![Site::default(); code.len()],
        code,
        ..Function::default()
    });
    Some(module.functions.len() as u32 - 1)
}

impl Machine {
    /// Whether the thread has destructors to run when its first function returns.
    #[inline]
    pub(crate) fn has_destructors(&self, thread: ThreadId) -> bool {
        thread == ThreadId::MAIN && self.at_exit.is_some()
    }

    /// `main` returns with this value, or the function that runs the destructors does.
    pub(crate) fn return_from_main(&self, state: &mut ThreadState, value: Value) -> Flow {
        match self.at_exit {
            Some(function) if state.function != function => self.run_destructors(state, function, value),
            _ => self.finish_thread(state, value),
        }
    }

    fn run_destructors(&self, state: &mut ThreadState, function: u32, value: Value) -> Flow {
        state.replace(function, 1);
        state.registers[0] = value;
        Flow::Continue(())
    }

    /// `exit`.
    pub(crate) fn exit(&self, state: &mut ThreadState) -> Flow {
        match self.at_exit {
            None => self.exit_now(state),
            Some(_) if state.thread() != ThreadId::MAIN => {
                refuse("`exit` outside of the main thread of a program that has destructors is not modelled")
            }
            Some(function) if state.first_function() == function => {
                refuse("`exit` in a destructor is not modelled")
            }
            Some(function) => self.run_destructors(state, function, 0),
        }
    }

    /// `_exit`. For `main` the thread finishes: the later steps of other threads order nothing before the exit, so each
    /// of their behaviours is also one from before it, and none is invented. Any other thread must not finish, for then
    /// a join of it would return, which it never does: the thread just goes no further.
    pub(crate) fn exit_now(&self, state: &ThreadState) -> Flow {
        Flow::Break(match state.thread() {
            ThreadId::MAIN => Request::Finish { value: 0 },
            _ => Request::Block(Blocker::Exit),
        })
    }

    /// `pthread_exit`.
    pub(crate) fn exit_thread(&self, state: &mut ThreadState, value: Value) -> Flow {
        if self.has_pad(state) {
            return refuse(
                "`pthread_exit` in functions that have destructors or handlers to run is not modelled",
            );
        }
        if self.go_to_cleanup(state, value)? {
            return Flow::Continue(());
        }
        if self.has_destructors(state.thread()) {
            return refuse("`pthread_exit` of `main` in a program that has destructors is not modelled");
        }
        self.end_thread(state, value)
    }
}
