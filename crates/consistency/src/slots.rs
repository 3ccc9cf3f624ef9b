//! A dense number, a slot, for every pair of a location and a thread that accesses it.
//!
//! What the algorithms keep per thread and location is in tables by slot. The slots of a location follow each
//! other.
//!
//! Cost: O(n), whatever the number of threads: the table of all pairs is used where it is not larger than the
//! execution, else the events are sorted by location, by counting.

use crate::execution::{Event, Location, PartialExecution};
use std::ops::Range;

/// The slots of an execution.
#[derive(Debug)]
pub(crate) struct Slots {
    /// Per event its slot; of no meaning for fences.
    of_events: Vec<u32>,
    /// Per slot its thread.
    threads: Vec<u32>,
    /// Per location its first slot; one more at the end.
    starts: Vec<u32>,
}

impl Slots {
    pub(crate) fn of(execution: &PartialExecution) -> Slots {
        let pairs = execution.location_count() * execution.thread_count();
        if pairs <= 4 * execution.len() { Slots::by_table(execution) } else { Slots::by_sorting(execution) }
    }

    fn by_table(execution: &PartialExecution) -> Slots {
        let threads = execution.thread_count();
        let pair = |e| execution.location(e).map(|x| x.0 as usize * threads + execution.thread(e).0 as usize);
        let mut table = vec![false; execution.location_count() * threads];
        execution.events().filter_map(pair).for_each(|pair| table[pair] = true);
        let mut slots = Slots { of_events: Vec::new(), threads: Vec::new(), starts: vec![0] };
        let mut numbers = vec![0; table.len()];
        for (location, row) in table.chunks(threads.max(1)).enumerate() {
            for thread in (0..threads).filter(|&thread| row[thread]) {
                numbers[location * threads + thread] = slots.threads.len() as u32;
                slots.threads.push(thread as u32);
            }
            slots.starts.push(slots.threads.len() as u32);
        }
        slots.of_events = execution.events().map(|e| pair(e).map_or(0, |pair| numbers[pair])).collect();
        slots
    }

    fn by_sorting(execution: &PartialExecution) -> Slots {
        let (starts, sorted) = by_location(execution);
        let mut slots = Slots { of_events: vec![0; execution.len()], threads: Vec::new(), starts: vec![0] };
        // Per thread its last slot: one of this location if it is not before the location's first.
        let mut last = vec![None; execution.thread_count()];
        for events in starts.windows(2).map(|range| &sorted[range[0] as usize..range[1] as usize]) {
            let first = slots.threads.len() as u32;
            for &e in events {
                let thread = execution.thread(e);
                let slot = last[thread.0 as usize].filter(|&slot| slot >= first).unwrap_or_else(|| {
                    slots.threads.push(thread.0);
                    slots.threads.len() as u32 - 1
                });
                last[thread.0 as usize] = Some(slot);
                slots.of_events[e.index()] = slot;
            }
            slots.starts.push(slots.threads.len() as u32);
        }
        slots
    }

    /// The slot of an access.
    #[inline(always)]
    pub(crate) fn slot(&self, e: Event) -> usize {
        self.of_events[e.index()] as usize
    }

    /// How many slots.
    pub(crate) fn len(&self) -> usize {
        self.threads.len()
    }

    /// The slots of a location.
    #[inline(always)]
    pub(crate) fn at(&self, location: Location) -> Range<usize> {
        self.starts[location.0 as usize] as usize..self.starts[location.0 as usize + 1] as usize
    }

    /// The threads of some slots.
    #[inline(always)]
    pub(crate) fn threads(&self, slots: Range<usize>) -> &[u32] {
        &self.threads[slots]
    }
}

/// The accesses sorted by location, and where each location begins.
fn by_location(execution: &PartialExecution) -> (Vec<u32>, Vec<Event>) {
    let mut starts = vec![0; execution.location_count() + 1];
    let location = |e| execution.location(e).map(|x| x.0 as usize);
    execution.events().filter_map(location).for_each(|x| starts[x + 1] += 1);
    for x in 0..execution.location_count() {
        starts[x + 1] += starts[x];
    }
    let mut ends = starts.clone();
    let mut sorted = vec![Event(0); starts[execution.location_count()] as usize];
    for e in execution.events() {
        if let Some(x) = location(e) {
            sorted[ends[x] as usize] = e;
            ends[x] += 1;
        }
    }
    (starts, sorted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::{Op, Thread};
    use base::Order;

    #[test]
    fn both_ways_number_the_same_pairs() {
        let mut execution = PartialExecution::new();
        for (thread, location) in [(1, 2), (0, 2), (1, 0), (1, 2), (3, 2), (0, 0), (3, 2)] {
            execution.access(Thread(thread), Op::Write, Order::Relaxed, Location(location));
            execution.fence(Thread(thread), Order::Acquire);
        }
        let ways = [Slots::by_table(&execution), Slots::by_sorting(&execution)];
        for slots in &ways {
            assert_eq!(slots.len(), 5);
            assert_eq!(slots.at(Location(1)).len(), 0);
            for e in execution.events().filter(|&e| execution.location(e).is_some()) {
                let at = slots.at(execution.location(e).unwrap());
                assert!(at.contains(&slots.slot(e)));
                assert_eq!(slots.threads(at.clone())[slots.slot(e) - at.start], execution.thread(e).0);
            }
        }
    }
}
