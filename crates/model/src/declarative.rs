//! The relations of one execution, from which the declarative texts of the models are written.
//!
//! Implements \[RCMC\] definitions 3.3 to 3.6. The events are numbered: first one initial write per location that is
//! accessed, then the threads in order. A read-modify-write, one event in a graph, is two here, related by `rmw`,
//! as in the paper.
//!
//! Differs: threads are created and joined. `asw` ("additional synchronises-with", the name of Batty et al.) has
//! the edges from a creation to every event of the child and from every event of a child to a join with it. It is
//! no part of `po`, but of `hb` and of `porf`. Publish, free and choose have no location and take part in `po` only.
//!
//! Cost: O(n²/64) words for n events, a few microseconds for a litmus test.

use crate::relation::{EventSet, Relation};
use crate::rules::Rules;
use base::{Access, EventId, Order};
use graph::{ExecutionGraph, Label, Malformed, Source};

/// A candidate execution: what the relations are read off. Every part is as in [`ExecutionGraph`].
pub trait Candidate {
    /// How many threads.
    fn threads(&self) -> usize;
    /// The events of a thread in program order.
    fn labels(&self, thread: usize) -> &[Label];
    /// Where a read reads from.
    fn source(&self, read: EventId) -> Source;
    /// Per location its writes in coherence order, without the initial one. Nothing for a model without `co`.
    fn co(&self) -> impl Iterator<Item = (Access, &[EventId])>;
}

impl Candidate for ExecutionGraph {
    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn labels(&self, thread: usize) -> &[Label] {
        &self.threads[thread]
    }

    fn source(&self, read: EventId) -> Source {
        self.rf[&read]
    }

    fn co(&self) -> impl Iterator<Item = (Access, &[EventId])> {
        self.co.iter().map(|(&at, writes)| (at, writes.as_slice()))
    }
}

/// The events, and the sets of them that the models speak of.
#[derive(Clone, Debug)]
pub struct Events {
    /// Per number the event of the graph that it is (a part of); `None` for initial writes.
    pub ids: Vec<Option<EventId>>,
    /// `R`
    pub reads: EventSet,
    /// `W`, initial writes included.
    pub writes: EventSet,
    /// `F`
    pub fences: EventSet,
    /// Creations and joins.
    pub forks: EventSet,
    /// Joins alone.
    pub joins: EventSet,
    /// Accesses and fences of at least relaxed order. Initial writes are not atomic.
    pub atomic: EventSet,
    /// `E^rel`: at least release.
    pub release: EventSet,
    /// `E^acq`: at least acquire.
    pub acquire: EventSet,
    /// `E^sc`
    pub sc: EventSet,
}

impl Events {
    fn new(events: usize) -> Events {
        let empty = EventSet::empty(events);
        Events {
            ids: Vec::with_capacity(events),
            reads: empty.clone(),
            writes: empty.clone(),
            fences: empty.clone(),
            forks: empty.clone(),
            joins: empty.clone(),
            atomic: empty.clone(),
            release: empty.clone(),
            acquire: empty.clone(),
            sc: empty,
        }
    }

    /// Add the next event and note its order.
    fn push(&mut self, id: Option<EventId>, order: Option<Order>) -> usize {
        let event = self.ids.len();
        self.ids.push(id);
        if order.is_some_and(|order| order >= Order::Relaxed) {
            self.atomic.insert(event);
        }
        match order {
            None | Some(Order::NotAtomic | Order::Relaxed) => {}
            Some(Order::Acquire) => self.acquire.insert(event),
            Some(Order::Release) => self.release.insert(event),
            Some(Order::AcqRel | Order::SeqCst) => {
                self.acquire.insert(event);
                self.release.insert(event);
            }
        }
        if order == Some(Order::SeqCst) {
            self.sc.insert(event);
        }
        event
    }
}

/// The relations of an execution.
#[derive(Clone, Debug)]
pub struct Relations {
    /// What they relate.
    pub events: Events,
    /// Same location.
    pub loc: Relation,
    /// Program order, `sb` in the paper: initial writes are before everything (\[RCMC\] definition 3.5).
    pub po: Relation,
    /// Reads-from.
    pub rf: Relation,
    /// Coherence order, `mo` in the paper: per location, the initial write first. Empty for a model without `co`.
    pub co: Relation,
    /// From-reads, `rf⁻¹ ; co`.
    pub fr: Relation,
    /// From the read to the write of a read-modify-write.
    pub rmw: Relation,
    /// From a creation to all of the child, from all of a child to the join.
    pub asw: Relation,
}

