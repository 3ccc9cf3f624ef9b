//! Symmetry: of executions that differ only in which of several identical threads does what, one is explored.
//!
//! *Twins* are threads that one parent has created one right after the other, with the same function and the same argument.
//! Exchanging them maps executions to executions. Where a write is in co says nothing about names of threads, so twins can be
//! told apart, without looking at their names, by the first events in which they differ: two reads of different sources, or
//! two writes. An execution is *canonical* if, for any two twins, the first of these is the older one's: it reads from a
//! co-earlier write, or it is the co-earlier write. Of the executions that are the same up to an exchange of twins, exactly
//! one is canonical.
//!
//! Implements: an idea of \[SPORE\] for peeling. Three things change:
//! * A choice after which the graph is not canonical is not visited. A read-modify-write sweeps all the same: its twin may be
//!   peeled.
//! * The *greedy* choice, with which an event is compared when it is peeled, is the co-last one that keeps the graph canonical
//!   and lets the thread come to its end so ([`Room::greedy`]). For a younger twin that is already
//!   there: a write goes right before its write; a read reads what it reads, and the thread follows it. But not if the twin's
//!   next write is a read-modify-write, and everything that the follower could read before it is taken already: then the
//!   follower would never come past it, so it reads something co-earlier before it is too late.
//! * As long as twins agree, the older one steps first.
//!
//! Why it is exact (a sketch): graphs that come from canonical ones by leaving out what nothing that stays depends on are
//! canonical, and can be completed. In such a graph every thread has a choice: what it reads in the complete graph, or, if
//! that is not there, what is right before it in co. So the greedy choice exists; it depends on nothing but what is left; and
//! it is coherent, since a thread that agrees with its twin has seen what the twin has seen. Compared with brute force on
//! random programs (`tests/programs/symmetry.rs`), with mutexes and awaits.
//!
//! **Global axioms.** To read what the twin reads, or to write right before it, is always consistent: a cycle through the
//! copy would be one through the twin. To read something co-earlier may not be, if there is more to obey than coherence. So
//! under SC, TSO and SRA, and under RC11 with SC events (if one comes later, the exploration starts again), twins are compared
//! up to their first read-modify-write or lock only: before that, a thread can always follow its twin ([`Extent`]).
//!
//! **Up to `rf`** there is no coherence order, but on locations whose writes are ordered by writes alone (as for awaits, see
//! `awaits.rs`): words that locks and read-modify-writes make a chain of. Twins are compared up to their first access of another
//! location that differs: sound, and not always one execution of each orbit. Not with a global axiom, and not under WRA and
//! WRC11.
//!
//! **What tells twins apart.** A thread that knows its name, or an address of its own, could do something else than its twin:
//! [`program::Program::tells_threads_apart`] says whether any could. What cannot be seen in the code is watched, and if it
//! happens, the exploration starts again without symmetry ([`Room::is_broken_by`]): twins that make threads,
//! objects, notifications or barriers; who joins one of them and does something else before it has joined all of them, or
//! would if those that have finished were those that it waits for; twins that finish with different values. None of this can
//! be missed: up to the first time that it happens, executions can be exchanged, and so it happens in a canonical one, too.
//!
//! **Not compared** are events after a choice of a number, or of different locations: executions in which such twins are
//! exchanged are all explored.
//!
//! Cost: per event of a thread that has twins, its twins times the events in which they agree so far; nothing for others.

use crate::core::construction::{Construction, resume};
use crate::core::shape::Shape;
use crate::core::threads::Current;
use crate::ledger::Use;
use crate::reductions::Room;
use base::ThreadId;
use live::EventRef;
use program::{Hint, Request};
use smallvec::SmallVec;

/// A few events, at most one of each twin.
type Events = SmallVec<[EventRef; 8]>;

/// Which events of twins are compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Extent {
    /// None: there are no twins.
    #[default]
    Off,
    /// Loads, stores and fences.
    Accesses,
    /// Read-modify-writes and locks, too.
    All,
}

