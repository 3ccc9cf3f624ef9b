//! After which reads a thread may be blocked at once: there the engine lets it wait rather than read in vain.
//!
//! [`Await::Value`] is a guess that errs on the side of yes: from the read, the end of a round or an assumption can be
//! reached without an atomic access. Whether it blocks with a given value, the engine finds out by trying.
//! [`Await::Success`] is certain: from a compare-exchange that has failed, every path leads to the end of a round that is
//! cut, and only registers change on the way.
//!
//! Cost: a search from each atomic read, when a machine is built.

use super::failing::Known;
use crate::Builtin;
use crate::bytecode::{Function, Module, Op};
use crate::cfg::Purity;
use crate::cfg::effects::successors;
use base::{ReadOrder, WriteOrder};
use program::Await;
use std::collections::BTreeSet;

/// Per function and instruction, what it awaits. Empty, if no thread is ever blocked.
pub(crate) fn awaits(module: &Module) -> Vec<Box<[Await]>> {
    let mut ops = module.functions.iter().flat_map(|function| &function.code);
    if !ops.any(|&op| may_block(op)) {
        return Vec::new();
    }
    let blocking = blocking_returns(module);
    let of = |function: (usize, &Function)| {
        let (index, function) = function;
        (0..function.code.len()).map(|pc| await_at(function, pc, blocking[index])).collect()
    };
    module.functions.iter().enumerate().map(of).collect()
}

fn await_at(function: &Function, pc: usize, returns: bool) -> Await {
    let op = function.code[pc];
    match op {
        Op::CompareExchange { success, .. } if is_lock(function, pc, Known::of(success)) => Await::Success,
        Op::CompareExchange { .. } | Op::Rmw { .. } if leads_to_end(function, pc, returns) => Await::Value,
        Op::Load { order, .. } if order != ReadOrder::NotAtomic && leads_to_end(function, pc, returns) => {
            Await::Value
        }
        _ => Await::No,
    }
}

/// May this instruction block its thread because of a value?
fn may_block(op: Op) -> bool {
    let assumes = |builtin| builtin == Builtin::Assume;
    matches!(op, Op::SpinAssume { .. } | Op::SpinCheck { .. })
        || matches!(op, Op::Builtin { builtin, .. } if assumes(builtin))
}

/// Can the thread be blocked after this instruction and before the next atomic access?
fn leads_to_end(function: &Function, pc: usize, returns: bool) -> bool {
    let mut seen = BTreeSet::new();
    let mut pending = Vec::new();
    successors(function, pc, |to| pending.push(to));
    while let Some(pc) = pending.pop() {
        if !seen.insert(pc) {
            continue;
        }
        match function.code[pc] {
            op if may_block(op) => return true,
            Op::Return { .. } if returns => return true,
            op if is_access(op) => {}
            _ => successors(function, pc, |to| pending.push(to)),
        }
    }
    false
}

/// Does the instruction certainly ask for something that others can see?
fn is_access(op: Op) -> bool {
    match op {
        Op::Load { order, .. } => order != ReadOrder::NotAtomic,
        Op::Store { order, .. } => order != WriteOrder::NotAtomic,
        Op::Rmw { .. } | Op::CompareExchange { .. } | Op::Fence(_) => true,
        _ => false,
    }
}

/// Per function: can the thread be blocked after a return from it, before the next atomic access?
fn blocking_returns(module: &Module) -> Vec<bool> {
    let mut blocking = vec![false; module.functions.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (caller, function) in module.functions.iter().enumerate() {
            for (pc, &op) in function.code.iter().enumerate() {
                let callee = match op {
                    Op::Call { function, .. } => Some(function.0 as usize),
                    Op::CallIndirect { .. } => None,
                    _ => continue,
                };
                let known = callee.map_or_else(|| blocking.iter().all(|&b| b), |callee| blocking[callee]);
                if known || !leads_to_end(function, pc, blocking[caller]) {
                    continue;
                }
                match callee {
                    Some(callee) => blocking[callee] = true,
                    None => blocking.fill(true),
                }
                changed = true;
            }
        }
    }
    blocking
}

