//! The execution under construction as a value.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::core::threads::{Current, Status};
use crate::observer::View;
use crate::outcome::{Allocated, Calls, Execution, ThreadEnd, Wait};
use crate::reductions::Rooms;
use crate::reductions::lock_order::witness;
use base::{Access, RmwOrder, Site, ThreadId, Value};
use graph::{ExecutionGraph, Label, Source};
use live::EventRef;
use program::{Blocker, Gate, Hint, Request, mutex_owner};

impl<P: Hint, C: Shape> View<P::State> for Construction<'_, P, C> {
    fn graph(&self) -> ExecutionGraph {
        graph(self)
    }

    fn execution(&self) -> Execution {
        execution(self)
    }

    fn state(&self, thread: ThreadId) -> Option<&P::State> {
        Some(&self.threads.find(thread)?.state)
    }

    fn last_values(&self, at: Access) -> Vec<Value> {
        let Some(location) = self.objects.known(at) else { return Vec::new() };
        if C::OPENS_LOCKS {
            return witness::last_values(self, location);
        }
        let writes = self.final_writes(location);
        let mut values: Vec<Value> = writes.iter().filter_map(|&w| self.graph.value(w)).collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}

/// The graph.
pub(crate) fn graph<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> ExecutionGraph {
    let mut graph = graph_without_co(build);
    if C::OPENS_LOCKS {
        witness::complete(build, &mut graph);
        return graph;
    }
    if C::HAS_CO || C::HAS_BLOCKS {
        for (writes, location) in build.coherence_orders().iter().zip(build.graph.locations()) {
            if !writes.is_empty() {
                graph.co.insert(location.access, writes.iter().map(|&w| build.graph.id(w)).collect());
            }
        }
    }
    build.pairs().unfold(graph)
}

/// The graph as far as no coherence order is needed, in which a pair is one event.
pub(crate) fn graph_without_co<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> ExecutionGraph {
    let live = &build.graph;
    let mut graph = ExecutionGraph::default();
    for thread in live.thread_ids() {
        graph.threads.push(live.po(thread).iter().map(|&e| label(build, e)).collect());
        for &r in live.po(thread).iter().filter(|&&e| live.event(e).kind.reads()) {
            graph.rf.insert(live.id(r), source(build, live.event(r).rf));
        }
    }
    graph
}

fn source<P: Hint, C: Shape>(build: &Construction<'_, P, C>, w: EventRef) -> Source {
    if w.is_init() { Source::Init } else { Source::Event(build.graph.id(w)) }
}

/// The label of an event.
fn label<P: Hint, C: Shape>(build: &Construction<'_, P, C>, e: EventRef) -> Label {
    let event = build.graph.event(e);
    let request = &build.before(e).request;
    let at = || build.graph.location(event.location).access;
    let read = || build.graph.value(event.rf).unwrap_or(0);
    if event.kind.is_update() {
        let order = build.before(e).pair.unwrap_or_else(|| request.update_order());
        return Label::Rmw { at: at(), order, read: read(), written: event.value };
    }
    match *request {
        Request::Lock { .. } if C::OPENS_LOCKS => {
            let written = mutex_owner(event.thread);
            Label::Rmw { at: at(), order: RmwOrder::Acquire, read: 0, written }
        }
        Request::Rmw { failure, .. } => Label::Read { at: at(), order: failure, value: read() },
        Request::Read { .. } | Request::Lock { .. } | Request::Await { .. } | Request::Depart(_) => {
            let order = request.reading(event.thread, read(), || at().address).order;
            Label::Read { at: at(), order, value: read() }
        }
        Request::Write { .. } | Request::Unlock { .. } => {
            Label::Write { at: at(), order: request.writing().1, value: event.value }
        }
        Request::Fence(order) => Label::Fence(order),
        Request::Create { .. } => Label::Create(ThreadId(event.value as u32)),
        Request::Join { thread } => Label::Join(thread),
        Request::Publish(ref objects) => {
            Label::Publish(objects.iter().map(|o| (o.address, o.bytes.len() as u64)).collect())
        }
        Request::Free { address, .. } => Label::Free(address),
        Request::Choose { .. } => Label::Choose(event.value),
        Request::Sleep { on, .. } => Label::Sleep(on, event.value),
        Request::Notify { on, .. } => Label::Notify(on),
        Request::SizeOf { .. }
        | Request::Block(_)
        | Request::Finish { .. }
        | Request::Fault(_)
        | Request::Refuse(_) => {
            unreachable!("{request:?} makes no event")
        }
    }
}

/// The graph, where its events come from and how far the threads got.
pub(crate) fn execution<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> Execution {
    let threads = build.graph.thread_ids();
    let sites = threads
        .clone()
        .map(|t| build.graph.po(t).iter().flat_map(|&e| build.pairs().sites(e)).collect())
        .collect();
    let ends = threads
        .map(|t| build.threads.find(t).map_or(ThreadEnd::Finished, |now| end(build, t, now)))
        .collect();
    let published = build.graph.thread_ids().flat_map(|t| build.graph.po(t)).filter_map(|&e| {
        let Request::Publish(objects) = &build.before(e).request else { return None };
        Some(objects.iter())
    });
    let objects = Allocated::among(published.flatten());
    Execution { graph: graph(build), sites, ends, calls: calls(build), objects, justification: None }
}

fn calls<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> Calls {
    let events = |t| build.graph.po(t).iter().flat_map(|&e| build.pairs().callers(e)).collect();
    let end = |t| build.threads.find(t).map_or(Vec::new(), |now| build.program.callers(&now.state));
    let threads = || build.graph.thread_ids();
    Calls { events: threads().map(events).collect(), ends: threads().map(end).collect() }
}

fn end<P: Hint, C: Shape>(
    build: &Construction<'_, P, C>,
    thread: ThreadId,
    now: &Current<P::State>,
) -> ThreadEnd {
    let site: Site = build.program.site(&now.state);
    match (now.status, &now.request) {
        (Status::Finished, _) => ThreadEnd::Finished,
        (Status::Blocked(Blocker::Spin { .. }), _) => ThreadEnd::Spins(site),
        (Status::Ready, Request::Rmw { .. }) if build.undoing().spins(thread) => ThreadEnd::Spins(site),
        (Status::Blocked(Blocker::Sleep { .. }), _) => ThreadEnd::Waits(site, Wait::Notification),
        (Status::Blocked(Blocker::Assume | Blocker::Exit | Blocker::Unroll), _) => ThreadEnd::Blocked(site),
        (Status::Locked, Request::Await { .. }) => ThreadEnd::Waits(site, Wait::Turn),
        (Status::Ready, Request::Depart(departure)) if build.barriers().gate(departure) == Gate::Shut => {
            ThreadEnd::Waits(site, Wait::Others)
        }
        (Status::Locked, _) => ThreadEnd::WaitsForLock(site),
        (Status::Stopped | Status::Failed, Request::Refuse(_)) => ThreadEnd::Blocked(site),
        (Status::Stopped | Status::Failed, _) => ThreadEnd::Faulted(site),
        (Status::Ready, &Request::Join { thread }) if build.threads.finished(thread).is_none() => {
            ThreadEnd::WaitsForThread(site, thread)
        }
        (Status::Ready | Status::Awaiting, _) => ThreadEnd::Running(site),
    }
}
