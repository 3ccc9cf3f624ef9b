//! Races of rounds that are left out: where one could be missed, one round is kept.
//!
//! A round of a loop that changes nothing is explored once, at the end of an execution that goes no further in its
//! thread; executions in which the thread leaves the loop later do without it (`vm/spin`). So do the rounds between two
//! sleeps on a condition variable, and attempts that wait.
//!
//! Argument: let `r` be an access of such a round of thread `t`, and `w` a plain write, or a `free`, that races with
//! it. If `w` comes about without the events of `t` after the loop, the execution that the round ends shows the race.
//! Otherwise `w` is after an event of `t`, after the loop, in porf, but not in hb, for `r` would be before `w` then.
//! And that is seen in the execution without the round, too.
//!
//! So two things are noted, in any order and in any execution: that a thread has read a location, and that a location
//! was written plainly, or freed, after an event of a thread in porf that is not before it in hb. Where both are true
//! of a location and a thread, its rounds may matter: the memory is *endangered*. The exploration starts again, and the
//! program keeps one round of each thread that accesses such memory, and those around it (`Refinements::kept`). That is
//! enough: all others can be left out of an execution with the race.
//!
//! A round may have made a read-modify-write that wrote the value that it has read. That one races with plain reads as
//! well. And where rounds with plain reads are left out, these race with
//! atomic writes.
//!
//! Relies on: `Assumption::NoRoundRaces`, refuted for memory that is found to be endangered.
//!
//! Found by: `tests/wrong/use_after_free_of_failed_pop.c` and `tests/wrong/race_after_spurious_wakeup.c` have such
//! races.
//!
//! Cost: a comparison for each read; O(threads) for each plain access. A program never starts again for this reason if
//! synchronisation orders its plain writes and frees after the accesses of other threads.

use crate::core::shape::Shape;
use crate::ledger::Assumption;
use crate::notes::Facts;
use crate::reductions::Room;
use base::{Access, ThreadId};
use live::{EventRef, LocationId};
use program::{Hint, LeftOutRounds, proper_address};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// A set of threads; those from number 63 on are one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct ThreadSet(u64);

impl ThreadSet {
    #[inline(always)]
    pub(crate) fn of(thread: ThreadId) -> ThreadSet {
        ThreadSet(1 << thread.0.min(63))
    }

    #[inline(always)]
    pub(crate) fn and(self, others: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 | others.0)
    }

    #[inline(always)]
    fn contains(self, others: ThreadSet) -> bool {
        self.0 & others.0 == others.0
    }

    #[inline(always)]
    fn meets(self, others: ThreadSet) -> bool {
        self.0 & others.0 != 0
    }
}

/// The notes about one location.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Dangers {
    /// The threads that have read it.
    read: ThreadSet,
    /// The threads that have made a read-modify-write there.
    updated: ThreadSet,
    /// The threads whose reads a plain write, or a `free`, may race with.
    overwritten: ThreadSet,
    /// The threads whose read-modify-writes a plain read may race with.
    peeked: ThreadSet,
    /// The threads that have read it plainly.
    plain: ThreadSet,
    /// The threads whose plain reads an atomic write may race with.
    written: ThreadSet,
}

impl Dangers {
    /// Whether a round that is left out may race.
    pub(crate) fn are_real(&self) -> bool {
        self.read.meets(self.overwritten) || self.updated.meets(self.peeked) || self.plain.meets(self.written)
    }

    /// Its memory was freed, and that may race with reads of these threads.
    pub(crate) fn with_freed(self, threads: ThreadSet) -> Dangers {
        Dangers { overwritten: self.overwritten.and(threads), ..self }
    }

    /// Those of two parts of a pass.
    pub(crate) fn merge(&mut self, other: &Dangers) {
        *self = Dangers {
            read: self.read.and(other.read),
            updated: self.updated.and(other.updated),
            overwritten: self.overwritten.and(other.overwritten),
            peeked: self.peeked.and(other.peeked),
            plain: self.plain.and(other.plain),
            written: self.written.and(other.written),
        };
    }

