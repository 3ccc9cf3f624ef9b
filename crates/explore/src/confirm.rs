//! Rounds that are confirmed: who has to find a value again that is gone for good goes no further.
//!
//! A round of a lock-free algorithm reads a location, looks around, and then makes sure that the location has not changed:
//! with a compare-exchange that expects what was read, or with a second load. If that fails, the round was in vain, and the
//! thread is blocked. Where no value comes back, the second access can only find the value in the very write that the
//! first one, `r`, has read. Let `c` be a write after that one and older than `r`. As long as `r` is there, so is `c`: `r` is
//! never maximal, so nobody revisits it, and no sweep gets past it. Its thread has written nothing since, so nobody depends
//! on it either. If what the thread has read since then is *settled*, too, the thread is *bound* to read what `r` has read:
//! * A load does so, or else there are only blocked executions from here on, and they are left out.
//! * A compare-exchange cannot, if `c` is a read-modify-write that reads the same. It sweeps all the same, and `c` may then
//!   read from it: that is why a read that comes too late is explored at all. After that, there are only blocked executions,
//!   and they are left out. (If `c` is a store, the compare-exchange may come before it; then its failure is explored, too,
//!   for it is what is greedy.)
//!
//! For the same reason nobody is displaced there as at a lock (`waiting.rs`): who is, has a value in hand that is gone.
//!
//! A read is settled if nobody will ever revisit it: it is never maximal either; or it is an await that reads the one value
//! that lets it go on; or nobody will write there any more. One that is not settled may be revisited, and then all that
//! comes after it is done again: `x += 1 ‖ r = x; s = y; cas(x, r, r + 1) ‖ y = 1`.
//!
//! **Discipline.** No value is written twice to a location, and no location is written more often than ever before. And what
//! the round has read is neither freed nor written plainly as long as there are other threads: that could race with the
//! round, in an execution that is left out (`tests/wrong/use_after_free_slow_pop.c`). Writes and frees are
//! watched from the moment on when somebody relies on that for the first time: the exploration starts again then. If it
//! turns out to be wrong, it starts once more, and knows better. Why that is enough: the thread whose executions are left
//! out has no effect on others, so what they write and free there, they write and free in other executions, too.
//!
//! What is lost: blocked executions that end with a read of the last value, but go on in the next round of their loop. Who
//! looks for threads that spin for ever keeps them.
//!
//! Cost: for each access that may block its thread, a walk back to the thread's last write; if writes are watched, for each
//! one a look at the others of its location.

use crate::construction::Construction;
use crate::shape::Shape;
use crate::threads::{Current, Status};
use base::{Access, ThreadId, Value, truncate};
use live::{EventRef, LocationId};
use program::{Await, Program, Request, RmwOp};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// What is known about the writes of a program, and relied on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits {
    /// Are writes watched?
    is_watching: bool,
    /// Is nobody bound, because there are twins, or what a round has read is in danger?
    is_off: bool,
    /// What was freed while there were other threads: from where to where.
    freed: RefCell<BTreeSet<(u64, u64)>>,
    /// Where a value came back although somebody had relied on it that none does.
    repeating: Vec<Access>,
    /// By location: how often it was written in one execution, at most, and from how many writes on somebody relies on it
    /// that there are no more.
    lengths: RefCell<Vec<Length>>,
    /// How often locations were written before the exploration started again.
    known: Vec<(Access, u32)>,
    /// By location: how it was used.
    marks: RefCell<Vec<Marks>>,
    /// What turned out to be wrong.
    wrong: Cell<Option<Wrong>>,
}

/// How a location was used, in any execution.
#[derive(Clone, Copy, Default, Debug)]
struct Marks(u8);

impl Marks {
    /// That no value comes back there is relied on.
    const CONFIRMED: Marks = Marks(1);
    /// A value has come back there.
    const REPEATED: Marks = Marks(2);
    /// It was read in a round whose end was left out.
    const LEFT_OUT: Marks = Marks(4);
    /// It was freed, or written plainly, while there were other threads.
    const ENDANGERED: Marks = Marks(8);
}

