//! Load-buffering races, seen from the clocks.
//!
//! Implements the relation of \[XMM\] definition 2.4.2 without its condition on orders: a read is before a write of the same
//! location in `porf`, but not in `hb`. Where everybody who reads synchronises, the two clocks of every event are equal,
//! and all that is done is to see that.
//!
//! Cost: O(writes · threads), and the events between the clocks where they differ.

use crate::live::LiveGraph;
use crate::live_event::EventRef;
use base::ThreadId;

impl LiveGraph {
    /// Is some read before a write of the same location in `porf`, but not in `hb`?
    pub fn may_have_lb_race(&self) -> bool {
        self.thread_ids().any(|thread| self.po(thread).iter().any(|&w| self.has_read_behind(thread, w)))
    }

    #[inline(always)]
    fn has_read_behind(&self, own: ThreadId, w: EventRef) -> bool {
        let event = self.event(w);
        event.kind.writes()
            && event.hb != event.porf
            && self.thread_ids().filter(|&other| other != own).any(|other| {
                let (hb, porf) = (self.clocks.get(event.hb, other), self.clocks.get(event.porf, other));
                hb < porf
                    && self.po(other)[hb as usize..porf as usize].iter().any(|&r| {
                        let r = self.event(r);
                        r.kind.reads() && r.location == event.location
                    })
            })
    }
}
