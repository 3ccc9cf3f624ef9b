//! Instructions that every round of a loop runs again, the last one too: plain loads, and taking and giving back
//! mutexes.
//!
//! A round that is left out takes its races with it. Here none is lost. Let `r` be a plain load of such a round, and
//! `e` an access of another thread that races with it. The rounds of the loop only read, and take and give back
//! mutexes.
//! * If `e` comes about without the thread's events after the loop, the later rounds can be left out as well: a thread
//!   that took a mutex from them takes it from this one. The execution that this round ends shows the race.
//! * Otherwise the last round has made the same access as `r` before that. `e` is not before that access in `hb`, for
//!   it comes about after it, and not after it, for then it would be after `r` as well. So the two race, too.
//!
//! The same goes for a mutex and the thread that destroys it.
//!
//! And a round that takes and gives back mutexes changes nothing: a thread that took one from it can take it from the
//! owner before the round. That holds if every thread that looks at a mutex waits for it: not with `trylock`.
//!
//! Implements: [SAVER] section VI, lock and unlock as a zero-net-effect round; the mutex alone is changed and changed
//! back, so that no other thread has to be waited for.
//! Not found: accesses of functions that the loop calls.

use super::assume::Analysis;
use super::{Effort, MOST_LOOKS};
use crate::Builtin;
use crate::bytecode::{Function, Module, Op, Operand, Reg};
use crate::cfg::effects::writes_of;
use crate::cfg::{Cfg, is_loop_mark, is_silent, starts};
use crate::sync::{SyncCall, Usage};
use base::ReadOrder;
use std::collections::BTreeSet;

/// Note for every function which instructions these are.
pub(super) fn note(module: &mut Module) {
    let locks_wait = !Usage::of(module).tries;
    let mut left = MOST_LOOKS;
    for function in module.functions.iter_mut().filter(|function| !function.watches.is_empty()) {
        let cfg = Cfg::new(function);
        // Without notes, these instructions count as effects: fewer rounds are cut.
        if Effort::of(function, &cfg, &mut left) == Effort::Full {
            function.again = again(function, &cfg, locks_wait);
        }
    }
}

/// Whether the call takes a mutex, or gives it back.
pub(super) fn is_mutex_call(builtin: Builtin) -> bool {
    let spin = [SyncCall::SpinLock, SyncCall::SpinUnlock].map(Builtin::Sync);
    matches!(builtin, Builtin::MutexLock | Builtin::MutexUnlock) || spin.contains(&builtin)
}

/// The instructions that every loop around them runs again in every round, in order.
fn again(function: &Function, cfg: &Cfg, locks_wait: bool) -> Vec<u32> {
    let analysis = Analysis::new(function, cfg);
    let bodies = analysis.loops.bodies().into_values();
    let loops: Vec<Loop<'_>> = bodies.map(|body| Loop::new(&analysis, body)).collect();
    let mut found = Vec::new();
    for (block, start) in starts(function).into_iter().enumerate() {
        let around: Vec<&Loop<'_>> = loops.iter().filter(|it| it.body.contains(&block)).collect();
        for (at, &op) in cfg.blocks[block].ops.iter().enumerate().filter(|_| !around.is_empty()) {
            let Some(address) = address(function, op, locks_wait) else { continue };
            if around.iter().all(|it| it.repeats(block, address)) {
                found.push((start + at) as u32);
            }
        }
    }
    found
}

/// A loop: all its blocks, and its exits and writes.
struct Loop<'a> {
    analysis: &'a Analysis<'a>,
    body: BTreeSet<usize>,
    /// The blocks from which it is left.
    exits: Vec<usize>,
    is_quiet: bool,
    /// The registers that it writes.
    written: BTreeSet<Reg>,
}

impl<'a> Loop<'a> {
    fn new(analysis: &'a Analysis<'a>, body: BTreeSet<usize>) -> Loop<'a> {
        let leaves = |from: &usize| analysis.cfg.successors(*from).iter().any(|to| !body.contains(to));
        let exits = body.iter().copied().filter(leaves).collect();
        let ops = || body.iter().flat_map(|&block| analysis.cfg.blocks[block].ops.iter().copied());
        let mut written = BTreeSet::new();
        ops().for_each(|op| writes_of(analysis.function, op, |register| _ = written.insert(register)));
        let is_quiet = ops().all(is_quiet);
        Loop { analysis, exits, is_quiet, written, body }
    }

    /// Whether every round accesses this address in the block, and is quiet otherwise.
    fn repeats(&self, block: usize, address: Operand) -> bool {
        self.is_quiet && self.is_the_same(address) && self.is_in_every_round(block)
    }

    /// Whether the loop is left only behind the block. Then the last round has passed it: a way out that avoids the
    /// block would do so in the first round as well.
    fn is_in_every_round(&self, block: usize) -> bool {
        self.exits.iter().all(|&from| self.analysis.dominators.dominates(block, from))
    }

    fn is_the_same(&self, address: Operand) -> bool {
        !matches!(address, Operand::Reg(register) if self.written.contains(&register))
    }
}

/// The address of a plain load, or of a mutex that is taken or given back.
fn address(function: &Function, op: Op, locks_wait: bool) -> Option<Operand> {
    match op {
        Op::Load { order: ReadOrder::NotAtomic, address, .. } => Some(address),
        Op::Builtin { builtin, arguments, .. } if locks_wait && is_mutex_call(builtin) => {
            function.operand(arguments, 0)
        }
        _ => None,
    }
}

/// Whether it only reads, or takes or gives back a mutex.
fn is_quiet(op: Op) -> bool {
    is_silent(op)
        || is_loop_mark(op)
        || matches!(op, Op::Load { .. } | Op::Fence(_) | Op::InBounds { .. })
        || matches!(op, Op::Builtin { builtin, .. } if is_mutex_call(builtin))
}
