//! `memcpy`, `memmove` and `memset`, struct copies among them.
//!
//! Inside private memory they are done at once, and bytes that were never written stay so. Where shared memory is
//! involved they are plain accesses to naturally aligned pieces of up to eight bytes, split where `layout` says so.
//!
//! Not modelled: a byte that was never written and is copied from private into shared memory counts as written
//! there (padding in structs makes this usual, and plain writes of undefined bytes do not exist).

use crate::access::{Purpose, Reach};
use crate::contents::Contents;
use crate::machine::Machine;
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask};
use base::{Access, ReadOrder, Value, WriteOrder, truncate};
use program::Request;

/// A copy: where from, where to, how many bytes.
#[derive(Clone, Copy, Debug)]
struct Copy {
    to: (u64, Reach),
    from: (u64, Reach),
    len: u64,
}

impl Copy {
    /// Whether it must go from the end to the start, so as not to overwrite bytes that it has yet to read.
    fn is_backward(&self) -> bool {
        self.from.0 < self.to.0 && self.to.0 - self.from.0 < self.len
    }
}

impl Machine {
    /// Copy; `Continue` when all is done.
    pub(crate) fn copy(&self, state: &mut ThreadState, to: u64, from: u64, len: u64) -> Flow {
        if len == 0 {
            return Flow::Continue(());
        }
        let copy = Copy {
            to: (to, self.reach(state, to, len, Purpose::Write)?),
            from: (from, self.reach(state, from, len, Purpose::Read)?),
            len,
        };
        if copy.from.1 != Reach::Shared {
            if let Reach::Private(slot, offset) = copy.to.1 {
                let part = self.own_part(state, copy.from.1, from, len);
                state.memory.contents_mut(slot).paste(offset, &part);
                return Flow::Continue(());
            }
            if state.progress.done == 0 {
                let part = self.own_part(state, copy.from.1, from, len);
                self.escape_all(state, aligned_words(&part, from))?;
            }
        }
        while u64::from(state.progress.done) < len {
            self.copy_piece(state, copy)?;
        }
        Flow::Continue(())
    }

    /// In the first phase read a piece, in the second write it.
    fn copy_piece(&self, state: &mut ThreadState, copy: Copy) -> Flow {
        let (offset, size) = self.piece_of_copy(copy, u64::from(state.progress.done));
        let from = Access { address: copy.from.0 + offset, size };
        if state.progress.phase == 0 {
            if copy.from.1 == Reach::Shared {
                let request = Request::Read { at: from, order: ReadOrder::NotAtomic };
                return ask(state, Pending::Value, request);
            }
            state.progress.value = self.copied_value(state, copy.from.1, from, offset as usize);
            state.progress.phase = 1;
        }
        let (at, value) = (Access { address: copy.to.0 + offset, size }, state.progress.value);
        match copy.to.1 {
            Reach::Private(slot, start) => {
                let contents = state.memory.contents_mut(slot);
                contents.write(start + offset as usize, size, value);
                state.progress.done += u32::from(size);
                state.progress.phase = 0;
                Flow::Continue(())
            }
            Reach::Shared => {
                let request = Request::Write { at, value, order: WriteOrder::NotAtomic };
                ask(state, Pending::CopyPart(size), request)
            }
            Reach::Constant => unreachable!("constants are not written"),
        }
    }

    /// The next piece when `done` bytes are done: its offset and its size.
    fn piece_of_copy(&self, copy: Copy, done: u64) -> (u64, u8) {
        let backward = copy.is_backward();
        let offset = if backward { copy.len - done } else { done };
        let sides = [copy.to, copy.from].into_iter().filter(|side| side.1 == Reach::Shared);
        let mut size = 8.min(copy.len - done) as u8;
        for (start, _) in sides {
            let at = start + offset;
            size = aligned(at, size);
            size = if backward { self.layout.piece_before(at, size) } else { self.layout.piece(at, size) };
        }
        (if backward { offset - u64::from(size) } else { offset }, size)
    }

    /// A value of private memory, bytes that were never written taken for 0, or of a constant.
    fn copied_value(&self, state: &ThreadState, reach: Reach, at: Access, offset: usize) -> Value {
        let reach = match reach {
            Reach::Private(slot, start) => Reach::Private(slot, start + offset),
            reach => reach,
        };
        self.own_value(state, reach, at.address, at.size).unwrap_or(0)
    }

    /// Private bytes, or constant ones.
    fn own_part(&self, state: &ThreadState, reach: Reach, address: u64, len: u64) -> Contents {
        match reach {
            Reach::Private(slot, offset) => {
                let private = state.memory.private.as_ref().expect("found in it");
                private.contents(slot).part(offset..offset + len as usize)
            }
            Reach::Constant => {
                let offset = self.const_globals.offset(address);
                Contents::new(self.const_globals.bytes[offset..offset + len as usize].into())
            }
            Reach::Shared => unreachable!("shared memory is asked for"),
        }
    }

    /// `memset`; `Continue` when all is done.
    pub(crate) fn set(&self, state: &mut ThreadState, to: u64, byte: u8, len: u64) -> Flow {
        if len == 0 {
            return Flow::Continue(());
        }
        if let Reach::Private(slot, offset) = self.reach(state, to, len, Purpose::Write)? {
            state.memory.contents_mut(slot).fill(offset..offset + len as usize, byte);
            return Flow::Continue(());
        }
        let done = u64::from(state.progress.done);
        if done == len {
            return Flow::Continue(());
        }
        let at = self.piece_at(to + done, len - done);
        let value = truncate(u64::from_le_bytes([byte; 8]), at.size);
        let request = Request::Write { at, value, order: WriteOrder::NotAtomic };
        ask(state, Pending::StorePart(at.size), request)
    }

    /// The first access of those that the `len` bytes at `address`, all in shared memory, are accessed with.
    pub(crate) fn piece_at(&self, address: u64, len: u64) -> Access {
        let size = self.layout.piece(address, aligned(address, 8.min(len) as u8));
        Access { address, size }
    }
}

/// The largest power of two of at most `most` bytes that the address is a multiple of.
fn aligned(address: u64, most: u8) -> u8 {
    let largest = 1 << (7 - most.leading_zeros());
    if address == 0 { largest } else { largest.min(1 << address.trailing_zeros().min(3)) }
}

/// The words of a part of an object that are aligned in the object.
fn aligned_words(part: &Contents, address: u64) -> Vec<Value> {
    let skip = (address.next_multiple_of(8) - address) as usize;
    let words = part.bytes.get(skip..).unwrap_or_default().as_chunks::<8>().0;
    words.iter().map(|word| Value::from_le_bytes(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn pieces_are_naturally_aligned() {
        assert_eq!([aligned(64, 8), aligned(68, 8), aligned(66, 8), aligned(65, 8)], [8, 4, 2, 1]);
        assert_eq!([aligned(64, 7), aligned(64, 3), aligned(64, 1)], [4, 2, 1]);
    }
}
