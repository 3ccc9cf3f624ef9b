//! `threadbare verify`: compile, explore, report.

use crate::args::{Format, Spin, VerifyArguments};
use crate::clock::{Stopwatch, Timer};
use crate::frontend::{Frontend, Sources};
use crate::memory;
use crate::models;
use crate::output_file::{self, OutputFile};
use crate::progress::Progress;
use crate::watch::{Limits, Watch};
use crate::{Status, cflags, contradictions, graph, output};
use anyhow::{Context, bail};
use engine::{
    Control, Cut, Equivalence, Estimate, Executions, Job, Model, Options, Outcome, Sampling, StopReason,
};
use model::Cycles;
use report::{NoSource, Report, Run, shell_word};
use serde::Serialize;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn verify(arguments: &VerifyArguments) -> anyhow::Result<Status> {
    let model = arguments.model;
    let there_are = model.equivalences();
    let asked = models::equivalence(model, arguments.equivalence, there_are)?;
    refuse_unsupported(arguments)?;
    contradictions::verify(arguments)?;
    cflags::refuse_output(&arguments.cflags)?;
    graph::refuse_format(arguments.graph.as_deref())?;
    let [picture, trace] = output_file::open(
        [("--graph", arguments.graph.as_deref()), ("--trace-out", arguments.trace_out.as_deref())],
        &cflags::inputs(&arguments.file, &arguments.cflags),
    )?;
    models::refuse_search(model, arguments.xmm)?;
    refuse_blind_liveness(arguments, model, asked)?;
    let watch = Watch::start(Limits { time: arguments.timeout, memory: arguments.memory });
    let control = watch.control();
    let usual = asked.unwrap_or_else(|| model.usual_equivalence(false));
    let unfinished = run_of(arguments, model, usual);
    say_if_stuck(&watch, &unfinished, arguments.format);
    let clock = Stopwatch::start();
    let job = job(arguments);
    let options = machine_options(arguments, &job);
    let Some(mut frontend) = Frontend::compile(&arguments.file, &arguments.cflags, options, &watch)? else {
        return say_cut_short(&watch, &unfinished, arguments.format);
    };
    let frontend_seconds = clock.seconds();
    output::lines(&frontend.warnings);
    if frontend.has_sc_access {
        models::warn_of_sc_accesses(model);
    }
    if arguments.alloc.is_none() && frontend.machine.assumes_fresh_addresses() {
        output::warning("no address that was freed is given again under XMM: ABA is not found");
    }
    let usual = || match arguments.check_liveness {
        true => model.equivalences()[0],
        false => model.usual_equivalence(frontend.has_sc_event),
    };
    let equivalence = asked.unwrap_or_else(usual);
    let job = Job { options: Options { equivalence, ..job.options }, ..job };
    let run = Run { frontend_seconds, ..run_of(arguments, model, equivalence) };
    say_what_was_found_if_stuck(&watch, &frontend, model, &run, arguments.format, &control);
    let clock = Stopwatch::start();
    let outcome = explore(&mut frontend.machine, &job, arguments, &control)?;
    let exploration_seconds = clock.seconds();
    let run = Run { exploration_seconds, peak_memory_bytes: memory::peak_bytes(), ..run };
    let sources = frontend.sources();
    let status = Status::of(&outcome.verdict());
    let report = Report::new(&outcome, &run, &sources);
    watch.say(status, || print(&report, arguments.format, outcome.stopped()))?;
    let status = status
        .after_writing(write_trace(&outcome, trace.as_ref(), &sources))
        .after_writing(graph::write(picture.as_ref(), &outcome, &run, &sources));
    Ok(status)
}

/// The run, as it is now.
fn run_of(arguments: &VerifyArguments, model: Model, equivalence: Equivalence) -> Run {
    Run {
        program: arguments.file.display().to_string(),
        model: model.rules(),
        equivalence: equivalence.name(),
        options: replay_options(arguments, model),
        cflags: arguments.cflags.iter().map(|flag| shell_word(flag)).collect::<Vec<_>>().join(" "),
        frontend_seconds: 0.0,
        exploration_seconds: 0.0,
        peak_memory_bytes: memory::peak_bytes(),
    }
}

/// If the run is cut short and does not come to its end while it compiles, say so.
fn say_if_stuck(watch: &Watch, run: &Run, format: Format) {
    let run = run.clone();
    watch.last_word(move |cut| {
        // There is nobody left to tell if that fails.
        let _ = print_cut_short(&run, format, cut);
        Status::Inconclusive
    });
}

/// The same while it explores: what was found is told. (The machine itself is in use by then.)
fn say_what_was_found_if_stuck(
    watch: &Watch,
    frontend: &Frontend,
    model: Model,
    run: &Run,
    format: Format,
    control: &Arc<Control>,
) {
    let (frontend, run, control) = (frontend.clone(), run.clone(), Arc::clone(control));
    watch.last_word(move |cut| {
        let outcome = engine::unfinished(&frontend.machine, model, cut, &control);
        let report = Report::new(&outcome, &run, &frontend.sources());
        // There is nobody left to tell if that fails.
        let _ = print(&report, format, outcome.stopped());
        Status::of(&outcome.verdict())
    });
}

/// The run was cut short before anything was explored.
fn say_cut_short(watch: &Watch, run: &Run, format: Format) -> anyhow::Result<Status> {
    let cut = watch.cut().expect("it was cut short");
    watch.say(Status::Inconclusive, || print_cut_short(run, format, cut))?;
    Ok(Status::Inconclusive)
}

fn print_cut_short(run: &Run, format: Format, cut: Cut) -> anyhow::Result<()> {
    let outcome = Outcome::cut_short(cut.into(), Executions::default(), Vec::new());
    print(&Report::new(&outcome, run, &NoSource), format, outcome.stopped())
}

