//! Events of a graph under construction.

use base::{ClockId, Clocks, ThreadId, Value};

/// A location of a [`crate::LiveGraph`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocationId(pub(crate) u32);

impl LocationId {
    /// The location of events without one.
    pub const NONE: LocationId = LocationId(u32::MAX);

    /// As an index into a table of locations.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An event in the arena, the initial write of a location, or nothing: one word, because links are walked and written
/// all the time. (`Option<EventRef>` would be two.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventRef(u32);

/// Set in the reference of an initial write; the rest is the location.
const INIT: u32 = 1 << 31;

impl EventRef {
    /// No event: the end of a list, a read without a source.
    pub const NONE: EventRef = EventRef(u32::MAX);

    pub(crate) fn new(index: usize) -> EventRef {
        debug_assert!(index < INIT as usize);
        EventRef(index as u32)
    }

    /// The stamp of the event: its place in the arena, from 1 on.
    #[inline(always)]
    pub(crate) fn stamp(self) -> u32 {
        debug_assert!(self.is_some() && !self.is_init());
        self.0 + 1
    }

    /// The initial write of a location.
    #[inline(always)]
    pub fn init(location: LocationId) -> EventRef {
        EventRef(location.0 | INIT)
    }

    /// Whether it is an initial write. (`NONE` is not asked.)
    #[inline(always)]
    pub fn is_init(self) -> bool {
        debug_assert!(self.is_some(), "nothing is no initial write");
        self.0 & INIT != 0
    }

    /// The location whose initial write it is, if it is one.
    #[inline(always)]
    pub fn as_init(self) -> Option<LocationId> {
        self.is_init().then_some(LocationId(self.0 & !INIT))
    }

    /// Whether it is nothing.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self == EventRef::NONE
    }

    /// Whether it is an event or an initial write.
    #[inline(always)]
    pub fn is_some(self) -> bool {
        self != EventRef::NONE
    }

    /// As an index into tables that run along the arena.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of an event, for the graph and the models: a set of properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind(u8);

impl Kind {
    /// None of these: publishing, freeing, choosing.
    pub const OTHER: Kind = Kind(0);
    /// A read.
    pub const READ: Kind = Kind(1);
    /// A write.
    pub const WRITE: Kind = Kind(2);
    /// A read-modify-write that writes.
    pub const UPDATE: Kind = Kind(3);
    /// A fence.
    pub const FENCE: Kind = Kind(8);
    /// The wait for the end of a thread.
    pub const JOIN: Kind = Kind(32);
    /// The creation of a thread.
    pub const CREATION: Kind = Kind(64);

    /// The same, SC if `sc`.
    #[inline(always)]
    pub fn with_sc(self, sc: bool) -> Kind {
        Kind(self.0 | if sc { 4 } else { 0 })
    }

    /// The same, plain (not atomic) if `plain`.
    #[inline(always)]
    pub fn with_plain(self, plain: bool) -> Kind {
        Kind(self.0 | if plain { 16 } else { 0 })
    }

    /// Whether it reads.
    #[inline(always)]
    pub fn reads(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether it writes.
    #[inline(always)]
    pub fn writes(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether it reads and writes.
    #[inline(always)]
    pub fn is_update(self) -> bool {
        self.0 & 3 == 3
    }

    /// Whether it reads or writes.
    #[inline(always)]
    pub fn is_access(self) -> bool {
        self.0 & 3 != 0
    }

    /// Whether it is SC.
    #[inline(always)]
    pub fn is_sc(self) -> bool {
        self.0 & 4 != 0
    }

    /// Whether it is a fence.
    #[inline(always)]
    pub fn is_fence(self) -> bool {
        self.0 & 8 != 0
    }

    /// Whether it waits for the end of a thread.
    #[inline(always)]
    pub fn is_join(self) -> bool {
        self.0 & 32 != 0
    }

    /// Whether it creates a thread.
    #[inline(always)]
    pub fn is_creation(self) -> bool {
        self.0 & 64 != 0
    }

    /// Whether it is not atomic.
    #[inline(always)]
    pub fn is_plain(self) -> bool {
        self.0 & 16 != 0
    }
}

/// An event of a graph under construction. Clocks leave out its own thread (see [`crate::LiveGraph`]).
#[derive(Clone, Debug)]
pub struct LiveEvent {
    /// Its thread.
    pub thread: ThreadId,
    /// Its position there.
    pub index: u32,
    /// When it was added: larger is younger. A revisited read keeps its stamp.
    pub stamp: u32,
    /// Its kind.
    pub kind: Kind,
    /// Its location, `NONE` unless it is an access, or a lock or unlock that is none.
    pub location: LocationId,
    /// The write that it reads from.
    pub rf: EventRef,
    /// Its neighbours in co.
    pub co_prev: EventRef,
    /// See `co_prev`.
    pub co_next: EventRef,
    /// The value that it writes; the thread that it creates or joins; the number that it chooses.
    pub value: Value,
    /// The events that happen before it.
    pub hb: ClockId,
    /// The events that are (po ∪ rf)-before it.
    pub porf: ClockId,
    /// The events that an acquire fence after it would acquire.
    pub acquirable: ClockId,
    /// The events before the last release fence at or before it, in hb.
    pub released: ClockId,
    /// Writes: the events that an acquire read of it acquires.
    pub message: ClockId,
    /// Writes: the events that later relaxed writes of this thread to this location pass on (the sb part of rseq).
    pub own: ClockId,
    /// Accesses, if the model asks for it.
    pub(crate) weak: WeakClocks,
    /// Writes: per thread its first read of it (complements of indices, 0 for none).
    pub(crate) observers: ClockId,
    /// How to take it out again.
    pub(crate) undo: Undo,
}

/// The clocks of an access under models without a coherence order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeakClocks {
    /// The writes to its location that are (hb ∪ rf|loc)-before it.
    pub(crate) mo_weak: ClockId,
    /// The writes to its location that are `mo_weak`-before a write that it reads or is, or that is (rf ; hb)-before it.
    pub(crate) overwritten: ClockId,
}

/// What an event has replaced, and what it has made.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Undo {
    /// Reads: whether the source's observers were made for this one.
    pub(crate) made_observers: bool,
    /// One more than the index of the thread's previous read of the location.
    pub(crate) prev_read: u32,
    /// The same for writes.
    pub(crate) prev_write: u32,
    /// The number of clocks before it.
    pub(crate) mark: u32,
    /// The number of clocks before it got its source.
    pub(crate) rf_mark: u32,
}

impl LiveEvent {
    #[inline(always)]
    pub(crate) fn blank(thread: ThreadId, index: u32, kind: Kind, location: LocationId) -> LiveEvent {
        LiveEvent {
            thread,
            index,
            stamp: 0,
            kind,
            location,
            rf: EventRef::NONE,
            co_prev: EventRef::NONE,
            co_next: EventRef::NONE,
            value: 0,
            hb: Clocks::ZERO,
            porf: Clocks::ZERO,
            acquirable: Clocks::ZERO,
            released: Clocks::ZERO,
            message: Clocks::ZERO,
            own: Clocks::ZERO,
            weak: WeakClocks { mo_weak: Clocks::ZERO, overwritten: Clocks::ZERO },
            observers: Clocks::ZERO,
            undo: Undo::default(),
        }
    }
}
