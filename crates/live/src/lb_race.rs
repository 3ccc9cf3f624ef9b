//! Load-buffering races, seen from the clocks.
//!
//! Implements: the relation of \[XMM\] definition 2.4.2 without its condition on orders: a read is before a write of
//! the same location in `porf`, but not in `hb`. As long as all reads from other threads synchronise, there is nothing
//! to look for; where the two clocks of an event are equal, they are only compared.
//!
//! Cost: O(writes · threads), and the events between the clocks where they differ; nothing if all reads from other
//! threads synchronise.

use crate::event::LiveEvent;
use crate::graph::LiveGraph;
use base::ThreadId;

impl LiveGraph {
    /// Whether some read is before a write of the same location in `porf`, but not in `hb`.
    pub fn may_have_lb_race(&self) -> bool {
        self.unsynchronised && self.has_lb_race()
    }

    fn has_lb_race(&self) -> bool {
        for thread in self.thread_ids() {
            // A write with the clocks of the one before, which were found equal, needs no look.
            let mut equal = None;
            for &w in self.po(thread) {
                let event = self.event(w);
                if !event.kind.writes() || equal == Some((event.hb, event.porf)) {
                    continue;
                }
                if self.has_equal_clocks(thread, event) {
                    equal = Some((event.hb, event.porf));
                } else if self.has_read_behind(thread, event) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether all events before it in `porf` are before it in `hb`, too.
    #[inline(always)]
    fn has_equal_clocks(&self, own: ThreadId, event: &LiveEvent) -> bool {
        if event.hb == event.porf {
            return true;
        }
        let (hb, porf) = (self.clocks.lanes(event.hb), self.clocks.lanes(event.porf));
        hb.iter().zip(porf).enumerate().all(|(other, (hb, porf))| hb >= porf || other == own.index())
    }

    #[cold]
    fn has_read_behind(&self, own: ThreadId, event: &LiveEvent) -> bool {
        self.thread_ids().filter(|&other| other != own).any(|other| {
            let (hb, porf) = (self.clocks.get(event.hb, other), self.clocks.get(event.porf, other));
            hb < porf
                && self.po(other)[hb as usize..porf as usize].iter().any(|&r| {
                    let r = self.event(r);
                    r.kind.reads() && r.location == event.location
                })
        })
    }
}
