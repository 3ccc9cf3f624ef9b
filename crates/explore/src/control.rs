//! Control: an exploration is watched and stopped from outside.

use crate::outcome::{Executions, StopReason, Violation};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Why an exploration is stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// The time is up.
    Time,
    /// The memory that it may have is used up.
    Memory,
    /// The process was told to end.
    Signal,
}

impl From<Cut> for StopReason {
    fn from(cut: Cut) -> StopReason {
        match cut {
            Cut::Time => StopReason::Timeout,
            Cut::Memory => StopReason::Memory,
            Cut::Signal => StopReason::Interrupted,
        }
    }
}

/// Shared between an exploration and its caller.
#[derive(Debug, Default)]
pub struct Control {
    cut: OnceLock<Cut>,
    complete: AtomicU64,
    blocked: AtomicU64,
    found: Mutex<Vec<Violation>>,
    pausing: AtomicBool,
    restarts: AtomicU64,
    /// How often it was asked how much is left.
    asked: AtomicU64,
    /// The share that was explored, in parts of [`WHOLE`], if it is known.
    share: AtomicU64,
}

/// Everything.
const WHOLE: f64 = 1e15;

/// The largest number of violations that are kept here.
const KEPT: usize = 16;

impl Control {
    /// A new one.
    pub fn new() -> Control {
        Control::default()
    }

    /// Ask the exploration to stop soon. The first reason counts.
    pub fn stop(&self, cut: Cut) {
        let _ = self.cut.set(cut);
    }

    /// Ask an exploration in parts to pause soon, so that it can be written down, or let it go on.
    pub fn pause(&self, pauses: bool) {
        self.pausing.store(pauses, Ordering::Relaxed);
    }

    pub(crate) fn is_pausing(&self) -> bool {
        self.pausing.load(Ordering::Relaxed)
    }

    /// How many executions there are so far, about.
    pub fn executions(&self) -> Executions {
        let (complete, blocked) = (&self.complete, &self.blocked);
        let (complete, blocked) = (complete.load(Ordering::Relaxed), blocked.load(Ordering::Relaxed));
        Executions { complete, blocked, duplicate: 0 }
    }

    /// The first violations so far: for a run that is ended before it can report them itself.
    pub fn found(&self) -> Vec<Violation> {
        self.found.lock().expect("nothing panics while it has the violations").clone()
    }

    /// Note a violation that was found.
    pub fn note(&self, violation: &Violation) {
        let mut found = self.found.lock().expect("nothing panics while it has the violations");
        if found.len() < KEPT {
            found.push(violation.clone());
        }
    }

    /// The reason to stop, if there is one.
    pub fn cut(&self) -> Option<Cut> {
        self.cut.get().copied()
    }

    /// There are so many executions in one part, of which so many were told of before.
    pub(crate) fn count(&self, told: &mut Executions, now: Executions) {
        self.complete.fetch_add(now.complete - told.complete, Ordering::Relaxed);
        self.blocked.fetch_add(now.blocked - told.blocked, Ordering::Relaxed);
        *told = now;
    }

    /// The share of the exploration that is done, if each graph has an equal share for each of its children; as it was when it
    /// was last asked for. `None` if it is not known. Ask again later.
    pub fn share(&self) -> Option<f64> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let share = self.share.load(Ordering::Relaxed) as f64 / WHOLE;
        (share > 0.0).then_some(share.min(1.0))
    }

    /// How often it was asked how much is left.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// This share was explored.
    pub(crate) fn set_share(&self, share: f64) {
        self.share.store((share.clamp(0.0, 1.0) * WHOLE) as u64, Ordering::Relaxed);
    }

    /// How often the exploration has started again.
    pub fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// The exploration has started again so often.
    pub(crate) fn count_restarts(&self, restarts: usize) {
        self.restarts.store(restarts as u64, Ordering::Relaxed);
    }

    /// Executions are counted anew, from these on.
    pub(crate) fn begin_count(&self, executions: Executions) {
        self.complete.store(executions.complete, Ordering::Relaxed);
        self.blocked.store(executions.blocked, Ordering::Relaxed);
    }
}
