//! What the exploration asks of a memory model.
//!
//! Coherence and atomicity hold by construction: candidates for reads and places for writes are cut off at the
//! coherence floor, which the clocks give. What is left to a model is which accesses synchronise, and its global
//! axiom.

use base::{FenceOrder, ReadOrder, WriteOrder};
use graph::{EventRef, LiveGraph};

/// A memory model, incrementally. Each is tested equal to its declarative text.
pub trait MemoryModel {
    /// Its name, as the reports print it.
    const NAME: &'static str;

    /// An SC fence is an acquire-release read-modify-write of one distinguished location.
    const SC_FENCE_IS_UPDATE: bool = false;

    /// Does a read of this order acquire?
    fn acquires(order: ReadOrder) -> bool;

    /// Does a write of this order release?
    fn releases(order: WriteOrder) -> bool;

    /// Does this fence acquire, does it release?
    fn fence(order: FenceOrder) -> (bool, bool);

    /// Do SC accesses and fences take part in the global axiom as such?
    const HAS_SC: bool;

    /// Does the global axiom hold, given that it did without the edges that leave `new` and `other`? These are the
    /// only events that have just got a source or a place that is not co-last.
    fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool;
}
