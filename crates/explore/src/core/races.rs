//! Data races (\[RCMC\] definition 3.10 and remark 1), found when the later of two accesses is added.
//!
//! Two accesses race if one is plain, one writes, and neither happens before the other. An access that was added before
//! an event cannot happen after it, so it is enough to look for accesses that do not happen before it. The initial
//! value of an object was written plainly, some time before its publication (`Object::written`); freeing it is another
//! plain write of all of it.
//! Cost: nothing if no access to the location is plain and its publication happened before; O(threads) otherwise.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use live::{EventRef, LiveGraph, LocationId};
use program::Hint;

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// An event that races with access `e`, if there is one.
    #[inline(always)]
    pub(crate) fn race(&self, e: EventRef) -> Option<EventRef> {
        let event = self.graph.event(e);
        if let Some(publisher) = self.objects.unordered_init(&self.graph, e, event.location) {
            return Some(publisher);
        }
        if self.graph.location(event.location).plain == 0 || !self.graph.has_conflict_not_before(e) {
            return None;
        }
        self.racing_accesses(e).next()
    }

    /// The accesses that race with access `e`, among those that do not happen after it.
    pub(crate) fn racing_accesses(&self, e: EventRef) -> impl Iterator<Item = EventRef> {
        let event = self.graph.event(e);
        let conflicts = move |a: &EventRef| self.graph.event(*a).kind.is_plain() || event.kind.is_plain();
        not_before(&self.graph, e, event.location, event.kind.writes()).filter(conflicts)
    }

    /// An access to the object at `address` that is not before `free`, which frees it.
    pub(crate) fn race_of_free(&self, free: EventRef, address: u64) -> Option<EventRef> {
        let (object, _, _) = self.objects.starting_at(address)?;
        let access = |location| not_before(&self.graph, free, location, true).next();
        let writes = self.objects.unordered_writes(&self.graph, free, object);
        writes.or_else(|| self.objects.locations(object).find_map(access))
    }
}

/// Writes to the location that do not happen before `e`; with `reads`, reads of it, too.
#[inline(always)]
fn not_before(
    graph: &LiveGraph,
    e: EventRef,
    location: LocationId,
    reads: bool,
) -> impl Iterator<Item = EventRef> {
    let own = graph.event(e).thread;
    let threads = graph.thread_ids().filter(move |&t| t != own);
    threads.flat_map(move |t| {
        let from = graph.hb_count(e, t);
        let reads = reads.then(|| graph.reads_since(location, t, from)).into_iter().flatten();
        graph.writes_since(location, t, from).chain(reads)
    })
}
