//! The memory of the execution under construction, and its locations.
//!
//! Locations are made once and stay, as long as the exploration lasts: an access is the same location in every
//! execution. Objects come and go with the events that publish and free them. The same address may belong to
//! objects of different sizes in different executions; a location remembers the object it was last found in.

use base::{Access, Site, ThreadId};
use live::{EventRef, LiveGraph, LocationId};
use program::{LIFE_BITS, LIFE_WORDS, Missing, Object, Storage, proper_address};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Index of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ObjectId(u32);

/// An object that was published in some execution.
#[derive(Debug)]
pub(crate) struct Entry {
    address: u64,
    /// The first byte after it; 0 if it is not there.
    end: u64,
    /// Where it was published: the event, the objects of that event, and which one it is. `None`: it is not there.
    published: Option<(EventRef, Arc<[Object]>, usize)>,
    /// Where it was freed.
    freed: Option<EventRef>,
    /// The locations that were found in it.
    locations: Vec<LocationId>,
}

impl Entry {
    fn object(&self) -> Option<&Object> {
        self.published.as_ref().map(|(_, objects, i)| &objects[*i])
    }

    #[inline(always)]
    fn contains(&self, at: Access) -> bool {
        self.address <= at.address && at.end() <= self.end
    }
}

/// The memory of the execution under construction.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    entries: Vec<Entry>,
    by_address: BTreeMap<u64, ObjectId>,
    #[expect(clippy::disallowed_types, reason = "looked up once an access; never iterated")]
    by_access: rustc_hash::FxHashMap<Access, LocationId>,
    /// By first byte, to find overlaps.
    ranges: BTreeMap<u64, LocationId>,
    /// Locations that were found in another part, by first byte: in which object, is seen when that is published.
    recalled: BTreeMap<u64, LocationId>,
    /// Blocks that live once more: by first byte.
    again: BTreeMap<u64, Again>,
    /// Per location its object.
    owner: Vec<ObjectId>,
    /// Per location the thread that wrote its initial value, or allocated it, and after how many events.
    written: Vec<(ThreadId, u32)>,
    /// Per location whether some access to it was ever atomic, in any execution.
    atomic: Vec<bool>,
    /// How often a thread has asked for the size of an object.
    sizes_told: Cell<u64>,
}

/// A block that lives once more.
#[derive(Clone, Copy, Debug)]
struct Again {
    /// The first byte after it.
    end: u64,
    /// How many lives it had before.
    life: u64,
}

/// The owner of locations outside all objects, which are always there.
const ALWAYS: ObjectId = ObjectId(u32::MAX);

impl Objects {
    /// The location of an access that is possible now.
    #[inline(always)]
    pub(crate) fn locate(
        &mut self,
        graph: &mut LiveGraph,
        at: Access,
    ) -> Result<LocationId, Missing<EventRef>> {
        if let Some(&location) = self.by_access.get(&at) {
            let owner = self.owner[location.index()];
            if owner != ALWAYS {
                let entry = &self.entries[owner.0 as usize];
                if entry.freed.is_none() && entry.contains(at) {
                    return Ok(location);
                }
            }
        }
        self.search(graph, at)
    }

    /// The location of an access that was possible before, if there is one.
    #[inline(always)]
    pub(crate) fn known(&self, at: Access) -> Option<LocationId> {
        let at = if self.again.is_empty() { at } else { self.now(at) };
        self.by_access.get(&at).copied()
    }

    /// The access, in the current life of its block. Lives have locations of their own: no read gets a write of another
    /// life, and an access to an earlier one either happens before the `free` that ended it or is an error.
    #[cold]
    fn now(&self, at: Access) -> Access {
        Access { address: self.now_at(at.address), ..at }
    }

    fn now_at(&self, address: u64) -> u64 {
        match self.again.range(..=address).next_back() {
            Some((_, block)) if address < block.end => address | block.life << LIFE_BITS,
            _ => address,
        }
    }

    /// The entries of all lives of the block at this address.
    fn lives(&self, address: u64) -> impl Iterator<Item = (u64, ObjectId)> {
        (0..).map_while(move |life| Some((life, *self.by_address.get(&(address | life << LIFE_BITS))?)))
    }

    /// Whether the object that the location was last found in is there.
    #[inline(always)]
    pub(crate) fn is_there(&self, location: LocationId) -> bool {
        let entry = self.entries.get(self.owner[location.index()].0 as usize);
        entry.is_some_and(|entry| entry.freed.is_none() && entry.published.is_some())
    }