/// If the compare-exchange at `pc` has failed, is the thread blocked, with nothing but registers changed?
fn is_lock(function: &Function, pc: usize, known: Known) -> bool {
    let mut seen = BTreeSet::new();
    let mut pending = vec![(pc + 1, known)];
    while let Some((pc, known)) = pending.pop() {
        if !seen.insert((pc, known.clone())) {
            continue;
        }
        let op = function.code[pc];
        if let Op::SpinAssume { .. } = op {
            continue;
        }
        if !is_silent(op) {
            return false;
        }
        let mut targets = Vec::new();
        successors(function, pc, |to| targets.push(to));
        targets.retain(|&to| !known.needs_success(op, to));
        if targets.is_empty() {
            return false;
        }
        let known = known.after(function, op);
        pending.extend(targets.into_iter().map(|to| (to, known.clone())));
    }
    true
}

/// Does the instruction change registers at most, without asking anybody and without going wrong?
fn is_silent(op: Op) -> bool {
    let hint = matches!(op, Op::Builtin { builtin: Builtin::Hint, .. });
    let fine = !matches!(
        op,
        Op::Fence(_)
            | Op::Builtin { .. }
            | Op::InBounds { .. }
            | Op::Unroll { .. }
            | Op::SpinCheck { .. }
            | Op::LoopHead { .. }
            | Op::Unreachable
            | Op::Refuse(_)
    );
    let divides = matches!(op, Op::Bin { .. }) && !crate::cfg::effects::is_pure(op);
    hint || (fine && !divides && Purity::of(op) == Purity::Pure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{List, Operand, Reg};
    use base::RmwOrder;

    const SINCE: Op = Op::SpinAssume { since: Reg(5) };
    const RETURN: Op = Op::Return { values: List { first: 0, len: 0 } };

    fn load() -> Op {
        let address = Operand::Reg(Reg(2));
        Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst: Reg(0), address }
    }

    fn compare_exchange() -> Op {
        let (address, expected, new) = (Operand::Reg(Reg(2)), Operand::Reg(Reg(3)), Operand::Reg(Reg(4)));
        let (order, failure) = (RmwOrder::Acquire, ReadOrder::Relaxed);
        let (dst, success) = (Reg(0), Reg(1));
        Op::CompareExchange { size: 4, order, failure, weak: false, dst, success, address, expected, new }
    }

    fn branch(register: u16, then: u32, otherwise: u32) -> Op {
        Op::Branch { condition: Operand::Reg(Reg(register)), then, otherwise }
    }

    fn of(code: Vec<Op>) -> Vec<Await> {
        let function = Function { registers: 6, code, ..Function::default() };
        let module = Module { functions: vec![function], ..Module::default() };
        awaits(&module).first().map(|function| function.to_vec()).unwrap_or_default()
    }

    #[test]
    fn a_compare_exchange_that_spins_when_it_fails_is_a_lock() {
        let lock = of(vec![compare_exchange(), branch(1, 3, 2), SINCE, RETURN]);
        assert_eq!(lock[0], Await::Success);
        // The branch is on the value read, which may be anything.
        let value = of(vec![compare_exchange(), branch(0, 3, 2), SINCE, RETURN]);
        assert_eq!(value[0], Await::Value);
        // It looks elsewhere before it spins.
        let looks = of(vec![compare_exchange(), branch(1, 4, 2), load(), SINCE, RETURN]);
        assert_eq!((looks[0], looks[2]), (Await::No, Await::Value));
        // It spins when it has succeeded.
        let wrong = of(vec![compare_exchange(), branch(1, 2, 3), SINCE, RETURN]);
        assert_eq!(wrong[0], Await::Value);
    }

    #[test]
    fn nothing_is_awaited_where_nobody_is_blocked() {
        assert_eq!(of(vec![load(), compare_exchange(), RETURN]), []);
    }
}
