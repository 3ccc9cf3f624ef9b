//! Legs: the ways in which a cycle in `porf` could pass through a thread, and whether they make a cycle.
//!
//! A cycle goes into a thread by a read and out of it by a later write, its *leg*, and from thread to thread by `rf`.
//! The shortest cycle of an execution has one leg in a thread: of two, the read of one is before the write of the
//! other, and that is a shorter cycle. Every cycle of the first execution that has one obeys two rules:
//! - In one of its legs at least, the read is not before the write in `rpo`: otherwise, committing one event of the
//!   cycle means to commit all of them, and the source has the same cycle already.
//! - Its *runs* that do not synchronise are of two locations at least. A run goes from a leg to a leg by one location,
//!   and the writes on it are in `co` order. Between the end of such a run and the beginning of the next everything is
//!   `hb`; if all of them are of one location, coherence makes their writes a cycle in `co`; and if there is none, `hb`
//!   is cyclic.
//!
//! **Runs.** A run is one `rf`; or several, with legs in between that *stay* at the location. Those of
//! read-modify-writes do: they go on with the release sequence. And if all writes of a location are read-modify-writes,
//! every leg from the location to itself does: then the writes are one *chain* (atomicity), and an acquire there
//! synchronises with all releases that are earlier in the chain. So in a chain a leg releases if a release of the
//! location is anywhere between its read and its write, and acquires if an acquire of it is; in this order, if it does
//! both. Locks are like that: a thread that waits for one reads its word without acquiring, takes it with an acquire,
//! and gives it back with a release.
//!
//! Cost: nothing worth mentioning where a component of the legs has no two such locations; else every cycle is looked
//! for, up to names of threads that have the same legs, with a limit: legs that exceed it count as a cycle.

use base::{Access, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// A read of a thread, and a later write of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Leg {
    pub(crate) thread: ThreadId,
    pub(crate) read: Access,
    pub(crate) written: Access,
    /// Whether a run that comes here goes on.
    pub(crate) stays: bool,
    /// Whether a run that ends here synchronises, if the leg that began it releases.
    pub(crate) acquires: bool,
    /// Whether a run that begins here synchronises, if the leg that ends it acquires.
    pub(crate) releases: bool,
    /// Whether `rpo` may leave the two unordered.
    pub(crate) out_of_rpo: bool,
}

impl Leg {
    /// Whether there is a cycle with this leg wherever there is one with the other.
    fn replaces(&self, other: &Leg) -> bool {
        let place = |leg: &Leg| (leg.thread, leg.read, leg.written, leg.stays);
        place(self) == place(other)
            && self.acquires <= other.acquires
            && self.releases <= other.releases
            && self.out_of_rpo >= other.out_of_rpo
    }

    fn can_be_followed_by(&self, next: &Leg) -> bool {
        self.written == next.read && self.thread != next.thread
    }
}

/// A thread that writes a location, and one that reads it then.
pub(crate) type Channel = (ThreadId, Access, ThreadId);

/// The channels of the cycles that these legs could make, and perhaps more. None if they make no cycle.
pub(crate) fn on_cycles(legs: &BTreeSet<Leg>) -> BTreeSet<Channel> {
    let is_needed = |leg: &&Leg| !legs.iter().any(|other| other != *leg && other.replaces(leg));
    let legs: Vec<Leg> = legs.iter().filter(is_needed).copied().collect();
    let components = components(&legs).into_iter();
    let cyclic = components.filter(|legs| may_be_cyclic(legs) && Search::new(legs).finds_cycle());
    cyclic.flat_map(|legs| channels(&legs)).collect()
}

fn channels(legs: &[Leg]) -> Vec<Channel> {
    let of = |leg: &Leg| {
        let next = legs.iter().filter(|next| leg.can_be_followed_by(next));
        next.map(|next| (leg.thread, leg.written, next.thread)).collect::<Vec<_>>()
    };
    legs.iter().flat_map(of).collect()
}

/// Whether legs that are connected meet the conditions for a cycle.
fn may_be_cyclic(component: &[Leg]) -> bool {
    let turns = || component.iter().filter(|leg| !leg.stays);
    let ends = turns().filter(|leg| !leg.acquires).map(|leg| leg.read);
    let begins = turns().filter(|leg| !leg.releases).map(|leg| leg.written);
    let racy: BTreeSet<Access> = ends.chain(begins).collect();
    racy.len() > 1 && component.iter().any(|leg| leg.out_of_rpo)
}

