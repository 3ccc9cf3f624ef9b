//! Recursive and error-checking mutexes.
//!
//! The kind of a mutex is the word at offset 16, where the C library has it, so that static initialisers are
//! understood. Only the thread itself needs to know how often it owns such a mutex: taking it again and releasing it
//! other than for the last time make no event. In a module that never asks for a kind, it is that of the static
//! initialiser, and no event reads it.

use super::Usage;
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::pthread::WORD;
use crate::state::{Progress, ThreadState};
use crate::step::{Flow, refuse};
use crate::thread_data::ThreadData;
use base::Value;

/// Where the kind is.
const KIND: u64 = 16;
/// `PTHREAD_MUTEX_NORMAL`, which is the default, and the adaptive one, which differs in speed only.
const NORMAL: [Value; 2] = [0, 3];
/// `PTHREAD_MUTEX_RECURSIVE`.
const RECURSIVE: Value = 1;
/// `PTHREAD_MUTEX_ERRORCHECK`.
const ERROR_CHECKING: Value = 2;

/// `EDEADLK`: `pthread_mutex_lock` of an error-checking mutex that the thread owns.
const DEADLOCK: Value = 35;
/// `EPERM`: `pthread_mutex_unlock` of one that it does not own.
const NOT_OWNED: Value = 1;
/// The phase of an instruction that knows the kind of its mutex, in `progress.done`.
const KNOWN: u8 = 1;

/// The behaviour of a mutex towards a thread that owns it already, or does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Taking it again is a deadlock, releasing it wrongly an error.
    Normal,
    /// It can be taken again.
    Recursive,
    /// Both are answered with an error number.
    ErrorChecking,
}

impl Kind {
    fn from_number(number: Value) -> Option<Kind> {
        match number {
            RECURSIVE => Some(Kind::Recursive),
            ERROR_CHECKING => Some(Kind::ErrorChecking),
            number => NORMAL.contains(&number).then_some(Kind::Normal),
        }
    }
}

impl Machine {
    /// `pthread_mutexattr_settype`: the attributes hold nothing but the kind.
    pub(super) fn set_mutex_kind(
        &self,
        state: &mut ThreadState,
        attributes: u64,
        kind: Value,
        result: Option<Reg>,
    ) -> Flow {
        self.store_plain(state, attributes, WORD, kind)?;
        self.done(state, result, 0)
    }

    /// `pthread_mutex_init` with attributes, in phase 0.
    pub(crate) fn init_mutex_with(&self, state: &mut ThreadState, mutex: u64, attributes: u64) -> Flow {
        if !self.usage.kinds {
            return self.init_mutex(state, mutex);
        }
        if state.progress.phase == 0 && attributes != 0 {
            let kind = self.load_word(state, attributes)?;
            state.progress.value = kind;
            state.progress.phase = 1;
        }
        let kind = state.progress.value;
        self.init_mutex_of_kind(state, mutex, kind)
    }

    /// Initialise a mutex of this kind, in a phase that is not 2.
    pub(super) fn init_mutex_of_kind(&self, state: &mut ThreadState, mutex: u64, kind: Value) -> Flow {
        if state.progress.phase != 2 {
            self.init_mutex(state, mutex)?;
            if !self.usage.kinds {
                return Flow::Continue(());
            }
            state.progress.phase = 2;
            state.progress.value = kind;
        }
        let kind = state.progress.value;
        self.store_plain(state, mutex.wrapping_add(KIND), WORD, kind)
    }

    /// `pthread_mutex_lock`.
    pub(crate) fn lock(&self, state: &mut ThreadState, mutex: u64, result: Option<Reg>) -> Flow {
        let kind = self.mutex_kind(state, mutex)?;
        match (self.owns(state, mutex), kind) {
            (_, Kind::Normal) => self.lock_plain(state, mutex, result),
            (1.., Kind::ErrorChecking) => self.done(state, result, DEADLOCK),
            (times, _) => {
                state.memory.private_mut().data.set_owns(mutex, times + 1);
                if times == 0 { self.lock_plain(state, mutex, result) } else { self.done(state, result, 0) }
            }
        }
    }

    /// `pthread_mutex_unlock`.
    pub(crate) fn unlock(&self, state: &mut ThreadState, mutex: u64, result: Option<Reg>) -> Flow {
        let kind = self.mutex_kind(state, mutex)?;
        match (self.owns(state, mutex), kind) {
            (_, Kind::Normal) => self.unlock_plain(state, mutex, result),
            (0, _) => self.done(state, result, NOT_OWNED),
            (times, _) => {
                state.memory.private_mut().data.set_owns(mutex, times - 1);
                if times == 1 { self.unlock_plain(state, mutex, result) } else { self.done(state, result, 0) }
            }
        }
    }

    /// `pthread_mutex_trylock`. If the mutex is taken, the call returns `busy`.
    pub(crate) fn try_lock(
        &self,
        state: &mut ThreadState,
        mutex: u64,
        result: Option<Reg>,
        busy: Value,
    ) -> Flow {
        let kind = self.mutex_kind(state, mutex)?;
        let times = if kind == Kind::Normal { 0 } else { self.owns(state, mutex) };
        let free = match (times, kind) {
            (1.., Kind::Recursive) => true,
            (1.., _) => false,
            (0, _) => self.take(state, mutex, KNOWN)?,
        };
        if free && kind != Kind::Normal {
            state.memory.private_mut().data.set_owns(mutex, times + 1);
        }
        self.done(state, result, if free { 0 } else { busy })
    }

    /// How often the thread owns a mutex that is counted.
    fn owns(&self, state: &ThreadState, mutex: u64) -> u32 {
        self.data(state).map_or(0, |data| data.owns(mutex))
    }

    /// The kind of a mutex, found out in phase 0 and kept while the instruction goes on.
    fn mutex_kind(&self, state: &mut ThreadState, mutex: u64) -> Flow<Kind> {
        if state.progress.phase == 0 {
            let number = match self.usage {
                Usage { kinds: false, .. } => self.globals.read(mutex.wrapping_add(KIND), WORD).unwrap_or(0),
                _ => self.load_word(state, mutex.wrapping_add(KIND))?,
            };
            state.progress = Progress { phase: KNOWN, done: number as u32, value: 0 };
        }
        let number = Value::from(state.progress.done);
        match Kind::from_number(number) {
            Some(kind) => Flow::Continue(kind),
            None => refuse(format!("a mutex of kind {number} is not modelled")),
        }
    }

    /// The C library's data about the thread, if there is any.
    pub(crate) fn data<'a>(&self, state: &'a ThreadState) -> Option<&'a ThreadData> {
        state.memory.private.as_ref().map(|private| &private.data)
    }
}
