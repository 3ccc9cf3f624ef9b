//! The execution under construction: the graph together with the threads that make it and the memory they share.
//!
//! Adds events, binds reads to their sources, takes events out and puts them back; it makes no choices. Callers undo in
//! the reverse order of doing.

use crate::bounds::Bounds;
use crate::core::model_graph::ModelGraph;
use crate::core::objects::Objects;
use crate::core::shape::Shape;
use crate::core::steps::Steps;
use crate::core::threads::{Current, Next, Position, Status, ThreadName, Threads};
use crate::core::witness::Witness;
use crate::ledger::{Ledger, Use};
use crate::notes::Notes;
use crate::options::Options;
use crate::reductions::lock_order::transactions::Transactions;
use crate::reductions::{Reduction, Reductions, Rooms};
use crate::sections::Sections;
use base::{Access, ReadOrder, Site, ThreadId, Value, WriteOrder};
use live::{EventRef, Kind, LiveEvent, LocationId};
use model::Rules;
use program::{
    Await, Blocker, Conflict, Facts, Fault, Hint, MUTEX_DESTROYED, Reading, Refinements, Refusal, Request,
    proper_address, resume,
};

/// The execution under construction.
pub(crate) struct Construction<'p, P: Hint, C> {
    pub(crate) program: &'p P,
    /// Facts about the program.
    pub(crate) facts: Facts,
    /// How the program is refined.
    pub(crate) refinements: Refinements,
    pub(crate) graph: ModelGraph<C>,
    pub(crate) threads: Threads<P::State>,
    pub(crate) objects: Objects,
    /// The assumptions that the pass relies on, and the facts that it has seen.
    pub(crate) notes: Notes,
    pub(crate) reductions: Reductions<P::State>,
    pub(crate) bounds: Bounds,
    pub(crate) sections: Sections,
    /// Of a coherence order that is left open: the order in which writes are linked.
    pub(crate) witness: Witness,
    /// Where the order of critical sections is open.
    pub(crate) transactions: Transactions,
    /// Along the arena of events: where the event's thread was before it.
    before: Vec<Position<P::State>>,
}

/// A read that is being revisited: the event as it was, and the position of its thread after it.
#[derive(Debug)]
pub(crate) struct Detached<S> {
    pub(crate) event: LiveEvent,
    after: Position<S>,
}

/// Why a step is not taken.
#[derive(Debug)]
pub(crate) enum Trouble<S> {
    /// The thread has stopped with a fault or refusal, which is now its request; it was there before.
    Stopped(ThreadId, Position<S>),
    /// The accesses of the program must be refined, because of this thread's.
    Conflict(Conflict, ThreadId),
}

impl<'p, P: Hint, C: Shape> Construction<'p, P, C> {
    /// The execution in which nothing has happened, in a pass with this ledger.
    pub(crate) fn new(
        program: &'p P,
        rules: &'static Rules,
        ledger: &Ledger,
        reductions: Reductions<P::State>,
    ) -> Self {
        let refinements = ledger.refinements();
        let sections = Sections::new(refinements.sections.clone(), ledger);
        let unreduced = Construction::unreduced(program, rules, refinements);
        let (bounds, notes) = (Bounds::of(ledger), Notes::new(ledger.clone()));
        let mut build = Construction { reductions, bounds, notes, sections, ..unreduced };
        build.name_threads(ledger.thread_names());
        build.begin();
        build
    }

    /// The same without reductions, of a program with these refinements.
    pub(crate) fn unreduced(program: &'p P, rules: &'static Rules, refinements: Refinements) -> Self {
        let mut build = Construction {
            program,
            facts: program.facts(),
            graph: ModelGraph::new(rules),
            threads: Threads::new(),
            objects: Objects::default(),
            bounds: Bounds::default(),
            sections: Sections::new(refinements.sections.clone(), &Ledger::default()),
            refinements,
            notes: Notes::default(),
            reductions: Reductions::none(),
            witness: Witness::new(Options::default().most_branches),
            transactions: Transactions::default(),
            before: Vec::new(),
        };
        build.add_thread();
        build.begin();
        build
    }

