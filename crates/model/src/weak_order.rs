//! Writes without a coherence order, incrementally: which is before which, and which a read may not read.
//!
//! Adding a read or a write as the last event of its thread puts nothing `mo_weak`-between what is there, so coherence is a
//! question about the new read's source alone, and atomicity follows from it but for two read-modify-writes of one
//! write, which the exploration rules out.

use crate::rules::Coherence;
use live::{EventRef, LiveGraph};

impl Coherence {
    /// Access `e` has got its clocks: what the graph keeps of it for the order of writes.
    pub fn note(self, graph: &mut LiveGraph, e: EventRef) {
        match self {
            Coherence::Total => {}
            Coherence::HappensBefore => graph.sync_mo_weak(e),
            Coherence::MoWeak => {
                graph.sync_mo_weak(e);
                graph.sync_overwritten(e);
            }
        }
    }

    /// Whether write `a` is before write `b`, another one to the same location. A write that none is after may always
    /// be read, also by a read-modify-write.
    ///
    /// hb, and what a read-modify-write read before what it wrote: if that is a plain write, it does not happen before.
    pub fn precedes(self, graph: &LiveGraph, a: EventRef, b: EventRef) -> bool {
        debug_assert_ne!(self, Coherence::Total);
        graph.mo_weak(a, b)
    }

    /// Whether write `w` is before a write that `r` must not read past. The present source of `r` does not count.
    pub fn is_overwritten(self, graph: &LiveGraph, w: EventRef, r: EventRef) -> bool {
        match self {
            Coherence::Total => unreachable!("a coherence order says what may be read"),
            Coherence::HappensBefore => weak_rcoh_forbids(graph, w, r),
            // `irreflexive(eco ; hb)` for a read that is the last event of its thread: nothing `mo_weak`-after `w` is
            // (rf? ; hb)-before it.
            Coherence::MoWeak => graph.mo_weak_overwritten(w, r),
        }
    }
}

/// weak-Rcoh: of each thread, the last write that the reader knows of is enough.
fn weak_rcoh_forbids(graph: &LiveGraph, w: EventRef, r: EventRef) -> bool {
    let location = graph.event(r).location;
    graph.thread_ids().any(|thread| {
        let v = graph.last_write_before(location, thread, graph.known(r, thread));
        v.is_some() && (w.is_init() || graph.hb(w, v))
    })
}
