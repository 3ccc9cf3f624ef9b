//! Options of an exploration.

use crate::{Policy, Reduction, ReductionSet, Sampling};
use model::Equivalence;
use program::Checks;

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// Report every violation, not only the first.
    pub keep_going: bool,
    /// How many events a thread may make before it counts as endless.
    pub max_events: u64,
    /// How many graphs are visited once a loop has met that limit (`bounds.rs`): a bound on time for callers without a
    /// clock. Callers with one stop by [`Control`](crate::Control).
    pub visits_with_bounds: u64,
    /// Hash every execution and count those that come twice (there are none: this proves it).
    pub count_duplicates: bool,
    /// Keep the first execution as `Outcome::example`.
    pub keep_example: bool,
    /// The reductions that are used where they are exact. The complete executions are the same without them, but for
    /// [`Reduction::Symmetry`] and [`Reduction::LockOrder`], which are off unless they are asked for.
    pub reductions: ReductionSet,
    /// Where the order of critical sections is left open, with [`Reduction::LockOrder`].
    pub locks: LockOrders,
    /// The errors that are violations.
    pub checks: Checks,
    /// Check the invariants of the graph at every visit, and compare its order of blocks (up to `rf`) with the
    /// definition. For tests: slow.
    pub audit: bool,
    /// How the thread that steps next is chosen.
    pub policy: Policy,
    /// Which executions count as the same. (Models without a coherence order have no choice.)
    pub equivalence: Equivalence,
    /// Up to `rf`, with a global axiom: how often one search for a coherence order may branch. If it would have to more often,
    /// the exploration stops.
    pub most_branches: u32,
    /// So many explorers share the work, where a pass can be explored in parts. What comes out is the same with any number.
    pub jobs: usize,
    /// End at the first violation that some explorer finds, wherever that is in the order of the exploration.
    pub fast_fail: bool,
    /// Do not explore, but estimate by samples how many executions there are. (Not those with cycles.)
    pub estimate: Option<Sampling>,
}

/// Where the order of critical sections is left open, if it can be.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LockOrders {
    /// Where the first executions say that it pays.
    #[default]
    Paying,
    /// Where some sections commute.
    Commuting,
    /// Wherever two threads lock one mutex. For tests.
    All,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            keep_going: false,
            max_events: 250_000,
            visits_with_bounds: 1_000_000,
            count_duplicates: false,
            keep_example: false,
            reductions: ReductionSet::ALL.without(Reduction::Symmetry).without(Reduction::LockOrder),
            locks: LockOrders::default(),
            checks: Checks::default(),
            audit: false,
            policy: Policy::default(),
            equivalence: Equivalence::Co,
            most_branches: 100_000,
            jobs: 1,
            fast_fail: false,
            estimate: None,
        }
    }
}
