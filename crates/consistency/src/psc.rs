//! RC11 and C20 with SC accesses and SC fences: a search for a coherence order with which `psc` has no cycle.
//!
//! Implements: SC-ACYCLICITY of \[RCMC\] definition 3.7 on top of Algorithm 3 of \[RF\], which has no SC
//! events. The orderings of chains that Algorithm 3 finds are in every coherence order. `psc` grows with
//! `co`: if it has a cycle with these orderings alone, there is no coherence order. Else a linear extension
//! is tried, and if that will not do, a pair of chains of which the order is open, in both orders.
//!
//! Before that, an execution that is sequentially consistent is seen to be by [`sc_graph`], however large it
//! is.
//!
//! Cost: O(n³/64) per order that is tried; their number is exponential in the worst case (the problem is
//! NP-hard). At most [`EVENTS`] events are taken, and less than [`WORK`] is done.

use crate::answer::{Answer, Reason, Unsupported};
use crate::coherence::{self, is_edge};
use crate::execution::{Event, Op, Source};
use crate::extension::{Graph, linear_extension};
use crate::ordering::{Orderings, Prepared};
use crate::psc_cycle;
use crate::rc20::Rc20;
use crate::sc_graph;
use crate::timestamps::{Synchronisation, Timestamps};
use base::Order;
use model::relation::{EventSet, Relation};
use std::ops::ControlFlow;

/// The largest execution for the search.
const EVENTS: usize = 2_000;

/// How many steps of matrix operations the search may take.
const WORK: usize = 1 << 34;

/// Whether there is a coherence order with which the execution is consistent under RC11, or under C20 if that is what synchronises.
pub(crate) fn check(prepared: &Prepared, synchronisation: Synchronisation) -> Result<Answer, Unsupported> {
    let orderings = Rc20::new(prepared, synchronisation);
    match coherence::decide(prepared, &orderings) {
        Answer::Consistent(witness) if sc_graph::is_sequentially_consistent(prepared.execution, &witness) => {
            Ok(Answer::Consistent(witness))
        }
        Answer::Consistent(_) if prepared.execution.len() > EVENTS => Err(Unsupported::ScEvents),
        Answer::Consistent(_) => search(prepared, &orderings, synchronisation),
        inconsistent => Ok(inconsistent),
    }
}

fn search(
    prepared: &Prepared,
    orderings: &Rc20,
    synchronisation: Synchronisation,
) -> Result<Answer, Unsupported> {
    let fixed = Fixed::new(prepared, synchronisation);
    let forced = forced(prepared, orderings);
    let psc = fixed.psc(&fixed.co(&forced));
    if !psc.all.is_acyclic() {
        return Ok(Answer::Inconsistent(Reason::Cycle(psc_cycle::cycle(&fixed, &psc))));
    }
    let mut search = Search { fixed: &fixed, budget: budget(prepared.execution.len()) };
    Ok(match search.extend(forced)? {
        None => Answer::Inconsistent(Reason::Exhausted),
        Some(order) => Answer::Consistent(coherence::witness(prepared, order.into_iter().map(Event))),
    })
}

/// How many orders are tried: each takes a few closures.
fn budget(events: usize) -> usize {
    WORK / (events * events * events.div_ceil(64) * 4 + 1)
}

/// The orderings of chains that are in every coherence order, closed.
fn forced(prepared: &Prepared, orderings: &Rc20) -> Relation {
    let mut forced = Relation::empty(prepared.execution.len());
    let _ = orderings.each(prepared, &mut |ordering| {
        if is_edge(prepared, ordering) {
            forced.insert(ordering.first.top.index(), ordering.second.top.index());
        }
        ControlFlow::Continue(())
    });
    forced.plus()
}

