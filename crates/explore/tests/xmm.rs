//! XMM: the exploration against the brute force, and the numbers of executions that are known.
//!
//! A binary of its own: it needs RC11's explorer only, which is compiled soon. `THREADBARE_ORACLE_PROGRAMS=100` compares fewer
//! programs.

#![allow(clippy::disallowed_methods, reason = "a short run is asked for by a variable of the environment")]

use explore::{Control, Ending, Observer, Options, Verdict, View, XmmSearch, xmm};
use graph::ExecutionGraph;
use model::Relations;
use std::collections::BTreeSet;
use testkit::xmm_programs::{Taste, families, lbn, random, table_7_1, thin_air, unstable};
use testkit::{TestProgram, show};

/// Keeps the complete executions.
#[derive(Default)]
struct Keeper(Vec<ExecutionGraph>);

impl<S> Observer<S> for Keeper {
    fn start(&mut self) {
        self.0.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        if ending == Ending::Complete {
            self.0.push(execution.graph().canonical());
        }
    }
}

fn explored(program: &TestProgram) -> Vec<ExecutionGraph> {
    let mut keeper = Keeper::default();
    let options = Options { keep_going: true, ..Options::default() };
    let outcome = xmm::explore_with(&mut program.clone(), &options, &Control::new(), &mut keeper);
    assert_eq!(outcome.stopped, None, "{}", show(program));
    assert_eq!(outcome.executions.complete, keeper.0.len() as u64);
    keeper.0
}

/// What is wrong with the exploration of a program, which is small enough for the brute force.
fn difference(program: &TestProgram, right: &BTreeSet<ExecutionGraph>) -> Option<String> {
    let explored = explored(program);
    let found: BTreeSet<ExecutionGraph> = explored.iter().cloned().collect();
    let missing = right.difference(&found).next().map(|graph| format!("missing\n{graph}"));
    let extra = || found.difference(right).next().map(|graph| format!("extra\n{graph}"));
    let twice = || (explored.len() > found.len()).then(|| "an execution comes twice".to_owned());
    missing.or_else(extra).or_else(twice)
}

/// Random programs until there are `programs` that have a candidate with a cycle, or have none.
fn campaign(taste: Taste, cyclic: bool, programs: usize, limit: usize) {
    let asked = std::env::var("THREADBARE_ORACLE_PROGRAMS").ok().and_then(|n| n.parse().ok());
    let programs = asked.unwrap_or(programs);
    let (mut compared, mut reached) = (0, 0);
    for seed in 0.. {
        if compared == programs {
            break;
        }
        let program = random(taste, seed);
        let Some(right) = testkit::xmm::enumerate(&program, limit) else { continue };
        if (right.cyclic_candidates > 0) != cyclic {
            continue;
        }
        compared += 1;
        reached += usize::from(right.cyclic().next().is_some());
        if let Some(difference) = difference(&program, &right.complete) {
            panic!("{taste:?}, seed {seed}: {difference}\n{}", show(&program));
        }
    }
    assert_eq!(cyclic, reached > 0, "{reached} of {compared} have an execution with a cycle");
}

#[test]
fn relaxed_programs_with_a_candidate() {
    campaign(Taste::Relaxed, true, 2_000, 600);
}

#[test]
fn relaxed_programs_without() {
    campaign(Taste::Relaxed, false, 2_000, 600);
}

#[test]
fn mixed_programs_with_a_candidate() {
    campaign(Taste::Mixed, true, 300, 600);
}

#[test]
fn locked_programs_with_a_candidate() {
    campaign(Taste::Locked, true, 150, 1_500);
}

/// The committed sets that the search uses, on the program of section 6.8, where most candidates are not stable.
#[test]
fn uncommitted_reads_are_stable() {
    let program = unstable();
    let right = testkit::xmm::enumerate(&program, 60_000).expect("is small enough");
    assert_eq!(difference(&program, &right.complete), None);
}

#[test]
fn rows_of_table_7_1() {
    for row in table_7_1() {
        let options = Options::default();
        let outcome = xmm::explore(&mut row.program.clone(), &options);
        assert_eq!(outcome.executions.complete, row.xmm, "{}", row.name);
        let acyclic =
            explored(&row.program).iter().filter(|g| model::axioms::porf(&Relations::of(*g))).count();
        assert_eq!(acyclic as u64, row.rc11, "{}", row.name);
    }
}

/// What the thesis' tool finds of them: fewer where it misses some.
#[test]
fn rows_of_table_7_1_by_the_heuristic() {
    let options = Options { xmm: XmmSearch::Heuristic, ..Options::default() };
    let small = families(4).into_iter().filter(|family| !family.name.starts_with("LBn-pairs"));
    for row in table_7_1().into_iter().chain(families(2)).chain(small) {
        let outcome = xmm::explore(&mut row.program.clone(), &options);
        assert_eq!(outcome.executions.complete, row.heuristic, "{}", row.name);
    }
}

/// What is not complete verifies nothing; that `main` joins the threads makes no difference.
#[test]
fn the_heuristic_verifies_nothing() {
    let options = Options { xmm: XmmSearch::Heuristic, ..Options::default() };
    let outcome = xmm::explore(&mut lbn(2).joined(), &options);
    assert_eq!(outcome.executions.complete, 4);
    assert!(matches!(outcome.verdict, Verdict::Inconclusive(_)), "{:?}", outcome.verdict);
}

#[test]
fn the_families_of_the_thesis() {
    for n in [2, 4, 6, 8] {
        for family in families(n) {
            let outcome = xmm::explore(&mut family.program.clone(), &Options::default());
            assert_eq!(outcome.verdict, Verdict::Verified, "{}", family.name);
            assert_eq!(outcome.executions.complete, family.xmm, "{}", family.name);
        }
    }
}

#[test]
fn nothing_comes_out_of_thin_air() {
    for (name, program) in thin_air() {
        for graph in explored(&program) {
            let mut values = graph.events().filter_map(|(_, label)| label.value_read());
            assert!(values.all(|value| value == 0), "{name}\n{graph}");
        }
    }
}
