//! Coherence orders that are left open: whether there is one that the model accepts.
//!
//! Asked only where the answer may be no: when a read gets a source that some order puts before another write, when a
//! read-modify-write revisits, and for a greedy choice between writes that nothing orders. A new write can always go
//! last, and so can one that revisits, with the read that reads it: no edge leaves them.
//!
//! There was such an order before, the witness (`witness.rs`), so nearly always one of the first steps answers:
//! 1. *tail*: the read reads the write that is linked last: yes, no edge leaves it;
//! 2. *list*: it has seen nothing that is linked after its source, and there is no cycle through it with the order in which
//!    writes are linked: yes. This is what an exploration up to `co` asks;
//! 3. *forbids*: there is a cycle through it with the order of blocks, which all coherence orders have in common: no;
//! 4. *move*: the block of its source comes as late as the order of blocks allows, and all else stays: yes, if that will do;
//! 5. *search*: `saturation.rs`.
//!
//! A read-modify-write *pends* while it sweeps: it has its source, but no place. It counts as if its write were right after
//! its source: whatever comes after its source comes after it, and under TSO it drains. So it need not be asked again when
//! it gets its place. (Another one may read the same source then, and is after it, too. It is peeled before both could
//! write.) A write without a place is not there.
//!
//! Cost: that of a step of an exploration up to `co` for the first two steps.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::core::witness::List;
use live::EventRef;
use program::Hint;
use smallvec::SmallVec;

