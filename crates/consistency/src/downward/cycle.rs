//! Cycles of what is forced: `po`, `rf` and lemma 3.2.
//!
//! Events are taken in an order that all of these agree with, as long as there are any. Each thread that does not come to its
//! end then waits for an event that another thread has not come to; going from one to the next closes a cycle.

use super::forced::{Before, Forced};
use super::steps::{self, Kind, Streams};
use crate::answer::{Reason, Step, Why};
use crate::execution::{Event, Location, PartialExecution, Source};
use crate::incremental::hb::Notion;
use crate::incremental::history::WriteId;

/// `Ok` if `hb` together with the forced orderings is acyclic.
pub(super) fn acyclic(execution: &PartialExecution, forced: &Forced, notion: Notion) -> Result<(), Reason> {
    let streams = Streams::sra(execution, forced, notion);
    let mut done = vec![false; forced.chains.writes()];
    forced.inits.iter().for_each(|init| done[init.index()] = true);
    let taken = vec![0; streams.len()];
    let mut order = Order { execution, forced, streams: &streams, taken, done };
    order.take_all();
    order.cycle().map_or(Ok(()), |cycle| Err(Reason::Cycle(cycle)))
}

impl Before {
    /// The steps from the write to the first write of the chain.
    fn steps(&self, write: Event, top: Event, location: Location) -> Vec<Step> {
        if self.by != top {
            return vec![step(write, top, Why::Mo { location, access: self.access, read: self.by })];
        }
        // A write that has not been seen otherwise is known by a read of it.
        vec![step(write, self.access, Why::Rf), step(self.access, top, Why::Hb)]
    }
}

pub(super) fn step(from: Event, to: Event, why: Why) -> Step {
    Step { from: Source::Event(from), to: Source::Event(to), why }
}

/// Events in an order that `po`, `rf` and the forced orderings agree with, as far as there is one.
struct Order<'a> {
    execution: &'a PartialExecution,
    forced: &'a Forced,
    streams: &'a Streams,
    /// Per stream how many steps.
    taken: Vec<usize>,
    /// Per write.
    done: Vec<bool>,
}

impl Order<'_> {
    fn take_all(&mut self) {
        let mut progress = true;
        while progress {
            progress = false;
            for stream in 0..self.taken.len() {
                while self.next(stream).is_some() && self.missing(stream).is_none() {
                    self.take(stream);
                    progress = true;
                }
            }
        }
    }

    fn next(&self, stream: usize) -> Option<&steps::Step> {
        self.streams.steps(stream).get(self.taken[stream])
    }

    fn take(&mut self, stream: usize) {
        if let Some(write) = self.next(stream).and_then(|step| step.kind.written()) {
            self.done[write.index()] = true;
        }
        self.taken[stream] += 1;
    }

    /// What the next step of a stream waits for, and the steps from there to it.
    fn missing(&self, stream: usize) -> Option<(Event, Vec<Step>)> {
        let next = self.next(stream)?;
        let event =
            |write: WriteId| self.forced.chains.write(write).event.expect("nothing waits for initial writes");
        let Kind::Write { write } = next.kind else {
            let source = event(next.kind.source().filter(|source| !self.done[source.index()])?);
            return Some((source, vec![step(source, next.event, Why::Rf)]));
        };
        let before = self.forced.before(self.forced.chains.write(write).chain);
        let missing = before.iter().find(|before| !self.done[before.write.index()])?;
        let location = self.execution.location(next.event).expect("a write has one");
        Some((event(missing.write), missing.steps(event(missing.write), next.event, location)))
    }

    /// If some events are left: each of them waits for another one.
    fn cycle(&self) -> Option<Vec<Step>> {
        let waiting = (0..self.taken.len()).find(|&stream| self.next(stream).is_some())?;
        let next = |stream: usize| self.next(stream).expect("not at its end").event;
        Some(cycle(next(waiting), |event| {
            let (on, why) = self.missing(self.execution.thread(event).0 as usize).expect("it waits");
            Wait { on, behind: next(self.execution.thread(on).0 as usize), why }
        }))
    }
}

/// Why an event waits.
pub(super) struct Wait {
    /// For this one.
    pub(super) on: Event,
    /// Which is, or is po-after, this one that waits as well.
    pub(super) behind: Event,
    /// The steps from the first to the event that waits.
    pub(super) why: Vec<Step>,
}

/// The cycle that is reached from an event that waits, where every event that is waited for is behind one that waits.
pub(super) fn cycle(start: Event, wait: impl Fn(Event) -> Wait) -> Vec<Step> {
    let mut path = vec![start];
    let first = loop {
        let next = wait(path[path.len() - 1]).behind;
        if let Some(first) = path.iter().position(|&event| event == next) {
            break first;
        }
        path.push(next);
    };
    let mut steps = Vec::new();
    for &waits in path[first..].iter().rev() {
        let Wait { on, behind, why } = wait(waits);
        if on != behind {
            steps.push(step(behind, on, Why::Po));
        }
        steps.extend(why);
    }
    steps
}
