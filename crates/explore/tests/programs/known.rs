//! Programs whose numbers of executions are known, up to both equivalences.

use crate::any_model;
use explore::{Equivalence, Executions, Model, Options};
use testkit::TestProgram;
use testkit::known::{Known, known};
use testkit::locks::{LockProgram, lock_programs, spin_programs, tested_locks};

fn complete(program: &TestProgram, equivalence: Equivalence) -> u64 {
    let options = Options { equivalence, ..Options::default() };
    any_model::explore(&mut program.clone(), Model::Rc11, &options).executions.complete
}

#[test]
fn the_numbers_are_the_known_ones() {
    for Known { name, program, co, rf } in known() {
        assert_eq!(complete(&program, Equivalence::Rf), rf, "{name} up to rf");
        if let Some(co) = co {
            assert_eq!(complete(&program, Equivalence::Co), co, "{name} up to co");
        }
    }
}

/// No failing attempt at a mutex or a spinlock is explored, and a deadlock is found once.
#[test]
fn locks_wait() {
    for LockProgram { name, program, complete, deadlocks } in
        lock_programs().into_iter().chain(spin_programs())
    {
        let expected = Executions { complete, blocked: deadlocks, duplicate: 0 };
        for model in Model::ALL {
            for equivalence in [Equivalence::Co, Equivalence::Rf] {
                let options =
                    Options { equivalence, keep_going: true, count_duplicates: true, ..Options::default() };
                let found = crate::endings::count(&program, model, &options);
                assert_eq!(found, expected, "{name}, {model:?}, {equivalence:?}");
            }
        }
    }
}

/// Up to `co` and without a global axiom, no failing test of a lock is explored either.
#[test]
fn tests_wait() {
    for (n, complete) in [(2, 4), (3, 36), (4, 576)] {
        for model in [Model::Rc11, Model::Ra] {
            let found = any_model::explore(&mut tested_locks(n), model, &Options::default()).executions;
            let expected = Executions { complete, blocked: 0, duplicate: 0 };
            assert_eq!(found, expected, "{n} threads, {model:?}");
        }
    }
}
