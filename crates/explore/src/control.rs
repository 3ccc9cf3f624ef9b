//! How an exploration is watched and stopped from outside.

use crate::outcome::Executions;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared between an exploration and who started it.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    executions: AtomicU64,
}

impl Control {
    /// A new one.
    pub fn new() -> Control {
        Control::default()
    }

    /// Ask the exploration to stop soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// How many executions there are so far, about.
    pub fn executions(&self) -> u64 {
        self.executions.load(Ordering::Relaxed)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self, executions: Executions) {
        self.executions.store(executions.complete + executions.blocked, Ordering::Relaxed);
    }
}
