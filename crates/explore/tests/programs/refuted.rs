//! The programs that refuted variants of the algorithm, and litmus tests: the right number of executions, whatever
//! the schedule, and the same under every order of the threads.
//!
//! The refuted variants: a revisited read is never revisited again; a write that somebody reads is peeled; the write
//! of a revisited read-modify-write does not sweep; two read-modify-writes may not meet at one source, or revisit only
//! each other; peeled writes, or the revisited read, need not be co-last; one sweep for each place of a write; the
//! co-last choice is dropped when it blocks.

use crate::any_model;
use base::{ReadOrder, RmwOrder, WriteOrder};
use explore::{Executions, Model, Options, Policy, ReductionSet, Verdict};
use program::FaultKind;
use testkit::build::{r, write};
use testkit::program::{Condition, Instr};
use testkit::refuted::{Refuted, litmus, refuted};
use testkit::{Mix, TestProgram, effort, random_program, show};

const POLICIES: [Policy; 7] = [
    Policy::LeftToRight,
    Policy::RightToLeft,
    Policy::WritesFirst,
    Policy::ReadsFirst,
    Policy::RoundRobin,
    Policy::Newest,
    Policy::Random(3),
];

fn count(program: &TestProgram, model: Model, policy: Policy) -> Executions {
    let options = Options {
        policy,
        reductions: ReductionSet::NONE,
        keep_going: true,
        count_duplicates: true,
        ..Options::default()
    };
    crate::endings::count(program, model, &options)
}

fn check(table: Vec<Refuted>) {
    for Refuted { name, program, complete, blocked } in table {
        let expected = Executions { complete: complete as u64, blocked: blocked as u64, duplicate: 0 };
        for policy in POLICIES {
            assert_eq!(
                count(&program, Model::Rc11, policy),
                expected,
                "{name}, {policy:?}: {}",
                show(&program)
            );
        }
    }
}

#[test]
fn programs_that_refuted_a_variant() {
    check(refuted());
}

#[test]
fn litmus_tests() {
    check(litmus());
}

/// A compare-exchange that has no place in the graph it revisits from races all the same.
#[test]
fn a_revisiting_update_races() {
    let cas = |new| testkit::build::cas(0, 0, new, RmwOrder::AcqRel);
    let (plain, flag) = (r(0, ReadOrder::NotAtomic), r(1, ReadOrder::Relaxed));
    let first = vec![plain, write(1, 1, WriteOrder::Relaxed), cas(1)];
    let unless = Instr::Branch { condition: Condition { reg: 0, equal: true, value: 0 }, target: 3 };
    let program = TestProgram::parallel(2, vec![first, vec![flag, unless, cas(2)]]);
    for policy in POLICIES {
        let options = Options { policy, ..Options::default() };
        let outcome = any_model::explore(&mut program.clone(), Model::Rc11, &options);
        assert_eq!(outcome.verdict(), Verdict::Violated, "{policy:?}");
        assert_eq!(outcome.violations[0].kind, FaultKind::DataRace);
    }
}

/// Programs too big for the oracle: every policy and three orders of the threads agree.
#[test]
fn counts_do_not_depend_on_schedule_or_thread_order() {
    for seed in 0..effort::of_large(40) {
        let program = random_program(Mix::Big, seed);
        for model in Model::ALL {
            let expected = count(&program, model, Policy::LeftToRight);
            if expected.complete > 4_000 {
                continue;
            }
            for (i, &policy) in POLICIES.iter().enumerate() {
                let mut permuted = program.clone();
                permuted.codes.rotate_left(i % 3);
                if i >= 4 {
                    permuted.codes.reverse();
                }
                let found = count(&permuted, model, policy);
                assert_eq!(found, expected, "{model:?}, {policy:?}, seed {seed}: {}", show(&permuted));
            }
        }
    }
}
