//! The exploration: peeling.
//!
//! Implements: the algorithm of [TruSt] in a simpler form. Forward, a read takes every coherent source and a write
//! every coherent place; a read-modify-write is one event. Backward, when a write arrives, the events outside its
//! (po ∪ rf)-prefix are *peeled* off, youngest first, as long as each is maximal in what is left (a read reads the
//! co-last write; a write is co-last and unread); every read of the location reached on the way is *revisited* in
//! what is left: it reads from the new write instead. Then the peeled events are put back. There is no worklist, no
//! copy, no flag. Under models without a coherence order the choices are others (`choices.rs`), the loop is the same.
//!
//! Why each execution comes out once: peelable means that adding the event again greedily gives exactly it back, so a
//! graph with a revisited read has exactly one graph that it is revisited from.
//!
//! Differs: an explicit stack instead of recursion ([`Frame`]); locks wait (`waiting.rs`); choices that block their reader
//! at once are dropped unless they may become greedy (exact: the complete executions are the same).
//! Cost: O(threads) per event, candidate or peeled event; nothing is copied but the state of the thread that steps.

use crate::attempts::Attempts;
use crate::barrier::Gate;
use crate::bounds::Bounds;
use crate::confirm::Habits;
use crate::construction::{Construction, Detached, Trouble};
use crate::epilogue::Epilogue;
use crate::findings::Findings;
use crate::frame::{Frame, Read, ReadStage, Revisit, RevisitStage, Sweep, Write, WriteStage};
use crate::ledger::{Assumption, Facts, Ledger};
use crate::left_out::LeftOut;
use crate::outcome::StopReason;
use crate::schedule::Scheduler;
use crate::sections::Race;
use crate::shape::Shape;
use crate::symmetry::{Extent, Symmetry};
use crate::threads::{Position, Status};
use crate::waiting::Waiting;
use crate::{Control, Cut, Ending, Observer, Options, stuck};
use base::{Access, Site, ThreadId};
use live::{EventRef, LocationId};
use model::Rules;
use program::{Blocker, Conflict, Program, Request, SectionOrder};

/// Look at the clock this seldom (a power of two).
const VISITS_PER_LOOK: u64 = 1024;

/// An exploration under way.
pub(crate) struct Explorer<'a, P: Program, C> {
    pub(crate) build: Construction<'a, P, C>,
    pub(crate) findings: Findings,
    options: &'a Options,
    control: &'a Control,
    observer: &'a mut dyn Observer<P::State>,
    scheduler: Scheduler,
    stack: Vec<Frame>,
    peeled: Vec<(EventRef, Position<P::State>)>,
    detached: Vec<Detached<P::State>>,
    /// Where threads were before a step of theirs failed.
    stopped: Vec<Position<P::State>>,
    visits: u64,
    epilogue: Epilogue,
    /// Has a thread ever slept on a condition variable?
    slept: bool,
    /// Where a thread has undone what somebody had noticed.
    noticed: Option<Access>,
    /// Does the observer want to know of load-buffering races?
    lb_races: bool,
    end: Option<End>,
}

/// Why the exploration ends before its stack is empty.
#[derive(Debug)]
pub(crate) enum End {
    /// Something is wrong, and that is enough.
    Violated,
    /// No verdict is possible.
    Stopped(StopReason),
    /// The accesses of the program must be refined; then it starts again.
    Conflict(Conflict, ThreadId),
    /// An assumption was refuted (`ledger.rs`); then it starts again.
    Refuted,
    /// Something was relied on that is wrong (`confirm.rs`); then it starts again.
    Habits,
    /// So it was about attempts in vain (`attempts.rs`).
    Attempts,
    /// Awaits must not wait, and symmetry goes less far; then it starts again.
    GlobalOrder,
    /// Addresses must be given again; then it starts again.
    Reuse,
    /// Atomic sections conflict that are not ordered; then it starts again.
    Sections,
    /// What is accessed in an atomic section is accessed outside, too: that needs a model in which it is defined.
    Mixed,
    /// Threads that look the same are told apart: there is no symmetry; then it starts again.
    Asymmetric,
    /// A loop has met the step limit, without any event if a site is named; then it starts again with a bound (`bounds.rs`).
    Endless(Option<Site>),
}

impl End {
    /// Why the exploration starts again, in a word; `None` if it does not.
    pub(crate) fn restart(&self) -> Option<&'static str> {
        match self {
            End::Violated | End::Stopped(_) | End::Mixed => None,
            End::Conflict(..) => Some("refined accesses"),
            End::Sections => Some("atomic sections"),
            End::Refuted => Some("assumption"),
            End::Habits => Some("habits"),
            End::Attempts => Some("attempts"),
            End::GlobalOrder => Some("global order"),
            End::Reuse => Some("addresses that come back"),
            End::Asymmetric => Some("symmetry"),
            End::Endless(_) => Some("step limit"),
        }
    }
}

