//! Where an access goes, as far as straight code shows it: clang computes the address of a field anew each time.

use crate::bytecode::{BinOp, Constant, Function, Op, Operand, Reg};
use crate::cfg::effects::writes_of;

/// Whether the instruction writes the register.
pub(super) fn is_written_by(function: &Function, op: Op, register: Reg) -> bool {
    let mut is_written = false;
    writes_of(function, op, |written| is_written |= written == register);
    is_written
}

/// An address: an operand plus a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Address {
    pub(super) base: Operand,
    pub(super) offset: u64,
}

impl Address {
    /// The address in an operand after these instructions, in terms of the registers' values then.
    pub(super) fn new(function: &Function, before: &[Op], operand: Operand) -> Address {
        let plain = Address { base: operand, offset: 0 };
        let Operand::Reg(register) = operand else { return plain };
        let Some(at) = before.iter().rposition(|&op| is_written_by(function, op, register)) else {
            return plain;
        };
        let Op::Bin { op: BinOp::Add, width: 64, a: Operand::Reg(base), b: Operand::Const(b), .. } =
            before[at]
        else {
            return plain;
        };
        match function.constants[usize::from(b)] {
            Constant::Value(offset) if !before[at..].iter().any(|&op| is_written_by(function, op, base)) => {
                Address { base: Operand::Reg(base), offset }
            }
            _ => plain,
        }
    }
}
