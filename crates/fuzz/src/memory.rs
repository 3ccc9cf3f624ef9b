//! The weak memory of a run: the sources of a read, the places of a write, and the knowledge of threads after these.
//!
//! Idea: `co` is decided when a write is made, and events come in an order that agrees with `po` and `rf`. Then
//! COHERENCE is a lower bound for the new event (`location`), and ATOMICITY says that nothing goes between a
//! read-modify-write and its source. Every choice within these gives a consistent execution, and every consistent
//! execution without SC events comes from some choices. \[RF\] leaves `co` open instead and asks for any that fits: its
//! order of chains needs the whole past of a location, ours can forget it.
//!
//! SC events of RC11: as long as there are few, each choice is tested for a cycle in `psc` (`psc`), which is exact.
//! Later ones have the order in which they come: an SC access overlooks no SC write before it and no write that an
//! earlier SC fence had seen; a fence sees all that earlier SC writes and fences have seen. So `psc` agrees with the
//! order, and the execution is consistent. Not every consistent execution is found this way: only those in which
//! `psc ∪ po ∪ rf` has no cycle.
//!
//! Pruning: writes that no live thread can read any more are dropped (`prune`), so memory does not grow with the length
//! of a run as long as the threads read each other's writes.
//!
//! Cost: O(threads) for an event.

use crate::clock::{Clock, Known, Message, View};
use crate::location::{Location, Write};
use crate::psc::{Candidate, Edges, Psc};
use crate::view::ThreadView;
use base::{Access, FenceOrder, ReadOrder, RmwOrder, Site, Value, WriteOrder};
use model::{GlobalAxiom, ReleaseSequence, Rules};

/// A location by its number.
pub(crate) type LocationIndex = usize;

/// The memory of a run.
#[derive(Debug)]
pub(crate) struct Memory {
    rules: &'static Rules,
    pub(crate) threads: Vec<ThreadView>,
    pub(crate) locations: Vec<Location>,
    /// The partial SC order, until it is settled.
    psc: Option<Box<Psc>>,
    /// Since it is settled: the events that SC fences have seen, and the number of SC events.
    sc: View,
    /// How much of the past is kept.
    kept: Kept,
    /// How many writes were dropped that could still have been read.
    pub(crate) forgotten: u64,
}

/// How much of the past is kept: writes of a location, and SC events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kept {
    /// So many writes are kept without a test whether they can still be read.
    pub(crate) few: usize,
    /// More writes are not kept, although they can still be read.
    pub(crate) most: usize,
    /// So many SC events of RC11 have an exact order.
    pub(crate) sc_events: usize,
}

/// The order of SC events is settled at this many writes of a location, or locations: before that, none are dropped.
const UNTIL_SETTLED: usize = 1 << 12;

/// The kind and order of an access that makes a choice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Choice {
    Read(ReadOrder),
    Write(WriteOrder),
    Update(RmwOrder),
}

/// An access that is about to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) thread: usize,
    pub(crate) location: LocationIndex,
    pub(crate) site: Site,
}

/// Two accesses that race: the earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Other {
    pub(crate) thread: usize,
    /// Which of its events, from 1.
    pub(crate) position: u32,
}

impl Memory {
    pub(crate) fn new(rules: &'static Rules, kept: Kept) -> Memory {
        let (threads, locations) = (Vec::new(), Vec::new());
        let psc = (rules.global == GlobalAxiom::Psc).then(|| Box::new(Psc::new(kept.sc_events)));
        Memory { rules, threads, locations, psc, sc: View::default(), kept, forgotten: 0 }
    }

    /// Add a thread that `creator` creates, after its event.
    pub(crate) fn add_thread(&mut self, creator: Option<usize>) -> usize {
        let known = creator.map_or_else(Known::default, |creator| self.threads[creator].known.clone());
        self.threads.push(ThreadView::new(self.threads.len(), known));
        self.threads.len() - 1
    }

    /// A location with its initial value.
    pub(crate) fn new_location(&self, at: Access, value: Option<Value>) -> Location {
        Location::new(at, value, self.kept.few)
    }

    /// `thread` has joined `child`.
    pub(crate) fn join(&mut self, thread: usize, child: usize) {
        let known = self.threads[child].known.clone();
        self.threads[thread].learn(&known);
        if let Some(psc) = &mut self.psc {
            psc.add_join(child, (thread, self.threads[thread].events));
        }
    }

