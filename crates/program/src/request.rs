//! The requests of threads.

use crate::{AwaitOp, Departure, Fault, Object, Patience, Refusal, RmwOp, Wakes};
use base::{Access, FenceOrder, ReadOrder, RmwOrder, ThreadId, Value, WriteOrder};
use std::sync::Arc;

/// A thread's next step that others can see, or the reason why there is none.
///
/// Every access is to memory that was published before (see [`Request::Publish`]): memory that only one thread can
/// reach is in that thread's state, and accesses to it make no requests.
#[derive(Clone, Debug)]
pub enum Request {
    /// Load. The answer is the value read.
    Read {
        /// Where.
        at: Access,
        /// How.
        order: ReadOrder,
    },
    /// Store.
    Write {
        /// Where.
        at: Access,
        /// The value.
        value: Value,
        /// How.
        order: WriteOrder,
    },
    /// Read-modify-write. The answer is the value read; a compare-exchange that fails is a load.
    Rmw {
        /// Where.
        at: Access,
        /// From the value read to the value written.
        op: RmwOp,
        /// The order when it writes.
        order: RmwOrder,
        /// The order when it does not (compare-exchange only).
        failure: ReadOrder,
    },
    /// Acquire the mutex whose word is at `at` (0: free, otherwise its owner's thread id plus 1): an acquire RMW that
    /// waits as long as a thread owns it. The answer is 0.
    Lock {
        /// The mutex word.
        at: Access,
    },
    /// Release the mutex: a release write of 0. The engine checks that the thread owns it.
    Unlock {
        /// The mutex word.
        at: Access,
    },
    /// Pass a word that lets the thread pass: an acquire RMW, or an acquire load if it changes nothing. The answer is
    /// the value read.
    Await {
        /// The word.
        at: Access,
        /// The condition under which it lets the thread pass.
        op: AwaitOp,
        /// The step to take otherwise.
        patience: Patience,
    },
    /// Leave a barrier, in as many steps as threads use it: an acquire load that waits until all have arrived. The
    /// answer is [`Departure::answer`].
    Depart(Departure),
    /// Having released its mutex, the thread waits on the condition variable at `on`. The answer is 0 if it wakes up,
    /// by a notification or without reason; then it asks for its mutex. Otherwise it is 1: a wait with a time limit is
    /// over without a notification, any other never ends, and the thread asks for [`Blocker::Sleep`] next.
    Sleep {
        /// The condition variable.
        on: u64,
        /// Whether there is a time limit.
        timed: bool,
        /// Whether the thread is where it was when it began its last sleep, having changed nothing since. Then the
        /// answer 0 means that it does not wake up any more, and 1 that it does, for which a notification must have
        /// ended its last sleep.
        again: bool,
    },
    /// Wake up threads that sleep on a condition variable. Orders nothing.
    Notify {
        /// The condition variable.
        on: u64,
        /// Which of them.
        wakes: Wakes,
    },
    /// Fence.
    Fence(FenceOrder),
    /// Create a thread. The answer is its thread id.
    Create {
        /// The function that it runs; handed back to [`crate::Program::start`].
        function: Value,
        /// Handed back, too.
        argument: Value,
    },
    /// Wait until a thread has finished. The answer is the value it finished with.
    Join {
        /// The thread.
        thread: ThreadId,
    },
    /// These objects, private so far, can be reached by other threads from now on. Their contents are their initial
    /// values; the event counts as a plain write of every byte.
    Publish(Arc<[Object]>),
    /// The published object that starts at `address` ends its life: `free`, or the end of a scope. The engine checks
    /// that there is one and that no thread uses it later or at the same time.
    Free {
        /// Its first byte.
        address: u64,
        /// Heap if `free` asks; otherwise the end of a scope does.
        storage: crate::Storage,
    },
    /// Ask for the size of the published object that starts at `address` and lives. The engine answers at once, without
    /// an event; the answer is 0 if there is none. (`realloc` asks; the accesses and the [`Request::Free`] that follow
    /// find a wrong address.)
    SizeOf {
        /// Its first byte.
        address: u64,
    },
    /// Any number below `values`; every one is explored. The answer is the number. If `values` is 0, it may be any number at
    /// all, and 0 alone is tried: the verdict is bounded.
    Choose {
        /// How many there are to choose from.
        values: Value,
    },
    /// The thread goes no further.
    Block(Blocker),
    /// The thread is done; a thread that joins it gets the value.
    Finish {
        /// The value.
        value: Value,
    },
    /// The thread does something wrong: the execution is erroneous.
    Fault(Box<Fault>),
    /// The thread does something that is not modelled: it goes no further, and no verdict is possible.
    Refuse(Box<Refusal>),
}

/// How many answers to [`Request::Choose`] are tried.
pub fn tried(values: Value) -> Value {
    values.max(1)
}

/// The word of a mutex that was destroyed.
pub const MUTEX_DESTROYED: Value = 0xdead_dead;

/// Why a thread goes no further without being wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Blocker {
    /// An assumption does not hold: this execution is of no interest.
    Assume,
    /// It has ended the process.
    Exit,
    /// It sleeps on this condition variable, and is never woken up.
    Sleep {
        /// The condition variable.
        on: u64,
    },
    /// A loop was entered more often than `--unroll` allows: the verdict is bounded.
    Unroll,
    /// A round of a loop has changed nothing: the next one would do the same unless it reads something else.
    Spin {
        /// How many events the thread had made when the round began.
        since: u32,
    },
}

impl Blocker {
    /// Whether the thread might have gone on with another value. (The unroll bound has nothing to do with values.)
    pub fn is_about_values(self) -> bool {
        match self {
            Blocker::Assume | Blocker::Spin { .. } => true,
            Blocker::Exit | Blocker::Unroll | Blocker::Sleep { .. } => false,
        }
    }
}

/// Whether a pending read decides that its thread goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Await {
    /// Nothing is known: the thread most likely goes on.
    No,
    /// The value may block the thread at once (not [`Blocker::Unroll`]).
    Value,
    /// A load after which the thread does the same whatever it reads, unless it reads this: most likely it is blocked.
    Equal(Value),
    /// A compare-exchange after which the thread does the same whichever value makes it fail: most likely it is
    /// blocked.
    Failure,
    /// A compare-exchange that blocks the thread at once if it fails, whatever it reads.
    Success,
    /// Another read-modify-write that may block the thread at once. If it does so after it has written the value that
    /// it has read, then the write can be left out.
    Change,
    /// An addition that may fail: [`Role::Attempts`](crate::Role::Attempts).
    Attempt,
}
