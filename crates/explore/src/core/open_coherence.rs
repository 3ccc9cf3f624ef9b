//! Coherence orders that are left open: whether there is one that the model accepts.
//!
//! Asked only where the answer may be no: when a read gets a source that some order puts before another write, when a
//! read-modify-write revisits, and for a greedy choice between writes that nothing orders. A new write can always go
//! last, and so can one that revisits, with the read that reads it: no edge leaves them.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::snapshot;
use base::EventId;
use graph::{ExecutionGraph, Label};
use live::{EventRef, LocationId};
use model::Relations;
use model::open_co::coherence_order;
use model::relation::Relation;
use program::Hint;

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Whether the graph is consistent, given that it was so without the edges of `new` and `other`. See
    /// [`model::Checker::admits`].
    #[inline(always)]
    pub(crate) fn admits(&mut self, new: EventRef, other: EventRef) -> bool {
        if !C::HAS_BLOCKS {
            return self.graph.checks(new, other);
        }
        !self.graph.has_global_order()
            || !self.graph.event(other).kind.reads()
            || has_coherence_order(self, new, EventRef::NONE)
    }

    /// Whether the graph is consistent if the read-modify-write `r`, which has no place yet, does not write.
    #[inline(always)]
    pub(crate) fn admits_pending(&mut self, r: EventRef) -> bool {
        !C::HAS_BLOCKS
            || !self.graph.has_global_order()
            || self.graph.is_top(self.graph.event(r).rf)
            || has_coherence_order(self, r, r)
    }

    /// Whether `e`, the last event of its thread, could read `u` instead, if `w` did not write.
    pub(crate) fn could_read(&mut self, e: EventRef, u: EventRef, w: EventRef) -> bool {
        let detached = self.detach(e);
        let writes = self.bind(e, u);
        if writes {
            self.place(u, e);
        }
        let consistent = has_coherence_order(self, e, w);
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
            || open_coherence(self, EventRef::NONE, Some(w)).is_some()
    }

    /// Per location its writes in a coherence order that the model accepts.
    pub(crate) fn possible_coherence_orders(&self) -> Vec<Vec<EventRef>> {
        let mut orders: Vec<Vec<EventRef>> =
            self.graph.location_ids().map(|id| self.graph.block_witness(id)).collect();
        if self.graph.has_global_order() {
            let (events, co) = open_coherence(self, EventRef::NONE, None).expect("the graph is consistent");
            let number = |w: EventRef| events.number(self.graph.id(w));
            for writes in &mut orders {
                writes.sort_by_key(|&w| writes_before(&co, number(w)));
            }
        }
        orders
    }

    /// Check the beliefs that the graph is whole and consistent, and that its blocks are those of the definition.
    #[cold]
    pub(crate) fn audit(&self) {
        assert_eq!(self.graph.check(), Ok(()), "the graph under construction is not whole");
        if !C::HAS_BLOCKS {
            return;
        }
        assert!(self.graph.blocks_are_by_definition(), "the order of blocks is not that of the definition");
        let consistent =
            !self.graph.has_global_order() || open_coherence(self, EventRef::NONE, None).is_some();
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
}

/// Whether there is a coherence order that the model accepts. There was one without `new`; `pending` does not
/// write.
#[cold]
fn has_coherence_order<P: Hint, C: Shape>(
    build: &mut Construction<'_, P, C>,
    new: EventRef,
    pending: EventRef,
) -> bool {
    if is_oldest_order_allowed(build, pending) {
        return true;
    }
    !build.graph.is_hopeless(new) && open_coherence(build, pending, None).is_some()
}

/// Whether the model accepts the order in which writes were added, as far as coherence allows that order. Most
/// often it does: it comes from an interleaving.
fn is_oldest_order_allowed<P: Hint, C: Shape>(build: &mut Construction<'_, P, C>, pending: EventRef) -> bool {
    let lists = linked_writes(build);
    for (location, _) in lists.iter() {
        let order = build.graph.block_witness_by_age(*location);
        build.graph.co_relink_all(*location, &order);
    }
    if pending.is_some() {
        build.graph.co_pretend_to_read(pending);
    }
    let allowed = build.graph.allows_links();
    for (location, order) in lists {
        build.graph.co_relink_all(location, &order);
    }
    allowed
}

