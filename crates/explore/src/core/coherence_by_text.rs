//! Coherence orders that are left open, by the text of the model: slow and obvious.
//!
//! For tests, for the question which writes can be last, and for graphs that are shown while there is no witness.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::snapshot;
use base::EventId;
use live::EventRef;
use model::Relations;
use model::open_co::coherence_order;
use model::relation::Relation;
use program::Hint;

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Whether there is a coherence order that the model accepts; one that ends in `last`, if that is given.
    pub(super) fn has_order_by_text(&self, last: Option<EventRef>) -> bool {
        open_coherence(self, last).is_some()
    }

    /// Per location its writes in a coherence order that the model accepts.
    pub(super) fn orders_by_text(&self) -> Vec<Vec<EventRef>> {
        let (events, co) = open_coherence(self, None).expect("the graph is consistent");
        let place = |w: EventRef| writes_before(&co, events.number(self.graph.id(w)));
        let mut orders: Vec<Vec<EventRef>> =
            self.graph.location_ids().map(|id| self.graph.block_witness(id)).collect();
        orders.iter_mut().for_each(|writes| writes.sort_by_key(|&w| place(w)));
        orders
    }
}

/// A coherence order that the model accepts; `last` is the last write of its location.
#[cold]
fn open_coherence<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    last: Option<EventRef>,
) -> Option<(Numbers, Relation)> {
    let global = build.graph.rules().global_order.expect("it has a global order");
    let mut relations = Relations::of(&snapshot::graph_without_co(build));
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
