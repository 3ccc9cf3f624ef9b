//! XMM: the exploration against the brute force, and the numbers of executions that are known.
//!
//! A binary of its own: it needs RC11's explorer only, which is compiled soon.

use explore::{Control, Ending, Observer, Options, Verdict, View};
use graph::{ExecutionGraph, Label, restrict};
use model::Relations;
use std::collections::BTreeSet;
use testkit::xmm_programs::{
    Taste, families, lbn, random, random_words, table_7_1, thin_air, unstable, unsynchronised,
};
use testkit::xmm_waits::{FinalState, Waits, failing_round};
use testkit::{TestProgram, effort, show};
use xmm::Search;

/// Keeps the complete executions, and the others.
#[derive(Default)]
struct Keeper {
    complete: Vec<ExecutionGraph>,
    blocked: Vec<ExecutionGraph>,
}

impl<S> Observer<S> for Keeper {
    fn start(&mut self) {
        *self = Keeper::default();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        let graph = execution.graph().canonical();
        if ending == Ending::Complete { self.complete.push(graph) } else { self.blocked.push(graph) }
    }
}

fn explored(program: &TestProgram) -> Keeper {
    let mut keeper = Keeper::default();
    let options = Options { keep_going: true, ..Options::default() };
    let outcome =
        xmm::explore_with(&mut program.clone(), Search::Complete, &options, &Control::new(), &mut keeper);
    assert_eq!(outcome.stopped(), None, "{}", show(program));
    // `main` of these programs joins nobody, so that for the engine an execution is also complete if the others wait for ever.
    assert!(outcome.executions.complete >= keeper.complete.len() as u64);
    assert_eq!(outcome.executions.total(), (keeper.complete.len() + keeper.blocked.len()) as u64);
    keeper
}

/// What is wrong with the exploration of a program, which is small enough for the brute force.
fn difference(program: &TestProgram, right: &BTreeSet<ExecutionGraph>) -> Option<String> {
    let explored = explored(program).complete;
    let found: BTreeSet<ExecutionGraph> = explored.iter().cloned().collect();
    let missing = right.difference(&found).next().map(|graph| format!("missing\n{graph}"));
    let extra = || found.difference(right).next().map(|graph| format!("extra\n{graph}"));
    let twice = || (explored.len() > found.len()).then(|| "an execution comes twice".to_owned());
    missing.or_else(extra).or_else(twice)
}

/// Random programs until there are enough, which is `full` in a full run, that have a candidate with a cycle, or have none.
fn campaign(of: impl Fn(u64) -> TestProgram, cyclic: bool, full: u64, limit: usize) {
    let programs = effort::of(full);
    let (mut compared, mut reached) = (0, 0);
    for seed in effort::first_seed().. {
        if compared == programs {
            break;
        }
        let program = of(seed);
        let Some(right) = testkit::xmm::enumerate(&program, limit) else { continue };
        if (right.cyclic_candidates > 0) != cyclic {
            continue;
        }
        compared += 1;
        reached += usize::from(right.cyclic().next().is_some());
        if let Some(difference) = difference(&program, &right.complete) {
            panic!("seed {seed}: {difference}\n{}", show(&program));
        }
    }
    assert_eq!(cyclic, reached > 0, "{reached} of {compared} have an execution with a cycle");
}

#[test]
fn relaxed_programs_with_a_candidate() {
    campaign(|seed| random(Taste::Relaxed, seed), true, 2_000, 600);
}

#[test]
fn relaxed_programs_without() {
    campaign(|seed| random(Taste::Relaxed, seed), false, 2_000, 600);
}

#[test]
fn mixed_programs_with_a_candidate() {
    campaign(|seed| random(Taste::Mixed, seed), true, 300, 600);
}

#[test]
fn locked_programs_with_a_candidate() {
    campaign(|seed| random(Taste::Locked, seed), true, 150, 1_500);
}

/// What is known of lock words leaves out no cycle that there is.
#[test]
fn words_with_a_candidate() {
    campaign(random_words, true, 400, 1_500);
}

/// Why lock words may not synchronise, one reason each.
#[test]
fn words_that_do_not_synchronise() {
    for (why, program) in unsynchronised() {
        let right = testkit::xmm::enumerate(&program, 2_000_000).expect("is small enough");
        assert!(right.cyclic().next().is_some(), "{why}");
        assert_eq!(difference(&program, &right.complete), None, "{why}");
    }
}

/// What the explorer leaves out where threads wait is no execution that another one is justified by.
#[test]
fn waiting_programs_with_a_candidate() {
    campaign(|seed| Waits::random(seed).assumed(), true, 2_000, 600);
}

#[test]
fn waiting_programs_without() {
    campaign(|seed| Waits::random(seed).assumed(), false, 500, 600);
}

/// Is the first execution a part of the second one?
fn is_prefix(part: &ExecutionGraph, of: &ExecutionGraph) -> bool {
    let keep: Vec<u32> = part.threads.iter().map(|labels| labels.len() as u32).collect();
    let fits = |(part, of): (&Vec<Label>, &Vec<Label>)| of.starts_with(part);
    part.threads.len() == of.threads.len()
        && part.threads.iter().zip(&of.threads).all(fits)
        && part.rf.iter().all(|(read, source)| of.rf.get(read) == Some(source))
        && restrict(of, &keep).canonical() == part.canonical()
}

