//! Relaxed, incrementally: nothing synchronises, so coherence with po and atomicity are all there is.

use crate::MemoryModel;
use base::{FenceOrder, ReadOrder, WriteOrder};
use graph::{EventRef, LiveGraph};

/// The Relaxed model.
#[derive(Debug, Default)]
pub struct Relaxed;

impl MemoryModel for Relaxed {
    const NAME: &'static str = "Relaxed";
    const HAS_SC: bool = false;

    fn acquires(_: ReadOrder) -> bool {
        false
    }

    fn releases(_: WriteOrder) -> bool {
        false
    }

    fn fence(_: FenceOrder) -> (bool, bool) {
        (false, false)
    }

    fn admits(&mut self, _: &LiveGraph, _: EventRef, _: EventRef) -> bool {
        true
    }
}
