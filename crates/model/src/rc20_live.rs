//! RC20, incrementally: coherence and atomicity with C++20's release sequences are all there is.

use crate::MemoryModel;
use base::{FenceOrder, ReadOrder, WriteOrder};
use graph::{EventRef, LiveGraph};

/// The RC20 model: the orders that the program wrote; an SC access is acquire-release.
#[derive(Debug, Default)]
pub struct Rc20;

impl MemoryModel for Rc20 {
    const NAME: &'static str = "RC20";
    const HAS_SC: bool = false;
    const SC_FENCE_IS_UPDATE: bool = true;

    fn acquires(order: ReadOrder) -> bool {
        order.is_acquire()
    }

    fn releases(order: WriteOrder) -> bool {
        order.is_release()
    }

    fn fence(order: FenceOrder) -> (bool, bool) {
        (order.is_acquire(), order.is_release())
    }

    fn admits(&mut self, _: &LiveGraph, _: EventRef, _: EventRef) -> bool {
        true
    }
}
