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
    /// Whether locations that no order of sections can make incoherent are among `locations`, too.
    is_whole: bool,
    pub(crate) sections: Vec<Section>,
    /// Per thread the number of its first event, and at the end the number of all events.
    first: Vec<usize>,
    pub(super) locations: Vec<Accesses>,
    /// Per event, whether it locks a mutex.
    locks: Vec<bool>,
    /// Per event and thread: how many events of the thread happen before it, itself included.
    hb: Vec<u32>,
    /// Per event its place in an order of all events that agrees with everything.
    pub(crate) place: Vec<u32>,
    /// Two read-modify-writes read one write.
    is_torn: bool,
}

/// The accesses to a location that count, if one of them writes.
#[derive(Debug, Default)]
pub(super) struct Accesses {
    location: Option<LocationId>,
    /// The writes, by number. The first one is the initial one.
    pub(super) writes: Vec<Block>,
    pub(super) accesses: Vec<Counted>,
    /// Per thread the numbers of its accesses, in program order.
    by_thread: Vec<(ThreadId, Vec<u32>)>,
    /// The write that comes last, if one must.
    last: Option<u32>,
}

/// Where a write is in its block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) event: EventRef,
    /// The number of the first write of the block, and how many are before it there.
    pub(super) top: u32,
    pub(super) position: u32,
    is_read_by_update: bool,
}

