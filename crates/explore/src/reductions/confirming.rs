//! Confirmations: a round whose confirmation is certain to fail goes no further.
//!
//! A round of a lock-free algorithm reads a location (the *speculative read*), looks around, and then makes sure that
//! the location has not changed (the *confirmation*): with a compare-exchange that expects the value that was read, or
//! with a second load. If that fails, so does the round, and the thread is blocked.
//!
//! Argument: where no value comes back, the confirmation can only find the value in the very write that the speculative
//! read, `r`, has read. Let `c` be a write after that one and older than `r`. As long as `r` is there, so is `c`: `r`
//! is never maximal, so no write revisits it, and no sweep gets past it. Its thread has written nothing since, so no
//! event of another thread depends on it either. If all reads of the thread since then are *settled*, too, the
//! confirmation must have the source of `r`:
//! * A load that reads any other write leads to blocked executions only: these are left out.
//! * A compare-exchange cannot have that source if `c` is a read-modify-write that reads it too. It still sweeps, since
//!   `c` may be revisited to read from it (that is why a late read is explored at all); after the sweep only blocked
//!   executions are left, and they are left out. (If `c` is a store, the compare-exchange may come before it; then its
//!   failure is explored, too, for it is the greedy choice.)
//!
//! For the same reason no confirmation is displaced there as at a lock (`waiting.rs`): its thread would hold a value
//! that is gone.
//!
//! A read is *settled* if no write will ever revisit it: it is never maximal either; or it is an await that reads the
//! one value that lets it go on; or no thread will write there any more. A read that is not settled may be revisited,
//! and then all that comes after it is done again: `x += 1 ‖ r = x; s = y; cas(x, r, r + 1) ‖ y = 1`.
//!
//! Relies on: assumptions about writes and frees. These are watched from the moment on when a round relies on them for
//! the first time: that refutes `Assumption::NothingConfirmed`, and the exploration starts again. From then on it
//! relies on these:
//! * `Use::NewValues`: no value is written twice to the location; refuted by a write of a value that is there already.
//! * `Assumption::FewerWrites`: a location is written no more often than in the execution at hand, so that its reads
//!   are settled; refuted by one write more, in any execution.
//! * `Use::Safe`: no location that the round has read is freed or written plainly as long as there are other threads,
//!   for that could race with the round, in an execution that is left out (`tests/wrong/use_after_free_slow_pop.c`).
//! * `Assumption::ConfirmedAsymmetrically`: there are no symmetric threads, for one of them may be greedy with a write
//!   that is overwritten (`symmetry.rs`). If it is refuted, no round is confirmed.
//!
//! Each refutation starts the exploration once more. That is enough: the thread whose executions are left out has no
//! effect on others, so their writes and frees there are in other executions, too.
//!
//! Lost: blocked executions that end with a read of the last value, but go on in the next round of their loop.
//! They are kept when threads that spin for ever are looked for.
//!
//! Cost: for each access that may block its thread, a walk back to the thread's last write; if writes are watched, for
//! each one a look at the others of its location.

use crate::core::shape::Shape;
use crate::core::threads::{Current, Status};
use crate::ledger::{Assumption, Ledger, Use};
use crate::notes::Facts;
use crate::reductions::{Room, Rooms};
use base::{Access, ThreadId, Value, truncate};
use live::{EventRef, LocationId};
use program::{Await, Hint, Request, RmwOp};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The room of confirmations.
#[derive(Debug, Default)]
pub(crate) struct Confirming {
    /// Whether confirmations that are certain to fail are left out, or would be if writes were watched.
    is_on: bool,
    /// Whether writes are watched.
    is_watching: bool,
    /// By location: the largest number of its writes in one execution, in passes before this one.
    known: BTreeMap<Access, u32>,
    /// By location: the smallest number of writes that a round has relied on as the last, and the largest number seen.
    counts: RefCell<Vec<Counts>>,
    /// Memory that was freed while there were other threads, from its first byte to the one after its last.
    freed: RefCell<BTreeSet<(u64, u64)>>,
}

/// How often a location was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) relied: u32,
    pub(crate) seen: u32,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { relied: u32::MAX, seen: 0 }
    }
}