/// The locations that are written more than once, with their writes as they are linked.
fn linked_writes<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> Vec<(LocationId, Vec<EventRef>)> {
    let some = |w: EventRef| w.is_some().then_some(w);
    let list = |first| std::iter::successors(some(first), |&w| some(build.graph.co_next(w))).collect();
    let lists = build.graph.location_ids().map(|id| (id, list(build.graph.location(id).first)));
    lists.filter(|(_, writes): &(LocationId, Vec<EventRef>)| writes.len() > 1).collect()
}

/// A coherence order that the model accepts; `pending` does not write, and `last` is the last write of its
/// location.
#[cold]
fn open_coherence<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    pending: EventRef,
    last: Option<EventRef>,
) -> Option<(Numbers, Relation)> {
    let global = build.graph.rules().global_order.expect("it has a global order");
    let mut relations = Relations::of(&without(build, pending));
    let numbers = Numbers::of(&relations);
    let writes: Vec<(usize, EventRef)> = numbers.writes(build).collect();
    // Its block comes last as a whole.
    let comes_last = |a: EventRef, b: EventRef| {
        last.is_some_and(|last| build.graph.same_block(b, last) && !build.graph.same_block(a, b))
    };
    for &(a, event_a) in &writes {
        for &(b, event_b) in &writes {
            let same = a != b && relations.loc.contains(a, b);
            if same && (build.graph.block_precedes(event_a, event_b) || comes_last(event_a, event_b)) {
                relations.co.insert(a, b);
            }
        }
    }
    for initial in 0..numbers.initial {
        let later = writes.iter().filter(|&&(w, _)| relations.loc.contains(initial, w));
        later.for_each(|&(w, _)| relations.co.insert(initial, w));
    }
    relations.co = relations.co.plus();
    coherence_order(relations, global).map(|co| (numbers, co))
}

/// The graph in which `pending` does not write.
fn without<P: Hint, C: Shape>(build: &Construction<'_, P, C>, pending: EventRef) -> ExecutionGraph {
    let mut graph = snapshot::graph_without_co(build);
    if pending.is_none() {
        return graph;
    }
    let EventId { thread, index } = build.graph.id(pending);
    let events = &mut graph.threads[thread.index()];
    match events[index as usize] {
        Label::Rmw { at, order, read, .. } => {
            events[index as usize] = Label::Read { at, order: order.read(), value: read };
        }
        _ => events.truncate(index as usize),
    }
    graph
}

fn writes_before(co: &Relation, w: usize) -> usize {
    co.pairs().filter(|&(_, later)| later == w).count()
}

/// The number of each write in the relations.
struct Numbers {
    ids: Vec<Option<EventId>>,
    is_write: Vec<bool>,
    initial: usize,
}

impl Numbers {
    fn of(relations: &Relations) -> Numbers {
        let ids = relations.events.ids.clone();
        let initial = ids.iter().take_while(|id| id.is_none()).count();
        let is_write = (0..ids.len()).map(|n| relations.events.writes.contains(n)).collect();
        Numbers { ids, is_write, initial }
    }

    /// The writes, without initial ones.
    fn writes<P: Hint, C: Shape>(
        &self,
        build: &Construction<'_, P, C>,
    ) -> impl Iterator<Item = (usize, EventRef)> {
        let event = |id: EventId| build.graph.po(id.thread)[id.index as usize];
        let writes = self.ids.iter().enumerate().filter(|&(n, _)| self.is_write[n]);
        writes.filter_map(move |(n, id)| id.map(|id| (n, event(id))))
    }

    fn number(&self, write: EventId) -> usize {
        let of_event = |n: &usize| self.ids[*n] == Some(write) && self.is_write[*n];
        (0..self.ids.len()).find(of_event).expect("it is a write")
    }
}
