//! Partial executions of a program: what the brute force extends, step by step, in every way.
//!
//! A step takes any thread that can go on and does its pending request: a read reads from any write to its location
//! that is there, a write goes to any place in `co`, a choice is any number. Nothing here knows a memory model, but
//! whether executions have a `co`: without, a write has one place only.
//!
//! Threads and `co` lists that a step does not change are shared with the execution before it.

use base::{Access, EventId, FenceOrder, ReadOrder, RmwOrder, ThreadId, Value, WriteOrder};
use graph::{ExecutionGraph, Label, Source};
use model::{Candidate, ra};
use program::{AwaitOp, Object, Passage, Patience, Program, Request, RmwOp};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// How a thread goes on.
#[derive(Clone, Debug)]
pub(crate) enum Status {
    /// With this request.
    Asks(Request),
    /// It has finished with this value.
    Finished(Value),
    /// It waits for a mutex that it has seen taken.
    WaitsForLock,
    /// It was created in other executions, but not in this one.
    NotCreated,
}

#[derive(Clone, Debug)]
struct Thread<S> {
    state: Option<S>,
    status: Status,
    labels: Vec<Label>,
    /// Per label, where it reads from (`Init` if it does not read).
    sources: Vec<Source>,
}

/// A partial execution.
#[derive(Clone, Debug)]
pub(crate) struct Partial<S> {
    threads: Vec<Rc<Thread<S>>>,
    /// Per location that is written to, its writes: in coherence order, or by id if there is none. Sorted by location.
    writes: Vec<(Access, Rc<Vec<EventId>>)>,
    /// Whether the writes are in coherence order.
    has_co: bool,
    objects: Rc<Vec<Object>>,
}

/// The names of threads: the same in every execution.
#[derive(Debug, Default)]
pub(crate) struct ThreadNames {
    /// Thread `i + 1` is the `n`-th child of `parent`.
    names: Vec<(usize, usize)>,
}

impl ThreadNames {
    fn name(&mut self, parent: usize, n: usize) -> usize {
        let known = self.names.iter().position(|&name| name == (parent, n));
        1 + known.unwrap_or_else(|| {
            self.names.push((parent, n));
            self.names.len() - 1
        })
    }
}

/// An event about to be added: its label, where it reads from, what the thread is told.
struct Step {
    label: Label,
    source: Source,
    answer: Value,
}

impl Step {
    fn new(label: Label, answer: Value) -> Step {
        Step { label, source: Source::Init, answer }
    }
}

impl<S: Clone> Partial<S> {
    /// Nothing has happened.
    pub(crate) fn start<P: Program<State = S>>(program: &P, has_co: bool) -> Partial<S> {
        let mut start = Partial { threads: Vec::new(), writes: Vec::new(), has_co, objects: Rc::default() };
        start.create(0, program.main(), program);
        start
    }

    fn create<P: Program<State = S>>(&mut self, thread: usize, mut state: S, program: &P) {
        let not_created = || {
            Rc::new(Thread {
                state: None,
                status: Status::NotCreated,
                labels: Vec::new(),
                sources: Vec::new(),
            })
        };
        self.threads.resize_with(self.threads.len().max(thread + 1), not_created);
        let status = status(program.resume(&mut state, 0));
        let (labels, sources) = (Vec::new(), Vec::new());
        self.threads[thread] = Rc::new(Thread { state: Some(state), status, labels, sources });
    }

    /// How each thread goes on.
    pub(crate) fn statuses(&self) -> impl Iterator<Item = &Status> {
        self.threads.iter().map(|thread| &thread.status)
    }

    /// Whether every thread that waits for a mutex, or spins, sees the last state of that location.
    pub(crate) fn waiters_read_last(&self) -> bool {
        let spins =
            |status: &Status| matches!(status, Status::Asks(Request::Block(program::Blocker::Spin { .. })));
        let waits = |status: &Status| matches!(status, Status::WaitsForLock) || spins(status);
        self.threads.iter().filter(|thread| waits(&thread.status)).all(|thread| {
            let at = thread.labels.last().and_then(Label::at).expect("it has read what it waits for");
            let source = *thread.sources.last().expect("it has read what it waits for");
            match self.has_co {
                true => self.stays(source, at),
                false => !self.writes(at).iter().any(|&write| self.follows(write, source)),
            }
        })
    }

