//! Small executions, by the declarative texts: every coherence order that could do is tried.
//!
//! This answers what the fast checks do not: models that have none, SC accesses, several threads with SC fences under
//! models in which these are read-modify-writes of one location. An order that could do agrees with `po` and puts each
//! read-modify-write right after what it reads; every model with `co` demands both.
//!
//! Cost: exponential, but bounded: [`MAX_ORDERS`] orders, or one of [`MAX_EVENTS`] events.

use crate::answer::{Answer, Reason, Witness};
use crate::execution::{Event, Location, Op, PartialExecution, Source};
use crate::label::{SC_FENCE, access, label};
use crate::porf;
use base::{Access, EventId, Order, ThreadId};
use graph::{ExecutionGraph, Label};
use model::declarative::Relations;
use model::{Model, ra};
use std::collections::BTreeMap;

/// The most events, where there is one order to try.
pub(crate) const MAX_EVENTS: usize = 1000;

/// The most events, where there are several.
const MAX_EVENTS_IN_SEARCH: usize = 64;

/// The most orders, all locations together.
const MAX_ORDERS: usize = 20_000;

/// The answer, with the `co` that is given for some locations; `None` if the execution is not small.
pub(crate) fn check(execution: &PartialExecution, given: &[Vec<Event>], model: Model) -> Option<Answer> {
    if execution.len() > MAX_EVENTS {
        return None;
    }
    if let Some(reason) = whatever_the_order(execution) {
        return Some(Answer::Inconsistent(reason));
    }
    let choices = Choices::of(execution, given, model)?;
    let count = choices.count()?;
    if count > 1 && execution.len() > MAX_EVENTS_IN_SEARCH {
        return None;
    }
    let mut graph = graph(execution, model);
    let mut violated = Vec::new();
    for number in 0..count {
        choices.choose(number, execution, &mut graph);
        match violated_axiom(&graph, model) {
            None => return Some(Answer::Consistent(choices.witness(number))),
            Some(axiom) if violated.contains(&axiom) => {}
            Some(axiom) => violated.push(axiom),
        }
    }
    Some(Answer::Inconsistent(Reason::Axioms { tried: count, violated }))
}

/// What every model forbids, whatever `co` is: a cycle of `po` and `rf`, and a write that is updated twice.
fn whatever_the_order(execution: &PartialExecution) -> Option<Reason> {
    if let Err(cycle) = porf::linearise(execution) {
        return Some(Reason::Cycle(cycle));
    }
    let mut updates = BTreeMap::new();
    for second in execution.events().filter(|&e| execution.op(e) == Op::Rmw) {
        let (location, source) = (execution.location(second)?, execution.source(second)?);
        let key = match source {
            Source::Init => (location, None),
            Source::Event(write) => (location, Some(write)),
        };
        if let Some(first) = updates.insert(key, second) {
            return Some(Reason::SharedSource { location, source, first, second });
        }
    }
    None
}

fn violated_axiom(graph: &ExecutionGraph, model: Model) -> Option<&'static str> {
    let relations = Relations::of(graph);
    model.rules().axioms.iter().find(|axiom| !(axiom.holds)(&relations)).map(|axiom| axiom.name)
}

/// The orders to try.
struct Choices {
    /// Per location its orders; none at all under a model without `co`.
    co: Vec<Vec<Vec<Event>>>,
    /// The orders of the SC fences, where these are read-modify-writes of one location.
    fences: Vec<Vec<Event>>,
}

impl Choices {
    /// `None` if there are too many.
    fn of(execution: &PartialExecution, given: &[Vec<Event>], model: Model) -> Option<Choices> {
        let rules = model.rules();
        let is_update = |&e: &Event| rules.sc_fence_is_update() && is_sc_fence(execution, e);
        let fences: Vec<Event> = execution.events().filter(is_update).collect();
        let locations = 0..if rules.has_co() { execution.location_count() } else { 0 };
        let co = locations.map(|location| {
            given
                .get(location)
                .filter(|writes| !writes.is_empty())
                .map_or_else(|| orders_of_location(execution, location), |writes| Some(vec![writes.clone()]))
        });
        Some(Choices { co: co.collect::<Option<_>>()?, fences: orders(execution, &fences)? })
    }

    /// How many there are; `None` if too many.
    fn count(&self) -> Option<usize> {
        let factors = self.co.iter().map(Vec::len).chain([self.fences.len()]);
        let mut count = 1_usize;
        for factor in factors {
            count = count.checked_mul(factor).filter(|&count| count <= MAX_ORDERS)?;
        }
        Some(count)
    }