    /// `main` runs to its first request.
    fn begin(&mut self) {
        self.start(ThreadId::MAIN, &self.program.main());
    }

    /// The location as the ledger names it: the same in every life of its block.
    #[inline(always)]
    pub(crate) fn access_in_ledger(&self, location: LocationId) -> Access {
        let at = self.graph.location(location).access;
        Access { address: proper_address(at.address), ..at }
    }

    // --- threads --------------------------------------------------------------------------------------------------

    pub(super) fn add_thread(&mut self) -> ThreadId {
        self.threads.add();
        self.graph.add_thread()
    }

    /// The next threads have these names.
    pub(crate) fn name_threads(&mut self, names: &[ThreadName]) {
        for &name in names {
            let child = self.add_thread();
            self.threads.set_name(name, child);
        }
    }

    /// Let a thread run from its start to its first request.
    fn start(&mut self, thread: ThreadId, state: &P::State) {
        self.threads.go(thread, state, |state| {
            let request = resume(self.program, state, 0, |address| self.objects.size_of(address));
            next(self.program, &self.reductions, &self.notes, state, request)
        });
    }

    /// The instruction that an event comes from.
    pub(crate) fn site(&self, e: EventRef) -> Site {
        if self.pairs().is_pair(e) {
            return self.pairs().second_site(e);
        }
        self.program.site(&self.before(e).state)
    }

    /// The instructions of the thread's events, the last one first.
    pub(crate) fn sites_of(&self, thread: ThreadId) -> impl Iterator<Item = Site> {
        sites_backwards(self.program, &self.before, self.graph.po(thread))
    }

    /// Where the event's thread was before it.
    #[inline(always)]
    pub(crate) fn before(&self, e: EventRef) -> &Current<P::State> {
        self.before[e.index()].as_deref().expect("an event in the graph has a state before it")
    }

    // --- locations ------------------------------------------------------------------------------------------------

    /// The thread stops with something that is not modelled.
    pub(crate) fn refuse(&mut self, thread: ThreadId, refusal: Refusal) -> Trouble<P::State> {
        self.stop(thread, Request::Refuse(Box::new(refusal)))
    }

    /// The thread stops with a fault.
    pub(super) fn fault(&mut self, thread: ThreadId, fault: Fault) -> Trouble<P::State> {
        self.stop(thread, Request::Fault(Box::new(fault)))
    }

    fn stop(&mut self, thread: ThreadId, request: Request) -> Trouble<P::State> {
        let state = self.threads.get(thread).state.clone();
        let now = Current { state, request, status: Status::Failed, pair: None, steps: Steps::new(None) };
        let before = self.threads.set(thread, Some(Box::new(now)));
        Trouble::Stopped(thread, before)
    }

    // --- reads ----------------------------------------------------------------------------------------------------

    /// Append the read (or read-modify-write) that the thread asks for; it has no source yet.
    #[inline(always)]
    pub(crate) fn push_read(&mut self, thread: ThreadId, location: LocationId) -> EventRef {
        let plain = self.threads.get(thread).request.is_plain();
        self.push(thread, Kind::READ.with_plain(plain), location)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, thread: ThreadId, kind: Kind, location: LocationId) -> EventRef {
        let e = self.graph.push(thread, kind, location);
        let now = self.threads.set(thread, None);
        debug_assert_eq!(self.before.len(), e.index());
        self.before.push(now);
        if C::HAS_BLOCKS && kind.is_access() {
            self.graph.see_blocks(e);
        }
        if C::OPENS_LOCKS {
            self.begin_span(e);
        }
        e
    }

    /// Undo the latest push.
    #[inline(always)]
    pub(crate) fn pop(&mut self, e: EventRef) {
        let thread = self.graph.event(e).thread;
        let before = self.before.pop().expect("as many states as events");
        self.threads.go_back(thread, before);
        if C::HAS_BLOCKS && self.graph.event(e).kind.is_access() {
            self.graph.unsee_blocks(e);
        }
        if C::OPENS_LOCKS {
            self.end_span();
        }
        self.graph.pop(e);
    }

