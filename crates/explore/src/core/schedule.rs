//! Which thread takes the next step.
//!
//! Any choice is right: no partial graph is visited twice, so even fresh random numbers act as a function of the graph.
//! [`Policy::LeftToRight`] is the cheapest; the others are for tests. A thread that joins waits until no other thread
//! can run (its join would be peeled again and again), one whose lock is taken until it is free
//! (`reductions/waiting.rs`), one that is about to make up for an addition until a thread has observed it
//! (`reductions/undoing.rs`).
//!
//! A thread whose next read would block it, with the value that is co-last now, comes after all others: they may still
//! write the value that it waits for, and then it is never explored blocked. (Up to `rf`: that was added last.) Whether it would is found out by telling
//! the value to a copy of its state.

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::core::threads::Status;
use crate::reductions::Rooms;
use crate::reductions::waiting::Attempt;
use base::{Rng, ThreadId, Value};
use live::LocationId;
use program::{Gate, Hint, Request};

/// How the next thread is chosen among those that can take a step.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Policy {
    /// The smallest thread id.
    #[default]
    LeftToRight,
    /// The largest.
    RightToLeft,
    /// Anything but a read.
    WritesFirst,
    /// A read.
    ReadsFirst,
    /// The one with the fewest events.
    RoundRobin,
    /// The one whose last event is the youngest.
    Newest,
    /// Random numbers from this seed.
    Random(u64),
}

/// A policy and its random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Scheduler {
    policy: Policy,
    rng: Rng,
    /// Per thread the last trial of its read.
    trials: Vec<Option<Trial>>,
}

/// A thread that has not moved since would be blocked by reading this value, or not.
#[derive(Clone, Copy, Debug)]
struct Trial {
    moves: u64,
    location: LocationId,
    value: Value,
    blocks: bool,
}

impl Scheduler {
    pub(crate) fn new(policy: Policy) -> Scheduler {
        let seed = if let Policy::Random(seed) = policy { seed } else { 0 };
        Scheduler { policy, rng: Rng::new(seed), trials: Vec::new() }
    }

    /// The thread that takes the next step; none if none can.
    #[inline]
    pub(crate) fn next<P: Hint, C: Shape>(&mut self, build: &mut Construction<'_, P, C>) -> Option<ThreadId> {
        let thread = self.pick(build)?;
        Some(if build.reductions.symmetry.any() { oldest_symmetric(build, thread) } else { thread })
    }

    #[inline]
    fn pick<P: Hint, C: Shape>(&mut self, build: &mut Construction<'_, P, C>) -> Option<ThreadId> {
        if self.policy != Policy::LeftToRight {
            return self.choose(build);
        }
        let (mut joins, mut idle, mut any_last) = (None, None, false);
        for thread in build.threads.able() {
            match self.prospect(build, thread) {
                Readiness::Now => return Some(thread),
                Readiness::Later => joins = joins.or(Some(thread)),
                Readiness::Last => any_last = true,
                Readiness::Idle => idle = idle.or(Some(thread)),
                Readiness::Never => {}
            }
        }
        let last = if joins.is_none() && any_last { self.last(build) } else { None };
        joins.or(last).or(idle)
    }

    /// The first thread of those that come last and can take a step.
    #[cold]
    fn last<P: Hint, C: Shape>(&mut self, build: &mut Construction<'_, P, C>) -> Option<ThreadId> {
        let able: Vec<ThreadId> = build.threads.able().collect();
        let is_last = |&thread: &ThreadId| {
            self.prospect(build, thread) == Readiness::Last && build.has_good_source(thread)
        };
        able.into_iter().find(is_last)
    }

    /// The best time for a thread's step.
    #[inline(always)]
    fn prospect<P: Hint, C: Shape>(&mut self, build: &Construction<'_, P, C>, thread: ThreadId) -> Readiness {
        match readiness(build, thread) {
            Readiness::Now
                if !C::OPENS_LOCKS
                    && build.threads.get(thread).status == Status::Awaiting
                    && self.would_block(build, thread)
                    && !build.confirming().must_confirm(thread) =>
            {
                Readiness::Last
            }
            readiness => readiness,
        }
    }

    /// Whether the thread would be blocked if it read the last write.
    #[cold]
    fn would_block<P: Hint, C: Shape>(&mut self, build: &Construction<'_, P, C>, thread: ThreadId) -> bool {
        let now = build.threads.get(thread);
        let (Request::Read { at, .. } | Request::Rmw { at, .. }) = now.request else { return false };
        let moves = build.threads.moves(thread);
        self.trials.resize(self.trials.len().max(thread.index() + 1), None);
        // A thread that has not moved is still about to read the same location, unless that is gone.
        let trial = self.trials[thread.index()].filter(|trial| trial.moves == moves);
        let known = trial.map(|trial| trial.location).filter(|&location| build.objects.is_there(location));
        let Some(location) = known.or_else(|| build.objects.alive(at)) else { return false };
        let Some(value) = build.graph.value(build.graph.last_added(location)) else { return false };
        match trial {
            Some(trial) if trial.location == location && trial.value == value => trial.blocks,
            _ => {
                let blocks = build.blocks(now, value);
                self.trials[thread.index()] = Some(Trial { moves, location, value, blocks });
                blocks
            }
        }
    }

