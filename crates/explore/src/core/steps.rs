//! Steps that a thread has taken before: a position remembers where answers have led from it.
//!
//! An exploration takes the same event out and adds it again, many times, and most of the time its thread is told the same
//! value again. Where the thread goes then depends on its position and on that value alone, so it is not run again.
//!
//! Relies on: `Program::resume` is a function of the state and the answer, its remarks are never taken back, and
//! assumptions may be relied on, or not, throughout a pass. The one thing that it may ask for besides, the size of an
//! object, depends on the execution: a step that has asked for one is not remembered (`Objects::sizes_told`).
//!
//! Compared by: a debug assertion in `Construction::answer`, which runs the thread all the same.
//!
//! Cost: a few comparisons instead of a copy and a run of the thread. Positions are boxes that would be kept for use again
//! in any case, up to a limit (`Threads`).

use crate::core::threads::Current;
use base::Value;
use std::cell::Cell;

/// So many steps from one position are remembered.
const MOST_TAKEN: usize = 24;

/// So many tries at one position.
const TRIES: usize = 4;

/// The steps to and from a position of a thread.
#[derive(Debug)]
pub(crate) struct Steps<S> {
    /// The answer that has led to it; `None` if more than that counted.
    told: Option<Value>,
    /// Answers, and the positions that they have led to from it.
    taken: Vec<(Value, Box<Current<S>>)>,
    /// Values that were tried there, and whether they block the thread.
    tried: [Cell<Option<(Value, bool)>>; TRIES],
}

impl<S> Steps<S> {
    /// Those of a position that this answer has led to.
    pub(crate) fn new(told: Option<Value>) -> Steps<S> {
        Steps { told, taken: Vec::new(), tried: Default::default() }
    }

    /// The same, in place; positions that are forgotten go to `spare`.
    #[inline(always)]
    pub(crate) fn restart(&mut self, told: Option<Value>, spare: &mut Vec<Box<Current<S>>>) {
        self.told = told;
        self.forget(spare);
        self.tried = Default::default();
    }

    /// Forget the positions that were reached from here; they go to `spare`.
    #[inline(always)]
    pub(crate) fn forget(&mut self, spare: &mut Vec<Box<Current<S>>>) {
        spare.extend(self.taken.drain(..).map(|(_, reached)| reached));
    }

    /// The answer that has led here.
    #[inline(always)]
    pub(crate) fn told(&self) -> Option<Value> {
        self.told
    }

    /// Remember the position that was reached by this answer. Returns one that is forgotten for it.
    #[inline(always)]
    pub(crate) fn keep(&mut self, answer: Value, reached: Box<Current<S>>) -> Option<Box<Current<S>>> {
        if self.taken.len() < MOST_TAKEN {
            self.taken.push((answer, reached));
            return None;
        }
        let slot = &mut self.taken[answer as usize % MOST_TAKEN];
        Some(std::mem::replace(slot, (answer, reached)).1)
    }

    /// The position that this answer has led to, if it is remembered.
    #[inline(always)]
    pub(crate) fn take(&mut self, answer: Value) -> Option<Box<Current<S>>> {
        let index = self.taken.iter().position(|&(told, _)| told == answer)?;
        Some(self.taken.swap_remove(index).1)
    }

    /// Whether the value blocks the thread, if it was tried.
    #[inline(always)]
    pub(crate) fn tried(&self, value: Value) -> Option<bool> {
        self.slot(value).get().filter(|&(tried, _)| tried == value).map(|(_, blocks)| blocks)
    }

    /// Remember that the value blocks the thread, or does not.
    #[inline(always)]
    pub(crate) fn note_try(&self, value: Value, blocks: bool) {
        self.slot(value).set(Some((value, blocks)));
    }

    #[inline(always)]
    fn slot(&self, value: Value) -> &Cell<Option<(Value, bool)>> {
        // Addresses differ in other bits than small numbers.
        &self.tried[(value ^ value >> 5) as usize % TRIES]
    }
}

/// A copy of a position is another one: nothing is known about it.
impl<S> Clone for Steps<S> {
    fn clone(&self) -> Steps<S> {
        Steps::new(None)
    }
}
