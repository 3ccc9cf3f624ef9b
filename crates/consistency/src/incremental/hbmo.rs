//! HBMO clocks: per chain, which writes to its location are before it.
//!
//! Implements: HBMO, the lazy closure and `poPropagate` of \[RF\] algorithm 5 (lines 13-23, 25, 31, 32 and the invariants
//! of appendix B.2). A chain is before another one if a write of the first, or a read of it, happens before a write of the
//! second or a read of it (lemma 3.2).
//!
//! The clock of a chain includes a write if the write is before the chain or in it (soundness). It includes at least
//! the chain itself and one write of each chain that lemma 3.2 puts before it. It is not transitively closed: [`Hbmo::close`]
//! does that when a read wants to know, by including for the last write of each thread that is included also what
//! the clock of its chain includes. What makes the *last* one enough, and is all that must be kept up:
//!
//! * (A) a write's chain includes, when the write is added, what the chain of the thread's previous write does;
//! * (B) what a chain comes to include later is included in the chains of the writes that are po-after its top.
//!
//! Claim: if a closed clock C includes a write of a chain, it includes all that the chain's clock does. Proof, by
//! induction over time, for what was included last, D, in a chain whose top is t. C includes t, for every write of
//! the chain came with a clock that includes t. If t is the last write of its thread in C, done. If not, the last one
//! either was there already, and (B) gave it D; or it came later, and by (A) has what its predecessor had. If D came to
//! the chain by (B), from a t' that is po-before a write q of the chain, then C includes q, hence t', and we are
//! back at the case before. So (B) need not be repeated for the chains that it changes; and it can stop at a write whose
//! chain included D already: by induction C includes D from there on.
//!
//! Corrected: lines 12, 20 and 31 say `HBMO[w]`, where `w` may be inside a chain; it is the clock of the chain that counts.
//!
//! Cost: a closure mostly is one round, O(threads²) for the location's threads. (B) is linear in the writes that are
//! po-after a top and did not know yet: reads of ever the same old write while its writer goes on cost more.

use super::chains::{Chain, Chains};
use super::clocks::{Clocks, join};
use super::history::{LocationHistory, WriteId};

/// The HBMO clocks of all chains.
#[derive(Clone, Default, Debug)]
pub(crate) struct Hbmo {
    clocks: Clocks,
}

impl Hbmo {
    pub(crate) fn widen(&mut self, lanes: usize) {
        self.clocks.widen(lanes);
    }

    pub(crate) fn lanes(&self, chain: Chain) -> &[u32] {
        self.clocks.lanes(chain.clock())
    }

    /// The clock of a new chain.
    pub(crate) fn begin(&mut self, chain: Chain, clock: &[u32]) {
        let id = self.clocks.copy(clock);
        debug_assert_eq!(id, chain.clock());
    }

    /// The closure of a clock. Where a chain turns out to be included that must not be, the write at which it was found.
    pub(crate) fn close(
        &self,
        clock: &mut [u32],
        chains: &Chains,
        location: &LocationHistory,
        without: Option<Chain>,
    ) -> Result<(), WriteId> {
        let without = without.map(|chain| chains.top(chain)).map(|top| (top.lane.index(), top.position));
        let mut closed = vec![0; clock.len()];
        let mut grew = true;
        while grew {
            grew = false;
            for (lane, thread) in location.threads() {
                let upto = clock[lane.index()];
                if upto == closed[lane.index()] {
                    continue;
                }
                closed[lane.index()] = upto;
                let Some(last) = thread.last_write_before(upto) else { continue };
                grew |= join(clock, self.lanes(last.chain));
                if without.is_some_and(|(lane, position)| clock[lane] >= position) {
                    return Err(last.write);
                }
            }
        }
        Ok(())
    }

    /// Line 23 and 25: the chain comes after all that `clock` includes.
    pub(crate) fn include(
        &mut self,
        chain: Chain,
        clock: &[u32],
        chains: &Chains,
        location: &LocationHistory,
    ) {
        if self.clocks.join(chain.clock(), clock) {
            self.po_propagate(chain, clock, chains, location);
        }
    }

    /// What the chain has come to include, the chains of writes po-after its top include, too.
    fn po_propagate(&mut self, from: Chain, clock: &[u32], chains: &Chains, location: &LocationHistory) {
        let top = chains.top(from);
        let Some(thread) = location.of(top.lane) else { return };
        let mut previous = from;
        for placed in thread.writes_after(top.position) {
            let chain = placed.chain;
            // Writes of one thread that are in one chain follow each other: what is between is in it.
            if chain == previous {
                continue;
            }
            if !self.clocks.join(chain.clock(), clock) {
                return;
            }
            previous = chain;
        }
    }
}

/// Whether the clock includes the top of a chain.
pub(crate) fn is_included(clock: &[u32], chains: &Chains, chain: Chain) -> bool {
    let top = chains.top(chain);
    clock[top.lane.index()] >= top.position
}
