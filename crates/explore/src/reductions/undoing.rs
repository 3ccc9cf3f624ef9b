//! Zero-net-effect loops: a thread that is about to undo what it did waits, as long as nobody has noticed.
//!
//! Attempts that show at once that they are in vain, where nobody can tell, are not even made (`attempts.rs`). This is about
//! the others: where somebody can tell, or something else is read before it shows.
//!
//! A thread that has made its *attempt* `w`, an addition, and finds that it was in vain, undoes it and tries again. If
//! nobody has noticed `w`, then the execution without `w` and what undoes it is one, too, with the same values for
//! everybody: so nothing is lost if the thread does not go on.
//!
//! Who notices? Read-modify-writes that read `w`, or what is made of it, have seen a value that would be another one
//! without `w`; so have reads. That makes no difference to those that forget the value (`Role::Blind`), to those whose thread
//! would be in the same state with the other value (it has only been compared with something), to attempts that
//! would have been in vain without `w`, too, and to reads that have blocked their threads. An attempt that is in vain
//! because of `w` notices *weakly*: two threads that keep each other from succeeding go on like that for ever, and every
//! round of theirs is the same. So a thread goes on once for such a reason. If anybody else notices, it goes on. (Not if
//! somebody had noticed one of its earlier attempts, but has looked elsewhere since: then that round should not have been.)
//!
//! Going on because of an event that is not in the prefix of what the thread does next finds errors, but loses executions
//! (`tests/wrong/assert_undone_addition_seen_twice.c`); so may going on once only. So where that has happened and no error
//! was found, the exploration starts again, and nobody waits for that location.
//!
//! Implements: \[SAVER\] section VI, algorithm 2.
//! Differs: the paper lets two threads notice before it goes on, and one that has noticed alone is lost if it ends well:
//! `if (x == 2) seen = 1` beside a failing attempt to make `x` 1. Here everybody who can tell counts.
//!
//! **Discipline.** The location is only added to; its writes are one chain then. Any other write, and a read that could
//! find `w` only after the thread has gone on, ends waiting for the location at once.
//!
//! Cost: nothing for programs that undo nothing. O(events) for each thread that may wait, at each step.

use crate::core::shape::Shape;
use crate::core::threads::Status;
use crate::ledger::{Assumption, Use};
use crate::notes::Facts;
use crate::reductions::{Reduction, Room};
use base::{Access, ReadOrder, ThreadId, Value, truncate};
use live::{EventRef, LocationId};
use program::{Hint, Request, RmwOp, Role};

/// Has somebody noticed?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Notice {
    /// Nobody.
    None,
    /// Attempts that were in vain because of it.
    Weak,
    /// Somebody else.
    Strong,
}

/// The room of additions that are undone; it has no state.
#[derive(Debug)]
pub(crate) struct Undoing;

