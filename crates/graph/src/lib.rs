//! Execution graphs: what a program did, without saying when.
//!
//! The events of each thread are in program order (`po`); `rf` says for each read which write it read, `co` orders
//! the writes to each location. Message passing, with a flag `y` that is written by a release and read by an
//! acquire:
//!
//! ```text
//!          x = y = 0                      thread 0            thread 1
//!                                            W rlx x = 1 ─┐   ┌► R acq y = 1
//!   po: downwards, within a thread           │            │   │  │
//!   rf: from a write to its readers       po ▼         rf │   │  ▼ po
//!   co: per location, initial write first    W rel y = 1 ─┼───┘  R rlx x = 1
//!                                                 rf      └──────►
//! ```
//!
//! A graph is a value: it can be cloned, compared, checked, cut, printed and parsed back.
//!
//! ```
//! use graph::{ExecutionGraph, restrict};
//!
//! let text = "\
//! thread 0
//!   W rlx 0x10/4 = 1
//!   W rel 0x14/4 = 1
//! thread 1
//!   R acq 0x14/4 = 1 rf 0:1
//!   R rlx 0x10/4 = 1 rf 0:0
//! co 0x10/4: 0:0
//! co 0x14/4: 0:1
//! ";
//! let graph: ExecutionGraph = text.parse()?;
//! assert_eq!(graph.check(), Ok(()));
//! assert_eq!(graph.to_string(), text);
//! assert_eq!(restrict(&graph, &[2, 1]).events().count(), 3);
//! # Ok::<(), graph::ParseError>(())
//! ```
//!
//! This crate knows no memory model and no program: which graphs are allowed is for crate `model` to say, which
//! graphs a program has is for crate `explore`.
//!
//! | file | what it knows |
//! |---|---|
//! | `label` | what an event does |
//! | `execution` | an execution graph as a value |
//! | `check` | the conditions under which a value is a graph, with `co` and without |
//! | `canonical` | the same graph with its threads numbered by the tree of creations |
//! | `restrict` | cutting a graph down to a prefix |
//! | `text`, `trace` | the text form, printed and parsed; the trace text, written |
//! | `fixtures` | graphs for the tests of this crate |

mod canonical;
mod check;
mod execution;
#[cfg(test)]
mod fixtures;
mod label;
mod restrict;
mod text;
mod trace;

pub use check::Malformed;
pub use execution::{ExecutionGraph, Source};
pub use label::Label;
pub use restrict::restrict;
pub use text::ParseError;
