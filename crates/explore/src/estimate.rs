//! An estimate of the number of executions, by random walks.
//!
//! A walk goes from the empty graph to the end of an execution. At every graph it counts its *children*, the graphs
//! that the exploration would visit next from there, and goes on with one of them at random. An execution that it finds
//! at the end counts as often as the product of these numbers: that is right on average, for the walk ends there with a
//! probability of one over that product.
//!
//! Implements: D. E. Knuth, Estimating the Efficiency of Backtrack Programs, Mathematics of Computation 29, 1975. The
//! mean of several walks comes with its standard error. Trees whose branches differ much make it large, and a few walks
//! may all miss a large branch: then both numbers are too small.
//!
//! Cost: a walk takes the children of each of its graphs twice, once to count them and once to go to one.

use crate::core::explorer::{Explorer, Go};
use crate::core::shape::Shape;
use base::Rng;
use program::Hint;
use serde::{Deserialize, Serialize};

/// How to estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walks {
    /// That many walks.
    pub number: u64,
    /// Where the random numbers start.
    pub seed: u64,
}

/// The estimated number of executions, complete and blocked ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub executions: u64,
    /// Its standard error.
    pub error: u64,
    /// Of that many walks.
    pub walks: u64,
}

/// Walks under way.
#[derive(Debug)]
pub(crate) struct Estimator {
    left: u64,
    rng: Rng,
    found: Vec<f64>,
}

impl Estimator {
    pub(crate) fn new(walks: Walks) -> Estimator {
        Estimator { left: walks.number.max(1), rng: Rng::new(walks.seed), found: Vec::new() }
    }

    /// Whether the last walk was made.
    pub(crate) fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Whether no walk was made to its end.
    pub(crate) fn has_none(&self) -> bool {
        self.found.is_empty()
    }

    fn add(&mut self, found: f64) {
        self.left -= 1;
        self.found.push(found);
    }

    pub(crate) fn estimate(&self) -> Estimate {
        let n = self.found.len().max(1) as f64;
        let mean = self.found.iter().sum::<f64>() / n;
        let squares: f64 = self.found.iter().map(|found| (found - mean).powi(2)).sum();
        let error = (squares / (n - 1.0).max(1.0) / n).sqrt();
        // The conversion saturates.
        Estimate {
            executions: mean.round() as u64,
            error: error.round() as u64,
            walks: self.found.len() as u64,
        }
    }
}

impl<P: Hint, C: Shape> Explorer<'_, P, C> {
    /// Walk down once.
    pub(crate) fn walk(&mut self, estimator: &mut Estimator) {
        let (mut found, mut weight) = (0.0, 1.0);
        loop {
            let before = self.findings.executions;
            let children = self.go_to_child(u64::MAX);
            let now = self.findings.executions;
            let here = (now.complete - before.complete) + (now.blocked - before.blocked);
            found += weight * here as f64;
            if children == 0 || self.has_ended() {
                break;
            }
            self.go_to_child(estimator.rng.below(children));
            weight *= children as f64;
        }
        if !self.has_ended() {
            estimator.add(found);
        }
    }

    /// Go to the `nth` child of this graph. If there are not so many, their number is returned, and this is the graph again.
    pub(crate) fn go_to_child(&mut self, nth: u64) -> u64 {
        let base = self.depth();
        let mut next = Some(self.visit());
        let mut children = 0;
        while let Some(go) = next {
            if let Go::Visit = go {
                if children == nth {
                    break;
                }
                children += 1;
            }
            next = if self.has_ended() || self.depth() == base { None } else { self.step_back() };
        }
        children
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_and_its_error_are_those_of_the_walks() {
        let mut estimator = Estimator::new(Walks { number: 4, seed: 1 });
        [2.0, 4.0, 4.0, 6.0].into_iter().for_each(|found| estimator.add(found));
        assert!(estimator.is_done());
        assert_eq!(estimator.estimate(), Estimate { executions: 4, error: 1, walks: 4 });
    }
}
