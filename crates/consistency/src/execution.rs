//! Partial executions: events, `po` and `rf`, without `co`.
//!
//! Implements: \[RF\] section 2.1 and 2.3, flat: tens of millions of events fit in memory. Events are numbered in the
//! order in which they arrive, which agrees with `po` but need not agree with `rf`. The initial write of a location is
//! no event of any thread; it is hb-before everything.

use base::Order;

/// An event, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Event(pub u32);

impl Event {
    /// As an index into tables of events.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A location, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location(pub u32);

/// A thread, by its number: dense.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Thread(pub u32);

/// What an event does. A compare-exchange that failed is a read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// `R`
    Read,
    /// `W`
    Write,
    /// `RMW`: one event that reads and writes.
    Rmw,
    /// `F`
    Fence,
}

/// Where a read reads from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The initial write of its location.
    Init,
    /// A write or read-modify-write.
    Event(Event),
}

/// A partial execution.
///
/// # Invariants
/// Every read has a source, which is a write to its location: [`PartialExecution::malformed`] finds none that is not.
#[derive(Clone, Debug, Default)]
pub struct PartialExecution {
    ops: Vec<Op>,
    orders: Vec<Order>,
    /// `NONE` for fences.
    locations: Vec<u32>,
    threads: Vec<u32>,
    /// Per event its position in its thread, from 0.
    positions: Vec<u32>,
    /// Per event its source, `INIT` or `NONE`.
    sources: Vec<u32>,
    /// Per thread its events.
    po: Vec<Vec<Event>>,
    location_count: u32,
}

const NONE: u32 = u32::MAX;
const INIT: u32 = u32::MAX - 1;

/// Why something is no partial execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// A read without a source.
    NoSource(Event),
    /// A read that reads from something that does not write.
    SourceNotAWrite(Event),
    /// A read that reads from another location.
    SourceElsewhere(Event),
}

impl PartialExecution {
    /// Without events.
    pub fn new() -> PartialExecution {
        PartialExecution::default()
    }

    /// Append an access to its thread.
    pub fn access(&mut self, thread: Thread, op: Op, order: Order, location: Location) -> Event {
        debug_assert!(op != Op::Fence, "a fence has no location");
        self.location_count = self.location_count.max(location.0 + 1);
        self.push(thread, op, order, location.0)
    }

    /// Append a fence to its thread.
    pub fn fence(&mut self, thread: Thread, order: Order) -> Event {
        self.push(thread, Op::Fence, order, NONE)
    }

    fn push(&mut self, thread: Thread, op: Op, order: Order, location: u32) -> Event {
        let event = Event(u32::try_from(self.ops.len()).expect("less than four thousand million events"));
        let t = thread.0 as usize;
        if self.po.len() <= t {
            self.po.resize_with(t + 1, Vec::new);
        }
        self.ops.push(op);
        self.orders.push(order);
        self.locations.push(location);
        self.threads.push(thread.0);
        self.positions.push(self.po[t].len() as u32);
        self.sources.push(NONE);
        self.po[t].push(event);
        event
    }

    /// Say where a read reads from; the source may come later.
    pub fn set_source(&mut self, read: Event, source: Source) {
        self.sources[read.index()] = match source {
            Source::Init => INIT,
            Source::Event(write) => write.0,
        };
    }

    /// The same events with these orders.
    pub fn with_orders(&self, order: impl Fn(Event) -> Order) -> PartialExecution {
        PartialExecution { orders: self.events().map(order).collect(), ..self.clone() }
    }

    /// The first event that breaks the invariant.
    pub fn malformed(&self) -> Option<Malformed> {
        self.events().filter(|&e| self.reads(e)).find_map(|e| match self.sources[e.index()] {
            NONE => Some(Malformed::NoSource(e)),
            INIT => None,
            source if source as usize >= self.len() || !self.writes(Event(source)) => {
                Some(Malformed::SourceNotAWrite(e))
            }
            source if self.locations[source as usize] != self.locations[e.index()] => {
                Some(Malformed::SourceElsewhere(e))
            }
            _ => None,
        })
    }

    /// The same events in another order, which must agree with `po`.
    pub(crate) fn in_order(&self, order: &[Event]) -> PartialExecution {
        let mut renamed = vec![0; self.len()];
        let mut other = PartialExecution { location_count: self.location_count, ..PartialExecution::new() };
        other.po.resize_with(self.thread_count(), Vec::new);
        for &e in order {
            let (op, order, location) = (self.op(e), self.order(e), self.locations[e.index()]);
            renamed[e.index()] = other.push(self.thread(e), op, order, location).0;
        }
        for (source, &e) in other.sources.iter_mut().zip(order) {
            *source = match self.sources[e.index()] {
                special @ (NONE | INIT) => special,
                write => renamed[write as usize],
            };
        }
        other
    }

    /// The same events, with some fences as read-modify-writes of one more location, each of the one before.
    pub(crate) fn with_updates(&self, fences: &[Event]) -> PartialExecution {
        let mut other = self.clone();
        other.location_count += 1;
        for (place, &fence) in fences.iter().enumerate() {
            other.ops[fence.index()] = Op::Rmw;
            other.orders[fence.index()] = Order::AcqRel;
            other.locations[fence.index()] = self.location_count;
            other.sources[fence.index()] = if place == 0 { INIT } else { fences[place - 1].0 };
        }
        other
    }

    /// How many events.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether it has no events.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// All events, in the order of arrival: `po` agrees with it.
    pub fn events(&self) -> impl Iterator<Item = Event> + use<> {
        (0..self.ops.len() as u32).map(Event)
    }

    /// How many threads.
    pub fn thread_count(&self) -> usize {
        self.po.len()
    }

    /// How many locations.
    pub fn location_count(&self) -> usize {
        self.location_count as usize
    }

    /// The events of a thread in program order.
    pub fn po(&self, thread: Thread) -> &[Event] {
        &self.po[thread.0 as usize]
    }

    /// What the event does.
    #[inline(always)]
    pub fn op(&self, e: Event) -> Op {
        self.ops[e.index()]
    }

    /// Its memory order.
    #[inline(always)]
    pub fn order(&self, e: Event) -> Order {
        self.orders[e.index()]
    }

    /// Its thread.
    #[inline(always)]
    pub fn thread(&self, e: Event) -> Thread {
        Thread(self.threads[e.index()])
    }

    /// Its position in its thread, from 0.
    #[inline(always)]
    pub fn position(&self, e: Event) -> u32 {
        self.positions[e.index()]
    }

    /// Its location; `None` for a fence.
    #[inline(always)]
    pub fn location(&self, e: Event) -> Option<Location> {
        let location = self.locations[e.index()];
        (location != NONE).then_some(Location(location))
    }

    /// Where it reads from; `None` if it does not read.
    #[inline(always)]
    pub fn source(&self, e: Event) -> Option<Source> {
        match self.sources[e.index()] {
            NONE => None,
            INIT => Some(Source::Init),
            write => Some(Source::Event(Event(write))),
        }
    }

    /// Whether it is a read or a read-modify-write.
    #[inline(always)]
    pub fn reads(&self, e: Event) -> bool {
        matches!(self.op(e), Op::Read | Op::Rmw)
    }

    /// Whether it is a write or a read-modify-write.
    #[inline(always)]
    pub fn writes(&self, e: Event) -> bool {
        matches!(self.op(e), Op::Write | Op::Rmw)
    }
}
