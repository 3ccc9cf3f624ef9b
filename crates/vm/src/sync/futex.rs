//! Futexes: `syscall(SYS_futex, …)`.
//!
//! The kernel has a queue for each word that threads wait on, with a lock. A wait locks the queue, compares the word
//! with the expected value, puts itself into the queue and unlocks it; a wake locks the queue, takes threads out, unlocks
//! it and wakes them up. Here the queue is a hidden word (`program::HiddenWord`) with a bit for each thread that waits and
//! a bit that locks it, taken with acquire and given back with release, as the kernel's spinlock is. A thread that sleeps
//! awaits a word of its own, which the wake adds to.
//!
//! Why no wake-up is lost that the kernel would not lose: of a wait and a wake of the same word one has the queue first.
//! If it is the wake, the writes before it happen before the wait's load of the word, which by coherence reads them or
//! later ones: the comparison fails. If it is the wait, the wake finds it in the queue. So the load can be relaxed, under
//! every model in which a lock orders anything. The order of calls is more than the kernel promises: a wake that finds no
//! thread only has a full fence there, and no lock. It hides nothing, since two calls that do not see each other are
//! explored in both orders.
//!
//! A wait that ends because its time is over, or without reason, has never been in the queue. For wakes that makes no
//! difference: each that left it there has woken up as many others as it could. A requeue would count it, which is
//! refused for a time limit; an end without reason is none of the kernel's, and is defined so.
//!
//! Choices: which threads a wake takes (the kernel takes the first ones); whether the time of a wait is over; whether a
//! wait ends without reason, which the manual asks programs to expect: once for each thread.
//!
//! Not modelled: requeueing waits with a time limit or for particular bits; futexes with priority inheritance,
//! `FUTEX_WAKE_OP`, `futex_waitv`; threads after the fifteenth; a wait that a signal interrupts.

use super::{AGAIN, TIMED_OUT};
use crate::access::{Purpose, Reach};
use crate::bytecode::Reg;
use crate::machine::Machine;
use crate::state::{Pending, Progress, ThreadState};
use crate::step::{Flow, ask, refuse};
use base::{Access, ReadOrder, RmwOrder, ThreadId, Value, WriteOrder};
use program::{AwaitOp, Blocker, FUTEX_LOCK, HiddenWord, Patience, Request, RmwOp};

/// How many threads can wait.
const THREADS: u32 = 15;
/// In a queue: the threads that wait.
const WAITERS: u32 = (1 << THREADS) - 1;
/// In a queue: some of them with a time limit.
const LIMITED: u32 = 1 << THREADS;
/// In a queue: some of them for particular bits.
const SELECTIVE: u32 = 1 << (THREADS + 1);
/// In `progress.done`, above the queue: another set of threads.
const SECOND: u32 = THREADS + 2;

/// `FUTEX_PRIVATE_FLAG` and `FUTEX_CLOCK_REALTIME`, which change nothing here.
const FLAGS: u32 = 128 | 256;
/// `FUTEX_BITSET_MATCH_ANY`.
const ANY: u32 = u32::MAX;
/// `EINVAL`.
const INVALID: Value = 22;

/// The phases of all calls: the queue is asked for, then the word is read.
const START: u8 = 0;
const SEIZED: u8 = 1;
const COMPARE: u8 = 2;
/// The phases of a wait.
const CHOSEN: u8 = 3;
const TELL_BITS: u8 = 10;
const ENQUEUE: u8 = 11;
const ENQUEUED: u8 = 12;
const WOKEN: u8 = 13;
const RETURN_EARLY: u8 = 20;
/// The queue is given back, and the call fails. A requeue gives two back.
const FAIL_AGAIN: u8 = 30;
const FAIL_TIMED_OUT: u8 = 34;
/// The phases of a wake: it looks at the bits of each thread, counts, chooses, gives the queue back, wakes up.
const LOOK: u8 = 40;
const COUNT: u8 = 60;
const PICKED: u8 = 61;
const MOVE: u8 = 62;
const MOVED: u8 = 63;
const GIVE_BACK: u8 = 64;
const WAKE: u8 = 70;

/// The arguments of a call: `syscall(SYS_futex, word, operation, value, limit, other, bits)`.
#[derive(Clone, Copy, Debug)]
struct Call {
    word: u64,
    value: u32,
    /// Where the time limit is, or a second number.
    limit: Value,
    other: u64,
    bits: u32,
}

