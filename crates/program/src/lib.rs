//! The contract between the engine and the front ends: what a thread can ask, and what it is told.
//!
//! A front end is a deterministic function of the answers it gets: it sees values, never `rf`. The engine keeps
//! the state of a thread before each of its events and goes back to it by cloning, so a state is cheap to clone
//! (share what is large, copy on write).
//!
//! A thread that stores 1 and finishes:
//! ```
//! use base::{Access, ThreadId, Value, WriteOrder, Site};
//! use program::{Program, Refinement, Refusal, Request};
//!
//! #[derive(Debug)]
//! struct StoresOne;
//! impl Program for StoresOne {
//!     type State = u8;
//!     fn main(&self) -> u8 { 0 }
//!     fn start(&self, _: ThreadId, _: Value, _: Value) -> u8 { unreachable!("main creates no thread") }
//!     fn resume(&self, state: &mut u8, _answer: Value) -> Request {
//!         *state += 1;
//!         match state {
//!             1 => Request::Write { at: Access { address: 8, size: 4 }, value: 1, order: WriteOrder::Relaxed },
//!             _ => Request::Finish { value: 0 },
//!         }
//!     }
//!     fn site(&self, state: &u8) -> Site { Site(u32::from(*state)) }
//!     fn is_private(&self, _: &u8, _: u64) -> bool { false }
//!     fn refine(&mut self, _: Refinement) -> Result<(), Refusal> { unreachable!("one access only") }
//! }
//! let mut state = StoresOne.main();
//! assert!(matches!(StoresOne.resume(&mut state, 0), Request::Write { .. }));
//! ```

mod awaiting;
mod fault;
mod life;
mod meaning;
mod object;
mod request;
mod rmw;
mod role;
mod section;
mod waiting;

pub use awaiting::{AwaitOp, Departure, Passage, Patience, Wakes};
pub use fault::{Fault, FaultKind, Missing, Refusal};
pub use life::{LIFE_BITS, LIFE_WORDS, life_word, proper_address};
pub use meaning::{MAX_THREADS, Reading, mutex_owner, owner_of_mutex};
pub use object::{Allocation, Object, Storage};
pub use request::{Await, Blocker, MUTEX_DESTROYED, Request};
pub use rmw::RmwOp;
pub use role::Role;
pub use section::{Section, SectionName, SectionOrder};
pub use waiting::waits_in_circle;

use base::{Access, RmwOrder, Site, ThreadId, Value};
use std::ops::Range;

/// A program: where threads start and how they go on.
pub trait Program {
    /// All that one thread knows: registers, call stack, memory that no other thread can reach yet.
    type State: Clone + std::fmt::Debug;

    /// The main thread, before its first step.
    fn main(&self) -> Self::State;

    /// The thread that was asked for with [`Request::Create`], before its first step.
    fn start(&self, thread: ThreadId, function: Value, argument: Value) -> Self::State;

    /// Tell the thread the answer to its last request (0 where there is none to tell, and on the first call), and
    /// run it to its next one.
    fn resume(&self, state: &mut Self::State, answer: Value) -> Request;

    /// The instruction that the state's pending request comes from.
    fn site(&self, state: &Self::State) -> Site;

    /// Is `address` in memory that only this thread can reach? Asked when another thread accesses an address that
    /// nobody has published: a pointer in disguise (xor, compression) is refused, not called an error.
    fn is_private(&self, state: &Self::State, address: u64) -> bool;

    /// Is the state's pending read a part of a copy (`memcpy`, a struct assignment), or of an exchange whose old value
    /// nobody looks at? Such a read of bytes that were never written is no error: padding is copied, too. They count as
    /// 0 then.
    fn is_copy(&self, _state: &Self::State) -> bool {
        false
    }

    /// May the state's pending read block the thread? Who does not know says no: then it costs more to explore, and
    /// nothing else changes. [`Await::Success`] is a promise.
    fn awaits(&self, _state: &Self::State) -> Await {
        Await::No
    }

    /// Is the state's pending atomic load the first of a *pair*? That is a promise: whatever is read, either it blocks the thread at
    /// once, or the thread asks next for a compare-exchange of the same place, with this order, which is no weaker than the
    /// load's, that expects what was read and is [`Await::Success`]. (It may have to publish something first: then the two
    /// are no pair.) Who does not know says no.
    fn pair(&self, _state: &Self::State) -> Option<RmwOrder> {
        None
    }

