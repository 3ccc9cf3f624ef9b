//! An exploration in parts has the executions of the whole: what is explored below a graph does not depend on what was explored
//! before it, whichever reductions are on.

use crate::campaign::Subject;
use base::Rng;
use explore::{Ending, Equivalence, Model, Observer, Options, ReductionSet, View, explore_in_parts};
use model::Cycles;
use testkit::awaits::random_awaits;
use testkit::pairs::random_pairs;
use testkit::twins::random_twins;
use testkit::{Mix, TestProgram, effort, random_program, show};

/// Random programs for each model, equivalence and kind, in a full run.
const PROGRAMS: u64 = 400;

/// The executions with their endings, as texts; without a coherence order that is one of several.
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
}

/// How many graphs were explored below, and how many executions there are.
fn check(program: &TestProgram, subject: Subject, rng: &mut Rng) -> Option<(usize, usize)> {
    let Subject { model, equivalence } = subject;
    let options = Options { equivalence, reductions: ReductionSet::ALL, ..Options::default() };
    let depth = 1 + rng.index(12);
    let texts = || Texts { has_co: !subject.lacks_co(), found: Vec::new() };
    let (mut whole, mut parts, mut below) = (texts(), texts(), 0);
    let mut arrange = |paths: &mut Vec<explore::Path>| {
        below = paths.len();
        (1..paths.len()).rev().for_each(|i| paths.swap(i, rng.index(i + 1)));
    };
    let mut program = program.clone();
    let found = explore_in_parts(&mut program, model, &options, depth, &mut arrange, &mut whole, &mut parts)?;
    assert_eq!(found.total() as usize, parts.found.len(), "{subject:?}: {}", show(&program));
    whole.found.sort_unstable();
    parts.found.sort_unstable();
    assert!(whole.found == parts.found, "{subject:?}, depth {depth}: {}", show(&program));
    Some((below, parts.found.len()))
}

fn campaign(equivalence: Equivalence) {
    let models = Model::ALL.into_iter().filter(|model| model.rules().cycles == Cycles::Forbidden);
    for model in models {
        let subject = Subject { model, equivalence };
        let (mut below, mut executions) = (0, 0);
        for seed in effort::seeds(PROGRAMS) {
            let rng = &mut Rng::new(seed);
            let mix = Mix::ORACLE[seed as usize % Mix::ORACLE.len()];
            let programs =
                [random_program(mix, seed), random_awaits(seed), random_pairs(seed), random_twins(mix, seed)];
            for found in programs.iter().filter_map(|program| check(program, subject, rng)) {
                below += found.0;
                executions += found.1;
            }
        }
        let programs = effort::of(PROGRAMS) as usize;
        assert!(below > 4 * programs, "{subject:?}: {below} subtrees");
        assert!(executions > 4 * programs, "{subject:?}: {executions} executions");
    }
}

#[test]
fn up_to_co() {
    campaign(Equivalence::Co);
}

#[test]
fn up_to_rf() {
    campaign(Equivalence::Rf);
}
