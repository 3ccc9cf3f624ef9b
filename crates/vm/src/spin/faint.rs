//! Faint registers: counters of attempts that decide nothing but whether to pause.
//!
//! `while (!try()) if (++n > 1000) { yield(); n = 0; }` counts for the machine's sake only: `n` decides whether its thread
//! yields, and that makes no difference here. But it is live around the loop, so no round ends where it began. This pass
//! takes such registers out of the code.
//!
//! A register is *faint* where its value can only come to other faint registers and to *idle* branches. A branch is idle
//! if both ways come to the same block by arithmetic and hints, and the registers that they assign are faint there; or if
//! one way comes back to the branch like that, a bounded number of times: a delay, which is left for the other way. So an
//! idle branch can go to where its ways meet, and an instruction all of whose results are faint can be left out: no other
//! instruction is run with other values, and none that asks something is left out.
//!
//! Implements: faint-variable analysis (Giegerich, Möncke, Wilhelm 1981), with branches. It starts with all branches that
//! may be idle by their form, and takes back those whose registers turn out to be live.
//! Differs from what compilers do (ADCE): a hint may be left out, and loops only if they evidently end.
//! Cost: liveness once for each round of taking back; only where a register would be live at the header of a loop.

use crate::bytecode::{BinOp, CmpOp, Constant, Function, Op, Operand, Reg};
use crate::cfg::effects::{reads_of, writes_of};
use crate::cfg::{Block, Cfg, Dominators, Liveness, Loops, RegisterSet, is_arithmetic, is_silent};
use std::collections::{BTreeMap, BTreeSet};

/// More blocks on one way of a branch are not followed.
const MOST_BLOCKS: usize = 16;

/// Take out the registers that are live at the header of a loop, and faint.
pub(super) fn forget(function: &Function, cfg: &mut Cfg) {
    let idle = idle_branches(function, cfg);
    let live = strong_liveness(function, cfg, &idle.keys().copied().collect());
    if !is_worth_it(function, cfg, &live) {
        return;
    }
    for block in 0..cfg.blocks.len() {
        let after = live_after(function, cfg, &live, block);
        remove_faint(function, &mut cfg.blocks[block], after);
    }
    for (block, idle) in idle {
        *cfg.blocks[block].ops.last_mut().expect("a block is not empty") = Op::Jump(idle.join as u32);
    }
}

/// Whether a register is live at the header of a loop, and faint there.
fn is_worth_it(function: &Function, cfg: &Cfg, strong: &[RegisterSet]) -> bool {
    let loops = Loops::new(cfg, &Dominators::new(cfg));
    let liveness = Liveness::new(function, cfg);
    let is_faint =
        |header: usize| liveness.at_start(header).iter().any(|register| !strong[header].contains(register));
    loops.backedges.iter().any(|edge| is_faint(edge.header))
}

/// The registers that are live, and not faint, at the start of each block. The conditions of these branches do not count.
fn strong_liveness(function: &Function, cfg: &Cfg, idle: &BTreeSet<usize>) -> Vec<RegisterSet> {
    let mut live = vec![RegisterSet::new(function.registers); cfg.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..cfg.blocks.len()).rev() {
            let mut now = live_after(function, cfg, &live, block);
            let ops = &cfg.blocks[block].ops;
            let counted = if idle.contains(&block) { &ops[..ops.len() - 1] } else { ops };
            counted.iter().rev().for_each(|&op| step_back(function, op, &mut now));
            changed |= live[block].union(&now);
        }
    }
    live
}

fn live_after(function: &Function, cfg: &Cfg, live: &[RegisterSet], block: usize) -> RegisterSet {
    let mut after = RegisterSet::new(function.registers);
    for to in cfg.successors(block) {
        after.union(&live[to]);
    }
    after
}

/// From the registers that matter after an instruction to those that matter before it.
fn step_back(function: &Function, op: Op, live: &mut RegisterSet) {
    if is_faint(function, op, live) {
        return;
    }
    writes_of(function, op, |register| live.remove(register));
    reads_of(function, op, |register| live.insert(register));
}

/// Whether the instruction does nothing but assign registers that are not among these.
fn is_faint(function: &Function, op: Op, live: &RegisterSet) -> bool {
    let mut is_faint = is_arithmetic(op);
    writes_of(function, op, |register| is_faint &= !live.contains(register));
    is_faint
}

fn remove_faint(function: &Function, block: &mut Block, mut live: RegisterSet) {
    for at in (0..block.ops.len()).rev() {
        if is_faint(function, block.ops[at], &live) {
            block.ops.remove(at);
            block.sites.remove(at);
        } else {
            step_back(function, block.ops[at], &mut live);
        }
    }
}

/// Where the ways of an idle branch meet, and the registers that they assign.
#[derive(Clone, Debug)]
struct Idle {
    join: usize,
    assigned: BTreeSet<Reg>,
}

/// The idle branches, by block.
fn idle_branches(function: &Function, cfg: &Cfg) -> BTreeMap<usize, Idle> {
    let candidates =
        (0..cfg.blocks.len()).filter_map(|block| Some((block, idle_form(function, cfg, block)?)));
    let mut idle: BTreeMap<usize, Idle> = candidates.collect();
    loop {
        let live = strong_liveness(function, cfg, &idle.keys().copied().collect());
        let before = idle.len();
        idle.retain(|_, it| !it.assigned.iter().any(|&register| live[it.join].contains(register)));
        if idle.len() == before {
            return idle;
        }
    }
}

