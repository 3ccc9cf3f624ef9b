//! Blocks of a graph under construction whose coherence order is left open: the order of writes that every coherence
//! order has.
//!
//! Implements: the forced order of section 3 of \[Tracer\] for models whose coherence is that of RA, with clocks. A
//! *block* is a store (or the initial write), its *top*, with the read-modify-writes that hang off it: they are
//! next to each other in every coherence order. An access *sees* the writes that are (rf? ; hb)-before it, its own
//! source left out; a block that a write sees is before the write's own block, one that a read sees is before the block
//! of its source. A graph is consistent iff that order of blocks has no cycle, and then each of its linear extensions
//! is a coherence order.
//!
//! Writes of one thread to a location are ordered, so a set of blocks with all blocks before them is a clock: per
//! thread how many of its events it reaches over. The writes that an access sees depend on its prefix alone and never
//! change. Nearly all reads order nothing that the writes do not order already, and then nothing is kept of them.
//! Others are on a list: when one of them is taken out, the order of its location is made anew from `base` and the
//! others.
//!
//! `co` of the graph is a list in which a read-modify-write is right after its source. It is one of the linear extensions
//! where the model has a global axiom (the *witness* of crate `explore`), and no more than a set of writes elsewhere.
//! A search for such a list may put more blocks in order for a while.
//! Cost: O(threads) for an access, O(1) where writes alone order all writes and the last one is known, as in locks;
//! O(writes of the location · threads) for a read that orders; O(writes · ordering reads) for taking one out.

use crate::event::{EventRef, LocationId};
use crate::graph::LiveGraph;
use base::{ClockId, Clocks, ThreadId};

/// The blocks of the graph, as they are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// Along the arena; of no meaning for events that are no accesses.
    accesses: Vec<Access>,
    /// The read-modify-writes that accesses see: the tops of their blocks and their positions there.
    seen: Vec<(EventRef, u32)>,
    /// Per location the reads that order blocks.
    ordering: Vec<Vec<EventRef>>,
    /// Per location the number of tops that writes alone do not put after the write before them in the set.
    unordered: Vec<u32>,
    /// The former `Access::before` of these writes, the latest change last.
    trail: Vec<(EventRef, ClockId)>,
    /// Reads that are being revisited, as they were.
    detached: Vec<Access>,
}

/// How far the order of blocks was known.
#[derive(Clone, Copy, Debug)]
pub struct OrderMark {
    trail: u32,
    clocks: u32,
}

/// An access, as far as blocks are concerned.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// Per thread one more than the index of the last top that it sees (0: none).
    visible: ClockId,
    /// Where the read-modify-writes begin that it sees, and how many there are.
    seen: (u32, u32),
    /// Writes: the top of its block, and its position there.
    top: EventRef,
    position: u32,
    /// Tops: the blocks that are before this one because of writes alone, and this one.
    base: ClockId,
    /// Tops: the blocks that are before this one.
    before: ClockId,
    /// Tops: how many clocks there were before it was placed.
    placed: u32,
    /// Tops that are placed: whether it is one that `Blocks::unordered` counts.
    unordered: bool,
    /// Reads: whether it orders blocks that writes alone do not order.
    orders: bool,
    /// Reads that order: how long the trail was before.
    ordered: u32,
    /// Reads that order and are out: how long the trail was before.
    retracted: u32,
}

impl Access {
    const BLANK: Access = Access {
        visible: Clocks::ZERO,
        seen: (0, 0),
        top: EventRef::NONE,
        position: 0,
        base: Clocks::ZERO,
        before: Clocks::ZERO,
        placed: 0,
        unordered: false,
        orders: false,
        ordered: 0,
        retracted: 0,
    };
}

impl LiveGraph {
    // --- questions ------------------------------------------------------------------------------------------------

    /// Whether write `a` must be co-before write `b`, another one to its location. Both are in the set of writes.
    #[inline(always)]
    pub fn block_precedes(&self, a: EventRef, b: EventRef) -> bool {
        let ((top_a, position_a), (top_b, position_b)) = (self.block(a), self.block(b));
        if top_a == top_b {
            return position_a < position_b;
        }
        top_a.is_init() || (!top_b.is_init() && self.is_before(top_a, top_b))
    }

