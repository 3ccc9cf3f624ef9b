//! Reads after which a thread may be blocked at once: there the engine lets it wait rather than read a value that
//! blocks it.
//!
//! [`Await::Value`] is a guess that errs on the side of yes: from the read, the end of a round or a `__VERIFIER_assume`
//! can be reached without an atomic access. Whether it blocks with a given value, the engine finds out by trying.
//! [`Await::Change`] is a guess of the same kind about other read-modify-writes: a read of one that wrote back the
//! value that was there before can as well read from the write before.
//! [`Await::Success`] is certain: from a compare-exchange that has failed, every path leads to the end of a round that
//! is cut, and only registers change on the way.
//! [`Await::Equal`] is certain, too: from a load, every path on which the loaded value was not found equal to one and
//! the same operand leads to the end of a round, only registers change on the way, and the value is not used any more.
//! So is [`Await::Failure`], about a compare-exchange that has failed.
//!
//! Cost: a search from each atomic read, when a machine is built.

use super::failing::{Known, MOST_STATES, Outcome};
use crate::Builtin;
use crate::bytecode::{BinOp, CmpOp, Constant, Function, Module, Op, Operand, Reg, Watch};
use crate::cfg::effects::{reads_of, successors, writes_of};
use crate::cfg::is_silent;
use base::{ReadOrder, WriteOrder};
use std::collections::{BTreeMap, BTreeSet};

/// The await of an instruction: [`program::Await`], with an operand for a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Awaited {
    No,
    Value,
    Equal(Operand),
    Success,
    Failure,
    Change,
}

/// Per function and instruction, its await. Empty if no thread is ever blocked.
pub(crate) fn awaits(module: &Module) -> Vec<Box<[Awaited]>> {
    let mut ops = module.functions.iter().flat_map(|function| &function.code);
    if !ops.any(|&op| may_block(op)) {
        return Vec::new();
    }
    let blocking = leading_returns(module, may_block);
    let of = |(index, function): (usize, &Function)| {
        let leads = leading(function, blocking[index], may_block);
        let known = Paths { function, leads, tests: tests(function) };
        (0..function.code.len()).map(|pc| known.await_at(pc)).collect()
    };
    module.functions.iter().enumerate().map(of).collect()
}

/// An analysis of the paths of a function.
struct Paths<'a> {
    function: &'a Function,
    /// Per instruction: whether the thread can be blocked there, or after it and before the next atomic access.
    leads: Vec<bool>,
    /// Where each register is tested for equality, in order.
    tests: BTreeMap<Reg, Vec<usize>>,
}

impl Paths<'_> {
    fn await_at(&self, pc: usize) -> Awaited {
        let function = self.function;
        match function.code[pc] {
            Op::CompareExchange { success, .. } if is_lock(function, pc, Known::of(success)) => {
                Awaited::Success
            }
            Op::CompareExchange { success, dst, .. }
                if forgets(function, pc, &Facts::failure(success, dst)) =>
            {
                Awaited::Failure
            }
            Op::CompareExchange { .. } if leads_to_end(function, pc, &self.leads) => Awaited::Value,
            Op::Rmw { .. } if leads_to_end(function, pc, &self.leads) => Awaited::Change,
            Op::Load { order, dst, .. }
                if order != ReadOrder::NotAtomic && leads_to_end(function, pc, &self.leads) =>
            {
                self.equal_operand(pc, dst).map_or(Awaited::Value, Awaited::Equal)
            }
            _ => Awaited::No,
        }
    }

    /// The operand whose value the load at `pc` awaits: it makes no difference which other value it reads.
    fn equal_operand(&self, pc: usize, dst: Reg) -> Option<Operand> {
        let tests = self.tests.get(&dst)?;
        let &test = tests.get(tests.partition_point(|&test| test < pc))?;
        let compared = Facts::compared(self.function.code[test], dst)?;
        let facts = Facts { known: Known::default(), loaded: BTreeSet::from([dst]), wanted: Some(compared) };
        (compared != Operand::Reg(dst) && forgets(self.function, pc, &facts)).then_some(compared)
    }
}

/// Where each register is tested for equality.
fn tests(function: &Function) -> BTreeMap<Reg, Vec<usize>> {
    let mut found: BTreeMap<Reg, Vec<usize>> = BTreeMap::new();
    for (pc, &op) in function.code.iter().enumerate() {
        let Op::Cmp { op: CmpOp::Eq | CmpOp::Ne, a, b, .. } = op else { continue };
        for operand in [a, b] {
            if let Operand::Reg(register) = operand {
                found.entry(register).or_default().push(pc);
            }
        }
    }
    found
}