/// What an exploration that ended early has found not to wait.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    /// Assumptions that were refuted.
    pub(crate) ledger: Ledger,
    /// What was found out about writes.
    pub(crate) habits: Habits,
    /// What was found out about attempts in vain.
    pub(crate) attempts: Attempts,
    /// Do awaits not wait, and does symmetry go less far, because of a global axiom?
    pub(crate) awaits: bool,
    /// Is there no symmetry?
    pub(crate) symmetry: bool,
    /// Which atomic sections exclude each other.
    pub(crate) sections: SectionOrder,
    /// Which loops do not end?
    pub(crate) bounds: Bounds,
}

/// What a step of the exploration leads to.
pub(crate) enum Go {
    /// The graph is to be visited.
    Visit,
    /// The topmost frame goes on.
    Continue,
}

impl<'a, P: Program, C: Shape> Explorer<'a, P, C> {
    pub(crate) fn new(
        program: &'a P,
        rules: &'static Rules,
        options: &'a Options,
        control: &'a Control,
        observer: &'a mut dyn Observer<P::State>,
        lost: &Lost,
        findings: Findings,
    ) -> Self {
        let shortcut = (C::HAS_CO || C::HAS_BLOCKS)
            && !observer.wants_graphs()
            && !options.count_duplicates
            && !options.keep_example
            && !program.may_undo();
        let mut build = Construction::new(program, rules);
        build.bounds = lost.bounds.clone();
        if options.drop_blocked {
            let awaits = (C::HAS_CO || C::HAS_BLOCKS)
                && !options.check_liveness
                && !lost.awaits
                && !build.has_global_order();
            let confirms = !options.keep_failing && !options.check_liveness;
            build.waiting = Waiting::new(lost, awaits, confirms, program.may_undo());
            build.waiting.keep_exchanges(options.keep_failing);
        }
        let may_wait_with_undoing = program.may_undo() && !build.waiting.attempts.are_left_out();
        if options.symmetry && !lost.symmetry && !may_wait_with_undoing && !program.tells_threads_apart() {
            let is_global = lost.awaits || build.has_global_order();
            build.symmetry = Symmetry::new(match is_global {
                true if C::HAS_CO => Extent::Accesses,
                false if C::HAS_CO || C::HAS_BLOCKS => Extent::All,
                _ => Extent::Off,
            });
        }
        build.left_out = LeftOut::of(program);
        Explorer {
            lb_races: observer.wants_races(),
            build,
            findings,
            options,
            control,
            observer,
            scheduler: Scheduler::new(options.policy),
            stack: Vec::new(),
            peeled: Vec::new(),
            detached: Vec::new(),
            stopped: Vec::new(),
            visits: 0,
            epilogue: Epilogue::new(shortcut),
            slept: false,
            noticed: None,
            end: None,
        }
    }

    /// Explore everything, or up to the reason that is returned.
    pub(crate) fn run(&mut self) -> Option<End> {
        self.descend();
        while self.end.is_none()
            && let Some(frame) = self.stack.pop()
        {
            if let Go::Visit = self.advance(frame) {
                self.descend();
            }
        }
        self.control.count(self.findings.executions);
        self.take_end()
    }

    /// Why the exploration ended early, if it did.
    pub(crate) fn take_end(&mut self) -> Option<End> {
        let is_right = self.findings.violations.is_empty() || self.options.keep_going;
        if let Some(at) = self.noticed.filter(|_| is_right) {
            self.build.waiting.assumptions.refute(at, Assumption::Unnoticed);
        }
        let refuted = (is_right && self.build.waiting.assumptions.are_refuted()).then_some(End::Refuted);
        let habits = (is_right && self.build.has_wrong_habits()).then_some(End::Habits);
        let attempts = (is_right && self.build.waiting.attempts.are_wrong()).then_some(End::Attempts);
        let reuse = (is_right && self.build.program.must_reuse()).then_some(End::Reuse);
        let sections = (is_right && self.build.sections.are_unordered()).then_some(End::Sections);
        self.end.take().or(refuted).or(habits).or(attempts).or(reuse).or(sections)
    }

    /// Has it ended?
    pub(crate) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// How many frames there are.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Go on with the topmost frame, as if all that it has led to were explored.
    pub(crate) fn step_back(&mut self) -> Option<Go> {
        let frame = self.stack.pop()?;
        Some(self.advance(frame))
    }

    fn advance(&mut self, frame: Frame) -> Go {
        match frame {
            Frame::Only(e) => {
                self.build.pop_other(e);
                Go::Continue
            }
            Frame::Stopped(thread) => {
                let before = self.stopped.pop().expect("every stopped thread was somewhere before");
                self.build.threads.put(thread, before);
                Go::Continue
            }
            Frame::Waiting(thread) => self.wait(thread),
            Frame::Displaced(w) => self.end_displacement(w),
            Frame::Choice { e, next, values } => self.choice(e, next, values),
            Frame::Read(read) => self.read(read),
            Frame::Write(write) => self.write(write),
            Frame::Sweep(sweep) => self.sweep(sweep),
            Frame::Revisit(revisit) => self.revisit(revisit),
        }
    }

