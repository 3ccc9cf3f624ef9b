//! Why one event does not happen before another although there may be a way between them.
//!
//! The way is a path in porf: program order, reads-from, thread creation and join. Each reads-from step of it (with
//! the read-modify-writes it passes through: a release sequence) either synchronises (\[RCMC\] section 3.2) or is one of
//! the steps to blame. Cost: linear in the events.

use crate::notation::Notation;
use base::{EventId, FenceOrder, Order, ReadOrder, ThreadId, WriteOrder};
use graph::{Label, Source};
use model::{Orders, ReleaseSequence, Rules};
use std::collections::{BTreeMap, VecDeque};

/// A reads-from step between two threads, from the write that heads it to the read at its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hop {
    pub(crate) write: EventId,
    pub(crate) read: EventId,
    /// Whether the write side releases.
    pub(crate) releases: bool,
    /// Whether the read side acquires.
    pub(crate) acquires: bool,
}

/// The reads-from steps of a shortest way from `from` to `to` that do not synchronise; `None` if there is no way.
/// A way over atomic accesses is preferred: those are meant to synchronise.
pub(crate) fn broken_hops(
    notation: &Notation<'_>,
    from: EventId,
    to: EventId,
    rules: &Rules,
) -> Option<Vec<Hop>> {
    let over_atomics = shortest_path(notation, from, to, &|write, read| {
        write_order(notation, write) != Some(Order::NotAtomic)
            && read_order(notation, read) != Some(Order::NotAtomic)
    });
    // That the one reads from the other is what is to be explained.
    let path = over_atomics
        .or_else(|| shortest_path(notation, from, to, &|write, read| (write, read) != (from, to)))?;
    let mut hops = Vec::new();
    let mut start = 0;
    while let Some(hop) = next_hop(notation, &path, &mut start, rules) {
        if !(hop.releases && hop.acquires) {
            hops.push(hop);
        }
    }
    Some(hops)
}

/// The event, and how the path came to it.
type Step = (EventId, Edge);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edge {
    /// Program order, thread creation, join: always part of happens-before.
    Ordered,
    ReadsFrom,
}

/// A path with as few reads-from steps as possible: a breadth-first search in which the other steps cost nothing.
fn shortest_path(
    notation: &Notation<'_>,
    from: EventId,
    to: EventId,
    allowed: &dyn Fn(EventId, EventId) -> bool,
) -> Option<Vec<Step>> {
    let forward = forward_edges(notation, allowed);
    let mut came_from: BTreeMap<EventId, Option<(EventId, Edge)>> = BTreeMap::new();
    let mut queue = VecDeque::from([(from, None)]);
    while let Some((event, origin)) = queue.pop_front() {
        if came_from.contains_key(&event) {
            continue;
        }
        came_from.insert(event, origin);
        if event == to {
            return Some(unwind(&came_from, to));
        }
        let next = EventId { thread: event.thread, index: event.index + 1 };
        for &reader in forward.get(&event).into_iter().flatten() {
            match reader {
                (reader, Edge::ReadsFrom) => queue.push_back((reader, Some((event, Edge::ReadsFrom)))),
                (other, Edge::Ordered) => queue.push_front((other, Some((event, Edge::Ordered)))),
            }
        }
        // A thread's pending instruction (a failed assertion, say) stands one past its last event.
        if notation.label(next).is_some() || next == to {
            queue.push_front((next, Some((event, Edge::Ordered))));
        }
    }
    None
}

fn unwind(came_from: &BTreeMap<EventId, Option<(EventId, Edge)>>, to: EventId) -> Vec<Step> {
    let mut path = Vec::new();
    let mut event = to;
    while let Some(&Some((before, edge))) = came_from.get(&event) {
        path.push((event, edge));
        event = before;
    }
    path.push((event, Edge::Ordered));
    path.reverse();
    path
}

/// Reads-from as far as it is allowed, creation and join, as successors.
fn forward_edges(
    notation: &Notation<'_>,
    allowed: &dyn Fn(EventId, EventId) -> bool,
) -> BTreeMap<EventId, Vec<(EventId, Edge)>> {
    let graph = &notation.execution.graph;
    let mut edges: BTreeMap<EventId, Vec<(EventId, Edge)>> = BTreeMap::new();
    for (&read, &source) in &graph.rf {
        if let Source::Event(write) = source
            && write.thread != read.thread
            && allowed(write, read)
        {
            edges.entry(write).or_default().push((read, Edge::ReadsFrom));
        }
    }
    for (thread, events) in graph.threads.iter().enumerate() {
        for (index, label) in events.iter().enumerate() {
            let event = EventId { thread: ThreadId(thread as u32), index: index as u32 };
            match *label {
                Label::Create(child) => {
                    let first = EventId { thread: child, index: 0 };
                    edges.entry(event).or_default().push((first, Edge::Ordered));
                }
                Label::Join(child) => {
                    let events = graph.threads.get(child.index()).map_or(0, Vec::len) as u32;
                    if let Some(last) = events.checked_sub(1) {
                        let last = EventId { thread: child, index: last };
                        edges.entry(last).or_default().push((event, Edge::Ordered));
                    }
                }
                Label::Read { .. }
                | Label::Write { .. }
                | Label::Rmw { .. }
                | Label::Fence(_)
                | Label::Publish(_)
                | Label::Free(_)
                | Label::Choose(_)
                | Label::Sleep(..)
                | Label::Notify(_) => {}
            }
        }
    }
    edges
}

