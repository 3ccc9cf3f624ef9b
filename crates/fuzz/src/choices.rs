//! The origin of choices: chance, or a list of earlier ones.
//!
//! A [`Decision`] is a step of a thread and the one choice that it leaves: which write is read, counted from the
//! newest, where a write goes, counted from the end of `co`, which number, which thread is woken up. 0 is always
//! possible. A list of decisions is a run; a list with some decisions left out is another run, in which decisions that
//! are not possible are skipped: that is how violations are made shorter (`minimise`).

use crate::strategy::{Lengths, Scheduler, Strategy};
use base::Rng;

/// A step and the choice made in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decision {
    pub(crate) thread: u32,
    pub(crate) action: Action,
    pub(crate) choice: u32,
}

/// The kind of a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// The thread makes its step.
    Step,
    /// The thread wakes up without a notification.
    Wake,
}

/// The kind of a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Of {
    /// A write to read.
    Sources,
    /// A place in `co`.
    Places,
    /// Anything else.
    Others,
}

/// The origin of choices.
#[derive(Debug)]
pub(crate) enum Choices {
    Random {
        rng: Rng,
        scheduler: Scheduler,
        /// How often a thread woke up without reason.
        wakes: u32,
    },
    Script {
        decisions: Vec<Decision>,
        next: usize,
        /// The choices after the last decision: random, or none.
        then: Option<Rng>,
    },
}

/// A sleeping thread wakes up without reason in one of this many steps of others, the first time in a run.
const WAKE: u64 = 8;
/// Each wake-up makes the next one half as likely, this many times: a short run shall have some, a long one shall not
/// be full of them.
const SELDOM: u32 = 6;
/// With more writes than these the choice is not uniform: the newest is read half of the time.
const FEW: usize = 4;

impl Choices {
    pub(crate) fn random(seed: u64, strategy: Strategy, lengths: &Lengths) -> Choices {
        let mut rng = Rng::new(seed);
        let scheduler = Scheduler::new(strategy, lengths, &mut rng);
        Choices::Random { rng, scheduler, wakes: 0 }
    }

    /// These decisions and no more.
    pub(crate) fn script(decisions: Vec<Decision>) -> Choices {
        Choices::Script { decisions, next: 0, then: None }
    }

    /// These decisions, and then any.
    pub(crate) fn script_then_any(decisions: Vec<Decision>) -> Choices {
        let seed = decisions.len() as u64;
        Choices::Script { decisions, next: 0, then: Some(Rng::new(seed)) }
    }

    pub(crate) fn add_thread(&mut self) {
        if let Choices::Random { rng, scheduler, .. } = self {
            scheduler.add_thread(rng);
        }
    }

    /// The next action, and the place of its thread in the list of those that can step, or of those that sleep. `None`
    /// if the script has come to its end.
    #[inline]
    pub(crate) fn next(&mut self, ready: &[usize], asleep: &[usize]) -> Option<(Action, usize)> {
        match self {
            Choices::Random { rng, scheduler, wakes } => {
                if ready.is_empty() || (!asleep.is_empty() && rng.one_in(WAKE << (*wakes).min(SELDOM))) {
                    *wakes += 1;
                    return Some((Action::Wake, rng.index(asleep.len())));
                }
                Some((Action::Step, scheduler.pick(ready, rng)))
            }
            Choices::Script { decisions, next, then } => loop {
                let Some(&decision) = decisions.get(*next) else {
                    let rng = then.as_mut()?;
                    let (action, list) =
                        if ready.is_empty() { (Action::Wake, asleep) } else { (Action::Step, ready) };
                    return Some((action, rng.index(list.len())));
                };
                let list = if decision.action == Action::Step { ready } else { asleep };
                if let Some(place) = list.iter().position(|&thread| thread == decision.thread as usize) {
                    return Some((decision.action, place));
                }
                *next += 1;
            },
        }
    }

    /// One of `n`.
    #[inline]
    pub(crate) fn pick(&mut self, n: usize, of: Of) -> usize {
        match self {
            _ if n <= 1 => 0,
            Choices::Random { rng, .. } => match of {
                Of::Sources if n > FEW && rng.one_in(2) => 0,
                // A write mostly goes last: one that goes earlier is hardly ever read.
                Of::Places if !rng.one_in(4) => 0,
                Of::Sources | Of::Places | Of::Others => rng.index(n),
            },
            Choices::Script { decisions, next, then } => match (decisions.get(*next), then) {
                (Some(decision), _) => (decision.choice as usize).min(n - 1),
                // Mostly the newest write, so that loops that wait come to an end.
                (None, Some(rng)) => (rng.below(4 * n as u64) as usize).saturating_sub(3 * n),
                (None, None) => 0,
            },
        }
    }

    /// The step is done, and has changed something or not. `conflicting`, the threads whose pending steps conflict with
    /// it, is called only if the strategy uses it.
    #[inline]
    pub(crate) fn done(&mut self, thread: usize, changed: bool, conflicting: impl FnOnce() -> Vec<usize>) {
        match self {
            Choices::Script { next, .. } => *next += 1,
            Choices::Random { rng, scheduler, .. } => {
                scheduler.stepped(thread, changed, rng);
                if scheduler.wants_conflicts() {
                    conflicting().into_iter().for_each(|other| scheduler.conflicts(other, rng));
                }
            }
        }
    }

    /// The step was not possible after all.
    pub(crate) fn failed(&mut self) {
        if let Choices::Script { next, .. } = self {
            *next += 1;
        }
    }
}
