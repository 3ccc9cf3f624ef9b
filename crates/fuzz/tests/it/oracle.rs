//! Random runs against brute force: every run is an execution, and every execution is some run.

use base::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fuzz::{Ending, Options, Sample, Strategy, sample};
use graph::ExecutionGraph;
use model::{Relations, races};
use program::FaultKind;
use std::collections::{BTreeMap, BTreeSet};
use testkit::program::Instr;
use testkit::{Mix, Model, Oracle, TestProgram, oracle, random_program};

const STRATEGIES: [Strategy; 4] =
    [Strategy::Uniform, Strategy::Pct { depth: 3 }, Strategy::Pos, Strategy::Urw];

fn options(model: model::Model, strategy: Strategy) -> Options {
    Options { strategy, ..Options::new(model) }
}

fn executions(program: &TestProgram, model: &Model) -> Option<Oracle> {
    oracle::enumerate(program, model, oracle::Options { limit: 6000, ..oracle::Options::default() })
}

/// Does the run agree with the executions that there are? What ended early is at least consistent.
fn check(program: &TestProgram, model: &Model, oracle: &Oracle, run: &Sample, what: &str) {
    let graph = run.graph.canonical();
    let relations = Relations::of(&graph);
    let show = || format!("{what}\n{program:?}\n{graph}");
    assert!(model.accepts(&relations), "inconsistent: {}", show());
    match &run.ending {
        Ending::Complete => assert!(oracle.complete.contains(&graph), "no execution: {}", show()),
        Ending::Violated(found) if found.kind == FaultKind::Deadlock => {
            assert!(oracle.deadlocks.contains(&graph), "no deadlock: {}", show());
        }
        Ending::Violated(found) if found.kind == FaultKind::DataRace => {
            assert!(!races::races(&relations, &(model.hb)(&relations)).is_empty(), "no race: {}", show());
        }
        Ending::Violated(found) => assert_eq!(found.kind, FaultKind::UnlockNotOwned, "{}", show()),
        Ending::Blocked | Ending::Unfinished => {}
    }
    if run.ending == Ending::Complete {
        let racy = !races::races(&relations, &(model.hb)(&relations)).is_empty();
        assert!(!racy, "a race was missed: {}", show());
    }
}

#[test]
fn every_run_is_an_execution() {
    let (mut runs, mut programs) = (0, 0);
    for (number, mix) in Mix::ORACLE.into_iter().enumerate() {
        for which in 0..14 {
            let seed = 1000 * number as u64 + which;
            let program = random_program(mix, seed);
            for of in fuzz::models() {
                let model = Model::of(of);
                let Some(oracle) = executions(&program, &model) else { continue };
                programs += 1;
                for run in 0..44 {
                    let strategy = STRATEGIES[run as usize % STRATEGIES.len()];
                    let one = sample(&program, &options(of, strategy), run).expect("it has random runs");
                    let what = format!("{} {seed}, {of:?}, {strategy:?}, run {run}", mix.name());
                    check(&program, &model, &oracle, &one, &what);
                    runs += 1;
                }
            }
        }
    }
    assert!(runs >= 50_000, "{runs} runs of {programs} programs");
}

fn has_sc_event(program: &TestProgram) -> bool {
    program.lists().flatten().any(|instr| match instr {
        Instr::Load { order, .. } => *order == ReadOrder::SeqCst,
        Instr::Store { order, .. } => *order == WriteOrder::SeqCst,
        Instr::Rmw { order, failure, .. } => *order == RmwOrder::SeqCst || *failure == ReadOrder::SeqCst,
        Instr::Fence(order) => *order == FenceOrder::SeqCst,
        _ => false,
    })
}

/// The complete executions that come out of so many runs; no more are made once there are `size`.
fn found(program: &TestProgram, options: &Options, runs: u64, size: u64) -> BTreeSet<ExecutionGraph> {
    let mut found = BTreeSet::new();
    for seed in 0..runs {
        let run = sample(program, options, seed).expect("it has random runs");
        if run.ending == Ending::Complete {
            found.insert(run.graph.canonical());
        }
        if found.len() as u64 == size {
            break;
        }
    }
    found
}

#[test]
fn every_execution_is_some_run() {
    let mut programs = 0;
    let mixes =
        [Mix::General, Mix::Rmws, Mix::Plain, Mix::Wide, Mix::Fences, Mix::Spawn, Mix::Locks, Mix::Ties];
    for (number, mix) in mixes.into_iter().cycle().take(40).enumerate() {
        let program = random_program(mix, 77_000 + number as u64);
        for of in fuzz::models() {
            let model = Model::of(of);
            let Some(oracle) = executions(&program, &model) else { continue };
            let size = oracle.complete.len() as u64;
            if !(2..=60).contains(&size) || oracle.is_racy(&model) {
                continue;
            }
            programs += 1;
            // PCT leaves out what needs more changes than its depth.
            let strategy = [Strategy::Uniform, Strategy::Pos, Strategy::Urw][number % 3];
            let found = found(&program, &options(of, strategy), 20_000 + 1000 * size, size);
            let missing = oracle.complete.iter().find(|graph| !found.contains(graph));
            assert_eq!(
                missing.map(ToString::to_string),
                None,
                "{} of {size} found: {} {number}, {of:?}, {strategy:?}\n{program:?}",
                found.len(),
                mix.name()
            );
        }
    }
    assert!(programs >= 20, "only {programs} programs");
}

/// How often each execution comes out of the runs of some seeds.
fn frequencies(
    program: &TestProgram,
    options: &Options,
    seeds: std::ops::Range<u64>,
) -> BTreeMap<ExecutionGraph, f64> {
    let mut frequencies = BTreeMap::new();
    for seed in seeds {
        let run = sample(program, options, seed).expect("it has random runs");
        *frequencies.entry(run.graph.canonical()).or_default() += 1.0;
    }
    frequencies
}

