//! An exploration in parts that are cut at random moments and explored in random order: for tests.
//!
//! What comes out must be what one explorer finds alone: the same executions, the same violations, the same restarts.

use crate::control::Control;
use crate::core::explorer::{End, Others};
use crate::core::shape::Shape;
use crate::core::threads::ThreadName;
use crate::dispatch::explore_by;
use crate::observer::{Observer, PartObserver};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::pass::{Common, ExploredPart, Folded, Pass, Start, explore_part};
use crate::run::{Alone, Explorers};
use crate::subtree::{Path, Subtree};
use base::Rng;
use model::Model;
use program::Hint;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Explore the program in parts. Every decision where to cut and what to explore next comes from this seed; a subtree is cut
/// once in so many graphs on average. Returns the number of parts, too.
pub fn explore_in_parts<P: Hint>(
    program: &mut P,
    model: Model,
    options: &Options,
    (seed, seldom): (u64, u64),
    observer: &mut dyn Observer<P::State>,
) -> (Outcome, u64) {
    let cutter = Cutter { rng: RefCell::new(Rng::new(seed)), seldom, parts: Cell::new(0) };
    let outcome = explore_by(program, model.rules(), options, &Control::new(), observer, &cutter);
    (outcome, cutter.parts.get())
}

/// Explores one subtree after the other, at random.
struct Cutter {
    rng: RefCell<Rng>,
    seldom: u64,
    parts: Cell<u64>,
}

/// Takes subtrees and lets the explorer pause, at random.
struct AtRandom {
    given: RefCell<(Rng, Vec<Subtree>)>,
    seldom: u64,
}

impl AtRandom {
    fn is_it(&self, seldom: u64) -> bool {
        self.given.borrow_mut().0.below(seldom) == 0
    }
}

impl Others for AtRandom {
    fn let_pause(&self) -> bool {
        self.is_it(4 * self.seldom)
    }

    fn are_waiting(&self) -> bool {
        self.is_it(self.seldom)
    }

    fn take(&self, subtree: Subtree, _names: Vec<ThreadName>) {
        self.given.borrow_mut().1.push(subtree);
    }
}

impl<P: Hint> Explorers<P> for Cutter {
    fn explore<C: Shape>(
        &self,
        program: &P,
        common: Common<'_>,
        pass: &mut Pass,
        observer: &mut dyn Observer<P::State>,
    ) -> Option<End> {
        let Some(first) = observer.for_part().filter(|_| !program.facts().has_sections) else {
            return Alone.explore::<C>(program, common, pass, observer);
        };
        let mut observers: BTreeMap<Path, Box<dyn PartObserver<P::State>>> = BTreeMap::new();
        loop {
            let mut rng = self.rng.borrow_mut();
            let subtree = pass.left()[rng.index(pass.left().len())].clone();
            let given = RefCell::new((Rng::new(rng.below(u64::MAX)), Vec::new()));
            drop(rng);
            pass.take(&subtree);
            let recalled = pass.recalled();
            let start = Start {
                common,
                subtree: &subtree,
                names: pass.names.as_deref(),
                recalled: recalled.as_ref(),
                visits_per_look: Some(1),
            };
            let others = AtRandom { given, seldom: self.seldom };
            let mut part_observer = first.for_part().expect("the first one was made, too");
            let ExploredPart { part, left, names } =
                explore_part::<P, C>(program, &start, &mut *part_observer, Some(&others));
            pass.names = pass.names.take().or(names);
            let given = others.given.into_inner().1;
            given.into_iter().chain(left).for_each(|subtree| pass.leave(subtree));
            if let Some(part) = part {
                self.parts.set(self.parts.get() + 1);
                observers.insert(part.subtree.start(), part_observer);
                pass.add(part);
            }
            let folded = pass.fold(None, common, |start| {
                observers.remove(start).into_iter().for_each(|part| observer.append(part));
            });
            match folded {
                Folded::GoesOn => {}
                Folded::Again => observers.clear(),
                Folded::Ended(end) => return pass.end(end, common.options),
            }
        }
    }
}
