//! One random execution, from the start of `main` to its end or to the first violation.
//!
//! The threads and their waiting; the effect of a request is in `step`. Of the past only the writes that can still be
//! read are kept (`memory`), unless there is a [`Trail`].
//!
//! Threads that wait for a mutex, a thread or a barrier make no events until they can go on. A loop that waits is run
//! as it is: chance lets every thread see the value that it waits for eventually.

use crate::choices::{Action, Choices, Decision};
use crate::coverage::Seen;
use crate::memory::{Kept, LocationIndex, Memory};
use crate::objects::Objects;
use crate::stuck::Spinning;
use crate::trail::Trail;
use base::{Access, Site, ThreadId, Value};
use model::Rules;
use program::{
    Blocker, Check, Checks, Conflict, FaultKind, Hint, Refusal, Request, Unmodelled, owner_of_mutex, resume,
    waits_in_circle,
};

/// A thread of a run.
#[derive(Debug)]
pub(crate) struct Thread<S> {
    pub(crate) state: S,
    pub(crate) request: Request,
    pub(crate) status: Status,
    /// Whether it was joined.
    pub(crate) joined: bool,
    /// Whether a notification ended its sleep.
    pub(crate) notified: bool,
}

/// Whether a thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// It can, as far as is known.
    Ready,
    /// It cannot before this changes.
    Waits(For),
    /// It sleeps on a condition variable.
    Asleep,
    Finished(Value),
    Blocked(Blocker),
    /// It has reached something that is not modelled, or an error that is no violation.
    Stopped,
}

impl Status {
    /// Whether it has finished, or goes on only after a step of another thread.
    fn is_waiting(&self) -> bool {
        matches!(self, Status::Finished(_) | Status::Waits(_) | Status::Asleep)
    }
}

/// The change that a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum For {
    /// A write there.
    Location(LocationIndex),
    /// The end of a thread.
    Thread(usize),
    /// The arrival of other threads at a barrier.
    Others,
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Every thread finished.
    Complete,
    /// `main` finished, or a thread has called `exit`, and all others wait or spin for ever: the process has ended.
    Idle,
    /// No thread can go on, because an assumption does not hold or a bound was reached.
    Blocked,
    /// It has a violation.
    Violated(Found),
    /// Standstill: these threads spin for ever.
    Spinning(Vec<Spinning>),
    /// It has reached the limit of events.
    Limit,
    /// It was stopped from outside.
    Stopped,
    /// A thread has run for too long without a request.
    Unsupported { message: String, site: Option<Site>, thread: ThreadId },
    /// The program must be refined, and run again.
    Conflict(Conflict, ThreadId),
    /// The list of decisions has come to its end.
    Over,
}

/// A fault that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its kind.
    pub kind: FaultKind,
    /// Its description.
    pub message: String,
    /// The thread that made it, or that it showed in.
    pub thread: ThreadId,
    /// Its place.
    pub site: Site,
}

/// Why a thread makes no event.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It has to wait.
    Waits(For),
    /// It stops: this is not modelled.
    Refused(Refusal),
    /// The run ends.
    End(End),
}

/// The limits of a run, and what is wrong in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) events: u64,
    pub(crate) kept: Kept,
    /// The errors that are violations.
    pub(crate) checks: Checks,
}

/// A run.
pub(crate) struct Run<'r, P: Hint> {
    pub(crate) program: &'r P,
    pub(crate) memory: Memory,
    pub(crate) objects: Objects,
    pub(crate) threads: Vec<Thread<P::State>>,
    pub(crate) choices: Choices,
    pub(crate) trail: Option<Box<Trail>>,
    pub(crate) seen: Option<&'r mut Seen>,
    pub(crate) events: u64,
    /// The choice of this step; the access that it made, and whether that wrote.
    pub(crate) chosen: u32,
    pub(crate) accessed: Option<(Access, bool)>,
    /// Whether this step may have changed anything for other threads.
    pub(crate) changed: bool,
    /// Threads that can step, and threads that sleep.
    ready: Vec<usize>,
    pub(crate) asleep: Vec<usize>,
    pub(crate) limits: Limits,
    /// Room for lists of writes.
    pub(crate) scratch: Vec<usize>,
    /// Whether every read reads the newest write, and every write goes last. So it is if there are atomic sections,
    /// which no other thread interrupts: then other threads see all of a section or nothing.
    pub(crate) sequential: bool,
    /// The thread that is in an atomic section.
    inside: Option<usize>,
    /// What threads have reached that is not modelled.
    pub(crate) unmodelled: Vec<Unmodelled>,
}

