//! The writes that are co- or fr-after an access, for searches that follow them.
//!
//! A coherence order is the one in which writes are linked, or, where it is left open, what all of them have in common. In a
//! read-modify-write nothing is between what it read and what it wrote, so it counts as a read of its source: this also
//! holds for one that has no place yet.

use live::{EventRef, LiveGraph};

/// The order of the writes to a location, as far as a search follows it.
pub(crate) trait Steps {
    /// Writes that are after access `e`; those that are after these may be left out.
    fn after(graph: &LiveGraph, e: EventRef) -> impl Iterator<Item = EventRef>;
}

/// The order in which writes are linked.
#[derive(Debug, Default)]
pub(crate) struct Linked;

impl Steps for Linked {
    #[inline(always)]
    fn after(graph: &LiveGraph, e: EventRef) -> impl Iterator<Item = EventRef> {
        let event = graph.event(e);
        let next = graph.co_next(if event.kind.writes() { e } else { event.rf });
        next.is_some().then_some(next).into_iter()
    }
}

/// What all coherence orders have in common: the order of blocks.
#[derive(Debug, Default)]
pub(crate) struct Forced;

impl Steps for Forced {
    fn after(graph: &LiveGraph, e: EventRef) -> impl Iterator<Item = EventRef> {
        let event = graph.event(e);
        let from = if event.kind.reads() { event.rf } else { e };
        let mut w = EventRef::init(event.location);
        let writes = std::iter::from_fn(move || {
            w = graph.co_next(w);
            w.is_some().then_some(w)
        });
        writes.filter(move |&w| w != from && w != e && graph.block_precedes(from, w))
    }
}
