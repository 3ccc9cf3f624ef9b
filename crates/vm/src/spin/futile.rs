//! Futile rounds: where it is certain that a round will be cut, it is cut at once.
//!
//! A round is cut at its end, but its reads may have decided that long before: the rest are loads that make no
//! difference, and maybe a loop that waits for something before the next attempt. From such a place on the thread only
//! reads, none of its reads can be wrong, and it never gets past the end of the round or of an inner one. So whatever
//! it reads, the exploration finds the same complete executions and the same errors as if the thread went no further.
//! Stopping there is worth it because the read that decided is then the last one, so that the engine can let it wait
//! (`awaits`).
//!
//! A place is *futile* if every path from it leads to the end of the round, or to an `Op::SpinAssume`, and passes on
//! its way only fences, arithmetic on registers and loads that cannot go wrong. The definition is inductive: a path
//! that turns in circles is not futile, but a hang. If the round ends at an `Op::SpinAssume`, the thread stops at the
//! futile place for the same reason. If it ends at an `Op::SpinCheck`, there is another one at the futile place, and
//! the thread goes on if that does not stop it. If it stops there, it would have stopped at the end as well: on the way
//! it changes no memory, and no register that is live at the header.
//!
//! **Loads that cannot go wrong.** Let `l` be a load that is skipped. Either it is of a global that is only ever
//! accessed atomically (`atomics`). Or an access `f` of the same address and size comes before it in the same round, on
//! every path; the first of these is not skipped, for it has none before it. Let `w` be a plain write, or a `free`, in
//! conflict with both, and not before `l` in `hb`. Then it is not before `f`. Neither is it after `f`, if the round
//! releases nothing: so `f` and `w` race, and that is found without `l`. Likewise `l` finds its memory alive and
//! initialised if `f` did, unless `w` has freed it.
//!
//! That the round has changed nothing does not mean that it releases nothing. A read-modify-write `u` that wrote the
//! value that it read may be acquired; but a thread that acquires it can do without it (`repeat`), and comes to `w` all
//! the same, with this thread still before `u`: then `f` and `w` race. That does not hold if a mutex is given back, for
//! `f` may have been made with the mutex held. Nor does it hold for a compare-exchange that succeeds and then leads to
//! an inner loop for ever: that round does not come to its end. In rounds with one of these, only loads of globals that
//! are accessed atomically are skipped.
//!
//! Differs: nothing like it is in [SAVER], which cuts at the end.
//! Side conditions: not where liveness is checked. A thread that waits for ever in an inner loop does so because of the
//! values that it reads there, which are not read any more.
//! Not found: calls. They are mostly inlined before they come here.
//! Cost: for each loop that is cut, a few passes over its function.

use super::assume::Analysis;
use super::atomics::{Atomics, atomic_access};
use crate::bytecode::{Function, Op, Operand, Reg};
use crate::cfg::effects::writes_of;
use crate::cfg::{Cfg, is_silent};
use base::ReadOrder;
use std::collections::BTreeSet;

/// Where an instruction is: its block, and its place in there.
type At = (usize, usize);

/// The instruction that ends the rounds of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cut {
    /// `Op::SpinAssume`, with the register that says when the round began.
    Assume(Reg),
    /// `Op::SpinCheck` of this watch.
    Check(u16),
}

impl Cut {
    /// The cut that belongs to this instruction of a header.
    fn started_by(op: Op) -> Option<Cut> {
        match op {
            Op::RoundStart { dst } => Some(Cut::Assume(dst)),
            Op::LoopHead { watch } => Some(Cut::Check(watch)),
            _ => None,
        }
    }

    fn op(self) -> Op {
        match self {
            Cut::Assume(since) => Op::SpinAssume { since, early: true },
            Cut::Check(watch) => Op::SpinCheck { watch },
        }
    }

    /// Whether the instruction is this cut, wherever it is.
    fn is_made_by(self, op: Op) -> bool {
        match (self, op) {
            (Cut::Assume(start), Op::SpinAssume { since, .. }) => start == since,
            (Cut::Check(this), Op::SpinCheck { watch }) => this == watch,
            _ => false,
        }
    }

    /// Cut at this place.
    fn put(self, cfg: &mut Cfg, (block, at): At) {
        let block = &mut cfg.blocks[block];
        block.insert(at, self.op());
        if let Cut::Assume(_) = self {
            block.ops.truncate(at + 1);
            block.sites.truncate(at + 1);
        }
    }
}

/// Cut rounds where they are futile.
pub(super) fn hoist(function: &Function, cfg: &mut Cfg, atomics: &Atomics) {
    let mut cuts = Vec::new();
    for (header, block) in cfg.blocks.iter().enumerate() {
        cuts.extend(block.ops.iter().filter_map(|&op| Some((header, Cut::started_by(op)?))));
    }
    for (header, cut) in cuts {
        let places = Rounds::new(Analysis::new(function, cfg), atomics, header, cut).places();
        places.into_iter().for_each(|at| cut.put(cfg, at));
    }
}

