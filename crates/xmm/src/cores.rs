//! Cores: the cyclic parts of executions, found by re-execution with promises.
//!
//! A core is the cycles of an execution and the events that lead to them, nothing else. Executions with the same core
//! are all reached or all not, so a core is judged once, and the rest of the executions is explored from the core on. A
//! core that is found again is recognised before anything is done with it.

use crate::acyclic::is_acyclic;
use crate::guided::{Guided, Plan, State, is_on_plan, promises_taken};
use crate::justification::justification;
use crate::potential::Potential;
use crate::promise::Promise;
use crate::rebuild::rebuild;
use crate::sources::Sources;
use base::{EventId, ThreadId};
use explore::outcome::{Justification, Outcome};
use explore::{Control, Ending, Observer, Options, View, explore_up_to_co};
use graph::{ExecutionGraph, restrict};
use model::xmm::{Execution, consistent, patterns};
use model::{Relations, rc11};
use program::Hint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The cores that were found.
#[derive(Debug, Default)]
pub(crate) struct Cores {
    all: BTreeMap<ExecutionGraph, Core>,
    /// How often one was found that was there already.
    pub(crate) duplicates: u64,
}

/// A core, and whether it can be reached.
#[derive(Debug)]
struct Core {
    /// Reads without which there is no cycle.
    promised: Vec<EventId>,
    state: Status,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// The first `asked` sources do not have a committed set of it.
    Pending { asked: usize },
    /// It can be reached.
    Reached,
}

impl Cores {
    /// Re-execute the program with these promises and keep the cores. Returns the outcome of the explorer.
    pub(crate) fn find<P: Hint>(
        &mut self,
        program: &P,
        promises: &[Promise],
        potential: Option<&Potential>,
        active: &[bool],
        options: &Options,
        control: &Control,
    ) -> Outcome {
        let reads_once = |promise: &Promise| {
            potential.is_some_and(|potential| potential.reads_once(promise.reader(), promise.at()))
        };
        let no_second: Vec<bool> = promises.iter().map(reads_once).collect();
        let plan = Plan::Anywhere { promises, no_second: &no_second, active };
        let mut guided = Guided { program, plan };
        let mut finder = Finder { cores: self, promises };
        explore_up_to_co(&mut guided, &rc11::RULES, options, control, &mut finder)
    }

    /// The cores that can be reached now and could not be before.
    pub(crate) fn newly_reached(&mut self, sources: &Sources) -> Vec<Reached> {
        let mut reached = Vec::new();
        for (graph, core) in &mut self.all {
            let Status::Pending { asked } = core.state else { continue };
            let execution = Execution::of(graph);
            let sets = patterns::committed_sets(&execution);
            let found = sets.iter().find_map(|set| Some((set, sources.embed(&execution, set, asked)?)));
            core.state = match found {
                None => Status::Pending { asked: sources.len() },
                Some((set, (source, image))) => {
                    let from = (&source.graph, &source.execution, &*image);
                    let why = justification((graph, &execution), set, from, source.justification.clone());
                    let promised = core.promised.clone();
                    reached.push(Reached { core: graph.clone(), promised, justification: Arc::new(why) });
                    Status::Reached
                }
            };
        }
        reached
    }
}

/// A core that can be reached.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) core: ExecutionGraph,
    /// Reads without which there is no cycle.
    pub(crate) promised: Vec<EventId>,
    /// Why it can be reached.
    pub(crate) justification: Arc<Justification>,
}

/// Keeps the cores of the graphs of a guided program.
struct Finder<'a> {
    cores: &'a mut Cores,
    promises: &'a [Promise],
}

impl<S> Observer<State<S>> for Finder<'_> {
    fn forbids_sources(&self) -> bool {
        true
    }

    /// Where threads read from each other in a circle, all reads of one thread from another one are promised or none
    /// ([`model::xmm::patterns`]): another read of this kind is not in the core, nor is any event after it.
    fn forbids(&self, reader: ThreadId, writer: ThreadId) -> bool {
        self.promises.iter().any(|promise| promise.reader() == reader && promise.writer() == writer)
    }

    fn execution(&mut self, _: Ending, view: &dyn View<State<S>>) {
        if !is_on_plan(view) || promises_taken(view) < self.promises.len() {
            return;
        }
        let rebuilt = rebuild(view);
        let promised: Vec<EventId> = rebuilt.open.iter().map(|&(read, _)| read).collect();
        for graph in rebuilt.matched(self.promises) {
            if is_acyclic(&graph) {
                continue;
            }
            let relations = Relations::of(&graph);
            let core = core(&graph, &relations);
            // A core with a promise that cuts no cycle is found with fewer promises, too.
            let is_smallest = promised.iter().all(|&read| core.label(read).is_some());
            if !core.threads.is_empty() && is_smallest && consistent(&relations) {
                self.keep(core, &promised);
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
        let promised = promised.to_vec();
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
