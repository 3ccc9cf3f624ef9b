//! Happens-before on the fly: the knowledge of each thread, and the part of it that an acquire of a write gets.
//!
//! Implements: the clocks `H_t` and `HB` of \[RF\] algorithm 5 (lines 2, 24 and 29), for every notion of happens-before
//! that the models have. Events come in an order that agrees with `po` and `rf`, so that a clock never has to change
//! after its event.
//!
//! Corrected: line 24 as printed only counts the read; the thread's clock must become the joined `HB[e]`, or the second
//! read of message passing may miss the message.
//!
//! Extended: the paper prints RA. For RC20, RC11 and C20 a write's [`Message`] is what its release sequence releases, a relaxed
//! read keeps it for a later acquire fence, and a release fence lends its clock to the writes after it.
//!
//! Cost: O(threads) for an event. Consecutive messages of a thread that learnt nothing in between share a clock.

use super::clocks::{ClockId, Clocks, Lane, join, raise};
use crate::execution::Thread;
use base::Order;
use model::{Orders, ReleaseSequence, Rules, ScFence};

/// Which events synchronise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Notion {
    /// None: `hb = po` (Relaxed).
    Po,
    /// Every read with its source, plain ones too: `hb = (po ∪ rf)⁺` (what SC and TSO have in common with RA).
    Porf,
    /// Every atomic read with its source if that is atomic (RA, SRA).
    Atomic,
    /// As the orders say, with this release sequence and these SC fences.
    AsWritten(ReleaseSequence, ScFence),
}

impl Notion {
    /// What synchronises under a model.
    pub(crate) fn of(rules: &Rules) -> Notion {
        match rules.orders {
            Orders::Ignored => Notion::Po,
            Orders::Uniform => Notion::Atomic,
            Orders::AsWritten => Notion::AsWritten(rules.release_sequence, rules.sc_fence),
        }
    }

    /// Whether an SC fence is an acquire-release read-modify-write of one extra location.
    fn sc_fence_is_update(self) -> bool {
        matches!(self, Notion::Atomic | Notion::AsWritten(_, ScFence::Update))
    }

    fn reads_orders(self) -> bool {
        matches!(self, Notion::AsWritten(..))
    }
}

/// What an acquire of a write learns: a clock, with one lane raised to where the writer was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    clock: ClockId,
    lane: Lane,
    upto: u32,
}

/// What is no clock of a thread's state.
#[derive(Clone, Copy, Default, Debug)]
struct State {
    /// How many events it has.
    events: u32,
    /// Its clock except for its own lane, as long as it is up to date.
    snapshot: Option<ClockId>,
    /// What its last release fence released.
    fence: Option<Message>,
}

/// What all threads know.
#[derive(Clone, Debug)]
pub(crate) struct HappensBefore {
    notion: Notion,
    threads: Vec<State>,
    /// Lanes of a clock; more than needed where threads come one after the other.
    lanes: usize,
    /// Per thread its clock, `H_t`.
    known: Clocks,
    /// Per thread what its relaxed reads have read, for the next acquire fence.
    pending: Clocks,
    /// The clocks of messages; they do not change.
    snapshots: Clocks,
    /// What the last SC fence released, where SC fences are read-modify-writes of one location.
    sc_fences: Option<Message>,
}

impl HappensBefore {
    pub(crate) fn new(notion: Notion) -> HappensBefore {
        HappensBefore {
            notion,
            threads: Vec::new(),
            lanes: 1,
            known: Clocks::default(),
            pending: Clocks::default(),
            snapshots: Clocks::default(),
            sc_fences: None,
        }
    }

    /// How many lanes clocks have.
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Make room for threads up to this one; whether clocks get wider by that.
    pub(crate) fn admit(&mut self, thread: Thread) -> bool {
        let needed = Lane::of(thread).index() + 1;
        let wider = needed > self.lanes;
        if wider {
            // By a quarter at least, so that all of it together costs no more than the last time.
            self.lanes = needed.max(self.lanes * 5 / 4);
            for clocks in [&mut self.known, &mut self.pending, &mut self.snapshots] {
                clocks.widen(self.lanes);
            }
        }
        while self.threads.len() <= thread.0 as usize {
            self.threads.push(State::default());
            let clock = self.known.zero();
            // Initial writes happen before everything.
            self.known.raise(clock, Lane::INIT, 1);
            self.pending.zero();
        }
        wider
    }

    /// What a thread knows before its next event.
    pub(crate) fn known(&self, thread: Thread) -> &[u32] {
        self.known.lanes(clock_of(thread))
    }

