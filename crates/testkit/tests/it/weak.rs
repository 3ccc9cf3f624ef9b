//! The models without a coherence order: what the papers say of them, and WRC11 against RC11.

use base::Value;
use graph::{ExecutionGraph, Label};
use model::{Model, Relations, wrc11};
use std::collections::BTreeSet;
use testkit::common::in_common;
use testkit::oracle::{Options, enumerate};
use testkit::program::TestProgram;
use testkit::separating::named;
use testkit::{Mix, Oracle, random_program, show};

fn oracle(program: &TestProgram, model: Model, limit: usize) -> Option<Oracle> {
    enumerate(program, &testkit::Model::of(model), Options { limit, ..Options::default() })
}

fn complete(name: &str, model: Model) -> BTreeSet<ExecutionGraph> {
    oracle(&named(name), model, 1_000_000).expect(name).complete
}

/// What the reads of a thread read, in each execution.
fn read_by(thread: usize, executions: &BTreeSet<ExecutionGraph>) -> BTreeSet<Vec<Value>> {
    let reads = |graph: &ExecutionGraph| graph.threads[thread].iter().filter_map(Label::value_read).collect();
    executions.iter().map(reads).collect()
}

/// \[RCMC\] section 5, the program ww3r: the values of two unordered writes may alternate, the initial one does not
/// come back.
#[test]
fn ww3r() {
    let strong = read_by(3, &complete("ww3r", Model::Rc11));
    for model in [Model::Wrc11, Model::Wra] {
        let weak = read_by(3, &complete("ww3r", model));
        assert!(weak.contains([1, 2, 1].as_slice()) && !strong.contains([1, 2, 1].as_slice()));
        assert!(weak.contains([1, 2, 2].as_slice()) && strong.contains([1, 2, 2].as_slice()));
        assert!(weak.iter().all(|reads| !(reads[0] != 0 && reads[1] == 0)), "{weak:?}");
        assert_eq!(weak.len(), 1 + 2 + 4 + 8, "zeros, then anything but zeros");
    }
}

/// \[RCMC\] section 5: an increment that has read another is after it.
#[test]
fn two_increments_and_a_read() {
    for model in [Model::Rc11, Model::Wrc11] {
        let executions = complete("FAI, FAI; read", model);
        let reads = read_by(2, &executions);
        assert!(reads.contains([1, 2].as_slice()), "{reads:?}");
        assert!(reads.iter().all(|reads| reads[0] != 1 || reads[1] == 2), "{reads:?}");
    }
}

/// The numbers of executions in \[RCMC\] section 2.3 and tables 2 and 3.
#[test]
fn the_numbers_of_the_paper() {
    for (name, strong, weak) in
        [("CORR2", 72, 49), ("ainc(3)", 6, 6), ("binc(3)", 36, 36), ("casw(3)", 66, 24)]
    {
        assert_eq!(
            (complete(name, Model::Rc11).len(), complete(name, Model::Wrc11).len()),
            (strong, weak),
            "{name}"
        );
    }
    let coherent = complete("CORR2", Model::Rc11).into_iter().map(ExecutionGraph::without_co);
    assert_eq!(coherent.collect::<BTreeSet<_>>().len(), 47);
}

/// Does `mo_weak` order all writes of each location?
fn is_total(graph: &ExecutionGraph) -> bool {
    let g = Relations::of(graph);
    let mo = wrc11::mo_weak(&g);
    let writes = &g.events.writes;
    let pairs = g.loc.restrict_dom(writes).restrict_rng(writes).minus(&g.identity(writes));
    pairs.minus(&mo).minus(&mo.inverse()).is_empty()
}

/// \[RCMC\] section 5: where `mo_weak` orders all writes of each location in every execution of WRC11, the two models
/// coincide, and RC11 has no choice of `co`.
#[test]
fn wrc11_without_unordered_writes_is_rc11() {
    let (mut total, mut several) = (0, 0);
    for seed in 0..700 {
        let program = random_program(Mix::ORACLE[seed as usize % Mix::ORACLE.len()], seed + 9000);
        let Some(weak) = oracle(&program, Model::Wrc11, 2_000) else { continue };
        if !weak.complete.iter().chain(&weak.blocked).all(is_total) {
            continue;
        }
        let strong = oracle(&program, Model::Rc11, 20_000).expect("has about as many states");
        for (strong, weak) in [
            (&strong.complete, &weak.complete),
            (&strong.blocked, &weak.blocked),
            (&strong.deadlocks, &weak.deadlocks),
        ] {
            assert_eq!(strong.len(), weak.len(), "{}", show(&program));
            assert_eq!(
                &in_common(strong, Model::Rc11.rules(), Model::Wrc11.rules()),
                weak,
                "{}",
                show(&program)
            );
        }
        total += 1;
        several += usize::from(weak.complete.len() > 3);
    }
    assert!(total >= 150 && several >= 60, "{total} programs, {several} with several executions");
}

/// What the header of `model::wrc11` says: with `mo_weak`, the formula of ATOMICITY forbids nothing that the other axioms
/// do not, not even where two read-modify-writes may read the same write.
#[test]
fn the_formula_of_atomicity_is_idle_in_wrc11() {
    let weak = testkit::Model::of(Model::Wrc11).without("ATOMICITY");
    let (mut updates, mut same_source) = (0, 0);
    for seed in 0..300 {
        let mix = [Mix::Rmws, Mix::Wide, Mix::Ties, Mix::NotAtomic][seed as usize % 4];
        let program = random_program(mix, seed + 400);
        let Some(oracle) = enumerate(&program, &weak, Options { limit: 2_000, ..Options::default() }) else {
            continue;
        };
        for graph in oracle.complete.iter().chain(&oracle.blocked) {
            let g = wrc11::weakened(&Relations::of(graph));
            assert!(model::axioms::atomicity(&g), "{}\n{graph}", show(&program));
            updates += usize::from(!g.rmw.is_empty());
            same_source += usize::from(!model::axioms::weak_atomicity(&g));
        }
    }
    assert!(updates >= 1000 && same_source >= 200, "{updates} {same_source}");
}

/// A mutex needs no `co`: with locks only, the executions and deadlocks of WRC11 and of RC11 are the same.
#[test]
fn mutexes_are_in_order_without_co() {
    let (mut deadlocks, mut blocked) = (0, 0);
    for seed in 0..150 {
        let program = random_program(Mix::Locks, seed);
        let [strong, weak] = [Model::Rc11, Model::Wrc11].map(|model| oracle(&program, model, 20_000));
        let (Some(strong), Some(weak)) = (strong, weak) else { continue };
        let forget = |list| in_common(list, Model::Rc11.rules(), Model::Wrc11.rules());
        assert_eq!(forget(&strong.complete), weak.complete, "{}", show(&program));
        assert_eq!(forget(&strong.blocked), weak.blocked, "{}", show(&program));
        assert_eq!(forget(&strong.deadlocks), weak.deadlocks, "{}", show(&program));
        deadlocks += usize::from(!weak.deadlocks.is_empty());
        blocked += usize::from(weak.blocked.len() > weak.deadlocks.len());
    }
    assert!(deadlocks >= 3 && blocked >= 30, "{deadlocks} {blocked}");
}
