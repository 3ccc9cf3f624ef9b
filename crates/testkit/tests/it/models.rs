//! The texts of the models against each other's oracle, and without one of their axioms.

use base::{EventId, ReadOrder, WriteOrder};
use graph::{ExecutionGraph, Label, Source};
use model::{Relations, axioms, rc11};
use testkit::oracle::{Options, enumerate};
use testkit::program::{Instr, TestProgram};
use testkit::separating::{all_named, named};
use testkit::{Mix, Model, guess, random_program, show};

fn models() -> [Model; 10] {
    model::Model::ALL.map(Model::of)
}

fn guessed(program: &TestProgram, model: &Model) -> std::collections::BTreeSet<ExecutionGraph> {
    guess::enumerate(program, model, &[0, 1, 2])
}

/// Both brute forces find the same, on every small program without blocked executions.
#[test]
fn guessing_and_extending_agree() {
    for model in models() {
        for row in all_named().into_iter().filter(|row| row.program.len() <= 8) {
            let oracle = enumerate(&row.program, &model, Options::default()).expect("is small");
            assert_eq!(guessed(&row.program, &model), oracle.complete, "{} under {}", row.name, model.name);
        }
    }
}

/// For every axiom of every model a program that has executions which nothing else forbids.
const NEEDED: [(&str, &str, &str); 37] = [
    ("sc", "ATOMICITY", UPDATES),
    ("sc", "SC", "SB rlx"),
    ("tso", "ATOMICITY", UPDATES),
    ("tso", "SC PER LOCATION", "the same the other way round"),
    ("tso", "GHB", "MP rlx"),
    ("sra", "atomicity", UPDATES),
    ("sra", "PO-RF", "LB plain"),
    ("sra", "Wcoh", "CoRW plain"),
    ("sra", "strong-Wcoh", "2+2W rlx"),
    ("sra", "Rcoh", "MP rlx"),
    ("ra", "ATOMICITY", UPDATES),
    ("ra", "PORF", "LB plain"),
    ("ra", "COHERENCE", "MP rlx"),
    ("wra", "weak-atomicity", UPDATES),
    ("wra", "PO-RF", "LB plain"),
    ("wra", "weak-Rcoh", "MP rlx"),
    ("rc20", "atomicity", UPDATES),
    ("rc20", "PO-RF", "LB rlx"),
    ("rc20", "Wcoh", "a revisited read is revisited again"),
    ("rc20", "Rcoh", "MP rel acq"),
    ("relaxed", "atomicity", UPDATES),
    ("relaxed", "PO-RF", "LB rlx"),
    ("relaxed", "Wcoh", "a revisited read is revisited again"),
    ("relaxed", "Rcoh", "CoRR"),
    ("rc11", "ATOMICITY", UPDATES),
    ("rc11", "SBRF", "LB rlx"),
    ("rc11", "COHERENCE", "MP rel acq"),
    ("rc11", "SC-ACYCLICITY", "SB sc"),
    ("c20", "ATOMICITY", UPDATES),
    ("c20", "SBRF", "LB rlx"),
    ("c20", "COHERENCE", "MP rel acq"),
    ("c20", "SC-ACYCLICITY", "SB sc"),
    ("wrc11", "ATOMICITY", UPDATES),
    ("wrc11", "SBRF", "LB rlx"),
    ("wrc11", "COHERENCE", "MP rel acq"),
    ("wrc11", "SC-ACYCLICITY", "SB sc"),
    ("wrc11", "SC-ACYCLICITY", "SB fences"),
];
const UPDATES: &str = "two read-modify-writes meet at one write";

/// Dropping an axiom lets new executions in, on the program that the table names.
#[test]
fn no_axiom_is_idle() {
    for (name, axiom, program) in NEEDED {
        let model = models().into_iter().find(|model| model.name == name).expect(name);
        let weaker = model.clone().without(axiom);
        let program_text = named(program);
        let (right, wrong) = (guessed(&program_text, &model), guessed(&program_text, &weaker));
        assert!(right.is_subset(&wrong), "{name} without {axiom} forbids something of {program}");
        assert!(right != wrong, "{name} without {axiom} is the same on {program}");
        // The oracle that the exploration is compared with builds no porf cycles.
        if !["PO-RF", "PORF", "SBRF"].contains(&axiom) {
            let find = |model| enumerate(&program_text, model, Options::default()).expect(program).complete;
            assert!(find(&model) != find(&weaker), "{name} without {axiom} is the same on {program}");
        }
    }
    for model in models() {
        for axiom in model.axioms {
            let needed = NEEDED.iter().any(|row| (row.0, row.1) == (model.name, axiom.name));
            assert!(needed, "no program for {} of {}", axiom.name, model.name);
        }
    }
}

/// A program in which every access is SC has the same executions under RC11, under C20 and under SC.
#[test]
fn rc11_with_sc_accesses_only_is_sc() {
    for seed in 0..60 {
        let program = random_program(Mix::AllSc, seed);
        let find =
            |model| enumerate(&program, &Model::of(model), Options { limit: 5_000, ..Options::default() });
        let Some(sc) = find(model::Model::Sc) else { continue };
        for model in [model::Model::Rc11, model::Model::C20] {
            let Some(found) = find(model) else { continue };
            assert_eq!(found.complete, sc.complete, "{model:?}: {}", show(&program));
        }
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
    let (hb, eco, sc) = (rc11::hb(g), axioms::eco(g), &g.events.sc);
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