/// Who are twins.
#[derive(Debug, Default)]
pub(crate) struct Symmetry {
    extent: Extent,
    /// Per thread its oldest twin, itself if it has none.
    oldest: Vec<ThreadId>,
    /// Per oldest twin all of them that are there, in the order of their creation, which is that of their ids.
    groups: Vec<Vec<ThreadId>>,
    /// How many threads are there that have an older twin.
    younger: usize,
}

impl Symmetry {
    pub(crate) fn new(extent: Extent) -> Symmetry {
        Symmetry { extent, ..Symmetry::default() }
    }

    /// Are there twins that a global axiom could forbid to follow each other?
    #[inline(always)]
    pub(crate) fn is_local(&self) -> bool {
        self.any() && self.extent == Extent::All
    }

    /// Are there twins?
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.younger > 0
    }

    /// A thread was created, as a twin of the one that was created right before it, if that is given.
    fn add(&mut self, thread: ThreadId, before: Option<ThreadId>) {
        let n = self.oldest.len().max(thread.index() + 1);
        self.oldest.resize(n, ThreadId::MAIN);
        self.groups.resize(n, Vec::new());
        let oldest = before.map_or(thread, |before| self.oldest[before.index()]);
        self.oldest[thread.index()] = oldest;
        self.groups[oldest.index()].push(thread);
        self.younger += usize::from(oldest != thread);
    }

    /// Undo `add`. (What a parent has created goes in the reverse order.)
    fn remove(&mut self, thread: ThreadId) {
        let oldest = self.oldest[thread.index()];
        let last = self.groups[oldest.index()].pop();
        debug_assert_eq!(last, Some(thread), "the last twin goes first");
        self.younger -= usize::from(oldest != thread);
    }

    /// The thread and its twins.
    pub(crate) fn of(&self, thread: ThreadId) -> &[ThreadId] {
        match self.oldest.get(thread.index()) {
            Some(oldest) => &self.groups[oldest.index()],
            None => &[],
        }
    }

    fn has_symmetric(&self, thread: ThreadId) -> bool {
        self.of(thread).len() > 1
    }
}

/// The events of a thread's twins at one place of their program order, where they have agreed with it so far.
#[derive(Debug, Default)]
struct Peers {
    older: Events,
    younger: Events,
}

