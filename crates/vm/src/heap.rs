//! `malloc` and its like, `free`, and thread-local variables.
//!
//! Not modelled: memory that is used up (a program that allocates too much is refused). Bytes of shared memory that
//! were never written and that `realloc` copies count as written afterwards.

use crate::address::{OBJECT_ALIGN, Region};
use crate::contents::Contents;
use crate::machine::Machine;
use crate::private::{Life, Slot};
use crate::reuse::Place;
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask, fault, fault_near, refuse};
use crate::table::Row;
use base::{ReadOrder, ThreadId};
use program::{FaultKind, Program, Request, Storage};

/// The number of `errno` among the thread-local variables.
const ERRNO: u32 = u32::MAX;

impl Machine {
    /// A heap object: a new one, one that lives once more, or none.
    pub(crate) fn allocate(
        &self,
        state: &mut ThreadState,
        size: u64,
        align: u64,
        contents: fn(usize) -> Contents,
    ) -> Flow<u64> {
        match self.place(state, size, align)? {
            Place::Fresh => self.allocate_fresh(state, size, align, contents),
            Place::Again(address) => self.begin_life(state, address, contents(size as usize)),
            Place::Nowhere => Flow::Continue(0),
        }
    }

    /// A new heap object.
    fn allocate_fresh(
        &self,
        state: &mut ThreadState,
        size: u64,
        align: u64,
        contents: impl FnOnce(usize) -> Contents,
    ) -> Flow<u64> {
        match state.memory.allocate(size, align, Storage::Heap, self.spot(state), contents) {
            Some(address) => Flow::Continue(address),
            None => refuse(format!("allocation of {size} bytes: more memory than is modelled")),
        }
    }

    /// `calloc`: null if the product overflows, as the standard has it.
    pub(crate) fn allocate_zeroed(&self, state: &mut ThreadState, count: u64, size: u64) -> Flow<u64> {
        match count.checked_mul(size) {
            Some(size) => {
                self.allocate(state, size, OBJECT_ALIGN, |size| Contents::new(vec![0; size].into()))
            }
            None => Flow::Continue(0),
        }
    }

    /// `realloc`. It may fail, and then changes nothing.
    pub(crate) fn reallocate(&self, state: &mut ThreadState, old: u64, size: u64) -> Flow<u64> {
        if old == 0 {
            return self.allocate(state, size, OBJECT_ALIGN, Contents::undefined);
        }
        let start = self.first_phase();
        match state.progress.phase {
            phase if phase < start => return ask(state, Pending::Value, Request::Choose { values: 2 }),
            phase if phase == start && start > 0 && state.progress.value > 0 => return Flow::Continue(0),
            _ => {}
        }
        if state.progress.phase > start {
            return self.reallocate_shared(state, old, size);
        }
        let Some(row) = self.freeable(state, old)? else {
            return self.reallocate_shared(state, old, size);
        };
        let private = state.memory.private.as_ref().expect("found in it");
        let contents = private.contents(Slot::Heap(row));
        let part = contents.part(0..contents.bytes.len().min(size as usize));
        let new = self.allocate_fresh(state, size, OBJECT_ALIGN, |size| {
            let mut contents = Contents::undefined(size);
            contents.paste(0, &part);
            contents
        })?;
        self.free_private(state, row);
        Flow::Continue(new)
    }

    /// `realloc` of memory that other threads can reach: ask for its size, copy it, piece by piece, to a new object
    /// that only this thread can reach, and free it.
    fn reallocate_shared(&self, state: &mut ThreadState, old: u64, size: u64) -> Flow<u64> {
        let start = self.first_phase();
        if state.progress.phase == start {
            state.memory.expect_no_event();
            return ask(state, Pending::Value, Request::SizeOf { address: old });
        }
        if state.progress.phase == start + 1 {
            self.allocate_fresh(state, size, OBJECT_ALIGN, Contents::undefined)?;
            state.progress.phase = start + 2;
            state.progress.value = state.progress.value.min(size);
        }
        let (done, len) = (u64::from(state.progress.done), state.progress.value);
        if done < len {
            let at = self.piece_at(old + done, len - done);
            let request = Request::Read { at, order: ReadOrder::NotAtomic };
            return ask(state, Pending::NewestPart(at.size), request);
        }
        if state.progress.phase == start + 2 {
            // Nothing is left to be copied when it runs again: the length is then 0.
            state.progress.done = 0;
            return ask(state, Pending::Value, Request::Free { address: old, storage: Storage::Heap });
        }
        Flow::Continue(state.memory.newest().expect("just allocated"))
    }

