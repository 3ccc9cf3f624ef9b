//! The loop: runs the instructions that concern their own thread only, and makes the most frequent requests, as fast as
//! a `match` allows.
//!
//! Arithmetic, jumps, and loads and stores of private memory are done here. Accesses to memory that other threads
//! can reach for certain (a global after the first thread was created, memory of another thread) become requests
//! here. Everything else leaves the loop at its instruction, which `step` then runs with all the machine at hand:
//! calls, builtins, faults, accesses for which objects have to be searched.
//!
//! Cost: about a nanosecond an instruction, no allocation.

use crate::access::rmw_op;
use crate::address::{CONSTANTS, REGION_BITS};
use crate::arithmetic::{binary, compare, low, overflowing, signed, unary};
use crate::bytecode::{Op, Operand};
use crate::float::{float, float_cast, float_compare};
use crate::machine::Machine;
use crate::memory::Window;
use crate::state::{Pending, ThreadState};
use crate::step::Flow;
use base::{Access, ReadOrder, WriteOrder, truncate};
use program::{Blocker, Request, RmwOp};

/// The value of an operand.
#[inline(always)]
pub(crate) fn operand(registers: &[u64], constants: &[u64], operand: Operand) -> u64 {
    match operand {
        Operand::Reg(register) => registers[usize::from(register.0)],
        Operand::Const(constant) => constants[usize::from(constant)],
    }
}

/// How many instructions a thread may run in a function in which a thread was found to run without an end.
const FEW_STEPS: u64 = 100_000;

/// A bounded loop that nobody else decides about goes on for so many instructions at most.
const MANY_STEPS: u64 = 1_000_000;

impl Machine {
    /// Run until the thread has something to ask.
    // Not inlined: the loop wants all the registers of the processor for itself.
    #[inline(never)]
    pub(crate) fn run(&self, state: &mut ThreadState) -> Request {
        let limit = self.options().step_limit;
        let mut left = if self.endless.is_empty() { limit } else { limit.min(FEW_STEPS) };
        let mut is_long = false;
        // A bounded loop that nobody else decides about is run to its end, if it has one.
        let spare = if self.endless.is_empty() { limit - (limit / 2).min(MANY_STEPS) } else { 0 };
        loop {
            if let Flow::Break(request) = self.run_alone(state, &mut left, spare) {
                return request;
            }
            if left == 0 {
                if self.endless.contains(&state.function) {
                    return Request::Block(Blocker::Unroll);
                }
                if self.endless.is_empty() || limit <= FEW_STEPS || is_long {
                    return self.out_of_steps(state);
                }
                (left, is_long) = (limit - FEW_STEPS, true);
                continue;
            }
            if let Flow::Break(request) = self.step(state) {
                return request;
            }
        }
    }

    /// Run one instruction, if it is for the loop.
    #[inline(never)]
    pub(crate) fn run_one(&self, state: &mut ThreadState) -> Flow {
        self.run_alone(state, &mut 1, 0)
    }

