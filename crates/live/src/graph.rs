//! The graph under construction, which the exploration extends, cuts back and extends again.
//!
//! Everything is undone in the reverse order of doing, so
//! * events live in a bump arena and are truncated on undo; an event that is taken out for a while
//!   ([`LiveGraph::remove`]) stays in the arena and is put back ([`LiveGraph::restore`]);
//! * insertion order is a [`LiveEvent::stamp`]; an event that is taken out is always the last one of its thread;
//! * `co` is a doubly linked list a location: linking, unlinking and linking again are O(1);
//! * clocks are shared ([`base::Clocks`]): an event that synchronises with nothing has its predecessor's.
//!
//! A clock of an event leaves out the event's own thread, whose lane may be stale: that part is the event's index.
//!
//! # Invariants
//! `last_read`, `last_write` and the observers of a write speak of the events that are in the graph now.

use crate::blocks::Blocks;
use crate::event::{EventRef, Kind, LiveEvent, LocationId, Undo};
use crate::location::Location;
use base::{Access, ClockId, Clocks, EventId, ThreadId, Value};

/// The events before a thread's next event: the clocks of its last one.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// The thread.
    pub thread: ThreadId,
    /// How many events of the thread there are.
    pub index: u32,
    /// The events that happen before the thread's next event, other threads' lanes.
    pub hb: ClockId,
    /// The events that are (po ∪ rf)-before it, other threads' lanes.
    pub porf: ClockId,
    /// The events that an acquire fence would acquire.
    pub acquirable: ClockId,
    /// The events that happen before the thread's last release fence.
    pub released: ClockId,
}

/// A thread's events and the prefix that it starts with.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) events: Vec<EventRef>,
    pub(crate) start: Prefix,
    /// The event that created it, and those that joined it.
    pub(crate) creation: EventRef,
    joins: Vec<EventRef>,
    /// Indices of its SC events and of its SC fences.
    sc: Vec<u32>,
    sc_fences: Vec<u32>,
}

/// The graph under construction.
#[derive(Clone, Debug, Default)]
pub struct LiveGraph {
    pub(crate) events: Vec<LiveEvent>,
    pub(crate) threads: Vec<Thread>,
    /// Per thread the stamp of its last event, 0 without one, and how many events it has.
    tails: Vec<u32>,
    counts: Vec<u32>,
    pub(crate) locations: Vec<Location>,
    /// Clocks of events; undone with them.
    pub(crate) clocks: Clocks,
    /// Clocks of locations; these stay.
    pub(crate) lanes: Clocks,
    /// The order of blocks, if the coherence order is left open.
    pub(crate) blocks: Blocks,
    sc_events: u32,
    /// Whether a read has ever read from another thread's write without synchronising. This stays, whatever is undone.
    pub(crate) unsynchronised: bool,
}

impl LiveGraph {
    /// The graph without threads.
    pub fn new() -> LiveGraph {
        LiveGraph::default()
    }

    // --- threads and locations ------------------------------------------------------------------------------------

    /// Make room for a thread (once; it keeps its place when it is not created in some executions).
    pub fn add_thread(&mut self) -> ThreadId {
        let thread = ThreadId(self.threads.len() as u32);
        let zero = Clocks::ZERO;
        let start = Prefix { thread, index: 0, hb: zero, porf: zero, acquirable: zero, released: zero };
        self.threads.push(Thread {
            events: Vec::new(),
            start,
            creation: EventRef::NONE,
            joins: Vec::new(),
            sc: Vec::new(),
            sc_fences: Vec::new(),
        });
        self.tails.push(0);
        self.counts.push(0);
        self.clocks.widen(self.threads.len());
        self.lanes.widen(self.threads.len());
        thread
    }