impl<P: Hint, C: Shape> Room<'_, Symmetry, P, C> {
    // --- who are twins --------------------------------------------------------------------------------------------

    fn is_same_creation(&self, a: EventRef, b: EventRef) -> bool {
        match (&self.before(a).request, &self.before(b).request) {
            (Request::Create { function: f, argument: x }, Request::Create { function: g, argument: y }) => {
                f == g && x == y
            }
            _ => false,
        }
    }

    /// Does the step that the thread is about to take tell twins apart, or could it?
    #[inline(always)]
    pub(crate) fn is_broken_by(&self, thread: ThreadId) -> bool {
        self.state.any() && (self.is_singular(thread) || self.joins_some_only(thread))
    }

    /// Is it a twin that asks for something that only it can be told?
    fn is_singular(&self, thread: ThreadId) -> bool {
        let has_been =
            |&twin: &ThreadId| self.graph.po(twin).iter().any(|&e| is_singular(&self.before(e).request));
        // Twins may have been on their way before there were others.
        self.state.has_symmetric(thread)
            && (is_singular(&self.threads.get(thread).request) || self.state.of(thread).iter().any(has_been))
    }

    /// Has the thread joined twins and is about to do something else before it has joined all of them, or joins one that it
    /// has not created, or gets another value from it than from the last one?
    fn joins_some_only(&self, thread: ThreadId) -> bool {
        let last = self.graph.po(thread).last().and_then(|&e| self.joined_by(e));
        let last = last.filter(|&child| self.state.has_symmetric(child));
        let next = match self.threads.get(thread).request {
            Request::Join { thread: child } if self.state.has_symmetric(child) => Some(child),
            _ => None,
        };
        match (last, next) {
            (None, None) => false,
            (Some(last), None) => !self.has_joined_all(thread, last),
            (None, Some(next)) => !self.is_parent(thread, next),
            (Some(last), Some(next)) if self.state.of(last) == self.state.of(next) => {
                self.finished_differently(next)
            }
            (Some(last), Some(next)) => !self.has_joined_all(thread, last) || !self.is_parent(thread, next),
        }
    }

    /// Has the thread finished with another value than one of its twins?
    pub(crate) fn finished_differently(&self, thread: ThreadId) -> bool {
        let Some(value) = self.threads.finished(thread) else { return false };
        let is_other = |&twin: &ThreadId| self.threads.finished(twin).is_some_and(|it| it != value);
        self.state.any() && self.state.of(thread).iter().any(is_other)
    }

    /// Nobody can step. Could twins be told apart by what they have finished with, or by who has finished?
    pub(crate) fn has_broken(&self) -> bool {
        let is_told = |&twin: &ThreadId| self.finished_differently(twin);
        self.state.any()
            && (self.state.groups.iter().flatten().any(is_told)
                || self.threads.existing().any(|(_, now)| self.could_pass_joins(now)))
    }

    /// Who waits for a twin that never finishes: if others have finished in its place, would it do anything but wait for the
    /// next one?
    fn could_pass_joins(&self, now: &Current<P::State>) -> bool {
        let Request::Join { thread: child } = now.request else { return false };
        let twins = self.state.of(child);
        let is_free = |&&twin: &&ThreadId| {
            self.threads.finished(twin).is_some() && self.graph.joins_of(twin).is_empty()
        };
        let free: SmallVec<[ThreadId; 8]> = twins.iter().filter(is_free).copied().collect();
        let mut state = now.state.clone();
        free.iter().filter_map(|&twin| self.threads.finished(twin)).any(|value| {
            let next = resume(self.program, &self.objects, &mut state, value);
            !matches!(next, Request::Join { thread } if twins.contains(&thread))
        })
    }

    fn joined_by(&self, e: EventRef) -> Option<ThreadId> {
        match self.before(e).request {
            Request::Join { thread } => Some(thread),
            _ => None,
        }
    }

    fn has_joined_all(&self, thread: ThreadId, twin: ThreadId) -> bool {
        let twins = self.state.of(twin);
        let joins = self.graph.po(thread).iter().rev().take(twins.len());
        joins.filter(|&&e| self.joined_by(e).is_some_and(|child| twins.contains(&child))).count()
            == twins.len()
    }

    fn is_parent(&self, thread: ThreadId, child: ThreadId) -> bool {
        self.graph.event(self.graph.creation_of(child)).thread == thread
    }

    // --- which executions are canonical ---------------------------------------------------------------------------

    /// Do the first `count` events of two twins agree? They are reads of the same sources, or fences.
    fn agree(&self, a: ThreadId, b: ThreadId, count: u32) -> bool {
        let count = count as usize;
        let (a, b) = (&self.graph.po(a)[..count], &self.graph.po(b)[..count]);
        a.iter().zip(b).all(|(&a, &b)| {
            if !self.is_comparable(a) {
                return false;
            }
            let (a, b) = (self.graph.event(a), self.graph.event(b));
            match (a.kind.is_access(), b.kind.is_access()) {
                (true, true) => !a.kind.writes() && !b.kind.writes() && a.rf == b.rf,
                (false, false) => a.kind.is_fence() && b.kind.is_fence(),
                _ => false,
            }
        })
    }

    /// Is the event compared with those of twins? (They are asked for by the same request.)
    fn is_comparable(&self, e: EventRef) -> bool {
        let event = self.graph.event(e);
        (self.state.extent == Extent::All || !event.kind.is_update() && is_load_or_store(self.before(e)))
            && (C::HAS_CO || !event.kind.is_access() || self.rely(event.location, Use::Ordered))
    }

    /// What event number `index` of the thread, which may not be there, is compared with. `without` is not there.
    fn peers(&self, thread: ThreadId, index: u32, without: EventRef) -> Peers {
        let mut peers = Peers::default();
        for &twin in self.state.of(thread) {
            if twin != thread && self.graph.len(twin) > index && self.agree(thread, twin, index) {
                let e = self.graph.po(twin)[index as usize];
                if e != without && self.is_comparable(e) {
                    if twin < thread { &mut peers.older } else { &mut peers.younger }.push(e);
                }
            }
        }
        peers
    }

    /// Whether `e`, which has its source and its place, is in order with the events of its symmetric threads.
    pub(crate) fn is_in_order(&self, e: EventRef) -> bool {
        let event = self.graph.event(e);
        let peers = self.peers(event.thread, event.index, EventRef::NONE);
        peers.older.iter().all(|&o| self.are_in_order(o, e))
            && peers.younger.iter().all(|&y| self.are_in_order(e, y))
    }

    fn are_in_order(&self, older: EventRef, younger: EventRef) -> bool {
        let (a, b) = (self.graph.event(older), self.graph.event(younger));
        if !a.kind.is_access() || !b.kind.is_access() || a.location != b.location {
            return true;
        }
        if a.kind.reads() { self.is_co_up_to(a.rf, b.rf) } else { self.is_co_up_to(older, younger) }
    }

    /// Is `a` co-before `b`, or `b` itself?
    fn is_co_up_to(&self, a: EventRef, mut b: EventRef) -> bool {
        while b.is_some() && b != a {
            b = self.graph.co_prev(b);
        }
        b == a
    }

    /// Is the thread of `r` bounded by a younger twin?
    pub(crate) fn is_bounded(&self, r: EventRef) -> bool {
        let event = self.graph.event(r);
        self.state.any() && !self.peers(event.thread, event.index, EventRef::NONE).younger.is_empty()
    }

    // --- greedy choices -------------------------------------------------------------------------------------------

    /// Is the access `e` what it would be if it were added greedily to what is left without `w`? `None` if no younger twin
    /// bounds it: then the usual choice is the greedy one.
    pub(crate) fn greedy(&self, e: EventRef, w: EventRef) -> Option<bool> {
        let event = self.graph.event(e);
        let peers = self.peers(event.thread, event.index, w);
        let is_here = |&y: &EventRef| self.graph.event(y).location == event.location;
        if !peers.younger.first().is_some_and(is_here) {
            return None;
        }
        if !event.kind.reads() {
            return Some(peers.younger.contains(&self.graph.co_next(e)));
        }
        Some(self.greedy_source(event.index, &peers, e, w) == event.rf)
    }

    /// The greedy source of a read that these bound; `NONE` if there is none. `e` is it, if it is there already.
    fn greedy_source(&self, index: u32, peers: &Peers, e: EventRef, w: EventRef) -> EventRef {
        let rf = |&y: &EventRef| self.graph.event(y).rf;
        let earlier = |a, b| if self.is_co_up_to(a, b) { a } else { b };
        let bound = peers.younger.iter().map(rf).reduce(earlier).expect("somebody bounds it");
        let is_there = |y: &EventRef| rf(y) == bound;
        let leader = peers.younger.iter().copied().find(is_there).expect("whose source it is");
        if !self.graph.event(leader).kind.writes() {
            let next = |list: &Events| self.successors(list.iter().copied().filter(is_there), index, w);
            let peers = Peers { older: next(&peers.older), younger: next(&peers.younger) };
            if self.can_go_on(index + 1, &peers, e, w) {
                return bound;
            }
        }
        self.source_before(leader, &peers.older, e)
    }

    /// The events right after these, which are number `index` of their threads.
    fn successors(&self, events: impl Iterator<Item = EventRef>, index: u32, w: EventRef) -> Events {
        let next = |e: EventRef| self.graph.po(self.graph.event(e).thread).get(index as usize + 1).copied();
        events.filter_map(next).filter(|&e| e != w).collect()
    }

    /// Can a thread that has agreed with these up to `index` come to its end in a canonical execution?
    fn can_go_on(&self, index: u32, peers: &Peers, e: EventRef, w: EventRef) -> bool {
        let Some(&leader) = peers.younger.first() else { return true };
        let kind = self.graph.event(leader).kind;
        if kind.is_fence() && !kind.is_access() {
            let next = |list: &Events| self.successors(list.iter().copied(), index, w);
            let peers = Peers { older: next(&peers.older), younger: next(&peers.younger) };
            return self.can_go_on(index + 1, &peers, e, w);
        }
        !kind.reads() || !self.is_comparable(leader) || self.greedy_source(index, peers, e, w).is_some()
    }

    /// The co-last write before the source of `leader` that its twin could read instead; not before what the older ones
    /// read.
    fn source_before(&self, leader: EventRef, older: &Events, e: EventRef) -> EventRef {
        let seen = self.graph.prefix_of(leader);
        let mut u = self.graph.event(leader).rf;
        loop {
            let is_floor = |&o: &EventRef| o == u || self.graph.event(o).rf == u;
            if self.graph.observed(u, &seen) || older.iter().any(is_floor) {
                return EventRef::NONE;
            }
            u = self.graph.co_prev(u);
            if u == e && u.is_some() {
                u = self.graph.co_prev(u);
            }
            if u.is_none() || self.could_be_read(leader, u, e) {
                return u;
            }
        }
    }

    /// Could a twin of `leader` read from `u` where `leader` does, if `e` were not there?
    fn could_be_read(&self, leader: EventRef, u: EventRef, e: EventRef) -> bool {
        if self.would_write(leader, u) {
            let update = self.graph.update_of(u);
            return update.is_none() || update == e;
        }
        !self.waiting().displaces(u, leader)
            && (!self.awaits().is_await(leader) || self.awaits().lets_go_on(leader, u))
    }

    /// Can the thread come to its end in a canonical execution?
    #[inline(always)]
    pub(crate) fn is_viable(&self, thread: ThreadId) -> bool {
        if !self.state.any() {
            return true;
        }
        let index = self.graph.len(thread);
        let peers = self.peers(thread, index, EventRef::NONE);
        self.can_go_on(index, &peers, EventRef::NONE, EventRef::NONE)
    }

    // --- the schedule ---------------------------------------------------------------------------------------------

    /// The older twins of the thread that have agreed with it so far and have not come further.
    pub(crate) fn behind(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> {
        let count = self.graph.len(thread);
        self.state.of(thread).iter().copied().take_while(move |&twin| twin < thread).filter(move |&twin| {
            self.graph.len(twin) <= count && self.agree(twin, thread, self.graph.len(twin))
        })
    }
}