    // --- visit ----------------------------------------------------------------------------------------------------

    /// Visit the graph, and go on as long as there is no choice.
    fn descend(&mut self) {
        while let Go::Visit = self.visit() {}
    }

    pub(crate) fn visit(&mut self) -> Go {
        self.visits += 1;
        if self.visits.is_multiple_of(VISITS_PER_LOOK) && self.is_time_up() {
            return Go::Continue;
        }
        if self.options.audit {
            self.build.audit();
        }
        if self.build.threads.any_stopped() && self.report_stopped() {
            return Go::Continue;
        }
        if self.is_refuted() {
            return Go::Continue;
        }
        if self.build.has_wrong_habits() {
            self.end = Some(End::Habits);
            return Go::Continue;
        }
        if self.build.waiting.attempts.are_wrong() {
            self.end = Some(End::Attempts);
            return Go::Continue;
        }
        if self.build.program.must_reuse() {
            self.end = Some(End::Reuse);
            return Go::Continue;
        }
        if (self.build.waiting.has_awaits() || self.build.symmetry.is_local())
            && self.build.has_global_order()
        {
            self.end = Some(End::GlobalOrder);
            return Go::Continue;
        }
        let Some(thread) = self.scheduler.next(&mut self.build) else {
            if self.build.waiting.undoes() && self.must_not_wait_with_undoing() {
                return Go::Continue;
            }
            return self.wait(ThreadId::MAIN);
        };
        if self.build.threads.unfinished() == 1
            && self.build.sections.are_settled()
            && self.epilogue.finishes(&self.build, thread)
        {
            self.findings.executions.complete += 1;
            self.look_for_lb_race();
            return Go::Continue;
        }
        if u64::from(self.build.graph.len(thread)) >= self.options.max_events {
            let site = self.build.program.site(&self.build.threads.get(thread).state);
            let limit = self.options.max_events;
            self.bound(thread, site, StopReason::StepLimit { site, thread, limit }, None);
            return Go::Continue;
        }
        if self.build.tells_twins_apart(thread) {
            self.end = Some(End::Asymmetric);
            return Go::Continue;
        }
        match self.step(thread) {
            Ok(go) => go,
            Err(Trouble::Stopped(thread, before)) => {
                self.stopped.push(before);
                self.stack.push(Frame::Stopped(thread));
                Go::Visit
            }
            Err(Trouble::Conflict(conflict, thread)) => {
                self.end = Some(End::Conflict(conflict, thread));
                Go::Continue
            }
        }
    }

    #[cold]
    fn is_time_up(&mut self) -> bool {
        self.control.count(self.findings.executions);
        let is_bounded = self.build.bounds.reason().is_some();
        let is_enough = is_bounded && self.visits >= self.options.visits_with_bounds;
        if let Some(cut) = self.control.cut().or(is_enough.then_some(Cut::Time)) {
            self.end = Some(End::Stopped(cut.into()));
        }
        self.end.is_some()
    }

    /// The thread met the step limit at this site, and `alone` if it was without events: start again and bound its loop, or
    /// stop if that does not help. (Walks count the executions of the program as it is.)
    #[cold]
    fn bound(&mut self, thread: ThreadId, site: Site, reason: StopReason, alone: Option<Site>) {
        let mut bounds = std::mem::take(&mut self.build.bounds);
        let may_help = bounds.add(reason.clone(), site, self.build.sites_of(thread));
        self.build.bounds = bounds;
        let is_walk = self.options.estimate.is_some();
        self.end = Some(if may_help && !is_walk { End::Endless(alone) } else { End::Stopped(reason) });
    }

