//! Condition variables: who wakes up, and who may sleep for ever.
//!
//! A wake-up orders nothing: what a thread learns it learns from its mutex. So one that was notified does what one does that
//! wakes up without reason, which POSIX and C allow, and notifications leave no choice to a thread that wakes up. They
//! matter for those that never do: a thread that sleeps to the end is a deadlock only if no notification would have woken it
//! up. It makes the choice to do so when nobody else can go on (`Request::Sleep`), and this file says whether it could:
//! * A notification of all threads wakes up everybody who has begun to sleep before.
//! * A notification of one thread, after a thread that sleeps to the end has begun, must have woken up another one: one that
//!   may have begun before it and that had not got its mutex back yet. Different ones need different threads.
//!
//! *Before* is porf: a thread has begun to sleep with the release of its mutex. Where nothing orders a notification and the
//! beginning of a sleep, the notification may have come first and be lost.
//!
//! Differs from POSIX: among several notifications and sleepers that nothing orders, each pair may have either order, also if
//! no single order has all of them.
//! Cost: O(events) at the end of an execution in which somebody sleeps; nothing otherwise.

use crate::construction::Construction;
use crate::threads::Status;
use base::ThreadId;
use graph::EventRef;
use model::MemoryModel;
use program::{Blocker, Program, Request, Wakes};

/// A thread that sleeps to the end.
#[derive(Clone, Copy, Debug)]
struct Sleeper {
    thread: ThreadId,
    /// The condition variable.
    on: u64,
    /// How many events it had made when it began to sleep.
    begin: u32,
}

impl<P: Program, M: MemoryModel> Construction<'_, P, M> {
    /// Can all who sleep to the end really do so?
    pub(crate) fn can_sleep_on(&self) -> bool {
        let sleepers: Vec<Sleeper> = self.sleepers().collect();
        if sleepers.is_empty() {
            return true;
        }
        let woken = |n: EventRef| sleepers.iter().any(|sleeper| self.is_after(n, sleeper));
        let calls: Vec<(EventRef, u64, Wakes)> = self.notifications().filter(|&(n, ..)| woken(n)).collect();
        calls.iter().all(|&(_, _, wakes)| wakes == Wakes::One) && self.others_wake_up(&calls)
    }

    /// Has a notification of all threads woken up the thread, if it sleeps?
    pub(crate) fn is_called(&self, thread: ThreadId) -> bool {
        let Some(sleeper) = self.sleeper(thread) else { return false };
        self.notifications().any(|(n, _, wakes)| wakes == Wakes::All && self.is_after(n, &sleeper))
    }

    /// Does this notification wake up a thread that sleeps to the end?
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

    /// Is the notification one of a thread that has begun to sleep before it?
    fn is_after(&self, n: EventRef, sleeper: &Sleeper) -> bool {
        let Request::Notify { on, .. } = self.before(n).request else { return false };
        on == sleeper.on && self.graph.porf_count(n, sleeper.thread) >= sleeper.begin
    }

    /// Can each notification have woken up a thread of its own that did not sleep to the end?
    fn others_wake_up(&self, calls: &[(EventRef, u64, Wakes)]) -> bool {
        let sleeps: Vec<EventRef> = self.events().filter(|&e| self.wakes_up(e)).collect();
        let mut woken_by = vec![None; sleeps.len()];
        calls.iter().enumerate().all(|(call, _)| {
            self.find_other(calls, call, &sleeps, &mut woken_by, &mut vec![false; sleeps.len()])
        })
    }

    fn wakes_up(&self, e: EventRef) -> bool {
        matches!(self.before(e).request, Request::Sleep { .. }) && self.graph.event(e).value == 0
    }

    /// Find somebody whom the notification wakes up; who has one already may get another (an augmenting path).
    fn find_other(
        &self,
        calls: &[(EventRef, u64, Wakes)],
        call: usize,
        sleeps: &[EventRef],
        woken_by: &mut [Option<usize>],
        tried: &mut [bool],
    ) -> bool {
        for (i, &sleep) in sleeps.iter().enumerate() {
            if tried[i] || !self.can_wake(calls[call].0, sleep) {
                continue;
            }
            tried[i] = true;
            if woken_by[i].is_none_or(|other| self.find_other(calls, other, sleeps, woken_by, tried)) {
                woken_by[i] = Some(call);
                return true;
            }
        }
        false
    }

    /// Can the notification have come while the thread slept: not before it began, not after it got its mutex back?
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
