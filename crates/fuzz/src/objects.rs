//! The memory of a run: its objects, and the locations that they are divided into.
//!
//! The rules are those of `explore/core/objects.rs`; here nothing is ever taken back, and a freed object gives its
//! locations back. Of a freed object only the place is remembered, and of very many objects only the latest, so that a
//! program that allocates and frees for ever does not need more and more memory. (A use of an object that was freed
//! very long ago is then an access to no object.)

use crate::memory::{LocationIndex, Memory, Other};
use base::{Access, Value};
use program::{LIFE_WORDS, Missing, Object, Storage};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// An object that was published.
#[derive(Debug)]
struct Entry {
    end: u64,
    storage: Storage,
    /// The event that published it.
    publisher: Other,
    /// Its contents at that time: an object of the list that was published.
    contents: (Arc<[Object]>, usize),
    locations: Vec<(Access, LocationIndex)>,
}

/// How many freed objects are remembered.
const REMEMBERED: usize = 1 << 20;

/// The origin of a location's initial value: the publication of its object, and the write or allocation before that.
#[derive(Clone, Copy, Debug)]
struct Initial {
    publisher: Other,
    /// How many events its thread had made when it wrote the value, or allocated the object.
    written: u32,
}

/// The memory of a run.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    entries: BTreeMap<u64, Entry>,
    /// By first byte the ends and storage of objects that were freed, and their first bytes, oldest first.
    freed: BTreeMap<u64, (u64, Storage)>,
    by_age: VecDeque<u64>,
    #[expect(clippy::disallowed_types, reason = "looked up once an access; never iterated")]
    by_access: rustc_hash::FxHashMap<Access, LocationIndex>,
    /// By first byte, to find overlaps.
    ranges: BTreeMap<u64, Access>,
    /// Per location; `None` where no access can race with the initial value.
    initial: Vec<Option<Initial>>,
    /// Per location whether some access to it was atomic.
    atomic: Vec<bool>,
    /// Locations of freed objects.
    spare: Vec<LocationIndex>,
}

impl Objects {
    /// The location of an access.
    #[inline]
    pub(crate) fn locate(
        &mut self,
        memory: &mut Memory,
        at: Access,
        is_plain: bool,
    ) -> Result<LocationIndex, Missing<()>> {
        let location = match self.by_access.get(&at) {
            Some(&location) => location,
            None => self.search(memory, at)?,
        };
        self.atomic[location] |= !is_plain;
        Ok(location)
    }

    /// The location of an access that was made before.
    pub(crate) fn known(&self, at: Access) -> Option<LocationIndex> {
        self.by_access.get(&at).copied()
    }

    /// Whether some access to the location was atomic.
    pub(crate) fn is_ever_atomic(&self, location: LocationIndex) -> bool {
        self.atomic[location]
    }

    /// A location outside all objects.
    pub(crate) fn always(&mut self, memory: &mut Memory, at: Access) -> LocationIndex {
        self.known(at).unwrap_or_else(|| self.add(memory, at, Some(0), None))
    }

    #[cold]
    fn search(&mut self, memory: &mut Memory, at: Access) -> Result<LocationIndex, Missing<()>> {
        if at.address >= LIFE_WORDS {
            return Ok(self.always(memory, at));
        }
        let freed = self.freed.range(..=at.address).next_back();
        if freed.is_some_and(|(_, &(end, _))| at.address < end) {
            return Err(Missing::Freed(()));
        }
        let Some((&address, entry)) = self.entries.range(..=at.address).next_back() else {
            return Err(Missing::Nowhere);
        };
        let size = entry.end - address;
        if at.end() > entry.end {
            let near = at.address - address <= 2 * size + 64;
            return Err(if near { Missing::OutOfBounds { address, size } } else { Missing::Nowhere });
        }
        if let Some((_, &old)) = self.ranges.range(..at.end()).next_back()
            && old.overlaps(at)
        {
            return Err(Missing::Overlaps(old));
        }
        let (objects, number) = &entry.contents;
        let (value, written) = (objects[*number].value(at), objects[*number].written(at));
        let initial = Initial { publisher: entry.publisher, written };
        let location = self.add(memory, at, value, Some(initial));
        self.ranges.insert(at.address, at);
        self.entries.get_mut(&address).expect("found above").locations.push((at, location));
        Ok(location)
    }

