//! The threads of a finished graph, run once more to find the instructions of its events and the ends of threads.

use base::{Access, EventId, Site, ThreadId, Value};
use explore::outcome::{Allocated, Calls, Execution, Justification, ThreadEnd, ViolationPlace};
use explore::{Ending, View};
use graph::{ExecutionGraph, Label, Source};
use program::{Blocker, Fault, Hint, Object, Refusal, Request, owner_of_mutex};
use std::sync::Arc;

/// A graph with the threads that made it.
#[derive(Debug)]
pub(crate) struct Rerun<S> {
    pub(crate) graph: ExecutionGraph,
    threads: Vec<Option<Thread<S>>>,
    justification: Arc<Justification>,
    objects: Vec<Object>,
}

#[derive(Debug)]
struct Thread<S> {
    state: S,
    request: Request,
    sites: Vec<Site>,
    /// The calls that led to these.
    calls: Vec<Vec<Site>>,
    end: Site,
    end_calls: Vec<Site>,
}

impl<S> Thread<S> {
    fn has_finished(&self) -> bool {
        matches!(self.request, Request::Finish { .. })
    }
}

impl<S: Clone> Rerun<S> {
    /// Run all threads; `None` if that needs more than the labels say.
    pub(crate) fn of<P: Hint<State = S>>(
        program: &P,
        graph: ExecutionGraph,
        justification: Arc<Justification>,
    ) -> Option<Rerun<S>> {
        let threads = (0..graph.threads.len()).map(|_| None).collect();
        let mut rerun = Rerun { graph, threads, justification, objects: Vec::new() };
        let mut todo = vec![(ThreadId::MAIN, program.main())];
        while let Some((thread, state)) = todo.pop() {
            rerun.run(program, thread, state, &mut todo)?;
        }
        Some(rerun)
    }

    fn run<P: Hint<State = S>>(
        &mut self,
        program: &P,
        thread: ThreadId,
        mut state: S,
        todo: &mut Vec<(ThreadId, S)>,
    ) -> Option<()> {
        let mut request = program.resume(&mut state, 0);
        let (mut sites, mut calls) = (Vec::new(), Vec::new());
        for label in self.graph.threads[thread.index()].clone() {
            sites.push(program.site(&state));
            calls.push(program.callers(&state));
            if let Request::Publish(objects) = &request {
                self.objects.extend(objects.iter().cloned());
            }
            let answer = match (&request, &label) {
                (&Request::Create { function, argument }, &Label::Create(child)) => {
                    todo.push((child, program.start(child, function, argument)));
                    Value::from(child.0)
                }
                (Request::Join { .. }, Label::Join(child)) => self.returned(program, *child, todo)?,
                (Request::Choose { .. }, &Label::Choose(value)) => value,
                (Request::Read { at, .. } | Request::Rmw { at, .. } | Request::Lock { at }, label) => {
                    match request.reading(thread, label.value_read()?, || at.address).answer {
                        Some(answer) => answer,
                        // The thread has seen its mutex taken, and waits.
                        None => break,
                    }
                }
                (Request::SizeOf { .. }, _) => return None,
                _ => 0,
            };
            request = program.resume(&mut state, answer);
        }
        let (end, end_calls) = (program.site(&state), program.callers(&state));
        self.threads[thread.index()] = Some(Thread { state, request, sites, calls, end, end_calls });
        Some(())
    }

    /// The value that a thread finishes with; it is run first if it has not been.
    fn returned<P: Hint<State = S>>(
        &mut self,
        program: &P,
        child: ThreadId,
        todo: &mut Vec<(ThreadId, S)>,
    ) -> Option<Value> {
        if let Some(waiting) = todo.iter().position(|&(thread, _)| thread == child) {
            let (thread, state) = todo.swap_remove(waiting);
            self.run(program, thread, state, todo)?;
        }
        match self.threads.get(child.index())?.as_ref()?.request {
            Request::Finish { value } => Some(value),
            _ => None,
        }
    }

    /// The end of the execution. (Whether threads spin for ever is not decided.)
    pub(crate) fn ending(&self) -> Ending {
        let mut unfinished = self.ends().filter(|(_, thread)| !thread.has_finished()).peekable();
        if unfinished.peek().is_none() {
            return Ending::Complete;
        }
        if unfinished.all(|(id, thread)| self.waits(id, thread)) { Ending::Deadlock } else { Ending::Blocked }
    }

    /// Whether every thread has finished, or `main` with the others waiting for ever.
    pub(crate) fn is_over(&self) -> bool {
        let waits = |(id, thread): (ThreadId, &Thread<S>)| {
            thread.has_finished() || self.waits(id, thread) || self.spins(id, thread)
        };
        self.main_has_finished() && self.ends().all(waits)
    }

    /// Whether the thread has come to the end of a round in which it has read the last writes.
    fn spins(&self, id: ThreadId, thread: &Thread<S>) -> bool {
        let Request::Block(Blocker::Spin { since }) = thread.request else { return false };
        let events = self.graph.threads[id.index()].len() as u32;
        (since..events).map(|index| EventId { thread: id, index }).all(|event| {
            let at = self.graph.label(event).and_then(Label::at);
            let last = at.and_then(|at| self.graph.writes_of(at).last().copied());
            self.graph.rf.get(&event).is_none_or(|&source| source == last.map_or(Source::Init, Source::Event))
        })
    }

    /// Whether the thread waits for a mutex that no thread will release, or for a thread.
    fn waits(&self, id: ThreadId, thread: &Thread<S>) -> bool {
        match thread.request {
            Request::Join { .. } => true,
            Request::Lock { at } => {
                let last = self.graph.threads[id.index()].len() as u32;
                let attempt = EventId { thread: id, index: last.saturating_sub(1) };
                let co_last = self.graph.writes_of(at).last().map_or(Source::Init, |&w| Source::Event(w));
                self.graph.rf.get(&attempt) == Some(&co_last)
            }
            _ => false,
        }
    }

