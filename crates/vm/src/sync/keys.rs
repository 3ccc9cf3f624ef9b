//! Thread-specific values: `pthread_key_create` and its kin, `tss_*`.
//!
//! The values of a thread are part of its state: no other thread can see them. A key itself encodes the thread that
//! created it, which of that thread's keys it is, and its destructor, so that no memory is shared for that. Only
//! whether a key was deleted is a flag that other threads read, in programs that delete keys.
//!
//! When a thread ends other than by the end of the program, each of its values that is not null and whose key has a
//! destructor is set to null and given to the destructor, in the order of the keys; that is repeated while there are
//! such values, [`ROUNDS`] times at most, as POSIX has it.
//! Not modelled: destructors without a body other than `free`; deletion of a key that another thread than `main`
//! created.

use crate::address::Code;
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask, refuse};
use crate::thread_data::Exit;
use base::{Access, ReadOrder, Value, WriteOrder};
use program::Request;

/// `PTHREAD_DESTRUCTOR_ITERATIONS`.
const ROUNDS: u32 = 4;
/// How many keys a thread can create.
const KEYS: u32 = 128;
/// The destructor is `free`.
const FREE: u32 = 0xffff;

/// The contents of a key: 16 bits for the destructor (0: none, otherwise a function's number plus 1), 8 for the thread
/// that created it, 7 for which of its keys it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key {
    destructor: u32,
    creator: u32,
    number: u32,
}

impl Key {
    fn pack(self) -> Value {
        Value::from(self.destructor | self.creator << 16 | self.number << 24)
    }

    fn unpack(key: u32) -> Key {
        Key { destructor: key & 0xffff, creator: key >> 16 & 0xff, number: key >> 24 }
    }
}

impl Machine {
    /// `pthread_key_create(key, destructor)`.
    pub(super) fn create_key(
        &self,
        state: &mut ThreadState,
        key: u64,
        destructor: Value,
        result: Option<Reg>,
    ) -> Flow {
        let destructor = match self.code_at(destructor) {
            _ if destructor == 0 => 0,
            Some(Code::Function(function)) if function + 1 < FREE => function + 1,
            Some(Code::External(external)) if self.externals[external as usize] == "free" => FREE,
            _ => return refuse("the destructor of a key that has no body is not modelled"),
        };
        let (creator, number) = (state.thread().0, self.data(state).map_or(0, |data| data.created_keys));
        if creator > 0xff || number >= KEYS {
            return refuse("so many keys are not modelled");
        }
        self.store_plain(state, key, 4, Key { destructor, creator, number }.pack())?;
        state.memory.private_mut().data.created_keys += 1;
        self.done(state, result, 0)
    }

    /// `pthread_key_delete(key)`.
    pub(super) fn delete_key(&self, state: &mut ThreadState, key: Value, result: Option<Reg>) -> Flow {
        let key = Key::unpack(key as u32);
        if key.creator != 0 {
            return refuse("deletion of a key that another thread than `main` created is not modelled");
        }
        if let Some(Reg(register)) = result {
            state.registers[usize::from(register)] = 0;
        }
        self.store(state, self.deleted_keys + u64::from(key.number), 1, 1, WriteOrder::Relaxed)
    }

    /// The thread ends with this value, after the destructors of its keys.
    pub(crate) fn end_thread(&self, state: &mut ThreadState, value: Value) -> Flow {
        let Some(data) = self.data(state).filter(|data| !data.keys.is_empty() || data.exit.is_some()) else {
            return self.finish_thread(state, value);
        };
        let exit = data.exit.unwrap_or(Exit { value, rounds: 0, next: 0 });
        let has_destructor = |&&(key, _): &&(u32, Value)| Key::unpack(key).destructor != 0;
        let mut keys = data.keys.iter().filter(has_destructor);
        if let Some(&(key, value)) = keys.clone().find(|&&(key, _)| key >= exit.next) {
            if self.is_deleted(state, Key::unpack(key))? {
                let data = &mut state.memory.private_mut().data;
                data.exit = Some(Exit { next: key + 1, ..exit });
                data.set_key(key, 0);
                state.progress = Progress::default();
                return Flow::Continue(());
            }
            return self.run_key_destructor(state, key, value, exit);
        }
        if keys.next().is_some() && exit.rounds + 1 < ROUNDS {
            let again = Exit { rounds: exit.rounds + 1, next: 0, ..exit };
            state.memory.private_mut().data.exit = Some(again);
            return Flow::Continue(());
        }
        self.finish_thread(state, exit.value)
    }

    fn run_key_destructor(&self, state: &mut ThreadState, key: u32, value: Value, exit: Exit) -> Flow {
        let destructor = Key::unpack(key).destructor;
        let data = &mut state.memory.private_mut().data;
        data.exit = Some(Exit { next: key + 1, ..exit });
        data.set_key(key, 0);
        state.progress = Progress::default();
        if destructor == FREE {
            let freed = self.free(state, value);
            // Afterwards it goes on here, not with the next instruction.
            state.pending = Pending::Run;
            return freed;
        }
        self.call_and_run_again(state, Code::Function(destructor - 1).address(), Some(value))
    }

    /// Whether the key was deleted. In phase 0 that is asked.
    fn is_deleted(&self, state: &mut ThreadState, key: Key) -> Flow<bool> {
        if self.deleted_keys == 0 || key.creator != 0 {
            return Flow::Continue(false);
        }
        if state.progress.phase == 1 {
            return Flow::Continue(state.progress.value != 0);
        }
        let at = Access { address: self.deleted_keys + u64::from(key.number), size: 1 };
        ask(state, Pending::Value, Request::Read { at, order: ReadOrder::Relaxed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_says_what_it_was_created_with() {
        let key = Key { destructor: 0xfffe, creator: 0xff, number: KEYS - 1 };
        assert_eq!(Key::unpack(key.pack() as u32), key);
    }
}
