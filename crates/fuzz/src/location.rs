//! A location: its writes in coherence order, and which of them each thread has seen.
//!
//! Coherence by labels: a write has a number that grows along `co`, with room between neighbours. So a list of the
//! writes that a thread saw (position in the thread, label) is sorted by both. The *bound* of a reader: for each
//! thread, take the label of the last write it had seen at the point up to which the reader knows it; the bound is the
//! greatest of these. Writes before the bound cannot be read any more, and no write goes before it: CoRR, CoWR, CoRW
//! and CoWW of RC11's COHERENCE, for an event that is added last.
//!
//! Cost: O(threads that use the location) for a bound; the lists are searched from their ends.

use crate::clock::{Clock, Message};
use crate::psc::Mark;
use base::{Access, Site, Value};

/// The initial distance of labels.
const GAP: u64 = 1 << 32;

/// The thread of the initial write.
pub(crate) const INIT: u32 = u32::MAX;

/// A write.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) label: u64,
    pub(crate) thread: u32,
    /// Which event of its thread, from 1.
    pub(crate) position: u32,
    /// `None`: never written.
    pub(crate) value: Option<Value>,
    /// Whether a read-modify-write reads it. Nothing goes between the two.
    pub(crate) updated: bool,
    /// The knowledge that an acquire of it gets.
    pub(crate) message: Option<Message>,
    pub(crate) site: Site,
}

/// The last accesses of a thread to a location, as numbers of its events. Races are decided by these.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Last {
    pub(crate) read: u32,
    pub(crate) plain_read: u32,
    pub(crate) write: u32,
    pub(crate) plain_write: u32,
}

/// The accesses of one thread to the location.
#[derive(Clone, Debug)]
pub(crate) struct History {
    pub(crate) thread: u32,
    /// Since which of its events it has seen which label, sorted by both.
    seen: Vec<(u32, u64)>,
    pub(crate) last: Last,
    /// The message of its last release write.
    pub(crate) released: Option<Message>,
}

impl History {
    pub(crate) fn see(&mut self, position: u32, label: u64) {
        if self.seen.last().is_none_or(|&(_, last)| last < label) {
            self.seen.push((position, label));
        }
    }
}

/// A location.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub(crate) access: Access,
    /// In coherence order; those before the first can never be read again.
    pub(crate) writes: Vec<Write>,
    histories: Vec<History>,
    /// The SC writes, by their place in the order of SC events.
    sc: Vec<(u32, u64)>,
    /// The marks of SC events, as long as these have no settled order.
    marks: Vec<Mark>,
    /// From how many writes on to look for ones to drop.
    threshold: usize,
    /// Whether a thread waits for a change.
    pub(crate) waited_for: bool,
}

/// How many writes are searched one by one.
const FEW: usize = 32;

impl Location {
    /// A location with its initial value. From `threshold` writes on, some may be dropped.
    pub(crate) fn new(access: Access, value: Option<Value>, threshold: usize) -> Location {
        let (position, site) = (0, Site::default());
        let init = Write { label: GAP, thread: INIT, position, value, updated: false, message: None, site };
        Location {
            access,
            writes: vec![init],
            histories: Vec::new(),
            sc: Vec::new(),
            marks: Vec::new(),
            threshold,
            waited_for: false,
        }
    }

    /// The accesses of a thread to this location.
    #[inline]
    pub(crate) fn history(&mut self, thread: u32) -> &mut History {
        let slot = self.histories.iter().position(|history| history.thread == thread).unwrap_or_else(|| {
            let (seen, last) = (Vec::new(), Last::default());
            self.histories.push(History { thread, seen, last, released: None });
            self.histories.len() - 1
        });
        &mut self.histories[slot]
    }

    pub(crate) fn histories(&self) -> &[History] {
        &self.histories
    }

    /// The greatest label that a thread with this clock must not overlook.
    #[inline]
    pub(crate) fn bound(&self, clock: &Clock, sc: u32) -> u64 {
        let mut bound = self.writes[0].label;
        for history in &self.histories {
            bound = bound.max(last_before(&history.seen, clock.get(history.thread as usize)));
        }
        if sc > 0 {
            bound = bound.max(last_before(&self.sc, sc));
        }
        bound
    }

    /// The label of the last SC write.
    pub(crate) fn last_sc(&self) -> u64 {
        self.sc.last().map_or(0, |&(_, label)| label)
    }

    /// Note an SC write with this place in the order of SC events.
    pub(crate) fn note_sc(&mut self, stamp: u32, label: u64) {
        self.sc.push((stamp, label));
    }

    /// The label of the co-last write that is included in a clock; 0 if there is none.
    pub(crate) fn last_write(&self, clock: &Clock) -> u64 {
        let included =
            |write: &&Write| write.thread != INIT && clock.get(write.thread as usize) >= write.position;
        self.writes.iter().rev().find(included).map_or(0, |write| write.label)
    }

    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    pub(crate) fn take_marks(&mut self) -> Vec<Mark> {
        std::mem::take(&mut self.marks)
    }

    /// The mark of an SC event that has one.
    pub(crate) fn mark_of(&mut self, event: usize) -> &mut Mark {
        self.marks.iter_mut().find(|mark| mark.is_of(event)).expect("an access has a mark")
    }

