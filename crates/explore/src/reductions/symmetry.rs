//! Symmetry reduction: of executions that differ only by an exchange of symmetric threads, one is explored.
//!
//! *Symmetric threads* are threads that one parent has created one right after the other, with the same function and
//! the same argument. Exchanging them maps executions to executions. Symmetric threads are compared by the first events
//! in which they differ, two reads of different sources or two writes, and by places in `co`, which do not depend on
//! names. An execution is *canonical* if, for any two symmetric threads, the first of these is the older thread's: it
//! reads from a co-earlier write, or it is the co-earlier write. Of the executions that are the same up to an exchange
//! of symmetric threads, exactly one is canonical.
//!
//! Implements: an idea of \[SPORE\] for peeling. Three things change:
//! * A choice after which the graph is not canonical is not visited. A read-modify-write sweeps all the same: the event
//!   of the symmetric thread may be peeled.
//! * The *greedy* choice, with which an event is compared when it is peeled, is the co-last one that keeps the graph
//!   canonical and with which the thread can still come to its end in a canonical graph ([`Room::greedy`]). If a
//!   younger symmetric thread has an event there already, a write goes right before its write; a read gets the source
//!   of its read, and the thread *follows* it. But not if the next write of the younger thread is a read-modify-write,
//!   and every write that the follower could read before it is taken already by another read-modify-write: then the
//!   follower would never come past it, so it reads a co-earlier write before it is too late.
//! * As long as symmetric threads agree, the older one steps first.
//!
//! Argument (a sketch): a graph that comes from a canonical one by leaving out events on which nothing that stays
//! depends is canonical, and can be completed. In such a graph every thread has a choice: the source that it has in the
//! complete graph, or, if that is not there, the write right before it in `co`. So the greedy choice exists; it depends
//! on nothing but the graph that is left; and it is coherent, since a thread that agrees with a symmetric one has seen
//! the same writes.
//!
//! **Global axioms.** To read from the source of the younger thread's read, or to write right before its write, is
//! always consistent: a cycle through the copy would be one through the original. To read a co-earlier write may not
//! be, if there is more to obey than coherence. So under SC, TSO and SRA, and under RC11 with SC events (if one comes
//! later, the exploration starts again), symmetric threads are compared up to their first read-modify-write or lock
//! only: before that, a thread can always follow ([`Extent`]).
//!
//! **Up to `rf`** there is no coherence order, but on locations whose writes are ordered by writes alone (as for
//! awaits, see `awaits.rs`): words that locks and read-modify-writes make a chain of. Symmetric threads are compared up
//! to their first access of another location that differs: sound, and not always one execution of each orbit. With a
//! global axiom, both limits hold together. Not under WRA and WRC11.
//!
//! Relies on:
//! * `Assumption::Symmetric`. A thread that knows its name, or an address of its own, could do something else than a
//!   symmetric one: `Facts::tells_threads_apart` of the program says whether any could without saying so before
//!   (`Facts::announces_it`: threads that throw exceptions publish nothing first). Differences that cannot be seen in the code are watched, and the first one refutes the assumption ([`Room::is_broken_by`], [`Room::has_broken`]):
//!   symmetric threads create threads, publish objects, sleep on or notify condition variables, or leave barriers; a
//!   thread joins one of them and does anything else before it has joined all (also if it is stuck at a join but would
//!   do so if the finished threads and the unfinished one were exchanged); symmetric threads finish with different
//!   values. None of this can be missed: up to the first time that it happens, executions can be exchanged, and so it
//!   happens in a canonical one, too. Threads that wait before the subtraction of a zero-net-effect round refute it as
//!   well (`undoing.rs`).
//! * `Assumption::Local`, where read-modify-writes are compared: refuted by SC events of RC11.
//! * `Use::Ordered`, up to `rf`: refuted by a write that writes alone do not order after all others.
//!
//! **Not compared** are events after a choice of a number, or of different locations: executions in which such threads
//! are exchanged are all explored.
//!
//! Compared by: `tests/programs/symmetry.rs`, brute force on random programs, with mutexes and awaits.
//!
//! Cost: per event of a thread that has symmetric ones, their number times the events in which they agree so far;
//! nothing for other threads.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::core::threads::Current;
use crate::ledger::Use;
use crate::reductions::{Room, Rooms};
use base::ThreadId;
use live::EventRef;
use program::{Hint, Request, resume};
use smallvec::SmallVec;

/// A few events, at most one of each of several symmetric threads.
type Events = SmallVec<[EventRef; 8]>;

/// The events of symmetric threads that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Extent {
    /// None: no threads count as symmetric.
    #[default]
    Off,
    /// Loads, stores and fences.
    Accesses,
    /// Read-modify-writes and locks, too.
    All,
}

