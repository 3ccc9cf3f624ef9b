//! The program as the engine and the reports want it: compiled, lowered, with the way back to its source.

use crate::args::VerifyArguments;
use crate::compiler::{self, Compiled, Source};
use crate::replay_string;
pub(crate) use crate::sources::Sources;
use crate::watch::Watch;
use anyhow::Context;
use explore::{Control, Cut, Executions, Outcome, ReplayError, Verdict};
use std::path::Path;

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Frontend {
    machine: vm::Machine,
    warnings: String,
    has_sc_access: bool,
    has_sc_fence: bool,
}

impl Frontend {
    /// Compiles and lowers the program, to be explored under this model; `None` if the run was cut short meanwhile.
    pub(crate) fn new(
        arguments: &VerifyArguments,
        model: explore::Model,
        watch: &Watch,
    ) -> anyhow::Result<Option<Frontend>> {
        let options = vm::Options {
            unroll: arguments.unroll,
            spin: arguments.spin.into(),
            // Under XMM, what a round that fails has read may justify another execution.
            whole_rounds: arguments.check_liveness || model == explore::Model::Xmm,
            alloc: arguments.allocation().into(),
            has_co: model.text().has_co,
            ..vm::Options::default()
        };
        Frontend::compile(&arguments.file, &arguments.cflags, options, watch)
    }

    /// Compiles and lowers the program, to be run with these options; `None` if the run was cut short meanwhile.
    pub(crate) fn compile(
        file: &Path,
        cflags: &[String],
        options: vm::Options,
        watch: &Watch,
    ) -> anyhow::Result<Option<Frontend>> {
        let source = Source { file, cflags, unroll: options.unroll.is_some() };
        let Some(Compiled { module, warnings }) = compiler::compile(source, watch)? else { return Ok(None) };
        let (has_sc_access, has_sc_fence) = (module.has_sc_access(), module.has_sc_fence());
        let machine = vm::Machine::new(module, options).context("cannot run the program")?;
        Ok(Some(Frontend { machine, warnings, has_sc_access, has_sc_fence }))
    }

    /// What the user should know about the program before reading the verdict; lines.
    pub(crate) fn warnings(&self) -> &str {
        &self.warnings
    }

    /// Is there an access of the order `seq_cst`, executed or not?
    pub(crate) fn has_sc_access(&self) -> bool {
        self.has_sc_access
    }

    /// Is there an access or a fence of that order, executed or not?
    pub(crate) fn has_sc_event(&self) -> bool {
        self.has_sc_access || self.has_sc_fence
    }

    /// The replay string for these steps of the program under this model.
    pub(crate) fn replay_string(&self, model: explore::Model, steps: &str) -> String {
        replay_string::sign(self.machine.fingerprint(model.text().name), steps)
    }

    /// Is it assumed of memory that the program frees that it never comes back?
    pub(crate) fn assumes_fresh_addresses(&self) -> bool {
        self.machine.assumes_fresh_addresses()
    }

    /// The way back to the source.
    pub(crate) fn sources(&self) -> Sources<'_> {
        Sources::new(&self.machine)
    }
}

/// Explore all executions, or as many as `control` lets; or only estimate how many there are.
pub(crate) fn explore(
    frontend: &mut Frontend,
    model: explore::Model,
    equivalence: explore::Equivalence,
    arguments: &VerifyArguments,
    estimate: Option<explore::Walks>,
    control: &Control,
) -> Outcome {
    let usual = explore::Options::default();
    let options = explore::Options {
        estimate,
        keep_going: arguments.keep_going,
        count_duplicates: arguments.count_duplicates,
        keep_example: arguments.trace_out.is_some(),
        visits_with_bounds: if arguments.timeout.is_some() { u64::MAX } else { usual.visits_with_bounds },
        check_liveness: arguments.check_liveness,
        symmetry: !arguments.no_symmetry,
        equivalence,
        xmm: arguments.xmm.into(),
        ..usual
    };
    let mut outcome = explore::explore_with(&mut frontend.machine, model, &options, control, &mut ());
    sign(frontend, model, &mut outcome);
    outcome
}

/// The replay strings of an outcome say which program they belong to. An execution with a cycle has none.
fn sign(frontend: &Frontend, model: explore::Model, outcome: &mut Outcome) {
    let can_be_replayed = |violation: &&mut explore::Violation| violation.execution.justification.is_none();
    for violation in outcome.violations.iter_mut().filter(can_be_replayed) {
        violation.replay = frontend.replay_string(model, &violation.replay);
    }
}

/// Explore the one execution that the replay string names, if it belongs to this program.
pub(crate) fn replay(
    frontend: &mut Frontend,
    model: explore::Model,
    text: &str,
    control: &Control,
) -> anyhow::Result<Outcome> {
    let steps = replay_string::steps(frontend.machine.fingerprint(model.text().name), text)?;
    let mut outcome = replay_steps(frontend, model, steps, control)?;
    sign(frontend, model, &mut outcome);
    Ok(outcome)
}

/// Explore the one execution with these steps.
pub(crate) fn replay_steps(
    frontend: &mut Frontend,
    model: explore::Model,
    steps: &str,
    control: &Control,
) -> anyhow::Result<Outcome> {
    match explore::replay_with(&mut frontend.machine, model, steps, control) {
        Err(ReplayError::Cut(cut)) => Ok(cut_short(cut, Executions::default(), Vec::new())),
        outcome => {
            outcome.with_context(|| format!("cannot replay `{steps}` with this program, model and options"))
        }
    }
}

/// An exploration that does not come to its end: what it has found so far.
pub(crate) fn unfinished(frontend: &Frontend, model: explore::Model, cut: Cut, control: &Control) -> Outcome {
    let mut outcome = cut_short(cut, control.executions(), control.found());
    sign(frontend, model, &mut outcome);
    outcome
}

/// A run that was cut short after so many executions, with these violations.
pub(crate) fn cut_short(cut: Cut, executions: Executions, violations: Vec<explore::Violation>) -> Outcome {
    Outcome {
        verdict: match violations[..] {
            [] => Verdict::Inconclusive(cut.into()),
            _ => Verdict::Violated,
        },
        executions,
        violations,
        stopped: Some(cut.into()),
        restarts: Vec::new(),
        example: None,
    }
}

/// Run random executions; `None` if the model has none.
pub(crate) fn fuzz(
    frontend: &mut Frontend,
    options: &fuzz::Options,
    control: &fuzz::Control,
) -> Option<fuzz::Outcome> {
    fuzz::fuzz(&mut frontend.machine, options, control)
}

/// Make what random executions found short, as far as `control` lets.
pub(crate) fn shorten(
    frontend: &Frontend,
    options: &fuzz::Options,
    outcome: &mut fuzz::Outcome,
    control: &fuzz::Control,
) {
    fuzz::shorten(&frontend.machine, options, outcome, control);
}
