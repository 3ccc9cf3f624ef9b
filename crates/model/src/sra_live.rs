//! Strong release-acquire, incrementally: RA, and no cycle in hb ∪ co.
//!
//! A new cycle leaves a new write along co: a read has no edge in hb ∪ co to anything that is there when it is added.
//! Cost: nothing for a write that is co-last; O(events reached · log events) otherwise.

use crate::frontier::{Frontier, no_cycle};
use live::{EventRef, LiveGraph};

/// The search, with its memory.
#[derive(Debug, Default)]
pub(crate) struct SraSearch {
    reached: Frontier,
}

impl SraSearch {
    /// Whether there is no cycle through `new` and none through `other`.
    pub(crate) fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
        let mut ok =
            |e: EventRef| !graph.event(e).kind.writes() || no_cycle(&mut self.reached, graph, e, reach_co);
        ok(new) && (other == new || ok(other))
    }
}

/// What is co-after `e`.
fn reach_co(reached: &mut Frontier, graph: &LiveGraph, e: EventRef) {
    if graph.event(e).kind.writes() {
        reached.reach_event(graph, graph.co_next(e));
    }
}