/// The groups of symmetric threads.
#[derive(Debug, Default)]
pub(crate) struct Symmetry {
    extent: Extent,
    /// Per thread the oldest one that is symmetric to it, or itself.
    oldest: Vec<ThreadId>,
    /// Per oldest thread its group, as far as it is there, in the order of creation, which is that of ids.
    groups: Vec<Vec<ThreadId>>,
    /// The number of threads that have an older symmetric one.
    younger: usize,
}

impl Symmetry {
    pub(crate) fn new(extent: Extent) -> Symmetry {
        Symmetry { extent, ..Symmetry::default() }
    }

    /// Whether there are symmetric threads that a global axiom could forbid to follow each other.
    #[inline(always)]
    pub(crate) fn is_local(&self) -> bool {
        self.any() && self.extent == Extent::All
    }

    /// Whether there are symmetric threads.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.younger > 0
    }

    /// A thread was created; it is symmetric to `before`, which was created right before it, if that is given.
    fn add(&mut self, thread: ThreadId, before: Option<ThreadId>) {
        let n = self.oldest.len().max(thread.index() + 1);
        self.oldest.resize(n, ThreadId::MAIN);
        self.groups.resize(n, Vec::new());
        let oldest = before.map_or(thread, |before| self.oldest[before.index()]);
        self.oldest[thread.index()] = oldest;
        self.groups[oldest.index()].push(thread);
        self.younger += usize::from(oldest != thread);
    }

    /// Undo `add`. (The threads of a parent go in the reverse order of their creation.)
    fn remove(&mut self, thread: ThreadId) {
        let oldest = self.oldest[thread.index()];
        let last = self.groups[oldest.index()].pop();
        debug_assert_eq!(last, Some(thread), "the last twin goes first");
        self.younger -= usize::from(oldest != thread);
    }

    /// The thread and those symmetric to it; empty if symmetry is off.
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

/// The events, at one place of program order, of the symmetric threads that have agreed with a thread so far.
#[derive(Debug, Default)]
struct Peers {
    older: Events,
    younger: Events,
}

