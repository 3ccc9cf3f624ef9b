//! A guided program: some of its reads are promised. Re-execution runs it.
//!
//! Implements: the *Guided step* of \[XMM\] figure 5.1 with RC11's explorer. A promised read is no read for the
//! exploration but a choice of a promise, so that it needs no writer yet; without those reads there is no cycle, and
//! RC11's explorer finds each graph once. The promised reads get their sources afterwards (`rebuild`).
//!
//! A thread that ends without its promises, or without the writes that others were promised, is blocked. A thread with
//! a fault asks to join itself: it goes no further, and unlike a blocked assumption that hides no error.
//!
//! The values that the reads of a core read are known: those loads are awaits (`reductions/awaits.rs` of crate
//! `explore`), so that no other values are explored. Where a thread reads a location once, its promise about it is used
//! there: no execution is explored in which it is not.
//!
//! A mutex is taken by a compare-exchange here, so that it can be promised as other reads can: no thread waits, and one
//! that finds the mutex taken is blocked.
//!
//! Not modelled: waiting for anything but a mutex or a thread, and a release of a mutex that its thread may not own.
//! Both end the exploration.

use crate::promise::Promise;
use base::{Access, EventId, Site, ThreadId, Value};
use explore::View;
use graph::{ExecutionGraph, Label};
use model::xmm::{Action, EventLabel};
use program::{
    Await, Blocker, Hint, MUTEX_DESTROYED, Program, Reading, Refinements, Refusal, Request, RmwOp,
    mutex_owner,
};
use std::collections::BTreeMap;

/// The promises of a guided program, and where they are used.
#[derive(Debug)]
pub(crate) enum Plan<'a> {
    /// Every promise is used once, anywhere; at the first read that fits, if there is `no_second` one that could use
    /// it. Threads that are not active do nothing.
    Anywhere { promises: &'a [Promise], no_second: &'a [bool], active: &'a [bool] },
    /// The threads start as in the core; these of its reads are promised.
    Core { core: &'a ExecutionGraph, promised: &'a [EventId] },
}

/// The program with its plan.
#[derive(Debug)]
pub(crate) struct Guided<'a, P> {
    pub(crate) program: &'a P,
    pub(crate) plan: Plan<'a>,
}

/// A thread of it.
#[derive(Clone, Debug)]
pub(crate) struct State<S> {
    inner: S,
    thread: ThreadId,
    pending: Pending,
    /// How many events the thread has made, and how many choices beside.
    events: u32,
    made: u32,
    /// Per promise, as bits: whether it was used, whether its write was made.
    used: u64,
    written: u64,
    /// Whether the execution does not go as planned.
    pub(crate) off_plan: bool,
    /// Whether its pending request is one for a mutex.
    locks: bool,
    /// The last values that it has written to the words of mutexes.
    words: BTreeMap<Access, Value>,
    /// The outcomes of the choices between a promise and a read.
    pub(crate) log: Vec<Entry>,
}

/// A choice that is no event of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Which of the thread's events.
    pub(crate) index: u32,
    /// The promise that was taken, with the label of the read.
    pub(crate) taken: Option<(usize, Label)>,
}

/// The pending request of a thread.
#[derive(Clone, Debug)]
enum Pending {
    /// Nothing yet.
    Start,
    /// The program's own.
    Inner(Request),
    /// Whether this read is promised.
    Choice(Request),
    /// The write of a promised read-modify-write that read this value.
    Update(Value),
    /// It goes no further.
    Over,
}

