//! Samples against the exploration: the interval of an estimate has the true number of executions.

use crate::any_model;
use explore::{Estimate, Executions, Model, Options, Sampling, StopReason, Verdict};
use testkit::{Mix, TestProgram, random_program};

fn estimate(program: &TestProgram, sampling: Sampling) -> Estimate {
    let options = Options { keep_going: true, estimate: Some(sampling), ..Options::default() };
    let outcome = any_model::explore(&mut program.clone(), Model::Rc11, &options);
    assert_eq!(outcome.executions, Executions::default());
    match outcome.stopped() {
        Some(&StopReason::Estimated(estimate)) => estimate,
        other => panic!("{other:?}"),
    }
}

fn executions(program: &TestProgram) -> u64 {
    let options = Options { keep_going: true, ..Options::default() };
    any_model::explore(&mut program.clone(), Model::Rc11, &options).executions.total()
}

/// A small program is counted, whatever the seed.
#[test]
fn small_programs_are_counted() {
    for seed in 0..300 {
        let mix = [Mix::General, Mix::Rmws, Mix::Locks, Mix::Rounds][seed as usize % 4];
        let program = random_program(mix, seed);
        let (right, found) = (executions(&program), estimate(&program, Sampling { amount: 1000, seed }));
        assert_eq!(found, Estimate { executions: right, low: right, high: right }, "program {seed}");
    }
}

/// With the smallest amount, nearly every interval has the true number.
#[test]
fn intervals_of_few_samples_have_the_truth() {
    let (mut outside, mut sampled) = (0, 0);
    for seed in 0..400 {
        let mix = [Mix::General, Mix::Rmws, Mix::Locks, Mix::Rounds][seed as usize % 4];
        let program = random_program(mix, seed);
        let right = executions(&program);
        let found = estimate(&program, Sampling { amount: 1, seed });
        sampled += usize::from(found.low < found.high);
        outside += usize::from(!(found.low..=found.high).contains(&right));
    }
    assert!(outside <= 3 && sampled > 40, "{outside} outside, {sampled} of 400 sampled");
}

/// The same seed gives the same estimate; a program with one execution has exactly that.
#[test]
fn a_seed_says_it_all() {
    let program = random_program(Mix::Rmws, 3);
    let sampling = Sampling { amount: 1, seed: 9 };
    assert_eq!(estimate(&program, sampling), estimate(&program, sampling));
    let empty = TestProgram::parallel(1, vec![]);
    assert_eq!(estimate(&empty, sampling), Estimate { executions: 1, low: 1, high: 1 });
}

/// An estimate verifies nothing.
#[test]
fn nothing_is_verified() {
    let options = Options { estimate: Some(Sampling { amount: 1, seed: 0 }), ..Options::default() };
    let outcome = any_model::explore(&mut TestProgram::parallel(1, vec![]), Model::Rc11, &options);
    assert!(matches!(outcome.verdict(), Verdict::Inconclusive(StopReason::Estimated(_))));
}
