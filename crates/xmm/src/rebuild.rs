//! From a graph of a guided program to the graph of the program itself, in which promised reads have sources.
//!
//! Choices between a promise and a read go; a choice of a promise becomes the read, with the write that follows it if
//! it is a read-modify-write. Implements: `matchRfEdges` of \[XMM\] algorithm 2: a promised read may read from every
//! write of the promised thread and label.

use crate::guided::State;
use crate::promise::Promise;
use base::{EventId, ThreadId};
use explore::View;
use graph::{ExecutionGraph, Label, Source};
use model::xmm::{Action, EventLabel};

/// A graph some of whose reads have no source yet.
#[derive(Debug)]
pub(crate) struct Rebuilt {
    pub(crate) graph: ExecutionGraph,
    /// The promised reads, and the number of the promise.
    pub(crate) open: Vec<(EventId, usize)>,
}

/// The graph of the program.
pub(crate) fn rebuild<S>(view: &dyn View<State<S>>) -> Rebuilt {
    let guided = view.graph();
    let mut rebuilt = Rebuilt { graph: ExecutionGraph::default(), open: Vec::new() };
    let mut names: Vec<Vec<EventId>> = Vec::new();
    for (thread, labels) in guided.threads.iter().enumerate() {
        let thread = ThreadId(thread as u32);
        let log = view.state(thread).map_or(&[][..], |state| &state.log);
        let mut log = log.iter().peekable();
        let (mut own, mut names_of) = (Vec::new(), Vec::new());
        let mut skip = false;
        for (index, label) in labels.iter().enumerate() {
            names_of.push(EventId { thread, index: own.len() as u32 - u32::from(skip) });
            if std::mem::take(&mut skip) {
                continue;
            }
            match log.next_if(|entry| entry.index as usize == index) {
                None => own.push(label.clone()),
                Some(entry) => {
                    let Some((promise, label)) = &entry.taken else { continue };
                    rebuilt.open.push((EventId { thread, index: own.len() as u32 }, *promise));
                    skip = matches!(label, Label::Rmw { .. });
                    own.push(label.clone());
                }
            }
        }
        rebuilt.graph.threads.push(own);
        names.push(names_of);
    }
    let name = |e: EventId| names[e.thread.index()][e.index as usize];
    let source = |source: Source| match source {
        Source::Init => Source::Init,
        Source::Event(write) => Source::Event(name(write)),
    };
    rebuilt.graph.rf = guided.rf.iter().map(|(&read, &from)| (name(read), source(from))).collect();
    rebuilt.graph.co =
        guided.co.iter().map(|(&at, writes)| (at, writes.iter().map(|&w| name(w)).collect())).collect();
    rebuilt
}

impl Rebuilt {
    /// Every graph in which the promised reads read from writes that keep the promises.
    pub(crate) fn matched(self, promises: &[Promise]) -> Vec<ExecutionGraph> {
        let mut graphs = vec![self.graph];
        for (read, promise) in self.open {
            let writes: Vec<EventId> = graphs
                .first()
                .into_iter()
                .flat_map(|graph| graph.events())
                .filter(|&(event, label)| is_write(event.thread, label, promises[promise].write))
                .map(|(event, _)| event)
                .collect();
            graphs = graphs.into_iter().flat_map(|graph| reading_each(graph, read, &writes)).collect();
        }
        graphs
    }

    /// The graph in which the promised reads read as in the core.
    pub(crate) fn with_sources_of(mut self, core: &ExecutionGraph) -> ExecutionGraph {
        for (read, _) in self.open {
            self.graph.rf.insert(read, core.rf[&read]);
        }
        self.graph
    }
}

/// The graph once for each of these writes, which the read reads there. (The last one needs no copy, and mostly is the
/// only.)
fn reading_each(mut graph: ExecutionGraph, read: EventId, writes: &[EventId]) -> Vec<ExecutionGraph> {
    let Some((&last, others)) = writes.split_last() else { return Vec::new() };
    let mut graphs = Vec::with_capacity(writes.len());
    for &write in others {
        graph.rf.insert(read, Source::Event(write));
        graphs.push(graph.clone());
    }
    graph.rf.insert(read, Source::Event(last));
    graphs.push(graph);
    graphs
}

fn is_write(thread: ThreadId, label: &Label, wanted: EventLabel) -> bool {
    let action = match *label {
        Label::Write { at, order, value } => Action::Write { at, order, value, rmw: false },
        Label::Rmw { at, order, written, .. } => {
            Action::Write { at, order: order.write(), value: written, rmw: true }
        }
        _ => return false,
    };
    EventLabel { thread, action } == wanted
}
