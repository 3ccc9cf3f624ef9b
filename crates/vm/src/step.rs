//! One instruction with all the machine at hand: those that the loop of `interpret` leaves.
//!
//! An instruction that asks something ends with `Break(request)` and is run again when the answer is there, with
//! `ThreadState::progress` telling how far it is; one that is done moves `pc` on.

use crate::address::Code;
use crate::builtin::Builtin;
use crate::bytecode::{Function, List, Op, Operand, Reg};
use crate::interpret::operand;
use crate::machine::Machine;
use crate::state::{BEFORE_START, Pending, Progress, RUN_AGAIN, ThreadState};
use base::{Site, ThreadId, Value, WriteOrder};
use program::{Blocker, Fault, FaultKind, HiddenWord, Program, Refusal, Request};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// `Break`: the thread has something to ask.
pub(crate) type Flow<T = ()> = ControlFlow<Request, T>;

/// Calls inside calls; more are taken for a recursion that does not end.
pub(crate) const MAX_DEPTH: u32 = 10_000;

/// The result of a thread whose function has come to its end without a `return`. A join that takes the result of a
/// thread looks for it.
pub(crate) const NO_RESULT: Value = 0xdead_0000_0000_dead;

/// The thread does something wrong.
pub(crate) fn fault<T>(kind: FaultKind, message: impl Into<String>) -> Flow<T> {
    fault_near(kind, message, None)
}

/// The thread does something wrong; `related` is a site to report with it.
pub(crate) fn fault_near<T>(kind: FaultKind, message: impl Into<String>, related: Option<Site>) -> Flow<T> {
    Flow::Break(Request::Fault(Box::new(Fault { kind, message: message.into(), related })))
}

/// The thread does something that is not modelled.
pub(crate) fn refuse<T>(message: impl Into<String>) -> Flow<T> {
    Flow::Break(Request::Refuse(Box::new(Refusal::new(message, None))))
}

/// The thread asks; the answer is used as `pending` says.
pub(crate) fn ask<T>(state: &mut ThreadState, pending: Pending, request: Request) -> Flow<T> {
    state.pending = pending;
    Flow::Break(request)
}

/// The phase of the end of a thread that the others know of.
const ENDED: u8 = u8::MAX;

impl Machine {
    /// Run until the thread has something to ask.
    pub(crate) fn run_to_request(&self, state: &mut ThreadState, answer: Value) -> Request {
        state.memory.count_event();
        self.run_on(state, answer)
    }

    /// The same, without counting an event.
    pub(crate) fn run_on(&self, state: &mut ThreadState, answer: Value) -> Request {
        state.visits.answered(answer);
        if let Flow::Break(request) = self.answered(state, answer) {
            return request;
        }
        let request = self.run(state);
        if self.watches {
            self.note_effect(state, &request);
        }
        if self.watches_waits {
            self.note_write(state, &request);
        }
        if !self.endangered.is_empty() {
            self.note_touch(state, &request);
        }
        if self.counts_rounds && request.tells() {
            state.told = state.told.wrapping_add(1);
        }
        request
    }

    /// Use the answer to the last request.
    #[inline]
    pub(crate) fn answered(&self, state: &mut ThreadState, answer: Value) -> Flow {
        let progress = &mut state.progress;
        match std::mem::replace(&mut state.pending, Pending::Run) {
            Pending::Run | Pending::LooksAhead | Pending::SeeksHead => {}
            Pending::Next => state.finish(None, 0),
            Pending::Register(register) => state.finish(Some(register), answer),
            Pending::CompareExchange => {
                let changed = self.compare_exchange_answered(state, answer);
                state.visits.rmw_answered(changed);
            }
            Pending::Rmw => {
                let changed = self.rmw_answered(state, answer);
                state.visits.rmw_answered(changed);
            }
            Pending::Value => *progress = Progress { phase: progress.phase + 1, value: answer, ..*progress },
            Pending::Byte => {
                let value = progress.value << 8 | answer;
                *progress = Progress { phase: progress.phase + 1, value, ..*progress };
            }
            Pending::LoadPart(size) => {
                progress.value |= answer << (8 * progress.done);
                progress.done += u32::from(size);
            }
            Pending::StorePart(size) => progress.done += u32::from(size),
            Pending::CopyPart(size) => {
                progress.done += u32::from(size);
                progress.phase = 0;
            }
            Pending::NewestPart(size) => {
                state.memory.write_newest(progress.done as usize, size, answer);
                progress.done += u32::from(size);
            }
            Pending::TooManyThreads => {
                return refuse("more threads than there is room for in the address space");
            }
        }
        Flow::Continue(())
    }

