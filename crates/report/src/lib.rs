//! Outcomes for people and for machines.
//!
//! One model of what is to be said ([`Report`], with a [`Diagnostic`] per violation), built once from the outcome of
//! an exploration and a [`SourceMap`]; the renderers [`full`], [`concise`] and [`json`] only lay it out. An execution as a
//! drawing is a [`Picture`], which [`dot`], [`svg`] and [`html`] lay out. Everything
//! here is a pure function of its arguments: no file is read, nothing is printed, no clock is asked.
//!
//! | file | what it knows |
//! |---|---|
//! | `diagnostic` | what is to be said about a run: a report, with a diagnostic per violation and its first line |
//! | `verdict` | the verdict in words: what it is, why it is not more, what to do next |
//! | `numbers` | estimated numbers, rounded |
//! | `why`, `sync` | the reason of a violation and the help; which steps between two events do not synchronise |
//! | `deadlock`, `cycle` | threads that wait, and for what; cycles of XMM and their justification |
//! | `threads`, `notation` | the story of each thread; how events, values and places are written |
//! | `objects`, `stack` | names of allocated objects; the calls that led to an instruction |
//! | `run`, `source_map` | what the caller did; from instructions and addresses back to the source |
//! | `full`, `concise`, `json`, `trace` | the renderers: for people, for editors, for machines, for `threadbare check` |
//! | `picture` | an execution as boxes and arrows |
//! | `picture/relations`, `picture/synchronisation` | which relations are drawn, between which boxes; synchronises-with |
//! | `picture/rows`, `picture/ends`, `picture/sources` | the row of each box; how far threads got; the source beside the picture |
//! | `layout` | where everything of a picture is on the plane |
//! | `layout/route`, `layout/curve`, `layout/labels` | the ways of arrows; their lines; the words beside them |
//! | `dot`, `svg`, `html` | the writers of pictures |
//! | `escape`, `markup` | texts from outside, for terminals; and inside of XML, HTML and DOT |
//!
//! ```
//! use explore::outcome::{Executions, Outcome, StopReason};
//! use report::{NoSource, Report, Run};
//!
//! let executions = Executions { complete: 3, blocked: 0, duplicate: 0 };
//! let outcome = Outcome::cut_short(StopReason::Interrupted, executions, Vec::new());
//! let run = Run {
//!     program: "mp.c".into(),
//!     files: "mp.c".into(),
//!     model: model::Model::Rc11.rules(),
//!     equivalence: "co",
//!     options: String::new(),
//!     cflags: String::new(),
//!     frontend_seconds: 0.05,
//!     exploration_seconds: 0.004,
//!     peak_memory_bytes: 1 << 20,
//! };
//! let report = Report::new(&outcome, &run, &NoSource);
//! assert_eq!(
//!     report::full(&report, report::Colour::Never),
//!     "mp.c: inconclusive under RC11: it was interrupted before everything was explored\n\
//!      mp.c: no violation found under RC11 — 3 executions, 0 blocked, 4 ms\n",
//! );
//! ```

mod concise;
mod cycle;
mod deadlock;
mod diagnostic;
mod dot;
mod escape;
mod full;
mod html;
mod json;
mod layout;
mod markup;
mod notation;
mod numbers;
mod objects;
mod picture;
mod run;
mod source_map;
mod stack;
mod svg;
mod sync;
mod threads;
mod trace;
mod verdict;
mod why;

pub use concise::concise;
pub use diagnostic::{Diagnostic, Participant, Report};
pub use dot::dot;
pub use full::{Colour, duration, full};
pub use html::html;
pub use json::{Common, Executions, json, json_around, json_with};
pub use notation::counted;
pub use picture::Picture;
pub use run::{Run, shell_word};
pub use source_map::{NoSource, SiteInfo, SourceMap};
pub use stack::Frame;
pub use svg::svg;
pub use threads::{ThreadLine, ThreadStory};
pub use trace::trace;
pub use verdict::Answer;
