//! An exploration in parts has the executions of the whole, also where loops are cut, additions undone and rounds kept.

use super::program::Thread;
use super::{MOST_UNDOING, module, run_up_to};
use crate::dice::Dice;
use base::Rng;
use engine::{Ending, Equivalence, Observer, Path, ReductionSet, View, explore_in_parts};
use model::{Cycles, Model};
use testkit::effort;
use vm::{Machine, Options, Spin, ThreadState};

/// How many programs of each kind.
const PARTS: u64 = 2_000;

/// The executions with their endings, as texts.
#[derive(Default)]
struct Texts(Vec<String>);

impl Observer<ThreadState> for Texts {
    fn start(&mut self) {
        self.0.clear();
    }

    fn execution(&mut self, ending: Ending, execution: &dyn View<ThreadState>) {
        self.0.push(format!("{ending:?}\n{}", execution.graph().without_co().canonical()));
    }
}

/// The number of subtrees; `None` if there is too much to explore.
fn check(threads: &[Thread], model: Model, equivalence: Equivalence, seed: u64) -> Option<usize> {
    run_up_to(threads, model, Spin::All, equivalence, MOST_UNDOING).ok()?;
    let options =
        Options { unroll: Some(super::BOUND), has_co: model.rules().has_co(), ..Options::default() };
    let mut machine = Machine::new(module(threads), options).expect("the module is well-formed");
    let how = engine::Options { equivalence, reductions: ReductionSet::ALL, ..engine::Options::default() };
    let rng = &mut Rng::new(seed);
    let (depth, mut below) = (1 + rng.index(16), 0);
    let mut arrange = |paths: &mut Vec<Path>| {
        below = paths.len();
        (1..paths.len()).rev().for_each(|i| paths.swap(i, rng.index(i + 1)));
    };
    let (mut whole, mut parts) = (Texts::default(), Texts::default());
    explore_in_parts(&mut machine, model, &how, depth, &mut arrange, &mut whole, &mut parts)?;
    whole.0.sort_unstable();
    parts.0.sort_unstable();
    assert!(
        whole.0 == parts.0,
        "seed {seed}, {model:?}, {equivalence:?}, depth {depth}: {} executions, {} in parts: {threads:#?}",
        whole.0.len(),
        parts.0.len()
    );
    Some(below)
}

#[test]
fn parts_have_the_executions_of_the_whole() {
    let models: Vec<Model> =
        Model::ALL.into_iter().filter(|model| model.rules().cycles == Cycles::Forbidden).collect();
    let mut below = 0;
    for seed in effort::seeds(PARTS) {
        let model = models[seed as usize % models.len()];
        let equivalence = if (seed / 16).is_multiple_of(2) { Equivalence::Rf } else { Equivalence::Co };
        let dice = || Dice::new(seed);
        let programs =
            [dice().program(), dice().undoing_program(), dice().pairing_program(), dice().leaving_program()];
        let checked = programs.iter().filter_map(|threads| check(threads, model, equivalence, seed));
        below += checked.sum::<usize>();
    }
    assert!(below as u64 > 4 * effort::of(PARTS), "{below} subtrees");
}
