//! The order of blocks once more, from its definition: the reference with which tests compare the one that is kept.
//!
//! Implements: block(a) is before block(b) if `(a, b)` is in `rf? ; hb`, or `(a, e)` is, for a read `e` of `b`; and
//! transitively.
//! Cost: O(events³).

use crate::event::{EventRef, LocationId};
use crate::graph::LiveGraph;

impl LiveGraph {
    /// Whether the order of blocks that is kept is the one of the definition. Every write has its place.
    pub fn blocks_are_by_definition(&self) -> bool {
        self.location_ids().all(|location| {
            let writes = self.block_witness(location);
            let before = self.blocks_by_definition(location, &writes);
            let agrees = |a: usize, b: usize| before[a][b] == self.block_precedes(writes[a], writes[b]);
            (0..writes.len()).all(|a| (0..writes.len()).all(|b| a == b || agrees(a, b)))
        })
    }

    /// Whether the writes to each location are linked in a coherence order, as far as blocks are concerned.
    pub fn links_extend_blocks(&self) -> bool {
        self.location_ids().all(|location| {
            let next = |&w: &EventRef| Some(self.co_next(w)).filter(|w| w.is_some());
            let writes: Vec<EventRef> =
                std::iter::successors(Some(EventRef::init(location)), next).skip(1).collect();
            let is_last_of = |n: usize| writes[..n].iter().all(|&a| !self.block_precedes(writes[n], a));
            (0..writes.len()).all(is_last_of)
        })
    }

    /// Per pair of writes: whether the first one is before the second one in every coherence order.
    fn blocks_by_definition(&self, location: LocationId, writes: &[EventRef]) -> Vec<Vec<bool>> {
        let n = writes.len();
        let tops: Vec<EventRef> = writes.iter().map(|&w| self.top_by_definition(w)).collect();
        let same_block = |a: usize, b: usize| tops[a] == tops[b];
        let is_before = |a: usize, b: usize| match (tops[a].is_init(), tops[b].is_init()) {
            _ if same_block(a, b) => self.hangs_off(writes[b], writes[a]),
            (true, _) => true,
            (false, true) => false,
            // An order of one write of a block is one of all.
            (false, false) => (0..n).filter(|&c| same_block(a, c)).any(|c| {
                (0..n).filter(|&d| same_block(b, d)).any(|d| self.is_forced(location, writes[c], writes[d]))
            }),
        };
        let mut before: Vec<Vec<bool>> = (0..n).map(|a| (0..n).map(|b| is_before(a, b)).collect()).collect();
        for c in 0..n {
            for a in 0..n {
                for b in 0..n {
                    before[a][b] |= before[a][c] && before[c][b];
                }
            }
        }
        before
    }

    fn top_by_definition(&self, w: EventRef) -> EventRef {
        if !w.is_init() && self.event(w).kind.is_update() {
            self.top_by_definition(self.event(w).rf)
        } else {
            w
        }
    }

    /// Whether `u` is a read-modify-write that reads from `w`, or from one that hangs off it.
    fn hangs_off(&self, u: EventRef, w: EventRef) -> bool {
        let event = (!u.is_init()).then(|| self.event(u)).filter(|event| event.kind.is_update());
        event.is_some_and(|event| event.rf == w || self.hangs_off(event.rf, w))
    }

    fn is_forced(&self, location: LocationId, a: EventRef, b: EventRef) -> bool {
        self.is_known(location, a, b)
            || self.accesses(location).any(|e| {
                let event = self.event(e);
                event.kind.reads() && event.rf == b && e != a && self.is_known(location, a, e)
            })
    }

    /// `(a, e)` is in `rf? ; hb`, `a` being no initial write.
    fn is_known(&self, location: LocationId, a: EventRef, e: EventRef) -> bool {
        let reads = |r: &EventRef| self.event(*r).kind.reads() && self.event(*r).rf == a;
        self.hb(a, e) || self.accesses(location).filter(reads).any(|r| r != e && self.hb(r, e))
    }

    fn accesses(&self, location: LocationId) -> impl Iterator<Item = EventRef> {
        let events = self.thread_ids().flat_map(|thread| self.po(thread).iter().copied());
        events.filter(move |&e| self.event(e).location == location)
    }
}
