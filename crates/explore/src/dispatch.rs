//! From a model and an equivalence to the explorer of that shape.

use crate::control::Control;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::replay::{ReplayError, ReplayRun, kept_rounds};
use crate::run::explore_in;
use crate::shape::{Absent, Open, Total};
use model::{Cycles, Equivalence, Model, Rules};
use program::Program;

/// Explore every execution of the program.
pub fn explore<P: Program>(program: &mut P, model: Model, options: &Options) -> Outcome {
    explore_with(program, model, options, &Control::new(), &mut ())
}

/// The same, watched.
///
/// # Panics
/// If executions of the model may have cycles in `po ∪ rf`.
pub fn explore_with<P: Program>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    let rules = model.rules();
    assert!(rules.cycles == Cycles::Forbidden, "executions with cycles are a matter of crate `xmm`");
    match (rules.has_co(), options.equivalence) {
        (true, Equivalence::Co) => explore_in::<P, Total>(program, rules, options, control, observer),
        (true, Equivalence::Rf) => explore_in::<P, Open>(program, rules, options, control, observer),
        (false, _) => explore_in::<P, Absent>(program, rules, options, control, observer),
    }
}

/// Explore every execution of the program under these rules, up to `co`: a search that is made of explorations of another
/// program (crate `xmm`) needs no other shape.
pub fn explore_up_to_co<P: Program>(
    program: &mut P,
    rules: &'static Rules,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    explore_in::<P, Total>(program, rules, options, control, observer)
}

/// Replay one execution, as [`crate::Violation::replay`] writes it.
pub fn replay<P: Program>(program: &mut P, model: Model, text: &str) -> Result<Outcome, ReplayError> {
    replay_with(program, model, text, &Control::new())
}

/// The same, under control. A program whose accesses had to be refined is explored if the text does not fit it: that refines
/// them in the same way.
pub fn replay_with<P: Program>(
    program: &mut P,
    model: Model,
    text: &str,
    control: &Control,
) -> Result<Outcome, ReplayError> {
    let (kept, text) = kept_rounds(text)?;
    program.keep_rounds(&kept);
    let usual = replay_once(program, model, text, control);
    // An exploration for all violations goes on after more restarts.
    [false, true].into_iter().fold(usual, |replayed, keep_going| match replayed {
        Err(error) if error.is_about_steps() => {
            let options = Options { keep_going, ..Options::default() };
            explore_with(program, model, &options, control, &mut ());
            program.keep_rounds(&kept);
            replay_once(program, model, text, control)
        }
        done => done,
    })
}

fn replay_once<P: Program>(
    program: &mut P,
    model: Model,
    text: &str,
    control: &Control,
) -> Result<Outcome, ReplayError> {
    // Without cycles, an execution of XMM is one of RC11; one with a cycle has no text.
    let rules = model.rules();
    loop {
        let run = match rules.has_co() {
            true => crate::replay::run::<P, Total>(&*program, rules, text, control),
            false => crate::replay::run::<P, Absent>(&*program, rules, text, control),
        };
        match run {
            Ok(outcome) => return Ok(outcome),
            Err(ReplayRun::Error(error)) => return Err(error),
            Err(ReplayRun::Conflict(conflict)) => {
                program.refine(conflict).map_err(|refusal| ReplayError::Steps(refusal.message))?;
            }
        }
    }
}
