//! Minimal coherence: whether the orderings have a linear extension.
//!
//! Implements: the last lines of Algorithms 2 to 4 of \[RF\], on chains: a graph of the tops of chains, per
//! location (under strong-write-coherence of all events). It has no cycle iff there is a `co`; any linear
//! extension, each chain in one piece, is one. The chain of the initial write is first.
//!
//! Differs: a trace is recorded in some order, and mostly its writes are coherent in that very order. So the
//! first sweep only compares each ordering with the order of arrival. Where they agree at a location, arrival
//! is `co`, and no graph was needed. A second sweep stores the orderings of the other locations, and a
//! depth-first search takes each chain, in the order of arrival, after what must be before it. A third one is
//! made for an inconsistent execution only: it finds out which accesses were the reason for the edges of the
//! cycle.
//!
//! Cost: that of the sweeps; the graph is linear in the number of orderings.

use crate::answer::{Answer, Reason, Witness};
use crate::chains::Write;
use crate::execution::{Event, Location, Op, Source};
use crate::explain;
use crate::extension::{Graph, linear_extension};
use crate::ordering::{Ordering, Orderings, Prepared};
use std::ops::ControlFlow;

/// Whether there is a coherence order that contains all orderings.
pub(crate) fn decide<O: Orderings>(prepared: &Prepared, orderings: &O) -> Answer {
    match against_arrival(prepared, orderings) {
        Err(backwards) => Answer::Inconsistent(Reason::Cycle(explain::backwards(prepared, backwards))),
        Ok(Arrival { disagrees, .. }) if disagrees.iter().all(|&disagrees| !disagrees) => {
            Answer::Consistent(witness(prepared, prepared.execution.events()))
        }
        Ok(arrival) => match linear_extension(&graph(prepared, orderings, arrival)) {
            Ok(order) => Answer::Consistent(witness(prepared, order.into_iter().map(Event))),
            Err(cycle) => Answer::Inconsistent(Reason::Cycle(explain::cycle(prepared, orderings, &cycle))),
        },
    }
}

/// What the first sweep finds.
struct Arrival {
    /// Per location, whether some ordering is against the order of arrival.
    disagrees: Vec<bool>,
    /// Per event how many orderings there are that its chain comes second in.
    predecessors: Vec<u32>,
}

/// Compare the orderings with the order of arrival; an ordering that contradicts a chain, or that the initial
/// write is first, ends it.
fn against_arrival<O: Orderings>(prepared: &Prepared, orderings: &O) -> Result<Arrival, Ordering> {
    let (execution, chains) = (prepared.execution, &prepared.chains);
    let mut arrival = Arrival {
        disagrees: vec![false; execution.location_count()],
        predecessors: vec![0; execution.len() + execution.location_count()],
    };
    let mut backwards = None;
    let _ = orderings.each(prepared, &mut |ordering| {
        let Ordering { first, second, .. } = ordering;
        let right = match first.top == second.top {
            true => first.position <= second.position,
            false => chains.is_initial(first.top) || !chains.is_initial(second.top),
        };
        if !right {
            backwards = Some(ordering);
            return ControlFlow::Break(());
        }
        if is_edge(prepared, ordering) {
            arrival.predecessors[second.top.index()] += 1;
            if first.top > second.top {
                arrival.disagrees[location(prepared, ordering.by)] = true;
            }
        }
        ControlFlow::Continue(())
    });
    match backwards {
        Some(ordering) => Err(ordering),
        None => Ok(arrival),
    }
}

/// Whether it orders two chains, neither of which is an initial write's.
pub(crate) fn is_edge(prepared: &Prepared, Ordering { first, second, .. }: Ordering) -> bool {
    first.top != second.top && !prepared.chains.is_initial(first.top)
}

fn location(prepared: &Prepared, e: Event) -> usize {
    prepared.execution.location(e).expect("it is an access").0 as usize
}

/// The graph of the orderings of all locations that disagree with arrival.
fn graph<O: Orderings>(prepared: &Prepared, orderings: &O, arrival: Arrival) -> Graph {
    let execution = prepared.execution;
    let Arrival { disagrees, mut predecessors } = arrival;
    predecessors.truncate(execution.len());
    for e in execution.events() {
        if O::STRONG {
            predecessors[e.index()] += hb_edges(prepared, e).count() as u32;
        } else if execution.location(e).is_some_and(|x| !disagrees[x.0 as usize]) {
            predecessors[e.index()] = 0;
        }
    }
    let mut graph = Graph::with_capacities(&predecessors);
    let _ = orderings.each(prepared, &mut |ordering| {
        if is_edge(prepared, ordering) && (O::STRONG || disagrees[location(prepared, ordering.by)]) {
            graph.insert(ordering.first.top.0, ordering.second.top.0);
        }
        ControlFlow::Continue(())
    });
    if O::STRONG {
        for e in execution.events() {
            hb_edges(prepared, e).for_each(|before| graph.insert(before.0, e.0));
        }
    }
    graph
}

/// The edges to an event whose transitive closure is the `hb` of uniform models: from the event before it in
/// its thread, and between atomic accesses from what it reads.
pub(crate) fn hb_edges(prepared: &Prepared, e: Event) -> impl Iterator<Item = Event> {
    let execution = prepared.execution;
    let before = execution.position(e).checked_sub(1).map(|i| execution.po(execution.thread(e))[i as usize]);
    let source = match execution.source(e) {
        Some(Source::Event(write)) => Some(write),
        _ => None,
    };
    let atomic = |e: Event| execution.order(e) != base::Order::NotAtomic;
    before.into_iter().chain(source.filter(|&write| atomic(write) && atomic(e)))
}

/// The coherence order in which the chains come in this order of their tops.
pub(crate) fn witness(prepared: &Prepared, order: impl Iterator<Item = Event>) -> Witness {
    let (execution, chains) = (prepared.execution, &prepared.chains);
    let initial = |x| chains.after(chains.initial(Location(x))).collect();
    let mut co: Vec<Vec<Event>> = (0..execution.location_count() as u32).map(initial).collect();
    for top in order.filter(|&e| execution.op(e) == Op::Write) {
        let co = &mut co[location(prepared, top)];
        co.push(top);
        co.extend(chains.after(Write(top.0)));
    }
    Witness { co }
}
