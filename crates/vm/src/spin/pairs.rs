//! Pairs: `do old = x; while (guard(old) || !cas(&x, &old, f(old)));`, where the load and the compare-exchange can be
//! one event.
//!
//! From such a load, every path leads to the end of a round that is cut, or to a compare-exchange that expects the
//! value read, at the same place, and blocks its thread if it fails; and nothing but registers changes on the way. In
//! an execution in which the compare-exchange has succeeded, the load might as well have read the very write that the
//! compare-exchange has read: `explore/reductions/pairs.rs` says why, and how that is used.
//!
//! Side conditions: the compare-exchange has the size of the load, and is of no weaker order when it succeeds.
//! Not found: an expected value that is in memory, addresses that are computed in more than one step in between, and
//! code that has many paths, which would have to be followed one by one.
//! Cost: a walk along all paths from each atomic load, up to a bound, when a machine is built.

use super::awaits::{is_lock, is_safe_division};
use super::failing::Known;
use super::places::{Address, is_written_by};
use crate::bytecode::{Function, Module, Op, Operand, Reg};
use crate::cfg::effects::{successors, writes_of};
use crate::cfg::{is_silent, starts};
use base::{ReadOrder, RmwOrder};
use std::collections::BTreeSet;

/// More instructions on one path, or more than the square of this on all paths, are not followed.
const MOST: usize = 64;

/// Per function the loads that are the first of a pair, with the order of the second.
pub(crate) fn pairs(module: &Module) -> Vec<Vec<(u32, RmwOrder)>> {
    let of = |function: &Function| {
        let (mut starts, mut start) = (starts(function).into_iter().peekable(), 0);
        let mut of = |pc: usize| {
            start = starts.next_if_eq(&pc).unwrap_or(start);
            Some((pc as u32, pair(function, start, pc)?))
        };
        (0..function.code.len()).filter_map(&mut of).collect()
    };
    module.functions.iter().map(of).collect()
}

/// The order of the compare-exchange that makes a pair with the load at `pc`, in the block from `start` on, if there is
/// one.
fn pair(function: &Function, start: usize, pc: usize) -> Option<RmwOrder> {
    let load = Load::new(function, start, pc)?;
    let (mut order, mut steps) = (None, 0);
    let mut pending = vec![load.start()];
    while let Some(mut path) = pending.pop() {
        steps += 1;
        if path.ops.len() > MOST || steps > MOST * MOST {
            return None;
        }
        match function.code[path.pc] {
            Op::SpinAssume { .. } => {}
            op @ Op::CompareExchange { order: new, success, .. } => {
                let is_lock = is_lock(function, path.pc, Known::of(success));
                if !is_lock || !load.is_taken_by(&path, op) || order.is_some_and(|other| other != new) {
                    return None;
                }
                order = Some(new);
            }
            // The count of events that a round starts with would be another one.
            Op::RoundStart { .. } => return None,
            op if is_silent(op) || is_safe_division(function, op) => {
                path.run(&load, op);
                successors(function, path.pc, |to| pending.push(Path { pc: to, ..path.clone() }));
            }
            _ => return None,
        }
    }
    order
}

/// An atomic load that may be the first of a pair.
struct Load<'a> {
    function: &'a Function,
    pc: usize,
    size: u8,
    order: ReadOrder,
    dst: Reg,
    address: Address,
    /// The straight code before it.
    before: &'a [Op],
}

impl<'a> Load<'a> {
    fn new(function: &'a Function, start: usize, pc: usize) -> Option<Load<'a>> {
        let Op::Load { size, order, dst, address, .. } = function.code[pc] else { return None };
        if order == ReadOrder::NotAtomic || pc - start >= MOST {
            return None;
        }
        let before = &function.code[start..pc];
        let address = Address::new(function, before, address);
        (address.base != Operand::Reg(dst)).then_some(Load {
            function,
            pc,
            size,
            order,
            dst,
            address,
            before,
        })
    }

    fn start(&self) -> Path {
        let ops = [self.before, &[self.function.code[self.pc]]].concat();
        Path { pc: self.pc + 1, ops, loaded: BTreeSet::from([self.dst]) }
    }

    /// Whether this compare-exchange, at the end of the path, is at the place of the load and expects the value read.
    fn is_taken_by(&self, path: &Path, op: Op) -> bool {
        let Op::CompareExchange { size, order, address, expected: Operand::Reg(expected), .. } = op else {
            return false;
        };
        let is_there = Address::new(self.function, &path.ops, address) == self.address;
        let is_kept = |base| {
            let since = &path.ops[self.before.len() + 1..];
            !since.iter().any(|&op| is_written_by(self.function, op, base))
        };
        size == self.size
            && order.read() >= self.order
            && path.loaded.contains(&expected)
            && is_there
            && !matches!(self.address.base, Operand::Reg(base) if !is_kept(base))
    }
}

/// A path from the load on.
#[derive(Clone)]
struct Path {
    /// Where it goes on.
    pc: usize,
    /// The instructions that were run, from the straight code before the load on.
    ops: Vec<Op>,
    /// The registers that hold the value read.
    loaded: BTreeSet<Reg>,
}

impl Path {
    fn run(&mut self, load: &Load<'_>, op: Op) {
        let copy = match op {
            Op::Move { dst, a: Operand::Reg(a) } => Some((dst, a)),
            Op::Trunc { width, dst, a: Operand::Reg(a) } if u32::from(width) >= 8 * u32::from(load.size) => {
                Some((dst, a))
            }
            _ => None,
        };
        let copied = copy.filter(|(_, a)| self.loaded.contains(a));
        writes_of(load.function, op, |register| _ = self.loaded.remove(&register));
        self.loaded.extend(copied.map(|(dst, _)| dst));
        self.ops.push(op);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{CmpOp, List};

    const SINCE: Op = Op::SpinAssume { since: Reg(5), early: false };
    const RETURN: Op = Op::Return { values: List { first: 0, len: 0 } };

    fn of(code: Vec<Op>) -> Option<RmwOrder> {
        pair(&Function { registers: 6, code, ..Function::default() }, 0, 0)
    }

    fn load() -> Op {
        let address = Operand::Reg(Reg(2));
        Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst: Reg(0), address }
    }