    /// Run the instruction at `pc`.
    #[inline(never)]
    pub(crate) fn step(&self, state: &mut ThreadState) -> Flow {
        let op = self.function(state).code[state.pc as usize];
        match op {
            Op::Load { .. } => self.load(state, op),
            Op::Store { size, order, address, value } => {
                let (address, value) = (self.get(state, address), self.get(state, value));
                self.store(state, address, size, value, order)
            }
            Op::Rmw { kind, size, order, dst, address, value } => {
                let (address, value) = (self.get(state, address), self.get(state, value));
                self.rmw(state, dst, address, size, crate::access::rmw_op(kind, value), order)
            }
            Op::CompareExchange { .. } => self.compare_exchange(state, op),
            Op::Fence(order) => ask(state, Pending::Next, Request::Fence(order)),
            Op::Alloca { dst, size, align, count } => {
                let size = u64::from(size).checked_mul(self.get(state, count));
                self.alloca(state, dst, size, u64::from(align))
            }
            Op::Lifetime { address, start } => self.lifetime(state, address, start),
            Op::ThreadLocal { dst, global } => {
                let address = self.thread_local(state, global.0)?;
                self.done(state, Some(dst), address)
            }
            Op::Call { function, arguments, .. } => self.call(state, function.0, arguments),
            Op::CallIndirect { callee, arguments, results } => {
                let callee = self.get(state, callee);
                self.call_indirect(state, callee, arguments, results)
            }
            Op::Builtin { builtin, arguments, result } => self.builtin(state, builtin, arguments, result),
            Op::Return { values } => self.return_from(state, values),
            Op::Bin { b, .. } => {
                let by_zero = self.get(state, b) == 0;
                let what = if by_zero { "division by zero" } else { "overflow in a division by -1" };
                fault(FaultKind::Assertion, what)
            }
            Op::InBounds { address, base, size } => {
                let offset = self.get(state, Operand::Reg(address)).wrapping_sub(self.get(state, base));
                let name = self.describe_address(self.get(state, base)).unwrap_or_default();
                let message = format!("offset {} of `{name}`, which has {size} bytes", offset.cast_signed());
                fault(FaultKind::InvalidAccess, message)
            }
            Op::LoopHead { watch } => self.loop_head(state, watch),
            Op::SpinCheck { watch } => self.spin_check(state, watch),
            Op::RoundStart { dst } => self.done(state, Some(dst), u64::from(state.memory.events)),
            Op::SpinAssume { since: register, early } => {
                let since = state.registers[usize::from(register.0)] as u32;
                if !self.keep_round(state, since) {
                    return Flow::Break(Request::Block(Blocker::Spin { since }));
                }
                if early {
                    return refuse(
                        "a round of this loop that is left out may race with a plain write or a free that comes \
                         about after the loop, and it is not known how: use `--spin=none` with `--unroll N`",
                    );
                }
                // The registers that a round assigns are dead at the header.
                state.pc = self.header(state, register);
                Flow::Continue(())
            }
            Op::Unroll { .. } => Flow::Break(Request::Block(Blocker::Unroll)),
            Op::Unreachable => {
                fault(FaultKind::Assertion, "undefined behaviour: code that cannot be reached is reached")
            }
            Op::Refuse(text) => refuse(self.function(state).texts[usize::from(text)].clone()),
            Op::Move { .. }
            | Op::Overflow { .. }
            | Op::Unary { .. }
            | Op::Cmp { .. }
            | Op::Trunc { .. }
            | Op::SignExtend { .. }
            | Op::Select { .. }
            | Op::Index { .. }
            | Op::Float { .. }
            | Op::FloatCmp { .. }
            | Op::FloatCast { .. }
            | Op::Jump(_)
            | Op::Landing { .. }
            | Op::Branch { .. }
            | Op::Switch { .. } => unreachable!("the loop runs {op:?}"),
        }
    }

    /// The function that runs.
    #[inline(always)]
    pub(crate) fn function(&self, state: &ThreadState) -> &Function {
        &self.module().functions[state.function as usize]
    }

    /// The value of an operand.
    pub(crate) fn get(&self, state: &ThreadState, from: Operand) -> Value {
        operand(&state.registers, &self.constants[state.function as usize], from)
    }

    /// The values of a list of operands.
    pub(crate) fn values(&self, state: &ThreadState, list: List) -> SmallVec<[Value; 8]> {
        let range = list.first as usize..list.first as usize + usize::from(list.len);
        self.function(state).operands[range].iter().map(|&from| self.get(state, from)).collect()
    }

    /// The instruction is done.
    pub(crate) fn done(&self, state: &mut ThreadState, result: Option<Reg>, value: Value) -> Flow {
        state.finish(result, value);
        Flow::Continue(())
    }

