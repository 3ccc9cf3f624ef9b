//! A model up to reads-from: an execution is consistent iff the model accepts it with some coherence order.
//!
//! Implements: the weak traces of \[Tracer\]. Coherence and atomicity are a matter of blocks, which the graph keeps
//! (`graph::LiveGraph::block_precedes`): they are satisfiable iff the order of blocks has no cycle. If the model has a
//! global axiom, too, a coherence order has to be searched for (`open_co`).

use crate::open_co::GlobalOrder;
use crate::{MemoryModel, Orders};
use graph::{EventRef, LiveGraph, ReleaseSequence};

/// Model `M` with its coherence order left open.
#[derive(Debug, Default)]
pub struct UpToRf<M> {
    model: M,
}

impl<M: MemoryModel + Default> MemoryModel for UpToRf<M> {
    type WithCo = M;
    const NAME: &'static str = M::NAME;
    const ORDERS: Orders = M::ORDERS;
    const SC_FENCE_IS_UPDATE: bool = M::SC_FENCE_IS_UPDATE;
    const RELEASE_SEQUENCE: ReleaseSequence = M::RELEASE_SEQUENCE;
    const HAS_CO: bool = false;
    const HAS_BLOCKS: bool = true;
    const HAS_SC: bool = M::HAS_SC;
    const GLOBAL: Option<GlobalOrder> = M::GLOBAL;

    #[inline(always)]
    fn has_global_order(graph: &LiveGraph) -> bool {
        M::has_global_order(graph)
    }

    /// Whatever cycle there is, it leaves some access.
    fn allows_links(&mut self, graph: &LiveGraph) -> bool {
        let accesses = graph.thread_ids().flat_map(|thread| graph.po(thread));
        let mut accesses = accesses.filter(|&&e| graph.event(e).kind.is_access());
        accesses.all(|&e| self.model.admits(graph, e, e))
    }

    fn forbids(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        self.model.forbids(graph, new)
    }

    #[inline(always)]
    fn precedes(graph: &LiveGraph, a: EventRef, b: EventRef) -> bool {
        graph.block_precedes(a, b)
    }

    #[inline(always)]
    fn is_overwritten(graph: &LiveGraph, w: EventRef, r: EventRef) -> bool {
        graph.block_overwritten(w, r)
    }
}
