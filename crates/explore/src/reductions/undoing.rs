//! Zero-net-effect rounds: a thread waits before the subtraction that makes up for its addition, as long as no thread
//! has observed the addition.
//!
//! Attempts that show at once that they fail, where no thread observes them, are not even made (`attempts.rs`). This is
//! about the others: where a thread observes them, or the thread reads something else before it shows that they fail.
//!
//! Argument: a thread that has made its *attempt* `w`, an addition, and finds that it fails, makes up for it by a
//! subtraction and tries again. If no thread has observed `w`, then the execution without `w` and its subtraction is
//! one, too, with the same values for all other threads: so nothing is lost if the thread does not go on.
//!
//! A thread observes `w` by a read. Read-modify-writes that read `w`, or a write made of it, have seen a value that
//! would be another one without `w`; so have reads. That makes no difference to those that forget the value
//! (`Role::Blind`), to those whose thread would be in the same state with the other value (it has only been compared
//! with something), to attempts that would have failed without `w`, too, and to reads that have blocked their threads.
//! An attempt that fails because of `w` observes it *weakly*. Two threads that keep each other from succeeding could do
//! so for ever, each round like the last; so a weak observation lets a thread go on once only, any other one always.
//! Exception: the access that let the thread go on after an earlier attempt has been given another source since; then
//! that earlier round is no part of the execution, and the thread waits.
//!
//! Implements: \[SAVER\] section VI, algorithm 2.
//! Differs: the paper lets two threads observe `w` before it goes on, and an observation by one thread alone is lost if
//! that thread ends well: `if (x == 2) seen = 1` beside a failing attempt to make `x` 1. Here every thread that
//! observes `w` counts.
//!
//! Relies on: `Use::Unnoticed`, that a thread can wait at the location.
//! * The location is only added to; its writes are one chain then. Any other write refutes the assumption at once, and
//!   so does a read that could find `w` only after the thread has gone on, and a round that is left out and could race
//!   there (`left_out.rs`).
//! * A thread that goes on because of an event outside its own prefix finds errors, but executions are lost
//!   (`tests/wrong/assert_undone_addition_seen_twice.c`); the same may hold for going on only once. Where that has
//!   happened, the assumption is refuted at the end of the pass, unless an error was found: the exploration starts
//!   again, and no thread waits at that location.
//! * `Assumption::Symmetric` is refuted where threads wait: beside symmetric threads, waiting was never shown to be
//!   exact.
//!
//! Cost: nothing for programs without zero-net-effect rounds. O(events) for each thread that may wait, at each step.

use crate::core::shape::Shape;
use crate::core::threads::Status;
use crate::ledger::{Assumption, Use};
use crate::notes::Facts;
use crate::reductions::{Reduction, Room};
use base::{Access, ReadOrder, ThreadId, Value, truncate};
use live::{EventRef, LocationId};
use program::{Hint, Request, RmwOp, Role};

/// Whether a thread has observed an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Notice {
    /// No thread has.
    None,
    /// Only attempts that failed because of it.
    Weak,
    /// Another access has.
    Strong,
}

/// The room of zero-net-effect rounds; it has no state.
#[derive(Debug)]
pub(crate) struct Undoing;

