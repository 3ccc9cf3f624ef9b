//! spin-assume: a backedge all of whose rounds are without effect becomes the end of the thread.
//!
//! Implements: [SAVER] definition 3, and the first half of section V (potentially effect-free).
//! Differs: a loop must read something that others can write. One that does not is no spinloop but a hang, and is left
//! to the step limit, which says so.

use super::failing;
use super::fates::{Fate, Noted};
use crate::bytecode::{Function, Op, Reg};
use crate::cfg::effects::writes_of;
use crate::cfg::{BackEdge, Block, Cfg, Dominators, Liveness, Loops, Purity};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The outcome of each compare-exchange is found by following all paths after it. If these have more steps than this,
/// the backedge stays: that is always right.
const MOST_STEPS: usize = 1 << 20;

/// A graph with its analyses.
#[derive(Debug)]
pub(super) struct Analysis<'a> {
    pub(super) function: &'a Function,
    pub(super) cfg: &'a Cfg,
    pub(super) dominators: Dominators,
    pub(super) loops: Loops,
    pub(super) liveness: Liveness,
}

impl<'a> Analysis<'a> {
    pub(super) fn new(function: &'a Function, cfg: &'a Cfg) -> Analysis<'a> {
        let dominators = Dominators::new(cfg);
        let loops = Loops::new(cfg, &dominators);
        Analysis { function, cfg, dominators, loops, liveness: Liveness::new(function, cfg) }
    }

    /// Definition 3: every loopy path is pure and assigns only registers that are dead at the header.
    pub(super) fn is_effect_free(&self, edge: &BackEdge) -> bool {
        self.is_potentially_effect_free(edge) && self.loads(edge) && self.is_pure(edge)
    }

    /// Section V: every loopy path assigns only registers that are dead at the header.
    pub(super) fn is_potentially_effect_free(&self, edge: &BackEdge) -> bool {
        let live = self.liveness.at_start(edge.header);
        self.ops(edge).filter(|op| !matches!(op, Op::Unroll { .. })).all(|op| {
            let mut is_dead = true;
            writes_of(self.function, op, |register| is_dead &= !live.contains(register));
            is_dead
        })
    }

    /// Whether the loop reads memory that another thread can change.
    fn loads(&self, edge: &BackEdge) -> bool {
        self.ops(edge).any(|op| matches!(Purity::of(op), Purity::Load | Purity::CompareExchange))
    }

    fn is_pure(&self, edge: &BackEdge) -> bool {
        self.ops(edge).all(|op| Purity::of(op) != Purity::Effect)
            && self.tries(edge) * self.ops(edge).count() <= MOST_STEPS
            && failing::all_fail(self.function, self.cfg, edge)
    }

    /// How many compare-exchanges there are.
    fn tries(&self, edge: &BackEdge) -> usize {
        self.ops(edge).filter(|op| matches!(op, Op::CompareExchange { .. })).count()
    }

    fn ops(&self, edge: &BackEdge) -> impl Iterator<Item = Op> {
        edge.body.iter().flat_map(|&block| self.cfg.blocks[block].ops.iter().copied())
    }
}

/// Replace every effect-free backedge. Returns the loops that have one.
pub(super) fn cut(function: &mut Function, cfg: &mut Cfg) -> Vec<Noted> {
    let analysis = Analysis::new(function, cfg);
    let edges = analysis.loops.backedges.iter().filter(|edge| analysis.is_effect_free(edge));
    let edges: Vec<(usize, usize)> = edges.map(|edge| (edge.from, edge.header)).collect();
    let mut starts: BTreeMap<usize, Reg> = BTreeMap::new();
    for (from, header) in edges {
        let since = Reg(function.registers);
        let since = match starts.entry(header) {
            Entry::Occupied(start) => *start.get(),
            // There is no register left: the loop stays as it is.
            Entry::Vacant(_) if function.registers == u16::MAX => continue,
            Entry::Vacant(start) => {
                function.registers += 1;
                cfg.blocks[header].insert(0, Op::RoundStart { dst: since });
                *start.insert(since)
            }
        };
        let end = cfg.add(Block::of(Op::SpinAssume { since, early: false }, cfg.blocks[from].last_site()));
        cfg.redirect(from, header, end);
    }
    starts.keys().map(|&header| (cfg.blocks[header].last_site(), Fate::Cut)).collect()
}
