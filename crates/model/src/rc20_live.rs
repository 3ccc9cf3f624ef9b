//! RC20, incrementally: coherence and atomicity with C++20's release sequences are all there is.

use crate::{MemoryModel, Orders};

/// The RC20 model: the orders that the program wrote; an SC access is acquire-release.
#[derive(Debug, Default)]
pub struct Rc20;

impl MemoryModel for Rc20 {
    type WithCo = Self;
    const NAME: &'static str = "RC20";
    const ORDERS: Orders = Orders::AsWritten;
    const HAS_SC: bool = false;
    const SC_FENCE_IS_UPDATE: bool = true;
}
