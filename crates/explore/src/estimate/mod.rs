//! An estimate of the number of executions, and an interval around it, by samples of the exploration.
//!
//! A sample is an exploration that skips subtrees at random (`sample.rs`), and counts each execution that it finds as
//! often as its graphs stand for others that were skipped: that is right on average. Graphs are skipped by *strata*
//! (`strata.rs`), so that of many similar graphs some are visited, and of a rare kind all. The first samples, the *pilots*,
//! are small and teach which strata there are and how many executions are below them; each is twice as broad as the one
//! before. Then [`SAMPLES`] samples of one size are independent enough of each other for their spread to give an interval
//! (`interval.rs`). If the pilots find the whole tree small, it is explored as a whole: then the number is exact.
//!
//! Implements: P. C. Chen, Heuristic Sampling: A Method for Predicting the Performance of Tree Searching Programs, SIAM
//! Journal on Computing 21, 1992; D. E. Knuth, Estimating the Efficiency of Backtrack Programs, Mathematics of Computation
//! 29, 1975, is its special case with one graph per depth.
//! Differs: Chen keeps one graph of each stratum in memory, in the order of strata; here the exploration goes depth first
//! and keeps a share of each stratum that earlier samples have found appropriate, so that no graph is copied.
//! Cost: a sample costs as much as an exploration of the graphs that it visits and their children. There is no clock: the
//! amount of sampling is a number of graphs, and whatever was sampled until the caller stops it counts.

mod interval;
mod sample;
mod strata;

use sample::{Sample, Selection};
use serde::{Deserialize, Serialize};
use strata::Strata;

/// How to estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling {
    /// The amount: 500 graphs or so are visited for each unit of it, up to twice as many if those are all.
    pub amount: u64,
    /// Where the random numbers start.
    pub seed: u64,
}

/// The estimated number of executions, complete and blocked ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// About that many.
    pub executions: u64,
    /// Hardly less than that. If it is the same as `high`, all were counted.
    pub low: u64,
    /// Hardly more than that.
    pub high: u64,
}

/// The graphs that are visited for each unit of the amount, about.
const GRAPHS: u64 = 500;

/// The samples of which the spread is taken.
const SAMPLES: usize = 10;

/// Each sample visits about one part of the graphs in so many; two parts are for the pilots.
const PARTS: u64 = SAMPLES as u64 + 2;

/// The breadth of the first pilot.
const FIRST_BREADTH: f64 = 8.0;

/// The next sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// It teaches the strata.
    Pilot,
    /// It skips nothing, unless there is too much.
    Whole,
    /// The estimate is made of it.
    Measure,
}

/// Samples under way.
#[derive(Debug)]
pub(crate) struct Estimator {
    /// About as many graphs may be visited in all.
    graphs: u64,
    phase: Phase,
    breadth: f64,
    strata: Strata,
    /// The executions that each pilot has estimated.
    pilots: Vec<f64>,
    /// The same of the samples that the estimate is made of.
    found: Vec<f64>,
    /// At least that many executions were seen.
    seen: u64,
    /// The number of executions, if all were seen.
    all: Option<u64>,
}

impl Estimator {
    pub(crate) fn new(sampling: Sampling) -> Estimator {
        Estimator::of(sampling.amount.max(1).saturating_mul(GRAPHS), Strata::new(sampling.seed))
    }

    fn of(graphs: u64, strata: Strata) -> Estimator {
        let (pilots, found) = (Vec::new(), Vec::new());
        Estimator {
            graphs,
            phase: Phase::Pilot,
            breadth: FIRST_BREADTH,
            strata,
            pilots,
            found,
            seen: 0,
            all: None,
        }
    }

    /// Whether the last sample was made.
    pub(crate) fn is_done(&self) -> bool {
        self.all.is_some() || self.found.len() == SAMPLES
    }

    /// Whether no sample was made to its end.
    pub(crate) fn has_none(&self) -> bool {
        self.pilots.is_empty() && self.all.is_none()
    }

    /// An assumption was refuted, and the tree is another one.
    pub(crate) fn start_again(&mut self) {
        *self = Estimator::of(self.graphs, self.strata.again());
    }

    /// The estimate of the samples that were made so far.
    pub(crate) fn estimate(&self) -> Estimate {
        if let Some(executions) = self.all {
            return Estimate { executions, low: executions, high: executions };
        }
        if self.found.len() > 2 {
            return interval::around(&self.found, self.seen);
        }
        // There was no time. The first pilot knew no strata: it counts if it is the only one.
        let pilots = &self.pilots[usize::from(self.pilots.len() > 1)..];
        interval::around(&[pilots, &self.found].concat(), self.seen)
    }

    /// The selection of the next sample, and the number of graphs that it may visit.
    fn next_sample(&mut self) -> (Selection<'_>, u64) {
        match self.phase {
            Phase::Whole => (Selection::All, self.graphs.saturating_mul(2)),
            Phase::Pilot | Phase::Measure => {
                self.strata.begin(self.breadth);
                (Selection::Strata(&mut self.strata), u64::MAX)
            }
        }
    }

    /// Add a sample that stands for that many executions.
    fn add(&mut self, sample: &Sample, found: f64) {
        self.seen = self.seen.max(sample.seen);
        if self.phase == Phase::Whole || self.strata.have_all() {
            self.all = Some(sample.seen);
            return;
        }
        self.strata.learn(sample.graphs as f64, found);
        let part = (self.graphs / PARTS).max(1);
        if self.phase == Phase::Measure {
            self.found.push(found);
        } else {
            self.pilots.push(found);
            if self.pilots.len() > 1 && sample.graphs > part / 2 {
                let is_small = 2.0 * self.strata.graphs() <= 1.5 * self.graphs as f64;
                self.phase = if is_small { Phase::Whole } else { Phase::Measure };
            }
        }
        self.breadth = (self.breadth * (part as f64 / sample.graphs as f64).clamp(0.5, 2.0)).max(1.0);
    }

    /// The sample has not come to its end.
    fn give_up(&mut self, sample: &Sample) {
        self.seen = self.seen.max(sample.seen);
        if self.phase == Phase::Whole {
            self.phase = Phase::Measure;
        }
    }
}
