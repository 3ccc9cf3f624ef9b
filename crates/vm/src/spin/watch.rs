//! The loops that are watched at run time: those whose rounds may be dynamically effect-free.
//!
//! At the header the state of the thread is remembered (`Op::LoopHead`); on a backedge it is compared
//! (`Op::SpinCheck`). dynamic-spin-assume compares on backedges that assign only registers that are dead at the header,
//! and memory only; state repeat compares on all of them, and the live registers as well.
//! Cost: nothing for a loop that cannot read memory that other threads write, that always writes, or that counts.

use super::Spin;
use super::assume::Analysis;
use super::dead_stores::{DeadStores, dead_stores};
use super::fates::{Fate, Noted};
use crate::Builtin;
use crate::bytecode::{BinOp, Constant, Function, Module, Op, Operand, Reg, RmwKind, Watch};
use crate::cfg::effects::writes_of;
use crate::cfg::{BackEdge, Block, Cfg, Purity};
use crate::sync::SyncCall;
use base::ReadOrder;
use std::collections::BTreeSet;

/// Per function: whether it, or a function that it calls, may read memory that another thread has written.
#[derive(Debug)]
pub(super) struct Calls {
    /// Atomically, or under a mutex.
    load: Vec<bool>,
    /// Plainly.
    read_plainly: Vec<bool>,
}

impl Calls {
    pub(super) fn new(module: &Module) -> Calls {
        let load = reaching(module, |op| may_load(op, &[]));
        Calls { load, read_plainly: reaching(module, |op| may_read_plainly(op, &[])) }
    }
}

/// Per function: whether it, or one that it calls, has such an instruction.
fn reaching(module: &Module, is_one: impl Fn(Op) -> bool) -> Vec<bool> {
    let mut reaching = vec![false; module.functions.len()];
    let mut callers = vec![Vec::new(); module.functions.len()];
    for (caller, function) in module.functions.iter().enumerate() {
        for op in &function.code {
            if let Op::Call { function: callee, .. } = op {
                callers[callee.0 as usize].push(caller);
            }
        }
    }
    let has_one = |index: &usize| module.functions[*index].code.iter().any(|&op| is_one(op));
    let mut pending: Vec<usize> = (0..module.functions.len()).filter(has_one).collect();
    while let Some(index) = pending.pop() {
        if !std::mem::replace(&mut reaching[index], true) {
            pending.extend(&callers[index]);
        }
    }
    reaching
}

/// Whether the instruction may read memory that another thread has written. A function that is not in `loading` may
/// not.
fn may_load(op: Op, loading: &[bool]) -> bool {
    match op {
        Op::Call { function, .. } => loading.get(function.0 as usize).is_some_and(|&loads| loads),
        Op::CallIndirect { .. } | Op::Rmw { .. } => true,
        Op::Builtin { builtin, .. } => builtin.tries() || is_mutex_call(builtin),
        _ => matches!(Purity::of(op), Purity::Load | Purity::CompareExchange),
    }
}

/// Whether the instruction may read memory plainly. A function that is not in `reading` does not.
fn may_read_plainly(op: Op, reading: &[bool]) -> bool {
    match op {
        Op::Load { order, .. } => order == ReadOrder::NotAtomic,
        Op::Call { function, .. } => reading.get(function.0 as usize).is_some_and(|&reads| reads),
        Op::CallIndirect { .. } => true,
        Op::Builtin { builtin, .. } => Purity::of(op) == Purity::Effect && !is_mutex_call(builtin),
        _ => false,
    }
}

/// Whether the call takes a mutex, or gives it back.
fn is_mutex_call(builtin: Builtin) -> bool {
    let spin = [SyncCall::SpinLock, SyncCall::SpinUnlock].map(Builtin::Sync);
    matches!(builtin, Builtin::MutexLock | Builtin::MutexUnlock) || spin.contains(&builtin)
}