#[derive(Clone, Copy, Debug)]
struct Length {
    longest: u32,
    relied: u32,
}

/// Why the exploration must start again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wrong {
    /// Nobody has watched.
    Unwatched,
    /// There are twins.
    Twins,
    /// What a round has read that is left out was freed, or written plainly.
    Endangered,
    /// A value came back there.
    Repeats(Access),
    /// That location was written so often.
    Longer(Access, u32),
}

impl Habits {
    /// What is known when the exploration starts again.
    pub(crate) fn corrected(&self) -> Habits {
        let mut next =
            Habits { repeating: self.repeating.clone(), known: self.known.clone(), ..Habits::default() };
        next.is_watching = true;
        next.is_off = self.is_off;
        match self.wrong.get() {
            Some(Wrong::Repeats(at)) => next.repeating.push(at),
            Some(Wrong::Longer(at, length)) => {
                next.known.retain(|&(other, _)| other != at);
                next.known.push((at, length));
            }
            Some(Wrong::Twins | Wrong::Endangered) => next.is_off = true,
            Some(Wrong::Unwatched) | None => {}
        }
        next
    }

    fn mark(&self, location: LocationId, mark: Marks) {
        let mut marks = self.marks.borrow_mut();
        if marks.len() <= location.index() {
            marks.resize(location.index() + 1, Marks::default());
        }
        marks[location.index()].0 |= mark.0;
    }

    #[inline]
    fn is_marked(&self, location: LocationId, mark: Marks) -> bool {
        self.marks.borrow().get(location.index()).is_some_and(|marks| marks.0 & mark.0 != 0)
    }

    /// Was any of it freed while there were other threads?
    fn is_freed(&self, at: Access) -> bool {
        self.freed.borrow().iter().any(|&(start, end)| (start..end).contains(&at.address))
    }

    fn length(&self, location: LocationId, at: Access, change: impl FnOnce(&mut Length)) -> Length {
        let mut lengths = self.lengths.borrow_mut();
        while lengths.len() <= location.index() {
            lengths.push(Length { longest: 0, relied: u32::MAX });
        }
        let length = &mut lengths[location.index()];
        if length.longest == 0 {
            let known = self.known.iter().find(|&&(other, _)| other == at);
            length.longest = known.map_or(0, |&(_, longest)| longest);
        }
        change(length);
        *length
    }
}