    /// Make room for a location.
    pub fn add_location(&mut self, access: Access) -> LocationId {
        let id = LocationId(self.locations.len() as u32);
        let (observers, last_read, last_write) = (self.lanes.fill(0), self.lanes.fill(0), self.lanes.fill(0));
        self.locations.push(Location {
            access,
            init: Some(0),
            first: EventRef::NONE,
            tail: EventRef::init(id),
            observers,
            last_read,
            last_write,
            plain: 0,
        });
        id
    }

    /// The threads that there are places for.
    #[inline(always)]
    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + Clone + use<> {
        (0..self.threads.len() as u32).map(ThreadId)
    }

    /// How many threads there are places for.
    #[inline(always)]
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// A location.
    #[inline(always)]
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }

    /// Set a location's initial value (`None`: never written).
    pub fn set_init(&mut self, id: LocationId, value: Option<Value>) {
        self.locations[id.index()].init = value;
    }

    /// The locations that there are places for.
    pub fn location_ids(&self) -> impl Iterator<Item = LocationId> + use<> {
        (0..self.locations.len() as u32).map(LocationId)
    }

    /// All locations.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    // --- reading --------------------------------------------------------------------------------------------------

    /// An event that is not an initial write.
    #[inline(always)]
    pub fn event(&self, e: EventRef) -> &LiveEvent {
        &self.events[e.index()]
    }

    #[inline(always)]
    pub(crate) fn event_mut(&mut self, e: EventRef) -> &mut LiveEvent {
        &mut self.events[e.index()]
    }

    /// How many events there are in the arena, those that are taken out for a while included.
    pub(crate) fn arena_len(&self) -> usize {
        self.events.len()
    }

    /// How many events the thread has.
    #[inline(always)]
    pub fn len(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].events.len() as u32
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.threads.iter().all(|t| t.events.is_empty())
    }

    /// The thread's events in program order.
    #[inline(always)]
    pub fn po(&self, thread: ThreadId) -> &[EventRef] {
        &self.threads[thread.index()].events
    }

    /// The event's name.
    pub fn id(&self, e: EventRef) -> EventId {
        let e = self.event(e);
        EventId { thread: e.thread, index: e.index }
    }

    /// The value that a reader of `w` gets; `None` if the location was never written.
    #[inline(always)]
    pub fn value(&self, w: EventRef) -> Option<Value> {
        match w.as_init() {
            Some(location) => self.location(location).init,
            None => Some(self.event(w).value),
        }
    }

    /// The co-last write of a location.
    #[inline(always)]
    pub fn tail(&self, location: LocationId) -> EventRef {
        self.location(location).tail
    }

    /// The write right before `w` in co, `NONE` for an initial write.
    #[inline(always)]
    pub fn co_prev(&self, w: EventRef) -> EventRef {
        if w.is_init() { EventRef::NONE } else { self.event(w).co_prev }
    }

    /// The write right after `w` in co, or `NONE`.
    #[inline(always)]
    pub fn co_next(&self, w: EventRef) -> EventRef {
        match w.as_init() {
            Some(location) => self.location(location).first,
            None => self.event(w).co_next,
        }
    }

    /// The read-modify-write that reads from `w`, or `NONE`. (It is right after `w` in co.)
    #[inline(always)]
    pub fn update_of(&self, w: EventRef) -> EventRef {
        let next = self.co_next(w);
        if next.is_some() && self.event(next).kind.is_update() { next } else { EventRef::NONE }
    }

    /// The prefix of the thread's next event.
    #[inline(always)]
    pub fn prefix(&self, thread: ThreadId) -> Prefix {
        let t = &self.threads[thread.index()];
        match t.events.last() {
            None => t.start,
            Some(&last) => self.after(last),
        }
    }

    /// The prefix of `e`.
    #[inline(always)]
    pub fn prefix_of(&self, e: EventRef) -> Prefix {
        let e = self.event(e);
        let t = &self.threads[e.thread.index()];
        if e.index == 0 { t.start } else { self.after(t.events[e.index as usize - 1]) }
    }

    #[inline(always)]
    fn after(&self, last: EventRef) -> Prefix {
        let e = self.event(last);
        Prefix {
            thread: e.thread,
            index: e.index + 1,
            hb: e.hb,
            porf: e.porf,
            acquirable: e.acquirable,
            released: e.released,
        }
    }

    /// Whether `a` is included in the prefix's hb.
    #[inline(always)]
    pub fn happened(&self, a: EventRef, prefix: &Prefix) -> bool {
        let a = self.event(a);
        if a.thread == prefix.thread {
            a.index < prefix.index
        } else {
            self.clocks.get(prefix.hb, a.thread) > a.index
        }
    }

    /// How many events of `thread` happen before `e`, which is of another thread.
    #[inline(always)]
    pub fn hb_count(&self, e: EventRef, thread: ThreadId) -> u32 {
        self.clocks.get(self.event(e).hb, thread)
    }

    /// How many events of another thread happen before the end of a prefix, and how many are (po ∪ rf)-before it.
    pub fn counts(&self, prefix: Prefix, thread: ThreadId) -> (u32, u32) {
        (self.clocks.get(prefix.hb, thread), self.clocks.get(prefix.porf, thread))
    }

    /// How many events of `thread` are (po ∪ rf)-before `e`, which is of another thread.
    pub fn porf_count(&self, e: EventRef, thread: ThreadId) -> u32 {
        self.clocks.get(self.event(e).porf, thread)
    }

    /// `a` happens before `b`.
    #[inline(always)]
    pub fn hb(&self, a: EventRef, b: EventRef) -> bool {
        let (a, b) = (self.event(a), self.event(b));
        if a.thread == b.thread { a.index < b.index } else { self.clocks.get(b.hb, a.thread) > a.index }
    }

    /// `a` is in the (po ∪ rf)-prefix of `b`, or `b` itself.
    #[inline(always)]
    pub fn in_porf(&self, a: EventRef, b: EventRef) -> bool {
        let (a, b) = (self.event(a), self.event(b));
        if a.thread == b.thread { a.index <= b.index } else { self.clocks.get(b.porf, a.thread) > a.index }
    }

    /// Whether write `w`, or a read of it, is included in the prefix's hb. No write co-before `w` may then be read, and
    /// no write placed there (\[RCMC\] COHERENCE).
    #[inline(always)]
    pub fn observed(&self, w: EventRef, prefix: &Prefix) -> bool {
        let (observers, lanes) = match w.as_init() {
            Some(location) => (self.location(location).observers, &self.lanes),
            None => {
                if self.happened(w, prefix) {
                    return true;
                }
                (self.event(w).observers, &self.clocks)
            }
        };
        if observers == Clocks::ZERO {
            return false;
        }
        let observers = lanes.lanes(observers);
        prefix.index > !observers[prefix.thread.index()] || reaches(self.clocks.lanes(prefix.hb), observers)
    }

    /// Whether no event reads `w`, which is not an initial write.
    #[inline(always)]
    pub fn is_unread(&self, w: EventRef) -> bool {
        let observers = self.event(w).observers;
        observers == Clocks::ZERO || self.clocks.lanes(observers).iter().all(|&o| o == 0)
    }

    /// Per thread the complement of the smallest index of an event that reads `w` (0: none).
    pub fn observers(&self, w: EventRef) -> &[u32] {
        match w.as_init() {
            Some(location) => self.lanes.lanes(self.location(location).observers),
            None => self.clocks.lanes(self.event(w).observers),
        }
    }

    /// Whether there is a read of `w`'s location outside `w`'s (po ∪ rf)-prefix.
    #[inline(always)]
    pub fn has_read_outside(&self, w: EventRef) -> bool {
        self.has_outside(w, self.event(w).location)
    }

    /// Whether there is a read of the location outside the (po ∪ rf)-prefix of `e`.
    #[inline(always)]
    pub fn has_outside(&self, e: EventRef, location: LocationId) -> bool {
        let e = self.event(e);
        let reads = self.lanes.lanes(self.location(location).last_read);
        exceeds_outside(reads, self.clocks.lanes(e.porf), e.thread)
    }

    /// Whether an access of another thread to `e`'s location does not happen before `e`: a write, or, if `e` writes, any.
    #[inline(always)]
    pub fn has_conflict_not_before(&self, e: EventRef) -> bool {
        let event = self.event(e);
        let (location, hb) = (self.location(event.location), self.clocks.lanes(event.hb));
        let is_beyond = |last| exceeds_outside(self.lanes.lanes(last), hb, event.thread);
        is_beyond(location.last_write) || event.kind.writes() && is_beyond(location.last_read)
    }

    /// Whether all events of other threads that are (po ∪ rf)-before the end of a prefix happen before it.
    #[inline(always)]
    pub fn is_synchronised(&self, prefix: Prefix) -> bool {
        !exceeds_outside(self.clocks.lanes(prefix.porf), self.clocks.lanes(prefix.hb), prefix.thread)
    }

    /// The youngest event outside `w`'s (po ∪ rf)-prefix. It is the last one of its thread.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub fn youngest_outside(&self, w: EventRef) -> EventRef {
        let e = self.event(w);
        let lanes = self.tails.iter().zip(&self.counts).zip(self.clocks.lanes(e.porf)).zip(0..);
        let stamps = lanes.map(|(((&stamp, &count), &known), thread)| {
            let is_outside = count > known && thread != e.thread.0;
            if is_outside { stamp } else { 0 }
        });
        let youngest = stamps.fold(0, u32::max);
        EventRef::new(youngest.checked_sub(1).expect("an event outside the prefix") as usize)
    }

    /// The stamp of the thread's last event, 0 without one.
    pub fn tail_stamp(&self, thread: ThreadId) -> u32 {
        self.tails[thread.index()]
    }

    /// The thread's writes to the location from index `from` on, the last one first.
    #[inline(always)]
    pub fn writes_since(
        &self,
        location: LocationId,
        thread: ThreadId,
        from: u32,
    ) -> impl Iterator<Item = EventRef> {
        let last = self.lanes.get(self.location(location).last_write, thread);
        self.chain(thread, last, from, |event| event.undo.prev_write)
    }

    /// The thread's reads of the location from index `from` on, the last one first.
    #[inline(always)]
    pub fn reads_since(
        &self,
        location: LocationId,
        thread: ThreadId,
        from: u32,
    ) -> impl Iterator<Item = EventRef> {
        let last = self.lanes.get(self.location(location).last_read, thread);
        self.chain(thread, last, from, |event| event.undo.prev_read)
    }

    /// Events of a thread down to index `from`, from index `last - 1` on; `before` gives the next `last`.
    #[inline(always)]
    fn chain(
        &self,
        thread: ThreadId,
        mut last: u32,
        from: u32,
        before: impl Fn(&LiveEvent) -> u32,
    ) -> impl Iterator<Item = EventRef> {
        std::iter::from_fn(move || {
            let e = (last > from).then(|| self.po(thread)[last as usize - 1])?;
            last = before(self.event(e));
            Some(e)
        })
    }

    /// Per thread one more than the index of its last write to the location (0: none).
    #[inline(always)]
    fn last_writes(&self, location: LocationId) -> &[u32] {
        self.lanes.lanes(self.location(location).last_write)
    }

    /// The thread's last write to the location, or `NONE`.
    #[inline(always)]
    pub(crate) fn last_own(&self, thread: ThreadId, location: LocationId) -> EventRef {
        match self.last_writes(location)[thread.index()] {
            0 => EventRef::NONE,
            n => self.threads[thread.index()].events[n as usize - 1],
        }
    }

    /// The event that created the thread; `NONE` for `main`.
    #[inline(always)]
    pub fn creation_of(&self, thread: ThreadId) -> EventRef {
        self.threads[thread.index()].creation
    }

    /// The events that joined the thread.
    #[inline(always)]
    pub fn joins_of(&self, thread: ThreadId) -> &[EventRef] {
        &self.threads[thread.index()].joins
    }

    /// How many SC events there are.
    #[inline(always)]
    pub fn sc_count(&self) -> u32 {
        self.sc_events
    }

    /// Indices of the thread's SC events.
    #[inline(always)]
    pub fn sc_of(&self, thread: ThreadId) -> &[u32] {
        &self.threads[thread.index()].sc
    }

    /// Indices of the thread's SC fences.
    #[inline(always)]
    pub fn sc_fences_of(&self, thread: ThreadId) -> &[u32] {
        &self.threads[thread.index()].sc_fences
    }

    // --- events ---------------------------------------------------------------------------------------------------

    /// Append an event to its thread: its clocks are its prefix's, everything else is up to the caller.
    #[inline(always)]
    pub fn push(&mut self, thread: ThreadId, kind: Kind, location: LocationId) -> EventRef {
        let mark = self.clocks.mark();
        let prefix = self.prefix(thread);
        let e = EventRef::new(self.events.len());
        self.events.push(LiveEvent {
            hb: prefix.hb,
            porf: prefix.porf,
            acquirable: prefix.acquirable,
            released: prefix.released,
            stamp: e.stamp(),
            undo: Undo { mark, ..Undo::default() },
            ..LiveEvent::blank(thread, prefix.index, kind, location)
        });
        self.append(thread, e);
        self.enter(e);
        e
    }

    /// Undo the latest `push`; the event is unlinked already.
    #[inline(always)]
    pub fn pop(&mut self, e: EventRef) {
        debug_assert_eq!(e.index() + 1, self.events.len());
        self.leave(e);
        self.leave_join(e);
        let (thread, mark) = (self.event(e).thread, self.event(e).undo.mark);
        self.truncate(thread);
        self.clocks.reset(mark);
        self.events.pop();
    }

    /// Take the last event of a thread out without forgetting it.
    #[inline(always)]
    pub fn remove(&mut self, e: EventRef) {
        let (thread, kind) = (self.event(e).thread, self.event(e).kind);
        debug_assert_eq!(self.threads[thread.index()].events.last(), Some(&e));
        if kind.writes() {
            self.co_unlink(e);
        }
        self.withdraw(e);
    }

    /// Undo the latest `remove`.
    #[inline(always)]
    pub fn restore(&mut self, e: EventRef) {
        self.reinstate(e);
        if self.event(e).kind.writes() {
            self.co_relink(e);
        }
    }

    /// Take the last event of a thread out without forgetting it; it has no place in co.
    #[inline(always)]
    pub fn withdraw(&mut self, e: EventRef) {
        let (thread, kind, rf, index) = {
            let e = self.event(e);
            (e.thread, e.kind, e.rf, e.index)
        };
        if kind.reads() {
            self.unobserve(rf, thread, index);
        }
        self.leave(e);
        self.leave_join(e);
        self.truncate(thread);
    }

    /// Undo the latest `withdraw`.
    #[inline(always)]
    pub fn reinstate(&mut self, e: EventRef) {
        let (thread, kind, rf, index) = {
            let e = self.event(e);
            (e.thread, e.kind, e.rf, e.index)
        };
        self.append(thread, e);
        self.enter(e);
        if kind.is_join() {
            self.enter_join(e);
        }
        if kind.reads() {
            self.observe(rf, thread, index);
        }
    }

    /// `e` is the last event of the thread now.
    #[inline(always)]
    fn append(&mut self, thread: ThreadId, e: EventRef) {
        self.threads[thread.index()].events.push(e);
        self.tails[thread.index()] = e.stamp();
        self.counts[thread.index()] += 1;
    }

    /// The last event of the thread is no longer one of its.
    #[inline(always)]
    fn truncate(&mut self, thread: ThreadId) {
        let events = &mut self.threads[thread.index()].events;
        events.pop();
        self.tails[thread.index()] = events.last().map_or(0, |e| e.stamp());
        self.counts[thread.index()] -= 1;
    }

    /// Count the event in: the location's and the thread's summaries.
    #[inline(always)]
    fn enter(&mut self, e: EventRef) {
        let event = &mut self.events[e.index()];
        let (kind, thread, index) = (event.kind, event.thread, event.index);
        if kind.is_access() {
            let location = &mut self.locations[event.location.index()];
            location.plain += u32::from(kind.is_plain());
            if kind.reads() {
                event.undo.prev_read = self.lanes.get(location.last_read, thread);
                self.lanes.set(location.last_read, thread, index + 1);
            }
            if kind.writes() {
                event.undo.prev_write = self.lanes.get(location.last_write, thread);
                self.lanes.set(location.last_write, thread, index + 1);
            }
        }
        self.enter_order(thread, index, kind);
    }

    #[inline(always)]
    fn leave(&mut self, e: EventRef) {
        let event = &self.events[e.index()];
        let (kind, thread) = (event.kind, event.thread);
        if kind.is_access() {
            let location = &mut self.locations[event.location.index()];
            location.plain -= u32::from(kind.is_plain());
            if kind.reads() {
                self.lanes.set(location.last_read, thread, event.undo.prev_read);
            }
            if kind.writes() {
                self.lanes.set(location.last_write, thread, event.undo.prev_write);
            }
        }
        self.leave_order(thread, kind);
    }

    #[inline(always)]
    fn enter_order(&mut self, thread: ThreadId, index: u32, kind: Kind) {
        if kind.is_sc() {
            self.sc_events += 1;
            self.threads[thread.index()].sc.push(index);
            if kind.is_fence() {
                self.threads[thread.index()].sc_fences.push(index);
            }
        }
    }

    #[inline(always)]
    fn leave_order(&mut self, thread: ThreadId, kind: Kind) {
        if kind.is_sc() {
            self.sc_events -= 1;
            self.threads[thread.index()].sc.pop();
            if kind.is_fence() {
                self.threads[thread.index()].sc_fences.pop();
            }
        }
    }

    pub(crate) fn enter_join(&mut self, j: EventRef) {
        let child = self.event(j).value as usize;
        self.threads[child].joins.push(j);
    }

    #[inline(always)]
    fn leave_join(&mut self, j: EventRef) {
        if self.event(j).kind.is_join() {
            let child = self.event(j).value as usize;
            self.threads[child].joins.retain(|&other| other != j);
        }
    }

    /// Change the kind of the last event of a thread: a read turns out to write, or not to be SC.
    #[inline(always)]
    pub fn set_kind(&mut self, e: EventRef, kind: Kind) {
        if self.event(e).kind == kind {
            return;
        }
        self.leave(e);
        self.event_mut(e).kind = kind;
        self.enter(e);
    }

    /// Set the value of a write that is not read yet.
    #[inline(always)]
    pub fn set_value(&mut self, e: EventRef, value: Value) {
        let event = self.event_mut(e);
        event.value = value;
        event.observers = Clocks::ZERO;
    }
}

/// Whether the clock includes an observer (lanes hold complements of indices).
#[inline(always)]
fn reaches(clock: &[u32], observers: &[u32]) -> bool {
    let (clock, observers) = (clock.as_chunks::<4>().0, observers.as_chunks::<4>().0);
    clock.iter().zip(observers).any(|(c, o)| (0..4).fold(false, |any, i| any | (c[i] > !o[i])))
}

/// Whether some lane of `a` exceeds that of `b`, `own`'s left out.
#[inline(always)]
fn exceeds_outside(a: &[u32], b: &[u32], own: ThreadId) -> bool {
    let (chunks_a, chunks_b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
    let count: u32 =
        chunks_a.iter().zip(chunks_b).map(|(a, b)| (0..4).fold(0, |n, i| n + u32::from(a[i] > b[i]))).sum();
    count > u32::from(a[own.index()] > b[own.index()])
}
