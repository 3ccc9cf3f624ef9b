//! The reference: every interleaving of a program, with the C library's objects as POSIX describes them.
//!
//! A thread that waits on a condition variable sleeps until it is woken up, by a signal that chooses it, by a broadcast, or
//! without reason; then it takes the mutex. A deadlock is a state in which nothing can happen but a wake-up without
//! reason.

use super::program::{ANY, NUMBERS, Program, Statement};
use base::Value;
use std::collections::BTreeSet;

/// What all interleavings lead to.
#[derive(PartialEq, Eq, Default, Debug)]
pub(crate) struct Ends {
    /// What the threads returned, and the numbers.
    pub(crate) states: BTreeSet<Vec<Value>>,
    /// Which threads wait in a deadlock.
    pub(crate) deadlocks: BTreeSet<Vec<usize>>,
}

/// Where a thread is in its statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum At {
    Start,
    Sleeps,
    /// It was woken up, or the time is over.
    Woken {
        over: bool,
    },
    /// It was woken up by somebody.
    Called,
    Arrived,
    /// All have arrived at the barrier.
    Left {
        serial: bool,
    },
    /// It looks, with the mutex, whether it must wait.
    Looks,
    /// It has waited, and releases the mutex before it looks again.
    Releases,
    /// It runs what is done once, and has read this.
    Once(Value),
    OnceBegun,
    /// It waits in the queue of this number, for these bits, with a time limit or without.
    Queued(u32, u32, bool),
    /// It is about to call the kernel.
    Calls,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Thread {
    pc: usize,
    at: At,
    returned: Value,
    /// Does it hold the read-write lock as a writer?
    writes: bool,
    /// Whether a futex wait has ended without reason.
    woken_early: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    threads: Vec<Thread>,
    numbers: [Value; NUMBERS as usize],
    owner: Option<usize>,
    semaphore: Value,
    readers: u32,
    writer: bool,
    arrived: u64,
    once: Once,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Once {
    New,
    Runs,
    Done,
}

/// Run everything; `None` if there are too many states.
pub(crate) fn run(program: &Program, limit: usize) -> Option<Ends> {
    let thread = Thread { pc: 0, at: At::Start, returned: 0, writes: false, woken_early: false };
    let start = State {
        threads: vec![thread; program.threads.len()],
        numbers: [0; NUMBERS as usize],
        owner: None,
        semaphore: program.semaphore,
        readers: 0,
        writer: false,
        arrived: 0,
        once: Once::New,
    };
    let (mut seen, mut todo, mut ends) = (BTreeSet::new(), vec![start], Ends::default());
    while let Some(state) = todo.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        let steps: Vec<State> = (0..state.threads.len()).flat_map(|t| state.steps(program, t)).collect();
        if steps.is_empty() {
            state.end(program, &mut ends);
        }
        todo.extend(steps);
        todo.extend(state.wake_ups());
    }
    Some(ends)
}

impl State {
    fn end(&self, program: &Program, ends: &mut Ends) {
        let unfinished = |&t: &usize| self.threads[t].pc < program.threads[t].len();
        let waiting: Vec<usize> = (0..self.threads.len()).filter(unfinished).collect();
        if waiting.is_empty() {
            let returned = self.threads.iter().map(|thread| thread.returned);
            ends.states.insert(returned.chain(self.numbers).collect());
        } else {
            ends.deadlocks.insert(waiting);
        }
    }

    /// Whoever sleeps wakes up without reason.
    fn wake_ups(&self) -> Vec<State> {
        let sleeps = (0..self.threads.len()).filter(|&t| self.threads[t].at == At::Sleeps);
        sleeps.map(|t| self.with(t, |thread| thread.at = At::Woken { over: false })).collect()
    }

    fn with(&self, t: usize, change: impl FnOnce(&mut Thread)) -> State {
        let mut next = self.clone();
        change(&mut next.threads[t]);
        next
    }