    fn branch(register: u16, then: u32, otherwise: u32) -> Op {
        Op::Branch { condition: Operand::Reg(Reg(register)), then, otherwise }
    }

    /// The pair, if it is one, of `r0 = load; between; CAS of r0; spin unless it has succeeded`.
    fn load_before(compare_exchange: Op, between: &[Op]) -> Option<RmwOrder> {
        let at = between.len() as u32 + 2;
        let code = std::iter::once(load()).chain(between.iter().copied());
        of(code.chain([compare_exchange, branch(1, at + 2, at + 1), SINCE, RETURN]).collect())
    }

    fn attempt(order: RmwOrder, address: u16, expected: u16) -> Op {
        let [address, expected, new] = [address, expected, 4].map(|register| Operand::Reg(Reg(register)));
        let (failure, dst, success) = (ReadOrder::Relaxed, Reg(0), Reg(1));
        Op::CompareExchange { size: 4, order, failure, weak: false, dst, success, address, expected, new }
    }

    #[test]
    fn a_load_and_the_compare_exchange_that_expects_it_are_a_pair() {
        let right = attempt(RmwOrder::Acquire, 2, 0);
        let pair = Some(RmwOrder::Acquire);
        assert_eq!(load_before(right, &[]), pair);
        let copy = |dst, a| Op::Move { dst: Reg(dst), a: Operand::Reg(Reg(a)) };
        assert_eq!(load_before(attempt(RmwOrder::Acquire, 2, 3), &[copy(3, 0)]), pair);
        // It expects something else, is somewhere else, or looks elsewhere in between.
        assert_ne!(load_before(attempt(RmwOrder::Acquire, 2, 3), &[]), pair);
        assert_ne!(load_before(attempt(RmwOrder::Acquire, 2, 3), &[copy(3, 0), copy(3, 4)]), pair);
        assert_ne!(load_before(attempt(RmwOrder::Acquire, 3, 0), &[]), pair);
        assert_ne!(load_before(right, &[copy(2, 3)]), pair);
        let address = Operand::Reg(Reg(4));
        let other = Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst: Reg(3), address };
        assert_ne!(load_before(right, &[other]), pair);
        assert_ne!(load_before(right, &[Op::Fence(base::FenceOrder::SeqCst)]), pair);
        assert_ne!(load_before(right, &[Op::RoundStart { dst: Reg(5) }]), pair);
    }

    #[test]
    fn a_pair_may_have_a_guard() {
        let right = attempt(RmwOrder::Acquire, 2, 0);
        let (a, b) = (Operand::Reg(Reg(0)), Operand::Reg(Reg(3)));
        let guard = Op::Cmp { op: CmpOp::Ult, width: 32, dst: Reg(1), a, b };
        let code =
            |otherwise| vec![load(), guard, branch(1, 3, otherwise), right, branch(1, 6, 5), SINCE, RETURN];
        assert_eq!(of(code(5)), Some(RmwOrder::Acquire));
        // It goes on if the guard fails.
        assert_ne!(of(code(6)), Some(RmwOrder::Acquire));
    }

    #[test]
    fn the_load_of_a_pair_is_no_stronger_than_the_compare_exchange() {
        let (dst, address) = (Reg(0), Operand::Reg(Reg(2)));
        for (order, rmw, is_pair) in [
            (ReadOrder::Relaxed, RmwOrder::Relaxed, true),
            (ReadOrder::Acquire, RmwOrder::Release, false),
            (ReadOrder::Acquire, RmwOrder::AcqRel, true),
            (ReadOrder::SeqCst, RmwOrder::AcqRel, false),
            (ReadOrder::SeqCst, RmwOrder::SeqCst, true),
            (ReadOrder::NotAtomic, RmwOrder::SeqCst, false),
        ] {
            let load = Op::Load { size: 4, order, partial: false, dst, address };
            let code = vec![load, attempt(rmw, 2, 0), branch(1, 4, 3), SINCE, RETURN];
            assert_eq!(of(code) == Some(rmw), is_pair, "{order:?} {rmw:?}");
        }
    }
}