    /// Whether this is the last write to the location, but for read-modify-writes that have changed nothing.
    fn stays(&self, source: Source, at: Access) -> bool {
        let writes = self.writes(at);
        let is_it = |&write: &EventId| Source::Event(write) == source;
        let later = writes.iter().position(is_it).map_or(0, |place| place + 1);
        let changes = |write: &EventId| match self.threads[write.thread.index()].labels[write.index as usize]
        {
            Label::Rmw { read, written, .. } => read != written,
            _ => true,
        };
        !writes[later..].iter().any(changes)
    }

    /// Whether a write of a mutex is one step after another. The writes of a mutex need no `co` to be in order: a lock
    /// reads the release before, each release is read once, and a thread that releases the mutex has taken it.
    fn follows(&self, write: EventId, before: Source) -> bool {
        let thread = &self.threads[write.thread.index()];
        let takes = matches!(thread.labels[write.index as usize], Label::Rmw { .. });
        match before {
            _ if takes => thread.sources[write.index as usize] == before,
            Source::Init => false,
            Source::Event(before) => before.thread == write.thread && before.index < write.index,
        }
    }

    /// Every way to go on by one event, or by one event of the first thread for which `alone` holds.
    pub(crate) fn extensions<P: Program<State = S>>(
        &self,
        program: &P,
        names: &mut ThreadNames,
        sc_fence_is_update: bool,
        alone: impl Fn(&Request) -> bool,
    ) -> Vec<Partial<S>> {
        let asks = |thread: &Rc<Thread<S>>| matches!(&thread.status, Status::Asks(request) if alone(request));
        let threads = self.threads.iter().position(asks).map_or(0..self.threads.len(), |t| t..t + 1);
        let mut all = Vec::new();
        for thread in threads {
            let Status::Asks(request) = &self.threads[thread].status else { continue };
            let mut extend = Extend { program, names, from: self, thread, all: &mut all };
            extend.request(request, sc_fence_is_update);
        }
        all
    }

    fn writes(&self, at: Access) -> &[EventId] {
        self.writes.iter().find(|(location, _)| *location == at).map_or(&[], |(_, writes)| writes)
    }

    /// The writes that a read of `at` can read from, with their values.
    fn sources(&self, at: Access) -> Vec<(Source, Value)> {
        let mut sources = vec![(Source::Init, self.initial(at))];
        for &write in self.writes(at) {
            let value = self.threads[write.thread.index()].labels[write.index as usize].written();
            sources.push((Source::Event(write), value.expect("is a write")));
        }
        sources
    }

    fn initial(&self, at: Access) -> Value {
        if at == ra::SC_FENCE {
            return 0;
        }
        let object = self.objects.iter().find(|object| object.contains(at));
        let value = object.unwrap_or_else(|| panic!("{at} was not published")).value(at);
        value.unwrap_or_else(|| panic!("{at} is not initialised"))
    }

    /// A short text that two partial executions of one program share iff they are equal: threads are deterministic,
    /// so the sources of reads and the choices say what every thread did.
    pub(crate) fn key(&self) -> Vec<u8> {
        let byte = |n: usize| u8::try_from(n).expect("small programs only");
        let mut key = Vec::with_capacity(64);
        key.push(byte(self.threads.len()));
        for thread in &self.threads {
            key.push(byte(thread.labels.len()));
            for (label, source) in thread.labels.iter().zip(&thread.sources) {
                match (label, source) {
                    (Label::Read { .. } | Label::Rmw { .. }, Source::Init) => key.push(255),
                    (Label::Read { .. } | Label::Rmw { .. }, Source::Event(write)) => {
                        key.extend([byte(write.thread.index()), byte(write.index as usize)]);
                    }
                    (Label::Choose(value), _) => key.extend(value.to_le_bytes()),
                    _ => {}
                }
            }
        }
        for (_, writes) in &self.writes {
            key.push(255);
            for write in writes.iter() {
                key.extend([byte(write.thread.index()), byte(write.index as usize)]);
            }
        }
        key
    }

