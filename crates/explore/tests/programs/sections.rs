//! Atomic sections: the exploration finds exactly the executions that the axioms allow, each once.

use crate::any_model;
use crate::campaign::POLICIES;
use base::{ReadOrder, RmwOrder, WriteOrder};
use explore::{Control, Ending, Model, Observer, Options, Outcome, Policy, ReductionSet, View};
use graph::ExecutionGraph;
use model::sections::Isolation;
use program::{FaultKind, SectionOrder};
use std::collections::BTreeSet;
use testkit::build::{fadd, r, w};
use testkit::program::{Expr, Instr};
use testkit::sections::{Kind, Sectioned, enumerate, ordinary, random, rotated};
use testkit::twins::{exchanges, orbits};
use testkit::{TestProgram, oracle, show};

const MODELS: [(Model, Isolation); 3] = [
    (Model::Rc11, model::sections::rc11),
    (Model::C20, model::sections::c20),
    (Model::Sc, model::sections::sc),
];

/// Keeps what is ordinary of every complete execution.
struct Keeper {
    locations: u8,
    found: Vec<ExecutionGraph>,
}

impl<S> Observer<S> for Keeper {
    fn start(&mut self) {
        self.found.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        assert_ne!(ending, Ending::Deadlock, "nobody waits in vain");
        if ending == Ending::Complete {
            self.found.push(ordinary(&execution.graph(), self.locations));
        }
    }
}

fn explore(program: &TestProgram, model: Model, policy: Policy) -> (Outcome, Vec<ExecutionGraph>) {
    let options = Options { keep_going: true, policy, ..Options::default() };
    let mut keeper = Keeper { locations: program.locations, found: Vec::new() };
    let outcome =
        any_model::explore_with(&mut program.clone(), model, &options, &Control::new(), &mut keeper);
    (outcome, keeper.found)
}

fn check(program: &TestProgram, model: Model, right: &Sectioned, policy: Policy, kind: Kind) {
    let (outcome, found) = explore(program, model, policy);
    let set: BTreeSet<ExecutionGraph> = found.iter().cloned().collect();
    let text = || format!("{model:?} {policy:?} {}", show(program));
    if let Some(extra) = set.difference(&right.complete).next() {
        panic!("{}: no execution is\n{extra}", text());
    }
    // Sections that conflict in other executions synchronise in this one, too: that leaves out weak ones.
    let may_lack = kind == Kind::Dependent && model != Model::Sc;
    if let Some(missing) = right.complete.difference(&set).next().filter(|_| !may_lack) {
        panic!("{}: missing\n{missing}", text());
    }
    let racy = outcome.violations.iter().any(|violation| violation.kind == FaultKind::DataRace);
    if kind != Kind::Dependent {
        assert_eq!(found.len(), set.len(), "{}: some executions are explored twice", text());
        assert!(racy || !right.racy, "{}: no race", text());
    }
    // What races in executions that are blocked, the oracle does not say.
    assert!(!racy || right.racy || kind == Kind::Blocking, "{}: races", text());
}

fn campaign(kind: Kind, seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let (mut compared, mut executions, mut forbidden) = (0, 0, 0);
    for seed in seeds {
        let program = random(kind, seed);
        for (model, isolation) in MODELS {
            let of = |program: &TestProgram| {
                enumerate(program, &testkit::Model::of(model), isolation, oracle::Options::default())
            };
            let Some(right) = of(&program) else { continue };
            let policy = POLICIES[seed as usize % POLICIES.len()];
            check(&program, model, &right, policy, kind);
            let other = rotated(&program);
            let again = of(&other).expect("as small as the first");
            assert_eq!(again.complete.len(), right.complete.len(), "{}", show(&program));
            check(&other, model, &again, Policy::default(), kind);
            compared += 1;
            executions += right.complete.len();
            forbidden += right.without - right.complete.len();
        }
    }
    (compared, executions, forbidden)
}

#[test]
fn random_programs() {
    let (compared, executions, forbidden) = campaign(Kind::Fixed, 0..2000);
    assert_eq!((compared, executions, forbidden), (6000, 28_349, 30_041));
}

#[test]
fn random_programs_whose_accesses_depend_on_values() {
    let (compared, executions, forbidden) = campaign(Kind::Dependent, 100_000..101_000);
    assert_eq!((compared, executions, forbidden), (3000, 11_850, 10_398));
}

#[test]
fn random_programs_with_assumptions() {
    assert_eq!(campaign(Kind::Blocking, 300_000..301_000), (3000, 7142, 6219));
}

