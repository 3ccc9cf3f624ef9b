//! What a campaign of random runs has found: plain values, for somebody else to print.

use crate::coverage::Coverage;
use crate::run::Found;
use crate::strategy::Lengths;
use crate::stuck::Spinning;
use base::{Site, ThreadId};

/// The end of a campaign.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The seed of the first run.
    pub seed: u64,
    /// How much was run.
    pub numbers: Numbers,
    /// What is wrong, by number of run.
    pub violations: Vec<Violation>,
    /// The first run that came to a standstill: no violation, as a loop that waits for ever is none in `verify` either.
    pub standstill: Option<Standstill>,
    /// Why no further run was made, if that was not asked for.
    pub stopped: Option<StopReason>,
    /// How much of the behaviour was seen.
    pub coverage: Coverage,
    /// How long the threads are: what the strategies knew.
    pub(crate) lengths: Lengths,
}

/// How much was run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numbers {
    /// Runs that came to an end.
    pub runs: u64,
    /// Of these, those in which every thread finished, or `main` did and all others wait or spin for ever.
    pub complete: u64,
    /// Those in which nobody could go on, for an assumption did not hold or a bound was reached.
    pub blocked: u64,
    /// Those in which all threads that had not finished spin for ever, or wait for who does.
    pub stuck: u64,
    /// Those that had as many events as they may.
    pub cut: u64,
    /// Runs that somebody stopped; they are not among the others.
    pub unfinished: u64,
    /// Events of all runs.
    pub events: u64,
    /// The most writes that a run has kept to its end, of all locations: what its memory goes by.
    pub kept: u64,
    /// Writes that were dropped although they could still have been read: there were too many of them.
    pub forgotten: u64,
}

/// A run in which nobody will ever get anywhere.
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
    /// A thread reached something that is not modelled.
    Unsupported {
        /// What it is, and what to do about it.
        message: String,
        /// Where.
        site: Option<Site>,
        /// Which thread.
        thread: ThreadId,
    },
}

/// A wrong execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What is wrong.
    pub found: Found,
    /// The number of the run, from 0.
    pub number: u64,
    /// The seed that shows it again, alone.
    pub seed: u64,
    /// How many events the run had.
    pub events: u64,
    /// How many the shorter run has that `replay` is; as many, as long as there is none.
    pub steps: u64,
    /// A short execution with the same violation, as `explore::replay` reads it (`shorten` makes it). There is none if the
    /// seed shows the run only after the runs before it, which have split accesses.
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
            coverage,
            lengths: Lengths::default(),
        }
    }
}
