//! Locks that wait: no failing attempt at a mutex is explored, nor at a spinlock.
//!
//! The writes of a mutex are one chain: the initial value, a lock, its unlock, the next lock, … Only the last one can be
//! free, so a lock has nothing to choose: a thread whose mutex is taken makes no event, it waits. What a failing attempt
//! was good for is done in other ways:
//! * A lock `w` that arrives reads what another lock `r` outside its prefix reads already. When the sweep of `w` has
//!   peeled everything down to `r`, then `w` *displaces* `r`: `w` takes the mutex, `r` is out, and its thread waits for
//!   the mutex again, behind a [`Marker`]. The marker *pins* `w`: as long as it is there, `w` is not peeled. So `w` is
//!   where it is because of `r`, and who takes `w` out again has taken out the marker before it.
//! * When no thread can step, each one that waits sweeps as if it had read what others took. If it is still waiting
//!   then, the execution is blocked, and is shown with the reads that found the mutexes taken.
//!
//! Why it is exact: the greedy state of `r` in what is left beside a prefix of `w` is unique. Either the source of `r` is
//! free, or *the* lock that takes it has displaced `r`, and all that is free later is after that lock, so getting it later,
//! with a new event, cannot repeat an execution in which `r` was never displaced. With two free writes at a time no
//! single lock would displace `r`: hence the discipline.
//!
//! **Discipline.** Locks, unlocks by the owner, `trylock` and reads keep the chain; so do plain writes (a mutex is
//! initialised, or destroyed) unless they race. Any other atomic write or read-modify-write of the word breaks it: then
//! the exploration starts again, and attempts at that mutex fail as any other read does (`testkit::locks` has programs
//! for which waiting would be wrong).
//!
//! **Spinlocks.** A compare-exchange that blocks its thread when it fails is a lock, too, and what it expects to read is
//! what is free. So is an exchange that blocks its thread when it finds what it writes: it changes nothing then, so it is a
//! read, and everything else is free. (Unless somebody reads the word plainly: that races with an exchange that fails, too.)
//! So is a load together with the compare-exchange after it (`pairs.rs`).
//! Nobody knows from the start which locations are used like that, so the chain is checked as it grows: a
//! store must come right after a write of its own thread, a read-modify-write must be put last. A location that breaks this
//! before anybody has waited there is no lock; one that breaks it later is undisciplined, and it all starts again.
//!
//! Cost: nothing for programs without locks but a comparison at each write; a lock looks at the last write of its location
//! only.

use crate::attempts::Attempts;
use crate::confirm::Habits;
use crate::construction::{Construction, owner};
use crate::explorer::Lost;
use crate::threads::{Current, Status};
use base::{Access, ThreadId, Value, truncate};
use graph::{EventRef, LiveGraph, LocationId};
use model::MemoryModel;
use program::{Await, AwaitOp, MUTEX_DESTROYED, Passage, Patience, Program, Request, RmwOp};

/// A lock was displaced: its thread waits again.
#[derive(Clone, Copy, Debug)]
struct Marker {
    /// Where the lock was in its thread, and when it was added.
    thread: ThreadId,
    index: u32,
    stamp: u32,
    /// The lock that displaced it.
    pins: EventRef,
    /// The depth of the revisit in which it is not there.
    hidden: Option<usize>,
}

/// What is known about threads that wait.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    markers: Vec<Marker>,
    /// Do locks wait at all?
    is_on: bool,
    /// Locks whose attempts fail.
    undisciplined: Vec<Access>,
    /// Is anybody bound to find a value again (`confirm.rs`)?
    confirms: bool,
    /// What is relied on for that.
    pub(crate) habits: Habits,
    /// Do awaits wait (`awaits.rs`)?
    awaits: bool,
    /// May a thread undo what it did (`zne.rs`)?
    undoes: bool,
    /// Which attempts that are undone need not be made.
    pub(crate) attempts: Attempts,
    /// Are exchanges that fail writes all the same?
    keeps_exchanges: bool,
    /// Are a load and the compare-exchange after it one event (`pairs.rs`)?
    pairs: bool,
}

impl Waiting {
    /// Threads wait, but not where that was lost.
    pub(crate) fn new(lost: &Lost, awaits: bool, confirms: bool, undoes: bool) -> Waiting {
        Waiting {
            markers: Vec::new(),
            is_on: true,
            undisciplined: lost.locks.clone(),
            awaits,
            confirms,
            habits: lost.habits.clone(),
            undoes,
            attempts: lost.attempts.when(confirms),
            keeps_exchanges: false,
            pairs: confirms,
        }
    }

