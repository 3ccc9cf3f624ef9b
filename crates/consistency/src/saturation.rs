//! Why an execution is inconsistent under SC or TSO, where every order was tried: a cycle, if one is forced.
//!
//! Under both models there is one order of all that the memory sees. It contains program order (under TSO without
//! writes and later reads that nothing drains in between) and `rf` (under TSO between threads). It forces more, until
//! nothing new comes or there is a cycle:
//!
//! - a write that is before a read of the same location, and is not what it reads, is before that (`co`);
//! - a read of a write is before every write that comes after that one (`fr`).
//!
//! Not every inconsistent execution has such a cycle: the problem is NP-hard. Most have.
//!
//! Cost: O(n³/64) a round, and at most [`MAX_EVENTS`] events.

use crate::answer::{Step, Why};
use crate::execution::{Event, Op, PartialExecution, Source, Thread};
use base::Order;
use model::GlobalAxiom;
use model::relation::Relation;
use std::collections::{BTreeMap, VecDeque};

/// Larger executions are not explained: the matrices grow with the square.
const MAX_EVENTS: usize = 600;

/// A shortest cycle of what is forced, if there is one and the execution is not too large.
pub(crate) fn cycle(execution: &PartialExecution, axiom: GlobalAxiom) -> Option<Vec<Step>> {
    if execution.len() > MAX_EVENTS {
        return None;
    }
    let mut forced = Forced::of(execution, axiom);
    loop {
        let before = forced.order.plus();
        if !before.is_irreflexive() {
            return forced.shortest_cycle(&before);
        }
        if !forced.grow(&before) {
            return None;
        }
    }
}

struct Forced<'a> {
    execution: &'a PartialExecution,
    axiom: GlobalAxiom,
    order: Relation,
    /// Per pair of it the reason.
    why: BTreeMap<(usize, usize), Why>,
}

impl Forced<'_> {
    fn of(execution: &PartialExecution, axiom: GlobalAxiom) -> Forced<'_> {
        let order = Relation::empty(execution.len());
        let mut forced = Forced { execution, axiom, order, why: BTreeMap::new() };
        for thread in (0..execution.thread_count() as u32).map(Thread) {
            forced.program_order(execution.po(thread));
        }
        for read in execution.events() {
            if let Some(Source::Event(write)) = execution.source(read)
                && (axiom == GlobalAxiom::Sc || execution.thread(write) != execution.thread(read))
            {
                forced.insert(write, read, Why::Rf);
            }
        }
        forced
    }

    fn program_order(&mut self, events: &[Event]) {
        for (i, &first) in events.iter().enumerate() {
            // Under TSO, whether the store buffer was empty at some time after the first event.
            let mut drained = self.drains(first);
            for &second in &events[i + 1..] {
                drained |= self.drains(second);
                let delayed = self.execution.writes(first) && self.execution.reads(second) && !drained;
                if self.axiom == GlobalAxiom::Sc || !delayed {
                    self.insert(first, second, Why::Po);
                }
            }
        }
    }

    fn drains(&self, e: Event) -> bool {
        match self.execution.op(e) {
            Op::Rmw => true,
            Op::Write | Op::Fence => self.execution.order(e) == Order::SeqCst,
            Op::Read => false,
        }
    }

    fn insert(&mut self, first: Event, second: Event, why: Why) -> bool {
        let pair = (first.index(), second.index());
        let is_new = !self.order.contains(pair.0, pair.1);
        if is_new {
            self.order.insert(pair.0, pair.1);
            self.why.insert(pair, why);
        }
        is_new
    }

    /// Add the edges that the order so far forces; whether there were any.
    fn grow(&mut self, before: &Relation) -> bool {
        let execution = self.execution;
        let mut grown = false;
        for read in execution.events().filter(|&e| execution.reads(e)) {
            let source = execution.source(read).expect("it reads");
            let others = execution.events().filter(|&e| {
                execution.writes(e)
                    && e != read
                    && Source::Event(e) != source
                    && execution.location(e) == execution.location(read)
            });
            for write in others {
                if let Source::Event(source) = source
                    && self.is_before(before, write, read)
                {
                    grown |= self.insert(write, source, Why::Co);
                }
                let is_overwritten = match source {
                    Source::Init => true,
                    Source::Event(source) => before.contains(source.index(), write.index()),
                };
                if is_overwritten {
                    grown |= self.insert(read, write, Why::Fr);
                }
            }
        }
        grown
    }

    /// Whether a write of the same location is before a read. A thread sees its own writes also while they are in its
    /// buffer.
    fn is_before(&self, before: &Relation, write: Event, read: Event) -> bool {
        let execution = self.execution;
        before.contains(write.index(), read.index())
            || execution.thread(write) == execution.thread(read)
                && execution.position(write) < execution.position(read)
    }

    fn shortest_cycle(&self, before: &Relation) -> Option<Vec<Step>> {
        let on_cycle = (0..self.execution.len()).filter(|&e| before.contains(e, e));
        let cycles = on_cycle.filter_map(|e| self.shortest_cycle_through(e));
        cycles.min_by_key(Vec::len)
    }

    /// Breadth first.
    fn shortest_cycle_through(&self, start: usize) -> Option<Vec<Step>> {
        let mut previous = vec![None; self.execution.len()];
        let mut reached = VecDeque::from([start]);
        while let Some(at) = reached.pop_front() {
            for next in self.order.successors(at) {
                if previous[next].is_none() {
                    previous[next] = Some(at);
                    reached.push_back(next);
                }
                if next == start {
                    return Some(self.steps_back(start, &previous));
                }
            }
        }
        None
    }

    fn steps_back(&self, start: usize, previous: &[Option<usize>]) -> Vec<Step> {
        let event = |e: usize| Source::Event(Event(e as u32));
        let mut steps = Vec::new();
        let mut to = start;
        loop {
            let from = previous[to].expect("was reached");
            steps.push(Step { from: event(from), to: event(to), why: self.why[&(from, to)] });
            if from == start {
                break;
            }
            to = from;
        }
        steps.reverse();
        steps
    }
}
