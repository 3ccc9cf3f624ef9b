//! Consistency one event at a time: the writes that a new read may read from.
//!
//! Implements: \[RF\] section 5.2 and algorithm 5 (appendix B.2). Events arrive in an order that agrees with `po` and `rf`.
//! [`Incremental::push`] is `writeHandler`, [`Incremental::bind`] is `readHandler`, for a read-modify-write followed by
//! `writeHandler`. `HB` is in `hb`, `TC` and `PC` are in `chains`, `lastWriteBefore` is in `history`, `HBMO`, its lazy
//! closure and `poPropagate` are in `hbmo`. A write never makes an execution inconsistent, a fence neither.
//!
//! Corrected, with the smallest execution that the printed line judges wrongly (`tests/it/incremental_shapes.rs` has them):
//!
//! * line 24: the thread's clock becomes the joined `HB[e]`. Message passing, `W x; W y ∥ R y(1); R x(0)`, is accepted else.
//! * weak-atomicity is never tested. `RMW x(init) ∥ RMW x(init)` is accepted else.
//! * line 12 is within the `else` of line 9: joining the clock of the chain that is read would exclude the chain itself.
//!   `W x; RMW x(W); R x(RMW)` in one thread is rejected else.
//! * initial writes: \[RF\] has none. Here they are a thread of their own that happens before everything; `W x; R x(init)`
//!   is accepted else.
//!
//! Extended to RC20, RC11 and C20 without SC events and Relaxed: a thread has seen more than happens before it, namely what the
//! reads that happen before it have read; so lines 3-12 ask for each thread not for the last write but for what its
//! last access saw, and line 31 includes that, too. `R_rlx x(w); R_rlx x(init) ∥ w: W_rlx x` is accepted else.
//!
//! SC fences under RA and RC20 are read-modify-writes of one extra location; they are taken to have the order in which
//! they arrive. SC events of RC11 and C20 are refused.
//!
//! Undo: every table grows at its end only, except for thread clocks, HBMO clocks, `updated_by` and RC11's `released`.
//! Whoever backtracks needs a journal of the old values of those, in the order of the changes, and the lengths of the
//! rest; nothing depends on what was removed.
//!
//! Cost: O(k²) for a read in the usual case, O(k) for others, if k threads access the location. Per write two clocks at
//! most, shared where nothing was learnt in between.

mod candidates;
pub(crate) mod chains;
pub(crate) mod clocks;
pub(crate) mod hb;
mod hbmo;
pub(crate) mod history;
mod witness;

use crate::answer::{Unsupported, Witness};
use crate::execution::{Event, Location, Op, Source, Thread};
use base::Order;
pub use candidates::Candidates;
use chains::{Chains, NewWrite};
use clocks::{Lane, join, raise};
use hb::{HappensBefore, Notion};
use hbmo::{Hbmo, is_included};
use history::{LocationHistory, Placed, WriteId};
use model::{Cycles, GlobalAxiom, Model};
use thiserror::Error;

/// A read or read-modify-write that wants a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// Its thread.
    pub thread: Thread,
    /// [`Op::Read`] or [`Op::Rmw`].
    pub op: Op,
    /// Its order.
    pub order: Order,
    /// Its location.
    pub location: Location,
}

/// Why a read cannot read from a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Rejected {
    /// Not known.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// Another read-modify-write reads it (weak-atomicity).
    #[error("a read-modify-write, event {}, already reads this write", .by.0)]
    Taken {
        /// The other one.
        by: Event,
    },
    /// It is before something that the reader's thread has seen or knows of (read-coherence).
    #[error("event {}, which the reading thread cannot be before, overwrites this write", .by.0)]
    Overwritten {
        /// A write that comes after the source, and not after what the thread has seen or knows of.
        by: Event,
    },
}

/// A partial execution that is consistent, and can grow.
///
/// ```
/// use base::Order::{Acquire, Release};
/// use consistency::incremental::{Incremental, Read};
/// use consistency::{Location, Op, Source, Thread};
///
/// let (writer, reader, x, y) = (Thread(0), Thread(1), Location(0), Location(1));
/// let mut checker = Incremental::new(model::Model::Rc20)?;
/// let data = checker.push(writer, Release, x)?;
/// let flag = checker.push(writer, Release, y)?;
/// checker.bind(Read { thread: reader, op: Op::Read, order: Acquire, location: y }, Source::Event(flag))?;
/// let read = Read { thread: reader, op: Op::Read, order: Acquire, location: x };
/// assert_eq!(checker.candidates(read).iter().collect::<Vec<_>>(), [Source::Event(data)]);
/// assert!(checker.bind(read, Source::Init).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Incremental {
    hb: HappensBefore,
    /// Whether the model has an axiom about SC events. There must be no such events then.
    has_sc_events: bool,
    chains: Chains,
    hbmo: Hbmo,
    locations: Vec<LocationHistory>,
    /// Per event the write that it is.
    writes: Vec<Option<WriteId>>,
}