    /// The location of an access that was possible before and is possible now, if there is one.
    #[inline(always)]
    pub(crate) fn alive(&self, at: Access) -> Option<LocationId> {
        let at = if self.again.is_empty() { at } else { self.now(at) };
        let location = *self.by_access.get(&at)?;
        let Some(entry) = self.entries.get(self.owner[location.index()].0 as usize) else {
            return (at.address >= LIFE_WORDS).then_some(location);
        };
        (entry.freed.is_none() && entry.contains(at)).then_some(location)
    }

    /// The location is accessed.
    #[inline(always)]
    pub(crate) fn note_access(&mut self, location: LocationId, plain: bool) {
        self.atomic[location.index()] |= !plain;
    }

    /// Whether an access to the location was ever atomic.
    pub(crate) fn is_ever_atomic(&self, location: LocationId) -> bool {
        self.atomic[location.index()]
    }

    /// Whether the location is that of an access that is possible now.
    pub(crate) fn is_alive(&self, location: LocationId, graph: &LiveGraph) -> bool {
        self.alive(graph.location(location).access) == Some(location)
    }

    /// The location of an access that was made in another part; it is in no object yet.
    pub(crate) fn recall(&mut self, graph: &mut LiveGraph, at: Access, is_atomic: bool) -> LocationId {
        let known = self.by_access.get(&at).copied();
        let location = known.unwrap_or_else(|| self.add(graph, at, ALWAYS));
        if at.address < LIFE_WORDS {
            self.ranges.insert(at.address, location);
            self.recalled.insert(at.address, location);
        }
        self.atomic[location.index()] |= is_atomic;
        location
    }

    /// A location outside all objects that is always there.
    pub(crate) fn always(&mut self, graph: &mut LiveGraph, at: Access) -> LocationId {
        match self.known(at) {
            Some(location) => location,
            None => self.add(graph, at, ALWAYS),
        }
    }

    #[cold]
    fn search(&mut self, graph: &mut LiveGraph, at: Access) -> Result<LocationId, Missing<EventRef>> {
        if at.address >= LIFE_WORDS {
            return Ok(self.always(graph, at));
        }
        let at = self.now(at);
        let id = self.containing(at.address).ok_or_else(|| self.nearest(at))?;
        let entry = &self.entries[id.0 as usize];
        if let Some(freed) = entry.freed {
            return Err(Missing::Freed(freed));
        }
        if !entry.contains(at) {
            return Err(self.nearest(at));
        }
        if let Some(&location) = self.by_access.get(&at) {
            self.owner[location.index()] = id;
            let locations = &mut self.entries[id.0 as usize].locations;
            if !locations.contains(&location) {
                locations.push(location);
            }
            self.initialise(graph, location, id);
            return Ok(location);
        }
        let before = self.ranges.range(..at.end()).next_back();
        if let Some((_, &location)) = before
            && graph.location(location).access.overlaps(at)
        {
            let Access { address, size } = graph.location(location).access;
            return Err(Missing::Overlaps(Access { address: proper_address(address), size }));
        }
        Ok(self.add(graph, at, id))
    }

    fn add(&mut self, graph: &mut LiveGraph, at: Access, owner: ObjectId) -> LocationId {
        let location = graph.add_location(at);
        self.by_access.insert(at, location);
        self.owner.push(owner);
        self.written.push((ThreadId::MAIN, 0));
        self.atomic.push(false);
        if owner != ALWAYS {
            self.ranges.insert(at.address, location);
            self.entries[owner.0 as usize].locations.push(location);
            self.initialise(graph, location, owner);
        }
        location
    }

    fn initialise(&mut self, graph: &mut LiveGraph, location: LocationId, owner: ObjectId) {
        let (event, objects, i) =
            self.entries[owner.0 as usize].published.as_ref().expect("the object is there");
        let (at, object) = (graph.location(location).access, &objects[*i]);
        if object.contains(at) {
            self.written[location.index()] = (graph.event(*event).thread, object.written(at));
            graph.set_init(location, object.value(at));
        }
    }

    /// The object that is there and has this byte.
    fn containing(&self, address: u64) -> Option<ObjectId> {
        let byte = Access { address, size: 1 };
        self.by_address
            .range(..=address)
            .rev()
            .map(|(_, &id)| id)
            .find(|id| self.entries[id.0 as usize].contains(byte))
    }

    fn nearest(&self, at: Access) -> Missing<EventRef> {
        let object = self
            .by_address
            .range(..=at.address)
            .rev()
            .find_map(|(_, id)| self.entries[id.0 as usize].object());
        match object {
            Some(object) if at.address - object.address <= 2 * object.bytes.len() as u64 + 64 => {
                Missing::OutOfBounds {
                    address: proper_address(object.address),
                    size: object.bytes.len() as u64,
                }
            }
            _ => Missing::Nowhere,
        }
    }