impl<P: Hint, C: Shape> Room<'_, Symmetry, P, C> {
    // --- which threads are symmetric ------------------------------------------------------------------------------

    fn is_same_creation(&self, a: EventRef, b: EventRef) -> bool {
        match (&self.before(a).request, &self.before(b).request) {
            (Request::Create { function: f, argument: x }, Request::Create { function: g, argument: y }) => {
                f == g && x == y
            }
            _ => false,
        }
    }

    /// Whether the step that the thread is about to take tells symmetric threads apart, or could.
    #[inline(always)]
    pub(crate) fn is_broken_by(&self, thread: ThreadId) -> bool {
        self.state.any() && (self.is_singular(thread) || self.joins_some_only(thread))
    }

    /// Whether it is one of several symmetric threads and one of them asks, or has asked, for something of its own.
    fn is_singular(&self, thread: ThreadId) -> bool {
        let has_been =
            |&other: &ThreadId| self.graph.po(other).iter().any(|&e| is_singular(&self.before(e).request));
        // The older ones may have been on their way before the others were created.
        self.state.has_symmetric(thread)
            && (is_singular(&self.threads.get(thread).request) || self.state.of(thread).iter().any(has_been))
    }

    /// Whether the thread has joined symmetric threads and is about to do something else before it has joined all of
    /// them, or joins one that it has not created, or gets another value from it than from the last one.
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

    /// Whether the thread has finished with another value than one that is symmetric to it.
    pub(crate) fn finished_differently(&self, thread: ThreadId) -> bool {
        let Some(value) = self.threads.finished(thread) else { return false };
        let is_other = |&other: &ThreadId| self.threads.finished(other).is_some_and(|it| it != value);
        self.state.any() && self.state.of(thread).iter().any(is_other)
    }

    /// No thread can step: whether symmetric threads could be told apart by the values they have finished with, or by
    /// which of them have finished.
    pub(crate) fn has_broken(&self) -> bool {
        let is_told = |&one: &ThreadId| self.finished_differently(one);
        self.state.any()
            && (self.state.groups.iter().flatten().any(is_told)
                || self.threads.existing().any(|(_, now)| self.could_pass_joins(now)))
    }

    /// Whether a thread that waits for one of several symmetric threads, which never finishes, would do anything but
    /// wait for the next one if those that have finished had done so in its place.
    fn could_pass_joins(&self, now: &Current<P::State>) -> bool {
        let Request::Join { thread: child } = now.request else { return false };
        let symmetric = self.state.of(child);
        let is_free = |&&other: &&ThreadId| {
            self.threads.finished(other).is_some() && self.graph.joins_of(other).is_empty()
        };
        let free: SmallVec<[ThreadId; 8]> = symmetric.iter().filter(is_free).copied().collect();
        let mut state = now.state.clone();
        free.iter().filter_map(|&other| self.threads.finished(other)).any(|value| {
            let next = resume(self.program, &mut state, value, |address| self.objects.size_of(address));
            !matches!(next, Request::Join { thread } if symmetric.contains(&thread))
        })
    }

    fn joined_by(&self, e: EventRef) -> Option<ThreadId> {
        match self.before(e).request {
            Request::Join { thread } => Some(thread),
            _ => None,
        }
    }

    fn has_joined_all(&self, thread: ThreadId, one: ThreadId) -> bool {
        let symmetric = self.state.of(one);
        let joins = self.graph.po(thread).iter().rev().take(symmetric.len());
        joins.filter(|&&e| self.joined_by(e).is_some_and(|child| symmetric.contains(&child))).count()
            == symmetric.len()
    }

    fn is_parent(&self, thread: ThreadId, child: ThreadId) -> bool {
        self.graph.event(self.graph.creation_of(child)).thread == thread
    }

    // --- which executions are canonical ---------------------------------------------------------------------------

    /// Whether the first `count` events of two symmetric threads agree: they are reads of the same sources, or fences.
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

    /// Whether the event is compared with those of symmetric threads. (Theirs come from the same request.)
    fn is_comparable(&self, e: EventRef) -> bool {
        let event = self.graph.event(e);
        (self.state.extent == Extent::All || !event.kind.is_update() && is_load_or_store(self.before(e)))
            && (C::HAS_CO || !event.kind.is_access() || self.rely(event.location, Use::Ordered))
    }

    /// The events that event number `index` of the thread, which may not be there, is compared with; not `without`.
    fn peers(&self, thread: ThreadId, index: u32, without: EventRef) -> Peers {
        let mut peers = Peers::default();
        for &other in self.state.of(thread) {
            if other != thread && self.graph.len(other) > index && self.agree(thread, other, index) {
                let e = self.graph.po(other)[index as usize];
                if e != without && self.is_comparable(e) {
                    if other < thread { &mut peers.older } else { &mut peers.younger }.push(e);
                }
            }
        }
        peers
    }

    /// Whether `e`, which has its source and its place, is in order with the events of symmetric threads.
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

    /// Whether `a` is co-before `b`, or `b` itself.
    fn is_co_up_to(&self, a: EventRef, mut b: EventRef) -> bool {
        while b.is_some() && b != a {
            b = self.graph.co_prev(b);
        }
        b == a
    }

    /// Whether a younger symmetric thread bounds the choices of `r`.
    pub(crate) fn is_bounded(&self, r: EventRef) -> bool {
        let event = self.graph.event(r);
        self.state.any() && !self.peers(event.thread, event.index, EventRef::NONE).younger.is_empty()
    }

    // --- greedy choices -------------------------------------------------------------------------------------------

    /// Whether the access `e` has the choice with which it would be added greedily to the rest of the graph without
    /// `w`. `None` if no younger symmetric thread bounds it: then the usual choice is the greedy one.
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

    /// The greedy source of a read that these events bound; `NONE` if there is none. The read is `e` if it is there
    /// already.
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

    /// The events right after these, which are number `index` of their threads; not `w`.
    fn successors(&self, events: impl Iterator<Item = EventRef>, index: u32, w: EventRef) -> Events {
        let next = |e: EventRef| self.graph.po(self.graph.event(e).thread).get(index as usize + 1).copied();
        events.filter_map(next).filter(|&e| e != w).collect()
    }

    /// Whether a thread that has agreed with these up to `index` can come to its end in a canonical execution.
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

    /// The co-last write before the source of `leader` that a thread that follows it could read instead; not before the
    /// sources of the older ones.
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

    /// Whether a thread that follows `leader` could read from `u` there, if `e` were not in the graph.
    fn could_be_read(&self, leader: EventRef, u: EventRef, e: EventRef) -> bool {
        if self.would_write(leader, u) {
            let update = self.graph.update_of(u);
            return update.is_none() || update == e;
        }
        !self.waiting().displaces(u, leader)
            && (!self.awaits().is_await(leader) || self.awaits().lets_go_on(leader, u))
    }

    /// Whether the thread can come to its end in a canonical execution.
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

    /// The older symmetric threads that have agreed with the thread so far and have not come further.
    pub(crate) fn behind(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> {
        let count = self.graph.len(thread);
        self.state.of(thread).iter().copied().take_while(move |&other| other < thread).filter(move |&other| {
            self.graph.len(other) <= count && self.agree(other, thread, self.graph.len(other))
        })
    }
}

fn is_load_or_store<S>(now: &Current<S>) -> bool {
    now.pair.is_none()
        && matches!(now.request, Request::Read { .. } | Request::Write { .. } | Request::Fence(_))
}

/// Whether the request is for something of which each thread gets its own.
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
        let symmetric = before
            .filter(|&b| self.symmetry().is_same_creation(b, e))
            .map(|b| self.graph.event(b).value as u32);
        self.reductions.symmetry.add(child, symmetric.map(ThreadId));
    }

    /// Undo `note_creation`.
    pub(crate) fn forget_creation(&mut self, child: ThreadId) {
        if self.reductions.symmetry.extent != Extent::Off {
            self.reductions.symmetry.remove(child);
        }
    }
}
