//! One random execution, from the start of `main` to its end or to the first violation.
//!
//! The threads and what they wait for; what a request does is in `step`. Nothing of the past is kept but what can still be read
//! (`memory`), unless somebody wants to see it ([`Trail`]).
//!
//! Threads that wait for a mutex, a thread or a barrier make no events until they can go on. A loop that waits is run as it
//! is: chance lets every thread see what it waits for some day.

use crate::choices::{Action, Choices, Decision};
use crate::coverage::Seen;
use crate::memory::{Kept, LocationIndex, Memory};
use crate::objects::Objects;
use crate::stuck::Spinning;
use crate::trail::Trail;
use base::{Access, Site, ThreadId, Value};
use model::Rules;
use program::{Blocker, Conflict, FaultKind, Program, Request, waits_in_circle};

/// Where a thread is.
#[derive(Debug)]
pub(crate) struct Thread<S> {
    pub(crate) state: S,
    pub(crate) request: Request,
    pub(crate) status: Status,
    /// Was it joined?
    pub(crate) joined: bool,
    /// Did a notification end its sleep?
    pub(crate) notified: bool,
}

/// Can a thread go on?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// As far as is known.
    Ready,
    /// Not before something changes.
    Waits(For),
    /// It sleeps on a condition variable.
    Asleep,
    Finished(Value),
    Blocked(Blocker),
}

impl Status {
    /// Has it finished, or does it go on only if somebody else does something?
    fn is_waiting(&self) -> bool {
        matches!(self, Status::Finished(_) | Status::Waits(_) | Status::Asleep)
    }
}

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum For {
    /// A write there.
    Location(LocationIndex),
    /// The end of a thread.
    Thread(usize),
    /// Others, at a barrier.
    Others,
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Every thread finished.
    Complete,
    /// `main` finished, or a thread has called `exit`, and all others wait or spin for ever: the process has ended.
    Idle,
    /// Nobody can go on, for an assumption does not hold or a bound was reached.
    Blocked,
    /// Something is wrong.
    Violated(Found),
    /// Nobody will ever get anywhere: these threads spin.
    Spinning(Vec<Spinning>),
    /// It has made as many events as it may.
    Limit,
    /// Somebody stopped it.
    Stopped,
    /// Something is not modelled.
    Unsupported { message: String, site: Option<Site>, thread: ThreadId },
    /// The program must be refined, and run again.
    Conflict(Conflict, ThreadId),
    /// The list of decisions has come to its end.
    Over,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// What.
    pub kind: FaultKind,
    /// In words.
    pub message: String,
    /// Who did it, or noticed it.
    pub thread: ThreadId,
    /// Where.
    pub site: Site,
}

/// Why a thread makes no event.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It has to wait.
    Waits(For),
    /// The run ends.
    End(End),
}

/// How far a run may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) events: u64,
    pub(crate) kept: Kept,
}

/// A run.
pub(crate) struct Run<'r, P: Program> {
    pub(crate) program: &'r P,
    pub(crate) memory: Memory,
    pub(crate) objects: Objects,
    pub(crate) threads: Vec<Thread<P::State>>,
    pub(crate) choices: Choices,
    pub(crate) trail: Option<Box<Trail>>,
    pub(crate) seen: Option<&'r mut Seen>,
    pub(crate) events: u64,
    /// What was chosen in this step, and what it accessed, with whether it wrote.
    pub(crate) chosen: u32,
    pub(crate) accessed: Option<(Access, bool)>,
    /// Has this step changed anything for others?
    pub(crate) changed: bool,
    /// Threads that can step, and threads that sleep.
    ready: Vec<usize>,
    pub(crate) asleep: Vec<usize>,
    limits: Limits,
    /// Room for lists of writes.
    pub(crate) scratch: Vec<usize>,
    /// Is the newest write read, and does every write come last? So it is if there are atomic sections, which no other thread
    /// interrupts: then nothing can be seen of a section but all of it.
    pub(crate) sequential: bool,
    /// Who is in an atomic section.
    inside: Option<usize>,
}

