//! The state of one thread, made to be cloned: the engine does so at every choice that is new to it.
//!
//! The registers of the running function are in the state itself; its callers are an immutable list that all copies
//! share; so is private memory, which most worker threads do not have. A clone is then one copy of some 200 bytes
//! and at most two reference counts.

use crate::bytecode::Reg;
use crate::memory::Memory;
use crate::registers::Registers;
use crate::section::Inside;
use crate::spin::Visits;
use base::{ThreadId, Value};
use std::sync::Arc;

/// The position of a function that is entered without having been called: before its first instruction.
pub(crate) const BEFORE_START: u32 = u32::MAX;

/// Set in the position of a caller: it runs the instruction again when the function returns, and wants no result.
pub(crate) const RUN_AGAIN: u32 = 1 << 31;

/// The use that a thread makes of the answer to its request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pending {
    /// Nothing: run the instruction (again).
    Run,
    /// Nothing: go on with the next instruction.
    Next,
    /// Keep it in the register and go on with the next instruction.
    Register(Reg),
    /// A compare-exchange: the instruction says how to use it.
    CompareExchange,
    /// Another read-modify-write: the instruction says how to use it.
    Rmw,
    /// Keep it as the instruction's value, which is its next phase.
    Value,
    /// Append it to the instruction's value as one more byte, which is its next phase.
    Byte,
    /// The next bytes, that many, of a load that is made in pieces.
    LoadPart(u8),
    /// That many more bytes are done of a store that is made in pieces, or of reads whose values do not matter.
    StorePart(u8),
    /// That many more bytes were copied; the instruction is in its first phase again.
    CopyPart(u8),
    /// The next bytes, that many, of the newest heap object, which an older one is copied to.
    NewestPart(u8),
    /// There is no room for so many threads.
    TooManyThreads,
    /// Nothing: this is a copy of the thread that only looks ahead (`weak.rs`).
    LooksAhead,
    /// Nothing: this is a copy of the thread that only runs to the header of a loop (`spin/carried.rs`).
    SeeksHead,
}

/// How far an instruction is that makes more than one request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Progress {
    /// Its phase, with a meaning that each instruction defines.
    pub(crate) phase: u8,
    /// How many bytes are done.
    pub(crate) done: u32,
    /// The value read so far.
    pub(crate) value: Value,
}

/// The state of one thread.
#[derive(Debug)]
pub struct ThreadState {
    pub(crate) registers: Registers,
    pub(crate) memory: Memory,
    pub(crate) callers: Option<Arc<Frame>>,
    /// How many callers there are.
    pub(crate) depth: u32,
    /// The function that runs.
    pub(crate) function: u32,
    /// The instruction that is next or that the pending request is from.
    pub(crate) pc: u32,
    pub(crate) pending: Pending,
    pub(crate) progress: Progress,
    /// How often it has been told something that others decide, if rounds are counted.
    pub(crate) told: u32,
    /// Its record of the loops and waits that it is in.
    pub(crate) visits: Visits,
    /// The atomic section that it is in.
    pub(crate) section: Option<Inside>,
}

impl Clone for ThreadState {
    #[inline]
    fn clone(&self) -> ThreadState {
        ThreadState {
            registers: self.registers.clone(),
            memory: self.memory.clone(),
            callers: self.callers.clone(),
            visits: self.visits.clone(),
            ..*self
        }
    }

    #[inline]
    fn clone_from(&mut self, from: &ThreadState) {
        self.registers.clone_from(&from.registers);
        self.memory.clone_from(&from.memory);
        share(&mut self.callers, &from.callers);
        self.depth = from.depth;
        self.function = from.function;
        self.pc = from.pc;
        self.pending = from.pending;
        self.progress = from.progress;
        self.told = from.told;
        self.visits.clone_from(&from.visits);
        self.section = from.section;
    }
}

/// Make the two the same. They often are, and then no count is touched.
#[inline(always)]
pub(crate) fn share<T>(to: &mut Option<Arc<T>>, from: &Option<Arc<T>>) {
    if to.as_ref().map(Arc::as_ptr) != from.as_ref().map(Arc::as_ptr) {
        to.clone_from(from);
    }
}

impl ThreadState {
    /// A thread before the first instruction of a function with that many registers.
    pub(crate) fn new(thread: ThreadId, function: u32, registers: u16) -> ThreadState {
        ThreadState {
            registers: Registers::new(registers),
            memory: Memory::new(thread),
            callers: None,
            depth: 0,
            function,
            pc: 0,
            pending: Pending::Run,
            progress: Progress::default(),
            told: 0,
            visits: Visits::default(),
            section: None,
        }
    }

    /// The thread that it belongs to.
    pub fn thread(&self) -> ThreadId {
        self.memory.thread
    }

