//! Reductions: ways to leave out executions that make no difference.
//!
//! Each is a room: a file with its own state and its own argument. The core (`core/`) asks them at a few places, the
//! hooks (`hooks.rs`); the schedule, the sweeps and the pass also ask some of them by name (`core/mod.rs`). The
//! assumptions of a room are in the ledger, and nowhere else.
//!
//! | file | what it knows | switch |
//! |---|---|---|
//! | `hooks` | the places at which the core asks the rooms | |
//! | `waiting` | locks that wait: mutexes, words, compare-exchanges, exchanges | `blocked`, `waiting`, `exchanges` |
//! | `awaits` | loads that wait for a value that lets their thread go on | `awaits` |
//! | `confirming` | rounds whose confirmation is certain to fail | `confirming` |
//! | `pairs` | a load and the compare-exchange after it as one event | `pairs` |
//! | `attempts` | additions that would be made up for at once are not made | `attempts` |
//! | `undoing` | subtractions that wait until another thread has observed the addition | `undoing` |
//! | `symmetry` | symmetric threads: one execution of each orbit | `symmetry` |
//! | `lock_order` | critical sections, up to `rf`, without their order | `lock-order` |
//! | `epilogue` | the end that one thread runs alone | `epilogue` |
//! | `left_out` | races of rounds that are left out | |
//! | `barriers`, `sleeping` | when threads leave a barrier; which may sleep on a condition variable for ever | |
//!
//! The last three have no switch: `left_out` finds the races that other reductions would lose; `barriers` and
//! `sleeping` are the meaning of barriers and condition variables here.
//!
//! To add one: a file here, its name in [`Reduction`], its state in [`Reductions`], its calls in `hooks.rs`, its
//! assumptions in `ledger.rs` and `notes.rs`.

pub(crate) mod attempts;
pub(crate) mod awaits;
pub(crate) mod barriers;
pub(crate) mod confirming;
pub(crate) mod epilogue;
pub(crate) mod hooks;
pub(crate) mod left_out;
pub(crate) mod lock_order;
pub(crate) mod pairs;
pub(crate) mod sleeping;
pub(crate) mod symmetry;
pub(crate) mod undoing;
pub(crate) mod waiting;

use crate::core::construction::Construction;
use crate::core::shape::Shape;
use crate::ledger::{Assumption, Ledger, Use};
use crate::notes::Facts as SeenFacts;
use crate::options::LockOrders;
use crate::sections::Sections;
use attempts::Attempts;
use awaits::Awaits;
use barriers::Barriers;
use confirming::Confirming;
use left_out::LeftOut;
use live::LocationId;
use pairs::Pairs;
use program::{Facts, Hint};
use sleeping::Sleeping;
use std::ops::Deref;
use symmetry::{Extent, Symmetry};
use undoing::Undoing;
use waiting::Waiting;

/// A reduction that can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reduction {
    /// Choices that block their reader at once are dropped, unless a later write may revisit them.
    Blocked,
    /// Threads wait for locks instead of failing to take them.
    Waiting,
    /// A read-modify-write that changes nothing and blocks its thread is a mere read.
    Exchanges,
    /// Loads wait for a value that lets their thread go on.
    Awaits,
    /// Rounds whose confirmation is certain to fail are not explored to their end.
    Confirming,
    /// A load and the compare-exchange after it are one event.
    Pairs,
    /// Additions that would be made up for at once are not made where no thread observes them.
    Attempts,
    /// A thread that is about to make up for an addition waits until another thread has observed it.
    Undoing,
    /// Of executions that differ only by an exchange of symmetric threads, one is explored.
    Symmetry,
    /// The end that one thread runs alone is not built event by event.
    Epilogue,
    /// Up to `rf`, critical sections are explored without their order.
    LockOrder,
}

impl Reduction {
    /// All of them.
    pub const ALL: [Reduction; 11] = [
        Reduction::Blocked,
        Reduction::Waiting,
        Reduction::Exchanges,
        Reduction::Awaits,
        Reduction::Confirming,
        Reduction::Pairs,
        Reduction::Attempts,
        Reduction::Undoing,
        Reduction::Symmetry,
        Reduction::Epilogue,
        Reduction::LockOrder,
    ];

