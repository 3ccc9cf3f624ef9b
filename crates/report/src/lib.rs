//! Outcomes for people and for machines.
//!
//! One model of what is to be said ([`Report`], with a [`Diagnostic`] per violation), built once from the outcome of
//! an exploration and a [`SourceMap`]; the renderers [`full`], [`concise`] and [`json`] only lay it out. An execution as a
//! drawing is a [`Picture`], which [`dot`], [`svg`] and [`html`] lay out. Everything
//! here is a pure function of its arguments: no file is read, nothing is printed, no clock is asked.
//!
//! ```
//! use explore::outcome::{Executions, Outcome, Verdict};
//! use report::{ModelName, NoSource, Orders, Report, Run};
//!
//! let outcome = Outcome {
//!     verdict: Verdict::Verified,
//!     executions: Executions { complete: 3, blocked: 0, duplicate: 0 },
//!     violations: Vec::new(),
//!     stopped: None,
//!     restarts: Vec::new(),
//!     example: None,
//! };
//! let run = Run {
//!     program: "mp.c".into(),
//!     model: ModelName { id: "rc11", title: "RC11", orders: Orders::Annotated },
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
//!     "mp.c: verified under RC11 — 3 executions, 0 blocked, 4 ms\n",
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
mod picture;
mod run;
mod source_map;
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
pub use run::{ModelName, Orders, Run, shell_word};
pub use source_map::{NoSource, SiteInfo, SourceMap};
pub use svg::svg;
pub use threads::{ThreadLine, ThreadStory};
pub use trace::trace;
pub use verdict::Answer;
