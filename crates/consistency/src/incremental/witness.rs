//! A coherence order for all that was accepted: any order of the chains that the HBMO clocks agree with.
//!
//! Implements: the soundness half of \[RF\] lemma 4.4: a minimally coherent partial order of the chains, extended to a
//! total one, is a legal coherence order.
//!
//! Idea: before a chain come the chains of all writes that its clock includes; each thread's writes in order, so that
//! a counter for each thread says which are done. Cost: O(writes · threads).

use super::chains::{Chain, Chains};
use super::hbmo::Hbmo;
use super::history::{LocationHistory, Placed, ThreadHistory};
use crate::execution::Event;

/// Per location its writes in a coherence order, without the initial one.
pub(super) fn coherence_orders(
    locations: &[LocationHistory],
    chains: &Chains,
    hbmo: &Hbmo,
) -> Vec<Vec<Event>> {
    let mut order =
        Order { chains, hbmo, threads: Vec::new(), taken: vec![false; chains.len()], co: Vec::new() };
    locations.iter().map(|location| order.of(location)).collect()
}

struct Done<'a> {
    lane: usize,
    writes: &'a [Placed],
    /// How many of the writes are in chains that were taken.
    done: usize,
}

struct Order<'a> {
    chains: &'a Chains,
    hbmo: &'a Hbmo,
    threads: Vec<Done<'a>>,
    /// Per chain of any location.
    taken: Vec<bool>,
    co: Vec<Event>,
}

impl<'a> Order<'a> {
    fn of(&mut self, location: &'a LocationHistory) -> Vec<Event> {
        let of = |thread: &'a ThreadHistory| thread.writes();
        self.threads = location
            .threads()
            .map(|(lane, thread)| Done { lane: lane.index(), writes: of(thread), done: 0 })
            .collect();
        for (_, thread) in location.threads() {
            for placed in thread.writes() {
                self.take_after_all_before(placed.chain);
            }
        }
        std::mem::take(&mut self.co)
    }

    fn take_after_all_before(&mut self, goal: Chain) {
        let mut waiting = vec![goal];
        while let Some(&chain) = waiting.last() {
            match self.missing_before(chain) {
                Some(earlier) => waiting.push(earlier),
                None => {
                    self.take(chain);
                    waiting.pop();
                }
            }
        }
    }

    /// A chain that is before this one and was not taken yet.
    fn missing_before(&mut self, chain: Chain) -> Option<Chain> {
        if self.taken[chain.index()] {
            return None;
        }
        for number in 0..self.threads.len() {
            let upto = self.hbmo.lanes(chain)[self.threads[number].lane];
            while let Some(&next) = self.threads[number].writes.get(self.threads[number].done) {
                let of = next.chain;
                if next.position > upto || of == chain {
                    break;
                }
                if !self.taken[of.index()] {
                    return Some(of);
                }
                self.threads[number].done += 1;
            }
        }
        None
    }

    fn take(&mut self, chain: Chain) {
        if self.taken[chain.index()] {
            return;
        }
        self.taken[chain.index()] = true;
        let members = self.chains.members(chain).iter();
        self.co.extend(members.filter_map(|placed| self.chains.write(placed.write).event));
    }
}
