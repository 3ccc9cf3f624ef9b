//! RC11, incrementally: coherence and atomicity by construction, and no cycle in psc.

use crate::open_co::GlobalOrder;
use crate::psc_live::{Co, Forced, PscSearch};
use crate::sections::Isolation;
use crate::{MemoryModel, Orders};
use base::ThreadId;
use graph::{EventRef, LiveGraph, ReleaseSequence};

/// The RC11 model, with the memory of its searches.
#[derive(Debug, Default)]
pub struct Rc11 {
    psc: PscSearch<Co>,
    forced: PscSearch<Forced>,
}

impl MemoryModel for Rc11 {
    type WithCo = Self;
    const NAME: &'static str = "RC11";
    const ORDERS: Orders = Orders::AsWritten;
    const HAS_SC: bool = true;
    const GLOBAL: Option<GlobalOrder> = Some(crate::rc11::psc);
    const ISOLATION: Option<Isolation> = Some(crate::sections::rc11);
    const RELEASE_SEQUENCE: ReleaseSequence = ReleaseSequence::SameThread;

    /// One SC event alone is on no cycle, nor are those of one thread: let `a` be sb-before `b`; from `b` back to `a` there
    /// is no hb, and if there were an eco, it would be against coherence. (It is `main` that often has all of them, in its
    /// assertions.)
    #[inline]
    fn has_global_order(graph: &LiveGraph) -> bool {
        let count = graph.sc_count();
        count >= 2 && graph.sc_of(ThreadId::MAIN).len() as u32 != count
    }

    #[inline]
    fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
        self.psc.admits(graph, new, other)
    }

    fn forbids(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        !self.forced.admits(graph, new, new)
    }
}