impl Machine {
    /// `SYS_futex`.
    pub(crate) fn futex(&self, state: &mut ThreadState, arguments: [Value; 6], result: Option<Reg>) -> Flow {
        let [word, operation, value, limit, other, bits] = arguments;
        let (value, bits) = (value as u32, bits as u32);
        let call = Call { word, value, limit, other, bits };
        if !word.is_multiple_of(4) {
            return self.fail_long(state, INVALID, result);
        }
        match operation as u32 & !FLAGS {
            0 => self.futex_wait(state, Call { bits: ANY, ..call }, result),
            1 => self.futex_wake(state, Call { bits: ANY, ..call }, result),
            3 => self.futex_requeue(state, call, None, result),
            4 => self.futex_requeue(state, call, Some(bits), result),
            9 | 10 if bits == 0 => self.fail_long(state, INVALID, result),
            9 => self.futex_wait(state, call, result),
            10 => self.futex_wake(state, call, result),
            number => refuse(format!("the futex operation {} is not modelled", name_of(number))),
        }
    }

    fn futex_wait(&self, state: &mut ThreadState, call: Call, result: Option<Reg>) -> Flow {
        let queue = queue_of(call.word);
        let Progress { phase, value, .. } = state.progress;
        let may_end_early = !self.data(state).is_some_and(|data| data.woken_early);
        match phase {
            START if state.thread().0 >= THREADS => {
                refuse(format!("a futex wait of a thread after the first {THREADS} is not modelled"))
            }
            START => seize(state, queue),
            SEIZED => {
                state.progress.done = value as u32 & (WAITERS | LIMITED | SELECTIVE);
                self.read_futex(state, call.word)
            }
            COMPARE if value != Value::from(call.value) => go_on(state, FAIL_AGAIN),
            COMPARE => match 1 + Value::from(may_end_early) + Value::from(call.limit != 0) {
                1 => go_on(state, TELL_BITS),
                values => ask(state, Pending::Value, Request::Choose { values }),
            },
            CHOSEN if value == 0 => go_on(state, TELL_BITS),
            CHOSEN if value == 1 && may_end_early => {
                state.memory.private_mut().data.woken_early = true;
                go_on(state, RETURN_EARLY)
            }
            CHOSEN => go_on(state, FAIL_TIMED_OUT),
            TELL_BITS => self.tell_bits(state, call.bits),
            ENQUEUE => {
                let limited = if call.limit == 0 { 0 } else { LIMITED };
                let selective = if call.bits == ANY { 0 } else { SELECTIVE };
                let new = (1 << state.thread().0) | ((limited | selective) & !state.progress.done);
                give_back(state, queue, new)
            }
            ENQUEUED => {
                state.visits.rmw_answered(true);
                let at = HiddenWord::WakeUp(state.thread()).access();
                let patience = if call.limit == 0 { Patience::Waits } else { Patience::GivesUp };
                ask(state, Pending::Value, Request::Await { at, op: AwaitOp::Decrement, patience })
            }
            // Its time is over, which was a choice of its own.
            WOKEN if value == 0 => Flow::Break(Request::Block(Blocker::Assume)),
            WOKEN => self.done(state, result, 0),
            RETURN_EARLY => give_back(state, queue, 0),
            phase if phase == RETURN_EARLY + 1 => {
                state.visits.rmw_answered(false);
                self.done(state, result, 0)
            }
            _ => self.fail_unlocked(state, &[queue], result),
        }
    }

    /// Say which bits the thread waits for, if that has changed since the last time.
    fn tell_bits(&self, state: &mut ThreadState, bits: u32) -> Flow {
        if self.data(state).map_or(0, |data| data.unwanted_bits) == !bits {
            return go_on(state, ENQUEUE);
        }
        state.memory.private_mut().data.unwanted_bits = !bits;
        let at = HiddenWord::Bits(state.thread()).access();
        let (value, order) = (Value::from(!bits), WriteOrder::Relaxed);
        ask(state, Pending::Value, Request::Write { at, value, order })
    }