    /// Whether the read `r` would write if it read from `w`.
    #[inline(always)]
    pub(crate) fn would_write(&self, r: EventRef, w: EventRef) -> bool {
        let now = self.before(r);
        if now.pair.is_none() && matches!(now.request, Request::Read { .. }) {
            return false;
        }
        self.hooks().reading(r, self.graph.value(w)).written.is_some()
    }

    /// Let `r`, the last event of its thread, read from `w`: set its value and clocks, and let its thread go on. Its
    /// place in co is up to the caller. True if it writes.
    #[inline(always)]
    pub(crate) fn bind(&mut self, r: EventRef, w: EventRef) -> bool {
        let reading = self.set_source(r, w);
        self.tell(r, w, &reading);
        reading.written.is_some()
    }

    /// The same, but its thread does not go on yet.
    #[inline(always)]
    pub(crate) fn set_source(&mut self, r: EventRef, w: EventRef) -> Reading {
        let reading = self.hooks().reading(r, self.graph.value(w));
        let sc = self.graph.rules().global.has_sc_events() && reading.order == ReadOrder::SeqCst;
        let kind = if reading.written.is_some() { Kind::UPDATE } else { Kind::READ };
        if C::HAS_BLOCKS {
            self.witness.begin_binding();
        }
        self.graph.set_rf(r, w);
        self.graph.set_kind(r, kind.with_sc(sc).with_plain(reading.order == ReadOrder::NotAtomic));
        let rules = self.graph.rules();
        self.graph.sync_read(r, rules.orders.acquires(reading.order));
        if C::OPENS_LOCKS {
            self.depend_on_end(r, w);
        }
        if let Some((new, order)) = reading.written {
            self.graph.set_value(r, new);
            self.graph.sync_write(r, rules.orders.releases(order), rules.release_sequence);
        }
        self.graph.note_order(r);
        if C::HAS_BLOCKS {
            self.graph.order_blocks(r);
        }
        reading
    }

    /// The thread of `r`, which has its source `w`, goes on.
    #[inline(always)]
    pub(crate) fn tell(&mut self, r: EventRef, w: EventRef, reading: &Reading) {
        self.left_out().note_read(r);
        self.answer(r, reading.answer);
        let value = self.graph.value(w);
        if value.is_none() && !self.program.is_copy(&self.before(r).state) {
            let size = self.graph.location(self.graph.event(r).location).access.size;
            self.fault_at_read(r, Fault::of_uninitialised_read(size));
        }
        if value == Some(MUTEX_DESTROYED) && matches!(self.before(r).request, Request::Lock { .. }) {
            self.fault_at_read(r, Fault::of_destroyed_lock());
        }
    }

    /// Undo the latest `bind`. Does not restore the thread: the next `bind` or `pop` does.
    #[inline(always)]
    pub(crate) fn unbind(&mut self, r: EventRef) {
        if C::HAS_BLOCKS {
            self.end_binding();
            self.graph.unorder_blocks(r);
        }
        self.graph.reset_rf(r);
    }

    /// Tell the thread of `e` the answer; without one it waits.
    #[inline(always)]
    pub(super) fn answer(&mut self, e: EventRef, answer: Option<Value>) {
        let thread = self.graph.event(e).thread;
        let told = self.threads.find(thread).and_then(|now| now.steps.told());
        if told.is_some() && told == answer {
            return;
        }
        let left = match answer.and_then(|answer| self.remembered(e, answer)) {
            Some(now) => self.threads.set(thread, Some(now)),
            None => self.run_thread(e, answer),
        };
        self.leave_position(e, left);
    }

    /// The position of the thread of `e` after this answer, if it was there before.
    #[inline(always)]
    fn remembered(&mut self, e: EventRef, answer: Value) -> Position<P::State> {
        let before = self.before[e.index()].as_deref_mut().expect("a state before the event");
        let now = before.steps.take(answer)?;
        debug_assert!(self.is_where_it_was(e, answer, &now), "another step from the same position");
        Some(now)
    }

