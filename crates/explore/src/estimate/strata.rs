//! Strata: kinds of graphs below which about as many executions are to be expected.
//!
//! Two graphs are of one kind if as many reads were revisited on the way to them, if they have as many events, and if about as
//! many of their choices were other than the greedy one: a graph with many events is nearly complete, and where many choices
//! are not greedy few reads can be revisited any more. A child is always of a later stratum than its parent.
//!
//! Of each stratum a sample visits about as many graphs as the *quota* says. One half of the quotas goes to the strata by the
//! executions below them, the other half evenly, so that a stratum that no sample has seen has a quota as well.
//!
//! Why the sample is right on average: a graph with the weight `w` is visited with a probability `p`, and its weight is then
//! `w / p`. In each stratum the probabilities are added up from a random start, and the graph with which the sum passes a whole
//! number is visited. (That varies less than a random number for each graph.) The graphs that come to a stratum, and their
//! probabilities, depend on the starts of earlier strata alone, so with a uniform start each is visited with its probability.
//!
//! Cost: a search in a table of some thousand strata for each graph that comes.

use base::Rng;
use std::collections::BTreeMap;

/// A kind of graphs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Stratum {
    /// The reads that were revisited on the way.
    pub(super) revisits: u32,
    /// The events.
    pub(super) events: u64,
    /// The binary digits of the number of detours: choices other than the first one.
    pub(super) detours: u32,
}

/// The graphs of a stratum.
#[derive(Default, Debug)]
struct Tally {
    /// How many there are, and how many executions are below them: sums over all samples, times the effort of each.
    graphs: f64,
    executions: f64,
    /// The same of this sample alone.
    graphs_now: f64,
    executions_now: f64,
    /// Visit about that many.
    quota: f64,
    /// The sum of the probabilities, less its whole part, once a graph has come.
    sum: Option<f64>,
}

/// All strata of which a graph was seen.
#[derive(Debug)]
pub(super) struct Strata {
    tallies: BTreeMap<Stratum, Tally>,
    /// The sum of the effort of all samples, and of the executions that they have found, times their effort.
    effort: f64,
    found: f64,
    /// The quota of a stratum that is new.
    quota_of_new: f64,
    has_skipped: bool,
    rng: Rng,
}

impl Strata {
    pub(super) fn new(seed: u64) -> Strata {
        Strata::of(Rng::new(seed))
    }

    fn of(rng: Rng) -> Strata {
        let tallies = BTreeMap::new();
        Strata { tallies, effort: 0.0, found: 0.0, quota_of_new: 0.0, has_skipped: false, rng }
    }

    /// No strata, and the random numbers that come next.
    pub(super) fn again(&self) -> Strata {
        Strata::of(self.rng.clone())
    }

    /// Begin a sample that visits about `breadth` graphs of each depth.
    pub(super) fn begin(&mut self, breadth: f64) {
        let found = self.found;
        let by_executions = |tally: &Tally| if found > 0.0 { tally.executions / found } else { 0.0 };
        // The mean depth of an execution: the two halves are of one size.
        let depth: f64 = self.tallies.values().map(by_executions).sum();
        let even = if found > 0.0 { depth / self.tallies.len() as f64 } else { 1.0 };
        for tally in self.tallies.values_mut() {
            tally.quota = breadth * 0.5 * (even + by_executions(tally));
            (tally.graphs_now, tally.executions_now, tally.sum) = (0.0, 0.0, None);
        }
        self.quota_of_new = breadth * 0.5 * even;
        self.has_skipped = false;
    }

    /// A graph comes with this weight. Returns its weight if it is to be visited.
    pub(super) fn select(&mut self, stratum: Stratum, weight: f64) -> Option<f64> {
        let quota = self.quota_of_new;
        let tally = self.tallies.entry(stratum).or_insert_with(|| Tally { quota, ..Tally::default() });
        tally.graphs_now += weight;
        // If there are more than earlier samples have found, fewer are visited.
        let expected = if self.effort > 0.0 { tally.graphs / self.effort } else { 0.0 };
        let probability = weight * tally.quota / expected.max(tally.graphs_now);
        if probability >= 1.0 {
            return Some(weight);
        }
        let sum = tally.sum.get_or_insert_with(|| uniform(&mut self.rng));
        *sum += probability;
        if *sum >= 1.0 {
            *sum -= 1.0;
            return Some(weight / probability);
        }
        self.has_skipped = true;
        None
    }

    /// That many executions were found below a graph of this stratum.
    pub(super) fn note(&mut self, stratum: Stratum, executions: f64) {
        if let Some(tally) = self.tallies.get_mut(&stratum) {
            tally.executions_now += executions;
        }
    }

    /// Whether the sample has skipped nothing.
    pub(super) fn have_all(&self) -> bool {
        !self.has_skipped
    }

    /// Remember the sample, which has found that many executions.
    pub(super) fn learn(&mut self, effort: f64, found: f64) {
        self.effort += effort;
        self.found += effort * found;
        for tally in self.tallies.values_mut() {
            tally.graphs += effort * tally.graphs_now;
            tally.executions += effort * tally.executions_now;
        }
    }

    /// About how many graphs there are.
    pub(super) fn graphs(&self) -> f64 {
        self.tallies.values().map(|tally| tally.graphs).sum::<f64>() / self.effort.max(1.0)
    }
}

/// A number from 0 up to 1, without 1.
fn uniform(rng: &mut Rng) -> f64 {
    const STEPS: u64 = 1 << 53;
    rng.below(STEPS) as f64 / STEPS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Stratum = Stratum { revisits: 0, events: 3, detours: 1 };

    /// Of 1,000 graphs of a known stratum about the quota is visited, and stands for all.
    #[test]
    fn a_quota_is_kept_and_stands_for_all() {
        let mut strata = Strata::new(1);
        for breadth in [8.0, 100.0, 100.0] {
            strata.begin(breadth);
            let weights: Vec<f64> = (0..1000).filter_map(|_| strata.select(KIND, 1.0)).collect();
            weights.iter().for_each(|&weight| strata.note(KIND, weight));
            strata.learn(1.0, weights.iter().sum());
            assert!(!strata.have_all());
            if breadth > 8.0 {
                assert!(weights.len().abs_diff(100) <= 1, "{}", weights.len());
                assert!((weights.iter().sum::<f64>() - 1000.0).abs() <= 10.0);
            }
        }
        assert_eq!(strata.graphs(), 1000.0);
    }

    #[test]
    fn a_quota_that_is_large_enough_skips_nothing() {
        let mut strata = Strata::new(1);
        strata.begin(2000.0);
        assert!((0..1000).all(|_| strata.select(KIND, 1.0) == Some(1.0)));
        assert!(strata.have_all());
    }
}