    /// Are there pairs at this location?
    #[inline(always)]
    pub(crate) fn has_pairs(&self, at: Access) -> bool {
        self.pairs && (self.undisciplined.is_empty() || !self.undisciplined.contains(&at))
    }

    /// Exchanges that fail are writes, too, or they are not.
    pub(crate) fn keep_exchanges(&mut self, keep: bool) {
        self.keeps_exchanges = keep;
    }

    /// May anybody be bound to find a value again?
    #[inline(always)]
    pub(crate) fn confirms(&self) -> bool {
        self.confirms
    }

    /// Do awaits wait?
    #[inline(always)]
    pub(crate) fn has_awaits(&self) -> bool {
        self.awaits
    }

    /// May a thread undo what it did?
    #[inline(always)]
    pub(crate) fn undoes(&self) -> bool {
        self.undoes
    }

    /// Is `w` there because a lock was displaced by it?
    #[inline(always)]
    pub(crate) fn pins(&self, w: EventRef) -> bool {
        !self.markers.is_empty() && self.markers.iter().any(|m| m.hidden.is_none() && m.pins == w)
    }

    /// `w` displaces `r`.
    pub(crate) fn mark(&mut self, graph: &LiveGraph, r: EventRef, w: EventRef) {
        let r = graph.event(r);
        let (thread, index, stamp) = (r.thread, r.index, r.stamp);
        self.markers.push(Marker { thread, index, stamp, pins: w, hidden: None });
    }

    /// Undo the latest `mark`.
    pub(crate) fn unmark(&mut self) {
        self.markers.pop().expect("a lock was displaced");
    }

    /// `w` revisits `r`: markers that are younger than `r` and outside the prefix of `w` go. (They are always maximal:
    /// what they pin is in that prefix, or else nothing older than that would have been peeled.)
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
    /// An exchange that blocks its thread when it finds what it writes.
    Exchange(Value),
    /// An addition that its thread undoes at once if it was in vain (`attempts.rs`).
    Addition,
    /// A load and the compare-exchange after it (`pairs.rs`).
    Pair,
}

/// What a lock would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attempt {
    /// It is free, or was never located.
    Succeeds,
    /// It is taken.
    Waits,
    /// It is taken and undisciplined, or something is wrong with it.
    Fails,
}

/// What was done to a location, in any execution.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Uses(u32);

impl Uses {
    /// It is a mutex.
    pub(crate) const LOCK: Uses = Uses(1);
    /// It was written in a way in which mutexes are not.
    pub(crate) const WILD: Uses = Uses(2);
    /// Somebody has waited there for a compare-exchange to succeed.
    pub(crate) const SPIN: Uses = Uses(4);
    /// Its writes were no chain.
    pub(crate) const UNCHAINED: Uses = Uses(8);
    /// It is a word that threads await: its writes are one chain if all of them are read-modify-writes.
    pub(crate) const AWAIT: Uses = Uses(16);
    /// It was stored to, other than by plain initialisation.
    pub(crate) const STORED: Uses = Uses(32);
    /// Threads undo there what they did.
    pub(crate) const UNDONE: Uses = Uses(64);
    /// It was used in a way in which nobody can wait with that.
    pub(crate) const SPOILT: Uses = Uses(128);
    /// Threads wait there for a load to read the right value, and nothing but the writes themselves orders them.
    pub(crate) const POLLED: Uses = Uses(256);
    /// They do not order all of them.
    pub(crate) const UNORDERED: Uses = Uses(512);
    /// Read-modify-writes that change nothing are mere reads there.
    pub(crate) const IDLE: Uses = Uses(1024);
    /// It was read plainly, which races with whatever writes.
    pub(crate) const PEEKED: Uses = Uses(2048);
    /// Somebody has relied on it that no value comes back there.
    pub(crate) const CONFIRMED: Uses = Uses(4096);
    /// One did before that.
    pub(crate) const REPEATED: Uses = Uses(8192);
    /// It was read in a round whose end was left out.
    pub(crate) const LEFT_OUT: Uses = Uses(16384);
    /// It was freed, or written plainly, while there were other threads.
    pub(crate) const ENDANGERED: Uses = Uses(32768);
    /// Attempts that are in vain are not made there.
    pub(crate) const ATTEMPTED: Uses = Uses(65536);
    /// It was accessed in other ways than by additions and atomic loads.
    pub(crate) const CHANGED: Uses = Uses(131_072);
    /// A load and a compare-exchange there were one event.
    pub(crate) const PAIRED: Uses = Uses(262_144);
    /// It was written plainly, or its initial value was unknown to who accessed it.
    pub(crate) const EXPOSED: Uses = Uses(524_288);