    /// One thread has read it, and nothing else.
    #[cfg(test)]
    pub(crate) fn reading(thread: ThreadId) -> Dangers {
        Dangers { read: ThreadSet::of(thread), ..Dangers::default() }
    }
}

/// That no round that is left out races at this location, which was freed with these bytes, if it was.
pub(crate) fn no_round_races(at: Access, freed: impl Iterator<Item = Range<u64>>) -> Assumption {
    let largest =
        freed.filter(|bytes| bytes.contains(&at.address)).max_by_key(|bytes| (bytes.end, bytes.start));
    let bytes = largest.unwrap_or(at.address..at.end());
    let start = proper_address(bytes.start);
    Assumption::NoRoundRaces(start, start + (bytes.end - bytes.start))
}

/// The notes about rounds that are left out, and about accesses that could race with them.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    is_on: bool,
    /// Rounds with plain reads are left out, too.
    has_plain_reads: bool,
    notes: Vec<Cell<Dangers>>,
    /// Memory that was freed, with the threads whose reads that may race with.
    freed: RefCell<Vec<(Range<u64>, ThreadSet)>>,
}

impl LeftOut {
    /// Notes for a program with such rounds.
    pub(crate) fn new(rounds: LeftOutRounds) -> LeftOut {
        let (is_on, has_plain_reads) = (rounds > LeftOutRounds::None, rounds == LeftOutRounds::Plain);
        LeftOut { is_on, has_plain_reads, ..LeftOut::default() }
    }

    /// The location is about to be accessed: there is room for what is noted there.
    pub(crate) fn reach(&mut self, location: LocationId) {
        self.notes.resize_with(location.index() + 1, Cell::default);
    }

    /// The notes about the location.
    pub(crate) fn noted(&self, location: LocationId) -> Dangers {
        self.notes.get(location.index()).map_or_else(Dangers::default, Cell::get)
    }

    /// Memory that was freed, with the threads whose reads that may race with.
    pub(crate) fn freed(&self) -> Vec<(Range<u64>, ThreadSet)> {
        self.freed.borrow().clone()
    }

    /// That was noted about the location in other parts.
    pub(crate) fn recall(&self, location: LocationId, dangers: Dangers) {
        self.change(location, |here| here.merge(&dangers));
    }

    /// This was freed in other parts.
    pub(crate) fn recall_freed(&self, freed: impl Iterator<Item = (Range<u64>, ThreadSet)>) {
        self.freed.borrow_mut().extend(freed);
    }

    fn change(&self, location: LocationId, change: impl FnOnce(&mut Dangers)) {
        let cell = &self.notes[location.index()];
        let mut dangers = cell.get();
        change(&mut dangers);
        cell.set(dangers);
    }

    fn freed_for(&self, address: u64) -> ThreadSet {
        let freed = self.freed.borrow();
        let here = freed.iter().filter(|(bytes, _)| bytes.contains(&address));
        here.fold(ThreadSet::default(), |threads, &(_, more)| threads.and(more))
    }
}