    fn futex_wake(&self, state: &mut ThreadState, call: Call, result: Option<Reg>) -> Flow {
        let queue = queue_of(call.word);
        let Progress { phase, done, value } = state.progress;
        let (waiters, fitting) = (done & WAITERS, done >> SECOND);
        match phase {
            START if call.value.cast_signed() <= 0 => refuse("a futex wake of no thread is not modelled"),
            START => seize(state, queue),
            SEIZED => {
                let found = value as u32 & (WAITERS | LIMITED | SELECTIVE);
                state.progress.done = found | (found & WAITERS) << SECOND;
                let looks = found & SELECTIVE != 0 && call.bits != ANY;
                go_on(state, if looks { LOOK } else { COUNT })
            }
            LOOK..COUNT => {
                let nth = u32::from(phase - LOOK);
                if let Some(before) = nth.checked_sub(1)
                    && let Some(thread) = nth_thread(waiters, before)
                    && call.bits & !(value as u32) == 0
                {
                    state.progress.done &= !(1 << (SECOND + thread.0));
                }
                match nth_thread(waiters, nth) {
                    Some(thread) => {
                        let at = HiddenWord::Bits(thread).access();
                        ask(state, Pending::Value, Request::Read { at, order: ReadOrder::Relaxed })
                    }
                    None => go_on(state, COUNT),
                }
            }
            COUNT => choose_threads(state, fitting, call.value),
            PICKED => {
                let woken = pick(fitting, call.value, value);
                let flags = if waiters == woken { done & (LIMITED | SELECTIVE) } else { 0 };
                state.progress.done = woken;
                state.progress.phase = WAKE - 1;
                give_back(state, queue, woken | flags)
            }
            _ => self.wake_up(state, waiters.count_ones(), result),
        }
    }

    /// Wake the threads in `progress.done` up; `count` is the result.
    fn wake_up(&self, state: &mut ThreadState, count: u32, result: Option<Reg>) -> Flow {
        let woken = state.progress.done & WAITERS;
        if state.progress.phase == WAKE {
            state.visits.rmw_answered(count > 0);
        }
        match nth_thread(woken, u32::from(state.progress.phase - WAKE)) {
            Some(thread) => {
                let at = HiddenWord::WakeUp(thread).access();
                let (order, failure) = (RmwOrder::Release, ReadOrder::Relaxed);
                ask(state, Pending::Value, Request::Rmw { at, op: RmwOp::Add(1), order, failure })
            }
            None => self.done(state, result, Value::from(count)),
        }
    }

    /// Wake threads up and let others wait for another word: `FUTEX_REQUEUE`, and `FUTEX_CMP_REQUEUE`, which expects a
    /// value. The queues are locked in the order of their addresses.
    fn futex_requeue(
        &self,
        state: &mut ThreadState,
        call: Call,
        expected: Option<u32>,
        result: Option<Reg>,
    ) -> Flow {
        let (queue, other) = (queue_of(call.word), queue_of(call.other));
        let [first, second] = if queue < other { [queue, other] } else { [other, queue] };
        let Progress { phase, done, value } = state.progress;
        let keep = |state: &mut ThreadState, of| {
            if of == queue {
                state.progress.done = value as u32 & (WAITERS | LIMITED | SELECTIVE);
            }
        };
        let (waiters, woken) = (done & WAITERS, done >> SECOND);
        match phase {
            START if call.word == call.other => refuse("a futex that is requeued to itself is not modelled"),
            START if call.value.cast_signed() < 0 || (call.limit as u32).cast_signed() < 0 => {
                self.fail_long(state, INVALID, result)
            }
            START => seize(state, first),
            SEIZED => {
                keep(state, first);
                seize(state, second)
            }
            COMPARE => {
                keep(state, second);
                match expected {
                    Some(_) => self.read_futex(state, call.word),
                    None => go_on(state, COUNT),
                }
            }
            CHOSEN if expected.is_some_and(|expected| value != Value::from(expected)) => {
                go_on(state, FAIL_AGAIN)
            }
            CHOSEN => go_on(state, COUNT),
            COUNT if done & (LIMITED | SELECTIVE) != 0 => {
                refuse("to requeue a futex wait with a time limit, or for particular bits, is not modelled")
            }
            COUNT => choose_threads(state, waiters, call.value),
            PICKED => {
                state.progress.done = waiters | pick(waiters, call.value, value) << SECOND;
                go_on(state, MOVE)
            }
            MOVE => choose_threads(state, waiters & !woken, call.limit as u32),
            MOVED => {
                let moved = pick(waiters & !woken, call.limit as u32, value);
                state.progress.done = woken | moved << SECOND;
                go_on(state, GIVE_BACK)
            }
            GIVE_BACK => give_back(state, other, done >> SECOND),
            phase if phase == GIVE_BACK + 1 => {
                state.visits.rmw_answered(done >> SECOND != 0);
                state.progress.phase = WAKE - 1;
                give_back(state, queue, (done >> SECOND) | waiters)
            }
            FAIL_AGAIN.. if phase < LOOK => self.fail_unlocked(state, &[first, second], result),
            _ => self.wake_up(state, (done >> SECOND | waiters).count_ones(), result),
        }
    }

