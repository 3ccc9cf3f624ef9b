//! A table of private objects, made to be copied: the newest are in it, the older ones in chunks that copies share.
//!
//! Objects are in the order of their addresses, which is the order of their creation, so a new one goes to the end and
//! a look-up is a binary search. A write after a copy was made copies the newest objects, or one chunk, and the list of
//! chunks: not the objects that did not change.
//!
//! Cost: a look-up is O(log n); a copy that is written to is O(`NEWEST` + n / `CHUNK`).

use crate::private::PrivateObject;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// How many objects are at most in the table itself.
const NEWEST: usize = 32;
/// How many go to a chunk at a time.
const CHUNK: usize = 16;

/// The objects.
///
/// # Invariants
/// The addresses of `chunks`, one after the other, and then `newest`, increase. No chunk is empty. `newest` has at most
/// `NEWEST` objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    chunks: Vec<Arc<Vec<PrivateObject>>>,
    newest: Vec<PrivateObject>,
}

/// Where an object is in its table, until that is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    /// In the table itself.
    Newest(usize),
    /// In a chunk.
    Chunk(usize, usize),
}

impl Table {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.newest.is_empty() && self.chunks.is_empty()
    }

    /// All objects, in the order of their addresses.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &PrivateObject> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).chain(&self.newest)
    }

    /// The object with the highest address.
    pub(crate) fn last(&self) -> Option<Row> {
        match (self.newest.len(), self.chunks.len()) {
            (0, 0) => None,
            (0, chunks) => Some(Row::Chunk(chunks - 1, self.chunks[chunks - 1].len() - 1)),
            (newest, _) => Some(Row::Newest(newest - 1)),
        }
    }

    /// The last object that starts at `address` or below.
    #[inline]
    pub(crate) fn below(&self, address: u64) -> Option<Row> {
        let starts_below = |object: &PrivateObject| object.address <= address;
        if let Some(at) = self.newest.partition_point(starts_below).checked_sub(1) {
            return Some(Row::Newest(at));
        }
        let chunk = self.chunks.partition_point(|chunk| starts_below(&chunk[0])).checked_sub(1)?;
        Some(Row::Chunk(chunk, self.chunks[chunk].partition_point(starts_below) - 1))
    }

    /// The object that starts at `address`.
    pub(crate) fn starting_at(&self, address: u64) -> Option<Row> {
        self.below(address).filter(|&row| self[row].address == address)
    }

    /// Append an object, whose address is higher than all others.
    pub(crate) fn push(&mut self, object: PrivateObject) {
        if self.newest.len() == NEWEST {
            self.chunks.push(Arc::new(self.newest.drain(..CHUNK).collect()));
        }
        self.newest.push(object);
    }

    /// Take out all objects from this address on.
    pub(crate) fn truncate(&mut self, address: u64) {
        self.newest.truncate(self.newest.partition_point(|object| object.address < address));
        while let Some(chunk) = self.chunks.last_mut().filter(|_| self.newest.is_empty()) {
            let keep = chunk.partition_point(|object| object.address < address);
            if keep == chunk.len() {
                return;
            }
            if keep > 0 {
                return Arc::make_mut(chunk).truncate(keep);
            }
            self.chunks.pop();
        }
    }

    /// Keep the objects of which this is true. It is asked once for each, in order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&PrivateObject) -> bool) {
        self.chunks.retain_mut(|chunk| {
            let kept: Vec<bool> = chunk.iter().map(&mut keep).collect();
            if kept.contains(&false) {
                let mut kept = kept.into_iter();
                Arc::make_mut(chunk).retain(|_| kept.next().unwrap_or(true));
            }
            !chunk.is_empty()
        });
        self.newest.retain(keep);
    }
}

impl Index<Row> for Table {
    type Output = PrivateObject;

    #[inline]
    fn index(&self, row: Row) -> &PrivateObject {
        match row {
            Row::Newest(at) => &self.newest[at],
            Row::Chunk(chunk, at) => &self.chunks[chunk][at],
        }
    }
}

impl IndexMut<Row> for Table {
    #[inline]
    fn index_mut(&mut self, row: Row) -> &mut PrivateObject {
        match row {
            Row::Newest(at) => &mut self.newest[at],
            Row::Chunk(chunk, at) => &mut Arc::make_mut(&mut self.chunks[chunk])[at],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private::Life;
    use base::{Rng, Site};
    use program::Storage;

    fn object(address: u64) -> PrivateObject {
        PrivateObject { address, size: 4, storage: Storage::Heap, site: Site(0), life: Life::Freed(Site(0)) }
    }

    fn addresses(table: &Table) -> Vec<u64> {
        table.iter().map(|object| object.address).collect()
    }

    /// Against a plain list, with copies that must not change.
    #[test]
    fn a_table_is_a_sorted_list() {
        let rng = &mut Rng::new(5);
        for _ in 0..50 {
            let (mut table, mut list, mut next) = (Table::default(), Vec::<u64>::new(), 0);
            let mut copies = Vec::new();
            for _ in 0..400 {
                match rng.below(30) {
                    0 => {
                        let from = rng.below(next + 1).max(next.saturating_sub(90));
                        table.truncate(from);
                        list.retain(|&address| address < from);
                    }
                    1 => {
                        let odd = rng.below(7) + 2;
                        table.retain(|object| object.address / 3 % odd != 0);
                        list.retain(|address| address / 3 % odd != 0);
                    }
                    2 if !list.is_empty() => {
                        copies.push((table.clone(), list.clone()));
                        let row = table.starting_at(list[rng.below(list.len() as u64) as usize]);
                        table[row.expect("it is there")].site = Site(7);
                    }
                    _ => {
                        next += 3;
                        table.push(object(next));
                        list.push(next);
                    }
                }
                assert_eq!((addresses(&table), table.is_empty()), (list.clone(), list.is_empty()));
                assert_eq!(table.last().map(|row| table[row].address), list.last().copied());
                assert!(table.newest.len() <= NEWEST && table.chunks.iter().all(|chunk| !chunk.is_empty()));
                let address = rng.below(next + 4);
                let below = list.iter().rev().find(|&&it| it <= address).copied();
                assert_eq!(table.below(address).map(|row| table[row].address), below);
                assert_eq!(table.starting_at(address).is_some(), list.contains(&address));
            }
            for (copy, list) in copies {
                assert_eq!(addresses(&copy), list);
            }
        }
    }

    /// A write after a copy was made leaves all chunks but one shared.
    #[test]
    fn a_write_copies_one_chunk() {
        let mut table = Table::default();
        (1..=1000).for_each(|address| table.push(object(address)));
        let copy = table.clone();
        let row = table.starting_at(500).expect("it is there");
        table[row].site = Site(7);
        let shared = table.chunks.iter().zip(&copy.chunks).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, table.chunks.len() - 1);
        assert_eq!(copy[row].site, Site(0));
    }
}