impl Counts {
    /// Those of two parts of a pass.
    pub(crate) fn merge(&mut self, other: Counts) {
        *self = Counts { relied: self.relied.min(other.relied), seen: self.seen.max(other.seen) };
    }

    /// Whether a number was relied on as the last, and a larger one was seen.
    pub(crate) fn are_wrong(self) -> bool {
        self.seen > self.relied
    }
}

impl Confirming {
    /// The room of a pass with this ledger.
    pub(crate) fn new(is_on: bool, ledger: &Ledger) -> Confirming {
        let mut known = BTreeMap::new();
        for assumption in ledger.refuted() {
            if let &Assumption::FewerWrites(at, count) = assumption {
                // The ledger is in order: the largest number comes last.
                known.insert(at, count);
            }
        }
        let is_on = is_on && !ledger.has_refuted(&Assumption::ConfirmedAsymmetrically);
        Confirming {
            is_on,
            is_watching: is_on && ledger.has_refuted(&Assumption::NothingConfirmed),
            known,
            ..Confirming::default()
        }
    }

    fn change(&self, location: LocationId, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.borrow_mut();
        if counts.len() <= location.index() {
            counts.resize(location.index() + 1, Counts::default());
        }
        change(&mut counts[location.index()]);
    }

    /// How often the location was written.
    pub(crate) fn counted(&self, location: LocationId) -> Counts {
        self.counts.borrow().get(location.index()).copied().unwrap_or_default()
    }

    /// It was written like that in other parts.
    pub(crate) fn recall(&self, location: LocationId, counts: Counts) {
        self.change(location, |here| here.merge(counts));
    }

    /// Memory that was freed while there were other threads.
    pub(crate) fn freed(&self) -> BTreeSet<(u64, u64)> {
        self.freed.borrow().clone()
    }

    /// This was freed in other parts.
    pub(crate) fn recall_freed(&self, freed: &BTreeSet<(u64, u64)>) {
        self.freed.borrow_mut().extend(freed);
    }
}

