//! The exploration: peeling.
//!
//! Implements: the algorithm of \[TruSt\] in a simpler form. Forward, a read takes every coherent source and a write
//! every coherent place; a read-modify-write is one event. Backward, when a write arrives, the events outside its
//! `porf`-prefix are *peeled* off, youngest first, as long as each is maximal in the graph that is left (a read reads
//! the co-last write; a write is co-last and unread); every read of the location reached on the way is *revisited* in
//! the graph that is left: it reads from the new write instead. Then the peeled events are put back. There is no
//! worklist, no copy, no flag. Under models without a coherence order the choices are others (`choices.rs`), the loop
//! is the same.
//!
//! Why each execution comes out once: peelable means that adding the event again greedily gives exactly it back, so a
//! graph with a revisited read has exactly one graph that it is revisited from.
//!
//! Differs: an explicit stack instead of recursion ([`Frame`]); locks wait (`reductions/waiting.rs`); choices that
//! block their reader at once are dropped unless they may become greedy (exact: the complete executions are the same).
//! Cost: O(threads) per event, candidate or peeled event; nothing is copied but the state of the thread that steps.

use crate::core::construction::{Construction, Detached, Trouble};
use crate::core::events::push_other;
use crate::core::frame::{CommitStage, Frame};
use crate::core::memory::locate;
use crate::core::schedule::Scheduler;
use crate::core::shape::Shape;
use crate::core::threads::{Position, Status, ThreadName};
use crate::core::trail::Trail;
use crate::core::witness::{Witness, too_many_branches};
use crate::findings::Findings;
use crate::ledger::{Assumption, Ledger};
use crate::options::LockOrders;
use crate::outcome::StopReason;
use crate::reductions::epilogue::Epilogue;
use crate::reductions::lock_order::gain::Gain;
use crate::reductions::{Reduction, Reductions, Rooms, Setting};
use crate::subtree::Subtree;
use crate::{Control, Cut, Observer, Options};
use base::{Access, Site, ThreadId};
use live::{EventRef, LiveGraph};
use model::{Orders, Rules};
use program::{Check, Gate, Hint, Refusal, Request};
use serde::{Deserialize, Serialize};

/// Look at the clock and at other explorers this seldom (a power of two).
const VISITS_PER_LOOK: u64 = 1024;

/// What is left of a part that pauses is cut into at most so many pieces, and one more.
const MOST_PIECES: usize = 15;

/// A pass of an exploration under way.
pub(crate) struct Explorer<'a, P: Hint, C> {
    pub(crate) build: Construction<'a, P, C>,
    pub(crate) findings: Findings,
    pub(super) options: &'a Options,
    pub(super) control: &'a Control,
    pub(super) observer: &'a mut dyn Observer<P::State>,
    pub(super) scheduler: Scheduler,
    pub(super) stack: Vec<Frame>,
    pub(super) trail: Trail,
    pub(super) peeled: Vec<(EventRef, Position<P::State>)>,
    pub(super) detached: Vec<Detached<P::State>>,
    /// Where threads were before a step of theirs failed.
    stopped: Vec<Position<P::State>>,
    pub(super) visits: u64,
    visits_per_look: u64,
    /// The explorers of other parts, if there are any.
    others: Option<&'a dyn Others>,
    pub(super) epilogue: Epilogue,
    /// Whether the observer wants to know of load-buffering races.
    pub(super) lb_races: bool,
    /// Whether the observer forbids some sources.
    pub(super) forbids: bool,
    pub(super) end: Option<End>,
}

/// Why a pass ends before its stack is empty.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum End {
    /// A violation was found, and one is enough.
    Violated,
    /// No verdict is possible.
    Stopped(StopReason),
    /// An assumption was refuted, in a step of this thread: the exploration starts again.
    Refuted(ThreadId),
    /// Memory of atomic sections is accessed outside of them: that needs a model in which it is defined.
    Mixed,
    /// The part ends here; what is left is explored later, or by another explorer, or never.
    Paused,
}

/// The explorers of the other parts of a pass, as the explorer of one part sees them.
pub(crate) trait Others {
    /// Whether the part is to end here.
    fn let_pause(&self) -> bool;

    /// Whether there is an explorer that has nothing to do.
    fn are_waiting(&self) -> bool;

