//! Reads-from consistency: whether given events, `po` and `rf` have a coherence order that makes them
//! consistent.
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
//! | file | what it knows |
//! |---|---|
//! | `execution`, `label` | partial executions: events, `po` and `rf`, flat; their events as the declarative texts take them |
//! | `answer`, `explain`, `words` | answers with their proofs; why there is no coherence order; a proof in words |
//! | `check` | which algorithm answers for which model |
//! | `wra`, `sra`, `rc20`, `relaxed` | algorithms 1 to 4, each for its model; `rc20` for RA, RC11 and C20 without SC events, too |
//! | `porf` | an order of all events that agrees with `po` and `rf`, or a cycle |
//! | `timestamps`, `views` | hb-timestamps per thread; those that are kept because a read may still acquire them |
//! | `slots`, `lists` | tables per location and thread; what each thread did last to a location |
//! | `chains`, `ordering` | rf-chains; the orderings of chains that lemma 3.2 gives |
//! | `coherence`, `extension` | whether the orderings have a linear extension; one close to the order of arrival, or a short cycle |
//! | `downward` | the search over prefixes for SC, TSO and SRA with read-modify-writes |
//! | `downward/steps`, `downward/search` | what the threads do, step by step, as a model sees it; the search |
//! | `downward/forced`, `downward/cycle` | orderings that lemma 3.2 forces; cycles of these |
//! | `saturation` | a cycle that is forced under SC or TSO, as an explanation |
//! | `psc`, `psc_cycle`, `sc_graph` | the search for RC11 with SC events; a cycle of `psc`; whether an execution is SC with a given `co` |
//! | `sc_fences` | the search for an order of SC fences that are read-modify-writes |
//! | `incremental` | executions that grow event by event: which writes a new read may read from |
//! | `incremental/hb`, `incremental/clocks` | happens-before on the fly; vector clocks that can still change |
//! | `incremental/chains`, `incremental/hbmo` | rf-chains as they grow; per chain, which writes are before it |
//! | `incremental/history`, `incremental/candidates` | which write each access last saw; which writes a new read may read from |
//! | `incremental/witness` | a coherence order for all that was accepted |
//! | `trace` | the trace text, read and written |
//! | `question` | what a trace asks, and which check answers it |
//! | `given` | a given `co` as one more thread that reads it |
//! | `threads` | creation and join as accesses, under each model |
//! | `small` | small executions by the declarative texts, every coherence order tried |
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
