//! Condition variables: which threads wake up, and which may sleep for ever.
//!
//! A wake-up orders nothing: all that a thread learns, it learns from its mutex. So a thread that was notified does the
//! same as one that wakes up without reason, which POSIX and C allow, and notifications leave no choice to a thread
//! that wakes up. They matter for threads that never do: a thread that sleeps to the end is a deadlock only if no
//! notification would have woken it up. A thread chooses to sleep to the end when no other thread can go on
//! (`Request::Sleep`), and this file says whether it could:
//! * A notification of all threads wakes up every thread that has begun to sleep before.
//! * A notification of one thread, after a thread that sleeps to the end has begun, must have woken up another one: one
//!   that may have begun before it and that had not got its mutex back yet. Different notifications need different
//!   threads.
//!
//! A thread that wakes up, looks around, changes nothing and sleeps again can do without the round, except for one
//! thing: a notification that was for it woke up no other thread. So it may wake up again from there only if a
//! notification of one thread ended the sleep before (a different one for each such sleep), and an execution with such
//! rounds counts only if some thread sleeps to the end in it. They are finitely many, for notifications are.
//!
//! *Before* is porf: a thread has begun to sleep with the release of its mutex. Where nothing orders a notification and
//! the beginning of a sleep, the notification may have come first and be lost.
//!
//! Differs: from POSIX; among several notifications and sleepers that nothing orders, each pair may have either order,
//! also if no single order has all of them.
//!
//! Relies on: nothing in the ledger.
//!
//! Compared by: `vm/tests/it/waiting`, with all interleavings of random programs.
//!
//! Cost: O(events) at the end of an execution once a thread has slept; nothing for other programs.

use crate::core::shape::Shape;
use crate::core::threads::Status;
use crate::reductions::Room;
use base::ThreadId;
use live::EventRef;
use program::{Blocker, Hint, Request, Wakes};
use std::cell::Cell;

/// A thread that sleeps to the end.
#[derive(Clone, Copy, Debug)]
struct Sleeper {
    thread: ThreadId,
    /// The condition variable.
    on: u64,
    /// How many events it had made when it began to sleep.
    begin: u32,
}

/// The room of sleeping threads.
#[derive(Debug, Default)]
pub(crate) struct Sleeping {
    /// Whether a thread has ever slept. As long as none has, there is nothing to look at.
    any: Cell<bool>,
}

impl Sleeping {
    /// A thread is about to sleep.
    pub(crate) fn note_sleep(&self) {
        self.any.set(true);
    }
}

