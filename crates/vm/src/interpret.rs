//! The loop: runs the instructions that concern nobody else, as fast as a `match` allows.
//!
//! Arithmetic, jumps, and loads and stores of private memory are done here. Everything else stops the loop at its
//! instruction, which `step` then runs with all the machine at hand: calls, requests, faults.
//!
//! Cost: about a nanosecond an instruction, no allocation.

use crate::address::{CONSTANTS, REGION_BITS};
use crate::arithmetic::{binary, compare, low, overflowing, signed, unary};
use crate::bytecode::{Op, Operand};
use crate::float::{float, float_cast, float_compare};
use crate::machine::Machine;
use crate::memory::Window;
use crate::state::ThreadState;

/// Why the loop stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The instruction is not one for the loop.
    Step,
    /// No steps are left.
    Limit,
}

/// The value of an operand.
#[inline(always)]
pub(crate) fn operand(registers: &[u64], constants: &[u64], operand: Operand) -> u64 {
    match operand {
        Operand::Reg(register) => registers[usize::from(register.0)],
        Operand::Const(constant) => constants[usize::from(constant)],
    }
}

impl Machine {
    /// Run as long as no other thread can tell. `steps` is how many instructions may be run; they are taken off.
    // Not inlined: the loop wants all the registers of the processor for itself.
    #[inline(never)]
    pub(crate) fn run(&self, state: &mut ThreadState, steps: &mut u64) -> Stop {
        let function = &self.module().functions[state.function as usize];
        let code = &function.code[..];
        let constants = &self.constants[state.function as usize][..];
        let registers = &mut state.registers[..];
        let thread = state.memory.thread;
        let mut window = Window::new(&mut state.memory.private);
        let mut pc = state.pc as usize;
        let mut left = *steps;
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
        let stop = loop {
            if left == 0 {
                break Stop::Limit;
            }
            left -= 1;
            match code[pc] {
                Op::Move { dst, a } => set!(dst, get!(a)),
                Op::Bin { op, width, dst, a, b } => match binary(op, width, get!(a), get!(b)) {
                    Some(value) => set!(dst, value),
                    None => break Stop::Step,
                },
                Op::Overflow { op, width, dst, overflow, a, b } => {
                    let (value, overflowed) = overflowing(op, width, get!(a), get!(b));
                    set!(dst, value);
                    set!(overflow, u64::from(overflowed));
                }
                Op::Unary { op, width, dst, a } => set!(dst, unary(op, width, get!(a))),
                Op::Cmp { op, width, dst, a, b } => {
                    set!(dst, u64::from(compare(op, width, get!(a), get!(b))));
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
                        break Stop::Step;
                    }
                }
                Op::Float { op, width, dst, a, b } => set!(dst, float(op, width, get!(a), get!(b))),
                Op::FloatCmp { op, width, dst, a, b } => {
                    set!(dst, u64::from(float_compare(op, width, get!(a), get!(b))));
                }
                Op::FloatCast { op, from, to, dst, a } => set!(dst, float_cast(op, from, to, get!(a))),
                // Private memory and constants: atomic or not makes no difference.
                Op::Load { size, dst, address, .. } => {
                    let address = get!(address);
                    let value = if address >> REGION_BITS == CONSTANTS {
                        self.const_globals.read(address, size)
                    } else {
                        window.get().and_then(|private| private.read(thread, &self.globals, address, size))
                    };
                    match value {
                        Some(value) => set!(dst, value),
                        None => break Stop::Step,
                    }
                }
                Op::Store { size, address, value, .. } => {
                    let found = window.get().and_then(|private| {
                        private.find(thread, &self.globals, get!(address), u64::from(size))
                    });
                    let Some((slot, offset)) = found else { break Stop::Step };
                    window.contents_mut(slot).write(offset, size, get!(value));
                }
                Op::Jump(target) => {
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
                    let entered = registers[usize::from(counter.0)] + 1;
                    if self.options().unroll.is_some_and(|bound| entered > u64::from(bound)) {
                        break Stop::Step;
                    }
                    set!(counter, entered);
                }
                Op::Rmw { .. }
                | Op::CompareExchange { .. }
                | Op::Fence(_)
                | Op::Alloca { .. }
                | Op::Lifetime { .. }
                | Op::ThreadLocal { .. }
                | Op::Call { .. }
                | Op::CallIndirect { .. }
                | Op::Builtin { .. }
                | Op::Return { .. }
                | Op::Unreachable
                | Op::Refuse(_) => break Stop::Step,
            }
            pc += 1;
        };
        state.pc = pc as u32;
        *steps = left;
        stop
    }
}