/// The ways of a branch that is idle if what they assign is faint.
fn idle_form(function: &Function, cfg: &Cfg, block: usize) -> Option<Idle> {
    let Op::Branch { then, otherwise, .. } = cfg.blocks[block].last() else { return None };
    let [one, other] = [then, otherwise].map(|to| way(cfg, to as usize));
    let assigned = |blocks: &[usize]| assigned_in(function, cfg, blocks);
    for (to, way) in [(then, &other), (otherwise, &one)] {
        // The other way comes back: a delay.
        if way.last() == Some(&block) && to as usize != block && ends(function, cfg, way, to == otherwise) {
            return Some(Idle { join: to as usize, assigned: assigned(way) });
        }
    }
    let join = *other.iter().find(|&to| one.contains(to) && *to != block)?;
    let before = |way: &[usize]| way.iter().copied().take_while(|&it| it != join).collect::<Vec<_>>();
    Some(Idle { join, assigned: assigned(&[before(&one), before(&other)].concat()) })
}

/// The blocks on the way from this one on. All but the last do nothing but assign registers, and hint.
fn way(cfg: &Cfg, start: usize) -> Vec<usize> {
    let mut way = vec![start];
    while let Some(next) = way.last().and_then(|&last| passed_to(cfg, last))
        && !way.contains(&next)
        && way.len() < MOST_BLOCKS
    {
        way.push(next);
    }
    way
}

/// Where a block goes that does nothing but assign registers, and hint.
fn passed_to(cfg: &Cfg, block: usize) -> Option<usize> {
    let (&last, before) = cfg.blocks[block].ops.split_last()?;
    let Op::Jump(to) = last else { return None };
    before.iter().all(|&op| is_silent(op) && !matches!(op, Op::RoundStart { .. })).then_some(to as usize)
}

fn assigned_in(function: &Function, cfg: &Cfg, blocks: &[usize]) -> BTreeSet<Reg> {
    let mut assigned = BTreeSet::new();
    for op in blocks.iter().flat_map(|&block| &cfg.blocks[block].ops) {
        writes_of(function, *op, |register| _ = assigned.insert(register));
    }
    assigned
}

/// Whether rounds of these blocks, the last of which ends with the branch, certainly end: a register goes up or down by 1
/// in each, and the branch goes on as long as it differs from something fixed, is less or is more. `if_true`: it goes on if
/// that holds.
fn ends(function: &Function, cfg: &Cfg, rounds: &[usize], if_true: bool) -> bool {
    let Some((&test, _)) = rounds.split_last() else { return false };
    let (Op::Branch { condition: Operand::Reg(condition), .. }, before) =
        (cfg.blocks[test].last(), &cfg.blocks[test].ops[..cfg.blocks[test].ops.len() - 1])
    else {
        return false;
    };
    let are_silent = before.iter().all(|&op| is_silent(op));
    let Some(&Op::Cmp { op, width, a, b, .. }) = last_write(function, before, condition) else {
        return false;
    };
    let goes_on = match op {
        CmpOp::Eq => !if_true,
        CmpOp::Ne | CmpOp::Ult | CmpOp::Slt => if_true,
        CmpOp::Ule | CmpOp::Sle => false,
    };
    let steps = |counter: Operand, fixed: Operand| {
        let Operand::Reg(counter) = counter else { return false };
        let is_one = |(op, by): (Op, u64)| match op {
            Op::Bin { op: BinOp::Add | BinOp::Sub, width: of, .. } => of == width && by == 1,
            _ => false,
        };
        step(function, cfg, rounds, counter).is_some_and(is_one)
            && !matches!(fixed, Operand::Reg(fixed) if assigned_in(function, cfg, rounds).contains(&fixed))
    };
    are_silent && goes_on && (steps(a, b) || steps(b, a))
}

/// The last of these instructions that writes the register.
fn last_write<'a>(function: &Function, ops: &'a [Op], register: Reg) -> Option<&'a Op> {
    ops.iter().rfind(|&&op| {
        let mut is_it = false;
        writes_of(function, op, |written| is_it |= written == register);
        is_it
    })
}

/// The one instruction with which the rounds of these blocks change the counter, and the number that it takes: `counter =
/// counter + 1`, at once or by way of another register.
fn step(function: &Function, cfg: &Cfg, rounds: &[usize], counter: Reg) -> Option<(Op, u64)> {
    let ops: Vec<Op> = rounds.iter().flat_map(|&block| cfg.blocks[block].ops.iter().copied()).collect();
    let writes = |register: Reg| -> Vec<Op> {
        ops.iter().copied().filter(|&op| last_write(function, &[op], register).is_some()).collect()
    };
    let [mut op] = writes(counter)[..] else { return None };
    if let Op::Move { a: Operand::Reg(by_way_of), .. } = op {
        let [first] = writes(by_way_of)[..] else { return None };
        op = first;
    }
    let Op::Bin { a: Operand::Reg(a), b, .. } = op else { return None };
    Some((op, number(function, b)?)).filter(|_| a == counter)
}

/// The number that an operand is.
fn number(function: &Function, operand: Operand) -> Option<u64> {
    let Operand::Const(index) = operand else { return None };
    match function.constants[usize::from(index)] {
        Constant::Value(number) => Some(number),
        _ => None,
    }
}