    /// The mark of an SC event, this one if there is none.
    pub(crate) fn mark_or(&mut self, event: usize, new: Mark) -> &mut Mark {
        let slot = self.marks.iter().position(|mark| mark.is_of(event)).unwrap_or_else(|| {
            self.marks.push(new);
            self.marks.len() - 1
        });
        &mut self.marks[slot]
    }

    /// The first write that is not before the bound.
    #[inline]
    pub(crate) fn first_from(&self, bound: u64) -> usize {
        let mut first = self.writes.len() - 1;
        while first > 0 && self.writes[first].label > bound {
            first -= 1;
            if self.writes.len() - first > FEW {
                return self.writes[..first].partition_point(|write| write.label < bound);
            }
        }
        first
    }

    /// Insert a write right after another one. Returns its label.
    pub(crate) fn insert(&mut self, after: usize, mut write: Write) -> u64 {
        let room = |location: &Location| {
            let label = location.writes[after].label;
            match location.writes.get(after + 1) {
                Some(next) => Some(label + (next.label - label) / 2).filter(|&middle| middle > label),
                None => label.checked_add(GAP),
            }
        };
        let label = room(self).unwrap_or_else(|| {
            self.relabel();
            room(self).expect("there is room after labels are spread")
        });
        write.label = label;
        self.writes.insert(after + 1, write);
        label
    }

    /// Spread the labels.
    fn relabel(&mut self) {
        let old: Vec<u64> = self.writes.iter().map(|write| write.label).collect();
        let new = |label: u64| (old.partition_point(|&other| other < label) as u64 + 1) * GAP;
        let lists = self.histories.iter_mut().flat_map(|history| &mut history.seen).chain(&mut self.sc);
        let marks = self.marks.iter_mut().map(|mark| &mut mark.label);
        for label in lists.map(|(_, label)| label).chain(marks) {
            *label = new(*label);
        }
        for write in &mut self.writes {
            write.label = new(write.label);
        }
    }

    /// Whether there are so many writes that some may be of no use any more.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.writes.len() >= self.threshold
    }

    /// Nothing can be dropped now: ask again when there are twice as many.
    pub(crate) fn postpone(&mut self) {
        self.threshold = 2 * self.writes.len();
    }

    /// Drop the writes before this label, which no thread can read, and the earliest of more than `most`. The threshold
    /// for the next time is at least `few`. Returns how many of the dropped writes could still have been read.
    pub(crate) fn prune(&mut self, bound: u64, few: usize, most: usize) -> usize {
        let unreadable = self.writes.partition_point(|write| write.label < bound);
        let beyond = self.writes.len().saturating_sub(most);
        let dropped = unreadable.max(beyond);
        self.writes.drain(..dropped);
        // A bound is at least the first label.
        let first = self.writes[0].label;
        for list in self.histories.iter_mut().map(|history| &mut history.seen).chain([&mut self.sc]) {
            let old = list.partition_point(|&(_, label)| label < first);
            list.drain(..old);
        }
        self.threshold = few.max(2 * self.writes.len()).min(few.max(most + most / 4));
        dropped - unreadable
    }
}

/// The label of the last entry up to this position; 0 if there is none.
#[inline]
fn last_before(list: &[(u32, u64)], position: u32) -> u64 {
    let mut end = list.len();
    for _ in 0..8 {
        match end.checked_sub(1).map(|last| list[last]) {
            None => return 0,
            Some((at, label)) if at <= position => return label,
            Some(_) => end -= 1,
        }
    }
    let count = list[..end].partition_point(|&(at, _)| at <= position);
    count.checked_sub(1).map_or(0, |last| list[last].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(thread: u32, position: u32) -> Write {
        let (value, site) = (Some(0), Site::default());
        Write { label: 0, thread, position, value, updated: false, message: None, site }
    }

    fn order(location: &Location) -> Vec<u32> {
        location.writes.iter().map(|write| write.position).collect()
    }

    /// Labels run out of room between two neighbours after some 32 insertions: that changes nothing.
    #[test]
    fn there_is_always_room_between_two_writes() {
        let mut location = Location::new(Access { address: 8, size: 4 }, Some(0), 32);
        let last = location.insert(0, write(0, 1000));
        location.history(0).see(1000, last);
        for position in 1..100 {
            let label = location.insert(0, write(1, position));
            location.history(1).see(1, label);
        }
        let mut expected: Vec<u32> = (1..100).rev().collect();
        expected.insert(0, 0);
        expected.push(1000);
        assert_eq!(order(&location), expected);
        assert!(location.writes.is_sorted_by_key(|write| write.label));
        let mut clock = Clock::default();
        assert_eq!(location.bound(&clock, 0), location.writes[0].label);
        clock.raise(0, 1000);
        assert_eq!(location.bound(&clock, 0), location.writes[100].label);
        assert_eq!(location.first_from(location.bound(&clock, 0)), 100);
    }

    #[test]
    fn what_is_dropped_is_counted_if_it_could_be_read() {
        let mut location = Location::new(Access { address: 8, size: 4 }, Some(0), 2);
        for position in 1..=10 {
            let last = location.writes.len() - 1;
            location.insert(last, write(0, position));
        }
        let bound = location.writes[4].label;
        assert_eq!(location.prune(bound, 2, 1000), 0);
        assert_eq!(order(&location), (4..=10).collect::<Vec<_>>());
        assert_eq!(location.prune(bound, 2, 3), 4);
        assert_eq!(order(&location), [8, 9, 10]);
    }
}
