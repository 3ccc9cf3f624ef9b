//! Random walks against the exploration: the estimate is right on average.

use crate::any_model;
use explore::{Estimate, Executions, Model, Options, StopReason, Verdict, Walks};
use testkit::{Mix, TestProgram, random_program};

fn estimate(program: &TestProgram, walks: Walks) -> Estimate {
    let options = Options { keep_going: true, estimate: Some(walks), ..Options::default() };
    let outcome = any_model::explore(&mut program.clone(), Model::Rc11, &options);
    assert_eq!(outcome.executions, Executions::default());
    match outcome.stopped() {
        Some(&StopReason::Estimated(estimate)) => estimate,
        other => panic!("{other:?}"),
    }
}

fn executions(program: &TestProgram) -> u64 {
    let options = Options { keep_going: true, ..Options::default() };
    let outcome = any_model::explore(&mut program.clone(), Model::Rc11, &options);
    outcome.executions.complete + outcome.executions.blocked
}

/// Of 300 estimates, hardly any is more than four errors from the truth.
#[test]
fn estimates_are_near_the_truth() {
    let mut far = 0;
    for seed in 0..300 {
        let mix = [Mix::General, Mix::Rmws, Mix::Locks, Mix::Rounds][seed as usize % 4];
        let program = random_program(mix, seed);
        let (right, found) = (executions(&program), estimate(&program, Walks { number: 500, seed }));
        assert_eq!(found.walks, 500);
        far += usize::from(found.executions.abs_diff(right) > 4 * found.error + 1);
    }
    assert!(far <= 6, "{far} of 300");
}

/// The same seed gives the same estimate; a program with one execution has exactly that.
#[test]
fn a_seed_says_it_all() {
    let program = random_program(Mix::Rmws, 3);
    let walks = Walks { number: 50, seed: 9 };
    assert_eq!(estimate(&program, walks), estimate(&program, walks));
    let empty = TestProgram::parallel(1, vec![]);
    assert_eq!(estimate(&empty, walks), Estimate { executions: 1, error: 0, walks: 50 });
}

/// An estimate verifies nothing.
#[test]
fn nothing_is_verified() {
    let options = Options { estimate: Some(Walks { number: 1, seed: 0 }), ..Options::default() };
    let outcome = any_model::explore(&mut TestProgram::parallel(1, vec![]), Model::Rc11, &options);
    assert!(matches!(outcome.verdict(), Verdict::Inconclusive(StopReason::Estimated(_))));
}