/// What does not depend on `co`.
pub(crate) struct Fixed<'a> {
    pub(crate) prepared: &'a Prepared<'a>,
    pub(crate) po: Relation,
    pub(crate) rf: Relation,
    pub(crate) hb: Relation,
    /// `po ∪ po|≠loc ; hb ; po|≠loc ∪ hb|loc`: what of `scb` does not depend on `co`.
    pub(crate) scb: Relation,
    sc: EventSet,
    pub(crate) sc_fences: EventSet,
}

/// `psc` and what it is made of, for an order of chains.
pub(crate) struct Psc {
    pub(crate) co: Relation,
    pub(crate) fr: Relation,
    pub(crate) eco: Relation,
    pub(crate) all: Relation,
}

impl<'a> Fixed<'a> {
    fn new(prepared: &'a Prepared<'a>, synchronisation: Synchronisation) -> Fixed<'a> {
        let execution = prepared.execution;
        let n = execution.len();
        let (mut sc, mut sc_fences) = (EventSet::empty(n), EventSet::empty(n));
        let (mut po, mut rf, mut loc) = (Relation::empty(n), Relation::empty(n), Relation::empty(n));
        for e in execution.events() {
            if execution.order(e) == Order::SeqCst {
                sc.insert(e.index());
                if execution.op(e) == Op::Fence {
                    sc_fences.insert(e.index());
                }
            }
            if let Some(Source::Event(write)) = execution.source(e) {
                rf.insert(write.index(), e.index());
            }
            let later = &execution.po(execution.thread(e))[execution.position(e) as usize + 1..];
            later.iter().for_each(|later| po.insert(e.index(), later.index()));
            let here = execution.location(e);
            let same =
                execution.events().filter(|&other| here.is_some() && execution.location(other) == here);
            same.for_each(|other| loc.insert(e.index(), other.index()));
        }
        let hb = hb(prepared, synchronisation);
        let away = po.minus(&loc);
        let scb = po.union(&away.compose(&hb).compose(&away)).union(&hb.intersect(&loc));
        Fixed { prepared, po, rf, hb, scb, sc, sc_fences }
    }

    /// The order of writes that an order of chains means.
    fn co(&self, order: &Relation) -> Relation {
        let (execution, chains) = (self.prepared.execution, &self.prepared.chains);
        let mut co = Relation::empty(execution.len());
        let writes: Vec<Event> = execution.events().filter(|&e| execution.writes(e)).collect();
        for &first in &writes {
            for &second in
                writes.iter().filter(|&&second| execution.location(first) == execution.location(second))
            {
                let (before, after) = (chains.place(first), chains.place(second));
                let is_before = match before.top == after.top {
                    true => before.position < after.position,
                    false if chains.is_initial(before.top) => true,
                    false if chains.is_initial(after.top) => false,
                    false => order.contains(before.top.index(), after.top.index()),
                };
                if is_before {
                    co.insert(first.index(), second.index());
                }
            }
        }
        co
    }

    /// `rf⁻¹ ; co`, without read-modify-writes that read from just before themselves.
    fn fr(&self, co: &Relation) -> Relation {
        let execution = self.prepared.execution;
        let mut fr = self.rf.inverse().compose(co);
        for read in execution.events().filter(|&e| execution.source(e) == Some(Source::Init)) {
            let overwrites =
                |&e: &Event| execution.writes(e) && execution.location(e) == execution.location(read);
            execution.events().filter(overwrites).for_each(|write| fr.insert(read.index(), write.index()));
        }
        without_loops(fr)
    }

    /// `([E^sc] ∪ [F^sc] ; hb?) ; scb ; ([E^sc] ∪ hb? ; [F^sc]) ∪ [F^sc] ; (hb ∪ hb ; eco ; hb) ; [F^sc]`
    ///
    /// A read-modify-write is one event here: it is before itself only as its read is before its write, and
    /// that is no cycle.
    fn psc(&self, co: &Relation) -> Psc {
        let fr = self.fr(co);
        let eco = self.rf.union(co).union(&fr).plus();
        let scb = self.scb.union(co).union(&fr);
        let sc = Relation::identity(&self.sc, self.prepared.execution.len());
        let left = sc.union(&self.hb.opt().restrict_dom(&self.sc_fences));
        let right = sc.union(&self.hb.opt().restrict_rng(&self.sc_fences));
        let base = left.compose(&scb).compose(&right);
        let fences = self.hb.union(&self.hb.compose(&eco).compose(&self.hb));
        let all = base.union(&fences.restrict_dom(&self.sc_fences).restrict_rng(&self.sc_fences));
        Psc { co: co.clone(), fr, eco, all: without_loops(all) }
    }
}

