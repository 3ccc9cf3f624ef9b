//! An exploration in parts is the whole exploration, also where loops are cut, additions undone and rounds kept: the same
//! executions, violations and restarts, whether parts are cut at random or shared by several explorers.

use super::program::Thread;
use super::{MOST_UNDOING, module, run_up_to};
use crate::dice::Dice;
use base::Rng;
use engine::{
    Control, Ending, Equivalence, Job, Observer, Outcome, PartObserver, ReductionSet, View, explore_in_parts,
};
use model::{Cycles, Model};
use std::any::Any;
use testkit::effort;
use vm::{Machine, Options, Spin, ThreadState};

/// How many programs of each kind.
const PARTS: u64 = 2_000;

/// The executions with their endings, as texts.
#[derive(Default, PartialEq)]
struct Texts(Vec<String>);

impl Observer<ThreadState> for Texts {
    fn start(&mut self) {
        self.0.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<ThreadState>) {
        self.0.push(format!("{ending:?}\n{}", execution.graph().without_co().canonical()));
    }

    fn for_part(&self) -> Option<Box<dyn PartObserver<ThreadState>>> {
        Some(Box::new(Texts::default()))
    }

    fn append(&mut self, part: Box<dyn Any>) {
        let part: Box<Texts> = part.downcast().expect("it was made here");
        self.0.extend(part.0);
    }
}

/// Everything that an outcome says.
fn said(outcome: &Outcome) -> String {
    let violations: Vec<_> = outcome
        .violations
        .iter()
        .map(|it| (it.kind, &it.message, &it.places, it.number, it.replay.split(':').next_back()))
        .collect();
    format!("{:?} {:?} {:?} {violations:?}", outcome.verdict(), outcome.executions, outcome.restarts)
}

/// The number of parts; `None` if there is too much to explore.
fn check(threads: &[Thread], model: Model, equivalence: Equivalence, seed: u64) -> Option<u64> {
    run_up_to(threads, model, Spin::All, equivalence, MOST_UNDOING).ok()?;
    let options = Options {
        unroll: Some(super::BOUND),
        step_limit: super::STEPS,
        has_co: model.rules().has_co(),
        ..Options::default()
    };
    let machine = Machine::new(module(threads), options).expect("the module is well-formed");
    let rng = &mut Rng::new(seed);
    let usual = Job::new(model);
    let how = engine::Options {
        equivalence,
        keep_going: rng.below(2) == 0,
        reductions: ReductionSet::ALL,
        ..usual.options.clone()
    };
    let job = Job { options: how.clone(), ..usual };
    let [mut whole, mut cut, mut shared] = [Texts::default(), Texts::default(), Texts::default()];
    let expected = engine::explore(&mut machine.clone(), &job, &Control::new(), &mut whole);
    let random = (rng.below(u64::MAX), 1 + whole.0.len() as u64 / 16 + rng.below(20));
    let (outcome, parts) = explore_in_parts(&mut machine.clone(), model, &how, random, &mut cut);
    assert_eq!(said(&outcome), said(&expected), "seed {seed}, {model:?}, {how:?}, {random:?}: {threads:#?}");
    assert!(cut == whole, "seed {seed}, {model:?}, {how:?}, {random:?}: {threads:#?}");
    let job = Job { options: engine::Options { jobs: 2 + rng.index(3), ..how }, ..job };
    let outcome = engine::explore(&mut machine.clone(), &job, &Control::new(), &mut shared);
    assert_eq!(said(&outcome), said(&expected), "seed {seed}, {job:?}: {threads:#?}");
    assert!(shared == whole, "seed {seed}, {job:?}: {threads:#?}");
    Some(parts)
}

#[test]
fn parts_are_the_whole() {
    let models: Vec<Model> =
        Model::ALL.into_iter().filter(|model| model.rules().cycles == Cycles::Forbidden).collect();
    let mut parts = 0;
    for seed in effort::seeds(PARTS) {
        let model = models[seed as usize % models.len()];
        let equivalence = if (seed / 16).is_multiple_of(2) { Equivalence::Rf } else { Equivalence::Co };
        let dice = || Dice::new(seed);
        let programs =
            [dice().program(), dice().undoing_program(), dice().pairing_program(), dice().leaving_program()];
        let checked = programs.iter().filter_map(|threads| check(threads, model, equivalence, seed));
        parts += checked.sum::<u64>();
    }
    assert!(parts > 4 * effort::of(PARTS), "{parts} parts");
}
