//! Sources: the executions that were reached and have a load-buffering race. Re-execution starts from them.

use crate::potential::Potential;
use crate::promise::Promise;
use base::ThreadId;
use explore::outcome::Justification;
use graph::ExecutionGraph;
use model::relation::EventSet;
use model::xmm::{EventLabel, Execution};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The sources, and the promises of re-executions from them.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    all: Vec<Source>,
    /// Numbers of labels, to see soon that a source lacks one.
    labels: BTreeMap<EventLabel, usize>,
    /// The promises of the sources that are new since the last look.
    fresh: BTreeSet<Vec<Promise>>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) graph: ExecutionGraph,
    pub(crate) execution: Execution,
    /// Why it is not out of thin air, if it has a cycle.
    pub(crate) justification: Option<Arc<Justification>>,
    labels: BTreeSet<usize>,
}

impl Sources {
    /// Add an execution if it has a load-buffering race (definition 2.4.2 of \[XMM\]).
    pub(crate) fn add(&mut self, graph: ExecutionGraph, justification: Option<Arc<Justification>>) {
        let execution = Execution::of(&graph);
        if execution.is_racy() {
            self.fresh.insert(Promise::all_of(&execution));
            let labels = execution.labels.iter().flatten().map(|&label| self.number(label));
            let labels = labels.collect::<Vec<_>>().into_iter().collect();
            self.all.push(Source { graph, execution, justification, labels });
        }
    }

    fn number(&mut self, label: EventLabel) -> usize {
        let next = self.labels.len();
        *self.labels.entry(label).or_insert(next)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Their graphs.
    pub(crate) fn graphs(&self) -> Vec<ExecutionGraph> {
        self.all.iter().map(|source| source.graph.clone()).collect()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// A source, from number `first` on, in which a committed set of an execution is embedded; and where.
    pub(crate) fn embed(
        &self,
        execution: &Execution,
        committed: &EventSet,
        first: usize,
    ) -> Option<(&Source, Vec<usize>)> {
        let labels = committed.iter().map(|event| execution.labels[event].expect("is committed"));
        let wanted = labels.map(|label| self.labels.get(&label).copied()).collect::<Option<Vec<_>>>()?;
        self.all[first..].iter().find_map(|source| {
            let may_be = wanted.iter().all(|label| source.labels.contains(label));
            let image = may_be.then(|| execution.embedding(committed, &source.execution))??;
            Some((source, image))
        })
    }

    /// Look at all sources again.
    pub(crate) fn refresh(&mut self) {
        self.fresh = self.all.iter().map(|source| Promise::all_of(&source.execution)).collect();
    }

    /// The sets of promises that one of the new sources makes, as far as they may be smallest ones. A set that is a
    /// part of another source's promises is not looked at again. `None` if there are too many.
    pub(crate) fn fresh_promises(
        &mut self,
        potential: Option<&Potential>,
        threads: usize,
        seen: &mut BTreeSet<Vec<Promise>>,
    ) -> Option<Vec<Vec<Promise>>> {
        let edges = edges(potential, threads);
        let mut fresh: Vec<Vec<Promise>> = std::mem::take(&mut self.fresh).into_iter().collect();
        fresh.sort_by_key(|promises| std::cmp::Reverse(promises.len()));
        let mut done: Vec<Vec<Promise>> = Vec::new();
        let mut found = Vec::new();
        for promises in fresh {
            if !done.iter().any(|other| is_part(&promises, other)) {
                let choose = Choose { promises: &promises, edges: &edges, potential };
                choose.subsets(0, &mut Vec::new(), seen, &mut found)?;
                done.push(promises);
            }
        }
        Some(found)
    }
}

/// More sets than this are given up.
const MOST_SETS: usize = 100_000;

/// More promises in a set, too: a bit for each is kept.
const MOST_PROMISES: usize = 64;

/// Whether a sorted list with repetitions is a part of another one.
fn is_part(part: &[Promise], of: &[Promise]) -> bool {
    let mut rest = of.iter();
    part.iter().all(|promise| rest.any(|other| other == promise))
}

/// The subsets of the promises of one source.
struct Choose<'a> {
    promises: &'a [Promise],
    /// The pairs of threads of which the second may read from the first.
    edges: &'a [(ThreadId, ThreadId)],
    potential: Option<&'a Potential>,
}

impl Choose<'_> {
    fn subsets(
        &self,
        from: usize,
        chosen: &mut Vec<Promise>,
        seen: &mut BTreeSet<Vec<Promise>>,
        found: &mut Vec<Vec<Promise>>,
    ) -> Option<()> {
        if found.len() > MOST_SETS || chosen.len() == MOST_PROMISES {
            return None;
        }
        for next in from..self.promises.len() {
            if next > from && self.promises[next] == self.promises[next - 1] {
                continue;
            }
            chosen.push(self.promises[next]);
            if self.may_be_smallest(chosen) {
                if self.may_cut_a_cycle(chosen) && seen.insert(chosen.clone()) {
                    found.push(chosen.clone());
                }
                self.subsets(next + 1, chosen, seen, found)?;
            }
            chosen.pop();
        }
        Some(())
    }

