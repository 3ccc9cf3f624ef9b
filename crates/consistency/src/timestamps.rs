//! hb-timestamps: per thread, how many of its events happen before an event.
//!
//! Implements: \[RF\] section 3, proposition 3.1, for every `hb` that an algorithm here needs. An initial
//! write is in no timestamp: it happens before everything.
//!
//! | | release sequence | fences | every atomic access |
//! |---|---|---|---|
//! | uniform models | | do nothing | acquires and releases |
//! | RC20 | read-modify-writes: `rf⁺` | as in C11, not SC | has its order |
//! | C20 | as RC20 | as in C11 | has its order |
//! | RC11 | also later atomic writes of the same thread | as in C11 | has its order |
//!
//! Under RC20 an SC fence is no fence but a read-modify-write of a location of its own. As long as a single
//! thread has SC fences, that orders nothing that `po` does not order, and nothing is done for it.
//!
//! Differs: no timestamp is kept for an event unless it is still to be acquired. The events are swept over
//! once, in an order that agrees with `rf`; there is the timestamp of each thread, and of each write with
//! readers to come what they will acquire, its message.
//!
//! Cost: O(k) per event.

use crate::execution::{Event, Op, PartialExecution, Source, Thread};
use crate::slots::Slots;
use crate::views::{View, Views, join};
use base::Order;
use model::{Orders, ReleaseSequence, Rules, ScFence};

/// What synchronises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Synchronisation {
    /// Every atomic access: RA, SRA, WRA.
    Uniform,
    /// As the orders say, with this release sequence and these SC fences.
    AsWritten(ReleaseSequence, ScFence),
}

impl Synchronisation {
    /// What synchronises under a model in which something does.
    pub(crate) fn of(rules: &Rules) -> Synchronisation {
        match rules.orders {
            Orders::Uniform => Synchronisation::Uniform,
            Orders::AsWritten => Synchronisation::AsWritten(rules.release_sequence, rules.sc_fence),
            Orders::Ignored => unreachable!("no access synchronises under {}", rules.title),
        }
    }

    pub(crate) fn acquires(self, order: Order) -> bool {
        match self {
            Synchronisation::Uniform => order != Order::NotAtomic,
            Synchronisation::AsWritten(..) => matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst),
        }
    }

    pub(crate) fn releases(self, order: Order) -> bool {
        match self {
            Synchronisation::Uniform => order != Order::NotAtomic,
            Synchronisation::AsWritten(..) => matches!(order, Order::Release | Order::AcqRel | Order::SeqCst),
        }
    }

    fn is_fence(self, order: Order) -> bool {
        match self {
            Synchronisation::Uniform => false,
            Synchronisation::AsWritten(_, ScFence::Update) => order != Order::SeqCst,
            Synchronisation::AsWritten(_, ScFence::Fence) => true,
        }
    }

    /// Whether later writes of a thread continue the release sequence of its release.
    fn has_own_writes(self) -> bool {
        matches!(self, Synchronisation::AsWritten(ReleaseSequence::SameThread, _))
    }
}

const NONE: u32 = u32::MAX;

/// A sweep over an execution. For every event in turn: [`Timestamps::enter`], then [`Timestamps::leave`].
#[derive(Debug)]
pub(crate) struct Timestamps<'a> {
    execution: &'a PartialExecution,
    slots: &'a Slots,
    synchronisation: Synchronisation,
    /// Per thread its timestamp.
    clocks: Clocks,
    /// Per thread what it has read and not acquired: the next acquire fence does. Empty if there is none.
    unacquired: Option<Clocks>,
    /// Per thread its timestamp at its last release fence.
    fences: Vec<Option<View>>,
    /// Under RC11: per slot the timestamp at the thread's last release write to the location.
    releases: Vec<Option<View>>,
    /// Per event how many readers it has; as soon as the event has been swept over, its message.
    messages: Vec<u32>,
    views: Views,
}

/// A timestamp per thread.
#[derive(Debug)]
struct Clocks {
    width: usize,
    rows: Vec<u32>,
}

impl Clocks {
    fn new(width: usize) -> Clocks {
        Clocks { width, rows: vec![0; width * width] }
    }

    #[inline(always)]
    fn of(&self, thread: Thread) -> &[u32] {
        &self.rows[thread.0 as usize * self.width..][..self.width]
    }

    #[inline(always)]
    fn of_mut(&mut self, thread: Thread) -> &mut [u32] {
        &mut self.rows[thread.0 as usize * self.width..][..self.width]
    }
}

