//! The exploration: every consistent execution of a program, once.
//!
//! The engine of Threadbare. It adds events to a graph, takes them out again and knows nothing of languages: a
//! [`program::Program`] is asked for the steps of threads, the rules of a [`Model`] decide which graphs are consistent.
//! It does no I/O.
//!
//! | file | what it knows |
//! |---|---|
//! | `core/` | the graph, the threads and the peeling loop: see its table |
//! | `reductions/` | executions that make no difference are left out: see its table |
//! | `ledger`, `notes` | the refuted assumptions of reductions; those that a pass relies on, and facts against them |
//! | `run`, `dispatch` | passes, until no assumption that was relied on is wrong; from a model to its explorer |
//! | `options`, `control`, `observer` | how to explore; stopping it; seeing each execution |
//! | `findings`, `outcome`, `snapshot` | the findings so far; the result; an execution as a value |
//! | `replay` | executions as short texts, and back |
//! | `subtree`, `record`, `pass` | a part of an exploration as a value; what it notes; a pass that is put together from parts |
//! | `divide` | an exploration, divided into subtrees before it begins |
//! | `crew`, `parts` | several explorers share the subtrees of a pass; one explorer cuts them at random, for tests |
//! | `estimate/` | about how many executions there are, by samples of the exploration |
//! | `sections` | atomic sections: which conflict, and whether an execution leaves them in one piece |
//! | `bounds` | loops that met the step limit |
//!
//! Two threads that increment a counter, in two orders:
//! ```
//! use base::{Access, RmwOrder, ReadOrder, Site, ThreadId, Value};
//! use explore::{Model, Options};
//! use program::{Hint, Object, Program, Refinements, Refusal, Request, RmwOp, Storage};
//!
//! #[derive(Debug)]
//! struct TwoIncrements;
//! const X: Access = Access { address: 8, size: 4 };
//! impl Program for TwoIncrements {
//!     type State = (bool, u8);
//!     fn main(&self) -> (bool, u8) { (true, 0) }
//!     fn start(&self, _: ThreadId, _: Value, _: Value) -> (bool, u8) { (false, 0) }
//!     fn resume(&self, (main, step): &mut (bool, u8), _: Value) -> Request {
//!         *step += 1;
//!         let bytes = vec![0; 4].into();
//!         let x = Object { address: 8, bytes, defined: None, written: None, allocated: None, storage: Storage::Static };
//!         match (*main, *step) {
//!             (true, 1) => Request::Publish([x].into()),
//!             (true, 2) | (true, 3) => Request::Create { function: 0, argument: 0 },
//!             (false, 1) => Request::Rmw {
//!                 at: X, op: RmwOp::Add(1), order: RmwOrder::Relaxed, failure: ReadOrder::Relaxed,
//!             },
//!             _ => Request::Finish { value: 0 },
//!         }
//!     }
//!     fn site(&self, state: &(bool, u8)) -> Site { Site(u32::from(state.1)) }
//!     fn is_private(&self, _: &(bool, u8), _: u64) -> bool { false }
//!     fn refine(&mut self, _: &Refinements) -> Result<(), Refusal> { Ok(()) }
//! }
//! impl Hint for TwoIncrements {}
//!
//! let outcome = explore::explore(&mut TwoIncrements, Model::Rc11, &Options::default());
//! assert!(outcome.verdict().is_verified());
//! assert_eq!(outcome.executions.complete, 2);
//! ```

mod bounds;
mod control;
mod core;
mod crew;
mod dispatch;
mod divide;
mod estimate;
mod findings;
mod ledger;
mod notes;
mod observer;
mod options;
pub mod outcome;
mod parts;
mod pass;
mod record;
mod reductions;
mod replay;
mod run;
mod sections;
mod snapshot;
mod subtree;

pub use control::{Control, Cut};
pub use core::schedule::Policy;
pub use dispatch::{
    divide, explore, explore_from, explore_together_up_to_co, explore_up_to_co, explore_with, replay,
    replay_with,
};
pub use estimate::{Estimate, Sampling};
pub use model::{Equivalence, Model};
pub use observer::{Ending, Observer, PartObserver, View};
pub use options::{LockOrders, Options};
pub use outcome::{
    Execution, Executions, Justification, Limits, Outcome, StopReason, ThreadEnd, Unmodelled, Verdict,
    Violation, ViolationPlace, Wait,
};
pub use parts::explore_in_parts;
pub use program::{Check, Checks};
pub use reductions::{Reduction, ReductionSet};
pub use replay::ReplayError;
pub use run::Exploration;
pub use subtree::{BadSubtree, Path, Subtree};