    /// The state's pending load, which is the first of a [pair](Program::pair), reads this: run the thread to its next request, as
    /// [`Program::resume`] does, but as if it had made no event yet. Who goes on with the compare-exchange counts the two as one.
    fn read_ahead(&self, _state: &mut Self::State, _value: Value) -> Request {
        unreachable!("the program has no pairs")
    }

    /// What the thread makes of the answer to the state's pending read or read-modify-write.
    fn role(&self, _state: &Self::State) -> Role {
        Role::Ordinary
    }

    /// Is there any read-modify-write whose role is [`Role::Undoes`]? If not, nobody asks for roles.
    fn may_undo(&self) -> bool {
        false
    }

    /// Are the two states of one thread, which have made the same requests, the same for all that the thread will ever do? Who
    /// does not know says no: then it costs more to explore, and nothing else changes. Asked if [`Program::may_undo`].
    fn is_same(&self, _a: &Self::State, _b: &Self::State) -> bool {
        false
    }

    /// Are there rounds of loops that are run once and then block their thread, because they have changed nothing? Then a race
    /// of such a round with what the thread brings about after the loop may be missed, unless they are kept.
    fn leaves_out_rounds(&self) -> bool {
        false
    }

    /// Are there such rounds that read plainly?
    fn leaves_out_plain_reads(&self) -> bool {
        false
    }

    /// From now on, let each thread go on after the first such round that has accessed this memory. (The exploration then starts
    /// again.)
    fn keep_rounds(&mut self, _memory: &[Range<u64>]) {}

    /// The memory that was given to [`Program::keep_rounds`] last.
    fn kept_rounds(&self) -> &[Range<u64>] {
        &[]
    }

    /// May a thread do something else than another one that was created for the same function and argument and is told the
    /// same: because it knows its own name, or addresses of its own? Who does not know says yes: then it costs more to explore.
    fn tells_threads_apart(&self) -> bool {
        true
    }

    /// Could `main` create a thread after it has joined one? Who does not know says yes.
    fn creates_after_join(&self) -> bool {
        true
    }

    /// Does the first thread go on after it has read what the second one has written? If not it is blocked then. That is no
    /// question about values: it is for programs that are made of a program and of what an execution shall look like.
    fn may_read_from(&self, _reader: ThreadId, _writer: ThreadId) -> bool {
        true
    }

    /// A thread was refused there because it ran for too long without asking anything ([`Refusal::endless`]). From now on it
    /// runs only a little there, and is blocked ([`Blocker::Unroll`]). Who cannot do that does nothing: then it ends the
    /// exploration.
    fn bound(&mut self, _site: Site) {}

    /// The published heap object at `address`, of so many bytes, was freed while other threads were there.
    fn note_freed(&self, _address: u64, _size: u64) {}

    /// Could it make a difference, as far as the program has run, that an address is given again which never was? Then the
    /// exploration starts again, after [`Program::reuse`].
    fn must_reuse(&self) -> bool {
        false
    }

    /// From now on, also give again the addresses for which that could make a difference.
    fn reuse(&mut self) {}

    /// Is there any atomic section? If not, nobody asks for sections.
    fn has_sections(&self) -> bool {
        false
    }

    /// The atomic section that the state's pending request is in.
    fn section(&self, _state: &Self::State) -> Option<Section> {
        None
    }

    /// Which sections exclude each other, by mutexes that they take.
    fn section_order(&self) -> &SectionOrder {
        unreachable!("the program has no sections")
    }

    /// Do something from now on as this says (the exploration then starts again), or refuse.
    fn refine(&mut self, refinement: Refinement) -> Result<(), Refusal>;
}

/// What a program has to do otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refinement {
    /// Two accesses overlap without being equal: split accesses so that they no longer do.
    Split(Conflict),
    /// Atomic sections exclude each other, by the mutexes that they take, as this says.
    Sections(SectionOrder),
}

impl From<Conflict> for Refinement {
    fn from(conflict: Conflict) -> Refinement {
        Refinement::Split(conflict)
    }
}

/// Two different accesses to the same bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The access that came first, and whether any access to it is atomic.
    pub old: (Access, bool),
    /// The new access, and whether it is atomic.
    pub new: (Access, bool),
    /// Where the new access is.
    pub site: Site,
}
