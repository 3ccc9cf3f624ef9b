//! The graph under construction under the rules of a model: which sources a read has, which places a write has.
//!
//! This is where explorations with a coherence order and those without one differ (explorations up to `rf` count as
//! without one; `shape.rs`):
//!
//! | | with `co` | without |
//! |---|---|---|
//! | sources of a read | from the co-last write down to the coherence floor | every write that is not overwritten |
//! | places of a write | every place down to the floor | one: it joins the set of writes |
//!
//! Whether a global axiom allows them is another question (`open_coherence.rs`).

use crate::core::shape::Shape;
use base::ThreadId;
use live::{EventRef, LiveGraph, LocationId};
use model::{Checker, Rules};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A graph under construction, and the rules that it obeys. Everything else is in [`LiveGraph`].
#[derive(Debug)]
pub(crate) struct ModelGraph<C> {
    live: LiveGraph,
    rules: &'static Rules,
    checker: Checker,
    shape: PhantomData<C>,
}

impl<C> Deref for ModelGraph<C> {
    type Target = LiveGraph;

    #[inline(always)]
    fn deref(&self) -> &LiveGraph {
        &self.live
    }
}

impl<C> DerefMut for ModelGraph<C> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut LiveGraph {
        &mut self.live
    }
}

impl<C> ModelGraph<C> {
    /// The graph without events.
    pub(crate) fn new(rules: &'static Rules) -> ModelGraph<C> {
        ModelGraph { live: LiveGraph::new(), rules, checker: Checker::new(rules), shape: PhantomData }
    }

    /// The rules.
    #[inline(always)]
    pub(crate) fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Whether there is anything in the graph that the global axiom can forbid.
    #[inline]
    pub(crate) fn has_global_order(&self) -> bool {
        self.rules.has_global_order(&self.live)
    }

    /// With `co`, or with the order in which writes are linked: whether the graph is consistent, given that it was so without the edges of `new` and `other`.
    #[inline(always)]
    pub(crate) fn checks(&mut self, new: EventRef, other: EventRef) -> bool {
        self.checker.admits(&self.live, new, other)
    }

    /// Whether no coherence order makes the graph consistent, as far as can be seen from `new` alone.
    pub(crate) fn is_hopeless(&mut self, new: EventRef) -> bool {
        self.checker.forbids(&self.live, new)
    }

    /// Whether the global axiom allows the order in which writes are linked.
    pub(crate) fn allows_links(&mut self) -> bool {
        self.checker.allows_links(&self.live)
    }

    /// Find what the global axiom puts after write `a`, whichever the coherence order is.
    pub(crate) fn reach_forced(&mut self, a: EventRef) {
        self.checker.reach_forced(&self.live, a);
    }

    /// Whether access `e` was found.
    pub(crate) fn has_reached(&self, e: EventRef) -> bool {
        self.checker.has_reached(&self.live, e)
    }

    /// Whether whatever is found from a read-modify-write of `w` is found from `w`.
    pub(crate) fn reaches_updates_of(&self, w: EventRef) -> bool {
        self.checker.reaches_updates_of(&self.live, w)
    }
}

impl<C: Shape> ModelGraph<C> {
    /// Access `e` has got its clocks: with neither `co` nor blocks, the graph keeps more about it.
    #[inline(always)]
    pub(crate) fn note_order(&mut self, e: EventRef) {
        if !C::HAS_CO && !C::HAS_BLOCKS {
            self.rules.coherence.note(&mut self.live, e);
        }
    }

    /// The first source to try for read `r`.
    #[inline(always)]
    pub(crate) fn first_source(&self, r: EventRef) -> EventRef {
        let tail = self.live.tail(self.live.event(r).location);
        if !C::HAS_CO && self.is_overwritten(tail, r) { self.next_source(r, tail) } else { tail }
    }

    /// The next source to try for read `r` after `u`, or `NONE`.
    #[inline(always)]
    pub(crate) fn next_source(&self, r: EventRef, mut u: EventRef) -> EventRef {
        if C::HAS_CO {
            // No write co-before one that `r` has seen may be read.
            return self.co_prev_unless_seen(u, r);
        }
        loop {
            u = self.live.co_prev(u);
            if u.is_none() || !self.is_overwritten(u, r) {
                return u;
            }
            // In one order, every write before one that is overwritten is overwritten, too.
            if C::HAS_BLOCKS && self.live.is_in_one_order(self.live.event(r).location) {
                return EventRef::NONE;
            }
        }
    }

