//! A table of vector clocks that can still change.
//!
//! Lane 0 is the "thread" of the initial writes, lane `t + 1` is thread `t`. A clock says for each lane how many of its
//! events are included, or, in lane 0, whether the initial write of a location is. All clocks of a table have the same
//! number of lanes and lie in one vector.
//!
//! Cost: an operation on clocks is O(threads), in loops that the compiler turns into vector instructions.

use crate::execution::Thread;

/// A lane of a clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Lane(u32);

impl Lane {
    /// That of the initial writes.
    pub(crate) const INIT: Lane = Lane(0);

    pub(crate) fn of(thread: Thread) -> Lane {
        Lane(thread.0 + 1)
    }

    /// The thread, except for initial writes.
    pub(crate) fn thread(self) -> Option<Thread> {
        self.0.checked_sub(1).map(Thread)
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A clock of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClockId(u32);

impl ClockId {
    pub(crate) fn new(index: usize) -> ClockId {
        ClockId(u32::try_from(index).expect("less than four thousand million clocks"))
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    lanes: Vec<u32>,
    /// Lanes of a clock.
    stride: usize,
    len: usize,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks { lanes: Vec::new(), stride: 1, len: 0 }
    }
}

impl Clocks {
    /// Make room for `stride` lanes; clocks keep their ids.
    pub(crate) fn widen(&mut self, stride: usize) {
        let mut lanes = vec![0; self.len * stride];
        for (new, old) in lanes.chunks_exact_mut(stride).zip(self.lanes.chunks_exact(self.stride)) {
            new[..old.len()].copy_from_slice(old);
        }
        (self.lanes, self.stride) = (lanes, stride);
    }

    /// A new clock that includes nothing.
    pub(crate) fn zero(&mut self) -> ClockId {
        self.lanes.resize(self.lanes.len() + self.stride, 0);
        self.len += 1;
        ClockId::new(self.len - 1)
    }

    /// A new clock with these lanes.
    pub(crate) fn copy(&mut self, lanes: &[u32]) -> ClockId {
        debug_assert_eq!(lanes.len(), self.stride);
        self.lanes.extend_from_slice(lanes);
        self.len += 1;
        ClockId::new(self.len - 1)
    }

    #[inline(always)]
    pub(crate) fn lanes(&self, clock: ClockId) -> &[u32] {
        &self.lanes[clock.index() * self.stride..][..self.stride]
    }

    #[inline(always)]
    pub(crate) fn lanes_mut(&mut self, clock: ClockId) -> &mut [u32] {
        &mut self.lanes[clock.index() * self.stride..][..self.stride]
    }

    /// Include the first `events` events of a lane; whether some of them are new.
    #[inline(always)]
    pub(crate) fn raise(&mut self, clock: ClockId, lane: Lane, events: u32) -> bool {
        raise(self.lanes_mut(clock), lane, events)
    }

    /// Include the events of `other`; whether some of them are new.
    #[inline(always)]
    pub(crate) fn join(&mut self, clock: ClockId, other: &[u32]) -> bool {
        join(self.lanes_mut(clock), other)
    }
}

/// Include the first `events` events of a lane; whether some of them are new.
#[inline(always)]
pub(crate) fn raise(clock: &mut [u32], lane: Lane, events: u32) -> bool {
    let old = &mut clock[lane.index()];
    let grows = *old < events;
    *old = events.max(*old);
    grows
}

/// Include the events of `other`; whether some of them are new.
#[inline(always)]
pub(crate) fn join(clock: &mut [u32], other: &[u32]) -> bool {
    let mut grows = false;
    for (a, &b) in clock.iter_mut().zip(other) {
        grows |= *a < b;
        *a = b.max(*a);
    }
    grows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_keeps_ids_and_contents() {
        let mut clocks = Clocks::default();
        clocks.widen(2);
        let (a, b) = (clocks.zero(), clocks.copy(&[1, 7]));
        clocks.widen(5);
        assert!(clocks.raise(a, Lane(4), 3) && !clocks.raise(a, Lane(4), 2));
        let other = clocks.lanes(b).to_vec();
        assert!(clocks.join(a, &other) && !clocks.join(a, &other));
        assert_eq!(clocks.lanes(a), [1, 7, 0, 0, 3]);
    }
}
