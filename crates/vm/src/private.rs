//! Memory that only one thread can reach: its live objects, and those that it has freed.
//!
//! Shared between the copies of a thread's state and copied on write, in two steps: first the table, then the one
//! object that is written. `table` says how objects are kept.
//!
//! Cost: a look-up is O(log n). The first write after the state was cloned costs a copy of a part of the table and the
//! size of the object.

use crate::address::{ADDRESS_MASK, GLOBALS, REGION_BITS, footprint, heap_region, stack_region};
use crate::contents::Contents;
use crate::statics::Statics;
use crate::table::{Row, Table};
use crate::thread_data::ThreadData;
use base::{Site, ThreadId, Value};
use program::{Allocation, Storage};
use std::sync::Arc;

/// How many freed objects are remembered at least. Older ones give `invalid-access` instead of `use-after-free`.
const REMEMBERED: usize = 256;

/// An object of private memory.
#[derive(Clone, Debug)]
pub(crate) struct PrivateObject {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) storage: Storage,
    /// Where its life began.
    pub(crate) site: Site,
    pub(crate) life: Life,
}

/// A local variable that other threads can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PublishedLocal {
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Its life ended before its function returned.
    pub(crate) ended: bool,
}

/// The state of an object.
#[derive(Clone, Debug)]
pub(crate) enum Life {
    /// It lives, with these contents.
    Live(Arc<Contents>),
    /// It was freed here, or its block ended here.
    Freed(Site),
    /// It is being handed to the engine; gone when that is done.
    Published,
}

/// Where a private access goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    /// The globals.
    Globals,
    /// An object of the stack.
    Stack(Row),
    /// An object of the heap.
    Heap(Row),
}

/// All the private memory of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Private {
    /// The local variables whose address was taken.
    pub(crate) stack: Table,
    /// The allocated objects, and the thread's copies of thread-local globals.
    pub(crate) heap: Table,
    /// All the globals, as one piece: main has them until it creates its first thread.
    pub(crate) globals: Option<Box<Contents>>,
    /// Where the thread's copies of the thread-local globals are (in the heap), by number.
    pub(crate) thread_locals: Vec<(u32, u64)>,
    /// The local variables that were published and whose function has not returned, sorted by address.
    pub(crate) published_stack: Vec<PublishedLocal>,
    /// The C library's data about the thread.
    pub(crate) data: ThreadData,
    /// How many of `heap` are freed.
    freed: usize,
}

impl Private {
    /// Whether nothing is in it, so that the thread can do without.
    pub(crate) fn is_empty(&self) -> bool {
        self.stack.is_empty()
            && self.heap.is_empty()
            && self.globals.is_none()
            && self.thread_locals.is_empty()
            && self.published_stack.is_empty()
            && self.data == ThreadData::default()
    }

    /// The live memory that holds all of these bytes, and where in it they start.
    #[inline]
    pub(crate) fn find(
        &self,
        thread: ThreadId,
        globals: &Statics,
        address: u64,
        size: u64,
    ) -> Option<(Slot, usize)> {
        let region = address >> REGION_BITS;
        if region == GLOBALS {
            self.globals.as_ref()?;
            globals.covering(address, size)?;
            return Some((Slot::Globals, globals.offset(address)));
        }
        let (objects, slot): (&Table, fn(Row) -> Slot) = if region == stack_region(thread) {
            (&self.stack, Slot::Stack)
        } else if region == heap_region(thread) {
            (&self.heap, Slot::Heap)
        } else {
            return None;
        };
        let row = objects.below(address)?;
        let object = &objects[row];
        let offset = address - object.address;
        let inside = offset.checked_add(size).is_some_and(|end| end <= object.size);
        (inside && matches!(object.life, Life::Live(_))).then_some((slot(row), offset as usize))
    }

    /// Whether this could be a pointer, perhaps with a tag in its top bits, to an object here. Quick, and never wrongly
    /// "no".
    #[inline]
    pub(crate) fn may_hold(&self, thread: ThreadId, pointer: Value) -> bool {
        match (pointer & ADDRESS_MASK) >> REGION_BITS {
            GLOBALS => self.globals.is_some(),
            region => region == stack_region(thread) || region == heap_region(thread),
        }
    }

