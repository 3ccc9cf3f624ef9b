//! From the name of a model to its explorer.
//!
//! Models are types, so every one of them has an explorer of its own: this is the only place that names them all.

use crate::control::Control;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::replay::{ReplayError, ReplayRun, kept_rounds};
use crate::run::explore_in;
use model::{Equivalence, Model, Ra, Rc11, Rc20, Relaxed, Sc, Sra, Tso, UpToRf, Wra, Wrc11};
use program::Program;

/// Explore every execution of the program.
pub fn explore<P: Program>(program: &mut P, model: Model, options: &Options) -> Outcome {
    explore_with(program, model, options, &Control::new(), &mut ())
}

/// The same, watched.
pub fn explore_with<P: Program>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    match options.equivalence {
        Equivalence::Co => explore_up_to_co(program, model, options, control, observer),
        Equivalence::Rf => explore_up_to_rf(program, model, options, control, observer),
    }
}

fn explore_up_to_co<P: Program>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    match model {
        Model::Rc11 => explore_in::<P, Rc11>(program, options, control, observer),
        Model::Sc => explore_in::<P, Sc>(program, options, control, observer),
        Model::Ra => explore_in::<P, Ra>(program, options, control, observer),
        Model::Tso => explore_in::<P, Tso>(program, options, control, observer),
        Model::Sra => explore_in::<P, Sra>(program, options, control, observer),
        Model::Wra => explore_in::<P, Wra>(program, options, control, observer),
        Model::Rc20 => explore_in::<P, Rc20>(program, options, control, observer),
        Model::Relaxed => explore_in::<P, Relaxed>(program, options, control, observer),
        Model::Wrc11 => explore_in::<P, Wrc11>(program, options, control, observer),
        Model::Xmm => crate::xmm::explore_with(program, options, control, observer),
    }
}

fn explore_up_to_rf<P: Program>(
    program: &mut P,
    model: Model,
    options: &Options,
    control: &Control,
    observer: &mut dyn Observer<P::State>,
) -> Outcome {
    match model {
        Model::Rc11 => explore_in::<P, UpToRf<Rc11>>(program, options, control, observer),
        Model::Ra => explore_in::<P, UpToRf<Ra>>(program, options, control, observer),
        Model::Rc20 => explore_in::<P, UpToRf<Rc20>>(program, options, control, observer),
        Model::Relaxed => explore_in::<P, UpToRf<Relaxed>>(program, options, control, observer),
        Model::Sc => explore_in::<P, UpToRf<Sc>>(program, options, control, observer),
        Model::Tso => explore_in::<P, UpToRf<Tso>>(program, options, control, observer),
        Model::Sra => explore_in::<P, UpToRf<Sra>>(program, options, control, observer),
        Model::Wra | Model::Wrc11 | Model::Xmm => {
            explore_up_to_co(program, model, options, control, observer)
        }
    }
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
    loop {
        let run = match model {
            // An execution without cycles is one of RC11; one with a cycle has no text.
            Model::Rc11 | Model::Xmm => crate::replay::run(&*program, Rc11::default(), text, control),
            Model::Sc => crate::replay::run(&*program, Sc::default(), text, control),
            Model::Ra => crate::replay::run(&*program, Ra, text, control),
            Model::Tso => crate::replay::run(&*program, Tso::default(), text, control),
            Model::Sra => crate::replay::run(&*program, Sra::default(), text, control),
            Model::Wra => crate::replay::run(&*program, Wra, text, control),
            Model::Rc20 => crate::replay::run(&*program, Rc20, text, control),
            Model::Relaxed => crate::replay::run(&*program, Relaxed, text, control),
            Model::Wrc11 => crate::replay::run(&*program, Wrc11::default(), text, control),
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
