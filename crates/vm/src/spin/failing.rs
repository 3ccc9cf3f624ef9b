//! Paths on which a compare-exchange has failed.
//!
//! Implements: [SAVER] section III: a compare-exchange on a path is pure if `assume(!r)` of its result `r` comes after
//! it. From each one, all ways to the backedge are followed as long as it may have succeeded; a branch on the result
//! ends the one where it has failed. Copies of the result and its negations are known, as C's `!` and `_Bool` make
//! them.

use crate::bytecode::{BinOp, CmpOp, Constant, Function, Op, Operand, Reg};
use crate::cfg::effects::writes_of;
use crate::cfg::{BackEdge, Cfg};
use std::collections::BTreeSet;

/// Paths on which different facts are known are followed one by one. With more states than this the search is given up,
/// and nothing is certain.
pub(super) const MOST_STATES: usize = 1 << 12;

/// The registers that say whether one compare-exchange has succeeded; both sets hold registers that are 0 or 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Known {
    /// 1 if it has succeeded.
    success: BTreeSet<Reg>,
    /// 1 if it has failed.
    failure: BTreeSet<Reg>,
}

/// The outcome of a compare-exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Succeeded,
    Failed,
}

/// Whether every compare-exchange of a round has failed when the round ends with this backedge.
pub(super) fn all_fail(function: &Function, cfg: &Cfg, edge: &BackEdge) -> bool {
    edge.body.iter().all(|&block| {
        let ops = &cfg.blocks[block].ops;
        (0..ops.len()).all(|at| match ops[at] {
            Op::CompareExchange { success, .. } => fails(function, cfg, edge, (block, at + 1), success),
            _ => true,
        })
    })
}

/// Whether the backedge is reached from there only if `success` is 0.
fn fails(function: &Function, cfg: &Cfg, edge: &BackEdge, start: (usize, usize), success: Reg) -> bool {
    let known = Known::of(success);
    let mut seen = BTreeSet::new();
    let mut pending = vec![(start.0, start.1, known)];
    while let Some((block, from, known)) = pending.pop() {
        if !seen.insert((block, from, known.clone())) {
            continue;
        }
        if seen.len() > MOST_STATES {
            return false;
        }
        let ops = &cfg.blocks[block].ops[from..];
        let known = ops.iter().fold(known, |known, &op| known.after(function, op));
        for to in cfg.successors(block) {
            if known.needed(cfg.blocks[block].last(), to) == Some(Outcome::Failed) {
                continue;
            }
            if (block, to) == (edge.from, edge.header) {
                return false;
            }
            if edge.body.contains(&to) && to != edge.header {
                pending.push((to, 0, known.clone()));
            }
        }
    }
    true
}

impl Known {
    /// `success` is the result.
    pub(super) fn of(success: Reg) -> Known {
        Known { success: BTreeSet::from([success]), ..Known::default() }
    }

    /// From here on, the register is 1 if it has succeeded; if `negated`, 0.
    pub(super) fn learn(&mut self, register: Reg, negated: bool) {
        let known = if negated { &mut self.failure } else { &mut self.success };
        known.insert(register);
    }

    /// The only outcome with which the way to `to` is taken; `None`: it is taken with either.
    pub(super) fn needed(&self, last: Op, to: usize) -> Option<Outcome> {
        let Op::Branch { condition: Operand::Reg(condition), then, otherwise } = last else { return None };
        let is_taken_if_one = then as usize == to;
        let (success, failure) = (self.success.contains(&condition), self.failure.contains(&condition));
        match then != otherwise && (success || failure) {
            true if success == is_taken_if_one => Some(Outcome::Succeeded),
            true => Some(Outcome::Failed),
            false => None,
        }
    }

    pub(super) fn after(mut self, function: &Function, op: Op) -> Known {
        let is = |operand: Operand, number: u64| match operand {
            Operand::Const(index) => function.constants[usize::from(index)] == Constant::Value(number),
            Operand::Reg(_) => false,
        };
        // A register that is a copy of another, and whether it is the negation.
        let copy = match op {
            Op::Move { dst, a: Operand::Reg(a) } | Op::Trunc { dst, a: Operand::Reg(a), .. } => {
                Some((dst, a, false))
            }
            Op::Cmp { op: CmpOp::Ne, dst, a: Operand::Reg(a), b, .. } if is(b, 0) => Some((dst, a, false)),
            Op::Cmp { op: CmpOp::Eq, dst, a: Operand::Reg(a), b, .. } if is(b, 0) => Some((dst, a, true)),
            Op::Bin { op: BinOp::Xor, dst, a: Operand::Reg(a), b, .. } if is(b, 1) => Some((dst, a, true)),
            Op::Bin { op: BinOp::And, dst, a: Operand::Reg(a), b, .. } if is(b, 1) => Some((dst, a, false)),
            _ => None,
        };
        let copied = copy.map(|(dst, a, negated)| {
            let (success, failure) = (self.success.contains(&a), self.failure.contains(&a));
            if negated { (dst, failure, success) } else { (dst, success, failure) }
        });
        writes_of(function, op, |register| {
            self.success.remove(&register);
            self.failure.remove(&register);
        });
        if let Some((dst, success, failure)) = copied {
            self.success.extend(success.then_some(dst));
            self.failure.extend(failure.then_some(dst));
        }
        self
    }
}
