//! The greedy choice: which event is maximal.
//!
//! An event is *maximal* if adding it again greedily to the graph that is left gives exactly it back. Sources and
//! places are in `model_graph.rs`.
//!
//! | | with `co` | without |
//! |---|---|---|
//! | maximal write | co-last and unread | unread |
//! | maximal read | reads the co-last write | reads the greatest by name among the writes that none is after |
//!
//! Why the last is right: a greedy choice must always be consistent, and depend on nothing but the content of the graph
//! that is left (a choice that depends on insertion order loses executions or finds them twice). A write that none is
//! after is never overwritten, nothing is fr-after a read of it, and no read-modify-write reads it, for that one would
//! be after it. Names of threads are the same in all executions of one exploration. If a coherence order is left open,
//! a global axiom may forbid to read such a write; then it is the greatest of those that may be read. There is one: the
//! last write in a coherence order that the axiom allows.
//!
//! Up to `rf`, a read itself orders blocks. When it is tested, that order is taken out first, or it would confirm
//! itself. While a read-modify-write sweeps, the order of its read counts, its write does not yet.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::reductions::Rooms;
use live::{EventRef, LocationId};
use program::{Hint, Request};
use smallvec::SmallVec;

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    // --- greedy choices -------------------------------------------------------------------------------------------

    /// Whether `e` is maximal. If so, the order that it brings is taken out, and it may go. `w` is the write that
    /// sweeps.
    #[inline(always)]
    pub(crate) fn leaves(&mut self, e: EventRef, w: EventRef) -> bool {
        let orders = C::HAS_BLOCKS && self.graph.event(e).kind.is_access();
        if orders {
            // Otherwise it would win every tie that it has decided itself.
            self.graph.retract_order(e);
        }
        let maximal = self.is_maximal(e, w);
        if orders && !maximal {
            self.graph.reinstate_order(e);
        }
        maximal
    }

    /// Restore the order that `e` brings, after it was put back.
    #[inline(always)]
    pub(crate) fn come_back(&mut self, e: EventRef) {
        if C::HAS_BLOCKS && self.graph.event(e).kind.is_access() {
            self.graph.reinstate_order(e);
        }
    }

    /// Whether adding `e` again greedily would give exactly it back. `w` is the write that sweeps; it has no place yet.
    #[inline(always)]
    fn is_maximal(&mut self, e: EventRef, w: EventRef) -> bool {
        let graph = &self.graph;
        let event = graph.event(e);
        if !event.kind.is_access() {
            // A choice goes through its numbers from 0 on; everything else has no choice.
            return !matches!(self.before(e).request, Request::Choose { .. } | Request::Sleep { .. })
                || event.value == 0;
        }
        let is_unread = || !event.kind.writes() || (graph.is_unread(e) && !self.hooks().is_held(e));
        if let Some(is_greedy) = self.hooks().greedy(e, w) {
            return is_greedy && is_unread();
        }
        if C::HAS_CO {
            let last = if event.kind.writes() { e } else { event.rf };
            return graph.tail(event.location) == last && is_unread();
        }
        let reads = event.kind.reads();
        is_unread() && (!reads || self.is_greedy_source(e, w))
    }

    /// Without `co`: whether `e` reads the source that it would greedily have if it and `w` were not there.
    fn is_greedy_source(&mut self, e: EventRef, w: EventRef) -> bool {
        let event = self.graph.event(e);
        let has_global_order = self.graph.has_global_order();
        if C::HAS_BLOCKS && self.graph.is_in_one_order(event.location) {
            let is_last = self.graph.last_but(event.location, [e, w]) == event.rf;
            if is_last || !has_global_order {
                return is_last;
            }
        }
        let writes: SmallVec<[EventRef; 8]> = self.graph.last_writes(event.location, [e, w]).collect();
        let is_last = |u: EventRef| writes.iter().all(|&v| !self.graph.precedes(u, v));
        if !is_last(event.rf) {
            return false;
        }
        let mut better = writes.iter().copied().filter(|&v| self.graph.is_greater(v, event.rf) && is_last(v));
        if !C::HAS_BLOCKS || !has_global_order {
            return better.next().is_none();
        }
        let better: SmallVec<[EventRef; 8]> = better.collect();
        better.into_iter().all(|v| !self.could_read(e, v, w))
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

    /// The writes to the location that no other is after.
    pub(crate) fn final_writes(&self, location: LocationId) -> Vec<EventRef> {
        if C::HAS_CO {
            return vec![self.graph.tail(location)];
        }
        let is_last = |&w: &EventRef| self.graph.is_last(w) && self.can_be_last(w);
        let mut last: Vec<EventRef> = self.graph.last_writes(location, []).filter(is_last).collect();
        if last.is_empty() {
            last.push(EventRef::init(location));
        }
        last
    }
}
