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
//! well. And where rounds with plain reads are left out (between sleeps on a condition variable), these race with
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
use base::ThreadId;
use live::{EventRef, LocationId};
use program::{Hint, LeftOutRounds, proper_address};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// A set of threads; those from number 63 on are one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct ThreadSet(u64);

impl ThreadSet {
    #[inline(always)]
    fn of(thread: ThreadId) -> ThreadSet {
        ThreadSet(1 << thread.0.min(63))
    }

    #[inline(always)]
    fn and(self, others: ThreadSet) -> ThreadSet {
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
#[derive(Clone, Debug, Default)]
struct Notes {
    /// The threads that have read it.
    read: Cell<ThreadSet>,
    /// The threads that have made a read-modify-write there.
    updated: Cell<ThreadSet>,
    /// The threads whose reads a plain write, or a `free`, may race with.
    overwritten: Cell<ThreadSet>,
    /// The threads whose read-modify-writes a plain read may race with.
    peeked: Cell<ThreadSet>,
    /// The threads that have read it plainly.
    plain: Cell<ThreadSet>,
    /// The threads whose plain reads an atomic write may race with.
    written: Cell<ThreadSet>,
}

impl Notes {
    fn are_endangered(&self) -> bool {
        self.read.get().meets(self.overwritten.get())
            || self.updated.get().meets(self.peeked.get())
            || self.plain.get().meets(self.written.get())
    }
}

/// The notes about rounds that are left out, and about accesses that could race with them.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    is_on: bool,
    /// Rounds with plain reads are left out, too.
    has_plain_reads: bool,
    notes: Vec<Notes>,
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
        self.notes.resize_with(location.index() + 1, Notes::default);
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
        let event = self.graph.event(r);
        let Some(notes) = self.state.notes.get(event.location.index()) else { return };
        let thread = self.with_symmetric(event.thread);
        let (updates, plain) = (event.kind.writes(), event.kind.is_plain());
        let is_new = !notes.read.get().contains(thread)
            || updates && !notes.updated.get().contains(thread)
            || plain && !notes.plain.get().contains(thread);
        if self.state.is_on && is_new {
            if updates {
                notes.updated.set(notes.updated.get().and(thread));
            }
            if plain {
                notes.plain.set(notes.plain.get().and(thread));
            }
            self.note_new_read(event.location, thread);
        }
    }

    #[cold]
    fn note_new_read(&self, location: LocationId, thread: ThreadSet) {
        let notes = &self.state.notes[location.index()];
        notes.read.set(notes.read.get().and(thread));
        let freed = self.state.freed_for(self.graph.location(location).access.address);
        notes.overwritten.set(notes.overwritten.get().and(freed));
        self.look_for_danger(location);
    }

    /// The thread is about to access the location plainly.
    pub(crate) fn note_plain_access(&self, thread: ThreadId, location: LocationId, writes: bool) {
        if !self.state.is_on {
            return;
        }
        let notes = &self.state.notes[location.index()];
        self.note_unsynchronised(thread, location, if writes { &notes.overwritten } else { &notes.peeked });
    }

    /// The thread is about to write to the location atomically.
    #[inline(always)]
    pub(crate) fn note_atomic_write(&self, thread: ThreadId, location: LocationId) {
        if self.state.has_plain_reads {
            self.note_unsynchronised(thread, location, &self.state.notes[location.index()].written);
        }
    }

    fn note_unsynchronised(&self, thread: ThreadId, location: LocationId, noted: &Cell<ThreadSet>) {
        let threads = self.unsynchronised(thread, self.objects.publication(location));
        if !noted.get().contains(threads) {
            noted.set(noted.get().and(threads));
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
            let Some(notes) = self.state.notes.get(location.index()) else { continue };
            notes.overwritten.set(notes.overwritten.get().and(threads));
            self.look_for_danger(location);
        }
    }

    /// The other threads with an event that is before the thread's next one in porf, but not in hb; only events after
    /// `publication` count, for before that no other thread can have read the memory.
    fn unsynchronised(&self, thread: ThreadId, publication: Option<EventRef>) -> ThreadSet {
        let prefix = self.graph.prefix(thread);
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
        if !self.state.notes[location.index()].are_endangered() {
            return;
        }
        let at = self.graph.location(location).access;
        let freed = self.state.freed.borrow();
        let object = freed.iter().rev().map(|(bytes, _)| bytes).find(|bytes| bytes.contains(&at.address));
        let bytes = object.cloned().unwrap_or(at.address..at.end());
        let start = proper_address(bytes.start);
        self.notes.refute(Assumption::NoRoundRaces(start, start + (bytes.end - bytes.start)));
        self.see(location, Facts::LEFT_OUT);
    }
}
