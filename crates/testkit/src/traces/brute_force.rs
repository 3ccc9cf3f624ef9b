//! Reads-from consistency by definition: every coherence order is tried, and the model's text decides.
//!
//! Where an SC fence is a read-modify-write of a location of its own, every order of the SC fences is tried,
//! too.

use base::{Access, EventId, Order, ThreadId};
use consistency::label::{SC_FENCE as LABEL_OF_SC_FENCE, label};
use consistency::{Event, Location, Op, PartialExecution, Source, Thread, Why, Witness};
use graph::Label;
use model::ra::SC_FENCE;
use model::relation::Relation;
use model::{Candidate, Model, Relations, tso};

/// A coherence order with which the text of the model accepts the execution.
pub fn some_co(execution: &PartialExecution, model: Model) -> Option<Witness> {
    orders_of_sc_fences(execution, model).iter().find_map(|fences| {
        let defined = Defined::new(execution, model, fences);
        if model.rules().has_co() {
            defined.some_co()
        } else {
            defined.accepts_without_co().then(Witness::default)
        }
    })
}

/// Whether the text of the model accepts the execution with this coherence order, and some order of its SC
/// fences.
pub fn accepts(execution: &PartialExecution, model: Model, witness: &Witness) -> bool {
    orders_of_sc_fences(execution, model).iter().any(|fences| {
        let defined = Defined::new(execution, model, fences);
        if model.rules().has_co() { defined.accepts(&witness.co) } else { defined.accepts_without_co() }
    })
}