    /// The top of a write's block.
    #[inline(always)]
    pub fn top_of(&self, w: EventRef) -> EventRef {
        self.block(w).0
    }

    /// Whether read `r` orders blocks that writes alone do not order.
    #[inline(always)]
    pub fn orders_blocks(&self, r: EventRef) -> bool {
        self.access(r).orders
    }

    /// Whether these writes are in one block.
    pub fn same_block(&self, a: EventRef, b: EventRef) -> bool {
        self.block(a).0 == self.block(b).0
    }

    /// Whether writes alone put `w`, which is no read-modify-write, after `other`, another one to its location.
    #[inline(always)]
    pub fn is_after_by_writes(&self, w: EventRef, other: EventRef) -> bool {
        let (top, _) = self.block(other);
        top.is_init() || {
            let top = self.event(top);
            self.clocks.get(self.access(w).base, top.thread) > top.index
        }
    }

    /// Whether writes alone order all writes to the location. Then the set is in that order. (A write that is after the
    /// one before it is after all of them, and is gone before they are.)
    #[inline(always)]
    pub fn is_in_one_order(&self, location: LocationId) -> bool {
        self.blocks.unordered.get(location.index()).is_none_or(|&count| count == 0)
    }

    /// Whether write `w` is co-before a write that read `r`, the last event of its thread, sees. Then `r` must not read
    /// it.
    #[inline(always)]
    pub fn block_overwritten(&self, w: EventRef, r: EventRef) -> bool {
        let (top, position) = self.block(w);
        let later = |&(t, p): &(EventRef, u32)| t == top && p > position;
        self.is_before_visible(top, r) || (self.update_of(w).is_some() && self.seen(r).iter().any(later))
    }

    /// The top of a write's block, and the write's position there.
    #[inline(always)]
    fn block(&self, w: EventRef) -> (EventRef, u32) {
        if w.is_init() {
            return (w, 0);
        }
        let access = self.access(w);
        (access.top, access.position)
    }

    #[inline(always)]
    fn access(&self, e: EventRef) -> &Access {
        &self.blocks.accesses[e.index()]
    }

    #[inline(always)]
    fn access_mut(&mut self, e: EventRef) -> &mut Access {
        &mut self.blocks.accesses[e.index()]
    }

    #[inline(always)]
    fn seen(&self, e: EventRef) -> &[(EventRef, u32)] {
        let (start, len) = self.access(e).seen;
        &self.blocks.seen[start as usize..][..len as usize]
    }

    /// Whether block `a`, not the initial one, is before block `b`.
    #[inline(always)]
    fn is_before(&self, a: EventRef, b: EventRef) -> bool {
        let a = self.event(a);
        self.clocks.get(self.access(b).before, a.thread) > a.index
    }

    /// Whether block `top` is before one that `e` sees.
    #[inline(always)]
    fn is_before_visible(&self, top: EventRef, e: EventRef) -> bool {
        let visible = self.access(e).visible;
        if visible == Clocks::ZERO {
            return false;
        }
        top.is_init() || self.visible_tops(visible).any(|seen| self.is_before(top, seen))
    }

    /// The last top of each thread that a clock reaches over.
    #[inline(always)]
    fn visible_tops(&self, visible: ClockId) -> impl Iterator<Item = EventRef> {
        let lanes = self.threads.iter().zip(self.clocks.lanes(visible));
        lanes.filter(|&(_, &n)| n > 0).map(|(thread, &n)| thread.events[n as usize - 1])
    }

    /// The writes to a location in some coherence order: of the blocks that may come next, the one with the smallest
    /// name does.
    pub fn block_witness(&self, location: LocationId) -> Vec<EventRef> {
        self.block_witness_by(location, |top| self.id(top))
    }

