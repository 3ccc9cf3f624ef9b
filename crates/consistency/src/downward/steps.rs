//! What the threads do, step by step, as a model sees it.
//!
//! A stream is a sequence of steps that are taken in order. Under SC and SRA there is one for each thread; under TSO a second
//! one for what leaves the thread's store buffer. Events that wait for nothing and that nothing waits for have no step.

use super::forced::Forced;
use crate::execution::{Event, Op, PartialExecution, Thread};
use crate::incremental::hb::Notion;
use crate::incremental::history::WriteId;
use base::Order;

/// A step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) event: Event,
    pub(super) kind: Kind,
    /// Another stream must have come this far.
    pub(super) after: Option<Position>,
}

/// A number of steps of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) stream: u32,
    pub(super) steps: u32,
}

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Nothing to memory.
    Pass,
    /// Waits until this write has been executed.
    Acquire { source: WriteId },
    /// Reads what is in memory.
    Read { source: WriteId },
    /// Reads what is in the thread's store buffer, or, if it has left it, in memory.
    Buffered { source: WriteId },
    /// Writes to memory; begins a chain.
    Write { write: WriteId },
    /// Reads and writes memory.
    Update { source: WriteId, write: WriteId },
}

impl Kind {
    pub(super) fn written(self) -> Option<WriteId> {
        match self {
            Kind::Write { write } | Kind::Update { write, .. } => Some(write),
            Kind::Pass | Kind::Acquire { .. } | Kind::Read { .. } | Kind::Buffered { .. } => None,
        }
    }

    pub(super) fn source(self) -> Option<WriteId> {
        match self {
            Kind::Acquire { source }
            | Kind::Read { source }
            | Kind::Buffered { source }
            | Kind::Update { source, .. } => Some(source),
            Kind::Pass | Kind::Write { .. } => None,
        }
    }
}

/// All streams.
#[derive(Debug)]
pub(super) struct Streams {
    steps: Vec<Vec<Step>>,
}

impl Streams {
    /// Writes in an order that `hb` agrees with: a read that synchronises waits for its source.
    pub(super) fn sra(execution: &PartialExecution, forced: &Forced, notion: Notion) -> Streams {
        let atomic = |e: Event| execution.order(e) != Order::NotAtomic;
        let synchronises = |read: Event, source: Option<Event>| match notion {
            Notion::Porf => true,
            _ => atomic(read) && source.is_some_and(atomic),
        };
        Streams::by_thread(execution, |e| match execution.op(e) {
            Op::Read => {
                let source = forced.source(execution, e);
                synchronises(e, forced.chains.write(source).event).then_some(Kind::Acquire { source })
            }
            Op::Fence => None,
            Op::Write | Op::Rmw => Some(memory_access(execution, forced, e)),
        })
    }

    /// All accesses in one order.
    pub(super) fn sc(execution: &PartialExecution, forced: &Forced) -> Streams {
        let kind = |e| (execution.op(e) != Op::Fence).then(|| memory_access(execution, forced, e));
        Streams::by_thread(execution, kind)
    }

    /// With store buffers: thread `t` of `k` has stream `t` for what it executes, and `k + t` for what leaves its buffer.
    pub(super) fn tso(execution: &PartialExecution, forced: &Forced) -> Streams {
        let threads = execution.thread_count();
        let mut streams = Streams { steps: vec![Vec::new(); 2 * threads] };
        for thread in 0..threads {
            let mut buffer = Buffer { own: vec![None; execution.location_count()], thread, threads };
            for &event in execution.po(Thread(thread as u32)) {
                buffer.event(&mut streams, execution, forced, event);
            }
        }
        streams
    }

    fn by_thread(execution: &PartialExecution, kind: impl Fn(Event) -> Option<Kind>) -> Streams {
        let step = |&event: &Event| Some(Step { event, kind: kind(event)?, after: None });
        let threads = (0..execution.thread_count() as u32).map(Thread);
        Streams {
            steps: threads.map(|thread| execution.po(thread).iter().filter_map(step).collect()).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn steps(&self, stream: usize) -> &[Step] {
        &self.steps[stream]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().flatten()
    }
}

/// An access that goes to memory when it is executed.
fn memory_access(execution: &PartialExecution, forced: &Forced, event: Event) -> Kind {
    match execution.op(event) {
        Op::Read => Kind::Read { source: forced.source(execution, event) },
        Op::Write => Kind::Write { write: forced.write(event) },
        Op::Rmw => Kind::Update { source: forced.source(execution, event), write: forced.write(event) },
        Op::Fence => unreachable!("a fence is no access"),
    }
}

/// The events of one thread under TSO, one after the other.
struct Buffer {
    /// Per location the thread's last write, if that one goes through the buffer: which, and when it has left it.
    own: Vec<Option<(WriteId, u32)>>,
    thread: usize,
    threads: usize,
}

impl Buffer {
    fn event(&mut self, streams: &mut Streams, execution: &PartialExecution, forced: &Forced, event: Event) {
        let (op, sc) = (execution.op(event), execution.order(event) == Order::SeqCst);
        let location = execution.location(event).map(|location| location.0 as usize);
        match (op, location) {
            (Op::Fence, _) | (_, None) => {
                if sc {
                    self.execute(streams, event, Kind::Pass, self.drained(streams));
                }
            }
            (Op::Read, Some(location)) => {
                self.read(streams, event, forced.source(execution, event), location)
            }
            (Op::Write, Some(location)) if !sc => {
                let after =
                    Position { stream: self.thread as u32, steps: streams.steps[self.thread].len() as u32 };
                let write = forced.write(event);
                let buffer = &mut streams.steps[self.threads + self.thread];
                buffer.push(Step { event, kind: Kind::Write { write }, after: Some(after) });
                self.own[location] = Some((write, buffer.len() as u32));
            }
            (Op::Write | Op::Rmw, Some(location)) => {
                self.own[location] = None;
                let kind = memory_access(execution, forced, event);
                self.execute(streams, event, kind, self.drained(streams));
            }
        }
    }

    /// Everything that has gone into the buffer has left it.
    fn drained(&self, streams: &Streams) -> Option<Position> {
        let stream = self.threads + self.thread;
        Some(Position { stream: stream as u32, steps: streams.steps[stream].len() as u32 })
    }

    /// From the buffer if the source is the thread's last write to the location, else from memory when that write is there.
    fn read(&self, streams: &mut Streams, event: Event, source: WriteId, location: usize) {
        match self.own[location] {
            Some((own, _)) if own == source => self.execute(streams, event, Kind::Buffered { source }, None),
            Some((_, steps)) => {
                let left = Position { stream: (self.threads + self.thread) as u32, steps };
                self.execute(streams, event, Kind::Read { source }, Some(left));
            }
            None => self.execute(streams, event, Kind::Read { source }, None),
        }
    }

    fn execute(&self, streams: &mut Streams, event: Event, kind: Kind, after: Option<Position>) {
        streams.steps[self.thread].push(Step { event, kind, after });
    }
}