impl<P: Hint, C: Shape> Room<'_, Confirming, P, C> {
    /// Whether the thread is at a confirmation that is certain to fail: it must find a value again that is gone for
    /// good.
    #[inline(always)]
    pub(crate) fn must_confirm(&self, thread: ThreadId) -> bool {
        let now = self.threads.get(thread);
        now.status == Status::Awaiting && self.must_confirm_after(now, self.graph.po(thread))
    }

    /// Whether the thread of `r` was at such a confirmation when it made `r`.
    #[inline(always)]
    pub(crate) fn had_to_confirm(&self, r: EventRef) -> bool {
        let now = self.before(r);
        now.status == Status::Awaiting && self.must_confirm_after(now, self.po_before(r))
    }

    #[cold]
    fn must_confirm_after(&self, now: &Current<P::State>, events: &[EventRef]) -> bool {
        match now.request {
            Request::Rmw { .. } => self.confirms(now, events, |r| self.is_taken_for_good(r)),
            _ => {
                self.awaits().awaited(now).is_some()
                    && self.confirms(now, events, |r| self.is_overwritten_for_good(r))
            }
        }
    }

    /// Whether the compare-exchange `r` confirms an earlier read that is never maximal once `w` has taken the place of
    /// `r`.
    pub(crate) fn confirms_overwritten(&self, r: EventRef, w: EventRef) -> bool {
        self.confirms(self.before(r), self.po_before(r), |first| self.overwrites(w, first))
    }

    /// Whether a thread that has made these events confirms a read for which `is_it` holds, with nothing but settled
    /// reads since.
    fn confirms(
        &self,
        now: &Current<P::State>,
        events: &[EventRef],
        is_it: impl Fn(EventRef) -> bool,
    ) -> bool {
        let Some((location, value)) = self.wanted(now) else { return false };
        for (i, &e) in events.iter().enumerate().rev() {
            let event = self.graph.event(e);
            let is_first = || event.location == location && self.graph.value(event.rf) == Some(value);
            if event.kind.writes() || event.kind.is_plain() {
                return false;
            } else if !event.kind.is_access() {
                if !event.kind.is_fence() && !matches!(self.before(e).request, Request::Publish(_)) {
                    return false;
                }
            } else if is_first() && is_it(e) {
                return self.blocks(now, value ^ 1)
                    && self.rely_on_new_values(location)
                    && self.rely_on_safety(&events[i..]);
            } else if !self.is_settled(e) {
                return false;
            }
        }
        false
    }

    /// The one value that may let a thread go on, and the location in which it must find it.
    fn wanted(&self, now: &Current<P::State>) -> Option<(LocationId, Value)> {
        if !self.state.is_on || now.pair.is_some() {
            return None;
        }
        let (at, value) = match (&now.request, self.program.awaits(&now.state)) {
            (
                &Request::Rmw { at, op: RmwOp::CompareExchange { expected, .. }, .. },
                Await::Success | Await::Failure,
            ) => (at, expected),
            (&Request::Read { at, .. }, Await::Equal(value)) => (at, value),
            _ => return None,
        };
        Some((self.objects.known(at)?, truncate(value, at.size)))
    }

    // --- reads ----------------------------------------------------------------------------------------------------

    /// Whether there is a read-modify-write of the source of `r` that will be there as long as `r`, so that `r` is
    /// never maximal.
    fn is_taken_for_good(&self, r: EventRef) -> bool {
        let event = self.graph.event(r);
        let c = self.graph.update_of(event.rf);
        c.is_some() && self.graph.event(c).stamp < event.stamp && self.overwrites(c, r)
    }

    /// Whether there is any write after the source of `r` that will be there as long as `r`, so that `r` is never
    /// maximal.
    fn is_overwritten_for_good(&self, r: EventRef) -> bool {
        let event = self.graph.event(r);
        let mut writes = self.writes_after(event.rf, event.location);
        writes.any(|w| self.graph.event(w).stamp < event.stamp && self.overwrites(w, r))
    }

    /// Whether `r` is not maximal when `w` is after its source. (An await is maximal if `w` does not let it go on.)
    fn overwrites(&self, w: EventRef, r: EventRef) -> bool {
        !self.awaits().is_await(r) || self.awaits().lets_go_on(r, w)
    }

    /// Whether `r` is settled: no write will ever revisit it.
    fn is_settled(&self, r: EventRef) -> bool {
        self.is_overwritten_for_good(r)
            || self.awaits().is_await(r) && self.reads_only_value(r)
            || self.rely_on_no_more_writes(self.graph.event(r).location)
    }

    /// Whether the await `r` reads the one value that lets it go on.
    fn reads_only_value(&self, r: EventRef) -> bool {
        let now = self.before(r);
        self.wanted(now).is_some_and(|(location, value)| {
            self.graph.value(self.graph.event(r).rf) == Some(value)
                && self.blocks(now, value ^ 1)
                && self.rely_on_new_values(location)
        })
    }

    /// Writes to the location that are after `w`, whichever sources later reads get.
    fn writes_after(&self, w: EventRef, location: LocationId) -> impl Iterator<Item = EventRef> {
        let some = |e: EventRef| e.is_some().then_some(e);
        let is_order = C::HAS_CO || self.graph.is_in_one_order(location);
        let next =
            move |&e: &EventRef| some(if is_order { self.graph.co_next(e) } else { self.graph.update_of(e) });
        std::iter::successors(Some(w), next).skip(1)
    }

    // --- assumptions ----------------------------------------------------------------------------------------------

    /// Rely on no value coming back there, unless that was refuted. True if it may be relied on.
    fn rely_on_new_values(&self, location: LocationId) -> bool {
        self.rely_on_watching() && self.rely(location, Use::NewValues)
    }

    /// Rely on the location not being written more often than in this execution, unless that was refuted; whether it
    /// was not.
    fn rely_on_no_more_writes(&self, location: LocationId) -> bool {
        if !self.rely_on_watching() {
            return false;
        }
        let now = self.writes_of(location).count() as u32;
        let known = self.state.known.get(&self.access_in_ledger(location));
        let may_rely = known.is_none_or(|&known| known <= now);
        if may_rely {
            self.state.change(location, |counts| counts.relied = counts.relied.min(now));
            self.compare_counts(location);
        }
        may_rely
    }

    /// Rely on the locations that these events have read being neither freed nor written plainly, unless that was
    /// refuted. True if it may be relied on.
    fn rely_on_safety(&self, round: &[EventRef]) -> bool {
        let reads = || round.iter().map(|&e| self.graph.event(e)).filter(|event| event.kind.reads());
        let may_rely = reads().all(|r| self.may_rely(r.location, Use::Safe));
        if may_rely {
            reads().for_each(|r| self.rely_on_safety_of(r.location));
        }
        may_rely
    }

    fn rely_on_safety_of(&self, location: LocationId) {
        let address = self.graph.location(location).access.address;
        let freed = self.state.freed.borrow();
        if freed.iter().any(|&(start, end)| (start..end).contains(&address)) {
            self.see(location, Facts::ENDANGERED);
        }
        self.rely(location, Use::Safe);
    }

    /// A thread writes there plainly.
    #[inline(always)]
    pub(crate) fn endanger(&self, location: LocationId) {
        if self.state.is_watching && !self.is_alone() {
            self.see(location, Facts::ENDANGERED);
        }
    }

    /// A thread has freed the object that starts there.
    #[cold]
    pub(crate) fn endanger_object(&self, address: u64) {
        if !self.state.is_watching || self.is_alone() {
            return;
        }
        let bytes = self.objects.bytes_at(address);
        let accesses = self.graph.locations().iter().map(|location| location.access);
        let inside = accesses.filter(|access| bytes.contains(&access.address));
        let locations = inside.filter_map(|access| self.objects.known(access));
        locations.for_each(|location| self.see(location, Facts::ENDANGERED));
        self.state.freed.borrow_mut().insert((bytes.start, bytes.end));
    }

    /// Whether all threads but one have been joined.
    fn is_alone(&self) -> bool {
        let others = self.graph.thread_ids().filter(|&thread| self.graph.joins_of(thread).is_empty());
        others.count() <= 1
    }

    /// Whether writes are watched. If not, the next pass watches them.
    fn rely_on_watching(&self) -> bool {
        if !self.state.is_watching {
            self.notes.refute(Assumption::NothingConfirmed);
        }
        self.state.is_watching
    }

    /// Refute that there are no symmetric threads, if there are. One of them may be greedy with a write that is
    /// overwritten, since it follows the other (`symmetry.rs`); then no round is confirmed.
    #[inline(always)]
    pub(crate) fn note_symmetry(&self) {
        if self.state.is_watching && self.reductions.symmetry.any() {
            self.notes.refute(Assumption::ConfirmedAsymmetrically);
        }
    }

    /// `w` was added, whether it has its place already or not.
    #[inline(always)]
    pub(crate) fn note_write(&self, w: EventRef) {
        if self.state.is_watching {
            self.note_watched_write(w);
        }
    }

    #[cold]
    fn note_watched_write(&self, w: EventRef) {
        let (location, value) = (self.graph.event(w).location, self.graph.value(w));
        let (mut count, mut is_repeated) = (1, false);
        for other in self.writes_of(location).filter(|&other| other != w) {
            count += 1;
            is_repeated |= self.graph.value(other) == value;
        }
        self.state.change(location, |counts| counts.seen = counts.seen.max(count));
        self.compare_counts(location);
        if is_repeated {
            self.see(location, Facts::REPEATED);
        }
    }

    /// Refutes the number that a round has relied on if the location is written more often; as the exploration then
    /// starts again, the numbers of all other locations seen so far go into the ledger with it.
    fn compare_counts(&self, location: LocationId) {
        let counts = self.state.counts.borrow();
        if counts[location.index()].are_wrong() {
            for (location, counts) in self.graph.location_ids().zip(&*counts).filter(|(_, it)| it.seen > 0) {
                self.notes.refute(Assumption::FewerWrites(self.access_in_ledger(location), counts.seen));
            }
        }
    }

    /// The writes to a location that have a place, and the initial one.
    fn writes_of(&self, location: LocationId) -> impl Iterator<Item = EventRef> {
        let some = |e: EventRef| e.is_some().then_some(e);
        let prev = move |&w: &EventRef| some(self.graph.co_prev(w));
        std::iter::successors(some(self.graph.tail(location)), prev)
    }

    /// The events of the thread of `e` before it.
    fn po_before(&self, e: EventRef) -> &[EventRef] {
        let event = self.graph.event(e);
        &self.graph.po(event.thread)[..event.index as usize]
    }
}
