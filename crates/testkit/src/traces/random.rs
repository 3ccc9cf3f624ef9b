//! Small random partial executions, consistent and inconsistent ones.
//!
//! Where operations are drawn one by one, it hardly ever matters what synchronises with what: an execution is
//! inconsistent because of one thread alone. [`random_messages`] draws threads that send, relay and receive.

use base::{Order, Rng};
use consistency::{Event, Location, Op, PartialExecution, Source, Thread};

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// At most so many events, at least half as many.
    pub events: u64,
    /// At most so many threads, at least two.
    pub threads: u64,
    /// At most so many locations.
    pub locations: u64,
    /// Of 100 events so many are read-modify-writes.
    pub updates: u64,
    /// Of 100 events so many are fences.
    pub fences: u64,
    /// The orders of accesses; one that does not fit the operation becomes relaxed.
    pub orders: &'static [Order],
    /// The orders of fences.
    pub fence_orders: &'static [Order],
    /// Of 100 reads so many read anything at all; the others read what is new.
    pub wild: u64,
}

impl Shape {
    /// A bit of everything, without SC.
    pub const WEAK: Shape = Shape {
        events: 10,
        threads: 4,
        locations: 3,
        updates: 20,
        fences: 8,
        orders: &[
            Order::NotAtomic,
            Order::Relaxed,
            Order::Relaxed,
            Order::Acquire,
            Order::Release,
            Order::AcqRel,
        ],
        fence_orders: &[Order::Acquire, Order::Release, Order::AcqRel],
        wild: 65,
    };

    /// The same with SC accesses and fences.
    pub const SC: Shape = Shape {
        orders: &[
            Order::Relaxed,
            Order::Acquire,
            Order::Release,
            Order::AcqRel,
            Order::SeqCst,
            Order::SeqCst,
        ],
        fence_orders: &[Order::SeqCst, Order::SeqCst, Order::AcqRel],
        fences: 15,
        ..Shape::WEAK
    };
}

/// The partial execution of a shape and a seed.
pub fn random_execution(shape: &Shape, seed: u64) -> PartialExecution {
    let rng = &mut Rng::new(seed);
    let threads = 2 + rng.below(shape.threads - 1);
    let locations = 1 + rng.below(shape.locations);
    let mut execution = PartialExecution::new();
    for _ in 0..shape.events - rng.below(shape.events / 2 + 1) {
        event(&mut execution, shape, rng, threads, locations);
    }
    for read in execution.events().filter(|&e| execution.reads(e)).collect::<Vec<_>>() {
        let source = source(&execution, shape, rng, read);
        execution.set_source(read, source);
    }
    execution
}

fn event(execution: &mut PartialExecution, shape: &Shape, rng: &mut Rng, threads: u64, locations: u64) {
    let thread = Thread(rng.below(threads) as u32);
    if rng.percent(shape.fences) {
        execution.fence(thread, rng.pick(shape.fence_orders));
        return;
    }
    let op = if rng.percent(shape.updates) { Op::Rmw } else { rng.pick(&[Op::Read, Op::Write]) };
    let order = fitting(op, rng.pick(shape.orders));
    execution.access(thread, op, order, Location(rng.below(locations) as u32));
}

fn fitting(op: Op, order: Order) -> Order {
    match (op, order) {
        (Op::Read, Order::Release | Order::AcqRel)
        | (Op::Write, Order::Acquire | Order::AcqRel)
        | (Op::Rmw, Order::NotAtomic) => Order::Relaxed,
        _ => order,
    }
}

/// What a read reads from: mostly one of the last writes before it, sometimes any, even a later one.
fn source(execution: &PartialExecution, shape: &Shape, rng: &mut Rng, read: Event) -> Source {
    let to_location = |&e: &Event| execution.writes(e) && execution.location(e) == execution.location(read);
    let is_taken = |e: &Event| {
        let updates = execution.events().filter(|&other| other < read && execution.op(other) == Op::Rmw);
        updates.into_iter().any(|other| execution.source(other) == Some(Source::Event(*e)))
    };
    let any = rng.percent(shape.wild);
    let candidates: Vec<Event> = match any && rng.percent(6) {
        true => execution.events().filter(to_location).filter(|&e| e != read).collect(),
        false => execution.events().take_while(|&e| e < read).filter(to_location).collect(),
    };
    match any || candidates.is_empty() {
        true => match rng.below(candidates.len() as u64 + 1) {
            0 => Source::Init,
            n => Source::Event(candidates[n as usize - 1]),
        },
        false => {
            let free = candidates.iter().rev().find(|e| execution.op(read) != Op::Rmw || !is_taken(e));
            free.map_or(Source::Init, |&write| Source::Event(write))
        }
    }
}

