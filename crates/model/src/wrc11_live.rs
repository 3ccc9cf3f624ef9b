//! WRC11, incrementally: RC11 with `mo_weak` for `co`.
//!
//! Adding a read or a write as the last event of its thread puts nothing `mo_weak`-between what is there, so coherence is a
//! question about the new read's source alone, and atomicity follows from it but for two read-modify-writes of one
//! write, which the exploration rules out.

use crate::psc_live::{MoWeak, PscSearch};
use crate::{MemoryModel, Orders};
use graph::{EventRef, LiveGraph, ReleaseSequence};

/// The WRC11 model, with the memory of its searches.
#[derive(Debug, Default)]
pub struct Wrc11 {
    psc: PscSearch<MoWeak>,
}

impl MemoryModel for Wrc11 {
    type WithCo = Self;
    const NAME: &'static str = "WRC11";
    const ORDERS: Orders = Orders::AsWritten;
    const HAS_SC: bool = true;
    const RELEASE_SEQUENCE: ReleaseSequence = ReleaseSequence::SameThread;
    const HAS_CO: bool = false;

    #[inline]
    fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
        self.psc.admits(graph, new, other)
    }

    fn note(graph: &mut LiveGraph, e: EventRef) {
        graph.sync_mo_weak(e);
        graph.sync_overwritten(e);
    }

    fn precedes(graph: &LiveGraph, a: EventRef, b: EventRef) -> bool {
        graph.mo_weak(a, b)
    }

    /// `irreflexive(eco ; hb)` for a read that is the last event of its thread: nothing `mo_weak`-after `w` is
    /// (rf? ; hb)-before it.
    fn is_overwritten(graph: &LiveGraph, w: EventRef, r: EventRef) -> bool {
        graph.mo_weak_overwritten(w, r)
    }
}
