//! Faults of threads, and steps that are not modelled.

use crate::meaning::{MAX_THREADS, mutex_owner, owner_of_mutex};
use crate::object::Storage;
use crate::request::MUTEX_DESTROYED;
use base::{Access, Site, ThreadId, Value};
use serde::{Deserialize, Serialize};

/// The kind of an error. The names are the codes of the reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
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
    /// An exception that no handler takes, or that leaves a function that must not throw.
    UncaughtException,
    /// A Rust panic.
    Panic,
    /// An object that no thread can reach any more.
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
            FaultKind::UncaughtException => "uncaught-exception",
            FaultKind::Panic => "panic",
            FaultKind::Leak => "leak",
        }
    }
}

/// A thread's own fault (the engine finds the others: races, deadlocks, errors with published memory).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// In words: "assertion `x == 1` failed".
    pub message: String,
    /// Where else to look: where the object was freed, for instance.
    pub related: Option<Site>,
}

/// The reason for which an access is not possible. `E` names the event that freed an object.
#[derive(Clone, Debug)]
pub enum Missing<E> {
    /// There is no object.
    Nowhere,
    /// The access begins in this object and goes beyond it, or lies within reach behind it.
    OutOfBounds {
        /// The object's first byte.
        address: u64,
        /// Its size.
        size: u64,
    },
    /// The object was freed by this event.
    Freed(E),
    /// The access overlaps this one.
    Overlaps(Access),
}

impl Fault {
    fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into(), related: None }
    }

    /// The same, with another place to look at.
    pub fn related_to(self, site: Option<Site>) -> Fault {
        Fault { related: site, ..self }
    }

    /// An access that is not possible; `None` if it only has to be refined.
    pub fn of_missing<E>(at: Access, missing: &Missing<E>) -> Option<Fault> {
        let Access { address, size } = at;
        Some(match *missing {
            Missing::Overlaps(_) => return None,
            Missing::Freed(_) => {
                let message = format!("access to {size} bytes at {address:#x} after they were freed");
                Fault::new(FaultKind::UseAfterFree, message)
            }
            Missing::OutOfBounds { address: start, size: whole } => {
                let offset = address - start;
                let message =
                    format!("access to {size} bytes at offset {offset} of an object of {whole} bytes");
                Fault::new(FaultKind::InvalidAccess, message)
            }
            Missing::Nowhere if address < 4096 => Fault::new(FaultKind::InvalidAccess, "null pointer access"),
            Missing::Nowhere => {
                let message = format!("access to {size} bytes at {address:#x}, where there is no object");
                Fault::new(FaultKind::InvalidAccess, message)
            }
        })
    }

    /// A read of so many bytes, none of which was ever written.
    pub fn of_uninitialised_read(size: u8) -> Fault {
        Fault::new(FaultKind::UninitialisedRead, format!("read of {size} bytes that were never written"))
    }

    /// A lock of a mutex that was destroyed.
    pub fn of_destroyed_lock() -> Fault {
        Fault::new(FaultKind::InvalidAccess, "lock of a mutex that was destroyed")
    }

    /// The thread releases a mutex with this word; `None` if it may.
    pub fn of_unlock(thread: ThreadId, word: Option<Value>) -> Option<Fault> {
        let message = match word {
            Some(word) if word == mutex_owner(thread) => return None,
            Some(0) => "unlock of a mutex that is not locked".to_owned(),
            Some(MUTEX_DESTROYED) => {
                let message = "unlock of a mutex that was destroyed";
                return Some(Fault::new(FaultKind::InvalidAccess, message));
            }
            Some(word) => match owner_of_mutex(word) {
                Some(owner) => format!("unlock of a mutex that thread {owner} owns"),
                None => format!("unlock of a mutex whose word is {word:#x}"),
            },
            None => "unlock of a mutex that was never initialised".to_owned(),
        };
        Some(Fault::new(FaultKind::UnlockNotOwned, message))
    }

    /// A join of a thread that was never created.
    pub fn of_unknown_join() -> Fault {
        Fault::new(FaultKind::InvalidAccess, "join of a thread that does not exist")
    }

    /// A second join of a thread.
    pub fn of_second_join() -> Fault {
        Fault::new(FaultKind::InvalidAccess, "join of a thread that was joined before")
    }

    /// A second `free`.
    pub fn of_double_free(address: u64) -> Fault {
        Fault::new(FaultKind::DoubleFree, format!("{address:#x} is freed again"))
    }

    /// A `free` of an address that no allocation returned; the storage of the object that has the byte, if there is
    /// one.
    pub fn of_invalid_free(address: u64, inside: Option<Storage>) -> Fault {
        let message = match inside {
            Some(Storage::Heap) => "free of an address inside an object".to_owned(),
            Some(Storage::Static) => "free of a global variable".to_owned(),
            Some(Storage::Stack) => "free of a local variable".to_owned(),
            None => format!("free of {address:#x}, where there is no object"),
        };
        Fault::new(FaultKind::InvalidFree, message)
    }
}

/// Something that is not modelled, and a thread that has reached it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Unmodelled {
    /// Where.
    pub site: Site,
    /// The construct, and a way around it.
    pub message: String,
    /// Which thread.
    pub thread: ThreadId,
}

/// Something that is not modelled: the thread stops there, and no verdict is possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The construct that is not modelled, and a way around it.
    pub message: String,
    /// Where, if not at the thread's pending instruction.
    pub site: Option<Site>,
    /// Whether it is only that the thread has run for too long without a request. Then the exploration can go on
    /// without the thread ([`Refinements::endless`](crate::Refinements::endless)).
    pub endless: bool,
}

impl Refusal {
    /// Something at which a thread stops.
    pub fn new(message: impl Into<String>, site: Option<Site>) -> Refusal {
        Refusal { message: message.into(), site, endless: false }
    }

    /// More threads than a program may have.
    pub fn of_too_many_threads() -> Refusal {
        let message =
            format!("more than {MAX_THREADS} threads: if a loop creates them, --unroll N bounds it");
        Refusal::new(message, None)
    }

    /// A thread is about to use memory that only another thread should know of.
    pub fn of_disguised_pointer() -> Refusal {
        let message = "a pointer has reached another thread in a form that is not followed (only eight bytes in a row \
                       are): its object still counts as private to its thread";
        Refusal::new(message, None)
    }

    /// A barrier at which it is a choice which threads meet.
    pub fn of_crowded_barrier() -> Refusal {
        let message = "a barrier that more threads use than it waits for is not modelled: give it a count of all threads that use it";
        Refusal::new(message, None)
    }
}
