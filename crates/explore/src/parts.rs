//! An exploration in parts: the graphs near the root by one explorer, and each subtree below them by an explorer of its own.
//!
//! A graph of the exploration is named by the path that leads to it: at each graph on the way, the number of the child that is
//! visited. A fresh explorer with the same ledger walks down a path, as if everything beside it were explored, and then
//! explores what is below. The parts have exactly the executions of the whole, in whatever order they are explored: what a
//! pass decides is a function of the program, the options, the ledger and the path (`ledger.rs`).
//!
//! Cost: a walk costs the length of one execution, times the children beside the path.

use crate::control::Control;
use crate::core::explorer::{End, Explorer, Go};
use crate::core::shape::{Absent, Open, Shape, Total};
use crate::dispatch::explore_under;
use crate::findings::Findings;
use crate::ledger::Ledger;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::Executions;
use crate::reductions::epilogue::Epilogue;
use model::{Equivalence, Model, Rules};
use program::Hint;

/// The way from the root to a graph: the number of the child at each graph.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Path(Vec<u64>);

/// Explore the program once as a whole, for its ledger; then once more in parts, below the graphs at `depth`, in the order in
/// which `arrange` leaves them. `None` if the whole was stopped.
///
/// # Panics
/// If a part refutes an assumption that the whole has relied on.
pub fn explore_in_parts<P: Hint>(
    program: &mut P,
    model: Model,
    options: &Options,
    depth: usize,
    arrange: &mut dyn FnMut(&mut Vec<Path>),
    whole: &mut dyn Observer<P::State>,
    observer: &mut dyn Observer<P::State>,
) -> Option<Executions> {
    let rules = model.rules();
    let options = &Options { keep_going: true, ..options.clone() };
    let explored = explore_under(program, rules, options, &Control::new(), whole);
    if explored.outcome.stopped().is_some() {
        return None;
    }
    let setting = (rules, options, &explored.ledger);
    Some(match (rules.has_co(), options.equivalence) {
        (true, Equivalence::Co) => parts::<P, Total>(program, setting, depth, arrange, observer),
        (true, Equivalence::Rf) => parts::<P, Open>(program, setting, depth, arrange, observer),
        (false, _) => parts::<P, Absent>(program, setting, depth, arrange, observer),
    })
}

fn parts<P: Hint, C: Shape>(
    program: &P,
    (rules, options, ledger): (&'static Rules, &Options, &Ledger),
    depth: usize,
    arrange: &mut dyn FnMut(&mut Vec<Path>),
    observer: &mut dyn Observer<P::State>,
) -> Executions {
    let control = Control::new();
    let mut found = Executions::default();
    let mut part = |observer: &mut dyn Observer<P::State>, below: Option<&Path>| {
        let findings = Findings::new(options);
        let mut explorer =
            Explorer::<P, C>::new(program, rules, options, &control, observer, ledger, findings);
        // Whether one thread runs alone to the end is remembered from execution to execution: not on the way.
        let epilogue = explorer.without_epilogue();
        let mut frontier = Vec::new();
        match below {
            None => explorer.skim(depth, &mut Path::default(), &mut frontier),
            Some(path) => explorer.explore_below(path, epilogue),
        }
        if let Some(End::Refuted(_)) = explorer.take_end() {
            panic!("a part has refuted what the whole relies on: {}", explorer.build.notes.news());
        }
        found.complete += explorer.findings.executions.complete;
        found.blocked += explorer.findings.executions.blocked;
        frontier
    };
    let mut frontier = part(observer, None);
    arrange(&mut frontier);
    for path in &frontier {
        part(observer, Some(path));
    }
    found
}

impl<P: Hint, C: Shape> Explorer<'_, P, C> {
    /// Explore the graphs up to `depth` below this one, and note the paths of those at `depth`.
    fn skim(&mut self, depth: usize, path: &mut Path, frontier: &mut Vec<Path>) {
        if depth == 0 {
            frontier.push(path.clone());
            return;
        }
        let base = self.depth();
        let (mut next, mut child) = (Some(self.visit()), 0);
        while let Some(go) = next {
            if let Go::Visit = go {
                path.0.push(child);
                self.skim(depth - 1, path, frontier);
                path.0.pop();
                child += 1;
            }
            next = if self.has_ended() || self.depth() == base { None } else { self.step_back() };
        }
    }

    /// Walk down to a graph, and explore everything below it.
    fn explore_below(&mut self, path: &Path, epilogue: Epilogue) {
        for &child in &path.0 {
            self.go_to_child(child);
        }
        self.set_epilogue(epilogue);
        self.run_above(self.depth());
    }
}
