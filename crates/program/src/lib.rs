//! The contract between the engine and the front ends, in three parts: the requests of threads and their answers
//! ([`Program`]), knowledge about a pending request ([`Hint`]), and about the whole program ([`Facts`]).
//!
//! A front end is a deterministic function of the answers it gets: it sees values, never `rf`. The engine keeps the
//! state of a thread before each of its events and goes back to it by cloning, so a state is cheap to clone (large
//! parts are shared, and copied on write).
//!
//! | file | what it knows |
//! |---|---|
//! | `request`, `rmw`, `awaiting`, `section` | what a thread can ask: requests, read-modify-writes, words to await, atomic sections |
//! | `meaning` | what a request reads, writes and answers |
//! | `fault`, `check` | what is wrong or not modelled, in words; which errors are looked for |
//! | `hint`, `role` | what is known about a pending request, and what becomes of its answer |
//! | `facts`, `refinement` | what is known about the whole program; how it has to behave otherwise |
//! | `object`, `life`, `remains` | objects that are published; the lives of a block that is allocated again; memory that a thread leaves behind |
//! | `hidden` | words that no program can access: queues of futexes, ends of threads |
//! | `waiting` | threads that wait for each other |
//!
//! A thread that stores 1 and finishes:
//! ```
//! use base::{Access, ThreadId, Value, WriteOrder, Site};
//! use program::{Hint, Program, Refinements, Refusal, Request};
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
//!     fn refine(&mut self, _: &Refinements) -> Result<(), Refusal> { Ok(()) }
//! }
//! impl Hint for StoresOne {}
//! let mut state = StoresOne.main();
//! assert!(matches!(StoresOne.resume(&mut state, 0), Request::Write { .. }));
//! ```

mod awaiting;
mod check;
mod facts;
mod fault;
mod hidden;
mod hint;
mod life;
mod meaning;
mod object;
mod refinement;
mod remains;
mod request;
mod rmw;
mod role;
mod section;
mod waiting;

pub use awaiting::{AwaitOp, Departure, Gate, Passage, Patience, Wakes};
pub use check::{Check, Checks};
pub use facts::{Facts, LeftOutRounds};
pub use fault::{Fault, FaultKind, Missing, Refusal, Unmodelled};
pub use hidden::{FUTEX_LOCK, HiddenWord};
pub use hint::Hint;
pub use life::{LIFE_BITS, LIFE_WORDS, life_word, proper_address};
pub use meaning::{MAX_THREADS, Reading, mutex_owner, owner_of_mutex, resume};
pub use object::{Allocation, Object, Storage};
pub use refinement::{Block, Conflict, Refinements, Remark};
pub use remains::Remains;
pub use request::{Await, Blocker, MUTEX_DESTROYED, Request, tried};
pub use rmw::RmwOp;
pub use role::Role;
pub use section::{Section, SectionName, SectionOrder};
pub use waiting::waits_in_circle;

use base::{Site, ThreadId, Value};

/// A program: where threads start and how they go on.
///
/// Two more parts are optional: [`Hint`], about the pending request of a thread, and [`Facts`], about the whole
/// program. Both promise nothing by default.
pub trait Program {
    /// All that one thread knows: registers, call stack, memory that no other thread can reach yet.
    type State: Clone + std::fmt::Debug;

    /// The main thread, before its first step.
    fn main(&self) -> Self::State;

    /// The thread that was asked for with [`Request::Create`], before its first step.
    fn start(&self, thread: ThreadId, function: Value, argument: Value) -> Self::State;

    /// Tell the thread the answer to its last request (0 where there is none to tell, and on the first call), and
    /// run it to its next one. The same state goes the same way with the same answer: it may not be asked twice.
    fn resume(&self, state: &mut Self::State, answer: Value) -> Request;

    /// The instruction that the state's pending request comes from.
    fn site(&self, state: &Self::State) -> Site;

    /// The calls that led to that instruction, the innermost one first. Asked for reports only.
    fn callers(&self, _state: &Self::State) -> Vec<Site> {
        Vec::new()
    }

    /// Whether `address` is in memory that only this thread can reach. Asked when another thread accesses an address
    /// that is not published: a pointer in disguise (xor, compression) is refused, not called an error.
    fn is_private(&self, state: &Self::State, address: u64) -> bool;

    /// Facts about all threads and executions.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// From now on, behave as these refinements say, and no earlier ones; or refuse. The exploration then starts again.
    fn refine(&mut self, refinements: &Refinements) -> Result<(), Refusal>;
}
