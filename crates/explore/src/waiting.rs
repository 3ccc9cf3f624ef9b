//! Locks that wait: no failing attempt at a mutex is explored.
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
//! Cost: nothing for programs without mutexes; a lock looks at the last write of its mutex only.

use crate::construction::{Construction, owner};
use base::{Access, ThreadId};
use graph::{EventRef, LiveGraph, LocationId};
use model::MemoryModel;
use program::{MUTEX_DESTROYED, Program, Request, RmwOp};

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
    /// Mutexes whose attempts fail.
    undisciplined: Vec<Access>,
    /// May a thread undo what it did (`zne.rs`)?
    pub(crate) undoes: bool,
}

impl Waiting {
    /// Threads wait, but not for these.
    pub(crate) fn new(undisciplined: &[Access], undoes: bool) -> Waiting {
        Waiting { markers: Vec::new(), is_on: true, undisciplined: undisciplined.to_vec(), undoes }
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

/// What a lock would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attempt {
    /// The mutex is free, or was never located.
    Succeeds,
    /// It is taken.
    Waits,
    /// It is taken and undisciplined, or something is wrong with it.
    Fails,
}

/// What was done to a location, in any execution.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Uses(u8);

impl Uses {
    /// It is a mutex.
    pub(crate) const LOCK: Uses = Uses(1);
    /// It was written in a way in which mutexes are not.
    pub(crate) const WILD: Uses = Uses(2);
    /// Threads undo there what they did.
    pub(crate) const UNDONE: Uses = Uses(4);
    /// It was used in a way in which nobody can wait with that.
    pub(crate) const SPOILT: Uses = Uses(8);

    /// Add others. Is it undisciplined now?
    #[inline(always)]
    pub(crate) fn add(&mut self, others: Uses) -> bool {
        self.0 |= others.0;
        let both = |a: Uses, b: Uses| self.0 & (a.0 | b.0) == a.0 | b.0;
        both(Uses::LOCK, Uses::WILD) || both(Uses::UNDONE, Uses::SPOILT)
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
            _ => Uses::WILD,
        }
    }

    /// Do locks of this mutex wait?
    pub(crate) fn has_waiters(&self, location: LocationId) -> bool {
        let undisciplined = &self.waiting.undisciplined;
        self.waiting.is_on
            && (undisciplined.is_empty() || !undisciplined.contains(&self.graph.location(location).access))
    }

    /// What a lock of the mutex at `at` would do now.
    #[inline(always)]
    pub(crate) fn attempt(&self, at: Access) -> Attempt {
        let Some(location) = self.objects.known(at) else { return Attempt::Succeeds };
        match self.graph.value(self.graph.tail(location)) {
            Some(0) => Attempt::Succeeds,
            Some(MUTEX_DESTROYED) | None => Attempt::Fails,
            Some(_) if self.objects.is_alive(location, &self.graph) && self.has_waiters(location) => {
                Attempt::Waits
            }
            Some(_) => Attempt::Fails,
        }
    }

    /// The threads that wait, each with its mutex.
    pub(crate) fn waiting_threads(&self) -> impl Iterator<Item = (ThreadId, LocationId)> {
        self.threads.ready().filter_map(|thread| match self.threads.get(thread).request {
            Request::Lock { at } if self.attempt(at) == Attempt::Waits => {
                Some((thread, self.objects.known(at)?))
            }
            _ => None,
        })
    }

    /// Does lock `w`, which reads what `r` reads, displace `r`?
    pub(crate) fn displaces(&self, w: EventRef, r: EventRef) -> bool {
        let is_lock = matches!(self.before(r).request, Request::Lock { .. });
        is_lock && self.graph.value(w) != Some(0) && self.has_waiters(self.graph.event(r).location)
    }

    /// Let a thread that waits read that its mutex is taken.
    pub(crate) fn push_waiting(&mut self, thread: ThreadId, location: LocationId) -> EventRef {
        let r = self.push_read(thread, location);
        self.bind(r, self.graph.tail(location));
        r
    }
}