    /// The same; of the blocks that may come next, the one whose top has the smallest key does.
    pub fn block_witness_by<K: Ord>(
        &self,
        location: LocationId,
        key: impl Fn(EventRef) -> K,
    ) -> Vec<EventRef> {
        let mut tops: Vec<EventRef> = Vec::new();
        let mut w = self.location(location).first;
        while w.is_some() {
            tops.extend((!self.event(w).kind.is_update()).then_some(w));
            w = self.co_next(w);
        }
        tops.sort_by_key(|&top| key(top));
        let mut co = Vec::new();
        self.append_updates(EventRef::init(location), &mut co);
        while !tops.is_empty() {
            let is_next = |&a: &EventRef| tops.iter().all(|&b| a == b || !self.is_before(b, a));
            let next = tops.iter().position(is_next).expect("the order of blocks has no cycle");
            let top = tops.remove(next);
            co.push(top);
            self.append_updates(top, &mut co);
        }
        co
    }

    /// The read-modify-writes that hang off `w`.
    fn append_updates(&self, w: EventRef, co: &mut Vec<EventRef>) {
        let mut next = self.update_of(w);
        while next.is_some() {
            co.push(next);
            next = self.update_of(next);
        }
    }

    // --- trials: more blocks in order, for a while ----------------------------------------------------------------

    /// The order of blocks as it is now, for [`LiveGraph::undo_order`].
    pub fn mark_order(&self) -> OrderMark {
        OrderMark { trail: self.blocks.trail.len() as u32, clocks: self.clocks.mark() }
    }

    /// Undo every [`LiveGraph::put_in_order`] since then.
    pub fn undo_order(&mut self, mark: OrderMark) {
        self.undo_to(mark.trail);
        self.clocks.reset(mark.clocks);
    }

    /// Put the block with top `a` before the one with top `b`, which is not before it. Neither is the initial one.
    pub fn put_in_order(&mut self, a: EventRef, b: EventRef) {
        let new = self.clocks.copy(self.access(a).before);
        let (thread, count) = (self.event(a).thread, self.event(a).index + 1);
        if self.clocks.get(new, thread) < count {
            self.clocks.set(new, thread, count);
        }
        self.put_before_all_from(new, b);
    }

    // --- accesses -------------------------------------------------------------------------------------------------

    /// Access `e` was appended: keep the writes that it sees.
    #[inline(always)]
    pub fn see_blocks(&mut self, e: EventRef) {
        let seen = self.blocks.seen.len() as u32;
        let visible = self.collect_visible(e);
        let seen = (seen, self.blocks.seen.len() as u32 - seen);
        self.blocks.accesses.resize(e.index(), Access::BLANK);
        self.blocks.accesses.push(Access { visible, seen, top: e, ..Access::BLANK });
        if !self.event(e).kind.reads() {
            let base = self.base_of(e);
            self.access_mut(e).base = base;
        }
    }

    /// Undo `see_blocks`.
    #[inline(always)]
    pub fn unsee_blocks(&mut self, e: EventRef) {
        let (start, _) = self.access(e).seen;
        self.blocks.seen.truncate(start as usize);
        self.blocks.accesses.truncate(e.index());
    }

    /// The tops that `e` sees; the read-modify-writes go to `seen`. Of each thread, its last write that happens before
    /// `e` is enough, and the source of its last read, if that is later: its other accesses are before these. An
    /// initial value is no top.
    #[inline(always)]
    fn collect_visible(&mut self, e: EventRef) -> ClockId {
        let location = self.event(e).location;
        let mut visible = Clocks::ZERO;
        if self.tail(location).is_init() {
            return visible;
        }
        let (tail, prefix) = (self.tail(location), self.prefix_of(e));
        if self.is_in_one_order(location) && self.happened(tail, &prefix) {
            return self.include(visible, tail);
        }
        for thread in self.thread_ids() {
            let count = self.known_in(&prefix, thread);
            if count == 0 {
                continue;
            }
            let w = self.last_write_before(location, thread, count);
            let r = self.last_read_before(location, thread, count);
            if w.is_some() {
                visible = self.include(visible, w);
            }
            if r.is_some() && (w.is_none() || self.event(r).index > self.event(w).index) {
                visible = self.include(visible, self.event(r).rf);
            }
        }
        visible
    }

