//! Spinloops: rounds of a loop that change nothing are run once at most, and then block their thread.
//!
//! A round that ends where it began, with everything unchanged that the thread will ever look at and without a trace
//! for other threads, can be left out of every execution: the events after it are possible without it. So nothing is
//! lost if the thread goes no further at its end, as after `__VERIFIER_assume(0)`. The reads of that round stay in the
//! graph and are revisited by later writes, which is how the loop is left.
//!
//! Implements: [SAVER] sections III (spin-assume), IV and VII (loop rotation, bisimilarity), V (dynamic-spin-assume),
//! VI (zero-net-effect loops of additions, for which the engine does the waiting, and of locks).
//! Differs: private memory counts. A round that changes memory which only its own thread can reach is not cut, unless
//! that memory is written again before it can be read (`dead_stores`); the paper would cut a loop that counts its
//! attempts in memory. And where the paper gives up, `repeat` finds at run time, by comparing, that a thread is where
//! it was.
//!
//! | file | contents |
//! |---|---|
//! | `assume` | effect-free backedges, and the instructions that replace them |
//! | `failing` | on which paths a compare-exchange has failed |
//! | `thread_jumps`, `rotate`, `bisimilar`, `carry` | four ways to bring a loop into the form that `assume` knows |
//! | `faint` | counters that decide nothing are taken out |
//! | `futile` | where it is certain, before the end of a round, that it will be cut |
//! | `atomics` | which globals are only ever accessed atomically |
//! | `watch` | which other loops are watched at run time, and how |
//! | `repeat` | watching: whether the thread is where it was at the start of the round, or of an earlier one |
//! | `carried` | or where it would be, had an earlier read found what the last one has found |
//! | `awaits` | after which reads a thread may be blocked at once, so that the engine can let it wait |
//! | `pairs` | which loads could be one event with the compare-exchange after them |
//! | `places` | where an access goes |
//! | `fates` | what became of each loop, to be told |
//! | `kept` | which rounds are not left out, because of their races |
//! | `rounds` | rounds of waits on condition variables |
//! | `zne` | rounds with zero net effect: an addition, and the subtraction that makes up for it |
//! | `same`, `dead_stores` | when private memory is the same; which bytes of it make no difference |

mod assume;
mod atomics;
mod awaits;
mod bisimilar;
mod carried;
mod carry;
mod dead_stores;
mod failing;
mod faint;
mod fates;
mod futile;
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
pub(crate) use carried::carriers;
pub(crate) use fates::Fates;
pub(crate) use pairs::pairs;
pub(crate) use repeat::Visits;
pub(crate) use rounds::Round;
pub(crate) use same::{is_same, is_same_without_cuts};

use crate::bytecode::{Function, Module};
use crate::cfg::{Cfg, Dominators, Loops};
use assume::Analysis;
use atomics::Atomics;
use fates::Noted;
use watch::Calls;

/// Which spinloops are cut to one round. Each kind includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Spin {
    /// None.
    None,
    /// Those that the code shows: spin-assume.
    Static,
    /// And those that assign dead registers only and turn out to write nothing: dynamic-spin-assume.
    Dynamic,
    /// And those that turn out to repeat the state of their thread.
    #[default]
    All,
}

/// Cut the spinloops of a module; futile rounds at once, or, if `whole_rounds`, when they end. Returns what became of them.
pub(crate) fn apply(module: &mut Module, spin: Spin, whole_rounds: bool) -> Fates {
    if spin == Spin::None {
        return Fates::default();
    }
    let calls = Calls::new(module);
    let atomics = (!whole_rounds).then(|| Atomics::new(module));
    let mut left = MOST_LOOKS;
    let mut loops = Vec::new();
    for function in &mut module.functions {
        loops.push(apply_to(function, spin, &calls, (atomics.as_ref(), &mut left)));
    }
    if spin >= Spin::Dynamic {
        zne::give_roles(module);
    }
    Fates::new(loops)
}

/// How much is worth doing for the loops of a function. To do less is always right: a round that is not cut is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effort {
    /// Nothing: their analysis would take too much memory.
    None,
    /// Nothing: there are no loops.
    Idle,
    /// One look at each loop.
    Once,
    /// Each loop is also brought into other forms, and all of the function is looked at again each time.
    Full,
}

/// The budget of `Effort::Full`, which is quadratic, for all functions together: loops times the instructions and the
/// blocks of loops. About half a second.
const MOST_LOOKS: usize = 1 << 20;
/// The largest analysis of a graph: blocks of loops, words of live registers. About 100 MB.
const MOST_KNOWN: usize = 1 << 23;

