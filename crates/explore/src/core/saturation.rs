//! A coherence order that the model accepts, where it is left open: the search.
//!
//! Idea: *saturate* the order of blocks. If the relation of the global axiom leads from write `a` to access `e` of its location
//! whichever the coherence order is, then `a` is co-before `e`, or before its source: otherwise there would be a cycle. So it
//! goes on until nothing changes, or two blocks would have to be in both orders, and then there is no coherence order. Then
//! *linearise*: link the writes of each location in the saturated order, as they were as far as possible. If the model does not
//! accept that, *branch*: of two blocks whose order is open, the older one comes first, or last.
//!
//! Implements: `model::open_co` once more, over clocks, with an order of blocks that is undone afterwards.
//! Argument: without an open pair the lists are the only ones left, and so linearising decides.
//! Cost: a search for each block that is open or has got another one before it, until nothing changes; exponential in the
//! number of open pairs where linearising fails. That is rare, and NP-hard under RC11, so a search that branches too often
//! (`Options::most_branches`) is given up, and the exploration with it.

use crate::core::construction::Construction;
use crate::core::open_coherence::Question;
use crate::core::shape::Shape;
use crate::core::witness::List;
use live::EventRef;
use program::Hint;
use smallvec::SmallVec;

/// What a saturation starts from.
struct Saturation {
    /// The writes to search from, each with the number of pairs that were in order when it was searched from last.
    starts: SmallVec<[(EventRef, u32); 32]>,
    /// Blocks that have got another one before them. A cycle with what was ordered comes in at one of them, or at one
    /// that is after them.
    touched: SmallVec<[EventRef; 16]>,
    /// One more than the number of pairs that were put in order.
    pairs: u32,
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Whether there is a coherence order that the model accepts. If so, writes are linked in it; if not, in any order.
    pub(super) fn searches_order(&mut self, question: Question, former: &[List]) -> bool {
        let source = self.graph.top_of(self.graph.event(question.new).rf);
        let mark = self.graph.mark_order();
        let mut branches = self.witness.most_branches();
        let found = self.extends_order(question, former, source, &mut branches);
        self.graph.undo_order(mark);
        found
    }

    /// The same among those that extend the order of blocks, in which `touched` has just got another one before it. The
    /// search may branch so often.
    fn extends_order(
        &mut self,
        question: Question,
        former: &[List],
        touched: EventRef,
        branches: &mut u32,
    ) -> bool {
        if !self.saturates(question, former, touched) {
            return false;
        }
        self.linearise(former);
        if self.allows_new_lists(question, former) {
            return true;
        }
        let Some((a, b)) = self.open_pair(former) else { return false };
        let Some(left) = branches.checked_sub(1) else {
            self.witness.give_up();
            return false;
        };
        *branches = left;
        let mark = self.graph.mark_order();
        [(a, b), (b, a)].into_iter().any(|(first, last)| {
            self.graph.undo_order(mark);
            self.graph.put_in_order(first, last);
            self.extends_order(question, former, last, branches)
        })
    }

    /// Put blocks in order that are in that order in every coherence order that the model accepts; false if there is none.
    fn saturates(&mut self, question: Question, former: &[List], touched: EventRef) -> bool {
        let mut saturation = Saturation {
            starts: self.starts(question, former),
            touched: SmallVec::from_slice(&[touched]),
            pairs: 1,
        };
        loop {
            let before = saturation.pairs;
            for n in 0..saturation.starts.len() {
                let (a, searched) = saturation.starts[n];
                if searched == saturation.pairs || !self.can_be_on_cycle(a, &saturation.touched) {
                    continue;
                }
                saturation.starts[n].1 = saturation.pairs;
                if !self.orders_after(question, a, &mut saturation) {
                    return false;
                }
            }
            if saturation.pairs == before {
                return true;
            }
        }
    }

