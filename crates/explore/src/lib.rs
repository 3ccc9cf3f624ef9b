//! The exploration: every consistent execution of a program, once.
//!
//! The engine of Threadbare. It adds events to a graph, takes them out again and knows nothing of languages: a
//! [`program::Program`] says what threads do, the rules of a [`Model`] which graphs are consistent. It does no I/O.
//!
//! The loop:
//!
//! | file | what it knows |
//! |---|---|
//! | `explorer`, `frame` | peeling: visits, sweeps, revisits; its explicit stack |
//! | `choices`, `open_coherence` | sources of reads, places of writes, the greedy choice; whether an open `co` has an order that fits |
//! | `shape` | is there a coherence order, and is it left open? |
//! | `construction` | the execution under construction: events are added, bound, taken out and put back |
//! | `threads`, `objects` | where each thread is; which memory there is, and its locations |
//! | `schedule` | which thread takes the next step |
//! | `run`, `dispatch` | exploring again until nothing that was relied on is wrong; from a model to its explorer |
//! | `options`, `control`, `observer` | what to explore and how; stopping it; seeing each execution |
//! | `findings`, `outcome`, `snapshot` | what was found so far; what comes out; an execution as a value |
//! | `races`, `stuck` | data races; executions that have come to a halt: deadlocks, threads that spin for ever |
//! | `replay` | executions as short texts, and back |
//! | `estimate` | about how many executions there are, by random walks |
//!
//! Waiting and reductions, each with its own state, and the ledger of what they rely on:
//!
//! | file | what it knows |
//! |---|---|
//! | `ledger` | assumptions of reductions, and the facts that refute them |
//! | `waiting` | locks that wait: mutexes, words, compare-exchanges, exchanges |
//! | `awaits` | loads that wait for a value that lets their thread go on |
//! | `barrier`, `sleeping` | when threads leave a barrier; which threads may sleep on a condition variable for ever |
//! | `confirm` | rounds that must find a value again which is gone |
//! | `pairs` | a load and the compare-exchange after it as one event |
//! | `attempts`, `zne` | additions that would be undone: not made where no thread can tell, else undone when one has noticed |
//! | `left_out` | races of rounds that are left out |
//! | `symmetry` | identical threads: one execution of each orbit |
//! | `epilogue` | the end that one thread runs alone |
//! | `sections` | atomic sections: which conflict, and whether an execution leaves them in one piece |
//! | `bounds` | loops that met the step limit |
//!
//! Two threads that increment a counter, in two orders:
//! ```
//! use base::{Access, RmwOrder, ReadOrder, Site, ThreadId, Value};
//! use explore::{Model, Options};
//! use program::{Object, Program, Refinement, Refusal, Request, RmwOp, Storage};
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
//!     fn refine(&mut self, _: Refinement) -> Result<(), Refusal> { unreachable!("one access only") }
//! }
//!
//! let outcome = explore::explore(&mut TwoIncrements, Model::Rc11, &Options::default());
//! assert!(outcome.verdict().is_verified());
//! assert_eq!(outcome.executions.complete, 2);
//! ```

mod attempts;
mod awaits;
mod barrier;
mod bounds;
mod choices;
mod confirm;
mod construction;
mod control;
mod dispatch;
mod epilogue;
mod estimate;
mod explorer;
mod findings;
mod frame;
mod ledger;
mod left_out;
mod objects;
mod observer;
mod open_coherence;
mod options;
pub mod outcome;
mod pairs;
mod races;
mod replay;
mod run;
mod schedule;
mod sections;
mod shape;
mod sleeping;
mod snapshot;
mod stuck;
mod symmetry;
mod threads;
mod waiting;
mod zne;

pub use control::{Control, Cut};
pub use dispatch::{explore, explore_up_to_co, explore_with, replay, replay_with};
pub use estimate::{Estimate, Walks};
pub use model::{Equivalence, Model};
pub use observer::{Ending, Observer, View};
pub use options::Options;
pub use outcome::{
    Execution, Executions, Justification, Outcome, StopReason, ThreadEnd, Verdict, Violation, ViolationPlace,
    Wait,
};
pub use replay::ReplayError;

pub use schedule::Policy;
