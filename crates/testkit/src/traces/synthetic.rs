//! Large partial executions that are consistent by construction: what a machine with many threads does, at
//! random.
//!
//! Under [`Machine::Sc`] every read reads the last write, and the orders of accesses and fences are drawn
//! from all: such traces are consistent under every model. Under [`Machine::Ra`] a read reads any recent
//! write that is not older than what its thread knows, and a write goes to any place in the coherence order
//! that is: every thread knows a time per location, and every write carries what its writer knew.

use base::{Order, Rng};
use consistency::{Event, Location, Op, PartialExecution, Source, Thread};

/// What runs the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// One memory.
    Sc,
    /// Messages with times and views.
    Ra,
}

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Synthetic {
    /// So many events.
    pub events: usize,
    /// Of so many threads.
    pub threads: u32,
    /// On so many locations.
    pub locations: u32,
    /// Of 100 events so many are read-modify-writes.
    pub updates: u64,
    /// On what.
    pub machine: Machine,
}

/// The execution of a seed.
pub fn synthetic(what: &Synthetic, seed: u64) -> PartialExecution {
    let mut run = Run { what, rng: Rng::new(seed), execution: PartialExecution::new() };
    match what.machine {
        Machine::Sc => run.sc(),
        Machine::Ra => run.ra(),
    }
    run.execution
}

struct Run<'a> {
    what: &'a Synthetic,
    rng: Rng,
    execution: PartialExecution,
}

impl Run<'_> {
    fn sc(&mut self) {
        let mut last = vec![Source::Init; self.what.locations as usize];
        for _ in 0..self.what.events {
            let thread = self.draw_thread();
            if self.rng.percent(4) {
                let order = self.rng.pick(&[Order::Acquire, Order::Release, Order::AcqRel]);
                self.execution.fence(thread, order);
                continue;
            }
            let (op, location) = (self.draw_op(), self.draw_location());
            let order = match op {
                Op::Read => self.rng.pick(&[Order::Relaxed, Order::Acquire]),
                Op::Write => self.rng.pick(&[Order::Relaxed, Order::Release]),
                _ => self.rng.pick(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel]),
            };
            let e = self.execution.access(thread, op, order, location);
            if self.execution.reads(e) {
                self.execution.set_source(e, last[location.0 as usize]);
            }
            if self.execution.writes(e) {
                last[location.0 as usize] = Source::Event(e);
            }
        }
    }

    fn ra(&mut self) {
        let (threads, locations) = (self.what.threads as usize, self.what.locations as usize);
        let mut views = vec![vec![0; locations]; threads];
        let initial =
            || Message { source: Source::Init, time: 0, view: vec![0; locations], is_updated: false };
        let mut memory: Vec<Vec<Message>> = (0..locations).map(|_| vec![initial()]).collect();
        for _ in 0..self.what.events {
            let (thread, op, location) = (self.draw_thread(), self.draw_op(), self.draw_location());
            let (view, messages) = (&mut views[thread.0 as usize], &mut memory[location.0 as usize]);
            let order = [Order::Acquire, Order::Release, Order::AcqRel][op as usize % 3];
            let e = self.execution.access(thread, op, order, location);
            let x = location.0 as usize;
            let mut place = match op {
                Op::Write => self.place_to_write(messages, view[x]),
                _ => self.read(e, messages, view, x),
            };
            if op != Op::Read {
                let next = messages.get(place + 1).map_or(messages[place].time + 2 * GAP, |next| next.time);
                let time = if op == Op::Rmw {
                    messages[place].time + 1
                } else {
                    messages[place].time.midpoint(next)
                };
                view[x] = time;
                place += 1;
                let view = view.clone();
                messages.insert(place, Message { source: Source::Event(e), time, view, is_updated: false });
                if messages.len() > RECENT {
                    messages.remove(0);
                }
            }
        }
    }

    /// Read a message that is not too old; its place.
    fn read(&mut self, e: Event, messages: &mut [Message], view: &mut [u64], x: usize) -> usize {
        let is_rmw = self.execution.op(e) == Op::Rmw;
        let fits = |message: &Message| message.time >= view[x] && !(is_rmw && message.is_updated);
        let places: Vec<usize> = (0..messages.len()).filter(|&place| fits(&messages[place])).collect();
        let place = self.rng.pick(&places);
        let message = &mut messages[place];
        message.is_updated |= is_rmw;
        view.iter_mut().zip(&message.view).for_each(|(known, &new)| *known = new.max(*known));
        self.execution.set_source(e, message.source);
        place
    }

    /// The place of a message after which there is room for one that the thread may write.
    fn place_to_write(&mut self, messages: &[Message], known: u64) -> usize {
        let room = |place: usize| {
            messages.get(place + 1).is_none_or(|next| next.time >= known.max(messages[place].time) + 2)
                && messages[place].time >= known
        };
        let places: Vec<usize> = (0..messages.len()).filter(|&place| room(place)).collect();
        self.rng.pick(&places)
    }

    fn draw_thread(&mut self) -> Thread {
        Thread(self.rng.below(u64::from(self.what.threads)) as u32)
    }

    fn draw_location(&mut self) -> Location {
        Location(self.rng.below(u64::from(self.what.locations)) as u32)
    }

    fn draw_op(&mut self) -> Op {
        if self.rng.percent(self.what.updates) {
            Op::Rmw
        } else {
            self.rng.pick(&[Op::Read, Op::Read, Op::Write])
        }
    }
}

/// So many messages of a location can still be read.
const RECENT: usize = 8;

/// The room between a message and the next one, while there is none between them.
const GAP: u64 = 1 << 16;

/// A write in the memory of the machine.
struct Message {
    source: Source,
    time: u64,
    view: Vec<u64>,
    /// Whether a read-modify-write reads it already.
    is_updated: bool,
}
