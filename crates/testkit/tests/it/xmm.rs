//! The brute force for XMM on programs whose executions are known.

use base::Value;
use graph::{ExecutionGraph, Label};
use testkit::xmm_programs::{Taste, families, random, thin_air, unstable};
use testkit::{Model, TestProgram, oracle, show, xmm};

const LIMIT: usize = 60_000;

fn executions(program: &TestProgram) -> xmm::Executions {
    xmm::enumerate(program, LIMIT).expect("is small enough")
}

fn values_read(graph: &ExecutionGraph) -> impl Iterator<Item = Value> {
    graph.events().filter_map(|(_, label)| Label::value_read(label))
}

#[test]
fn the_families_have_one_cycle_more() {
    for family in families(2) {
        assert_eq!(executions(&family.program).complete.len() as u64, family.xmm, "{}", family.name);
    }
    for family in families(4).into_iter().filter(|family| family.name.starts_with("LBn+ctrl")) {
        assert_eq!(executions(&family.program).complete.len() as u64, family.xmm, "{}", family.name);
    }
}

#[test]
fn nothing_comes_out_of_thin_air() {
    for (name, program) in thin_air() {
        for graph in executions(&program).complete {
            assert!(values_read(&graph).all(|value| value == 0), "{name}\n{graph}");
        }
    }
}

#[test]
fn uncommitted_reads_are_stable() {
    let found = executions(&unstable());
    assert!(found.cyclic_candidates > 0);
    // Thread 1 takes its second branch and reads 1 from U, which came from V, which is written in that branch only.
    for graph in &found.complete {
        let all_ones = graph.threads[1].len() == 4 && values_read(graph).all(|value| value == 1);
        assert!(!all_ones, "{graph}");
    }
}

/// Without load-buffering races there is nothing but RC11; and what has no cycle is RC11's.
#[test]
fn executions_without_cycles_are_those_of_rc11() {
    let (mut compared, mut cyclic) = (0, 0);
    for seed in 0..150 {
        let program = random(if seed % 2 == 0 { Taste::Relaxed } else { Taste::Mixed }, seed);
        let Some(found) = xmm::enumerate(&program, 2_000) else { continue };
        let rc11 = oracle::enumerate(&program, &Model::of(model::Model::Rc11), oracle::Options::default())
            .expect("is small");
        let cycles: Vec<_> = found.cyclic().cloned().collect();
        let acyclic: std::collections::BTreeSet<_> =
            found.complete.iter().filter(|graph| !cycles.contains(graph)).cloned().collect();
        assert!(acyclic == rc11.complete, "seed {seed}: {}", show(&program));
        compared += 1;
        cyclic += usize::from(!cycles.is_empty());
    }
    assert!(compared > 50 && cyclic > 5, "{compared} {cyclic}");
}
