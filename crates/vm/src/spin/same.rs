//! Whether private memory is the same as at an earlier visit, but for bytes that make no difference.
//!
//! Two kinds make none. Dead bytes are written again before they are read (`dead_stores`). And a secret object is one
//! that was published only because a compare-exchange was about to store a pointer to it, which then failed: no other
//! thread has ever had its address, so it is as private as before ([SAVER], section V, treiber-stack). When bytes were
//! written, and where an object was freed, makes no difference either.

use crate::contents::Contents;
use crate::memory::Memory;
use crate::private::{Life, Private, PrivateObject};
use crate::state::{Frame, ThreadState};
use crate::table::Table;
use program::{Object, Storage};
use smallvec::SmallVec;
use std::sync::Arc;

/// Where some bytes start and end.
pub(super) type Bytes = (u64, u64);

/// Objects that were published, and that no other thread can reach all the same.
#[derive(Clone, Debug)]
pub(super) struct Secret {
    /// The objects with their contents when they were published.
    pub(super) objects: Arc<[Object]>,
    /// The bytes that the thread has written since.
    pub(super) written: SmallVec<[Bytes; 2]>,
}

impl Secret {
    /// Heap objects that are published can be secret; local variables cannot, as their thread remembers that they were
    /// published.
    pub(super) fn new(objects: &Arc<[Object]>) -> Option<Secret> {
        let on_heap = objects.iter().all(|object| object.storage == Storage::Heap);
        on_heap.then(|| Secret { objects: Arc::clone(objects), written: SmallVec::new() })
    }

    /// The thread has written there.
    pub(super) fn note_written(&mut self, bytes: Bytes) {
        if !self.written.contains(&bytes) {
            self.written.push(bytes);
        }
    }

    /// Whether all of these bytes are inside one object.
    pub(super) fn holds(&self, (start, end): Bytes) -> bool {
        let inside =
            |object: &Object| object.address <= start && end <= object.address + object.bytes.len() as u64;
        self.objects.iter().any(inside)
    }
}

/// The bytes and objects that make no difference.
#[derive(Debug)]
pub(super) struct Except<'a> {
    pub(super) dead: SmallVec<[Bytes; 2]>,
    /// Objects that were private then, and are secret now.
    pub(super) secret: &'a [Object],
}

/// Whether these states of one thread are the same, whatever it has done to get there.
pub(crate) fn is_same(a: &ThreadState, b: &ThreadState) -> bool {
    a.callers.as_ref().map(Arc::as_ptr) == b.callers.as_ref().map(Arc::as_ptr)
        && a.visits.is_same(&b.visits)
        && is_same_here(a, b)
}

/// The same, where no round is ever cut: the record of loops does not matter.
pub(crate) fn is_same_without_cuts(a: &ThreadState, b: &ThreadState) -> bool {
    is_same_here(a, b) && Frame::is_same(a.callers.as_ref(), b.callers.as_ref())
}

/// Whether the states are the same but for callers and visits.
fn is_same_here(a: &ThreadState, b: &ThreadState) -> bool {
    let place = |state: &ThreadState| {
        let section = state.section.is_some();
        (state.function, state.pc, state.depth, state.pending, state.progress, section)
    };
    let nothing = Except { dead: SmallVec::new(), secret: &[] };
    place(a) == place(b) && a.registers[..] == b.registers[..] && nothing.same_memory(&a.memory, &b.memory)
}

impl Except<'_> {
    fn is_dead(&self, address: u64) -> bool {
        self.dead.iter().any(|&(start, end)| (start..end).contains(&address))
    }

    /// Whether all of these bytes are dead.
    pub(super) fn is_dead_range(&self, bytes: Bytes) -> bool {
        self.dead.iter().any(|&(start, end)| start <= bytes.0 && bytes.1 <= end)
    }

    /// Whether the memory of a thread is the same as it was.
    pub(super) fn same_memory(&self, now: &Memory, then: &Memory) -> bool {
        if now.tops() != then.tops() {
            return false;
        }
        match (&now.private, &then.private) {
            (None, None) => true,
            (Some(now), Some(then)) => Arc::ptr_eq(now, then) || self.same_private(now, then),
            (now, then) => {
                let or_empty = |it: &Option<Arc<Private>>| it.clone().unwrap_or_default();
                self.same_private(&or_empty(now), &or_empty(then))
            }
        }
    }

    fn same_private(&self, now: &Private, then: &Private) -> bool {
        let same_globals = match (&now.globals, &then.globals) {
            (None, None) => true,
            (Some(now), Some(then)) => now.bytes == then.bytes,
            _ => false,
        };
        same_globals
            && now.data == then.data
            && now.thread_locals == then.thread_locals
            && now.published_stack == then.published_stack
            && self.same_objects(&now.stack, &then.stack)
            && self.same_objects(&now.heap, &then.heap)
    }

    /// Every object is there, or secret; none is new.
    fn same_objects(&self, now: &Table, then: &Table) -> bool {
        let (mut now, mut then) = (now.iter().peekable(), then.iter());
        then.all(|then| match now.next_if(|now| now.address == then.address) {
            Some(now) => self.same_life(then.address, &now.life, &then.life),
            None => self.is_secret(then),
        }) && now.next().is_none()
    }

    fn same_life(&self, address: u64, now: &Life, then: &Life) -> bool {
        match (now, then) {
            (Life::Live(now), Life::Live(then)) => {
                Arc::ptr_eq(now, then) || self.same_bytes(address, (&now.bytes, now.defined.as_deref()), then)
            }
            (Life::Freed(_), Life::Freed(_)) => true,
            _ => false,
        }
    }

    fn is_secret(&self, then: &PrivateObject) -> bool {
        let now = self.secret.iter().find(|object| object.address == then.address);
        match (now, &then.life) {
            (Some(now), Life::Live(contents)) => {
                self.same_bytes(then.address, (&now.bytes, now.defined.as_deref()), contents)
            }
            _ => false,
        }
    }

    /// The same bytes, of which the same were ever written, but for the dead ones.
    fn same_bytes(&self, address: u64, now: (&[u8], Option<&[bool]>), then: &Contents) -> bool {
        let is_defined = |defined: Option<&[bool]>, i: usize| defined.is_none_or(|defined| defined[i]);
        let same = |i: usize| {
            now.0[i] == then.bytes[i] && is_defined(now.1, i) == is_defined(then.defined.as_deref(), i)
        };
        now.0.len() == then.bytes.len()
            && (0..now.0.len()).all(|i| same(i) || self.is_dead(address + i as u64))
    }
}
