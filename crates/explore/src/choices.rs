//! The choices that there are: sources of reads, places of writes, and which of them is the greedy one.
//!
//! This is where explorations with a coherence order and those without one differ; one up to `rf` is one of the latter
//! (`shape.rs`). Elsewhere, these only go without some pruning, and without the epilogue where memory may
//! hold several values:
//!
//! | | with `co` | without |
//! |---|---|---|
//! | sources of a read | from the co-last write down to the coherence floor | every write that is not overwritten |
//! | places of a write | every place down to the floor | one: it joins the set of writes |
//! | maximal write | co-last and unread | unread |
//! | maximal read | reads the co-last write | reads the greatest by name among the writes that none is after |
//!
//! Why the last is right: a greedy choice must always be consistent, and depend on nothing but the content of the graph
//! that is left (a choice that depends on insertion order loses executions or finds them twice). A write that none is
//! after is never overwritten, nothing is fr-after who reads it, and no read-modify-write reads it, for that one would be
//! after it. Names of threads are the same in all executions of one exploration. If a coherence order is left open, a
//! global axiom may forbid to read such a write; then it is the greatest of those that may be read. One may: what is last
//! in a coherence order that the axiom allows.
//!
//! With blocks, two things have to be right. When a read is tested, what it orders itself must be out, or it would win
//! every tie that it has decided. And while a read-modify-write sweeps, what its read orders counts, but it does not
//! write yet.

use crate::construction::Construction;
use crate::shape::Shape;
use base::ThreadId;
use live::{EventRef, LocationId};
use program::{Program, Request};
use smallvec::SmallVec;

