//! Memory models: which execution graphs are allowed.
//!
//! A model is a value, its [`Rules`]; [`Model`] names them all. Each is two things. A *declarative* text ([`rc11`],
//! [`sc`], [`ra`] and the others): relation algebra over a finished graph, axiom by axiom under the paper's names, slow and
//! obvious. And what *incremental* algorithms go by: which orders synchronise, what orders writes, and a [`Checker`] of the
//! global axiom, a search that starts at what has changed. Exploring with the latter gives exactly the graphs that the text
//! accepts; the tests of crate `explore` compare the two on random programs.
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
//! | `rules` | what distinguishes one model from another, as a value |
//! | `sc`, `tso`, `sra`, `ra`, `wra`, `rc11`, `c20`, `wrc11`, `rc20`, `relaxed` | each model: its rules, and its declarative text, beside its paper |
//! | `relation` | relations as bit matrices, with the algebra that the texts are written in |
//! | `declarative`, `axioms` | the relations of one execution; axioms that several models share |
//! | `checker` | the global axiom of a model, incrementally |
//! | `sc_live`, `tso_live`, `sra_live`, `psc_live` | searches for new cycles of the global axioms |
//! | `after` | the writes that are after an access, in an order that is linked or in all that are possible |
//! | `weak_order` | writes without a coherence order: which is before which, what a read may not read |
//! | `frontier` | upward-closed sets of events, for the searches |
//! | `open_co` | coherence orders that are left open: whether there is one that the global axiom allows |
//! | `races` | data races, with respect to the `hb` of any model |
//! | `sections` | the axioms of a model on executions in which each atomic section is one event |
//! | `xmm` | XMM, definition by definition: consistency, preserved program order, load-buffering races |
//! | `xmm/reexecution`, `xmm/patterns` | the step from one graph to another; which committed sets are worth trying |

mod after;
pub mod axioms;
pub mod c20;
mod catalogue;
mod checker;
pub mod declarative;
mod frontier;
pub mod open_co;
mod psc_live;
pub mod ra;
pub mod races;
pub mod rc11;
pub mod rc20;
pub mod relation;
pub mod relaxed;
mod rules;
pub mod sc;
mod sc_live;
pub mod sections;
pub mod sra;
mod sra_live;
pub mod tso;
mod tso_live;
mod weak_order;
pub mod wra;
pub mod wrc11;
pub mod xmm;

pub use catalogue::{About, Equivalence, Model, Scope};
pub use checker::Checker;
pub use declarative::{Axiom, Candidate, Inconsistent, Relations};
pub use rules::{Coherence, Cycles, GlobalAxiom, Orders, ReleaseSequence, Rules, ScFence};
