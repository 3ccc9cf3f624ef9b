//! Jump threading: a block that goes to a test whose outcome it has just decided goes on where the test would.
//!
//! Implements: [SAVER] section IV. Clang makes such tests: `break` out of a block with local variables stores a number,
//! and a `switch` on that number at the end of the block finds the way. Until the two are one, it does not show on
//! which path a compare-exchange has failed. Nothing else changes: the register is still written.

use crate::bytecode::{Constant, Function, Op, Operand, Reg};
use crate::cfg::Cfg;
use crate::cfg::effects::writes_of;

/// How many tests in a row are followed. No program is expected to have more.
const MOST_TESTS: usize = 64;

/// Thread all jumps that can be.
pub(super) fn thread_jumps(function: &Function, cfg: &mut Cfg) {
    for block in 0..cfg.blocks.len() {
        // More than once, if a test leads to a test; not for ever, if they lead to each other.
        for _ in 0..MOST_TESTS {
            let Op::Jump(to) = cfg.blocks[block].last() else { break };
            let Some(next) = decided(function, cfg, block, to as usize) else { break };
            cfg.redirect(block, to as usize, next);
        }
    }
}

/// Where the block `test` goes after `block`, if it is nothing but a test of a number that `block` has set.
fn decided(function: &Function, cfg: &Cfg, block: usize, test: usize) -> Option<usize> {
    let [last] = cfg.blocks[test].ops[..] else { return None };
    let tested = match last {
        Op::Branch { condition: Operand::Reg(register), .. } => register,
        Op::Switch { value: Operand::Reg(register), .. } => register,
        _ => return None,
    };
    let value = constant_at_end(function, &cfg.blocks[block].ops, tested)?;
    cfg.decide(test, value)
}

/// The number that the register holds at the end.
fn constant_at_end(function: &Function, ops: &[Op], register: Reg) -> Option<u64> {
    let mut value = None;
    for &op in ops {
        writes_of(function, op, |written| value = value.filter(|_| written != register));
        if let Op::Move { dst, a: Operand::Const(constant) } = op
            && dst == register
            && let Constant::Value(number) = function.constants[usize::from(constant)]
        {
            value = Some(number);
        }
    }
    value
}