impl<P: Program, C: Shape> Construction<'_, P, C> {
    // --- sources --------------------------------------------------------------------------------------------------

    /// The first source to try for read `r`.
    #[inline(always)]
    pub(crate) fn first_source(&self, r: EventRef) -> EventRef {
        let tail = self.graph.tail(self.graph.event(r).location);
        if !C::HAS_CO && self.is_overwritten(tail, r) { self.next_source(r, tail) } else { tail }
    }

    /// The next source to try for read `r` after `u`, or `NONE`.
    #[inline(always)]
    pub(crate) fn next_source(&self, r: EventRef, mut u: EventRef) -> EventRef {
        if C::HAS_CO {
            // Nothing co-before what `r` has seen may be read.
            return self.co_prev_unless_seen(u, r);
        }
        loop {
            u = self.graph.co_prev(u);
            if u.is_none() || !self.is_overwritten(u, r) {
                return u;
            }
        }
    }

    // --- places ---------------------------------------------------------------------------------------------------

    /// The next place to try for write `w` after the one behind `p`, or `NONE`.
    #[inline(always)]
    pub(crate) fn next_place(&self, w: EventRef, p: EventRef) -> EventRef {
        if C::HAS_CO { self.co_prev_unless_seen(p, w) } else { EventRef::NONE }
    }

    /// The write right before `w` in co, or `NONE`, also if `e` has seen `w` or more.
    #[inline(always)]
    fn co_prev_unless_seen(&self, w: EventRef, e: EventRef) -> EventRef {
        let prev = self.graph.co_prev(w);
        if prev.is_some() && self.graph.observed(w, &self.graph.prefix_of(e)) {
            return EventRef::NONE;
        }
        prev
    }

    /// The first place to try for write `w` when it revisits `r`, or `NONE`.
    #[inline(always)]
    pub(crate) fn first_revisit_place(&self, r: EventRef, w: EventRef) -> EventRef {
        let graph = &self.graph;
        let mut p = graph.tail(graph.event(w).location);
        if !graph.event(w).kind.is_update() {
            return p;
        }
        // Its place is after its source; `r` must not have seen anything co-after that.
        let (source, seen) = (graph.event(w).rf, graph.prefix_of(r));
        if C::HAS_BLOCKS && graph.block_overwritten(source, r) {
            return EventRef::NONE;
        }
        if !C::HAS_CO {
            return source;
        }
        while p != source && !graph.observed(p, &seen) {
            p = graph.co_prev(p);
        }
        if p == source { p } else { EventRef::NONE }
    }

    /// The next one after the one behind `p`, or `NONE`.
    #[inline(always)]
    pub(crate) fn next_revisit_place(&self, r: EventRef, w: EventRef, p: EventRef) -> EventRef {
        let graph = &self.graph;
        if graph.event(w).kind.is_update() {
            return EventRef::NONE;
        }
        let next = self.next_place(w, p);
        if next.is_some() && graph.observed(p, &graph.prefix_of(r)) { EventRef::NONE } else { next }
    }

    // --- greedy choices -------------------------------------------------------------------------------------------

    /// Does nothing leave `w`, a write in co, or a read of it, in any coherence order? Then neither can be on a cycle.
    #[inline(always)]
    pub(crate) fn is_top(&self, w: EventRef) -> bool {
        self.graph.co_next(w).is_none()
            && (C::HAS_CO || (C::HAS_BLOCKS && self.graph.is_in_one_order(self.written_location(w))))
    }

    /// Is no write after `w`, which may be read? Only then can reading it be a greedy choice, now or later.
    #[inline(always)]
    pub(crate) fn is_last(&self, w: EventRef) -> bool {
        if C::HAS_CO {
            return self.graph.co_next(w).is_none();
        }
        self.last_writes(self.written_location(w), []).all(|v| !self.precedes(w, v))
    }

    #[inline(always)]
    fn written_location(&self, w: EventRef) -> LocationId {
        w.as_init().unwrap_or_else(|| self.graph.event(w).location)
    }

    /// Is `e` maximal? Then it may go: what it orders is out. `w` is the write that sweeps.
    #[inline(always)]
    pub(crate) fn leaves(&mut self, e: EventRef, w: EventRef) -> bool {
        let orders = C::HAS_BLOCKS && self.graph.event(e).kind.is_access();
        if orders {
            // Or else it would win every tie that it has decided itself.
            self.graph.retract_order(e);
        }
        let maximal = self.is_maximal(e, w);
        if orders && !maximal {
            self.graph.reinstate_order(e);
        }
        maximal
    }

    /// `e` has left, and was put back.
    #[inline(always)]
    pub(crate) fn come_back(&mut self, e: EventRef) {
        if C::HAS_BLOCKS && self.graph.event(e).kind.is_access() {
            self.graph.reinstate_order(e);
        }
    }

    /// Would adding `e` again greedily give exactly it back? `w` is the write that sweeps; it has no place yet.
    #[inline(always)]
    fn is_maximal(&mut self, e: EventRef, w: EventRef) -> bool {
        let graph = &self.graph;
        let event = graph.event(e);
        if !event.kind.is_access() {
            // A choice goes through its numbers from 0 on; everything else has no choice.
            return !matches!(self.before(e).request, Request::Choose { .. } | Request::Sleep { .. })
                || event.value == 0;
        }
        let is_unread = || !event.kind.writes() || (graph.is_unread(e) && !self.waiting.pins(e));
        if self.symmetry.any()
            && let Some(is_greedy) = self.is_greedy_among_twins(e, w)
        {
            return is_greedy && is_unread();
        }
        if C::HAS_CO {
            let last = if event.kind.writes() { e } else { event.rf };
            if graph.tail(event.location) == last {
                return is_unread();
            }
            return !event.kind.writes() && self.is_await(e) && self.is_greedy_await(e, w);
        }
        if !event.kind.writes() && self.is_await(e) {
            return self.is_greedy_await(e, w);
        }
        let reads = event.kind.reads();
        is_unread() && (!reads || self.is_greedy_source(e, w))
    }

    /// Without `co`: does `e` read what it would greedily read if it and `w` were not there?
    fn is_greedy_source(&mut self, e: EventRef, w: EventRef) -> bool {
        let event = self.graph.event(e);
        let has_global_order = self.has_global_order();
        if C::HAS_BLOCKS && self.graph.is_in_one_order(event.location) {
            let is_last = self.last_but(event.location, [e, w]) == event.rf;
            if is_last || !has_global_order {
                return is_last;
            }
        }
        let writes: SmallVec<[EventRef; 8]> = self.last_writes(event.location, [e, w]).collect();
        let is_last = |u: EventRef| writes.iter().all(|&v| !self.precedes(u, v));
        if !is_last(event.rf) {
            return false;
        }
        let mut better = writes.iter().copied().filter(|&v| self.is_greater(v, event.rf) && is_last(v));
        if !C::HAS_BLOCKS || !has_global_order {
            return better.next().is_none();
        }
        let better: SmallVec<[EventRef; 8]> = better.collect();
        better.into_iter().all(|v| !self.could_read(e, v, w))
    }

    /// Can `clash` never be peeled when `r` sweeps? It is in the prefix of `r`; or so is a read-modify-write that hangs off
    /// it, or that one is older and would have to go first. Pruning only.
    pub(crate) fn is_stuck(&self, clash: EventRef, r: EventRef) -> bool {
        if C::HAS_CO {
            // The rest, the stamps of what is co-after it say.
            return self.graph.in_porf(clash, r);
        }
        let stamp = self.graph.event(clash).stamp;
        let mut u = clash;
        while u.is_some() {
            if self.graph.event(u).stamp < stamp || self.graph.in_porf(u, r) {
                return true;
            }
            u = self.graph.update_of(u);
        }
        false
    }

    /// Without `co`: is write `a` before write `b`, which is to the same location?
    #[inline(always)]
    pub(crate) fn precedes(&self, a: EventRef, b: EventRef) -> bool {
        a != b
            && match C::HAS_BLOCKS {
                true => self.graph.block_precedes(a, b),
                false => self.rules.coherence.precedes(&self.graph, a, b),
            }
    }

    /// Without `co`: is write `w` before a write that `r` must not read past? What `r` reads now does not count.
    #[inline(always)]
    fn is_overwritten(&self, w: EventRef, r: EventRef) -> bool {
        match C::HAS_BLOCKS {
            true => self.graph.block_overwritten(w, r),
            false => self.rules.coherence.is_overwritten(&self.graph, w, r),
        }
    }

    pub(crate) fn is_greater(&self, a: EventRef, b: EventRef) -> bool {
        b.is_init() || self.graph.id(a) > self.graph.id(b)
    }

    /// The last one of the set of writes to the location, but for these.
    fn last_but(&self, location: LocationId, without: [EventRef; 2]) -> EventRef {
        let mut u = self.graph.tail(location);
        while without.contains(&u) {
            u = self.graph.co_prev(u);
        }
        u
    }

    /// The last write of each thread to the location, some last events of threads left out. Whatever is before
    /// another write is before one of these.
    fn last_writes<const N: usize>(
        &self,
        location: LocationId,
        without: [EventRef; N],
    ) -> impl Iterator<Item = EventRef> {
        let graph = &self.graph;
        let count = move |thread: ThreadId| {
            let mine = without.iter().map(|&e| graph.event(e)).filter(|e| e.thread == thread);
            mine.map(|e| e.index).min().unwrap_or(u32::MAX)
        };
        let last = move |thread| graph.last_write_before(location, thread, count(thread));
        graph.thread_ids().map(last).filter(|w| w.is_some())
    }

    /// Per location its writes in coherence order; in one that is possible, if it is left open.
    pub(crate) fn coherence_orders(&self) -> Vec<Vec<EventRef>> {
        if C::HAS_BLOCKS {
            return self.possible_coherence_orders();
        }
        let some = |w: EventRef| w.is_some().then_some(w);
        let next = |&w: &EventRef| some(self.graph.co_next(w));
        let list = |first| std::iter::successors(some(first), next).collect();
        self.graph.locations().iter().map(|location| list(location.first)).collect()
    }

    /// The write that is last in every coherence order; `None` if there is no such write, or there is no such order.
    #[inline(always)]
    pub(crate) fn last_write(&self, location: LocationId) -> Option<EventRef> {
        if C::HAS_CO {
            return Some(self.graph.tail(location));
        }
        if !C::HAS_BLOCKS {
            return None;
        }
        let writes = || self.last_writes(location, []);
        let later = |a, b| if self.precedes(a, b) { b } else { a };
        let last = writes().fold(EventRef::init(location), later);
        writes().all(|w| w == last || self.precedes(w, last)).then_some(last)
    }

    /// The writes to the location that no other is after.
    pub(crate) fn final_writes(&self, location: LocationId) -> Vec<EventRef> {
        if C::HAS_CO {
            return vec![self.graph.tail(location)];
        }
        let is_last = |&w: &EventRef| self.is_last(w) && self.can_be_last(w);
        let mut last: Vec<EventRef> = self.last_writes(location, []).filter(is_last).collect();
        if last.is_empty() {
            last.push(EventRef::init(location));
        }
        last
    }
}