/// The rounds of a loop that is cut.
struct Rounds<'a> {
    analysis: Analysis<'a>,
    atomics: &'a Atomics,
    header: usize,
    cut: Cut,
    /// The atomic accesses of its rounds, with address and size.
    accesses: Vec<(At, (Operand, u8))>,
    /// The registers that its rounds assign.
    assigned: BTreeSet<Reg>,
    /// Whether a round that is cut has certainly done nothing that other threads could acquire.
    releases_nothing: bool,
}

impl<'a> Rounds<'a> {
    fn new(analysis: Analysis<'a>, atomics: &'a Atomics, header: usize, cut: Cut) -> Rounds<'a> {
        let (accesses, assigned, releases_nothing) = (Vec::new(), BTreeSet::new(), true);
        let mut rounds = Rounds { analysis, atomics, header, cut, accesses, assigned, releases_nothing };
        rounds.releases_nothing = !rounds.may_release();
        for block in rounds.blocks(|op| rounds.is_end(op)) {
            for (at, &op) in rounds.analysis.cfg.blocks[block].ops.iter().enumerate() {
                let access = atomic_access(op).map(|access| ((block, at), access));
                rounds.accesses.extend(access);
                writes_of(rounds.analysis.function, op, |register| _ = rounds.assigned.insert(register));
            }
        }
        rounds
    }

    /// Whether other threads can acquire something of a round although it is cut: a mutex that it gives back; or a
    /// compare-exchange, which has failed if an `Op::SpinAssume` comes at the end, but maybe not if an inner loop comes
    /// before that.
    fn may_release(&self) -> bool {
        let blocks = self.blocks(|op| self.cut.is_made_by(op));
        let mut ops = blocks.into_iter().flat_map(|block| &self.analysis.cfg.blocks[block].ops);
        ops.any(|&op| match op {
            Op::Builtin { .. } => !is_silent(op),
            Op::Call { .. } | Op::CallIndirect { .. } => true,
            Op::CompareExchange { .. } => matches!(self.cut, Cut::Assume(_)),
            _ => false,
        })
    }

    /// The blocks after the header from which such an end can be reached.
    fn blocks(&self, is_end: impl Fn(Op) -> bool) -> BTreeSet<usize> {
        let cfg = self.analysis.cfg;
        let predecessors = cfg.predecessors();
        let is_in = |block: &usize| self.analysis.dominators.dominates(self.header, *block);
        let has_end = |block: &usize| cfg.blocks[*block].ops.iter().any(|&op| is_end(op));
        let mut pending: Vec<usize> = (0..cfg.blocks.len()).filter(is_in).filter(has_end).collect();
        let mut found: BTreeSet<usize> = pending.iter().copied().collect();
        while let Some(block) = pending.pop() {
            let before = predecessors[block].iter().copied().filter(is_in);
            pending.extend(before.filter(|&block| found.insert(block)));
        }
        found
    }

    /// Where to cut: where the rounds become futile, if something is skipped by that.
    fn places(&self) -> Vec<At> {
        let futile = self.futile();
        let predecessors = self.analysis.cfg.predecessors();
        // Whether a thread that goes from this block to the next one is inside the futile part already.
        let is_inside = |&block: &usize| futile[block].is_some() && self.end_in(block).is_none();
        let is_first = |&(block, at): &At| at > 0 || !predecessors[block].iter().all(is_inside);
        let starts = futile.iter().enumerate().filter_map(|(block, &at)| Some((block, at?)));
        starts.filter(is_first).filter(|&start| self.skips(start)).collect()
    }

    /// Per block, where its futile part starts: from there it goes to the end of the round, or to that of the block.
    fn futile(&self) -> Vec<Option<usize>> {
        let blocks = self.analysis.cfg.blocks.len();
        let mut futile = vec![None; blocks];
        let mut changed = true;
        while changed {
            changed = false;
            for block in 0..blocks {
                let start = self.futile_part(block, &futile);
                changed |= start != std::mem::replace(&mut futile[block], start);
            }
        }
        futile
    }

    fn futile_part(&self, block: usize, futile: &[Option<usize>]) -> Option<usize> {
        let cfg = self.analysis.cfg;
        let ops = &cfg.blocks[block].ops;
        let after = cfg.successors(block);
        let end = match self.end_in(block) {
            Some(end) => end,
            None if !after.is_empty() && after.iter().all(|&to| futile[to] == Some(0)) => ops.len(),
            None => return None,
        };
        let start = (0..end).rev().find(|&at| !self.passes((block, at))).map_or(0, |last| last + 1);
        // Nothing can be put behind the instruction that says where to go on.
        (start < ops.len()).then_some(start)
    }

    /// The first end in a block.
    fn end_in(&self, block: usize) -> Option<usize> {
        self.analysis.cfg.blocks[block].ops.iter().position(|&op| self.is_end(op))
    }

    /// Whether the thread gets no further than this, if it has changed nothing since the header.
    fn is_end(&self, op: Op) -> bool {
        matches!(op, Op::SpinAssume { .. }) || self.cut.is_made_by(op)
    }

    /// Whether cutting at this futile place skips a load or a fence, on the way to the end of a round of this loop.
    fn skips(&self, start: At) -> bool {
        let cfg = self.analysis.cfg;
        let (mut asks, mut is_own) = (false, false);
        let (mut seen, mut pending) = (BTreeSet::from([start]), vec![start]);
        while let Some((block, from)) = pending.pop() {
            for &op in &cfg.blocks[block].ops
                [from..self.end_in(block).map_or(cfg.blocks[block].ops.len(), |end| end + 1)]
            {
                asks |= matches!(op, Op::Load { .. } | Op::Fence(_));
                is_own |= self.cut.is_made_by(op);
            }
            if self.end_in(block).is_none() {
                let after = cfg.successors(block).into_iter().map(|to| (to, 0));
                pending.extend(after.filter(|&to| seen.insert(to)));
            }
        }
        asks && is_own
    }

    /// Whether the instruction only reads, without going wrong, and changes nothing that the next round starts with.
    fn passes(&self, at: At) -> bool {
        let op = self.analysis.cfg.blocks[at.0].ops[at.1];
        let is_harmless = match op {
            Op::Load { order: ReadOrder::NotAtomic, .. } => false,
            Op::Load { address, size, .. } => self.is_safe(at, (address, size)),
            Op::Fence(_) | Op::Unroll { .. } => true,
            op => is_silent(op) && Cut::started_by(op) != Some(self.cut),
        };
        is_harmless && self.leaves_live_registers(op)
    }

    /// Whether nothing can be wrong with this load that would not be found without it.
    fn is_safe(&self, at: At, access: (Operand, u8)) -> bool {
        let is_before = |&(first, other): &(At, (Operand, u8))| other == access && self.dominates(first, at);
        self.atomics.has(self.analysis.function, access.0, access.1)
            || self.releases_nothing && self.is_fixed(access.0) && self.accesses.iter().any(is_before)
    }

    fn dominates(&self, a: At, b: At) -> bool {
        if a.0 == b.0 { a.1 < b.1 } else { self.analysis.dominators.dominates(a.0, b.0) }
    }

    /// Whether no round assigns the operand.
    fn is_fixed(&self, operand: Operand) -> bool {
        !matches!(operand, Operand::Reg(register) if self.assigned.contains(&register))
    }

    /// Whether the instruction leaves the registers alone that are compared, if a round is compared with its start.
    fn leaves_live_registers(&self, op: Op) -> bool {
        let live = self.analysis.liveness.at_start(self.header);
        let mut leaves = true;
        if !matches!(op, Op::Unroll { .. }) {
            writes_of(self.analysis.function, op, |register| leaves &= !live.contains(register));
        }
        leaves || matches!(self.cut, Cut::Assume(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{List, Module};
    use base::Site;

    const RETURN: Op = Op::Return { values: List { first: 0, len: 0 } };

    fn load(dst: u16, size: u8) -> Op {
        let address = Operand::Reg(Reg(2));
        Op::Load { size, order: ReadOrder::Relaxed, partial: false, dst: Reg(dst), address }
    }

    /// How many instructions are left of a round that loads from the address in a register, and then does this and is
    /// cut.
    fn left_of(then: &[Op]) -> usize {
        let decides = Op::Branch { condition: Operand::Reg(Reg(0)), then: 3, otherwise: 4 };
        let round = [Op::RoundStart { dst: Reg(5) }, load(0, 4), decides, RETURN];
        let code = [&round, then, &[Op::SpinAssume { since: Reg(5), early: false }]].concat();
        let sites = vec![Site(0); code.len()];
        let mut function = Function { registers: 6, code, sites, ..Function::default() };
        let mut cfg = Cfg::new(&function);
        hoist(&function, &mut cfg, &Atomics::new(&Module::default()));
        cfg.write_back(&mut function);
        function.code.len() - round.len()
    }

    #[test]
    fn a_load_is_skipped_if_the_round_has_made_the_same() {
        assert_eq!(left_of(&[load(1, 4)]), 1);
        assert_eq!(left_of(&[load(1, 4), load(3, 4)]), 1);
        // It is of another size, or of another address than before.
        assert_eq!(left_of(&[load(1, 2)]), 2);
        let move_on = Op::Move { dst: Reg(2), a: Operand::Reg(Reg(3)) };
        assert_eq!(left_of(&[move_on, load(1, 4)]), 3);
        // Nothing is skipped.
        assert_eq!(left_of(&[Op::Move { dst: Reg(1), a: Operand::Reg(Reg(3)) }]), 2);
    }
}