    // --- possible choices -----------------------------------------------------------------------------------------

    /// The co-first write that an access may read, or go after.
    #[inline]
    pub(crate) fn first(&self, thread: usize, location: LocationIndex, is_sc: bool) -> usize {
        let at = &self.locations[location];
        if self.rules.global == GlobalAxiom::Sc {
            return at.writes.len() - 1;
        }
        let (clock, sc) = self.threads[thread].known.coherence();
        let mut bound = at.bound(clock, sc);
        if is_sc && self.rules.global == GlobalAxiom::Psc && self.psc.is_none() {
            bound = bound.max(at.last_sc()).max(at.bound(&self.sc.clock, self.sc.sc));
        }
        at.first_from(bound)
    }

    /// An SC access is about to be made: settle the order if there is no room for it.
    #[inline]
    pub(crate) fn expect_sc(&mut self) {
        if self.psc.as_ref().is_some_and(|psc| psc.is_full()) {
            self.settle();
        }
    }

    /// Whether `psc` may forbid a choice that coherence allows.
    #[inline]
    pub(crate) fn has_psc(&self) -> bool {
        self.psc.as_ref().is_some_and(|psc| !psc.is_empty())
    }

    /// Whether `psc` lets an access read this write, or go after it.
    pub(crate) fn allows(
        &self,
        thread: usize,
        location: LocationIndex,
        source: usize,
        choice: Choice,
    ) -> bool {
        let Some(psc) = &self.psc else { return true };
        let (new, hb) = self.candidate(thread, location, source, choice);
        psc.allows(&new, &self.locations[location], &self.threads[thread].known.hb, &hb)
    }

    /// A choice, and the events that happen before the access with it.
    fn candidate(
        &self,
        thread: usize,
        location: LocationIndex,
        source: usize,
        choice: Choice,
    ) -> (Candidate, Clock) {
        let write = &self.locations[location].writes[source];
        let (reads, writes, is_sc) = match choice {
            Choice::Read(order) => (Some(order), false, order == ReadOrder::SeqCst),
            Choice::Write(order) => (None, true, order == WriteOrder::SeqCst),
            Choice::Update(order) => (Some(order.read()), true, order == RmwOrder::SeqCst),
        };
        let mut hb = self.threads[thread].known.hb.clone();
        if let Some(message) = &write.message
            && reads.is_some_and(|order| self.rules.orders.acquires(order))
        {
            hb.join(&message.base.hb);
            hb.raise(message.thread, message.upto);
        }
        let (cut, reads) = (write.label, reads.is_some());
        (Candidate { thread, location, cut, reads, writes, is_sc }, hb)
    }

    /// Settle the order: from now on SC events have the order in which they come, and come after those so far.
    #[cold]
    fn settle(&mut self) {
        let Some(psc) = self.psc.take() else { return };
        self.sc = psc.settle(&mut self.locations);
        for thread in &mut self.threads {
            thread.known_mut().view_mut().join(&self.sc);
        }
    }

    /// Whether the number of a freed location may be used for another one. Not while its accesses are still part of
    /// `psc`; with many locations, the order is settled first.
    pub(crate) fn may_reuse(&mut self) -> bool {
        if self.has_psc() && self.locations.len() >= UNTIL_SETTLED {
            self.settle();
        }
        !self.has_psc()
    }

    // --- events ---------------------------------------------------------------------------------------------------

    /// The edges that an access, which is about to be made, adds to `psc`; `None` if `psc` is settled or there is no SC
    /// event.
    #[inline]
    fn begin(&mut self, place: Place, source: usize, choice: Choice) -> Option<(Candidate, Edges)> {
        let psc = self.psc.as_ref()?;
        let is_sc = matches!(
            choice,
            Choice::Read(ReadOrder::SeqCst)
                | Choice::Write(WriteOrder::SeqCst)
                | Choice::Update(RmwOrder::SeqCst)
        );
        if psc.is_empty() && !is_sc {
            return None;
        }
        Some(self.begin_in_psc(place, source, choice))
    }

