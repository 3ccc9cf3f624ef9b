//! Strong release-acquire, incrementally: RA, and no cycle in hb ∪ co.
//!
//! A new cycle leaves a new write along co: a read has no edge in hb ∪ co to anything that is there when it is added.
//! Cost: nothing for a write that is co-last; O(events reached · log events) otherwise.

use crate::after::{Forced, Linked, Steps};
use crate::frontier::{Frontier, no_cycle, reach_from, reach_hb};
use live::{EventRef, LiveGraph};

/// The search, with its memory.
#[derive(Debug, Default)]
pub(crate) struct SraSearch {
    reached: Frontier,
}

impl SraSearch {
    /// Whether there is no cycle through `new` and none through `other`.
    pub(crate) fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
        let mut ok = |e: EventRef| {
            !graph.event(e).kind.writes()
                || no_cycle(&mut self.reached, graph, e, reach_hb, reach_co::<Linked>)
        };
        ok(new) && (other == new || ok(other))
    }

    /// Whether every coherence order makes a cycle through `new`.
    pub(crate) fn forbids(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        graph.event(new).kind.writes()
            && !no_cycle(&mut self.reached, graph, new, reach_hb, reach_co::<Forced>)
    }

    /// Find what is after write `a` in every coherence order.
    pub(crate) fn reach_from(&mut self, graph: &LiveGraph, a: EventRef) {
        reach_from(&mut self.reached, graph, a, reach_hb, reach_co::<Forced>);
    }

    /// Whether `e` is, and writes: nothing is fr-after a read in the global order.
    pub(crate) fn has_reached(&self, graph: &LiveGraph, e: EventRef) -> bool {
        let event = graph.event(e);
        event.kind.writes() && self.reached.contains(event.thread, event.index)
    }
}

/// What is co-after `e`. A read-modify-write without a place counts as if it had one.
fn reach_co<S: Steps>(reached: &mut Frontier, graph: &LiveGraph, e: EventRef) {
    if graph.event(e).kind.writes() {
        S::after(graph, e).for_each(|w| reached.reach_event(graph, w));
    }
}
