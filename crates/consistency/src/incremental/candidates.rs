//! Which writes a new read may read from.
//!
//! Implements: \[RF\] section 5.2, "choosing a valid writer", in closed form instead of one check for each write: a read
//! may read a write unless the write is before one that the reader's thread has seen or knows of (lemma 3.2). What
//! is not in the closure of the chains seen is not before any of them; of those chains themselves the ones that none
//! of the others is after remain, from the place on that was seen.
//!
//! Cost: one closure for each chain seen that is not found to be before another one. The writes are not copied.

use super::chains::{Chain, Chains};
use super::clocks::{Lane, join};
use super::hbmo::{Hbmo, is_included};
use super::history::{LocationHistory, Placed, WriteId};
use crate::execution::{Op, Source};

/// The writes that a new read may read from: slices of the checker's lists.
#[derive(Clone, Debug)]
pub struct Candidates<'a> {
    chains: &'a Chains,
    groups: Vec<&'a [Placed]>,
    op: Op,
}

impl<'a> Candidates<'a> {
    /// What they are for a read of the location by one who knows this much.
    pub(super) fn of(
        op: Op,
        known: &[u32],
        location: &'a LocationHistory,
        chains: &'a Chains,
        hbmo: &Hbmo,
    ) -> Candidates<'a> {
        let Seen { ends, before } = Seen::of(location.seen(known), location, chains, hbmo);
        let later = location.threads().map(|(lane, thread)| thread.writes_after(before[lane.index()]));
        let ends = ends.iter().map(|&(chain, place)| &chains.members(chain)[place as usize..]);
        let groups = later.chain(ends).filter(|group| !group.is_empty()).collect();
        Candidates { chains, groups, op }
    }

    /// The sources. There always is one.
    pub fn iter(&self) -> impl Iterator<Item = Source> + '_ {
        let writes = self.groups.iter().copied().flatten();
        writes.filter_map(|placed| self.source(placed.write))
    }

    /// How many numbers [`Candidates::get`] knows.
    pub fn numbers(&self) -> usize {
        self.groups.iter().map(|group| group.len()).sum()
    }

    /// The source with this number, for a uniform choice by drawing numbers until there is one: for a read there always is,
    /// for a read-modify-write there is not where another one reads the write already.
    pub fn get(&self, mut number: usize) -> Option<Source> {
        for group in &self.groups {
            match group.get(number) {
                Some(placed) => return self.source(placed.write),
                None => number -= group.len(),
            }
        }
        None
    }

    fn source(&self, write: WriteId) -> Option<Source> {
        let write = self.chains.write(write);
        // weak-atomicity
        let taken = self.op == Op::Rmw && write.updated_by.is_some();
        (!taken).then_some(write.event.map_or(Source::Init, Source::Event))
    }
}

/// What the reader's thread has seen of the location.
struct Seen {
    /// The chains that none of the others is after, each with the last place seen.
    ends: Vec<(Chain, u32)>,
    /// All that is before a chain seen or in it.
    before: Vec<u32>,
}

impl Seen {
    fn of(
        seen: impl Iterator<Item = (Lane, Placed)>,
        location: &LocationHistory,
        chains: &Chains,
        hbmo: &Hbmo,
    ) -> Seen {
        let mut ends = ends(seen, chains);
        // Chains that began later tend to be after the others.
        ends.sort_unstable_by_key(|&(chain, _)| std::cmp::Reverse(chain));
        let mut before = vec![0; hbmo.lanes(ends[0].0).len()];
        let mut next = 0;
        while let Some(&(chain, _)) = ends.get(next) {
            let mut clock = hbmo.lanes(chain).to_vec();
            let closed = hbmo.close(&mut clock, chains, location, None);
            debug_assert_eq!(closed, Ok(()), "nothing is excluded");
            // The union of closed clocks is closed.
            join(&mut before, &clock);
            ends.retain(|&(other, _)| other == chain || !is_included(&clock, chains, other));
            next = ends.iter().position(|&(other, _)| other == chain).map_or(next, |at| at + 1);
        }
        Seen { ends, before }
    }
}

/// The chains of which something was seen, each with the last place of it. That of the initial write always is.
fn ends(seen: impl Iterator<Item = (Lane, Placed)>, chains: &Chains) -> Vec<(Chain, u32)> {
    let mut ends: Vec<(Chain, u32)> = Vec::new();
    for (_, Placed { write, chain, .. }) in seen {
        let place = chains.write(write).place;
        match ends.iter_mut().find(|(other, _)| *other == chain) {
            Some((_, last)) => *last = place.max(*last),
            None => ends.push((chain, place)),
        }
    }
    ends
}
