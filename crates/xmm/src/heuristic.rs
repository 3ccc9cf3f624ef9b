//! The heuristic of the thesis: those executions with cycles that it would find, for comparison.
//!
//! Implements: \[XMM\] algorithm 2 with the checks of algorithms 5 and 6, as a relation between graphs: whether one of
//! its three phases leads from one graph to the other. It finds the graphs that can be reached from the executions of
//! RC11.
//! Differs: the graphs themselves come from the complete search, in which all of them are, since the heuristic is
//! sound. Phases 2 and 3 start from graphs that are consistent; whether the thesis' tool goes on from others is not
//! said.
//! Cost: a comparison for each pair of an execution with a load-buffering race and one with a cycle.

use base::{EventId, ThreadId};
use graph::{ExecutionGraph, Label, Source};
use model::Relations;
use model::relation::Relation;
use model::xmm;
use std::collections::{BTreeMap, BTreeSet};

/// Per execution with a cycle, whether the heuristic finds it, given the executions without cycles that have a
/// load-buffering race.
pub(crate) fn found(sources: &[ExecutionGraph], cyclic: &[ExecutionGraph]) -> Vec<bool> {
    let mut found = vec![false; cyclic.len()];
    let mut todo: Vec<&ExecutionGraph> = sources.iter().collect();
    while let Some(graph) = todo.pop() {
        for next in successors(graph, cyclic) {
            if !std::mem::replace(&mut found[next], true) {
                todo.push(&cyclic[next]);
            }
        }
    }
    found
}

/// `visitLBRaces`: the graphs that the three phases lead to.
fn successors(graph: &ExecutionGraph, cyclic: &[ExecutionGraph]) -> BTreeSet<usize> {
    let mut successors = BTreeSet::new();
    for racy_read in racy_reads(graph) {
        for (number, first) in cyclic.iter().enumerate() {
            if !is_revisit(graph, racy_read, first) {
                continue;
            }
            successors.insert(number);
            let outside = |next: &&ExecutionGraph| is_outside(first, racy_read, next);
            let earlier = |next: &&ExecutionGraph| {
                reads_up_to(first, racy_read).any(|read| is_revisit(first, read, next))
            };
            let others = cyclic.iter().enumerate();
            successors
                .extend(others.filter(|(_, next)| outside(next) || earlier(next)).map(|(other, _)| other));
        }
    }
    successors
}

fn racy_reads(graph: &ExecutionGraph) -> BTreeSet<EventId> {
    let relations = Relations::of(graph);
    xmm::lb_race(&relations).pairs().filter_map(|(read, _)| relations.events.ids[read]).collect()
}

fn reads_up_to(graph: &ExecutionGraph, last: EventId) -> impl Iterator<Item = EventId> {
    let index = move |index: usize| EventId { thread: last.thread, index: index as u32 };
    let labels = graph.threads[last.thread.index()].iter().take(last.index as usize + 1).enumerate();
    labels.filter(|(_, label)| label.is_read()).map(move |(at, _)| index(at))
}

/// Phases 1 and 3: the `po`-suffix of a read goes, and its thread is executed again; a read from there reads from a
/// write of the same thread and label.
fn is_revisit(from: &ExecutionGraph, read: EventId, to: &ExecutionGraph) -> bool {
    if from.threads.len() != to.threads.len() || from.label(read).is_none() {
        return false;
    }
    let restricted = |e: EventId| e.thread != read.thread || e.index < read.index;
    let same_threads = (0..from.threads.len()).all(|thread| {
        let length = |graph: &ExecutionGraph| graph.threads[thread].len();
        let keep = if thread == read.thread.index() { read.index as usize } else { length(from) };
        // Threads that had to wait for others go on now.
        length(to) >= keep && from.threads[thread][..keep] == to.threads[thread][..keep]
    });
    if !same_threads || !same_co(from, to, restricted) {
        return false;
    }
    let Some(matched) = matched(from, to, restricted, read.thread) else { return false };
    let committed = |e: EventId| restricted(e) || matched.contains_key(&e);
    is_stable(to, committed) && matched.iter().all(|(&write, &was)| is_embedded(from, was, to, write, read))
}