    #[inline(always)]
    fn include(&mut self, visible: ClockId, w: EventRef) -> ClockId {
        let (top, position) = self.block(w);
        if position > 0 {
            self.blocks.seen.push((top, position));
        }
        if top.is_init() {
            return visible;
        }
        let (thread, count) = (self.event(top).thread, self.event(top).index + 1);
        // Only the first one makes a clock, which no other access shares.
        let visible = if visible == Clocks::ZERO { self.clocks.fill(0) } else { visible };
        if self.clocks.get(visible, thread) < count {
            self.clocks.set(visible, thread, count);
        }
        visible
    }

    /// The blocks that are before top `w` because of writes alone, and `w`.
    fn base_of(&mut self, w: EventRef) -> ClockId {
        let (thread, index, visible) = (self.event(w).thread, self.event(w).index, self.access(w).visible);
        let base = self.clocks.copy(visible);
        if visible != Clocks::ZERO {
            for t in self.thread_ids() {
                if let Some(top) = self.visible_top(visible, t) {
                    let other = self.access(top).base;
                    self.clocks.join(base, other);
                }
            }
        }
        self.clocks.set(base, thread, index + 1);
        base
    }

    #[inline(always)]
    fn visible_top(&self, visible: ClockId, thread: ThreadId) -> Option<EventRef> {
        match self.clocks.get(visible, thread) {
            0 => None,
            n => Some(self.po(thread)[n as usize - 1]),
        }
    }

    /// A new clock: the events that `clock` reaches over, and all blocks before the tops that `visible` has.
    fn with_before(&mut self, clock: ClockId, visible: ClockId) -> ClockId {
        let sum = self.clocks.copy(clock);
        if visible == Clocks::ZERO {
            return sum;
        }
        for thread in self.thread_ids() {
            if let Some(top) = self.visible_top(visible, thread) {
                let before = self.access(top).before;
                self.clocks.join(sum, before);
            }
        }
        sum
    }

    // --- writes ---------------------------------------------------------------------------------------------------

    /// Write `w` has got its place in the set of writes.
    #[inline(always)]
    pub fn place_block(&mut self, w: EventRef) {
        if self.event(w).kind.is_update() {
            return;
        }
        let placed = self.clocks.mark();
        let &Access { visible, base, .. } = self.access(w);
        let before = self.with_before(base, visible);
        self.clocks.set(before, self.event(w).thread, self.event(w).index);
        let unordered = !self.is_after_by_writes(w, self.co_prev(w));
        self.count_unordered(w, unordered);
        let access = self.access_mut(w);
        access.before = before;
        access.placed = placed;
        access.unordered = unordered;
    }

    /// Undo `place_block`.
    #[inline(always)]
    pub fn unplace_block(&mut self, w: EventRef) {
        if !self.event(w).kind.is_update() {
            self.clocks.reset(self.access(w).placed);
            if self.access(w).unordered {
                self.blocks.unordered[self.events[w.index()].location.index()] -= 1;
            }
        }
    }

    #[inline(always)]
    fn count_unordered(&mut self, w: EventRef, unordered: bool) {
        if !unordered {
            return;
        }
        let location = self.event(w).location.index();
        if self.blocks.unordered.len() <= location {
            self.blocks.unordered.resize(location + 1, 0);
        }
        self.blocks.unordered[location] += 1;
    }

    // --- reads ----------------------------------------------------------------------------------------------------

    /// Read `r` has got its source: keep the order that it brings. If it writes, it joins the block.
    #[inline(always)]
    pub fn order_blocks(&mut self, r: EventRef) {
        let (source, writes) = (self.event(r).rf, self.event(r).kind.writes());
        let (top, position) = self.block(source);
        let visible = self.access(r).visible;
        let orders =
            visible != Clocks::ZERO && !top.is_init() && self.clocks.exceeds(visible, self.access(top).base);
        let ordered = self.blocks.trail.len() as u32;
        let access = self.access_mut(r);
        if writes {
            (access.top, access.position) = (top, position + 1);
        }
        access.orders = orders;
        access.ordered = ordered;
        if orders {
            self.remember_ordering(r);
            self.add_order(r);
        }
    }

    /// Undo the latest `order_blocks`; the clocks are reset with the read's source.
    #[inline(always)]
    pub fn unorder_blocks(&mut self, r: EventRef) {
        let &Access { orders, ordered, .. } = self.access(r);
        if orders {
            self.forget_ordering(r);
            self.undo_to(ordered);
            self.access_mut(r).orders = false;
        }
    }