/// Put the instructions that watch into the loops that are worth it.
pub(super) fn watch(
    function: &Function,
    cfg: &mut Cfg,
    spin: Spin,
    calls: &Calls,
    noted: &mut Vec<Noted>,
) -> Vec<Watch> {
    let before = cfg.clone();
    let analysis = Analysis::new(function, &before);
    let mut watches = Vec::new();
    for (header, body) in analysis.loops.bodies() {
        let edges: Vec<&BackEdge> = analysis.loops.to(header).iter().collect();
        let checked: Vec<&BackEdge> = match spin {
            Spin::All => edges.clone(),
            _ => edges.iter().copied().filter(|edge| analysis.is_potentially_effect_free(edge)).collect(),
        };
        let loads = ops(&before, &body).any(|op| may_load(op, &calls.load));
        let Ok(watch) = u16::try_from(watches.len()) else { break };
        let changes = checked.is_empty() || always_changes(function, &analysis, &body, &edges);
        let fate = match (loads, changes) {
            (false, _) => Fate::Alone,
            (true, true) => Fate::Changes,
            (true, false) => Fate::Watched(watch),
        };
        noted.push((before.blocks[header].last_site(), fate));
        if fate != Fate::Watched(watch) {
            continue;
        }
        for edge in checked {
            check(cfg, edge, watch);
        }
        cfg.blocks[header].insert(0, Op::LoopHead { watch });
        let live = analysis.liveness.at_start(header);
        let DeadStores { read, written } = dead_stores(function, &before, header);
        let live = if spin == Spin::All { live.iter().collect() } else { Vec::new() };
        let reads_plainly = ops(&before, &body).any(|op| may_read_plainly(op, &calls.read_plainly));
        watches.push(Watch { reads_plainly, live, written, read });
    }
    watches
}

fn ops(cfg: &Cfg, body: &BTreeSet<usize>) -> impl Iterator<Item = Op> {
    body.iter().flat_map(|&block| cfg.blocks[block].ops.iter().copied())
}

/// Compare on this backedge. A bound on the rounds comes after: a round that changes nothing is not one too many.
fn check(cfg: &mut Cfg, edge: &BackEdge, watch: u16) {
    let check = Op::SpinCheck { watch };
    let last = cfg.blocks[edge.from].last();
    if !matches!(last, Op::Jump(_)) {
        let site = cfg.blocks[edge.from].last_site();
        let (ops, sites) = (vec![check, Op::Jump(edge.header as u32)], vec![site; 2]);
        let block = cfg.add(Block { ops, sites });
        cfg.redirect(edge.from, edge.header, block);
        return;
    }
    let block = &mut cfg.blocks[edge.from];
    block.insert(block.ops.len() - 1, check);
    if let Some(bound) = block.ops.iter().position(|op| matches!(op, Op::Unroll { .. })) {
        let (op, site) = (block.ops.remove(bound), block.sites.remove(bound));
        block.ops.insert(block.ops.len() - 1, op);
        block.sites.insert(block.sites.len() - 1, site);
    }
}

/// Whether every round writes to memory, or counts. Then every round changes something, and watching is useless.
fn always_changes(
    function: &Function,
    analysis: &Analysis<'_>,
    body: &BTreeSet<usize>,
    edges: &[&BackEdge],
) -> bool {
    let live = analysis.liveness.at_start(edges[0].header);
    let in_every_round =
        |&&block: &&usize| edges.iter().all(|edge| analysis.dominators.dominates(block, edge.from));
    body.iter().filter(in_every_round).flat_map(|&block| &analysis.cfg.blocks[block].ops).any(
        |&op| match op {
            Op::Rmw { kind: RmwKind::Add | RmwKind::Sub | RmwKind::Xor, value, .. } => {
                is_other_than_zero(function, value)
            }
            Op::Bin { op: BinOp::Add | BinOp::Sub, dst, a, b: Operand::Const(_), .. } => {
                a == Operand::Reg(dst)
                    && live.contains(dst)
                    && assignments(function, analysis.cfg, body, dst) == 1
            }
            _ => false,
        },
    )
}

fn is_other_than_zero(function: &Function, operand: Operand) -> bool {
    match operand {
        Operand::Const(index) => {
            matches!(function.constants[usize::from(index)], Constant::Value(number) if number != 0)
        }
        Operand::Reg(_) => false,
    }
}

fn assignments(function: &Function, cfg: &Cfg, body: &BTreeSet<usize>, register: Reg) -> usize {
    let mut found = 0;
    for op in ops(cfg, body) {
        writes_of(function, op, |written| found += usize::from(written == register));
    }
    found
}