/// An access that counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) event: EventRef,
    index: u32,
    pub(super) number: usize,
    /// The write that it is, or reads: the co-latest one that a later access sees through it.
    pub(super) sees: u32,
    /// The write that it reads, or is: none that it sees is co-later.
    pub(super) limit: u32,
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
        let mut first = vec![0];
        let mut question = Question {
            graph,
            transactions,
            standpoint,
            is_whole,
            sections: Vec::new(),
            first: Vec::new(),
            locations: Vec::new(),
            locks: Vec::new(),
            hb: Vec::new(),
            place: Vec::new(),
            is_torn: false,
        };
        for thread in graph.thread_ids() {
            first.push(first[thread.index()] + question.events(thread).len());
            question.find_sections(thread, first[thread.index()]);
        }
        let count = *first.last().expect("it has a first element");
        question.hb = vec![0; count * graph.thread_count()];
        question.place = vec![0; count];
        question.locks = vec![false; count];
        for section in &question.sections {
            question.locks[section.first] = true;
        }
        question.first = first;
        question.find_accesses();
        question
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
        let mut locked: Vec<(usize, usize)> = Vec::new();
        for (index, &e) in events.iter().enumerate() {
            let span = self.transactions.span(e);
            let mutex = (held ^ span.after).trailing_zeros() as usize;
            if span.after & !held != 0 {
                let is_open = open.is_some_and(|open| self.graph.event(e).index >= open.start);
                let end = *events.last().expect("it is one of them");
                locked.push((mutex, self.sections.len()));
                let (first, last) = (first + index, first + events.len() - 1);
                self.sections.push(Section { thread, mutex, lock: e, end, first, last, is_open });
            } else if held & !span.after != 0 {
                let at = locked.iter().position(|&(other, _)| other == mutex).expect("it is held");
                let (_, section) = locked.swap_remove(at);
                self.sections[section].end = e;
                self.sections[section].last = first + index;
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
        let mut slots = vec![u32::MAX; self.graph.locations().len()];
        let mut numbers: Vec<(EventRef, u32)> = Vec::new();
        for thread in self.graph.thread_ids() {
            for &w in self.events(thread) {
                let event = self.graph.event(w);
                if !event.kind.writes() || !self.counts(w) {
                    continue;
                }
                let slot = &mut slots[event.location.index()];
                if *slot == u32::MAX {
                    *slot = self.locations.len() as u32;
                    self.locations.push(Accesses::of(event.location));
                }
                let writes = &mut self.locations[*slot as usize].writes;
                numbers.push((w, writes.len() as u32));
                writes.push(Block {
                    event: w,
                    top: writes.len() as u32,
                    position: 0,
                    is_read_by_update: false,
                });
            }
        }
        numbers.sort_unstable();
        let number = |w: EventRef| match w.is_init() {
            true => Some(0),
            false => numbers.binary_search_by_key(&w, |&(w, _)| w).ok().map(|at| numbers[at].1),
        };
        for thread in self.graph.thread_ids() {
            for (index, &e) in self.events(thread).iter().enumerate() {
                let event = self.graph.event(e);
                if !event.kind.is_access() || slots[event.location.index()] == u32::MAX {
                    continue;
                }
                let source = if event.kind.reads() { number(event.rf) } else { None };
                if event.kind.reads() && source.is_none() {
                    // It reads a write that does not count.
                    continue;
                }
                let own = if event.kind.writes() { number(e) } else { None };
                let (Some(sees), Some(limit)) = (own.or(source), source.or(own)) else { continue };
                let counted = Counted {
                    event: e,
                    index: index as u32,
                    number: self.first[thread.index()] + index,
                    sees,
                    limit,
                };
                let accesses = &mut self.locations[slots[event.location.index()] as usize];
                accesses.add(thread, counted);
                if let (Some(own), Some(source)) = (own, source) {
                    self.is_torn |= !accesses.chain(own, source);
                }
            }
        }
        if !self.is_whole {
            let mut locations = std::mem::take(&mut self.locations);
            locations.retain(|location| !self.is_settled(location));
            self.locations = locations;
        }
        self.locations.iter_mut().for_each(Accesses::find_tops);
    }

    /// Whether the location is coherent whatever the order of sections: one thread has written to it, and the first access of each
    /// other thread happens after that, without the help of sections. (All of them read the last write: others are no sources.)
    fn is_settled(&self, location: &Accesses) -> bool {
        let Some(writer) = location.writes.get(1).map(|write| self.graph.event(write.event).thread) else {
            return true;
        };
        let last = location.writes.last().map_or(0, |write| self.graph.event(write.event).index);
        location.writes[1..].iter().all(|write| self.graph.event(write.event).thread == writer)
            && location.by_thread.iter().all(|(thread, numbers)| {
                let first = location.accesses[numbers[0] as usize].event;
                *thread == writer || self.graph.hb_count(first, writer) > last
            })
    }

    // --- one order ------------------------------------------------------------------------------------------------

    /// Whether the graph is consistent with these edges.
    pub(crate) fn allows(&mut self, edges: &[Edge]) -> bool {
        !self.is_torn && self.find_clocks(edges) && self.is_coherent()
    }

    /// Compute the clocks; false if there is a cycle.
    fn find_clocks(&mut self, edges: &[Edge]) -> bool {
        let threads = self.graph.thread_count();
        let mut next = vec![0; threads];
        let (mut place, mut goes_on) = (0, true);
        while goes_on {
            goes_on = false;
            for thread in self.graph.thread_ids() {
                let events = self.events(thread);
                while let Some(&e) = events.get(next[thread.index()])
                    && self.is_ready(e, self.first[thread.index()] + next[thread.index()], &next, edges)
                {
                    let number = self.first[thread.index()] + next[thread.index()];
                    self.find_clock(e, number, edges);
                    self.place[number] = place;
                    place += 1;
                    next[thread.index()] += 1;
                    goes_on = true;
                }
            }
        }
        place as usize == self.place.len()
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
        let before = |&(a, b): &Edge| self.sections[b].lock != e || is_there(self.sections[a].end);
        is_created && has_source && is_joined && (!self.locks[number] || edges.iter().all(before))
    }

    fn find_clock(&mut self, e: EventRef, number: usize, edges: &[Edge]) {
        let threads = self.graph.thread_count();
        let event = self.graph.event(e);
        let row = number * threads;
        let mut is_new = true;
        if event.index > 0 {
            self.hb.copy_within(row - threads..row, row);
            let last = self.graph.po(event.thread)[event.index as usize - 1];
            is_new = self.graph.event(last).hb != event.hb;
        } else {
            self.hb[row..row + threads].fill(0);
        }
        self.hb[row + event.thread.index()] = event.index + 1;
        for thread in self.graph.thread_ids().filter(|&thread| is_new && thread != event.thread) {
            let count = self.graph.hb_count(e, thread);
            if count > self.hb[row + thread.index()] {
                self.join(row, self.first[thread.index()] + count as usize - 1);
            }
        }
        let edges = if self.locks[number] { edges } else { &[] };
        for &(a, b) in edges {
            if self.sections[b].lock == e {
                self.join(row, self.number(self.sections[a].end));
            }
        }
    }

    fn join(&mut self, row: usize, number: usize) {
        let threads = self.graph.thread_count();
        for thread in 0..threads {
            self.hb[row + thread] = self.hb[row + thread].max(self.hb[number * threads + thread]);
        }
    }

    /// The number of an event.
    pub(crate) fn number(&self, e: EventRef) -> usize {
        let event = self.graph.event(e);
        self.first[event.thread.index()] + event.index as usize
    }

    /// How many events of the thread happen before `e`, under the order that was tested last; `e` itself included.
    pub(crate) fn hb_count(&self, e: EventRef, thread: ThreadId) -> u32 {
        self.hb[self.number(e) * self.graph.thread_count() + thread.index()]
    }

    fn is_coherent(&self) -> bool {
        let threads = self.graph.thread_count();
        self.locations.iter().all(|location| location.is_coherent(&self.hb, threads))
    }

    /// Per location that is written its writes in an order that is coherent under the order that was tested last.
    pub(crate) fn coherence_orders(&self) -> BTreeMap<LocationId, Vec<EventRef>> {
        let threads = self.graph.thread_count();
        let orders =
            self.locations.iter().filter_map(|it| Some((it.location?, it.order(&self.hb, threads)?)));
        orders.collect()
    }

    /// The writes to the location that can be the last one, in some order of sections.
    pub(crate) fn last_writes(mut self, location: LocationId) -> Vec<EventRef> {
        let Some(at) = self.locations.iter().position(|it| it.location == Some(location)) else {
            return vec![EventRef::init(location)];
        };
        let ends = self.locations[at].ends();
        let is_possible = |&w: &u32| {
            self.locations[at].last = Some(w);
            self.decide().is_some()
        };
        let last: Vec<u32> = ends.into_iter().filter(is_possible).collect();
        last.into_iter().map(|w| self.locations[at].writes[w as usize].event).collect()
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
            debug_assert!(self.complete(fixed).is_none(), "an order although there is none");
            return false;
        }
        if implied.complete_by_age(self).is_some() {
            let likely = implied.edges(self);
            if implied.is_sufficient {
                debug_assert!(self.allows(&likely), "an order that is none");
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
        let mut order: Vec<usize> = (0..self.sections.len()).collect();
        order.sort_by_key(|&number| {
            let section = &self.sections[number];
            (section.mutex, self.is_last(section), self.graph.event(section.lock).stamp)
        });
        let is_pair = |pair: &&[usize]| self.are_unordered(pair[0], pair[1]);
        order.windows(2).filter(is_pair).map(|pair| (pair[0], pair[1])).collect()
    }

    fn edges_to_last(&self) -> Vec<Edge> {
        let last = (0..self.sections.len()).filter(|&b| self.is_last(&self.sections[b]));
        let before = |b: usize| (0..self.sections.len()).filter(move |&a| self.are_unordered(a, b));
        last.flat_map(|b| before(b).map(move |a| (a, b))).collect()
    }

    /// Whether two sections are of one mutex and of two threads.
    pub(super) fn are_unordered(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.sections[a], &self.sections[b]);
        a.mutex == b.mutex && a.thread != b.thread
    }

    /// All pairs of sections of one mutex and two threads, the older one first.
    pub(crate) fn pairs(&self) -> Vec<Edge> {
        let stamp = |number: usize| self.graph.event(self.sections[number].lock).stamp;
        let all = (0..self.sections.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
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

impl Accesses {
    fn of(location: LocationId) -> Accesses {
        let initial =
            Block { event: EventRef::init(location), top: 0, position: 0, is_read_by_update: false };
        Accesses { location: Some(location), writes: vec![initial], ..Accesses::default() }
    }

    fn add(&mut self, thread: ThreadId, access: Counted) {
        let number = self.accesses.len() as u32;
        self.accesses.push(access);
        match self.by_thread.last_mut() {
            Some((last, numbers)) if *last == thread => numbers.push(number),
            _ => self.by_thread.push((thread, vec![number])),
        }
    }

    /// The write `own` is a read-modify-write that reads `source`; false if another one does already.
    fn chain(&mut self, own: u32, source: u32) -> bool {
        self.writes[own as usize].top = source;
        self.writes[own as usize].position = 1;
        !std::mem::replace(&mut self.writes[source as usize].is_read_by_update, true)
    }

    /// From the source of each read-modify-write to the first write of its block.
    fn find_tops(&mut self) {
        for number in 0..self.writes.len() {
            let (mut top, mut position) = (number as u32, 0);
            while self.writes[top as usize].top != top {
                (top, position) = (self.writes[top as usize].top, position + 1);
            }
            self.writes[number].position = position;
        }
        // Positions were not needed to follow the links, tops are.
        let top_of = |mut w: u32| {
            while self.writes[w as usize].top != w {
                w = self.writes[w as usize].top;
            }
            w
        };
        let tops: Vec<u32> = (0..self.writes.len() as u32).map(top_of).collect();
        self.writes.iter_mut().zip(tops).for_each(|(write, top)| write.top = top);
    }

    /// The last write of each block.
    fn ends(&self) -> Vec<u32> {
        (0..self.writes.len() as u32).filter(|&w| !self.writes[w as usize].is_read_by_update).collect()
    }

    /// Whether there is an order of the writes that is coherent with this hb.
    fn is_coherent(&self, hb: &[u32], threads: usize) -> bool {
        if self.writes.len() > u64::BITS as usize {
            return self.order(hb, threads).is_some();
        }
        let Some(before) = self.blocks_before(hb, threads) else { return false };
        let mut sources = vec![0_u64; self.writes.len()];
        let mut left = 0_u64;
        for (number, write) in self.writes.iter().enumerate().filter(|&(number, it)| it.top == number as u32)
        {
            debug_assert!(write.position == 0, "a block begins with its top");
            left |= 1 << number;
        }
        before.iter().for_each(|&(a, b)| sources[b as usize] |= 1 << a);
        loop {
            let firsts = (0..self.writes.len()).filter(|&n| left >> n & 1 == 1 && sources[n] & left == 0);
            let firsts = firsts.fold(0, |all, n| all | 1 << n);
            match firsts {
                0 => return left == 0,
                _ => left &= !firsts,
            }
        }
    }

    /// The pairs of blocks that are in this order, with this hb, and others that follow from them; `None` if one is before itself.
    fn blocks_before(&self, hb: &[u32], threads: usize) -> Option<Vec<(u32, u32)>> {
        let mut before: Vec<(u32, u32)> = Vec::new();
        for b in &self.accesses {
            for (thread, numbers) in &self.by_thread {
                let known = hb[b.number * threads + thread.index()];
                let is_before = |&n: &u32| {
                    let a = &self.accesses[n as usize];
                    a.event != b.event && a.index < known
                };
                let Some(&last) = numbers.iter().rev().find(|n| is_before(n)) else { continue };
                let (seen, limit) = (self.accesses[last as usize].sees, b.limit);
                let (x, y) = (&self.writes[seen as usize], &self.writes[limit as usize]);
                if x.top == y.top {
                    if x.position > y.position {
                        return None;
                    }
                } else if y.top == 0 {
                    return None;
                } else {
                    before.push((x.top, y.top));
                }
            }
        }
        if let Some(last) = self.last {
            let top = self.writes[last as usize].top;
            if top == 0 && self.writes.iter().any(|write| write.top != 0) {
                return None;
            }
            before.extend(self.writes.iter().filter(|write| write.top != top).map(|write| (write.top, top)));
        }
        Some(before)
    }

    /// The writes in an order that is coherent with this hb, if there is one.
    fn order(&self, hb: &[u32], threads: usize) -> Option<Vec<EventRef>> {
        let before = self.blocks_before(hb, threads)?;
        let count = self.writes.len();
        let mut order = vec![0];
        let mut left: Vec<u32> = (1..count as u32).filter(|&w| self.writes[w as usize].top == w).collect();
        while !left.is_empty() {
            let is_first = |w: u32| !before.iter().any(|&(a, b)| b == w && left.contains(&a));
            let at = left.iter().position(|&w| is_first(w))?;
            order.push(left.remove(at));
        }
        let block = |top: u32| {
            let mut block: Vec<&Block> = self.writes.iter().filter(|write| write.top == top).collect();
            block.sort_by_key(|write| write.position);
            block
        };
        let writes = order.into_iter().flat_map(block).map(|write| write.event);
        Some(writes.filter(|write| !write.is_init()).collect())
    }
}
