//! Bounds on loops.
//!
//! A bound is an option of the machine, or is set by the program itself before a loop (`__VERIFIER_loop_bound`): then every
//! round counts. Of the bounds of a loop the option that names it goes first, then the program's, then that for all loops.
//!
//! With an option, a round counts if the thread has been told something in it that other threads, or chance, decide: a load, a
//! read-modify-write, a wait, a choice. So a loop that creates threads, or fills an array that no thread has seen yet, runs
//! to its end; one that has none is cut after a million instructions. (The first round always
//! counts: where a loop begins is not noted.)
//!
//! The counter of a loop is one register: the rounds so far in its low half, and in its high half how often the thread had
//! been told something when the last round ended, plus one; 0 before that.

use crate::bytecode::{Module, Op};
use std::collections::BTreeMap;

/// A bound on some loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    /// The loops.
    pub name: LoopName,
    /// How many iterations of each may start, the last test included.
    pub bound: u32,
}

/// Loops, by the place that reports give them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoopName {
    /// All of a function of the source.
    Function(String),
    /// Those at a line of a file, which is named by its path or the end of it.
    Line(String, u32),
}

impl LoopName {
    fn is_at(&self, info: &base::SiteInfo) -> bool {
        match self {
            LoopName::Function(name) => **name == *info.function,
            LoopName::Line(file, line) => {
                info.place.as_ref().is_some_and(|place| place.line == *line && ends_with(&place.file, file))
            }
        }
    }
}

/// Whether these are the last parts of a path.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with('/'))
}

/// The bound of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound {
    /// How many iterations may start.
    rounds: u32,
    /// Whether every round counts.
    counts_all: bool,
}

impl Bound {
    /// The counter when a round ends, `told` answers after the start of the thread; `None` if no more rounds may start.
    #[inline]
    pub(crate) fn count(self, counter: u64, told: u32) -> Option<u64> {
        let before = (counter >> 32) as u32;
        let counted = count_round(counter, if self.counts_all { before } else { told });
        (rounds(counted) < self.rounds).then_some(counted)
    }
}

/// The bounds of single loops: function and instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds(BTreeMap<(u32, u32), Bound>);

impl Bounds {
    /// Of several bounds for a loop, the last counts.
    pub(crate) fn new(module: &Module, bounds: &[LoopBound]) -> Bounds {
        let mut found = BTreeMap::new();
        for (index, function) in module.functions.iter().enumerate() {
            let counts = function.code.iter().zip(&function.sites).enumerate();
            for (pc, (_, site)) in counts.filter(|(_, (op, _))| matches!(op, Op::Unroll { .. })) {
                let Some(info) = module.sites.get(site.0 as usize) else { continue };
                let named = bounds.iter().rfind(|it| it.name.is_at(info));
                let named = named.map(|it| Bound { rounds: it.bound, counts_all: false });
                let set = || module.bounds.iter().find(|(at, _)| at == site);
                let set = || set().map(|&(_, rounds)| Bound { rounds, counts_all: true });
                if let Some(bound) = named.or_else(set) {
                    found.insert((index as u32, pc as u32), bound);
                }
            }
        }
        Bounds(found)
    }

    /// The bound of the loop that an instruction closes; `rest` if it has none of its own.
    #[inline]
    pub(crate) fn of(&self, function: u32, pc: u32, rest: Option<u32>) -> Option<Bound> {
        let rest = rest.map(|rounds| Bound { rounds, counts_all: false });
        if self.0.is_empty() { rest } else { self.0.get(&(function, pc)).copied().or(rest) }
    }
}

/// The counter when a round ends, `told` answers after the start of the thread.
#[inline]
pub(crate) fn count_round(counter: u64, told: u32) -> u64 {
    let (rounds, before) = (counter as u32, (counter >> 32) as u32);
    let now = told.wrapping_add(1).max(1);
    let rounds = if before == now { rounds } else { rounds.wrapping_add(1) };
    u64::from(now) << 32 | u64::from(rounds)
}

/// How many rounds the counter has counted.
#[inline]
pub(crate) fn rounds(counter: u64) -> u32 {
    counter as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_that_are_told_nothing_do_not_count() {
        let mut counter = 0;
        for (told, expected) in [(5, 1), (5, 1), (6, 2), (6, 2), (8, 3)] {
            counter = count_round(counter, told);
            assert_eq!(rounds(counter), expected, "after {told}");
        }
    }

    /// A counter that starts with -1 counts the first round where it begins.
    #[test]
    fn counters_may_start_below_0() {
        assert_eq!(rounds(count_round(u64::MAX, 0)), 0);
        assert_eq!(rounds(count_round(count_round(u64::MAX, 0), 1)), 1);
    }

    #[test]
    fn all_rounds_count_where_the_program_says_so() {
        let bound = Bound { rounds: 3, counts_all: true };
        let first = bound.count(0, 5).expect("the second round may start");
        let second = bound.count(first, 5).expect("and the third");
        assert_eq!(bound.count(second, 5), None);
    }

    #[test]
    fn files_are_named_by_the_end_of_their_path() {
        assert!(ends_with("src/ring.c", "ring.c") && ends_with("ring.c", "ring.c"));
        assert!(!ends_with("src/string.c", "ring.c") && !ends_with("ring.c", "src/ring.c"));
    }
}
