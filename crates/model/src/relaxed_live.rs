//! Relaxed, incrementally: nothing synchronises, so coherence with po and atomicity are all there is.

use crate::{MemoryModel, Orders};

/// The Relaxed model.
#[derive(Debug, Default)]
pub struct Relaxed;

impl MemoryModel for Relaxed {
    type WithCo = Self;
    const NAME: &'static str = "Relaxed";
    const ORDERS: Orders = Orders::Ignored;
    const HAS_SC: bool = false;
}
