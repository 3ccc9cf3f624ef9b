//! Algorithm 1: WRA.
//!
//! Implements: \[RF\] section 4.1: no write is `hb`-between a read and the write that it reads.
//!
//! Corrected: line 9 asks for the last write of thread u that observer t knows: `WList_{u,x}^t`, not
//! `WList_{t,x}^u`. As printed, `xchg x(init) ; R x(xchg)` of one thread is rejected.
//!
//! Differs: lines 7 to 10 ask, for each thread, whether its last write that the read knows is after the
//! source. That needs the timestamps of all writes. Instead, each write notes what it overwrites: the last
//! write of each thread that it knows. (Earlier ones are overwritten by that one, which whoever knows the new
//! write knows as well.) A read then asks whether it knows any write that overwrites its source; there are at
//! most k of them.
//!
//! Cost: O(k) per event.

use crate::answer::{Answer, Reason, Step, Why, Witness};
use crate::chains::Write;
use crate::execution::{Event, PartialExecution, Source};
use crate::lists::{Cursors, Lists};
use crate::ordering::Prepared;
use crate::timestamps::{Synchronisation, Timestamps};

/// Whether every read reads a write that it does not know to be overwritten.
pub(crate) fn check(prepared: &Prepared) -> Answer {
    let execution = prepared.execution;
    let writes = Lists::of(execution, &prepared.slots, |e| execution.writes(e));
    let mut cursors = Cursors::new(&prepared.slots, &writes);
    let mut timestamps = Timestamps::new(execution, &prepared.slots, Synchronisation::Uniform);
    let mut overwriters = Overwriters::new(execution);
    for e in execution.events() {
        timestamps.enter(e);
        let clock = timestamps.clock(execution.thread(e));
        if let Some(source) = prepared.chains.source(execution, e) {
            let mut overwriters = overwriters.of(source);
            if let Some(between) = overwriters.find(|&write| knows(execution, clock, write)) {
                return Answer::Inconsistent(Reason::Cycle(sandwich(execution, e, between)));
            }
        }
        if execution.writes(e) {
            let mut overwrites_any = false;
            cursors.advance(execution, e, clock, |write| {
                overwrites_any = true;
                overwriters.insert(Write(write.0), e);
            });
            if !overwrites_any {
                overwriters.insert(prepared.chains.initial(execution.location(e).expect("it writes")), e);
            }
        }
        timestamps.leave(e);
    }
    Answer::Consistent(Witness::default())
}

fn knows(execution: &PartialExecution, clock: &[u32], e: Event) -> bool {
    execution.position(e) < clock[execution.thread(e).0 as usize]
}

fn sandwich(execution: &PartialExecution, read: Event, write: Event) -> Vec<Step> {
    let source = execution.source(read).expect("it reads");
    let (read, write) = (Source::Event(read), Source::Event(write));
    vec![
        Step { from: write, to: read, why: Why::Hb },
        Step { from: read, to: write, why: Why::Overwritten { source } },
    ]
}

/// Per write, those that overwrite it: lists in one table.
struct Overwriters {
    /// Per write the first entry of its list.
    heads: Vec<u32>,
    /// An overwriter, and the next entry.
    entries: Vec<(Event, u32)>,
}

const END: u32 = u32::MAX;

impl Overwriters {
    fn new(execution: &PartialExecution) -> Overwriters {
        Overwriters { heads: vec![END; execution.len() + execution.location_count()], entries: Vec::new() }
    }

    fn insert(&mut self, overwritten: Write, by: Event) {
        let head = &mut self.heads[overwritten.index()];
        self.entries.push((by, *head));
        *head = self.entries.len() as u32 - 1;
    }

    fn of(&self, write: Write) -> impl Iterator<Item = Event> {
        let entry = |number| (number != END).then(|| self.entries[number as usize]);
        std::iter::successors(entry(self.heads[write.index()]), move |&(_, next)| entry(next))
            .map(|(by, _)| by)
    }
}
