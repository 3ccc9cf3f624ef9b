//! A thread's view of memory: its private objects, and where it allocates the next ones.

use crate::address::{
    ADDRESS_MASK, GLOBALS, MAX_BYTES, OBJECT_ALIGN, REGION_BITS, footprint, heap_region, is_region_of_other,
    stack_region,
};
use crate::contents::Contents;
use crate::private::{Life, Private, PrivateObject, PublishedLocal, Slot};
use crate::state::share;
use crate::statics::Statics;
use crate::table::Row;
use base::{Site, ThreadId, Value};
use program::Storage;
use std::sync::Arc;

/// The value of [`Memory::events`] before the first step, which makes it 0.
const BEFORE_START: u32 = u32::MAX;

/// The first offset that is given out: an index below the first object is in no object.
const START: u32 = 4096;

/// The private memory of one thread. A thread that has none is cheap to clone: the usual case for workers.
#[derive(Debug)]
pub(crate) struct Memory {
    /// `None`: nothing.
    pub(crate) private: Option<Arc<Private>>,
    /// The thread that it belongs to.
    pub(crate) thread: ThreadId,
    /// How many events it has made; [`BEFORE_START`] before its first step.
    pub(crate) events: u32,
    /// The offset of the next local variable.
    stack_top: u32,
    /// Stack offsets below are not given out again: other threads may know them.
    stack_floor: u32,
    /// Where the local variables of the current function start.
    frame_base: u32,
    /// The offset of the next heap object.
    heap_top: u32,
}

impl Clone for Memory {
    #[inline]
    fn clone(&self) -> Memory {
        Memory { private: self.private.clone(), ..*self }
    }

    #[inline]
    fn clone_from(&mut self, from: &Memory) {
        share(&mut self.private, &from.private);
        self.thread = from.thread;
        self.events = from.events;
        self.stack_top = from.stack_top;
        self.stack_floor = from.stack_floor;
        self.frame_base = from.frame_base;
        self.heap_top = from.heap_top;
    }
}

/// The state of a local variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Local {
    /// Only its thread can reach it: its row. It lives, or has ended.
    Private(Row),
    /// Other threads can reach it.
    Published,
    /// Other threads could reach it, and it has ended.
    Ended,
}

impl Memory {
    /// An empty memory.
    pub(crate) fn new(thread: ThreadId) -> Memory {
        let top = START;
        Memory {
            private: None,
            thread,
            events: BEFORE_START,
            stack_top: top,
            stack_floor: top,
            frame_base: top,
            heap_top: top,
        }
    }

    /// Where the next objects go.
    pub(crate) fn tops(&self) -> [u32; 4] {
        [self.stack_top, self.stack_floor, self.frame_base, self.heap_top]
    }

    /// The private memory, to be changed.
    pub(crate) fn private_mut(&mut self) -> &mut Private {
        Arc::make_mut(self.private.get_or_insert_default())
    }

    /// The thread goes on after its start, or after an event of its own.
    #[inline]
    pub(crate) fn count_event(&mut self) {
        self.events = self.events.wrapping_add(1);
    }

    /// The answer that the thread is about to get comes without an event.
    pub(crate) fn expect_no_event(&mut self) {
        self.events = self.events.wrapping_sub(1);
    }

    /// The contents of a slot that was found, to be written now.
    pub(crate) fn contents_mut(&mut self, slot: Slot) -> &mut Contents {
        let now = self.events;
        let contents = self.private_mut().contents_mut(slot);
        contents.now = now;
        contents
    }

    /// Whether the globals are private.
    pub(crate) fn has_globals(&self) -> bool {
        self.private.as_ref().is_some_and(|private| private.globals.is_some())
    }

    /// The live private memory that holds all of these bytes.
    pub(crate) fn find(&self, globals: &Statics, address: u64, size: u64) -> Option<(Slot, usize)> {
        self.private.as_ref()?.find(self.thread, globals, address, size)
    }

    /// Whether this could be a pointer, perhaps with a tag in its top bits, to private memory. Quick, and never wrongly
    /// "no".
    #[inline]
    pub(crate) fn may_point_here(&self, pointer: Value) -> bool {
        self.private.as_ref().is_some_and(|private| private.may_hold(self.thread, pointer))
    }

    /// Whether the address is one of a local variable of a function that has returned.
    pub(crate) fn is_above_stack(&self, address: u64) -> bool {
        address >= self.stack_address(self.stack_top)
    }

    /// Whether the address was never given out.
    pub(crate) fn is_above_heap(&self, address: u64) -> bool {
        address >= (heap_region(self.thread) << REGION_BITS) + u64::from(self.heap_top)
    }

    fn stack_address(&self, offset: u32) -> u64 {
        (stack_region(self.thread) << REGION_BITS) + u64::from(offset)
    }