    /// The name by which it is switched off.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Blocked => "blocked",
            Reduction::Waiting => "waiting",
            Reduction::Exchanges => "exchanges",
            Reduction::Awaits => "awaits",
            Reduction::Confirming => "confirming",
            Reduction::Pairs => "pairs",
            Reduction::Attempts => "attempts",
            Reduction::Undoing => "undoing",
            Reduction::Symmetry => "symmetry",
            Reduction::Epilogue => "epilogue",
            Reduction::LockOrder => "lock-order",
        }
    }

    /// The executions or events that it leaves out, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Reduction::Blocked => {
                "reads that block their thread at once, unless a later write may revisit them"
            }
            Reduction::Waiting => "failing attempts at locks: threads wait instead",
            Reduction::Exchanges => "writes of exchanges that change nothing and block their thread",
            Reduction::Awaits => "loads of values that do not let their thread go on",
            Reduction::Confirming => "rounds that must find a value again which is gone",
            Reduction::Pairs => "a load before the compare-exchange that expects what it has read",
            Reduction::Attempts => "additions that would be undone at once, where no thread observes them",
            Reduction::Undoing => "rounds that undo an addition which no thread has observed",
            Reduction::Symmetry => "executions that differ in which of several symmetric threads does what",
            Reduction::Epilogue => "the events of the thread that runs alone at the end",
            Reduction::LockOrder => "up to rf, orders of critical sections that no read tells apart",
        }
    }

    /// The reduction without which it is off.
    pub fn needs(self) -> Option<Reduction> {
        match self {
            Reduction::Waiting | Reduction::Awaits | Reduction::Confirming | Reduction::Undoing => {
                Some(Reduction::Blocked)
            }
            Reduction::Exchanges | Reduction::Pairs | Reduction::Attempts => Some(Reduction::Waiting),
            Reduction::Blocked | Reduction::Symmetry | Reduction::Epilogue | Reduction::LockOrder => None,
        }
    }

    /// Whether it is exact in this setting, together with those that are on.
    fn is_exact(self, setting: &Setting, on: ReductionSet) -> bool {
        let Setting { has_order, is_open, is_local, looks_for_liveness, sees_executions, facts, .. } =
            *setting;
        match self {
            Reduction::Blocked | Reduction::Waiting => true,
            Reduction::Exchanges => has_order,
            Reduction::Awaits => has_order && is_local && !looks_for_liveness,
            Reduction::Confirming => has_order && !looks_for_liveness,
            Reduction::Pairs => !looks_for_liveness,
            Reduction::Attempts => facts.may_undo && !looks_for_liveness,
            Reduction::Undoing => facts.may_undo,
            // Symmetric threads that wait before a subtraction (`undoing.rs`) were never shown to be exact.
            Reduction::Symmetry => {
                let is_hidden = facts.tells_threads_apart && !facts.announces_it;
                has_order && !is_hidden && (!facts.may_undo || on.has(Reduction::Attempts))
            }
            Reduction::Epilogue => has_order && !sees_executions && !facts.may_undo,
            Reduction::LockOrder => {
                is_open && is_local && !looks_for_liveness && !facts.may_undo && !facts.has_sections
            }
        }
    }
}

/// A set of reductions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReductionSet(u16);

impl ReductionSet {
    /// None of them.
    pub const NONE: ReductionSet = ReductionSet(0);
    /// All of them.
    pub const ALL: ReductionSet = ReductionSet((1 << Reduction::ALL.len()) - 1);

    /// Whether it is among them.
    #[inline(always)]
    pub const fn has(self, reduction: Reduction) -> bool {
        self.0 & 1 << reduction as u16 != 0
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, reduction: Reduction) -> ReductionSet {
        ReductionSet(self.0 | 1 << reduction as u16)
    }

    /// These, but for one.
    #[must_use]
    pub const fn without(self, reduction: Reduction) -> ReductionSet {
        ReductionSet(self.0 & !(1 << reduction as u16))
    }

    /// Those of them that are exact in this setting, if the reductions that they need are on.
    pub(crate) fn exact_in(self, setting: &Setting) -> ReductionSet {
        let stands = |on: ReductionSet, it: Reduction| it.needs().is_none_or(|needed| on.has(needed));
        Reduction::ALL.into_iter().filter(|&it| self.has(it)).fold(ReductionSet::NONE, |on, it| {
            if stands(on, it) && it.is_exact(setting, on) { on.with(it) } else { on }
        })
    }
}