impl Relations {
    /// The relations of a well-formed candidate.
    ///
    /// # Panics
    /// If `rf` or `co` name events that are not there ([`ExecutionGraph::check`] would say so).
    pub fn of(candidate: &impl Candidate) -> Relations {
        let numbering = Numbering::of(candidate);
        let n = numbering.events;
        let mut relations = Relations {
            events: Events::new(n),
            loc: Relation::empty(n),
            po: Relation::empty(n),
            rf: Relation::empty(n),
            co: Relation::empty(n),
            fr: Relation::empty(n),
            rmw: Relation::empty(n),
            asw: Relation::empty(n),
        };
        relations.add_events(candidate, &numbering);
        relations.add_po(&numbering);
        relations.add_rf_and_co(candidate, &numbering);
        relations.add_asw(candidate, &numbering);
        relations
    }

    /// `[set]`
    pub fn identity(&self, set: &EventSet) -> Relation {
        Relation::identity(set, self.events.ids.len())
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.ids.len()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn add_events(&mut self, candidate: &impl Candidate, numbering: &Numbering) {
        let mut at_location = vec![EventSet::empty(numbering.events); numbering.locations.len()];
        for set in &mut at_location {
            let event = self.events.push(None, Some(Order::NotAtomic));
            self.events.writes.insert(event);
            set.insert(event);
        }
        for thread in 0..candidate.threads() {
            for (index, label) in candidate.labels(thread).iter().enumerate() {
                let id = Some(event_id(thread, index));
                let first = self.add_event(id, label);
                if let Some(at) = label.at() {
                    let location = numbering.location(at);
                    (first..self.len()).for_each(|event| at_location[location].insert(event));
                }
            }
        }
        for set in &at_location {
            set.iter().for_each(|event| self.loc.insert_all(event, set));
        }
    }

    /// Add the event of a label, or the two of a read-modify-write; the number of the first.
    fn add_event(&mut self, id: Option<EventId>, label: &Label) -> usize {
        if let Label::Rmw { order, .. } = label {
            let read = self.events.push(id, Some(order.read().into()));
            let write = self.events.push(id, Some(order.write().into()));
            self.events.reads.insert(read);
            self.events.writes.insert(write);
            self.rmw.insert(read, write);
            return read;
        }
        let event = self.events.push(id, label.order());
        match label {
            Label::Read { .. } => self.events.reads.insert(event),
            Label::Write { .. } => self.events.writes.insert(event),
            Label::Fence(_) => self.events.fences.insert(event),
            Label::Rmw { .. } => unreachable!("was two events"),
            Label::Create(_) => self.events.forks.insert(event),
            Label::Join(_) => {
                self.events.forks.insert(event);
                self.events.joins.insert(event);
            }
            Label::Publish(_) | Label::Free(_) => {}
            Label::Choose(_) | Label::Sleep(..) | Label::Notify(_) => {}
        }
        event
    }

    fn add_po(&mut self, numbering: &Numbering) {
        let mut all = EventSet::empty(numbering.events);
        for range in &numbering.threads {
            let mut later = EventSet::empty(numbering.events);
            for event in range.clone().rev() {
                self.po.insert_all(event, &later);
                later.insert(event);
                all.insert(event);
            }
        }
        (0..numbering.locations.len()).for_each(|initial| self.po.insert_all(initial, &all));
    }

    fn add_rf_and_co(&mut self, candidate: &impl Candidate, numbering: &Numbering) {
        let mut later: Vec<EventSet> = vec![EventSet::empty(numbering.events); numbering.locations.len()];
        for (at, writes) in candidate.co() {
            let location = numbering.location(at);
            for &write in writes.iter().rev() {
                let write = numbering.write(write);
                self.co.insert_all(write, &later[location]);
                later[location].insert(write);
            }
        }
        later.iter().enumerate().for_each(|(initial, all)| self.co.insert_all(initial, all));
        for thread in 0..candidate.threads() {
            for (index, label) in candidate.labels(thread).iter().enumerate().filter(|(_, l)| l.is_read()) {
                let read = event_id(thread, index);
                let source = match candidate.source(read) {
                    Source::Init => numbering.location(label.at().expect("reads have a location")),
                    Source::Event(write) => numbering.write(write),
                };
                self.rf.insert(source, numbering.first(read));
            }
        }
        self.fr = self.rf.inverse().compose(&self.co);
    }

    fn add_asw(&mut self, candidate: &impl Candidate, numbering: &Numbering) {
        let mut created = vec![None; candidate.threads()];
        for thread in 0..candidate.threads() {
            for (index, label) in candidate.labels(thread).iter().enumerate() {
                if let Label::Create(child) = label {
                    let create = numbering.first(event_id(thread, index));
                    created[child.index()] = Some(create);
                    numbering.threads[child.index()].clone().for_each(|event| self.asw.insert(create, event));
                }
            }
        }
        for thread in 0..candidate.threads() {
            for (index, label) in candidate.labels(thread).iter().enumerate() {
                if let Label::Join(child) = label {
                    let join = numbering.first(event_id(thread, index));
                    numbering.threads[child.index()].clone().for_each(|event| self.asw.insert(event, join));
                    // A child without events still leads from its creation to its end.
                    created[child.index()].into_iter().for_each(|create| self.asw.insert(create, join));
                }
            }
        }
    }
}

fn event_id(thread: usize, index: usize) -> EventId {
    EventId { thread: base::ThreadId(thread as u32), index: index as u32 }
}

/// Which number each event has.
struct Numbering {
    /// The initial write of `locations[i]` has number `i`.
    locations: Vec<Access>,
    /// Per thread its numbers.
    threads: Vec<std::ops::Range<usize>>,
    /// Per thread and event its first number and its last, which differ for a read-modify-write; thread after
    /// thread.
    numbers: Vec<(u32, u32)>,
    /// Where a thread starts in `numbers`.
    starts: Vec<usize>,
    /// How many numbers.
    events: usize,
}

impl Numbering {
    fn of(candidate: &impl Candidate) -> Numbering {
        let mut locations = Vec::new();
        for label in (0..candidate.threads()).flat_map(|thread| candidate.labels(thread)) {
            if let Some(at) = label.at()
                && !locations.contains(&at)
            {
                locations.push(at);
            }
        }
        let mut next = locations.len();
        let (mut threads, mut numbers, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for thread in 0..candidate.threads() {
            let first = next;
            starts.push(numbers.len());
            for label in candidate.labels(thread) {
                let last = next + usize::from(matches!(label, Label::Rmw { .. }));
                numbers.push((next as u32, last as u32));
                next = last + 1;
            }
            threads.push(first..next);
        }
        Numbering { locations, threads, numbers, starts, events: next }
    }

    fn location(&self, at: Access) -> usize {
        self.locations.iter().position(|&location| location == at).expect("co has accessed locations only")
    }

    /// The event, or the read of a read-modify-write.
    fn first(&self, event: EventId) -> usize {
        self.numbers[self.starts[event.thread.index()] + event.index as usize].0 as usize
    }

    /// The event, or the write of a read-modify-write.
    fn write(&self, event: EventId) -> usize {
        self.numbers[self.starts[event.thread.index()] + event.index as usize].1 as usize
    }
}

/// One axiom of a model.
#[derive(Clone, Copy, Debug)]
pub struct Axiom {
    /// Its name in the paper.
    pub name: &'static str,
    /// Whether the execution obeys it.
    pub holds: fn(&Relations) -> bool,
}

/// Why an execution is not consistent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Inconsistent {
    /// It is no execution: COMPLETENESS and VALID MO are here, too.
    #[error(transparent)]
    Malformed(Malformed),
    /// It violates the axiom of this name.
    #[error("{0} is violated")]
    Axiom(&'static str),
}

/// The first axiom of a model that the graph violates; `Ok` if it obeys all.
pub fn consistent(graph: &ExecutionGraph, model: &Rules) -> Result<(), Inconsistent> {
    let well_formed = if model.has_co() { graph.check() } else { graph.check_without_co() };
    match well_formed {
        // Atomicity is an axiom of every model; the name it has there says more.
        Ok(()) | Err(Malformed::RmwDetached(_)) => {}
        Err(malformed) => return Err(Inconsistent::Malformed(malformed)),
    }
    let relations = Relations::of(graph);
    match model.axioms.iter().find(|axiom| !(axiom.holds)(&relations)) {
        None => Ok(()),
        Some(axiom) => Err(Inconsistent::Axiom(axiom.name)),
    }
}

/// The one axiom that the graph of this text violates.
///
/// # Panics
/// If there is none, or more than one.
#[cfg(test)]
pub(crate) fn alone_forbidden_by(text: &str, model: &Rules) -> &'static str {
    let graph: ExecutionGraph = text.parse().expect("is a graph");
    let relations = Relations::of(&graph);
    let violated = model.axioms.iter().filter(|axiom| !(axiom.holds)(&relations));
    let names: Vec<&str> = violated.map(|axiom| axiom.name).collect();
    let &[name] = names.as_slice() else { panic!("{names:?} are violated by\n{text}") };
    assert_eq!(consistent(&graph, model), Err(Inconsistent::Axiom(name)), "{text}");
    name
}
