//! Loads, stores and read-modify-writes: private memory is accessed here, shared memory is asked for.
//!
//! A plain access to shared memory is made in pieces where `layout` says so. Before a pointer to private memory is
//! stored into shared memory, the object that it points to is published (`escape`).

use crate::address::Region;
use crate::bytecode::{Op, Reg, RmwKind};
use crate::machine::Machine;
use crate::private::{Life, PrivateObject, Slot};
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, NO_RESULT, ask, fault, fault_near, refuse};
use base::{Access, ReadOrder, RmwOrder, Value, WriteOrder, truncate};
use program::{FaultKind, Hint, Program, Request, RmwOp, Storage};

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// To private memory, at this offset.
    Private(Slot, usize),
    /// To a constant.
    Constant,
    /// To memory that the engine knows of.
    Shared,
}

/// Whether an access changes memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// It only reads.
    Read,
    /// It may write.
    Write,
}

/// An operation of the bytecode with its operand.
pub(crate) fn rmw_op(kind: RmwKind, value: Value) -> RmwOp {
    match kind {
        RmwKind::Exchange | RmwKind::Replace => RmwOp::Exchange(value),
        RmwKind::Add => RmwOp::Add(value),
        RmwKind::Sub => RmwOp::Sub(value),
        RmwKind::And => RmwOp::And(value),
        RmwKind::Or => RmwOp::Or(value),
        RmwKind::Xor => RmwOp::Xor(value),
        RmwKind::Nand => RmwOp::Nand(value),
        RmwKind::Max => RmwOp::Max(value),
        RmwKind::Min => RmwOp::Min(value),
        RmwKind::UMax => RmwOp::UMax(value),
        RmwKind::UMin => RmwOp::UMin(value),
    }
}

fn defined(value: Option<Value>) -> Flow<Value> {
    match value {
        Some(value) => Flow::Continue(value),
        None => fault(FaultKind::UninitialisedRead, "read of uninitialised memory"),
    }
}

impl Machine {
    /// Where an access of `size` bytes goes; a fault if the access is certainly wrong.
    pub(crate) fn reach(
        &self,
        state: &ThreadState,
        address: u64,
        size: u64,
        purpose: Purpose,
    ) -> Flow<Reach> {
        match Region::of(address) {
            Region::Null if address == 0 => fault(FaultKind::InvalidAccess, "null pointer access"),
            Region::Null => {
                fault(FaultKind::InvalidAccess, format!("null pointer access (address {address:#x})"))
            }
            Region::Code => fault(FaultKind::InvalidAccess, "access to the code of a function as data"),
            Region::Nowhere => {
                fault(FaultKind::InvalidAccess, format!("access to {address:#x}, which is no address"))
            }
            Region::Constants => self.reach_constant(address, size, purpose),
            Region::Globals if !state.memory.has_globals() => Flow::Continue(Reach::Shared),
            Region::Globals => match state.memory.find(&self.globals, address, size) {
                Some((slot, offset)) => Flow::Continue(Reach::Private(slot, offset)),
                None => self.outside_global(address, size),
            },
            Region::Stack(thread) | Region::Heap(thread) if thread != state.thread() => {
                Flow::Continue(Reach::Shared)
            }
            Region::Stack(_) | Region::Heap(_) => self.reach_own(state, address, size),
        }
    }

    fn reach_constant(&self, address: u64, size: u64, purpose: Purpose) -> Flow<Reach> {
        match self.const_globals.covering(address, size) {
            Some(object) if object.refusal.is_some() => refuse(object.refusal.clone().unwrap_or_default()),
            Some(object) if purpose == Purpose::Write => {
                fault(FaultKind::InvalidAccess, format!("write to `{}`, which is constant", object.name))
            }
            Some(_) => Flow::Continue(Reach::Constant),
            None => self.outside_global(address, size),
        }
    }

    fn outside_global<T>(&self, address: u64, size: u64) -> Flow<T> {
        let statics =
            if Region::of(address) == Region::Constants { &self.const_globals } else { &self.globals };
        let message = match statics.nearest(address) {
            Some(object) => {
                let what = format!("`{}`, which has {} bytes", object.name, object.size);
                format!("{size} bytes at offset {} of {what}", address - object.address)
            }
            None => format!("access to {address:#x}, where there is no object"),
        };
        fault(FaultKind::InvalidAccess, message)
    }

