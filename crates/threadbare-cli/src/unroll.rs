//! `--unroll`: bounds on loops, for all of them or by name.

use anyhow::bail;
use clap::Args;
use report::shell_word;
use vm::{LoopBound, LoopName};

#[derive(Args, Clone, Debug)]
pub(crate) struct Unroll {
    /// Explore at most N iterations of each loop that depends on other threads; the test that ends a `for` or `while` loop counts
    /// as one. FUNCTION=N and FILE:LINE=N bound the loops of a function, or of a line. If that cuts a loop, the verdict is
    /// `bounded`
    #[arg(long = "unroll", value_name = "[WHERE=]N", value_parser = bound)]
    bounds: Vec<Bound>,
}

/// One `--unroll`.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// For the loops that no other one names.
    Rest(u32),
    /// For these.
    Loops(LoopBound),
}

impl Unroll {
    /// Whether there is any bound.
    pub(crate) fn is_any(&self) -> bool {
        !self.bounds.is_empty()
    }

    /// Refuses bounds that let nothing through.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        match self.bounds.iter().find(|it| it.number() == 0) {
            Some(it) => bail!("`--unroll {}` would explore nothing: give at least 1", it.word()),
            None => Ok(()),
        }
    }

    /// The last bound that is for all loops.
    pub(crate) fn rest(&self) -> Option<u32> {
        self.bounds.iter().rev().find_map(|it| match it {
            Bound::Rest(number) => Some(*number),
            Bound::Loops(_) => None,
        })
    }

    /// The bounds of single loops, in the order in which they were given.
    pub(crate) fn loops(&self) -> Vec<LoopBound> {
        let loops = self.bounds.iter().filter_map(|it| match it {
            Bound::Rest(_) => None,
            Bound::Loops(bound) => Some(bound.clone()),
        });
        loops.collect()
    }

    /// The options, as they would be written.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        let rest = self.rest().map(Bound::Rest);
        let loops = self.loops().into_iter().map(Bound::Loops);
        rest.into_iter().chain(loops).map(|bound| bound.word())
    }

    /// The same, for a shell.
    pub(crate) fn options(&self) -> impl Iterator<Item = String> {
        self.words().map(|word| format!("--unroll {}", shell_word(&word)))
    }
}

impl Bound {
    fn number(&self) -> u32 {
        match self {
            Bound::Rest(number) => *number,
            Bound::Loops(bound) => bound.bound,
        }
    }

    fn word(&self) -> String {
        match self {
            Bound::Rest(number) => number.to_string(),
            Bound::Loops(LoopBound { name: LoopName::Function(name), bound }) => format!("{name}={bound}"),
            Bound::Loops(LoopBound { name: LoopName::Line(file, line), bound }) => {
                format!("{file}:{line}={bound}")
            }
        }
    }
}

fn bound(text: &str) -> Result<Bound, String> {
    let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number of iterations"));
    let Some((place, bound)) = text.rsplit_once('=') else { return number(text).map(Bound::Rest) };
    let bound = number(bound)?;
    let name = match place.rsplit_once(':') {
        // A name in C++ has colons, too.
        Some((file, line)) if !file.ends_with(':') => {
            let line = line.parse().map_err(|_| format!("`{line}` is no number of a line"))?;
            LoopName::Line(file.to_owned(), line)
        }
        _ if place.is_empty() => return Err("a function, or FILE:LINE, comes before `=`".to_owned()),
        _ => LoopName::Function(place.to_owned()),
    };
    Ok(Bound::Loops(LoopBound { name, bound }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unroll(words: &[&str]) -> Unroll {
        Unroll { bounds: words.iter().map(|word| bound(word).expect("a bound")).collect() }
    }

    #[test]
    fn the_last_bare_number_is_for_the_rest() {
        let unroll = unroll(&["3", "f=5", "lib/q.c:31=2", "4", "std::f=1"]);
        assert_eq!(unroll.rest(), Some(4));
        let words: Vec<String> = unroll.words().collect();
        assert_eq!(words, ["4", "f=5", "lib/q.c:31=2", "std::f=1"]);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "x", "=3", "f=", "f=x", "-1", "q.c:x=3", "f=4294967296"] {
            assert!(bound(text).is_err(), "{text}");
        }
        assert!(unroll(&["f=0"]).check().is_err() && unroll(&["f=1"]).check().is_ok());
    }
}
