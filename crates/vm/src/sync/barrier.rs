//! Barriers.
//!
//! A barrier starts with its word: its count, and, if other threads know its memory already, a number that no other
//! initialisation has ([`Machine::word_of_barrier`]), so a thread begins with the first round again where it was initialised
//! again. After it, each thread has two bytes of its own: it arrives with a release write to
//! the one of an even round or the one of an odd round, and leaves when the engine has shown it the slots of all
//! threads (`Departure`). Nothing orders the arrivals, so k threads meet in one way. The value written distinguishes a
//! round from the one before last: a thread cannot be two rounds ahead of another one.
//!
//! Which thread is the serial thread, whose call returns `PTHREAD_BARRIER_SERIAL_THREAD`, is open. A thread that looks
//! at the result, and notices it (`serial`), says so when it arrives, so all threads know which ones look: the first of
//! these chooses, and announces the choice to the others, if there are any. Where no thread looks, nothing is chosen.
//! Not modelled: a barrier that more threads use than it waits for; one with more than 13 threads, or in later threads.

use super::MINUS_ONE;
use crate::access::{Purpose, Reach};
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::pthread::WORD;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask, fault, refuse};
use crate::thread_data::Rounds;
use base::{Access, Value, WriteOrder};
use program::{AwaitOp, Departure, FaultKind, MUTEX_DESTROYED, Patience, Request, RmwOp};

/// The size of a `pthread_barrier_t`.
const SIZE: u64 = 32;
/// Where the slots are, after the word.
const SLOTS: u64 = 4;
/// Where the serial thread is announced to the threads that look, every other time; the other times one byte further.
const CHOSEN: u64 = SLOTS + 2 * Departure::SLOTS;
/// The bits of the word that are the count, and the greatest number that fits there.
const COUNT: Value = 0xff;
/// `EINVAL`.
const INVALID: Value = 22;

/// The phases of `pthread_barrier_wait`: the word is read, the thread arrives, it leaves in one phase for each thread.
const ARRIVE: u8 = 1;
const LEAVE: u8 = 2;

impl Machine {
    /// `pthread_barrier_init(barrier, attributes, count)`.
    pub(super) fn init_barrier(
        &self,
        state: &mut ThreadState,
        barrier: u64,
        count: Value,
        result: Option<Reg>,
    ) -> Flow {
        if count == 0 {
            return self.done(state, result, INVALID);
        }
        if self.reach(state, barrier, SIZE, Purpose::Write)? != Reach::Shared {
            if let Some((slot, offset)) = state.memory.find(&self.globals, barrier, SIZE) {
                state.memory.contents_mut(slot).fill(offset..offset + SIZE as usize, 0);
            }
            self.store_plain(state, barrier, WORD, count.min(COUNT))?;
            return self.done(state, result, 0);
        }
        if state.progress.phase == 0 {
            let word = self.word_of_barrier(state, count)?;
            self.store_plain(state, barrier, WORD, word)?;
            state.memory.private_mut().data.initialised += 1;
            state.progress = Progress { phase: 1, ..Progress::default() };
        }
        // What another barrier has left there is gone.
        while u64::from(state.progress.phase) <= SIZE - SLOTS {
            self.store_plain(state, barrier + SLOTS - 1 + u64::from(state.progress.phase), 1, 0)?;
            state.progress = Progress { phase: state.progress.phase + 1, ..Progress::default() };
        }
        self.done(state, result, 0)
    }

    /// The word of a barrier that is initialised where other threads can see it: the count, and a number of the thread and of
    /// this initialisation.
    fn word_of_barrier(&self, state: &ThreadState, count: Value) -> Flow<Value> {
        let number = self.data(state).map_or(0, |data| data.initialised);
        if number >> 12 != 0 {
            return refuse("a thread that initialises more than 4096 barriers is not modelled".to_owned());
        }
        Flow::Continue(count.min(COUNT) | Value::from(number) << 8 | Value::from(state.thread().0 + 1) << 20)
    }

    /// `pthread_barrier_wait`. Its [`Meeting`] is in `progress.done`.
    pub(super) fn wait_at_barrier(&self, state: &mut ThreadState, barrier: u64, result: Option<Reg>) -> Flow {
        if state.progress.phase == 0 {
            return self.enter_barrier(state, barrier);
        }
        let thread = u64::from(state.thread().0);
        let (phase, needed) = (state.progress.phase, Meeting::of(state).needed);
        let round = self.rounds(state, barrier).met;
        let nth = phase.saturating_sub(LEAVE);
        let departure = Departure {
            slots: barrier + SLOTS,
            odd: round % 2 == 1,
            value: 1 + Value::from(round / 2),
            needed: u32::from(needed),
            nth: u32::from(nth),
        };
        if phase == ARRIVE {
            let at = Access { address: departure.slot(thread), size: 1 };
            let looks = result.is_some_and(|result| self.notices(state, result, [0, MINUS_ONE]));
            let value = departure.value | if looks { Departure::LOOKS } else { 0 };
            return ask(state, Pending::Value, Request::Write { at, value, order: WriteOrder::Release });
        }
        if phase > LEAVE && phase <= LEAVE + needed {
            let (seen, mut meeting) = (state.progress.value, Meeting::of(state));
            meeting.meet(nth - 1, seen & !Departure::LOOKS == thread, seen & Departure::LOOKS != 0);
            state.progress.done = meeting.pack();
        }
        if phase < LEAVE + needed {
            return ask(state, Pending::Value, Request::Depart(departure));
        }
        let told = match Meeting::of(state).looks && needed > 1 {
            true => self.choose_serial(state, barrier)?,
            false => MINUS_ONE,
        };
        let chosen = Meeting::of(state).is_told();
        state.memory.private_mut().data.next_round(barrier, chosen);
        self.done(state, result, told)
    }

