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
//! Differs: a list is linked through a table by event. Cursors mostly point to events that have arrived lately,
//! of whatever location and thread: these are near each other there, and stay in the cache however long the
//! execution is.
//!
//! Differs: beside the cursor there is the position of the event it points to, so that looking at all cursors
//! of an observer reads one row of memory and nothing else.

use crate::execution::{Event, PartialExecution};
use crate::slots::Slots;

/// Per slot, a list of events in program order, linked.
#[derive(Debug)]
pub(crate) struct Lists {
    /// Per slot its first event, or `NONE`.
    firsts: Vec<u32>,
    /// Per event, if it is in a list.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Of the event, in its thread.
    position: u32,
    /// The next one of the list, or `NONE`.
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Lists {
    /// The lists of the accesses that `keep` is true of: `WList` if it keeps writes, `RList` if it keeps
    /// reads.
    pub(crate) fn of(execution: &PartialExecution, slots: &Slots, keep: impl Fn(Event) -> bool) -> Lists {
        let entry = |e| Entry { position: execution.position(e), next: NONE };
        let mut lists =
            Lists { firsts: vec![NONE; slots.len()], entries: execution.events().map(entry).collect() };
        let mut lasts = vec![NONE; slots.len()];
        for e in execution.events().filter(|&e| execution.location(e).is_some() && keep(e)) {
            let slot = slots.slot(e);
            match lasts[slot] {
                NONE => lists.firsts[slot] = e.0,
                last => lists.entries[last as usize].next = e.0,
            }
            lasts[slot] = e.0;
        }
        lists
    }

    /// The position of an event of a list; after its end it is `NONE`.
    #[inline(always)]
    fn position(&self, e: u32) -> u32 {
        if e == NONE { NONE } else { self.entries[e as usize].position }
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
                let cursor = &mut self.cursors[row + column];
                let mut last = *cursor;
                while positions[column] < before {
                    last = *cursor;
                    *cursor = self.lists.entries[last as usize].next;
                    positions[column] = self.lists.position(*cursor);
                }
                last_before(Event(last));
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
        for &event in &self.lists.firsts[first..first + width] {
            self.cursors.push(event);
            self.positions.push(self.lists.position(event));
        }
        self.rows[observer] = Some(row);
        row
    }
}