/// The next run of reads-from steps after `*start`, as one hop.
fn next_hop(notation: &Notation<'_>, path: &[Step], start: &mut usize, rules: &Rules) -> Option<Hop> {
    let first = (*start + 1..path.len()).find(|&i| path[i].1 == Edge::ReadsFrom)?;
    let mut last = first;
    while path.get(last + 1).is_some_and(|step| step.1 == Edge::ReadsFrom) {
        last += 1;
    }
    let (write, read) = (path[first - 1].0, path[last].0);
    // The way is in the writer's thread since `arrived`, and in the reader's until `leaves`.
    let arrived = path[*start..first].iter().map(|step| step.0).find(|event| event.thread == write.thread)?;
    let leaves =
        path[last..].iter().map(|step| step.0).take_while(|event| event.thread == read.thread).last()?;
    *start = last;
    Some(Hop {
        write,
        read,
        releases: releases(notation, arrived, write, rules),
        acquires: acquires(notation, read, leaves, rules),
    })
}

/// Whether there is a release at `write`, or a release fence before it, or, if that continues its release sequence, a
/// release write of the same location.
fn releases(notation: &Notation<'_>, arrived: EventId, write: EventId, rules: &Rules) -> bool {
    let at = notation.label(write).and_then(Label::at);
    if write_order(notation, write) == Some(Order::NotAtomic) {
        return false;
    }
    (arrived.index..=write.index).map(|index| EventId { thread: write.thread, index }).any(|event| {
        match notation.label(event) {
            Some(&Label::Fence(order)) => rules.orders == Orders::AsWritten && order.is_release(),
            Some(label) => {
                let continues = event == write || rules.release_sequence == ReleaseSequence::SameThread;
                let is_in_sequence = continues && label.is_write() && label.at() == at;
                is_in_sequence && is_release(write_order(notation, event), rules.orders)
            }
            None => false,
        }
    })
}

/// Whether there is an acquire at `read`, or an acquire fence after it and before the way leaves the thread.
fn acquires(notation: &Notation<'_>, read: EventId, leaves: EventId, rules: &Rules) -> bool {
    if read_order(notation, read) == Some(Order::NotAtomic) {
        return false;
    }
    let fence = |index| match notation.label(EventId { thread: read.thread, index }) {
        Some(&Label::Fence(order)) => rules.orders == Orders::AsWritten && order != FenceOrder::Release,
        _ => false,
    };
    is_acquire(read_order(notation, read), rules.orders) || (read.index + 1..leaves.index).any(fence)
}

/// The order of the write part of an event.
pub(crate) fn write_order(notation: &Notation<'_>, event: EventId) -> Option<Order> {
    match *notation.label(event)? {
        Label::Write { order, .. } => Some(order.into()),
        Label::Rmw { order, .. } => Some(order.write().into()),
        _ => None,
    }
}

/// The order of the read part of an event.
pub(crate) fn read_order(notation: &Notation<'_>, event: EventId) -> Option<Order> {
    match *notation.label(event)? {
        Label::Read { order, .. } => Some(order.into()),
        Label::Rmw { order, .. } => Some(order.read().into()),
        _ => None,
    }
}

pub(crate) fn is_release(order: Option<Order>, orders: Orders) -> bool {
    let release = [WriteOrder::Release, WriteOrder::SeqCst].map(Order::from);
    order.is_some_and(|order| match orders {
        Orders::AsWritten => release.contains(&order),
        Orders::Uniform => order != Order::NotAtomic,
        Orders::Ignored => false,
    })
}

pub(crate) fn is_acquire(order: Option<Order>, orders: Orders) -> bool {
    let acquire = [ReadOrder::Acquire, ReadOrder::SeqCst].map(Order::from);
    order.is_some_and(|order| match orders {
        Orders::AsWritten => acquire.contains(&order),
        Orders::Uniform => order != Order::NotAtomic,
        Orders::Ignored => false,
    })
}
