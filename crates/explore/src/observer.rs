//! Observers: they see the executions as these are found.

use crate::outcome::Execution;
use base::{Access, ThreadId, Value};
use graph::ExecutionGraph;
use std::any::Any;

/// The end of an execution. One in which `main` has finished and others wait for ever, but not for each other, counts
/// as complete (`Executions`); observers are told how the others wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Every thread finished.
    Complete,
    /// Some thread is blocked.
    Blocked,
    /// Some thread is blocked, because they wait for each other.
    Deadlock,
    /// Some thread spins, and no thread will ever write the value that it waits for.
    Spinning,
}

/// An observer of every execution of a program whose threads have states `S`.
pub trait Observer<S> {
    /// The exploration starts (again: accesses were refined).
    fn start(&mut self) {}

    /// Whether it looks at the executions at all. If not, it is not told of all of them.
    fn wants_graphs(&self) -> bool {
        true
    }

    /// Whether it is to be told of executions that may have a load-buffering race.
    fn wants_races(&self) -> bool {
        false
    }

    /// An execution, as far as choices were made, in which a read is before a write of the same location in `porf`, but
    /// not in `hb`. Told only if [`Observer::wants_races`], and before [`Observer::execution`].
    fn load_buffering(&mut self, _execution: &dyn View<S>) {}

    /// Whether some sources are forbidden: then [`Observer::forbids`] is asked for every read of another event.
    fn forbids_sources(&self) -> bool {
        false
    }

    /// Whether `reader` goes no further once it has read from `writer`: for an observer that wants to see some
    /// executions only and knows in advance that these are none of them.
    fn forbids(&self, _reader: ThreadId, _writer: ThreadId) -> bool {
        false
    }

    /// An execution.
    fn execution(&mut self, ending: Ending, execution: &dyn View<S>);

    /// An observer for one part of the exploration, if what those of all parts have seen can be put together. `None`: it must
    /// see everything itself.
    fn for_part(&self) -> Option<Box<dyn PartObserver<S>>> {
        None
    }

    /// The next part, in the order of the exploration, was seen by this observer, which [`Observer::for_part`] has made.
    fn append(&mut self, _part: Box<dyn Any>) {}
}

/// An observer of one part of an exploration.
pub trait PartObserver<S>: Observer<S> + Any + Send {}

impl<S, O: Observer<S> + Any + Send> PartObserver<S> for O {}

/// An execution, as an observer sees it.
pub trait View<S> {
    /// The graph, copied.
    fn graph(&self) -> ExecutionGraph;

    /// The graph with the facts that reports need, copied.
    fn execution(&self) -> Execution;

    /// Where the thread ended; `None` if it was not created.
    fn state(&self, thread: ThreadId) -> Option<&S>;

    /// The values that memory may hold at `at` in the end, each of them once: that of the co-last write, or, under a
    /// model without `co`, those of all writes that no other write is after. Empty if no thread accessed it.
    fn last_values(&self, at: Access) -> Vec<Value>;
}

/// Sees nothing.
impl<S> Observer<S> for () {
    fn wants_graphs(&self) -> bool {
        false
    }

    fn execution(&mut self, _: Ending, _: &dyn View<S>) {}

    fn for_part(&self) -> Option<Box<dyn PartObserver<S>>> {
        Some(Box::new(()))
    }
}