    /// Whether the promises may be a smallest set. Where a thread reads from another one, all of these reads are
    /// promised or none ([`model::xmm::patterns`]). In a smallest set, each such pair of threads is on a circle of
    /// threads that the other pairs are not on: whether there is one, as far as the threads may communicate at all.
    fn may_be_smallest(&self, chosen: &[Promise]) -> bool {
        let is_cut = |&(from, to): &(ThreadId, ThreadId)| {
            chosen.iter().any(|promise| promise.writer() == from && promise.reader() == to)
        };
        let edges: Vec<(ThreadId, ThreadId)> =
            self.edges.iter().copied().filter(|edge| !is_cut(edge)).collect();
        chosen.iter().all(|promise| reaches(&edges, promise.reader(), promise.writer()))
    }

    /// Whether one of the promises may cut a cycle. Without a cycle there is no core.
    fn may_cut_a_cycle(&self, chosen: &[Promise]) -> bool {
        let Some(potential) = self.potential else { return true };
        chosen
            .iter()
            .any(|promise| potential.may_be_on_cycle(promise.writer(), promise.at(), promise.reader()))
    }
}

/// The pairs of threads of which the second may read from the first, as far as is known.
fn edges(potential: Option<&Potential>, threads: usize) -> Vec<(ThreadId, ThreadId)> {
    let Some(potential) = potential else {
        let threads = || (0..threads as u32).map(ThreadId);
        let pairs = threads().flat_map(|from| threads().map(move |to| (from, to)));
        return pairs.filter(|(from, to)| from != to).collect();
    };
    let edges: BTreeSet<_> = potential.channels().iter().map(|&(from, _, to)| (from, to)).collect();
    edges.into_iter().collect()
}

fn reaches(edges: &[(ThreadId, ThreadId)], from: ThreadId, to: ThreadId) -> bool {
    let (mut seen, mut todo) = (BTreeSet::from([from]), vec![from]);
    while let Some(thread) = todo.pop() {
        for &(_, next) in edges.iter().filter(|edge| edge.0 == thread) {
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    seen.contains(&to)
}

/// The threads that may have a part in the core of an execution with these promises: their readers and writers, the
/// threads that may write a location that one of these reads, and so on; and `main`, which creates them.
pub(crate) fn active_threads(
    promises: &[Promise],
    potential: Option<&Potential>,
    threads: usize,
) -> Vec<bool> {
    if potential.is_none() {
        return vec![true; threads];
    }
    let edges = edges(potential, threads);
    let known = edges.iter().map(|edge| edge.0.index().max(edge.1.index()) + 1).max().unwrap_or(0);
    let mut active = vec![false; threads.max(known)];
    let mut todo: Vec<ThreadId> = promises.iter().flat_map(|p| [p.reader(), p.writer()]).collect();
    todo.push(ThreadId::MAIN);
    while let Some(thread) = todo.pop() {
        if !std::mem::replace(&mut active[thread.index()], true) {
            todo.extend(edges.iter().filter(|edge| edge.1 == thread).map(|edge| edge.0));
        }
    }
    active
}
