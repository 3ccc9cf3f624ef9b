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
use program::{Departure, Hint};

/// The state of a barrier for a thread that wants to leave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gate {
    /// The slot to be read next.
    Open(LocationId),
    /// Others have not arrived yet.
    Shut,
    /// More threads use it than it waits for.
    Crowded,
}

/// The room of barriers; it has no state.
#[derive(Debug)]
pub(crate) struct Barriers;

impl<P: Hint, C: Shape> Room<'_, Barriers, P, C> {
    /// Whether a thread may leave.
    pub(crate) fn gate(&self, departure: &Departure) -> Gate {
        let first_round = Departure { odd: false, ..*departure };
        let users = self.slots(&first_round, |value| value != 0).count();
        let arrived = || self.slots(departure, |value| departure.has_arrived(value));
        let needed = departure.needed as usize;
        if users > needed {
            return Gate::Crowded;
        }
        match arrived().nth(departure.nth as usize) {
            Some(slot) if arrived().count() == needed => Gate::Open(slot),
            _ => Gate::Shut,
        }
    }

    /// The slots of a round whose last value is wanted.
    fn slots(
        &self,
        departure: &Departure,
        wanted: impl Fn(Value) -> bool,
    ) -> impl Iterator<Item = LocationId> {
        let slots = (0..Departure::SLOTS).map(|thread| departure.slot(thread));
        let known = slots.filter_map(|address| self.objects.known(Access { address, size: 1 }));
        known.filter(move |&slot| self.graph.value(self.graph.tail(slot)).is_some_and(&wanted))
    }
}