    fn next(&self, t: usize) -> State {
        self.with(t, |thread| {
            thread.pc += 1;
            thread.at = At::Start;
        })
    }

    /// The next statement, with this number kept.
    fn keep(&self, t: usize, value: Value) -> State {
        let mut next = self.next(t);
        next.threads[t].returned = next.threads[t].returned * 10 + value;
        next
    }

    /// What the thread can do.
    fn steps(&self, program: &Program, t: usize) -> Vec<State> {
        let thread = &self.threads[t];
        let Some(&statement) = program.threads[t].get(thread.pc) else { return Vec::new() };
        let mut next = self.next(t);
        match statement {
            Statement::Load(number) => return vec![self.keep(t, self.numbers[number as usize])],
            Statement::Store(number, value) => next.numbers[number as usize] = value,
            Statement::Lock if self.owner.is_some() => return Vec::new(),
            Statement::Lock => next.owner = Some(t),
            Statement::Unlock => next.owner = None,
            Statement::WaitWhile(_, number, value)
                if thread.at == At::Start && self.numbers[number as usize] != value => {}
            Statement::Poll(_, number, value) => return self.poll(t, self.numbers[number as usize] == value),
            Statement::Wait(_) | Statement::WaitWhile(..) | Statement::TimedWait(_) => {
                return self.wait(t, statement);
            }
            Statement::Signal(condition) => return self.signal(program, t, condition),
            Statement::Broadcast(condition) => {
                for sleeper in self.sleepers(program, condition) {
                    next.threads[sleeper].at = At::Called;
                }
            }
            Statement::SemWait if self.semaphore == 0 => return Vec::new(),
            Statement::SemWait => next.semaphore -= 1,
            Statement::SemPost => next.semaphore += 1,
            Statement::SemTryWait => {
                let mut next = self.keep(t, Value::from(self.semaphore == 0));
                next.semaphore = next.semaphore.saturating_sub(1);
                return vec![next];
            }
            Statement::ReadLock if self.writer => return Vec::new(),
            Statement::ReadLock => next.readers += 1,
            Statement::WriteLock if self.writer || self.readers > 0 => return Vec::new(),
            Statement::WriteLock => {
                next.writer = true;
                next.threads[t].writes = true;
            }
            Statement::UnlockShared if thread.writes => {
                next.writer = false;
                next.threads[t].writes = false;
            }
            Statement::UnlockShared => next.readers -= 1,
            // Taken and given back at once: others may try in between.
            Statement::TryReadLock | Statement::TryWriteLock => return self.try_shared(t, statement),
            Statement::Barrier
            | Statement::BarrierChecked
            | Statement::BarrierSeen
            | Statement::BarrierActs => return self.barrier(program, t),
            Statement::Once => return self.do_once(t),
            Statement::FutexWait(number, value, bits, limited) => {
                return self.futex_wait(t, number, value, (bits, limited));
            }
            Statement::FutexWaitWhile(number, value) => return self.futex_wait_while(t, number, value),
            Statement::FutexWake(number, most, bits) => {
                let woken = self.queued(number, bits);
                let states = subsets(&woken, most).into_iter();
                return states.map(|set| self.keep(t, set.len() as Value).woken(&set)).collect();
            }
            Statement::FutexRequeue(number, wakes, moves) => {
                let mut states = Vec::new();
                for woken in subsets(&self.queued(number, ANY), wakes) {
                    let next = self.woken(&woken);
                    for moved in subsets(&next.queued(number, ANY), moves) {
                        let mut next = next.keep(t, (woken.len() + moved.len()) as Value);
                        for &it in &moved {
                            next.threads[it].at = At::Queued(1 - number, ANY, false);
                        }
                        states.push(next);
                    }
                }
                return states;
            }
        }
        vec![next]
    }

