//! Where an allocation goes: to fresh memory, to memory that was freed, or nowhere.
//!
//! An address that is given again makes a difference only where the program compares it with the old one. So everything
//! is fresh at first, and the machine notes, in whatever order they come, for which blocks
//! - the address was freed while there were other threads,
//! - the address was compared with another one of the heap, or expected by a compare-exchange,
//! - and as much memory was allocated while there were other threads.
//!
//! Where all three hold, the exploration starts again, and from then on every such allocation may get that block: it is
//! a choice, and a thread that chooses a block that is not free is blocked (`program/life.rs`). Notes are never taken
//! back, so the result does not depend on the order in which executions are explored.
//!
//! Up to the first comparison that distinguishes them, an execution in which an address is given again is one in which
//! it is not, with other names: so the comparison is seen with fresh addresses, too.
//!
//! Not modelled: memory that is given again in another size (up to 16 bytes); `realloc`, whose new memory is always
//! fresh, and which gives nothing back; memory that is freed before there are other threads; numbers that are computed
//! from an address other than by adding tags (`p >> 4`), and then compared.

use crate::address::{ADDRESS_MASK, MAX_BYTES, OBJECT_ALIGN, REGION_BITS, is_heap_region};
use crate::builtin::Builtin;
use crate::bytecode::{Module, Op};
use crate::contents::Contents;
use crate::machine::Machine;
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask};
use base::{ReadOrder, RmwOrder, Value};
use program::{Allocation, Block, Blocker, Object, Remark, Request, RmwOp, Storage, life_word};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Other outcomes of an allocation than fresh memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Alloc {
    /// Give memory again that was freed.
    pub reuse: bool,
    /// Fail.
    pub fail: bool,
}

/// The phases of an allocation that has a choice; then it is done.
const CHOOSE: u8 = 0;
const CHOSEN: u8 = 1;
const TAKEN: u8 = 2;
/// The phase after it.
pub(crate) const ALLOCATED: u8 = 3;

/// Where an allocation goes.
pub(crate) enum Place {
    /// To fresh memory.
    Fresh,
    /// To this block, which was freed.
    Again(u64),
    /// It fails.
    Nowhere,
}

/// Which addresses are given again.
#[derive(Debug, Default)]
pub(crate) struct Reuse {
    /// Whether any address can be given again.
    is_on: bool,
    /// The blocks that are: by rounded size, in order.
    blocks: BTreeMap<u64, Vec<u64>>,
    notes: Mutex<Notes>,
    /// Whether the notes say that more blocks should be.
    is_new: AtomicBool,
}

/// Observations of all executions.
#[derive(Clone, Debug, Default)]
struct Notes {
    /// Blocks that were freed: first byte, and rounded size.
    freed: BTreeMap<u64, u64>,
    /// Addresses that were compared.
    compared: BTreeSet<u64>,
    /// Rounded sizes of the blocks that were allocated.
    allocated: BTreeSet<u64>,
}

impl Clone for Reuse {
    fn clone(&self) -> Reuse {
        Reuse {
            is_on: self.is_on,
            blocks: self.blocks.clone(),
            notes: Mutex::new(self.notes().clone()),
            is_new: AtomicBool::new(self.is_new()),
        }
    }
}

/// Whether there is a call of `free`, executed or not.
fn frees(module: &Module) -> bool {
    let frees = |op: &Op| matches!(op, Op::Builtin { builtin: Builtin::Free, .. });
    module.functions.iter().any(|function| function.code.iter().any(frees))
}

/// Blocks of the same rounded size can take each other's place. A size larger than memory stays so.
fn rounded(size: u64) -> u64 {
    size.clamp(1, MAX_BYTES + 1).next_multiple_of(OBJECT_ALIGN)
}

/// Whether it is an address of the heap, perhaps with a tag in its top bits.
#[inline(always)]
pub(crate) fn is_heap(value: Value) -> bool {
    is_heap_region((value & ADDRESS_MASK) >> REGION_BITS)
}

