//! Peeling over transactions: the loop of a pass that leaves the order of critical sections open
//! (`reductions/lock_order`).
//!
//! A critical section is explored like one event with many reads and writes, its transaction (`transactions.rs`). What
//! differs from `peeling.rs`:
//! * A thread in an open transaction goes on; a lock never waits.
//! * A write gets its place, and can be read by other threads, when its transaction ends. The read of it then depends on
//!   that end. So every prefix consists of whole transactions.
//! * The end of a transaction *commits* its writes: it sweeps, whether the graph with them is consistent or not; then, if it is,
//!   it is visited. While it sweeps, its reads count and its writes do not, as those of a read-modify-write do.
//! * If it is not consistent, the transaction is *stuck*: the graph without its end is visited, and its thread does not
//!   move until one of its reads is revisited. An execution in which it never is, is none. (Not if its last read cannot
//!   matter: pruning only.)
//! * The greedy choice of a read is the source with the greatest name with which the graph is consistent. In an open transaction:
//!   with which its sections can come last, its writes included; if there is none, its writes left out.
//! * An end is maximal if no other thread reads its writes.
//!
//! Why (a sketch): the run towards an execution is unique, because the greedy choice, prefixes and the next thread depend
//! on the content of the graph only. It exists: prefixes of the execution are consistent with the order that its sections have;
//! a placeholder can always be added, last; a transaction of the execution that clashes with placeholders revisits one of
//! them, hence the sweep of an end that is not consistent; and one that cannot end among placeholders waits for the source of
//! its read, hence stuck threads.
//!
//! Whatever was never compared with brute force refutes `Assumption::Disciplined` ([`Explorer::close_locks`]), and so does
//! every error: the pass with chains finds it again, and shows it.
//!
//! Cost: `decide.rs`, for each source that is tried, each end of a transaction with writes, and each source of a read that is about to
//! be peeled.

use crate::Ending;
use crate::core::construction::{Construction, Trouble};
use crate::core::events::push_other;
use crate::core::explorer::{End, Explorer, Go};
use crate::core::frame::{Commit, CommitStage, Frame, OpenRead, OpenRevisit, OpenStage, OpenSweep};
use crate::core::memory::locate;
use crate::core::shape::Shape;
use crate::core::threads::Status;
use crate::ledger::Assumption;
use crate::reductions::lock_order::decide::{Question, Standpoint};
use base::{Access, FenceOrder, ThreadId};
use live::{EventRef, Kind, LocationId};
use program::{Hint, Request};
use smallvec::SmallVec;