    /// Run as long as the loop can. `left` is how many instructions may be run; they are taken off. Rounds of bounded loops
    /// begin only as long as more than `spare` are left. `Continue`: the next one is not for the loop, or none may be run any
    /// more.
    #[inline(always)]
    fn run_alone(&self, state: &mut ThreadState, left: &mut u64, spare: u64) -> Flow {
        let function = self.function(state);
        let code = &function.code[..];
        let constants = &self.constants[state.function as usize][..];
        let registers = &mut state.registers[..];
        let thread = state.memory.thread;
        let (events, before_threads) = (state.memory.events, state.memory.has_globals());
        let mut window = Window::new(&mut state.memory.private);
        let mut pc = state.pc as usize;
        macro_rules! get {
            ($operand:expr) => {
                operand(registers, constants, $operand)
            };
        }
        macro_rules! set {
            ($register:expr, $value:expr) => {
                registers[usize::from($register.0)] = $value
            };
        }
        macro_rules! ask {
            ($pending:expr, $request:expr) => {{
                state.pc = pc as u32;
                state.pending = $pending;
                return Flow::Break($request);
            }};
        }
        while *left > 0 {
            *left -= 1;
            match code[pc] {
                Op::Move { dst, a } => set!(dst, get!(a)),
                Op::Bin { op, width, dst, a, b } => match binary(op, width, get!(a), get!(b)) {
                    Some(value) => set!(dst, value),
                    None => break,
                },
                Op::Overflow { op, width, dst, overflow, a, b } => {
                    let (value, overflowed) = overflowing(op, width, get!(a), get!(b));
                    set!(dst, value);
                    set!(overflow, u64::from(overflowed));
                }
                Op::Unary { op, width, dst, a } => set!(dst, unary(op, width, get!(a))),
                Op::Cmp { op, width, dst, a, b } => {
                    let (a, b) = (get!(a), get!(b));
                    if width == 64 {
                        self.reuse.note_comparison(a, b);
                    }
                    set!(dst, u64::from(compare(op, width, a, b)));
                }
                Op::Trunc { width, dst, a } => set!(dst, low(get!(a), width)),
                Op::SignExtend { from, to, dst, a } => {
                    set!(dst, low(signed(get!(a), from).cast_unsigned(), to));
                }
                Op::Select { dst, condition, a, b } => {
                    set!(dst, if get!(condition) != 0 { get!(a) } else { get!(b) });
                }
                Op::Index { dst, base, index, scale } => {
                    let offset = get!(index).wrapping_mul(i64::from(scale).cast_unsigned());
                    set!(dst, get!(base).wrapping_add(offset));
                }
                Op::InBounds { address, base, size } => {
                    if registers[usize::from(address.0)].wrapping_sub(get!(base)) > u64::from(size) {
                        break;
                    }
                }
                Op::Float { op, width, dst, a, b } => set!(dst, float(op, width, get!(a), get!(b))),
                Op::FloatCmp { op, width, dst, a, b } => {
                    set!(dst, u64::from(float_compare(op, width, get!(a), get!(b))));
                }
                Op::FloatCast { op, from, to, dst, a } => set!(dst, float_cast(op, from, to, get!(a))),
                // Private memory and constants: whether a load is atomic makes no difference.
                Op::Load { size, order, dst, address, .. } => {
                    let address = get!(address);
                    let value = if address >> REGION_BITS == CONSTANTS {
                        self.const_globals.read(address, size)
                    } else {
                        window.get().and_then(|private| private.read(thread, &self.globals, address, size))
                    };
                    match value {
                        Some(value) => set!(dst, value),
                        None => {
                            let plain = order == ReadOrder::NotAtomic;
                            let at = Access { address, size };
                            if !window.is_elsewhere(thread, address) || plain && self.is_split(at) {
                                break;
                            }
                            ask!(Pending::Register(dst), Request::Read { at, order });
                        }
                    }
                }
                Op::Store { size, order, address, value } => {
                    let (address, value) = (get!(address), get!(value));
                    let found = window
                        .get()
                        .and_then(|private| private.find(thread, &self.globals, address, u64::from(size)));
                    match found {
                        // Other threads could see such a write without seeing those before it: `step` publishes first.
                        Some(_) if order != WriteOrder::NotAtomic && !before_threads => break,
                        Some((slot, offset)) => window.contents_mut(slot, events).write(offset, size, value),
                        None => {
                            let plain = order == WriteOrder::NotAtomic;
                            let at = Access { address, size };
                            if !window.is_elsewhere(thread, address)
                                || window.may_escape(thread, value, size)
                                || plain && self.is_split(at)
                            {
                                break;
                            }
                            let value = truncate(value, size);
                            ask!(Pending::Next, Request::Write { at, value, order });
                        }
                    }
                }
                Op::Rmw { kind, size, order, address, value, .. } => {
                    let (address, value) = (get!(address), get!(value));
                    if !window.is_elsewhere(thread, address) || window.may_escape(thread, value, size) {
                        break;
                    }
                    let (at, op, failure) = (Access { address, size }, rmw_op(kind, value), order.read());
                    ask!(Pending::Rmw, Request::Rmw { at, op, order, failure });
                }
                Op::CompareExchange { size, order, failure, weak, address, expected, new, .. } => {
                    let (address, new) = (get!(address), get!(new));
                    // A weak one may fail spuriously: `step` knows when.
                    if weak || !window.is_elsewhere(thread, address) || window.may_escape(thread, new, size) {
                        break;
                    }
                    let (expected, new) = (truncate(get!(expected), size), truncate(new, size));
                    self.reuse.note_expected(expected);
                    let (at, op) = (Access { address, size }, RmwOp::CompareExchange { expected, new });
                    ask!(Pending::CompareExchange, Request::Rmw { at, op, order, failure });
                }
                Op::Fence(order) => ask!(Pending::Next, Request::Fence(order)),
                // A thread that has nothing private has nothing to end or to publish.
                Op::Return { values }
                    if state.callers.is_none()
                        && window.get().is_none()
                        && !self.has_destructors(thread)
                        && !self.usage.tries_join =>
                {
                    let value = function.operand(values, 0).map_or(0, |value| get!(value));
                    ask!(Pending::Run, Request::Finish { value });
                }
                Op::Jump(target) | Op::Landing { normal: target, .. } => {
                    pc = target as usize;
                    continue;
                }
                Op::Branch { condition, then, otherwise } => {
                    pc = if get!(condition) != 0 { then } else { otherwise } as usize;
                    continue;
                }
                Op::Switch { value, table } => {
                    let switch = &function.switches[table as usize];
                    let value = get!(value);
                    let case = switch.cases.iter().find(|case| case.0 == value);
                    pc = case.map_or(switch.default, |case| case.1) as usize;
                    continue;
                }
                Op::Unroll { counter } => {
                    if let Some(bound) = self.bounds.of(state.function, pc as u32, self.options().unroll) {
                        let counted = bound.count(registers[usize::from(counter.0)], state.told);
                        let Some(counted) = counted.filter(|_| *left >= spare) else { break };
                        set!(counter, counted);
                    }
                }
                Op::Alloca { .. }
                | Op::Lifetime { .. }
                | Op::ThreadLocal { .. }
                | Op::Call { .. }
                | Op::CallIndirect { .. }
                | Op::Builtin { .. }
                | Op::Return { .. }
                | Op::LoopHead { .. }
                | Op::SpinCheck { .. }
                | Op::RoundStart { .. }
                | Op::SpinAssume { .. }
                | Op::Unreachable
                | Op::Refuse(_) => break,
            }
            pc += 1;
        }
        state.pc = pc as u32;
        Flow::Continue(())
    }

    /// Whether a plain access must be made in pieces.
    #[inline(always)]
    fn is_split(&self, at: Access) -> bool {
        self.layout.piece(at.address, at.size) != at.size
    }
}