    fn wait(&self, t: usize, statement: Statement) -> Vec<State> {
        let mut next = match (self.threads[t].at, statement) {
            (At::Start, _) => {
                let mut next = self.with(t, |thread| thread.at = At::Sleeps);
                next.owner = None;
                return vec![next];
            }
            (At::Sleeps, Statement::TimedWait(_)) => {
                return vec![self.with(t, |thread| thread.at = At::Woken { over: true })];
            }
            (At::Sleeps, _) => return Vec::new(),
            _ if self.owner.is_some() => return Vec::new(),
            // It looks again.
            (_, Statement::WaitWhile(..)) => self.with(t, |thread| thread.at = At::Start),
            (at, Statement::TimedWait(_)) => self.keep(t, Value::from(at == At::Woken { over: true })),
            _ => self.next(t),
        };
        next.owner = Some(t);
        vec![next]
    }

    fn poll(&self, t: usize, must_wait: bool) -> Vec<State> {
        let (next, owner) = match self.threads[t].at {
            At::Sleeps => return Vec::new(),
            At::Looks if must_wait => (self.with(t, |thread| thread.at = At::Sleeps), None),
            At::Looks => (self.next(t), None),
            At::Releases => (self.with(t, |thread| thread.at = At::Start), None),
            _ if self.owner.is_some() => return Vec::new(),
            At::Start => (self.with(t, |thread| thread.at = At::Looks), Some(t)),
            _ => (self.with(t, |thread| thread.at = At::Releases), Some(t)),
        };
        vec![State { owner, ..next }]
    }

    fn sleepers(&self, program: &Program, condition: u32) -> Vec<usize> {
        let on = |t: usize| match program.threads[t].get(self.threads[t].pc) {
            Some(
                &(Statement::Wait(c)
                | Statement::WaitWhile(c, ..)
                | Statement::Poll(c, ..)
                | Statement::TimedWait(c)),
            ) => c == condition,
            _ => false,
        };
        (0..self.threads.len()).filter(|&t| self.threads[t].at == At::Sleeps && on(t)).collect()
    }

    fn signal(&self, program: &Program, t: usize, condition: u32) -> Vec<State> {
        let next = self.next(t);
        let sleepers = self.sleepers(program, condition);
        if sleepers.is_empty() {
            return vec![next];
        }
        sleepers.into_iter().map(|sleeper| next.with(sleeper, |thread| thread.at = At::Called)).collect()
    }

    fn try_shared(&self, t: usize, statement: Statement) -> Vec<State> {
        let writes = statement == Statement::TryWriteLock;
        if self.threads[t].at != At::Start {
            let mut next = self.keep(t, 0);
            if writes {
                next.writer = false;
            } else {
                next.readers -= 1;
            }
            return vec![next];
        }
        if self.writer || (writes && self.readers > 0) {
            return vec![self.keep(t, 1)];
        }
        let mut next = self.with(t, |thread| thread.at = At::Arrived);
        if writes {
            next.writer = true;
        } else {
            next.readers += 1;
        }
        vec![next]
    }

    /// All who have arrived leave when the last one comes, and any of them may be the serial thread.
    fn barrier(&self, program: &Program, t: usize) -> Vec<State> {
        match self.threads[t].at {
            At::Arrived => return Vec::new(),
            At::Left { serial } => return vec![self.leave(program, t, serial)],
            _ => {}
        }
        let mut next = self.with(t, |thread| thread.at = At::Arrived);
        next.arrived += 1;
        if next.arrived < program.barrier {
            return vec![next];
        }
        next.arrived = 0;
        let all: Vec<usize> =
            (0..next.threads.len()).filter(|&it| next.threads[it].at == At::Arrived).collect();
        let leave = |serial| {
            let mut next = next.clone();
            all.iter().for_each(|&it| next.threads[it].at = At::Left { serial: it == serial });
            next
        };
        all.iter().map(|&serial| leave(serial)).collect()
    }

