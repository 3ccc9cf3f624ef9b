//! An interval around the mean of samples.
//!
//! Samples of a tree differ by factors rather than by numbers, so the spread is that of their logarithms: a factor, by
//! Student's t-distribution with a confidence of 99 %. It is taken around the mean of the numbers themselves, which is the one
//! that is right on average. Downwards it counts once, upwards twice: a subtree that all samples miss makes the mean too small
//! and the spread as well, and nothing makes it too large in the same way.
//!
//! That is no proof: `docs/estimate.md` has a table of estimates beside true numbers.

use super::Estimate;

/// The quantiles of Student's distribution for an interval of 99 %, from one degree of freedom on.
const QUANTILES: [f64; 12] = [63.66, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50, 3.36, 3.25, 3.17, 3.11, 3.05];

/// The factor if there is one sample, or if they differ much.
const WIDEST: f64 = 1000.0;

/// The factor if samples do not differ at all.
const NARROWEST: f64 = 1.02;

/// The estimate of samples that have found these numbers, if there are at least `seen` executions.
pub(super) fn around(found: &[f64], seen: u64) -> Estimate {
    let mean = found.iter().sum::<f64>() / found.len().max(1) as f64;
    let executions = mean.max(seen as f64).max(1.0);
    // Samples that stand for less than was seen have missed something: it counts as spread.
    let factor = spread(found) * (executions / mean.max(1.0));
    // The conversions saturate.
    Estimate {
        executions: executions.round() as u64,
        low: ((executions / factor).floor() as u64).max(seen).max(1),
        high: (executions * factor * factor).ceil() as u64,
    }
}

/// The factor between the mean and the lower end of the interval.
fn spread(found: &[f64]) -> f64 {
    let Some(others) = found.len().checked_sub(2) else { return WIDEST };
    let quantile = QUANTILES[others.min(QUANTILES.len() - 1)];
    let n = found.len() as f64;
    let logarithms = || found.iter().map(|number| number.max(1.0).ln());
    let mean = logarithms().sum::<f64>() / n;
    let variance = logarithms().map(|it| (it - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (NARROWEST * (quantile * (variance / n).sqrt()).exp()).min(WIDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_student_for_logarithms() {
        // The standard deviation is ln 2, so the factor is 2 to the power of 9.92 / √3, which is 53, times 1.02.
        let estimate = around(&[50.0, 100.0, 200.0], 0);
        assert_eq!(estimate, Estimate { executions: 117, low: 2, high: 340_671 });
    }

    #[test]
    fn executions_that_were_seen_are_the_least() {
        assert_eq!(around(&[10.0, 10.0], 40), Estimate { executions: 40, low: 40, high: 666 });
        assert_eq!(around(&[2000.0], 40), Estimate { executions: 2000, low: 40, high: 2_000_000_000 });
    }
}