impl Incremental {
    /// Without events.
    ///
    /// # Errors
    /// Models other than RA, RC20, RC11, C20 and Relaxed.
    pub fn new(model: Model) -> Result<Incremental, Unsupported> {
        let rules = model.rules();
        let is_local = matches!(rules.global, GlobalAxiom::None | GlobalAxiom::Psc);
        if !is_local || !rules.has_co() || rules.cycles != Cycles::Forbidden {
            return Err(Unsupported::Model);
        }
        Ok(Incremental {
            hb: HappensBefore::new(Notion::of(rules)),
            has_sc_events: rules.global.has_sc_events(),
            chains: Chains::default(),
            hbmo: Hbmo::default(),
            locations: Vec::new(),
            writes: Vec::new(),
        })
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Add a write: `writeHandler`.
    ///
    /// # Errors
    /// RC11 or C20 and an SC write.
    pub fn push(&mut self, thread: Thread, order: Order, location: Location) -> Result<Event, Unsupported> {
        self.supports(order)?;
        self.admit(thread, location);
        let event = self.next_event();
        let mut before = self.seen(thread, location);
        let position = self.hb.step(thread);
        raise(&mut before, Lane::of(thread), position);
        let write = self.write(event, thread, order, location, position, None);
        self.hbmo.begin(write.chain, &before);
        Ok(event)
    }

    /// Add a fence.
    ///
    /// # Errors
    /// RC11 or C20 and an SC fence.
    pub fn fence(&mut self, thread: Thread, order: Order) -> Result<Event, Unsupported> {
        self.supports(order)?;
        self.admit_thread(thread);
        let event = self.next_event();
        self.hb.step(thread);
        self.hb.fence(thread, order);
        self.writes.push(None);
        Ok(event)
    }

    /// The sources that [`Incremental::bind`] accepts for the next event of a thread.
    pub fn candidates(&mut self, read: Read) -> Candidates<'_> {
        self.admit(read.thread, read.location);
        let known = self.hb.known(read.thread);
        Candidates::of(read.op, known, &self.locations[read.location.0 as usize], &self.chains, &self.hbmo)
    }

    /// Add a read or read-modify-write that reads from `source`: `readHandler`. Nothing changes if it cannot.
    ///
    /// # Errors
    /// The execution would be inconsistent; RC11 or C20 and an SC access.
    ///
    /// # Panics
    /// If the source is no write that was added.
    pub fn bind(&mut self, read: Read, source: Source) -> Result<Event, Rejected> {
        debug_assert!(matches!(read.op, Op::Read | Op::Rmw), "{:?} does not read", read.op);
        self.supports(read.order)?;
        self.admit(read.thread, read.location);
        let source = self.source(read.location, source);
        self.check_weak_atomicity(read.op, source)?;
        let before = self.check_read_coherence(read, source).map_err(|by| Rejected::Overwritten {
            by: self.chains.write(by).event.expect("nothing is before an initial write"),
        })?;
        Ok(self.add_read(read, source, before))
    }

    /// A coherence order that makes the execution consistent.
    pub fn witness(&self) -> Witness {
        Witness { co: witness::coherence_orders(&self.locations, &self.chains, &self.hbmo) }
    }

    fn supports(&self, order: Order) -> Result<(), Unsupported> {
        let sc = self.has_sc_events && order == Order::SeqCst;
        if sc { Err(Unsupported::ScEvents) } else { Ok(()) }
    }

    fn admit(&mut self, thread: Thread, location: Location) {
        self.admit_thread(thread);
        while self.locations.len() <= location.0 as usize {
            let init = NewWrite { event: None, lane: Lane::INIT, position: 1, message: None };
            let init = self.chains.begin(init);
            let mut clock = vec![0; self.hb.lanes()];
            raise(&mut clock, Lane::INIT, 1);
            self.hbmo.begin(init.chain, &clock);
            self.locations.push(LocationHistory::new(init));
        }
    }