impl<P: Hint> Guided<'_, P> {
    fn begin(&self, thread: ThreadId, inner: P::State) -> State<P::State> {
        let pending = Pending::Start;
        State {
            inner,
            thread,
            pending,
            events: 0,
            made: 0,
            used: 0,
            written: 0,
            off_plan: false,
            locks: false,
            words: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    /// The promises that the thread may use for this request.
    fn options(&self, state: &State<P::State>, request: &Request) -> Vec<(usize, Value)> {
        match &self.plan {
            Plan::Anywhere { promises, .. } => {
                let mut options: Vec<(usize, Value)> = Vec::new();
                for (number, promise) in promises.iter().enumerate() {
                    let is_new = options.iter().all(|&(other, _)| promises[other] != *promise);
                    // A thread that finds its mutex taken goes no further, and so makes no event that leads to a cycle.
                    let goes_on = !state.locks || promise.value() == 0;
                    let is_open = state.used >> number & 1 == 0 && is_new && goes_on;
                    if is_open && promise.fits(state.thread, request) {
                        options.push((number, promise.value()));
                    }
                }
                options
            }
            Plan::Core { core, promised } => {
                let here = EventId { thread: state.thread, index: state.events };
                let value = core.label(here).and_then(Label::value_read);
                let place = promised.iter().position(|&read| read == here);
                place.zip(value).into_iter().collect()
            }
        }
    }

    /// Whether the thread may read rather than use one of these promises. In a core, a promised read has no choice.
    fn may_decline(&self, options: &[(usize, Value)]) -> bool {
        match self.plan {
            Plan::Anywhere { no_second, .. } => options.iter().all(|&(number, _)| !no_second[number]),
            Plan::Core { .. } => false,
        }
    }

    fn is_active(&self, thread: ThreadId) -> bool {
        match self.plan {
            Plan::Anywhere { active, .. } => active.get(thread.index()).copied().unwrap_or(true),
            Plan::Core { .. } => true,
        }
    }

    /// Whether the thread, which ends here, has left out an event that the plan needs.
    fn lacks(&self, state: &State<P::State>) -> bool {
        match &self.plan {
            Plan::Anywhere { promises, .. } => promises.iter().enumerate().any(|(number, promise)| {
                (promise.reader() == state.thread && state.used >> number & 1 == 0)
                    || (promise.writer() == state.thread && state.written >> number & 1 == 0)
            }),
            Plan::Core { core, .. } => {
                core.threads.get(state.thread.index()).is_some_and(|t| t.len() > state.events as usize)
            }
        }
    }

    /// Whether the thread still follows the core with this answer to its request.
    fn follows(&self, state: &State<P::State>, request: &Request, answer: Value) -> bool {
        let Plan::Core { core, .. } = &self.plan else { return true };
        let here = EventId { thread: state.thread, index: state.events };
        match request {
            Request::Read { .. } | Request::Rmw { .. } | Request::Choose { .. } => match core.label(here) {
                Some(Label::Choose(value)) => *value == answer,
                Some(label) => label.value_read() == Some(answer),
                None => true,
            },
            _ => true,
        }
    }

    fn note_write(&self, state: &mut State<P::State>, label: &Label) {
        if let (Some(at), Some(value)) = (label.at(), label.written())
            && (state.locks || state.words.contains_key(&at) || value == mutex_owner(state.thread))
        {
            state.words.insert(at, value);
        }
        let Plan::Anywhere { promises, .. } = self.plan else { return };
        let action = match *label {
            Label::Write { at, order, value } => Action::Write { at, order, value, rmw: false },
            Label::Rmw { at, order, written, .. } => {
                Action::Write { at, order: order.write(), value: written, rmw: true }
            }
            _ => return,
        };
        let written = EventLabel { thread: state.thread, action };
        for number in (0..promises.len()).filter(|&number| promises[number].write == written) {
            state.written |= 1 << number;
        }
    }

    /// Hand the thread's request on, or ask for a choice first.
    fn ask(&self, state: &mut State<P::State>, request: Request) -> Request {
        state.locks = matches!(request, Request::Lock { .. });
        if let Request::Unlock { at } = request
            && state.words.get(&at) != Some(&mutex_owner(state.thread))
        {
            return refuse("the release of a mutex that the thread may not own");
        }
        let request = attempt(state.thread, request);
        match request {
            Request::Read { .. } | Request::Rmw { .. } => {
                let options = self.options(state, &request);
                if !options.is_empty() {
                    let declined = self.may_decline(&options);
                    state.pending = Pending::Choice(request);
                    return Request::Choose { values: (options.len() + usize::from(declined)) as Value };
                }
            }
            Request::Finish { .. } if self.lacks(state) => return self.give_up(state),
            Request::Create { .. } if state.thread != ThreadId::MAIN => {
                return refuse("a created thread that creates a thread");
            }
            Request::Await { .. } => return refuse("a semaphore, a read-write lock or something done once"),
            Request::Depart(_) => return refuse("a barrier"),
            Request::Sleep { .. } | Request::Notify { .. } => return refuse("a condition variable"),
            Request::Fault(_) | Request::Refuse(_) => {
                state.pending = Pending::Over;
                return Request::Join { thread: state.thread };
            }
            _ => {}
        }
        state.pending = Pending::Inner(request.clone());
        request
    }

    /// The execution does not go as planned: it is of no use, and the thread is blocked.
    fn give_up(&self, state: &mut State<P::State>) -> Request {
        state.off_plan = true;
        self.block(state)
    }

    fn block(&self, state: &mut State<P::State>) -> Request {
        state.pending = Pending::Over;
        Request::Block(Blocker::Assume)
    }

    /// The choice for a read that may be promised was made.
    fn chosen(&self, state: &mut State<P::State>, request: Request, choice: Value) -> Request {
        let options = self.options(state, &request);
        let index = state.made;
        state.made += 1;
        let Some(&(number, value)) = options.get(choice as usize) else {
            state.log.push(Entry { index, taken: None });
            state.pending = Pending::Inner(request.clone());
            return request;
        };
        let label = access_label(state.thread, &request, value).expect("is a read");
        state.log.push(Entry { index, taken: Some((number, label.clone())) });
        state.used |= 1 << number;
        state.events += 1;
        if let Label::Rmw { at, order, written, .. } = label {
            self.note_write(state, &label);
            state.pending = Pending::Update(value);
            return Request::Write { at, value: written, order: order.write() };
        }
        let next = self.program.resume(&mut state.inner, value);
        self.ask(state, next)
    }
}

impl<P: Hint> Program for Guided<'_, P> {
    type State = State<P::State>;

    fn main(&self) -> Self::State {
        self.begin(ThreadId::MAIN, self.program.main())
    }

    fn start(&self, thread: ThreadId, function: Value, argument: Value) -> Self::State {
        self.begin(thread, self.program.start(thread, function, argument))
    }

    fn resume(&self, state: &mut Self::State, answer: Value) -> Request {
        match std::mem::replace(&mut state.pending, Pending::Over) {
            Pending::Start if !self.is_active(state.thread) => self.block(state),
            Pending::Start => {
                let request = self.program.resume(&mut state.inner, answer);
                self.ask(state, request)
            }
            Pending::Inner(_) if state.locks && answer == MUTEX_DESTROYED => {
                refuse("a mutex that may have been destroyed")
            }
            Pending::Inner(_) if state.locks && answer != 0 => self.block(state),
            Pending::Inner(request) => {
                if !self.follows(state, &request, answer) {
                    return self.give_up(state);
                }
                if let Some(label) = access_label(state.thread, &request, answer) {
                    self.note_write(state, &label);
                }
                if !matches!(request, Request::SizeOf { .. }) {
                    state.events += 1;
                    state.made += 1;
                }
                let request = self.program.resume(&mut state.inner, answer);
                self.ask(state, request)
            }
            Pending::Choice(request) => self.chosen(state, request, answer),
            Pending::Update(read) => {
                state.made += 1;
                let request = self.program.resume(&mut state.inner, read);
                self.ask(state, request)
            }
            Pending::Over => unreachable!("a thread that is blocked is not told anything"),
        }
    }

    fn site(&self, state: &Self::State) -> Site {
        self.program.site(&state.inner)
    }

    fn callers(&self, state: &Self::State) -> Vec<Site> {
        self.program.callers(&state.inner)
    }

    fn is_private(&self, state: &Self::State, address: u64) -> bool {
        self.program.is_private(&state.inner, address)
    }

    fn refine(&mut self, refinements: &Refinements) -> Result<(), Refusal> {
        let Some(conflict) = refinements.conflicts.first() else { return Ok(()) };
        let message =
            "accesses of different sizes overlap in an execution with a cycle: this is not modelled";
        Err(Refusal::new(message, Some(conflict.site)))
    }
}

