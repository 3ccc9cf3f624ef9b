//! Pairs: a load and the compare-exchange that expects the value it has read are one event.
//!
//! In `do old = x; while (guard(old) || !cas(&x, &old, f(old)));` nothing comes between the two but arithmetic, and the
//! thread is blocked if the compare-exchange fails (`Hint::pair`). So only executions matter in which it succeeds.
//!
//! Argument: in these, let the load read the very write `w` that the compare-exchange reads: that is an execution, too,
//! in which the thread itself and all others do the same.
//! * The value is the same, for the compare-exchange expects it.
//! * `w` can be read: a write that overwrites it for the load would overwrite it for the compare-exchange, which is
//!   later.
//! * Synchronisation of the load with its old source is given up. That forbids nothing and hides no race (but see
//!   below). The compare-exchange synchronises with `w` if the load does: it is of no weaker order.
//! * In `psc`, a cycle through the load could go through the compare-exchange: events before the one are before the
//!   other; the event after the load because of `fr` is the compare-exchange, or after it in `co`.
//!
//! By the same argument the load need not be there. There is left one read-modify-write whose thread knows the value
//! that it writes, and that blocks its thread, as a mere read with the load's order, where the guard does not let it
//! try. That is a lock in the sense of `waiting.rs`: it waits instead. No value has to be found twice, so it makes no
//! difference if values come back.
//!
//! Outside of the exploration none of this is visible: snapshots, reports and replays show both events ([`Room::id`]
//! counts so).
//!
//! Relies on: `Use::Paired`. Where a thread writes plainly, or where the initial value may be unknown to the thread,
//! the load may race though the compare-exchange does not, for that acquires more, and comes later
//! (`race_load_before_compare_exchange.c` and `race_initialisation_before_compare_exchange.c` in `tests/wrong`). Such
//! locations have no pairs; if there were some before, the exploration starts again. (A `free` needs no such care: a
//! thread that comes to a load when the memory is gone is wrong whatever it would read.) A pair waits under
//! `Use::Chain` only, as any spinlock does; where that is refuted, there still are pairs, but they do not wait.
//!
//! Lost: executions with a failing attempt. Where XMM re-executes from these, and where threads that spin for
//! ever are looked for, there are no pairs.
//!
//! Compared by: `vm/tests/it/spin` has the same final states and errors with and without; `tests/programs/pairs.rs` has
//! the very executions.
//!
//! Cost: a copy of the thread, which runs to its compare-exchange, for each write that could be read.

use crate::core::shape::Shape;
use crate::core::threads::Current;
use crate::ledger::Use;
use crate::notes::Facts;
use crate::reductions::Room;
use base::{EventId, ReadOrder, Site, ThreadId, Value};
use graph::{ExecutionGraph, Label, Source};
use live::{EventRef, LocationId};
use program::{Hint, Reading, Request, RmwOp};
use std::collections::BTreeMap;

/// The room of pairs; it has no state.
#[derive(Debug)]
pub(crate) struct Pairs;