    /// Explore this; threads have these names.
    fn take(&self, subtree: Subtree, names: Vec<ThreadName>);

    /// Whether someone wants to know how much is left.
    fn want_rest(&self) -> bool {
        false
    }

    /// This much is left.
    fn tell_rest(&self, _rest: &Subtree) {}
}

/// The next move of the exploration.
pub(crate) enum Go {
    /// The graph is to be visited.
    Visit,
    /// The topmost frame goes on.
    Continue,
}

impl<'a, P: Hint, C: Shape> Explorer<'a, P, C> {
    /// A pass with this ledger.
    pub(crate) fn new(
        program: &'a P,
        rules: &'static Rules,
        options: &'a Options,
        control: &'a Control,
        observer: &'a mut dyn Observer<P::State>,
        ledger: &Ledger,
        findings: Findings,
    ) -> Self {
        let setting = Setting {
            has_order: C::HAS_CO || C::HAS_BLOCKS || C::OPENS_LOCKS,
            is_open: C::HAS_BLOCKS
                && rules.orders != Orders::Ignored
                && ledger.refinements().reused.is_empty(),
            is_local: !ledger.has_refuted(&Assumption::Local) && !rules.has_global_order(&LiveGraph::new()),
            looks_for_liveness: options.checks.has(Check::Liveness),
            sees_executions: observer.wants_graphs()
                || options.count_duplicates
                || options.keep_example
                || options.checks.has(Check::Leak),
            locks: options.locks,
            facts: program.facts(),
        };
        let reductions = match C::OPENS_LOCKS {
            true => Reductions::none(),
            false => Reductions::new(options.reductions, &setting, ledger),
        };
        let epilogue = Epilogue::new(reductions.on.has(Reduction::Epilogue));
        let mut build = Construction::new(program, rules, ledger, reductions);
        build.witness = Witness::new(options.most_branches);
        if C::OPENS_LOCKS && options.locks == LockOrders::Paying {
            let on = options.reductions.exact_in(&setting);
            let is_symmetric = on.has(Reduction::Symmetry) && !ledger.has_refuted(&Assumption::Symmetric);
            build.transactions.gain = Gain::new(is_symmetric);
        }
        Explorer {
            lb_races: observer.wants_races(),
            forbids: observer.forbids_sources(),
            build,
            findings,
            options,
            control,
            observer,
            scheduler: Scheduler::new(options.policy),
            stack: Vec::new(),
            trail: Trail::default(),
            peeled: Vec::new(),
            detached: Vec::new(),
            stopped: Vec::new(),
            visits: 0,
            visits_per_look: VISITS_PER_LOOK,
            others: None,
            epilogue,
            end: None,
        }
    }

    /// Explore everything, or up to the reason that is returned.
    pub(crate) fn run(&mut self) -> Option<End> {
        self.explore_rest(true);
        self.take_end()
    }

    /// Explore everything from the current graph on, or from what comes after everything below it, to the end of the subtree.
    pub(crate) fn explore_rest(&mut self, is_open: bool) {
        if is_open {
            self.descend();
            // The threads of the first execution have their names now.
            self.build.threads.close_names();
        }
        while self.end.is_none()
            && !self.trail.leave(self.stack.len())
            && let Some(frame) = self.stack.pop()
        {
            if let Go::Visit = self.advance(frame) {
                self.trail.count_child();
                self.descend();
            }
        }
        self.give_up();
        self.count();
    }

    /// What is left to be explored, from the current graph on.
    pub(crate) fn rest(&self) -> Subtree {
        self.trail.rest()
    }

    /// Give subtrees away to these from now on, if they want some, and pause if they want that. Look at them, and at the clock,
    /// after so many visits, a power of two, if it is given.
    pub(crate) fn meet(&mut self, others: &'a dyn Others, visits_per_look: Option<u64>) {
        (self.others, self.visits_per_look) = (Some(others), visits_per_look.unwrap_or(VISITS_PER_LOOK));
    }

    /// Why a part ended early, if it did. One that ends because an assumption is refuted refutes what the graph or the program
    /// contradicts besides.
    pub(crate) fn take_end_of_part(&mut self) -> Option<End> {
        if let Some(End::Refuted(_)) = self.end {
            self.note_program();
        }
        self.end.take()
    }

