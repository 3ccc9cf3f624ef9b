//! The door to the engine: a program of the virtual machine and a [`Job`] in, an [`Outcome`] out.
//!
//! The exploration of crate `explore` is generic over programs and over the shape of the coherence order. Here it meets
//! the one program that users bring, a [`vm::Machine`], and nowhere else: front ends, commands and reports call
//! functions that are compiled once. Replay strings leave and enter signed, so that none is replayed with another
//! program.
//!
//! A program that returns 42 has one execution:
//! ```
//! use base::Site;
//! use engine::{Control, Job, Model};
//! use vm::bytecode::{Constant, Function, FunctionId, List, Module, Op, Operand};
//!
//! let main = Function {
//!     name: "main".into(),
//!     constants: vec![Constant::Value(42)],
//!     operands: vec![Operand::Const(0)],
//!     code: vec![Op::Return { values: List { first: 0, len: 1 } }],
//!     sites: vec![Site(0)],
//!     ..Function::default()
//! };
//! let module = Module { functions: vec![main], main: Some(FunctionId(0)), ..Module::default() };
//!
//! let job = Job::new(Model::Rc11);
//! let mut machine = vm::Machine::new(module, job.machine_options())?;
//! let outcome = engine::explore(&mut machine, &job, &Control::new(), &mut ());
//! assert!(outcome.verdict().is_verified());
//! assert_eq!(outcome.executions.complete, 1);
//! # Ok::<(), vm::BuildError>(())
//! ```

mod door;
mod job;
mod replay_string;

pub use door::{
    ReplayError, divide, estimate, explore, explore_from, fingerprint, replay, replay_steps, replay_string,
    signed_by, unfinished,
};
pub use explore::outcome;
pub use explore::{BadSubtree, Check, Checks, Exploration, PartObserver, Subtree, explore_in_parts};
pub use explore::{
    Control, Cut, Ending, Estimate, Execution, Executions, Justification, LockOrders, Observer, Options,
    Outcome, Policy, Reduction, ReductionSet, Sampling, StopReason, ThreadEnd, Verdict, View, Violation,
    ViolationPlace, Wait,
};
pub use job::Job;
pub use model::{Equivalence, Model};
pub use replay_string::Unfit;
pub use xmm::Search as XmmSearch;