/// Facts on a path from a read on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Facts {
    /// The registers that say whether the value read was right.
    known: Known,
    /// The registers that hold the value read.
    loaded: BTreeSet<Reg>,
    /// The operand that it should equal, as long as that has not changed.
    wanted: Option<Operand>,
}

impl Facts {
    /// After a compare-exchange.
    fn failure(success: Reg, dst: Reg) -> Facts {
        Facts { known: Known::of(success), loaded: BTreeSet::from([dst]), wanted: None }
    }

    /// The operand that a register is compared with.
    fn compared(op: Op, register: Reg) -> Option<Operand> {
        match op {
            Op::Cmp { op: CmpOp::Eq | CmpOp::Ne, a, b, .. } if a == Operand::Reg(register) => Some(b),
            Op::Cmp { op: CmpOp::Eq | CmpOp::Ne, a, b, .. } if b == Operand::Reg(register) => Some(a),
            _ => None,
        }
    }

    /// The register that says, after this instruction, whether the right value was read, and whether it says so by
    /// being 0.
    fn test(&self, op: Op) -> Option<(Reg, bool)> {
        let Op::Cmp { op: kind, dst, .. } = op else { return None };
        let is_test = |&loaded: &Reg| self.wanted.is_some() && Facts::compared(op, loaded) == self.wanted;
        self.loaded.iter().any(is_test).then_some((dst, kind == CmpOp::Ne))
    }

    /// Whether the instruction uses the value read, other than to compare or to copy it.
    fn is_looked_at(&self, function: &Function, op: Op) -> bool {
        if self.test(op).is_some() || matches!(op, Op::Move { .. }) {
            return false;
        }
        let mut looks = false;
        reads_of(function, op, |register| looks |= self.loaded.contains(&register));
        looks
    }

    fn after(mut self, function: &Function, op: Op) -> Facts {
        let test = self.test(op);
        let copy = match op {
            Op::Move { dst, a: Operand::Reg(a) } if self.loaded.contains(&a) => Some(dst),
            _ => None,
        };
        self.known = self.known.after(function, op);
        writes_of(function, op, |register| {
            self.loaded.remove(&register);
            self.wanted = self.wanted.filter(|&wanted| wanted != Operand::Reg(register));
        });
        self.loaded.extend(copy);
        if let Some((register, negated)) = test {
            self.known.learn(register, negated);
        }
        self
    }
}

/// Whether this instruction may block its thread because of a value.
fn may_block(op: Op) -> bool {
    let assumes = |builtin| builtin == Builtin::Assume;
    matches!(op, Op::SpinAssume { .. } | Op::SpinCheck { .. })
        || matches!(op, Op::Builtin { builtin, .. } if assumes(builtin))
}

/// Whether one of the ends in `leads` can come after this instruction and before the next atomic access.
pub(super) fn leads_to_end(function: &Function, pc: usize, leads: &[bool]) -> bool {
    let mut is_any = false;
    successors(function, pc, |to| is_any |= leads[to]);
    is_any
}

/// Per instruction: whether it is such an end, or leads to one without an atomic access. `returns`: so does a return.
pub(super) fn leading(function: &Function, returns: bool, is_end: impl Fn(Op) -> bool) -> Vec<bool> {
    let code = &function.code;
    let mut before = vec![Vec::new(); code.len()];
    for pc in (0..code.len()).filter(|&pc| !is_access(code[pc])) {
        successors(function, pc, |to| before[to].push(pc as u32));
    }
    let blocks = |op: Op| is_end(op) || returns && matches!(op, Op::Return { .. });
    let mut pending: Vec<u32> = (0..code.len() as u32).filter(|&pc| blocks(code[pc as usize])).collect();
    let mut leads = vec![false; code.len()];
    while let Some(pc) = pending.pop() {
        if !std::mem::replace(&mut leads[pc as usize], true) {
            pending.extend(&before[pc as usize]);
        }
    }
    leads
}

