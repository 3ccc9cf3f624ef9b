//! From a model and an equivalence to the explorer of that shape.

use crate::control::Control;
use crate::core::shape::{Absent, Open, Total};
use crate::divide::divide_in;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::replay::{ReplayError, ReplayRun, Replayed};
use crate::run::{Alone, Exploration, Explored, Explorers, Together, estimate_in, explore_in};
use model::{Cycles, Equivalence, Model, Rules};
use program::{Hint, Refinements};

/// Explore every execution of the program.
///
/// # Panics
/// If executions of the model may have cycles in `po ∪ rf`.
pub fn explore<P: Hint>(program: &mut P, model: Model, options: &Options) -> Outcome {
    explore_with(program, model, options, &Control::new(), &mut ())
}

/// The same, watched.
///
/// # Panics
/// If executions of the model may have cycles in `po ∪ rf`.
pub fn explore_with<P: Hint>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    let rules = model.rules();
    assert!(rules.cycles == Cycles::Forbidden, "executions with cycles are a matter of crate `xmm`");
    explore_under(program, rules, options, control, observer).outcome
}

/// The same by [`Options::jobs`] explorers, from this state of the exploration on. If it is paused or cut short, the state that
/// is left is returned, too.
///
/// # Panics
/// If executions of the model may have cycles in `po ∪ rf`.
pub fn explore_from<P>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
    exploration: Exploration,
) -> (Outcome, Option<Exploration>)
where
    P: Hint + Clone + Send,
    P::State: Send,
{
    let rules = model.rules();
    assert!(rules.cycles == Cycles::Forbidden, "executions with cycles are a matter of crate `xmm`");
    let how = How { rules, options, control };
    let Explored { outcome, left, .. } = explore_shaped(program, how, observer, &Together, exploration);
    (outcome, left)
}

/// Divide what is left of the exploration into at least so many subtrees, if there are as many, always in the same way. An
/// outcome if that is not possible.
///
/// # Panics
/// If executions of the model may have cycles in `po ∪ rf`.
pub fn divide<P: Hint>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    from: Exploration,
    at_least: usize,
) -> Result<Exploration, Box<Outcome>> {
    let rules = model.rules();
    assert!(rules.cycles == Cycles::Forbidden, "executions with cycles are a matter of crate `xmm`");
    match (rules.has_co(), options.equivalence) {
        (true, Equivalence::Co) => divide_in::<P, Total>(program, rules, options, control, from, at_least),
        (true, Equivalence::Rf) => divide_in::<P, Open>(program, rules, options, control, from, at_least),
        (false, _) => divide_in::<P, Absent>(program, rules, options, control, from, at_least),
    }
}

/// How to explore, whatever the shape.
#[derive(Clone, Copy)]
struct How<'a> {
    rules: &'static Rules,
    options: &'a Options,
    control: &'a Control,
}

fn explore_shaped<P: Hint>(
    program: &mut P,
    How { rules, options, control }: How<'_>,
    observer: &mut dyn Observer<P::State>,
    by: &impl Explorers<P>,
    from: Exploration,
) -> Explored {
    if let Some(sampling) = options.estimate {
        return match (rules.has_co(), options.equivalence) {
            (true, Equivalence::Co) => estimate_in::<P, Total>(program, rules, options, control, sampling),
            (true, Equivalence::Rf) => estimate_in::<P, Open>(program, rules, options, control, sampling),
            (false, _) => estimate_in::<P, Absent>(program, rules, options, control, sampling),
        };
    }
    match (rules.has_co(), options.equivalence) {
        (true, Equivalence::Co) => {
            explore_in::<P, Total>(program, rules, options, control, observer, by, from)
        }
        (true, Equivalence::Rf) => {
            explore_in::<P, Open>(program, rules, options, control, observer, by, from)
        }
        (false, _) => explore_in::<P, Absent>(program, rules, options, control, observer, by, from),
    }
}

/// Explore every execution by these explorers.
pub(crate) fn explore_by<P: Hint>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
    by: &impl Explorers<P>,
) -> Outcome {
    explore_shaped(program, How { rules, options, control }, observer, by, Exploration::new(options)).outcome
}

pub(crate) fn explore_under<P: Hint>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Explored {
    explore_shaped(program, How { rules, options, control }, observer, &Alone, Exploration::new(options))
}

/// Explore every execution of the program under these rules, up to `co`: a search that is made of explorations of
/// another program (crate `xmm`) needs no other shape.
pub fn explore_up_to_co<P: Hint>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    let from = Exploration::new(options);
    explore_in::<P, Total>(program, rules, options, control, observer, &Alone, from).outcome
}

/// The same by [`Options::jobs`] explorers.
pub fn explore_together_up_to_co<P>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome
where
    P: Hint + Clone + Send,
    P::State: Send,
{
    let from = Exploration::new(options);
    explore_in::<P, Total>(program, rules, options, control, observer, &Together, from).outcome
}

/// Replay one execution, as [`crate::Violation::replay`] writes it.
pub fn replay<P: Hint>(program: &mut P, model: Model, text: &str) -> Result<Outcome, ReplayError> {
    replay_with(program, model, text, &Control::new())
}

/// The same, under control. If the text does not fit the program, the program is explored: that refines it in the way
/// in which it was refined when the text was written.
pub fn replay_with<P: Hint>(
    program: &mut P,
    model: Model,
    text: &str,
    control: &Control,
) -> Result<Outcome, ReplayError> {
    // Without cycles, an execution of XMM is one of RC11; one with a cycle has no text.
    let rules = model.rules();
    let replayed = Replayed::parse(text)?;
    let usual = replay_once(program, rules, replayed.clone(), control);
    // An exploration for all violations goes on after more restarts.
    [false, true].into_iter().fold(usual, |result, keep_going| match result {
        Err(error) if error.is_about_steps() => {
            let options = Options { keep_going, ..Options::default() };
            let found = explore_under(program, rules, &options, control, &mut ()).ledger.refinements();
            // The text says itself which sections are ordered and which rounds are kept.
            let Refinements { sections, kept, .. } = replayed.refinements.clone();
            let refinements = Refinements { sections, kept, ..found };
            replay_once(program, rules, Replayed { refinements, ..replayed.clone() }, control)
        }
        done => done,
    })
}

fn replay_once<P: Hint>(
    program: &mut P,
    rules: &'static Rules,
    mut replayed: Replayed<'_>,
    control: &Control,
) -> Result<Outcome, ReplayError> {
    loop {
        let refused = program.refine(&replayed.refinements);
        refused.map_err(|refusal| ReplayError::Steps(refusal.message))?;
        let run = match rules.has_co() {
            true => crate::replay::run::<P, Total>(&*program, rules, &replayed, control),
            false => crate::replay::run::<P, Absent>(&*program, rules, &replayed, control),
        };
        match run {
            Ok(outcome) => return Ok(outcome),
            Err(ReplayRun::Error(error)) => return Err(error),
            Err(ReplayRun::Conflict(conflict)) => {
                if !replayed.refinements.conflicts.insert(conflict) {
                    return Err(ReplayError::Steps("accesses overlap although they were split".to_owned()));
                }
            }
        }
    }
}
