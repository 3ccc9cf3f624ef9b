//! Waiting: a thread whose lock is taken makes no event until the lock is free, so no failing attempt at a lock is
//! explored.
//!
//! The writes of a mutex are one chain: the initial value, a lock, its unlock, the next lock, … Only the last one can
//! be free, so a lock has nothing to choose. Two things that failing attempts were good for are done in other ways:
//! * A lock `w` that arrives reads the source of another lock `r` outside its prefix. When the sweep of `w` has peeled
//!   everything down to `r`, then `w` *displaces* `r`: `w` takes the mutex, `r` is out, and its thread waits for the
//!   mutex again, behind a [`Marker`]. The marker *holds* `w` in place: as long as it is there, `w` is not peeled. So
//!   `w` is where it is because of `r`, and `w` is taken out only after the marker.
//! * When no thread can step, each waiting thread sweeps as if it had read the free value that another lock has taken.
//!   If it still waits then, the execution is blocked, and is shown with the reads that found the mutexes taken.
//!
//! **Spinlocks.** A compare-exchange that blocks its thread when it fails is a lock, too; the value that it expects is
//! the free one. So is an exchange that blocks its thread when it finds the value that it writes: it changes nothing
//! then, so it is a mere read, and every other value is free. So is a load together with the compare-exchange after it
//! (`pairs.rs`), and an addition that its thread would make up for at once (`attempts.rs`). Which locations are used as
//! spinlocks is not known from the start, so the chain is checked as it grows: a store must come right after a write of
//! its own thread, a read-modify-write must be put last.
//!
//! Argument: in the graph left after a sweep of `w`, the greedy state of `r` is unique. Either the source of `r` is
//! free, or *the* lock that takes it has displaced `r`. Every write that is free later is after that lock, so getting
//! it later, with a new event, cannot repeat an execution in which `r` was never displaced. With two free writes at a
//! time no single lock would displace `r`: hence the chain.
//!
//! Relies on: the chain of writes, at each location where a thread waits. If it is refuted, before or after a thread
//! has waited there, the exploration starts again, and no thread waits there: attempts fail as any other read does
//! (`testkit::locks` has programs for which waiting would be wrong).
//! * `Use::Mutex`, for mutexes. Locks, unlocks by the owner, `trylock` and reads keep the chain; so do plain writes (a
//!   mutex is initialised, or destroyed) unless they race. Any other atomic write or read-modify-write refutes it.
//! * `Use::Word`, for words that threads await. A store that is not plain refutes it, and so does a lock of a mutex
//!   there.
//! * `Use::Chain`, for spinlocks. A write that does not continue the chain refutes it.
//! * `Use::Idle`, for exchanges that are mere reads. A plain read refutes it: that races with an exchange that fails,
//!   too.
//!
//! Compared by: `tests/programs/known.rs` and `tests/programs/campaign.rs`, with the programs of `testkit::locks`;
//! `tests/programs/awaits.rs`, for words that threads await.
//!
//! Cost: a comparison at each write for programs without locks; a lock looks at the last write of its location only.

use crate::core::shape::Shape;
use crate::core::threads::{Current, Status};
use crate::ledger::Use;
use crate::notes::Facts;
use crate::reductions::{Reduction, Room, Rooms};
use base::{Access, ThreadId, Value, truncate};
use live::{EventRef, LiveGraph, LocationId};
use program::{Await, AwaitOp, Hint, MUTEX_DESTROYED, Passage, Patience, Request, RmwOp, mutex_owner};

/// A lock was displaced: its thread waits again.
#[derive(Clone, Copy, Debug)]
struct Marker {
    /// Where the lock was in its thread, and when it was added.
    thread: ThreadId,
    index: u32,
    stamp: u32,
    /// The lock that displaced it.
    holds: EventRef,
    /// The depth of the revisit that hides it.
    hidden: Option<usize>,
}

/// The room of waiting threads: the markers of displaced locks.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    markers: Vec<Marker>,
}

impl Waiting {
    /// Whether a marker holds `w` in place: a lock was displaced by it.
    #[inline(always)]
    pub(crate) fn holds(&self, w: EventRef) -> bool {
        !self.markers.is_empty() && self.markers.iter().any(|m| m.hidden.is_none() && m.holds == w)
    }

    /// `w` displaces `r`.
    pub(crate) fn mark(&mut self, graph: &LiveGraph, r: EventRef, w: EventRef) {
        let r = graph.event(r);
        let (thread, index, stamp) = (r.thread, r.index, r.stamp);
        self.markers.push(Marker { thread, index, stamp, holds: w, hidden: None });
    }