    /// Whether the thread of `e`, if it were told the answer now, would ask for the same as at that position.
    fn is_where_it_was(&self, e: EventRef, answer: Value, then: &Current<P::State>) -> bool {
        let mut state = self.before(e).state.clone();
        if self.pairs().is_pair(e) {
            self.program.read_ahead(&mut state, answer);
        }
        let request = resume(self.program, &mut state, answer, |address| self.objects.size_of(address));
        let about = |request: &Request| (std::mem::discriminant(request), request.at());
        let is_cut = then.status == Status::Blocked(Blocker::Unroll);
        (is_cut || about(&request) == about(&then.request))
            && self.program.site(&state) == self.program.site(&then.state)
    }

    /// The thread of `e` goes on with the answer, or waits. Returns its position until now.
    #[inline(always)]
    fn run_thread(&mut self, e: EventRef, answer: Option<Value>) -> Position<P::State> {
        let thread = self.graph.event(e).thread;
        let is_pair = self.pairs().is_pair(e);
        let before = self.before[e.index()].as_deref().expect("a state before the event");
        let waits = match before.status {
            // A failing attempt.
            Status::Awaiting => Status::Blocked(Blocker::Spin { since: self.graph.event(e).index }),
            _ => Status::Locked,
        };
        self.threads.go(thread, &before.state, |state| {
            let Some(answer) = answer else {
                return Next { status: waits, pair: before.pair, ..Next::of(before.request.clone()) };
            };
            let sizes_told = self.objects.sizes_told();
            if is_pair {
                self.program.read_ahead(state, answer);
            }
            let request = resume(self.program, state, answer, |address| self.objects.size_of(address));
            let events = sites_backwards(self.program, &self.before, self.graph.po(thread));
            let request = self.bounds.limit(self.program, state, request, events);
            let told = (self.objects.sizes_told() == sizes_told).then_some(answer);
            Next { told, ..next(self.program, &self.reductions, &self.notes, state, request) }
        })
    }

    /// The thread of `e` has left this position, which it had come to from the one before `e`.
    #[inline(always)]
    fn leave_position(&mut self, e: EventRef, left: Position<P::State>) {
        let before = self.before[e.index()].as_deref_mut().expect("a state before the event");
        self.threads.leave(&mut before.steps, left);
    }

    /// Block the thread of `r`, which has read from a forbidden source.
    pub(crate) fn block(&mut self, r: EventRef) {
        let before = self.before[r.index()].as_deref().expect("a state before the event");
        let blocked = Next::of(Request::Block(Blocker::Assume));
        let left = self.threads.go(self.graph.event(r).thread, &before.state, |_| blocked);
        self.leave_position(r, left);
    }

    /// Whether this value would block a thread that reads it there.
    pub(crate) fn blocks(&self, now: &Current<P::State>, value: Value) -> bool {
        now.steps.tried(value).unwrap_or_else(|| {
            let sizes_told = self.objects.sizes_told();
            let (request, _) = self.tell_copy(now, value);
            let blocks = matches!(request, Request::Block(blocker) if blocker.is_about_values());
            if self.objects.sizes_told() == sizes_told {
                now.steps.note_try(value, blocks);
            }
            blocks
        })
    }

    /// Let a waiting thread read the first source, which blocks it.
    pub(crate) fn push_waiting(&mut self, thread: ThreadId, location: LocationId) -> EventRef {
        let r = self.push_read(thread, location);
        let source = self.graph.first_source(r);
        self.bind(r, source);
        r
    }

    /// The next request of a thread, and its state, if it were told this answer now.
    pub(crate) fn tell_copy(&self, now: &Current<P::State>, answer: Value) -> (Request, P::State) {
        let mut state = now.state.clone();
        let request = resume(self.program, &mut state, answer, |address| self.objects.size_of(address));
        (request, state)
    }

    /// Stop the thread with a fault at the read `r`, not where it went from there.
    #[cold]
    fn fault_at_read(&mut self, r: EventRef, fault: Fault) {
        let mut now = self.before(r).clone();
        now.request = Request::Fault(Box::new(fault));
        now.status = Status::Stopped;
        now.pair = None;
        let left = self.threads.set(self.graph.event(r).thread, Some(Box::new(now)));
        self.leave_position(r, left);
    }

