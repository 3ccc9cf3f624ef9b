//! Newtypes for what is counted: threads, events of a thread, instructions of a program.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A thread, the same in every execution: thread 0 is `main`, every other one is named by the thread that
/// created it and as which of its children.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);

    /// As an index into a table of threads.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// An event's name in an execution: its thread and its position in that thread. Printed `thread:index`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct EventId {
    /// The thread that did it.
    pub thread: ThreadId,
    /// How many events of that thread came before it.
    pub index: u32,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.thread, self.index)
    }
}

/// An instruction of the program: a front end gives it out and translates it back into a source place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Site(pub u32);