    fn begin_in_psc(&mut self, place: Place, source: usize, choice: Choice) -> (Candidate, Edges) {
        let Place { thread, location, .. } = place;
        let (new, hb) = self.candidate(thread, location, source, choice);
        let known = &self.threads[thread].known.hb;
        let psc = self.psc.as_mut().expect("who calls has looked");
        let edges = psc.edges(&new, &self.locations[location], known, &hb);
        psc.begin(thread, Some(location), known);
        (new, edges)
    }

    /// The access was made, with this label: add its edges.
    #[inline]
    fn end(&mut self, begun: Option<(Candidate, Edges)>, label: u64) {
        if let (Some((new, edges)), Some(psc)) = (begun, &mut self.psc) {
            let thread = &self.threads[new.thread];
            let made = (thread.events, label, &thread.known.hb);
            psc.add(&new, edges, &mut self.locations[new.location], made);
        }
    }

    /// Make a read of a write.
    #[inline]
    pub(crate) fn read(&mut self, place: Place, source: usize, order: ReadOrder) {
        let begun = self.begin(place, source, Choice::Read(order));
        let position = self.threads[place.thread].step();
        self.synchronise(place, source, order);
        let at = &mut self.locations[place.location];
        let label = at.writes[source].label;
        let history = at.history(place.thread as u32);
        history.see(position, label);
        history.last.read = position;
        if order == ReadOrder::NotAtomic {
            history.last.plain_read = position;
        }
        self.end(begun, label);
    }

    /// Add the message of its source to the knowledge of a read's thread.
    #[inline]
    fn synchronise(&mut self, place: Place, source: usize, order: ReadOrder) {
        let thread = &mut self.threads[place.thread];
        let Some(message) = &self.locations[place.location].writes[source].message else { return };
        if self.rules.orders.acquires(order) {
            thread.acquire(message);
        } else if order != ReadOrder::NotAtomic {
            thread.put_off(message);
        }
    }

    /// Make a write right after another one.
    pub(crate) fn write(&mut self, place: Place, after: usize, value: Value, order: WriteOrder) {
        let begun = self.begin(place, after, Choice::Write(order));
        self.threads[place.thread].step();
        let label = self.insert(place, after, value, order, None);
        self.end(begun, label);
    }

    /// Make a read-modify-write of a write.
    pub(crate) fn update(&mut self, place: Place, source: usize, value: Value, order: RmwOrder) {
        let begun = self.begin(place, source, Choice::Update(order));
        let position = self.threads[place.thread].step();
        self.synchronise(place, source, order.read());
        let at = &mut self.locations[place.location];
        at.writes[source].updated = true;
        let message = at.writes[source].message.clone();
        at.history(place.thread as u32).last.read = position;
        let label = self.insert(place, source, value, order.write(), message);
        self.end(begun, label);
    }

    fn insert(
        &mut self,
        place: Place,
        after: usize,
        value: Value,
        order: WriteOrder,
        source: Option<Message>,
    ) -> u64 {
        let message = self.message(place, order, source);
        let thread = &self.threads[place.thread];
        let at = &mut self.locations[place.location];
        let position = thread.events;
        let label = at.insert(
            after,
            Write {
                label: 0,
                thread: place.thread as u32,
                position,
                value: Some(value),
                updated: false,
                message,
                site: place.site,
            },
        );
        let history = at.history(place.thread as u32);
        history.see(position, label);
        history.last.write = position;
        if order == WriteOrder::NotAtomic {
            history.last.plain_write = position;
        }
        if order == WriteOrder::SeqCst && self.rules.global == GlobalAxiom::Psc && self.psc.is_none() {
            self.sc.sc += 1;
            at.note_sc(self.sc.sc, label);
        }
        label
    }

    /// The message of a write: its own if it is a release, or that of a fence or an earlier write; for a
    /// read-modify-write joined with that of its source.
    fn message(&mut self, place: Place, order: WriteOrder, source: Option<Message>) -> Option<Message> {
        let thread = &mut self.threads[place.thread];
        if order == WriteOrder::NotAtomic {
            return None;
        }
        let own = if self.rules.orders.releases(order) {
            let message = thread.message();
            if self.rules.release_sequence == ReleaseSequence::SameThread {
                let history = self.locations[place.location].history(place.thread as u32);
                history.released = Some(message.clone());
            }
            Some(message)
        } else {
            let fence = thread.last_fence().cloned();
            let earlier = match self.rules.release_sequence == ReleaseSequence::SameThread {
                true => self.locations[place.location].history(place.thread as u32).released.clone(),
                false => None,
            };
            // Of two messages of one thread the later one includes the other.
            fence.into_iter().chain(earlier).max_by_key(|message| message.upto)
        };
        match (own, source) {
            (Some(own), Some(source)) => Some(own.and(&source)),
            (own, source) => own.or(source),
        }
    }