    /// A new heap object; `None` if there is no room.
    pub(crate) fn allocate(
        &mut self,
        size: u64,
        align: u64,
        storage: Storage,
        site: Site,
        contents: impl FnOnce(usize) -> Contents,
    ) -> Option<u64> {
        let (offset, top) = bump(self.heap_top, size, align)?;
        self.heap_top = top;
        let address = (heap_region(self.thread) << REGION_BITS) + u64::from(offset);
        let life = Life::Live(Arc::new(contents(size as usize).allocated(self.events)));
        self.private_mut().heap.push(PrivateObject { address, size, storage, site, life });
        Some(address)
    }

    /// The newest heap object.
    pub(crate) fn newest(&self) -> Option<u64> {
        let heap = &self.private.as_ref()?.heap;
        heap.last().map(|row| heap[row].address)
    }

    /// Write to the newest heap object, which is private.
    pub(crate) fn write_newest(&mut self, offset: usize, size: u8, value: Value) {
        let newest = self.private.as_ref().and_then(|private| private.heap.last());
        let slot = Slot::Heap(newest.expect("there is one"));
        self.contents_mut(slot).write(offset, size, value);
    }

    /// A new local variable of the current function; `None` if there is no room.
    pub(crate) fn allocate_local(&mut self, size: u64, align: u64, site: Site) -> Option<u64> {
        let (offset, top) = bump(self.stack_top, size, align)?;
        self.stack_top = top;
        let address = self.stack_address(offset);
        let life = Life::Live(Arc::new(Contents::undefined(size as usize).allocated(self.events)));
        self.private_mut().stack.push(PrivateObject { address, size, storage: Storage::Stack, site, life });
        Some(address)
    }

    /// Begin a function. Returns the `caller_base` for [`Memory::leave`].
    #[inline]
    pub(crate) fn enter(&mut self) -> u32 {
        std::mem::replace(&mut self.frame_base, self.stack_top)
    }

    /// End the current function, back to the one whose frame starts at `caller_base`. Its local variables are gone;
    /// their addresses are given out again unless one was published.
    pub(crate) fn leave(&mut self, caller_base: u32) {
        let base = self.stack_address(self.frame_base);
        let has_locals = |private: &Arc<Private>| {
            private.stack.last().is_some_and(|row| private.stack[row].address >= base)
        };
        if self.private.as_ref().is_some_and(has_locals) {
            self.private_mut().stack.truncate(base);
            self.normalise();
        }
        self.stack_top = self.frame_base.max(self.stack_floor);
        self.frame_base = caller_base;
    }

    /// Where the next local variable goes, or further up.
    pub(crate) fn stack_mark(&self) -> u64 {
        self.stack_address(self.stack_top)
    }

    /// A local variable that lives and starts at `mark` or further up.
    pub(crate) fn local_since(&self, mark: u64) -> Option<u64> {
        let private = self.private.as_ref()?;
        let own = private.stack.iter().filter(|object| matches!(object.life, Life::Live(_)));
        let own = own.map(|object| object.address);
        let published = private.published_stack.iter().filter(|local| !local.ended);
        own.chain(published.map(|local| local.address)).find(|&address| address >= mark)
    }

    /// The local variable that starts at `address`, if it is one of a function that has not returned.
    pub(crate) fn local(&self, address: u64) -> Option<Local> {
        let private = self.private.as_ref()?;
        if let Some(row) = private.stack.starting_at(address) {
            return Some(Local::Private(row));
        }
        let published = private.published_stack[private.published_index(address)?];
        Some(if published.ended { Local::Ended } else { Local::Published })
    }

    /// The private local variable lives, again or for the first time: its contents are undefined.
    pub(crate) fn revive_local(&mut self, row: Row, site: Site) {
        let (now, object) = (self.events, &self.private.as_ref().expect("it is in there").stack[row]);
        let is_new = |contents: &Contents| contents.is_undefined() && contents.born == now;
        if object.site != site || !matches!(&object.life, Life::Live(contents) if is_new(contents)) {
            let contents = Contents::undefined(object.size as usize).allocated(now);
            let object = &mut self.private_mut().stack[row];
            (object.site, object.life) = (site, Life::Live(Arc::new(contents)));
        }
    }

    /// The life of the private local variable has ended here.
    pub(crate) fn end_private(&mut self, row: Row, site: Site) {
        self.private_mut().stack[row].life = Life::Freed(site);
    }

    /// The life of the published local variable that starts at `address` ends before its function returns.
    pub(crate) fn end_published(&mut self, address: u64) {
        let private = self.private_mut();
        let index = private.published_index(address).expect("it was published");
        private.published_stack[index].ended = true;
    }

    /// A new local variable instead of the one at `address`, which was published and has ended; `None` if there is
    /// no room.
    pub(crate) fn replace_local(&mut self, address: u64, site: Site) -> Option<u64> {
        let private = self.private_mut();
        let index = private.published_index(address)?;
        let size = private.published_stack.remove(index).size;
        // As aligned as the old one, which is as aligned as was asked.
        let align = 1 << address.trailing_zeros().min(12);
        self.allocate_local(size, align, site)
    }