    fn add(
        &mut self,
        memory: &mut Memory,
        at: Access,
        value: Option<Value>,
        initial: Option<Initial>,
    ) -> LocationIndex {
        let new = memory.new_location(at, value);
        let spare = if memory.may_reuse() { self.spare.pop() } else { None };
        let location = match spare {
            Some(location) => {
                memory.locations[location] = new;
                (self.initial[location], self.atomic[location]) = (initial, false);
                location
            }
            None => {
                memory.locations.push(new);
                self.initial.push(initial);
                self.atomic.push(false);
                memory.locations.len() - 1
            }
        };
        self.by_access.insert(at, location);
        location
    }

    /// Add objects that a thread publishes.
    pub(crate) fn publish(&mut self, publisher: Other, objects: &Arc<[Object]>) {
        for (number, object) in objects.iter().enumerate() {
            let entry = Entry {
                end: object.address + object.bytes.len() as u64,
                storage: object.storage,
                publisher,
                contents: (Arc::clone(objects), number),
                locations: Vec::new(),
            };
            self.entries.insert(object.address, entry);
        }
    }

    /// The object that starts at `address`: its storage, and whether it was freed.
    pub(crate) fn starting_at(&self, address: u64) -> Option<(Storage, bool)> {
        let there = self.entries.get(&address).map(|entry| (entry.storage, false));
        there.or_else(|| self.freed.get(&address).map(|&(_, storage)| (storage, true)))
    }

    /// The storage of the object that has this byte.
    pub(crate) fn inside(&self, address: u64) -> Option<Storage> {
        let there = self.entries.range(..=address).next_back().map(|(_, entry)| (entry.end, entry.storage));
        let freed = self.freed.range(..=address).next_back().map(|(_, &freed)| freed);
        there.into_iter().chain(freed).find(|&(end, _)| address < end).map(|(_, storage)| storage)
    }

    /// The size of the object that starts at `address` and was not freed; 0 if there is none.
    pub(crate) fn size_of(&self, address: u64) -> u64 {
        self.entries.get(&address).map_or(0, |entry| entry.end - address)
    }

    /// Free an object, as the thread's last event does. Returns an access that does not happen before that.
    pub(crate) fn free(&mut self, memory: &mut Memory, thread: usize, address: u64) -> Option<Other> {
        let entry = self.entries.remove(&address).expect("who frees has looked");
        let others = || entry.locations.iter().find_map(|&(_, location)| memory.unordered(thread, location));
        let race = unordered_writes(memory, thread, &entry).or_else(others);
        for (at, location) in entry.locations {
            self.by_access.remove(&at);
            self.ranges.remove(&at.address);
            self.spare.push(location);
        }
        self.freed.insert(address, (entry.end, entry.storage));
        self.by_age.push_back(address);
        if self.by_age.len() > REMEMBERED {
            let oldest = self.by_age.pop_front().expect("there are many");
            self.freed.remove(&oldest);
        }
        race
    }

    /// The event that published the object of a location, if another thread wrote the initial value and that write does
    /// not happen before the current event of `thread`.
    #[inline]
    pub(crate) fn unordered_init(
        &mut self,
        memory: &Memory,
        thread: usize,
        location: LocationIndex,
    ) -> Option<Other> {
        let Initial { publisher, written } = self.initial[location]?;
        let known = memory.threads[thread].known.hb.get(publisher.thread);
        (publisher.thread != thread && known <= written).then_some(publisher)
    }
}

/// The event that published an object, if the publisher's last write to it, or its allocation, does not happen before
/// the current event of the thread.
fn unordered_writes(memory: &Memory, thread: usize, entry: &Entry) -> Option<Other> {
    let (objects, number) = &entry.contents;
    let known = memory.threads[thread].known.hb.get(entry.publisher.thread);
    let is_ordered = entry.publisher.thread == thread || known > objects[*number].last_written();
    (!is_ordered).then_some(entry.publisher)
}
