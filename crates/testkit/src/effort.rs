//! How much the tests do: each random test names its full number, and `make test` does a tenth of it.
//!
//! | `THREADBARE_TESTS` | a test with the full number *n* does | |
//! |---|---|---|
//! | not set | *n*/10, but at least 100, or 10 large ones (or *n*, if that is less) | `make test` |
//! | `long` | *n* | `make test-long` |
//! | `x20` | 20 *n* | by hand, with other seeds |
//!
//! The seeds start with 0, so that a short run does the first programs of a long one; `THREADBARE_SEED=n` starts with `n`.
//! `THREADBARE_MIX=scf` and `THREADBARE_MODELS=rc11,sc` choose, where there is something to choose from.

#![expect(clippy::disallowed_methods, reason = "the environment says how much the tests do")]

use std::env::{self, VarError};
use std::ops::Range;

/// A short run does one of so many.
const SHARE: u64 = 10;
/// A short run does not do fewer, for its tests also check that they have met enough of each kind.
const FEWEST: u64 = 100;
/// The same for programs that take a second each.
const FEWEST_LARGE: u64 = 10;

/// The number of programs for a full number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effort {
    Short,
    Times(u64),
}

impl Effort {
    fn parse(text: Option<&str>) -> Option<Effort> {
        match text {
            None => Some(Effort::Short),
            Some("long") => Some(Effort::Times(1)),
            Some(text) => {
                Some(Effort::Times(text.strip_prefix('x')?.parse().ok().filter(|&times| times > 0)?))
            }
        }
    }

    fn here() -> Effort {
        let text = variable("THREADBARE_TESTS");
        Effort::parse(text.as_deref())
            .unwrap_or_else(|| panic!("THREADBARE_TESTS is {text:?}: not `long`, not `x20`"))
    }

    fn of(self, full: u64, fewest: u64) -> u64 {
        match self {
            Effort::Short => (full / SHARE).max(full.min(fewest)),
            Effort::Times(times) => full * times,
        }
    }
}

/// A variable of the environment.
///
/// # Panics
///
/// If it is no text.
pub fn variable(name: &str) -> Option<String> {
    match env::var(name) {
        Ok(text) => Some(text),
        Err(VarError::NotPresent) => None,
        Err(VarError::NotUnicode(_)) => panic!("{name} is no text"),
    }
}

/// Whether this run is a long one, with everything that takes its time.
///
/// # Panics
///
/// If `THREADBARE_TESTS` is none of those above.
#[must_use]
pub fn is_long() -> bool {
    Effort::here() != Effort::Short
}

/// How many of these a test does in this run.
///
/// # Panics
///
/// If `THREADBARE_TESTS` is none of those above.
#[must_use]
pub fn of(full: u64) -> u64 {
    Effort::here().of(full, FEWEST)
}

/// How many of these a test does in this run, if each takes a second.
///
/// # Panics
///
/// If `THREADBARE_TESTS` is none of those above.
#[must_use]
pub fn of_large(full: u64) -> u64 {
    Effort::here().of(full, FEWEST_LARGE)
}

/// The first seed: 0, unless other programs than the usual ones are asked for.
///
/// # Panics
///
/// If `THREADBARE_SEED` is not a number.
#[must_use]
pub fn first_seed() -> u64 {
    variable("THREADBARE_SEED").map_or(0, |text| text.parse().expect("THREADBARE_SEED is a number"))
}

/// The seeds of a test that has so many in a full run.
///
/// # Panics
///
/// As [`of`] and [`first_seed`].
#[must_use]
pub fn seeds(full: u64) -> Range<u64> {
    first_seed()..first_seed() + of(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_does_a_tenth_but_not_too_little() {
        let numbers = [20_000, 5_000, 500, 60].map(|full| Effort::Short.of(full, 100));
        assert_eq!(numbers, [2_000, 500, 100, 60]);
        assert_eq!([150, 40, 5].map(|full| Effort::Short.of(full, 10)), [15, 10, 5]);
        assert_eq!(Effort::parse(None), Some(Effort::Short));
        assert_eq!(Effort::parse(Some("long")).map(|effort| effort.of(500, 100)), Some(500));
        assert_eq!(Effort::parse(Some("x20")).map(|effort| effort.of(500, 100)), Some(10_000));
        for wrong in ["", "short", "x", "x0", "20"] {
            assert_eq!(Effort::parse(Some(wrong)), None, "{wrong}");
        }
    }
}
