//! Local variables: their lives inside their function, and their end with it.
//!
//! A variable that only its thread can reach ends and lives again in place. One that other threads can reach is the
//! engine's: its end is a request, and when it lives again (the next round of a loop) it is a new object at a new
//! address, which the register of its `Alloca` names from then on. Pointers to the old one dangle, as they do in C.
//!
//! Not modelled: a pointer to a private variable of the last round of a loop finds that of the current round; the end
//! of a private variable right before its function returns is left out, as it cannot be observed.

use crate::bytecode::{Op, Operand, Reg};
use crate::machine::Machine;
use crate::memory::Local;
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask, refuse};
use base::Value;
use program::{Program, Request, Storage};

/// How far to look for a return after the end of a variable's life.
const LOOK_AHEAD: usize = 16;

impl Machine {
    /// `Op::Alloca`.
    pub(crate) fn alloca(&self, state: &mut ThreadState, dst: Reg, size: Option<u64>, align: u64) -> Flow {
        let site = self.spot(state);
        let address = self.new_local(size.and_then(|size| state.memory.allocate_local(size, align, site)))?;
        self.done(state, Some(dst), address)
    }

    fn new_local(&self, address: Option<u64>) -> Flow<u64> {
        match address {
            Some(address) => Flow::Continue(address),
            None => refuse("the local variables of this thread are larger than what is modelled"),
        }
    }

    /// `Op::Lifetime`.
    pub(crate) fn lifetime(&self, state: &mut ThreadState, variable: Operand, start: bool) -> Flow {
        let address = self.get(state, variable);
        match state.memory.local(address) {
            Some(Local::Private(row)) if start => {
                let site = self.spot(state);
                state.memory.revive_local(row, site);
            }
            Some(Local::Private(_)) if self.returns_next(state) => {}
            Some(Local::Private(row)) => {
                let site = self.site(state);
                state.memory.end_private(row, site);
            }
            // A variable that starts again without having ended ends now.
            Some(Local::Published) => {
                state.memory.end_published(address);
                let pending = if start { Pending::Run } else { Pending::Next };
                return ask(state, pending, Request::Free { address, storage: Storage::Stack });
            }
            Some(Local::Ended) if start => self.replace_local(state, variable, address)?,
            Some(Local::Ended) => {}
            None => return refuse("the life of something that is no local variable is not modelled"),
        }
        self.done(state, None, 0)
    }

    /// `llvm.stackrestore`: variables of variable size end with their block.
    pub(crate) fn end_locals_since(&self, state: &mut ThreadState, mark: u64) -> Flow {
        while let Some(address) = state.memory.local_since(mark) {
            match state.memory.local(address) {
                Some(Local::Private(row)) => {
                    let site = self.site(state);
                    state.memory.end_private(row, site);
                }
                _ => {
                    state.memory.end_published(address);
                    return ask(state, Pending::Run, Request::Free { address, storage: Storage::Stack });
                }
            }
        }
        Flow::Continue(())
    }

    /// A variable that was published and has ended lives again, elsewhere.
    fn replace_local(&self, state: &mut ThreadState, variable: Operand, address: Value) -> Flow {
        let Operand::Reg(Reg(register)) = variable else {
            return refuse("a local variable that is not in a register and lives again is not modelled");
        };
        let site = self.spot(state);
        let address = self.new_local(state.memory.replace_local(address, site))?;
        state.registers[usize::from(register)] = address;
        Flow::Continue(())
    }

    /// Whether the function returns before it can access any memory. It then makes no difference that a private
    /// variable has ended, and the private memory need not be copied to note it.
    fn returns_next(&self, state: &ThreadState) -> bool {
        let code = &self.function(state).code;
        let mut pc = state.pc as usize + 1;
        for _ in 0..LOOK_AHEAD {
            pc = match code[pc] {
                Op::Return { .. } => return true,
                Op::Lifetime { start: false, .. } | Op::Move { .. } => pc + 1,
                Op::Jump(target) => target as usize,
                _ => return false,
            };
        }
        false
    }

    /// Ask for the end of the life of the published local variables of the function that ends, one by one, or of all
    /// functions of a thread that ends. Private variables just vanish.
    pub(crate) fn end_published_locals(&self, state: &mut ThreadState, all: bool) -> Flow {
        let base = if all { 0 } else { state.memory.frame_base() };
        self.end_published_locals_since(state, base)
    }

    /// The same for as many functions, the running one and those that wait for it.
    pub(crate) fn end_published_locals_of(&self, state: &mut ThreadState, functions: u32) -> Flow {
        let outer = (functions as usize).checked_sub(2).and_then(|before| state.callers().nth(before));
        let base = outer.map_or(state.memory.frame_base(), |frame| frame.frame_base);
        self.end_published_locals_since(state, base)
    }

    fn end_published_locals_since(&self, state: &mut ThreadState, base: u32) -> Flow {
        match state.memory.pop_published(base) {
            Some(address) => ask(state, Pending::Run, Request::Free { address, storage: Storage::Stack }),
            None => Flow::Continue(()),
        }
    }
}
