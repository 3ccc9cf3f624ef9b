//! Executions that have come to a halt: whether the threads wait for each other, or one spins for ever.
//!
//! A *deadlock*: every unfinished thread waits for a thread or for a mutex that no thread will release. A thread *spins
//! for ever* if a round of its loop changes nothing and every write that the round has read is co-last, or was
//! overwritten with the same value: as no thread can go on, none will write anything else, and all rounds to come read
//! the same. If another thread spins on a write that is not, it will read a later one in its next round, and this is
//! not the end; if one is blocked by an assumption, the execution is of no interest; if one is stopped by the unroll
//! bound, nothing is known.
//!
//! When `main` has returned, or another thread has called `exit`, the process is gone: workers that still wait are no
//! deadlock, and the execution is complete. But threads that wait for each other's mutexes did so before that, and so
//! did a thread that waits for the mutex of one that has finished.
//!
//! Differs: no axiom of these models says that every thread sees every write some day. Hardware and compilers see to
//! it; without it no loop that waits would ever have to end.

use crate::Ending;
use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::core::threads::{Current, Status};
use crate::reductions::Rooms;
use base::ThreadId;
use live::EventRef;
use program::{Blocker, Hint, Request, owner_of_mutex, waits_in_circle};

/// Why no thread can take a step although not all have finished.
pub(crate) fn ending<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> Ending {
    let has_ended =
        |now: &Current<P::State>| matches!(now.status, Status::Finished | Status::Blocked(Blocker::Exit));
    let unfinished = || build.threads.existing().filter(|(_, now)| !has_ended(now));
    if unfinished().next().is_none() || !unfinished().all(|(thread, now)| is_stuck(build, thread, now.status))
    {
        return Ending::Blocked;
    }
    if unfinished().any(|(_, now)| spins(now)) { Ending::Spinning } else { Ending::Deadlock }
}

/// Whether the thread has come to the end of a round, or is about to make up for an addition (the only
/// read-modify-write before which a `Ready` thread waits).
pub(crate) fn spins<S>(now: &Current<S>) -> bool {
    match now.status {
        Status::Blocked(Blocker::Spin { .. }) => true,
        Status::Ready => matches!(now.request, Request::Rmw { .. }),
        _ => false,
    }
}

/// Whether an execution that has ended like that is a violation, because threads wait for each other.
pub(crate) fn is_deadlock<P: Hint, C: Shape>(build: &Construction<'_, P, C>, ending: Ending) -> bool {
    match ending {
        Ending::Deadlock => !is_gone(build) || has_circle(build),
        Ending::Spinning => has_circle(build),
        Ending::Complete | Ending::Blocked => false,
    }
}

/// Whether the process has ended although not all threads have finished: the others wait for ever, and not for each
/// other.
pub(crate) fn is_over<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> bool {
    let has_exited = |now: &Current<P::State>| now.status == Status::Blocked(Blocker::Exit);
    let waits = |(thread, now): (ThreadId, &Current<P::State>)| {
        now.status == Status::Finished || has_exited(now) || is_stuck(build, thread, now.status)
    };
    is_gone(build) && build.threads.existing().all(waits) && !has_circle(build)
}

/// Whether `main` has finished, or another thread has ended the process, in an execution that no assumption blocks.
pub(crate) fn main_has_ended<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> bool {
    let has_status = |status| build.threads.existing().any(|(_, now)| now.status == status);
    is_gone(build) && !has_status(Status::Blocked(Blocker::Assume))
}

/// Whether `main` has finished, or another thread has called `exit`.
fn is_gone<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> bool {
    let has_exited = |now: &Current<P::State>| now.status == Status::Blocked(Blocker::Exit);
    build.threads.finished(ThreadId::MAIN).is_some()
        || build.threads.existing().any(|(_, now)| has_exited(now))
}

fn has_circle<P: Hint, C: Shape>(build: &Construction<'_, P, C>) -> bool {
    let (threads, has_finished) =
        (build.threads.existing().count(), |it| build.threads.finished(it).is_some());
    let mut waiting = build.threads.existing().map(|(thread, _)| thread).filter(|&it| !has_finished(it));
    waiting.any(|it| waits_in_circle(it, threads, |thread| waits_for(build, thread), has_finished))
}

/// The thread that this one waits for, if it is one alone.
fn waits_for<P: Hint, C: Shape>(build: &Construction<'_, P, C>, thread: ThreadId) -> Option<ThreadId> {
    let now = build.threads.find(thread)?;
    match (now.status, &now.request) {
        (Status::Locked, Request::Lock { .. }) => {
            let read = build.graph.event(*build.graph.po(thread).last()?);
            owner_of_mutex(build.graph.value(read.rf)?)
        }
        (_, &Request::Join { thread }) => Some(thread),
        _ => None,
    }
}

/// Whether the thread waits for a thread, for a mutex that no thread will release, or for ever.
fn is_stuck<P: Hint, C: Shape>(build: &Construction<'_, P, C>, thread: ThreadId, status: Status) -> bool {
    let events = build.graph.po(thread);
    match status {
        Status::Ready if spins(build.threads.get(thread)) => build.undoing().spins(thread),
        Status::Ready => true,
        Status::Blocked(Blocker::Sleep { .. }) => true,
        Status::Locked => {
            let read = build.graph.event(*events.last().expect("it has read the mutex"));
            build.graph.is_last(read.rf)
        }
        Status::Blocked(Blocker::Spin { since }) => {
            events[since as usize..].iter().all(|&e| is_repeated(build, e))
        }
        Status::Blocked(Blocker::Assume | Blocker::Exit | Blocker::Unroll) | Status::Awaiting => false,
        Status::Finished | Status::Stopped | Status::Failed => false,
    }
}

/// Whether an event of a round that changes nothing happens in the same way in every round to come. A choice need not.
fn is_repeated<P: Hint, C: Shape>(build: &Construction<'_, P, C>, e: EventRef) -> bool {
    let event = build.graph.event(e);
    match build.before(e).request {
        Request::Choose { .. } => false,
        // A mutex that the round has given back.
        Request::Lock { .. } => true,
        _ => !event.kind.reads() || stays(build, event.rf),
    }
}

/// Whether every later read finds the value of `w`: it is last, but for read-modify-writes that have changed nothing.
fn stays<P: Hint, C: Shape>(build: &Construction<'_, P, C>, mut w: EventRef) -> bool {
    while !build.graph.is_last(w) {
        let update = build.graph.update_of(w);
        if update.is_none() || build.graph.value(update) != build.graph.value(w) {
            return false;
        }
        w = update;
    }
    true
}
