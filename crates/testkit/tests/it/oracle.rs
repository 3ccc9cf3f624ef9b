//! The oracle against numbers from the literature and against itself.

use testkit::oracle::{Options, enumerate};
use testkit::refuted::{Refuted, litmus, refuted};
use testkit::{Mix, Model, effort, random_program, show};

const UNPRUNED: Options = Options { prune: false, limit: 1_000_000 };

fn check_table(rows: Vec<Refuted>) {
    let mut wrong = Vec::new();
    for row in rows {
        let oracle = enumerate(&row.program, &Model::of(model::Model::Rc11), UNPRUNED).expect(row.name);
        let found = (oracle.complete.len(), oracle.blocked.len());
        if found != (row.complete, row.blocked) {
            wrong.push(format!("{}: {found:?}: {}", row.name, show(&row.program)));
        }
        oracle.complete.iter().chain(&oracle.blocked).for_each(|graph| assert_eq!(graph.check(), Ok(())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn refuted_variants_have_their_numbers() {
    check_table(refuted());
}

#[test]
fn litmus_tests_have_their_numbers() {
    check_table(litmus());
}

/// Pruning relies on consistency being closed under prefixes.
#[test]
fn pruning_changes_nothing() {
    let mut compared = 0;
    for seed in 0.. {
        let program = random_program(Mix::ORACLE[seed as usize % Mix::ORACLE.len()], seed);
        for model in model::Model::ALL.map(Model::of) {
            let Some(mut full) = enumerate(&program, &model, Options { prune: false, limit: 4_000 }) else {
                continue;
            };
            let pruned = enumerate(&program, &model, Options::default()).expect("has fewer states");
            assert!(pruned.states <= full.states);
            full.states = pruned.states;
            assert_eq!(pruned, full, "{} under {}", show(&program), model.name);
            compared += 1;
        }
        // Every mix at least once.
        if compared >= effort::of(1_500) && seed as usize >= Mix::ORACLE.len() {
            break;
        }
    }
}

#[test]
fn what_comes_out_is_well_formed_and_prints() {
    let each_once = Mix::ORACLE.into_iter().flat_map(|mix| model::Model::ALL.map(|model| (mix, model)));
    for (seed, (mix, model)) in (1000..).zip(each_once.clone().chain(each_once)) {
        let program = random_program(mix, seed);
        let options = Options { limit: 5_000, ..Options::default() };
        let Some(oracle) = enumerate(&program, &Model::of(model), options) else { continue };
        for graph in oracle.complete.iter().chain(&oracle.blocked) {
            let consistent = model::declarative::consistent(graph, model.rules());
            assert_eq!(consistent, Ok(()), "{model:?}: {}\n{graph}", show(&program));
            assert_eq!(graph.to_string().parse(), Ok(graph.clone()));
            assert_eq!(&graph.canonical(), graph);
        }
    }
}
