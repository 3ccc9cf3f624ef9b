//! Checks: the kinds of errors that a run looks for.

use crate::FaultKind;
use serde::{Deserialize, Serialize};

/// A kind of errors that can be looked for, or not. The names are those of the command line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Check {
    /// Failed assertions, and what ends the process like one.
    Assertion,
    /// Data races.
    Race,
    /// Steps of a thread that are undefined: errors with memory, and with mutexes that it does not own.
    Memory,
    /// Threads that wait for each other.
    Deadlock,
    /// Threads that spin for ever.
    Liveness,
    /// Objects that are never freed.
    Leak,
}

impl Check {
    /// All of them.
    pub const ALL: [Check; 6] =
        [Check::Assertion, Check::Race, Check::Memory, Check::Deadlock, Check::Liveness, Check::Leak];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Check::Assertion => "assertion",
            Check::Race => "race",
            Check::Memory => "memory",
            Check::Deadlock => "deadlock",
            Check::Liveness => "liveness",
            Check::Leak => "leak",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl FaultKind {
    /// The check that looks for it.
    pub fn check(self) -> Check {
        match self {
            FaultKind::Assertion | FaultKind::UncaughtException | FaultKind::Panic => Check::Assertion,
            FaultKind::DataRace => Check::Race,
            FaultKind::Deadlock => Check::Deadlock,
            FaultKind::Liveness => Check::Liveness,
            FaultKind::Leak => Check::Leak,
            FaultKind::UseAfterFree
            | FaultKind::DoubleFree
            | FaultKind::InvalidFree
            | FaultKind::InvalidAccess
            | FaultKind::UninitialisedRead
            | FaultKind::UnlockNotOwned => Check::Memory,
        }
    }
}

/// A set of checks.
///
/// An error that is not looked for is no violation. The thread of a failed assertion ends there, with the process; accesses
/// that race are the model's weakest ones; after an undefined step nothing is known, so that there is no verdict then.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Checks(u8);

impl Checks {
    /// None.
    pub const NONE: Checks = Checks(0);

    /// This one, too.
    #[must_use]
    pub fn with(self, check: Check) -> Checks {
        Checks(self.0 | check.bit())
    }

    /// Whether it is one of them.
    #[inline(always)]
    pub fn has(self, check: Check) -> bool {
        self.0 & check.bit() != 0
    }

    /// Whether such an error is a violation.
    #[inline(always)]
    pub fn count(self, kind: FaultKind) -> bool {
        self.has(kind.check())
    }

    /// The words for an error that is no violation, and after which nothing is known; `None` if something is.
    pub fn unknown_after(self, kind: FaultKind, message: &str) -> Option<String> {
        let is_undefined = kind.check() == Check::Memory && !self.count(kind);
        is_undefined.then(|| {
            format!("{message} ({}): --check leaves this out, and nothing is known after it", kind.code())
        })
    }
}

impl Default for Checks {
    /// Everything but spinning for ever and leaks, which many programs mean to do.
    fn default() -> Checks {
        [Check::Assertion, Check::Race, Check::Memory, Check::Deadlock]
            .into_iter()
            .fold(Checks::NONE, Checks::with)
    }
}