    fn call(&self, state: &mut ThreadState, function: u32, arguments: List) -> Flow {
        let callee = &self.module().functions[function as usize];
        if state.depth >= MAX_DEPTH {
            return refuse(format!("recursion deeper than {MAX_DEPTH} calls in `{}`", callee.name));
        }
        let arguments = self.values(state, arguments);
        let parameters = usize::from(callee.parameters);
        if arguments.len() < parameters {
            return refuse(format!(
                "call of `{}` with {} arguments instead of {parameters}",
                callee.name,
                arguments.len()
            ));
        }
        state.enter(function, callee.registers);
        state.registers[..parameters].copy_from_slice(&arguments[..parameters]);
        Flow::Continue(())
    }

    fn call_indirect(&self, state: &mut ThreadState, callee: Value, arguments: List, results: List) -> Flow {
        match self.code_at(callee) {
            Some(Code::Function(function)) => self.call(state, function, arguments),
            Some(Code::External(external)) => {
                let name = &self.externals[external as usize];
                let Some(builtin) = Builtin::from_symbol(name) else {
                    return refuse(format!("call of `{name}`, which has neither a body nor a model"));
                };
                if builtin.is_output() && results.len > 0 {
                    return refuse(format!("the result of {name} is not modelled"));
                }
                let result =
                    (results.len > 0).then(|| self.function(state).registers_list[results.first as usize]);
                self.builtin(state, builtin, arguments, result)
            }
            None if callee == 0 => fault(FaultKind::InvalidAccess, "call through a null pointer"),
            None => fault(FaultKind::InvalidAccess, format!("call of {callee:#x}, which is no function")),
        }
    }

    fn return_from(&self, state: &mut ThreadState, values: List) -> Flow {
        if state.callers.is_none() {
            let value = self.function(state).operand(values, 0).map_or(0, |value| self.get(state, value));
            return match state.thread() {
                ThreadId::MAIN => self.return_from_main(state, value),
                _ => self.end_thread(state, value),
            };
        }
        self.end_published_locals(state, false)?;
        let values = self.values(state, values);
        state.leave();
        if state.pc != BEFORE_START && state.pc & RUN_AGAIN != 0 {
            state.pc &= !RUN_AGAIN;
            return Flow::Continue(());
        }
        if state.pc != BEFORE_START {
            self.keep_results(state, &values);
        }
        state.pc = state.pc.wrapping_add(1);
        Flow::Continue(())
    }

    /// Whether the caller of the running function takes its result. The end of a thread takes it for the thread that
    /// joins.
    pub(crate) fn is_result_wanted(&self, state: &ThreadState) -> bool {
        let Some(frame) = &state.callers else { return false };
        let code = &self.module().functions[frame.function as usize].code;
        match code.get(frame.pc as usize) {
            Some(Op::Call { results, .. } | Op::CallIndirect { results, .. }) => results.len > 0,
            // Before `main`, or a function that the machine calls itself.
            _ => false,
        }
    }

    /// Put the results of a call into the registers of the call. A caller that declares another type than the callee
    /// has gets zeros.
    fn keep_results(&self, state: &mut ThreadState, values: &[Value]) {
        let function = self.function(state);
        let (Op::Call { results, .. } | Op::CallIndirect { results, .. }) = function.code[state.pc as usize]
        else {
            unreachable!("a caller is at a call")
        };
        let first = results.first as usize;
        for (i, register) in
            function.registers_list[first..first + usize::from(results.len)].iter().enumerate()
        {
            state.registers[usize::from(register.0)] = values.get(i).copied().unwrap_or(0);
        }
    }

    /// The thread ends with this value: the thread that joins it can reach the object that it points to. The local and
    /// the thread-local variables of `main` live on: threads may still use them when it returns.
    pub(crate) fn finish_thread(&self, state: &mut ThreadState, value: Value) -> Flow {
        self.check_outside(state)?;
        self.escape(state, value)?;
        if state.thread() != ThreadId::MAIN {
            self.end_published_locals(state, true)?;
            self.end_thread_locals(state)?;
        }
        if self.usage.tries_join && state.progress.phase < ENDED {
            let at = HiddenWord::End(state.thread()).access();
            state.progress.phase = ENDED - 1;
            return ask(state, Pending::Value, Request::Write { at, value: 1, order: WriteOrder::Release });
        }
        Flow::Break(Request::Finish { value })
    }

    #[cold]
    pub(crate) fn out_of_steps(&self, state: &ThreadState) -> Request {
        let message = format!(
            "no end after {} steps of one thread that no other thread can see: use --unroll N to bound loops, or raise \
             --max-steps",
            self.options().step_limit
        );
        Request::Refuse(Box::new(Refusal { message, site: Some(self.site(state)), endless: true }))
    }
}