impl<P: Program, C: Shape> Construction<'_, P, C> {
    /// Must the thread read again what it has read, and what is gone for good?
    #[inline(always)]
    pub(crate) fn is_bound(&self, thread: ThreadId) -> bool {
        let now = self.threads.get(thread);
        now.status == Status::Awaiting && self.is_bound_after(now, self.graph.po(thread))
    }

    /// Had the thread of `r` to do so, there?
    #[inline(always)]
    pub(crate) fn is_bound_read(&self, r: EventRef) -> bool {
        let now = self.before(r);
        now.status == Status::Awaiting && self.is_bound_after(now, self.po_before(r))
    }

    #[cold]
    fn is_bound_after(&self, now: &Current<P::State>, events: &[EventRef]) -> bool {
        match now.request {
            Request::Rmw { .. } => self.confirms(now, events, |r| self.is_taken_for_good(r)),
            _ => {
                self.awaited(now).is_some() && self.confirms(now, events, |r| self.is_overwritten_for_good(r))
            }
        }
    }

    /// Does the compare-exchange `r` confirm an earlier read that is never maximal once `w` has taken the place of `r`?
    pub(crate) fn confirms_overwritten(&self, r: EventRef, w: EventRef) -> bool {
        self.confirms(self.before(r), self.po_before(r), |first| self.overwrites(w, first))
    }

    /// Does a thread that has done this confirm a read that is like that, with nothing but settled reads since?
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
                    && self.relies_on_new_values(location)
                    && self.relies_on_safety(&events[i..]);
            } else if !self.is_settled(e) {
                return false;
            }
        }
        false
    }

    /// The value that may let a thread go on as no other one does, and where it must be.
    fn wanted(&self, now: &Current<P::State>) -> Option<(LocationId, Value)> {
        if !(C::HAS_CO || C::HAS_BLOCKS) || !self.waiting.confirms() || self.waiting.habits.is_off {
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

    /// Is there a read-modify-write of what `r` reads that will be there as long as `r`, so that `r` is never maximal?
    fn is_taken_for_good(&self, r: EventRef) -> bool {
        let event = self.graph.event(r);
        let c = self.graph.update_of(event.rf);
        c.is_some() && self.graph.event(c).stamp < event.stamp && self.overwrites(c, r)
    }

    /// Is there any write after what `r` reads that is like that?
    fn is_overwritten_for_good(&self, r: EventRef) -> bool {
        let event = self.graph.event(r);
        let mut writes = self.writes_after(event.rf, event.location);
        writes.any(|w| self.graph.event(w).stamp < event.stamp && self.overwrites(w, r))
    }

    /// Is `r` not maximal when `w` is after what it reads? (An await is if it cannot read `w`.)
    fn overwrites(&self, w: EventRef, r: EventRef) -> bool {
        !self.is_await(r) || self.lets_go_on(r, w)
    }

    /// Is `r` never revisited?
    fn is_settled(&self, r: EventRef) -> bool {
        self.is_overwritten_for_good(r)
            || self.is_await(r) && self.reads_only_value(r)
            || self.relies_on_no_more_writes(self.graph.event(r).location)
    }

    /// Does the await `r` read the one value that lets it go on?
    fn reads_only_value(&self, r: EventRef) -> bool {
        let now = self.before(r);
        self.wanted(now).is_some_and(|(location, value)| {
            self.graph.value(self.graph.event(r).rf) == Some(value)
                && self.blocks(now, value ^ 1)
                && self.relies_on_new_values(location)
        })
    }

    /// Writes to the location that are after `w` whatever is read.
    fn writes_after(&self, w: EventRef, location: LocationId) -> impl Iterator<Item = EventRef> {
        let some = |e: EventRef| e.is_some().then_some(e);
        let is_order = C::HAS_CO || self.graph.is_in_one_order(location);
        let next =
            move |&e: &EventRef| some(if is_order { self.graph.co_next(e) } else { self.graph.update_of(e) });
        std::iter::successors(Some(w), next).skip(1)
    }

    // --- discipline -----------------------------------------------------------------------------------------------

    /// From here on no value may come back there. False, if one did, or nobody has watched.
    fn relies_on_new_values(&self, location: LocationId) -> bool {
        let (habits, at) = (&self.waiting.habits, self.graph.location(location).access);
        let relies = self.is_watched() && !habits.repeating.contains(&at);
        if relies {
            habits.mark(location, Marks::CONFIRMED);
            self.look_for_repeated_values(location);
        }
        relies
    }

    /// From here on nobody may write there in an execution that has as many writes as this one. False, if somebody did, or
    /// nobody has watched.
    fn relies_on_no_more_writes(&self, location: LocationId) -> bool {
        let (habits, at) = (&self.waiting.habits, self.graph.location(location).access);
        if !self.is_watched() {
            return false;
        }
        let now = self.writes_of(location).count() as u32;
        let relies = |length: Length| length.longest <= now;
        let length = habits.length(location, at, |length| {
            if relies(*length) {
                length.relied = length.relied.min(now);
            }
        });
        relies(length)
    }

    /// From here on nobody may free what these events have read, or write there plainly. False, if somebody did.
    fn relies_on_safety(&self, round: &[EventRef]) -> bool {
        let reads = || round.iter().map(|&e| self.graph.event(e)).filter(|event| event.kind.reads());
        let is_safe = |location: LocationId| {
            !self.waiting.habits.is_marked(location, Marks::ENDANGERED)
                && !self.waiting.habits.is_freed(self.graph.location(location).access)
        };
        let relies = reads().all(|r| is_safe(r.location));
        if relies {
            reads().for_each(|r| self.waiting.habits.mark(r.location, Marks::LEFT_OUT));
        }
        relies
    }

    /// Somebody writes there plainly.
    #[inline(always)]
    pub(crate) fn endanger(&self, location: LocationId) {
        if self.waiting.habits.is_watching && !self.is_alone() {
            self.note_danger(location);
        }
    }

    /// Somebody has freed the object that starts there.
    #[cold]
    pub(crate) fn endanger_object(&self, address: u64) {
        if !self.waiting.habits.is_watching || self.is_alone() {
            return;
        }
        let bytes = self.objects.bytes_at(address);
        let accesses = self.graph.locations().iter().map(|location| location.access);
        let inside = accesses.filter(|access| bytes.contains(&access.address));
        inside.filter_map(|access| self.objects.known(access)).for_each(|it| self.note_danger(it));
        self.waiting.habits.freed.borrow_mut().insert((bytes.start, bytes.end));
    }

    fn note_danger(&self, location: LocationId) {
        let habits = &self.waiting.habits;
        habits.mark(location, Marks::ENDANGERED);
        if habits.is_marked(location, Marks::LEFT_OUT) {
            habits.wrong.set(Some(Wrong::Endangered));
        }
    }

    /// Have all threads but one been joined?
    fn is_alone(&self) -> bool {
        let others = self.graph.thread_ids().filter(|&thread| self.graph.joins_of(thread).is_empty());
        others.count() <= 1
    }

    fn is_watched(&self) -> bool {
        let habits = &self.waiting.habits;
        if !habits.is_watching {
            habits.wrong.set(Some(Wrong::Unwatched));
        }
        habits.is_watching
    }

    /// Was something relied on that is wrong? Or is it, because there are twins, of which one may be greedy with what is
    /// overwritten, since it follows the other (`symmetry.rs`)?
    #[inline(always)]
    pub(crate) fn has_wrong_habits(&self) -> bool {
        let habits = &self.waiting.habits;
        if habits.is_watching && !habits.is_off && self.symmetry.any() {
            habits.wrong.set(Some(Wrong::Twins));
        }
        habits.wrong.get().is_some()
    }

    /// `w` was added, whether it has its place already or not. Was something relied on that is wrong now?
    #[inline(always)]
    pub(crate) fn breaks_habits(&self, w: EventRef) -> bool {
        self.waiting.habits.is_watching && self.is_new_habit(w)
    }

    #[cold]
    fn is_new_habit(&self, w: EventRef) -> bool {
        let location = self.graph.event(w).location;
        let (habits, at) = (&self.waiting.habits, self.graph.location(location).access);
        let others = || self.writes_of(location).filter(|&other| other != w);
        let count = others().count() as u32 + 1;
        let length = habits.length(location, at, |length| length.longest = length.longest.max(count));
        if count > length.relied {
            habits.wrong.set(Some(Wrong::Longer(at, count)));
        }
        if others().any(|other| self.graph.value(other) == self.graph.value(w)) {
            habits.mark(location, Marks::REPEATED);
            self.look_for_repeated_values(location);
        }
        habits.wrong.get().is_some()
    }

    /// That no value comes back there is relied on, or one has come back. Both?
    fn look_for_repeated_values(&self, location: LocationId) {
        let (habits, at) = (&self.waiting.habits, self.graph.location(location).access);
        let is_wrong = habits.is_marked(location, Marks::CONFIRMED)
            && habits.is_marked(location, Marks::REPEATED)
            && !habits.repeating.contains(&at);
        if is_wrong {
            habits.wrong.set(Some(Wrong::Repeats(at)));
        }
    }

    /// The writes to a location that have a place, and the initial one.
    fn writes_of(&self, location: LocationId) -> impl Iterator<Item = EventRef> {
        let some = |e: EventRef| e.is_some().then_some(e);
        let prev = move |&w: &EventRef| some(self.graph.co_prev(w));
        std::iter::successors(some(self.graph.tail(location)), prev)
    }

    /// What the thread of `e` did before it.
    fn po_before(&self, e: EventRef) -> &[EventRef] {
        let event = self.graph.event(e);
        &self.graph.po(event.thread)[..event.index as usize]
    }
}
