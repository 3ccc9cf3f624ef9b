//! Up to reads-from with a global axiom, a search for a coherence order that branches too often is given up, and then there is
//! no verdict.

use crate::any_model;
use explore::{Equivalence, Model, Options, StopReason};
use testkit::{Mix, effort, random_program, show};

/// Random programs for each model, in a full run.
const PROGRAMS: u64 = 2_000;

#[test]
fn a_search_that_is_given_up_leaves_no_verdict() {
    let mut given_up = 0;
    for model in [Model::Rc11, Model::Sc, Model::Tso, Model::Sra] {
        for seed in effort::seeds(PROGRAMS) {
            let mix = [Mix::AllSc, Mix::Sc, Mix::Ties, Mix::Plain][seed as usize % 4];
            let program = random_program(mix, seed);
            let explore = |most_branches: u32| {
                let options = Options {
                    equivalence: Equivalence::Rf,
                    keep_going: true,
                    most_branches,
                    ..Options::default()
                };
                any_model::explore(&mut program.clone(), model, &options)
            };
            let (usual, straight) = (explore(Options::default().most_branches), explore(0));
            match straight.stopped() {
                Some(StopReason::Unsupported { message, .. }) => {
                    assert!(message.contains("--equivalence co"), "{message}");
                    given_up += 1;
                }
                _ => assert_eq!(straight.executions, usual.executions, "{model:?}: {}", show(&program)),
            }
        }
    }
    assert!(given_up > 0, "no search branches");
}