fn is_load_or_store<S>(now: &Current<S>) -> bool {
    now.pair.is_none()
        && matches!(now.request, Request::Read { .. } | Request::Write { .. } | Request::Fence(_))
}

/// Is that something of which a thread gets its own?
fn is_singular(request: &Request) -> bool {
    matches!(
        request,
        Request::Create { .. }
            | Request::Publish(_)
            | Request::Sleep { .. }
            | Request::Notify { .. }
            | Request::Depart(_)
    )
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// `child` was created by `e`, the last event of its thread.
    pub(crate) fn note_creation(&mut self, e: EventRef, child: ThreadId) {
        if self.reductions.symmetry.extent == Extent::Off {
            return;
        }
        let event = self.graph.event(e);
        let before = event.index.checked_sub(1).map(|i| self.graph.po(event.thread)[i as usize]);
        let twin = before
            .filter(|&b| self.symmetry().is_same_creation(b, e))
            .map(|b| self.graph.event(b).value as u32);
        self.reductions.symmetry.add(child, twin.map(ThreadId));
    }

    /// Undo it.
    pub(crate) fn forget_creation(&mut self, child: ThreadId) {
        if self.reductions.symmetry.extent != Extent::Off {
            self.reductions.symmetry.remove(child);
        }
    }
}