    /// The contents of a slot that was found.
    #[inline]
    pub(crate) fn contents(&self, slot: Slot) -> &Contents {
        let object = match slot {
            Slot::Globals => return self.globals.as_ref().expect("found there"),
            Slot::Stack(row) => &self.stack[row],
            Slot::Heap(row) => &self.heap[row],
        };
        match &object.life {
            Life::Live(contents) => contents,
            Life::Freed(_) | Life::Published => unreachable!("only live memory is found"),
        }
    }

    /// The same, to be written.
    #[inline]
    pub(crate) fn contents_mut(&mut self, slot: Slot) -> &mut Contents {
        let object = match slot {
            Slot::Globals => return self.globals.as_mut().expect("found there"),
            Slot::Stack(row) => &mut self.stack[row],
            Slot::Heap(row) => &mut self.heap[row],
        };
        match &mut object.life {
            Life::Live(contents) => Arc::make_mut(contents),
            Life::Freed(_) | Life::Published => unreachable!("only live memory is found"),
        }
    }

    /// A value of private memory; `None` if the bytes are not private or none was ever written.
    #[inline]
    pub(crate) fn read(&self, thread: ThreadId, globals: &Statics, address: u64, size: u8) -> Option<Value> {
        let (slot, offset) = self.find(thread, globals, address, u64::from(size))?;
        self.contents(slot).read(offset, size)
    }

    /// The object, live or freed, that `address` is in, or in the red zone or one past the end of.
    pub(crate) fn near(&self, thread: ThreadId, address: u64) -> Option<&PrivateObject> {
        let objects = self.objects(thread, address)?;
        let object = &objects[objects.below(address)?];
        (address - object.address < footprint(object.size)).then_some(object)
    }

    /// The index of the published local variable that starts at `address`.
    pub(crate) fn published_index(&self, address: u64) -> Option<usize> {
        self.published_stack.binary_search_by_key(&address, |local| local.address).ok()
    }

    /// The objects of the thread's own region that `address` is in.
    fn objects(&self, thread: ThreadId, address: u64) -> Option<&Table> {
        match address >> REGION_BITS {
            region if region == stack_region(thread) => Some(&self.stack),
            region if region == heap_region(thread) => Some(&self.heap),
            _ => None,
        }
    }

    /// Take a live object, other than the globals, that a pointer points into or one past the end of.
    pub(crate) fn take(&mut self, thread: ThreadId, pointer: u64) -> Option<program::Object> {
        let objects = match pointer >> REGION_BITS {
            region if region == stack_region(thread) => &mut self.stack,
            region if region == heap_region(thread) => &mut self.heap,
            _ => return None,
        };
        let row = objects.below(pointer)?;
        let object = &objects[row];
        if pointer - object.address > object.size || !matches!(object.life, Life::Live(_)) {
            return None;
        }
        let object = &mut objects[row];
        let Life::Live(contents) = std::mem::replace(&mut object.life, Life::Published) else {
            unreachable!("just matched")
        };
        let Contents { bytes, defined, written, born, .. } = Arc::unwrap_or_clone(contents);
        let defined = defined.filter(|defined| !defined.iter().all(|&d| d));
        let allocated = Some(Allocation { events: born, site: object.site });
        let (address, storage) = (object.address, object.storage);
        Some(program::Object { address, bytes, defined, written, allocated, storage })
    }

    /// Forget the objects that were taken.
    pub(crate) fn sweep(&mut self) {
        self.stack.retain(|object| !matches!(object.life, Life::Published));
        self.heap.retain(|object| !matches!(object.life, Life::Published));
    }

    /// End the life of the heap object at `row`.
    pub(crate) fn free(&mut self, row: Row, site: Site) {
        self.heap[row].life = Life::Freed(site);
        self.freed += 1;
        if self.freed >= 2 * REMEMBERED {
            self.forget_oldest();
        }
    }

    /// Keep the table small in a program that allocates and frees all the time.
    fn forget_oldest(&mut self) {
        let mut forget = self.freed - REMEMBERED;
        self.heap.retain(|object| {
            let gone = forget > 0 && matches!(object.life, Life::Freed(_));
            forget -= usize::from(gone);
            !gone
        });
        self.freed = REMEMBERED;
    }
}
