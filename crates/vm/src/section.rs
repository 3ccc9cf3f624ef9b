//! Atomic sections: `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end`, and functions that are sections.
//!
//! A section is no more than a note in the state of its thread (`Program::section`), and the mutexes that
//! `program::SectionOrder` says, which it takes at its begin and gives back at its end. As long as there is one thread
//! only, it takes none. A function that is a section may be called in a section, and is a part of it then.
//!
//! Not modelled: a section that begins in a section, or that its thread never ends; creating a thread, waiting for one,
//! locks and other ways to wait in a section.

use crate::access::{Purpose, Reach};
use crate::builtin::Builtin;
use crate::bytecode::{Constant, Module, Op, Reg};
use crate::machine::Machine;
use crate::pthread::{WORD, word};
use crate::state::{Pending, ThreadState};
use crate::step::{Flow, ask, fault, refuse};
use crate::system::SystemCall;
use program::{FaultKind, Program, Refusal, Request, Section, SectionOrder};

/// How many mutexes there may be.
const MUTEXES: usize = 256;

/// The size of the variable that holds the mutexes, if there are sections at all.
pub(crate) const SIZE: u64 = MUTEXES as u64 * WORD as u64;

/// The section that a thread is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Inside {
    section: Section,
    /// How many functions that are sections themselves the thread is in, inside this section.
    functions: u32,
}

/// Whether the module has any atomic section.
pub(crate) fn has_sections(module: &Module) -> bool {
    let begins =
        |op: &Op| matches!(op, Op::Builtin { builtin: Builtin::AtomicBegin | Builtin::AtomicEnter, .. });
    let is_begin = |name: &String| Builtin::from_symbol(name) == Some(Builtin::AtomicBegin);
    module.functions.iter().any(|function| {
        let mut names = function.constants.iter().filter_map(|constant| match constant {
            Constant::External(text) => Some(&function.texts[usize::from(*text)]),
            _ => None,
        });
        function.code.iter().any(begins) || names.any(is_begin)
    })
}

impl Machine {
    /// `__VERIFIER_atomic_begin`.
    pub(crate) fn begin_section(&self, state: &mut ThreadState, result: Option<Reg>) -> Flow {
        if state.section.is_some() {
            return refuse("an atomic section that begins in an atomic section");
        }
        let site = self.site(state);
        let taken = usize::from(state.progress.phase);
        if let Some(&mutex) = self.sections.mutexes((state.thread(), site)).get(taken)
            && self.is_shared_section(state)?
        {
            return ask(state, Pending::Value, Request::Lock { at: word(self.section_mutex(mutex)) });
        }
        let section = Section { site, instance: state.memory.events };
        state.section = Some(Inside { section, functions: 0 });
        self.done(state, result, 0)
    }

    /// `__VERIFIER_atomic_end`.
    pub(crate) fn end_section(&self, state: &mut ThreadState, result: Option<Reg>) -> Flow {
        let Some(Inside { section, functions }) = state.section else {
            return fault(FaultKind::UnlockNotOwned, "end of an atomic section that has not begun");
        };
        if functions > 0 {
            return refuse("an atomic section that ends in a function that is a part of it");
        }
        let given_back = usize::from(state.progress.phase);
        let mutexes = self.sections.mutexes((state.thread(), section.site));
        if let Some(&mutex) = mutexes.iter().rev().nth(given_back)
            && self.is_shared_section(state)?
        {
            return ask(state, Pending::Value, Request::Unlock { at: word(self.section_mutex(mutex)) });
        }
        state.section = None;
        self.done(state, result, 0)
    }

    /// A function that is a section begins.
    pub(crate) fn enter_section(&self, state: &mut ThreadState, result: Option<Reg>) -> Flow {
        match &mut state.section {
            None => self.begin_section(state, result),
            Some(inside) => {
                inside.functions += 1;
                self.done(state, result, 0)
            }
        }
    }

    /// A function that is a section returns.
    pub(crate) fn leave_section(&self, state: &mut ThreadState, result: Option<Reg>) -> Flow {
        match &mut state.section {
            Some(inside) if inside.functions > 0 => {
                inside.functions -= 1;
                self.done(state, result, 0)
            }
            _ => self.end_section(state, result),
        }
    }

    fn section_mutex(&self, number: u32) -> u64 {
        self.atomic_mutex + u64::from(number) * u64::from(WORD)
    }

    /// Whether there is another thread that a section could exclude.
    fn is_shared_section(&self, state: &ThreadState) -> Flow<bool> {
        let reach = self.reach(state, self.atomic_mutex, u64::from(WORD), Purpose::Write)?;
        Flow::Continue(reach == Reach::Shared)
    }

    /// Refuse a call that has no meaning in a section, if the thread is in one.
    pub(crate) fn check_inside(&self, state: &ThreadState, builtin: Builtin) -> Flow {
        let waits = matches!(
            builtin,
            Builtin::MutexLock
                | Builtin::PthreadJoin
                | Builtin::PthreadCreate
                | Builtin::Sync(_)
                | Builtin::System(SystemCall::Syscall | SystemCall::TryJoin | SystemCall::TimedJoin)
        );
        if waits && state.section.is_some() {
            return refuse("a call in an atomic section that creates a thread, or may wait for others");
        }
        Flow::Continue(())
    }

    /// Refuse a thread that is about to end in a section.
    pub(crate) fn check_outside(&self, state: &ThreadState) -> Flow {
        match state.section {
            None => Flow::Continue(()),
            Some(_) => refuse("a thread that ends in an atomic section"),
        }
    }

    /// The section that the pending request is in. Giving its mutexes back is not in it.
    pub(crate) fn section_of(&self, state: &ThreadState) -> Option<Section> {
        let inside = state.section?;
        let ends =
            |op: &Op| matches!(op, Op::Builtin { builtin: Builtin::AtomicEnd | Builtin::AtomicLeave, .. });
        let at = self.function(state).code.get(state.pc as usize);
        let gives_back = matches!(state.pending, Pending::Value) && at.is_some_and(ends);
        (!gives_back).then_some(inside.section)
    }

    /// Let sections take the mutexes that `order` names.
    pub(crate) fn order_sections(&mut self, order: SectionOrder) -> Result<(), Refusal> {
        if order.len() > MUTEXES {
            let message = format!("atomic sections that conflict in more than {MUTEXES} ways");
            return Err(Refusal::new(message, None));
        }
        self.sections = order;
        Ok(())
    }
}
