//! Memory models: which execution graphs are allowed.
//!
//! Each model is two things. A *declarative* text ([`rc11`], [`sc`], [`ra`] and the others; [`Model`] names them all):
//! relation algebra over a finished graph, axiom by axiom under the paper's names, slow and obvious. And an
//! *incremental* checker ([`Rc11`], [`Sc`], [`Ra`], all a [`MemoryModel`]): clocks and a search that starts at what has
//! changed. Exploring with the checker gives exactly the graphs that the text accepts; the tests of crate `explore`
//! compare the two on random programs.
//!
//! Store buffering with SC accesses, both reads reading the initial value, is forbidden:
//! ```
//! let graph: graph::ExecutionGraph = "\
//! thread 0
//!   W sc 0x10/4 = 1
//!   R sc 0x14/4 = 0 rf init
//! thread 1
//!   W sc 0x14/4 = 1
//!   R sc 0x10/4 = 0 rf init
//! co 0x10/4: 0:0
//! co 0x14/4: 1:0
//! ".parse()?;
//! assert!(model::ra::consistent(&graph).is_ok());
//! let inconsistent = model::rc11::consistent(&graph).unwrap_err();
//! assert!(inconsistent.to_string().contains("SC-ACYCLICITY"), "{inconsistent}");
//! # Ok::<(), graph::ParseError>(())
//! ```
//!
//! | file | what it knows |
//! |---|---|
//! | `catalogue` | the models by name, what a user chooses them by, and which is weaker than which |
//! | `sc`, `tso`, `sra`, `ra`, `wra`, `rc11`, `wrc11`, `rc20`, `relaxed` | the declarative text of each model, beside its paper |
//! | `relation` | relations as bit matrices, with the algebra that the texts are written in |
//! | `declarative`, `axioms` | the relations of one execution; axioms that several models share |
//! | `memory_model` | what the exploration asks of a model |
//! | `sc_live`, `tso_live`, `sra_live`, `rc11_live`, `psc_live` | searches for new cycles of the global axioms |
//! | `ra_live`, `rc20_live`, `relaxed_live` | models in which coherence and atomicity are all there is |
//! | `wra_live`, `wrc11_live` | models without a coherence order: what a read may not read |
//! | `frontier` | upward-closed sets of events, for the searches |
//! | `up_to_rf`, `open_co` | a model with its coherence order left open; whether there is one that its global axiom allows |
//! | `races` | data races, with respect to the `hb` of any model |
//! | `sections` | the axioms of a model on executions in which each atomic section is one event |
//! | `xmm` | XMM, definition by definition: consistency, preserved program order, load-buffering races |
//! | `xmm/reexecution`, `xmm/patterns` | the step from one graph to another; which committed sets are worth trying |

pub mod axioms;
mod catalogue;
pub mod declarative;
mod frontier;
mod memory_model;
pub mod open_co;
mod psc_live;
pub mod ra;
mod ra_live;
pub mod races;
pub mod rc11;
mod rc11_live;
pub mod rc20;
mod rc20_live;
pub mod relation;
pub mod relaxed;
mod relaxed_live;
pub mod sc;
mod sc_live;
pub mod sections;
pub mod sra;
mod sra_live;
pub mod tso;
mod tso_live;
mod up_to_rf;
pub mod wra;
mod wra_live;
pub mod wrc11;
mod wrc11_live;
pub mod xmm;

pub use catalogue::{About, Equivalence, Kind, Model, Scope, Text};
pub use declarative::{Axiom, Candidate, Inconsistent, Relations};
pub use memory_model::{MemoryModel, Orders};
pub use ra_live::Ra;
pub use rc11_live::Rc11;
pub use rc20_live::Rc20;
pub use relaxed_live::Relaxed;
pub use sc_live::Sc;
pub use sra_live::Sra;
pub use tso_live::Tso;
pub use up_to_rf::UpToRf;
pub use wra_live::Wra;
pub use wrc11_live::Wrc11;