impl Notes {
    /// Whether it could make a difference that the block is given again.
    fn tells(&self, address: u64, size: u64) -> bool {
        self.allocated.contains(&size) && self.compared.range(address..address + size).next().is_some()
    }
}

impl Reuse {
    /// Nothing is given again yet. A program that frees nothing never does.
    pub(crate) fn new(module: &Module, alloc: Alloc) -> Reuse {
        Reuse { is_on: alloc.reuse && frees(module), ..Reuse::default() }
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        // Notes are whole at any time.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any address is given again.
    pub(crate) fn is_any(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Whether the notes say that more addresses should be given again.
    #[inline]
    pub(crate) fn is_new(&self) -> bool {
        self.is_new.load(Ordering::Relaxed)
    }

    /// Whether the block at this address is given again.
    fn has(&self, address: u64) -> bool {
        self.blocks.values().any(|blocks| blocks.binary_search(&address).is_ok())
    }

    fn note(&self, address: u64, size: u64, notes: &Notes) {
        if notes.tells(address, size)
            && self.blocks.get(&size).is_none_or(|blocks| !blocks.contains(&address))
        {
            self.is_new.store(true, Ordering::Relaxed);
        }
    }

    /// A block was freed.
    pub(crate) fn note_freed(&self, address: u64, size: u64) {
        if self.is_on {
            let mut notes = self.notes();
            notes.freed.insert(address, rounded(size));
            self.note(address, rounded(size), &notes);
        }
    }

    fn note_allocated(&self, size: u64) {
        if !self.is_on {
            return;
        }
        let mut notes = self.notes();
        if notes.allocated.insert(size) {
            notes.freed.iter().for_each(|(&address, &size)| self.note(address, size, &notes));
        }
    }

    /// Two values are compared, as numbers of 64 bits.
    #[inline(always)]
    pub(crate) fn note_comparison(&self, a: Value, b: Value) {
        if self.is_on && is_heap(a) && is_heap(b) {
            self.note_compared(a);
            self.note_compared(b);
        }
    }

    /// A compare-exchange of a word expects the value, or finds it instead of the expected one.
    #[inline(always)]
    pub(crate) fn note_expected(&self, value: Value) {
        if self.is_on && is_heap(value) {
            self.note_compared(value);
        }
    }

    #[cold]
    fn note_compared(&self, value: Value) {
        let (mut notes, value) = (self.notes(), value & ADDRESS_MASK);
        if notes.compared.insert(value)
            && let Some((&address, &size)) = notes.freed.range(..=value).next_back()
        {
            self.note(address, size, &notes);
        }
    }

    /// The blocks for which the notes say that they should be given again, if there are more than those that are.
    #[inline]
    pub(crate) fn newly_reused(&self) -> Option<Vec<Block>> {
        self.is_new().then(|| self.telling_blocks())
    }

    #[cold]
    fn telling_blocks(&self) -> Vec<Block> {
        let notes = self.notes();
        let blocks = notes.freed.iter().map(|(&address, &size)| Block { address, size });
        blocks.filter(|block| notes.tells(block.address, block.size)).collect()
    }

    /// Everything that was noted.
    pub(crate) fn remarks(&self) -> BTreeSet<Remark> {
        let notes = self.notes();
        let freed = notes.freed.iter().map(|(&address, &size)| Remark::Freed(Block { address, size }));
        let compared = notes.compared.iter().copied().map(Remark::Compared);
        freed.chain(compared).chain(notes.allocated.iter().copied().map(Remark::Allocated)).collect()
    }

    /// Forget what was noted, and note this.
    pub(crate) fn recall(&self, remarks: &BTreeSet<Remark>) {
        *self.notes() = Notes::default();
        self.is_new.store(false, Ordering::Relaxed);
        for &remark in remarks {
            match remark {
                Remark::Freed(Block { address, size }) => self.note_freed(address, size),
                Remark::Compared(address) => self.note_compared(address),
                Remark::Allocated(size) => self.note_allocated(size),
            }
        }
    }

    /// Give these blocks again, and no others. Nothing was noted yet.
    pub(crate) fn set(&mut self, blocks: &BTreeSet<Block>) {
        self.blocks.clear();
        for &Block { address, size } in blocks {
            self.blocks.entry(size).or_default().push(address);
        }
        *self.notes.get_mut().unwrap_or_else(PoisonError::into_inner) = Notes::default();
        *self.is_new.get_mut() = false;
    }

    /// The blocks that an allocation can get.
    fn blocks(&self, size: u64, align: u64) -> impl Iterator<Item = u64> {
        let blocks = self.blocks.get(&size).map_or(&[][..], |blocks| blocks);
        blocks.iter().copied().filter(move |address| address.is_multiple_of(align.max(1)))
    }
}

impl Machine {
    /// Whether the program frees memory that is never given again, though it could be.
    pub fn assumes_fresh_addresses(&self) -> bool {
        !self.options().alloc.reuse && frees(self.module())
    }

    /// Where the allocation that the thread makes goes: a choice, if there is any.
    pub(crate) fn place(&self, state: &mut ThreadState, size: u64, align: u64) -> Flow<Place> {
        let has_others = !state.memory.has_globals();
        let class = rounded(size);
        if has_others && state.progress.phase == CHOOSE {
            self.reuse.note_allocated(class);
        }
        let blocks = || self.reuse.blocks(class, align).filter(|_| has_others);
        let (reused, fail) = (blocks().count() as u64, self.options().alloc.fail);
        let values = 1 + reused + u64::from(fail);
        let block = |number: u32| blocks().nth(number as usize - 1).expect("one was chosen");
        match state.progress.phase {
            CHOOSE if values == 1 => Flow::Continue(Place::Fresh),
            CHOOSE => ask(state, Pending::Value, Request::Choose { values }),
            CHOSEN if state.progress.value == 0 => Flow::Continue(Place::Fresh),
            CHOSEN if state.progress.value > reused => Flow::Continue(Place::Nowhere),
            CHOSEN => {
                state.progress.done = state.progress.value as u32;
                let op = RmwOp::CompareExchange { expected: class, new: 0 };
                ask(state, Pending::Value, life_request(block(state.progress.done), op, RmwOrder::Acquire))
            }
            TAKEN if state.progress.value != class => Flow::Break(Request::Block(Blocker::Assume)),
            _ => Flow::Continue(Place::Again(block(state.progress.done))),
        }
    }

    /// The block lives once more: other threads may still know its address, so it is published at once.
    pub(crate) fn begin_life(&self, state: &mut ThreadState, address: u64, contents: Contents) -> Flow<u64> {
        if state.progress.phase >= ALLOCATED {
            return Flow::Continue(address);
        }
        let Contents { bytes, defined, .. } = contents;
        let allocated = Some(Allocation { events: state.memory.events, site: self.spot(state) });
        let object = Object { address, bytes, defined, written: None, allocated, storage: Storage::Heap };
        ask(state, Pending::Value, Request::Publish([object].into()))
    }

    /// Whether the block is given again once the thread has freed it.
    pub(crate) fn is_given_again(&self, state: &ThreadState, address: u64) -> bool {
        self.reuse.has(address) && !state.memory.has_globals()
    }

    /// `free` of a block that other threads can reach: ask for its size and its end, and write its life word.
    pub(crate) fn end_life(&self, state: &mut ThreadState, address: u64) -> Flow {
        let free = Request::Free { address, storage: Storage::Heap };
        match state.progress.phase {
            _ if !self.is_given_again(state, address) => ask(state, Pending::Next, free),
            0 => {
                state.memory.expect_no_event();
                ask(state, Pending::Value, Request::SizeOf { address })
            }
            1 => {
                state.progress.done = state.progress.value as u32;
                ask(state, Pending::Value, free)
            }
            _ => {
                let op = RmwOp::Exchange(rounded(u64::from(state.progress.done)));
                ask(state, Pending::Next, life_request(address, op, RmwOrder::Release))
            }
        }
    }
}

fn life_request(address: u64, op: RmwOp, order: RmwOrder) -> Request {
    Request::Rmw { at: life_word(address), op, order, failure: ReadOrder::Relaxed }
}
