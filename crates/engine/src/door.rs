//! Explore, estimate, replay: the functions that are compiled for the virtual machine.

use crate::job::Job;
use crate::replay_string::{self, Unfit};
use explore::{Control, Cut, Executions, Exploration, Observer, Options, Outcome, Sampling, Violation};
use model::Model;
use thiserror::Error;
use vm::{Machine, ThreadState};

/// Explore every execution, or as many as `control` lets.
pub fn explore(
    machine: &mut Machine,
    job: &Job,
    control: &Control,
    observer: &mut dyn Observer<ThreadState>,
) -> Outcome {
    let outcome = xmm::explore_under(machine, job.model, job.xmm, &job.options, control, observer);
    signed(machine, job.model, outcome)
}

/// Explore from this state on. If the exploration is paused or cut short, what is left is returned, too. (Not executions with
/// cycles.)
pub fn explore_from(
    machine: &mut Machine,
    job: &Job,
    control: &Control,
    from: Exploration,
) -> (Outcome, Option<Exploration>) {
    let (outcome, left) = explore::explore_from(machine, job.model, &job.options, control, &mut (), from);
    (signed(machine, job.model, outcome), left)
}

/// Divide what is left of an exploration into at least so many subtrees, if there are as many, always in the same way. An
/// outcome if that is not possible.
pub fn divide(
    machine: &mut Machine,
    job: &Job,
    control: &Control,
    from: Exploration,
    at_least: usize,
) -> Result<Exploration, Box<Outcome>> {
    explore::divide(machine, job.model, &job.options, control, from, at_least)
}

/// Do not explore, but estimate by samples how many executions there are. (Not those with cycles.)
pub fn estimate(machine: &mut Machine, job: &Job, sampling: Sampling, control: &Control) -> Outcome {
    let job = Job { options: Options { estimate: Some(sampling), ..job.options.clone() }, ..job.clone() };
    explore(machine, &job, control, &mut ())
}

/// The reason for which there is no replay.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The string belongs to another program.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The program cannot take these steps.
    #[error("cannot replay `{steps}` with this program, model and options")]
    Steps {
        /// The steps.
        steps: String,
        /// The error in them.
        source: explore::ReplayError,
    },
}

/// Run the one execution that the replay string names, if it belongs to this program.
pub fn replay(
    machine: &mut Machine,
    model: Model,
    text: &str,
    control: &Control,
) -> Result<Outcome, ReplayError> {
    let steps = replay_string::steps(fingerprint(machine, model), text)?;
    replay_steps(machine, model, steps, control)
}

/// Run the one execution with these steps, which are those of this program.
pub fn replay_steps(
    machine: &mut Machine,
    model: Model,
    steps: &str,
    control: &Control,
) -> Result<Outcome, ReplayError> {
    match explore::replay_with(machine, model, steps, control) {
        Ok(outcome) => Ok(signed(machine, model, outcome)),
        Err(explore::ReplayError::Cut(cut)) => {
            Ok(Outcome::cut_short(cut.into(), Executions::default(), Vec::new()))
        }
        Err(source) => Err(ReplayError::Steps { steps: steps.to_owned(), source }),
    }
}

/// The outcome so far of an exploration that does not come to its end.
pub fn unfinished(machine: &Machine, model: Model, cut: Cut, control: &Control) -> Outcome {
    signed(machine, model, Outcome::cut_short(cut.into(), control.executions(), control.found()))
}

/// The replay string for these steps of the program under this model.
pub fn replay_string(machine: &Machine, model: Model, steps: &str) -> String {
    replay_string::sign(fingerprint(machine, model), steps)
}

/// The replay strings of an outcome say which program they belong to.
fn signed(machine: &Machine, model: Model, outcome: Outcome) -> Outcome {
    signed_by(fingerprint(machine, model), outcome)
}

/// The replay strings of an outcome have the number of the program. An execution with a cycle has none.
pub fn signed_by(fingerprint: u32, mut outcome: Outcome) -> Outcome {
    let can_be_replayed = |violation: &&mut Violation| violation.execution.justification.is_none();
    for violation in outcome.violations.iter_mut().filter(can_be_replayed) {
        violation.replay = replay_string::sign(fingerprint, &violation.replay);
    }
    outcome
}

/// The number of the program under this model: it changes with whatever changes its executions.
pub fn fingerprint(machine: &Machine, model: Model) -> u32 {
    machine.fingerprint(model.rules().name)
}