    /// The writes to search from, those of the location of `new` first. What comes after a read-modify-write comes after
    /// its source.
    fn starts(&self, question: Question, former: &[List]) -> SmallVec<[(EventRef, u32); 32]> {
        let graph = &self.graph;
        let is_covered = |w: EventRef| {
            let event = graph.event(w);
            event.kind.is_update() && !event.rf.is_init() && graph.reaches_updates_of(event.rf)
        };
        let location = graph.event(question.new).location;
        let (here, elsewhere): (Vec<&List>, Vec<&List>) =
            former.iter().partition(|list| list.location == location);
        let writes = here.into_iter().chain(elsewhere).flat_map(|list| &list.writes);
        writes.filter(|&&w| !is_covered(w)).map(|&w| (w, 0)).collect()
    }

    /// Whether the order of the block of `a` is open, or the block may have got another one before it.
    fn can_be_on_cycle(&self, a: EventRef, touched: &[EventRef]) -> bool {
        let graph = &self.graph;
        let top = graph.top_of(a);
        if touched.iter().any(|&it| it == top || graph.block_precedes(it, top)) {
            return true;
        }
        let is_open = |w: EventRef| {
            !graph.same_block(w, top) && !graph.block_precedes(top, w) && !graph.block_precedes(w, top)
        };
        let mut w = graph.location(graph.event(a).location).first;
        while w.is_some() && !is_open(w) {
            w = graph.co_next(w);
        }
        w.is_some()
    }

    /// Put the block of `a` before those that the global axiom puts it before; false if one of them is before it.
    ///
    /// Of each thread the first access that is reached is enough: the others, and their sources, come after it, or after its
    /// source.
    fn orders_after(&mut self, question: Question, a: EventRef, saturation: &mut Saturation) -> bool {
        self.graph.reach_forced(a);
        for thread in self.graph.thread_ids() {
            let Some(w) = self.first_reached(question, a, thread) else { continue };
            if w == a || self.graph.block_precedes(a, w) {
                continue;
            }
            if self.graph.block_precedes(w, a) {
                return false;
            }
            let (first, last) = (self.graph.top_of(a), self.graph.top_of(w));
            self.graph.put_in_order(first, last);
            saturation.touched.push(last);
            saturation.pairs += 1;
        }
        true
    }

    /// The first access of the thread to the location of `a` that was reached, other than `a`; its source, if it is a read or
    /// pends.
    fn first_reached(
        &self,
        Question { pending, .. }: Question,
        a: EventRef,
        thread: base::ThreadId,
    ) -> Option<EventRef> {
        let graph = &self.graph;
        let location = graph.event(a).location;
        let is_there = |e: &EventRef| *e != a && (*e != pending || graph.event(*e).kind.reads());
        let accesses = graph.reads_since(location, thread, 0).chain(graph.writes_since(location, thread, 0));
        let reached = accesses.filter(is_there).filter(|&e| graph.has_reached(e));
        let e = reached.min_by_key(|&e| graph.event(e).index)?;
        let event = graph.event(e);
        Some(if event.kind.writes() && e != pending { e } else { event.rf })
    }

    /// Link writes in the order of blocks, and as they were as far as that allows; if they were stale, by age.
    fn linearise(&mut self, former: &[List]) {
        let is_stale = self.witness.is_stale();
        for List { location, writes } in former {
            let place = |w: EventRef| match is_stale {
                true => self.graph.event(w).stamp as usize,
                false => writes.iter().position(|&v| v == w).unwrap_or(0),
            };
            let order = self.graph.block_witness_by(*location, place);
            self.graph.co_relink_all(*location, &order);
        }
    }

    /// Two blocks whose order is open, the older one first.
    fn open_pair(&self, former: &[List]) -> Option<(EventRef, EventRef)> {
        let graph = &self.graph;
        former.iter().find_map(|list| {
            let mut tops: Vec<EventRef> =
                list.writes.iter().copied().filter(|&w| !graph.event(w).kind.is_update()).collect();
            tops.sort_by_key(|&w| graph.event(w).stamp);
            let is_open =
                |a: EventRef, b: EventRef| !graph.block_precedes(a, b) && !graph.block_precedes(b, a);
            let open_with = |n: usize| tops[n + 1..].iter().find(|&&b| is_open(tops[n], b));
            (0..tops.len()).find_map(|n| Some((tops[n], *open_with(n)?)))
        })
    }
}
