//! Release-acquire, incrementally: coherence and atomicity are all there is.

use crate::MemoryModel;
use base::{FenceOrder, ReadOrder, WriteOrder};
use graph::{EventRef, LiveGraph};

/// The RA model: every atomic read acquires, every atomic write releases.
#[derive(Debug, Default)]
pub struct Ra;

impl MemoryModel for Ra {
    const NAME: &'static str = "RA";
    const HAS_SC: bool = false;
    const SC_FENCE_IS_UPDATE: bool = true;

    fn acquires(order: ReadOrder) -> bool {
        order != ReadOrder::NotAtomic
    }

    fn releases(order: WriteOrder) -> bool {
        order != WriteOrder::NotAtomic
    }

    fn fence(_: FenceOrder) -> (bool, bool) {
        (false, false)
    }

    fn admits(&mut self, _: &LiveGraph, _: EventRef, _: EventRef) -> bool {
        true
    }
}
