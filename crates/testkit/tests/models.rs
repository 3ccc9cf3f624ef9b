//! The models against each other, and without one of their axioms.

use base::{EventId, ReadOrder, WriteOrder};
use graph::{ExecutionGraph, Label, Source};
use model::{Relations, rc11};
use std::collections::BTreeSet;
use testkit::build::{r, w};
use testkit::oracle::{Options, enumerate};
use testkit::program::{Instr, TestProgram};
use testkit::refuted::{litmus, refuted};
use testkit::{Mix, Model, guess, random_program, show};

/// The programs on which every axiom shows, small enough to guess.
fn small_programs() -> Vec<TestProgram> {
    let (read, write) = (|loc| r(loc, ReadOrder::NotAtomic), |loc| w(loc, WriteOrder::NotAtomic));
    // Plain load buffering: under RA, the only cycles in porf that coherence does not rule out.
    let plain = TestProgram::parallel(2, vec![vec![read(0), write(1)], vec![read(1), write(0)]]);
    let tables = litmus().into_iter().chain(refuted()).map(|row| row.program);
    tables.chain([plain]).filter(|program| program.len() <= 8).collect()
}

/// Both brute forces find the same, on every small program without blocked executions.
#[test]
fn guessing_and_extending_agree() {
    for model in [Model::of(model::Model::Rc11), Model::of(model::Model::Sc)] {
        for program in small_programs() {
            let oracle = enumerate(&program, &model, Options::default()).expect("is small");
            let guessed = guess::enumerate(&program, &model, &[0, 1, 2]);
            assert_eq!(guessed, oracle.complete, "{} under {}", show(&program), model.name);
        }
    }
}

/// Dropping an axiom lets new executions in, on some program.
#[test]
fn no_axiom_is_idle() {
    for model in [Model::of(model::Model::Rc11), Model::of(model::Model::Sc), Model::of(model::Model::Ra)] {
        for axiom in model.axioms.clone() {
            let weaker = model.clone().without(axiom.name);
            let differs = |program: &TestProgram| {
                let right = guess::enumerate(program, &model, &[0, 1, 2]);
                let wrong = guess::enumerate(program, &weaker, &[0, 1, 2]);
                assert!(right.is_subset(&wrong));
                right != wrong
            };
            assert!(small_programs().iter().any(differs), "{} without {}", model.name, axiom.name);
        }
    }
}

/// The same for the oracle that the exploration is compared with; it builds no `porf` cycles.
#[test]
fn no_axiom_is_idle_for_the_oracle() {
    for model in [Model::of(model::Model::Rc11), Model::of(model::Model::Sc), Model::of(model::Model::Ra)] {
        for axiom in model.axioms.iter().filter(|axiom| !["SBRF", "PORF"].contains(&axiom.name)) {
            let weaker = model.clone().without(axiom.name);
            let differs = |program: &TestProgram| {
                let count =
                    |model| enumerate(program, model, Options::default()).expect("is small").complete.len();
                count(&model) != count(&weaker)
            };
            assert!(small_programs().iter().any(differs), "{} without {}", model.name, axiom.name);
        }
    }
}

/// Every SC execution is an RC11 execution; every RA execution is, when the orders say so.
#[test]
fn stronger_models_have_fewer_executions() {
    let mut strict = BTreeSet::new();
    for seed in 0..240 {
        let mix = Mix::ORACLE[seed as usize % Mix::ORACLE.len()];
        let program = random_program(mix, seed + 5000);
        let options = Options { limit: 5_000, ..Options::default() };
        let find = |model| enumerate(&program, &model, options);
        let (Some(rc11), Some(sc)) = (find(Model::of(model::Model::Rc11)), find(Model::of(model::Model::Sc)))
        else {
            continue;
        };
        assert!(sc.complete.is_subset(&rc11.complete), "{}", show(&program));
        assert!(sc.blocked.is_subset(&rc11.blocked), "{}", show(&program));
        if sc.complete.len() < rc11.complete.len() {
            strict.insert(mix.name());
        }
        let has_fences = program.lists().flatten().any(|instr| matches!(instr, Instr::Fence(_)));
        let Some(ra) = find(Model::of(model::Model::Ra)) else { continue };
        if !has_fences {
            assert!(sc.complete.is_subset(&ra.complete), "{}", show(&program));
            // Without SC accesses, RC11 only loses synchronisation against RA.
            let weak = matches!(mix, Mix::Rmws | Mix::Plain | Mix::Blocky | Mix::Wide | Mix::Locks);
            assert!(!weak || ra.complete.is_subset(&rc11.complete), "{}", show(&program));
        }
    }
    assert!(strict.contains("general") && strict.contains("plain"), "{strict:?}");
}