/// After how many events the run asks whether it is stopped.
pub(crate) const PATIENCE: u64 = 1 << 12;
/// After how many events the run tests for a standstill.
const STANDSTILL: u64 = 1 << 16;

impl<'r, P: Hint> Run<'r, P> {
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
            sequential: program.facts().has_sections,
            inside: None,
            unmodelled: Vec::new(),
        }
    }

    /// Run to the end.
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

    /// Whether a thread can step.
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
            Err(Stop::Refused(refusal)) => {
                self.log(thread, Action::Step);
                self.choices.failed();
                self.refuse(thread, refusal);
                Ok(())
            }
            Err(Stop::End(End::Violated(found))) if !self.limits.checks.count(found.kind) => {
                self.done(thread, Action::Step);
                self.overlook(thread, found);
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
            // Only time limits are left; threads with one come first in the list.
            self.asleep.sort_by_key(|&thread| !is_timed(&self.threads[thread].request));
            let timed = self.asleep.iter().filter(|&&thread| self.is_timed(thread)).count();
            return self.choices.next(&[], &self.asleep[..timed]);
        }
        if let Some(place) = self.inside.and_then(|t| self.ready.iter().position(|&ready| ready == t)) {
            // The thread in an atomic section goes on.
            let only = self.choices.next(&self.ready[place..=place], &[])?;
            return Some((only.0, place));
        }
        self.choices.next(&self.ready, &self.asleep)
    }

    fn is_timed(&self, thread: usize) -> bool {
        is_timed(&self.threads[thread].request)
    }

    /// Write a decision to the trail. A step that has to wait is one, too: it decides when no thread can go on.
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
        let request = resume(self.program, &mut state, 0, |address| self.objects.size_of(address));
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

    /// Give a thread the answer to its request.
    #[inline]
    pub(crate) fn answer(&mut self, thread: usize, answer: Value) {
        let now = &mut self.threads[thread];
        now.request = resume(self.program, &mut now.state, answer, |address| self.objects.size_of(address));
    }

    /// Update the status of a thread that has a new request.
    #[inline]
    fn look(&mut self, thread: usize) -> Result<(), End> {
        let status = match self.threads[thread].request {
            Request::Finish { value } => Status::Finished(value),
            Request::Block(blocker) => Status::Blocked(blocker),
            Request::Sleep { .. } => Status::Asleep,
            Request::Refuse(ref refusal) if !refusal.endless => {
                let refusal = Refusal::clone(refusal);
                self.refuse(thread, refusal);
                return Ok(());
            }
            Request::Fault(_) | Request::Refuse(_) => {
                return match self.stopped(thread) {
                    End::Violated(found) if !self.limits.checks.count(found.kind) => {
                        self.overlook(thread, found);
                        Ok(())
                    }
                    end => Err(end),
                };
            }
            _ => return Ok(()),
        };
        self.threads[thread].status = status;
        self.ready.retain(|&other| other != thread);
        match status {
            Status::Asleep => self.asleep.push(thread),
            Status::Finished(_) => self.release(For::Thread(thread)),
            Status::Blocked(_) | Status::Ready | Status::Waits(_) | Status::Stopped => {}
        }
        Ok(())
    }

    /// The thread stops at an error that is no violation; the others go on.
    #[cold]
    fn overlook(&mut self, thread: usize, found: Found) {
        match self.limits.checks.unknown_after(found.kind, &found.message) {
            Some(message) => self.refuse(thread, Refusal::new(message, Some(found.site))),
            None => {
                self.threads[thread].status = Status::Stopped;
                self.ready.retain(|&other| other != thread);
            }
        }
    }

    /// The thread stops at something that is not modelled; the others go on.
    #[cold]
    fn refuse(&mut self, thread: usize, refusal: Refusal) {
        let now = &mut self.threads[thread];
        now.status = Status::Stopped;
        let site = refusal.site.unwrap_or_else(|| self.program.site(&now.state));
        let (message, name) = (refusal.message, ThreadId(thread as u32));
        self.unmodelled.push(Unmodelled { site, message, thread: name });
        self.ready.retain(|&other| other != thread);
    }

    /// The end of a run at a fault of the thread, or because it does not come to its next request.
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

    /// The awaited change has come: threads that waited for it try again.
    pub(crate) fn release(&mut self, reason: For) {
        for (thread, now) in self.threads.iter_mut().enumerate() {
            if now.status == Status::Waits(reason) {
                now.status = Status::Ready;
                self.ready.push(thread);
            }
        }
    }

    /// Memory is freed: threads that wait for a change there would wait for ever, so they try again and find it gone.
    pub(crate) fn release_all(&mut self) {
        for (thread, now) in self.threads.iter_mut().enumerate() {
            if matches!(now.status, Status::Waits(For::Location(_))) {
                now.status = Status::Ready;
                self.ready.push(thread);
            }
        }
    }

    /// Wake up a thread that sleeps.
    pub(crate) fn wake(&mut self, thread: usize, notified: bool) {
        self.asleep.retain(|&other| other != thread);
        self.ready.push(thread);
        self.threads[thread].notified = notified;
        self.threads[thread].status = Status::Ready;
    }

    // --- the end --------------------------------------------------------------------------------------------------

    /// The end of a run in which no thread can step.
    #[cold]
    fn halt(&mut self) -> End {
        let all = |test: fn(&Status) -> bool| self.threads.iter().all(|now| test(&now.status));
        if all(|status| matches!(status, Status::Finished(_))) {
            return End::Complete;
        }
        let (waits, exits) =
            (Status::is_waiting, |status: &Status| *status == Status::Blocked(Blocker::Exit));
        // Threads that still wait when the process ends are no error, unless they wait for each other.
        if self.is_gone()
            && self.threads.iter().all(|now| waits(&now.status) || exits(&now.status))
            && !self.has_circle()
        {
            return End::Idle;
        }
        if !all(waits) || !self.limits.checks.has(Check::Deadlock) {
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

    /// The end of a run that has come to a standstill.
    #[cold]
    fn standstill(&self) -> Option<End> {
        let spinning = self.spinning()?;
        match self.is_gone() {
            false => Some(End::Spinning(spinning)),
            true => (!self.has_circle()).then_some(End::Idle),
        }
    }

    /// Whether `main` has finished, or another thread has ended the process.
    fn is_gone(&self) -> bool {
        self.has_finished(ThreadId::MAIN)
            || self.threads.iter().any(|now| now.status == Status::Blocked(Blocker::Exit))
    }

    fn has_finished(&self, thread: ThreadId) -> bool {
        matches!(self.threads[thread.index()].status, Status::Finished(_))
    }

    /// Whether some threads wait for each other in a circle.
    fn has_circle(&self) -> bool {
        let waits_for = |thread: ThreadId| match self.threads[thread.index()].status {
            Status::Waits(For::Thread(child)) => Some(ThreadId(child as u32)),
            Status::Waits(For::Location(mutex)) if self.is_at_lock(thread) => {
                owner_of_mutex(self.newest_value(mutex))
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
        let alive = |now: &Thread<P::State>| {
            !matches!(now.status, Status::Finished(_) | Status::Blocked(_) | Status::Stopped)
        };
        let threads = (0..self.threads.len()).filter(|&thread| alive(&self.threads[thread]));
        threads.map(|thread| self.with_joined(thread)).collect()
    }

    /// The thread and those whose ends it waits for: after the join it knows at least as much as they know now.
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

/// The other threads that can step and are about to access the location that `thread` has accessed, one of the two
/// accesses writing.
fn conflicting<S>(
    threads: &[Thread<S>],
    ready: &[usize],
    thread: usize,
    (at, writes): (Access, bool),
) -> Vec<usize> {
    let conflicts = |&other: &usize| {
        let request = &threads[other].request;
        other != thread && request.at() == Some(at) && (writes || !matches!(request, Request::Read { .. }))
    };
    ready.iter().copied().filter(conflicts).collect()
}