    fn choose<P: Hint, C: Shape>(&mut self, build: &mut Construction<'_, P, C>) -> Option<ThreadId> {
        let of = |build: &Construction<'_, P, C>, wanted: &[Readiness]| {
            let is_wanted = |t: &ThreadId| wanted.contains(&readiness(build, *t));
            build.threads.able().filter(is_wanted).collect::<Vec<ThreadId>>()
        };
        let mut able = of(build, &[Readiness::Now, Readiness::Later]);
        able.retain(|&thread| C::OPENS_LOCKS || build.has_good_source(thread));
        if able.is_empty() {
            able = of(build, &[Readiness::Last]);
        }
        if able.is_empty() {
            able = of(build, &[Readiness::Idle]);
        }
        let reads = |t: &&ThreadId| {
            matches!(
                build.threads.get(**t).request,
                Request::Read { .. } | Request::Rmw { .. } | Request::Lock { .. } | Request::Await { .. }
            )
        };
        let chosen = match self.policy {
            Policy::LeftToRight => able.first(),
            Policy::RightToLeft => able.last(),
            Policy::WritesFirst => able.iter().find(|t| !reads(t)).or(able.first()),
            Policy::ReadsFirst => able.iter().find(reads).or(able.first()),
            Policy::RoundRobin => able.iter().min_by_key(|&&t| (build.graph.len(t), t)),
            Policy::Newest => able.iter().max_by_key(|&&t| build.graph.tail_stamp(t)),
            Policy::Random(_) => able.get(self.rng.index(able.len().max(1))),
        };
        chosen.copied()
    }
}

/// The time at which a thread that is `Ready` or `Awaiting` can take its step.
#[derive(PartialEq, Eq)]
enum Readiness {
    Now,
    /// It joins a thread that has finished.
    Later,
    /// Its mutex is taken, and its attempt may fail, or its read blocks it, or it sleeps: only when no other thread can
    /// step.
    Last,
    /// It sleeps again where it slept before: only when no thread is left that could notify it.
    Idle,
    /// The thread that it waits for has not finished, its lock or barrier does not let it pass, or no thread has
    /// observed its attempt.
    Never,
}

#[inline(always)]
fn readiness<P: Hint, C: Shape>(build: &Construction<'_, P, C>, thread: ThreadId) -> Readiness {
    let now = build.threads.get(thread);
    match now.request {
        Request::Join { thread } => match build.threads.find(thread).map(|child| child.status) {
            Some(Status::Finished) => Readiness::Later,
            Some(_) => Readiness::Never,
            // It was never created: that is a fault.
            None => Readiness::Now,
        },
        // A thread in a transaction goes on at once or is stuck; whatever else is uncommon ends the pass.
        _ if C::OPENS_LOCKS => {
            if build.is_open(thread) {
                Readiness::Never
            } else {
                Readiness::Now
            }
        }
        // While another thread can go on, no sleeping thread wakes up.
        Request::Sleep { again: false, .. } => Readiness::Last,
        Request::Sleep { again: true, .. } => Readiness::Idle,
        Request::Depart(departure) if build.barriers().gate(&departure) == Gate::Shut => Readiness::Never,
        Request::Lock { .. } | Request::Await { .. } => {
            match build.waiting().lock(now).map(|lock| build.waiting().attempt(lock, now)) {
                Some(Attempt::Waits) => Readiness::Never,
                Some(Attempt::Fails) => Readiness::Last,
                Some(Attempt::Succeeds) | None => Readiness::Now,
            }
        }
        _ if now.status == Status::Awaiting && build.waiting().is_waiting(thread) => Readiness::Never,
        Request::Rmw { at, .. } if build.undoing().is_unnoticed(thread, at) => Readiness::Never,
        _ => Readiness::Now,
    }
}

/// The oldest symmetric thread that can step and has agreed with it so far; itself if there is none.
fn oldest_symmetric<P: Hint, C: Shape>(build: &mut Construction<'_, P, C>, thread: ThreadId) -> ThreadId {
    let behind: Vec<ThreadId> = build.symmetry().behind(thread).collect();
    let can_step = |&other: &ThreadId| {
        matches!(build.threads.get(other).status, Status::Ready | Status::Awaiting)
            && readiness(build, other) == Readiness::Now
            && build.has_good_source(other)
    };
    behind.into_iter().find(can_step).unwrap_or(thread)
}