    /// Why the pass ended early, if it did. A pass that has refuted an assumption does not count, unless it has found a
    /// violation and one is enough.
    pub(crate) fn take_end(&mut self) -> Option<End> {
        if self.findings.violations.is_empty() || self.options.keep_going {
            self.note_program();
            self.build.sections().refute_unrelated();
            if !self.build.notes.news().is_empty() {
                self.end.get_or_insert(End::Refuted(ThreadId::MAIN));
            }
        }
        self.end.take()
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// The number of frames.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Go on with the topmost frame, as if all that it has led to were explored.
    pub(crate) fn step_back(&mut self) -> Option<Go> {
        let frame = self.stack.pop()?;
        Some(self.advance(frame))
    }

    pub(super) fn advance(&mut self, frame: Frame) -> Go {
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
            Frame::OpenRead(read) => self.open_read(read),
            Frame::Commit(commit) => self.commit(commit),
            Frame::OpenSweep(sweep) => self.open_sweep(sweep),
            Frame::OpenRevisit(revisit) => self.open_revisit(revisit),
        }
    }

    /// Visit the graph, and go on as long as there is no choice.
    fn descend(&mut self) {
        loop {
            self.trail.enter(self.stack.len());
            let Go::Visit = self.visit() else { break };
        }
    }

    pub(crate) fn visit(&mut self) -> Go {
        self.visits += 1;
        if self.visits & (self.visits_per_look - 1) == 0 && self.look() {
            return Go::Continue;
        }
        if self.give_up() {
            return Go::Continue;
        }
        if C::OPENS_LOCKS {
            return self.visit_transactions();
        }
        if self.options.audit {
            self.build.audit();
        }
        if self.build.threads.any_stopped() && self.report_stopped() {
            return Go::Continue;
        }
        self.note_program();
        if self.is_refuted() {
            return Go::Continue;
        }
        loop {
            let Some(thread) = self.scheduler.next(&mut self.build) else {
                self.build.hooks().note_standstill();
                return if self.is_refuted() { Go::Continue } else { self.wait(ThreadId::MAIN) };
            };
            if let Some(go) = self.let_step(thread) {
                return go;
            }
        }
    }

    /// Let the thread take its step; `None` if it has not, and is to be scheduled again.
    #[inline(always)]
    fn let_step(&mut self, thread: ThreadId) -> Option<Go> {
        if self.build.threads.unfinished() == 1
            && self.build.sections.are_settled()
            && self.build.sleeping().can_sleep_on()
            // The states in which threads end are asked where they have looked at clocks.
            && !self.build.facts.looks_at_clocks
            && self.epilogue.finishes(&self.build, thread)
        {
            self.findings.executions.complete += 1;
            self.look_for_lb_race();
            return Some(Go::Continue);
        }
        if u64::from(self.build.graph.len(thread)) >= self.options.max_events {
            let site = self.build.program.site(&self.build.threads.get(thread).state);
            let limit = self.options.max_events;
            self.bound(thread, site, StopReason::StepLimit { site, thread, limit }, None);
            return Some(Go::Continue);
        }
        if self.build.symmetry().is_broken_by(thread) {
            self.build.notes.refute(Assumption::Symmetric);
            self.is_refuted();
            return Some(Go::Continue);
        }
        match self.step(thread) {
            Ok(go) => go,
            Err(Trouble::Stopped(thread, before)) => {
                self.stopped.push(before);
                self.stack.push(Frame::Stopped(thread));
                Some(Go::Visit)
            }
            Err(Trouble::Conflict(conflict, thread)) => {
                self.build.notes.refute(Assumption::Apart(conflict));
                self.end = Some(End::Refuted(thread));
                Some(Go::Continue)
            }
        }
    }

    /// Refute assumptions about no location that the graph or the program contradicts.
    #[inline(always)]
    pub(super) fn note_program(&mut self) {
        if let Some(blocks) = self.build.program.newly_reused() {
            blocks.into_iter().for_each(|block| self.build.notes.refute(Assumption::Fresh(block)));
        }
        let is_local =
            self.build.reductions.on.has(Reduction::Awaits) || self.build.reductions.symmetry.is_local();
        if is_local && self.build.graph.has_global_order() {
            self.build.notes.refute(Assumption::Local);
        }
        self.build.confirming().note_symmetry();
    }

