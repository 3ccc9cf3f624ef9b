//! Awaits: a load that blocks its thread unless it reads the right value is not explored with a wrong one.
//!
//! Such a load reads values that let its thread go on, and no others; as long as there is none, its thread waits and
//! has no event. Its greedy choice is then the co-last write *that lets it go on*, with which it is compared when it is
//! peeled. A write that would block it does not revisit it, and does not keep it from being peeled either.
//!
//! Argument: like the usual choice, this one depends on nothing but the content of the graph that is left, and it is
//! consistent, for every write that is not overwritten may be read. That holds with an order of all writes and without
//! a global axiom only: under SC, TSO and SRA, and under RC11 once two threads have SC events, awaits are as other
//! reads, whose blocked choices are dropped unless they may become greedy (if the SC events come later, the exploration
//! starts again).
//!
//! Relies on:
//! * `Assumption::Local`: refuted by SC events of RC11.
//! * `Use::Ordered`, up to `rf`: the writes alone order all writes of the location. There, the source of a load may be
//!   the only reason for an order of two writes, and then it is too early to read the value that lets it go on:
//!   `x = 0; await x == 2 ‖ x = 2; cas(x, 0, 2)` lost the execution in which the load reads from the
//!   compare-exchange. So loads wait only where every store comes after all other writes because of writes alone,
//!   whatever is read: then there is one order of all writes, as with `co`, and taking events out does not change it.
//!   Lock words are like that. The first write that is not after the last one refutes the assumption; if loads wait
//!   there, the exploration starts again. Under WRA and WRC11 no location is like that.
//!
//! Lost: executions in which a thread misses a value that was there for a while, and then waits for ever. They
//! are of interest if liveness is, and then awaits are as other reads, too. Deadlocks of mutexes are all there.
//!
//! Found by: an exploration in which a load that waits for a lock did so under SC: it missed an execution.
//!
//! Cost: for each write that an await could read, a run of a copy of its thread to its next request.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::core::threads::{Current, Status};
use crate::ledger::Use;
use crate::reductions::{Reduction, Room, Rooms};
use base::{Access, ReadOrder, ThreadId};
use live::EventRef;
use program::{Hint, Request};

/// The room of loads that wait; it has no state.
#[derive(Debug)]
pub(crate) struct Awaits;

impl<P: Hint, C: Shape> Room<'_, Awaits, P, C> {
    /// The access of the thread's request, if it is an await. A plain load is none: it may race wherever it is.
    #[inline(always)]
    pub(crate) fn awaited(&self, now: &Current<P::State>) -> Option<Access> {
        match now.request {
            Request::Read { at, order }
                if now.status == Status::Awaiting
                    && now.pair.is_none()
                    && self.reductions.on.has(Reduction::Awaits)
                    && order != ReadOrder::NotAtomic
                    && (C::HAS_CO || self.rely_on_order(at)) =>
            {
                Some(at)
            }
            _ => None,
        }
    }

    /// Without `co`: rely on the writes there being in one order, unless that was refuted. True if it may be relied on.
    fn rely_on_order(&self, at: Access) -> bool {
        let Some(location) = self.objects.known(at) else {
            return self.notes.may_rely_at(at, Use::Ordered);
        };
        self.rely(location, Use::Ordered)
    }

    /// Whether the thread is at an await.
    #[inline(always)]
    pub(crate) fn is_at(&self, thread: ThreadId) -> bool {
        self.awaited(self.threads.get(thread)).is_some()
    }

    /// Whether `r` is an await.
    #[inline(always)]
    pub(crate) fn is_await(&self, r: EventRef) -> bool {
        self.awaited(self.before(r)).is_some()
    }

    /// Whether `r` would let its thread go on if it read from `w`. (A read of memory that was never written is an
    /// error, which counts as going on.)
    pub(crate) fn lets_go_on(&self, r: EventRef, w: EventRef) -> bool {
        self.graph.value(w).is_none_or(|value| {
            self.attempts().observe(r, value);
            !self.blocks(self.before(r), value)
        })
    }

    /// Whether the await `r` reads the source that it would greedily have if `w` were not there.
    pub(crate) fn is_greedy(&self, r: EventRef, w: EventRef) -> bool {
        let rf = self.graph.event(r).rf;
        let mut u = self.graph.tail(self.graph.event(r).location);
        while u != rf && (u == w || !self.lets_go_on(r, u)) {
            u = self.graph.co_prev(u);
        }
        u == rf
    }
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Whether there is a source that lets the thread go on, if it is at an await. True for all other threads, and also
    /// if the location is not known yet, or not alive, or if the await is a confirmation that is certain to fail.
    pub(crate) fn has_good_source(&mut self, thread: ThreadId) -> bool {
        let Some(at) = self.awaits().awaited(self.threads.get(thread)) else { return true };
        let Some(location) = self.objects.known(at) else { return true };
        if !self.objects.is_alive(location, &self.graph) || self.confirming().must_confirm(thread) {
            return true;
        }
        let r = self.push_read(thread, location);
        let mut u = self.graph.first_source(r);
        while u.is_some() && !self.awaits().lets_go_on(r, u) {
            u = self.graph.next_source(r, u);
        }
        self.pop(r);
        u.is_some()
    }
}
