//! Coverage: how much of a program's behaviour random runs have shown, and how much is still to be expected.
//!
//! Counted are graphs (`po` and `rf`, by a hash), pairs of instructions of which one reads a write of the other, and
//! those among them that nothing ordered at the time. The probability that the next run shows a new graph is estimated
//! by the number of graphs that were seen once, divided by the number of runs (Good 1953); the number of graphs in all
//! by the numbers of those that were seen once and twice (Chao 1984). An estimate is no proof: both miss graphs that
//! are rare enough.

use base::Site;
use std::collections::{BTreeMap, BTreeSet};

/// New graphs beyond this number are not counted.
const MOST: usize = 2_000_000;

/// The coverage of one worker.
#[derive(Debug)]
pub(crate) struct Seen {
    hash: u64,
    pairs: BTreeSet<(Site, Site)>,
    racing: BTreeSet<(Site, Site)>,
    /// Pairs that are known to be in the sets, by hash: most reads are of pairs that are not new.
    recent: Vec<u64>,
}

const RECENT: usize = 1 << 10;

impl Default for Seen {
    fn default() -> Seen {
        Seen { hash: 0, pairs: BTreeSet::new(), racing: BTreeSet::new(), recent: vec![u64::MAX; RECENT] }
    }
}

impl Seen {
    /// A thread makes its event number `reader.1`, which reads a write of `writer`. `is_known`: the write happens
    /// before it.
    #[inline]
    pub(crate) fn read(
        &mut self,
        reader: (u32, u32),
        site: Site,
        writer: (u32, u32),
        written: Site,
        is_known: bool,
    ) {
        let name = |(thread, event): (u32, u32)| u64::from(thread) << 32 | u64::from(event);
        self.hash = self.hash.wrapping_add(mix(mix(name(reader)) ^ name(writer)));
        let key = (u64::from(site.0) << 33) ^ (u64::from(written.0) << 1) ^ u64::from(is_known);
        let slot = mix(key) as usize % RECENT;
        if self.recent[slot] == key {
            return;
        }
        self.recent[slot] = key;
        self.pairs.insert((written, site));
        if !is_known {
            self.racing.insert((written, site));
        }
    }

    /// The hash of the graph of a run that is over; its threads have made these numbers of events.
    fn finish(&mut self, events: impl Iterator<Item = u32>) -> u64 {
        let lengths = events.enumerate().map(|(thread, events)| (thread as u64) << 40 | u64::from(events));
        let hash = lengths.fold(self.hash, |hash, length| hash.wrapping_add(mix(length ^ 1 << 39)));
        self.hash = 0;
        hash
    }
}

/// The finaliser of splitmix64. Hashes of reads are added up, in any order, and the sum stands for the graph: every bit
/// of a read has to change every bit of its hash, which quick hashers of tables do not promise.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The coverage of all workers.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    graphs: BTreeMap<u64, u32>,
    /// Graphs that were seen once, and twice.
    once: u64,
    twice: u64,
    runs: u64,
    pairs: BTreeSet<(Site, Site)>,
    racing: BTreeSet<(Site, Site)>,
}

impl Coverage {
    /// Count a run that is over.
    pub(crate) fn add(&mut self, seen: &mut Seen, events: impl Iterator<Item = u32>) {
        let hash = seen.finish(events);
        self.runs += 1;
        if self.graphs.len() < MOST || self.graphs.contains_key(&hash) {
            let times = self.graphs.entry(hash).or_default();
            *times = times.saturating_add(1);
            match *times {
                1 => self.once += 1,
                2 => (self.once, self.twice) = (self.once - 1, self.twice + 1),
                3 => self.twice -= 1,
                _ => {}
            }
        }
        if seen.pairs.len() > self.pairs.len() || seen.racing.len() > self.racing.len() {
            self.merge(seen);
        }
    }

    /// Take over the pairs that a worker has seen.
    pub(crate) fn merge(&mut self, seen: &Seen) {
        self.pairs.extend(&seen.pairs);
        self.racing.extend(&seen.racing);
    }

    /// How many different graphs there are.
    pub fn graphs(&self) -> u64 {
        self.graphs.len() as u64
    }

    /// How many pairs of instructions there are of which one reads a write of the other.
    pub fn pairs(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// How many of these were seen while nothing ordered the two.
    pub fn racing_pairs(&self) -> u64 {
        self.racing.len() as u64
    }

    /// The estimated probability that the next run shows a graph that was seen before.
    pub fn saturation(&self) -> f64 {
        if self.runs == 0 { 0.0 } else { 1.0 - self.once as f64 / self.runs as f64 }
    }

    /// An estimated lower bound for the number of graphs in all.
    pub fn estimate(&self) -> f64 {
        let (once, twice) = (self.once as f64, self.twice as f64);
        self.graphs() as f64 + once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0))
    }

    /// Whether hardly any new graph is to be expected.
    pub(crate) fn is_saturated(&self) -> bool {
        self.runs >= 1000 && self.once * 1000 <= self.runs
    }
}