/// `matchRfEdges`: the writes that reads without a source were given, with those that they had. `None` if some other
/// read of the restricted graph has changed.
fn matched(
    from: &ExecutionGraph,
    to: &ExecutionGraph,
    restricted: impl Fn(EventId) -> bool,
    thread: ThreadId,
) -> Option<BTreeMap<EventId, EventId>> {
    let mut matched = BTreeMap::new();
    for (read, source) in from.rf.iter().filter(|&(&read, _)| restricted(read)) {
        match (source, to.rf.get(read)?) {
            (&Source::Event(was), &Source::Event(write)) if !restricted(was) => {
                if write.thread != thread {
                    return None;
                }
                matched.insert(write, was);
            }
            (was, is) if was == is => {}
            _ => return None,
        }
    }
    Some(matched)
}

/// Phase 2: only the `porf`-prefix of the read stays, and that stays as it is.
fn is_outside(from: &ExecutionGraph, read: EventId, to: &ExecutionGraph) -> bool {
    let relations = Relations::of(from);
    let porf = xmm::porf(&relations);
    let name = |event: usize| relations.events.ids[event];
    let racy: Vec<usize> = (0..relations.len()).filter(|&event| name(event) == Some(read)).collect();
    let before = |event: usize| racy.iter().any(|&racy| event == racy || porf.contains(event, racy));
    let prefix: BTreeSet<EventId> =
        (0..relations.len()).filter(|&event| before(event)).filter_map(name).collect();
    let same = prefix.iter().all(|&e| from.label(e) == to.label(e) && from.rf.get(&e) == to.rf.get(&e));
    let restricted = |e: EventId| prefix.contains(&e);
    same && same_co(from, to, restricted) && is_stable(to, restricted)
}

fn same_co(from: &ExecutionGraph, to: &ExecutionGraph, restricted: impl Fn(EventId) -> bool) -> bool {
    let kept = |graph: &ExecutionGraph| -> Vec<Vec<EventId>> {
        let orders =
            graph.co.values().map(|writes| writes.iter().copied().filter(|&w| restricted(w)).collect());
        orders.filter(|writes: &Vec<EventId>| !writes.is_empty()).collect()
    };
    kept(from) == kept(to)
}

/// Algorithm 5.
fn is_stable(graph: &ExecutionGraph, committed: impl Fn(EventId) -> bool) -> bool {
    let mut flow = Relation::empty(graph.threads.len());
    for (read, source) in graph.rf.iter().filter(|&(&read, _)| !committed(read)) {
        if let Source::Event(write) = source
            && write.thread != read.thread
        {
            flow.insert(write.thread.index(), read.thread.index());
        }
    }
    flow.is_acyclic()
}

/// Algorithm 6, for one matched write and the write that it replaces.
fn is_embedded(
    from: &ExecutionGraph,
    was: EventId,
    to: &ExecutionGraph,
    write: EventId,
    read: EventId,
) -> bool {
    let in_suffix = |e: EventId| e.thread == read.thread && e.index >= read.index;
    if !in_suffix(write) {
        return true;
    }
    let mo_prefix = |graph: &ExecutionGraph, write: EventId| -> BTreeSet<EventId> {
        let at = graph.label(write).and_then(Label::at).expect("writes have a location");
        let before = graph.writes_of(at).iter().copied().take_while(|&other| other != write);
        before.filter(|&other| !in_suffix(other)).collect()
    };
    let between = (read.index..=write.index).map(|index| EventId { thread: read.thread, index });
    mo_prefix(to, write) == mo_prefix(from, was)
        && !between.into_iter().any(|e| creates_rpo_edge(to, e, write))
}

fn creates_rpo_edge(graph: &ExecutionGraph, e: EventId, write: EventId) -> bool {
    let (Some(label), Some(write)) = (graph.label(e), graph.label(write)) else { return false };
    match label {
        Label::Read { order, .. } => order.is_acquire(),
        Label::Write { order, .. } => order.is_release() && label.at() == write.at(),
        Label::Rmw { order, .. } => {
            order.read().is_acquire() || (order.write().is_release() && label.at() == write.at())
        }
        Label::Fence(_) => true,
        _ => false,
    }
}