    /// The thread's own regions: memory that no private object covers may have been published, which the engine knows.
    fn reach_own(&self, state: &ThreadState, address: u64, size: u64) -> Flow<Reach> {
        if let Some((slot, offset)) = state.memory.find(&self.globals, address, size) {
            return Flow::Continue(Reach::Private(slot, offset));
        }
        let near = state.memory.private.as_ref().and_then(|private| private.near(state.thread(), address));
        if let Some(object) = near {
            return self.wrong_access(state, object, address, size);
        }
        match Region::of(address) {
            Region::Stack(_) if state.memory.is_above_stack(address) => fault(
                FaultKind::UseAfterFree,
                format!(
                    "access to {} after its function has returned",
                    self.named(state, "a local variable")
                ),
            ),
            Region::Heap(_) if state.memory.is_above_heap(address) => {
                fault(FaultKind::InvalidAccess, format!("access to {address:#x}, where there is no object"))
            }
            _ => Flow::Continue(Reach::Shared),
        }
    }

    fn wrong_access<T>(
        &self,
        state: &ThreadState,
        object: &PrivateObject,
        address: u64,
        size: u64,
    ) -> Flow<T> {
        let offset = address - object.address;
        match object.life {
            Life::Freed(site) if offset < object.size => {
                let (otherwise, end) = match object.storage {
                    Storage::Stack => ("a local variable", "its block has ended"),
                    Storage::Static | Storage::Heap => ("a heap object", "it was freed"),
                };
                let message = format!("access to {} after {end}", self.named(state, otherwise));
                fault_near(FaultKind::UseAfterFree, message, Some(site))
            }
            _ => {
                let kind = match object.storage {
                    Storage::Static => "variable",
                    Storage::Heap => "heap object",
                    Storage::Stack => "local variable",
                };
                let message = format!("{size} bytes at offset {offset} of a {}-byte {kind}", object.size);
                fault(FaultKind::InvalidAccess, message)
            }
        }
    }

    /// The object that the pending instruction accesses, as the user names it.
    fn named(&self, state: &ThreadState, otherwise: &str) -> String {
        let operand = self.site_info(self.site(state)).map_or("", |info| &info.operand);
        if operand.is_empty() { otherwise.to_owned() } else { format!("`{operand}`") }
    }

    /// A value of private memory or of a constant; a fault if it was never written.
    pub(crate) fn read_own(&self, state: &ThreadState, reach: Reach, address: u64, size: u8) -> Flow<Value> {
        defined(self.own_value(state, reach, address, size))
    }

    /// A value of private memory or of a constant; `None` if it was never written.
    pub(crate) fn own_value(
        &self,
        state: &ThreadState,
        reach: Reach,
        address: u64,
        size: u8,
    ) -> Option<Value> {
        match reach {
            Reach::Private(slot, offset) => {
                state.memory.private.as_ref().and_then(|private| private.contents(slot).read(offset, size))
            }
            Reach::Constant => self.const_globals.read(address, size),
            Reach::Shared => unreachable!("shared memory is asked for"),
        }
    }

    /// `Op::Load`.
    pub(crate) fn load(&self, state: &mut ThreadState, op: Op) -> Flow {
        let Op::Load { size, order, partial, dst, address } = op else { unreachable!("called for a load") };
        let address = self.get(state, address);
        let reach = self.reach(state, address, u64::from(size), Purpose::Read)?;
        if reach != Reach::Shared {
            let value = match self.own_value(state, reach, address, size) {
                None if partial => 0,
                value => defined(value)?,
            };
            return self.done(state, Some(dst), value);
        }
        let at = Access { address, size };
        if order != ReadOrder::NotAtomic {
            return ask(state, Pending::Register(dst), Request::Read { at, order });
        }
        let done = state.progress.done as u8;
        let rest = Access { address: address + u64::from(done), size: size - done };
        if rest.size == 0 {
            let value = state.progress.value;
            return self.done(state, Some(dst), value);
        }
        match self.layout.piece(rest.address, rest.size) {
            piece if piece == size => ask(state, Pending::Register(dst), Request::Read { at, order }),
            piece => {
                let at = Access { size: piece, ..rest };
                ask(state, Pending::LoadPart(piece), Request::Read { at, order })
            }
        }
    }

