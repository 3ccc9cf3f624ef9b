//! Algorithm 3: RC20, C20 without SC events, and with another `hb` RA and RC11 without SC events.
//!
//! Implements: \[RF\] section 4.4. For every access, and every thread, the last access of that thread to the
//! same location which happens before it.
//!
//! Corrected: line 10 takes the event itself out of its own thread's count for read-modify-writes only; it
//! must for reads, too. As printed, `RList` gives the read itself, and of `R rlx x(w) ; R rlx x(init)` and
//! `w: W rlx x` the second read is not seen to go back.
//!
//! Corrected: the graph of the running-time paragraph, `hb` between writes, needs two things. The own event
//! is taken out of the count of its own thread only, not of every thread's: else of `a: W x` and `R x(a) ; b:
//! W x ; R x(a)` it is missed that a is before b. And as the write that a thread knows counts what it has
//! read, not only what it has written: the same execution, relaxed. Here both come from treating a plain
//! write like a read: it, too, is ordered after all that its thread knows.

use crate::lists::{Cursors, Lists};
use crate::ordering::{Ordering, Orderings, Prepared};
use crate::timestamps::{Synchronisation, Timestamps};
use std::ops::ControlFlow;

/// The orderings of Algorithm 3.
#[derive(Debug)]
pub(crate) struct Rc20 {
    synchronisation: Synchronisation,
    accesses: Lists,
}

impl Rc20 {
    pub(crate) fn new(prepared: &Prepared, synchronisation: Synchronisation) -> Rc20 {
        Rc20 { synchronisation, accesses: Lists::of(prepared.execution, &prepared.slots, |_| true) }
    }
}

impl Orderings for Rc20 {
    fn each(
        &self,
        prepared: &Prepared,
        found: &mut impl FnMut(Ordering) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let execution = prepared.execution;
        let mut timestamps = Timestamps::new(execution, &prepared.slots, self.synchronisation);
        let mut cursors = Cursors::new(&prepared.slots, &self.accesses);
        for e in execution.events() {
            timestamps.enter(e);
            if execution.location(e).is_some() {
                let second = prepared.chains.place(e);
                let clock = timestamps.clock(execution.thread(e));
                let mut flow = ControlFlow::Continue(());
                cursors.advance(execution, e, clock, |access| {
                    if flow.is_continue() {
                        flow = found(prepared.ordering(access, e, second));
                    }
                });
                flow?;
            }
            timestamps.leave(e);
        }
        ControlFlow::Continue(())
    }
}
