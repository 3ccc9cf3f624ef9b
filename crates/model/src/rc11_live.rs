//! RC11, incrementally: coherence and atomicity by construction, and no cycle in psc.

use crate::open_co::GlobalOrder;
use crate::psc_live::{Co, Forced, PscSearch};
use crate::{MemoryModel, Orders};
use graph::{EventRef, LiveGraph, ReleaseSequence};

/// The RC11 model, with the memory of its searches.
#[derive(Debug, Default)]
pub struct Rc11 {
    psc: PscSearch<Co>,
    forced: PscSearch<Forced>,
}

impl MemoryModel for Rc11 {
    const NAME: &'static str = "RC11";
    const ORDERS: Orders = Orders::AsWritten;
    const HAS_SC: bool = true;
    const GLOBAL: Option<GlobalOrder> = Some(crate::rc11::psc);
    const RELEASE_SEQUENCE: ReleaseSequence = ReleaseSequence::SameThread;

    /// One SC event alone is on no cycle.
    fn has_global_order(graph: &LiveGraph) -> bool {
        graph.sc_count() >= 2
    }

    #[inline]
    fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
        self.psc.admits(graph, new, other)
    }

    fn forbids(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        !self.forced.admits(graph, new, new)
    }
}