impl<P: Hint, C: Shape> Room<'_, LeftOut, P, C> {
    /// The thread of `r` reads, and writes if it is a read-modify-write.
    #[inline(always)]
    pub(crate) fn note_read(&self, r: EventRef) {
        if !self.state.is_on {
            return;
        }
        let event = self.graph.event(r);
        let Some(noted) = self.state.notes.get(event.location.index()) else { return };
        let (mut dangers, thread) = (noted.get(), self.with_symmetric(event.thread));
        dangers.read = dangers.read.and(thread);
        if event.kind.writes() {
            dangers.updated = dangers.updated.and(thread);
        }
        if event.kind.is_plain() {
            dangers.plain = dangers.plain.and(thread);
        }
        if dangers != noted.get() {
            self.note_new_read(event.location, dangers);
        }
    }

    #[cold]
    fn note_new_read(&self, location: LocationId, dangers: Dangers) {
        let freed = self.state.freed_for(self.graph.location(location).access.address);
        self.state.notes[location.index()].set(dangers.with_freed(freed));
        self.look_for_danger(location);
    }

    /// The thread is about to access the location plainly.
    pub(crate) fn note_plain_access(&self, thread: ThreadId, location: LocationId, writes: bool) {
        if !self.state.is_on {
            return;
        }
        self.note_unsynchronised(thread, location, |dangers| match writes {
            true => &mut dangers.overwritten,
            false => &mut dangers.peeked,
        });
    }

    /// The thread is about to write to the location atomically.
    #[inline(always)]
    pub(crate) fn note_atomic_write(&self, thread: ThreadId, location: LocationId) {
        if self.state.has_plain_reads {
            self.note_unsynchronised(thread, location, |dangers| &mut dangers.written);
        }
    }

    fn note_unsynchronised(
        &self,
        thread: ThreadId,
        location: LocationId,
        noted: impl Fn(&mut Dangers) -> &mut ThreadSet,
    ) {
        let threads = self.unsynchronised(thread, self.objects.publication(location));
        let mut dangers = self.state.notes[location.index()].get();
        let known = noted(&mut dangers);
        if !known.contains(threads) {
            *known = known.and(threads);
            self.state.notes[location.index()].set(dangers);
            self.look_for_danger(location);
        }
    }

    /// The thread has freed the object that starts at `address`.
    #[cold]
    pub(crate) fn note_free(&self, thread: ThreadId, address: u64) {
        if !self.state.is_on {
            return;
        }
        let threads = self.unsynchronised(thread, self.objects.publication_at(address));
        let bytes = self.objects.bytes_at(address);
        if self.state.freed_for(address).contains(threads) {
            return;
        }
        self.state.freed.borrow_mut().push((bytes.clone(), threads));
        let accesses = self.graph.locations().iter().map(|location| location.access);
        let inside = accesses.filter(|access| bytes.contains(&access.address));
        for location in inside.filter_map(|access| self.objects.known(access)) {
            if location.index() < self.state.notes.len() {
                self.state.change(location, |here| *here = here.with_freed(threads));
                self.look_for_danger(location);
            }
        }
    }

    /// The other threads with an event that is before the thread's next one in porf, but not in hb; only events after
    /// `publication` count, for before that no other thread can have read the memory.
    fn unsynchronised(&self, thread: ThreadId, publication: Option<EventRef>) -> ThreadSet {
        let prefix = self.graph.prefix(thread);
        if self.graph.is_synchronised(prefix) {
            return ThreadSet::default();
        }
        let knows = |e: EventRef| publication.is_none_or(|it| self.graph.in_porf(it, e));
        let is_one = |&other: &ThreadId| {
            let (hb, porf) = self.graph.counts(prefix, other);
            other != thread && porf > hb && knows(self.graph.po(other)[porf as usize - 1])
        };
        let others = self.graph.thread_ids().filter(is_one);
        others.fold(ThreadSet::default(), |threads, other| threads.and(self.with_symmetric(other)))
    }

    /// The thread and those symmetric to it: an access that one of them has made, each of them makes in some execution.
    #[inline(always)]
    fn with_symmetric(&self, thread: ThreadId) -> ThreadSet {
        let symmetry = &self.reductions.symmetry;
        let symmetric = if symmetry.any() { symmetry.of(thread) } else { &[] };
        symmetric.iter().fold(ThreadSet::of(thread), |threads, &other| threads.and(ThreadSet::of(other)))
    }

    /// Refute that no round that is left out races at the location, if one could: the program is to keep one.
    fn look_for_danger(&self, location: LocationId) {
        if !self.state.notes[location.index()].get().are_real() {
            return;
        }
        let at = self.graph.location(location).access;
        let freed = self.state.freed.borrow();
        self.notes.refute(no_round_races(at, freed.iter().map(|(bytes, _)| bytes.clone())));
        self.see(location, Facts::LEFT_OUT);
    }
}