    /// Where the local variables of the current function start.
    pub(crate) fn frame_base(&self) -> u32 {
        self.frame_base
    }

    /// The newest local variable that was published and not ended yet, of the function whose frame starts at `base` or of
    /// those that it has called.
    pub(crate) fn pop_published(&mut self, base: u32) -> Option<u64> {
        let base = self.stack_address(base);
        if self.private.as_ref()?.published_stack.last()?.address < base {
            return None;
        }
        let published = &mut self.private_mut().published_stack;
        let newest = std::iter::from_fn(|| published.pop_if(|local| local.address >= base));
        let live = { newest }.find(|local| !local.ended).map(|local| local.address);
        self.normalise();
        live
    }

    /// Forget the thread's copies of thread-local variables up to one that was published.
    pub(crate) fn pop_published_thread_local(&mut self) -> Option<u64> {
        while !self.private.as_ref()?.thread_locals.is_empty() {
            let private = self.private_mut();
            let (_, address) = private.thread_locals.pop()?;
            if private.heap.starting_at(address).is_none() {
                self.normalise();
                return Some(address);
            }
        }
        None
    }

    /// Remember that local variables were published: their lives are ended by request, and their addresses, and
    /// those below, are not given out again.
    pub(crate) fn note_published(&mut self, objects: &[program::Object]) {
        let mut floor = self.stack_floor;
        let stack = stack_region(self.thread);
        let published = &mut self.private_mut().published_stack;
        for object in objects.iter().filter(|object| object.address >> REGION_BITS == stack) {
            let size = object.bytes.len() as u64;
            published.push(PublishedLocal { address: object.address, size, ended: false });
            let end = object.address + footprint(size);
            floor = floor.max((end & ((1 << REGION_BITS) - 1)) as u32);
        }
        published.sort_unstable_by_key(|local| local.address);
        self.stack_floor = floor;
        self.normalise();
    }

    /// A thread without private memory has no table of it.
    pub(crate) fn normalise(&mut self) {
        if self.private.as_ref().is_some_and(|private| private.is_empty()) {
            self.private = None;
        }
    }
}

/// The offset of an object that is put at `top` or above, and the new top.
fn bump(top: u32, size: u64, align: u64) -> Option<(u32, u32)> {
    if size > MAX_BYTES {
        return None;
    }
    let offset = u64::from(top).checked_next_multiple_of(align.max(OBJECT_ALIGN))?;
    let end = offset.checked_add(footprint(size))?;
    (end <= MAX_BYTES).then_some((offset as u32, end as u32))
}

/// The private memory while instructions run: it is made unshared at the first write and then stays so, which saves
/// the test at every later one.
#[derive(Debug)]
pub(crate) enum Window<'a> {
    /// Nothing is private.
    Nothing,
    /// Not written yet.
    Shared(&'a mut Arc<Private>),
    /// Written.
    Own(&'a mut Private),
}

impl<'a> Window<'a> {
    /// Open it.
    #[inline]
    pub(crate) fn new(private: &'a mut Option<Arc<Private>>) -> Window<'a> {
        private.as_mut().map_or(Window::Nothing, Window::Shared)
    }

    /// The private memory; `None`: there is none.
    #[inline]
    pub(crate) fn get(&self) -> Option<&Private> {
        match self {
            Window::Nothing => None,
            Window::Shared(private) => Some(private),
            Window::Own(private) => Some(private),
        }
    }

    /// Whether it is certain, without a search for objects, that other threads can reach the address.
    #[inline(always)]
    pub(crate) fn is_elsewhere(&self, thread: ThreadId, address: u64) -> bool {
        match address >> REGION_BITS {
            GLOBALS => self.get().is_none_or(|private| private.globals.is_none()),
            region => address <= ADDRESS_MASK && is_region_of_other(thread, region),
        }
    }

    /// Whether a value of `size` bytes could be a pointer to private memory, so that storing it publishes an object.
    #[inline(always)]
    pub(crate) fn may_escape(&self, thread: ThreadId, value: Value, size: u8) -> bool {
        size == 8 && self.get().is_some_and(|private| private.may_hold(thread, value))
    }

    /// The contents of a slot that was found, to be written.
    #[inline]
    pub(crate) fn contents_mut(&mut self, slot: Slot, now: u32) -> &mut Contents {
        if let Window::Shared(_) = self {
            let Window::Shared(private) = std::mem::replace(self, Window::Nothing) else {
                unreachable!("just matched")
            };
            *self = Window::Own(Arc::make_mut(private));
        }
        match self {
            Window::Own(private) => {
                let contents = private.contents_mut(slot);
                contents.now = now;
                contents
            }
            Window::Nothing | Window::Shared(_) => unreachable!("the slot was found in it"),
        }
    }
}
