//! The question of the order of sections: whether each mutex has an order of its sections under which the graph is consistent.
//!
//! With an order, the end of a section is hb-before the lock of each later section of its mutex, also where `po ∪ rf` orders
//! the two already: a relaxed `rf` is no hb. Then the graph is consistent iff `po ∪ rf` has no cycle with these edges, and
//! coherence and atomicity are satisfiable, location by location: a read-modify-write and its source are one *block*, and what
//! an access sees through hb orders blocks, without a cycle. A section that is open ends at its last event so far; it may
//! stand anywhere in the order. Writes of open transactions do not count (`transactions.rs`).
//!
//! What reads say about the order is found first (`implied.rs`). If it contradicts itself there is no order; otherwise an order
//! that agrees with it is tried, and most often it is valid. If it is not: a pair of sections that can go one way only goes
//! that way; when none is left, one pair is guessed. (A wrong guess was never seen.)
//!
//! Relies on: no global axiom. hb of the graph under construction is hb without edges of sections; synchronisation does not
//! depend on hb, so the two together, closed transitively, are hb.
//! Cost: O(events · threads) for one order; a search asks for O(sections²) of them, without wrong guesses.

use crate::reductions::lock_order::accesses::{Accesses, Counted};
use crate::reductions::lock_order::implied::Implied;
use crate::reductions::lock_order::transactions::{Mutexes, Transactions};
use base::ThreadId;
use live::{EventRef, LiveGraph, LocationId};
use std::collections::BTreeMap;

/// A critical section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    pub(crate) thread: ThreadId,
    pub(crate) mutex: usize,
    pub(crate) lock: EventRef,
    /// Its unlock, or the last event of its thread.
    pub(crate) end: EventRef,
    /// The numbers of its events, by the numbers of the question, are from `first` to `last`.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Whether it is part of a transaction that is open.
    is_open: bool,
}

/// The first section is before the second one.
pub(crate) type Edge = (usize, usize);

/// The graph as a question sees it.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Standpoint {
    /// The open transaction of this thread counts, and its sections come after all others.
    pub(crate) last: Option<ThreadId>,
    /// This read-modify-write counts, although it has no place yet.
    pub(crate) counted: Option<EventRef>,
    /// Events of this thread from this index on are left out.
    pub(crate) cut: Option<(ThreadId, u32)>,
}

/// A question about the graph, and the clocks of the order that was tested last.
#[derive(Debug)]
pub(crate) struct Question<'g> {
    pub(super) graph: &'g LiveGraph,
    transactions: &'g Transactions,
    standpoint: Standpoint,
    /// Whether locations that no order of sections can make incoherent count, too.
    is_whole: bool,
    /// Two read-modify-writes read one write.
    is_torn: bool,
    known: Buffers,
}

/// What a question knows of the graph. The vectors are kept from question to question.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    sections: Vec<Section>,
    /// The sections of the thread at hand that are open.
    locked: Vec<(usize, usize)>,
    /// Per thread the number of its first event, and at the end the number of all events.
    first: Vec<usize>,
    /// The locations that are written; the first `used` ones count, some are `settled`.
    locations: Vec<Accesses>,
    used: usize,
    settled: Vec<bool>,
    /// Per location of the graph its number among these.
    slots: Vec<u32>,
    /// Along the arena: the number of a write at its location.
    writes: Vec<u32>,
    /// Per event, whether it locks a mutex.
    locks: Vec<bool>,
    /// Per event and thread: how many events of the thread happen before it, itself included.
    hb: Vec<u32>,
    /// Per event its place in an order of all events that agrees with everything.
    place: Vec<u32>,
    next: Vec<usize>,
    /// Per event the sections in which it is, if there are no more than 64.
    places: Vec<u64>,
}

/// No number.
const NONE: u32 = u32::MAX;

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.transactions.buffers.replace(std::mem::take(&mut self.known));
    }
}

