//! The hooks: the places at which the core asks the reductions, and tells them of events.
//!
//! | hook | when |
//! |---|---|
//! | `note_access`, `note_free` | a thread is about to access memory, or has freed it |
//! | `note_write`, `note_place` | a write was added, or got its place |
//! | `reading` | a read gets a source: which value its thread is told, and which it writes |
//! | `is_canonical`, `is_pointless` | an event has its source and its place: whether the graph with it is visited |
//! | `greedy`, `is_held` | an event is about to be peeled: whether it has its greedy choice, whether it must stay |
//! | `is_impossible` | a number was chosen, or an event without choices added: whether the graph with it is visited |
//! | `note_standstill`, `is_possible` | no thread can step: note what is relied on; whether this is an execution |
//!
//! When a thread takes its step is asked in `core/schedule.rs`.

use crate::core::shape::Shape;
use crate::core::threads::Status;
use crate::ledger::{Assumption, Use};
use crate::notes::Facts;
use crate::reductions::{Reduction, Reductions, Room, Rooms};
use base::ThreadId;
use live::{EventRef, LocationId};
use program::{Blocker, Hint, Reading, Request, proper_address};

impl<P: Hint, C: Shape> Room<'_, Reductions<P::State>, P, C> {
    /// The thread is about to make its access to the location.
    #[inline(always)]
    pub(crate) fn note_access(&self, thread: ThreadId, location: LocationId) {
        let now = self.threads.get(thread);
        match now.request {
            Request::Read { .. } if now.pair.is_none() => {
                let mut facts = Facts::default();
                if now.request.is_plain() {
                    facts = Facts::PEEKED;
                    self.left_out().note_plain_access(thread, location, false);
                }
                self.see(location, facts.and(self.undoing().facts(thread, location)));
            }
            Request::Read { .. } | Request::Rmw { .. } => {
                let facts = self.waiting().facts_of_update(thread, &now.request);
                self.pairs().rely_on_pair(thread, location);
                self.left_out().note_atomic_write(thread, location);
                self.see(location, facts.and(self.undoing().facts(thread, location)));
                self.undoing().note_observed(thread, location);
            }
            Request::Lock { .. } => {
                self.rely(location, Use::Mutex);
                self.left_out().note_atomic_write(thread, location);
                self.see(location, Facts::LOCKED.and(self.undoing().facts(thread, location)));
            }
            Request::Await { .. } => {
                self.rely(location, Use::Word);
                self.left_out().note_atomic_write(thread, location);
                self.see(location, Facts::WILD.and(self.undoing().facts(thread, location)));
            }
            Request::Unlock { .. } => {
                if C::HAS_BLOCKS && self.reductions.on.has(Reduction::LockOrder) {
                    self.note_conflicts(thread, location);
                }
                self.left_out().note_atomic_write(thread, location);
                self.see(location, Facts::STORED.and(self.undoing().facts(thread, location)));
            }
            Request::Write { .. } => {
                let plain = now.request.is_plain();
                if plain {
                    self.confirming().endanger(location);
                    self.left_out().note_plain_access(thread, location, true);
                } else {
                    self.left_out().note_atomic_write(thread, location);
                }
                let facts = self.waiting().facts_of_store(thread, location, plain);
                self.see(location, facts.and(self.undoing().facts(thread, location)));
            }
            // Slots of barriers are written by their threads alone; all others access no memory.
            Request::Depart(_)
            | Request::Sleep { .. }
            | Request::Notify { .. }
            | Request::Fence(_)
            | Request::Create { .. }
            | Request::Join { .. }
            | Request::Publish(_)
            | Request::Free { .. }
            | Request::SizeOf { .. }
            | Request::Choose { .. }
            | Request::Block(_)
            | Request::Finish { .. }
            | Request::Fault(_)
            | Request::Refuse(_) => {}
        }
    }

    /// The thread has freed the object that starts at `address`.
    #[cold]
    pub(crate) fn note_free(&self, thread: ThreadId, address: u64) {
        self.confirming().endanger_object(address);
        self.left_out().note_free(thread, address);
    }

    /// The write `w` was added, whether it has its place already or not.
    #[inline(always)]
    pub(crate) fn note_write(&self, w: EventRef) {
        if C::HAS_BLOCKS {
            self.note_order_of(w);
        }
        self.confirming().note_write(w);
    }

    /// Up to `rf`: whether writes alone order the new write `w` after all others.
    #[inline(always)]
    fn note_order_of(&self, w: EventRef) {
        let event = self.graph.event(w);
        if event.kind.reads() {
            return;
        }
        let tail = self.graph.tail(event.location);
        if !self.graph.is_after_by_writes(w, tail) {
            self.see(event.location, Facts::UNORDERED);
        }
    }

    /// The write `w` got its place.
    #[inline(always)]
    pub(crate) fn note_place(&self, w: EventRef) {
        let location = self.graph.event(w).location;
        // Up to `rf`, another write may come last in some order.
        if self.graph.co_next(w).is_some() || (C::HAS_BLOCKS && !self.graph.is_in_one_order(location)) {
            self.see(location, Facts::UNCHAINED);
        }
    }

    /// The effect of the read `r` when it reads this value; `None` is memory that was never written.
    #[inline(always)]
    pub(crate) fn reading(&self, r: EventRef, read: Option<base::Value>) -> Reading {
        let event = self.graph.event(r);
        let value = read.unwrap_or(0);
        self.attempts().observe(r, value);
        let now = self.before(r);
        if now.pair.is_some() {
            return self.pairs().read(now, read);
        }
        let address = || proper_address(self.graph.location(event.location).access.address);
        let reading = now.request.reading(event.thread, value, address);
        match (reading.written, &now.request) {
            (Some((new, _)), Request::Rmw { at, .. }) => {
                if read == Some(new) && self.waiting().rely_on_idle_update(now, *at, value) {
                    Reading { written: None, ..reading }
                } else if self.attempts().rely_on_unmade(r, value) {
                    Reading { written: None, answer: None, ..reading }
                } else {
                    reading
                }
            }
            _ => reading,
        }
    }

    /// Whether `e`, which has its source and its place, is in order with the events of symmetric threads.
    #[inline(always)]
    pub(crate) fn is_canonical(&self, e: EventRef) -> bool {
        !self.reductions.symmetry.any() || self.symmetry().is_in_order(e)
    }

    /// Whether `r` has just blocked its thread, with a choice that no later write can change. Then the choice is
    /// dropped.
    #[inline(always)]
    pub(crate) fn is_pointless(&self, r: EventRef, source: EventRef) -> bool {
        let now = self.threads.get(self.graph.event(r).thread);
        // An await is greedy with the last write that lets its thread go on, if only to the unroll bound.
        let may_be_greedy = || match self.awaits().is_await(r) {
            true => self.awaits().is_greedy(r, EventRef::NONE),
            false => self.graph.is_last(source),
        };
        let is_settled = || !may_be_greedy() && !self.symmetry().is_bounded(r);
        self.reductions.on.has(Reduction::Blocked)
            && match now.status {
                Status::Locked | Status::Blocked(Blocker::Assume | Blocker::Spin { .. }) => {
                    self.waiting().is_waiting_read(r) || is_settled() || self.confirming().had_to_confirm(r)
                }
                Status::Blocked(Blocker::Unroll) => is_settled(),
                Status::Blocked(Blocker::Exit | Blocker::Sleep { .. }) => false,
                Status::Ready | Status::Awaiting => false,
                Status::Finished | Status::Stopped | Status::Failed => false,
            }
    }

    /// Whether the access `e` has the choice with which it would be added greedily to the rest of the graph without
    /// `w`, where a reduction has a greedy choice of its own; `None` where the usual one counts.
    #[inline(always)]
    pub(crate) fn greedy(&self, e: EventRef, w: EventRef) -> Option<bool> {
        if self.reductions.symmetry.any()
            && let Some(is_greedy) = self.symmetry().greedy(e, w)
        {
            return Some(is_greedy);
        }
        let event = self.graph.event(e);
        let last = C::HAS_CO && self.graph.tail(event.location) == event.rf;
        if event.kind.writes() || last || !self.awaits().is_await(e) {
            return None;
        }
        Some(self.awaits().is_greedy(e, w))
    }

    /// Whether the write `w` must stay, because a lock was displaced by it.
    #[inline(always)]
    pub(crate) fn is_held(&self, w: EventRef) -> bool {
        self.reductions.waiting.holds(w)
    }

    /// Whether the choice or the notification `e` makes the execution impossible, whatever comes later.
    #[inline(always)]
    pub(crate) fn is_impossible(&self, e: EventRef) -> bool {
        self.sleeping().is_impossible_sleep(e) || self.sleeping().calls_sleeper(e)
    }

    /// No thread can step. If threads wait before the subtraction of a zero-net-effect round, that is relied on from
    /// now on; beside symmetric threads it is not, for the two together were never shown to be exact.
    #[inline(always)]
    pub(crate) fn note_standstill(&self) {
        if self.reductions.on.has(Reduction::Undoing) {
            self.undoing().note_standstill();
        }
    }

    /// No thread can step: whether this is an execution of the program.
    #[inline(always)]
    pub(crate) fn is_possible(&self) -> bool {
        let is_possible = self.sleeping().can_sleep_on();
        if is_possible && self.symmetry().has_broken() {
            self.notes.refute(Assumption::Symmetric);
        }
        is_possible && !self.notes.are_refuting()
    }
}
