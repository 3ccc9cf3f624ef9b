//! Control flow of a function of bytecode: the analyses that the spinloop passes need before they change anything.
//!
//! | file | contents |
//! |---|---|
//! | `effects` | the registers that an instruction reads and writes, and where it goes |
//! | `graph` | basic blocks, and the way from code to blocks and back |
//! | `dominators` | which blocks all paths to a block go through |
//! | `loops` | natural loops: headers, backedges, the blocks of the loopy paths |
//! | `liveness` | which registers may be read before they are written |
//! | `purity` | which instructions other threads could observe |

mod dominators;
pub mod effects;
mod graph;
mod liveness;
mod loops;
mod purity;

pub(crate) use dominators::Dominators;
pub(crate) use graph::{Block, Cfg, starts};
pub(crate) use liveness::{Liveness, RegisterSet, live_at_each};
pub(crate) use loops::{BackEdge, Loops};
pub(crate) use purity::{Purity, is_arithmetic, is_loop_mark, is_silent};