    /// These and others.
    #[inline(always)]
    pub(crate) const fn and(self, others: Uses) -> Uses {
        Uses(self.0 | others.0)
    }

    /// Is one of these among them?
    pub(crate) fn has(self, others: Uses) -> bool {
        self.0 & others.0 != 0
    }

    /// Is it a lock that is used in other ways, too?
    #[inline(always)]
    pub(crate) fn is_undisciplined(self) -> bool {
        let both = |a: Uses, b: Uses| self.has(a) && self.has(b);
        both(Uses::LOCK, Uses::WILD)
            || both(Uses::SPIN, Uses::UNCHAINED)
            || both(Uses::AWAIT, Uses::LOCK.and(Uses::STORED))
            || both(Uses::UNDONE, Uses::SPOILT)
            || both(Uses::ATTEMPTED, Uses::CHANGED)
            || both(Uses::POLLED, Uses::UNORDERED)
            || both(Uses::IDLE, Uses::PEEKED)
            || both(Uses::PAIRED, Uses::EXPOSED)
    }
}

impl<P: Program, M: MemoryModel> Construction<'_, P, M> {
    /// How this read-modify-write uses its location: a `trylock` does what a lock does.
    #[inline(always)]
    pub(crate) fn use_of(thread: ThreadId, request: &Request) -> Uses {
        match *request {
            Request::Rmw { op: RmwOp::CompareExchange { expected: 0, new }, .. } if new == owner(thread) => {
                Uses::default()
            }
            Request::Rmw { op: RmwOp::Pair, .. } => Uses::WILD.and(Uses::PAIRED),
            _ => Uses::WILD,
        }
    }

    /// How a store of this thread uses a location, or a read-modify-write that was put right after what it reads: does
    /// it continue the chain?
    #[inline(always)]
    pub(crate) fn use_of_store(&self, thread: ThreadId, location: LocationId, plain: bool) -> Uses {
        let tail = self.graph.tail(location);
        let chained = !tail.is_init() && self.graph.event(tail).thread == thread;
        let uses = if plain { Uses::EXPOSED } else { Uses::WILD.and(Uses::STORED) };
        if chained { uses } else { uses.and(Uses::UNCHAINED) }
    }

    /// Is what the thread asks there a lock?
    #[inline(always)]
    pub(crate) fn lock(&self, now: &Current<P::State>) -> Option<Lock> {
        match now.request {
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
                if now.status == Status::Awaiting && self.is_idle(now, at, truncate(new, at.size)) =>
            {
                Some(Lock { at, kind: LockKind::Exchange(truncate(new, at.size)) })
            }
            Request::Rmw { at, op: RmwOp::Pair, .. } => Some(Lock { at, kind: LockKind::Pair }),
            Request::Rmw { at, op: RmwOp::Add(_) | RmwOp::Sub(_), .. } if self.is_secret_attempt(now) => {
                Some(Lock { at, kind: LockKind::Addition })
            }
            _ => None,
        }
    }

    /// Does the lock that the thread asks for succeed when it reads this?
    #[inline(always)]
    fn is_free(&self, lock: Lock, now: &Current<P::State>, value: Value) -> bool {
        match lock.kind {
            LockKind::Mutex => value == 0,
            LockKind::Word(op) => op.apply(value) != Passage::Shut,
            LockKind::Spin(free) => value == free,
            LockKind::Exchange(taken) => value != taken,
            LockKind::Addition => !self.is_in_vain(now, value),
            LockKind::Pair => !self.blocks(now, value),
        }
    }

    /// A read-modify-write writes this value, which it has read. Is it a mere read, because its thread is blocked then? Who
    /// reads from it can read from where it has read; not without an order of all writes, and not if that hides a race.
    pub(crate) fn is_idle(&self, now: &Current<P::State>, at: Access, value: Value) -> bool {
        let Some(location) = self.objects.known(at) else { return false };
        let idle = (M::HAS_CO || M::HAS_BLOCKS)
            && now.status == Status::Awaiting
            && !self.waiting.keeps_exchanges
            && self.program.awaits(&now.state) == Await::Change
            && self.may_wait(location)
            && !self.objects.is_used(location, Uses::PEEKED)
            && self.blocks(now, value);
        if idle {
            self.objects.note_use(location, Uses::IDLE);
        }
        idle
    }

    /// May locks wait there? Not if they did before the exploration started again.
    pub(crate) fn may_wait(&self, location: LocationId) -> bool {
        let undisciplined = &self.waiting.undisciplined;
        self.waiting.is_on
            && (undisciplined.is_empty() || !undisciplined.contains(&self.graph.location(location).access))
    }

    /// Does this lock wait when it is taken?
    fn waits(&self, lock: Lock, location: LocationId) -> bool {
        if !self.may_wait(location) {
            return false;
        }
        // If the chain breaks before anybody has waited, nobody ever will; if later, all of it is done again.
        match lock.kind {
            LockKind::Mutex | LockKind::Word(_) => return true,
            LockKind::Addition => {
                self.objects.note_use(location, Uses::ATTEMPTED);
                return true;
            }
            LockKind::Spin(_) | LockKind::Exchange(_) | LockKind::Pair => {}
        }
        let waits = !self.objects.is_used(location, Uses::UNCHAINED);
        if waits {
            self.objects.note_use(location, Uses::SPIN);
        }
        waits
    }

    /// Does the thread of `r` wait rather than read something that blocks it?
    pub(crate) fn is_waiting_read(&self, r: EventRef) -> bool {
        let location = self.graph.event(r).location;
        self.is_await(r) || self.lock(self.before(r)).is_some_and(|lock| self.waits(lock, location))
    }

    /// What a lock would do now.
    #[inline(always)]
    pub(crate) fn attempt(&self, lock: Lock, now: &Current<P::State>) -> Attempt {
        let Some(location) = self.objects.known(lock.at) else { return Attempt::Succeeds };
        let is_alive = || self.objects.is_alive(location, &self.graph);
        match self.graph.value(self.graph.tail(location)) {
            Some(value) if self.is_free(lock, now, value) => Attempt::Succeeds,
            None => Attempt::Fails,
            Some(MUTEX_DESTROYED) if lock.kind == LockKind::Mutex => Attempt::Fails,
            Some(_) if is_alive() && self.waits(lock, location) => Attempt::Waits,
            Some(_) => Attempt::Fails,
        }
    }

    /// Is the thread at a lock that is taken, so that it waits?
    #[inline(always)]
    pub(crate) fn is_waiting(&self, thread: ThreadId) -> bool {
        let now = self.threads.get(thread);
        self.lock(now).is_some_and(|lock| self.attempt(lock, now) == Attempt::Waits) && !self.is_bound(thread)
    }

    /// Nobody can step: the threads that wait, each with its lock or what it awaits.
    pub(crate) fn waiting_threads(&self) -> impl Iterator<Item = (ThreadId, LocationId)> {
        let waits = |&thread: &ThreadId| self.is_at_await(thread) || self.is_waiting(thread);
        self.threads.able().filter(waits).filter_map(|thread| match self.threads.get(thread).request {
            Request::Lock { at }
            | Request::Await { at, .. }
            | Request::Rmw { at, .. }
            | Request::Read { at, .. } => Some((thread, self.objects.known(at)?)),
            _ => None,
        })
    }

    /// Does `w`, which reads what `r` reads, displace `r`?
    pub(crate) fn displaces(&self, w: EventRef, r: EventRef) -> bool {
        let location = self.graph.event(r).location;
        let before = self.before(r);
        self.lock(before).is_some_and(|lock| {
            !self.graph.value(w).is_some_and(|it| self.is_free(lock, before, it))
                && self.waits(lock, location)
                && !self.confirms_overwritten(r, w)
        })
    }

    /// Let a thread that waits read what it does not want.
    pub(crate) fn push_waiting(&mut self, thread: ThreadId, location: LocationId) -> EventRef {
        let r = self.push_read(thread, location);
        let source = self.first_source(r);
        self.bind(r, source);
        r
    }
}