    /// Add the event that the thread asks for, with a frame for its choices.
    #[inline(always)]
    fn step(&mut self, thread: ThreadId) -> Result<Go, Trouble<P::State>> {
        if self.build.program.has_sections() {
            self.build.note_section(thread);
        }
        let request = &self.build.threads.get(thread).request;
        match *request {
            Request::Read { at, .. } => {
                let plain = request.is_plain();
                let again = self.is_new_to_awaiting(thread, at);
                let location = self.build.locate(thread, at, plain)?;
                let facts = if plain { Facts::PEEKED } else { Facts::default() };
                if plain {
                    self.build.note_plain_access(thread, location, false);
                }
                if self.refutes(thread, location, facts) {
                    return Ok(Go::Continue);
                }
                Ok(if again { Go::Visit } else { self.begin_read(thread, location) })
            }
            Request::Rmw { at, .. } => {
                let facts = Construction::<P, C>::facts_of_update(thread, request);
                let location = self.build.locate(thread, at, false)?;
                self.build.rely_on_pair(thread, location);
                self.build.note_atomic_write(thread, location);
                if self.refutes(thread, location, facts) {
                    return Ok(Go::Continue);
                }
                if self.build.undoes_noticed(thread, at) {
                    self.noticed = Some(at);
                }
                Ok(self.begin_read_unless_waiting(thread, location))
            }
            Request::Lock { at } => {
                let location = self.build.locate(thread, at, false)?;
                self.build.rely(location, Assumption::Mutex);
                self.build.see(location, Facts::LOCKED);
                if self.is_refuted() {
                    return Ok(Go::Continue);
                }
                Ok(self.begin_read_unless_waiting(thread, location))
            }
            Request::Await { at, .. } => {
                let location = self.build.locate(thread, at, false)?;
                self.build.rely(location, Assumption::Word);
                if self.is_refuted() {
                    return Ok(Go::Continue);
                }
                Ok(self.begin_read_unless_waiting(thread, location))
            }
            Request::Depart(departure) => match self.build.gate(&departure) {
                Gate::Open(location) => Ok(self.begin_read(thread, location)),
                Gate::Crowded => Err(self.build.refuse_crowd(thread)),
                Gate::Shut => unreachable!("who waits at a barrier is not scheduled"),
            },
            Request::Write { at, .. } => {
                let plain = request.is_plain();
                let location = self.build.locate(thread, at, plain)?;
                if plain {
                    self.build.endanger(location);
                    self.build.note_plain_access(thread, location, true);
                } else {
                    self.build.note_atomic_write(thread, location);
                }
                let facts = self.build.facts_of_store(thread, location, plain);
                if self.refutes(thread, location, facts) {
                    return Ok(Go::Continue);
                }
                Ok(self.begin_write(thread, location))
            }
            Request::Unlock { at } => {
                let location = self.build.locate(thread, at, false)?;
                self.build.check_owner(thread, location)?;
                Ok(self.begin_write(thread, location))
            }
            Request::Fence(base::FenceOrder::SeqCst) if self.build.rules.sc_fence_is_update() => {
                let location = self.build.fence_location();
                Ok(self.begin_read(thread, location))
            }
            Request::Choose { values } => {
                let e = self.build.push_choice(thread);
                Ok(self.choice(e, 0, values))
            }
            Request::Sleep { .. } => {
                self.slept = true;
                let e = self.build.push_choice(thread);
                Ok(self.choice(e, 0, 2))
            }
            _ => {
                let e = self.build.push_other(thread)?;
                self.stack.push(Frame::Only(e));
                if let Request::Free { address, .. } = self.build.before(e).request {
                    self.build.endanger_object(address);
                    self.build.note_free(thread, address);
                    self.check_free(e, address);
                }
                if self.build.calls_sleeper(e) {
                    return Ok(Go::Continue);
                }
                Ok(self.go_on(Go::Visit))
            }
        }
    }

    /// Not further, if something ended the exploration.
    fn go_on(&self, go: Go) -> Go {
        if self.end.is_some() { Go::Continue } else { go }
    }

    fn choice(&mut self, e: EventRef, next: u64, values: u64) -> Go {
        if next == values {
            self.build.pop_other(e);
            return Go::Continue;
        }
        self.build.choose(e, next);
        self.stack.push(Frame::Choice { e, next: next + 1, values });
        if self.build.is_impossible_sleep(e) { Go::Continue } else { Go::Visit }
    }

    // --- reads ----------------------------------------------------------------------------------------------------

    /// Is the thread about to find out where it reads, and may be blocked there? Then it is better to look again who
    /// steps next.
    #[inline(always)]
    fn is_new_to_awaiting(&self, thread: ThreadId, at: Access) -> bool {
        self.build.threads.get(thread).status == Status::Awaiting && self.build.objects.known(at).is_none()
    }

    /// A lock that was taken when it was published, which nobody knew until it was located, waits.
    #[inline(always)]
    fn begin_read_unless_waiting(&mut self, thread: ThreadId, location: LocationId) -> Go {
        if self.build.is_waiting(thread) { Go::Visit } else { self.begin_read(thread, location) }
    }

    #[inline(always)]
    fn begin_read(&mut self, thread: ThreadId, location: LocationId) -> Go {
        let r = self.build.push_read(thread, location);
        if C::HAS_BLOCKS && self.options.audit {
            self.build.audit_read(r);
        }
        let u = self.build.first_source(r);
        self.read(Read { r, u, clash: EventRef::NONE, oldest: u32::MAX, stage: ReadStage::Bind })
    }

