//! Control flow of a function of bytecode: what the spinloop passes have to know before they change anything.
//!
//! | file | what it knows |
//! |---|---|
//! | `effects` | what an instruction reads and writes, and where it goes |
//! | `graph` | basic blocks, and the way from code to blocks and back |
//! | `dominators` | which blocks all paths to a block go through |
//! | `loops` | natural loops: headers, backedges, the blocks of the loopy paths |
//! | `liveness` | which registers may be read before they are written |
//! | `purity` | which instructions others could notice |

mod dominators;
pub mod effects;
mod graph;
mod liveness;
mod loops;
mod purity;

pub(crate) use dominators::Dominators;
pub(crate) use graph::{Block, Cfg, starts};
pub(crate) use liveness::Liveness;
pub(crate) use loops::{BackEdge, Loops};
pub(crate) use purity::{Purity, is_arithmetic, is_loop_mark, is_silent};
