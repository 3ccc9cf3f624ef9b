//! What a thread can do wrong, and what it can do that is not modelled.

use base::Site;

/// What is wrong. The names are the codes of the reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// `assert`, `abort`, `__VERIFIER_error`.
    Assertion,
    /// Two accesses without happens-before, one of them plain, one of them a write.
    DataRace,
    /// Every unfinished thread waits for a lock or for another thread.
    Deadlock,
    /// A thread waits for something that cannot happen any more.
    Liveness,
    /// Access to an object after the end of its life, or unordered with it.
    UseAfterFree,
    /// The end of the life of an object whose life has ended.
    DoubleFree,
    /// `free` of something that `malloc` did not return.
    InvalidFree,
    /// Access to memory that belongs to no object.
    InvalidAccess,
    /// A read of memory that was never written.
    UninitialisedRead,
    /// Unlock of a mutex that the thread does not own.
    UnlockNotOwned,
    /// A Rust panic.
    Panic,
    /// An object that nobody can reach any more.
    Leak,
}

impl FaultKind {
    /// The stable code, as reports print it.
    pub fn code(self) -> &'static str {
        match self {
            FaultKind::Assertion => "assertion",
            FaultKind::DataRace => "data-race",
            FaultKind::Deadlock => "deadlock",
            FaultKind::Liveness => "liveness",
            FaultKind::UseAfterFree => "use-after-free",
            FaultKind::DoubleFree => "double-free",
            FaultKind::InvalidFree => "invalid-free",
            FaultKind::InvalidAccess => "invalid-access",
            FaultKind::UninitialisedRead => "uninitialised-read",
            FaultKind::UnlockNotOwned => "unlock-not-owned",
            FaultKind::Panic => "panic",
            FaultKind::Leak => "leak",
        }
    }
}

/// A thread's own fault (the engine finds the others: races, deadlocks, what involves published memory).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// In words: "assertion `x == 1` failed".
    pub message: String,
    /// Where else to look: where the object was freed, for instance.
    pub related: Option<Site>,
}

/// Something that is not modelled; it ends the exploration without a verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What is not modelled, and what to do about it.
    pub message: String,
    /// Where, if not at the thread's pending instruction.
    pub site: Option<Site>,
    /// Is it only that the thread has run for too long without asking anything? Then the exploration can go on without the
    /// thread ([`Program::bound`](crate::Program::bound)).
    pub endless: bool,
}

impl Refusal {
    /// Something that ends the exploration.
    pub fn new(message: impl Into<String>, site: Option<Site>) -> Refusal {
        Refusal { message: message.into(), site, endless: false }
    }
}
