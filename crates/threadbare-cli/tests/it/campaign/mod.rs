//! The metamorphic campaign: random C programs, each explored in many ways that must agree (`compare.rs` says how).
//!
//! `THREADBARE_SEED=n` starts with program `n`, `THREADBARE_MODELS=rc11,sc` uses these models only. Every program with a
//! difference is listed; the first one is made smaller and shown.

#![expect(clippy::print_stdout, reason = "a test says how much it has done")]

mod compare;
mod compiled;
mod run;

use compare::{Checked, Difference, Sizes, check};
use engine::Model;
use litmus as _;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use testkit::c_programs::{CProgram, random_c_program, shrink};
use testkit::effort;

/// Programs in a full run.
const PROGRAMS: u64 = 150;

/// Harness threads.
const WORKERS: u64 = 2;

#[test]
fn all_ways_to_explore_agree() {
    let (seeds, models) = (effort::seeds(PROGRAMS), models());
    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| {
            let (seeds, models) = (seeds.clone(), models.clone());
            std::thread::spawn(move || work(seeds.skip(worker as usize), &models))
        })
        .collect();
    let mut total = Total::default();
    for worker in workers {
        total.add(worker.join().expect("differences are collected"));
    }
    println!("{}", total.text());
    if let Some((&seed, _)) = total.different.first_key_value() {
        panic!("{} programs differ; the first:\n{}", total.different.len(), smallest(seed, &models));
    }
    assert_eq!(total.skipped.get("does not compile"), None);
    assert!(total.skipped.values().sum::<u64>() * 2 <= effort::of(PROGRAMS), "too many programs are skipped");
}

/// Without one of its outcomes, the complement fails: it would be noticed if the exploration lost one.
#[test]
fn a_missing_outcome_is_noticed() {
    let program = (0..).map(random_c_program).find(|program| {
        matches!(check(program, &[Model::Rc11], 0), Checked::Same(sizes) if sizes.outcomes > 1 && sizes.violated == 0)
    });
    assert!(compare::complement_notices(&program.expect("there are many")));
}

fn models() -> Vec<Model> {
    let wanted = effort::variable("THREADBARE_MODELS");
    let is_wanted = |model: &Model| {
        wanted.as_ref().is_none_or(|names| names.split(',').any(|name| name == model.rules().name))
    };
    Model::ALL.into_iter().filter(is_wanted).collect()
}

/// What workers have found.
#[derive(Default)]
struct Total {
    same: u64,
    sizes: Sizes,
    skipped: BTreeMap<&'static str, u64>,
    different: BTreeMap<u64, Difference>,
}

fn work(seeds: impl Iterator<Item = u64>, models: &[Model]) -> Total {
    let mut total = Total::default();
    for seed in seeds.step_by(WORKERS as usize) {
        match check_caught(&random_c_program(seed), models, seed) {
            Checked::Same(sizes) => {
                total.same += 1;
                total.sizes.add(sizes);
            }
            Checked::Skipped(reason) => *total.skipped.entry(reason).or_default() += 1,
            Checked::Different(difference) => {
                println!("seed {seed}: {difference}");
                total.different.insert(seed, difference);
            }
        }
    }
    total
}

/// A panic is a difference, too.
fn check_caught(program: &CProgram, models: &[Model], seed: u64) -> Checked {
    catch_unwind(AssertUnwindSafe(|| check(program, models, seed))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Checked::Different(Difference { kind: "panic", detail: message.unwrap_or_default() })
    })
}

/// The program of the seed, as small as it can be with the same kind of difference.
fn smallest(seed: u64, models: &[Model]) -> String {
    let kind_of = |program: &CProgram| match check_caught(program, models, seed) {
        Checked::Different(difference) => Some(difference),
        Checked::Same(_) | Checked::Skipped(_) => None,
    };
    let program = random_c_program(seed);
    let kind = kind_of(&program).map(|difference| difference.kind);
    let small = shrink(&program, &mut |p| kind_of(p).map(|difference| difference.kind) == kind);
    let difference = kind_of(&small).map_or(String::new(), |difference| difference.to_string());
    let order: Vec<usize> = (0..small.thread_count()).collect();
    format!("seed {seed}: {difference}\n{}", small.text(&[order]))
}

impl Sizes {
    fn add(&mut self, other: Sizes) {
        self.explorations += other.explorations;
        self.executions += other.executions;
        self.outcomes += other.outcomes;
        self.violated += other.violated;
        self.vacuous += other.vacuous;
        self.exact += other.exact;
    }
}

impl Total {
    fn add(&mut self, other: Total) {
        self.same += other.same;
        self.sizes.add(other.sizes);
        for (reason, number) in other.skipped {
            *self.skipped.entry(reason).or_default() += number;
        }
        self.different.extend(other.different);
    }

    fn text(&self) -> String {
        let Sizes { explorations, executions, outcomes, violated, vacuous, exact } = self.sizes;
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        self.different.values().for_each(|difference| *kinds.entry(difference.kind).or_default() += 1);
        format!(
            "{} programs agree ({violated} of them wrong, {vacuous} without an end, {exact} compared exactly without cuts, {outcomes} outcomes): \
             {explorations} explorations, {executions} executions; skipped: {:?}; different: {kinds:?}",
            self.same, self.skipped
        )
    }
}
