//! Vector clocks in one slab.
//!
//! A clock says for each thread how many of its events are included. All clocks of a graph have the same number
//! of lanes and live in one vector; a clock is an id, so that events share the clocks they have in common (most
//! events have their predecessor's), and undoing is truncating.
//!
//! Cost: an operation on clocks is O(threads), in chunks that the compiler turns into vector instructions.

use crate::ThreadId;

/// Lanes come in chunks of this many.
const CHUNK: usize = 4;

/// A clock of a [`Clocks`] slab.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockId(u32);

/// The slab.
#[derive(Clone, Debug)]
pub struct Clocks {
    lanes: Vec<u32>,
    stride: usize,
    len: u32,
}

impl Default for Clocks {
    fn default() -> Self {
        Clocks::new()
    }
}

impl Clocks {
    /// The clock that includes nothing. It is always there.
    pub const ZERO: ClockId = ClockId(0);

    /// A slab that holds [`Clocks::ZERO`] alone.
    pub fn new() -> Clocks {
        Clocks { lanes: vec![0; CHUNK], stride: CHUNK, len: 1 }
    }

    /// Make room for `threads` threads; clocks keep their ids.
    pub fn widen(&mut self, threads: usize) {
        if threads <= self.stride {
            return;
        }
        // Each time by a quarter at least, so that all of it together costs no more than the last time.
        let stride = threads.max(self.stride * 5 / 4).next_multiple_of(CHUNK);
        let mut lanes = vec![0; self.len as usize * stride];
        for (new, old) in lanes.chunks_exact_mut(stride).zip(self.lanes.chunks_exact(self.stride)) {
            new[..old.len()].copy_from_slice(old);
        }
        self.lanes = lanes;
        self.stride = stride;
    }

    /// How many clocks there are: a position for [`Clocks::reset`] to go back to.
    #[inline(always)]
    pub fn mark(&self) -> u32 {
        self.len
    }

    /// Forget all clocks that were made since `mark`.
    #[inline(always)]
    pub fn reset(&mut self, mark: u32) {
        self.len = mark;
        self.lanes.truncate(mark as usize * self.stride);
    }

    /// A new clock with every lane `value`.
    #[inline(always)]
    pub fn fill(&mut self, value: u32) -> ClockId {
        let id = ClockId(self.len);
        self.len += 1;
        self.lanes.resize(self.lanes.len() + self.stride, value);
        id
    }

    /// A new clock, equal to `clock`.
    #[inline(always)]
    pub fn copy(&mut self, clock: ClockId) -> ClockId {
        let id = ClockId(self.len);
        self.len += 1;
        let start = clock.0 as usize * self.stride;
        self.lanes.reserve(self.stride);
        for chunk in (start..start + self.stride).step_by(CHUNK) {
            let lanes: [u32; CHUNK] = *self.lanes[chunk..].first_chunk().expect("a clock is whole chunks");
            self.lanes.extend_from_slice(&lanes);
        }
        id
    }

    /// The lanes of a clock.
    #[inline(always)]
    pub fn lanes(&self, clock: ClockId) -> &[u32] {
        &self.lanes[clock.0 as usize * self.stride..][..self.stride]
    }

    /// How many events of `thread` are included.
    #[inline(always)]
    pub fn get(&self, clock: ClockId, thread: ThreadId) -> u32 {
        self.lanes[clock.0 as usize * self.stride + thread.index()]
    }

    /// Include the first `events` events of `thread`, and no others of it.
    #[inline(always)]
    pub fn set(&mut self, clock: ClockId, thread: ThreadId, events: u32) {
        self.lanes[clock.0 as usize * self.stride + thread.index()] = events;
    }

    /// Include in the newest clock what `other` includes.
    ///
    /// # Panics
    /// If `clock` is not the newest (only that one may still change: others share theirs).
    #[inline(always)]
    pub fn join(&mut self, clock: ClockId, other: ClockId) {
        assert!(clock.0 + 1 == self.len && other.0 < clock.0);
        let (before, newest) = self.lanes.split_at_mut(clock.0 as usize * self.stride);
        let other = &before[other.0 as usize * self.stride..][..self.stride];
        for (a, b) in newest.as_chunks_mut::<CHUNK>().0.iter_mut().zip(other.as_chunks::<CHUNK>().0) {
            for lane in 0..CHUNK {
                a[lane] = a[lane].max(b[lane]);
            }
        }
    }

    /// Whether `a` includes an event that `b` does not.
    #[inline(always)]
    pub fn exceeds(&self, a: ClockId, b: ClockId) -> bool {
        let (a, b) = (self.lanes(a), self.lanes(b));
        let (a, b) = (a.as_chunks::<CHUNK>().0, b.as_chunks::<CHUNK>().0);
        a.iter().zip(b).any(|(a, b)| (0..CHUNK).fold(false, |any, lane| any | (a[lane] > b[lane])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_keeps_ids_and_contents() {
        let mut clocks = Clocks::new();
        let a = clocks.copy(Clocks::ZERO);
        clocks.set(a, ThreadId(2), 7);
        clocks.widen(9);
        let b = clocks.copy(Clocks::ZERO);
        clocks.set(b, ThreadId(8), 1);
        assert!(clocks.exceeds(a, b) && clocks.exceeds(b, a) && clocks.exceeds(b, Clocks::ZERO));
        clocks.join(b, a);
        assert_eq!((clocks.get(b, ThreadId(2)), clocks.get(b, ThreadId(8))), (7, 1));
        assert!(!clocks.exceeds(a, b));
    }

    #[test]
    fn reset_forgets_the_newest_clocks() {
        let mut clocks = Clocks::new();
        let mark = clocks.mark();
        let a = clocks.fill(3);
        clocks.reset(mark);
        assert_eq!(clocks.copy(Clocks::ZERO), a);
        assert_eq!(clocks.get(a, ThreadId(0)), 0);
    }
}
