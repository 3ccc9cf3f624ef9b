//! Sequential consistency, incrementally: no cycle in po ∪ rf ∪ co ∪ fr.
//!
//! A new cycle leaves a new event along co or fr; the search follows the four relations from there and looks for
//! the way back. Reads and writes synchronise (that gives coherence floors and races), so hb stands for po,
//! creation and join. Cost: O(events reached · log events); an event is looked at once.

use crate::frontier::{Frontier, no_cycle};
use crate::psc_live::forced_after;
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
        no_cycle(&mut self.reached, graph, new, reach_communication)
    }

    /// Whether every coherence order makes a cycle through `new`.
    pub(crate) fn forbids(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        !no_cycle(&mut self.reached, graph, new, reach_forced)
    }
}

/// What is rf-, co- or fr-after `e`.
fn reach_communication(reached: &mut Frontier, graph: &LiveGraph, e: EventRef) {
    let event = graph.event(e);
    if event.kind.writes() {
        reached.reach_event(graph, graph.co_next(e));
        reach_readers(reached, graph, e);
    } else if event.kind.reads() {
        reached.reach_event(graph, graph.co_next(event.rf));
    }
}

/// What is rf-, or in every coherence order co- or fr-after `e`.
fn reach_forced(reached: &mut Frontier, graph: &LiveGraph, e: EventRef) {
    let kind = graph.event(e).kind;
    if kind.writes() {
        reach_readers(reached, graph, e);
    }
    if kind.is_access() {
        forced_after(graph, e).for_each(|w| reached.reach_event(graph, w));
    }
}

fn reach_readers(reached: &mut Frontier, graph: &LiveGraph, w: EventRef) {
    for (thread, &observer) in graph.observers(w).iter().enumerate() {
        if observer != 0 {
            reached.reach(ThreadId(thread as u32), !observer);
        }
    }
}