/// The orders of SC fences that agree with `po`, if the model needs one; else the empty one.
pub fn orders_of_sc_fences(execution: &PartialExecution, model: Model) -> Vec<Vec<Event>> {
    let is_sc_fence = |&e: &Event| execution.op(e) == Op::Fence && execution.order(e) == Order::SeqCst;
    let fences: Vec<Event> = match model.rules().sc_fence_is_update() {
        true => execution.events().filter(is_sc_fence).collect(),
        false => Vec::new(),
    };
    let follows = |order: &[Event], e: Event| {
        !order.contains(&e)
            && fences.iter().all(|&f| {
                execution.thread(f) != execution.thread(e)
                    || execution.position(f) >= execution.position(e)
                    || order.contains(&f)
            })
    };
    let mut orders = vec![Vec::new()];
    for _ in 0..fences.len() {
        orders = orders
            .into_iter()
            .flat_map(|order: Vec<Event>| {
                let next = fences.iter().filter(|&&e| follows(&order, e));
                next.map(|&e| [order.as_slice(), &[e]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    orders
}

/// An execution as the declarative texts take it.
#[derive(Debug)]
pub struct Defined<'a> {
    execution: &'a PartialExecution,
    model: Model,
    /// Without `co`, except that of the SC fences.
    relations: Relations,
    /// Per location its initial write and its writes.
    writes: Vec<(Option<usize>, Vec<Event>)>,
    /// Per event its first and its last number in the relations: that of the read and of the write of a
    /// read-modify-write.
    numbers: Vec<(usize, usize)>,
}

impl<'a> Defined<'a> {
    /// With this order of the SC fences.
    pub fn new(execution: &'a PartialExecution, model: Model, fences: &[Event]) -> Defined<'a> {
        let relations = Relations::of(&WithFences::new(execution, fences));
        let ids = &relations.events.ids;
        let number = |e: Event| {
            let is_e = |id: &Option<EventId>| *id == Some(id_of(execution, e));
            let (first, last) = (ids.iter().position(is_e), ids.iter().rposition(is_e));
            (first.expect("it is there"), last.expect("it is there"))
        };
        let numbers: Vec<(usize, usize)> = execution.events().map(number).collect();
        let mut writes = vec![(None, Vec::new()); execution.location_count()];
        for e in execution.events() {
            if let Some(Location(x)) = execution.location(e) {
                let same = |&initial: &usize| {
                    ids[initial].is_none() && relations.loc.contains(initial, numbers[e.index()].0)
                };
                writes[x as usize].0 = (0..relations.len()).find(same);
                if execution.writes(e) {
                    writes[x as usize].1.push(e);
                }
            }
        }
        Defined { execution, model, relations, writes, numbers }
    }

    fn accepts_without_co(&self) -> bool {
        self.model.rules().axioms.iter().all(|axiom| (axiom.holds)(&self.relations))
    }

    fn accepts(&self, co: &[Vec<Event>]) -> bool {
        let complete = co.len() == self.writes.len()
            && co.iter().zip(&self.writes).all(|(co, (_, writes))| {
                let mut sorted = co.clone();
                sorted.sort_unstable();
                sorted == *writes
            });
        assert!(complete, "a coherence order has every write once: {co:?}");
        let relations = self.with_co(co);
        self.model.rules().axioms.iter().all(|axiom| (axiom.holds)(&relations))
    }

    fn with_co(&self, co: &[Vec<Event>]) -> Relations {
        let mut relations = self.relations.clone();
        for ((initial, _), co) in self.writes.iter().zip(co) {
            let writes = co.iter().map(|e| self.numbers[e.index()].1);
            let order: Vec<usize> = initial.iter().copied().chain(writes).collect();
            for (place, &first) in order.iter().enumerate() {
                order[place + 1..].iter().for_each(|&second| relations.co.insert(first, second));
            }
        }
        relations.fr = relations.rf.inverse().compose(&relations.co);
        relations
    }

    fn some_co(&self) -> Option<Witness> {
        if !model::axioms::porf(&self.relations) {
            return None; // Every text has this axiom, and it does not depend on co.
        }
        let mut co = vec![Vec::new(); self.writes.len()];
        self.each_co(&mut co, 0, &mut |co| self.accepts(co)).then_some(Witness { co })
    }

    /// Every way to order the writes of location `x` and of those after it, until `found` is true of one.
    fn each_co(
        &self,
        co: &mut Vec<Vec<Event>>,
        x: usize,
        found: &mut impl FnMut(&[Vec<Event>]) -> bool,
    ) -> bool {
        let Some((_, writes)) = self.writes.get(x) else { return found(co) };
        if co[x].len() == writes.len() {
            return self.each_co(co, x + 1, found);
        }
        writes.iter().any(|&write| {
            if co[x].contains(&write) {
                return false;
            }
            co[x].push(write);
            let is_found = self.each_co(co, x, found);
            if !is_found {
                co[x].pop();
            }
            is_found
        })
    }

    /// Every coherence order that all axioms allow except the one of this name, and the relations with it.
    pub fn orders_without(&self, axiom: &str) -> Vec<(Vec<Vec<Event>>, Relations)> {
        let others = || self.model.rules().axioms.iter().filter(|other| other.name != axiom);
        let mut orders = Vec::new();
        let mut co = vec![Vec::new(); self.writes.len()];
        self.each_co(&mut co, 0, &mut |co| {
            let relations = self.with_co(co);
            if others().all(|axiom| (axiom.holds)(&relations)) {
                orders.push((co.to_vec(), relations));
            }
            false
        });
        orders
    }

    /// Happens-before, of events; under SC and TSO all of `po` and `rf`.
    pub fn happens_before(&self) -> impl Fn(Event, Event) -> bool + use<> {
        let hb: Relation = match self.model {
            Model::Sc | Model::Tso => self.relations.po.union(&self.relations.rf).plus(),
            model => (model.rules().hb)(&self.relations),
        };
        let numbers = self.numbers.clone();
        move |a, b| a != b && hb.contains(numbers[a.index()].0, numbers[b.index()].1)
    }

    /// Under SC and TSO: the part of the order of the memory that `po` and `rf` give.
    fn global(&self) -> Relation {
        let g = &self.relations;
        match self.model {
            Model::Tso => tso::ppo(g).union(&g.rf.minus(&g.po)),
            _ => g.po.union(&g.rf),
        }
    }

    /// Under TSO, whether the step of `po` or `rf` is in the order of the memory.
    pub fn is_global(&self, from: Event, to: Event) -> bool {
        self.global().contains(self.numbers[from.index()].1, self.numbers[to.index()].0)
    }

    /// Under SC and TSO, whether the step of `co` or `fr` is forced. Round after round, until there is a cycle or
    /// nothing new: a write that is before a read is before its source, and `fr` is `rf⁻¹ ; co`.
    pub fn forces(&self, why: Why, from: Event, to: Event) -> bool {
        let (g, writes, reads) =
            (&self.relations, &self.relations.events.writes, &self.relations.events.reads);
        let (mut co, mut fr) = (Relation::empty(g.len()), Relation::empty(g.len()));
        loop {
            let before = self.undivided(self.global().union(&co).union(&fr)).plus();
            let known = before.union(&g.po).intersect(&g.loc).restrict_dom(writes);
            let forced = known.restrict_rng(reads).minus(&g.rf).compose(&g.rf.inverse()).minus(&identity(g));
            let ordered = before.intersect(&g.loc).restrict_dom(writes).restrict_rng(writes);
            let overwritten = g.rf.inverse().compose(&ordered.union(&self.initial())).minus(&g.rmw);
            let grown = (co.union(&forced), fr.union(&overwritten));
            if !before.is_irreflexive() || grown == (co.clone(), fr.clone()) {
                let ((_, first), (read, _)) = (self.numbers[from.index()], self.numbers[from.index()]);
                let second = self.numbers[to.index()].1;
                return if why == Why::Co { co.contains(first, second) } else { fr.contains(read, second) };
            }
            (co, fr) = grown;
        }
    }

    /// Nothing comes between the halves of a read-modify-write: what is before its write is before its read, and what is
    /// after its read is after its write.
    fn undivided(&self, order: Relation) -> Relation {
        let back = self.relations.rmw.inverse();
        let before = order.minus(&self.relations.rmw).compose(&back);
        let order = order.union(&before);
        order.union(&back.compose(&order.minus(&self.relations.rmw)))
    }

    /// Initial writes are before all others.
    fn initial(&self) -> Relation {
        let g = &self.relations;
        let mut co = Relation::empty(g.len());
        for initial in (0..g.len()).filter(|&e| g.events.ids[e].is_none()) {
            let others = g.events.writes.iter().filter(|&e| e != initial && g.loc.contains(initial, e));
            others.for_each(|other| co.insert(initial, other));
        }
        co
    }

    /// The numbers of an event in the relations: two for a read-modify-write.
    pub fn numbers(&self, e: Event) -> [usize; 2] {
        let (first, last) = self.numbers[e.index()];
        [first, last]
    }

    /// The execution.
    pub fn execution(&self) -> &PartialExecution {
        self.execution
    }
}

fn identity(g: &Relations) -> Relation {
    Relation::identity(&g.events.writes, g.len())
}

fn id_of(execution: &PartialExecution, e: Event) -> EventId {
    EventId { thread: ThreadId(execution.thread(e).0), index: execution.position(e) }
}

/// A partial execution with some SC fences as read-modify-writes.
struct WithFences<'a> {
    execution: &'a PartialExecution,
    labels: Vec<Vec<Label>>,
    fences: Vec<EventId>,
}

impl<'a> WithFences<'a> {
    fn new(execution: &'a PartialExecution, fences: &[Event]) -> WithFences<'a> {
        let label = |&e: &Event| {
            if fences.contains(&e) {
                LABEL_OF_SC_FENCE
            } else {
                label(execution.op(e), execution.order(e), execution.location(e))
            }
        };
        let threads = (0..execution.thread_count() as u32).map(Thread);
        let labels = threads.map(|thread| execution.po(thread).iter().map(label).collect()).collect();
        WithFences { execution, labels, fences: fences.iter().map(|&e| id_of(execution, e)).collect() }
    }
}

impl Candidate for WithFences<'_> {
    fn threads(&self) -> usize {
        self.labels.len()
    }

    fn labels(&self, thread: usize) -> &[Label] {
        &self.labels[thread]
    }

    fn source(&self, read: EventId) -> graph::Source {
        if let Some(place) = self.fences.iter().position(|&fence| fence == read) {
            return place
                .checked_sub(1)
                .map_or(graph::Source::Init, |before| graph::Source::Event(self.fences[before]));
        }
        let e = self.execution.po(Thread(read.thread.0))[read.index as usize];
        match self.execution.source(e).expect("it reads") {
            Source::Init => graph::Source::Init,
            Source::Event(write) => graph::Source::Event(id_of(self.execution, write)),
        }
    }

    fn co(&self) -> impl Iterator<Item = (Access, &[EventId])> {
        Some((SC_FENCE, self.fences.as_slice())).filter(|(_, fences)| !fences.is_empty()).into_iter()
    }
}
