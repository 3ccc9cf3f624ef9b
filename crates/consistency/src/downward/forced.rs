//! What is forced: happens-before, and the orderings of writes that lemma 3.2 gives.
//!
//! Implements: \[RF\] lemma 3.2, for all reads at once. A read of a chain comes with the writes that its thread has seen or
//! knows of, one for each thread; those of other chains must be before the whole chain. And one sweep over the events
//! in an order that agrees with `po` and `rf` finds out whether there is such an order (PO-RF) and whether two
//! read-modify-writes read the same write (weak-atomicity).

use super::cycle::{Wait, cycle, step};
use crate::answer::{Reason, Step, Why};
use crate::execution::{Event, Location, Op, PartialExecution, Source, Thread};
use crate::incremental::chains::{Chain, Chains, NewWrite, Write};
use crate::incremental::clocks::Lane;
use crate::incremental::hb::{HappensBefore, Notion};
use crate::incremental::history::{LocationHistory, Placed, WriteId};

/// A write that must be before a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) write: WriteId,
    /// The write itself, or a read of it; it happens before `by`.
    pub(super) access: Event,
    /// A read of the chain, or the write that begins it.
    pub(super) by: Event,
}

/// The chains, and what must be before each of them.
#[derive(Debug)]
pub(super) struct Forced {
    pub(super) chains: Chains,
    /// Per event the write that it is.
    writes: Vec<Option<WriteId>>,
    /// Per location its initial write.
    pub(super) inits: Vec<WriteId>,
    /// Per chain; of each thread the last write.
    before: Vec<Vec<Before>>,
}

impl Forced {
    pub(super) fn of(execution: &PartialExecution, notion: Notion) -> Result<Forced, Reason> {
        let mut sweep = Sweep::new(execution, notion);
        sweep.all()?;
        let inits = sweep.locations.iter().map(LocationHistory::init).collect();
        Ok(Forced { chains: sweep.chains, writes: sweep.writes, inits, before: sweep.before })
    }

    pub(super) fn write(&self, event: Event) -> WriteId {
        self.writes[event.index()].expect("is a write")
    }

    /// The source of a read.
    pub(super) fn source(&self, execution: &PartialExecution, read: Event) -> WriteId {
        let location = execution.location(read).expect("a read has a location");
        match execution.source(read).expect("a read has a source") {
            Source::Init => self.init(location),
            Source::Event(event) => self.write(event),
        }
    }

    pub(super) fn init(&self, location: Location) -> WriteId {
        self.inits[location.0 as usize]
    }

    /// What must be before the chain.
    pub(super) fn before(&self, chain: Chain) -> &[Before] {
        &self.before[chain.index()]
    }
}

/// The sweep over all events.
struct Sweep<'a> {
    execution: &'a PartialExecution,
    hb: HappensBefore,
    chains: Chains,
    locations: Vec<LocationHistory>,
    writes: Vec<Option<WriteId>>,
    before: Vec<Vec<Before>>,
    /// Per thread how many events the sweep has passed.
    passed: Vec<usize>,
}