/// Options that mean something, only not in this version.
fn refuse_unsupported(arguments: &VerifyArguments) -> anyhow::Result<()> {
    if arguments.jobs != 1 {
        bail!("`--jobs {}` is not in this version; there is: 1", arguments.jobs);
    }
    arguments.format.refuse_unless_of_reports()?;
    if arguments.estimate.is_some() && arguments.model.rules().cycles == Cycles::Justified {
        bail!("`--estimate` is not in this version with `--model xmm`; there is: rc11 and the other models");
    }
    if arguments.model.rules().cycles == Cycles::Justified && arguments.allocation().reuse {
        bail!("`--alloc=reuse` is not in this version with `--model xmm`; there is: fresh, fail");
    }
    if arguments.unroll == Some(0) {
        bail!("`--unroll 0` would explore nothing: give at least 1");
    }
    Ok(())
}

/// What would not find threads that spin for ever: which write is the last one, a coherence order says; and of a loop that
/// is not cut nobody knows that its next round would do the same.
fn refuse_blind_liveness(
    arguments: &VerifyArguments,
    model: Model,
    asked: Option<Equivalence>,
) -> anyhow::Result<()> {
    if !arguments.check_liveness {
        return Ok(());
    }
    if model.rules().cycles == Cycles::Justified {
        bail!(
            "`--check-liveness` is not in this version with `--model xmm`; there is: rc11 and the other models"
        );
    }
    if asked == Some(Equivalence::Rf) && model.equivalences().contains(&Equivalence::Co) {
        bail!("`--check-liveness` is not in this version with `--equivalence rf`; there is: co");
    }
    if arguments.spin == Spin::None {
        bail!("`--check-liveness` needs `--spin` static, dynamic or all");
    }
    Ok(())
}

/// What was asked for. Up to what executions are the same, the program may decide.
fn job(arguments: &VerifyArguments) -> Job {
    let job = Job::new(arguments.model);
    let usual = job.options;
    let options = Options {
        keep_going: arguments.keep_going,
        count_duplicates: arguments.count_duplicates,
        keep_example: arguments.trace_out.is_some(),
        visits_with_bounds: if arguments.timeout.is_some() { u64::MAX } else { usual.visits_with_bounds },
        check_liveness: arguments.check_liveness,
        reductions: arguments.reductions(),
        ..usual
    };
    Job { options, xmm: arguments.xmm.into(), ..job }
}

fn machine_options(arguments: &VerifyArguments, job: &Job) -> vm::Options {
    vm::Options {
        unroll: arguments.unroll,
        spin: arguments.spin.into(),
        alloc: arguments.allocation().into(),
        ..job.machine_options()
    }
}

fn explore(
    machine: &mut vm::Machine,
    job: &Job,
    arguments: &VerifyArguments,
    control: &Arc<Control>,
) -> anyhow::Result<Outcome> {
    if let Some(replay) = &arguments.replay {
        return Ok(engine::replay(machine, job.model, replay, control)?);
    }
    if let Some(amount) = arguments.estimate {
        let _progress = Progress::line(|seconds| format!("estimating, {seconds} s"));
        return Ok(engine::estimate(machine, job, Sampling { amount, seed: 0 }, control));
    }
    let about = if io::stderr().is_terminal() { first_estimate(machine, job) } else { None };
    let _progress = Progress::show(control, about);
    Ok(engine::explore(machine, job, control, &mut ()))
}

/// For the progress line, an estimate that takes a short time.
fn first_estimate(machine: &mut vm::Machine, job: &Job) -> Option<u64> {
    let control = Arc::new(Control::new());
    let stopped = Arc::clone(&control);
    let _deadline = Timer::after(Some(Duration::from_millis(200)), move || stopped.stop(Cut::Time));
    match engine::estimate(machine, job, Sampling { amount: 100, seed: 0 }, &control).stopped() {
        Some(StopReason::Estimated(estimate)) => Some(estimate.executions),
        _ => None,
    }
}

/// What a replay needs besides the file and the string.
fn replay_options(arguments: &VerifyArguments, model: Model) -> String {
    let mut options = Vec::from_iter(models::option(model));
    if let Some(unroll) = arguments.unroll {
        options.push(format!("--unroll {unroll}"));
    }
    if arguments.spin != Spin::All {
        options.push(format!("--spin={}", arguments.spin.name()));
    }
    if let Some(alloc) = arguments.alloc {
        options.push(format!("--alloc={}", alloc.name()));
    }
    // Its threads go on where others stop.
    if arguments.check_liveness {
        options.push("--check-liveness".to_owned());
    }
    options.join(" ")
}

/// What `--estimate` adds to JSON.
#[derive(Serialize)]
struct Estimated {
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Numbers>,
}

#[derive(Serialize)]
struct Numbers {
    executions: u64,
    low: u64,
    high: u64,
}

fn print(report: &Report, format: Format, stopped: Option<&StopReason>) -> anyhow::Result<()> {
    let estimate = match stopped {
        Some(&StopReason::Estimated(Estimate { executions, low, high })) => {
            Some(Numbers { executions, low, high })
        }
        _ => None,
    };
    let text = format.of(report, "verify", &Estimated { estimate });
    output::result(&text).context("cannot write the result")
}

fn write_trace(outcome: &Outcome, file: Option<&OutputFile>, sources: &Sources<'_>) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    let violating = outcome.violations.first().map(|violation| &violation.execution);
    match violating.or(outcome.example.as_ref()) {
        None => output::warning("there is no execution to write: no trace is written"),
        Some(execution) => file.write_text(&report::trace(execution, sources))?,
    }
    Ok(())
}
