//! Loop rotation: the test at the head of a loop is copied to each of its backedges.
//!
//! Implements: [SAVER] sections IV and VII. In CAS-LOOP2 the flag that the test reads is live at the header; after the
//! copy the loop starts behind the test, where the flag is dead. Each backedge gets a copy of its own, so that loopy
//! paths are not merged; jump threading would do the same where the flag is known on an edge. A test is arithmetic and
//! a branch. Copying it changes nothing but its place.

use super::{Spin, score};
use crate::bytecode::{Function, Op};
use crate::cfg::{Cfg, Dominators, Loops, is_arithmetic};

/// Longer tests are not worth copying.
const MAX_TEST: usize = 12;

/// Rotate the loops for which more backedges are cut then.
pub(super) fn rotate(function: &Function, mut cfg: Cfg, spin: Spin) -> Cfg {
    let loops = Loops::new(&cfg, &Dominators::new(&cfg));
    let mut best = score(function, &cfg, spin);
    for (header, body) in loops.bodies() {
        if !is_test(&cfg, header) || cfg.successors(header).iter().all(|to| body.contains(to)) {
            continue;
        }
        let mut rotated = cfg.clone();
        for edge in loops.to(header) {
            let copy = rotated.add(rotated.blocks[header].clone());
            rotated.redirect(edge.from, header, copy);
        }
        let better = score(function, &rotated, spin);
        if better > best {
            (cfg, best) = (rotated, better);
        }
    }
    cfg
}

fn is_test(cfg: &Cfg, block: usize) -> bool {
    let ops = &cfg.blocks[block].ops;
    let (last, before) = ops.split_last().expect("a block is not empty");
    matches!(last, Op::Branch { .. })
        && before.len() <= MAX_TEST
        && before.iter().all(|&op| is_arithmetic(op))
}