    /// Give the queues back unchanged, and fail.
    fn fail_unlocked(&self, state: &mut ThreadState, queues: &[Access], result: Option<Reg>) -> Flow {
        let phase = state.progress.phase;
        let (error, nth) = match phase.checked_sub(FAIL_TIMED_OUT) {
            Some(nth) => (TIMED_OUT, nth),
            None => (AGAIN, phase - FAIL_AGAIN),
        };
        let nth = usize::from(nth);
        if nth > 0 && nth <= queues.len() {
            state.visits.rmw_answered(false);
        }
        if let Some(&queue) = queues.get(nth) {
            return give_back(state, queue, 0);
        }
        if nth == queues.len() {
            state.progress = Progress { phase: phase + 1, ..Progress::default() };
        }
        self.fail_long(state, error, result)
    }

    /// The word, as the kernel reads it.
    fn read_futex(&self, state: &mut ThreadState, word: u64) -> Flow {
        let at = Access { address: word, size: 4 };
        match self.reach(state, word, 4, Purpose::Read)? {
            Reach::Shared => ask(state, Pending::Value, Request::Read { at, order: ReadOrder::Relaxed }),
            reach => {
                state.progress.value = self.read_own(state, reach, word, 4)?;
                let next = state.progress.phase + 1;
                go_on(state, next)
            }
        }
    }
}

fn queue_of(word: u64) -> Access {
    HiddenWord::Queue(word).access()
}

/// Lock a queue; the answer is what it held.
fn seize(state: &mut ThreadState, at: Access) -> Flow {
    let request = Request::Await { at, op: AwaitOp::Seize, patience: Patience::Waits };
    ask(state, Pending::Value, request)
}

/// Unlock a queue, and change these of its bits.
fn give_back(state: &mut ThreadState, at: Access, changes: u32) -> Flow {
    let op = RmwOp::Xor(FUTEX_LOCK | Value::from(changes));
    let (order, failure) = (RmwOrder::Release, ReadOrder::Relaxed);
    ask(state, Pending::Value, Request::Rmw { at, op, order, failure })
}

/// Run the instruction again, in another phase.
fn go_on(state: &mut ThreadState, phase: u8) -> Flow {
    state.progress.phase = phase;
    Flow::Continue(())
}

/// Choose so many of the threads, if there are more; the next phase picks them.
fn choose_threads(state: &mut ThreadState, threads: u32, most: u32) -> Flow {
    match subsets(threads, most).count() as Value {
        1 => {
            let next = state.progress.phase + 1;
            state.progress.value = 0;
            go_on(state, next)
        }
        values => ask(state, Pending::Value, Request::Choose { values }),
    }
}

/// The choice with this number.
fn pick(threads: u32, most: u32, choice: Value) -> u32 {
    subsets(threads, most).nth(choice as usize).expect("it was one of them")
}

/// All sets of so many of the threads, or the set of all, if there are not more.
fn subsets(threads: u32, most: u32) -> impl Iterator<Item = u32> {
    let count = threads.count_ones().min(most);
    let after = move |&set: &u32| (set != threads).then(|| set.wrapping_sub(threads) & threads);
    std::iter::successors(Some(0), after).filter(move |set| set.count_ones() == count)
}

fn nth_thread(threads: u32, nth: u32) -> Option<ThreadId> {
    (0..THREADS).filter(|thread| threads >> thread & 1 == 1).nth(nth as usize).map(ThreadId)
}

fn name_of(operation: u32) -> String {
    let names = [
        (2, "FUTEX_FD"),
        (5, "FUTEX_WAKE_OP"),
        (6, "FUTEX_LOCK_PI"),
        (7, "FUTEX_UNLOCK_PI"),
        (8, "FUTEX_TRYLOCK_PI"),
        (11, "FUTEX_WAIT_REQUEUE_PI"),
        (12, "FUTEX_CMP_REQUEUE_PI"),
        (13, "FUTEX_LOCK_PI2"),
    ];
    let name = names.iter().find(|known| known.0 == operation);
    name.map_or_else(|| operation.to_string(), |known| format!("`{}`", known.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_threads_is_chosen_once() {
        let all: Vec<u32> = subsets(0b1101, 2).collect();
        assert_eq!(all, [0b101, 0b1001, 0b1100]);
        assert_eq!(subsets(0b1101, 3).collect::<Vec<_>>(), [0b1101]);
        assert_eq!(subsets(0b1101, 9).collect::<Vec<_>>(), [0b1101]);
        assert_eq!(subsets(0, 1).collect::<Vec<_>>(), [0]);
        assert_eq!(subsets(0b10, 0).collect::<Vec<_>>(), [0]);
        assert_eq!((nth_thread(0b1101, 1), nth_thread(0b1101, 3)), (Some(ThreadId(2)), None));
    }
}