    /// The objects of a publishing event are there: when it is added, and again when it is put back.
    pub(crate) fn publish(&mut self, graph: &mut LiveGraph, event: EventRef, objects: &Arc<[Object]>) {
        let is_there = |(_, id): (u64, ObjectId)| {
            self.entries[id.0 as usize].published.as_ref().is_some_and(|it| it.0 != event)
        };
        if let [object] = &objects[..]
            && self.lives(object.address).any(is_there)
        {
            let again = self.begin_life(object);
            return self.add_objects(graph, event, &[again].into());
        }
        self.add_objects(graph, event, objects);
    }

    /// The block of the object lives once more.
    #[cold]
    fn begin_life(&mut self, object: &Object) -> Object {
        let is_taken = |&(_, id): &(u64, ObjectId)| self.entries[id.0 as usize].published.is_some();
        let life = self.lives(object.address).take_while(is_taken).count() as u64;
        let end = object.address + object.bytes.len() as u64;
        self.again.insert(object.address, Again { end, life });
        Object { address: object.address | life << LIFE_BITS, ..object.clone() }
    }

    fn add_objects(&mut self, graph: &mut LiveGraph, event: EventRef, objects: &Arc<[Object]>) {
        for (i, object) in objects.iter().enumerate() {
            let id = *self.by_address.entry(object.address).or_insert_with(|| {
                let bytes = object.address..object.address + object.bytes.len() as u64;
                let locations = self.recalled.range(bytes).map(|(_, &location)| location).collect();
                self.entries.push(Entry {
                    address: object.address,
                    end: 0,
                    published: None,
                    freed: None,
                    locations,
                });
                ObjectId(self.entries.len() as u32 - 1)
            });
            let entry = &mut self.entries[id.0 as usize];
            debug_assert!(entry.published.is_none(), "{:#x} is published twice", object.address);
            entry.published = Some((event, objects.clone(), i));
            entry.end = object.address + object.bytes.len() as u64;
            for k in 0..entry.locations.len() {
                let location = self.entries[id.0 as usize].locations[k];
                if object.contains(graph.location(location).access) {
                    self.owner[location.index()] = id;
                    self.initialise(graph, location, id);
                }
            }
        }
    }

    /// The objects of a publishing event are gone.
    pub(crate) fn unpublish(&mut self, event: EventRef, objects: &[Object]) {
        for object in objects {
            let id = match self.again.is_empty() {
                true => self.by_address[&object.address],
                false => self.end_life(event, object.address),
            };
            self.entries[id.0 as usize].published = None;
            self.entries[id.0 as usize].end = 0;
        }
    }

    /// End the life of a block that the event began: the block is in its newest other life again. Returns the object of
    /// the life that ended.
    #[cold]
    fn end_life(&mut self, event: EventRef, address: u64) -> ObjectId {
        let publisher = |id: ObjectId| self.entries[id.0 as usize].published.as_ref().map(|it| it.0);
        let ended = self.lives(address).find(|&(_, id)| publisher(id) == Some(event));
        let ended = ended.expect("the event published it").1;
        let there = |&(_, id): &(u64, ObjectId)| id != ended && publisher(id).is_some();
        let newest = self.lives(address).filter(there).last();
        match newest {
            Some((life, id)) if life > 0 => {
                let end = proper_address(self.entries[id.0 as usize].end);
                self.again.insert(address, Again { end, life });
            }
            _ => {
                self.again.remove(&address);
            }
        }
        ended
    }

    /// The object that starts at `address` and is there, with its storage, and the event that freed it.
    pub(crate) fn starting_at(&self, address: u64) -> Option<(ObjectId, Storage, Option<EventRef>)> {
        let id = *self.by_address.get(&self.now_at(address))?;
        let entry = &self.entries[id.0 as usize];
        Some((id, entry.object()?.storage, entry.freed))
    }

    /// Where the object of a location was allocated, if its thread never wrote to the location before it was published.
    pub(crate) fn unwritten(&self, graph: &LiveGraph, location: LocationId) -> Option<Site> {
        let entry = self.entries.get(self.owner[location.index()].0 as usize)?;
        let never = graph.location(location).init.is_none();
        entry.object()?.allocated.filter(|_| never).map(|allocated| allocated.site)
    }

    /// Where the object that starts at `address` was allocated, if nothing was ever written to it before it was
    /// published.
    pub(crate) fn never_written(&self, address: u64) -> Option<Site> {
        let object = self.entries[self.by_address.get(&self.now_at(address))?.0 as usize].object()?;
        let never = object.defined.as_ref().is_some_and(|defined| !defined.contains(&true));
        object.allocated.filter(|_| never).map(|allocated| allocated.site)
    }

