//! Spinloops: rounds of a loop that change nothing are run once at most, and then block their thread.
//!
//! A round that ends where it began, with all that the thread will ever look at unchanged and without a trace for
//! others, can be left out of every execution: what comes after it would have come without it. So nothing is lost if the
//! thread goes no further at its end, as after `__VERIFIER_assume(0)`. The reads of that round stay in the graph and are
//! revisited by later writes, which is how the loop is left.
//!
//! Implements: [SAVER] sections III (spin-assume), IV and VII (loop rotation, bisimilarity), V (dynamic-spin-assume), VI
//! (zero-net-effect loops of additions, for which the engine does the waiting, and of locks).
//! Differs: private memory counts. A round that changes memory which only its own thread can reach is not cut, unless that
//! memory is written again before anybody can look (`dead_stores`); the paper would cut a loop that counts its attempts
//! in memory. And what the paper gives up, `repeat` finds at run time: that a thread is where it was, by comparing.
//!
//! | file | what it knows |
//! |---|---|
//! | `assume` | effect-free backedges, and what replaces them |
//! | `failing` | on which paths a compare-exchange has failed |
//! | `thread_jumps`, `rotate`, `bisimilar`, `carry` | four ways to bring a loop into the form that `assume` knows |
//! | `doomed` | where it is certain, before the end of a round, that it will be cut |
//! | `atomics` | which globals are only ever accessed atomically |
//! | `watch` | which other loops are watched at run time, and how |
//! | `repeat` | what watching is |
//! | `again` | which plain loads and mutexes are no effect of a round, for the last round has them, too |
//! | `awaits` | after which reads a thread may be blocked at once, so that the engine can let it wait |
//! | `pairs` | which loads could be one event with the compare-exchange after them |
//! | `places` | where an access goes |
//! | `kept` | which rounds are not left out, because of their races |
//! | `rounds` | the same for waits on condition variables |
//! | `zne` | which additions undo others |
//! | `same`, `dead_stores` | when private memory is the same; what in it makes no difference |

mod again;
mod assume;
mod atomics;
mod awaits;
mod bisimilar;
mod carry;
mod dead_stores;
mod doomed;
mod failing;
mod kept;
mod pairs;
mod places;
mod repeat;
mod rotate;
mod rounds;
mod same;
mod thread_jumps;
mod watch;
mod zne;

pub(crate) use awaits::{Awaited, awaits};
pub(crate) use pairs::pairs;
pub(crate) use repeat::Visits;
pub(crate) use rounds::Round;
pub(crate) use same::{is_same, is_same_without_cuts};

use crate::bytecode::{Function, Module};
use crate::cfg::Cfg;
use assume::Analysis;
use atomics::Atomics;

/// Which spinloops are cut to one round. Each kind includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Spin {
    /// None.
    None,
    /// Those that can be told from the code: spin-assume.
    Static,
    /// And those that assign dead registers only and turn out to write nothing: dynamic-spin-assume.
    Dynamic,
    /// And those that turn out to repeat the state of their thread.
    #[default]
    All,
}

/// Cut the spinloops of a module; rounds that are bound to be cut at once, or, if `whole_rounds`, when they end.
pub(crate) fn apply(module: &mut Module, spin: Spin, whole_rounds: bool) {
    if spin == Spin::None {
        return;
    }
    let loading = watch::loading_functions(module);
    let atomics = (!whole_rounds).then(|| Atomics::new(module));
    for function in &mut module.functions {
        apply_to(function, spin, &loading, atomics.as_ref());
    }
    if spin >= Spin::Dynamic {
        zne::give_roles(module);
        again::note(module);
    }
}

fn apply_to(function: &mut Function, spin: Spin, loading: &[bool], atomics: Option<&Atomics>) {
    let mut cfg = Cfg::new(function);
    if Analysis::new(function, &cfg).loops.backedges.is_empty() {
        return;
    }
    thread_jumps::thread_jumps(function, &mut cfg);
    cfg = bisimilar::merge(function, cfg, spin);
    cfg = rotate::rotate(function, cfg, spin);
    cfg = carry::carry(function, cfg);
    assume::cut(function, &mut cfg);
    if spin >= Spin::Dynamic {
        function.watches = watch::watch(function, &mut cfg, spin, loading);
    }
    if let Some(atomics) = atomics {
        doomed::hoist(function, &mut cfg, atomics);
    }
    cfg.write_back(function);
}

/// How many backedges are cut, or might be, or come after an addition that undoes another. What makes them more is worth doing.
fn score(function: &Function, cfg: &Cfg, spin: Spin) -> usize {
    let analysis = Analysis::new(function, cfg);
    let backedges = || analysis.loops.backedges.iter();
    let sure = backedges().filter(|edge| analysis.is_effect_free(edge)).count();
    if spin < Spin::Dynamic {
        return sure;
    }
    let possible = backedges().filter(|edge| analysis.is_potentially_effect_free(edge)).count();
    sure + possible + zne::undone(&analysis).len()
}
