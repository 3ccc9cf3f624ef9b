//! Executions that have come to a halt: do the threads wait for each other, does one spin for ever?
//!
//! A *deadlock*: every unfinished thread waits for a thread or for a mutex that nobody will release. A thread *spins for
//! ever* if a round of its loop changes nothing and everything that the round has read is co-last: as nobody can go on,
//! nobody will write anything else, and all rounds to come read the same. If another thread spins on something that is
//! not co-last, it will see better in its next round, and this is not the end; if one is blocked by an assumption, the
//! execution is of no interest; if one is stopped by the unroll bound, nothing is known.
//!
//! Differs: that every write is seen by everybody some day is no axiom of these models, but what hardware and compilers do;
//! without it no loop that waits would ever have to end.

use crate::Ending;
use crate::construction::Construction;
use crate::threads::Status;
use base::ThreadId;
use graph::EventRef;
use model::MemoryModel;
use program::{Blocker, Program, Request};

/// No thread can take a step and not all have finished: why?
pub(crate) fn ending<P: Program, M: MemoryModel>(build: &Construction<'_, P, M>) -> Ending {
    let unfinished = || build.threads.existing().filter(|(_, now)| now.status != Status::Finished);
    let spins = |status| matches!(status, Status::Blocked(Blocker::Spin { .. }));
    if !unfinished().all(|(thread, now)| is_stuck(build, thread, now.status)) {
        return Ending::Blocked;
    }
    if unfinished().any(|(_, now)| spins(now.status)) { Ending::Spinning } else { Ending::Deadlock }
}

/// Does the thread wait for a thread, for a mutex that nobody will release, or for ever?
fn is_stuck<P: Program, M: MemoryModel>(
    build: &Construction<'_, P, M>,
    thread: ThreadId,
    status: Status,
) -> bool {
    let events = build.graph.po(thread);
    match status {
        // Who undoes what it did could go on.
        Status::Ready => !matches!(build.threads.get(thread).request, Request::Rmw { .. }),
        Status::Blocked(Blocker::Sleep { .. }) => true,
        Status::Locked => {
            let read = build.graph.event(*events.last().expect("it has read the mutex"));
            build.is_last(read.rf)
        }
        Status::Blocked(Blocker::Spin { since }) => {
            events[since as usize..].iter().all(|&e| is_repeated(build, e))
        }
        Status::Blocked(Blocker::Assume | Blocker::Unroll) | Status::Awaiting => false,
        Status::Finished | Status::Stopped | Status::Failed => false,
    }
}

/// Does an event of a round that changes nothing happen in the same way in every round to come? A choice need not.
fn is_repeated<P: Program, M: MemoryModel>(build: &Construction<'_, P, M>, e: EventRef) -> bool {
    let event = build.graph.event(e);
    match build.before(e).request {
        Request::Choose { .. } => false,
        _ => !event.kind.reads() || build.is_last(event.rf),
    }
}