impl<P: Hint, C: Shape> Explorer<'_, P, C> {
    /// Visit the graph.
    pub(super) fn visit_transactions(&mut self) -> Go {
        self.note_program();
        let is_unknown = self.forbids || self.lb_races || self.build.graph.has_global_order();
        if is_unknown || self.build.threads.any_stopped() {
            return self.close_locks();
        }
        self.build.bound_measure();
        if self.is_refuted() {
            return Go::Continue;
        }
        let fresh = self.build.transactions.fresh.take().filter(|&thread| self.build.is_open(thread));
        match fresh.or_else(|| self.scheduler.next(&mut self.build)) {
            None => self.finish(),
            Some(thread) => self.step_in_transaction(thread).unwrap_or_else(|trouble| match trouble {
                Trouble::Stopped(thread, before) => {
                    self.build.threads.put(thread, before);
                    self.close_locks()
                }
                Trouble::Conflict(conflict, thread) => {
                    self.build.notes.refute(Assumption::Apart(conflict));
                    self.end = Some(End::Refuted(thread));
                    Go::Continue
                }
            }),
        }
    }

    /// Something that is not covered: start again, with mutexes as chains.
    #[cold]
    fn close_locks(&mut self) -> Go {
        self.build.notes.refute(Assumption::Disciplined);
        self.is_refuted();
        Go::Continue
    }

    /// Add the event that the thread asks for.
    fn step_in_transaction(&mut self, thread: ThreadId) -> Result<Go, Trouble<P::State>> {
        let now = self.build.threads.get(thread);
        let is_long = u64::from(self.build.graph.len(thread)) >= self.options.max_events;
        if now.status != Status::Ready || is_long {
            return Ok(self.close_locks());
        }
        let is_open = self.build.is_open(thread);
        match now.request {
            Request::Read { at, .. } | Request::Rmw { at, .. } => {
                Ok(match self.locate_ordinary(thread, at)? {
                    Some(location) => self.begin_open_read(thread, location),
                    None => self.close_locks(),
                })
            }
            Request::Write { at, .. } => Ok(match self.locate_ordinary(thread, at)? {
                Some(location) => self.begin_open_write(thread, location),
                None => self.close_locks(),
            }),
            Request::Lock { at } | Request::Unlock { at } => self.step_of_mutex(thread, at),
            Request::Fence(FenceOrder::SeqCst) if self.build.graph.rules().sc_fence_is_update() => {
                let location = self.build.fence_location();
                Ok(self.begin_open_read(thread, location))
            }
            Request::Create { .. } | Request::Join { .. } if is_open => Ok(self.close_locks()),
            Request::Fence(_)
            | Request::Publish(_)
            | Request::Free { .. }
            | Request::Create { .. }
            | Request::Join { .. } => {
                let e = push_other(&mut self.build, thread)?;
                self.stack.push(Frame::Only(e));
                match self.build.is_free_unordered(e) {
                    true => Ok(self.close_locks()),
                    false => Ok(self.go_on_with(thread)),
                }
            }
            _ => Ok(self.close_locks()),
        }
    }

    /// The location of an access to memory that is no mutex at the same time; `None` if that is not certain.
    fn locate_ordinary(
        &mut self,
        thread: ThreadId,
        at: Access,
    ) -> Result<Option<LocationId>, Trouble<P::State>> {
        let plain = self.build.threads.get(thread).request.is_plain();
        let location = locate(&mut self.build, thread, at, plain)?;
        Ok(self.build.is_apart_from_sections(thread, location).then_some(location))
    }

    /// Visit; this thread goes on if its transaction is open.
    fn go_on_with(&mut self, thread: ThreadId) -> Go {
        self.build.transactions.fresh = Some(thread);
        self.go_on(Go::Visit)
    }

    // --- mutexes --------------------------------------------------------------------------------------------------

    fn step_of_mutex(&mut self, thread: ThreadId, at: Access) -> Result<Go, Trouble<P::State>> {
        let location = locate(&mut self.build, thread, at, false)?;
        let locks = matches!(self.build.threads.get(thread).request, Request::Lock { .. });
        let held = self.build.held(thread);
        let number = match locks {
            true => self.build.transactions.name(location),
            false => self.build.transactions.number(location),
        };
        let is_held = |number| held >> number & 1 == 1;
        if number.is_none_or(|number| is_held(number) == locks) || !self.build.is_free_mutex(thread, location)
        {
            return Ok(self.close_locks());
        }
        if locks {
            self.build.note_nested(held, location);
            if self.is_refuted() {
                return Ok(Go::Continue);
            }
        }
        let e = self.build.push_mutex(thread, location);
        if self.build.is_end(e) && self.build.writes_of(e).next().is_some() {
            return Ok(self.begin_commit(e));
        }
        self.stack.push(Frame::Only(e));
        Ok(self.go_on_with(thread))
    }

    // --- reads ----------------------------------------------------------------------------------------------------

    fn begin_open_read(&mut self, thread: ThreadId, location: LocationId) -> Go {
        let r = self.build.push_read(thread, location);
        let u = self.build.first_open_source(r);
        self.open_read(OpenRead { r, u, stage: OpenStage::Bind })
    }

    pub(super) fn open_read(&mut self, mut read: OpenRead) -> Go {
        loop {
            let OpenRead { r, u, stage } = read;
            read.stage = OpenStage::Undo;
            if let OpenStage::Bind = stage {
                let reading = self.build.set_source(r, u);
                // There always is a source.
                if self.build.is_only_source(r, u) || self.build.is_possible(Standpoint::default()) {
                    self.build.tell(r, u, &reading);
                    self.stack.push(Frame::OpenRead(read));
                    return self.enter_open_read(r, reading.written.is_some());
                }
            }
            self.build.unbind(r);
            let next = self.build.next_open_source(r, u);
            if next.is_none() {
                self.build.pop(r);
                return Go::Continue;
            }
            read = OpenRead { r, u: next, stage: OpenStage::Bind };
        }
    }

    /// The read `r` has its source. A read-modify-write outside of sections commits at once.
    fn enter_open_read(&mut self, r: EventRef, writes: bool) -> Go {
        match writes && self.build.is_end(r) {
            true => self.begin_commit(r),
            false => self.go_on_with(self.build.graph.event(r).thread),
        }
    }

    // --- writes and ends of transactions --------------------------------------------------------------------------

    fn begin_open_write(&mut self, thread: ThreadId, location: LocationId) -> Go {
        let w = self.build.push_write(thread, location);
        if self.build.is_end(w) {
            return self.begin_commit(w);
        }
        self.stack.push(Frame::Only(w));
        self.go_on_with(thread)
    }

    /// `end` ends a transaction with writes.
    fn begin_commit(&mut self, end: EventRef) -> Go {
        let commit = Commit { end, stage: CommitStage::Link };
        if !self.build.may_revisit(end) {
            return self.commit(commit);
        }
        self.stack.push(Frame::Commit(commit));
        let base = self.peeled.len() as u32;
        self.open_sweep(OpenSweep { end, base, revisited: EventRef::NONE })
    }

    pub(super) fn commit(&mut self, Commit { end, stage }: Commit) -> Go {
        if let CommitStage::Link = stage {
            self.build.link(end);
            // A store outside of sections can always be last.
            let kind = self.build.graph.event(end).kind;
            let is_store = kind.writes() && !kind.is_update();
            if is_store || self.build.is_possible(Standpoint::default()) {
                self.stack.push(Frame::Commit(Commit { end, stage: CommitStage::Undo }));
                self.build.transactions.fresh = None;
                return self.go_on(Go::Visit);
            }
        }
        self.build.unlink(end);
        if self.build.graph.event(end).kind.is_update() {
            // The read is undone by its own frame.
            return Go::Continue;
        }
        let thread = self.build.graph.event(end).thread;
        self.build.pop(end);
        match stage {
            CommitStage::Link if self.build.may_be_freed(thread) => {
                self.build.transactions.fresh = None;
                self.go_on(Go::Visit)
            }
            _ => Go::Continue,
        }
    }

    // --- sweeps and revisits --------------------------------------------------------------------------------------

    /// Peel, and revisit every read that can be revisited. The writes of `end` do not count yet.
    pub(super) fn open_sweep(&mut self, mut sweep: OpenSweep) -> Go {
        let OpenSweep { end, base, revisited } = sweep;
        if revisited.is_some() {
            self.peel_open(revisited);
            sweep.revisited = EventRef::NONE;
        }
        while self.build.may_revisit(end) {
            let e = self.build.graph.youngest_outside(end);
            if !self.build.is_open_maximal(e) {
                break;
            }
            let reads = self.build.graph.event(e).kind.reads();
            if reads && self.build.next_revisiting(e, end, EventRef::NONE).is_some() {
                self.stack.push(Frame::OpenSweep(OpenSweep { revisited: e, ..sweep }));
                return self.begin_open_revisit(e, end);
            }
            self.peel_open(e);
        }
        while self.peeled.len() > base as usize {
            let (e, after) = self.peeled.pop().expect("more events than at the beginning");
            self.build.restore(e, after);
            if self.build.is_end(e) {
                self.build.lower(e);
            }
        }
        Go::Continue
    }

    fn peel_open(&mut self, e: EventRef) {
        if self.build.is_end(e) {
            self.build.lift(e);
        }
        self.peel(e);
    }

    fn begin_open_revisit(&mut self, r: EventRef, end: EventRef) -> Go {
        let detached = self.build.detach_open(r);
        self.detached.push(detached);
        self.build.link(end);
        let w = self.build.next_revisiting(r, end, EventRef::NONE);
        self.open_revisit(OpenRevisit { r, end, w, stage: OpenStage::Bind })
    }

    pub(super) fn open_revisit(&mut self, mut revisit: OpenRevisit) -> Go {
        loop {
            let OpenRevisit { r, end, w, stage } = revisit;
            revisit.stage = OpenStage::Undo;
            if let OpenStage::Bind = stage {
                let reading = self.build.set_source(r, w);
                if self.build.is_possible(Standpoint::default()) {
                    self.build.tell(r, w, &reading);
                    self.stack.push(Frame::OpenRevisit(revisit));
                    return self.enter_open_read(r, reading.written.is_some());
                }
            }
            self.build.unbind(r);
            let next = self.build.next_revisiting(r, end, w);
            if next.is_none() {
                self.build.unlink(end);
                let detached = self.detached.pop().expect("every revisit has detached its read");
                self.build.attach_open(r, detached);
                return Go::Continue;
            }
            revisit = OpenRevisit { r, end, w: next, stage: OpenStage::Bind };
        }
    }

    // --- the end --------------------------------------------------------------------------------------------------

    /// No thread can step: count the class, unless a transaction is stuck.
    fn finish(&mut self) -> Go {
        self.build.note_passages();
        if self.is_refuted() {
            return Go::Continue;
        }
        let is_stuck = self.build.threads.existing().any(|(thread, _)| self.build.is_open(thread));
        let joins = |request: &Request| matches!(request, Request::Join { .. });
        let is_over = self.build.threads.existing().all(|(thread, now)| {
            now.status == Status::Finished || is_stuck && (self.build.is_open(thread) || joins(&now.request))
        });
        if !is_over || !is_stuck && self.build.has_race_of_class() {
            return self.close_locks();
        }
        if !is_stuck {
            self.findings.count(&self.build, true);
            self.observer.execution(Ending::Complete, &self.build);
        }
        self.build.measure_gain(!is_stuck, self.visits);
        self.is_refuted();
        Go::Continue
    }
}

