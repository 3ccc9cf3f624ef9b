//! Cores: the cyclic parts of executions, found by re-execution with promises.
//!
//! A core is what leads to the cycles of an execution, nothing else. Executions with the same core are all reached or all
//! not, so a core is judged once, and the rest of the executions is explored from the core on. A core that is found
//! again is recognised before anything is done with it.

use super::guided::{Guided, Plan, State};
use super::potential::Potential;
use super::promise::Promise;
use super::rebuild::rebuild;
use super::sources::{Sources, active_threads};
use crate::outcome::{Outcome, StopReason};
use crate::run::explore_in;
use crate::{Control, Ending, Observer, Options, View};
use base::EventId;
use graph::{ExecutionGraph, restrict};
use model::xmm::{Execution, consistent, patterns};
use model::{Rc11, Relations};
use program::Program;
use std::collections::BTreeMap;

/// The cores that were found.
#[derive(Debug, Default)]
pub(crate) struct Cores {
    all: BTreeMap<ExecutionGraph, Core>,
    /// How often one was found that was there already.
    pub(crate) duplicates: u64,
}

/// What is known of a core.
#[derive(Debug)]
struct Core {
    /// Reads without which there is no cycle.
    promised: Vec<EventId>,
    state: Status,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// The first so many sources do not have a committed set of it.
    Pending { asked: usize },
    /// It can be reached.
    Reached,
}

impl Cores {
    /// Re-execute the program with these promises and keep the cores. Why not everything was explored, if so.
    pub(crate) fn find<P: Program>(
        &mut self,
        program: &P,
        promises: &[Promise],
        potential: Option<&Potential>,
        threads: usize,
        control: &Control,
    ) -> Option<StopReason> {
        let active = active_threads(promises, potential, threads);
        let mut guided = Guided { program, plan: Plan::Anywhere { promises, active: &active } };
        let mut finder = Finder { cores: self, promises };
        let options = Options { keep_going: true, ..Options::default() };
        let outcome: Outcome = explore_in::<_, Rc11>(&mut guided, &options, control, &mut finder);
        outcome.stopped
    }

    /// The cores that can be reached now and could not be before: each with its promised reads.
    pub(crate) fn newly_reached(&mut self, sources: &Sources) -> Vec<(ExecutionGraph, Vec<EventId>)> {
        let mut reached = Vec::new();
        for (graph, core) in &mut self.all {
            let Status::Pending { asked } = core.state else { continue };
            let execution = Execution::of(graph);
            let sets = patterns::committed_sets(&execution);
            core.state = if sets.iter().any(|set| sources.embed(&execution, set, asked)) {
                reached.push((graph.clone(), core.promised.clone()));
                Status::Reached
            } else {
                Status::Pending { asked: sources.len() }
            };
        }
        reached
    }
}

/// Keeps the cores of the graphs of a guided program.
struct Finder<'a> {
    cores: &'a mut Cores,
    promises: &'a [Promise],
}

impl<S> Observer<State<S>> for Finder<'_> {
    fn execution(&mut self, _: Ending, view: &dyn View<State<S>>) {
        let rebuilt = rebuild(view);
        if rebuilt.open.len() < self.promises.len() {
            return;
        }
        let promised: Vec<EventId> = rebuilt.open.iter().map(|&(read, _)| read).collect();
        for graph in rebuilt.matched(self.promises) {
            let relations = Relations::of(&graph);
            if !model::axioms::porf(&relations) && consistent(&relations) {
                self.keep(core(&graph, &relations), &promised);
            }
        }
    }
}

impl Finder<'_> {
    fn keep(&mut self, core: ExecutionGraph, promised: &[EventId]) {
        if self.cores.all.contains_key(&core) {
            self.cores.duplicates += 1;
            return;
        }
        let promised = promised.iter().copied().filter(|&read| core.label(read).is_some()).collect();
        self.cores.all.insert(core, Core { promised, state: Status::Pending { asked: 0 } });
    }
}

/// The core of a graph as a graph: threads keep their numbers, those at the end without events go.
pub(crate) fn core(graph: &ExecutionGraph, relations: &Relations) -> ExecutionGraph {
    let mut keep = vec![0; graph.threads.len()];
    for id in patterns::core(relations).iter().filter_map(|event| relations.events.ids[event]) {
        keep[id.thread.index()] = id.index + 1;
    }
    cut(graph, &keep)
}

/// The first events of each thread.
pub(crate) fn cut(graph: &ExecutionGraph, keep: &[u32]) -> ExecutionGraph {
    let mut cut = restrict(graph, keep);
    while cut.threads.last().is_some_and(Vec::is_empty) {
        cut.threads.pop();
    }
    cut
}
