//! Events one at a time, with their sources: the form in which tests write executions down and draw them.

use base::{Order, Rng};
use consistency::{Event, Location, Op, PartialExecution, Source, Thread};
use std::fmt;

/// An event as traces have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its thread.
    pub thread: u32,
    /// What it does.
    pub op: Op,
    /// Its order.
    pub order: Order,
    /// Of no meaning for a fence.
    pub location: u32,
    /// Of no meaning for what does not read.
    pub source: Source,
}

impl Item {
    /// Its location, if it is an access.
    pub fn location(&self) -> Option<Location> {
        (self.op != Op::Fence).then_some(Location(self.location))
    }

    /// Whether it reads.
    pub fn reads(&self) -> bool {
        matches!(self.op, Op::Read | Op::Rmw)
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        matches!(self.op, Op::Write | Op::Rmw)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Item { thread, op, order, location, source } = self;
        write!(f, "t{thread} {op:?} {order}")?;
        if self.op != Op::Fence {
            write!(f, " x{location}")?;
        }
        match source {
            _ if !self.reads() => Ok(()),
            Source::Init => f.write_str(" rf=init"),
            Source::Event(event) => write!(f, " rf=e{}", event.0),
        }
    }
}

/// As a trace.
pub fn show(items: &[Item]) -> String {
    items.iter().enumerate().map(|(number, item)| format!("e{number} {item}\n")).collect()
}

/// The same as a [`PartialExecution`].
pub fn partial_execution(items: &[Item]) -> PartialExecution {
    let mut execution = PartialExecution::new();
    for item in items {
        match item.op {
            Op::Fence => drop(execution.fence(Thread(item.thread), item.order)),
            op => drop(execution.access(Thread(item.thread), op, item.order, Location(item.location))),
        }
    }
    for (number, item) in items.iter().enumerate().filter(|(_, item)| item.reads()) {
        execution.set_source(Event(number as u32), item.source);
    }
    execution
}

/// What events to draw.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// So many threads.
    pub threads: u64,
    /// So many locations.
    pub locations: u64,
    /// Of 100 events so many are writes; the rest is reads.
    pub writes: u64,
    /// So many are read-modify-writes.
    pub rmws: u64,
    /// So many are fences.
    pub fences: u64,
    /// Of 100 loads and stores so many are plain.
    pub plain: u64,
    /// Whether accesses and fences may be SC.
    pub sc: bool,
}

impl Mix {
    /// 2 to 4 threads, 1 to 3 locations, and every kind of event.
    pub fn random(random: &mut Rng) -> Mix {
        Mix {
            threads: 2 + random.below(3),
            locations: 1 + random.below(3),
            writes: 25 + random.below(20),
            rmws: random.pick(&[0, 10, 25, 45]),
            fences: random.pick(&[0, 0, 10]),
            plain: random.pick(&[0, 0, 10, 40]),
            sc: false,
        }
    }

    /// An event, its source still open.
    pub fn draw(&self, random: &mut Rng) -> Item {
        let op = match random.below(100) {
            n if n < self.fences => Op::Fence,
            n if n < self.fences + self.rmws => Op::Rmw,
            n if n < self.fences + self.rmws + self.writes => Op::Write,
            _ => Op::Read,
        };
        let (thread, location) = (random.below(self.threads) as u32, random.below(self.locations) as u32);
        Item { thread, op, order: self.order(op, random), location, source: Source::Init }
    }

    fn order(&self, op: Op, random: &mut Rng) -> Order {
        use Order::*;
        if matches!(op, Op::Read | Op::Write) && random.percent(self.plain) {
            return NotAtomic;
        }
        let orders: &[Order] = match op {
            Op::Read => &[Relaxed, Acquire, SeqCst],
            Op::Write => &[Relaxed, Release, SeqCst],
            Op::Rmw => &[Relaxed, Acquire, Release, AcqRel, SeqCst],
            Op::Fence => &[Acquire, Release, AcqRel, SeqCst],
        };
        random.pick(&orders[..orders.len() - usize::from(!self.sc)])
    }
}
