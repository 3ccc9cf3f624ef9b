//! Runs that go on for ever and nowhere: does every thread that has not finished spin, and will for all time?
//!
//! A thread *spins for ever* if, told the values that there are, it comes back to the state in which it is now, and if all the
//! writes that it may still read on the way have these values. What it writes itself must change no value, either. If
//! that is so for all threads at once, or they wait for each other, no value will ever change: whatever the threads still
//! choose, they stay where they are. So there are no false alarms; but a loop that counts its rounds, chooses, or sleeps is
//! not recognised.
//!
//! Differs: `explore/stuck.rs` asks the same of a program whose loops are cut.
//! Cost: some hundred steps of each thread, without events, each time that somebody asks.

use crate::memory::LocationIndex;
use crate::run::{Run, Status};
use base::{ReadOrder, RmwOrder, Site, ThreadId, Value, WriteOrder};
use program::{Blocker, Program, Request};

/// A thread that spins for ever, and where.
pub type Spinning = (ThreadId, Site);

/// Rounds with more requests are not recognised.
const ROUND: usize = 256;

impl<P: Program> Run<'_, P> {
    /// If nobody will ever get anywhere: the threads that spin.
    #[cold]
    pub(crate) fn spinning(&self) -> Option<Vec<Spinning>> {
        let mut spinning = Vec::new();
        for (thread, now) in self.threads.iter().enumerate() {
            match now.status {
                Status::Finished(_) | Status::Waits(_) | Status::Blocked(Blocker::Exit) => {}
                Status::Ready => spinning.push((ThreadId(thread as u32), self.spins(thread)?)),
                // Who sleeps may wake up without reason; an assumption that does not hold makes the run worthless.
                Status::Asleep | Status::Blocked(_) => return None,
            }
        }
        Some(spinning).filter(|spinning| !spinning.is_empty())
    }

    /// Where a thread spins for ever, as long as no value changes.
    fn spins(&self, thread: usize) -> Option<Site> {
        let mut state = self.threads[thread].state.clone();
        let mut request = self.threads[thread].request.clone();
        // Brent's way to find a cycle: compare with one earlier state, and take a later one ever more seldom.
        let mut earlier = state.clone();
        for step in 1..=ROUND {
            let answer = self.unchanging(thread, &request)?;
            request = self.resume(&mut state, answer);
            if self.program.is_same(&state, &earlier) {
                return Some(self.program.site(&state));
            }
            if step.is_power_of_two() {
                earlier = state.clone();
            }
        }
        None
    }

    /// The answer to a request that changes no value, if it can only be this one.
    fn unchanging(&self, thread: usize, request: &Request) -> Option<Value> {
        match *request {
            Request::Read { at, order } => {
                self.only_value(thread, self.objects.known(at)?, order == ReadOrder::SeqCst)
            }
            Request::Rmw { at, op, order, failure } => {
                let is_sc = order == RmwOrder::SeqCst && failure == ReadOrder::SeqCst;
                let value = self.only_value(thread, self.objects.known(at)?, is_sc)?;
                op.apply(value, at.size).is_none_or(|new| new == value).then_some(value)
            }
            Request::Write { at, value, order } => {
                let only = self.only_value(thread, self.objects.known(at)?, order == WriteOrder::SeqCst)?;
                (only == value).then_some(0)
            }
            Request::Fence(_) => Some(0),
            _ => None,
        }
    }

    /// The value of all writes that a thread may still read.
    fn only_value(&self, thread: usize, location: LocationIndex, is_sc: bool) -> Option<Value> {
        let first = self.memory.first(thread, location, is_sc);
        let writes = &self.memory.locations[location].writes;
        let value = writes.last()?.value?;
        writes[first..].iter().all(|write| write.value == Some(value)).then_some(value)
    }
}