    fn read(&mut self, mut read: Read) -> Go {
        loop {
            match read.stage {
                ReadStage::Bind => {
                    if let Some(go) = self.bind_forward(&mut read) {
                        return go;
                    }
                }
                ReadStage::Place => {
                    if read.clash.is_none() {
                        self.build.place(read.u, read.r);
                        read.stage = ReadStage::Undo { placed: true };
                        if self.leaves_chain(read.r) || self.breaks_habits(read.r) {
                            return Go::Continue;
                        }
                        if self.build.is_canonical(read.r)
                            && (self.build.is_top(read.r) || self.build.admits(read.r, read.r))
                        {
                            self.stack.push(Frame::Read(read));
                            return self.enter(read.r);
                        }
                    } else {
                        read.stage = ReadStage::Undo { placed: false };
                    }
                }
                ReadStage::Undo { placed } => {
                    if placed {
                        self.build.unplace(read.r);
                    }
                    self.build.unbind(read.r);
                    if !self.next_source(&mut read) {
                        self.build.pop(read.r);
                        return Go::Continue;
                    }
                }
            }
        }
    }

    /// Bind `r` to `u`. What to do now, unless the next stage does it.
    #[inline(always)]
    fn bind_forward(&mut self, read: &mut Read) -> Option<Go> {
        let &mut Read { r, u, .. } = read;
        read.clash = self.build.graph.update_of(u);
        if !C::HAS_CO {
            // Only `clash` itself says what can be pruned.
        } else if read.clash.is_some() {
            // `clash` must become co-last in a sweep: everything co-after it must be younger. Pruning only.
            let stamp = self.build.graph.event(read.clash).stamp;
            // (Among twins, what is not co-last may be peeled, too.)
            let stuck = stamp > read.oldest && !self.build.symmetry.any();
            read.oldest = read.oldest.min(stamp);
            if stuck && self.build.would_write(r, u) {
                if !self.next_source(read) {
                    self.build.pop(r);
                    return Some(Go::Continue);
                }
                return None;
            }
        } else if let next = self.build.graph.co_next(u)
            && next.is_some()
        {
            read.oldest = read.oldest.min(self.build.graph.event(next).stamp);
        }
        if self.build.bind(r, u) {
            read.stage = ReadStage::Place;
            if !self.build.admits_pending(r) {
                read.stage = ReadStage::Undo { placed: false };
                return None;
            }
            // Two read-modify-writes read `u`: that is no execution, but `r` may revisit the other one, or something
            // older; not if the other one is in its own prefix.
            let hopeless = read.clash.is_some() && self.build.is_stuck(read.clash, r);
            if !hopeless && self.build.graph.has_read_outside(r) {
                self.stack.push(Frame::Read(*read));
                return Some(self.begin_sweep(r, read.clash));
            }
            return None;
        }
        read.stage = ReadStage::Undo { placed: false };
        if self.build.is_canonical(r) && (self.build.is_top(u) || self.build.admits(r, r)) {
            self.check_race(r);
            if !self.is_pointless(r, u) {
                self.stack.push(Frame::Read(*read));
                return Some(self.go_on(Go::Visit));
            }
        }
        None
    }

    /// On to the next source, unless the current one is the last.
    #[inline(always)]
    fn next_source(&mut self, read: &mut Read) -> bool {
        let next = self.build.next_source(read.r, read.u);
        read.stage = ReadStage::Bind;
        if next.is_some() {
            read.u = next;
        }
        next.is_some()
    }

    /// The graph with `e`, which has its source and its place, is consistent: look for races and visit it.
    #[inline(always)]
    fn enter(&mut self, e: EventRef) -> Go {
        self.check_race(e);
        self.go_on(Go::Visit)
    }

    /// Did `r` just block its thread, with a choice that no later write can undo? Then the choice is dropped.
    #[inline(always)]
    fn is_pointless(&mut self, r: EventRef, source: EventRef) -> bool {
        if !self.options.drop_blocked {
            return false;
        }
        let now = self.build.threads.get(self.build.graph.event(r).thread);
        match now.status {
            Status::Locked | Status::Blocked(Blocker::Assume | Blocker::Spin { .. }) => {
                !self.build.is_last(source) && !self.build.is_bounded(r)
                    || self.build.is_waiting_read(r)
                    || self.build.is_bound_read(r)
            }
            Status::Blocked(Blocker::Exit | Blocker::Sleep { .. }) => false,
            Status::Blocked(Blocker::Unroll) if !self.build.is_last(source) && !self.build.is_bounded(r) => {
                self.findings.cut(self.build.program.site(&now.state));
                true
            }
            Status::Blocked(Blocker::Unroll) => false,
            Status::Ready | Status::Awaiting => false,
            Status::Finished | Status::Stopped | Status::Failed => false,
        }
    }

    // --- writes ---------------------------------------------------------------------------------------------------

