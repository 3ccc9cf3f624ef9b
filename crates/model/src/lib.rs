//! To be written.

pub mod declarative;
mod frontier;
mod memory_model;
pub mod ra;
mod ra_live;
pub mod races;
pub mod rc11;
mod rc11_live;
pub mod relation;
pub mod sc;
mod sc_live;

pub use declarative::{Axiom, Candidate, Inconsistent, Relations};
pub use memory_model::MemoryModel;
pub use ra_live::Ra;
pub use rc11_live::Rc11;
pub use sc_live::Sc;