    /// Undo the latest `mark`.
    pub(crate) fn unmark(&mut self) {
        self.markers.pop().expect("a lock was displaced");
    }

    /// `w` revisits `r`: markers that are younger than `r` and outside the prefix of `w` go. (They are always maximal:
    /// the lock that they hold is in that prefix, or else nothing older than that lock would have been peeled.)
    #[inline(always)]
    pub(crate) fn hide(&mut self, graph: &LiveGraph, r: EventRef, w: EventRef, depth: usize) {
        if self.markers.is_empty() {
            return;
        }
        let (stamp, thread) = (graph.event(r).stamp, graph.event(w).thread);
        let goes =
            |m: &Marker| m.stamp > stamp && m.thread != thread && graph.porf_count(w, m.thread) <= m.index;
        for marker in self.markers.iter_mut().filter(|m| m.hidden.is_none()) {
            if goes(marker) {
                marker.hidden = Some(depth);
            }
        }
    }

    /// Undo the `hide` of this depth.
    #[inline(always)]
    pub(crate) fn show(&mut self, depth: usize) {
        for marker in &mut self.markers {
            if marker.hidden == Some(depth) {
                marker.hidden = None;
            }
        }
    }
}

/// A read that succeeds or waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lock {
    at: Access,
    kind: LockKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LockKind {
    /// `Request::Lock`.
    Mutex,
    /// `Request::Await` with patience.
    Word(AwaitOp),
    /// A compare-exchange that blocks its thread when it does not find this.
    Spin(Value),
    /// An exchange that blocks its thread when it finds this, the value that it writes.
    Exchange(Value),
    /// An addition that its thread makes up for at once if it fails (`attempts.rs`).
    Addition,
    /// A load and the compare-exchange after it (`pairs.rs`).
    Pair,
}

/// The outcome of a lock, if it were tried now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attempt {
    /// It is free, or its location is not known yet.
    Succeeds,
    /// It is taken.
    Waits,
    /// It is taken and no thread may wait for it, or something is wrong with it.
    Fails,
}

