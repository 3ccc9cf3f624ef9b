//! Upward-closed sets of events: per thread the first one that is in.
//!
//! Reachability along relations that contain `po` needs no more than this, and an event is looked at once.

use base::ThreadId;

/// Per thread, the first event that is in, and the first one that was looked at.
#[derive(Debug, Default)]
pub(crate) struct Frontier {
    first: Vec<u32>,
    done: Vec<u32>,
}

impl Frontier {
    /// Nothing is in.
    pub(crate) fn clear(&mut self, threads: usize) {
        self.first.clear();
        self.first.resize(threads, u32::MAX);
        self.done.clear();
        self.done.resize(threads, u32::MAX);
    }

    /// Put the events of `thread` from `index` on in.
    #[inline]
    pub(crate) fn reach(&mut self, thread: ThreadId, index: u32) {
        let first = &mut self.first[thread.index()];
        *first = (*first).min(index);
    }

    /// Is the event in?
    #[inline]
    pub(crate) fn contains(&self, thread: ThreadId, index: u32) -> bool {
        self.first[thread.index()] <= index
    }

    /// The first event of the thread that is in (`u32::MAX`: none).
    #[inline]
    pub(crate) fn first(&self, thread: ThreadId) -> u32 {
        self.first[thread.index()]
    }

    /// A thread with events that were not looked at, and which: from the first index up to the second, which is
    /// left out. They count as looked at from now on.
    pub(crate) fn next(&mut self) -> Option<(ThreadId, u32, u32)> {
        let t = (0..self.first.len()).find(|&t| self.first[t] < self.done[t])?;
        let range = (self.first[t], self.done[t]);
        self.done[t] = self.first[t];
        Some((ThreadId(t as u32), range.0, range.1))
    }
}
