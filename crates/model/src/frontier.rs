//! Upward-closed sets of events: per thread the first one that is in.
//!
//! Reachability along relations that contain `po` needs no more than this, and an event is looked at once.

use base::ThreadId;
use live::{EventRef, LiveGraph};

/// Per thread, the first event that is in, and the first one that was looked at.
#[derive(Debug, Default)]
pub(crate) struct Frontier {
    first: Vec<u32>,
    done: Vec<u32>,
}

impl Frontier {
    /// Nothing is in.
    pub(crate) fn clear(&mut self, threads: usize) {
        self.first.clear();
        self.first.resize(threads, u32::MAX);
        self.done.clear();
        self.done.resize(threads, u32::MAX);
    }

    /// Put the events of `thread` from `index` on in.
    #[inline]
    pub(crate) fn reach(&mut self, thread: ThreadId, index: u32) {
        let first = &mut self.first[thread.index()];
        *first = (*first).min(index);
    }

    /// Put an event, if it is one, and what is po-after it in.
    pub(crate) fn reach_event(&mut self, graph: &LiveGraph, e: EventRef) {
        if e.is_some() {
            let event = graph.event(e);
            self.reach(event.thread, event.index);
        }
    }

    /// Whether the event is in.
    #[inline]
    pub(crate) fn contains(&self, thread: ThreadId, index: u32) -> bool {
        self.first[thread.index()] <= index
    }

    /// A thread with events that were not looked at, and which: from the first index up to the second, which is
    /// left out. They count as looked at from now on.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(ThreadId, u32, u32)> {
        let t = (0..self.first.len()).find(|&t| self.first[t] < self.done[t])?;
        let range = (self.first[t], self.done[t]);
        self.done[t] = self.first[t];
        Some((ThreadId(t as u32), range.0, range.1))
    }
}

/// Whether there is no cycle through `new` in po and the relations that `onwards` and `after` follow: the former from the first
/// event of a thread that is reached, the latter from each event. A cycle leaves `new` by the latter.
pub(crate) fn no_cycle(
    reached: &mut Frontier,
    graph: &LiveGraph,
    new: EventRef,
    onwards: impl Fn(&mut Frontier, &LiveGraph, EventRef),
    after: impl Fn(&mut Frontier, &LiveGraph, EventRef),
) -> bool {
    let target = graph.event(new);
    reached.clear(graph.thread_count());
    after(reached, graph, new);
    while !reached.contains(target.thread, target.index) {
        if !follow_next(reached, graph, &onwards, &after) {
            return true;
        }
    }
    false
}

/// Put `from` in, and everything that is after it in po and the relations that `onwards` and `after` follow.
pub(crate) fn reach_from(
    reached: &mut Frontier,
    graph: &LiveGraph,
    from: EventRef,
    onwards: impl Fn(&mut Frontier, &LiveGraph, EventRef),
    after: impl Fn(&mut Frontier, &LiveGraph, EventRef),
) {
    reached.clear(graph.thread_count());
    reached.reach_event(graph, from);
    while follow_next(reached, graph, &onwards, &after) {}
}

/// Follow what was reached in one thread; false if all was followed.
fn follow_next(
    reached: &mut Frontier,
    graph: &LiveGraph,
    onwards: impl Fn(&mut Frontier, &LiveGraph, EventRef),
    after: impl Fn(&mut Frontier, &LiveGraph, EventRef),
) -> bool {
    let Some((thread, from, to)) = reached.next() else { return false };
    let events = graph.po(thread);
    // The beginning of a thread is reached that has no events yet.
    let Some(&first) = events.get(from as usize) else { return true };
    onwards(reached, graph, first);
    for &e in &events[from as usize..to.min(events.len() as u32) as usize] {
        after(reached, graph, e);
    }
    true
}

/// What happens after `e` in other threads.
pub(crate) fn reach_hb(reached: &mut Frontier, graph: &LiveGraph, e: EventRef) {
    for thread in graph.thread_ids() {
        if let Some(index) = first_after(graph, e, thread) {
            reached.reach(thread, index);
        }
    }
}

/// The first event of another thread that happens after `e`.
#[inline]
pub(crate) fn first_after(graph: &LiveGraph, e: EventRef, thread: ThreadId) -> Option<u32> {
    let event = graph.event(e);
    if event.thread == thread {
        return None;
    }
    let events = graph.po(thread);
    let index = events.partition_point(|&x| graph.hb_count(x, event.thread) <= event.index);
    (index < events.len()).then_some(index as u32)
}