    /// Take out the order that read `e`, the last event of its thread, brings: the order without `e` is left.
    #[inline(always)]
    pub fn retract_order(&mut self, e: EventRef) {
        if self.event(e).kind.reads() && self.access(e).orders {
            self.access_mut(e).retracted = self.blocks.trail.len() as u32;
            self.forget_ordering(e);
            self.rebuild_order(self.event(e).location);
        }
    }

    /// Undo `retract_order`.
    #[inline(always)]
    pub fn reinstate_order(&mut self, e: EventRef) {
        if self.event(e).kind.reads() && self.access(e).orders {
            self.undo_to(self.access(e).retracted);
            self.remember_ordering(e);
        }
    }

    /// Read `r` is going to be revisited: the order that it brings is out already.
    #[inline(always)]
    pub fn detach_block(&mut self, r: EventRef) {
        let access = *self.access(r);
        self.blocks.detached.push(access);
    }

    /// Undo `detach_block`.
    #[inline(always)]
    pub fn attach_block(&mut self, r: EventRef) {
        *self.access_mut(r) = self.blocks.detached.pop().expect("every read that is attached was detached");
    }

    fn remember_ordering(&mut self, r: EventRef) {
        let location = self.event(r).location.index();
        if self.blocks.ordering.len() <= location {
            self.blocks.ordering.resize(location + 1, Vec::new());
        }
        self.blocks.ordering[location].push(r);
    }

    /// The order of the list does not matter.
    fn forget_ordering(&mut self, r: EventRef) {
        let list = &mut self.blocks.ordering[self.events[r.index()].location.index()];
        let place = list.iter().rposition(|&other| other == r).expect("a read that orders is on the list");
        list.swap_remove(place);
    }

    /// The blocks that read `r` sees are before the block that it reads from, and before every block that this one is
    /// before.
    fn add_order(&mut self, r: EventRef) {
        let (top, _) = self.block(self.event(r).rf);
        let (thread, index) = (self.event(top).thread, self.event(top).index);
        let mut others = self.access(r).visible;
        if self.clocks.get(others, thread) == index + 1 {
            others = self.clocks.copy(others);
            self.clocks.set(others, thread, 0);
        }
        let new = self.with_before(others, others);
        if !self.clocks.exceeds(new, self.access(top).before) {
            return;
        }
        self.put_before_all_from(new, top);
    }

    /// The blocks that `new` reaches over are before block `top`, and before every block that this one is before.
    fn put_before_all_from(&mut self, new: ClockId, top: EventRef) {
        let mut w = self.location(self.event(top).location).first;
        while w.is_some() {
            if !self.event(w).kind.is_update() && (w == top || self.is_before(top, w)) {
                self.put_before(new, w);
            }
            w = self.co_next(w);
        }
    }

    /// The blocks that `new` reaches over are before block `w`.
    fn put_before(&mut self, new: ClockId, w: EventRef) {
        let before = self.access(w).before;
        let joined = self.joined(before, new);
        self.set_before(w, joined);
    }

    fn set_before(&mut self, w: EventRef, clock: ClockId) {
        let before = self.access(w).before;
        if before != clock {
            self.blocks.trail.push((w, before));
            self.access_mut(w).before = clock;
        }
    }

    fn undo_to(&mut self, length: u32) {
        while self.blocks.trail.len() > length as usize {
            let (w, before) = self.blocks.trail.pop().expect("longer than that");
            self.access_mut(w).before = before;
        }
    }

    /// The order of a location from the writes and the reads that are still on the list.
    fn rebuild_order(&mut self, location: LocationId) {
        let mut w = self.location(location).first;
        while w.is_some() {
            if !self.event(w).kind.is_update() {
                let base = self.access(w).base;
                let clock = self.clocks.copy(base);
                self.clocks.set(clock, self.event(w).thread, self.event(w).index);
                self.set_before(w, clock);
            }
            w = self.co_next(w);
        }
        for i in 0..self.blocks.ordering[location.index()].len() {
            self.add_order(self.blocks.ordering[location.index()][i]);
        }
    }
}