    /// The size of the object that starts at `address`, is there and was not freed; 0 if there is none.
    pub(crate) fn size_of(&self, address: u64) -> u64 {
        self.sizes_told.update(|told| told + 1);
        let entry = self.by_address.get(&self.now_at(address)).map(|id| &self.entries[id.0 as usize]);
        match entry {
            Some(entry) if entry.freed.is_none() => entry.end.saturating_sub(entry.address),
            _ => 0,
        }
    }

    /// How often [`Objects::size_of`] was called.
    #[inline(always)]
    pub(crate) fn sizes_told(&self) -> u64 {
        self.sizes_told.get()
    }

    /// The bytes of the object that starts at `address`, freed or not.
    pub(crate) fn bytes_at(&self, address: u64) -> std::ops::Range<u64> {
        let entry = &self.entries[self.by_address[&self.now_at(address)].0 as usize];
        entry.address..entry.end
    }

    /// The storage of the object that has this byte.
    pub(crate) fn inside(&self, address: u64) -> Option<Storage> {
        let id = self.containing(self.now_at(address))?;
        self.entries[id.0 as usize].object().map(|object| object.storage)
    }

    /// An object is freed by `event`.
    pub(crate) fn free(&mut self, address: u64, event: EventRef) {
        let id = self.by_address[&self.now_at(address)];
        self.entries[id.0 as usize].freed = Some(event);
    }

    /// Undo `free`: the object that `event` has freed is there again.
    pub(crate) fn unfree(&mut self, address: u64, event: EventRef) {
        let is_freed = |&(_, id): &(u64, ObjectId)| self.entries[id.0 as usize].freed == Some(event);
        let freed = self.lives(address).find(is_freed);
        if let Some((_, id)) = freed {
            self.entries[id.0 as usize].freed = None;
        }
    }

    /// The publication of the object, if `free` does not happen after the last write to it (or its allocation) by the
    /// publishing thread, and that is another thread.
    pub(crate) fn unordered_writes(
        &self,
        graph: &LiveGraph,
        free: EventRef,
        id: ObjectId,
    ) -> Option<EventRef> {
        let (event, objects, i) = self.entries[id.0 as usize].published.as_ref()?;
        let (thread, last) = (graph.event(*event).thread, objects[*i].last_written());
        let ordered = thread == graph.event(free).thread || graph.hb_count(free, thread) > last;
        (!ordered).then_some(*event)
    }

    /// The event that published the object of a location; `None` if it is always there.
    pub(crate) fn publication(&self, location: LocationId) -> Option<EventRef> {
        let entry = self.entries.get(self.owner[location.index()].0 as usize)?;
        entry.published.as_ref().map(|(event, _, _)| *event)
    }

    /// The event that published the object that starts at `address`.
    pub(crate) fn publication_at(&self, address: u64) -> Option<EventRef> {
        let entry = &self.entries[self.by_address.get(&self.now_at(address))?.0 as usize];
        entry.published.as_ref().map(|(event, _, _)| *event)
    }

    /// The objects that are there, each with the event that has published it.
    pub(crate) fn living(&self) -> impl Iterator<Item = (ObjectId, EventRef, &Object)> {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.freed.is_none()).filter_map(|(i, entry)| {
            let (event, objects, at) = entry.published.as_ref()?;
            Some((ObjectId(i as u32), *event, &objects[*at]))
        })
    }

    /// The locations of an object.
    pub(crate) fn locations(&self, id: ObjectId) -> impl Iterator<Item = LocationId> {
        let owner = &self.owner;
        self.entries[id.0 as usize].locations.iter().copied().filter(move |l| owner[l.index()] == id)
    }

    /// The publication of the location's object, if `e` does not happen after the write of the initial value (or the
    /// allocation) of the location, and that is by another thread.
    #[inline(always)]
    pub(crate) fn unordered_init(
        &self,
        graph: &LiveGraph,
        e: EventRef,
        location: LocationId,
    ) -> Option<EventRef> {
        let known = |thread| graph.hb_count(e, thread);
        self.unknown_init(graph.event(e).thread, location, known)
    }

    /// The same for an access by `thread`; of each other thread, `known` events happen before it.
    #[inline(always)]
    pub(crate) fn unknown_init(
        &self,
        thread: ThreadId,
        location: LocationId,
        known: impl FnOnce(ThreadId) -> u32,
    ) -> Option<EventRef> {
        let (writer, events) = self.written[location.index()];
        if writer == thread || known(writer) > events {
            return None;
        }
        let owner = self.owner[location.index()];
        let entry = (owner != ALWAYS).then(|| &self.entries[owner.0 as usize])?;
        entry.published.as_ref().map(|(event, _, _)| *event)
    }
}
