//! Awaits: loads that block their thread unless they read the right value are not explored with a wrong one.
//!
//! Such a load reads values that let its thread go on, and no others; as long as there is none, its thread waits and has no
//! event. Its greedy choice is then the co-last write *that lets it go on* (without `co`: the greatest by name among those
//! that let it go on and that no other such write is after), and that is what it is compared with when it is peeled. A
//! write that would block it does not revisit it, and does not keep it from being peeled either.
//!
//! Why it is exact: like the usual choice, this one depends on nothing but the content of the graph that is left, and it is
//! consistent, for every write that is not overwritten may be read. That holds without a global axiom only: under SC, TSO
//! and SRA, and under RC11 once there are two SC events, awaits are as other reads, whose blocked choices are dropped
//! unless they may become greedy (if the SC events come later, the exploration starts again). Found with an exploration in
//! which a load that waits for a lock did so under SC: it missed an execution. Likewise under WRA and WRC11, where
//! nothing orders the writes of a location: `tests/locks/ttaslock.c` with three threads has 192 executions there, of which
//! 38 were missed.
//!
//! What is lost: executions in which a thread misses a value that was there for a while, and then waits for ever. They are
//! of interest if liveness is, and then awaits are as other reads, too. Deadlocks of mutexes are all there.
//!
//! Cost: for each write that an await could read, a run of a copy of its thread to its next request.

use crate::construction::{Construction, resume};
use crate::threads::{Current, Status};
use base::{Access, ReadOrder, ThreadId, Value};
use graph::EventRef;
use model::MemoryModel;
use program::{Program, Request};

impl<P: Program, M: MemoryModel> Construction<'_, P, M> {
    /// Is what the thread asks there an await? A plain load is none: it may race wherever it is.
    #[inline(always)]
    fn awaited(&self, now: &Current<P::State>) -> Option<Access> {
        match now.request {
            Request::Read { at, order }
                if now.status == Status::Awaiting
                    && self.waiting.has_awaits()
                    && order != ReadOrder::NotAtomic =>
            {
                Some(at)
            }
            _ => None,
        }
    }

    /// Is the thread at an await?
    #[inline(always)]
    pub(crate) fn is_at_await(&self, thread: ThreadId) -> bool {
        self.awaited(self.threads.get(thread)).is_some()
    }

    /// Is `r` one?
    #[inline(always)]
    pub(crate) fn is_await(&self, r: EventRef) -> bool {
        self.awaited(self.before(r)).is_some()
    }

    /// Would this value block a thread that reads it there?
    pub(crate) fn blocks(&self, now: &Current<P::State>, value: Value) -> bool {
        let mut state = now.state.clone();
        let request = resume(self.program, &self.objects, &mut state, value);
        matches!(request, Request::Block(blocker) if blocker.is_about_values())
    }

    /// Would `r` let its thread go on if it read from `w`? (If nothing was ever written, it fails, which is going on.)
    fn lets_go_on(&self, r: EventRef, w: EventRef) -> bool {
        self.graph.value(w).is_none_or(|value| !self.blocks(self.before(r), value))
    }

    /// Is there something to read that lets the thread, which is at an await, go on? If it is not known where it reads, or
    /// if that is wrong, there is.
    pub(crate) fn has_good_source(&mut self, thread: ThreadId) -> bool {
        let Some(at) = self.awaited(self.threads.get(thread)) else { return true };
        let Some(location) = self.objects.known(at) else { return true };
        if !self.objects.is_alive(location, &self.graph) {
            return true;
        }
        let r = self.push_read(thread, location);
        let mut u = self.first_source(r);
        while u.is_some() && !self.lets_go_on(r, u) {
            u = self.next_source(r, u);
        }
        self.pop(r);
        u.is_some()
    }

    /// Does the await `r` read what it would greedily read now?
    pub(crate) fn is_greedy_await(&self, r: EventRef) -> bool {
        let rf = self.graph.event(r).rf;
        if M::HAS_CO {
            let mut u = self.graph.tail(self.graph.event(r).location);
            while u != rf && !self.lets_go_on(r, u) {
                u = self.graph.co_prev(u);
            }
            return u == rf;
        }
        // Nothing is before an initial value, and its name is the smallest.
        let is_good = |&u: &EventRef| !u.is_init() && u != rf && self.lets_go_on(r, u);
        let good: Vec<EventRef> = self.sources(r).filter(is_good).collect();
        let is_last = |u: EventRef| good.iter().all(|&v| !self.precedes(u, v));
        // A write that `rf` is after cannot be last, and need not be compared with.
        let is_better = |v: EventRef| self.is_greater(v, rf) && is_last(v) && !self.is_co_after(rf, v);
        is_last(rf) && !good.iter().any(|&v| is_better(v))
    }

    fn is_co_after(&self, b: EventRef, a: EventRef) -> bool {
        !b.is_init() && self.precedes(a, b)
    }

    /// Everything that `r` could read.
    fn sources(&self, r: EventRef) -> impl Iterator<Item = EventRef> {
        let some = |u: EventRef| u.is_some().then_some(u);
        std::iter::successors(some(self.first_source(r)), move |&u| some(self.next_source(r, u)))
    }
}