/// Everything that an execution may be re-executed from is a part of an execution that is explored.
fn lost_source(program: &TestProgram, right: &testkit::xmm::Executions) -> Option<ExecutionGraph> {
    let Keeper { complete, blocked } = explored(program);
    let is_there = |source: &&ExecutionGraph| complete.iter().chain(&blocked).any(|of| is_prefix(source, of));
    right.sources.iter().find(|source| !is_there(source)).cloned()
}

#[test]
fn no_source_is_lost_where_threads_wait() {
    let (programs, mut compared, mut sources) = (effort::of(1_000), 0, 0);
    for seed in effort::first_seed().. {
        if compared == programs {
            break;
        }
        let program = Waits::random(seed).assumed();
        let Some(right) = testkit::xmm::enumerate(&program, 600) else { continue };
        if right.cyclic_candidates == 0 {
            continue;
        }
        compared += 1;
        sources += right.sources.len();
        if let Some(source) = lost_source(&program, &right) {
            panic!("seed {seed}: {}\n{source}", show(&program));
        }
    }
    assert!(sources as u64 > compared);
}

/// A round that fails for certain may justify one that does not: in an execution with a cycle, nobody makes it fail.
#[test]
fn a_failing_round_justifies() {
    let program = failing_round();
    let right = testkit::xmm::enumerate(&program, 2_000_000).expect("is small enough");
    assert_eq!(lost_source(&program, &right), None);
    assert_eq!(difference(&program, &right.complete), None);
}

/// Random programs with a round of each loop, and with two: they must end in the same ways. How many of them have an
/// execution in which a round fails?
fn compare_rounds(of: impl Fn(u64) -> Waits, programs: u64, limit: usize) -> u64 {
    let (mut compared, mut failing) = (0, 0);
    for seed in effort::first_seed().. {
        if compared == programs {
            break;
        }
        let waits = of(seed);
        let (assumed, unrolled) = (waits.assumed(), waits.unrolled(2));
        let Some(once) = testkit::xmm::enumerate(&assumed, limit) else { continue };
        if once.cyclic_candidates == 0 {
            continue;
        }
        let Some(twice) = testkit::xmm::enumerate(&unrolled, 4 * limit) else { continue };
        compared += 1;
        failing += u64::from(twice.complete.len() > once.complete.len());
        let states = |program: &TestProgram, executions: &testkit::xmm::Executions| {
            executions.complete.iter().map(|graph| FinalState::of(program, graph)).collect::<BTreeSet<_>>()
        };
        let (once, twice) = (states(&assumed, &once), states(&unrolled, &twice));
        assert_eq!(once, twice, "seed {seed}: {}", show(&assumed));
    }
    failing
}

/// A loop that waits can be cut to one round.
#[test]
fn failing_rounds_change_nothing() {
    let programs = effort::of(500);
    let failing = compare_rounds(Waits::random, programs, 600);
    assert!(failing * 4 > programs, "{failing} have executions in which a round fails");
}

/// ... and a loop that looks for something under a mutex.
#[test]
fn failing_rounds_under_a_mutex_change_nothing() {
    let programs = effort::of(100);
    let failing = compare_rounds(Waits::random_locked, programs, 1_500);
    assert!(failing * 4 > programs, "{failing} have executions in which a round fails");
}

/// What is explored of such loops.
#[test]
fn locked_waiting_programs_with_a_candidate() {
    campaign(|seed| Waits::random_locked(seed).assumed(), true, 100, 1_500);
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
        let outcome = xmm::explore(&mut row.program.clone(), Search::Complete, &options);
        assert_eq!(outcome.executions.complete, row.xmm, "{}", row.name);
        let acyclic = explored(&row.program)
            .complete
            .iter()
            .filter(|g| model::axioms::porf(&Relations::of(*g)))
            .count();
        assert_eq!(acyclic as u64, row.rc11, "{}", row.name);
    }
}

/// What the thesis' tool finds of them: fewer where it misses some.
#[test]
fn rows_of_table_7_1_by_the_heuristic() {
    let options = Options::default();
    let small = families(4).into_iter().filter(|family| !family.name.starts_with("LBn-pairs"));
    for row in table_7_1().into_iter().chain(families(2)).chain(small) {
        let outcome = xmm::explore(&mut row.program.clone(), Search::Heuristic, &options);
        assert_eq!(outcome.executions.complete, row.heuristic, "{}", row.name);
    }
}

/// What is not complete verifies nothing; that `main` joins the threads makes no difference.
#[test]
fn the_heuristic_verifies_nothing() {
    let options = Options::default();
    let outcome = xmm::explore(&mut lbn(2).joined(), Search::Heuristic, &options);
    assert_eq!(outcome.executions.complete, 4);
    assert!(matches!(outcome.verdict(), Verdict::Inconclusive(_)), "{:?}", outcome.verdict());
}

#[test]
fn the_families_of_the_thesis() {
    for n in [2, 4, 6, 8, 10, 12, 14] {
        for family in families(n) {
            let outcome = xmm::explore(&mut family.program.clone(), Search::Complete, &Options::default());
            assert!(outcome.verdict().is_verified(), "{}", family.name);
            assert_eq!(outcome.executions.complete, family.xmm, "{}", family.name);
            assert_eq!(outcome.executions.duplicate, family.duplicates, "{}", family.name);
        }
    }
}

#[test]
fn nothing_comes_out_of_thin_air() {
    for (name, program) in thin_air() {
        for graph in explored(&program).complete {
            let mut values = graph.events().filter_map(|(_, label)| label.value_read());
            assert!(values.all(|value| value == 0), "{name}\n{graph}");
        }
    }
}
