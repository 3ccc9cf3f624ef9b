//! Promises: the source of a committed read, before its writer is there.

use base::{Access, ThreadId};
use model::xmm::{Action, EventLabel, Execution};
use program::Request;

/// A committed read and the committed write that it reads from, one of another thread, as labels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Promise {
    pub(crate) read: EventLabel,
    pub(crate) write: EventLabel,
}

impl Promise {
    /// Every external read of an execution, as a promise; sorted.
    pub(crate) fn all_of(execution: &Execution) -> Vec<Promise> {
        let label = |event: usize| execution.labels[event].expect("accesses have labels");
        let promise = |(read, write)| Promise { read: label(read), write: label(write) };
        let mut promises: Vec<Promise> = execution.external_reads().map(promise).collect();
        promises.sort_unstable();
        promises
    }

    pub(crate) fn reader(&self) -> ThreadId {
        self.read.thread
    }

    pub(crate) fn writer(&self) -> ThreadId {
        self.write.thread
    }

    /// The location of the read.
    pub(crate) fn at(&self) -> Access {
        match self.read.action {
            Action::Read { at, .. } => at,
            Action::Write { .. } | Action::Fence(_) => unreachable!("promises are about reads"),
        }
    }

    /// Whether the read that a thread asks for could be the promised one.
    pub(crate) fn fits(&self, thread: ThreadId, request: &Request) -> bool {
        let Action::Read { at, order, value, rmw } = self.read.action else { return false };
        let asked = match *request {
            Request::Read { at, order } => (at, order, false),
            Request::Rmw { at, op, order, failure } => match op.apply(value, at.size) {
                Some(_) => (at, order.read(), true),
                None => (at, failure, false),
            },
            _ => return false,
        };
        thread == self.read.thread && asked == (at, order, rmw)
    }

    /// The value that is promised.
    pub(crate) fn value(&self) -> base::Value {
        match self.read.action {
            Action::Read { value, .. } => value,
            Action::Write { .. } | Action::Fence(_) => unreachable!("promises are about reads"),
        }
    }
}