/// Seeds that follow each other are as good as any: two halves of them show each execution equally often, as far as a
/// chi-square test can tell.
#[test]
fn no_seed_is_special() {
    let mut programs = 0;
    for number in 0..60 {
        let mix =
            [Mix::General, Mix::Rmws, Mix::Sc, Mix::Plain, Mix::ScFences, Mix::Fences][number as usize % 6];
        let program = random_program(mix, 66_000 + number);
        let options = options(model::Model::Rc11, STRATEGIES[number as usize % STRATEGIES.len()]);
        let (one, other) =
            (frequencies(&program, &options, 0..2000), frequencies(&program, &options, 2000..4000));
        // What is rare is one class.
        let (mut rare, mut square, mut classes) = ((0.0, 0.0), 0.0, 0.0);
        let mut add = |(a, b): (f64, f64)| {
            square += (a - b) * (a - b) / (a + b);
            classes += 1.0;
        };
        for graph in one.keys().chain(other.keys().filter(|graph| !one.contains_key(graph))) {
            let (a, b): (f64, f64) = (*one.get(graph).unwrap_or(&0.0), *other.get(graph).unwrap_or(&0.0));
            if a + b < 10.0 { rare = (rare.0 + a, rare.1 + b) } else { add((a, b)) }
        }
        if rare.0 + rare.1 >= 10.0 {
            add(rare);
        }
        if classes < 3.0 {
            continue;
        }
        programs += 1;
        let freedom: f64 = classes - 1.0;
        assert!(square < freedom + 5.0 * (2.0 * freedom).sqrt(), "{square} of {freedom}: {program:?}");
    }
    assert!(programs >= 20, "only {programs} programs");
}

/// Also with SC events, which have an exact order as long as there are few.
#[test]
fn with_sc_events_every_execution_comes_out() {
    let (mut all, mut programs) = (0, 0);
    for number in 0..90 {
        let mix = [Mix::Sc, Mix::AllSc, Mix::ScFences][number as usize % 3];
        let program = random_program(mix, 88_000 + number);
        let of = if number % 2 == 0 { model::Model::Rc11 } else { model::Model::C20 };
        let model = Model::of(of);
        let Some(oracle) = executions(&program, &model) else { continue };
        let size = oracle.complete.len() as u64;
        if !(2..=60).contains(&size) || oracle.is_racy(&model) || !has_sc_event(&program) {
            continue;
        }
        (all, programs) = (all + size, programs + 1);
        let options = options(of, Strategy::Uniform);
        let found = found(&program, &options, 40_000 + 2000 * size, size);
        let missing = oracle.complete.iter().find(|graph| !found.contains(graph));
        let missing = missing.map(ToString::to_string);
        assert_eq!(missing, None, "{} of {size}: {} {number}\n{program:?}", found.len(), mix.name());
    }
    assert!(all > 500 && programs >= 20, "{all} executions of {programs} programs");
}

/// Where SC events have the order in which they come, from the first one on or from a later one, most executions come out,
/// and nothing else.
#[test]
fn settled_sc_events_are_sound() {
    let (mut all, mut seen) = (0, 0);
    for number in 0..120 {
        let mix = [Mix::Sc, Mix::AllSc, Mix::ScFences, Mix::Fences][number as usize % 4];
        let program = random_program(mix, 89_000 + number);
        let of = if number % 8 < 4 { model::Model::Rc11 } else { model::Model::C20 };
        let model = Model::of(of);
        let Some(oracle) = executions(&program, &model) else { continue };
        let mut found = BTreeSet::new();
        for run in 0..600 {
            let strategy = STRATEGIES[run as usize % STRATEGIES.len()];
            let options = Options {
                sc_events: run as usize % 6,
                // Also what has to be forgotten settles their order.
                history: if run % 5 == 0 { 2 } else { 10_000 },
                prune_from: 2,
                ..options(of, strategy)
            };
            let one = sample(&program, &options, run).expect("it has random runs");
            check(&program, &model, &oracle, &one, &format!("{} {number}, run {run}", mix.name()));
            if one.ending == Ending::Complete {
                found.insert(one.graph.canonical());
            }
        }
        if oracle.complete.len() <= 20 {
            (all, seen) = (all + oracle.complete.len(), seen + found.len());
        }
    }
    assert!(all > 300 && 100 * seen >= 80 * all, "{seen} of {all}");
}

/// Dropping what nobody can read any more changes no run, not even if it is done at every write.
#[test]
fn pruning_changes_nothing() {
    let mut longest = 0;
    for (number, mix) in Mix::ORACLE.into_iter().chain([Mix::Big, Mix::Big]).enumerate() {
        for which in 0..12 {
            let program = random_program(mix, 5000 * number as u64 + which);
            for of in fuzz::models() {
                for seed in 0..20 {
                    let strategy = STRATEGIES[seed as usize % STRATEGIES.len()];
                    let run = |prune_from| {
                        let options = Options { prune_from, ..options(of, strategy) };
                        sample(&program, &options, seed).expect("it has random runs")
                    };
                    let (kept, pruned) = (run(usize::MAX), run(2));
                    assert_eq!(kept.ending, pruned.ending, "{program:?}");
                    assert_eq!(kept.graph, pruned.graph, "{program:?}");
                    longest = longest.max(kept.graph.co.values().map(Vec::len).max().unwrap_or(0));
                }
            }
        }
    }
    assert!(longest > 5, "{longest} writes of a location: there is hardly anything to prune");
}