    /// The value that the running function is about to return, which is in a local variable of its own. A function that
    /// has come to its end without a `return` has none: a fault only if its caller uses the result.
    pub(crate) fn returned_value(&self, state: &ThreadState, address: u64, size: u8) -> Flow<Value> {
        let reach = self.reach(state, address, u64::from(size), Purpose::Read)?;
        if matches!(reach, Reach::Shared) {
            return refuse("a result that is in memory of other threads is not modelled");
        }
        match self.own_value(state, reach, address, size) {
            None if !self.is_result_wanted(state) => Flow::Continue(NO_RESULT),
            None => {
                fault(FaultKind::UninitialisedRead, "the result of a function that has returned none is used")
            }
            Some(value) => Flow::Continue(value),
        }
    }

    /// `Op::Store`.
    pub(crate) fn store(
        &self,
        state: &mut ThreadState,
        address: u64,
        size: u8,
        value: Value,
        order: WriteOrder,
    ) -> Flow {
        if order == WriteOrder::NotAtomic {
            self.store_plain(state, address, size, value)?;
            return self.done(state, None, 0);
        }
        match self.reach(state, address, u64::from(size), Purpose::Write)? {
            Reach::Shared => {
                self.escape_word(state, value, size)?;
                let at = Access { address, size };
                ask(state, Pending::Next, Request::Write { at, value: truncate(value, size), order })
            }
            reach => {
                self.publish_before_atomic(state, address)?;
                self.write_own(state, reach, size, value);
                self.done(state, None, 0)
            }
        }
    }

    /// An atomic write is about to change private memory. Of several such writes, other threads may see an older one,
    /// even once they have got the address: these writes must be events. Before the first thread is created there are
    /// no other threads, and all that comes later happens after.
    fn publish_before_atomic(&self, state: &mut ThreadState, address: u64) -> Flow {
        if state.memory.has_globals() { Flow::Continue(()) } else { self.escape(state, address) }
    }

    /// A plain store, as a part of an instruction that is then not done yet; `progress.done` counts its bytes and
    /// is 0 again at the end.
    pub(crate) fn store_plain(&self, state: &mut ThreadState, address: u64, size: u8, value: Value) -> Flow {
        let reach = self.reach(state, address, u64::from(size), Purpose::Write)?;
        if reach != Reach::Shared {
            self.write_own(state, reach, size, value);
            return Flow::Continue(());
        }
        let done = state.progress.done as u8;
        if done == size {
            state.progress.done = 0;
            return Flow::Continue(());
        }
        if done == 0 {
            self.escape_word(state, value, size)?;
        }
        let address = address + u64::from(done);
        let piece = self.layout.piece(address, size - done);
        let request = Request::Write {
            at: Access { address, size: piece },
            value: truncate(value >> (8 * done), piece),
            order: WriteOrder::NotAtomic,
        };
        ask(state, Pending::StorePart(piece), request)
    }

    /// Write private memory.
    pub(crate) fn write_own(&self, state: &mut ThreadState, reach: Reach, size: u8, value: Value) {
        let Reach::Private(slot, offset) = reach else { unreachable!("constants are not written") };
        state.memory.contents_mut(slot).write(offset, size, value);
    }

    /// `Op::Rmw`.
    pub(crate) fn rmw(
        &self,
        state: &mut ThreadState,
        dst: Reg,
        address: u64,
        size: u8,
        op: RmwOp,
        order: RmwOrder,
    ) -> Flow {
        match self.rmw_private(state, address, size, op)? {
            Some(old) => self.done(state, Some(dst), old),
            None => self.ask_rmw(state, Pending::Rmw, Access { address, size }, op, order, order.read()),
        }
    }