impl<P: Hint, C: Shape> Room<'_, Pairs, P, C> {
    /// Whether `e` is a load and a compare-exchange that has succeeded.
    #[inline(always)]
    pub(crate) fn is_pair(&self, e: EventRef) -> bool {
        self.graph.event(e).kind.is_update() && self.before(e).pair.is_some()
    }

    /// The name of an event in the program, for which a pair is two events; of a pair, the name of the second one.
    pub(crate) fn id(&self, e: EventRef) -> EventId {
        let EventId { thread, index } = self.graph.id(e);
        let up_to = &self.graph.po(thread)[..=index as usize];
        let pairs = up_to.iter().filter(|&&e| self.is_pair(e)).count();
        EventId { thread, index: index + pairs as u32 }
    }

    /// If the thread asks for a pair there, rely on that; note if the initial value may be unknown to its load.
    #[inline(always)]
    pub(crate) fn rely_on_pair(&self, thread: ThreadId, location: LocationId) {
        if self.threads.get(thread).pair.is_none() {
            return;
        }
        self.rely(location, Use::Paired);
        let prefix = self.graph.prefix(thread);
        let known = |other| self.graph.counts(prefix, other).0;
        if self.objects.unknown_init(thread, location, known).is_some() {
            self.see(location, Facts::EXPOSED);
        }
    }

    /// The effect of a pair whose load reads this value.
    #[cold]
    pub(crate) fn read(&self, now: &Current<P::State>, value: Option<Value>) -> Reading {
        let Request::Read { at, order: failure } = now.request else {
            unreachable!("a pair begins with a load")
        };
        let alone = |answer| Reading::read(failure, answer);
        // To read memory that was never written is an error of the load.
        let Some(value) = value else { return alone(0) };
        match self.read_ahead(now, value).0 {
            Request::Rmw { at: second, op: RmwOp::CompareExchange { expected, new }, order, .. }
                if (second, expected) == (at, value) =>
            {
                Reading::update(order, new, value)
            }
            // The thread is blocked, or has to publish something first.
            _ => alone(value),
        }
    }

    /// The thread's request for its compare-exchange, if its load reads this value, and its state there.
    fn read_ahead(&self, now: &Current<P::State>, value: Value) -> (Request, P::State) {
        let mut state = now.state.clone();
        let request = self.program.read_ahead(&mut state, value);
        (request, state)
    }

    /// The graph as the program sees it: each pair is two events.
    pub(crate) fn unfold(&self, folded: ExecutionGraph) -> ExecutionGraph {
        let events = self.graph.thread_ids().flat_map(|thread| self.graph.po(thread));
        let pairs: BTreeMap<EventId, ReadOrder> = events
            .filter(|&&e| self.is_pair(e))
            .map(|&e| match self.before(e).request {
                Request::Read { order, .. } => (self.graph.id(e), order),
                ref request => unreachable!("{request:?} is no pair"),
            })
            .collect();
        if pairs.is_empty() { folded } else { unfold(&pairs, &folded) }
    }

    /// The instructions that an event comes from: those of a pair are two.
    pub(crate) fn sites(&self, e: EventRef) -> impl Iterator<Item = Site> + use<P, C> {
        let load = self.is_pair(e).then(|| self.program.site(&self.before(e).state));
        load.into_iter().chain([self.site(e)])
    }

    /// The calls that led to these instructions.
    pub(crate) fn callers(&self, e: EventRef) -> Vec<Vec<Site>> {
        let load = self.program.callers(&self.before(e).state);
        match self.is_pair(e) {
            true => vec![load, self.program.callers(&self.second_state(e))],
            false => vec![load],
        }
    }

    /// The instruction of the second event of a pair.
    #[cold]
    pub(crate) fn second_site(&self, e: EventRef) -> Site {
        self.program.site(&self.second_state(e))
    }

    fn second_state(&self, e: EventRef) -> P::State {
        let value = self.graph.value(self.graph.event(e).rf).unwrap_or(0);
        self.read_ahead(self.before(e), value).1
    }
}

/// The graph in which each of these read-modify-writes comes after a load, of that order, that reads the same.
fn unfold(pairs: &BTreeMap<EventId, ReadOrder>, folded: &ExecutionGraph) -> ExecutionGraph {
    let name = |id: EventId| {
        let first = EventId { index: 0, ..id };
        EventId { index: id.index + pairs.range(first..=id).count() as u32, ..id }
    };
    let mut graph = ExecutionGraph { threads: vec![Vec::new(); folded.threads.len()], ..folded.clone() };
    for (id, label) in folded.events() {
        let labels = &mut graph.threads[id.thread.index()];
        if let (Some(&order), &Label::Rmw { at, read: value, .. }) = (pairs.get(&id), label) {
            labels.push(Label::Read { at, order, value });
        }
        labels.push(label.clone());
    }
    graph.rf.clear();
    for (&id, &source) in &folded.rf {
        let source = match source {
            Source::Init => Source::Init,
            Source::Event(w) => Source::Event(name(w)),
        };
        let second = name(id);
        graph.rf.insert(second, source);
        if pairs.contains_key(&id) {
            graph.rf.insert(EventId { index: second.index - 1, ..second }, source);
        }
    }
    graph.co.values_mut().flatten().for_each(|w| *w = name(*w));
    graph
}