    /// The phase of `realloc` in which it is known whether it fails.
    fn first_phase(&self) -> u8 {
        u8::from(self.options().alloc.fail)
    }

    /// `free`; `Continue` if that needs no request.
    pub(crate) fn free(&self, state: &mut ThreadState, address: u64) -> Flow {
        if address == 0 {
            return Flow::Continue(());
        }
        match self.freeable(state, address)? {
            // Other threads may get it next.
            Some(_) if self.is_given_again(state, address) => self.escape(state, address),
            Some(row) => {
                self.free_private(state, row);
                Flow::Continue(())
            }
            None => self.end_life(state, address),
        }
    }

    pub(crate) fn free_private(&self, state: &mut ThreadState, row: Row) {
        let site = self.site(state);
        let private = state.memory.private_mut();
        let (address, size) = (private.heap[row].address, private.heap[row].size);
        private.free(row, site);
        if !state.memory.has_globals() {
            self.reuse.note_freed(address, size);
        }
    }

    /// The private heap object that starts at `address`; `None`: the engine may have it.
    fn freeable(&self, state: &ThreadState, address: u64) -> Flow<Option<Row>> {
        let what = match Region::of(address) {
            Region::Heap(thread) if thread == state.thread() => return self.freeable_own(state, address),
            Region::Heap(_) => return Flow::Continue(None),
            Region::Globals if !state.memory.has_globals() => return Flow::Continue(None),
            Region::Stack(thread) if thread != state.thread() => return Flow::Continue(None),
            Region::Stack(_) => "a local variable",
            Region::Globals | Region::Constants => "a global variable",
            Region::Code => "a function",
            Region::Null | Region::Nowhere => "something that is no address",
        };
        fault(FaultKind::InvalidFree, format!("free of {what}"))
    }

    fn freeable_own(&self, state: &ThreadState, address: u64) -> Flow<Option<Row>> {
        let Some(private) = &state.memory.private else { return Flow::Continue(None) };
        let Some(object) = private.near(state.thread(), address) else { return Flow::Continue(None) };
        let offset = address - object.address;
        match object.life {
            Life::Freed(site) if offset == 0 => {
                fault_near(FaultKind::DoubleFree, "free of a heap object that is freed already", Some(site))
            }
            _ if object.storage != Storage::Heap => {
                let is_variable = private.thread_locals.iter().any(|known| known.1 == object.address);
                let what = if is_variable { "a thread-local variable" } else { "a mapping" };
                fault(FaultKind::InvalidFree, format!("free of {what}"))
            }
            _ if offset != 0 => {
                let message = format!("free of offset {offset} of a {}-byte heap object", object.size);
                fault(FaultKind::InvalidFree, message)
            }
            Life::Live(_) => Flow::Continue(private.heap.starting_at(address)),
            Life::Freed(_) | Life::Published => unreachable!("freed is above, published objects are swept"),
        }
    }

    /// The address of the thread's copy of a thread-local global, made at its first use.
    pub(crate) fn thread_local(&self, state: &mut ThreadState, global: u32) -> Flow<u64> {
        let bytes = &self.thread_locals[global as usize];
        let align = self.module().globals[global as usize].align;
        self.thread_object(state, global, align, bytes)
    }

    /// The address of the thread's `errno`.
    pub(crate) fn errno(&self, state: &mut ThreadState) -> Flow<u64> {
        self.thread_object(state, ERRNO, 4, &[0; 4])
    }

    fn thread_object(&self, state: &mut ThreadState, number: u32, align: u64, bytes: &[u8]) -> Flow<u64> {
        let known = state.memory.private.as_ref().map_or(&[][..], |private| &private.thread_locals);
        if let Some(&(_, address)) = known.iter().find(|known| known.0 == number) {
            return Flow::Continue(address);
        }
        let size = bytes.len() as u64;
        let contents = |_| Contents::new(bytes.into());
        // Thread-local variables of `main` live as long as the program, the others as long as their thread.
        let storage = if state.thread() == ThreadId::MAIN { Storage::Static } else { Storage::Stack };
        match state.memory.allocate(size, align, storage, self.spot(state), contents) {
            Some(address) => {
                state.memory.private_mut().thread_locals.push((number, address));
                Flow::Continue(address)
            }
            None => refuse("the thread-local variables are larger than what is modelled"),
        }
    }

    /// The thread ends: ask for the end of the life of its published thread-local variables, one by one.
    pub(crate) fn end_thread_locals(&self, state: &mut ThreadState) -> Flow {
        match state.memory.pop_published_thread_local() {
            Some(address) => ask(state, Pending::Run, Request::Free { address, storage: Storage::Stack }),
            None => Flow::Continue(()),
        }
    }
}
