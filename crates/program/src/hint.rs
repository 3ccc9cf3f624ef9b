//! Hints: the knowledge of a front end about the pending request of a thread, as promises that let the engine leave
//! executions out.

use crate::{Await, Block, Program, Remains, Remark, Request, Role, Section};
use base::{RmwOrder, Site, Value};
use std::collections::BTreeSet;

/// Knowledge about the request that a state is about to make, or has just been told the answer to.
///
/// Every method has a default that promises nothing. A front end that does not know keeps it: then it costs more to
/// explore, and nothing else changes. A promise that does not hold loses executions.
pub trait Hint: Program {
    /// Whether the pending read is a part of a copy (`memcpy`, a struct assignment), or of an exchange whose old value
    /// is not used. Such a read of bytes that were never written is no error: padding is copied, too. They count as 0
    /// then.
    fn is_copy(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether the pending read may block the thread. [`Await::Success`], [`Await::Equal`] and [`Await::Failure`] are
    /// promises.
    fn awaits(&self, _state: &Self::State) -> Await {
        Await::No
    }

    /// Whether the pending atomic load is the first of a *pair*, and the order of the second. That is a promise:
    /// whatever is read, either it blocks the thread at once, or the thread asks next for a compare-exchange of the
    /// same place, with this order, which is no weaker than the load's, that expects the value that was read and is
    /// [`Await::Success`]. (The thread may have to publish something first: then the two are no pair.)
    fn pair(&self, _state: &Self::State) -> Option<RmwOrder> {
        None
    }

    /// The pending load, which is the first of a [pair](Hint::pair), reads this: run the thread to its next request, as
    /// [`Program::resume`] does, but as if it had made no event yet. A thread that goes on with the compare-exchange
    /// counts the two as one.
    fn read_ahead(&self, _state: &mut Self::State, _value: Value) -> Request {
        unreachable!("the program has no pairs")
    }

    /// The use that the thread makes of the answer to the pending read or read-modify-write. Asked if
    /// [`crate::Facts::may_undo`].
    fn role(&self, _state: &Self::State) -> Role {
        Role::Ordinary
    }

    /// Whether two states of one thread, which have made the same requests, are the same for all that the thread will
    /// ever do. Asked if [`crate::Facts::may_undo`].
    fn is_same(&self, _a: &Self::State, _b: &Self::State) -> bool {
        false
    }

    /// The atomic section that the pending request is in. Asked if [`crate::Facts::has_sections`].
    fn section(&self, _state: &Self::State) -> Option<Section> {
        None
    }

    /// Where the thread has looked at a clock: time was taken to stand still there, so that the exploration is not all
    /// that there is. Asked at the end of an execution if [`crate::Facts::looks_at_clocks`].
    fn clocks(&self, _state: &Self::State) -> Vec<Site> {
        Vec::new()
    }

    /// The memory that only this thread could reach, and the pointers that it holds, at the end of an execution in which it
    /// has finished or waits for ever. Asked if leaks are looked for.
    fn remains(&self, _state: &Self::State, _has_finished: bool) -> Remains {
        Remains::default()
    }

    /// An object of the heap was freed that other threads could have allocated again.
    fn note_freed(&self, _block: Block) {}

    /// The freed blocks for which it could make a difference, as far as the program has run, that they are allocated
    /// again, beyond [`crate::Refinements::reused`]. Asked before every step.
    fn newly_reused(&self) -> Option<Vec<Block>> {
        None
    }

    /// The notes behind [`Hint::newly_reused`], since the program was refined.
    fn remarks(&self) -> BTreeSet<Remark> {
        BTreeSet::new()
    }

    /// These are the notes from now on.
    fn recall(&self, _remarks: &BTreeSet<Remark>) {}
}
