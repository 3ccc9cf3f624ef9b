//! Barriers: a thread leaves once all have arrived; arrivals have no order.
//!
//! Each thread arrives with a release write to a slot of its own, so arrivals have no order among each other: k threads
//! have one way to meet, not k!. A thread that leaves reads all slots of the round, once all threads have arrived
//! ([`Departure`]).
//!
//! Argument: a slot is written by one thread only, and not again before every thread has left the round. So there is
//! one write that a departing thread can read, and an attempt that comes too early would only be one that waits: no
//! event is made for it, as for a join.
//!
//! Relies on: nothing in the ledger.
//!
//! Not modelled: a barrier that more threads use than it waits for, where it is a choice which threads meet: refused.
//!
//! Compared by: `vm/tests/it/waiting`, with all interleavings of random programs.
//!
//! Cost: O(slots) whenever a thread that waits at a barrier is looked at.

use crate::core::shape::Shape;
use crate::reductions::Room;
use base::{Access, Value};
use live::LocationId;
use program::{Departure, Gate, Hint};

/// The room of barriers; it has no state.
#[derive(Debug)]
pub(crate) struct Barriers;

impl<P: Hint, C: Shape> Room<'_, Barriers, P, C> {
    /// Whether a thread may leave.
    pub(crate) fn gate(&self, departure: &Departure) -> Gate {
        departure.gate(|slot| self.last_value(slot).unwrap_or(0))
    }

    /// The location of a slot that a thread may read.
    ///
    /// # Panics
    /// If no thread has written there.
    pub(crate) fn location(&self, slot: u64) -> LocationId {
        self.objects.known(Access { address: slot, size: 1 }).expect("a thread has arrived there")
    }

    fn last_value(&self, slot: u64) -> Option<Value> {
        let location = self.objects.known(Access { address: slot, size: 1 })?;
        self.graph.value(self.graph.last_added(location))
    }
}
