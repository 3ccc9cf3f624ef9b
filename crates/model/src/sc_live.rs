//! Sequential consistency, incrementally: no cycle in po ∪ rf ∪ co ∪ fr.
//!
//! A new cycle leaves a new event along co or fr; the search follows the four relations from there and looks for
//! the way back; creation and join count as po. Cost: O(events reached); an event is looked at once.

use crate::after::{Forced, Linked, Steps};
use crate::frontier::{Frontier, no_cycle, reach_from};
use base::ThreadId;
use live::{EventRef, LiveGraph};

/// The search, with its memory.
#[derive(Debug, Default)]
pub(crate) struct ScSearch {
    reached: Frontier,
}

impl ScSearch {
    /// Whether there is no cycle through `new`. An event after a write is after its reader, too: the reader alone is
    /// asked.
    pub(crate) fn admits(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        no_cycle(&mut self.reached, graph, new, reach_joins, reach_communication::<Linked>)
    }

    /// Whether every coherence order makes a cycle through `new`.
    pub(crate) fn forbids(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        !no_cycle(&mut self.reached, graph, new, reach_joins, reach_communication::<Forced>)
    }

    /// Find what is after write `a` in every coherence order.
    pub(crate) fn reach_from(&mut self, graph: &LiveGraph, a: EventRef) {
        reach_from(&mut self.reached, graph, a, reach_joins, reach_communication::<Forced>);
    }

    /// Whether `e` is.
    pub(crate) fn has_reached(&self, graph: &LiveGraph, e: EventRef) -> bool {
        self.reached.contains(graph.event(e).thread, graph.event(e).index)
    }
}

/// The joins of the thread of `e`.
fn reach_joins(reached: &mut Frontier, graph: &LiveGraph, e: EventRef) {
    graph.joins_of(graph.event(e).thread).iter().for_each(|&join| reached.reach_event(graph, join));
}

/// What is rf-, co- or fr-after `e`, or the thread that it creates.
fn reach_communication<S: Steps>(reached: &mut Frontier, graph: &LiveGraph, e: EventRef) {
    let kind = graph.event(e).kind;
    if kind.is_creation() {
        reached.reach(ThreadId(graph.event(e).value as u32), 0);
    }
    if !kind.is_access() {
        return;
    }
    S::after(graph, e).for_each(|w| reached.reach_event(graph, w));
    if kind.writes() {
        for (thread, &observer) in graph.observers(e).iter().enumerate() {
            if observer != 0 {
                reached.reach(ThreadId(thread as u32), !observer);
            }
        }
    }
}