impl Effort {
    /// The effort for a function, if there are so many looks left, of which it takes its share.
    fn of(function: &Function, cfg: &Cfg, left: &mut usize) -> Effort {
        let dominators = Dominators::new(cfg);
        let ops: usize = cfg.blocks.iter().map(|block| block.ops.len()).sum();
        let all = Loops::within(cfg, &dominators, MOST_KNOWN / 8);
        let Some(all) = all.filter(|_| !is_too_large(function, cfg)) else { return Effort::None };
        let in_loops: usize = all.backedges.iter().map(|edge| edge.body.len()).sum();
        let loops = all.backedges.len();
        match left.checked_sub(loops.saturating_mul(ops + in_loops)) {
            Some(_) if loops == 0 => Effort::Idle,
            Some(rest) => {
                *left = rest;
                Effort::Full
            }
            None => Effort::Once,
        }
    }
}

/// Whether there is no room for the registers that are live at each block.
fn is_too_large(function: &Function, cfg: &Cfg) -> bool {
    cfg.blocks.len() * usize::from(function.registers).div_ceil(64) > MOST_KNOWN
}

fn apply_to(
    function: &mut Function,
    spin: Spin,
    calls: &Calls,
    (atomics, left): (Option<&Atomics>, &mut usize),
) -> Vec<Noted> {
    let mut cfg = Cfg::new(function);
    let effort = Effort::of(function, &cfg, left);
    if matches!(effort, Effort::None | Effort::Idle) {
        return Vec::new();
    }
    thread_jumps::thread_jumps(function, &mut cfg);
    if effort == Effort::Full && spin == Spin::All {
        // A branch may be idle once another one is gone.
        faint::forget(function, &mut cfg);
        faint::forget(function, &mut cfg);
    }
    if effort == Effort::Full {
        cfg = bisimilar::merge(function, cfg, spin);
        cfg = rotate::rotate(function, cfg, spin);
        cfg = carry::carry(function, cfg);
    }
    let mut noted = assume::cut(function, &mut cfg);
    // Each loop that is cut takes a register.
    if spin >= Spin::Dynamic && !is_too_large(function, &cfg) {
        function.watches = watch::watch(function, &mut cfg, spin, calls, &mut noted);
    }
    if let Some(atomics) = atomics.filter(|_| effort == Effort::Full) {
        futile::hoist(function, &mut cfg, atomics);
    }
    cfg.write_back(function);
    noted
}

/// How many backedges are cut, or might be, plus the additions that make up for others. A change that raises the score
/// is worth making.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{List, Op, Operand, Reg};
    use base::{ReadOrder, Site};

    /// So many loops, one after the other, that wait for a value.
    fn waiting(loops: u32) -> Module {
        let (dst, address) = (Reg(0), Operand::Reg(Reg(1)));
        let load = Op::Load { size: 4, order: ReadOrder::Relaxed, partial: false, dst, address };
        let again = |at| Op::Branch { condition: Operand::Reg(dst), then: at + 2, otherwise: at };
        let mut code: Vec<Op> = (0..loops).flat_map(|number| [load, again(2 * number)]).collect();
        code.push(Op::Return { values: List { first: 0, len: 0 } });
        let sites = vec![Site(0); code.len()];
        let function = Function { registers: 2, code, sites, ..Function::default() };
        Module { functions: vec![function], ..Module::default() }
    }

    /// Loops that the code alone decides are cut however many there are; the whole function is not looked at again for
    /// each of them.
    #[test]
    fn many_loops_are_cut_in_no_time() {
        for (loops, effort) in [(1, Effort::Full), (100, Effort::Full), (20_000, Effort::Once)] {
            let mut module = waiting(loops);
            let function = &module.functions[0];
            assert_eq!(Effort::of(function, &Cfg::new(function), &mut { MOST_LOOKS }), effort);
            apply(&mut module, Spin::All, false);
            let cuts = module.functions[0].code.iter().filter(|op| matches!(op, Op::SpinAssume { .. }));
            assert_eq!(cuts.count(), loops as usize);
        }
    }

    /// Each loop that is cut takes a register.
    #[test]
    fn registers_do_not_run_out() {
        let mut module = waiting(70_000);
        apply(&mut module, Spin::Static, true);
        let function = &module.functions[0];
        assert_eq!(function.registers, u16::MAX);
        let cuts = function.code.iter().filter(|op| matches!(op, Op::SpinAssume { .. }));
        assert_eq!(cuts.count(), usize::from(u16::MAX) - 2);
    }
}
