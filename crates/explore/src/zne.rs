//! Zero-net-effect loops: a thread that is about to undo what it did waits, as long as nobody has noticed.
//!
//! A thread that has made its *attempt* `w`, an addition, and finds that it was in vain, undoes it and tries again. If
//! nobody has noticed `w`, then the execution without `w` and what undoes it is one, too, with the same values for
//! everybody: so nothing is lost if the thread does not go on. As soon as somebody notices, it does.
//!
//! Who notices? Read-modify-writes that read `w`, or what is made of it, have seen a value that would be another one
//! without `w`; so have reads. That makes no difference to those that forget the value (`Role::Blind`), to attempts that
//! would have been in vain without `w`, too, and whose threads wait here, and to reads that have blocked their threads.
//!
//! Implements: \[SAVER\] section VI, algorithm 2.
//! Differs: the paper lets two threads notice before it goes on, and one that has noticed alone is lost if it ends well:
//! `if (x == 2) seen = 1` beside a failing attempt to make `x` 1. Here everybody who can tell counts.
//!
//! **Discipline.** The location is only added to; its writes are one chain then. Any other write, and a read that could
//! find `w` only after the thread has gone on, ends waiting for the location: the exploration starts again without.
//!
//! Cost: nothing for programs that undo nothing. O(events) for each thread that may wait, at each step.

use crate::construction::{Construction, resume};
use crate::threads::Status;
use crate::waiting::Uses;
use base::{Access, ThreadId, truncate};
use graph::{EventRef, LocationId};
use model::MemoryModel;
use program::{Program, Request, RmwOp, Role};

impl<P: Program, M: MemoryModel> Construction<'_, P, M> {
    /// Does the thread wait with undoing what it did?
    #[inline(always)]
    pub(crate) fn is_unnoticed(&self, thread: ThreadId, at: Access) -> bool {
        self.waiting.undoes && self.attempt_of(thread, at).is_some_and(|w| !self.is_noticed(w))
    }

    /// What the thread is about to undo.
    fn attempt_of(&self, thread: ThreadId, at: Access) -> Option<EventRef> {
        let now = self.threads.get(thread);
        let Request::Rmw { at: undone, op, .. } = now.request else { return None };
        if undone != at || self.program.role(&now.state) != Role::Undoes {
            return None;
        }
        let location = self.objects.known(at).filter(|&location| self.may_wait(location))?;
        let graph = &self.graph;
        let w = *graph.po(thread).iter().rev().find(|&&e| graph.event(e).kind.writes())?;
        let event = graph.event(w);
        let undoes =
            || graph.value(event.rf).is_some_and(|before| op.apply(event.value, at.size) == Some(before));
        (event.location == location && event.kind.is_update() && undoes()).then_some(w)
    }

    fn is_noticed(&self, w: EventRef) -> bool {
        let location = self.graph.event(w).location;
        let mut made_of_it = vec![w];
        let mut next = self.graph.update_of(w);
        while next.is_some() {
            if !self.is_blind(next) && !self.is_stuck_anyway(next, w) {
                return true;
            }
            made_of_it.push(next);
            next = self.graph.update_of(next);
        }
        let is_read = |&&r: &&EventRef| {
            let r = self.graph.event(r);
            r.location == location && r.kind.reads() && !r.kind.writes() && made_of_it.contains(&r.rf)
        };
        let mut reads = self.graph.thread_ids().flat_map(|thread| self.graph.po(thread)).filter(is_read);
        reads.any(|&r| !self.is_stuck_read(r))
    }

    fn is_blind(&self, e: EventRef) -> bool {
        self.program.role(&self.before(e).state) != Role::Ordinary
    }

    /// Is `e` an attempt that its thread is about to undo, and would be without `w`, too?
    fn is_stuck_anyway(&self, e: EventRef, w: EventRef) -> bool {
        let (event, attempt) = (self.graph.event(e), self.graph.event(w));
        let at = self.graph.location(event.location).access;
        if self.attempt_of(event.thread, at) != Some(e) {
            return false;
        }
        let (Some(read), Some(before)) = (self.graph.value(event.rf), self.graph.value(attempt.rf)) else {
            return false;
        };
        let without = truncate(read.wrapping_sub(attempt.value.wrapping_sub(before)), at.size);
        let mut state = self.before(e).state.clone();
        let request = resume(self.program, &self.objects, &mut state, without);
        matches!(request, Request::Rmw { at: undone, .. } if undone == at)
            && self.program.role(&state) == Role::Undoes
    }

    fn is_stuck_read(&self, r: EventRef) -> bool {
        let thread = self.graph.event(r).thread;
        self.graph.po(thread).last() == Some(&r)
            && matches!(self.threads.get(thread).status, Status::Blocked(blocker) if blocker.is_about_values())
    }

    /// Where threads wait with undoing what they did.
    pub(crate) fn undone_locations(&self) -> impl Iterator<Item = LocationId> {
        self.threads.able().filter_map(|thread| match self.threads.get(thread).request {
            Request::Rmw { at, .. } if self.is_unnoticed(thread, at) => self.objects.known(at),
            _ => None,
        })
    }

    /// How the thread's access uses its location, as far as undoing goes.
    pub(crate) fn undoing_use(&self, thread: ThreadId, location: LocationId) -> Uses {
        let now = self.threads.get(thread);
        match now.request {
            Request::Rmw { op: RmwOp::Add(_) | RmwOp::Sub(_), .. } => Uses::default(),
            Request::Read { .. } if !self.may_be_late(thread, location) => Uses::default(),
            _ => Uses::SPOILT,
        }
    }

    /// Has the thread, which is about to read, heard of somebody who has written there, but may still read what was there
    /// before? Then it could notice an attempt after it was undone, and only then.
    fn may_be_late(&self, thread: ThreadId, location: LocationId) -> bool {
        let prefix = self.graph.prefix(thread);
        self.graph.thread_ids().filter(|&other| other != thread).any(|other| {
            let (hb, porf) = self.graph.counts(prefix, other);
            let unordered = &self.graph.po(other)[hb as usize..porf.max(hb) as usize];
            unordered.iter().any(|&e| {
                let event = self.graph.event(e);
                event.location == location && event.kind.writes()
            })
        })
    }
}