    /// Make a fence that is an event of its own.
    pub(crate) fn fence(&mut self, thread: usize, order: FenceOrder) {
        let (acquires, releases) = self.rules.orders.fence(order);
        let is_sc = order == FenceOrder::SeqCst && self.rules.global == GlobalAxiom::Psc;
        if is_sc {
            self.expect_sc();
        }
        let position = self.other(thread);
        let view = &mut self.threads[thread];
        if acquires {
            view.acquire_pending();
        }
        if is_sc && let Some(psc) = &mut self.psc {
            psc.add_fence(thread, position, view.known.hb.clone(), &self.locations);
        } else if is_sc {
            let mine = view.known_mut().view_mut();
            mine.join(&self.sc);
            mine.sc = self.sc.sc;
            self.sc.join(mine);
        }
        if releases {
            self.threads[thread].release();
        }
    }

    /// Whether an SC fence is a read-modify-write.
    pub(crate) fn sc_fence_is_update(&self) -> bool {
        self.rules.sc_fence_is_update()
    }

    /// Make an event without a location. Returns its position.
    pub(crate) fn other(&mut self, thread: usize) -> u32 {
        let position = self.threads[thread].step();
        if self.has_psc()
            && let Some(psc) = &mut self.psc
        {
            psc.begin(thread, None, &self.threads[thread].known.hb);
            psc.add_other(thread, position);
        }
        position
    }

    // --- races ----------------------------------------------------------------------------------------------------

    /// An access that races with the one that the thread has just made (\[RCMC\] definition 3.10).
    #[inline]
    pub(crate) fn race(&self, place: Place, is_plain: bool, writes: bool) -> Option<Other> {
        let hb = &self.threads[place.thread].known.hb;
        for history in self.locations[place.location].histories() {
            let other = history.thread as usize;
            if other == place.thread {
                continue;
            }
            let (known, last) = (hb.get(other), history.last);
            let write = if is_plain { last.write } else { last.plain_write };
            let read = match (writes, is_plain) {
                (false, _) => 0,
                (true, true) => last.read,
                (true, false) => last.plain_read,
            };
            if write > known || read > known {
                return Some(Other { thread: other, position: write.max(read) });
            }
        }
        None
    }

    /// An access to the location that does not happen before the thread's current event.
    pub(crate) fn unordered(&self, thread: usize, location: LocationIndex) -> Option<Other> {
        let hb = &self.threads[thread].known.hb;
        let mut others =
            self.locations[location].histories().iter().filter(|history| history.thread as usize != thread);
        others.find_map(|history| {
            let other = history.thread as usize;
            let position = history.last.read.max(history.last.write);
            (position > hb.get(other)).then_some(Other { thread: other, position })
        })
    }

    // --- pruning --------------------------------------------------------------------------------------------------

    /// Drop the writes of a location that no thread can read any more. `alive` are the threads that may still step,
    /// each with those whose ends it waits for.
    pub(crate) fn prune(&mut self, location: LocationIndex, alive: &[Vec<usize>]) {
        if self.has_psc() {
            if self.locations[location].writes.len() < UNTIL_SETTLED.min(self.kept.most) {
                self.locations[location].postpone();
                return;
            }
            self.settle();
        }
        let at = &self.locations[location];
        let bound_of = |&thread: &usize| {
            let (clock, sc) = self.threads[thread].known.coherence();
            at.bound(clock, sc)
        };
        let bounds = alive.iter().map(|threads| threads.iter().map(bound_of).max().unwrap_or(0));
        let bound = match self.rules.global {
            // Only the last write is ever read.
            GlobalAxiom::Sc => at.writes.last().map_or(0, |write| write.label),
            _ => bounds.min().unwrap_or(0),
        };
        self.forgotten += self.locations[location].prune(bound, self.kept.few, self.kept.most) as u64;
    }
}
