//! Who accessed a location, and which write each access last saw: `lastWriteBefore` and its like.
//!
//! Implements: the lists of \[RF\] section 3, and what its algorithms 3 and 5 ask of them: of each thread the last write,
//! and what its last access saw (the write itself, or what the read read from), before a position.
//!
//! Differs: algorithm 3 asks for the last write and for the source of the last read. One of the two is enough, that of
//! the later access: where the other is not in the same chain, it is already before it. And instead of a cursor for
//! each observer we search from the end of the list, in steps that double: cursors would need memory for every pair of
//! threads and could not go back.
//!
//! Cost: O(log d) for a question whose answer is d entries from the end of a list.

use super::chains::Chain;
use super::clocks::Lane;
use super::hb::Message;
use std::num::NonZeroU32;

/// A write, initial ones included, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct WriteId(NonZeroU32);

impl WriteId {
    /// The write with this index in tables of writes.
    pub(crate) fn new(index: usize) -> WriteId {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        WriteId(number.expect("less than four thousand million writes"))
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A write at a position of somebody's thread: of its own, or of one that read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) position: u32,
    pub(crate) write: WriteId,
    /// Of the write.
    pub(crate) chain: Chain,
}

/// What one thread did to one location.
#[derive(Clone, Default, Debug)]
pub(crate) struct ThreadHistory {
    /// Which write it saw since when. A read of what it saw already leaves no entry.
    seen: Vec<Placed>,
    writes: Vec<Placed>,
    /// What its last release write released (RC11's release sequence).
    pub(crate) released: Option<Message>,
}

impl ThreadHistory {
    /// Its writes in program order.
    pub(crate) fn writes(&self) -> &[Placed] {
        &self.writes
    }

    pub(crate) fn last_write(&self) -> Option<Placed> {
        self.writes.last().copied()
    }

    /// `lastWriteBefore`: its last write at a position up to this one.
    pub(crate) fn last_write_before(&self, position: u32) -> Option<Placed> {
        last_before(&self.writes, position)
    }

    /// Its writes at positions after this one.
    pub(crate) fn writes_after(&self, position: u32) -> &[Placed] {
        &self.writes[count_before(&self.writes, position)..]
    }

    /// It reads from `write` at a position.
    pub(crate) fn see(&mut self, placed: Placed) {
        if self.seen.last().is_none_or(|last| last.write != placed.write) {
            self.seen.push(placed);
        }
    }

    pub(crate) fn write(&mut self, placed: Placed) {
        self.seen.push(placed);
        self.writes.push(placed);
    }
}

/// What all threads did to one location.
#[derive(Clone, Default, Debug)]
pub(crate) struct LocationHistory {
    /// Who accessed it, in order of first access; few threads share most locations.
    lanes: Vec<Lane>,
    threads: Vec<ThreadHistory>,
}

impl LocationHistory {
    /// A location with its initial write.
    pub(crate) fn new(init: Placed) -> LocationHistory {
        let mut location = LocationHistory::default();
        location.of_mut(Lane::INIT).write(init);
        location
    }

    pub(crate) fn init(&self) -> WriteId {
        self.threads[0].writes[0].write
    }

    pub(crate) fn of(&self, lane: Lane) -> Option<&ThreadHistory> {
        let slot = self.lanes.iter().position(|&other| other == lane)?;
        Some(&self.threads[slot])
    }

    pub(crate) fn of_mut(&mut self, lane: Lane) -> &mut ThreadHistory {
        let slot = self.lanes.iter().position(|&other| other == lane).unwrap_or_else(|| {
            self.lanes.push(lane);
            self.threads.push(ThreadHistory::default());
            self.threads.len() - 1
        });
        &mut self.threads[slot]
    }

    /// Every thread that accessed it.
    pub(crate) fn threads(&self) -> impl Iterator<Item = (Lane, &ThreadHistory)> {
        self.lanes.iter().copied().zip(&self.threads)
    }

    /// Of each thread the write that it saw last, as far as the clock includes the thread.
    pub(crate) fn seen<'a>(&'a self, clock: &'a [u32]) -> impl Iterator<Item = (Lane, Placed)> + 'a {
        let last = |(lane, thread): (Lane, &ThreadHistory)| {
            Some((lane, last_before(&thread.seen, clock[lane.index()])?))
        };
        self.threads().filter_map(last)
    }
}

fn last_before(list: &[Placed], position: u32) -> Option<Placed> {
    let count = count_before(list, position);
    count.checked_sub(1).map(|last| list[last])
}

/// How many entries are at positions up to this one.
fn count_before(list: &[Placed], position: u32) -> usize {
    let (mut end, mut step) = (list.len(), 1);
    // Invariant: all entries from `end` on are later.
    loop {
        let start = end.saturating_sub(step);
        if start == end || list[start].position <= position {
            let within = list[start..end].partition_point(|placed| placed.position <= position);
            return start + within;
        }
        (end, step) = (start, step * 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searching_from_the_end_counts_as_from_the_start() {
        for len in 0..20 {
            let entry = |n: usize| Placed {
                position: 3 * n as u32 + 2,
                write: WriteId::new(n),
                chain: Chain::new(0),
            };
            let list: Vec<Placed> = (0..len).map(entry).collect();
            for position in 0..70 {
                let expected = list.iter().filter(|placed| placed.position <= position).count();
                assert_eq!(count_before(&list, position), expected, "{len} {position}");
            }
        }
    }
}