/// Whether the instruction certainly makes a request that other threads can see.
fn is_access(op: Op) -> bool {
    match op {
        Op::Load { order, .. } => order != ReadOrder::NotAtomic,
        Op::Store { order, .. } => order != WriteOrder::NotAtomic,
        Op::Rmw { .. } | Op::CompareExchange { .. } | Op::Fence(_) => true,
        _ => false,
    }
}

/// Per function: whether such an end can come after a return from it and before the next atomic access.
pub(super) fn leading_returns(module: &Module, is_end: impl Fn(Op) -> bool + Copy) -> Vec<bool> {
    let mut blocking = vec![false; module.functions.len()];
    let mut pending: Vec<usize> = (0..module.functions.len()).collect();
    while let Some(caller) = pending.pop() {
        let function = &module.functions[caller];
        if !function.code.iter().any(|op| matches!(op, Op::Call { .. } | Op::CallIndirect { .. })) {
            continue;
        }
        let leads = leading(function, blocking[caller], is_end);
        for pc in (0..function.code.len()).filter(|&pc| leads_to_end(function, pc, &leads)) {
            match function.code[pc] {
                Op::Call { function: callee, .. } => {
                    let callee = callee.0 as usize;
                    if !std::mem::replace(&mut blocking[callee], true) {
                        pending.push(callee);
                    }
                }
                // It may be a call of any function.
                Op::CallIndirect { .. } => return vec![true; module.functions.len()],
                _ => {}
            }
        }
    }
    blocking
}

/// Whether the thread is blocked if the compare-exchange at `pc` has failed, with nothing but registers changed.
pub(super) fn is_lock(function: &Function, pc: usize, known: Known) -> bool {
    let mut seen = BTreeSet::new();
    let mut pending = vec![(pc + 1, known)];
    while let Some((pc, known)) = pending.pop() {
        if !seen.insert((pc, known.clone())) {
            continue;
        }
        if seen.len() > MOST_STATES {
            return false;
        }
        let op = function.code[pc];
        if let Op::SpinAssume { .. } = op {
            continue;
        }
        if !is_silent(op) {
            return false;
        }
        let Some(targets) = failing_targets(function, pc, &known) else { return false };
        let known = known.after(function, op);
        pending.extend(targets.into_iter().map(|to| (to, known.clone())));
    }
    true
}

/// Whether, if the read at `pc` was wrong, its value is forgotten at the end of the round, with nothing but registers
/// changed.
fn forgets(function: &Function, pc: usize, facts: &Facts) -> bool {
    let mut seen = BTreeSet::new();
    let mut pending = vec![(pc + 1, facts.clone())];
    while let Some((pc, facts)) = pending.pop() {
        if !seen.insert((pc, facts.clone())) {
            continue;
        }
        if seen.len() > MOST_STATES {
            return false;
        }
        let op = function.code[pc];
        match op {
            Op::SpinAssume { .. } => continue,
            Op::SpinCheck { watch }
                if ends_round(function, pc, watch)
                    && function.watches[usize::from(watch)].forgets(&facts.loaded) =>
            {
                continue;
            }
            op if facts.is_looked_at(function, op) => return false,
            op if !is_silent(op) && !is_safe_division(function, op) => return false,
            _ => {}
        }
        let Some(targets) = failing_targets(function, pc, &facts.known) else { return false };
        let facts = facts.after(function, op);
        pending.extend(targets.into_iter().map(|to| (to, facts.clone())));
    }
    true
}

/// Whether the check at `pc` is at the end of the round. One that comes earlier (`futile`) may let the round go on,
/// which then uses the value read.
fn ends_round(function: &Function, pc: usize, watch: u16) -> bool {
    let mut next = pc + 1;
    loop {
        next = match function.code[next] {
            Op::Unroll { .. } => next + 1,
            Op::Jump(to) => to as usize,
            op => return op == Op::LoopHead { watch },
        }
    }
}

/// Whether it is a division by a constant that is certainly neither 0 nor -1.
pub(super) fn is_safe_division(function: &Function, op: Op) -> bool {
    let Op::Bin { op: BinOp::SDiv | BinOp::SRem | BinOp::UDiv | BinOp::URem, b: Operand::Const(b), .. } = op
    else {
        return false;
    };
    matches!(function.constants[usize::from(b)], Constant::Value(1..=0x7f))
}

