//! Weak release-acquire, incrementally: a read may not read what happens before a write that happens before it.

use crate::{MemoryModel, Orders};
use graph::{EventRef, LiveGraph};

/// The WRA model: every atomic read acquires, every atomic write releases, and writes to a location are ordered by hb
/// alone.
#[derive(Debug, Default)]
pub struct Wra;

impl MemoryModel for Wra {
    type WithCo = Self;
    const NAME: &'static str = "WRA";
    const ORDERS: Orders = Orders::Uniform;
    const HAS_SC: bool = false;
    const HAS_CO: bool = false;
    const SC_FENCE_IS_UPDATE: bool = true;

    fn note(graph: &mut LiveGraph, e: EventRef) {
        graph.sync_mo_weak(e);
    }

    /// hb, and what a read-modify-write read before what it wrote: if that is a plain write, it does not happen before.
    fn precedes(graph: &LiveGraph, a: EventRef, b: EventRef) -> bool {
        graph.mo_weak(a, b)
    }

    /// weak-Rcoh: of each thread, the last write that the reader knows of is enough.
    fn is_overwritten(graph: &LiveGraph, w: EventRef, r: EventRef) -> bool {
        let location = graph.event(r).location;
        graph.thread_ids().any(|thread| {
            let v = graph.last_write_before(location, thread, graph.known(r, thread));
            v.is_some() && (w.is_init() || graph.hb(w, v))
        })
    }
}
