//! Locations of a graph under construction.

use crate::event::EventRef;
use base::{Access, ClockId, Value};

/// A location: its initial write, its co and its accesses.
#[derive(Clone, Debug)]
pub struct Location {
    /// Where it is.
    pub access: Access,
    /// The initial value; `None` if it was never written.
    pub init: Option<Value>,
    /// The write after the initial one.
    pub first: EventRef,
    /// The co-last write.
    pub tail: EventRef,
    /// Per thread its first read of the initial write (complements of indices, 0 for none).
    pub(crate) observers: ClockId,
    /// Per thread one more than the index of its last read.
    pub(crate) last_read: ClockId,
    /// The same for writes.
    pub(crate) last_write: ClockId,
    /// How many plain accesses there are.
    pub plain: u32,
}