    /// The next event of a thread; its position, from 1.
    pub(crate) fn step(&mut self, thread: Thread) -> u32 {
        let state = &mut self.threads[thread.0 as usize];
        state.events += 1;
        self.known.raise(clock_of(thread), Lane::of(thread), state.events);
        state.events
    }

    /// The event reads a write with this message.
    pub(crate) fn read(&mut self, thread: Thread, order: Order, message: Option<Message>) {
        let Some(message) = message else { return };
        match self.notion {
            Notion::Po => {}
            Notion::Porf => self.acquire(thread, message),
            Notion::Atomic | Notion::AsWritten(..) if order == Order::NotAtomic => {}
            Notion::AsWritten(..) if !is_acquire(order) => {
                let clock = self.snapshots.lanes(message.clock);
                self.pending.join(clock_of(thread), clock);
                self.pending.raise(clock_of(thread), message.lane, message.upto);
            }
            Notion::Atomic | Notion::AsWritten(..) => self.acquire(thread, message),
        }
    }

    /// The event writes: its message. `earlier` is what the thread's last release write to the location released, and
    /// `source` the message of the write that a read-modify-write reads.
    pub(crate) fn write(
        &mut self,
        thread: Thread,
        order: Order,
        earlier: &mut Option<Message>,
        source: Option<Message>,
    ) -> Option<Message> {
        match self.notion {
            Notion::Po => None,
            Notion::Porf => Some(self.own(thread)),
            Notion::Atomic | Notion::AsWritten(..) if order == Order::NotAtomic => None,
            Notion::Atomic => Some(self.own(thread)),
            Notion::AsWritten(..) => {
                let released = self.released(thread, order, earlier);
                self.release_sequence(released, source)
            }
        }
    }

    /// The event is a fence.
    pub(crate) fn fence(&mut self, thread: Thread, order: Order) {
        if order == Order::SeqCst && self.notion.sc_fence_is_update() {
            self.sc_fences.into_iter().for_each(|last| self.acquire(thread, last));
            self.sc_fences = Some(self.own(thread));
        } else if self.notion.reads_orders() {
            if is_acquire(order) && self.known.join(clock_of(thread), self.pending.lanes(clock_of(thread))) {
                self.threads[thread.0 as usize].snapshot = None;
            }
            if is_release(order) {
                self.threads[thread.0 as usize].fence = Some(self.own(thread));
            }
        }
    }

    fn acquire(&mut self, thread: Thread, message: Message) {
        let mut learnt = self.known.join(clock_of(thread), self.snapshots.lanes(message.clock));
        learnt |= self.known.raise(clock_of(thread), message.lane, message.upto);
        if learnt {
            self.threads[thread.0 as usize].snapshot = None;
        }
    }

    /// All that the thread knows now.
    fn own(&mut self, thread: Thread) -> Message {
        let state = &mut self.threads[thread.0 as usize];
        let known = self.known.lanes(clock_of(thread));
        let clock = *state.snapshot.get_or_insert_with(|| self.snapshots.copy(known));
        Message { clock, lane: Lane::of(thread), upto: state.events }
    }

    /// What the thread itself releases by an atomic write: all of it by a release write, else what its last release
    /// fence or, in C11, an earlier release write to the location released. The later one of these includes the other.
    fn released(&mut self, thread: Thread, order: Order, earlier: &mut Option<Message>) -> Option<Message> {
        let own = match is_release(order) {
            true => Some(self.own(thread)),
            false => self.threads[thread.0 as usize].fence,
        };
        if matches!(self.notion, Notion::AsWritten(ReleaseSequence::UpdatesOnly, _)) {
            return own;
        }
        if is_release(order) {
            *earlier = own;
        }
        own.into_iter().chain(*earlier).max_by_key(|message| message.upto)
    }

    /// A read-modify-write is in the release sequences that its source is in.
    fn release_sequence(&mut self, own: Option<Message>, source: Option<Message>) -> Option<Message> {
        let (Some(own), Some(source)) = (own, source) else { return own.or(source) };
        let mut both = self.snapshots.lanes(own.clock).to_vec();
        raise(&mut both, own.lane, own.upto);
        let mut more = join(&mut both, self.snapshots.lanes(source.clock));
        more |= raise(&mut both, source.lane, source.upto);
        Some(if more { Message { clock: self.snapshots.copy(&both), ..own } } else { own })
    }
}

fn clock_of(thread: Thread) -> ClockId {
    ClockId::new(thread.0 as usize)
}

fn is_acquire(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

fn is_release(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}
