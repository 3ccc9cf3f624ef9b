//! `mmap` and `munmap` of anonymous memory: an object of zeros, in whole pages.
//!
//! Not modelled: mappings of files, at a given address, or that cannot be read and written; the end of a part of a
//! mapping.

use super::PAGE;
use crate::bytecode::Reg;
use crate::contents::Contents;
use crate::machine::Machine;
use crate::private::Life;
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask, refuse};
use base::Value;
use program::{Program, Request, Storage};

/// `PROT_READ | PROT_WRITE`.
pub(super) const READ_AND_WRITE: Value = 3;
/// `MAP_FIXED`, `MAP_ANONYMOUS`, `MAP_FIXED_NOREPLACE`.
const FIXED: Value = 0x10 | 0x10_0000;
const ANONYMOUS: Value = 0x20;

/// `ENOMEM`, `EINVAL`.
const NO_MEMORY: Value = 12;
const INVALID: Value = 22;

/// A mapping ends as an object that `free` must not get.
const STORAGE: Storage = Storage::Stack;

impl Machine {
    /// `mmap(address, length, protection, flags, …)`.
    pub(super) fn map(
        &self,
        state: &mut ThreadState,
        [length, protection, flags]: [Value; 3],
        result: Option<Reg>,
    ) -> Flow {
        if flags & ANONYMOUS == 0 || flags & FIXED != 0 {
            return refuse("`mmap` of a file, or at a given address, is not modelled");
        }
        if protection & READ_AND_WRITE != READ_AND_WRITE {
            return refuse("`mmap` of memory that cannot be read and written is not modelled");
        }
        if length == 0 {
            return self.fail_long(state, INVALID, result);
        }
        if self.options().alloc.fail {
            match (state.progress.phase, state.progress.value) {
                (0, _) => return ask(state, Pending::Value, Request::Choose { values: 2 }),
                (_, 0) => {}
                _ => return self.fail_long(state, NO_MEMORY, result),
            }
        }
        let zeros = |size| Contents::new(vec![0; size].into());
        let site = self.site(state);
        let size = length.checked_next_multiple_of(PAGE);
        match size.and_then(|size| state.memory.allocate(size, PAGE, STORAGE, site, zeros)) {
            Some(address) => self.done(state, result, address),
            None => refuse(format!("a mapping of {length} bytes: more memory than is modelled")),
        }
    }

    /// `munmap(address, length)`.
    pub(super) fn unmap(
        &self,
        state: &mut ThreadState,
        address: u64,
        length: u64,
        result: Option<Reg>,
    ) -> Flow {
        let whole = |size: u64| length.checked_next_multiple_of(PAGE) == Some(size);
        let part = || refuse("the end of a part of a mapping is not modelled");
        let own = state.memory.private.as_ref().and_then(|private| {
            let object = private.near(state.thread(), address)?;
            let is_there = object.storage == STORAGE && matches!(object.life, Life::Live(_));
            is_there.then_some((object.address, object.size))
        });
        if let Some((start, size)) = own {
            let private = state.memory.private.as_ref().expect("found in it");
            return match private.heap.starting_at(start) {
                Some(row) if start == address && whole(size) => {
                    self.free_private(state, row);
                    self.done(state, result, 0)
                }
                _ => part(),
            };
        }
        match (state.progress.phase, state.progress.value) {
            (0, _) => ask(state, Pending::Value, Request::SizeOf { address }),
            (1, size) if size != 0 && !whole(size) => part(),
            (1, _) => ask(state, Pending::Value, Request::Free { address, storage: STORAGE }),
            _ => self.done(state, result, 0),
        }
    }
}
