//! A sample: an exploration, depth first, that visits only some of the children of each graph.

use super::Estimator;
use super::strata::{Strata, Stratum};
use crate::core::explorer::{Explorer, Go};
use crate::core::shape::Shape;
use program::Hint;

/// Which graphs are visited.
pub(super) enum Selection<'a> {
    /// All.
    All,
    /// Some of each stratum.
    Strata(&'a mut Strata),
}

impl Selection<'_> {
    /// The new weight of a graph, if it is to be visited.
    fn select(&mut self, stratum: Stratum, weight: f64) -> Option<f64> {
        match self {
            Selection::All => Some(weight),
            Selection::Strata(strata) => strata.select(stratum, weight),
        }
    }

    fn note(&mut self, graph: &Visited) {
        if let Selection::Strata(strata) = self {
            strata.note(graph.stratum, graph.found);
        }
    }
}

/// A sample that was made, or given up.
#[derive(Debug)]
pub(super) struct Sample {
    /// The executions that it stands for, unless it was given up.
    found: Option<f64>,
    /// The executions that it has seen.
    pub(super) seen: u64,
    /// The graphs that were visited or skipped, and once more those that were visited.
    pub(super) graphs: u64,
}

/// A graph that is visited.
#[derive(Clone, Copy, Debug)]
struct Visited {
    /// The number of frames of the graphs above it.
    base: usize,
    stratum: Stratum,
    /// The choices other than the first one, on the way to it.
    detours: u64,
    /// Whether a child was seen that has more events.
    has_grown: bool,
    /// The graphs that it stands for.
    weight: f64,
    /// The executions that it and the graphs below it stand for.
    found: f64,
}

impl<P: Hint, C: Shape> Explorer<'_, P, C> {
    /// Make a sample.
    pub(crate) fn sample(&mut self, estimator: &mut Estimator) {
        // That was decided before.
        self.build.transactions.gain.skip();
        let (mut selection, limit) = estimator.next_sample();
        let sample = self.explore_some(&mut selection, limit);
        match sample.found {
            Some(found) => estimator.add(&sample, found),
            None => estimator.give_up(&sample),
        }
    }

    /// Explore the graphs of the selection, unless there are more than the limit.
    fn explore_some(&mut self, selection: &mut Selection<'_>, limit: u64) -> Sample {
        let stratum = Stratum { events: self.events(), ..Stratum::default() };
        let (base, weight, found) = (self.depth(), 1.0, 0.0);
        let mut path = vec![Visited { base, stratum, detours: 0, has_grown: false, weight, found }];
        let (mut graphs, mut seen) = (1, 0);
        let mut go = self.visit();
        while let Some(graph) = path.last_mut() {
            let executions = self.findings.executions.total();
            graph.found += graph.weight * (executions - seen) as f64;
            seen = executions;
            if self.has_ended() || graphs > limit {
                break;
            }
            if let Go::Visit = go {
                graphs += 1;
                if let Some(child) = self.child(graph, selection) {
                    path.push(child);
                    graphs += 1;
                    go = self.visit();
                    continue;
                }
            }
            if let Some(found) = leave(&mut path, self.depth(), selection) {
                return Sample { found: Some(found), seen, graphs };
            }
            go = self.step_back().expect("a graph that is not left has a frame");
        }
        Sample { found: None, seen, graphs }
    }

    /// This graph, a child of that one, if it is to be visited.
    fn child(&self, parent: &mut Visited, selection: &mut Selection<'_>) -> Option<Visited> {
        let events = self.events();
        let (mut revisits, mut detours) = (parent.stratum.revisits, parent.detours);
        if events > parent.stratum.events {
            // The first choice is the greedy one.
            detours += u64::from(parent.has_grown);
            parent.has_grown = true;
        } else {
            revisits += 1;
        }
        let stratum = Stratum { revisits, events, detours: u64::BITS - detours.leading_zeros() };
        let weight = selection.select(stratum, parent.weight)?;
        Some(Visited { base: self.depth(), stratum, detours, has_grown: false, weight, found: 0.0 })
    }

    /// The number of events in the graph.
    fn events(&self) -> u64 {
        let graph = &self.build.graph;
        graph.thread_ids().map(|thread| u64::from(graph.len(thread))).sum()
    }
}

/// Leave the graphs that have no frame any more. Returns the executions found, if the first graph is left.
fn leave(path: &mut Vec<Visited>, frames: usize, selection: &mut Selection<'_>) -> Option<f64> {
    while let Some(graph) = path.pop_if(|graph| graph.base == frames) {
        selection.note(&graph);
        match path.last_mut() {
            None => return Some(graph.found),
            Some(parent) => parent.found += graph.found,
        }
    }
    None
}
