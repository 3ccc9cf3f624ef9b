//! TSO, incrementally: no cycle in the global order `ppo ∪ asw ∪ rfe ∪ co ∪ fr` of the declarative text.
//!
//! What a search reaches in a thread is one of two upward-closed sets, each a [`Frontier`]:
//! * `all`: every event from the first one on: what comes after a read, a fence or anything that drains the buffer;
//! * `stores`: the writes from the first one on: what comes after a write that is still in the buffer, in which reads
//!   overtake it. The first event among them that drains takes what is behind it into `all`.
//!
//! SC per location is coherence with respect to po, which the floors give; they cut with respect to RA's hb, which is
//! no more than TSO demands: TSO is stronger than RA.
//! Cost: O(events reached · threads); an event is looked at once or twice.

use crate::after::{Forced, Linked, Steps};
use crate::frontier::Frontier;
use base::ThreadId;
use live::{EventRef, Kind, LiveGraph};

/// The search, with its memory.
#[derive(Debug, Default)]
pub(crate) struct TsoSearch {
    all: Frontier,
    stores: Frontier,
}

/// Whether nothing that comes after it in its thread is there before it is in memory.
fn drains(kind: Kind) -> bool {
    kind.is_update() || kind.is_creation() || kind.is_join() || (kind.is_sc() && !kind.reads())
}

impl TsoSearch {
    /// Whether there is no cycle through `new`. An event after a write is after its reader in another thread, too, so
    /// that the reader alone is asked.
    pub(crate) fn admits(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        self.no_cycle::<Linked>(graph, new)
    }

    /// Whether every coherence order makes a cycle through `new`.
    pub(crate) fn forbids(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        !self.no_cycle::<Forced>(graph, new)
    }

    /// Find what is after write `a` in every coherence order.
    pub(crate) fn reach_from(&mut self, graph: &LiveGraph, a: EventRef) {
        self.clear(graph);
        self.stores.reach_event(graph, a);
        while self.step::<Forced>(graph) {}
    }

    fn no_cycle<S: Steps>(&mut self, graph: &LiveGraph, new: EventRef) -> bool {
        self.clear(graph);
        self.follow::<S>(graph, new);
        while !self.has_reached(graph, new) {
            if !self.step::<S>(graph) {
                return true;
            }
        }
        false
    }

    fn clear(&mut self, graph: &LiveGraph) {
        self.all.clear(graph.thread_count());
        self.stores.clear(graph.thread_count());
    }

    /// Follow what was reached last; false if all was followed.
    #[inline(always)]
    fn step<S: Steps>(&mut self, graph: &LiveGraph) -> bool {
        if let Some((thread, from, to)) = self.all.next() {
            self.follow_all::<S>(graph, thread, from, to);
        } else if let Some((thread, from, to)) = self.stores.next() {
            self.follow_stores::<S>(graph, thread, from, to);
        } else {
            return false;
        }
        true
    }

    /// Whether `e` was reached.
    #[inline(always)]
    pub(crate) fn has_reached(&self, graph: &LiveGraph, e: EventRef) -> bool {
        let event = graph.event(e);
        self.all.contains(event.thread, event.index)
            || (event.kind.writes() && self.stores.contains(event.thread, event.index))
    }

    /// Everything of `thread` from `from` on was reached; what is from `to` on has been followed.
    fn follow_all<S: Steps>(&mut self, graph: &LiveGraph, thread: ThreadId, from: u32, to: u32) {
        let to = to.min(graph.len(thread));
        for &e in graph.po(thread).get(from as usize..to as usize).unwrap_or_default() {
            self.follow::<S>(graph, e);
        }
        self.follow_join(graph, thread);
        // Of a thread that is not there, `creation_of` says nothing.
        let is_there = |&t: &ThreadId| graph.len(t) > 0 || !graph.joins_of(t).is_empty();
        for child in graph.thread_ids().filter(is_there) {
            let creation = graph.creation_of(child);
            let is_reached = |c: EventRef| graph.event(c).thread == thread && graph.event(c).index >= from;
            if creation.is_some() && is_reached(creation) {
                self.all.reach(child, 0);
            }
        }
    }

    /// The writes of `thread` from `from` on were reached.
    fn follow_stores<S: Steps>(&mut self, graph: &LiveGraph, thread: ThreadId, from: u32, to: u32) {
        for &e in &graph.po(thread)[from as usize..to.min(graph.len(thread)) as usize] {
            if drains(graph.event(e).kind) {
                self.all.reach(thread, graph.event(e).index);
                return;
            }
            if graph.event(e).kind.writes() {
                self.follow::<S>(graph, e);
            }
        }
        self.follow_join(graph, thread);
    }

    /// What is rfe-, co- or fr-after `e`.
    #[inline(always)]
    fn follow<S: Steps>(&mut self, graph: &LiveGraph, e: EventRef) {
        let event = graph.event(e);
        if !event.kind.is_access() {
            return;
        }
        if event.kind.writes() {
            for (thread, &observer) in graph.observers(e).iter().enumerate() {
                if observer != 0 && thread != event.thread.index() {
                    self.all.reach(ThreadId(thread as u32), !observer);
                }
            }
        }
        S::after(graph, e).for_each(|w| self.stores.reach_event(graph, w));
    }

    /// A thread is joined when all of it is in memory.
    fn follow_join(&mut self, graph: &LiveGraph, thread: ThreadId) {
        for &join in graph.joins_of(thread) {
            self.all.reach(graph.event(join).thread, graph.event(join).index);
        }
    }
}