/// A read that has just got its source. There was a coherence order without it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) new: EventRef,
    /// The access that has no place, if any: it is `new`, or sweeps.
    pub(super) pending: EventRef,
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Whether the graph is consistent, given that it was so without the edges of `new` and `other`. See
    /// [`model::Checker::admits`].
    #[inline(always)]
    pub(crate) fn admits(&mut self, new: EventRef, other: EventRef) -> bool {
        if !C::HAS_BLOCKS {
            return self.graph.checks(new, other);
        }
        // A write that goes last, or that had its place when it was asked for.
        !self.graph.event(other).kind.reads() || self.accepts(Question { new, pending: EventRef::NONE })
    }

    /// Whether the graph is consistent with the read-modify-write `w`, which has just got its place.
    #[inline(always)]
    pub(crate) fn admits_update(&mut self, w: EventRef) -> bool {
        C::HAS_BLOCKS || self.graph.is_top(w) || self.graph.checks(w, w)
    }

    /// Whether the graph is consistent with the read-modify-write `r`, which has no place yet.
    #[inline(always)]
    pub(crate) fn admits_pending(&mut self, r: EventRef) -> bool {
        !C::HAS_BLOCKS
            || self.graph.is_top(self.graph.event(r).rf)
            || self.accepts(Question { new: r, pending: r })
    }

    /// Whether `e`, the last event of its thread, could read `u` instead, while `w` pends.
    pub(crate) fn could_read(&mut self, e: EventRef, u: EventRef, w: EventRef) -> bool {
        let detached = self.detach(e);
        let writes = self.bind(e, u);
        if writes {
            self.place(u, e);
        }
        let consistent = self.accepts(Question { new: e, pending: w });
        if writes {
            self.unplace(e);
        }
        self.unbind(e);
        self.attach(e, detached);
        consistent
    }

    /// Whether there is a coherence order that ends in `w`, which no block is after.
    pub(crate) fn can_be_last(&self, w: EventRef) -> bool {
        !C::HAS_BLOCKS
            || !self.graph.has_global_order()
            || (!self.witness.is_stale() && self.graph.co_next(w).is_none())
            || self.has_order_by_text(Some(w))
    }

    /// Per location its writes in a coherence order that the model accepts.
    pub(crate) fn possible_coherence_orders(&self) -> Vec<Vec<EventRef>> {
        let ids = || self.graph.location_ids();
        match (self.graph.has_global_order(), self.witness.is_stale()) {
            (false, _) => ids().map(|id| self.graph.block_witness(id)).collect(),
            (true, false) => ids().map(|id| self.list(id).writes).collect(),
            (true, true) => self.orders_by_text(),
        }
    }

    /// Check the beliefs that the graph is whole and consistent, that its blocks are those of the definition, and that
    /// writes are linked in a coherence order.
    #[cold]
    pub(crate) fn audit(&mut self) {
        assert_eq!(self.graph.check(), Ok(()), "the graph under construction is not whole");
        if !C::HAS_BLOCKS {
            return;
        }
        assert!(self.graph.blocks_are_by_definition(), "the order of blocks is not that of the definition");
        self.audit_witness();
        let consistent = !self.graph.has_global_order() || self.has_order_by_text(None);
        assert!(consistent, "an inconsistent graph is visited");
    }

    /// Check the belief that there is always a source for a read, for `r`, which has none yet.
    #[cold]
    pub(crate) fn audit_read(&mut self, r: EventRef) {
        let mut u = self.graph.first_source(r);
        while u.is_some() {
            let writes = self.bind(r, u);
            let is_free = !writes || self.graph.update_of(u).is_none();
            if writes && is_free {
                self.place(u, r);
            }
            let consistent = is_free && self.admits(r, r);
            if writes && is_free {
                self.unplace(r);
            }
            self.unbind(r);
            if consistent {
                return;
            }
            u = self.graph.next_source(r, u);
        }
        panic!("there is nothing that a read can read");
    }

    // --- the steps ------------------------------------------------------------------------------------------------

    /// Whether there is a coherence order that the model accepts. If so, it is the witness.
    #[inline(always)]
    fn accepts(&mut self, question: Question) -> bool {
        if self.graph.rules().global_order.is_none() {
            return true;
        }
        if !self.graph.has_global_order() {
            self.note_stale(question.new);
            return true;
        }
        if !self.witness.is_stale() {
            if self.is_linked_last(question) {
                return true;
            }
            self.pretend(question);
            if self.is_linked_coherently(question.new) && self.graph.checks(question.new, question.new) {
                return true;
            }
        }
        self.finds_order(question)
    }

    /// There is nothing yet that the axiom can forbid: the lists are stale if `new` orders blocks against them.
    #[inline(always)]
    fn note_stale(&mut self, new: EventRef) {
        if !self.witness.is_stale() && !self.is_linked_coherently(new) {
            self.witness.become_stale();
        }
    }

    /// Whether nothing is linked after `new` or its source.
    #[inline(always)]
    fn is_linked_last(&self, Question { new, pending }: Question) -> bool {
        let event = self.graph.event(new);
        let from = if event.kind.writes() && new != pending { new } else { event.rf };
        self.graph.co_next(from).is_none()
    }

    /// Whether the read `new` has seen nothing that is linked after its source. It has not, if it orders no blocks that
    /// writes alone do not order.
    #[inline(always)]
    fn is_linked_coherently(&self, new: EventRef) -> bool {
        if !self.graph.orders_blocks(new) {
            return true;
        }
        let seen = self.graph.prefix_of(new);
        let mut v = self.graph.co_next(self.graph.event(new).rf);
        while v.is_some() && (v == new || !self.graph.observed(v, &seen)) {
            v = self.graph.co_next(v);
        }
        v.is_none()
    }

    /// Let the access without a place be linked to what comes after it.
    #[inline(always)]
    pub(super) fn pretend(&mut self, Question { pending, .. }: Question) {
        if pending.is_some() {
            self.graph.co_pretend_to_read(pending);
        }
    }

    #[cold]
    #[inline(never)]
    fn finds_order(&mut self, question: Question) -> bool {
        self.pretend(question);
        if self.graph.is_hopeless(question.new) {
            return false;
        }
        if !self.witness.is_stale() && self.moves_source(question) {
            return true;
        }
        let lists = self.lists();
        let found = self.searches_order(question, &lists);
        match found {
            true => self.keep_change(question.new, lists),
            false => self.relink(&lists),
        }
        found
    }

    /// Let the block of the source of `new` come as late as the order of blocks allows; whether that will do.
    fn moves_source(&mut self, question: Question) -> bool {
        let event = self.graph.event(question.new);
        let (location, top) = (event.location, self.graph.top_of(event.rf));
        let list = self.list(location);
        let place = |w: EventRef| list.writes.iter().position(|&v| v == w);
        let order = self.graph.block_witness_by(location, |w| (w == top, place(w)));
        if order == list.writes {
            return false;
        }
        self.graph.co_relink_all(location, &order);
        let lists = vec![list];
        let allowed = self.allows_new_lists(question, &lists);
        match allowed {
            true => self.keep_change(question.new, lists),
            false => self.relink(&lists),
        }
        allowed
    }

    /// Whether the model accepts the order in which writes are linked, which extends the order of blocks. It did so without
    /// `new` and with the former lists: whatever cycle there is, it leaves `new`, or an access that more writes are after
    /// than were.
    pub(super) fn allows_new_lists(&mut self, question: Question, former: &[List]) -> bool {
        self.pretend(question);
        if self.witness.is_stale() {
            return self.graph.allows_links();
        }
        self.graph.checks(question.new, question.new)
            && former.iter().all(|list| self.allows_new_list(question, list))
    }

    fn allows_new_list(&mut self, question: Question, former: &List) -> bool {
        let grown = self.overtaken(former);
        grown.into_iter().all(|w| self.allows_leaving(question, w))
    }

    /// The writes that another one is after which was not in the former list.
    fn overtaken(&self, former: &List) -> SmallVec<[EventRef; 16]> {
        let place =
            |w: EventRef| former.writes.iter().position(|&v| v == w).expect("the writes are the same");
        let (mut overtaken, mut first) = (SmallVec::new(), usize::MAX);
        let mut w = self.graph.tail(former.location);
        while !w.is_init() {
            let place = place(w);
            if first < place {
                overtaken.push(w);
            }
            first = first.min(place);
            w = self.graph.co_prev(w);
        }
        overtaken
    }

    /// Whether there is no cycle that leaves `w` or one of its readers to a write that is linked after it.
    fn allows_leaving(&mut self, Question { new, pending }: Question, w: EventRef) -> bool {
        let reads = self.readers_of(w);
        let is_asked = |&e: &EventRef| e != new && (e == pending || !self.graph.event(e).kind.writes());
        let reads: SmallVec<[EventRef; 16]> = reads.into_iter().filter(is_asked).collect();
        (w == new || self.graph.checks(w, w)) && reads.into_iter().all(|e| self.graph.checks(e, e))
    }

    /// The events that read from `w`.
    fn readers_of(&self, w: EventRef) -> SmallVec<[EventRef; 16]> {
        let location = self.graph.event(w).location;
        let graph = &self.graph;
        let reads = graph.thread_ids().flat_map(|thread| graph.reads_since(location, thread, 0));
        reads.filter(|&e| graph.event(e).rf == w).collect()
    }
}
