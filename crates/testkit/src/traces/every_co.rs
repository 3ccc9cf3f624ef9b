//! Brute force event by event: an execution together with every coherence order that the text of a model accepts.
//!
//! Events are added in an order that agrees with `po` and `rf`. All models here are prefix-closed: an order of the
//! writes that is accepted was accepted, without the new write, before. So adding an event is trying every place for it in
//! every order that was accepted so far.

use super::item::Item;
use base::{Access, EventId, Order, ThreadId};
use consistency::label::{SC_FENCE, access, label};
use consistency::{Event, Location, Op, Source, Witness};
use graph::Label;
use model::{Candidate, Model, Relations, Rules, ra};

type Co = Vec<(Access, Vec<EventId>)>;

/// A partial execution and all its coherence orders.
#[derive(Clone, Debug)]
pub struct EveryCo {
    rules: &'static Rules,
    labels: Vec<Vec<Label>>,
    sources: Vec<Vec<graph::Source>>,
    /// Per event which of which thread it is.
    ids: Vec<EventId>,
    /// The last SC fence, where that is a read-modify-write.
    last_fence: graph::Source,
    cos: Vec<Co>,
}

impl EveryCo {
    /// Without events.
    pub fn new(model: Model, threads: usize) -> EveryCo {
        EveryCo {
            rules: model.rules(),
            labels: vec![Vec::new(); threads],
            sources: vec![Vec::new(); threads],
            ids: Vec::new(),
            last_fence: graph::Source::Init,
            cos: vec![Vec::new()],
        }
    }

    /// An execution whose coherence orders nobody has looked for.
    pub fn unchecked(model: Model, threads: usize, items: &[Item]) -> EveryCo {
        let none = EveryCo { cos: Vec::new(), ..EveryCo::new(model, threads) };
        items.iter().fold(none, |execution, &item| execution.with(item))
    }

    /// How many orders are left.
    pub fn orders(&self) -> usize {
        self.cos.len()
    }

    /// With one more event.
    pub fn with(&self, item: Item) -> EveryCo {
        let mut next = self.clone();
        let thread = item.thread as usize;
        let id = EventId { thread: ThreadId(item.thread), index: self.labels[thread].len() as u32 };
        let update = self.rules.sc_fence_is_update() && item.op == Op::Fence && item.order == Order::SeqCst;
        let label = if update { SC_FENCE } else { label(item.op, item.order, item.location()) };
        next.sources[thread].push(match item.source {
            _ if update => self.last_fence,
            Source::Init => graph::Source::Init,
            Source::Event(event) => graph::Source::Event(self.ids[event.index()]),
        });
        next.labels[thread].push(label.clone());
        next.ids.push(id);
        if update {
            next.last_fence = graph::Source::Event(id);
        }
        let cos = std::mem::take(&mut next.cos);
        let places =
            |co: &Co| if label.is_write() { places(co, label.at().unwrap(), id) } else { vec![co.clone()] };
        next.cos = cos.iter().flat_map(places).filter(|co| next.accepts(co)).collect();
        next
    }

    /// All of them.
    pub fn with_all(mut self, items: &[Item]) -> EveryCo {
        for &item in items {
            self = self.with(item);
            if self.cos.is_empty() {
                break;
            }
        }
        self
    }

    /// Whether the text accepts this coherence order.
    pub fn accepts_witness(&self, witness: &Witness) -> bool {
        let order = |(location, events): (usize, &Vec<Event>)| {
            (
                access(Location(location as u32)),
                events.iter().map(|event| self.ids[event.index()]).collect::<Vec<_>>(),
            )
        };
        let mut co: Co =
            witness.co.iter().enumerate().map(order).filter(|(_, events)| !events.is_empty()).collect();
        // The order of SC fences is that of their arrival; it is no part of a witness.
        let fences: Vec<EventId> =
            self.ids.iter().copied().filter(|id| self.label(*id).at() == Some(ra::SC_FENCE)).collect();
        if !fences.is_empty() {
            co.push((ra::SC_FENCE, fences));
        }
        let writes = self.ids.iter().filter(|id| self.label(**id).is_write()).count();
        co.iter().map(|(_, events)| events.len()).sum::<usize>() == writes && self.accepts(&co)
    }

    /// Its relations, without a coherence order.
    pub fn relations(&self) -> Relations {
        Relations::of(&WithCo { execution: self, co: &Vec::new() })
    }

    fn label(&self, id: EventId) -> &Label {
        &self.labels[id.thread.index()][id.index as usize]
    }

    fn accepts(&self, co: &Co) -> bool {
        let relations = Relations::of(&WithCo { execution: self, co });
        self.rules.axioms.iter().all(|axiom| (axiom.holds)(&relations))
    }
}

/// The orders that come from one by adding a write.
fn places(co: &Co, at: Access, write: EventId) -> Vec<Co> {
    let mut co = co.clone();
    let location = co.iter().position(|(other, _)| *other == at).unwrap_or_else(|| {
        co.push((at, Vec::new()));
        co.len() - 1
    });
    let with = |place| {
        let mut next = co.clone();
        next[location].1.insert(place, write);
        next
    };
    (0..=co[location].1.len()).map(with).collect()
}

struct WithCo<'a> {
    execution: &'a EveryCo,
    co: &'a Co,
}

impl Candidate for WithCo<'_> {
    fn threads(&self) -> usize {
        self.execution.labels.len()
    }

    fn labels(&self, thread: usize) -> &[Label] {
        &self.execution.labels[thread]
    }

    fn source(&self, read: EventId) -> graph::Source {
        self.execution.sources[read.thread.index()][read.index as usize]
    }

    fn co(&self) -> impl Iterator<Item = (Access, &[EventId])> {
        self.co.iter().map(|(at, writes)| (*at, writes.as_slice()))
    }
}