    /// Whether `main` has finished: threads that still wait then are in a process that is gone.
    pub(crate) fn main_has_finished(&self) -> bool {
        self.threads.first().and_then(Option::as_ref).is_some_and(Thread::has_finished)
    }

    /// The threads that wait, those for mutexes first.
    pub(crate) fn waiting(&self) -> Vec<ViolationPlace> {
        let unfinished = self.ends().filter(|(_, thread)| !thread.has_finished());
        let place = |(id, thread): (ThreadId, &Thread<S>)| {
            let last = self.graph.threads[id.index()].len() as u32;
            let attempt = EventId { thread: id, index: last.saturating_sub(1) };
            let owner = self.graph.label(attempt).and_then(Label::value_read).and_then(owner_of_mutex);
            let (event, role) = match (&thread.request, owner) {
                (Request::Join { thread }, _) => (None, format!("waits for thread {thread}")),
                (_, Some(owner)) if owner == id => {
                    (Some(attempt), "waits for a mutex that it owns itself".to_owned())
                }
                (_, Some(owner)) => (Some(attempt), format!("waits for a mutex that thread {owner} owns")),
                (_, None) => (Some(attempt), "waits for a mutex".to_owned()),
            };
            ViolationPlace { thread: id, event, site: thread.end, role }
        };
        let mut places: Vec<ViolationPlace> = unfinished.map(place).collect();
        places.sort_by_key(|place| place.event.is_none());
        places
    }

    /// An access in words.
    pub(crate) fn describe(&self, event: EventId) -> String {
        let label = self.graph.label(event);
        let what = match label {
            Some(Label::Rmw { .. }) => "read-modify-write",
            Some(Label::Write { .. }) => "write",
            Some(Label::Read { .. }) => "read",
            _ => return "initialisation before it was published".to_owned(),
        };
        let is_plain = label.and_then(Label::order).is_some_and(|order| order == base::Order::NotAtomic);
        if is_plain { what.to_owned() } else { format!("atomic {what}") }
    }

    /// The faults of threads, and where they are.
    pub(crate) fn faults(&self) -> impl Iterator<Item = (ThreadId, Site, &Fault)> {
        self.ends().filter_map(|(id, thread)| match &thread.request {
            Request::Fault(fault) => Some((id, thread.end, &**fault)),
            _ => None,
        })
    }

    /// Something that is not modelled.
    pub(crate) fn refusal(&self) -> Option<(ThreadId, Site, &Refusal)> {
        self.ends().find_map(|(id, thread)| match &thread.request {
            Request::Refuse(refusal) => Some((id, thread.end, &**refusal)),
            _ => None,
        })
    }

    fn ends(&self) -> impl Iterator<Item = (ThreadId, &Thread<S>)> {
        let threads = self.threads.iter().enumerate();
        threads.filter_map(|(id, thread)| Some((ThreadId(id as u32), thread.as_ref()?)))
    }

    /// The instruction that an event comes from.
    pub(crate) fn site(&self, event: EventId) -> Option<Site> {
        self.threads.get(event.thread.index())?.as_ref()?.sites.get(event.index as usize).copied()
    }

    /// As the reports show it.
    pub(crate) fn execution(&self) -> Execution {
        let sites = self.threads.iter().map(|thread| thread.as_ref().map_or(Vec::new(), |t| t.sites.clone()));
        let end = |thread: &Option<Thread<S>>| match thread {
            None => ThreadEnd::Finished,
            Some(Thread { request, end, .. }) => match *request {
                Request::Finish { .. } => ThreadEnd::Finished,
                Request::Block(Blocker::Spin { .. }) => ThreadEnd::Spins(*end),
                Request::Block(_) => ThreadEnd::Blocked(*end),
                Request::Lock { .. } => ThreadEnd::WaitsForLock(*end),
                Request::Join { thread } => ThreadEnd::WaitsForThread(*end, thread),
                Request::Fault(_) | Request::Refuse(_) => ThreadEnd::Faulted(*end),
                _ => ThreadEnd::Running(*end),
            },
        };
        let calls = |thread: &Option<Thread<S>>| thread.as_ref().map_or(Vec::new(), |t| t.calls.clone());
        let end_calls =
            |thread: &Option<Thread<S>>| thread.as_ref().map_or(Vec::new(), |t| t.end_calls.clone());
        Execution {
            calls: Calls {
                events: self.threads.iter().map(calls).collect(),
                ends: self.threads.iter().map(end_calls).collect(),
            },
            objects: Allocated::among(&self.objects),
            graph: self.graph.clone(),
            sites: sites.collect(),
            ends: self.threads.iter().map(end).collect(),
            justification: Some(self.justification.clone()),
        }
    }
}

impl<S: Clone> View<S> for Rerun<S> {
    fn graph(&self) -> ExecutionGraph {
        self.graph.clone()
    }

    fn execution(&self) -> Execution {
        self.execution()
    }

    fn state(&self, thread: ThreadId) -> Option<&S> {
        Some(&self.threads.get(thread.index())?.as_ref()?.state)
    }

    fn last_values(&self, at: Access) -> Vec<Value> {
        let accessed = self.graph.events().any(|(_, label)| label.at() == Some(at));
        let last = self.graph.writes_of(at).last().and_then(|&write| self.graph.label(write)?.written());
        let initial = || self.objects.iter().rev().find(|object| object.contains(at))?.value(at);
        if accessed { last.or_else(initial).into_iter().collect() } else { Vec::new() }
    }
}
