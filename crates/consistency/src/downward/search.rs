//! The search: take steps until all are taken, branch where it matters, remember what failed.
//!
//! A location is *open* if its last write still has readers, or a read-modify-write, to come; then nothing else may write
//! to it. Most steps are *safe*: if they can be taken now, they can be taken first in whatever completes the execution.
//! A step that does not write is safe: it waits for nothing that is still to come. A read-modify-write is, for it is the
//! only write that can be next at its location. And a write that leaves its location closed is: the other writes do not
//! care whether it is before or after them, and reads are with their writes. What is left are writes that open
//! their location: whether to take one of them now is a decision.
//!
//! A decision is final as soon as the location that it opened is closed again, if those opened after it are as well:
//! all that was taken since is whole, and can come first in whatever completes the execution, for other writes to
//! the same locations cannot be in the middle of it. So alternatives are tried only if the search gets stuck with
//! locations open: chains that need each other to be completed. The frontiers from which all alternatives have failed
//! are kept.
//!
//! Implements: \[RF\] section 4.2, where every step is a decision.

use super::forced::Forced;
use super::steps::{Kind, Step, Streams};
use crate::answer::Unsupported;
use crate::execution::{Event, Location, PartialExecution};
use crate::incremental::history::WriteId;
use std::collections::BTreeSet;

/// How a location stands.
#[derive(Clone, Copy)]
struct State {
    last: WriteId,
    /// The decision to execute the first write of the last one's chain, if it was one.
    opener: Option<usize>,
}

/// A step that was taken.
struct Taken {
    stream: u32,
    /// How the location stood, if the step is a write.
    before: Option<State>,
    /// The decision whose location it closed.
    closed: Option<usize>,
}

/// A choice between writes that open their locations.
struct Decision {
    /// The streams whose next step is such a write.
    choices: Vec<u32>,
    /// How many of them have been tried.
    tried: usize,
    /// How many steps had been taken.
    taken: usize,
    /// Which location was opened.
    location: usize,
    /// Whether it was closed again.
    closed: bool,
}