    #[inline(always)]
    fn begin_write(&mut self, thread: ThreadId, location: LocationId) -> Go {
        let w = self.build.push_write(thread, location);
        if C::HAS_BLOCKS && self.leaves_order(w) || self.breaks_habits(w) {
            self.build.pop(w);
            return Go::Continue;
        }
        let p = self.build.graph.tail(location);
        if self.build.race(w).is_some() {
            // Wherever it goes in co: last is always consistent.
            self.build.place(p, w);
            self.check_race(w);
            self.build.unplace(w);
        }
        let write = Write { w, p, stage: WriteStage::Place };
        if self.end.is_none() && self.build.graph.has_read_outside(w) {
            self.stack.push(Frame::Write(write));
            return self.begin_sweep(w, EventRef::NONE);
        }
        self.write(write)
    }

    fn write(&mut self, mut write: Write) -> Go {
        loop {
            let Write { w, p, stage } = write;
            if let WriteStage::Undo = stage {
                self.build.unplace(w);
            } else if self.build.graph.update_of(p).is_none() {
                self.build.place(p, w);
                if self.build.is_canonical(w) && (self.build.is_top(w) || self.build.admits(w, w)) {
                    self.stack.push(Frame::Write(Write { stage: WriteStage::Undo, ..write }));
                    return self.go_on(Go::Visit);
                }
                self.build.unplace(w);
            }
            let next = self.build.next_place(w, p);
            if next.is_none() {
                self.build.pop(w);
                return Go::Continue;
            }
            write = Write { w, p: next, stage: WriteStage::Place };
        }
    }

    // --- sweeps ---------------------------------------------------------------------------------------------------

    #[inline(always)]
    fn begin_sweep(&mut self, w: EventRef, clash: EventRef) -> Go {
        let base = self.peeled.len() as u32;
        self.sweep(Sweep { w, clash, base, revisited: EventRef::NONE })
    }

    /// Peel, and revisit what can be revisited. `w` is in the graph, but not in co.
    fn sweep(&mut self, mut sweep: Sweep) -> Go {
        let location = self.build.graph.event(sweep.w).location;
        if sweep.revisited.is_some() {
            self.peel(sweep.revisited);
            sweep.revisited = EventRef::NONE;
        }
        while self.build.graph.has_read_outside(sweep.w) {
            let e = self.build.graph.youngest_outside(sweep.w);
            if !self.build.leaves(e, sweep.w) {
                break;
            }
            if e == sweep.clash {
                sweep.clash = EventRef::NONE;
                if self.build.displaces(sweep.w, e) {
                    self.peel(e);
                    self.stack.push(Frame::Sweep(sweep));
                    return self.displace(e, sweep.w);
                }
            }
            let event = self.build.graph.event(e);
            if event.kind.reads() && event.location == location && sweep.clash.is_none() {
                self.stack.push(Frame::Sweep(Sweep { revisited: e, ..sweep }));
                return self.begin_revisit(e, sweep.w);
            }
            self.peel(e);
        }
        while self.peeled.len() > sweep.base as usize {
            let (e, after) = self.peeled.pop().expect("more events than at the beginning");
            self.build.restore(e, after);
            self.build.come_back(e);
        }
        Go::Continue
    }

    #[inline(always)]
    fn peel(&mut self, e: EventRef) {
        let after = self.build.remove(e);
        self.peeled.push((e, after));
    }

    // --- revisits -------------------------------------------------------------------------------------------------

    /// What is left is exactly what stays, and `r` is the last event of its thread in it.
    #[inline(always)]
    fn begin_revisit(&mut self, r: EventRef, w: EventRef) -> Go {
        self.build.waiting.hide(&self.build.graph, r, w, self.stack.len());
        let detached = self.build.detach(r);
        self.detached.push(detached);
        let p = self.build.first_revisit_place(r, w);
        if p.is_none() {
            self.end_revisit(r);
            return Go::Continue;
        }
        self.revisit(Revisit { r, w, p, stage: RevisitStage::Take })
    }

    fn end_revisit(&mut self, r: EventRef) {
        let detached = self.detached.pop().expect("every revisit has detached its read");
        self.build.attach(r, detached);
        self.build.waiting.show(self.stack.len());
    }

    fn revisit(&mut self, mut revisit: Revisit) -> Go {
        loop {
            let Revisit { r, w, p, stage } = revisit;
            match stage {
                RevisitStage::Take => {
                    if self.build.graph.update_of(p).is_none()
                        && let Some(go) = self.take(revisit)
                    {
                        return go;
                    }
                }
                RevisitStage::Place => {
                    self.build.place(w, r);
                    self.stack.push(Frame::Revisit(Revisit {
                        stage: RevisitStage::Undo { writes: true },
                        ..revisit
                    }));
                    return if self.build.is_canonical(r) { self.enter(r) } else { Go::Continue };
                }
                RevisitStage::Undo { writes } => {
                    if writes {
                        self.build.unplace(r);
                    }
                    self.build.unbind(r);
                    self.build.unplace(w);
                }
            }
            let next = self.build.next_revisit_place(r, w, p);
            if next.is_none() {
                self.end_revisit(r);
                return Go::Continue;
            }
            revisit = Revisit { r, w, p: next, stage: RevisitStage::Take };
        }
    }

