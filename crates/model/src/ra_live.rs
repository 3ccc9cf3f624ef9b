//! Release-acquire, incrementally: coherence and atomicity are all there is.

use crate::{MemoryModel, Orders};

/// The RA model: every atomic read acquires, every atomic write releases.
#[derive(Debug, Default)]
pub struct Ra;

impl MemoryModel for Ra {
    type WithCo = Self;
    const NAME: &'static str = "RA";
    const ORDERS: Orders = Orders::Uniform;
    const HAS_SC: bool = false;
    const SC_FENCE_IS_UPDATE: bool = true;
}
