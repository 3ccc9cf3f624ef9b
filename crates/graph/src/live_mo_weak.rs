//! `mo_weak` of a graph under construction: which writes are (hb ∪ rf|loc)-before which.
//!
//! Implements: \[RCMC\] section 5. Writes of one thread to one location are ordered, so what is before an access is a
//! clock. It depends on the access's prefix alone, so it is made once and stays.
//! Cost: O(threads²) for an access, with early outs where a clock includes the other.

use crate::live::LiveGraph;
use crate::live_event::{EventRef, LocationId};
use base::{ClockId, Clocks, ThreadId};

impl LiveGraph {
    /// The last write of the thread to the location among its first `count` events, or `NONE`.
    pub fn last_write_before(&self, location: LocationId, thread: ThreadId, count: u32) -> EventRef {
        let mut writes = self.writes_since(location, thread, 0);
        writes.find(|&w| self.event(w).index < count).unwrap_or(EventRef::NONE)
    }

    /// The same for reads.
    pub fn last_read_before(&self, location: LocationId, thread: ThreadId, count: u32) -> EventRef {
        let mut reads = self.reads_since(location, thread, 0);
        reads.find(|&r| self.event(r).index < count).unwrap_or(EventRef::NONE)
    }

    /// How many events of `thread` are before the last event of their own thread, `e`, not counting what `e` reads.
    pub fn known(&self, e: EventRef, thread: ThreadId) -> u32 {
        let prefix = self.prefix_of(e);
        if thread == prefix.thread { prefix.index } else { self.clocks.get(prefix.hb, thread) }
    }

    /// Is write `a` `mo_weak`-before `b`, another write to the same location?
    pub fn mo_weak(&self, a: EventRef, b: EventRef) -> bool {
        if a.is_init() || b.is_init() {
            return a.is_init();
        }
        let (a, b) = (self.event(a), self.event(b));
        if a.thread == b.thread { a.index < b.index } else { self.clocks.get(b.mo_weak, a.thread) > a.index }
    }

    /// The writes that are before access `e`, whose other clocks and source are final.
    pub fn sync_mo_weak(&mut self, e: EventRef) {
        let (own, index, location, hb, rf) = {
            let e = self.event(e);
            (e.thread, e.index, e.location, e.hb, e.rf)
        };
        let mut clock = hb;
        for thread in self.thread_ids() {
            let count = if thread == own { index } else { self.clocks.get(hb, thread) };
            clock = self.with_writes_before(clock, self.last_write_before(location, thread, count));
            clock = self.with_writes_before(clock, self.last_read_before(location, thread, count));
        }
        if rf.is_some() && !rf.is_init() {
            clock = self.with_writes_before(clock, rf);
            let (thread, index) = (self.event(rf).thread, self.event(rf).index);
            if thread != own && self.clocks.get(clock, thread) <= index {
                clock = self.clocks.copy(clock);
                self.clocks.set(clock, thread, index + 1);
            }
        }
        self.event_mut(e).mo_weak = clock;
    }

    fn with_writes_before(&mut self, clock: ClockId, e: EventRef) -> ClockId {
        let before = if e.is_some() { self.event(e).mo_weak } else { Clocks::ZERO };
        self.joined(clock, before)
    }
}