impl<P: Hint, C: Shape> Room<'_, Waiting, P, C> {
    /// The facts about its location that this read-modify-write makes. None for a `trylock`, which does the same as a
    /// lock.
    #[inline(always)]
    pub(crate) fn facts_of_update(&self, thread: ThreadId, request: &Request) -> Facts {
        match *request {
            Request::Rmw { op: RmwOp::CompareExchange { expected: 0, new }, .. }
                if new == mutex_owner(thread) =>
            {
                Facts::default()
            }
            _ => Facts::WILD,
        }
    }

    /// The facts about its location that a store of this thread makes: it may not continue the chain.
    #[inline(always)]
    pub(crate) fn facts_of_store(&self, thread: ThreadId, location: LocationId, plain: bool) -> Facts {
        let tail = self.graph.last_added(location);
        let chained = !tail.is_init() && self.graph.event(tail).thread == thread;
        let facts = if plain { Facts::EXPOSED } else { Facts::WILD.and(Facts::STORED) };
        if chained { facts } else { facts.and(Facts::UNCHAINED) }
    }

    /// The lock that the thread asks for, if its request is one.
    #[inline(always)]
    pub(crate) fn lock(&self, now: &Current<P::State>) -> Option<Lock> {
        if !self.reductions.on.has(Reduction::Waiting) {
            return None;
        }
        match now.request {
            Request::Read { at, .. } if now.pair.is_some() => Some(Lock { at, kind: LockKind::Pair }),
            Request::Lock { at } => Some(Lock { at, kind: LockKind::Mutex }),
            Request::Await { at, op, patience: Patience::Waits } => {
                Some(Lock { at, kind: LockKind::Word(op) })
            }
            Request::Rmw { at, op: RmwOp::CompareExchange { expected, .. }, .. }
                if now.status == Status::Awaiting && self.program.awaits(&now.state) == Await::Success =>
            {
                Some(Lock { at, kind: LockKind::Spin(truncate(expected, at.size)) })
            }
            Request::Rmw { at, op: RmwOp::Exchange(new), .. }
                if now.status == Status::Awaiting
                    && self.rely_on_idle_update(now, at, truncate(new, at.size)) =>
            {
                Some(Lock { at, kind: LockKind::Exchange(truncate(new, at.size)) })
            }
            Request::Rmw { at, op: RmwOp::Add(_) | RmwOp::Sub(_), .. }
                if self.attempts().is_unobserved(now) =>
            {
                Some(Lock { at, kind: LockKind::Addition })
            }
            _ => None,
        }
    }

    /// Whether the lock that the thread asks for succeeds when it reads this.
    #[inline(always)]
    fn is_free(&self, lock: Lock, now: &Current<P::State>, value: Value) -> bool {
        match lock.kind {
            LockKind::Mutex => value == 0,
            LockKind::Word(op) => op.apply(value) != Passage::Shut,
            LockKind::Spin(free) => value == free,
            LockKind::Exchange(taken) => value != taken,
            LockKind::Addition => !self.attempts().fails(now, value),
            LockKind::Pair => !self.blocks(now, value),
        }
    }

    /// Rely on a read-modify-write that reads `value` and writes it back being a mere read, if that may be; whether it
    /// may. Its thread is blocked then, and a read of it can read from its source instead; not without an order of all
    /// writes, and not if that hides a race.
    pub(crate) fn rely_on_idle_update(&self, now: &Current<P::State>, at: Access, value: Value) -> bool {
        let Some(location) = self.objects.known(at) else { return false };
        self.reductions.on.has(Reduction::Exchanges)
            && now.status == Status::Awaiting
            && self.program.awaits(&now.state) == Await::Change
            && self.may_rely(location, Use::Idle)
            && self.blocks(now, value)
            && self.rely(location, Use::Idle)
    }

    /// Rely on the assumptions of a lock that waits there, unless they were refuted. True if they may be relied on.
    fn rely_on_waiting(&self, lock: Lock, location: LocationId) -> bool {
        match lock.kind {
            LockKind::Mutex => self.rely(location, Use::Mutex),
            LockKind::Word(_) => self.rely(location, Use::Word),
            LockKind::Addition => self.rely(location, Use::Unmade) && self.rely(location, Use::Unobserved),
            LockKind::Spin(_) | LockKind::Exchange(_) => self.rely(location, Use::Chain),
            LockKind::Pair => {
                self.rely(location, Use::Paired);
                self.rely(location, Use::Chain)
            }
        }
    }

    /// Whether the thread of `r` waits rather than read a value that blocks it.
    pub(crate) fn is_waiting_read(&self, r: EventRef) -> bool {
        let location = self.graph.event(r).location;
        self.awaits().is_await(r)
            || self.lock(self.before(r)).is_some_and(|lock| self.rely_on_waiting(lock, location))
    }

    /// The outcome of the lock if it were tried now.
    #[inline(always)]
    pub(crate) fn attempt(&self, lock: Lock, now: &Current<P::State>) -> Attempt {
        let Some(location) = self.objects.alive(lock.at) else { return Attempt::Succeeds };
        match self.graph.value(self.graph.last_added(location)) {
            Some(value) if self.is_free(lock, now, value) => Attempt::Succeeds,
            None => Attempt::Fails,
            Some(MUTEX_DESTROYED) if lock.kind == LockKind::Mutex => Attempt::Fails,
            Some(_) if self.rely_on_waiting(lock, location) => Attempt::Waits,
            Some(_) => Attempt::Fails,
        }
    }

    /// Whether the thread is at a lock that is taken, so that it waits.
    #[inline(always)]
    pub(crate) fn is_waiting(&self, thread: ThreadId) -> bool {
        let now = self.threads.get(thread);
        let Some(lock) = self.lock(now) else { return false };
        let waits = self.attempt(lock, now) == Attempt::Waits && !self.confirming().must_confirm(thread);
        if waits
            && (now.pair.is_some() || matches!(now.request, Request::Rmw { .. }))
            && let Some(location) = self.objects.known(lock.at)
        {
            // It may wait for ever and never make the access; the facts of that access are noted all the same.
            let facts = self.facts_of_update(thread, &now.request);
            self.see(location, facts.and(self.undoing().facts(thread, location)));
        }
        waits
    }

    /// No thread can step: the threads that wait, each with the location of its lock or of its await.
    pub(crate) fn threads(&self) -> impl Iterator<Item = (ThreadId, LocationId)> {
        let waits = |&thread: &ThreadId| self.awaits().is_at(thread) || self.is_waiting(thread);
        let at =
            |thread: ThreadId| Some((thread, self.objects.known(self.threads.get(thread).request.at()?)?));
        self.threads.able().filter(waits).filter_map(at)
    }

    /// Whether `w`, which has the source of `r`, displaces `r`.
    pub(crate) fn displaces(&self, w: EventRef, r: EventRef) -> bool {
        let location = self.graph.event(r).location;
        let before = self.before(r);
        self.lock(before).is_some_and(|lock| {
            !self.graph.value(w).is_some_and(|it| self.is_free(lock, before, it))
                && self.rely_on_waiting(lock, location)
                && !self.confirming().confirms_overwritten(r, w)
        })
    }
}
