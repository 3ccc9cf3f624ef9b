//! Sequential consistency, incrementally: no cycle in po ∪ rf ∪ co ∪ fr.
//!
//! A new cycle leaves a new event along co or fr; the search follows the four relations from there and looks for
//! the way back. Reads and writes synchronise (that gives coherence floors and races), so hb stands for po,
//! creation and join. Cost: O(events reached · log events); an event is looked at once.

use crate::MemoryModel;
use crate::frontier::Frontier;
use base::{FenceOrder, ReadOrder, ThreadId, WriteOrder};
use graph::{EventRef, LiveGraph};

/// The SC model, with the memory of its searches.
#[derive(Debug, Default)]
pub struct Sc {
    reached: Frontier,
}

impl MemoryModel for Sc {
    const NAME: &'static str = "SC";
    const HAS_SC: bool = false;

    fn acquires(order: ReadOrder) -> bool {
        order != ReadOrder::NotAtomic
    }

    fn releases(order: WriteOrder) -> bool {
        order != WriteOrder::NotAtomic
    }

    fn fence(_: FenceOrder) -> (bool, bool) {
        (false, false)
    }

    fn admits(&mut self, graph: &LiveGraph, new: EventRef, other: EventRef) -> bool {
        self.no_cycle(graph, new) && (other == new || self.no_cycle(graph, other))
    }
}

impl Sc {
    fn no_cycle(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        let target = graph.event(new);
        self.reached.clear(graph.thread_count());
        self.reach_after(graph, new);
        while let Some((thread, from, to)) = self.reached.next() {
            if self.reached.contains(target.thread, target.index) {
                return false;
            }
            self.reach_hb(graph, graph.po(thread)[from as usize]);
            for index in from..to.min(graph.len(thread)) {
                self.reach_after(graph, graph.po(thread)[index as usize]);
            }
        }
        true
    }

    /// What is rf-, co- or fr-after `e`.
    fn reach_after(&mut self, graph: &LiveGraph, e: EventRef) {
        let event = graph.event(e);
        if event.kind.writes() {
            self.reach_write(graph, graph.co_next(e));
            for (thread, &observer) in graph.observers(e).iter().enumerate() {
                if observer != 0 {
                    self.reached.reach(ThreadId(thread as u32), !observer);
                }
            }
        } else if event.kind.reads() {
            self.reach_write(graph, graph.co_next(event.rf));
        }
    }

    fn reach_write(&mut self, graph: &LiveGraph, w: EventRef) {
        if w.is_some() {
            let w = graph.event(w);
            self.reached.reach(w.thread, w.index);
        }
    }

    /// What happens after `e` in other threads.
    fn reach_hb(&mut self, graph: &LiveGraph, e: EventRef) {
        for thread in graph.thread_ids() {
            if let Some(index) = first_after(graph, e, thread) {
                self.reached.reach(thread, index);
            }
        }
    }
}

/// The first event of another thread that happens after `e`.
pub(crate) fn first_after(graph: &LiveGraph, e: EventRef, thread: ThreadId) -> Option<u32> {
    let event = graph.event(e);
    if event.thread == thread {
        return None;
    }
    let events = graph.po(thread);
    let index = events.partition_point(|&x| graph.hb_count(x, event.thread) <= event.index);
    (index < events.len()).then_some(index as u32)
}
