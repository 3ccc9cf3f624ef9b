//! The accesses to one location, as a question about the order of sections sees them, and whether they are coherent.
//!
//! A read-modify-write and its source are one *block*. What an access sees through hb orders blocks; the location is coherent,
//! with this hb, iff that order has no cycle. Vectors are kept from question to question ([`Accesses::clear`]).
//!
//! Cost: O(accesses · threads) for one hb.

use base::ThreadId;
use live::{EventRef, LocationId};

/// The accesses to a location that count, if one of them writes.
#[derive(Debug, Default)]
pub(super) struct Accesses {
    location: Option<LocationId>,
    /// The writes, by number. The first one is the initial one.
    pub(super) writes: Vec<Block>,
    /// Those of each thread are together, in program order.
    pub(super) accesses: Vec<Counted>,
    /// Per thread where its accesses begin and end.
    threads: Vec<(ThreadId, u32, u32)>,
    /// The write that comes last, if one must.
    last: Option<u32>,
    has_updates: bool,
}

/// Where a write is in its block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) event: EventRef,
    /// Not of the initial write.
    pub(super) thread: ThreadId,
    pub(super) index: u32,
    /// The sections in which it is.
    pub(super) sections: u64,
    /// The number of the first write of the block, and how many are before it there.
    pub(super) top: u32,
    pub(super) position: u32,
    is_read_by_update: bool,
}

/// An access that counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) event: EventRef,
    pub(super) index: u32,
    pub(super) number: usize,
    /// The write that it is, or reads: the co-latest one that a later access sees through it.
    pub(super) sees: u32,
    /// The write that it reads, or is: none that it sees is co-later.
    pub(super) limit: u32,
}

impl Accesses {
    /// There are none, to this location.
    pub(super) fn clear(&mut self, location: LocationId) {
        self.writes.clear();
        self.accesses.clear();
        self.threads.clear();
        (self.location, self.last, self.has_updates) = (Some(location), None, false);
        self.add_write(EventRef::init(location), ThreadId::MAIN, 0, 0);
    }

    /// Add a write, in these sections; its number.
    pub(super) fn add_write(&mut self, event: EventRef, thread: ThreadId, index: u32, sections: u64) -> u32 {
        let top = self.writes.len() as u32;
        let block = Block { event, thread, index, sections, top, position: 0, is_read_by_update: false };
        self.writes.push(block);
        top
    }

    pub(super) fn add(&mut self, thread: ThreadId, access: Counted) {
        let number = self.accesses.len() as u32;
        self.accesses.push(access);
        match self.threads.last_mut() {
            Some((last, _, end)) if *last == thread => *end = number + 1,
            _ => self.threads.push((thread, number, number + 1)),
        }
    }

    /// Per thread its accesses, in program order.
    pub(super) fn by_thread(&self) -> impl Iterator<Item = (ThreadId, &[Counted])> {
        let accesses = |&(thread, start, end): &(ThreadId, u32, u32)| {
            (thread, &self.accesses[start as usize..end as usize])
        };
        self.threads.iter().map(accesses)
    }

    pub(super) fn is_of(&self, location: LocationId) -> bool {
        self.location == Some(location)
    }

    pub(super) fn location(&self) -> Option<LocationId> {
        self.location
    }

    /// This write comes last.
    pub(super) fn set_last(&mut self, w: u32) {
        self.last = Some(w);
    }

    /// The write `own` is a read-modify-write that reads `source`; false if another one does already.
    pub(super) fn chain(&mut self, own: u32, source: u32) -> bool {
        self.has_updates = true;
        self.writes[own as usize].top = source;
        !std::mem::replace(&mut self.writes[source as usize].is_read_by_update, true)
    }

