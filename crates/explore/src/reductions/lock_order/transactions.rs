//! Transactions: the events of a thread from a lock while it holds nothing to the unlock after which it holds nothing.
//!
//! Nested and hand-over-hand sections are one transaction. Outside of sections every event is a transaction of its own. A
//! transaction is *open* as long as its last event, its *end*, is not in the graph. Its writes get their places in the set of
//! writes when it has ended: until then they do not *count*, nor do reads of them, and a read-modify-write is a read.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::reductions::lock_order::decide::Buffers;
use crate::reductions::lock_order::discipline::Discipline;
use crate::reductions::lock_order::gain::Gain;
use base::ThreadId;
use live::{EventRef, LocationId};
use program::{Hint, Request};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// A set of mutexes, by the numbers of [`Transactions`].
pub(crate) type Mutexes = u64;

/// The writes of a transaction.
type Writes = SmallVec<[EventRef; 8]>;

/// The transactions of the execution under construction.
#[derive(Debug, Default)]
pub(crate) struct Transactions {
    /// The mutexes that were ever locked, by number.
    mutexes: Vec<LocationId>,
    /// Along the arena of events.
    spans: Vec<Span>,
    /// The writes before those that were lifted.
    lifted: Vec<EventRef>,
    /// The thread that has just moved: if its transaction is open, it goes on.
    pub(crate) fresh: Option<ThreadId>,
    pub(crate) discipline: Discipline,
    pub(crate) gain: Gain,
    /// For questions, and the events that they have looked at.
    pub(super) buffers: RefCell<Buffers>,
    pub(super) looks: Cell<u64>,
}

/// Where an event is in its transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The mutexes that its thread holds at the event; a lock and an unlock hold theirs.
    pub(crate) at: Mutexes,
    /// Those held after it. None: it ends its transaction.
    pub(crate) after: Mutexes,
    /// The index of the first event of its transaction.
    pub(crate) start: u32,
    /// Whether it is a write with a place.
    pub(crate) is_linked: bool,
}

impl Transactions {
    /// The number of a mutex, if it has one.
    pub(crate) fn number(&self, mutex: LocationId) -> Option<usize> {
        self.mutexes.iter().position(|&other| other == mutex)
    }

    /// The number of a mutex that is about to be locked; `None` if there are too many.
    pub(crate) fn name(&mut self, mutex: LocationId) -> Option<usize> {
        if self.number(mutex).is_none() && self.mutexes.len() < Mutexes::BITS as usize {
            self.mutexes.push(mutex);
        }
        self.number(mutex)
    }

    /// The mutexes of the set.
    pub(crate) fn of(&self, set: Mutexes) -> impl Iterator<Item = LocationId> {
        self.mutexes.iter().enumerate().filter(move |&(n, _)| set >> n & 1 == 1).map(|(_, &mutex)| mutex)
    }

    /// How many events questions have looked at.
    pub(super) fn looks(&self) -> u64 {
        self.looks.get()
    }

    /// A question that is asked only if assertions are checked: what is decided does not depend on that.
    pub(crate) fn unmeasured<T>(&self, ask: impl FnOnce() -> T) -> T {
        let looks = self.looks.get();
        let answer = ask();
        self.looks.set(looks);
        answer
    }

    /// How many events there are in the arena.
    pub(super) fn arena_len(&self) -> usize {
        self.spans.len()
    }

    /// Where the event is in its transaction.
    #[inline(always)]
    pub(crate) fn span(&self, e: EventRef) -> Span {
        self.spans[e.index()]
    }
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// The mutexes that the thread holds now.
    #[inline(always)]
    pub(crate) fn held(&self, thread: ThreadId) -> Mutexes {
        self.graph.po(thread).last().map_or(0, |&e| self.transactions.span(e).after)
    }

    /// Whether the thread's last transaction is open.
    #[inline(always)]
    pub(crate) fn is_open(&self, thread: ThreadId) -> bool {
        self.held(thread) != 0
    }

    /// The event `e`, which has just been appended, becomes part of a transaction.
    pub(crate) fn begin_span(&mut self, e: EventRef) {
        let event = self.graph.event(e);
        let (index, thread, location) = (event.index, event.thread, event.location);
        let last =
            index.checked_sub(1).map(|last| self.transactions.span(self.graph.po(thread)[last as usize]));
        let held = last.map_or(0, |last| last.after);
        let mutex = || 1 << self.transactions.number(location).expect("a mutex that is locked has a number");
        let (at, after) = match self.before(e).request {
            Request::Lock { .. } => (held | mutex(), held | mutex()),
            Request::Unlock { .. } => (held, held & !mutex()),
            _ => (held, held),
        };
        let start = last.filter(|last| last.after != 0).map_or(index, |last| last.start);
        self.transactions.spans.push(Span { at, after, start, is_linked: false });
    }

    /// Undo `begin_span`.
    pub(crate) fn end_span(&mut self) {
        self.transactions.spans.pop();
    }

    /// Whether `e` is in a section, locks and unlocks included.
    #[inline(always)]
    pub(crate) fn is_inside(&self, e: EventRef) -> bool {
        self.transactions.span(e).at != 0
    }

    /// Whether `e` ends its transaction.
    #[inline(always)]
    pub(crate) fn is_end(&self, e: EventRef) -> bool {
        self.transactions.span(e).after == 0
    }

    /// The end of the transaction of `e`, if it is in the graph.
    pub(crate) fn end_of(&self, e: EventRef) -> Option<EventRef> {
        let event = self.graph.event(e);
        self.graph.po(event.thread)[event.index as usize..].iter().copied().find(|&later| self.is_end(later))
    }