    /// The instruction is done; its result, if it has one, goes to `result`.
    #[inline]
    pub(crate) fn finish(&mut self, result: Option<Reg>, value: Value) {
        if let Some(Reg(register)) = result {
            self.registers[usize::from(register)] = value;
        }
        self.progress = Progress::default();
        self.pc += 1;
    }

    /// Suspend the running function and begin another one, with all registers 0.
    pub(crate) fn enter(&mut self, function: u32, registers: u16) {
        let fresh = Registers::new(registers);
        let frame = Frame {
            registers: std::mem::replace(&mut self.registers, fresh),
            caller: self.callers.take(),
            function: self.function,
            pc: self.pc,
            frame_base: self.memory.enter(),
        };
        self.callers = Some(Arc::new(frame));
        self.depth += 1;
        self.function = function;
        self.pc = 0;
    }

    /// Go on with another function instead of the running one and all its callers, whose local variables live on.
    pub(crate) fn replace(&mut self, function: u32, registers: u16) {
        self.registers = Registers::new(registers);
        self.memory.enter();
        self.callers = None;
        self.depth = 0;
        self.function = function;
        self.pc = 0;
        self.progress = Progress::default();
    }

    /// The function that the thread will return from last.
    pub(crate) fn first_function(&self) -> u32 {
        self.callers().last().map_or(self.function, |frame| frame.function)
    }

    /// The functions that wait for the running one, the nearest first.
    /// The registers of the running function and of its callers.
    pub(crate) fn all_registers(&self) -> impl Iterator<Item = Value> + '_ {
        let callers = self.callers().flat_map(|frame| frame.registers.iter().copied());
        self.registers.iter().copied().chain(callers)
    }

    /// The functions that wait for this one, the last one first.
    pub(crate) fn callers(&self) -> impl Iterator<Item = &Frame> {
        std::iter::successors(self.callers.as_deref(), |frame| frame.caller.as_deref())
    }

    /// End the running function and restore its caller, at the instruction that called. `false`: it has none.
    pub(crate) fn leave(&mut self) -> bool {
        let Some(frame) = self.callers.take() else { return false };
        self.function = frame.function;
        self.pc = frame.pc;
        self.memory.leave(frame.frame_base);
        self.depth -= 1;
        match Arc::try_unwrap(frame) {
            Ok(mut frame) => {
                self.registers = std::mem::replace(&mut frame.registers, Registers::new(0));
                self.callers = frame.caller.take();
            }
            Err(frame) => {
                self.registers.clone_from(&frame.registers);
                self.callers = frame.caller.clone();
            }
        }
        true
    }
}

/// A function that waits for another one to return.
#[derive(Debug)]
pub(crate) struct Frame {
    registers: Registers,
    caller: Option<Arc<Frame>>,
    pub(crate) function: u32,
    /// The call, or [`BEFORE_START`].
    pub(crate) pc: u32,
    /// Where its local variables start.
    pub(crate) frame_base: u32,
}

impl Frame {
    /// The function that waits for this one.
    pub(crate) fn caller(&self) -> Option<&Frame> {
        self.caller.as_deref()
    }

    /// Whether these callers and theirs are the same.
    pub(crate) fn is_same(mut a: Option<&Arc<Frame>>, mut b: Option<&Arc<Frame>>) -> bool {
        while let (Some(one), Some(other)) = (a, b) {
            if Arc::ptr_eq(one, other) {
                return true;
            }
            let place = |frame: &Frame| (frame.function, frame.pc, frame.frame_base);
            if place(one) != place(other) || one.registers[..] != other.registers[..] {
                return false;
            }
            (a, b) = (one.caller.as_ref(), other.caller.as_ref());
        }
        a.is_none() && b.is_none()
    }
}

impl Drop for Frame {
    /// One after the other: the default would recurse as deeply as the program did.
    fn drop(&mut self) {
        let mut next = self.caller.take();
        while let Some(mut frame) = next.and_then(Arc::into_inner) {
            next = frame.caller.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_its_callers_when_the_original_returns() {
        let mut state = ThreadState::new(ThreadId(1), 0, 2);
        state.registers[0] = 7;
        state.enter(1, 20);
        state.registers[19] = 9;
        let mut copy = state.clone();
        assert!(state.leave());
        assert_eq!((&state.registers[..2], state.function, state.depth), (&[7, 0][..], 0, 0));
        state.registers[0] = 8;
        assert_eq!(copy.registers[19], 9);
        assert!(copy.leave() && !copy.leave());
        assert_eq!(copy.registers[0], 7);
    }

    #[test]
    fn a_deep_call_stack_is_dropped_without_recursion() {
        let mut state = ThreadState::new(ThreadId(0), 0, 1);
        for _ in 0..1_000_000 {
            state.enter(0, 1);
        }
        drop(state.clone());
        drop(state);
    }
}
