//! Bisimilarity: code before a loop that does what the end of each round does becomes the end of a round.
//!
//! Implements: [SAVER] sections IV and VII: of each pair of ways into a header, the instructions that both end with are
//! merged. In LOOP-PEEL that is the load before the loop and the one in it: one load is left.
//! Differs: no unification. Registers have been shared out already, and what was one variable is one register; where it is
//! not, nothing is merged. Reports name the places of the instructions in the loop.

use super::{Spin, score};
use crate::bytecode::{Function, Op};
use crate::cfg::{Block, Cfg, Dominators, Loops};

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
            let Some(merged) = merge_ends(cfg, entry, edge.from) else { continue };
            let better = score(function, &merged, spin);
            if better > best {
                return Some((merged, better));
            }
        }
    }
    None
}

/// The graph in which what the two blocks end with is a block of its own; `None` if there is no such thing.
fn merge_ends(cfg: &Cfg, entry: usize, back: usize) -> Option<Cfg> {
    let (a, b) = (&cfg.blocks[entry].ops, &cfg.blocks[back].ops);
    let both = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    // The jump to the header is the same, and not enough.
    if both < 2 || !matches!(cfg.blocks[back].last(), Op::Jump(_)) {
        return None;
    }
    let mut merged = cfg.clone();
    let split = b.len() - both;
    let end = Block { ops: b[split..].to_vec(), sites: cfg.blocks[back].sites[split..].to_vec() };
    let end = merged.add(end);
    for (block, keep) in [(entry, a.len() - both), (back, split)] {
        let block = &mut merged.blocks[block];
        let site = block.sites[keep];
        block.ops.truncate(keep);
        block.sites.truncate(keep);
        block.ops.push(Op::Jump(end as u32));
        block.sites.push(site);
    }
    Some(merged)
}