    /// As a graph in canonical form, without `co` if there is none.
    pub(crate) fn graph(&self) -> ExecutionGraph {
        let mut graph = ExecutionGraph::default();
        for (number, thread) in self.threads.iter().enumerate() {
            for (index, (label, &source)) in thread.labels.iter().zip(&thread.sources).enumerate() {
                if label.is_read() {
                    graph.rf.insert(event_id(number, index), source);
                }
            }
            graph.threads.push(thread.labels.clone());
        }
        graph.co = self.co().map(|(at, writes)| (at, writes.to_vec())).collect();
        graph.canonical()
    }
}

fn status(request: Request) -> Status {
    match request {
        Request::Finish { value } => Status::Finished(value),
        request => Status::Asks(request),
    }
}

fn event_id(thread: usize, index: usize) -> EventId {
    EventId { thread: ThreadId(thread as u32), index: index as u32 }
}

impl<S> Candidate for Partial<S> {
    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn labels(&self, thread: usize) -> &[Label] {
        &self.threads[thread].labels
    }

    fn source(&self, read: EventId) -> Source {
        self.threads[read.thread.index()].sources[read.index as usize]
    }

    fn co(&self) -> impl Iterator<Item = (Access, &[EventId])> {
        let writes = if self.has_co { self.writes.as_slice() } else { &[] };
        writes.iter().map(|(at, writes)| (*at, writes.as_slice()))
    }
}

/// One thread of one partial execution on its way to all its extensions.
struct Extend<'a, P: Program> {
    program: &'a P,
    names: &'a mut ThreadNames,
    from: &'a Partial<P::State>,
    thread: usize,
    all: &'a mut Vec<Partial<P::State>>,
}