/// A program in which every access is SC has the same executions under RC11 and under SC.
#[test]
fn rc11_with_sc_accesses_only_is_sc() {
    for seed in 0..60 {
        let program = random_program(Mix::AllSc, seed);
        let find = |model| enumerate(&program, &model, Options { limit: 5_000, ..Options::default() });
        let (Some(rc11), Some(sc)) = (find(Model::of(model::Model::Rc11)), find(Model::of(model::Model::Sc)))
        else {
            continue;
        };
        assert_eq!(rc11.complete, sc.complete, "{}", show(&program));
    }
}

/// The graph with an event without location at the beginning and at the end of every thread.
fn padded(graph: &ExecutionGraph) -> ExecutionGraph {
    let shift = |e: EventId| EventId { index: e.index + 1, ..e };
    let source = |source| match source {
        Source::Init => Source::Init,
        Source::Event(write) => Source::Event(shift(write)),
    };
    let pad = |labels: &Vec<Label>| {
        let edge = [Label::Choose(0)];
        [edge.as_slice(), labels, &edge].concat()
    };
    ExecutionGraph {
        threads: graph.threads.iter().map(pad).collect(),
        rf: graph.rf.iter().map(|(&read, &write)| (shift(read), source(write))).collect(),
        co: graph.co.iter().map(|(&at, writes)| (at, writes.iter().map(|&w| shift(w)).collect())).collect(),
    }
}

/// SC-ACYCLICITY with `scb` to the letter of the paper.
fn sc_acyclicity_of_the_paper(g: &Relations) -> bool {
    let (hb, eco, sc) = (rc11::hb(g), rc11::eco(g), &g.events.sc);
    let fences = g.events.fences.intersect(sc);
    let po_other = g.po.minus(&g.loc);
    let around = po_other.compose(&hb).compose(&po_other);
    let scb = g.po.union(&around).union(&hb.intersect(&g.loc)).union(&g.co).union(&g.fr);
    let left = g.identity(sc).union(&hb.opt().restrict_dom(&fences));
    let right = g.identity(sc).union(&hb.opt().restrict_rng(&fences));
    let between = hb.union(&hb.compose(&eco).compose(&hb)).restrict_dom(&fences).restrict_rng(&fences);
    left.compose(&scb).compose(&right).union(&between).is_acyclic()
}

/// `scb` with `asw` as a step says without events at the ends of threads what the paper says with them.
#[test]
fn creation_and_join_in_scb_are_as_with_begin_and_end_events() {
    let (mut violations, mut need_the_step) = (0, 0);
    let preconsistent = Model::of(model::Model::Rc11).without("SC-ACYCLICITY");
    for seed in 0..1000 {
        let mut program = random_program(Mix::Spawn, seed);
        for instr in program.codes.iter_mut().chain([&mut program.main]).flatten() {
            // All accesses SC: else psc has hardly an edge.
            match instr {
                Instr::Load { order, .. } => *order = ReadOrder::SeqCst,
                Instr::Store { order, .. } => *order = WriteOrder::SeqCst,
                _ => {}
            }
        }
        let Some(oracle) =
            enumerate(&program, &preconsistent, Options { limit: 2_000, ..Options::default() })
        else {
            continue;
        };
        for graph in oracle.complete.iter().chain(&oracle.blocked) {
            let relations = Relations::of(graph);
            let ours = rc11::sc_acyclicity(&relations);
            let padded = Relations::of(&padded(graph));
            assert_eq!(ours, sc_acyclicity_of_the_paper(&padded), "{}\n{graph}", show(&program));
            assert_eq!(ours, rc11::sc_acyclicity(&padded), "{}\n{graph}", show(&program));
            violations += usize::from(!ours);
            need_the_step += usize::from(ours != sc_acyclicity_of_the_paper(&relations));
        }
    }
    assert!(violations >= 50 && need_the_step >= 5, "{violations}, {need_the_step}");
}