impl<P: Hint, C: Shape> Room<'_, Undoing, P, C> {
    /// Whether the thread waits before the subtraction that makes up for its attempt.
    #[inline(always)]
    pub(crate) fn is_unnoticed(&self, thread: ThreadId, at: Access) -> bool {
        self.reductions.on.has(Reduction::Undoing)
            && self.attempt_of(thread, at).is_some_and(|w| self.waits_with_undoing(thread, w))
    }

    fn waits_with_undoing(&self, thread: ThreadId, w: EventRef) -> bool {
        let earlier = || self.undone(thread, self.graph.event(w).location).map(|(w, d)| self.notice(w, d));
        match self.notice(w, EventRef::NONE) {
            Notice::None => true,
            Notice::Weak => earlier().any(|notice| notice != Notice::Strong),
            Notice::Strong => earlier().any(|notice| notice == Notice::None),
        }
    }

    /// The thread is about to make its access. If that makes up for an attempt that another thread has observed,
    /// waiting there may lose executions; but the errors that are found are real, so the pass goes on to its end.
    #[inline(always)]
    pub(crate) fn note_observed(&self, thread: ThreadId, location: LocationId) {
        if self.reductions.on.has(Reduction::Undoing) {
            let at = self.graph.location(location).access;
            let is_noticed = |w| self.notice(w, EventRef::NONE) != Notice::None;
            if self.attempt_of(thread, at).is_some_and(is_noticed) {
                self.notes.refute_at_end(Assumption::Use(self.access_in_ledger(location), Use::Unnoticed));
            }
        }
    }

    /// No thread can step. If some wait before a subtraction, that is relied on; beside symmetric threads it was never
    /// shown to be exact, so symmetry is refuted instead.
    pub(crate) fn note_standstill(&self) {
        for location in self.undone_locations() {
            match self.reductions.symmetry.any() {
                true => self.notes.refute(Assumption::Symmetric),
                false => _ = self.rely(location, Use::Unnoticed),
            }
        }
    }

    /// The thread waits before its subtraction, and no thread can go on: whether all of its rounds will fail. They will
    /// if a round fails that finds the value left after all pending subtractions.
    pub(crate) fn spins(&self, thread: ThreadId) -> bool {
        let Request::Rmw { at, .. } = self.threads.get(thread).request else { return false };
        let Some(own) = self.about_to_undo(thread, at) else { return false };
        let pending = self.threads.able().filter_map(|other| self.about_to_undo(other, at));
        let added = |w: EventRef| {
            let event = self.graph.event(w);
            Some(event.value.wrapping_sub(self.graph.value(event.rf)?))
        };
        let tail = self.graph.value(self.graph.last_added(self.graph.event(own).location));
        let left =
            pending.map(added).try_fold(tail.unwrap_or(0), |left, added| Some(left.wrapping_sub(added?)));
        left.is_some_and(|left| self.fails_with(own, truncate(left, at.size)))
    }

    /// The attempt that the thread is about to make up for, where threads may wait with that.
    fn attempt_of(&self, thread: ThreadId, at: Access) -> Option<EventRef> {
        let may_wait = |w: &EventRef| self.may_rely(self.graph.event(*w).location, Use::Unnoticed);
        self.about_to_undo(thread, at).filter(may_wait)
    }

    /// The attempt that the thread is about to make up for.
    fn about_to_undo(&self, thread: ThreadId, at: Access) -> Option<EventRef> {
        let now = self.threads.get(thread);
        let Request::Rmw { at: undone, op, .. } = now.request else { return None };
        if undone != at || self.program.role(&now.state) != Role::Undoes {
            return None;
        }
        let location = self.objects.known(at)?;
        let graph = &self.graph;
        let w = *graph.po(thread).iter().rev().find(|&&e| graph.event(e).kind.writes())?;
        let event = graph.event(w);
        let undoes =
            || graph.value(event.rf).is_some_and(|before| op.apply(event.value, at.size) == Some(before));
        (event.location == location && event.kind.is_update() && undoes()).then_some(w)
    }

    /// The attempts that the thread has made up for, each with the subtraction that did.
    fn undone(&self, thread: ThreadId, location: LocationId) -> impl Iterator<Item = (EventRef, EventRef)> {
        let writes = self.graph.po(thread).iter().copied().filter(|&e| self.graph.event(e).kind.writes());
        let undoes = move |&(w, d): &(EventRef, EventRef)| {
            let (w, d) = (self.graph.event(w), self.graph.event(d));
            w.location == location && d.location == location
        };
        writes.clone().zip(writes.skip(1)).filter(undoes).filter(|&(_, d)| self.role_of(d) == Role::Undoes)
    }

    /// How `w` was observed; `d` is the subtraction that makes up for it, if there is one yet.
    fn notice(&self, w: EventRef, d: EventRef) -> Notice {
        let mut notice = Notice::None;
        let mut made_of_it = vec![w];
        for next in self.chain_from(w).take_while(|&next| next != d) {
            if matches!(self.role_of(next), Role::Ordinary | Role::Attempts) {
                match self.is_attempt(next) {
                    true if !self.fails_anyway(next, w) => notice = Notice::Weak,
                    false if !self.is_same_anyway(next, w) => return Notice::Strong,
                    _ => {}
                }
            }
            made_of_it.push(next);
        }
        if self.is_read_by_others(&made_of_it) { Notice::Strong } else { notice }
    }

    /// Whether a thread has read one of these writes, of which the others are made of the first, has gone on, and
    /// observes the first.
    fn is_read_by_others(&self, writes: &[EventRef]) -> bool {
        let w = writes[0];
        let location = self.graph.event(w).location;
        let is_read = |&&r: &&EventRef| {
            let r = self.graph.event(r);
            r.location == location && r.kind.reads() && !r.kind.writes() && writes.contains(&r.rf)
        };
        let mut reads = self.graph.thread_ids().flat_map(|thread| self.graph.po(thread)).filter(is_read);
        reads.any(|&r| !self.is_stuck_read(r) && !self.is_same_anyway(r, w))
    }

    fn role_of(&self, e: EventRef) -> Role {
        self.program.role(&self.before(e).state)
    }

    /// Whether `e` is an attempt that its thread has made up for, or is about to.
    fn is_attempt(&self, e: EventRef) -> bool {
        let event = self.graph.event(e);
        let at = self.graph.location(event.location).access;
        self.attempt_of(event.thread, at) == Some(e)
            || self.undone(event.thread, event.location).any(|(w, _)| w == e)
    }

    /// Whether the attempt `e` would fail without `w`, too.
    fn fails_anyway(&self, e: EventRef, w: EventRef) -> bool {
        self.read_without(e, w).is_some_and(|without| self.fails_with(e, without))
    }

    /// Whether the attempt `e` would fail if it read this.
    fn fails_with(&self, e: EventRef, value: Value) -> bool {
        let at = self.graph.location(self.graph.event(e).location).access;
        let (request, state) = self.resumed(e, value);
        matches!(request, Request::Rmw { at: undone, .. } if undone == at)
            && self.program.role(&state) == Role::Undoes
    }

    /// Whether the thread of `e` would be in the same state without `w`.
    fn is_same_anyway(&self, e: EventRef, w: EventRef) -> bool {
        let read = self.graph.value(self.graph.event(e).rf);
        let (Some(read), Some(without)) = (read, self.read_without(e, w)) else { return false };
        self.program.is_same(&self.resumed(e, read).1, &self.resumed(e, without).1)
    }

    /// The value that `e` would read without `w`.
    fn read_without(&self, e: EventRef, w: EventRef) -> Option<Value> {
        let (event, attempt) = (self.graph.event(e), self.graph.event(w));
        let at = self.graph.location(event.location).access;
        let (read, before) = (self.graph.value(event.rf)?, self.graph.value(attempt.rf)?);
        Some(truncate(read.wrapping_sub(attempt.value.wrapping_sub(before)), at.size))
    }

    /// Where the thread of `e` goes when it reads this.
    fn resumed(&self, e: EventRef, value: Value) -> (Request, P::State) {
        self.tell_copy(self.before(e), value)
    }

    fn is_stuck_read(&self, r: EventRef) -> bool {
        let thread = self.graph.event(r).thread;
        self.graph.po(thread).last() == Some(&r)
            && matches!(self.threads.get(thread).status, Status::Blocked(blocker) if blocker.is_about_values())
    }

    /// The locations at which threads wait before a subtraction.
    fn undone_locations(&self) -> impl Iterator<Item = LocationId> {
        self.threads.able().filter_map(|thread| match self.threads.get(thread).request {
            Request::Rmw { at, .. } if self.is_unnoticed(thread, at) => self.objects.known(at),
            _ => None,
        })
    }

    /// The facts about its location that the thread's access makes, as far as zero-net-effect rounds go.
    #[inline(always)]
    pub(crate) fn facts(&self, thread: ThreadId, location: LocationId) -> Facts {
        if !self.facts.may_undo {
            return Facts::default();
        }
        let now = self.threads.get(thread);
        match now.request {
            _ if now.pair.is_some() => Facts::SPOILT.and(Facts::CHANGED),
            Request::Rmw { op: RmwOp::Add(_) | RmwOp::Sub(_), .. } => Facts::default(),
            Request::Read { order, .. } if !self.may_be_late(thread, location) => match order {
                ReadOrder::NotAtomic => Facts::CHANGED,
                _ => Facts::default(),
            },
            Request::Read { order, .. } if order != ReadOrder::NotAtomic => Facts::SPOILT,
            _ => Facts::SPOILT.and(Facts::CHANGED),
        }
    }

    /// Whether the thread, which is about to read, has a write of another thread there in its prefix, but may still
    /// read the one before it. Then it could observe an attempt after its subtraction, and only then. (It cannot read
    /// the writes that its own last write there was made of.)
    fn may_be_late(&self, thread: ThreadId, location: LocationId) -> bool {
        let graph = &self.graph;
        let is_write = |&e: &EventRef| {
            let event = graph.event(e);
            event.location == location && event.kind.writes()
        };
        let own = graph.po(thread).iter().copied().rfind(is_write);
        let is_hidden = |e: EventRef| own.is_some_and(|own| self.chain_from(e).any(|it| it == own));
        let prefix = graph.prefix(thread);
        graph.thread_ids().filter(|&other| other != thread).any(|other| {
            let (hb, porf) = graph.counts(prefix, other);
            let unordered = &graph.po(other)[hb as usize..porf.max(hb) as usize];
            unordered.iter().copied().filter(is_write).any(|e| !is_hidden(e))
        })
    }

    /// The chain of read-modify-writes that begins with one that reads `w`.
    fn chain_from(&self, w: EventRef) -> impl Iterator<Item = EventRef> {
        let some = |e: EventRef| e.is_some().then_some(e);
        std::iter::successors(some(self.graph.update_of(w)), move |&e| some(self.graph.update_of(e)))
    }
}
