//! From the name of a model to its explorer.
//!
//! Models are types, so every one of them has an explorer of its own: this is the only place that names them all.

use crate::control::Control;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::replay::{ReplayError, ReplayRun};
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
///
/// In an execution that was explored, a thread goes on after one round at most that is usually cut: the first one
/// (`left_out.rs`). So if the text does not fit, or nothing is wrong with what it shows, it is tried once more with such rounds
/// kept. A program whose accesses had to be refined is explored if the text does not fit even so: that refines them, and
/// keeps rounds, in the same way.
pub fn replay<P: Program>(program: &mut P, model: Model, text: &str) -> Result<Outcome, ReplayError> {
    let usual = replay_once(program, model, text);
    if matches!(&usual, Ok(outcome) if !outcome.violations.is_empty()) || !program.leaves_out_rounds() {
        return or_explored(usual, program, model, text);
    }
    let everywhere = 0..u64::MAX;
    program.keep_rounds(std::slice::from_ref(&everywhere));
    match replay_once(program, model, text) {
        Ok(kept) if !kept.violations.is_empty() => Ok(kept),
        _ => or_explored(usual, program, model, text),
    }
}

/// If the text did not fit the program, it may fit what an exploration makes of it.
fn or_explored<P: Program>(
    replayed: Result<Outcome, ReplayError>,
    program: &mut P,
    model: Model,
    text: &str,
) -> Result<Outcome, ReplayError> {
    // Whoever asks for all violations sees some that come after more restarts.
    [false, true].into_iter().fold(replayed, |replayed, keep_going| match replayed {
        Err(error) if error.is_about_steps() => {
            explore(program, model, &Options { keep_going, ..Options::default() });
            replay_once(program, model, text)
        }
        done => done,
    })
}

fn replay_once<P: Program>(program: &mut P, model: Model, text: &str) -> Result<Outcome, ReplayError> {
    loop {
        let run = match model {
            // An execution without cycles is one of RC11; one with a cycle has no text.
            Model::Rc11 | Model::Xmm => crate::replay::run(&*program, Rc11::default(), text),
            Model::Sc => crate::replay::run(&*program, Sc::default(), text),
            Model::Ra => crate::replay::run(&*program, Ra, text),
            Model::Tso => crate::replay::run(&*program, Tso::default(), text),
            Model::Sra => crate::replay::run(&*program, Sra::default(), text),
            Model::Wra => crate::replay::run(&*program, Wra, text),
            Model::Rc20 => crate::replay::run(&*program, Rc20, text),
            Model::Relaxed => crate::replay::run(&*program, Relaxed, text),
            Model::Wrc11 => crate::replay::run(&*program, Wrc11::default(), text),
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