    fn leave(&self, program: &Program, t: usize, serial: bool) -> State {
        match program.threads[t][self.threads[t].pc] {
            Statement::BarrierSeen => self.keep(t, Value::from(serial)),
            Statement::BarrierActs if serial => {
                let mut next = self.next(t);
                next.numbers[0] = 3;
                next
            }
            _ => self.next(t),
        }
    }

    /// The value is compared and the thread put into the queue at once.
    fn futex_wait(&self, t: usize, number: u32, value: Value, (bits, limited): (u32, bool)) -> Vec<State> {
        match self.threads[t].at {
            At::Woken { over } => vec![self.keep(t, Value::from(over))],
            At::Queued(.., true) => vec![self.with(t, |thread| thread.at = At::Woken { over: true })],
            At::Queued(..) => Vec::new(),
            _ if self.numbers[number as usize] != value => vec![self.keep(t, 1)],
            _ => self.queue_up(t, At::Queued(number, bits, limited)),
        }
    }

    /// Into the queue; or the wait ends without reason, once for each thread.
    fn queue_up(&self, t: usize, queued: At) -> Vec<State> {
        let early = |thread: &mut Thread| {
            thread.at = At::Woken { over: false };
            thread.woken_early = true;
        };
        let mut next = vec![self.with(t, |thread| thread.at = queued)];
        next.extend((!self.threads[t].woken_early).then(|| self.with(t, early)));
        next
    }

    fn futex_wait_while(&self, t: usize, number: u32, value: Value) -> Vec<State> {
        let is_same = self.numbers[number as usize] == value;
        vec![match self.threads[t].at {
            At::Queued(..) => return Vec::new(),
            At::Calls if is_same => return self.queue_up(t, At::Queued(number, ANY, false)),
            At::Start if !is_same => self.next(t),
            At::Start => self.with(t, |thread| thread.at = At::Calls),
            _ => self.with(t, |thread| thread.at = At::Start),
        }]
    }

    /// The threads that wait on this number for any of these bits.
    fn queued(&self, number: u32, bits: u32) -> Vec<usize> {
        let fits = |&t: &usize| match self.threads[t].at {
            At::Queued(on, wanted, _) => on == number && wanted & bits != 0,
            _ => false,
        };
        (0..self.threads.len()).filter(fits).collect()
    }

    fn woken(&self, threads: &[usize]) -> State {
        let mut next = self.clone();
        threads.iter().for_each(|&t| next.threads[t].at = At::Woken { over: false });
        next
    }

    fn do_once(&self, t: usize) -> Vec<State> {
        match (self.threads[t].at, self.once) {
            (At::Start, Once::New) => {
                let mut next = self.with(t, |thread| thread.at = At::OnceBegun);
                next.once = Once::Runs;
                vec![next]
            }
            (At::Start, Once::Runs) => Vec::new(),
            (At::Start, Once::Done) => vec![self.next(t)],
            (At::OnceBegun, _) => vec![self.with(t, |thread| thread.at = At::Once(self.numbers[0]))],
            (At::Once(value), Once::Runs) => {
                let mut next = self.with(t, |thread| thread.at = At::Once(value));
                next.numbers[0] = value + 1;
                next.once = Once::Done;
                next.threads[t] = self.next(t).threads[t].clone();
                vec![next]
            }
            _ => Vec::new(),
        }
    }
}

/// All sets of so many of the threads, or of all of them if there are not more.
fn subsets(threads: &[usize], most: u64) -> Vec<Vec<usize>> {
    let Some((&first, rest)) = threads.split_first() else { return vec![Vec::new()] };
    if most == 0 {
        return vec![Vec::new()];
    }
    let mut sets = subsets(rest, most - 1);
    sets.iter_mut().for_each(|set| set.push(first));
    if (rest.len() as u64) >= most {
        sets.extend(subsets(rest, most));
    }
    sets
}