/// The thread and the location with which a leg begins.
type Place = (ThreadId, Access);

/// The legs inside each strongly connected component of the places where legs begin.
fn components(legs: &[Leg]) -> Vec<Vec<Leg>> {
    let (mut after, mut before) = (BTreeMap::new(), BTreeMap::new());
    for leg in legs {
        for next in legs.iter().filter(|next| leg.can_be_followed_by(next)) {
            let (from, to) = ((leg.thread, leg.read), (next.thread, next.read));
            after.entry(from).or_insert_with(BTreeSet::new).insert(to);
            before.entry(to).or_insert_with(BTreeSet::new).insert(from);
        }
    }
    let (mut components, mut seen) = (Vec::new(), BTreeSet::new());
    for &place in after.keys() {
        if !seen.contains(&place) {
            let from_there = reached_from(&before, place);
            let component: BTreeSet<Place> =
                reached_from(&after, place).intersection(&from_there).copied().collect();
            let is_inside = |leg: &&Leg| component.contains(&(leg.thread, leg.read));
            components.push(legs.iter().filter(is_inside).copied().collect());
            seen.extend(component);
        }
    }
    components
}

fn reached_from(next: &BTreeMap<Place, BTreeSet<Place>>, from: Place) -> BTreeSet<Place> {
    let (mut seen, mut todo) = (BTreeSet::from([from]), vec![from]);
    while let Some(place) = todo.pop() {
        todo.extend(next.get(&place).into_iter().flatten().copied().filter(|&to| seen.insert(to)));
    }
    seen
}

/// The largest number of walks that are looked at.
const MOST_STATES: usize = 200_000;

/// The search for a cycle: legs one after the other, each in a thread of its own.
struct Search<'a> {
    legs: &'a [Leg],
    /// For each thread with legs, the symmetric threads before it, which have the same legs: they are used first.
    symmetric: BTreeMap<ThreadId, u64>,
    bits: BTreeMap<ThreadId, u64>,
    seen: BTreeSet<Walk>,
}

/// The beginning of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Walk {
    first: usize,
    last: usize,
    /// The threads that it has been in, as bits.
    threads: u64,
    /// Whether the leg that began the run releases.
    releases: bool,
    racy: Racy,
    out_of_rpo: bool,
}

/// The locations of runs that do not synchronise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Racy {
    None,
    One(Access),
    More,
}

impl Racy {
    fn with(self, at: Access) -> Racy {
        match self {
            Racy::None => Racy::One(at),
            Racy::One(other) if other == at => self,
            Racy::One(_) | Racy::More => Racy::More,
        }
    }
}

