//! Reads-from consistency: given events, `po` and `rf`, is there a coherence order that makes them
//! consistent?
//!
//! Implements: \[RF\], [`check`]: the algorithms for WRA, RA, RC20, Relaxed and SRA without
//! read-modify-writes, with O(n·k) for n events of k threads (O(n) for Relaxed); searches where the problem is
//! NP-hard (`downward`, `psc`, `sc_fences`); and the algorithm for executions that grow, [`incremental`].
//! Every answer has a proof: a coherence order that the declarative text of the model accepts, or a cycle in
//! which each step can be looked up.
//!
//! A check sweeps over the events in an order that agrees with `po` and `rf` (`porf`) and keeps, per thread,
//! its hb-timestamp (`timestamps`). For every access, cursors (`lists`) find what each thread last did to the
//! location before it; lemma 3.2 turns that into orderings of rf-chains (`ordering`, `chains`), and minimal
//! coherence (`coherence`) into an answer.
//!
//! [`trace`] reads the text form in which the question is asked from outside; [`check_trace`] asks it for a trace, with
//! what only a trace has: a given `co`, creation and join of threads. What no algorithm answers, `small` does for small
//! traces, with the declarative texts.
//!
//! ```
//! use consistency::{Answer, check_trace, trace};
//!
//! let text = "# threadbare trace 1\ne0 t0 W rlx x\ne1 t0 R rlx x rf=init\n";
//! let stale = trace::read(text.as_bytes()).unwrap();
//! assert!(matches!(check_trace(&stale, model::Model::Rc11), Ok(Answer::Inconsistent(_))));
//! ```

pub mod answer;
mod chains;
mod check;
mod coherence;
mod downward;
pub mod execution;
mod explain;
mod extension;
mod given;
pub mod incremental;
pub mod label;
mod lists;
mod ordering;
mod porf;
mod psc;
mod psc_cycle;
mod question;
mod rc20;
mod relaxed;
mod saturation;
mod sc_fences;
mod sc_graph;
mod slots;
mod small;
mod sra;
mod threads;
mod timestamps;
pub mod trace;
mod views;
pub mod words;
mod wra;

pub use answer::{Answer, Reason, Step, Unsupported, Why, Witness};
pub use check::check;
pub use execution::{Event, Location, Malformed, Op, PartialExecution, Source, Thread};
pub use question::{Undecided, check_trace};
pub use trace::Trace;
pub use words::{Names, Numbers};