impl<'g> Question<'g> {
    pub(crate) fn new(
        graph: &'g LiveGraph,
        transactions: &'g Transactions,
        standpoint: Standpoint,
    ) -> Question<'g> {
        Question::about(graph, transactions, standpoint, false)
    }

    /// A question about every location, as the graph is.
    pub(crate) fn whole(graph: &'g LiveGraph, transactions: &'g Transactions) -> Question<'g> {
        Question::about(graph, transactions, Standpoint::default(), true)
    }

    fn about(
        graph: &'g LiveGraph,
        transactions: &'g Transactions,
        standpoint: Standpoint,
        is_whole: bool,
    ) -> Question<'g> {
        let known = transactions.buffers.take();
        let mut question = Question { graph, transactions, standpoint, is_whole, is_torn: false, known };
        question.known.sections.clear();
        question.known.first.clear();
        question.known.hb.clear();
        let mut first = 0;
        for thread in graph.thread_ids() {
            question.known.first.push(first);
            question.find_sections(thread, first);
            first += question.events(thread).len();
        }
        question.known.first.push(first);
        transactions.looks.set(transactions.looks.get() + first as u64);
        question.find_places(first);
        question.find_accesses();
        question
    }

    /// The sections.
    pub(crate) fn sections(&self) -> &[Section] {
        &self.known.sections
    }

    /// How many events there are.
    fn count(&self) -> usize {
        *self.known.first.last().expect("it has a last element")
    }

    /// The locations that an order of sections could make incoherent.
    pub(super) fn locations(&self) -> impl Iterator<Item = &Accesses> {
        let all = self.known.locations[..self.known.used].iter().zip(&self.known.settled);
        all.filter(|(_, is_settled)| !**is_settled).map(|(location, _)| location)
    }

    /// The sections in which the event with this number is, if there are no more than 64.
    pub(super) fn sections_at(&self, number: usize) -> u64 {
        self.known.places[number]
    }

    /// The sections of the mutex with this number, if there are no more than 64.
    pub(super) fn sections_of(&self, mutex: usize) -> u64 {
        let sections = self.known.sections.iter().enumerate().filter(|(_, it)| it.mutex == mutex);
        sections.fold(0, |all, (n, _)| all | 1 << n)
    }

    /// The index, in its thread, of the event with this number.
    pub(super) fn index(&self, number: usize, thread: ThreadId) -> usize {
        number - self.known.first[thread.index()]
    }

    fn find_places(&mut self, events: usize) {
        let Buffers { sections, places, .. } = &mut self.known;
        places.clear();
        places.resize(events, 0);
        for (n, section) in sections.iter().enumerate().take(u64::BITS as usize) {
            places[section.first..=section.last].iter_mut().for_each(|place| *place |= 1 << n);
        }
    }

    fn events(&self, thread: ThreadId) -> &'g [EventRef] {
        let all = self.graph.po(thread);
        match self.standpoint.cut {
            Some((it, index)) if it == thread => &all[..index as usize],
            _ => all,
        }
    }

    fn find_sections(&mut self, thread: ThreadId, first: usize) {
        let events = self.events(thread);
        let open = events.last().map(|&last| self.transactions.span(last)).filter(|span| span.after != 0);
        let mut held: Mutexes = 0;
        let Buffers { sections, locked, .. } = &mut self.known;
        locked.clear();
        for (index, &e) in events.iter().enumerate() {
            let span = self.transactions.span(e);
            let mutex = (held ^ span.after).trailing_zeros() as usize;
            if span.after & !held != 0 {
                let is_open = open.is_some_and(|open| self.graph.event(e).index >= open.start);
                let end = *events.last().expect("it is one of them");
                locked.push((mutex, sections.len()));
                let (first, last) = (first + index, first + events.len() - 1);
                sections.push(Section { thread, mutex, lock: e, end, first, last, is_open });
            } else if held & !span.after != 0 {
                let at = locked.iter().position(|&(other, _)| other == mutex).expect("it is held");
                let (_, section) = locked.swap_remove(at);
                sections[section].end = e;
                sections[section].last = first + index;
            }
            held = span.after;
        }
    }

    // --- accesses -------------------------------------------------------------------------------------------------

    /// Whether the write `w` counts.
    fn counts(&self, w: EventRef) -> bool {
        let is_last = || {
            let event = self.graph.event(w);
            let open = self.events(event.thread).last().map(|&last| self.transactions.span(last));
            self.standpoint.last == Some(event.thread)
                && open.is_some_and(|open| open.after != 0 && event.index >= open.start)
        };
        self.transactions.span(w).is_linked || self.standpoint.counted == Some(w) || is_last()
    }

    fn find_accesses(&mut self) {
        self.find_writes();
        for thread in self.graph.thread_ids() {
            for (index, &e) in self.events(thread).iter().enumerate() {
                if self.graph.event(e).kind.is_access() {
                    self.add_access(thread, index, e);
                }
            }
        }
        let mut settled = std::mem::take(&mut self.known.settled);
        settled.clear();
        for location in &mut self.known.locations[..self.known.used] {
            location.find_tops();
        }
        let locations = &self.known.locations[..self.known.used];
        settled.extend(locations.iter().map(|location| !self.is_whole && self.is_settled(location)));
        self.known.settled = settled;
    }

    /// The writes that count, by location.
    fn find_writes(&mut self) {
        let Buffers { slots, writes, used, .. } = &mut self.known;
        slots.clear();
        slots.resize(self.graph.locations().len(), NONE);
        writes.clear();
        writes.resize(self.transactions.arena_len(), NONE);
        *used = 0;
        for thread in self.graph.thread_ids() {
            let first = self.known.first[thread.index()];
            for (index, &w) in self.events(thread).iter().enumerate() {
                let event = self.graph.event(w);
                if event.kind.writes() && self.counts(w) {
                    let (slot, sections) =
                        (self.known.slot(event.location), self.known.places[first + index]);
                    let number = self.known.locations[slot].add_write(w, thread, index as u32, sections);
                    self.known.writes[w.index()] = number;
                }
            }
        }
    }

    /// Add the access `e`, if it counts and some write to its location does.
    fn add_access(&mut self, thread: ThreadId, index: usize, e: EventRef) {
        let event = self.graph.event(e);
        let slot = self.known.slots[event.location.index()];
        if slot == NONE {
            return;
        }
        let known = &self.known.writes;
        let number = |w: EventRef| known.get(w.index()).copied().filter(|&number| number != NONE);
        let source = match event.rf {
            _ if !event.kind.reads() => None,
            init if init.is_init() => Some(0),
            w => number(w),
        };
        // One that reads a write that does not count does not count.
        if event.kind.reads() && source.is_none() {
            return;
        }
        let own = if event.kind.writes() { number(e) } else { None };
        let (Some(sees), Some(limit)) = (own.or(source), source.or(own)) else { return };
        let number = self.known.first[thread.index()] + index;
        let accesses = &mut self.known.locations[slot as usize];
        accesses.add(thread, Counted { event: e, index: index as u32, number, sees, limit });
        if let (Some(own), Some(source)) = (own, source) {
            self.is_torn |= !accesses.chain(own, source);
        }
    }

    /// Whether the location is coherent whatever the order of sections: one thread has written to it, and the first access of each
    /// other thread happens after that, without the help of sections. (All of them read the last write: others are no sources.)
    fn is_settled(&self, location: &Accesses) -> bool {
        let Some(writer) = location.writes.get(1).map(|write| write.thread) else { return true };
        let last = location.writes.last().map_or(0, |write| write.index);
        location.writes[1..].iter().all(|write| write.thread == writer)
            && location.by_thread().all(|(thread, accesses)| {
                thread == writer || self.graph.hb_count(accesses[0].event, writer) > last
            })
    }

    // --- one order ------------------------------------------------------------------------------------------------

    /// Whether the graph is consistent with these edges.
    pub(crate) fn allows(&mut self, edges: &[Edge]) -> bool {
        self.transactions.looks.set(self.transactions.looks.get() + self.count() as u64);
        !self.is_torn && self.find_clocks(edges) && self.is_coherent()
    }

    /// Make room for clocks.
    fn prepare_clocks(&mut self) {
        let (count, threads) = (self.count(), self.graph.thread_count());
        let Buffers { hb, place, locks, sections, .. } = &mut self.known;
        if !hb.is_empty() {
            return;
        }
        hb.resize(count * threads, 0);
        place.resize(count, 0);
        locks.clear();
        locks.resize(count, false);
        sections.iter().for_each(|section| locks[section.first] = true);
    }

    /// Compute the clocks; false if there is a cycle.
    fn find_clocks(&mut self, edges: &[Edge]) -> bool {
        self.prepare_clocks();
        let threads = self.graph.thread_count();
        let mut next = std::mem::take(&mut self.known.next);
        next.clear();
        next.resize(threads, 0);
        let (mut place, mut goes_on) = (0, true);
        while goes_on {
            goes_on = false;
            for thread in self.graph.thread_ids() {
                let events = self.events(thread);
                while let Some(&e) = events.get(next[thread.index()])
                    && self.is_ready(e, self.known.first[thread.index()] + next[thread.index()], &next, edges)
                {
                    let number = self.known.first[thread.index()] + next[thread.index()];
                    self.find_clock(e, number, edges);
                    self.known.place[number] = place;
                    place += 1;
                    next[thread.index()] += 1;
                    goes_on = true;
                }
            }
        }
        self.known.next = next;
        place as usize == self.count()
    }

    /// Whether everything before `e` is there already; of each thread the `next` event is not.
    fn is_ready(&self, e: EventRef, number: usize, next: &[usize], edges: &[Edge]) -> bool {
        let event = self.graph.event(e);
        let is_there = |other: EventRef| {
            let other = self.graph.event(other);
            next[other.thread.index()] > other.index as usize
        };
        let creation = self.graph.creation_of(event.thread);
        let is_created = event.index > 0 || creation.is_none() || is_there(creation);
        let has_source = !event.kind.reads() || event.rf.is_init() || is_there(event.rf);
        let is_joined = !event.kind.is_join() || {
            let child = ThreadId(event.value as u32);
            next[child.index()] == self.events(child).len()
        };
        let before =
            |&(a, b): &Edge| self.known.sections[b].lock != e || is_there(self.known.sections[a].end);
        is_created && has_source && is_joined && (!self.known.locks[number] || edges.iter().all(before))
    }

    fn find_clock(&mut self, e: EventRef, number: usize, edges: &[Edge]) {
        let threads = self.graph.thread_count();
        let event = self.graph.event(e);
        let row = number * threads;
        let mut is_new = true;
        if event.index > 0 {
            self.known.hb.copy_within(row - threads..row, row);
            let last = self.graph.po(event.thread)[event.index as usize - 1];
            is_new = self.graph.event(last).hb != event.hb;
        } else {
            self.known.hb[row..row + threads].fill(0);
        }
        self.known.hb[row + event.thread.index()] = event.index + 1;
        for thread in self.graph.thread_ids().filter(|&thread| is_new && thread != event.thread) {
            let count = self.graph.hb_count(e, thread);
            if count > self.known.hb[row + thread.index()] {
                self.join(row, self.known.first[thread.index()] + count as usize - 1);
            }
        }
        let edges = if self.known.locks[number] { edges } else { &[] };
        for &(a, b) in edges {
            if self.known.sections[b].lock == e {
                self.join(row, self.number(self.known.sections[a].end));
            }
        }
    }

    fn join(&mut self, row: usize, number: usize) {
        let threads = self.graph.thread_count();
        for thread in 0..threads {
            self.known.hb[row + thread] =
                self.known.hb[row + thread].max(self.known.hb[number * threads + thread]);
        }
    }

    /// The number of an event.
    pub(crate) fn number(&self, e: EventRef) -> usize {
        let event = self.graph.event(e);
        self.known.first[event.thread.index()] + event.index as usize
    }

    /// The place of an event in an order of all events that agrees with the order that was tested last.
    pub(crate) fn place(&self, e: EventRef) -> u32 {
        self.known.place[self.number(e)]
    }

    /// How many events of the thread happen before `e`, under the order that was tested last; `e` itself included.
    pub(crate) fn hb_count(&self, e: EventRef, thread: ThreadId) -> u32 {
        self.known.hb[self.number(e) * self.graph.thread_count() + thread.index()]
    }

    fn is_coherent(&self) -> bool {
        let threads = self.graph.thread_count();
        self.locations().all(|location| location.is_coherent(&self.known.hb, threads))
    }

    /// Per location that is written its writes in an order that is coherent under the order that was tested last.
    pub(crate) fn coherence_orders(&self) -> BTreeMap<LocationId, Vec<EventRef>> {
        let threads = self.graph.thread_count();
        let orders =
            self.locations().filter_map(|it| Some((it.location()?, it.order(&self.known.hb, threads)?)));
        orders.collect()
    }

    /// The writes to the location that can be the last one, in some order of sections.
    pub(crate) fn last_writes(mut self, location: LocationId) -> Vec<EventRef> {
        let locations = &self.known.locations[..self.known.used];
        let Some(at) = locations.iter().position(|it| it.is_of(location)) else {
            return vec![EventRef::init(location)];
        };
        let ends = self.known.locations[at].ends();
        let is_possible = |&w: &u32| {
            self.known.locations[at].set_last(w);
            self.decide().is_some()
        };
        let last: Vec<u32> = ends.into_iter().filter(is_possible).collect();
        last.into_iter().map(|w| self.known.locations[at].writes[w as usize].event).collect()
    }

    // --- all orders -----------------------------------------------------------------------------------------------

    /// An order of all sections with which the graph is consistent.
    pub(crate) fn decide(&mut self) -> Option<Vec<Edge>> {
        let fixed = self.edges_to_last();
        self.decide_with(fixed)
    }

    /// An order of all sections that includes these edges.
    pub(crate) fn decide_with(&mut self, fixed: Vec<Edge>) -> Option<Vec<Edge>> {
        let likely = match Implied::of(self, &fixed) {
            Some(mut implied) => {
                implied.close()?;
                implied.complete_by_age(self).map(|()| implied.edges(self))
            }
            None if fixed == self.edges_to_last() => Some(self.order_of_age()),
            None => None,
        };
        if let Some(likely) = likely
            && self.allows(&likely)
        {
            return Some(likely);
        }
        self.complete(fixed)
    }

    /// Whether there is one.
    pub(crate) fn is_possible(&mut self) -> bool {
        if self.is_torn {
            return false;
        }
        let fixed = self.edges_to_last();
        let Some(mut implied) = Implied::of(self, &fixed) else { return self.decide().is_some() };
        if implied.close().is_none() {
            debug_assert!(
                self.transactions.unmeasured(|| self.complete(fixed).is_none()),
                "an order although there is none"
            );
            return false;
        }
        if implied.is_sufficient && implied.is_settled() {
            debug_assert!(
                self.transactions.unmeasured(|| self.complete(fixed).is_some()),
                "no order although there is one"
            );
            return true;
        }
        if implied.complete_by_age(self).is_some() {
            let likely = implied.edges(self);
            if implied.is_sufficient {
                debug_assert!(self.transactions.unmeasured(|| self.allows(&likely)), "an order that is none");
                return true;
            }
            if self.allows(&likely) {
                return true;
            }
        }
        self.complete(fixed).is_some()
    }

    fn is_last(&self, section: &Section) -> bool {
        section.is_open && self.standpoint.last == Some(section.thread)
    }

    /// Sections of each mutex one after the other, as they were added; those that must come last do.
    fn order_of_age(&self) -> Vec<Edge> {
        let mut order: Vec<usize> = (0..self.known.sections.len()).collect();
        order.sort_by_key(|&number| {
            let section = &self.known.sections[number];
            (section.mutex, self.is_last(section), self.graph.event(section.lock).stamp)
        });
        let is_pair = |pair: &&[usize]| self.are_unordered(pair[0], pair[1]);
        order.windows(2).filter(is_pair).map(|pair| (pair[0], pair[1])).collect()
    }

    fn edges_to_last(&self) -> Vec<Edge> {
        let last = (0..self.known.sections.len()).filter(|&b| self.is_last(&self.known.sections[b]));
        let before = |b: usize| (0..self.known.sections.len()).filter(move |&a| self.are_unordered(a, b));
        last.flat_map(|b| before(b).map(move |a| (a, b))).collect()
    }

    /// Whether two sections are of one mutex and of two threads.
    pub(super) fn are_unordered(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.known.sections[a], &self.known.sections[b]);
        a.mutex == b.mutex && a.thread != b.thread
    }

    /// All pairs of sections of one mutex and two threads, the older one first.
    pub(crate) fn pairs(&self) -> Vec<Edge> {
        let stamp = |number: usize| self.graph.event(self.known.sections[number].lock).stamp;
        let all = (0..self.known.sections.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let pairs = all.filter(|&(a, b)| self.are_unordered(a, b));
        pairs.map(|(a, b)| if stamp(a) < stamp(b) { (a, b) } else { (b, a) }).collect()
    }

    fn complete(&mut self, mut edges: Vec<Edge>) -> Option<Vec<Edge>> {
        if !self.allows(&edges) {
            return None;
        }
        loop {
            let (mut free, known) = (None, edges.len());
            for (a, b) in self.pairs() {
                if edges.contains(&(a, b)) || edges.contains(&(b, a)) {
                    continue;
                }
                match (self.allows_one_more(&mut edges, (a, b)), self.allows_one_more(&mut edges, (b, a))) {
                    (true, true) => free = free.or(Some((a, b))),
                    (true, false) => edges.push((a, b)),
                    (false, true) => edges.push((b, a)),
                    (false, false) => return None,
                }
            }
            if edges.len() > known {
                continue;
            }
            let Some((a, b)) = free else { break };
            let guess = edges.iter().copied().chain([(a, b)]).collect();
            if let Some(all) = self.complete(guess) {
                return Some(all);
            }
            edges.push((b, a));
        }
        // The clocks are those of all edges.
        self.allows(&edges).then_some(edges)
    }

    fn allows_one_more(&mut self, edges: &mut Vec<Edge>, edge: Edge) -> bool {
        edges.push(edge);
        let allows = self.allows(edges);
        edges.pop();
        allows
    }
}

impl Buffers {
    /// The number of the location among those that are written.
    fn slot(&mut self, location: LocationId) -> usize {
        let slot = &mut self.slots[location.index()];
        if *slot == NONE {
            *slot = self.used as u32;
            self.used += 1;
            if self.locations.len() < self.used {
                self.locations.push(Accesses::default());
            }
            self.locations[self.used - 1].clear(location);
        }
        *slot as usize
    }
}
