//! The exploration up to reads-from against brute force: it finds exactly the oracle's executions without their coherence
//! orders, each once, and shows each with a coherence order that the model accepts.
//!
//! The environment variables of `oracle.rs` work here, too.

use crate::any_model;
use crate::campaign::{Subject, campaign, named_programs};
use explore::{Control, Ending, Equivalence, Model, Observer, Options, View};
use graph::ExecutionGraph;
use std::collections::BTreeSet;
use testkit::{Mix, TestProgram, random_program, show};

#[test]
fn named() {
    for model in Model::ALL {
        named_programs(Subject { model, equivalence: Equivalence::Rf });
    }
}

#[test]
fn rc11() {
    campaign(Model::Rc11, Equivalence::Rf, 20_000);
}

#[test]
fn c20() {
    campaign(Model::C20, Equivalence::Rf, 20_000);
}

#[test]
fn ra() {
    campaign(Model::Ra, Equivalence::Rf, 20_000);
}

#[test]
fn rc20() {
    campaign(Model::Rc20, Equivalence::Rf, 20_000);
}

#[test]
fn relaxed() {
    campaign(Model::Relaxed, Equivalence::Rf, 5_000);
}

#[test]
fn sc() {
    campaign(Model::Sc, Equivalence::Rf, 5_000);
}

#[test]
fn tso() {
    campaign(Model::Tso, Equivalence::Rf, 5_000);
}

#[test]
fn sra() {
    campaign(Model::Sra, Equivalence::Rf, 5_000);
}

/// Keeps complete executions, without `co`.
#[derive(Default)]
struct Complete(Vec<ExecutionGraph>);

impl<S> Observer<S> for Complete {
    fn start(&mut self) {
        self.0.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        if ending == Ending::Complete {
            self.0.push(execution.graph().without_co().canonical());
        }
    }
}

fn explored(program: &TestProgram, model: Model, equivalence: Equivalence) -> Vec<ExecutionGraph> {
    let options = Options { keep_going: true, equivalence, ..Options::default() };
    let mut complete = Complete::default();
    any_model::explore_with(&mut program.clone(), model, &options, &Control::new(), &mut complete);
    complete.0
}

/// Programs that are too big for the oracle: up to `rf` there is what there is up to `co`, each once.
#[test]
fn larger_programs() {
    for seed in 0..12 {
        let program = random_program(Mix::Big, seed);
        for model in Model::ALL.into_iter().filter(|model| model.equivalences().len() > 1) {
            let right: BTreeSet<_> = explored(&program, model, Equivalence::Co).into_iter().collect();
            let found = explored(&program, model, Equivalence::Rf);
            assert_eq!(found.len(), right.len(), "{model:?}, seed {seed}: {}", show(&program));
            assert!(
                found.into_iter().collect::<BTreeSet<_>>() == right,
                "{model:?}, seed {seed}: {}",
                show(&program)
            );
        }
    }
}