    /// Whether an assumption was refuted that the pass relies on. Then it ends.
    #[inline(always)]
    pub(super) fn is_refuted(&mut self) -> bool {
        let ends = self.build.notes.are_refuting();
        if ends {
            self.end = Some(End::Refuted(ThreadId::MAIN));
        }
        ends
    }

    /// Look at the clock, and at other explorers; whether that is the end.
    #[cold]
    fn look(&mut self) -> bool {
        self.count();
        let is_enough = !self.build.bounds.is_empty() && self.visits >= self.options.visits_with_bounds;
        if let Some(cut) = self.control.cut().or(is_enough.then_some(Cut::Time)) {
            self.end = Some(End::Stopped(cut.into()));
        } else if let Some(others) = self.others
            // It cannot be cut in two before the first execution, or if the pass is about to end, or may be.
            && self.build.threads.has_all_names()
            && !self.build.notes.are_refuting()
            && self.build.transactions.gain.is_over()
        {
            if others.want_rest() {
                others.tell_rest(&self.rest());
            }
            if others.let_pause() {
                self.end = Some(End::Paused);
            } else if others.are_waiting() {
                self.give_away(others);
            }
        }
        self.end.is_some()
    }

    /// Give away what is left of the oldest graphs.
    fn give_away(&mut self, others: &dyn Others) {
        let given = self.split();
        given.into_iter().for_each(|subtree| others.take(subtree, self.build.threads.first_names()));
    }

    /// What is left to be explored, in some pieces.
    pub(crate) fn divide_rest(&mut self) -> Vec<Subtree> {
        let oldest: Vec<Subtree> = std::iter::from_fn(|| self.split()).take(MOST_PIECES).collect();
        oldest.into_iter().chain([self.rest()]).collect()
    }

    /// Leave what is left of the oldest graphs to others. Whether one has more children is a guess: its events may be peeled.
    fn split(&mut self) -> Option<Subtree> {
        let graph = &self.build.graph;
        let is_written = |e: EventRef| !graph.tail(graph.event(e).location).is_init();
        let has_more = |frame: &Frame| match *frame {
            Frame::Only(_) | Frame::Stopped(_) | Frame::Displaced(_) => false,
            Frame::Choice { next, values, .. } => next < values,
            Frame::Read(read) => is_written(read.r) && (!C::HAS_CO || !read.u.is_init()),
            Frame::Write(write) => C::HAS_CO && !write.p.is_init(),
            Frame::Waiting(_) | Frame::Sweep(_) | Frame::Revisit(_) => true,
            Frame::OpenRead(read) => is_written(read.r),
            Frame::Commit(commit) => matches!(commit.stage, CommitStage::Link),
            Frame::OpenSweep(_) | Frame::OpenRevisit(_) => true,
        };
        self.trail.split(|frames| self.stack[frames].iter().any(has_more))
    }

    /// End if a search for a coherence order was given up; whether it was.
    #[inline(always)]
    fn give_up(&mut self) -> bool {
        let gives_up = C::HAS_BLOCKS && self.build.witness.has_given_up();
        if gives_up {
            self.end.get_or_insert_with(|| End::Stopped(too_many_branches()));
        }
        gives_up
    }

    /// Tell how many executions there are so far.
    fn count(&mut self) {
        self.control.count(&mut self.findings.told, self.findings.executions);
    }

    /// The thread met the step limit at this site, and at `silent` if it was without events: start again and bound its
    /// loop, or stop if that does not help. (An estimate stops: it counts the executions of the program as it is.)
    #[cold]
    pub(super) fn bound(&mut self, thread: ThreadId, site: Site, reason: StopReason, silent: Option<Site>) {
        let met = self.build.bounds.meet(site, self.build.sites_of(thread), silent);
        self.end = Some(match met.filter(|_| self.options.estimate.is_none()) {
            None => End::Stopped(reason.clone()),
            Some(it) => {
                self.build.notes.refute(Assumption::Ends(it));
                End::Refuted(thread)
            }
        });
        self.findings.unbounded.get_or_insert(reason);
    }