/// After how many events somebody is asked whether to stop.
pub(crate) const PATIENCE: u64 = 1 << 12;
/// After how many events the threads are asked whether they spin for ever.
const STANDSTILL: u64 = 1 << 16;

impl<'r, P: Program> Run<'r, P> {
    pub(crate) fn new(program: &'r P, rules: &'static Rules, choices: Choices, limits: Limits) -> Run<'r, P> {
        Run {
            program,
            memory: Memory::new(rules, limits.kept),
            objects: Objects::default(),
            threads: Vec::new(),
            choices,
            trail: None,
            seen: None,
            events: 0,
            chosen: 0,
            accessed: None,
            changed: true,
            ready: Vec::new(),
            asleep: Vec::new(),
            limits,
            scratch: Vec::new(),
            sequential: program.has_sections(),
            inside: None,
        }
    }

    /// Run it.
    pub(crate) fn run(&mut self, is_stopped: &dyn Fn() -> bool) -> End {
        if let Err(end) = self.start(None, self.program.main()) {
            return end;
        }
        loop {
            if self.events >= self.limits.events {
                return self.standstill().unwrap_or(End::Limit);
            }
            if self.events.is_multiple_of(PATIENCE) && is_stopped() {
                return self.standstill().unwrap_or(End::Stopped);
            }
            if self.events.is_multiple_of(STANDSTILL)
                && let Some(end) = self.standstill()
            {
                return end;
            }
            if self.ready.is_empty() && !self.asleep.iter().any(|&thread| self.is_timed(thread)) {
                return self.halt();
            }
            if let Err(end) = self.go() {
                return end;
            }
        }
    }

    /// Is there somebody who can step?
    #[cfg(test)]
    pub(crate) fn can_go(&self) -> bool {
        !self.ready.is_empty()
    }

    /// One step of one thread.
    #[inline]
    pub(crate) fn go(&mut self) -> Result<(), End> {
        let Some((action, place)) = self.next() else { return Err(End::Over) };
        (self.chosen, self.accessed, self.changed) = (0, None, true);
        let thread = match action {
            Action::Step => self.ready[place],
            Action::Wake => {
                let thread = self.asleep[place];
                self.wake(thread, false);
                self.done(thread, Action::Wake);
                return Ok(());
            }
        };
        match self.step(thread) {
            Ok(()) => {
                if self.sequential {
                    self.inside = self.program.section(&self.threads[thread].state).map(|_| thread);
                }
                self.done(thread, Action::Step);
                self.look(thread)
            }
            Err(Stop::Waits(reason)) => {
                self.threads[thread].status = Status::Waits(reason);
                self.ready.swap_remove(place);
                self.log(thread, Action::Step);
                self.choices.failed();
                Ok(())
            }
            Err(Stop::End(end)) => {
                self.done(thread, Action::Step);
                Err(end)
            }
        }
    }

    #[inline]
    fn next(&mut self) -> Option<(Action, usize)> {
        if self.ready.is_empty() && !self.asleep.is_empty() {
            // Only time limits are left; who has one comes first in the list.
            self.asleep.sort_by_key(|&thread| !is_timed(&self.threads[thread].request));
            let timed = self.asleep.iter().filter(|&&thread| self.is_timed(thread)).count();
            return self.choices.next(&[], &self.asleep[..timed]);
        }
        if let Some(place) = self.inside.and_then(|t| self.ready.iter().position(|&ready| ready == t)) {
            // Who is in an atomic section goes on.
            let only = self.choices.next(&self.ready[place..=place], &[])?;
            return Some((only.0, place));
        }
        self.choices.next(&self.ready, &self.asleep)
    }

    fn is_timed(&self, thread: usize) -> bool {
        is_timed(&self.threads[thread].request)
    }

    /// Also that a thread has to wait is part of a run: it says when nobody can go on.
    fn log(&mut self, thread: usize, action: Action) {
        if let Some(trail) = &mut self.trail {
            trail.decide(Decision { thread: thread as u32, action, choice: self.chosen });
        }
    }

    fn done(&mut self, thread: usize, action: Action) {
        self.log(thread, action);
        let Run { choices, threads, ready, accessed, changed, .. } = self;
        let conflicting = || accessed.map_or(Vec::new(), |last| conflicting(threads, ready, thread, last));
        choices.done(thread, *changed, conflicting);
    }

    // --- threads --------------------------------------------------------------------------------------------------

    /// Let a new thread run to its first request.
    pub(crate) fn start(&mut self, creator: Option<usize>, mut state: P::State) -> Result<(), End> {
        let request = self.resume(&mut state, 0);
        let thread = self.memory.add_thread(creator);
        self.choices.add_thread();
        if let Some(trail) = &mut self.trail {
            trail.add_thread();
        }
        let status = Status::Ready;
        self.threads.push(Thread { state, request, status, joined: false, notified: false });
        self.ready.push(thread);
        self.look(thread)
    }

    pub(crate) fn resume(&self, state: &mut P::State, answer: Value) -> Request {
        let mut request = self.program.resume(state, answer);
        while let Request::SizeOf { address } = request {
            request = self.program.resume(state, self.objects.size_of(address));
        }
        request
    }

    /// Tell a thread the answer to its request.
    #[inline]
    pub(crate) fn answer(&mut self, thread: usize, answer: Value) {
        let now = &mut self.threads[thread];
        let mut request = self.program.resume(&mut now.state, answer);
        while let Request::SizeOf { address } = request {
            request = self.program.resume(&mut now.state, self.objects.size_of(address));
        }
        now.request = request;
    }

    /// The thread has a new request: can it go on?
    #[inline]
    fn look(&mut self, thread: usize) -> Result<(), End> {
        let status = match self.threads[thread].request {
            Request::Finish { value } => Status::Finished(value),
            Request::Block(blocker) => Status::Blocked(blocker),
            Request::Sleep { .. } => Status::Asleep,
            Request::Fault(_) | Request::Refuse(_) => return Err(self.stopped(thread)),
            _ => return Ok(()),
        };
        self.threads[thread].status = status;
        self.ready.retain(|&other| other != thread);
        match status {
            Status::Asleep => self.asleep.push(thread),
            Status::Finished(_) => self.release(For::Thread(thread)),
            Status::Blocked(_) | Status::Ready | Status::Waits(_) => {}
        }
        Ok(())
    }

    /// The thread has done something wrong, or something that is not modelled.
    #[cold]
    fn stopped(&self, thread: usize) -> End {
        let now = &self.threads[thread];
        let (site, thread) = (self.program.site(&now.state), ThreadId(thread as u32));
        match &now.request {
            Request::Fault(fault) => {
                End::Violated(Found { kind: fault.kind, message: fault.message.clone(), thread, site })
            }
            Request::Refuse(refusal) => End::Unsupported {
                message: refusal.message.clone(),
                site: Some(refusal.site.unwrap_or(site)),
                thread,
            },
            request => unreachable!("{request:?} does not stop a thread"),
        }
    }

    /// Something has changed: who waited for it tries again.
    pub(crate) fn release(&mut self, reason: For) {
        for (thread, now) in self.threads.iter_mut().enumerate() {
            if now.status == Status::Waits(reason) {
                now.status = Status::Ready;
                self.ready.push(thread);
            }
        }
    }

    /// Memory is gone: who waits for a change there would wait for ever, and finds out.
    pub(crate) fn release_all(&mut self) {
        for (thread, now) in self.threads.iter_mut().enumerate() {
            if matches!(now.status, Status::Waits(For::Location(_))) {
                now.status = Status::Ready;
                self.ready.push(thread);
            }
        }
    }

    /// A thread that sleeps wakes up.
    pub(crate) fn wake(&mut self, thread: usize, notified: bool) {
        self.asleep.retain(|&other| other != thread);
        self.ready.push(thread);
        self.threads[thread].notified = notified;
        self.threads[thread].status = Status::Ready;
    }

    // --- the end --------------------------------------------------------------------------------------------------

    /// Nobody can step.
    #[cold]
    fn halt(&mut self) -> End {
        let all = |test: fn(&Status) -> bool| self.threads.iter().all(|now| test(&now.status));
        if all(|status| matches!(status, Status::Finished(_))) {
            return End::Complete;
        }
        let (waits, exits) =
            (Status::is_waiting, |status: &Status| *status == Status::Blocked(Blocker::Exit));
        // The process ends whatever others wait for, unless they wait for each other.
        if self.is_gone()
            && self.threads.iter().all(|now| waits(&now.status) || exits(&now.status))
            && !self.has_circle()
        {
            return End::Idle;
        }
        if !all(waits) {
            return End::Blocked;
        }
        self.show_waiting();
        let first = self.threads.iter().position(|now| !matches!(now.status, Status::Finished(_)));
        let thread = first.expect("not all have finished");
        End::Violated(Found {
            kind: FaultKind::Deadlock,
            message: "every unfinished thread waits".to_owned(),
            thread: ThreadId(thread as u32),
            site: self.program.site(&self.threads[thread].state),
        })
    }

    /// Nobody will ever get anywhere, but threads spin: how the run ends.
    #[cold]
    fn standstill(&self) -> Option<End> {
        let spinning = self.spinning()?;
        match self.is_gone() {
            false => Some(End::Spinning(spinning)),
            true => (!self.has_circle()).then_some(End::Idle),
        }
    }

    /// Has `main` finished, or another thread ended the process?
    fn is_gone(&self) -> bool {
        self.has_finished(ThreadId::MAIN)
            || self.threads.iter().any(|now| now.status == Status::Blocked(Blocker::Exit))
    }

    fn has_finished(&self, thread: ThreadId) -> bool {
        matches!(self.threads[thread.index()].status, Status::Finished(_))
    }

    /// Does anybody wait for who waits for it in turn?
    fn has_circle(&self) -> bool {
        let waits_for = |thread: ThreadId| match self.threads[thread.index()].status {
            Status::Waits(For::Thread(child)) => Some(ThreadId(child as u32)),
            Status::Waits(For::Location(mutex)) if self.is_at_lock(thread) => {
                u32::try_from(self.newest_value(mutex).checked_sub(1)?).ok().map(ThreadId)
            }
            _ => None,
        };
        let threads = self.threads.len();
        let mut all = (0..threads as u32).map(ThreadId).filter(|&thread| !self.has_finished(thread));
        all.any(|thread| waits_in_circle(thread, threads, waits_for, |it| self.has_finished(it)))
    }

    fn is_at_lock(&self, thread: ThreadId) -> bool {
        matches!(self.threads[thread.index()].request, Request::Lock { .. })
    }

    /// The threads that are alive, each with those whose ends it waits for.
    pub(crate) fn alive(&self) -> Vec<Vec<usize>> {
        let alive = |now: &Thread<P::State>| !matches!(now.status, Status::Finished(_) | Status::Blocked(_));
        let threads = (0..self.threads.len()).filter(|&thread| alive(&self.threads[thread]));
        threads.map(|thread| self.with_joined(thread)).collect()
    }

    /// A thread that is about to join another one knows by then what that one knows now.
    fn with_joined(&self, mut thread: usize) -> Vec<usize> {
        let mut all = vec![thread];
        while let Request::Join { thread: child } = self.threads[thread].request {
            thread = child.index();
            if thread >= self.threads.len() || self.threads[thread].joined || all.contains(&thread) {
                break;
            }
            all.push(thread);
        }
        all
    }
}

fn is_timed(request: &Request) -> bool {
    matches!(request, Request::Sleep { timed: true, again: false, .. })
}

/// Who among the others that can step is about to access what `thread` has accessed, one of them writing.
fn conflicting<S>(
    threads: &[Thread<S>],
    ready: &[usize],
    thread: usize,
    (at, writes): (Access, bool),
) -> Vec<usize> {
    let pending = |thread: usize| match threads[thread].request {
        Request::Read { at, .. } => Some((at, false)),
        Request::Write { at, .. } | Request::Rmw { at, .. } => Some((at, true)),
        Request::Lock { at } | Request::Unlock { at } | Request::Await { at, .. } => Some((at, true)),
        _ => None,
    };
    let conflicts = |&other: &usize| {
        other != thread && pending(other).is_some_and(|(to, wrote)| to == at && (writes || wrote))
    };
    ready.iter().copied().filter(conflicts).collect()
}
