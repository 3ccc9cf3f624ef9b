//! The program as the engine and the reports want it: compiled, lowered, with the way back to its source.

use crate::args::VerifyArguments;
use crate::replay_string;
use anyhow::Context;
use base::Site;
use explore::{Control, Outcome};
use report::{SiteInfo, SourceMap};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// A program that is ready to run.
#[derive(Debug)]
pub(crate) struct Frontend {
    machine: vm::Machine,
    warnings: String,
    has_sc_access: bool,
    has_sc_fence: bool,
}

impl Frontend {
    /// Compiles and lowers the program, to be explored under this model.
    pub(crate) fn new(arguments: &VerifyArguments, model: explore::Model) -> anyhow::Result<Frontend> {
        let options = vm::Options {
            unroll: arguments.unroll,
            spin: arguments.spin.into(),
            // Under XMM, what a round that fails has read may justify another execution.
            whole_rounds: arguments.check_liveness || model == explore::Model::Xmm,
            alloc: arguments.allocation().into(),
            has_co: model.text().has_co,
            ..vm::Options::default()
        };
        Frontend::compile(&arguments.file, &arguments.cflags, options)
    }

    /// Compiles and lowers the program, to be run with these options.
    pub(crate) fn compile(file: &Path, cflags: &[String], options: vm::Options) -> anyhow::Result<Frontend> {
        let request = llvm::CompileRequest {
            cflags: cflags.to_vec(),
            unroll: options.unroll.is_some(),
            ..llvm::CompileRequest::new(file)
        };
        let llvm::Compiled { module, warnings } = llvm::compile(&request)?;
        let (has_sc_access, has_sc_fence) = (module.has_sc_access(), module.has_sc_fence());
        let machine = vm::Machine::new(module, options).context("cannot run the program")?;
        Ok(Frontend { machine, warnings, has_sc_access, has_sc_fence })
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

    /// The way back to the source.
    pub(crate) fn sources(&self) -> Sources<'_> {
        Sources { machine: &self.machine, files: RefCell::default() }
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
pub(crate) fn replay(frontend: &mut Frontend, model: explore::Model, text: &str) -> anyhow::Result<Outcome> {
    let steps = replay_string::steps(frontend.machine.fingerprint(model.text().name), text)?;
    let mut outcome = replay_steps(frontend, model, steps)?;
    sign(frontend, model, &mut outcome);
    Ok(outcome)
}

/// Explore the one execution with these steps.
pub(crate) fn replay_steps(
    frontend: &mut Frontend,
    model: explore::Model,
    steps: &str,
) -> anyhow::Result<Outcome> {
    explore::replay(&mut frontend.machine, model, steps)
        .with_context(|| format!("cannot replay `{steps}` with this program, model and options"))
}

/// Run random executions; `None` if the model has none.
pub(crate) fn fuzz(
    frontend: &mut Frontend,
    options: &fuzz::Options,
    control: &fuzz::Control,
) -> Option<fuzz::Outcome> {
    fuzz::fuzz(&mut frontend.machine, options, control)
}

/// Make what random executions found short.
pub(crate) fn shorten(frontend: &Frontend, options: &fuzz::Options, outcome: &mut fuzz::Outcome) {
    fuzz::shorten(&frontend.machine, options, outcome);
}

/// The machine's source map, and the source files as far as they were asked for.
#[derive(Debug)]
pub(crate) struct Sources<'a> {
    machine: &'a vm::Machine,
    files: RefCell<BTreeMap<String, Vec<String>>>,
}

impl SourceMap for Sources<'_> {
    fn site(&self, site: Site) -> SiteInfo {
        let Some(info) = self.machine.site_info(site) else { return SiteInfo::default() };
        SiteInfo { place: info.place.clone(), function: info.function.clone(), operand: info.operand.clone() }
    }

    fn address(&self, address: u64) -> Option<String> {
        self.machine.describe_address(address)
    }

    /// A file that cannot be read has no lines: the report does without them.
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| {
            let text = std::fs::read(file).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
        });
        lines.get(line.checked_sub(1)? as usize).cloned()
    }
}
