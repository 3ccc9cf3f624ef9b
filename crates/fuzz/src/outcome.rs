//! The findings of a campaign of random runs: plain values, which the command prints.

use crate::coverage::Coverage;
use crate::run::Found;
use crate::strategy::Lengths;
use crate::stuck::Spinning;
use base::{Site, ThreadId};
use program::Unmodelled;

/// The end of a campaign.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The seed of the first run.
    pub seed: u64,
    /// How much was run.
    pub numbers: Numbers,
    /// The violations, by number of run.
    pub violations: Vec<Violation>,
    /// The first run that came to a standstill: no violation, as a loop that waits for ever is none in `verify` either.
    pub standstill: Option<Standstill>,
    /// Why no further run was made, if that was not asked for.
    pub stopped: Option<StopReason>,
    /// What threads have reached that is not modelled, sorted; they have stopped there, and the others gone on.
    pub unmodelled: Vec<Unmodelled>,
    /// How much of the behaviour was seen.
    pub coverage: Coverage,
    /// How long the threads are, as the strategies knew it.
    pub(crate) lengths: Lengths,
}

/// How much was run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numbers {
    /// Runs that came to an end.
    pub runs: u64,
    /// Of these, those in which every thread finished, or `main` did and all others wait or spin for ever.
    pub complete: u64,
    /// Those in which no thread could go on, because an assumption did not hold or a bound was reached.
    pub blocked: u64,
    /// Those in which all unfinished threads spin for ever, or wait for threads that do.
    pub stuck: u64,
    /// Those that reached the limit of events.
    pub cut: u64,
    /// Runs that were stopped from outside; they are not among the others.
    pub unfinished: u64,
    /// Events of all runs.
    pub events: u64,
    /// The most writes that a run has kept to its end, of all locations: a measure of its memory.
    pub kept: u64,
    /// Writes that were dropped although they could still have been read: there were too many of them.
    pub forgotten: u64,
}

/// A run in which no value will ever change again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standstill {
    /// The number of the run, from 0.
    pub number: u64,
    /// The seed that shows it again, alone.
    pub seed: u64,
    /// The threads that spin, and where.
    pub spinning: Vec<Spinning>,
}

/// Why no further run was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// A thread reached a construct that is not modelled.
    Unsupported {
        /// The construct, and how to do without it.
        message: String,
        /// Its place.
        site: Option<Site>,
        /// The thread.
        thread: ThreadId,
    },
}

/// A wrong execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The fault.
    pub found: Found,
    /// The number of the run, from 0.
    pub number: u64,
    /// The seed that shows it again, alone.
    pub seed: u64,
    /// How many events the run had.
    pub events: u64,
    /// How many events the shorter run of `replay` has; the same as `events` as long as there is no replay.
    pub steps: u64,
    /// A short execution with the same violation, as `explore::replay` reads it (`shorten` makes it). There is none if
    /// the seed shows the run only after the runs before it, which have split accesses.
    pub replay: Option<String>,
}

impl Outcome {
    pub(crate) fn stopped(seed: u64, reason: StopReason) -> Outcome {
        let (numbers, violations, coverage) = (Numbers::default(), Vec::new(), Coverage::default());
        Outcome {
            seed,
            numbers,
            violations,
            standstill: None,
            stopped: Some(reason),
            unmodelled: Vec::new(),
            coverage,
            lengths: Lengths::default(),
        }
    }
}