    /// Do the read-modify-write in private memory, or do nothing and answer `None` if the memory is shared.
    pub(crate) fn rmw_private(
        &self,
        state: &mut ThreadState,
        address: u64,
        size: u8,
        op: RmwOp,
    ) -> Flow<Option<Value>> {
        let reach = self.reach(state, address, u64::from(size), Purpose::Write)?;
        if reach == Reach::Shared {
            return Flow::Continue(None);
        }
        let old = match self.own_value(state, reach, address, size) {
            None if self.is_copy(state) => 0,
            old => defined(old)?,
        };
        if let Some(new) = op.apply(old, size) {
            self.publish_before_atomic(state, address)?;
            self.write_own(state, reach, size, new);
        }
        Flow::Continue(Some(old))
    }

    /// Ask for a read-modify-write in shared memory.
    pub(crate) fn ask_rmw(
        &self,
        state: &mut ThreadState,
        pending: Pending,
        at: Access,
        op: RmwOp,
        order: RmwOrder,
        failure: ReadOrder,
    ) -> Flow {
        let operand = match op {
            RmwOp::Exchange(v) | RmwOp::Add(v) | RmwOp::Sub(v) | RmwOp::And(v) | RmwOp::Or(v) => v,
            RmwOp::Xor(v) | RmwOp::Nand(v) | RmwOp::Max(v) | RmwOp::Min(v) => v,
            RmwOp::UMax(v) | RmwOp::UMin(v) | RmwOp::CompareExchange { new: v, .. } => v,
        };
        self.escape_word(state, operand, at.size)?;
        ask(state, pending, Request::Rmw { at, op, order, failure })
    }

    /// `Op::CompareExchange`. A weak one may fail spuriously (`weak.rs`).
    pub(crate) fn compare_exchange(&self, state: &mut ThreadState, op: Op) -> Flow {
        let Op::CompareExchange { size, order, failure, weak, address, expected, new, .. } = op else {
            unreachable!("called for a compare-exchange")
        };
        let address = self.get(state, address);
        let expected = truncate(self.get(state, expected), size);
        self.reuse.note_expected(expected);
        if weak && self.fails_spuriously(state, Access { address, size }, expected, failure)? {
            return Flow::Continue(());
        }
        let operation = RmwOp::CompareExchange { expected, new: truncate(self.get(state, new), size) };
        match self.rmw_private(state, address, size, operation)? {
            Some(old) => {
                self.compare_exchange_answered(state, old);
                Flow::Continue(())
            }
            None => {
                let at = Access { address, size };
                self.ask_rmw(state, Pending::CompareExchange, at, operation, order, failure)
            }
        }
    }

    /// The read-modify-write at `pc` has read `old`. Returns whether it has changed anything.
    #[inline]
    pub(crate) fn rmw_answered(&self, state: &mut ThreadState, old: Value) -> bool {
        let Op::Rmw { kind, size, dst, value, .. } = self.function(state).code[state.pc as usize] else {
            unreachable!("a read-modify-write was answered")
        };
        let new = rmw_op(kind, self.get(state, value)).apply(old, size);
        state.finish(Some(dst), old);
        self.is_change(old, new)
    }

    /// The compare-exchange at `pc` has read `old`. Returns whether it has changed anything.
    pub(crate) fn compare_exchange_answered(&self, state: &mut ThreadState, old: Value) -> bool {
        let Op::CompareExchange { size, dst, success, expected, new, .. } =
            self.function(state).code[state.pc as usize]
        else {
            unreachable!("a compare-exchange was answered")
        };
        let expected = truncate(self.get(state, expected), size);
        let new = truncate(self.get(state, new), size);
        self.reuse.note_comparison(old, expected);
        state.registers[usize::from(success.0)] = u64::from(old == expected);
        state.finish(Some(dst), old);
        self.is_change(old, (old == expected).then_some(new))
    }

    /// Whether other threads can observe that `new` was written over `old`. (`spin::repeat` says why not always.)
    #[inline]
    fn is_change(&self, old: Value, new: Option<Value>) -> bool {
        new.is_some_and(|new| new != old || !self.options().has_co)
    }
}