    /// Put `w` after `p` and let `r` read from it. What to do now; nothing if that is inconsistent or pointless, and
    /// then it is undone already.
    #[inline(always)]
    fn take(&mut self, revisit: Revisit) -> Option<Go> {
        let Revisit { r, w, p, .. } = revisit;
        self.build.place(p, w);
        if self.leaves_chain(w) {
            return Some(Go::Continue);
        }
        let top = self.build.is_top(w);
        let writes = self.build.bind(r, w);
        if writes {
            self.build.place(w, r);
            if self.breaks_habits(r) {
                return Some(Go::Continue);
            }
        }
        // A read-modify-write that is not canonical sweeps all the same.
        let canonical = self.build.is_canonical(w) && (writes || self.build.is_canonical(r));
        let consistent = canonical && (top || self.build.admits(r, w));
        if consistent {
            if self.build.graph.event(w).kind.is_update() {
                // Unlike a plain write, it may have no place in what it revisits from, and so not be checked there.
                self.check_race(w);
            }
            if !writes {
                self.check_race(r);
            }
            if writes || !self.is_pointless(r, w) {
                if writes && self.build.graph.has_read_outside(r) {
                    // Its write is new, too: it sweeps before it has a place.
                    self.build.unplace(r);
                    self.stack.push(Frame::Revisit(Revisit { stage: RevisitStage::Place, ..revisit }));
                    return Some(self.begin_sweep(r, EventRef::NONE));
                }
                self.stack.push(Frame::Revisit(Revisit { stage: RevisitStage::Undo { writes }, ..revisit }));
                if writes && !self.build.is_canonical(r) {
                    return Some(Go::Continue);
                }
                return Some(if writes { self.enter(r) } else { self.go_on(Go::Visit) });
            }
        }
        if writes {
            self.build.unplace(r);
        }
        self.build.unbind(r);
        self.build.unplace(w);
        None
    }

    // --- waiting (waiting.rs) -------------------------------------------------------------------------------------

    /// Lock `w` takes the mutex that lock `r` had, which was just peeled.
    fn displace(&mut self, r: EventRef, w: EventRef) -> Go {
        self.build.waiting.hide(&self.build.graph, r, w, self.stack.len());
        self.build.waiting.mark(&self.build.graph, r, w);
        self.build.place(self.build.graph.event(w).rf, w);
        self.stack.push(Frame::Displaced(w));
        let waits = self.build.graph.event(r).thread;
        let canonical = self.build.is_canonical(w) && self.build.is_viable(waits);
        if canonical && (self.build.is_top(w) || self.build.admits(w, w)) {
            self.enter(w)
        } else {
            Go::Continue
        }
    }

    fn end_displacement(&mut self, w: EventRef) -> Go {
        self.build.unplace(w);
        self.build.waiting.unmark();
        self.build.waiting.show(self.stack.len());
        Go::Continue
    }

    /// Nobody can step. Threads from `first` on that wait for a mutex sweep as if they had got it; after them, this is
    /// the end.
    fn wait(&mut self, first: ThreadId) -> Go {
        let next = self.build.waiting_threads().find(|&(thread, _)| thread >= first);
        if let Some((thread, location)) = next {
            self.stack.push(Frame::Waiting(ThreadId(thread.0 + 1)));
            return self.begin_read(thread, location);
        }
        let waiting: Vec<_> = self.build.waiting_threads().collect();
        let reads: Vec<EventRef> =
            waiting.into_iter().map(|(thread, location)| self.build.push_waiting(thread, location)).collect();
        self.emit();
        for &r in reads.iter().rev() {
            self.build.unbind(r);
            self.build.pop(r);
        }
        Go::Continue
    }

    /// A write got this place. Does that end the exploration, because threads wait for a chain of writes there, and
    /// this is no chain?
    #[inline(always)]
    fn leaves_chain(&mut self, w: EventRef) -> bool {
        let location = self.build.graph.event(w).location;
        if self.build.graph.co_next(w).is_none() {
            return false;
        }
        self.build.see(location, Facts::UNCHAINED);
        self.is_refuted()
    }

    /// A write was added. Does that end the exploration, because loads wait for writes there that are in one order, and
    /// this one is not?
    #[inline(always)]
    fn leaves_order(&mut self, w: EventRef) -> bool {
        let location = self.build.graph.event(w).location;
        let tail = self.build.graph.tail(location);
        if self.build.graph.is_after_by_writes(w, tail) {
            return false;
        }
        self.build.see(location, Facts::UNORDERED);
        self.is_refuted()
    }

    /// A write was added. Does that end the exploration, because somebody has relied on it that it does not come?
    #[inline(always)]
    fn breaks_habits(&mut self, w: EventRef) -> bool {
        let ends = self.build.breaks_habits(w);
        if ends {
            self.end = Some(End::Habits);
        }
        ends
    }