/// Where the instruction leads if the read was wrong; `None`: nowhere.
fn failing_targets(function: &Function, pc: usize, known: &Known) -> Option<Vec<usize>> {
    let mut targets = Vec::new();
    successors(function, pc, |to| targets.push(to));
    targets.retain(|&to| known.needed(function.code[pc], to) != Some(Outcome::Succeeded));
    (!targets.is_empty()).then_some(targets)
}

impl Watch {
    /// Whether none of these registers is live at the header.
    fn forgets(&self, registers: &BTreeSet<Reg>) -> bool {
        self.live.iter().all(|live| !registers.contains(live))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{List, Operand, Reg};
    use base::RmwOrder;

    const SINCE: Op = Op::SpinAssume { since: Reg(5), early: false };
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

    fn of(code: Vec<Op>) -> Vec<Awaited> {
        let watches = vec![Watch::default()];
        let function = Function { registers: 6, code, watches, ..Function::default() };
        let module = Module { functions: vec![function], ..Module::default() };
        awaits(&module).first().map(|function| function.to_vec()).unwrap_or_default()
    }

    #[test]
    fn a_compare_exchange_that_spins_when_it_fails_is_a_lock() {
        let lock = of(vec![compare_exchange(), branch(1, 3, 2), SINCE, RETURN]);
        assert_eq!(lock[0], Awaited::Success);
        // The branch is on the value read, which may be anything.
        let value = of(vec![compare_exchange(), branch(0, 3, 2), SINCE, RETURN]);
        assert_eq!(value[0], Awaited::Value);
        // It looks elsewhere before it spins.
        let looks = of(vec![compare_exchange(), branch(1, 4, 2), load(), SINCE, RETURN]);
        assert_eq!((looks[0], looks[2]), (Awaited::No, Awaited::Value));
        // It spins when it has succeeded.
        let wrong = of(vec![compare_exchange(), branch(1, 2, 3), SINCE, RETURN]);
        assert_eq!(wrong[0], Awaited::Value);
    }

    #[test]
    fn a_load_that_spins_unless_it_finds_one_value_awaits_that() {
        let (loaded, wanted) = (Operand::Reg(Reg(0)), Operand::Reg(Reg(3)));
        let compare = |op| Op::Cmp { op, width: 32, dst: Reg(1), a: loaded, b: wanted };
        let again = of(vec![load(), compare(CmpOp::Eq), branch(1, 4, 3), SINCE, RETURN]);
        assert_eq!(again[0], Awaited::Equal(wanted));
        let unequal = of(vec![load(), compare(CmpOp::Ne), branch(1, 3, 4), SINCE, RETURN]);
        assert_eq!(unequal[0], Awaited::Equal(wanted));
        // It spins when it has found the value.
        let wrong = of(vec![load(), compare(CmpOp::Eq), branch(1, 3, 4), SINCE, RETURN]);
        assert_eq!(wrong[0], Awaited::Value);
        // The test is not for equality: more than one value may be right.
        let less = of(vec![load(), compare(CmpOp::Ult), branch(1, 4, 3), SINCE, RETURN]);
        assert_eq!(less[0], Awaited::Value);
        // The value has changed meanwhile.
        let change = Op::Move { dst: Reg(3), a: Operand::Reg(Reg(4)) };
        let changed = of(vec![load(), change, compare(CmpOp::Eq), branch(1, 5, 4), SINCE, RETURN]);
        assert_eq!(changed[0], Awaited::Value);
    }

    #[test]
    fn a_round_that_may_go_on_after_a_check_has_not_forgotten_what_it_read() {
        let (loaded, wanted) = (Operand::Reg(Reg(0)), Operand::Reg(Reg(3)));
        let compare = Op::Cmp { op: CmpOp::Eq, width: 32, dst: Reg(1), a: loaded, b: wanted };
        let (head, check) = (Op::LoopHead { watch: 0 }, Op::SpinCheck { watch: 0 });
        let at_end = vec![head, load(), compare, branch(1, 6, 4), check, Op::Jump(0), RETURN];
        assert_eq!(of(at_end)[1], Awaited::Equal(wanted));
        let use_it = Op::Move { dst: Reg(4), a: loaded };
        let early = vec![head, load(), compare, branch(1, 8, 4), check, use_it, check, Op::Jump(0), RETURN];
        assert_eq!(of(early)[1], Awaited::Value);
    }

    #[test]
    fn nothing_is_awaited_where_nobody_is_blocked() {
        assert_eq!(of(vec![load(), compare_exchange(), RETURN]), []);
    }
}