/// The conditions on which the exactness of reductions depends, in one pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// There is an order of all writes to a location, chosen or left open.
    pub(crate) has_order: bool,
    /// It is left open, locks synchronise, and no memory is allocated again.
    pub(crate) is_open: bool,
    /// There is nothing that a global axiom could forbid, as far as is known.
    pub(crate) is_local: bool,
    /// Threads that spin for ever are looked for.
    pub(crate) looks_for_liveness: bool,
    /// Every execution is shown, counted or kept as a graph.
    pub(crate) sees_executions: bool,
    /// Where the order of critical sections is left open.
    pub(crate) locks: LockOrders,
    /// Facts about the program.
    pub(crate) facts: Facts,
}

/// The rooms of an execution under construction.
#[derive(Debug)]
pub(crate) struct Reductions<S> {
    pub(crate) on: ReductionSet,
    pub(crate) waiting: Waiting,
    pub(crate) confirming: Confirming,
    pub(crate) attempts: Attempts<S>,
    pub(crate) symmetry: Symmetry,
    pub(crate) left_out: LeftOut,
    pub(crate) sleeping: Sleeping,
    /// [`Setting::locks`].
    pub(crate) locks: LockOrders,
}

impl<S> Reductions<S> {
    /// None of them.
    pub(crate) fn none() -> Reductions<S> {
        Reductions {
            on: ReductionSet::NONE,
            waiting: Waiting::default(),
            confirming: Confirming::default(),
            attempts: Attempts::default(),
            symmetry: Symmetry::default(),
            left_out: LeftOut::default(),
            sleeping: Sleeping::default(),
            locks: LockOrders::default(),
        }
    }

    /// Those of the set that are exact, for a pass with this ledger.
    pub(crate) fn new(set: ReductionSet, setting: &Setting, ledger: &Ledger) -> Reductions<S> {
        let on = set.exact_in(setting);
        let extent = match on.has(Reduction::Symmetry) && !ledger.has_refuted(&Assumption::Symmetric) {
            false => Extent::Off,
            true if setting.is_local => Extent::All,
            true => Extent::Accesses,
        };
        Reductions {
            on,
            waiting: Waiting::default(),
            confirming: Confirming::new(on.has(Reduction::Confirming), ledger),
            attempts: Attempts::new(ledger),
            symmetry: Symmetry::new(extent),
            left_out: LeftOut::new(setting.facts.left_out),
            sleeping: Sleeping::default(),
            locks: setting.locks,
        }
    }
}

/// A room of an execution under construction: the execution, seen with the state of one reduction.
pub(crate) struct Room<'a, R, P: Hint, C> {
    pub(crate) build: &'a Construction<'a, P, C>,
    pub(crate) state: &'a R,
}

impl<R, P: Hint, C> Clone for Room<'_, R, P, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, P: Hint, C> Copy for Room<'_, R, P, C> {}

impl<'a, R, P: Hint, C> Deref for Room<'a, R, P, C> {
    type Target = Construction<'a, P, C>;

    #[inline(always)]
    fn deref(&self) -> &Construction<'a, P, C> {
        self.build
    }
}

/// The rooms of an execution under construction, each by its name.
pub(crate) trait Rooms<P: Hint, C> {
    /// All of them: the hooks.
    fn hooks(&self) -> Room<'_, Reductions<P::State>, P, C>;
    fn waiting(&self) -> Room<'_, Waiting, P, C>;
    fn awaits(&self) -> Room<'_, Awaits, P, C>;
    fn confirming(&self) -> Room<'_, Confirming, P, C>;
    fn pairs(&self) -> Room<'_, Pairs, P, C>;
    fn attempts(&self) -> Room<'_, Attempts<P::State>, P, C>;
    fn undoing(&self) -> Room<'_, Undoing, P, C>;
    fn symmetry(&self) -> Room<'_, Symmetry, P, C>;
    fn left_out(&self) -> Room<'_, LeftOut, P, C>;
    fn barriers(&self) -> Room<'_, Barriers, P, C>;
    fn sleeping(&self) -> Room<'_, Sleeping, P, C>;
    fn sections(&self) -> Room<'_, Sections, P, C>;
}