    fn admit_thread(&mut self, thread: Thread) {
        if self.hb.admit(thread) {
            self.hbmo.widen(self.hb.lanes());
        }
    }

    fn next_event(&self) -> Event {
        Event(u32::try_from(self.writes.len()).expect("less than four thousand million events"))
    }

    fn source(&self, location: Location, source: Source) -> WriteId {
        let location = &self.locations[location.0 as usize];
        match source {
            Source::Init => location.init(),
            Source::Event(event) => self.writes[event.index()].expect("a source is a write"),
        }
    }

    fn check_weak_atomicity(&self, op: Op, source: WriteId) -> Result<(), Rejected> {
        let other = self.chains.write(source).updated_by.filter(|_| op == Op::Rmw);
        let by = other.and_then(|other| self.chains.write(other).event);
        by.map_or(Ok(()), |by| Err(Rejected::Taken { by }))
    }

    /// Lines 3-22. `PredHBMO`: the writes before or in the chains that the reader's thread has seen, except the source's.
    /// An error is a write that the source is before.
    fn check_read_coherence(&self, read: Read, source: WriteId) -> Result<Vec<u32>, WriteId> {
        let location = &self.locations[read.location.0 as usize];
        let source = self.chains.write(source);
        let mut before = vec![0; self.hb.lanes()];
        for (_, seen) in location.seen(self.hb.known(read.thread)) {
            if seen.chain != source.chain {
                // Lines 10 and 12.
                join(&mut before, self.hbmo.lanes(seen.chain));
                if is_included(&before, &self.chains, source.chain) {
                    return Err(seen.write);
                }
            } else if source.place < self.chains.write(seen.write).place {
                // Line 7.
                return Err(seen.write);
            }
        }
        // Lines 13-22.
        self.hbmo.close(&mut before, &self.chains, location, Some(source.chain))?;
        Ok(before)
    }

    /// Lines 23-26, and for a read-modify-write `writeHandler`.
    fn add_read(&mut self, read: Read, source: WriteId, mut before: Vec<u32>) -> Event {
        let event = self.next_event();
        let &chains::Write { chain, message, .. } = self.chains.write(source);
        let position = self.hb.step(read.thread);
        self.hb.read(read.thread, read.order, message);
        if read.op == Op::Rmw {
            self.include_last_write(&mut before, read.thread, read.location);
            raise(&mut before, Lane::of(read.thread), position);
            self.write(event, read.thread, read.order, read.location, position, Some(source));
        } else {
            let history = &mut self.locations[read.location.0 as usize];
            history.of_mut(Lane::of(read.thread)).see(Placed { position, write: source, chain });
            self.writes.push(None);
        }
        self.hbmo.include(chain, &before, &self.chains, &self.locations[read.location.0 as usize]);
        event
    }

    /// Lines 30 and 31 for a write that begins a chain: what the thread has seen of the location, and what the chain of
    /// its last write includes.
    fn seen(&self, thread: Thread, location: Location) -> Vec<u32> {
        let mut clock = vec![0; self.hb.lanes()];
        let history = &self.locations[location.0 as usize];
        for (_, seen) in history.seen(self.hb.known(thread)) {
            let write = self.chains.write(seen.write);
            raise(&mut clock, write.lane, write.position);
        }
        self.include_last_write(&mut clock, thread, location);
        clock
    }

    /// What the chain of the thread's last write to the location includes.
    fn include_last_write(&self, clock: &mut [u32], thread: Thread, location: Location) {
        let history = self.locations[location.0 as usize].of(Lane::of(thread));
        if let Some(last) = history.and_then(history::ThreadHistory::last_write) {
            join(clock, self.hbmo.lanes(last.chain));
        }
    }

    /// Add a write to its chain and to the history of its location.
    fn write(
        &mut self,
        event: Event,
        thread: Thread,
        order: Order,
        location: Location,
        position: u32,
        source: Option<WriteId>,
    ) -> Placed {
        let lane = Lane::of(thread);
        let history = self.locations[location.0 as usize].of_mut(lane);
        let acquired = source.and_then(|source| self.chains.write(source).message);
        let message = self.hb.write(thread, order, &mut history.released, acquired);
        let new = NewWrite { event: Some(event), lane, position, message };
        let write = match source {
            None => self.chains.begin(new),
            Some(source) => self.chains.extend(source, new),
        };
        history.write(write);
        self.writes.push(Some(write.write));
        write
    }
}