/// A partial execution in which threads send, relay and receive messages; which of it synchronises is left to
/// chance.
pub fn random_messages(updates: bool, seed: u64) -> PartialExecution {
    let mut messages = Messages { rng: Rng::new(seed), execution: PartialExecution::new(), updates };
    let threads = 2 + messages.rng.below(3) as u32;
    let mut parts: Vec<Thread> = (0..threads).chain(threads - 1..threads).map(Thread).collect();
    if messages.rng.percent(30) {
        let (a, b) =
            (messages.rng.below(threads.into()) as usize, messages.rng.below(threads.into()) as usize);
        parts.swap(a, b);
    }
    for (number, &thread) in parts.iter().enumerate() {
        match messages.rng.below(10) {
            _ if number == 0 => messages.send(thread),
            0..2 => messages.send(thread),
            2..4 => messages.relay(thread),
            4..8 => messages.receive(thread),
            _ => messages.cross(thread),
        }
        if messages.execution.len() >= 9 {
            break;
        }
    }
    messages.execution
}

struct Messages {
    rng: Rng,
    execution: PartialExecution,
    updates: bool,
}

const DATA: Location = Location(0);
const FLAG: Location = Location(1);

impl Messages {
    /// Data, then a flag, perhaps more than once.
    fn send(&mut self, thread: Thread) {
        self.access(thread, Op::Write, DATA);
        self.fence(thread, &[Order::Release, Order::AcqRel]);
        let op = self.update_or(Op::Write);
        self.access(thread, op, FLAG);
        if self.rng.percent(30) {
            let op = self.update_or(Op::Write);
            self.access(thread, op, FLAG);
        }
    }

    /// A flag is read and written.
    fn relay(&mut self, thread: Thread) {
        if self.updates && self.rng.percent(60) {
            self.access(thread, Op::Rmw, FLAG);
            return;
        }
        self.access(thread, Op::Read, FLAG);
        self.fence(thread, &[Order::Acquire, Order::AcqRel]);
        self.access(thread, Op::Write, FLAG);
    }

    /// A flag is read, then the data.
    fn receive(&mut self, thread: Thread) {
        let op = self.update_or(Op::Read);
        self.access(thread, op, FLAG);
        self.fence(thread, &[Order::Acquire, Order::AcqRel]);
        let op = if self.rng.percent(80) { Op::Read } else { self.update_or(Op::Write) };
        self.access(thread, op, DATA);
    }

    /// Both are written, in any order, and the second one is read.
    fn cross(&mut self, thread: Thread) {
        let (first, second) = self.rng.pick(&[(DATA, FLAG), (FLAG, DATA)]);
        self.access(thread, Op::Write, first);
        self.access(thread, Op::Write, second);
        self.access(thread, Op::Read, second);
    }

    fn update_or(&mut self, op: Op) -> Op {
        if self.updates && self.rng.percent(25) { Op::Rmw } else { op }
    }

    fn fence(&mut self, thread: Thread, orders: &[Order]) {
        if self.rng.percent(25) {
            let order = self.rng.pick(orders);
            self.execution.fence(thread, order);
        }
    }

    /// Append an access; what is read is mostly the last flag, and any data.
    fn access(&mut self, thread: Thread, op: Op, location: Location) {
        let order =
            self.rng.pick(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::AcqRel]);
        let order = match (op, order) {
            _ if op != Op::Rmw && self.rng.percent(6) => Order::NotAtomic,
            (Op::Read, Order::AcqRel) => Order::Acquire,
            (Op::Write, Order::AcqRel) => Order::Release,
            _ => fitting(op, order),
        };
        let e = self.execution.access(thread, op, order, location);
        if self.execution.reads(e) {
            let wild = if location == FLAG { 15 } else { 80 };
            let source = source(&self.execution, &Shape { wild, ..Shape::WEAK }, &mut self.rng, e);
            self.execution.set_source(e, source);
        }
    }
}
