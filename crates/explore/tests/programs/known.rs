//! Programs whose numbers of executions are known, up to both equivalences.

use explore::{Equivalence, Model, Options};
use testkit::TestProgram;
use testkit::known::{Known, known};

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
