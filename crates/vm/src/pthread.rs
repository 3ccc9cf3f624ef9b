//! Threads and mutexes.
//!
//! A `pthread_t` is the thread's id plus 1. The first four bytes of a mutex are its word: 0 when it is free, the
//! owner's id plus 1 when it is locked, [`MUTEX_DESTROYED`] after `pthread_mutex_destroy`. A mutex that only one thread
//! can reach is locked and unlocked without a request; when it would wait for itself it is published, and the
//! engine finds the deadlock.
//!
//! Recursive and error-checking mutexes are in `sync/kinds.rs`; here is the part that they share with others.

use crate::access::{Purpose, Reach};
use crate::address::{Code, MAX_THREADS};
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, NO_RESULT, ask, fault, refuse};
use base::{Access, ReadOrder, RmwOrder, ThreadId, Value};
use program::{FaultKind, MUTEX_DESTROYED, Request, RmwOp, mutex_owner};

/// The size of a `pthread_mutex_t`.
const MUTEX_SIZE: u64 = 40;
/// The size of its word.
pub(crate) const WORD: u8 = 4;
/// `EBUSY`: `pthread_mutex_trylock` of a locked mutex.
pub(crate) const BUSY: Value = 16;

impl Machine {
    /// `pthread_create(handle, attributes, function, argument)`: first the thread, then its handle.
    pub(crate) fn create_thread(
        &self,
        state: &mut ThreadState,
        handle: u64,
        function: Value,
        argument: Value,
    ) -> Flow {
        if state.progress.phase == 0 {
            match self.code_at(function) {
                Some(Code::Function(_)) => {}
                Some(Code::External(external)) => {
                    let name = &self.externals[external as usize];
                    return refuse(format!("a thread that runs `{name}`, which has no body"));
                }
                None => {
                    return fault(
                        FaultKind::InvalidAccess,
                        "a thread that runs something that is no function",
                    );
                }
            }
            self.escape_to_thread(state, argument)?;
            return ask(state, Pending::Value, Request::Create { function, argument });
        }
        let thread = state.progress.value;
        self.store_plain(state, handle, 8, thread + 1)
    }

    /// `pthread_join(thread, value)`: in phase `first` the thread, then its result, if that is wanted.
    pub(crate) fn join_thread(
        &self,
        state: &mut ThreadState,
        thread: Value,
        value: u64,
        result: Option<Reg>,
        first: u8,
    ) -> Flow {
        if state.progress.phase == first {
            if thread == 0 || thread > MAX_THREADS {
                return fault(FaultKind::InvalidAccess, "join of a thread that does not exist");
            }
            let request = Request::Join { thread: ThreadId((thread - 1) as u32) };
            if value == 0 {
                return self.ask_for_nothing(state, result, request);
            }
            return ask(state, Pending::Value, request);
        }
        let returned = taken(state.progress.value)?;
        self.store_plain(state, value, 8, returned)?;
        self.done(state, result, 0)
    }

    /// `pthread_mutex_init`.
    pub(crate) fn init_mutex(&self, state: &mut ThreadState, mutex: u64) -> Flow {
        if let Some((slot, offset)) = state.memory.find(&self.globals, mutex, MUTEX_SIZE) {
            let contents = state.memory.contents_mut(slot);
            contents.fill(offset..offset + MUTEX_SIZE as usize, 0);
            return Flow::Continue(());
        }
        self.store_plain(state, mutex, WORD, 0)
    }

    /// `pthread_mutex_destroy`.
    pub(crate) fn destroy_mutex(&self, state: &mut ThreadState, mutex: u64) -> Flow {
        if state.progress.phase == 0 {
            match self.mutex_word(state, mutex)? {
                0 => {}
                MUTEX_DESTROYED => return destroyed("destroy"),
                word => {
                    let message = format!("destroy of a mutex that thread {} owns", word - 1);
                    return fault(FaultKind::InvalidAccess, message);
                }
            }
            state.progress = Progress { phase: 1, ..Progress::default() };
        }
        self.store_plain(state, mutex, WORD, MUTEX_DESTROYED)
    }