impl<P: Hint, C> Rooms<P, C> for Construction<'_, P, C> {
    #[inline(always)]
    fn hooks(&self) -> Room<'_, Reductions<P::State>, P, C> {
        room(self, &self.reductions)
    }

    #[inline(always)]
    fn waiting(&self) -> Room<'_, Waiting, P, C> {
        room(self, &self.reductions.waiting)
    }

    #[inline(always)]
    fn awaits(&self) -> Room<'_, Awaits, P, C> {
        room(self, &Awaits)
    }

    #[inline(always)]
    fn confirming(&self) -> Room<'_, Confirming, P, C> {
        room(self, &self.reductions.confirming)
    }

    #[inline(always)]
    fn pairs(&self) -> Room<'_, Pairs, P, C> {
        room(self, &Pairs)
    }

    #[inline(always)]
    fn attempts(&self) -> Room<'_, Attempts<P::State>, P, C> {
        room(self, &self.reductions.attempts)
    }

    #[inline(always)]
    fn undoing(&self) -> Room<'_, Undoing, P, C> {
        room(self, &Undoing)
    }

    #[inline(always)]
    fn symmetry(&self) -> Room<'_, Symmetry, P, C> {
        room(self, &self.reductions.symmetry)
    }

    #[inline(always)]
    fn left_out(&self) -> Room<'_, LeftOut, P, C> {
        room(self, &self.reductions.left_out)
    }

    #[inline(always)]
    fn barriers(&self) -> Room<'_, Barriers, P, C> {
        room(self, &Barriers)
    }

    #[inline(always)]
    fn sleeping(&self) -> Room<'_, Sleeping, P, C> {
        room(self, &self.reductions.sleeping)
    }

    #[inline(always)]
    fn sections(&self) -> Room<'_, Sections, P, C> {
        room(self, &self.sections)
    }
}

#[inline(always)]
fn room<'a, R, P: Hint, C>(build: &'a Construction<'_, P, C>, state: &'a R) -> Room<'a, R, P, C> {
    Room { build, state }
}

/// Assumptions, as every room notes them.
impl<R, P: Hint, C: Shape> Room<'_, R, P, C> {
    /// Rely on the location being used like that, if that may be; whether it may.
    #[inline(always)]
    pub(crate) fn rely(&self, location: LocationId, property: Use) -> bool {
        self.reductions.on.has(Reduction::Blocked)
            && self.notes.rely(location, self.access_in_ledger(location), property)
    }

    /// Whether the location may be relied on being used like that.
    #[inline(always)]
    pub(crate) fn may_rely(&self, location: LocationId, property: Use) -> bool {
        self.reductions.on.has(Reduction::Blocked) && self.notes.may_rely(location, property)
    }

    /// Note that the location was used like that.
    #[inline(always)]
    pub(crate) fn see(&self, location: LocationId, facts: SeenFacts) {
        self.notes.see(location, self.access_in_ledger(location), facts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting() -> Setting {
        Setting {
            has_order: true,
            is_open: false,
            is_local: true,
            looks_for_liveness: false,
            sees_executions: false,
            locks: LockOrders::default(),
            facts: Facts { may_undo: true, tells_threads_apart: false, ..Facts::default() },
        }
    }

    #[test]
    fn a_reduction_needs_those_it_stands_on() {
        let on = ReductionSet::ALL.without(Reduction::Waiting).exact_in(&setting());
        assert!(!on.has(Reduction::Pairs) && !on.has(Reduction::Exchanges) && !on.has(Reduction::Attempts));
        assert!(on.has(Reduction::Awaits) && on.has(Reduction::Undoing));
        assert!(!on.has(Reduction::Symmetry), "with undoing, it needs attempts");
        let none = ReductionSet::ALL.without(Reduction::Blocked).exact_in(&setting());
        assert_eq!(none, ReductionSet::NONE);
    }

    #[test]
    fn names_are_unique() {
        let names: std::collections::BTreeSet<_> = Reduction::ALL.map(Reduction::name).into();
        assert_eq!(names.len(), Reduction::ALL.len());
    }
}