    // --- writes ---------------------------------------------------------------------------------------------------

    /// Append the write that the thread asks for; it has no place in co yet.
    #[inline(always)]
    pub(crate) fn push_write(&mut self, thread: ThreadId, location: LocationId) -> EventRef {
        let (value, order) = self.threads.get(thread).request.writing();
        let sc = self.graph.rules().global.has_sc_events() && order == WriteOrder::SeqCst;
        let kind = Kind::WRITE.with_sc(sc).with_plain(order == WriteOrder::NotAtomic);
        let w = self.push(thread, kind, location);
        self.graph.set_value(w, value);
        let rules = self.graph.rules();
        self.graph.sync_write(w, rules.orders.releases(order), rules.release_sequence);
        self.graph.note_order(w);
        self.answer(w, Some(0));
        w
    }

    /// Put write `w` right after `p`.
    #[inline(always)]
    pub(crate) fn place(&mut self, p: EventRef, w: EventRef) {
        self.graph.co_insert_after(p, w);
        if C::HAS_BLOCKS {
            self.graph.place_block(w);
        }
    }

    /// Undo `place`.
    #[inline(always)]
    pub(crate) fn unplace(&mut self, w: EventRef) {
        if C::HAS_BLOCKS {
            self.graph.unplace_block(w);
        }
        self.graph.co_unlink(w);
    }

    /// Check that the thread owns the mutex that it is about to release. If not, it stops.
    pub(crate) fn check_owner(
        &mut self,
        thread: ThreadId,
        location: LocationId,
    ) -> Result<(), Trouble<P::State>> {
        match Fault::of_unlock(thread, self.graph.value(self.graph.last_added(location))) {
            None => Ok(()),
            Some(fault) => Err(self.fault(thread, fault)),
        }
    }

    // --- everything else ------------------------------------------------------------------------------------------

    /// Append a choice; nothing is chosen yet.
    pub(crate) fn push_choice(&mut self, thread: ThreadId) -> EventRef {
        self.push(thread, Kind::OTHER, LocationId::NONE)
    }

    /// Let the last event of a thread, a choice, choose `number`.
    pub(crate) fn choose(&mut self, e: EventRef, number: Value) {
        self.graph.set_value(e, number);
        self.answer(e, Some(number));
    }

    /// Undo the latest `push_other`.
    #[inline(always)]
    pub(crate) fn pop_other(&mut self, e: EventRef) {
        self.leave(e);
        self.pop(e);
    }

    // --- taking out and putting back ------------------------------------------------------------------------------

    /// Take the last event of a thread out; the thread is before it again. Returns the position of the thread until
    /// now.
    #[inline(always)]
    pub(crate) fn remove(&mut self, e: EventRef) -> Position<P::State> {
        let mut child = None;
        if !self.graph.event(e).kind.is_access() {
            child = self.leave(e);
        }
        let thread = self.graph.event(e).thread;
        match C::OPENS_LOCKS {
            true => self.graph.withdraw(e),
            false => self.graph.remove(e),
        }
        // While the event is out, its slot keeps the thread that it created.
        let before = std::mem::replace(&mut self.before[e.index()], child);
        self.threads.set(thread, before)
    }

    /// Undo the latest `remove`.
    #[inline(always)]
    pub(crate) fn restore(&mut self, e: EventRef, after: Position<P::State>) {
        match C::OPENS_LOCKS {
            true => self.graph.reinstate(e),
            false => self.graph.restore(e),
        }
        let thread = self.graph.event(e).thread;
        let before = self.threads.set(thread, after);
        let child = std::mem::replace(&mut self.before[e.index()], before);
        if !self.graph.event(e).kind.is_access() {
            self.enter(e, child);
        }
    }

