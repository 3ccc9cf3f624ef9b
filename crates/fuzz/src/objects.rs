//! Which memory there is in a run, and which locations it is divided into.
//!
//! The rules are those of `explore/objects.rs`; here nothing is ever undone, and what is freed gives its locations back, so
//! that a program that allocates and frees for ever needs no more and more memory for them.

use crate::memory::{LocationIndex, Memory, Other};
use base::{Access, Value};
use program::{Object, Storage};
use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// An object that was published.
#[derive(Debug)]
struct Entry {
    end: u64,
    storage: Storage,
    /// Who published it.
    publisher: Other,
    /// What it held then; gone when it is freed.
    contents: Option<(Arc<[Object]>, usize)>,
    freed: bool,
    locations: Vec<(Access, LocationIndex)>,
}

/// Why an access is not possible.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// There is no object.
    Nowhere,
    /// The access begins in this object and goes beyond it, or lies within reach behind it.
    OutOfBounds { address: u64, size: u64 },
    /// The object was freed.
    Freed,
    /// The access overlaps this one, which was atomic or not.
    Overlaps(Access, bool),
}

/// Who wrote what a location held when it was published.
#[derive(Clone, Copy, Debug)]
struct Initial {
    publisher: Other,
    /// How many events its thread had made.
    written: u32,
}

/// The memory of a run.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    entries: BTreeMap<u64, Entry>,
    #[expect(clippy::disallowed_types, reason = "looked up once an access; never iterated")]
    by_access: std::collections::HashMap<Access, LocationIndex, BuildHasherDefault<AccessHasher>>,
    /// By first byte, to find overlaps.
    ranges: BTreeMap<u64, Access>,
    /// Per location; `None` where nobody can race with what was there at first.
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
    ) -> Result<LocationIndex, Missing> {
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

    /// A location outside all objects.
    pub(crate) fn always(&mut self, memory: &mut Memory, at: Access) -> LocationIndex {
        self.known(at).unwrap_or_else(|| self.add(memory, at, Some(0), None))
    }

    #[cold]
    fn search(&mut self, memory: &mut Memory, at: Access) -> Result<LocationIndex, Missing> {
        let Some((&address, entry)) = self.entries.range(..=at.address).next_back() else {
            return Err(Missing::Nowhere);
        };
        let inside = at.address < entry.end;
        if inside && entry.freed {
            return Err(Missing::Freed);
        }
        let size = entry.end - address;
        if at.end() > entry.end {
            let near = at.address - address <= 2 * size + 64 && !entry.freed;
            return Err(if near { Missing::OutOfBounds { address, size } } else { Missing::Nowhere });
        }
        if let Some((_, &old)) = self.ranges.range(..at.end()).next_back()
            && old.overlaps(at)
        {
            return Err(Missing::Overlaps(old, self.atomic[self.by_access[&old]]));
        }
        let (objects, number) = entry.contents.as_ref().expect("an object that is there has contents");
        let (value, written) = (objects[*number].value(at), objects[*number].written(at));
        // What was never written cannot race.
        let initial = value.map(|_| Initial { publisher: entry.publisher, written });
        let location = self.add(memory, at, value, initial);
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
        let location = match self.spare.pop() {
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

    /// Objects are there from now on.
    pub(crate) fn publish(&mut self, publisher: Other, objects: &Arc<[Object]>) {
        for (number, object) in objects.iter().enumerate() {
            let entry = Entry {
                end: object.address + object.bytes.len() as u64,
                storage: object.storage,
                publisher,
                contents: Some((Arc::clone(objects), number)),
                freed: false,
                locations: Vec::new(),
            };
            self.entries.insert(object.address, entry);
        }
    }

    /// The object that starts at `address`: its storage, and whether it was freed.
    pub(crate) fn starting_at(&self, address: u64) -> Option<(Storage, bool)> {
        self.entries.get(&address).map(|entry| (entry.storage, entry.freed))
    }

    /// The storage of the object that has this byte.
    pub(crate) fn inside(&self, address: u64) -> Option<Storage> {
        let (_, entry) = self.entries.range(..=address).next_back()?;
        (address < entry.end).then_some(entry.storage)
    }

    /// The size of the object that starts at `address` and was not freed; 0 if there is none.
    pub(crate) fn size_of(&self, address: u64) -> u64 {
        let entry = self.entries.get(&address).filter(|entry| !entry.freed);
        entry.map_or(0, |entry| entry.end - address)
    }

    /// The thread has just freed the object: an access that does not happen before that.
    pub(crate) fn free(&mut self, memory: &mut Memory, thread: usize, address: u64) -> Option<Other> {
        let entry = self.entries.get_mut(&address).expect("who frees has looked");
        entry.freed = true;
        let race = unordered_writes(memory, thread, entry);
        let others = || entry.locations.iter().find_map(|&(_, location)| memory.unordered(thread, location));
        let race = race.or_else(others);
        entry.contents = None;
        for (at, location) in std::mem::take(&mut entry.locations) {
            self.by_access.remove(&at);
            self.ranges.remove(&at.address);
            self.spare.push(location);
        }
        race
    }

    /// Who published the object of a location, if what was there at first was written by another thread, and that does not
    /// happen before what `thread` does.
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

/// What its publisher wrote to an object, if that does not happen before what the thread does.
fn unordered_writes(memory: &Memory, thread: usize, entry: &Entry) -> Option<Other> {
    let (objects, number) = entry.contents.as_ref()?;
    let object = &objects[*number];
    let never = object.defined.as_ref().is_some_and(|defined| !defined.contains(&true));
    let last = object.written.as_ref().and_then(|written| written.iter().max().copied()).unwrap_or(0);
    let known = memory.threads[thread].known.hb.get(entry.publisher.thread);
    (!never && entry.publisher.thread != thread && known <= last).then_some(entry.publisher)
}

/// Multiply and fold: accesses differ in their low bits.
#[derive(Default, Clone, Copy, Debug)]
struct AccessHasher(u64);

impl Hasher for AccessHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0.rotate_left(29) ^ value) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}
