//! Where choices come from: from chance, or from a list of earlier ones.
//!
//! A [`Decision`] is a step of a thread and the one choice that it leaves: which write is read, counted from the newest,
//! where a write goes, counted from the end of `co`, which number, who is woken up. 0 is always possible. A list of decisions
//! is a run; one with some decisions left out is another one, in which what is not possible is skipped: that is how
//! violations are made shorter (`minimise`).

use crate::strategy::{Lengths, Scheduler, Strategy};
use base::Rng;

/// A step and what was chosen in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decision {
    pub(crate) thread: u32,
    pub(crate) action: Action,
    pub(crate) choice: u32,
}

/// What happens to a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// It makes its step.
    Step,
    /// It wakes up although nobody woke it up.
    Wake,
}

/// What is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Of {
    /// A write to read.
    Sources,
    /// A place in `co`.
    Places,
    /// Anything else.
    Others,
}

/// Where choices come from.
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
        /// What comes after the last decision: chance, or nothing.
        then: Option<Rng>,
    },
}

/// A sleeping thread wakes up without reason in one of so many steps of others, the first time in a run.
const WAKE: u64 = 8;
/// Each time the next one is half as likely, so often: a short run shall have some, a long one shall not be full of them.
const SELDOM: u32 = 6;
/// More writes than these are not all alike: the newest is read half of the time.
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

    /// What happens next: to whom of those that can step, by place in the list, or of those that sleep. `None`: nothing,
    /// the list has come to its end.
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
                // Writes mostly come last: others would hardly be seen.
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

    /// The step is done, and has changed something or not. Whose pending steps conflict with it is asked only if that matters.
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