impl<P: Hint, C: Shape> Room<'_, Sleeping, P, C> {
    /// Whether all threads that sleep to the end really can.
    #[inline(always)]
    pub(crate) fn can_sleep_on(&self) -> bool {
        !self.state.any.get() || self.can_all_sleep_on()
    }

    fn can_all_sleep_on(&self) -> bool {
        let sleepers: Vec<Sleeper> = self.sleepers().collect();
        let has_rounds = self.events().any(|e| self.wakes_up_again(e));
        if sleepers.is_empty() {
            return !has_rounds;
        }
        if has_rounds && !self.rounds_have_reasons() {
            return false;
        }
        let woken = |n: EventRef| sleepers.iter().any(|sleeper| self.is_after(n, sleeper));
        let calls: Vec<(EventRef, u64, Wakes)> = self.notifications().filter(|&(n, ..)| woken(n)).collect();
        calls.iter().all(|&(_, _, wakes)| wakes == Wakes::One) && self.others_wake_up(&calls)
    }

    /// Whether `e` is the beginning of a sleep and was chosen in a way that is impossible, whatever comes later.
    pub(crate) fn is_impossible_sleep(&self, e: EventRef) -> bool {
        match self.before(e).request {
            Request::Sleep { .. } if self.wakes_up_again(e) => !self.rounds_have_reasons(),
            Request::Sleep { .. } => self.is_called(self.graph.event(e).thread),
            _ => false,
        }
    }

    /// Whether the thread sleeps and a notification of all threads has woken it up.
    fn is_called(&self, thread: ThreadId) -> bool {
        let Some(sleeper) = self.sleeper(thread) else { return false };
        self.notifications().any(|(n, _, wakes)| wakes == Wakes::All && self.is_after(n, &sleeper))
    }

    /// Whether this is a notification of all threads that wakes up a thread that sleeps to the end.
    pub(crate) fn calls_sleeper(&self, n: EventRef) -> bool {
        let is_for_all = matches!(self.before(n).request, Request::Notify { wakes: Wakes::All, .. });
        is_for_all && self.sleepers().any(|sleeper| self.is_after(n, &sleeper))
    }

    fn sleepers(&self) -> impl Iterator<Item = Sleeper> {
        self.threads.existing().filter_map(|(thread, _)| self.sleeper(thread))
    }

    fn sleeper(&self, thread: ThreadId) -> Option<Sleeper> {
        let Status::Blocked(Blocker::Sleep { on }) = self.threads.find(thread)?.status else { return None };
        let events = self.graph.po(thread);
        let chose = events.last().is_some_and(|&e| matches!(self.before(e).request, Request::Sleep { .. }));
        Some(Sleeper { thread, on, begin: events.len() as u32 - u32::from(chose) })
    }

    fn events(&self) -> impl Iterator<Item = EventRef> {
        self.graph.thread_ids().flat_map(|thread| self.graph.po(thread).iter().copied())
    }

    fn notifications(&self) -> impl Iterator<Item = (EventRef, u64, Wakes)> {
        self.events().filter(|&e| !self.graph.event(e).kind.is_access()).filter_map(|e| {
            match self.before(e).request {
                Request::Notify { on, wakes } => Some((e, on, wakes)),
                _ => None,
            }
        })
    }

    /// Whether the notification is one of the sleeper's condition variable, after the beginning of its sleep.
    fn is_after(&self, n: EventRef, sleeper: &Sleeper) -> bool {
        let Request::Notify { on, .. } = self.before(n).request else { return false };
        on == sleeper.on && self.graph.porf_count(n, sleeper.thread) >= sleeper.begin
    }

    /// Whether each notification can have woken up a thread of its own that did not sleep to the end. (If so, and if
    /// `rounds_have_reasons`, then both can be had at the same time: a theorem on matchings of Mendelsohn and Dulmage.)
    fn others_wake_up(&self, calls: &[(EventRef, u64, Wakes)]) -> bool {
        let sleeps: Vec<EventRef> = self.events().filter(|&e| self.wakes_up(e)).collect();
        let mut woken_by = vec![None; sleeps.len()];
        (0..calls.len()).all(|call| {
            let tried = &mut vec![false; sleeps.len()];
            find_partner(&|n, s| self.can_wake(calls[n].0, sleeps[s]), call, &mut woken_by, tried)
        })
    }

    /// Whether each sleep after which a thread has slept again in the same place, and woken up from there, can have
    /// been ended by a notification of one thread, a different one for each.
    fn rounds_have_reasons(&self) -> bool {
        let again = self.events().filter(|&e| self.wakes_up_again(e));
        let sleeps: Vec<EventRef> = again.filter_map(|e| self.sleep_before(e)).collect();
        let calls: Vec<EventRef> =
            self.notifications().filter(|call| call.2 == Wakes::One).map(|call| call.0).collect();
        let mut ends = vec![None; calls.len()];
        (0..sleeps.len()).all(|sleep| {
            let tried = &mut vec![false; calls.len()];
            find_partner(&|s, n| self.can_wake(calls[n], sleeps[s]), sleep, &mut ends, tried)
        })
    }

    /// The last sleep of the thread before this one.
    fn sleep_before(&self, e: EventRef) -> Option<EventRef> {
        let event = self.graph.event(e);
        let earlier = &self.graph.po(event.thread)[..event.index as usize];
        earlier.iter().copied().rfind(|&e| matches!(self.before(e).request, Request::Sleep { .. }))
    }

    /// Whether `e` is the beginning of a sleep where the thread slept before, and it wakes up from it.
    fn wakes_up_again(&self, e: EventRef) -> bool {
        matches!(self.before(e).request, Request::Sleep { again: true, .. }) && self.graph.event(e).value == 1
    }

    fn wakes_up(&self, e: EventRef) -> bool {
        match self.before(e).request {
            Request::Sleep { again, .. } => self.graph.event(e).value == u64::from(again),
            _ => false,
        }
    }

    /// Whether the notification can have come while the thread slept: not before it began, not after it got its mutex
    /// back.
    fn can_wake(&self, n: EventRef, sleep: EventRef) -> bool {
        let (Request::Notify { on: called, .. }, Request::Sleep { on, .. }) =
            (&self.before(n).request, &self.before(sleep).request)
        else {
            return false;
        };
        let event = self.graph.event(sleep);
        let po = self.graph.po(event.thread);
        let released = event.index.checked_sub(1).map(|before| po[before as usize]);
        let mutex = po.get(event.index as usize + 1);
        called == on
            && released.is_none_or(|release| !self.graph.in_porf(n, release))
            && mutex.is_none_or(|&lock| !self.graph.in_porf(lock, n))
    }
}

/// Find a partner for `one`; a partner that is taken may be freed if its own partner finds a third one (an augmenting
/// path).
fn find_partner(
    fits: &dyn Fn(usize, usize) -> bool,
    one: usize,
    taken_by: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for partner in 0..taken_by.len() {
        if tried[partner] || !fits(one, partner) {
            continue;
        }
        tried[partner] = true;
        if taken_by[partner].is_none_or(|other| find_partner(fits, other, taken_by, tried)) {
            taken_by[partner] = Some(one);
            return true;
        }
    }
    false
}
