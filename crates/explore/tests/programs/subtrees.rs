//! An exploration in parts is the whole exploration: cut at random moments and explored in random order, or shared by several
//! explorers, it has the same executions in the same order, the same violations and the same restarts. What the parts find
//! together is what brute force finds.

use crate::any_model::reductions;
use crate::campaign::{Keeper, Subject};
use base::Rng;
use explore::{
    Control, Ending, Equivalence, Exploration, Model, Observer, Options, Outcome, PartObserver, ReductionSet,
    View, explore, explore_from, explore_in_parts, explore_with,
};
use model::Cycles;
use std::any::Any;
use testkit::attempts::{Failing, random_attempts};
use testkit::awaits::random_awaits;
use testkit::critical::random_critical;
use testkit::exchanges::random_exchanges;
use testkit::pairs::random_pairs;
use testkit::rounds::{Loops, random_rounds};
use testkit::twins::random_twins;
use testkit::{Blocked, Explored, Mix, TestProgram, compare, effort, oracle, random_program, show};

/// Random programs for each model, equivalence and kind, in a full run.
const PROGRAMS: u64 = 80;

/// The executions with their endings, as texts; without a coherence order that is one of several.
#[derive(PartialEq, Debug)]
struct Texts {
    has_co: bool,
    found: Vec<String>,
}

impl<S> Observer<S> for Texts {
    fn start(&mut self) {
        self.found.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<S>) {
        let graph = execution.graph();
        let graph = if self.has_co { graph } else { graph.without_co() };
        self.found.push(format!("{ending:?}\n{}", graph.canonical()));
    }

    fn for_part(&self) -> Option<Box<dyn PartObserver<S>>> {
        Some(Box::new(Texts { has_co: self.has_co, found: Vec::new() }))
    }

    fn append(&mut self, part: Box<dyn Any>) {
        let part: Box<Texts> = part.downcast().expect("it was made here");
        self.found.extend(part.found);
    }
}

/// Everything that an outcome says.
fn said(outcome: &Outcome) -> String {
    let violations: Vec<_> = outcome
        .violations
        .iter()
        .map(|it| (it.kind, &it.message, &it.places, it.number, &it.replay))
        .collect();
    format!("{:?} {:?} {:?} {violations:?}", outcome.verdict(), outcome.executions, outcome.restarts)
}

/// Programs with more executions than this are left out: the texts of all of them are compared.
const MOST: u64 = 1_000;

/// Compares the parts with the whole; the number of parts, of executions and of restarts.
fn check(program: &TestProgram, subject: Subject, rng: &mut Rng) -> (u64, usize, usize) {
    let Subject { model, equivalence } = subject;
    let quickly = Options { equivalence, keep_going: true, ..Options::default() };
    if explore(&mut program.clone(), model, &quickly).executions.total() > MOST {
        return (0, 0, 0);
    }
    let keep_going = rng.below(2) == 0;
    let options = Options {
        equivalence,
        keep_going,
        reductions: ReductionSet::ALL,
        count_duplicates: true,
        ..Options::default()
    };
    let texts = || Texts { has_co: !subject.lacks_co(), found: Vec::new() };
    let context = |how: &str| format!("{how}, {subject:?}, keep going {keep_going}: {}", show(program));
    let mut whole = texts();
    let expected = explore_with(&mut program.clone(), model, &options, &Control::new(), &mut whole);
    let mut cut = texts();
    // A hundred parts or so: each of them is walked to.
    let how = (rng.below(u64::MAX), 1 + whole.found.len() as u64 / 16 + rng.below(20));
    let (outcome, parts) = explore_in_parts(&mut program.clone(), model, &options, how, &mut cut);
    assert_eq!(said(&outcome), said(&expected), "{}", context(&format!("cut {how:?}")));
    assert!(cut == whole, "{}", context(&format!("cut {how:?}")));
    let (mut shared, jobs) = (texts(), 1 + rng.index(4));
    let options = Options { jobs, ..options };
    let from = Exploration::new(&options);
    let (outcome, left) =
        explore_from(&mut program.clone(), model, &options, &Control::new(), &mut shared, from);
    assert_eq!(said(&outcome), said(&expected), "{}", context(&format!("{jobs} jobs")));
    assert!(shared == whole && left.is_none(), "{}", context(&format!("{jobs} jobs")));
    (parts, whole.found.len(), expected.restarts.len())
}

