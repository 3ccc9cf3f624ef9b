//! Strategies: which thread steps next.
//!
//! * *uniform*: any that can, each with the same probability.
//! * *pct* (\[PCT\]): threads have random priorities and the highest runs; at `depth - 1` random steps the running one
//!   gets the lowest. A bug that needs d orderings is found with probability at least 1/(n·k^(d-1)), for n threads and
//!   k steps.
//! * *pos* (\[POS\]): every pending step has a random priority, the highest is taken, and the priorities of steps that
//!   conflict with it are drawn again.
//! * *urw* (\[URW\]): a thread is taken with a probability proportional to the number of steps that it still has to
//!   make, estimated from an earlier run: interleavings of independent threads are then equally likely.
//!
//! Differs: a thread that has changed nothing for many steps in a row under *pct* falls to the lowest priority, for it
//! may spin; and so does one that has run for very long.

use base::Rng;

/// How the next thread is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Any thread that can step.
    Uniform,
    /// Priorities that change at `depth - 1` random steps.
    Pct {
        /// How many orderings a bug may need.
        depth: u32,
    },
    /// Priorities for steps, drawn again where steps conflict.
    Pos,
    /// By the number of steps that are left.
    Urw,
}

/// How many steps the threads of a program make, measured in earlier runs.
#[derive(Clone, Debug, Default)]
pub struct Lengths {
    /// The number of events per thread.
    pub threads: Vec<u64>,
}

impl Lengths {
    fn total(&self) -> u64 {
        self.threads.iter().sum::<u64>().max(1)
    }
}

/// After this many steps in a row without a change a thread is taken to wait in a loop.
const MANY: u64 = 64;
/// After this many steps with changes it is taken to wait in a loop that writes.
const VERY_MANY: u64 = 100_000;

/// The number of changes is at most the number of steps of an earlier run plus this: more would be of no use.
const MOST_CHANGES: u64 = 1 << 10;

/// Chooses threads.
#[derive(Debug)]
pub(crate) struct Scheduler {
    strategy: Strategy,
    lengths: Lengths,
    /// Per thread; the highest runs.
    priorities: Vec<u64>,
    /// The steps at which the running thread gets the lowest priority, the next one last.
    changes: Vec<u64>,
    /// The next lowest priority.
    lowest: u64,
    /// Per thread how many steps it has made.
    steps: Vec<u64>,
    step: u64,
    /// The running thread, how long it runs, and how many steps ago it changed something.
    running: (usize, u64, u64),
}

impl Scheduler {
    pub(crate) fn new(strategy: Strategy, lengths: &Lengths, rng: &mut Rng) -> Scheduler {
        let mut changes = Vec::new();
        if let Strategy::Pct { depth } = strategy {
            let changed = u64::from(depth.saturating_sub(1)).min(lengths.total() + MOST_CHANGES);
            changes.extend((0..changed).map(|_| rng.below(lengths.total())));
            changes.sort_unstable_by(|a, b| b.cmp(a));
        }
        Scheduler {
            strategy,
            lengths: lengths.clone(),
            priorities: Vec::new(),
            changes,
            lowest: u64::MAX / 2,
            steps: Vec::new(),
            step: 0,
            running: (0, 0, 0),
        }
    }

    /// Add a thread.
    pub(crate) fn add_thread(&mut self, rng: &mut Rng) {
        self.priorities.push(self.draw(rng));
        self.steps.push(0);
    }

    fn draw(&self, rng: &mut Rng) -> u64 {
        u64::MAX / 2 + rng.below(u64::MAX / 2)
    }

    /// The place, in the list of threads that can step, of the one that steps next. The list is not empty.
    #[inline]
    pub(crate) fn pick(&mut self, ready: &[usize], rng: &mut Rng) -> usize {
        match self.strategy {
            _ if ready.len() == 1 => 0,
            Strategy::Uniform => rng.index(ready.len()),
            Strategy::Pct { .. } | Strategy::Pos => self.highest(ready),
            Strategy::Urw => self.by_what_is_left(ready, rng),
        }
    }

    fn highest(&self, ready: &[usize]) -> usize {
        let priority = |&place: &usize| self.priorities[ready[place]];
        (0..ready.len()).max_by_key(priority).expect("somebody can step")
    }

    fn by_what_is_left(&self, ready: &[usize], rng: &mut Rng) -> usize {
        let left = |thread: usize| {
            let all = self.lengths.threads.get(thread).copied().unwrap_or(1);
            all.saturating_sub(self.steps[thread]).max(1)
        };
        let mut number = rng.below(ready.iter().map(|&thread| left(thread)).sum());
        for (place, &thread) in ready.iter().enumerate() {
            match number.checked_sub(left(thread)) {
                Some(rest) => number = rest,
                None => return place,
            }
        }
        unreachable!("the number is less than the sum")
    }

    /// The thread has made its step, and changed something or not.
    #[inline]
    pub(crate) fn stepped(&mut self, thread: usize, changed: bool, rng: &mut Rng) {
        match self.strategy {
            Strategy::Uniform => {}
            Strategy::Urw => self.steps[thread] += 1,
            Strategy::Pos => self.priorities[thread] = self.draw(rng),
            Strategy::Pct { .. } => self.count(thread, changed),
        }
    }

    fn count(&mut self, thread: usize, changed: bool) {
        self.step += 1;
        let (last, steps, idle) = self.running;
        let (steps, idle) = if last == thread { (steps + 1, idle + 1) } else { (1, 1) };
        self.running = (thread, steps, if changed { 0 } else { idle });
        let change = self.changes.last().is_some_and(|&change| change < self.step);
        if change {
            self.changes.pop();
        }
        if change || self.running.1 > VERY_MANY || self.running.2 > MANY {
            self.fall(thread);
        }
    }

    fn fall(&mut self, thread: usize) {
        self.lowest -= 1;
        self.priorities[thread] = self.lowest;
        self.running = (thread, 0, 0);
    }

    /// Whether the strategy uses conflicts of pending steps.
    pub(crate) fn wants_conflicts(&self) -> bool {
        self.strategy == Strategy::Pos
    }

    /// The pending step of the thread conflicts with the last one.
    pub(crate) fn conflicts(&mut self, thread: usize, rng: &mut Rng) {
        self.priorities[thread] = self.draw(rng);
    }
}
