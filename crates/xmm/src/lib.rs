//! XMM: the executions of RC11, and those with cycles that can be justified.
//!
//! Implements: \[XMM\] chapter 5 in the reading of [`model::xmm`], complete where algorithm 2 of the thesis is a
//! heuristic.
//! 1. If no cycle is possible, whatever the threads read (`potential`), this is RC11 and costs nothing more.
//! 2. RC11's explorer finds the executions without cycles. Those with a load-buffering race are *sources*. Where it is
//!    not known yet whether a cycle is possible, they are collected only if there are any, and one is.
//! 3. Each read of another thread's write in a source can be *promised* (`promise`), with its value. With promises,
//!    RC11's explorer runs the program again (`guided`): the promised reads do not wait for their writers. Where the
//!    writers come, the graph has a cycle, and its *core* is kept (`cores`).
//! 4. A core can be reached if one of its smallest committed sets is embedded in a source ([`model::xmm::patterns`]).
//! 5. From a core that can be reached, RC11's explorer finds the executions that go on from there, each once. They may
//!    be sources in turn: back to 3, until nothing is new.
//!
//! Each execution comes out once: without cycles from RC11's explorer, with cycles from its core, of which it has one.
//! Cores may be found several times; that is counted as duplicates.
//!
//! Reductions of RC11's explorer where threads wait leave out blocked executions. Most of them keep every source, up to
//! reads that block their thread, which lead to nothing; those that do not are off when sources are collected
//! (`keeping_failures`): failing confirmations that are left out, exchanges that are no writes, pairs and attempts that
//! are not made (`confirming.rs`, `waiting.rs`, `pairs.rs`, `attempts.rs` in `explore/src/reductions`). They stay on
//! while it is only decided whether there are races at all: a round that is left out has no writes after it.
//!
//! Symmetry is off, too, once sources are collected. (If no execution that is explored has a race, none has with its
//! symmetric threads exchanged.)
//!
//! Not modelled, so that a program with load-buffering races ends without a verdict: threads that are created by other
//! threads than `main`, waiting for anything but a mutex or a thread, accesses of different sizes, and memory errors in
//! executions with cycles; and, if there may be cycles at all, zero-net-effect rounds and atomic sections. An execution
//! with a cycle cannot be replayed.
//! Cost: one exploration for every set of promises that may be smallest, and one for every core.
//!
//! | file | what it knows |
//! |---|---|
//! | `potential`, `legs` | whether a cycle is possible, each thread run alone; the conditions for a cycle |
//! | `collector`, `sources` | executions with load-buffering races, kept as sources |
//! | `promise`, `guided`, `rebuild` | promised reads; the program that has them; back to graphs of the program itself |
//! | `cycles`, `cores`, `acyclic` | the search for executions with cycles; their cyclic parts; graphs that have none |
//! | `rerun`, `justification` | threads of a finished graph, run once more; why a cycle is not out of thin air |
//! | `heuristic` | the executions that the algorithm of the thesis would find |

mod acyclic;
mod collector;
mod cores;
mod cycles;
mod guided;
mod heuristic;
mod justification;
mod legs;
mod potential;
mod promise;
mod rebuild;
mod rerun;
mod sources;

use base::ThreadId;
use collector::{Collector, Watcher};
use cycles::Cycles;
use explore::outcome::{Outcome, StopReason};
use explore::{Control, Exploration, Observer, Options, Reduction, ReductionSet, explore_together_up_to_co};
use model::{Equivalence, Model, rc11};
use potential::Potential;
use program::Hint;

/// The executions with cycles that are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Search {
    /// All.
    #[default]
    Complete,
    /// Those that algorithm 2 of \[XMM\] finds: for comparison.
    Heuristic,
}

