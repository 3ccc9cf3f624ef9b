//! Litmus tests in herd's C dialect: parsed, run under any memory model, and answered in herd's format.
//!
//! A [`Test`] is parsed and lowered to the bytecode of `vm` once; [`Test::run`] explores every execution under a model
//! and counts the final states; the [`Answer`] is printed by [`Test::herd`], [`Test::concise`] or [`Test::json`], or
//! compared with a [`expect::Table`].
//!
//! | file | what it knows |
//! |---|---|
//! | `lexer`, `parse` | the three languages of a test: initial state, C, conditions |
//! | `syntax`, `types`, `atomics` | what was written; C's integer types; the functions of `<stdatomic.h>` |
//! | `lower` | names, types, and the bytecode of a process |
//! | `condition`, `state` | propositions; variables, values and their order |
//! | `test`, `run` | a test; its executions and their final states |
//! | `herd`, `json` | answers as text |
//! | `csv`, `expect` | tables of expected answers |
//! | `source`, `error` | places in the text of a test; what can be wrong with it, and what to do |
//!
//! Not modelled: arrays, structs, mutexes, `switch`, `goto`, user functions, the Linux kernel's primitives; each is an
//! error with its place. Errors never panic, and no text makes the parser slow or deep.
//!
//! ```
//! let text = b"C SB
//! { x = 0; y = 0; }
//! P0(atomic_int* x, atomic_int* y) {
//!   atomic_store_explicit(x, 1, memory_order_relaxed);
//!   int r0 = atomic_load_explicit(y, memory_order_relaxed);
//! }
//! P1(atomic_int* x, atomic_int* y) {
//!   atomic_store_explicit(y, 1, memory_order_relaxed);
//!   int r0 = atomic_load_explicit(x, memory_order_relaxed);
//! }
//! exists (0:r0=0 /\\ 1:r0=0)";
//! let test = litmus::Test::parse("SB.litmus", text)?;
//! let control = engine::Control::new();
//! let weak = test.run(model::Model::Rc11, vm::Options::default(), &control);
//! assert_eq!((weak.states.len(), weak.observation()), (4, "Sometimes"));
//! let strong = test.run(model::Model::Sc, vm::Options::default(), &control);
//! assert_eq!((strong.states.len(), strong.observation()), (3, "Never"));
//! # Ok::<(), litmus::Error>(())
//! ```

mod atomics;
mod condition;
pub mod csv;
mod error;
pub mod expect;
mod herd;
mod json;
mod lexer;
mod lower;
mod parse;
mod run;
mod source;
mod state;
mod syntax;
mod test;
mod types;

pub use condition::Quantifier;
pub use error::{Error, Problem};
pub use run::{Answer, Keep, Sources};
pub use state::{State, Value, Variable, state_line};
pub use test::{MAX_BYTES, Test};
