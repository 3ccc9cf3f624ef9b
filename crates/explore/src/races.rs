//! Data races ([RCMC] definition 3.10 and remark 1), found when the later of two accesses is added.
//!
//! Two accesses race if one is plain, one writes, and neither happens before the other. What was added before an
//! event cannot happen after it, so it is enough to ask what does not happen before it. Publishing an object is a
//! plain write of all of it, freeing it another one.
//! Cost: nothing if nobody accesses the location plainly and its publication happened before; O(threads) otherwise.

use crate::construction::Construction;
use base::ThreadId;
use graph::{EventRef, LiveGraph, LocationId};
use model::MemoryModel;
use program::Program;

impl<P: Program, M: MemoryModel> Construction<'_, P, M> {
    /// An event that races with access `e`, if there is one.
    #[inline(always)]
    pub(crate) fn race(&self, e: EventRef) -> Option<EventRef> {
        let event = self.graph.event(e);
        if let Some(publisher) = self.objects.publisher(event.location)
            && !self.graph.hb(publisher, e)
        {
            return Some(publisher);
        }
        if self.graph.location(event.location).plain == 0 {
            return None;
        }
        self.racing_accesses(e).next()
    }

    /// The accesses that race with access `e`, among those that do not happen after it.
    pub(crate) fn racing_accesses(&self, e: EventRef) -> impl Iterator<Item = EventRef> {
        let event = self.graph.event(e);
        not_before(&self.graph, e, event.location).filter(move |&a| {
            let a = self.graph.event(a).kind;
            (a.writes() || event.kind.writes()) && (a.is_plain() || event.kind.is_plain())
        })
    }

    /// An access to the object at `address` that is not before `free`, which frees it.
    pub(crate) fn race_of_free(&self, free: EventRef, address: u64) -> Option<EventRef> {
        let (object, _, _) = self.objects.starting_at(address)?;
        let publisher = self.objects.locations(object).find_map(|l| self.objects.publisher(l));
        if let Some(publisher) = publisher
            && !self.graph.hb(publisher, free)
        {
            return Some(publisher);
        }
        self.objects.locations(object).find_map(|location| not_before(&self.graph, free, location).next())
    }
}

/// Accesses to the location that do not happen before `e`.
fn not_before(graph: &LiveGraph, e: EventRef, location: LocationId) -> impl Iterator<Item = EventRef> {
    let own = graph.event(e).thread;
    let (reads, writes) = (graph.last_reads(location), graph.last_writes(location));
    let threads = (0..graph.thread_count() as u32).map(ThreadId).filter(move |&t| t != own);
    threads.flat_map(move |t| {
        let (from, to) = (graph.hb_count(e, t), reads[t.index()].max(writes[t.index()]));
        let range = if from < to { from as usize..to as usize } else { 0..0 };
        graph.po(t)[range].iter().copied().filter(move |&a| graph.event(a).location == location)
    })
}