    /// The next place to try for write `w` after the one right after `p`, or `NONE`.
    #[inline(always)]
    pub(crate) fn next_place(&self, w: EventRef, p: EventRef) -> EventRef {
        if C::HAS_CO { self.co_prev_unless_seen(p, w) } else { EventRef::NONE }
    }

    /// The write right before `w` in co; `NONE` if there is none, or if `e` has seen `w` or a later write.
    #[inline(always)]
    fn co_prev_unless_seen(&self, w: EventRef, e: EventRef) -> EventRef {
        let prev = self.live.co_prev(w);
        if prev.is_some() && self.live.observed(w, &self.live.prefix_of(e)) {
            return EventRef::NONE;
        }
        prev
    }

    /// The first place to try for write `w` when it revisits `r`, or `NONE`.
    #[inline(always)]
    pub(crate) fn first_revisit_place(&self, r: EventRef, w: EventRef) -> EventRef {
        let graph = &self.live;
        let mut p = graph.tail(graph.event(w).location);
        if !graph.event(w).kind.is_update() {
            return p;
        }
        // Its place is after its source; `r` must not have seen any write co-after that.
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

    /// The next place to try for write `w` when it revisits `r`, after the one right after `p`, or `NONE`.
    #[inline(always)]
    pub(crate) fn next_revisit_place(&self, r: EventRef, w: EventRef, p: EventRef) -> EventRef {
        let graph = &self.live;
        if graph.event(w).kind.is_update() {
            return EventRef::NONE;
        }
        let next = self.next_place(w, p);
        if next.is_some() && graph.observed(p, &graph.prefix_of(r)) { EventRef::NONE } else { next }
    }

    /// Whether no edge leaves `w`, a write in co, or a read of it, in any coherence order. Then neither can be on a
    /// cycle.
    #[inline(always)]
    pub(crate) fn is_top(&self, w: EventRef) -> bool {
        self.live.co_next(w).is_none()
            && (C::HAS_CO || (C::HAS_BLOCKS && self.live.is_in_one_order(self.written_location(w))))
    }

    /// Whether no write is after `w`, which may be read. Only then can reading it be a greedy choice, now or later.
    #[inline(always)]
    pub(crate) fn is_last(&self, w: EventRef) -> bool {
        if C::HAS_CO {
            return self.live.co_next(w).is_none();
        }
        self.last_writes(self.written_location(w), []).all(|v| !self.precedes(w, v))
    }

    #[inline(always)]
    fn written_location(&self, w: EventRef) -> LocationId {
        w.as_init().unwrap_or_else(|| self.live.event(w).location)
    }

    /// Whether `clash` can never be peeled when `r` sweeps: it is in the prefix of `r`; or a read-modify-write that
    /// hangs off it is, or is older and would have to go first. Pruning only.
    pub(crate) fn is_stuck(&self, clash: EventRef, r: EventRef) -> bool {
        if C::HAS_CO {
            // The stamps of the writes co-after it say the rest (`Read::oldest`).
            return self.live.in_porf(clash, r);
        }
        let stamp = self.live.event(clash).stamp;
        let mut u = clash;
        while u.is_some() {
            if self.live.event(u).stamp < stamp || self.live.in_porf(u, r) {
                return true;
            }
            u = self.live.update_of(u);
        }
        false
    }

    /// Without `co`: whether write `a` is before write `b`, which is to the same location.
    #[inline(always)]
    pub(crate) fn precedes(&self, a: EventRef, b: EventRef) -> bool {
        a != b
            && match C::HAS_BLOCKS {
                true => self.live.block_precedes(a, b),
                false => self.rules.coherence.precedes(&self.live, a, b),
            }
    }

    /// Without `co`: whether write `w` is before a write that `r` must not read past. The present source of `r` does
    /// not count.
    #[inline(always)]
    fn is_overwritten(&self, w: EventRef, r: EventRef) -> bool {
        match C::HAS_BLOCKS {
            true => self.live.block_overwritten(w, r),
            false => self.rules.coherence.is_overwritten(&self.live, w, r),
        }
    }

    /// The same, if `a` may be an initial write.
    pub(crate) fn is_greater_source(&self, a: EventRef, b: EventRef) -> bool {
        !a.is_init() && self.is_greater(a, b)
    }

    /// Whether write `a` has a greater name than write `b`. Names do not depend on which thread was created first in
    /// some other execution: threads are named by the tree of creations.
    pub(crate) fn is_greater(&self, a: EventRef, b: EventRef) -> bool {
        if b.is_init() {
            return true;
        }
        let (a, b) = (self.live.event(a), self.live.event(b));
        let is_nested = |thread: ThreadId| {
            let creation = self.live.creation_of(thread);
            creation.is_some() && self.live.event(creation).thread != ThreadId::MAIN
        };
        if a.thread == b.thread {
            a.index > b.index
        } else if is_nested(a.thread) || is_nested(b.thread) {
            self.name(a.thread) > self.name(b.thread)
        } else {
            // The threads that `main` creates are numbered in the order of their creation.
            a.thread > b.thread
        }
    }

    /// The way through the tree of creations to the thread: per thread on it, the index of the event that creates the
    /// next one.
    #[cold]
    fn name(&self, thread: ThreadId) -> Vec<u32> {
        let creation = self.live.creation_of(thread);
        if creation.is_none() {
            return Vec::new();
        }
        let event = self.live.event(creation);
        let mut name = self.name(event.thread);
        name.push(event.index);
        name
    }

    /// The last one of the set of writes to the location, but for these.
    pub(crate) fn last_but(&self, location: LocationId, without: [EventRef; 2]) -> EventRef {
        let mut u = self.live.tail(location);
        while without.contains(&u) {
            u = self.live.co_prev(u);
        }
        u
    }

    /// The last write of each thread to the location, some last events of threads left out. A write that is before
    /// another one is before one of these.
    pub(crate) fn last_writes<const N: usize>(
        &self,
        location: LocationId,
        without: [EventRef; N],
    ) -> impl Iterator<Item = EventRef> {
        let graph = &self.live;
        let count = move |thread: ThreadId| {
            let mine = without.iter().map(|&e| graph.event(e)).filter(|e| e.thread == thread);
            mine.map(|e| e.index).min().unwrap_or(u32::MAX)
        };
        let last = move |thread| graph.last_write_before(location, thread, count(thread));
        graph.thread_ids().map(last).filter(|w| w.is_some())
    }

    /// The last write in the order in which blocks were added. Where the coherence order is left open, this does not depend on
    /// the witness, so that nothing that is explored does.
    #[inline(always)]
    pub(crate) fn last_added(&self, location: LocationId) -> EventRef {
        let tail = self.live.tail(location);
        if !C::HAS_BLOCKS || self.live.is_in_one_order(location) {
            tail
        } else {
            self.last_in_youngest_block(tail)
        }
    }

    #[cold]
    fn last_in_youngest_block(&self, mut w: EventRef) -> EventRef {
        let stamp = |w: EventRef| {
            let top = self.live.top_of(w);
            if top.is_init() { 0 } else { self.live.event(top).stamp }
        };
        // The last one of a block is found first.
        let mut youngest = w;
        while w.is_some() {
            if stamp(w) > stamp(youngest) {
                youngest = w;
            }
            w = self.live.co_prev(w);
        }
        youngest
    }

    /// The write that is last in every coherence order; `None` if there is no such write, or there is no such order.
    #[inline(always)]
    pub(crate) fn last_write(&self, location: LocationId) -> Option<EventRef> {
        if C::HAS_CO {
            return Some(self.live.tail(location));
        }
        if !C::HAS_BLOCKS {
            return None;
        }
        let writes = || self.last_writes(location, []);
        let later = |a, b| if self.precedes(a, b) { b } else { a };
        let last = writes().fold(EventRef::init(location), later);
        writes().all(|w| w == last || self.precedes(w, last)).then_some(last)
    }
}