impl<P: Hint, C: Shape> Construction<'_, P, C> {
    /// Append the lock or unlock that the thread asks for: no access, for its order is open.
    fn push_mutex(&mut self, thread: ThreadId, location: LocationId) -> EventRef {
        let e = self.push(thread, Kind::OTHER, location);
        self.answer(e, Some(0));
        e
    }

    /// Whether the read `r` has no other source than `u` to try.
    fn is_only_source(&self, r: EventRef, u: EventRef) -> bool {
        let is_only = self.first_open_source(r) == u && self.next_open_source(r, u).is_none();
        debug_assert!(
            !is_only || self.transactions.unmeasured(|| self.is_possible(Standpoint::default())),
            "a read without a source"
        );
        is_only
    }

    /// Whether some order of the sections makes the graph consistent.
    fn is_possible(&self, standpoint: Standpoint) -> bool {
        Question::new(&self.graph, &self.transactions, standpoint).is_possible()
    }

    // --- greedy choices -------------------------------------------------------------------------------------------

    /// Whether adding `e` again greedily would give exactly it back.
    fn is_open_maximal(&mut self, e: EventRef) -> bool {
        let is_unread = !self.is_end(e) || self.is_unread_outside(e);
        is_unread && (!self.graph.event(e).kind.reads() || self.is_greedy_in_transaction(e))
    }

    /// Whether the read `e` has the source with which it would be added greedily.
    fn is_greedy_in_transaction(&mut self, e: EventRef) -> bool {
        let source = self.graph.event(e).rf;
        let detached = self.detach_open(e);
        let mut sources: SmallVec<[EventRef; 8]> = SmallVec::new();
        let mut u = self.first_open_source(e);
        while u.is_some() {
            sources.push(u);
            u = self.next_open_source(e, u);
        }
        sources.sort_by(|&a, &b| match a != b && self.graph.is_greater_source(a, b) {
            true => std::cmp::Ordering::Less,
            false if a == b => std::cmp::Ordering::Equal,
            false => std::cmp::Ordering::Greater,
        });
        let choice = match sources[..] {
            [only] => Some(only),
            _ => self.greedy_source(e, &sources),
        };
        self.attach_open(e, detached);
        choice == Some(source)
    }

    /// The first of the sources that can be read: in an open transaction with its sections last, if there is one.
    fn greedy_source(&mut self, e: EventRef, sources: &[EventRef]) -> Option<EventRef> {
        let thread = self.graph.event(e).thread;
        let standpoints: &[Standpoint] = match self.is_inside(e) {
            true => &[Standpoint { last: Some(thread), counted: None, cut: None }, Standpoint::default()],
            false => &[Standpoint { last: None, counted: Some(e), cut: None }],
        };
        standpoints.iter().find_map(|&standpoint| {
            sources.iter().copied().find(|&u| {
                self.set_source(e, u);
                let is_possible = self.is_possible(standpoint);
                self.unbind(e);
                is_possible
            })
        })
    }

    /// Whether the open transaction of the thread, which cannot end as it is, may end if its last read is revisited. Not if
    /// it could have been the last one without that read. Pruning only.
    fn may_be_freed(&self, thread: ThreadId) -> bool {
        let events = self.graph.po(thread);
        let Some(&last) = events.last() else { return false };
        let start = self.transactions.span(last).start as usize;
        let Some(&r) = events[start..].iter().rev().find(|&&e| self.graph.event(e).kind.reads()) else {
            return false;
        };
        let cut = Some((thread, self.graph.event(r).index));
        !self.is_possible(Standpoint { last: Some(thread), counted: None, cut })
    }

    /// Take the source of `r` away for a while, and its place if it has one.
    fn detach_open(&mut self, r: EventRef) -> crate::core::construction::Detached<P::State> {
        if self.is_end(r) {
            self.lift(r);
        }
        self.detach(r)
    }

    /// Undo the latest `detach_open`.
    fn attach_open(&mut self, r: EventRef, detached: crate::core::construction::Detached<P::State>) {
        self.attach(r, detached);
        if self.is_end(r) {
            self.lower(r);
        }
    }

    // --- words of mutexes -----------------------------------------------------------------------------------------

    /// Whether the mutex word is free but for its sections: initialised before all of them, and accessed otherwise only before.
    fn is_free_mutex(&self, thread: ThreadId, location: LocationId) -> bool {
        let prefix = self.graph.prefix(thread);
        let known = |other: ThreadId| match other == thread {
            true => u32::MAX,
            false => self.graph.counts(prefix, other).0,
        };
        let mut accesses = self.graph.thread_ids().flat_map(|other| {
            let writes = self.graph.writes_since(location, other, 0);
            writes.chain(self.graph.reads_since(location, other, 0))
        });
        let is_before = |e: EventRef| {
            let event = self.graph.event(e);
            event.index < known(event.thread) && (!event.kind.writes() || event.value == 0)
        };
        let is_written = |other: ThreadId| self.graph.writes_since(location, other, 0).next().is_some();
        let is_initialised =
            self.graph.location(location).init == Some(0) || self.graph.thread_ids().any(is_written);
        let has_init = self.objects.unknown_init(thread, location, known).is_none();
        let mut writes =
            self.graph.thread_ids().flat_map(|other| self.graph.writes_since(location, other, 0));
        let is_again = |w: EventRef| self.uses_of(|it| it == location).any(|lock| self.graph.hb(lock, w));
        is_initialised && has_init && accesses.all(is_before) && !writes.any(is_again)
    }

    /// Whether an access by the thread to this location happens after all locks and unlocks of a mutex there.
    fn is_apart_from_sections(&self, thread: ThreadId, location: LocationId) -> bool {
        let Some(number) = self.transactions.number(location) else { return true };
        let prefix = self.graph.prefix(thread);
        let is_before = |e: EventRef| {
            let event = self.graph.event(e);
            event.thread == thread || event.index < self.graph.counts(prefix, event.thread).0
        };
        self.held(thread) >> number & 1 == 0 && self.uses_of(|other| other == location).all(is_before)
    }

    /// The locks and unlocks of such mutexes.
    fn uses_of(&self, is_it: impl Fn(LocationId) -> bool) -> impl Iterator<Item = EventRef> {
        let all = self.graph.thread_ids().flat_map(|thread| self.graph.po(thread).iter().copied());
        all.filter(move |&e| {
            let event = self.graph.event(e);
            event.kind == Kind::OTHER && event.location != LocationId::NONE && is_it(event.location)
        })
    }

    /// Whether `e` frees memory, and an access to it, or a lock there, does not happen before without the help of sections.
    fn is_free_unordered(&self, e: EventRef) -> bool {
        let Request::Free { address, .. } = self.before(e).request else { return false };
        let bytes = self.objects.bytes_at(address);
        let contains = |it: LocationId| bytes.contains(&self.graph.location(it).access.address);
        let is_before = |other: EventRef| {
            self.graph.event(other).thread == self.graph.event(e).thread || self.graph.hb(other, e)
        };
        self.race_of_free(e, address).is_some() || !self.uses_of(contains).all(is_before)
    }
}