    /// The writes of the transaction that `end` ends, the last one first.
    pub(crate) fn writes_of(&self, end: EventRef) -> impl DoubleEndedIterator<Item = EventRef> {
        let (event, start) = (self.graph.event(end), self.transactions.span(end).start);
        let events = &self.graph.po(event.thread)[start as usize..=event.index as usize];
        events.iter().rev().copied().filter(|&e| self.graph.event(e).kind.writes())
    }

    /// The writes of the transaction that `end` ends count from now on.
    pub(crate) fn link(&mut self, end: EventRef) {
        let writes: Writes = self.writes_of(end).collect();
        for &w in writes.iter().rev() {
            let tail = self.graph.tail(self.graph.event(w).location);
            self.place(tail, w);
            self.transactions.spans[w.index()].is_linked = true;
        }
    }

    /// Undo the latest `link`.
    pub(crate) fn unlink(&mut self, end: EventRef) {
        let writes: Writes = self.writes_of(end).collect();
        for w in writes {
            self.unplace(w);
            self.transactions.spans[w.index()].is_linked = false;
        }
    }

    /// The writes of the transaction that `end` ends do not count for a while. They may be linked elsewhere in the meantime, with
    /// another end.
    pub(crate) fn lift(&mut self, end: EventRef) {
        let writes: Writes = self.writes_of(end).collect();
        for w in writes {
            self.transactions.lifted.push(self.graph.co_prev(w));
            self.unplace(w);
            self.transactions.spans[w.index()].is_linked = false;
        }
    }

    /// Undo the latest `lift`.
    pub(crate) fn lower(&mut self, end: EventRef) {
        let writes: Writes = self.writes_of(end).collect();
        for &w in writes.iter().rev() {
            let before = self.transactions.lifted.pop().expect("as many as were lifted");
            self.place(before, w);
            self.transactions.spans[w.index()].is_linked = true;
        }
    }

    /// The read `r` of `w` depends on the end of the transaction of `w`.
    pub(crate) fn depend_on_end(&mut self, r: EventRef, w: EventRef) {
        if w.is_init() || self.graph.event(w).thread == self.graph.event(r).thread {
            return;
        }
        let end = self.end_of(w).expect("only writes of transactions that have ended are read by others");
        self.graph.depend(r, end);
    }

    /// The thread's last write to the location in its open transaction, before `e`.
    fn own_write(&self, e: EventRef) -> Option<EventRef> {
        let event = self.graph.event(e);
        let span = self.transactions.span(e);
        let last = self.graph.last_write_before(event.location, event.thread, event.index);
        (last.is_some() && self.graph.event(last).index >= span.start).then_some(last)
    }

    /// The first source to try for the read `r`, the last event of its thread.
    pub(crate) fn first_open_source(&self, r: EventRef) -> EventRef {
        match self.own_write(r) {
            Some(own) => own,
            None => self.next_open_source(r, EventRef::NONE),
        }
    }

    /// The next source to try for `r` after `u`, or `NONE`: after the write of its own open transaction, those that count.
    pub(crate) fn next_open_source(&self, r: EventRef, u: EventRef) -> EventRef {
        let own = self.own_write(r);
        let mut u = match u.is_none() || Some(u) == own {
            true => self.graph.tail(self.graph.event(r).location),
            false => self.graph.co_prev(u),
        };
        while u.is_some() && self.is_overwritten(u, r, own) {
            u = self.graph.co_prev(u);
        }
        u
    }

    /// Whether `r` cannot read `u`, whatever the order of sections: a write in between happens before `r`.
    fn is_overwritten(&self, u: EventRef, r: EventRef, own: Option<EventRef>) -> bool {
        let is_before = |v: EventRef| u.is_init() || self.graph.hb(u, v);
        let (event, prefix) = (self.graph.event(r), self.graph.prefix_of(r));
        let last = |thread: ThreadId| {
            let count =
                if thread == event.thread { event.index } else { self.graph.counts(prefix, thread).0 };
            let last = self.graph.last_write_before(event.location, thread, count);
            (last.is_some() && last != r).then_some(last)
        };
        own.is_some_and(is_before) || self.graph.thread_ids().filter_map(last).any(|v| v != u && is_before(v))
    }

    /// Whether no other thread reads a write of the transaction that `end` ends.
    pub(crate) fn is_unread_outside(&self, end: EventRef) -> bool {
        let own = self.graph.event(end).thread.index();
        let is_unread = |w: EventRef| {
            self.graph.observers(w).iter().enumerate().all(|(thread, &first)| thread == own || first == 0)
        };
        self.writes_of(end).all(is_unread)
    }

    /// Whether `end`, whose writes may be new, has a read outside its prefix that could read one of them.
    pub(crate) fn may_revisit(&self, end: EventRef) -> bool {
        self.writes_of(end).any(|w| self.graph.has_outside(end, self.graph.event(w).location))
    }

    /// The first write of the transaction of `end` that `r` could read, after `w` if that is one.
    pub(crate) fn next_revisiting(&self, r: EventRef, end: EventRef, w: EventRef) -> EventRef {
        let location = self.graph.event(r).location;
        let mut writes = self.writes_of(end).filter(|&w| self.graph.event(w).location == location);
        let next = match w.is_none() {
            true => writes.next(),
            false => writes.skip_while(|&other| other != w).nth(1),
        };
        next.unwrap_or(EventRef::NONE)
    }
}