impl<P: Program> Extend<'_, P> {
    fn request(&mut self, request: &Request, sc_fence_is_update: bool) {
        match request {
            &Request::Read { at, order } => self.read(at, order),
            &Request::Write { at, value, order } => self.write(at, base::truncate(value, at.size), order),
            &Request::Rmw { at, op, order, failure } => self.rmw(at, op, order, failure),
            &Request::Lock { at } => self.lock(at),
            &Request::Await { at, op, patience } => self.pass(at, op, patience),
            Request::Sleep { .. } | Request::Notify { .. } | Request::Depart(_) => {
                panic!("programs of the oracle have no condition variables and no barriers")
            }
            &Request::Unlock { at } => self.write(at, 0, WriteOrder::Release),
            Request::Fence(FenceOrder::SeqCst) if sc_fence_is_update => {
                self.rmw(ra::SC_FENCE, RmwOp::Add(0), RmwOrder::AcqRel, ReadOrder::Relaxed);
            }
            Request::Fence(order) => self.step(Step::new(Label::Fence(*order), 0)),
            &Request::Create { function, argument } => self.create(function, argument),
            &Request::Join { thread } => {
                if let Status::Finished(value) = self.from.threads[thread.index()].status {
                    self.step(Step::new(Label::Join(thread), value));
                }
            }
            Request::Publish(objects) => self.publish(objects),
            &Request::Free { address, .. } => self.step(Step::new(Label::Free(address), 0)),
            &Request::Choose { values } => {
                (0..values).for_each(|value| self.step(Step::new(Label::Choose(value), value)));
            }
            Request::Block(_) => {}
            Request::Finish { .. } => unreachable!("is a status"),
            Request::SizeOf { .. } => panic!("programs of the oracle do not ask for sizes"),
            Request::Fault(fault) => panic!("programs with faults are not for the oracle: {}", fault.message),
            Request::Refuse(refusal) => panic!("cannot enumerate: {}", refusal.message),
        }
    }

    fn read(&mut self, at: Access, order: ReadOrder) {
        for (source, value) in self.from.sources(at) {
            self.step(Step { label: Label::Read { at, order, value }, source, answer: value });
        }
    }

    fn write(&mut self, at: Access, value: Value, order: WriteOrder) {
        for place in self.places(at) {
            self.place(at, place, Step::new(Label::Write { at, order, value }, 0));
        }
    }

    fn rmw(&mut self, at: Access, op: RmwOp, order: RmwOrder, failure: ReadOrder) {
        for (source, read) in self.from.sources(at) {
            let Some(written) = op.apply(read, at.size) else {
                self.step(Step {
                    label: Label::Read { at, order: failure, value: read },
                    source,
                    answer: read,
                });
                continue;
            };
            for place in self.places(at) {
                self.place(
                    at,
                    place,
                    Step { label: Label::Rmw { at, order, read, written }, source, answer: read },
                );
            }
        }
    }

    /// An acquire read-modify-write of a free mutex; a read of a taken one, after which the thread waits.
    fn lock(&mut self, at: Access) {
        let owner = self.thread as Value + 1;
        for (source, read) in self.from.sources(at) {
            if read == 0 {
                let label = Label::Rmw { at, order: RmwOrder::Acquire, read, written: owner };
                for place in self.places(at) {
                    self.place(at, place, Step { label: label.clone(), source, answer: 0 });
                }
            } else {
                self.wait(at, source, read);
            }
        }
    }

    /// The thread has read that it must wait.
    fn wait(&mut self, at: Access, source: Source, value: Value) {
        let mut next = self.from.clone();
        let thread = Rc::make_mut(&mut next.threads[self.thread]);
        thread.labels.push(Label::Read { at, order: ReadOrder::Acquire, value });
        thread.sources.push(source);
        thread.status = Status::WaitsForLock;
        self.all.push(next);
    }

    fn read_from(&mut self, at: Access, order: ReadOrder, source: Source, value: Value) {
        self.step(Step { label: Label::Read { at, order, value }, source, answer: value });
    }

    fn pass(&mut self, at: Access, op: AwaitOp, patience: Patience) {
        for (source, read) in self.from.sources(at) {
            match (op.apply(read), patience) {
                (Passage::Changes(written), _) => {
                    let label = Label::Rmw { at, order: RmwOrder::Acquire, read, written };
                    for place in self.places(at) {
                        self.place(at, place, Step { label: label.clone(), source, answer: read });
                    }
                }
                (Passage::Shut, Patience::Waits) => self.wait(at, source, read),
                (Passage::Open, _) => self.read_from(at, ReadOrder::Acquire, source, read),
                (Passage::Shut, Patience::GivesUp) => self.read_from(at, ReadOrder::Relaxed, source, read),
            }
        }
    }

    fn create(&mut self, function: Value, argument: Value) {
        let labels = &self.from.threads[self.thread].labels;
        let earlier = labels.iter().filter(|label| matches!(label, Label::Create(_))).count();
        let child = self.names.name(self.thread, earlier);
        let id = ThreadId(child as u32);
        let mut next = self.next(Step::new(Label::Create(id), child as Value));
        next.create(child, self.program.start(id, function, argument), self.program);
        self.all.push(next);
    }

    fn publish(&mut self, objects: &[Object]) {
        let sizes = objects.iter().map(|object| (object.address, object.bytes.len() as u64)).collect();
        let mut next = self.next(Step::new(Label::Publish(sizes), 0));
        Rc::make_mut(&mut next.objects).extend_from_slice(objects);
        self.all.push(next);
    }

    /// The next event of the thread.
    fn event(&self) -> EventId {
        event_id(self.thread, self.from.threads[self.thread].labels.len())
    }

    /// The places among the writes of a location that the next event can have.
    fn places(&self, at: Access) -> RangeInclusive<usize> {
        let writes = self.from.writes(at);
        match self.from.has_co {
            true => 0..=writes.len(),
            false => {
                let place = writes.partition_point(|&write| write < self.event());
                place..=place
            }
        }
    }

    /// Add a write as number `place` among the writes of its location.
    fn place(&mut self, at: Access, place: usize, step: Step) {
        let event = self.event();
        let mut next = self.next(step);
        match next.writes.binary_search_by_key(&at, |(location, _)| *location) {
            Ok(found) => Rc::make_mut(&mut next.writes[found].1).insert(place, event),
            Err(missing) => next.writes.insert(missing, (at, Rc::new(vec![event]))),
        }
        self.all.push(next);
    }

    fn step(&mut self, step: Step) {
        let next = self.next(step);
        self.all.push(next);
    }

    fn next(&self, step: Step) -> Partial<P::State> {
        let mut next = self.from.clone();
        let thread = Rc::make_mut(&mut next.threads[self.thread]);
        thread.labels.push(step.label);
        thread.sources.push(step.source);
        let state = thread.state.as_mut().expect("a thread that asks was created");
        thread.status = status(self.program.resume(state, step.answer));
        next
    }
}
