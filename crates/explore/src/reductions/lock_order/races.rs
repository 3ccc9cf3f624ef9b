//! Races of a class: two conflicting accesses race if some valid order of sections leaves them unordered.
//!
//! One witness of the class is not enough: `x = 1; lock; unlock ∥ lock; unlock; x = 2` races in one order of the sections
//! only. Here accesses race if they have no mutex in common and the order of sections that every valid order has leaves them
//! unordered. That may be a little too much (each valid order orders them, in different ways), but never too little.
//!
//! Freeing memory must happen after all accesses to it without the help of sections (`core/transactional.rs`).
//!
//! Cost: O(accesses²) a location, for each class; a search for each pair of sections if some accesses are only ordered by
//! sections.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::reductions::lock_order::decide::{Edge, Question, Standpoint};
use live::{EventRef, LocationId};
use program::Hint;

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Whether the graph, which has no open transaction, has a race, as far as the order of sections goes.
    pub(crate) fn has_race_of_class(&self) -> bool {
        let known = |e: EventRef, other: EventRef| self.graph.hb(other, e);
        if !self.has_race_under(known, |e| self.unordered_by_hb(e)) {
            return false;
        }
        let mut question = Question::new(&self.graph, &self.transactions, Standpoint::default());
        let edges = forced_edges(&mut question);
        assert!(question.allows(&edges), "edges of all valid orders are in a valid order");
        let known = |e: EventRef, other: EventRef| {
            let other = self.graph.event(other);
            question.hb_count(e, other.thread) > other.index
        };
        let unordered = |e: EventRef| {
            let event = self.graph.event(e);
            self.objects
                .unknown_init(event.thread, event.location, |thread| question.hb_count(e, thread))
                .is_some()
        };
        self.has_race_under(known, unordered)
    }

    fn unordered_by_hb(&self, e: EventRef) -> bool {
        self.objects.unordered_init(&self.graph, e, self.graph.event(e).location).is_some()
    }

    /// The accesses to the location.
    fn accesses_to(&self, location: LocationId) -> impl Iterator<Item = EventRef> {
        self.graph.thread_ids().flat_map(move |thread| {
            let writes = self.graph.writes_since(location, thread, 0);
            writes.chain(self.graph.reads_since(location, thread, 0))
        })
    }

    /// Whether there is a race if an access `e` happens after another one iff `knows(e, other)`, and after the
    /// initialisation of its memory unless `lacks_init(e)`.
    fn has_race_under(
        &self,
        knows: impl Fn(EventRef, EventRef) -> bool,
        lacks_init: impl Fn(EventRef) -> bool,
    ) -> bool {
        let races = |a: EventRef, b: EventRef| {
            let (x, y) = (self.graph.event(a), self.graph.event(b));
            x.thread != y.thread
                && (x.kind.is_plain() || y.kind.is_plain())
                && self.transactions.span(a).at & self.transactions.span(b).at == 0
                && !knows(a, b)
                && !knows(b, a)
        };
        self.graph.location_ids().any(|location| {
            let writes = || self.graph.thread_ids().flat_map(|it| self.graph.writes_since(location, it, 0));
            self.accesses_to(location).any(&lacks_init)
                || writes().any(|w| self.accesses_to(location).any(|e| races(w, e)))
        })
    }
}

/// The edges that every valid order has.
fn forced_edges(question: &mut Question<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (a, b) in question.pairs() {
        if question.decide_with(vec![(b, a)]).is_none() {
            edges.push((a, b));
        } else if question.decide_with(vec![(a, b)]).is_none() {
            edges.push((b, a));
        }
    }
    edges
}