fn without_loops(relation: Relation) -> Relation {
    let mut loops = Relation::empty(relation.events());
    (0..relation.events()).filter(|&e| relation.contains(e, e)).for_each(|e| loops.insert(e, e));
    relation.minus(&loops)
}

/// `hb` as pairs.
fn hb(prepared: &Prepared, synchronisation: Synchronisation) -> Relation {
    let execution = prepared.execution;
    let mut timestamps = Timestamps::new(execution, &prepared.slots, synchronisation);
    let mut hb = Relation::empty(execution.len());
    for e in execution.events() {
        timestamps.enter(e);
        for before in execution.events().filter(|&before| before < e) {
            if execution.position(before)
                < timestamps.clock(execution.thread(e))[execution.thread(before).0 as usize]
            {
                hb.insert(before.index(), e.index());
            }
        }
        timestamps.leave(e);
    }
    hb
}

struct Search<'a> {
    fixed: &'a Fixed<'a>,
    /// How many orders may still be tried.
    budget: usize,
}

impl Search<'_> {
    /// The tops of chains in an order that contains this one, and with which `psc` has no cycle. It has none
    /// with this one alone.
    fn extend(&mut self, order: Relation) -> Result<Option<Vec<u32>>, Unsupported> {
        let extension = extension(&order);
        if self.allows(&total(&extension))? {
            return Ok(Some(extension));
        }
        let Some((first, second)) = self.open_pair(&order) else { return Ok(None) };
        for (before, after) in [(first, second), (second, first)] {
            let mut longer = order.clone();
            longer.insert(before, after);
            let longer = longer.plus();
            if self.allows(&longer)?
                && let Some(found) = self.extend(longer)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn allows(&mut self, order: &Relation) -> Result<bool, Unsupported> {
        self.budget = self.budget.checked_sub(1).ok_or(Unsupported::ScEvents)?;
        Ok(self.fixed.psc(&self.fixed.co(order)).all.is_acyclic())
    }

    /// Two chains of one location, neither of which is before the other.
    fn open_pair(&self, order: &Relation) -> Option<(usize, usize)> {
        let execution = self.fixed.prepared.execution;
        let tops: Vec<Event> = execution.events().filter(|&e| execution.op(e) == Op::Write).collect();
        let pairs = tops.iter().flat_map(|&a| tops.iter().filter(move |&&b| a < b).map(move |&b| (a, b)));
        let mut pairs = pairs.filter(|&(a, b)| execution.location(a) == execution.location(b));
        let is_open = |a: usize, b: usize| !order.contains(a, b) && !order.contains(b, a);
        pairs.find(|(a, b)| is_open(a.index(), b.index())).map(|(a, b)| (a.index(), b.index()))
    }
}

/// A linear extension of an order.
fn extension(order: &Relation) -> Vec<u32> {
    let mut capacities = vec![0; order.events()];
    order.pairs().for_each(|(_, to)| capacities[to] += 1);
    let mut graph = Graph::with_capacities(&capacities);
    order.pairs().for_each(|(from, to)| graph.insert(from as u32, to as u32));
    linear_extension(&graph).expect("it has no cycle")
}

/// A list as a relation.
fn total(list: &[u32]) -> Relation {
    let mut total = Relation::empty(list.len());
    for (place, &first) in list.iter().enumerate() {
        list[place + 1..].iter().for_each(|&second| total.insert(first as usize, second as usize));
    }
    total
}
