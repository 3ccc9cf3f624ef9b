//! Standstill: runs in which every unfinished thread spins for ever.
//!
//! A thread *spins for ever* if it comes back to its current state when it reads the current values, and if all the
//! writes that it may still read on the way have these values. Its own writes must change no value, either. If that is
//! so for all threads at once, or they wait for each other, no value will ever change: whatever the threads still
//! choose, they stay where they are. So there are no false alarms; but a loop that counts its rounds, chooses, or
//! sleeps is not recognised.
//!
//! Differs: `explore/core/stuck.rs` asks the same of a program whose loops are cut.
//! Cost: some hundred steps of each thread, without events, each time that it is asked.

use crate::memory::LocationIndex;
use crate::run::{Run, Status};
use base::{ReadOrder, RmwOrder, Site, ThreadId, Value, WriteOrder};
use program::{Blocker, Hint, Request, resume};

/// A thread that spins for ever, and where.
pub type Spinning = (ThreadId, Site);

/// Rounds with more requests are not recognised.
const ROUND: usize = 256;

impl<P: Hint> Run<'_, P> {
    /// The threads that spin for ever, if every unfinished thread does or waits.
    #[cold]
    pub(crate) fn spinning(&self) -> Option<Vec<Spinning>> {
        let mut spinning = Vec::new();
        for (thread, now) in self.threads.iter().enumerate() {
            match now.status {
                Status::Finished(_) | Status::Waits(_) | Status::Blocked(Blocker::Exit) => {}
                Status::Ready => spinning.push((ThreadId(thread as u32), self.spins(thread)?)),
                // A thread that sleeps may wake up without reason; a run with a failed assumption counts for nothing.
                // Nothing is known about one that has stopped.
                Status::Asleep | Status::Blocked(_) | Status::Stopped => return None,
            }
        }
        Some(spinning).filter(|spinning| !spinning.is_empty())
    }

    /// The place where a thread spins for ever, as long as no value changes.
    fn spins(&self, thread: usize) -> Option<Site> {
        let mut state = self.threads[thread].state.clone();
        let mut request = self.threads[thread].request.clone();
        // Brent's cycle detection: compare with one earlier state, and replace that by a later one ever more seldom.
        let mut earlier = state.clone();
        for step in 1..=ROUND {
            let answer = self.unchanging(thread, &request)?;
            request = resume(self.program, &mut state, answer, |address| self.objects.size_of(address));
            if self.program.is_same(&state, &earlier) {
                return Some(self.program.site(&state));
            }
            if step.is_power_of_two() {
                earlier = state.clone();
            }
        }
        None
    }

    /// The answer to a request, if the request changes no value and has only one possible answer.
    fn unchanging(&self, thread: usize, request: &Request) -> Option<Value> {
        match *request {
            Request::Read { at, order } => {
                self.only_value(thread, self.objects.known(at)?, order == ReadOrder::SeqCst)
            }
            Request::Rmw { at, order, failure, .. } => {
                let is_sc = order == RmwOrder::SeqCst && failure == ReadOrder::SeqCst;
                let value = self.only_value(thread, self.objects.known(at)?, is_sc)?;
                let reading = request.reading(ThreadId(thread as u32), value, || at.address);
                reading.written.is_none_or(|(new, _)| new == value).then_some(reading.answer?)
            }
            Request::Write { at, value, order } => {
                let only = self.only_value(thread, self.objects.known(at)?, order == WriteOrder::SeqCst)?;
                (only == value).then_some(0)
            }
            Request::Fence(_) => Some(0),
            _ => None,
        }
    }

    /// The value of all writes that a thread may still read, if they have the same.
    fn only_value(&self, thread: usize, location: LocationIndex, is_sc: bool) -> Option<Value> {
        let first = self.memory.first(thread, location, is_sc);
        let writes = &self.memory.locations[location].writes;
        let value = writes.last()?.value?;
        writes[first..].iter().all(|write| write.value == Some(value)).then_some(value)
    }
}