impl<'a> Search<'a> {
    fn new(legs: &'a [Leg]) -> Search<'a> {
        let threads: BTreeSet<ThreadId> = legs.iter().map(|leg| leg.thread).collect();
        let bits: BTreeMap<ThreadId, u64> =
            threads.iter().enumerate().map(|(n, &thread)| (thread, 1 << (n % 64))).collect();
        let of = |thread: ThreadId| -> Vec<Leg> {
            let own = legs.iter().filter(|leg| leg.thread == thread);
            own.map(|leg| Leg { thread: ThreadId::MAIN, ..*leg }).collect()
        };
        let earlier_symmetric = |&thread: &ThreadId| {
            let symmetric = threads.range(..thread).filter(|&&other| of(other) == of(thread));
            (thread, symmetric.map(|other| bits[other]).sum())
        };
        Search {
            legs,
            symmetric: threads.iter().map(earlier_symmetric).collect(),
            bits,
            seen: BTreeSet::new(),
        }
    }

    fn finds_cycle(mut self) -> bool {
        if self.bits.len() > 64 {
            return true;
        }
        let begin = |(first, leg): (usize, &Leg)| Walk {
            first,
            last: first,
            threads: self.bits[&leg.thread],
            releases: leg.releases,
            racy: Racy::None,
            out_of_rpo: leg.out_of_rpo,
        };
        let turns =
            self.legs.iter().enumerate().filter(|(_, leg)| !leg.stays && self.symmetric[&leg.thread] == 0);
        let mut todo: Vec<Walk> = turns.map(begin).collect();
        while let Some(walk) = todo.pop() {
            if self.is_cycle(&walk) || self.seen.len() > MOST_STATES {
                return true;
            }
            if self.seen.insert(walk) {
                todo.extend((0..self.legs.len()).filter_map(|next| self.extended(walk, next)));
            }
        }
        false
    }

    /// Whether the walk comes back to where it began, and meets the conditions for a cycle.
    fn is_cycle(&self, walk: &Walk) -> bool {
        let (first, last) = (&self.legs[walk.first], &self.legs[walk.last]);
        let whole = ended(*walk, first);
        last.can_be_followed_by(first) && whole.racy == Racy::More && whole.out_of_rpo
    }

    fn extended(&self, walk: Walk, next: usize) -> Option<Walk> {
        let leg = &self.legs[next];
        let (bit, symmetric) = (self.bits[&leg.thread], self.symmetric[&leg.thread]);
        let is_free = walk.threads & bit == 0 && walk.threads & symmetric == symmetric;
        if !is_free || !self.legs[walk.last].can_be_followed_by(leg) {
            return None;
        }
        let more = if leg.stays { walk } else { Walk { releases: leg.releases, ..ended(walk, leg) } };
        let out_of_rpo = walk.out_of_rpo || leg.out_of_rpo;
        Some(Walk { last: next, threads: walk.threads | bit, out_of_rpo, ..more })
    }
}

/// The walk whose run ends with this leg.
fn ended(walk: Walk, leg: &Leg) -> Walk {
    let synchronises = walk.releases && leg.acquires;
    Walk { racy: if synchronises { walk.racy } else { walk.racy.with(leg.read) }, ..walk }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: u64 = 8;
    const Y: u64 = 16;
    const Z: u64 = 24;

    fn at(address: u64) -> Access {
        Access { address, size: 8 }
    }

    /// A relaxed leg.
    fn leg(thread: u32, read: u64, written: u64) -> Leg {
        Leg {
            thread: ThreadId(thread),
            read: at(read),
            written: at(written),
            stays: false,
            acquires: false,
            releases: false,
            out_of_rpo: true,
        }
    }

    fn cycle(legs: &[Leg]) -> bool {
        !on_cycles(&legs.iter().copied().collect()).is_empty()
    }

    #[test]
    fn load_buffering_is_a_cycle() {
        assert!(cycle(&[leg(1, X, Y), leg(2, Y, X)]));
        assert!(!cycle(&[leg(1, X, Y), leg(2, X, Y)]));
        assert!(!cycle(&[leg(1, X, X), leg(2, X, X)]));
        let ordered = |leg| Leg { out_of_rpo: false, ..leg };
        assert!(cycle(&[ordered(leg(1, X, Y)), leg(2, Y, X)]));
        assert!(!cycle(&[ordered(leg(1, X, Y)), ordered(leg(2, Y, X))]));
    }

    #[test]
    fn a_run_that_synchronises_is_no_race() {
        let giving = Leg { releases: true, ..leg(1, X, Y) };
        let taking = Leg { acquires: true, ..leg(2, Y, X) };
        assert!(!cycle(&[giving, taking]));
        assert!(cycle(&[giving, leg(2, Y, X)]));
        assert!(cycle(&[leg(1, X, Y), taking]));
    }

    #[test]
    fn a_leg_that_stays_goes_on_with_the_release_sequence() {
        let giving = Leg { releases: true, ..leg(1, X, Y) };
        let taking = Leg { acquires: true, ..leg(2, Y, X) };
        let between = Leg { stays: true, ..leg(3, Y, Y) };
        assert!(!cycle(&[giving, taking, between]));
        assert!(cycle(&[giving, taking, Leg { stays: false, ..between }]));
        // It may be the one that is not in `rpo`.
        let ordered = |leg| Leg { out_of_rpo: false, ..leg };
        assert!(cycle(&[ordered(leg(1, X, Y)), ordered(leg(2, Y, X)), between]));
    }

    #[test]
    fn a_thread_has_one_leg_of_a_cycle() {
        let alone = [leg(1, X, Y), leg(2, Y, Z), leg(1, Z, X)];
        assert!(!cycle(&alone));
        assert!(cycle(&[alone[0], alone[1], leg(3, Z, X)]));
    }

    #[test]
    fn symmetric_threads_are_used_in_order() {
        let legs = |thread| [leg(thread, X, Y), leg(thread, Y, X)];
        assert!(cycle(&[legs(1), legs(2)].concat()));
        assert!(cycle(&[legs(1), legs(2), legs(3)].concat()));
        assert!(!cycle(&legs(1)));
    }
}
