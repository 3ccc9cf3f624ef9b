//! Threadbare bytecode, its interpreter and its memory.
//!
//! A front end lowers a program to a [`bytecode::Module`]; a [`Machine`] checks it, gives out addresses, and is then a
//! [`program::Program`] that the engine explores. Memory that only one thread can reach (its registers, its call stack,
//! objects that no other thread has a pointer to, constants) is in that thread's [`ThreadState`] and makes no requests;
//! the rest is the engine's. From outside to inside:
//!
//! | file | contents |
//! |---|---|
//! | `bytecode`, `verify` | instructions, and when a module is well-formed |
//! | `file`, `source_map`, `initial` | a module as bytes: all of it, its source map, its globals |
//! | `cfg`, `spin` | control flow; which rounds of loops need not be run |
//! | `machine` | addresses of globals and functions |
//! | `describe`, `shape`, `spots` | names for reports: of addresses; of parts of objects; the calls behind an instruction |
//! | `fingerprint`, `fnv` | a number that identifies the program |
//! | `interpret`, `arithmetic`, `float` | the fast loop |
//! | `step` | requests and answers, calls and returns |
//! | `unroll` | bounds on loops |
//! | `access`, `layout`, `escape` | loads and stores; where they are split; the objects that they publish |
//! | `unwind` | exceptions, from the throw to the landing pad |
//! | `locals`, `weak`, `section` | lives of local variables; weak compare-exchanges; atomic sections |
//! | `builtin`, `library` | functions with a model: their symbols; from the call to the model |
//! | `heap`, `reuse`, `copy`, `strings`, `output` | models of memory, of reused addresses, of strings, of output |
//! | `pthread`, `sync`, `thread_data` | models of threads and mutexes, of other ways to wait, of values of a thread |
//! | `system` | models of what the system answers: numbers, time, signals, mappings |
//! | `exit` | the end of the program, and destructors |
//! | `identity`, `creation` | whether threads can find out which one they are; whether one is created after a join |
//! | `state`, `registers`, `remains` | a thread's state; the memory that it leaves behind |
//! | `memory`, `private`, `table`, `contents`, `statics`, `address` | its memory |
//!
//! Not modelled: see `Op::Refuse` and the headers of these files. All of it ends in `Request::Refuse`.
//!
//! A program that returns 42:
//! ```
//! use base::Site;
//! use program::{Program, Request};
//! use vm::bytecode::{Constant, Function, FunctionId, List, Module, Op, Operand};
//! use vm::{Machine, Options};
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
//! let machine = Machine::new(module, Options::default())?;
//! let mut state = machine.main();
//! assert!(matches!(machine.resume(&mut state, 0), Request::Finish { value: 42 }));
//! assert_eq!(machine.returned(&state).as_deref(), Some(&[42][..]));
//! # Ok::<(), vm::BuildError>(())
//! ```

mod access;
mod address;
mod arithmetic;
mod builtin;
pub mod bytecode;
pub mod cfg;
mod contents;
mod copy;
mod creation;
mod describe;
mod escape;
mod exit;
mod file;
mod fingerprint;
mod float;
mod fnv;
mod heap;
mod identity;
mod initial;
mod interpret;
mod layout;
mod library;
mod locals;
mod machine;
mod memory;
mod output;
mod private;
mod pthread;
mod registers;
mod remains;
mod reuse;
mod section;
mod shape;
mod source_map;
mod spin;
mod spots;
mod state;
mod statics;
mod step;
mod strings;
mod sync;
mod system;
mod table;
mod thread_data;
mod unroll;
mod unwind;
mod verify;
mod weak;

pub use address::MAX_BYTES;
pub use builtin::Builtin;
pub use file::{FileError, reseal};
pub use fnv::checksum;
pub use machine::{BuildError, Machine, Options};
pub use reuse::Alloc;
pub use spin::Spin;
pub use state::ThreadState;
pub use sync::SyncCall;
pub use system::{Cancel, Clock, SystemCall};
pub use unroll::{LoopBound, LoopName};
pub use unwind::UnwindCall;