impl<P: Hint> Hint for Guided<'_, P> {
    fn is_copy(&self, state: &Self::State) -> bool {
        self.program.is_copy(&state.inner)
    }

    fn awaits(&self, state: &Self::State) -> Await {
        let (Plan::Core { core, .. }, Pending::Inner(Request::Read { .. })) = (&self.plan, &state.pending)
        else {
            return Await::No;
        };
        let here = EventId { thread: state.thread, index: state.events };
        core.label(here).and_then(Label::value_read).map_or(Await::No, Await::Equal)
    }
}

/// Whether all threads have gone as planned.
pub(crate) fn is_on_plan<S>(view: &dyn View<State<S>>) -> bool {
    states(view).all(|state| !state.off_plan)
}

/// How many promises were taken.
pub(crate) fn promises_taken<S>(view: &dyn View<State<S>>) -> usize {
    states(view).flat_map(|state| &state.log).filter(|entry| entry.taken.is_some()).count()
}

fn states<S>(view: &dyn View<State<S>>) -> impl Iterator<Item = &State<S>> {
    (0..).map_while(|thread| view.state(ThreadId(thread)))
}

/// A mutex is taken by a compare-exchange, and released by a write.
fn attempt(thread: ThreadId, request: Request) -> Request {
    match request {
        Request::Lock { at } => {
            let owner = mutex_owner(thread);
            let op = RmwOp::CompareExchange { expected: 0, new: owner };
            let failure = request.reading(thread, owner, || at.address).order;
            Request::Rmw { at, op, order: request.update_order(), failure }
        }
        Request::Unlock { at } => {
            let (value, order) = request.writing();
            Request::Write { at, value, order }
        }
        other => other,
    }
}

fn refuse(what: &str) -> Request {
    let message = format!("{what} in a program with load-buffering races: this is not modelled under XMM");
    Request::Refuse(Box::new(Refusal::new(message, None)))
}

/// The label of an access that was answered so.
fn access_label(thread: ThreadId, request: &Request, answer: Value) -> Option<Label> {
    Some(match *request {
        Request::Read { at, .. } | Request::Rmw { at, .. } => {
            let Reading { order, written, .. } = request.reading(thread, answer, || at.address);
            match written {
                Some((written, _)) => Label::Rmw { at, order: request.update_order(), read: answer, written },
                None => Label::Read { at, order, value: answer },
            }
        }
        Request::Write { at, .. } => {
            let (value, order) = request.writing();
            Label::Write { at, order, value: base::truncate(value, at.size) }
        }
        _ => return None,
    })
}
