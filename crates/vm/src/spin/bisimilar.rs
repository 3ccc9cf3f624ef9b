//! Bisimilarity: code before a loop that is the same as the end of each round becomes the end of a round.
//!
//! Implements: [SAVER] sections IV and VII: of each pair of ways into a header, the instructions that both end with are
//! merged. In LOOP-PEEL that is the load before the loop and the one in it: one load is left.
//! Differs: no unification. Registers have been allocated already, and one variable is one register; where it is not,
//! nothing is merged. Reports name the places of the instructions in the loop.

use super::{Spin, score};
use crate::bytecode::{Function, Op, Operand, Reg};
use crate::cfg::effects::{reads_of, writes_of};
use crate::cfg::{Block, Cfg, Dominators, Loops};
use base::Site;

/// Merge where more backedges are cut then.
pub(super) fn merge(function: &Function, mut cfg: Cfg, spin: Spin) -> Cfg {
    let mut best = score(function, &cfg, spin);
    while let Some((merged, better)) = better_merge(function, &cfg, spin, best) {
        (cfg, best) = (merged, better);
    }
    cfg
}

fn better_merge(function: &Function, cfg: &Cfg, spin: Spin, best: usize) -> Option<(Cfg, usize)> {
    let dominators = Dominators::new(cfg);
    let loops = Loops::new(cfg, &dominators);
    let predecessors = cfg.predecessors();
    for edge in &loops.backedges {
        let entries = predecessors[edge.header].iter().filter(|&&from| !edge.body.contains(&from));
        for &entry in entries.filter(|&&from| dominators.is_reached(from)) {
            let Some(merged) = merge_ends(function, cfg, entry, edge.from) else { continue };
            let better = score(function, &merged, spin);
            if better > best {
                return Some((merged, better));
            }
        }
    }
    None
}

/// The graph in which the common end of the two blocks is a block of its own; `None` if they have none.
fn merge_ends(function: &Function, cfg: &Cfg, entry: usize, back: usize) -> Option<Cfg> {
    let (a, b) = (Ending::new(cfg, entry), Ending::new(cfg, back));
    let both = a.rest.iter().rev().zip(b.rest.iter().rev()).take_while(|(a, b)| a.0 == b.0).count();
    // The jump to the header is the same, and not enough.
    let jumps = matches!(b.rest.last(), Some((Op::Jump(_), _)));
    if both < 2 || !jumps || !a.is_apart(function) || !b.is_apart(function) {
        return None;
    }
    let mut merged = cfg.clone();
    let end = merged.add(block(&b.rest[b.rest.len() - both..]));
    for (number, ending) in [(entry, a), (back, b)] {
        let (keep, jump) = (ending.rest.len() - both, Op::Jump(end as u32));
        let site = ending.rest[keep].1;
        let counts = ending.counts.iter().copied();
        let code: Vec<_> = ending.rest[..keep].iter().copied().chain(counts).chain([(jump, site)]).collect();
        merged.blocks[number] = block(&code);
    }
    Some(merged)
}

fn block(code: &[(Op, Site)]) -> Block {
    let (ops, sites) = code.iter().copied().unzip();
    Block { ops, sites }
}

/// The code of a block, with the instructions that count rounds for `--unroll` apart: these are not the same before a
/// loop and in it.
struct Ending {
    rest: Vec<(Op, Site)>,
    counts: Vec<(Op, Site)>,
}

impl Ending {
    fn new(cfg: &Cfg, block: usize) -> Ending {
        let ops = || cfg.blocks.iter().flat_map(|block| &block.ops);
        let counts = |register: Reg| ops().any(|&op| op == Op::Unroll { counter: register });
        let code = cfg.blocks[block].ops.iter().copied().zip(cfg.blocks[block].sites.iter().copied());
        let (counts, rest) = code.partition(|&(op, _)| match op {
            Op::Unroll { .. } => true,
            Op::Move { dst, a: Operand::Const(_) } => counts(dst),
            _ => false,
        });
        Ending { rest, counts }
    }

    /// Whether it makes no difference where in the block rounds are counted. It makes one if the counter's register is
    /// also used for something else there.
    fn is_apart(&self, function: &Function) -> bool {
        let mut is_apart = true;
        for &(op, _) in &self.counts {
            let (Op::Unroll { counter } | Op::Move { dst: counter, .. }) = op else { continue };
            for &(other, _) in &self.rest {
                reads_of(function, other, |register| is_apart &= register != counter);
                writes_of(function, other, |register| is_apart &= register != counter);
            }
        }
        is_apart
    }
}