impl<'a> Timestamps<'a> {
    /// Before the first event. Sources must come before their readers.
    pub(crate) fn new(
        execution: &'a PartialExecution,
        slots: &'a Slots,
        synchronisation: Synchronisation,
    ) -> Timestamps<'a> {
        let threads = execution.thread_count();
        let acquire_fence = |e| {
            let order = execution.order(e);
            execution.op(e) == Op::Fence && synchronisation.is_fence(order) && synchronisation.acquires(order)
        };
        let keeps_releases = synchronisation.has_own_writes();
        Timestamps {
            execution,
            slots,
            synchronisation,
            clocks: Clocks::new(threads),
            unacquired: execution.events().any(acquire_fence).then(|| Clocks::new(threads)),
            fences: vec![None; threads],
            releases: vec![None; if keeps_releases { slots.len() } else { 0 }],
            messages: readers(execution),
            views: Views::new(threads),
        }
    }

    /// The timestamp of a thread. Between `enter` and `leave` of an event it is the event's, without the
    /// event itself.
    #[inline(always)]
    pub(crate) fn clock(&self, thread: Thread) -> &[u32] {
        self.clocks.of(thread)
    }

    /// Acquire what the event acquires.
    #[inline]
    pub(crate) fn enter(&mut self, e: Event) {
        let (thread, order) = (self.execution.thread(e), self.execution.order(e));
        if let Some(message) = self.message_read(e).filter(|_| order != Order::NotAtomic) {
            if self.synchronisation.acquires(order) {
                join(self.clocks.of_mut(thread), self.views.row(message));
            } else if let Some(unacquired) = &mut self.unacquired {
                join(unacquired.of_mut(thread), self.views.row(message));
            }
        } else if self.execution.op(e) == Op::Fence
            && self.synchronisation.is_fence(order)
            && self.synchronisation.acquires(order)
            && let Some(unacquired) = &self.unacquired
        {
            join(self.clocks.of_mut(thread), unacquired.of(thread));
        }
    }

    /// Count the event, and keep what it releases.
    #[inline]
    pub(crate) fn leave(&mut self, e: Event) {
        let (thread, order) = (self.execution.thread(e), self.execution.order(e));
        self.clocks.of_mut(thread)[thread.0 as usize] = self.execution.position(e) + 1;
        match self.execution.op(e) {
            Op::Read => {}
            Op::Write | Op::Rmw => self.send(e),
            Op::Fence if self.synchronisation.is_fence(order) && self.synchronisation.releases(order) => {
                let view = self.views.insert(self.clocks.of(thread), 1);
                if let Some(before) = self.fences[thread.0 as usize].replace(view) {
                    self.views.release(before);
                }
            }
            Op::Fence => {}
        }
        if let Some(read) = self.message_read(e) {
            self.views.release(read);
        }
    }

    /// The message of the write that an event reads.
    #[inline]
    fn message_read(&self, e: Event) -> Option<View> {
        match self.execution.source(e)? {
            Source::Event(write) => {
                Some(self.messages[write.index()]).filter(|&view| view != NONE).map(View::from_number)
            }
            Source::Init => None,
        }
    }

    /// Keep what the readers of a write will acquire.
    #[inline]
    fn send(&mut self, e: Event) {
        let readers = std::mem::replace(&mut self.messages[e.index()], NONE);
        let (thread, order) = (self.execution.thread(e), self.execution.order(e));
        if order == Order::NotAtomic {
            return;
        }
        let releases = self.synchronisation.releases(order);
        if releases && self.synchronisation.has_own_writes() {
            self.begin_release_sequence(e);
        }
        if readers == 0 {
            return;
        }
        // A read-modify-write also continues the release sequence that it reads from, if any. Under a uniform
        // model it has acquired it, and its own timestamp is all.
        let continued = match self.synchronisation {
            Synchronisation::Uniform => None,
            _ => self.message_read(e),
        };
        let message = match (releases, self.released_before(e), continued) {
            (true, _, None) => self.views.insert(self.clocks.of(thread), readers),
            (true, _, Some(continued)) => {
                let view = self.views.insert(self.clocks.of(thread), readers);
                self.views.join(view, continued);
                view
            }
            (false, Some(view), None) | (false, None, Some(view)) => {
                self.views.hold(view, readers);
                view
            }
            (false, Some(own), Some(continued)) => self.joined(own, continued, readers),
            (false, None, None) => return,
        };
        self.messages[e.index()] = message.number();
    }

    /// What a relaxed write releases all the same: what was known at the last release fence, and, under RC11,
    /// at the last release write of its thread to its location. The later one knows more.
    fn released_before(&self, e: Event) -> Option<View> {
        let thread = self.execution.thread(e).0 as usize;
        let fence = self.fences[thread];
        let write = self.releases.get(self.slots.slot(e)).copied().flatten();
        [fence, write].into_iter().flatten().max_by_key(|&view| self.views.row(view)[thread])
    }

    fn begin_release_sequence(&mut self, e: Event) {
        let view = self.views.insert(self.clocks.of(self.execution.thread(e)), 1);
        if let Some(before) = self.releases[self.slots.slot(e)].replace(view) {
            self.views.release(before);
        }
    }

    fn joined(&mut self, first: View, second: View, holds: u32) -> View {
        let row = self.views.row(first).to_vec();
        let view = self.views.insert(&row, holds);
        self.views.join(view, second);
        view
    }
}

/// Per event how many read from it.
fn readers(execution: &PartialExecution) -> Vec<u32> {
    let mut readers = vec![0; execution.len()];
    for e in execution.events() {
        if let Some(Source::Event(write)) = execution.source(e) {
            readers[write.index()] += 1;
        }
    }
    readers
}
