//! What every round of a loop does again, the last one too: plain loads, and taking and giving back mutexes.
//!
//! A round that is left out takes its races with it. Here none is lost. Let `r` be a plain load of such a round, and `e` an
//! access of another thread that races with it. The rounds of the loop only read, and take and give back mutexes.
//! * If `e` comes about without what the thread does after the loop, the later rounds can be left out as well: who took a
//!   mutex from them takes it from this one. The execution that this round ends shows the race.
//! * Otherwise the last round has made the same access as `r` before that. `e` is not before that access in `hb`, for it
//!   comes about after it, and not after it, for then it would be after `r` as well. So that is a race, too.
//!
//! The same goes for a mutex and who destroys it.
//!
//! And a round that takes and gives back mutexes changes nothing: who took one from it can take it from whom the round
//! took it. That is so if everybody who looks at a mutex waits for it: not with `trylock`.
//!
//! Implements: [SAVER] section VI, lock and unlock as a round without net effect; what to undo is nothing but the mutex, so
//! that nobody has to be waited for.
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
        // Without notes, what could be left out counts as an effect: fewer rounds are cut.
        if Effort::of(function, &cfg, &mut left) == Effort::Full {
            function.again = again(function, &cfg, locks_wait);
        }
    }
}

/// Does the call take a mutex, or give it back?
pub(super) fn is_mutex_call(builtin: Builtin) -> bool {
    let spin = [SyncCall::SpinLock, SyncCall::SpinUnlock].map(Builtin::Sync);
    matches!(builtin, Builtin::MutexLock | Builtin::MutexUnlock) || spin.contains(&builtin)
}

/// The instructions that every loop around them does again in every round, in order.
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

/// A loop: all its blocks, and what is known of them.
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

    /// Does every round access this in the block, and nothing else than what may be left out?
    fn repeats(&self, block: usize, address: Operand) -> bool {
        self.is_quiet && self.is_the_same(address) && self.is_in_every_round(block)
    }

    /// Is the loop left only behind the block? Then the last round has come by it: if another way led out, it would
    /// lead there in the first round as well.
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

/// Does it only read, or take or give back a mutex?
fn is_quiet(op: Op) -> bool {
    is_silent(op)
        || is_loop_mark(op)
        || matches!(op, Op::Load { .. } | Op::Fence(_) | Op::InBounds { .. })
        || matches!(op, Op::Builtin { builtin, .. } if is_mutex_call(builtin))
}
