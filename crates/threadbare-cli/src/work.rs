//! `threadbare work`: a unit is explored for some time.

use crate::args::WorkArguments;
use crate::clock::Stopwatch;
use crate::compiler::Source;
use crate::frontend::Frontend;
use crate::told::Keeping;
use crate::unit::{self, Identity, Unit};
use crate::verify::{self, More};
use crate::watch::{Limits, Watch};
use crate::{Status, memory, output};
use anyhow::{Context, bail};
use engine::{Job, Options};
use report::{Report, Run};
use std::time::Duration;

/// How long a unit may take to write its result when its time is over: on a busy machine that may be long, and without a
/// result all that was explored is lost.
const GRACE: Duration = Duration::from_secs(30);

pub(crate) fn work(arguments: &WorkArguments) -> anyhow::Result<Status> {
    let unit = Unit::read(&arguments.unit)?;
    let beside = || arguments.unit.with_file_name(&unit.program);
    let program = arguments.program.clone().unwrap_or_else(beside);
    let how = unit.arguments(&program)?;
    let equivalence = how.equivalence.context("the unit does not say up to what it explores")?.into();
    let watch = Watch::start(Limits { time: Some(arguments.budget), memory: arguments.memory });
    watch.set_grace(GRACE);
    let control = watch.control();
    let clock = Stopwatch::start();
    let job = verify::job(&how);
    let options = Options { equivalence, jobs: arguments.jobs, visits_with_bounds: u64::MAX, ..job.options };
    let job = Job { options, ..job };
    let machine_options = verify::machine_options(&how, &job);
    let Some(mut frontend) = Frontend::compile(&Source::compiled(&program), machine_options, &watch)? else {
        bail!("the time was up before the program was read: give a larger --budget");
    };
    let identity = Identity::of(&unit);
    identity.refuse_program(&frontend.machine, how.model(), &arguments.unit)?;
    let frontend_seconds = clock.seconds();
    let clock = Stopwatch::start();
    let run = Run {
        frontend_seconds,
        peak_memory_bytes: memory::peak_bytes(),
        ..identity.run(verify::run_of(&how, how.model(), equivalence))
    };
    let (exploration, taken) = unit.into_exploration();
    let (outcome, left) = engine::explore_from(&mut frontend.machine, &job, &control, exploration);
    let run = Run { exploration_seconds: clock.seconds(), ..run };
    let sources = frontend.sources();
    let keeping = Keeping::new(&sources);
    let report = Report::new(&outcome, &run, &keeping);
    let left = left.context("a unit is left whatever came of it")?;
    let unit = Unit { taken, ..identity.unit(left, false).with_told(keeping, run.exploration_seconds) };
    let text = report::json_with(&report, "work", &More { estimate: None, unit: Some(&unit) });
    let status = unit.status(&outcome);
    watch.say(status, || match &arguments.output {
        Some(file) => unit::replace(file, text.as_bytes()),
        None => output::result(&text).context("cannot write the result"),
    })?;
    Ok(status)
}