    /// The word of a mutex, by plain reads: the thread that destroys a mutex must be the only one to use it.
    fn mutex_word(&self, state: &mut ThreadState, mutex: u64) -> Flow<Value> {
        let reach = self.reach(state, mutex, u64::from(WORD), Purpose::Write)?;
        if reach != Reach::Shared {
            return self.read_own(state, reach, mutex, WORD);
        }
        let done = state.progress.done as u8;
        if done == WORD {
            return Flow::Continue(state.progress.value);
        }
        let address = mutex + u64::from(done);
        let at = Access { address, size: self.layout.piece(address, WORD - done) };
        ask(state, Pending::LoadPart(at.size), Request::Read { at, order: ReadOrder::NotAtomic })
    }

    /// Lock a mutex, whatever its kind.
    pub(crate) fn lock_plain(&self, state: &mut ThreadState, mutex: u64, result: Option<Reg>) -> Flow {
        let reach = self.reach(state, mutex, u64::from(WORD), Purpose::Write)?;
        if reach != Reach::Shared {
            match self.read_own(state, reach, mutex, WORD)? {
                0 => {
                    self.write_own(state, reach, WORD, mutex_owner(state.thread()));
                    return self.done(state, result, 0);
                }
                MUTEX_DESTROYED => return destroyed("lock"),
                // No other thread can unlock it. Once it is published, the engine reports this deadlock like any other.
                _ => return self.escape(state, mutex),
            }
        }
        self.ask_for_nothing(state, result, Request::Lock { at: word(mutex) })
    }

    /// Unlock a mutex, whatever its kind.
    pub(crate) fn unlock_plain(&self, state: &mut ThreadState, mutex: u64, result: Option<Reg>) -> Flow {
        let reach = self.reach(state, mutex, u64::from(WORD), Purpose::Write)?;
        if reach == Reach::Shared {
            return self.ask_for_nothing(state, result, Request::Unlock { at: word(mutex) });
        }
        match self.read_own(state, reach, mutex, WORD)? {
            word if word == mutex_owner(state.thread()) => {
                self.write_own(state, reach, WORD, 0);
                self.done(state, result, 0)
            }
            MUTEX_DESTROYED => destroyed("unlock"),
            _ => fault(FaultKind::UnlockNotOwned, "unlock of a mutex that this thread does not own"),
        }
    }

    /// The result is 0, whatever the answer.
    fn ask_for_nothing(&self, state: &mut ThreadState, result: Option<Reg>, request: Request) -> Flow {
        if let Some(Reg(register)) = result {
            state.registers[usize::from(register)] = 0;
        }
        ask(state, Pending::Next, request)
    }

    /// Try to lock a mutex, whatever its kind, by a compare-exchange of its word in phase `first`. Returns whether it
    /// was free.
    pub(crate) fn take(&self, state: &mut ThreadState, mutex: u64, first: u8) -> Flow<bool> {
        if state.progress.phase == first {
            let take = RmwOp::CompareExchange { expected: 0, new: mutex_owner(state.thread()) };
            match self.rmw_private(state, mutex, WORD, take)? {
                Some(old) => state.progress.value = old,
                None => {
                    let (order, failure) = (RmwOrder::Acquire, ReadOrder::Relaxed);
                    self.ask_rmw(state, Pending::Value, word(mutex), take, order, failure)?;
                }
            }
        }
        if state.progress.value == MUTEX_DESTROYED {
            return destroyed("lock");
        }
        let free = state.progress.value == 0;
        if state.progress.phase > first {
            state.visits.rmw_answered(free);
        }
        Flow::Continue(free)
    }
}

/// The fault of using a mutex that was destroyed, with the code and the words of the engine, which finds the other
/// cases.
fn destroyed<T>(what: &str) -> Flow<T> {
    fault(FaultKind::InvalidAccess, format!("{what} of a mutex that was destroyed"))
}

/// The result of a thread, which its join wants.
pub(crate) fn taken(result: Value) -> Flow<Value> {
    match result {
        NO_RESULT => fault(
            FaultKind::UninitialisedRead,
            "the result of a thread whose function has returned none is used",
        ),
        _ => Flow::Continue(result),
    }
}

/// The word of a mutex.
pub(crate) fn word(mutex: u64) -> Access {
    Access { address: mutex, size: WORD }
}
