//! Unwinding: the way of an exception from the code that raises it to the landing pad where its thread goes on.
//!
//! A call that an exception may leave is followed by an [`Op::Landing`], which names the pad and its clauses. The code that
//! raises exceptions is part of the program (`crates/llvm/runtime`): it looks at the clauses of the landing pads around it,
//! from the inside to the outside, decides, and has the thread land. So the machine knows neither types nor handlers, and an
//! exception that nobody takes is found before any function has ended.
//!
//! What ends on the way: the functions that are left, with their local variables (those that other threads can reach by a
//! request each, the innermost first, before any function is left), and the calls of `pthread_once` among them, which have
//! not happened then.
//!
//! Not modelled, and refused: an exception in an atomic section. No exception goes from a constructor of the program into
//! `main`, nor out of a thread.
//! Cost: nothing for a call that returns but the instruction behind it, which is a jump; a throw looks at every caller.

use crate::access::{Purpose, Reach};
use crate::bytecode::{Op, Operand, Reg};
use crate::machine::Machine;
use crate::state::{BEFORE_START, Pending, Progress, RUN_AGAIN, ThreadState};
use crate::step::{Flow, ask, fault_near, refuse};
use base::{Site, ThreadId, Value};
use program::{FaultKind, Program, Request};
use serde::{Deserialize, Serialize};

/// A step on the way of an exception.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum UnwindCall {
    /// `const void *__threadbare_landing(size_t n)`: the clauses of the landing pad around the `n`-th call that has one, from
    /// the inside; null if there are not so many
    Clauses,
    /// `void __threadbare_land(size_t n, void *exception, int selector)`: goes on at that pad
    Land,
    /// `size_t __threadbare_place(void)`: the place of the program that runs, as a number that is not 0
    Place,
    /// `void __threadbare_throws(void)`: comes before everything else about an exception
    Throws,
    /// `void __threadbare_uncaught(const std::type_info *type, const char *what, size_t place)`: the end of the program
    Uncaught,
}

/// The longest text of an exception that is told.
const LONGEST: u64 = 200;

/// The names of the objects that describe types begin with this.
const TYPE_INFO: &str = "typeinfo for ";

/// The place where an exception can land.
#[derive(Clone, Copy)]
struct Pad {
    /// How many functions are left.
    leaves: u32,
    pc: u32,
    clauses: Value,
    exception: Reg,
    selector: Reg,
}

impl Machine {
    pub(crate) fn unwind_call(
        &self,
        state: &mut ThreadState,
        call: UnwindCall,
        [a, b, c]: [Value; 3],
        result: Option<Reg>,
    ) -> Flow {
        match call {
            UnwindCall::Clauses => {
                let clauses = self.pad(state, a).map_or(0, |pad| pad.clauses);
                self.done(state, result, clauses)
            }
            UnwindCall::Land => self.land(state, a, b, c),
            UnwindCall::Place => {
                let place = Value::from(self.site(state).0) + 1;
                self.done(state, result, place)
            }
            UnwindCall::Throws => {
                self.announce_throw(state)?;
                self.done(state, None, 0)
            }
            UnwindCall::Uncaught => self.uncaught(state, a, b, c),
        }
    }

    /// A thread that could be told apart from others by what it does with exceptions says so before, once, by publishing
    /// nothing.
    fn announce_throw(&self, state: &mut ThreadState) -> Flow {
        let has_thrown = self.data(state).is_some_and(|data| data.has_thrown);
        if !self.throws_before || has_thrown || state.thread() == ThreadId::MAIN {
            return Flow::Continue(());
        }
        state.memory.private_mut().data.has_thrown = true;
        ask(state, Pending::Run, Request::Publish([].into()))
    }

    /// Whether an exception that is thrown here could land anywhere.
    pub(crate) fn has_pad(&self, state: &ThreadState) -> bool {
        self.pad(state, 0).is_some()
    }

    /// The landing pad of this number.
    fn pad(&self, state: &ThreadState, number: Value) -> Option<Pad> {
        // A constructor of the program was called by nobody.
        let callers = state.callers().take_while(|frame| frame.pc != BEFORE_START);
        let pad = |(leaves, function, pc): (u32, u32, u32)| {
            let code = &self.module().functions[function as usize].code;
            match code.get(pc as usize + 1) {
                Some(&Op::Landing {
                    pad: pc, clauses: Operand::Const(clauses), exception, selector, ..
                }) => {
                    let clauses = self.constants[function as usize][usize::from(clauses)];
                    Some(Pad { leaves, pc, clauses, exception, selector })
                }
                _ => None,
            }
        };
        let calls = (1..).zip(callers).map(|(leaves, frame)| (leaves, frame.function, frame.pc & !RUN_AGAIN));
        calls.filter_map(pad).nth(usize::try_from(number).ok()?)
    }

    fn land(&self, state: &mut ThreadState, number: Value, exception: Value, selector: Value) -> Flow {
        if state.section.is_some() {
            return refuse("an exception in an atomic section is not modelled");
        }
        self.announce_throw(state)?;
        let Some(pad) = self.pad(state, number) else {
            return refuse("an exception that has nowhere to go");
        };
        self.end_published_locals_of(state, pad.leaves)?;
        self.abandon_once(state, state.depth - pad.leaves)?;
        for _ in 0..pad.leaves {
            state.leave();
        }
        state.progress = Progress::default();
        state.registers[usize::from(pad.exception.0)] = exception;
        state.registers[usize::from(pad.selector.0)] = Value::from(selector as u32);
        state.pc = pad.pc;
        Flow::Continue(())
    }

    /// The program ends: nobody takes an exception of this type, which was thrown at `place`. Null: there is none.
    fn uncaught(&self, state: &mut ThreadState, type_info: u64, what: u64, place: Value) -> Flow {
        let here = self.site(state);
        let thrown = place.checked_sub(1).map(|site| Site(site as u32)).filter(|&site| site != here);
        if type_info == 0 {
            return fault_near(FaultKind::Assertion, "`std::terminate` is called", thrown);
        }
        let name = self.describe_address(type_info).unwrap_or_default();
        let name = name.strip_prefix(TYPE_INFO).unwrap_or(&name);
        let what = self.own_text(state, what).map_or_else(String::new, |text| format!(": {text:?}"));
        fault_near(FaultKind::UncaughtException, format!("uncaught exception of type `{name}`{what}"), thrown)
    }

    /// The string at this address, up to its end or to memory that others can reach; `None` for null.
    fn own_text(&self, state: &ThreadState, address: u64) -> Option<String> {
        let byte = |offset: u64| {
            let at = address.wrapping_add(offset);
            match self.reach(state, at, 1, Purpose::Read) {
                Flow::Break(_) | Flow::Continue(Reach::Shared) => None,
                Flow::Continue(reach) => match self.read_own(state, reach, at, 1) {
                    Flow::Continue(byte) => Some(byte as u8).filter(|&byte| byte != 0),
                    Flow::Break(_) => None,
                },
            }
        };
        let bytes: Vec<u8> = (0..LONGEST).map_while(byte).collect();
        (address != 0).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}
