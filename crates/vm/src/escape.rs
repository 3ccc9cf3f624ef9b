//! Escape: private memory that other threads are about to reach is handed to the engine first.
//!
//! A pointer to private memory that is stored into shared memory, passed to a thread or returned from one makes the
//! object it points to reachable, and the objects that this one points to. All of it is published in one request, after
//! which the instruction runs again and finds nothing left to publish. A pointer is any eight bytes, aligned or not,
//! whose low 47 bits point into, or one past the end of, an object: publishing too much is harmless.
//!
//! Not modelled: pointers in disguise (xor-ed, compressed, stored byte by byte). The engine refuses a thread that
//! follows one to memory that was never published (`Program::is_private`).

use crate::address::{ADDRESS_MASK, Region};
use crate::machine::Machine;
use crate::private::{Life, Private};
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask};
use base::Value;
use program::{Object, Request, Storage};

impl Machine {
    /// Publish the object that a value points to, if it is a pointer to private memory.
    pub(crate) fn escape(&self, state: &mut ThreadState, value: Value) -> Flow {
        self.escape_all(state, [value])
    }

    /// The same for a value of `size` bytes: shorter ones are no pointers.
    #[inline]
    pub(crate) fn escape_word(&self, state: &mut ThreadState, value: Value, size: u8) -> Flow {
        if size < 8 || !state.memory.may_point_here(value) {
            return Flow::Continue(());
        }
        self.escape(state, value)
    }

    /// The same for several values at once.
    pub(crate) fn escape_all(
        &self,
        state: &mut ThreadState,
        values: impl IntoIterator<Item = Value>,
    ) -> Flow {
        let roots: Vec<u64> = values
            .into_iter()
            .filter(|&value| state.memory.may_point_here(value))
            .map(|value| value & ADDRESS_MASK)
            .filter(|&pointer| points_to_live(state, pointer))
            .collect();
        if roots.is_empty() { Flow::Continue(()) } else { self.publish(state, roots) }
    }

    /// Publish the globals, if they are still private, and the object that `argument` points to: a thread is created.
    pub(crate) fn escape_to_thread(&self, state: &mut ThreadState, argument: Value) -> Flow {
        if !state.memory.has_globals() {
            return self.escape(state, argument);
        }
        // Any global will do: they are published together.
        self.publish(state, vec![self.atomic_mutex, argument & ADDRESS_MASK])
    }

    fn publish(&self, state: &mut ThreadState, roots: Vec<u64>) -> Flow {
        let thread = state.thread();
        let private = state.memory.private_mut();
        let mut objects = Vec::new();
        let mut pointers = roots;
        while let Some(pointer) = pointers.pop() {
            let from = objects.len();
            if Region::of(pointer) == Region::Globals {
                self.take_globals(private, &mut objects);
            } else {
                objects.extend(private.take(thread, pointer));
            }
            for object in &objects[from..] {
                pointers.extend(
                    words(&object.bytes).map(|word| word & ADDRESS_MASK).filter(|&w| is_own(thread, w)),
                );
            }
        }
        private.sweep();
        objects.sort_unstable_by_key(|object| object.address);
        state.memory.note_published(&objects);
        ask(state, Pending::Run, Request::Publish(objects.into()))
    }

    /// All globals, the first time.
    fn take_globals(&self, private: &mut Private, objects: &mut Vec<Object>) {
        let Some(globals) = private.globals.take() else { return };
        objects.extend(self.globals.objects.iter().map(|object| {
            let start = self.globals.offset(object.address);
            let part = globals.part(start..start + object.size as usize);
            Object {
                address: object.address,
                bytes: part.bytes,
                defined: part.defined,
                written: part.written,
                allocated: None,
                storage: Storage::Static,
            }
        }));
    }
}

/// All eight bytes in a row, aligned or not.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = Value> + '_ {
    bytes.array_windows().map(|word: &[u8; 8]| Value::from_le_bytes(*word))
}

/// Whether it can point to an object that `publish` would take.
fn is_own(thread: base::ThreadId, pointer: u64) -> bool {
    match Region::of(pointer) {
        Region::Stack(owner) | Region::Heap(owner) => owner == thread,
        Region::Globals => true,
        Region::Null | Region::Code | Region::Constants | Region::Nowhere => false,
    }
}

/// Whether it points into, or one past the end of, a live private object. Most pointers that are stored do not, and
/// then the private memory need not be copied.
fn points_to_live(state: &ThreadState, pointer: u64) -> bool {
    let Some(private) = &state.memory.private else { return false };
    if Region::of(pointer) == Region::Globals {
        return private.globals.is_some();
    }
    private
        .near(state.thread(), pointer)
        .is_some_and(|object| pointer - object.address <= object.size && matches!(object.life, Life::Live(_)))
}
