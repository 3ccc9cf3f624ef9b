//! Which thread takes the next step.
//!
//! Any choice is right: no partial graph is visited twice, so even fresh random numbers act as a function of the
//! graph. [`Policy::LeftToRight`] is the cheapest; the others are for tests. A thread that joins waits until nobody
//! else can run (its join would be peeled again and again), one whose mutex is taken until it is free (`waiting.rs`).

use crate::barrier::Gate;
use crate::construction::Construction;
use crate::threads::Status;
use crate::waiting::Attempt;
use base::ThreadId;
use model::MemoryModel;
use program::{Program, Request};

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
    random: u64,
}

impl Scheduler {
    pub(crate) fn new(policy: Policy) -> Scheduler {
        let random = if let Policy::Random(seed) = policy { seed | 1 } else { 1 };
        Scheduler { policy, random }
    }

    /// The thread that takes the next step; none if none can.
    #[inline]
    pub(crate) fn next<P: Program, M: MemoryModel>(
        &mut self,
        build: &Construction<'_, P, M>,
    ) -> Option<ThreadId> {
        if self.policy != Policy::LeftToRight {
            return self.choose(build);
        }
        let (mut joins, mut waits, mut idle) = (None, None, None);
        for thread in build.threads.ready() {
            match readiness(build, thread) {
                Readiness::Now => return Some(thread),
                Readiness::Later => joins = joins.or(Some(thread)),
                Readiness::Last => waits = waits.or(Some(thread)),
                Readiness::Idle => idle = idle.or(Some(thread)),
                Readiness::Never => {}
            }
        }
        joins.or(waits).or(idle)
    }

    fn choose<P: Program, M: MemoryModel>(&mut self, build: &Construction<'_, P, M>) -> Option<ThreadId> {
        let of = |wanted| build.threads.ready().filter(move |&t| readiness(build, t) == wanted);
        let mut able: Vec<ThreadId> = of(Readiness::Now).chain(of(Readiness::Later)).collect();
        able.sort();
        if able.is_empty() {
            able = of(Readiness::Last).collect();
        }
        if able.is_empty() {
            able = of(Readiness::Idle).collect();
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
            Policy::Random(_) => {
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                able.get((self.random >> 20) as usize % able.len().max(1))
            }
        };
        chosen.copied()
    }
}

/// When can a thread that is `Ready` take its step?
#[derive(PartialEq, Eq)]
enum Readiness {
    Now,
    /// It joins a thread that has finished.
    Later,
    /// Its mutex is taken, and its attempt may fail; or it sleeps: only when nobody else can.
    Last,
    /// It sleeps again where it slept before: only when nobody is left who could notify it.
    Idle,
    /// The thread that it waits for has not finished, or its mutex is taken.
    Never,
}

#[inline(always)]
fn readiness<P: Program, M: MemoryModel>(build: &Construction<'_, P, M>, thread: ThreadId) -> Readiness {
    match build.threads.get(thread).request {
        Request::Join { thread } => match build.threads.find(thread).map(|child| child.status) {
            Some(Status::Finished) => Readiness::Later,
            Some(_) => Readiness::Never,
            // It was never created: that is a fault.
            None => Readiness::Now,
        },
        // While somebody else can go on, nobody wakes up.
        Request::Sleep { again: false, .. } => Readiness::Last,
        Request::Sleep { again: true, .. } => Readiness::Idle,
        Request::Depart(departure) if build.gate(&departure) == Gate::Shut => Readiness::Never,
        Request::Lock { at } | Request::Await { at, .. } => match build.attempt(thread, at) {
            Attempt::Succeeds => Readiness::Now,
            Attempt::Waits => Readiness::Never,
            Attempt::Fails => Readiness::Last,
        },
        _ => Readiness::Now,
    }
}
