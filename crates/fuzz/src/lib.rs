//! Random executions of large programs under weak memory models.
//!
//! The exploration visits every execution of a small program; this crate runs some executions of a large one, with
//! millions of events in each: threads are scheduled at random (`strategy`), every read reads one of the writes that
//! the model lets it read (`memory`), and writes that cannot be read any more are forgotten. Races, failed assertions,
//! memory errors and deadlocks are found on the way, made shorter (`minimise`), and handed over as replay strings to
//! `explore::replay`, which checks them once more and shows them.
//!
//! Implements: online testing as in \[RF\] section 5.2, with `co` decided when a write is made (`memory` says why).
//! Everything random comes from a seed: the same seed, the same run.
//!
//! | file | knows |
//! |---|---|
//! | `campaign`, `outcome` | many runs: seeds, workers, findings; the resulting values |
//! | `run`, `step` | one random execution; the effect of each request in it |
//! | `memory`, `location` | the sources of a read and the places of a write; a location with its writes in `co` |
//! | `clock`, `view` | vector clocks; the knowledge of a thread, and the part that its writes pass on |
//! | `psc` | the partial SC order of RC11, exactly, for few SC events |
//! | `objects`, `faults` | which memory there is; the faults of a request |
//! | `strategy`, `choices` | which thread steps next; choices from chance or from a list |
//! | `stuck` | runs in which every thread spins for ever |
//! | `coverage` | how much was seen, and how much is to be expected |
//! | `trail`, `minimise`, `sample` | decisions, replay string, graph; shorter violations; one run with all its events |
//!
//! ```
//! use fuzz::{Control, Options, fuzz};
//! use testkit::{TestProgram, build::{r, w}};
//! use base::{ReadOrder::Relaxed as R, WriteOrder::Relaxed as W};
//!
//! // Store buffering has four executions under RC11.
//! let mut program = TestProgram::parallel(2, vec![vec![w(0, W), r(1, R)], vec![w(1, W), r(0, R)]]);
//! let options = Options { runs: Some(200), ..Options::new(model::Model::Rc11) };
//! let outcome = fuzz(&mut program, &options, &Control::default()).expect("RC11 has random runs");
//! assert_eq!(outcome.numbers.complete, 200);
//! assert_eq!(outcome.coverage.graphs(), 4);
//! ```

mod campaign;
mod choices;
mod clock;
mod coverage;
mod faults;
mod location;
mod memory;
mod minimise;
mod objects;
mod outcome;
mod psc;
mod run;
mod sample;
mod step;
mod strategy;
mod stuck;
mod trail;
mod view;

pub use campaign::{Control, Options, fuzz, models, most_jobs, shorten};
pub use coverage::Coverage;
pub use outcome::{Numbers, Outcome, Standstill, StopReason, Violation};
pub use run::Found;
pub use sample::{Ending, Sample, record, sample};
pub use strategy::{Lengths, Strategy};
pub use stuck::Spinning;
pub use trail::Recorded;