    /// From the source of each read-modify-write to the first write of its block.
    pub(super) fn find_tops(&mut self) {
        if !self.has_updates {
            return;
        }
        let top_of = |w: u32| {
            let (mut top, mut position) = (w, 0);
            while self.writes[top as usize].top != top {
                (top, position) = (self.writes[top as usize].top, position + 1);
            }
            (top, position)
        };
        // The links are needed until all are followed.
        let tops: Vec<(u32, u32)> = (0..self.writes.len() as u32).map(top_of).collect();
        for (write, (top, position)) in self.writes.iter_mut().zip(tops) {
            (write.top, write.position) = (top, position);
        }
    }

    /// The last write of each block.
    pub(super) fn ends(&self) -> Vec<u32> {
        (0..self.writes.len() as u32).filter(|&w| !self.writes[w as usize].is_read_by_update).collect()
    }

    /// Whether there is an order of the writes that is coherent with this hb.
    pub(super) fn is_coherent(&self, hb: &[u32], threads: usize) -> bool {
        if self.writes.len() > u64::BITS as usize {
            return self.order(hb, threads).is_some();
        }
        let Some(before) = self.blocks_before(hb, threads) else { return false };
        let mut sources = vec![0_u64; self.writes.len()];
        let mut left = 0_u64;
        for (number, write) in self.writes.iter().enumerate().filter(|&(number, it)| it.top == number as u32)
        {
            debug_assert!(write.position == 0, "a block begins with its top");
            left |= 1 << number;
        }
        before.iter().for_each(|&(a, b)| sources[b as usize] |= 1 << a);
        loop {
            let firsts = (0..self.writes.len()).filter(|&n| left >> n & 1 == 1 && sources[n] & left == 0);
            let firsts = firsts.fold(0, |all, n| all | 1 << n);
            match firsts {
                0 => return left == 0,
                _ => left &= !firsts,
            }
        }
    }

    /// The pairs of blocks that are in this order, with this hb, and others that follow from them; `None` if one is before itself.
    fn blocks_before(&self, hb: &[u32], threads: usize) -> Option<Vec<(u32, u32)>> {
        let mut before: Vec<(u32, u32)> = Vec::new();
        for b in &self.accesses {
            for (thread, accesses) in self.by_thread() {
                let known = hb[b.number * threads + thread.index()];
                let is_before = |a: &&Counted| a.event != b.event && a.index < known;
                let Some(last) = accesses.iter().rev().find(is_before) else { continue };
                let (seen, limit) = (last.sees, b.limit);
                let (x, y) = (&self.writes[seen as usize], &self.writes[limit as usize]);
                if x.top == y.top {
                    if x.position > y.position {
                        return None;
                    }
                } else if y.top == 0 {
                    return None;
                } else {
                    before.push((x.top, y.top));
                }
            }
        }
        if let Some(last) = self.last {
            let top = self.writes[last as usize].top;
            if top == 0 && self.writes.iter().any(|write| write.top != 0) {
                return None;
            }
            before.extend(self.writes.iter().filter(|write| write.top != top).map(|write| (write.top, top)));
        }
        Some(before)
    }

    /// The writes in an order that is coherent with this hb, if there is one.
    pub(super) fn order(&self, hb: &[u32], threads: usize) -> Option<Vec<EventRef>> {
        let before = self.blocks_before(hb, threads)?;
        let count = self.writes.len();
        let mut order = vec![0];
        let mut left: Vec<u32> = (1..count as u32).filter(|&w| self.writes[w as usize].top == w).collect();
        while !left.is_empty() {
            let is_first = |w: u32| !before.iter().any(|&(a, b)| b == w && left.contains(&a));
            let at = left.iter().position(|&w| is_first(w))?;
            order.push(left.remove(at));
        }
        let block = |top: u32| {
            let mut block: Vec<&Block> = self.writes.iter().filter(|write| write.top == top).collect();
            block.sort_by_key(|write| write.position);
            block
        };
        let writes = order.into_iter().flat_map(block).map(|write| write.event);
        Some(writes.filter(|write| !write.is_init()).collect())
    }
}
