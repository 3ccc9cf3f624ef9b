//! `mo_weak` of a graph under construction: which writes are (hb ∪ rf|loc)-before which.
//!
//! Implements: \[RCMC\] section 5. Writes of one thread to one location are ordered, so the writes before an access are
//! a clock. It depends on the access's prefix alone, so it is made once and stays.
//! Cost: O(threads²) for an access, with early outs where a clock includes the other; and, per thread, the accesses to
//! the location that it has made since the last one that is known.

use crate::event::{EventRef, LocationId};
use crate::graph::{LiveGraph, Prefix};
use base::{ClockId, Clocks, ThreadId};

impl LiveGraph {
    /// The last write of the thread to the location among its first `count` events, or `NONE`.
    #[inline]
    pub fn last_write_before(&self, location: LocationId, thread: ThreadId, count: u32) -> EventRef {
        let mut writes = self.writes_since(location, thread, 0);
        writes.find(|&w| self.event(w).index < count).unwrap_or(EventRef::NONE)
    }

    /// The same for reads.
    #[inline]
    pub fn last_read_before(&self, location: LocationId, thread: ThreadId, count: u32) -> EventRef {
        let mut reads = self.reads_since(location, thread, 0);
        reads.find(|&r| self.event(r).index < count).unwrap_or(EventRef::NONE)
    }

    /// How many events of `thread` happen before `e`, the last event of its thread, without counting the source of `e`.
    pub fn known(&self, e: EventRef, thread: ThreadId) -> u32 {
        self.known_in(&self.prefix_of(e), thread)
    }

    /// The same for an event with this prefix.
    #[inline(always)]
    pub(crate) fn known_in(&self, prefix: &Prefix, thread: ThreadId) -> u32 {
        if thread == prefix.thread { prefix.index } else { self.clocks.get(prefix.hb, thread) }
    }

    /// Whether write `a` is `mo_weak`-before write `b` to the same location. (None is before itself.)
    pub fn mo_weak(&self, a: EventRef, b: EventRef) -> bool {
        if a.is_init() || b.is_init() {
            return a.is_init();
        }
        let (a, b) = (self.event(a), self.event(b));
        if a.thread == b.thread {
            a.index < b.index
        } else {
            self.clocks.get(b.weak.mo_weak, a.thread) > a.index
        }
    }

    /// Whether write `w` is `mo_weak`-before a write that is (rf? ; hb)-before read `r`. The present source of `r` does
    /// not count.
    pub fn mo_weak_overwritten(&self, w: EventRef, r: EventRef) -> bool {
        let location = self.event(r).location;
        self.thread_ids().any(|thread| {
            let count = self.known(r, thread);
            self.overwrites(self.last_write_before(location, thread, count), w)
                || self.overwrites(self.last_read_before(location, thread, count), w)
        })
    }

    /// Whether `w` is overwritten for an event that access `e` happens before. A thread that reads the initial value
    /// has read nothing else before.
    fn overwrites(&self, e: EventRef, w: EventRef) -> bool {
        if e.is_none() {
            return false;
        }
        let e = self.event(e);
        if w.is_init() {
            return e.kind.writes() || !e.rf.is_init();
        }
        self.clocks.get(e.weak.overwritten, self.event(w).thread) > self.event(w).index
    }

    /// `mo_weak` of access `e`, whose other clocks and source are final.
    pub fn sync_mo_weak(&mut self, e: EventRef) {
        let mut clock = self.event(e).hb;
        for_each_known_read(self, e, |graph, r| {
            let before = graph.event(r).weak.mo_weak;
            clock = graph.joined(clock, before);
        });
        let rf = self.event(e).rf;
        if rf.is_some() && !rf.is_init() {
            let before = self.event(rf).weak.mo_weak;
            clock = self.joined(clock, before);
            // The writes before it in its own thread are given by its index.
            if self.event(rf).thread != self.event(e).thread {
                clock = self.at_least(clock, rf, self.event(rf).index + 1);
            }
        }
        self.event_mut(e).weak.mo_weak = clock;
    }

    /// The writes that are overwritten for an event that access `e`, whose `mo_weak` is final, happens before.
    pub fn sync_overwritten(&mut self, e: EventRef) {
        let mut clock = Clocks::ZERO;
        for_each_known_read(self, e, |graph, r| {
            let overwritten = graph.event(r).weak.overwritten;
            clock = graph.joined(clock, overwritten);
        });
        let source = self.event(e).rf;
        for w in [source, e].into_iter().filter(|&w| w.is_some() && !w.is_init()) {
            if self.event(w).kind.writes() {
                let before = self.event(w).weak.mo_weak;
                clock = self.joined(clock, before);
                clock = self.at_least(clock, w, self.event(w).index);
            }
        }
        self.event_mut(e).weak.overwritten = clock;
    }

    /// The clock with at least `count` events of `e`'s thread.
    fn at_least(&mut self, clock: ClockId, e: EventRef, count: u32) -> ClockId {
        let thread = self.event(e).thread;
        if self.clocks.get(clock, thread) >= count {
            return clock;
        }
        let clock = self.clocks.copy(clock);
        self.clocks.set(clock, thread, count);
        clock
    }
}

/// Of each thread, the last read of `e`'s location that happens before `e`: its clocks include those of earlier ones.
/// Reads (and read-modify-writes) are enough, for only their rf is in `mo_weak` and not in hb: a write that is
/// `mo_weak`-before a store happens before it, or is before a read that happens before it; an event that the store
/// happens before is after those, too.
fn for_each_known_read(graph: &mut LiveGraph, e: EventRef, mut f: impl FnMut(&mut LiveGraph, EventRef)) {
    let (own, index, location, hb) = {
        let e = graph.event(e);
        (e.thread, e.index, e.location, e.hb)
    };
    for thread in graph.thread_ids() {
        let count = if thread == own { index } else { graph.clocks.get(hb, thread) };
        let read = graph.last_read_before(location, thread, count);
        if read.is_some() {
            f(graph, read);
        }
    }
}
