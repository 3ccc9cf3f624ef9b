//! The trace text: what `threadbare check` reads and `verify --trace-out` writes.
//!
//! ```text
//! # threadbare trace 1
//! e0 t0 W   rel     x
//! e1 t1 R   acq     x  rf=e0
//! e2 t1 RMW acq_rel x  rf=init
//! e3 t1 F   acq
//! ```
//! The first line says what it is. Then one event a line: id, thread, operation, order, location, `rf=ID|init` on reads
//! and read-modify-writes, optionally `co=K` on writes: the position in `co` among the writes to the location, from 0,
//! the initial write left out. The lines of one thread are in program order; a source may come after its readers. `#`
//! starts a comment. An id is any word without `=`, except `init`; a location is any word.
//!
//! `co` is given for all writes to a location or for none of them. Where it is given it is part of the execution: a
//! check is then about that order, not about whether there is one.
//!
//! The locations `create.N` and `end.N` stand for the creation and the join of thread N, see `threads.rs`.
//!
//! Cost: about 30 bytes an event in memory, no allocation per event.

mod coherence;
mod error;
mod ids;
mod line;
mod read;
mod words;
mod write;

pub use error::{Fault, OpName, ReadError, What};
pub use read::read;
pub use write::write;

use crate::execution::{Event, Location, PartialExecution, Thread};
use ids::{Ids, Runs};
use words::Words;

/// The first line.
pub const HEADER: &str = "# threadbare trace 1";

/// The longest line, in bytes. Longer ones come from files that are no traces.
pub const MAX_LINE: usize = 1 << 16;

/// A trace: a partial execution, the words that it was written in, and as much of `co` as it has.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    execution: PartialExecution,
    ids: Ids,
    /// Per event its line, from 1.
    lines: Runs,
    locations: Words,
    threads: Words,
    /// Per location its writes in the order that the trace gives; none where it gives no order.
    co: Vec<Vec<Event>>,
    ends_in_a_line: bool,
}

impl Trace {
    /// Events, `po` and `rf`.
    pub fn execution(&self) -> &PartialExecution {
        &self.execution
    }

    /// Per location its writes in the order that the trace gives, without the initial one; none where it gives no
    /// order.
    pub fn co(&self) -> &[Vec<Event>] {
        &self.co
    }

    /// Whether it gives an order of the writes to some location.
    pub fn has_co(&self) -> bool {
        self.co.iter().any(|writes| !writes.is_empty())
    }

    /// The event's id.
    pub fn id(&self, event: Event) -> String {
        self.ids.of(event)
    }

    /// The event's line, from 1.
    pub fn line(&self, event: Event) -> u64 {
        self.lines.value(event)
    }

    /// The location's name.
    pub fn location(&self, location: Location) -> &str {
        self.locations.word(location.0)
    }

    /// The thread's name.
    pub fn thread(&self, thread: Thread) -> &str {
        self.threads.word(thread.0)
    }

    /// Whether the text ended in the middle of a line. It may have been cut off.
    pub fn ends_in_a_line(&self) -> bool {
        self.ends_in_a_line
    }
}