    fn rounds(&self, state: &ThreadState, barrier: u64) -> Rounds {
        self.data(state).map_or(Rounds::default(), |data| data.rounds(barrier))
    }

    /// Read the word.
    fn enter_barrier(&self, state: &mut ThreadState, barrier: u64) -> Flow {
        let word = self.load_word(state, barrier)?;
        if word == MUTEX_DESTROYED {
            return fault(FaultKind::InvalidAccess, "wait at a barrier that was destroyed");
        }
        let count = word & COUNT;
        if count == 0 {
            return fault(FaultKind::InvalidAccess, "wait at a barrier that was not initialised");
        }
        if count > Departure::SLOTS || u64::from(state.thread().0) >= Departure::SLOTS {
            let most = Departure::SLOTS;
            return refuse(format!(
                "a barrier of more than {most} threads, or in later ones, is not modelled"
            ));
        }
        if self.reach(state, barrier, SIZE, Purpose::Write)? != Reach::Shared {
            self.escape(state, barrier)?;
        }
        state.memory.private_mut().data.enter_barrier(barrier, word);
        state.progress = Progress { phase: ARRIVE, done: count as u32, value: 0 };
        Flow::Continue(())
    }

    /// The result for this thread, which looks at it, once all have met: the first thread that looks chooses the serial
    /// thread.
    fn choose_serial(&self, state: &mut ThreadState, barrier: u64) -> Flow<Value> {
        let meeting = Meeting::of(state);
        let round = self.rounds(state, barrier).chosen;
        let at = Access { address: barrier + CHOSEN + u64::from(round % 2), size: 1 };
        let tag = 1 + Value::from(round / 2);
        let chosen = match (meeting.chooses(), state.progress.phase - LEAVE - meeting.needed) {
            (true, 0) => {
                let values = Value::from(meeting.needed);
                return ask(state, Pending::Value, Request::Choose { values });
            }
            (true, 1) if meeting.is_told() => {
                let chosen = state.progress.value as u8;
                state.progress.done = Meeting { chosen, ..meeting }.pack();
                let op = RmwOp::Exchange(tag << 4 | Value::from(chosen));
                let (order, failure) = (base::RmwOrder::Release, base::ReadOrder::Relaxed);
                return ask(state, Pending::Value, Request::Rmw { at, op, order, failure });
            }
            (true, 1) => state.progress.value as u8,
            (true, _) => meeting.chosen,
            (false, 0) => {
                let op = AwaitOp::Tagged(tag);
                return ask(state, Pending::Value, Request::Await { at, op, patience: Patience::Waits });
            }
            (false, _) => state.progress.value as u8 & 0xf,
        };
        Flow::Continue(if chosen == meeting.own { MINUS_ONE } else { 0 })
    }
}

/// The threads that a thread meets at a barrier; they have numbers, in the order of their slots.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// How many there are.
    needed: u8,
    /// The number of the thread itself.
    own: u8,
    /// The number of the serial thread.
    chosen: u8,
    /// The number of the first thread that looks at the result.
    first: u8,
    /// How many threads look: none, one, or more.
    looking: u8,
    /// Whether the thread itself looks.
    looks: bool,
}

impl Meeting {
    fn of(state: &ThreadState) -> Meeting {
        let [needed, own, chosen, look] = state.progress.done.to_le_bytes();
        Meeting { needed, own, chosen, first: look & 0xf, looking: look >> 4 & 3, looks: look >> 6 & 1 != 0 }
    }

    fn pack(self) -> u32 {
        let look = self.first | self.looking << 4 | u8::from(self.looks) << 6;
        u32::from_le_bytes([self.needed, self.own, self.chosen, look])
    }

    /// The thread with this number was met.
    fn meet(&mut self, number: u8, is_own: bool, looks: bool) {
        if is_own {
            self.own = number;
            self.looks = looks;
        }
        if looks && self.looking == 0 {
            self.first = number;
        }
        self.looking = (self.looking + u8::from(looks)).min(2);
    }

    /// Whether the thread, which looks, chooses.
    fn chooses(self) -> bool {
        self.first == self.own
    }

    /// Whether the choice is announced: more than one thread looks.
    fn is_told(self) -> bool {
        self.looking > 1
    }
}
