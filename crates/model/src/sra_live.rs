//! Strong release-acquire, incrementally: RA, and no cycle in hb ∪ co.
//!
//! A new cycle leaves a new write along co: a read has no edge in hb ∪ co to anything that is there when it is added.
//! Cost: nothing for a write that is co-last; O(events reached · log events) otherwise.

use crate::frontier::{Frontier, no_cycle};
use crate::open_co::GlobalOrder;
use crate::{MemoryModel, Orders};
use graph::{EventRef, LiveGraph};

/// The SRA model, with the memory of its searches.
#[derive(Debug, Default)]
pub struct Sra {
    reached: Frontier,
}

impl MemoryModel for Sra {
    type WithCo = Self;
    const NAME: &'static str = "SRA";
    const ORDERS: Orders = Orders::Uniform;
    const HAS_SC: bool = false;
    const GLOBAL: Option<GlobalOrder> = Some(crate::sra::global_order);
    const SC_FENCE_IS_UPDATE: bool = true;

    fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
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
