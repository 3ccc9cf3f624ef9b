//! What the exploration asks of a memory model.
//!
//! Coherence and atomicity hold by construction: candidates for reads and places for writes are cut off at the
//! coherence floor, which the clocks give. What is left to a model is which accesses synchronise, and its global
//! axiom. A model without a coherence order says instead which writes are before which, and what a read may not read.

use crate::open_co::GlobalOrder;
use crate::sections::Isolation;
use base::{FenceOrder, ReadOrder, WriteOrder};
use graph::{EventRef, LiveGraph, ReleaseSequence};

/// Which accesses and fences synchronise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orders {
    /// Those that the program wrote so.
    AsWritten,
    /// Every atomic read acquires and every atomic write releases, whatever the program wrote; fences do nothing.
    Uniform,
    /// None.
    Ignored,
}

impl Orders {
    /// Does a read of this order acquire?
    pub fn acquires(self, order: ReadOrder) -> bool {
        match self {
            Orders::AsWritten => order.is_acquire(),
            Orders::Uniform => order != ReadOrder::NotAtomic,
            Orders::Ignored => false,
        }
    }

    /// Does a write of this order release?
    pub fn releases(self, order: WriteOrder) -> bool {
        match self {
            Orders::AsWritten => order.is_release(),
            Orders::Uniform => order != WriteOrder::NotAtomic,
            Orders::Ignored => false,
        }
    }

    /// Does this fence acquire, does it release?
    pub fn fence(self, order: FenceOrder) -> (bool, bool) {
        match self {
            Orders::AsWritten => (order.is_acquire(), order.is_release()),
            Orders::Uniform | Orders::Ignored => (false, false),
        }
    }
}

/// A memory model, incrementally. Each is tested equal to its declarative text.
pub trait MemoryModel {
    /// The same with its coherence order, if that is left open here.
    type WithCo: MemoryModel + Default;

    /// Its name, as the reports print it.
    const NAME: &'static str;

    /// Which accesses and fences synchronise.
    const ORDERS: Orders;

    /// An SC fence is an acquire-release read-modify-write of one distinguished location.
    const SC_FENCE_IS_UPDATE: bool = false;

    /// What continues the release sequence of a write, besides read-modify-writes.
    const RELEASE_SEQUENCE: ReleaseSequence = ReleaseSequence::UpdatesOnly;

    /// Does an execution have a coherence order? If not, `co` of the graph under construction is no more than a set of
    /// writes (in which a read-modify-write is right after its source), and the model answers `precedes` and
    /// `is_overwritten`.
    const HAS_CO: bool = true;

    /// Is there a coherence order that is left open? An execution is then consistent iff it is with some coherence order.
    /// The graph under construction keeps its blocks: what every coherence order has in common.
    const HAS_BLOCKS: bool = false;

    /// The relation of its global axiom, if it has one, and the coherence order may be left open.
    const GLOBAL: Option<GlobalOrder> = None;

    /// Its axioms on executions in which each atomic section is one event, if that is defined. It needs a coherence order.
    const ISOLATION: Option<Isolation> = None;

    /// Is there anything in the graph that the global axiom can forbid?
    #[inline(always)]
    fn has_global_order(_: &LiveGraph) -> bool {
        Self::GLOBAL.is_some()
    }

    /// With the coherence order left open, a first look: is the order in which writes are linked one that the global axiom
    /// allows? `false` says nothing.
    fn allows_links(&mut self, _: &LiveGraph) -> bool {
        false
    }

    /// The same: does every coherence order make a cycle through `new`? `false` says nothing.
    fn forbids(&mut self, _: &LiveGraph, _new: EventRef) -> bool {
        false
    }

    /// Do SC accesses and fences take part in the global axiom as such?
    const HAS_SC: bool;

    /// Does the global axiom hold, given that it did without the edges that leave `new` and `other`? These are the
    /// only events that have just got a source or a place that is not co-last; `other` is `new`, or what `new` reads.
    fn admits(&mut self, _: &LiveGraph, _new: EventRef, _other: EventRef) -> bool {
        true
    }

    /// Access `e` has got its clocks: whatever else the model keeps of it.
    fn note(_: &mut LiveGraph, _: EventRef) {}

    /// Models without `co`: is write `a` before write `b`, another one to the same location? A write that none is after
    /// may always be read, also by a read-modify-write.
    fn precedes(_: &LiveGraph, _: EventRef, _: EventRef) -> bool {
        unreachable!("{} has a coherence order", Self::NAME)
    }

    /// Models without `co`: is write `w` before a write that `r` must not read past? What `r` reads now does not count.
    fn is_overwritten(_: &LiveGraph, _: EventRef, _: EventRef) -> bool {
        unreachable!("{} has a coherence order", Self::NAME)
    }
}