impl<'a> Sweep<'a> {
    fn new(execution: &'a PartialExecution, notion: Notion) -> Sweep<'a> {
        let mut sweep = Sweep {
            execution,
            hb: HappensBefore::new(notion),
            chains: Chains::default(),
            locations: Vec::new(),
            writes: vec![None; execution.len()],
            before: Vec::new(),
            passed: vec![0; execution.thread_count()],
        };
        if let Some(last) = execution.thread_count().checked_sub(1) {
            sweep.hb.admit(Thread(last as u32));
        }
        for _ in 0..execution.location_count() {
            let init = NewWrite { event: None, lane: Lane::INIT, position: 1, message: None };
            let init = sweep.chains.begin(init);
            sweep.before.push(Vec::new());
            sweep.locations.push(LocationHistory::new(init));
        }
        sweep
    }

    fn all(&mut self) -> Result<(), Reason> {
        let threads = self.passed.len() as u32;
        loop {
            let before: usize = self.passed.iter().sum();
            for thread in (0..threads).map(Thread) {
                while let Some(event) = self.next(thread).filter(|&event| self.has_source(event)) {
                    self.event(thread, event)?;
                    self.passed[thread.0 as usize] += 1;
                }
            }
            let after: usize = self.passed.iter().sum();
            if after == self.execution.len() {
                return Ok(());
            }
            if after == before {
                return Err(Reason::Cycle(self.porf_cycle()));
            }
        }
    }

    fn next(&self, thread: Thread) -> Option<Event> {
        self.execution.po(thread).get(self.passed[thread.0 as usize]).copied()
    }

    fn has_source(&self, event: Event) -> bool {
        match self.execution.source(event) {
            Some(Source::Event(source)) => self.writes[source.index()].is_some(),
            Some(Source::Init) | None => true,
        }
    }

    /// Every thread that is not at its end waits for a source.
    fn porf_cycle(&self) -> Vec<Step> {
        let threads = (0..self.passed.len() as u32).map(Thread);
        let waiting =
            threads.filter_map(|thread| self.next(thread)).next().expect("not all events were passed");
        cycle(waiting, |read| {
            let Some(Source::Event(source)) = self.execution.source(read) else {
                unreachable!("it waits for it")
            };
            let why = vec![step(source, read, Why::Rf)];
            Wait { on: source, behind: self.next(self.execution.thread(source)).expect("waits as well"), why }
        })
    }

    fn event(&mut self, thread: Thread, event: Event) -> Result<(), Reason> {
        let order = self.execution.order(event);
        let Some(location) = self.execution.location(event) else {
            // No fence orders anything here: an SC fence that does was made a read-modify-write (`sc_fences`).
            self.hb.step(thread);
            return Ok(());
        };
        let seen = self.seen(thread, location, event);
        let source = self.source(event, location)?;
        let position = self.hb.step(thread);
        if let Some(source) = source {
            self.force(source, &seen, location)?;
            let Write { message, chain, .. } = *self.chains.write(source);
            self.hb.read(thread, order, message);
            let history = self.locations[location.0 as usize].of_mut(Lane::of(thread));
            history.see(Placed { position, write: source, chain });
        }
        if self.execution.writes(event) {
            self.write(thread, event, location, position, source);
        }
        if self.execution.op(event) == Op::Write {
            self.before.push(self.unknown(thread, seen));
        }
        Ok(())
    }

    /// Add a write to its chain and to the history of its location.
    fn write(
        &mut self,
        thread: Thread,
        event: Event,
        location: Location,
        position: u32,
        source: Option<WriteId>,
    ) {
        let lane = Lane::of(thread);
        let history = self.locations[location.0 as usize].of_mut(lane);
        let acquired = source.and_then(|source| self.chains.write(source).message);
        let message = self.hb.write(thread, self.execution.order(event), &mut history.released, acquired);
        let new = NewWrite { event: Some(event), lane, position, message };
        let write = match source {
            None => self.chains.begin(new),
            Some(source) => self.chains.extend(source, new),
        };
        history.write(write);
        self.writes[event.index()] = Some(write.write);
    }

    /// What happens before a write need not be forced; what reads have read that happen before it must be.
    fn unknown(&self, thread: Thread, mut seen: Vec<Before>) -> Vec<Before> {
        let known = self.hb.known(thread);
        let happens = |write: &Write| known[write.lane.index()] >= write.position;
        seen.retain(|before| !happens(self.chains.write(before.write)));
        seen
    }

    /// The source of a read, if no other read-modify-write has it.
    fn source(&self, event: Event, location: Location) -> Result<Option<WriteId>, Reason> {
        let Some(source) = self.execution.source(event) else { return Ok(None) };
        let write = match source {
            Source::Init => self.locations[location.0 as usize].init(),
            Source::Event(source) => self.writes[source.index()].expect("the sweep has passed it"),
        };
        let other = self.chains.write(write).updated_by.filter(|_| self.execution.op(event) == Op::Rmw);
        match other.and_then(|other| self.chains.write(other).event) {
            Some(first) => Err(Reason::SharedSource { location, source, first, second: event }),
            None => Ok(Some(write)),
        }
    }

    /// What the thread has seen of the location before `by`. Initial writes are before everything anyway.
    fn seen(&self, thread: Thread, location: Location, by: Event) -> Vec<Before> {
        let seen = self.locations[location.0 as usize].seen(self.hb.known(thread));
        let seen = seen.filter(|(_, placed)| self.chains.write(placed.write).event.is_some());
        let before = seen.map(|(lane, placed)| {
            let thread = lane.thread().expect("no thread writes initial values");
            let access = self.execution.po(thread)[placed.position as usize - 1];
            Before { write: placed.write, access, by }
        });
        before.collect()
    }

    /// Lemma 3.2: what was seen by a read of `source` is before the chain of the source, or in it and not after it.
    fn force(&mut self, source: WriteId, seen: &[Before], location: Location) -> Result<(), Reason> {
        let source = *self.chains.write(source);
        for &before in seen {
            let write = *self.chains.write(before.write);
            let top = self.chains.top(source.chain).event;
            if write.chain != source.chain && top.is_some() {
                include(&mut self.before[source.chain.index()], before, &self.chains);
            } else if write.chain != source.chain || source.place < write.place {
                // Nothing is before an initial write, nor before the chain that it is in.
                let why = if write.chain == source.chain { Why::Chain } else { Why::Hb };
                let (top, write) = (
                    top.map_or(Source::Init, Source::Event),
                    write.event.map_or(Source::Init, Source::Event),
                );
                let mo = Why::Mo { location, access: before.access, read: before.by };
                return Err(Reason::Cycle(vec![
                    Step { from: write, to: top, why: mo },
                    Step { from: top, to: write, why },
                ]));
            }
        }
        Ok(())
    }
}

/// Of each thread the last write.
fn include(all: &mut Vec<Before>, new: Before, chains: &Chains) {
    let write = chains.write(new.write);
    match all.iter_mut().find(|old| chains.write(old.write).lane == write.lane) {
        Some(old) if chains.write(old.write).position < write.position => *old = new,
        Some(_) => {}
        None => all.push(new),
    }
}