    /// Let an event without location take effect on threads and objects, when it is added or put back. A thread that it
    /// creates is at `child`, or at its start.
    pub(super) fn enter(&mut self, e: EventRef, child: Position<P::State>) {
        let thread = self.graph.event(e).thread;
        match &self.before[e.index()].as_ref().expect("a state before the event").request {
            Request::Publish(objects) => {
                let objects = objects.clone();
                self.objects.publish(&mut self.graph, e, &objects);
            }
            Request::Free { address, .. } => self.objects.free(*address, e),
            &Request::Create { function, argument } => {
                let id = ThreadId(self.graph.event(e).value as u32);
                self.graph.start_thread(id, e);
                self.threads.count_child(thread, true);
                self.note_creation(e, id);
                match child {
                    Some(_) => self.threads.put(id, child),
                    None => self.start(id, &self.program.start(id, function, argument)),
                }
            }
            _ => {}
        }
    }

    /// Undo `enter`. Returns the position of the thread that the event created.
    fn leave(&mut self, e: EventRef) -> Position<P::State> {
        let thread = self.graph.event(e).thread;
        match &self.before[e.index()].as_ref().expect("a state before the event").request {
            Request::Publish(objects) => self.objects.unpublish(e, objects),
            Request::Free { address, .. } => self.objects.unfree(*address, e),
            Request::Create { .. } => {
                let child = ThreadId(self.graph.event(e).value as u32);
                self.threads.count_child(thread, false);
                self.forget_creation(child);
                return self.threads.set(child, None);
            }
            _ => {}
        }
        None
    }

    /// Take the source of the read `r` away for a while, and the position of its thread after it.
    #[inline(always)]
    pub(crate) fn detach(&mut self, r: EventRef) -> Detached<P::State> {
        if C::HAS_BLOCKS {
            self.graph.detach_block(r);
        }
        let event = self.graph.detach(r);
        if event.kind.writes() && !C::OPENS_LOCKS {
            self.graph.co_unlink(r);
        }
        let after = self.threads.set(event.thread, None);
        Detached { event, after }
    }

    /// Undo the latest `detach`.
    #[inline(always)]
    pub(crate) fn attach(&mut self, r: EventRef, detached: Detached<P::State>) {
        let Detached { event, after } = detached;
        let (thread, writes) = (event.thread, event.kind.writes());
        self.graph.attach(r, event);
        if C::HAS_BLOCKS {
            self.graph.attach_block(r);
        }
        if writes && !C::OPENS_LOCKS {
            self.graph.co_relink(r);
        }
        let left = self.threads.set(thread, after);
        self.leave_position(r, left);
    }

    /// The location of SC fences that are read-modify-writes.
    pub(crate) fn fence_location(&mut self) -> LocationId {
        let location = self.objects.always(&mut self.graph, model::ra::SC_FENCE);
        self.reach(location);
        location
    }

    /// Make room for the notes of a location that is about to be accessed.
    #[inline(always)]
    pub(crate) fn reach(&mut self, location: LocationId) {
        if !self.notes.has_reached(location) {
            let at = self.access_in_ledger(location);
            self.notes.reach(location, at);
            self.reductions.left_out.reach(location);
        }
    }
}

/// The instructions of these events, the last one first; of a pair, that of its load.
fn sites_backwards<P: Hint>(
    program: &P,
    before: &[Position<P::State>],
    events: &[EventRef],
) -> impl Iterator<Item = Site> + Clone {
    events.iter().rev().filter_map(|e| Some(program.site(&before[e.index()].as_deref()?.state)))
}

/// Where a thread with this request goes: a load that is the first of a pair asks for both.
#[inline(always)]
fn next<P: Hint>(
    program: &P,
    reductions: &Reductions<P::State>,
    notes: &Notes,
    state: &P::State,
    request: Request,
) -> Next {
    let pair = match request {
        Request::Read { at, .. } if reductions.on.has(Reduction::Pairs) => {
            program.pair(state).filter(|_| notes.may_rely_at(at, Use::Paired))
        }
        _ => None,
    };
    let may_block = || match request {
        Request::Read { .. } | Request::Rmw { .. } => program.awaits(state) != Await::No,
        _ => false,
    };
    match pair.is_some() || may_block() {
        true => Next { request, status: Status::Awaiting, pair, told: None },
        false => Next::of(request),
    }
}