/// The search.
pub(super) struct Search<'a> {
    execution: &'a PartialExecution,
    forced: &'a Forced,
    streams: &'a Streams,
    /// Per stream how many steps have been taken.
    frontier: Vec<u32>,
    locations: Vec<State>,
    /// Per write, whether it has been executed.
    executed: Vec<bool>,
    /// Per write, how many of its readers have not been executed.
    readers: Vec<u32>,
    /// The writes in the order in which they were executed.
    order: Vec<Event>,
    /// What was taken since the first decision that is not final.
    taken: Vec<Taken>,
    decisions: Vec<Decision>,
    /// The frontiers at which every choice has failed.
    failed: BTreeSet<Vec<u32>>,
    states: u64,
    limit: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        execution: &'a PartialExecution,
        forced: &'a Forced,
        streams: &'a Streams,
        limit: u64,
    ) -> Search<'a> {
        let writes = forced.chains.writes();
        let inits = (0..execution.location_count() as u32).map(|location| forced.init(Location(location)));
        let locations: Vec<State> = inits.map(|last| State { last, opener: None }).collect();
        let mut executed = vec![false; writes];
        locations.iter().for_each(|location| executed[location.last.index()] = true);
        let mut readers = vec![0; writes];
        for step in streams.iter() {
            if let Kind::Read { source } | Kind::Buffered { source } = step.kind {
                readers[source.index()] += 1;
            }
        }
        Search {
            execution,
            forced,
            streams,
            frontier: vec![0; streams.len()],
            locations,
            executed,
            readers,
            order: Vec::new(),
            taken: Vec::new(),
            decisions: Vec::new(),
            failed: BTreeSet::new(),
            states: 0,
            limit,
        }
    }

    /// A coherence order, if there is one.
    pub(super) fn run(mut self) -> Result<Option<Vec<Vec<Event>>>, Unsupported> {
        loop {
            self.take_safe_steps();
            if self.is_complete() {
                return Ok(Some(self.coherence_order()));
            }
            let choices = self.choices();
            if !choices.is_empty() && !self.failed.contains(&self.frontier) {
                self.states += 1;
                if self.states > self.limit {
                    return Err(Unsupported::Budget { states: self.limit });
                }
                self.decide(choices);
            } else if !self.backtrack() {
                return Ok(None);
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.frontier.iter().enumerate().all(|(stream, &at)| self.streams.steps(stream).len() == at as usize)
    }

    fn coherence_order(&self) -> Vec<Vec<Event>> {
        let mut co = vec![Vec::new(); self.execution.location_count()];
        self.order.iter().for_each(|&write| co[self.location(write)].push(write));
        co
    }

    fn take_safe_steps(&mut self) {
        let mut progress = true;
        while progress {
            progress = false;
            for stream in 0..self.streams.len() {
                while self.next(stream).is_some_and(|step| self.is_executable(step) && !self.opens(step)) {
                    self.take(stream);
                    progress = true;
                }
            }
        }
    }

    /// The streams whose next step can be taken but opens a location, in the order in which the events arrived: traces of
    /// programs that ran often arrive in an order that completes them.
    fn choices(&self) -> Vec<u32> {
        let can = |stream: &usize| self.next(*stream).is_some_and(|step| self.is_executable(step));
        let mut choices: Vec<usize> = (0..self.streams.len()).filter(can).collect();
        choices.sort_by_key(|&stream| self.next(stream).map(|step| step.event));
        choices.into_iter().map(|stream| stream as u32).collect()
    }

    fn decide(&mut self, choices: Vec<u32>) {
        self.decisions.push(Decision {
            choices,
            tried: 0,
            taken: self.taken.len(),
            location: 0,
            closed: false,
        });
        self.try_next_choice();
    }

    /// Go back to the last decision that has a choice left; whether there is one.
    fn backtrack(&mut self) -> bool {
        while let Some(decision) = self.decisions.last() {
            let (taken, left) = (decision.taken, decision.tried < decision.choices.len());
            while self.taken.len() > taken {
                self.undo();
            }
            if left {
                self.try_next_choice();
                return true;
            }
            self.failed.insert(self.frontier.clone());
            self.decisions.pop();
        }
        false
    }

    fn try_next_choice(&mut self) {
        let decision = self.decisions.last().expect("there is one to make");
        let stream = decision.choices[decision.tried] as usize;
        let location = self.location(self.next(stream).expect("was executable").event);
        let decision = self.decisions.last_mut().expect("there is one to make");
        decision.tried += 1;
        decision.location = location;
        self.take(stream);
    }

    #[inline(always)]
    fn next(&self, stream: usize) -> Option<&'a Step> {
        self.streams.steps(stream).get(self.frontier[stream] as usize)
    }

    fn location(&self, access: Event) -> usize {
        self.execution.location(access).expect("an access has a location").0 as usize
    }

    /// Whether the write has readers, or a read-modify-write, that were not executed.
    fn is_open(&self, last: WriteId) -> bool {
        self.readers[last.index()] > 0 || self.forced.chains.write(last).updated_by.is_some()
    }

    fn opens(&self, step: &Step) -> bool {
        matches!(step.kind, Kind::Write { write } if self.is_open(write))
    }

    fn is_executable(&self, step: &Step) -> bool {
        let last = |event| self.locations[self.location(event)].last;
        let after = step.after.is_none_or(|after| self.frontier[after.stream as usize] >= after.steps);
        after
            && match step.kind {
                Kind::Pass => true,
                Kind::Acquire { source } => self.executed[source.index()],
                Kind::Read { source } => last(step.event) == source,
                Kind::Buffered { source } => !self.executed[source.index()] || last(step.event) == source,
                Kind::Write { write } => !self.is_open(last(step.event)) && self.is_enabled(write),
                Kind::Update { source, .. } => {
                    last(step.event) == source && self.readers[source.index()] == 0
                }
            }
    }

    /// Whether all writes have been executed that lemma 3.2 puts before the chain of the write.
    fn is_enabled(&self, write: WriteId) -> bool {
        let before = self.forced.before(self.forced.chains.write(write).chain);
        before.iter().all(|before| self.executed[before.write.index()])
    }

    fn take(&mut self, stream: usize) {
        let step = self.next(stream).expect("is executable");
        self.frontier[stream] += 1;
        let mut taken = Taken { stream: stream as u32, before: None, closed: None };
        match step.kind {
            Kind::Pass | Kind::Acquire { .. } => {}
            Kind::Read { source } | Kind::Buffered { source } => self.readers[source.index()] -= 1,
            Kind::Write { write } | Kind::Update { write, .. } => {
                taken.before = Some(self.overwrite(step, write));
                self.executed[write.index()] = true;
                self.order.push(step.event);
            }
        }
        taken.closed = self.closed_decision(step);
        if !self.decisions.is_empty() {
            self.taken.push(taken);
        }
        self.make_final();
    }

    /// Make the write the last one of its location; how that stood before.
    fn overwrite(&mut self, step: &Step, write: WriteId) -> State {
        let (opens, decision) = (self.opens(step), self.decisions.len().checked_sub(1));
        let location = self.location(step.event);
        let before = self.locations[location];
        let opener = match step.kind {
            Kind::Update { .. } => before.opener,
            _ => decision.filter(|_| opens),
        };
        self.locations[location] = State { last: write, opener };
        before
    }

    /// The decision that opened the location of this step, if that is closed now.
    fn closed_decision(&self, step: &Step) -> Option<usize> {
        if self.decisions.is_empty() || matches!(step.kind, Kind::Pass | Kind::Acquire { .. }) {
            return None;
        }
        let location = self.location(step.event);
        let State { last, opener } = self.locations[location];
        // It may have been closed before, by a read from the store buffer, and not be there any more.
        let is_its = |decision: &Decision| decision.location == location && !decision.closed;
        opener.filter(|&opener| !self.is_open(last) && self.decisions.get(opener).is_some_and(is_its))
    }

    /// Mark the decision that the last step has closed, and forget the alternatives of those that are whole.
    fn make_final(&mut self) {
        let Some(closed) = self.taken.last().and_then(|taken| taken.closed) else { return };
        self.decisions[closed].closed = true;
        while self.decisions.last().is_some_and(|decision| decision.closed) {
            self.decisions.pop();
        }
        if self.decisions.is_empty() {
            self.taken.clear();
        }
    }

    fn undo(&mut self) {
        let taken = self.taken.pop().expect("something was taken");
        let stream = taken.stream as usize;
        self.frontier[stream] -= 1;
        let step = self.next(stream).expect("was taken");
        if let Some(decision) = taken.closed.and_then(|closed| self.decisions.get_mut(closed)) {
            decision.closed = false;
        }
        match step.kind {
            Kind::Pass | Kind::Acquire { .. } => {}
            Kind::Read { source } | Kind::Buffered { source } => self.readers[source.index()] += 1,
            Kind::Write { write } | Kind::Update { write, .. } => {
                let location = self.location(step.event);
                self.locations[location] = taken.before.expect("a write overwrites");
                self.executed[write.index()] = false;
                self.order.pop();
            }
        }
    }
}