/// With the first two threads the same: one execution of each orbit at least, and none that is not there.
#[test]
fn identical_threads() {
    let (mut saved, mut orbits_found) = (0, 0);
    for seed in 200_000..201_000 {
        let mut program = random(Kind::Fixed, seed);
        program.codes[1] = program.codes[0].clone();
        for (model, isolation) in MODELS {
            let declarative = testkit::Model::of(model);
            let Some(right) = enumerate(&program, &declarative, isolation, oracle::Options::default()) else {
                continue;
            };
            let options = Options { keep_going: true, reductions: ReductionSet::ALL, ..Options::default() };
            let mut keeper = Keeper { locations: program.locations, found: Vec::new() };
            let outcome =
                any_model::explore_with(&mut program.clone(), model, &options, &Control::new(), &mut keeper);
            let exchanges = exchanges(&program);
            let all = orbits(&right.complete, &exchanges);
            assert_eq!(orbits(&keeper.found, &exchanges), all, "{model:?} {}", show(&program));
            let racy = outcome.violations.iter().any(|violation| violation.kind == FaultKind::DataRace);
            assert_eq!(racy, right.racy, "{model:?} {}", show(&program));
            saved += right.complete.len() - keeper.found.len();
            orbits_found += all.len();
        }
    }
    assert_eq!((saved, orbits_found), (2581, 9075));
}

#[test]
fn identical_sections_are_explored_in_one_order() {
    let options = Options { reductions: ReductionSet::ALL, ..Options::default() };
    let mut code = increment(0, ReadOrder::NotAtomic, WriteOrder::NotAtomic);
    // They do not return what they have read.
    code.push(Instr::Set { dst: 0, value: Expr::Const(0) });
    let outcome = any_model::explore(&mut sectioned(1, vec![code; 6]), Model::Rc11, &options);
    assert_eq!((outcome.verdict().is_verified(), outcome.executions.complete), (true, 1));
}

const R: ReadOrder = ReadOrder::Relaxed;
const W: WriteOrder = WriteOrder::Relaxed;

fn sectioned(locations: u8, codes: Vec<Vec<Instr>>) -> TestProgram {
    TestProgram { order: Some(SectionOrder::default()), ..TestProgram::parallel(locations, codes) }
}

/// `{ r0 = x; x = r0 + 1 }`
fn increment(loc: u8, read: ReadOrder, order: WriteOrder) -> Vec<Instr> {
    vec![Instr::Begin, r(loc, read), Instr::Store { loc, value: Expr::Plus(0, 1), order }, Instr::End]
}

fn executions(program: &TestProgram, model: Model) -> u64 {
    let (outcome, found) = explore(program, model, Policy::default());
    assert!(outcome.verdict().is_verified());
    assert_eq!(outcome.executions.complete, found.len() as u64);
    outcome.executions.complete
}

#[test]
fn sections_are_ordered_iff_they_conflict() {
    for (model, _) in MODELS {
        let disjoint = (0..6).map(|loc| increment(loc, R, W)).collect();
        assert_eq!(executions(&sectioned(6, disjoint), model), 1);
        for (threads, orders) in [(2, 2), (3, 6), (4, 24)] {
            let plain = vec![increment(0, ReadOrder::NotAtomic, WriteOrder::NotAtomic); threads];
            assert_eq!(executions(&sectioned(1, plain), model), orders, "{threads} threads");
        }
        // Two readers are not ordered with each other.
        let read = vec![Instr::Begin, r(0, R), Instr::End];
        assert_eq!(executions(&sectioned(1, vec![read.clone(), read, increment(0, R, W)]), model), 4);
    }
}

#[test]
fn nothing_outside_comes_between() {
    for (model, _) in MODELS {
        let against = |other: Vec<Instr>| executions(&sectioned(1, vec![increment(0, R, W), other]), model);
        assert_eq!(against(vec![fadd(0, RmwOrder::Relaxed)]), 2);
        assert_eq!(against(vec![w(0, W)]), 2);
        assert_eq!(against(vec![r(0, R)]), 2);
    }
}

#[test]
fn a_coherence_order_is_explored_where_it_is_needed() {
    let options = Options { equivalence: explore::Equivalence::Rf, ..Options::default() };
    for other in [vec![w(0, W)], increment(0, R, W)] {
        let mut program = sectioned(1, vec![increment(0, R, W), other]);
        let outcome = any_model::explore(&mut program, Model::Rc11, &options);
        assert_eq!((outcome.verdict().is_verified(), outcome.executions.complete), (true, 2));
    }
}
