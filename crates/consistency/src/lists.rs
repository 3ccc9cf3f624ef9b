//! `lastWriteBefore` and `lastReadBefore`: what thread u did last to a location, before the c-th event of it.
//!
//! Implements: \[RF\] section 3, the lists `WList` and `RList` and their monotone cursors. There is one list
//! per thread and location, and one cursor into it per observer, that is per thread which accesses the
//! location itself. A thread's hb-timestamps grow along `po`, so its cursors only move forward: all moves
//! together cost O(n·k).
//!
//! Differs: a list of all accesses takes the place of `WList` and `RList` where both are asked for. The later
//! of the last write and of the last read is enough: it is po-after the other one, and the ordering between
//! the two of them was found when the later one was swept over. For the same reason only cursors that have
//! moved since the observer's previous access are reported: what the others point to is ordered before that
//! access, and the observer's own cursor always moves to that one.
//!
//! Differs: beside the cursor there is the position of the event it points to, so that looking at all cursors
//! of an observer reads one row of memory and nothing else.

use crate::execution::{Event, PartialExecution};
use crate::slots::Slots;

/// Per slot, a list of events in program order.
#[derive(Debug)]
pub(crate) struct Lists {
    /// Per slot its first entry; one more at the end.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    position: u32,
    event: Event,
}

const NONE: u32 = u32::MAX;

impl Lists {
    /// The lists of the accesses that `keep` is true of: `WList` if it keeps writes, `RList` if it keeps
    /// reads.
    pub(crate) fn of(execution: &PartialExecution, slots: &Slots, keep: impl Fn(Event) -> bool) -> Lists {
        let kept = || execution.events().filter(|&e| execution.location(e).is_some() && keep(e));
        let mut starts = vec![0; slots.len() + 1];
        kept().for_each(|e| starts[slots.slot(e) + 1] += 1);
        for slot in 0..slots.len() {
            starts[slot + 1] += starts[slot];
        }
        let mut ends = starts.clone();
        let mut entries = vec![Entry { position: 0, event: Event(0) }; starts[slots.len()] as usize];
        for e in kept() {
            let end = &mut ends[slots.slot(e)];
            entries[*end as usize] = Entry { position: execution.position(e), event: e };
            *end += 1;
        }
        Lists { starts, entries }
    }
}

/// The cursors of all observers.
#[derive(Debug)]
pub(crate) struct Cursors<'a> {
    slots: &'a Slots,
    lists: &'a Lists,
    /// Per slot, that is per observer and location, where its row begins; `None` before the observer's first
    /// access.
    rows: Vec<Option<usize>>,
    /// Rows: per slot of the location, the position in its thread of the event that its cursor points to;
    /// `NONE` at the end of the list.
    positions: Vec<u32>,
    /// Rows: the cursors.
    cursors: Vec<u32>,
}

impl<'a> Cursors<'a> {
    /// All at the beginnings of their lists.
    pub(crate) fn new(slots: &'a Slots, lists: &'a Lists) -> Cursors<'a> {
        let rows = vec![None; slots.len()];
        Cursors { slots, lists, rows, positions: Vec::new(), cursors: Vec::new() }
    }

    /// For every thread u whose events before the `clock[u]`-th have more accesses to the location of `e`
    /// than when the observer, `e`'s thread, asked the last time: the last of them.
    #[inline]
    pub(crate) fn advance(
        &mut self,
        execution: &PartialExecution,
        e: Event,
        clock: &[u32],
        mut last_before: impl FnMut(Event),
    ) {
        let slots = self.slots.at(execution.location(e).expect("only accesses observe"));
        let row = self.row(self.slots.slot(e), slots.start, slots.len());
        let positions = &mut self.positions[row..row + slots.len()];
        for (column, &thread) in self.slots.threads(slots.clone()).iter().enumerate() {
            let before = clock[thread as usize];
            if positions[column] < before {
                let end = self.lists.starts[slots.start + column + 1];
                let cursor = &mut self.cursors[row + column];
                let rest = &self.lists.entries[*cursor as usize..end as usize];
                let passed = rest.iter().take_while(|entry| entry.position < before).count();
                *cursor += passed as u32;
                positions[column] = rest.get(passed).map_or(NONE, |entry| entry.position);
                last_before(rest[passed - 1].event);
            }
        }
    }

    #[inline]
    fn row(&mut self, observer: usize, first: usize, width: usize) -> usize {
        match self.rows[observer] {
            Some(row) => row,
            None => self.begin_row(observer, first, width),
        }
    }

    #[cold]
    fn begin_row(&mut self, observer: usize, first: usize, width: usize) -> usize {
        let row = self.cursors.len();
        let starts = &self.lists.starts[first..=first + width];
        for (&start, &end) in starts.iter().zip(&starts[1..]) {
            self.cursors.push(start);
            self.positions.push(if start == end {
                NONE
            } else {
                self.lists.entries[start as usize].position
            });
        }
        self.rows[observer] = Some(row);
        row
    }
}
