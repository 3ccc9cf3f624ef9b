//! The answer of a check, with a proof that can be checked independently.

use crate::execution::{Event, Location, Source};
use thiserror::Error;

/// Whether there is a coherence order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Yes: this one.
    Consistent(Witness),
    /// No, because of this.
    Inconsistent(Reason),
}

/// A total coherence order: per location its writes, without the initial one. Empty under a model without
/// `co`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Witness {
    /// Indexed by [`Location`].
    pub co: Vec<Vec<Event>>,
}

/// Why there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Two read-modify-writes read the same write (\[RF\] weak-atomicity).
    SharedSource {
        /// Their location.
        location: Location,
        /// What both read.
        source: Source,
        /// The one.
        first: Event,
        /// The other.
        second: Event,
    },
    /// These steps lead from an event back to it, and every one of them must go that way.
    Cycle(Vec<Step>),
    /// Every order of the writes, or of the SC fences, was tried (where no efficient algorithm is known).
    Exhausted,
    /// Every order of the writes that could do was tried against the axioms of the model.
    Axioms {
        /// How many orders.
        tried: usize,
        /// The axioms that they violate, one for each order.
        violated: Vec<&'static str>,
    },
}

/// One step of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// From here; a [`Source::Init`] is the initial write of the location of the other end.
    pub from: Source,
    /// To there.
    pub to: Source,
    /// Why it goes that way.
    pub why: Why,
}

/// Why one event is before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// Program order.
    Po,
    /// The second reads from the first.
    Rf,
    /// Happens-before.
    Hb,
    /// The second is a read-modify-write of the chain of which the first is an earlier write: `rf⁺`.
    Chain,
    /// Two writes to one location. The first happens before `read`, or a read of it does; `read` reads the
    /// chain of read-modify-writes that the second one begins, and not a place in it that is after the first.
    /// So the first must come before the whole chain (\[RF\] lemma 3.2).
    Mo {
        /// The location.
        location: Location,
        /// The first write or a read of it: it happens before `read`.
        access: Event,
        /// The read.
        read: Event,
    },
    /// Two writes to one location: the first is before the second in every coherence order.
    Co,
    /// The first reads a write that is before the second in every coherence order.
    Fr,
    /// The first reads `source`, which the second overwrites: `source` happens before it (\[RF\]
    /// weak-read-coherence).
    Overwritten {
        /// What is read.
        source: Source,
    },
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Unsupported {
    /// There is no algorithm for the model.
    #[error("consistency of partial executions cannot be checked under this model")]
    Model,
    /// Whether the model allows an execution depends on other ones.
    #[error(
        "whether XMM allows an execution depends on the other executions of its program, which a trace does not have"
    )]
    OtherExecutions,
    /// The order of SC fences, which the model needs, is in no trace, and too many were tried.
    #[error("no order of the SC fences was found, and there are too many to try them all")]
    ScFences,
    /// RC11 or C20 with SC accesses or fences: the search for a coherence order was given up.
    #[error(
        "the execution is not sequentially consistent as it was recorded, and too large for the search that SC \
             accesses and SC fences need under RC11 and C20"
    )]
    ScEvents,
    /// A search that may take exponential time was given up.
    #[error("no answer after {states} states of the search")]
    Budget {
        /// After how many states.
        states: u64,
    },
}