fn campaign(equivalence: Equivalence) {
    let models = Model::ALL.into_iter().filter(|model| model.rules().cycles == Cycles::Forbidden);
    let (mut parts, mut executions, mut restarts, mut programs) = (0, 0, 0, 0);
    for model in models {
        let subject = Subject { model, equivalence };
        for seed in effort::seeds(PROGRAMS) {
            let rng = &mut Rng::new(seed);
            let mix = Mix::ORACLE[seed as usize % Mix::ORACLE.len()];
            let kinds = [
                random_program(mix, seed),
                random_awaits(seed),
                random_pairs(seed),
                random_twins(mix, seed),
                random_exchanges(seed),
                random_attempts(seed, Failing::AtOnce),
                random_attempts(seed, Failing::Later),
                random_rounds(seed, Loops::Looking),
                random_rounds(seed, Loops::Confirming),
                random_critical(seed),
            ];
            for program in &kinds {
                let found = check(program, subject, rng);
                parts += found.0;
                executions += found.1;
                restarts += found.2;
                programs += 1;
            }
        }
    }
    assert!(parts > 4 * programs, "{parts} parts of {programs} programs");
    assert!(executions as u64 > 4 * programs, "{executions} executions");
    assert!(restarts as u64 > programs / 50, "{restarts} restarts");
}

#[test]
fn up_to_co() {
    campaign(Equivalence::Co);
}

#[test]
fn up_to_rf() {
    campaign(Equivalence::Rf);
}

/// Random programs that are compared with brute force, in a full run; each is divided twice.
const DIVIDED: u64 = 100;

/// Divides the exploration of a program once with every reduction and once with none, and compares what the parts find
/// together with brute force. Returns the number of parts; `None` if the program is too big for the oracle.
fn divide(program: &TestProgram, subject: Subject, rng: &mut Rng) -> Option<u64> {
    let oracle = subject.oracle(program, oracle::Options::default())?;
    let mut parts = 0;
    for (all, blocked) in [(false, Blocked::Exact), (true, Blocked::Subset)] {
        let options = Options {
            keep_going: true,
            reductions: reductions(all, false),
            equivalence: subject.equivalence,
            ..Options::default()
        };
        let mut keeper = Keeper { explored: Explored::default(), checked: false, subject };
        let how = (rng.below(u64::MAX), 1 + rng.below(4));
        parts += explore_in_parts(&mut program.clone(), subject.model, &options, how, &mut keeper).1;
        // The comparisons of the whole look at these, with their conditions.
        (keeper.explored.deadlocks, keeper.explored.spinning) = (None, None);
        let found = compare(&oracle, &keeper.explored, blocked);
        assert!(found.is_ok(), "{subject:?}, cut {how:?}: {}\n{}", show(program), found.unwrap_err());
    }
    Some(parts)
}

#[test]
fn parts_against_brute_force() {
    let subjects = || {
        let models = Model::ALL.into_iter().filter(|model| model.rules().cycles == Cycles::Forbidden);
        models.flat_map(|model| {
            [Equivalence::Co, Equivalence::Rf].map(|equivalence| Subject { model, equivalence })
        })
    };
    for subject in subjects() {
        let divided = (effort::first_seed()..).filter_map(|seed| {
            let mix = Mix::ORACLE[seed as usize % Mix::ORACLE.len()];
            divide(&random_program(mix, seed), subject, &mut Rng::new(seed))
        });
        let parts: Vec<u64> = divided.take(effort::of(DIVIDED) as usize).collect();
        assert!(parts.iter().sum::<u64>() > 4 * parts.len() as u64, "{subject:?}: {parts:?}");
    }
}
