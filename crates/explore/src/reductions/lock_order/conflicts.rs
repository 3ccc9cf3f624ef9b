//! Whether leaving the order of critical sections open can pay: in a pass with chains, two sections of one mutex that come after
//! each other, and could as well come in the other order, refute `Assumption::Conflicting`.
//!
//! They could if neither reads what the other one writes, and the first one does not happen before the second one but for the
//! mutexes of the second one. Then the execution with the two exchanged is another one of the same class, most often. Where sections always
//! conflict there is a class for each execution, and the pass with chains, which costs less, goes on to its end.
//!
//! Relies on: nothing. It is about cost, not about what is explored.
//!
//! Cost: at each unlock O(accesses in the section · accesses in the [`FAR`] sections before it) at most, usually a few comparisons.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::ledger::Assumption;
use crate::options::LockOrders;
use base::ThreadId;
use live::{EventRef, LocationId};
use program::Hint;

/// How many sections before it a section is compared with.
const FAR: usize = 4;

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// The thread is about to unlock the mutex.
    pub(crate) fn note_conflicts(&self, thread: ThreadId, mutex: LocationId) {
        let Some((lock, own)) = self.section_before(mutex, self.graph.po(thread)) else { return };
        let first = self.graph.event(lock).index;
        let mut end = self.graph.event(lock).rf;
        for _ in 0..FAR {
            if end.is_init() || self.graph.event(end).kind.is_update() {
                return;
            }
            let event = self.graph.event(end);
            let events = &self.graph.po(event.thread)[..event.index as usize];
            let Some((lock, other)) = self.section_before(mutex, events) else { return };
            let is_ordered = event.thread == thread
                || first > 0 && self.graph.hb(end, self.graph.po(thread)[first as usize - 1]);
            let may_gain = || self.reductions.locks == LockOrders::All || !self.conflict(own, other);
            if !is_ordered && may_gain() {
                return self.notes.refute(Assumption::Conflicting);
            }
            end = self.graph.event(lock).rf;
        }
    }

    /// The last lock of the mutex among these events of a thread, and the events after it.
    fn section_before<'e>(
        &self,
        mutex: LocationId,
        events: &'e [EventRef],
    ) -> Option<(EventRef, &'e [EventRef])> {
        let is_lock = |&e: &EventRef| {
            let event = self.graph.event(e);
            event.location == mutex && event.kind.is_update()
        };
        let at = events.iter().rposition(is_lock)?;
        Some((events[at], &events[at + 1..]))
    }

    /// Whether one of the accesses reads what one of the others writes.
    fn conflict(&self, these: &[EventRef], others: &[EventRef]) -> bool {
        let reads_and_writes = |a: EventRef, b: EventRef| {
            let (a, b) = (self.graph.event(a), self.graph.event(b));
            a.location == b.location
                && (a.kind.reads() && b.kind.writes() || a.kind.writes() && b.kind.reads())
        };
        these
            .iter()
            .any(|&a| self.graph.event(a).kind.is_access() && others.iter().any(|&b| reads_and_writes(a, b)))
    }
}
