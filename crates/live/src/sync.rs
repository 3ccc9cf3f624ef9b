//! Clocks of a graph under construction: the events that an event synchronises with.
//!
//! Implements: rseq, sw and hb of \[RCMC\] 3.2, incrementally. A write carries the *message* that an acquire read of it
//! gets, an event the events that a later fence would *acquire* and those that were *released* by the last fence before
//! it. Which accesses acquire and release is the model's business.
//! Cost: O(threads) for an event that synchronises, nothing for one that does not.

use crate::event::EventRef;
use crate::graph::LiveGraph;
use base::{ClockId, Clocks, ThreadId, Value};

/// The writes that continue the release sequence of a write, besides the read-modify-writes that read from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReleaseSequence {
    /// None: C++20's, `rf⁺` in RC20 and C20.
    UpdatesOnly,
    /// Later writes of its thread to its location: `[W] ; (po|loc)?` in RC11.
    SameThread,
}

impl LiveGraph {
    /// The clocks of the creation of a thread, with which the thread starts.
    pub fn sync_create(&mut self, creation: EventRef, child: ThreadId) {
        let (hb, porf) = (self.inclusive_hb(creation), self.inclusive_porf(creation));
        let event = self.event_mut(creation);
        event.own = hb;
        event.message = porf;
        self.start_thread(child, creation);
    }

    /// Let `child` start after `creation`: when it is added, and again when it is put back.
    pub fn start_thread(&mut self, child: ThreadId, creation: EventRef) {
        let (hb, porf) = (self.event(creation).own, self.event(creation).message);
        let thread = &mut self.threads[child.index()];
        thread.creation = creation;
        thread.start.hb = hb;
        thread.start.porf = porf;
    }

    /// A clock with the events that happen before `e`, and `e`.
    pub fn inclusive_hb(&mut self, e: EventRef) -> ClockId {
        let (hb, thread, index) = (self.event(e).hb, self.event(e).thread, self.event(e).index);
        let clock = self.clocks.copy(hb);
        self.clocks.set(clock, thread, index + 1);
        clock
    }

    /// A clock with the events that are (po ∪ rf)-before `e`, and `e`.
    fn inclusive_porf(&mut self, e: EventRef) -> ClockId {
        let (porf, thread, index) = (self.event(e).porf, self.event(e).thread, self.event(e).index);
        let clock = self.clocks.copy(porf);
        self.clocks.set(clock, thread, index + 1);
        clock
    }

    /// The clocks of read `r`, which now reads from `w` and acquires or not.
    #[inline(always)]
    pub fn sync_read(&mut self, r: EventRef, acquires: bool) {
        let prefix = self.prefix_of(r);
        let w = self.event(r).rf;
        let (mut hb, mut porf, mut acquirable) = (prefix.hb, prefix.porf, prefix.acquirable);
        if !w.is_init() {
            let (thread, index, w_porf, message) = {
                let w = self.event(w);
                (w.thread, w.index, w.porf, w.message)
            };
            let is_new = thread != prefix.thread && self.clocks.get(porf, thread) <= index;
            if is_new {
                porf = self.clocks.copy(porf);
                self.clocks.join(porf, w_porf);
                self.clocks.set(porf, thread, index + 1);
            }
            // A plain read synchronises with nothing, not even by way of a fence.
            if message != Clocks::ZERO && !self.event(r).kind.is_plain() {
                // The events that an acquire read acquires are in hb: a later acquire fence has nothing to add.
                let into = if acquires { &mut hb } else { &mut acquirable };
                if self.clocks.exceeds(message, *into) {
                    *into = self.clocks.copy(*into);
                    self.clocks.join(*into, message);
                }
            }
            self.unsynchronised |= is_new && self.clocks.get(hb, thread) <= index;
        }
        let e = self.event_mut(r);
        e.hb = hb;
        e.porf = porf;
        e.acquirable = acquirable;
    }

    /// Let everything up to `end`, an event of another thread, be (po ∪ rf)-before the read `r`.
    pub fn depend(&mut self, r: EventRef, end: EventRef) {
        let porf = self.event(r).porf;
        let (thread, index, end_porf) = (self.event(end).thread, self.event(end).index, self.event(end).porf);
        if self.clocks.get(porf, thread) <= index {
            let porf = self.clocks.copy(porf);
            self.clocks.join(porf, end_porf);
            self.clocks.set(porf, thread, index + 1);
            self.event_mut(r).porf = porf;
        }
    }

    /// The clock that write `w` passes on to its readers (\[RCMC\] rseq); its hb is final. A read-modify-write passes
    /// on that of its source, too.
    #[inline(always)]
    pub fn sync_write(&mut self, w: EventRef, releases: bool, sequence: ReleaseSequence) {
        let own = if releases {
            self.inclusive_hb(w)
        } else {
            let (thread, location, released, prev) = {
                let e = self.event(w);
                (e.thread, e.location, e.released, e.undo.prev_write)
            };
            debug_assert_eq!(self.last_own(thread, location), w);
            match prev {
                n if n > 0 && sequence == ReleaseSequence::SameThread => {
                    let before = self.threads[thread.index()].events[n as usize - 1];
                    let own = self.event(before).own;
                    self.joined(released, own)
                }
                _ => released,
            }
        };
        let source = self.event(w).rf;
        let kind = self.event(w).kind;
        let message = if kind.is_plain() {
            // The end of a release sequence is atomic; a plain write in between does not break it.
            Clocks::ZERO
        } else if kind.is_update() && !source.is_init() {
            let message = self.event(source).message;
            self.joined(own, message)
        } else {
            own
        };
        let e = self.event_mut(w);
        e.own = own;
        e.message = message;
    }

    /// The join of two clocks, which is one of them if it includes the other.
    #[inline]
    pub(crate) fn joined(&mut self, a: ClockId, b: ClockId) -> ClockId {
        if b == Clocks::ZERO || a == b || !self.clocks.exceeds(b, a) {
            return a;
        }
        let clock = self.clocks.copy(a);
        self.clocks.join(clock, b);
        clock
    }

    /// The clocks of a fence.
    pub fn sync_fence(&mut self, f: EventRef, acquires: bool, releases: bool) {
        if acquires {
            let (hb, acquirable) = (self.event(f).hb, self.event(f).acquirable);
            let hb = self.joined(hb, acquirable);
            self.event_mut(f).hb = hb;
        }
        if releases {
            let released = self.inclusive_hb(f);
            self.event_mut(f).released = released;
        }
    }

    /// The clocks of a join: all of `child` is before it.
    pub fn sync_join(&mut self, j: EventRef, child: ThreadId) {
        let last = self.prefix(child);
        let (hb, porf) = (self.event(j).hb, self.event(j).porf);
        let hb = self.after_thread(hb, last.hb, child, last.index);
        let porf = self.after_thread(porf, last.porf, child, last.index);
        let e = self.event_mut(j);
        e.hb = hb;
        e.porf = porf;
        e.value = Value::from(child.0);
        self.enter_join(j);
    }

    fn after_thread(&mut self, clock: ClockId, last: ClockId, child: ThreadId, events: u32) -> ClockId {
        let clock = self.clocks.copy(clock);
        self.clocks.join(clock, last);
        self.clocks.set(clock, child, events);
        clock
    }
}