impl<P: Hint, C: Shape> Room<'_, Undoing, P, C> {
    /// Does the thread wait with undoing what it did?
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

    /// The thread is about to make its access. If it undoes an addition there that another thread has observed, waiting with
    /// that may lose executions; but what it finds is right, so the pass goes on to its end.
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

    /// No thread can step, and some may wait with undoing an addition: that is relied on. Symmetric threads beside them were
    /// never shown to be exact.
    pub(crate) fn note_standstill(&self) {
        for location in self.undone_locations() {
            match self.reductions.symmetry.any() {
                true => self.notes.refute(Assumption::Symmetric),
                false => _ = self.rely(location, Use::Unnoticed),
            }
        }
    }

    /// The thread waits with undoing what it did, and nobody can go on. Will all of its rounds be in vain? They will if one is that
    /// finds what is left when everybody has undone what they are about to undo.
    pub(crate) fn spins(&self, thread: ThreadId) -> bool {
        let Request::Rmw { at, .. } = self.threads.get(thread).request else { return false };
        let Some(own) = self.about_to_undo(thread, at) else { return false };
        let pending = self.threads.able().filter_map(|other| self.about_to_undo(other, at));
        let added = |w: EventRef| {
            let event = self.graph.event(w);
            Some(event.value.wrapping_sub(self.graph.value(event.rf)?))
        };
        let tail = self.graph.value(self.graph.tail(self.graph.event(own).location));
        let left =
            pending.map(added).try_fold(tail.unwrap_or(0), |left, added| Some(left.wrapping_sub(added?)));
        left.is_some_and(|left| self.fails_with(own, truncate(left, at.size)))
    }

    /// What the thread is about to undo, where threads may wait with that.
    fn attempt_of(&self, thread: ThreadId, at: Access) -> Option<EventRef> {
        let may_wait = |w: &EventRef| self.may_rely(self.graph.event(*w).location, Use::Unnoticed);
        self.about_to_undo(thread, at).filter(may_wait)
    }

    /// What the thread is about to undo.
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

    /// The attempts of the thread that it has undone, each with what undid it.
    fn undone(&self, thread: ThreadId, location: LocationId) -> impl Iterator<Item = (EventRef, EventRef)> {
        let writes = self.graph.po(thread).iter().copied().filter(|&e| self.graph.event(e).kind.writes());
        let undoes = move |&(w, d): &(EventRef, EventRef)| {
            let (w, d) = (self.graph.event(w), self.graph.event(d));
            w.location == location && d.location == location
        };
        writes.clone().zip(writes.skip(1)).filter(undoes).filter(|&(_, d)| self.role_of(d) == Role::Undoes)
    }

    /// Who has noticed `w`, which `d` undoes, if anything does yet?
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

    /// Has somebody read one of these writes, of which the others are made of the first, and gone on, and can tell?
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

    /// Is `e` an attempt that its thread has undone, or is about to?
    fn is_attempt(&self, e: EventRef) -> bool {
        let event = self.graph.event(e);
        let at = self.graph.location(event.location).access;
        self.attempt_of(event.thread, at) == Some(e)
            || self.undone(event.thread, event.location).any(|(w, _)| w == e)
    }

    /// Would the attempt `e` be in vain without `w`, too?
    fn fails_anyway(&self, e: EventRef, w: EventRef) -> bool {
        self.read_without(e, w).is_some_and(|without| self.fails_with(e, without))
    }

    /// Would the attempt `e` be in vain if it read this?
    fn fails_with(&self, e: EventRef, value: Value) -> bool {
        let at = self.graph.location(self.graph.event(e).location).access;
        let (request, state) = self.resumed(e, value);
        matches!(request, Request::Rmw { at: undone, .. } if undone == at)
            && self.program.role(&state) == Role::Undoes
    }

    /// Would the thread of `e` be in the same state without `w`?
    fn is_same_anyway(&self, e: EventRef, w: EventRef) -> bool {
        let read = self.graph.value(self.graph.event(e).rf);
        let (Some(read), Some(without)) = (read, self.read_without(e, w)) else { return false };
        self.program.is_same(&self.resumed(e, read).1, &self.resumed(e, without).1)
    }

    /// What `e` would read without `w`.
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

    /// Where threads wait with undoing what they did.
    fn undone_locations(&self) -> impl Iterator<Item = LocationId> {
        self.threads.able().filter_map(|thread| match self.threads.get(thread).request {
            Request::Rmw { at, .. } if self.is_unnoticed(thread, at) => self.objects.known(at),
            _ => None,
        })
    }

    /// What the thread's access means for its location, as far as undoing goes.
    #[inline(always)]
    pub(crate) fn facts(&self, thread: ThreadId, location: LocationId) -> Facts {
        // `attempts.rs` relies on them, too.
        if !self.reductions.on.has(Reduction::Undoing) && !self.reductions.on.has(Reduction::Attempts) {
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

    /// Has the thread, which is about to read, heard of somebody who has written there, but may still read what was there
    /// before? Then it could notice an attempt after it was undone, and only then. (What its own last write there was made
    /// of it cannot read.)
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

    /// What is made of a write by read-modify-writes, one after the other.
    fn chain_from(&self, w: EventRef) -> impl Iterator<Item = EventRef> {
        let some = |e: EventRef| e.is_some().then_some(e);
        std::iter::successors(some(self.graph.update_of(w)), move |&e| some(self.graph.update_of(e)))
    }
}