    /// Has something turned out to be wrong that the exploration relies on? Then it ends.
    #[inline(always)]
    fn is_refuted(&mut self) -> bool {
        let ends = self.build.waiting.assumptions.are_refuted();
        if ends {
            self.end = Some(End::Refuted);
        }
        ends
    }

    /// The thread is about to access the location, which means that for it. Does that end the exploration?
    #[inline(always)]
    fn refutes(&mut self, thread: ThreadId, location: LocationId, facts: Facts) -> bool {
        let undoing = self.build.facts_of_undoing(thread, location);
        self.build.see(location, facts.and(undoing));
        self.is_refuted()
    }

    /// Nobody can step. Does that end the exploration, because somebody waits with undoing what it did, and must not? Not
    /// among twins either: it was never shown that this goes together.
    #[cold]
    fn must_not_wait_with_undoing(&mut self) -> bool {
        let undone: Vec<LocationId> = self.build.undone_locations().collect();
        if !undone.is_empty() && self.build.symmetry.any() {
            self.end = Some(End::Asymmetric);
            return true;
        }
        for location in undone {
            self.build.rely(location, Assumption::Unnoticed);
        }
        self.is_refuted()
    }

    // --- what is found --------------------------------------------------------------------------------------------

    #[inline(always)]
    fn check_race(&mut self, e: EventRef) {
        if let Some(other) = self.build.race(e)
            && self.may_report()
        {
            let found = self.findings.race(&self.build, other, e);
            self.after(found);
        }
    }

    #[cold]
    fn check_free(&mut self, e: EventRef, address: u64) {
        if let Some(other) = self.build.race_of_free(e, address)
            && self.may_report()
        {
            let found = self.findings.free_race(&self.build, other, e);
            self.after(found);
        }
    }

    /// Some thread is stopped. True if that is the end.
    #[cold]
    fn report_stopped(&mut self) -> bool {
        if self.may_report() { self.report_faults() } else { self.end.is_some() }
    }

    fn report_faults(&mut self) -> bool {
        if let Some((thread, site, is_endless, reason)) = self.findings.refusal(&self.build) {
            match is_endless {
                true => self.bound(thread, site, reason, Some(site)),
                false => self.end = Some(End::Stopped(reason)),
            }
            return true;
        }
        let found = self.findings.faults(&self.build);
        self.after(found);
        self.end.is_some()
    }

    /// Is what is wrong in this graph to be reported now? Not if sections conflict that are not ordered, and not before the end of an
    /// execution that may be none (`sections.rs`).
    #[cold]
    fn may_report(&mut self) -> bool {
        if self.build.sections.are_unordered() && self.end.is_none() {
            self.build.note_conflicts_of_twins();
            self.end = Some(End::Sections);
        }
        self.build.sections.are_settled()
    }

    /// No thread can take a step. Is this an execution, as far as sections are concerned? Then report what had to wait.
    #[cold]
    fn leaves_sections_whole(&mut self) -> bool {
        if self.may_report() {
            return true;
        }
        if self.end.is_some() {
            return false;
        }
        let Some(isolation) = self.build.isolation() else {
            self.end = Some(End::Mixed);
            return false;
        };
        if !self.build.is_isolated(isolation) {
            return false;
        }
        for race in self.build.races() {
            let found = match race {
                Race::Accesses(a, b) => self.findings.race(&self.build, a, b),
                Race::WithFree(access, free) => self.findings.free_race(&self.build, access, free),
            };
            self.after(found);
        }
        !(self.build.threads.any_stopped() && self.report_faults()) && self.end.is_none()
    }

    fn after(&mut self, found: bool) {
        if !found {
            return;
        }
        self.findings.violations.last().into_iter().for_each(|violation| self.control.note(violation));
        if !self.options.keep_going {
            self.end = Some(End::Violated);
        }
    }

    #[inline(always)]
    fn look_for_lb_race(&mut self) {
        if self.lb_races && self.build.graph.may_have_lb_race() {
            self.observer.load_buffering(&self.build);
            self.lb_races = self.observer.wants_races();
        }
    }

    /// No thread can take a step.
    #[inline(always)]
    fn emit(&mut self) {
        if self.slept && !self.build.can_sleep_on() {
            return;
        }
        if self.build.program.has_sections() && !self.leaves_sections_whole() {
            return;
        }
        if self.build.has_told_twins_apart() {
            self.end = Some(End::Asymmetric);
            return;
        }
        let complete = self.build.threads.unfinished() == 0;
        let ending = self.findings.count(&self.build, complete);
        self.look_for_lb_race();
        self.observer.execution(ending, &self.build);
        if stuck::is_deadlock(&self.build, ending) {
            let found = self.findings.deadlock(&self.build);
            self.after(found);
        } else if ending == Ending::Spinning && self.options.check_liveness {
            let found = self.findings.liveness(&self.build);
            self.after(found);
        }
    }
}
