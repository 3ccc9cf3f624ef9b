//! rf and co of a graph under construction: linking, unlinking and linking again, each O(1).

use crate::event::{EventRef, LiveEvent, LocationId};
use crate::graph::LiveGraph;
use base::{ClockId, Clocks, ThreadId};

impl LiveGraph {
    /// Let read `r` read from `w`; clocks are the model's business.
    #[inline(always)]
    pub fn set_rf(&mut self, r: EventRef, w: EventRef) {
        let (thread, index) = (self.event(r).thread, self.event(r).index);
        let mark = self.clocks.mark();
        let fresh = w.as_init().is_none() && self.event(w).observers == Clocks::ZERO;
        if fresh {
            let observers = self.clocks.fill(0);
            self.event_mut(w).observers = observers;
        }
        let event = self.event_mut(r);
        event.rf = w;
        event.undo.made_observers = fresh;
        event.undo.rf_mark = mark;
        self.observe(w, thread, index);
    }

    /// Undo the latest `set_rf` and every change of clocks since.
    #[inline(always)]
    pub fn reset_rf(&mut self, r: EventRef) {
        let (w, thread, index, fresh, mark) = {
            let e = self.event(r);
            (e.rf, e.thread, e.index, e.undo.made_observers, e.undo.rf_mark)
        };
        if fresh {
            self.event_mut(w).observers = Clocks::ZERO;
        } else {
            self.unobserve(w, thread, index);
        }
        self.clocks.reset(mark);
    }

    /// Forget for a while that `r` reads (its clocks and its source's stay as they are).
    #[inline(always)]
    pub fn detach(&mut self, r: EventRef) -> LiveEvent {
        let saved = self.event(r).clone();
        self.unobserve(saved.rf, saved.thread, saved.index);
        saved
    }

    /// Undo `detach`.
    #[inline(always)]
    pub fn attach(&mut self, r: EventRef, saved: LiveEvent) {
        self.observe(saved.rf, saved.thread, saved.index);
        let kind = saved.kind;
        self.set_kind(r, kind);
        *self.event_mut(r) = saved;
    }

    #[inline(always)]
    fn observer_lane(&mut self, w: EventRef) -> (&mut Clocks, ClockId) {
        match w.as_init() {
            Some(location) => {
                let observers = self.location(location).observers;
                (&mut self.lanes, observers)
            }
            None => {
                let observers = self.event(w).observers;
                (&mut self.clocks, observers)
            }
        }
    }

    #[inline(always)]
    pub(crate) fn observe(&mut self, w: EventRef, thread: ThreadId, index: u32) {
        let (clocks, observers) = self.observer_lane(w);
        if clocks.get(observers, thread) < !index {
            clocks.set(observers, thread, !index);
        }
    }

    #[inline(always)]
    pub(crate) fn unobserve(&mut self, w: EventRef, thread: ThreadId, index: u32) {
        let (clocks, observers) = self.observer_lane(w);
        if clocks.get(observers, thread) == !index {
            clocks.set(observers, thread, 0);
        }
    }

    /// Put write `w` right after `p`.
    #[inline(always)]
    pub fn co_insert_after(&mut self, p: EventRef, w: EventRef) {
        let next = self.co_next(p);
        let e = self.event_mut(w);
        e.co_prev = p;
        e.co_next = next;
        self.co_relink(w);
    }

    /// Take `w` out of co; it remembers its place.
    #[inline(always)]
    pub fn co_unlink(&mut self, w: EventRef) {
        let e = self.event(w);
        let (prev, next, location) = (e.co_prev, e.co_next, e.location);
        self.set_next(prev, next);
        self.set_prev(next, prev, location);
    }

    /// Undo the latest `co_unlink(w)`.
    #[inline(always)]
    pub fn co_relink(&mut self, w: EventRef) {
        let e = self.event(w);
        let (prev, next, location) = (e.co_prev, e.co_next, e.location);
        self.set_next(prev, w);
        self.set_prev(next, w, location);
    }

    /// Link the writes of a location in another order.
    pub fn co_relink_all(&mut self, location: LocationId, order: &[EventRef]) {
        let mut prev = EventRef::init(location);
        for &w in order {
            self.set_next(prev, w);
            self.set_prev(w, prev, location);
            prev = w;
        }
        self.set_next(prev, EventRef::NONE);
        self.set_prev(EventRef::NONE, prev, location);
    }

    /// Let `e`, which has no place in co, look as if it only read, or were not there: the write after its source is
    /// after it.
    pub fn co_pretend_to_read(&mut self, e: EventRef) {
        let rf = self.event(e).rf;
        let next = if self.event(e).kind.reads() { self.co_next(rf) } else { EventRef::NONE };
        self.event_mut(e).co_next = next;
    }

    #[inline(always)]
    fn set_next(&mut self, w: EventRef, next: EventRef) {
        match w.as_init() {
            Some(location) => self.locations[location.index()].first = next,
            None => self.event_mut(w).co_next = next,
        }
    }

    #[inline(always)]
    fn set_prev(&mut self, w: EventRef, prev: EventRef, location: LocationId) {
        if w.is_none() {
            self.locations[location.index()].tail = prev;
        } else {
            self.event_mut(w).co_prev = prev;
        }
    }
}