/// Explore every execution of the program under any model: where executions have no cycles, this is the explorer alone.
pub fn explore_under<P>(
    program: &mut P,
    model: Model,
    search: Search,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome
where
    P: Hint + Clone + Send,
    P::State: Send + 'static,
{
    match model.rules().cycles {
        model::Cycles::Justified => explore_with(program, search, options, control, observer),
        model::Cycles::Forbidden => {
            let from = Exploration::new(options);
            explore::explore_from(program, model, options, control, observer, from).0
        }
    }
}

/// Explore every execution of the program under XMM.
pub fn explore<P>(program: &mut P, search: Search, options: &Options) -> Outcome
where
    P: Hint + Clone + Send,
    P::State: Send + 'static,
{
    explore_with(program, search, options, &Control::new(), &mut ())
}

/// The same, watched.
pub fn explore_with<P>(
    program: &mut P,
    search: Search,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome
where
    P: Hint + Clone + Send,
    P::State: Send + 'static,
{
    let options = &Options { equivalence: Equivalence::Co, ..options.clone() };
    let mut potential = Potential::of(&*program, FIRST_LOOK);
    if potential.as_ref().is_some_and(|potential| !potential.has_cycle()) {
        return explore_together_up_to_co(program, &rc11::RULES, options, control, observer);
    }
    let facts = program.facts();
    if facts.may_undo || facts.has_sections {
        return without_cycles(program, options, control, observer);
    }
    if potential.as_ref().is_none_or(|potential| !potential.is_exact()) {
        // Most such programs have no cycle: it is better to find that out before sources are collected.
        let mut watcher = Watcher::new(observer);
        let outcome = explore_together_up_to_co(program, &rc11::RULES, options, control, &mut watcher);
        if !watcher.has_races || is_over(&outcome, options) {
            return outcome;
        }
        potential = Potential::of(&*program, SECOND_LOOK);
        if potential.as_ref().is_some_and(|potential| !potential.has_cycle()) {
            return outcome;
        }
    }
    // A round that is certain to fail may justify one that is not (`testkit::xmm_waits::failing_round`), and
    // justifications compare executions by the names of their threads.
    let reductions = keeping_failures(options.reductions).without(Reduction::Symmetry);
    let options = &Options { reductions, ..options.clone() };
    let mut collector = Collector::new(observer);
    let mut outcome = explore_together_up_to_co(program, &rc11::RULES, options, control, &mut collector);
    let Collector { sources, threads, has_grandchildren, .. } = collector;
    if is_over(&outcome, options) || sources.is_empty() {
        return outcome;
    }
    if has_grandchildren {
        let message = "load-buffering races in a program whose created threads create threads: this is not modelled \
                       under XMM";
        outcome.stop(unsupported(message));
        return outcome;
    }
    Cycles::new(
        &*program,
        (search, options),
        control,
        observer,
        potential.as_ref(),
        threads,
        (sources, outcome),
    )
    .run()
}

/// Explore a program with zero-net-effect rounds or atomic sections, without executions with cycles: there is no
/// verdict if there may be some. Attempts that no thread has observed are left out of executions
/// (`reductions/undoing.rs` of crate `explore`). That was not compared with the definitions for executions with cycles;
/// and a source may have its only race with the subtraction that makes up for an attempt. Atomic sections have no
/// definition there.
fn without_cycles<P>(
    program: &mut P,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome
where
    P: Hint + Clone + Send,
    P::State: Send + 'static,
{
    let mut outcome = explore_together_up_to_co(program, &rc11::RULES, options, control, observer);
    let potential = Potential::of(&*program, SECOND_LOOK);
    if !is_over(&outcome, options) && potential.is_none_or(|potential| potential.has_cycle()) {
        let message = match program.facts().has_sections {
            true => {
                "atomic sections in a program that may have cycles in po ∪ rf: this is not modelled under XMM"
            }
            false => {
                "a loop that undoes its additions in a program that may have cycles in po ∪ rf: this is not modelled under \
                 XMM; `--spin=none` with `--unroll N` is"
            }
        };
        outcome.stop(unsupported(message));
    }
    outcome
}

/// These reductions without those that leave out executions from which others are justified.
fn keeping_failures(reductions: ReductionSet) -> ReductionSet {
    let failing = [Reduction::Confirming, Reduction::Exchanges, Reduction::Pairs, Reduction::Attempts];
    failing.into_iter().fold(reductions, ReductionSet::without)
}

/// Steps of threads to see whether a cycle is possible, before and after it is known that there are races.
const FIRST_LOOK: usize = 1_000;
const SECOND_LOOK: usize = 300_000;

/// Whether the exploration has ended, because of a violation or for another reason.
fn is_over(outcome: &Outcome, options: &Options) -> bool {
    outcome.is_cut_short() || (!outcome.violations.is_empty() && !options.keep_going)
}

fn unsupported(message: &str) -> StopReason {
    StopReason::Unsupported { message: message.to_owned(), site: None, thread: ThreadId::MAIN }
}