    /// The orders that this choice has per location, and then that of the fences.
    fn chosen(&self, mut number: usize) -> impl Iterator<Item = &Vec<Event>> {
        self.co.iter().chain([&self.fences]).map(move |orders| {
            let order = &orders[number % orders.len()];
            number /= orders.len();
            order
        })
    }

    fn witness(&self, number: usize) -> Witness {
        Witness { co: self.chosen(number).take(self.co.len()).cloned().collect() }
    }

    /// Put the choice into the graph.
    fn choose(&self, number: usize, execution: &PartialExecution, graph: &mut ExecutionGraph) {
        graph.co.clear();
        let mut chosen = self.chosen(number);
        for (location, order) in chosen.by_ref().take(self.co.len()).enumerate() {
            put_co(graph, access(Location(location as u32)), order, execution);
        }
        let fences = chosen.next().expect("the fences have an order, be it empty");
        let sources = fences.iter().map(|&fence| graph::Source::Event(event_id(execution, fence)));
        for (&fence, source) in fences.iter().zip([graph::Source::Init].into_iter().chain(sources)) {
            graph.rf.insert(event_id(execution, fence), source);
        }
        if !self.co.is_empty() {
            put_co(graph, ra::SC_FENCE, fences, execution);
        }
    }
}

fn put_co(graph: &mut ExecutionGraph, at: Access, order: &[Event], execution: &PartialExecution) {
    if !order.is_empty() {
        graph.co.insert(at, order.iter().map(|&write| event_id(execution, write)).collect());
    }
}

fn orders_of_location(execution: &PartialExecution, location: usize) -> Option<Vec<Vec<Event>>> {
    let here = |e: &Event| execution.writes(*e) && execution.location(*e) == Some(Location(location as u32));
    orders(execution, &execution.events().filter(here).collect::<Vec<_>>())
}

/// The orders of these events that could do; `None` if there are too many.
fn orders(execution: &PartialExecution, events: &[Event]) -> Option<Vec<Vec<Event>>> {
    let mut orders = vec![Vec::new()];
    for _ in events {
        let longer = orders.iter().flat_map(|order: &Vec<Event>| {
            let next = events.iter().filter(|&&event| can_follow(execution, events, order, event));
            next.map(|&event| order.iter().copied().chain([event]).collect())
        });
        orders = longer.take(MAX_ORDERS + 1).collect();
        if orders.len() > MAX_ORDERS {
            return None;
        }
    }
    Some(orders)
}

/// Whether the event can be next: everything of its thread that comes before it is there, and a read-modify-write comes
/// right after its source, nothing else does.
fn can_follow(execution: &PartialExecution, events: &[Event], order: &[Event], event: Event) -> bool {
    let po_before = |e: &Event| execution.thread(*e) == execution.thread(event) && e.0 < event.0;
    let last = order.last().map_or(Source::Init, |&last| Source::Event(last));
    let is_update_of_last = |e: &Event| execution.op(*e) == Op::Rmw && execution.source(*e) == Some(last);
    let has_its_source = execution.op(event) != Op::Rmw || is_update_of_last(&event);
    !order.contains(&event)
        && has_its_source
        && (is_update_of_last(&event) || !events.iter().any(is_update_of_last))
        && events.iter().filter(|&e| po_before(e)).all(|e| order.contains(e))
}

/// The execution without `co`; SC fences are what they are under the model.
fn graph(execution: &PartialExecution, model: Model) -> ExecutionGraph {
    let threads = (0..execution.thread_count() as u32).map(|thread| {
        let events = execution.po(crate::Thread(thread)).iter();
        events.map(|&event| label_of(execution, event, model)).collect()
    });
    let mut graph = ExecutionGraph { threads: threads.collect(), ..ExecutionGraph::default() };
    for event in execution.events() {
        let Some(source) = execution.source(event) else { continue };
        let source = match source {
            Source::Init => graph::Source::Init,
            Source::Event(write) => graph::Source::Event(event_id(execution, write)),
        };
        graph.rf.insert(event_id(execution, event), source);
    }
    graph
}

fn label_of(execution: &PartialExecution, event: Event, model: Model) -> Label {
    if model.rules().sc_fence_is_update() && is_sc_fence(execution, event) {
        return SC_FENCE;
    }
    label(execution.op(event), execution.order(event), execution.location(event))
}

fn is_sc_fence(execution: &PartialExecution, event: Event) -> bool {
    execution.op(event) == Op::Fence && execution.order(event) == Order::SeqCst
}

fn event_id(execution: &PartialExecution, event: Event) -> EventId {
    EventId { thread: ThreadId(execution.thread(event).0), index: execution.position(event) }
}
