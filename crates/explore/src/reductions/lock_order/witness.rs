//! A witness of a class: an execution with an order of sections and a coherence order, in the form that it has where mutexes
//! are chains.
//!
//! A lock is a read-modify-write that reads the unlock before it, an unlock is a write; other accesses to the word of a mutex come
//! before all sections, or after them.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::reductions::lock_order::decide::{Question, Section};
use base::Value;
use graph::{ExecutionGraph, Label, Source};
use live::{EventRef, LocationId};
use program::Hint;

/// Add `co`, and `rf` of mutexes, to the graph of a class.
pub(crate) fn complete<P: Hint, C: Shape>(build: &Construction<'_, P, C>, graph: &mut ExecutionGraph) {
    let mut question = Question::whole(&build.graph, &build.transactions);
    question.decide().expect("the class is consistent");
    let mut orders = question.coherence_orders();
    for mutex in build.graph.location_ids() {
        let Some(number) = build.transactions.number(mutex) else { continue };
        let mut sections: Vec<Section> =
            question.sections().iter().copied().filter(|section| section.mutex == number).collect();
        sections.sort_by_key(|section| question.place(section.lock));
        let writes = orders.remove(&mutex).unwrap_or_default();
        if let Some(first) = sections.first() {
            let writes = chain(build, graph, first.lock, &writes, &sections, mutex);
            orders.insert(mutex, writes);
        }
    }
    for (location, writes) in orders {
        if !writes.is_empty() {
            let at = build.graph.location(location).access;
            graph.co.insert(at, writes.iter().map(|&w| build.graph.id(w)).collect());
        }
    }
}

/// The writes of a mutex, with its sections in this order; sets `rf` of locks, and of reads after all sections.
fn chain<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    graph: &mut ExecutionGraph,
    first: EventRef,
    writes: &[EventRef],
    sections: &[Section],
    mutex: LocationId,
) -> Vec<EventRef> {
    let (mut all, after): (Vec<EventRef>, Vec<EventRef>) =
        writes.iter().partition(|&&w| build.graph.hb(w, first));
    for section in sections {
        let source = all.last().map_or(Source::Init, |&w| Source::Event(build.graph.id(w)));
        graph.rf.insert(build.graph.id(section.lock), source);
        all.extend([section.lock, section.end]);
    }
    let last = build.graph.id(*all.last().expect("there is a section"));
    for thread in build.graph.thread_ids() {
        for r in build.graph.reads_since(mutex, thread, 0).filter(|&r| !build.graph.hb(r, first)) {
            if graph.label(build.graph.id(r)).is_some_and(|label| matches!(label, Label::Read { .. })) {
                graph.rf.insert(build.graph.id(r), Source::Event(last));
            }
        }
    }
    all.extend(after);
    all
}

/// The values that the last write to the location can have.
pub(crate) fn last_values<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    location: LocationId,
) -> Vec<Value> {
    let mut values: Vec<Value> = Question::whole(&build.graph, &build.transactions)
        .last_writes(location)
        .into_iter()
        .filter_map(|w| build.graph.value(w))
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}
