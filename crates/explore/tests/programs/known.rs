//! Programs whose numbers of executions are known, up to both equivalences.

use explore::{Equivalence, Executions, Model, Options};
use testkit::TestProgram;
use testkit::known::{Known, known};
use testkit::locks::{LockProgram, lock_programs};

fn complete(program: &TestProgram, equivalence: Equivalence) -> u64 {
    let options = Options { equivalence, ..Options::default() };
    explore::explore(&mut program.clone(), Model::Rc11, &options).executions.complete
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

/// No failing attempt at a mutex is explored, and a deadlock is found once.
#[test]
fn locks_wait() {
    for LockProgram { name, program, complete, deadlocks } in lock_programs() {
        let expected = Executions { complete, blocked: deadlocks, duplicate: 0 };
        for model in Model::ALL {
            for equivalence in [Equivalence::Co, Equivalence::Rf] {
                let options =
                    Options { equivalence, keep_going: true, count_duplicates: true, ..Options::default() };
                let found = explore::explore(&mut program.clone(), model, &options).executions;
                assert_eq!(found, expected, "{name}, {model:?}, {equivalence:?}");
            }
        }
    }
}