    /// Add the event that the thread asks for, with a frame for its choices; `None` if the next thread must be
    /// chosen again.
    #[inline(always)]
    fn step(&mut self, thread: ThreadId) -> Result<Option<Go>, Trouble<P::State>> {
        if self.build.facts.has_sections {
            self.build.note_section(thread);
        }
        let now = self.build.threads.get(thread);
        match now.request {
            Request::Read { at, .. }
            | Request::Rmw { at, .. }
            | Request::Lock { at }
            | Request::Await { at, .. } => {
                let (is_new, plain) = (self.is_new_to_waiting(thread, at), now.request.is_plain());
                let location = locate(&mut self.build, thread, at, plain)?;
                self.build.hooks().note_access(thread, location);
                if self.is_refuted() {
                    return Ok(Some(Go::Continue));
                }
                Ok((!is_new).then(|| self.begin_read(thread, location)))
            }
            Request::Depart(departure) => match self.build.barriers().gate(&departure) {
                Gate::Open(slot) => {
                    let location = self.build.barriers().location(slot);
                    Ok(Some(self.begin_read(thread, location)))
                }
                Gate::Crowded => Err(self.build.refuse(thread, Refusal::of_crowded_barrier())),
                Gate::Shut => unreachable!("a thread that waits at a barrier is not scheduled"),
            },
            Request::Write { at, .. } => {
                let plain = now.request.is_plain();
                let location = locate(&mut self.build, thread, at, plain)?;
                self.build.hooks().note_access(thread, location);
                if self.is_refuted() {
                    return Ok(Some(Go::Continue));
                }
                Ok(Some(self.begin_write(thread, location)))
            }
            Request::Unlock { at } => {
                let location = locate(&mut self.build, thread, at, false)?;
                self.build.check_owner(thread, location)?;
                self.build.hooks().note_access(thread, location);
                if self.is_refuted() {
                    return Ok(Some(Go::Continue));
                }
                Ok(Some(self.begin_write(thread, location)))
            }
            Request::Fence(base::FenceOrder::SeqCst) if self.build.graph.rules().sc_fence_is_update() => {
                let location = self.build.fence_location();
                Ok(Some(self.begin_read(thread, location)))
            }
            Request::Choose { values } => {
                if values == 0 {
                    self.findings.cut(self.build.program.site(&self.build.threads.get(thread).state));
                }
                let e = self.build.push_choice(thread);
                Ok(Some(self.choice(e, 0, program::tried(values))))
            }
            Request::Sleep { .. } => {
                self.build.reductions.sleeping.note_sleep();
                let e = self.build.push_choice(thread);
                Ok(Some(self.choice(e, 0, 2)))
            }
            _ => {
                let e = push_other(&mut self.build, thread)?;
                self.stack.push(Frame::Only(e));
                if let Request::Free { address, .. } = self.build.before(e).request {
                    self.build.hooks().note_free(thread, address);
                    self.check_free(e, address);
                }
                Ok(Some(if self.build.hooks().is_impossible(e) {
                    Go::Continue
                } else {
                    self.go_on(Go::Visit)
                }))
            }
        }
    }

    /// `go`, unless something has ended the pass.
    pub(super) fn go_on(&self, go: Go) -> Go {
        if self.end.is_some() { Go::Continue } else { go }
    }

    fn choice(&mut self, e: EventRef, next: u64, values: u64) -> Go {
        if next == values {
            self.build.pop_other(e);
            return Go::Continue;
        }
        self.build.choose(e, next);
        self.stack.push(Frame::Choice { e, next: next + 1, values });
        if self.build.hooks().is_impossible(e) { Go::Continue } else { Go::Visit }
    }

    /// Whether the thread may have to wait at a location that does not exist yet. Once it exists the thread is
    /// scheduled anew: the schedule must not depend on which locations earlier executions have found.
    #[inline(always)]
    fn is_new_to_waiting(&self, thread: ThreadId, at: Access) -> bool {
        let now = self.build.threads.get(thread);
        let may_wait = now.status == Status::Awaiting
            || matches!(now.request, Request::Lock { .. } | Request::Await { .. });
        may_wait && self.build.objects.known(at).is_none()
    }
}
