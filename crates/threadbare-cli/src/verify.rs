//! `threadbare verify`: compile, explore, report.

use crate::args::{Format, Shard, Spin, VerifyArguments, instructions, names_of, words_of};
use crate::clock::{Stopwatch, Timer};
use crate::frontend::{Frontend, Sources};
use crate::memory;
use crate::models;
use crate::output_file::{self, OutputFile};
use crate::progress::Progress;
use crate::told::Keeping;
use crate::unit::{self, Identity, Unit};
use crate::watch::{Limits, Watch};
use crate::{Status, contradictions, graph, output, release_sequences};
use anyhow::{Context, bail};
use engine::{
    Check, Checks, Control, Cut, Equivalence, Estimate, Executions, Exploration, Job, Model, Options,
    Outcome, Sampling, StopReason, Subtree,
};
use model::Cycles;
use report::{NoSource, Report, Run};
use serde::Serialize;
use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

pub(crate) fn verify(arguments: &VerifyArguments) -> anyhow::Result<Status> {
    let model = arguments.model();
    let there_are = model.equivalences();
    let asked = models::equivalence(model, arguments.equivalence, there_are)?;
    refuse_unsupported(arguments)?;
    contradictions::verify(arguments)?;
    arguments.input.check()?;
    graph::refuse_format(arguments.graph.as_deref())?;
    let [picture, trace] = output_file::open(
        [("--graph", arguments.graph.as_deref()), ("--trace-out", arguments.trace_out.as_deref())],
        &arguments.input.inputs(),
    )?;
    models::refuse_search(model, arguments.xmm)?;
    refuse_blind_liveness(arguments, model, asked)?;
    refuse_blind_leaks(arguments, model, asked)?;
    let watch = Watch::start(Limits { time: arguments.timeout, memory: arguments.memory });
    let control = watch.control();
    let usual = asked.unwrap_or_else(|| model.usual_equivalence());
    let unfinished = run_of(arguments, model, usual);
    say_if_stuck(&watch, &unfinished, arguments.format);
    let clock = Stopwatch::start();
    let job = job(arguments);
    let options = machine_options(arguments, &job);
    let source = arguments.input.source(arguments.unroll.is_any())?;
    let Some(mut frontend) = Frontend::compile(&source, options, &watch)? else {
        return say_cut_short(&watch, &unfinished, arguments.format);
    };
    let frontend_seconds = clock.seconds();
    let arguments = &arguments.of_program(frontend.is_cxx);
    let model = arguments.model();
    output::lines(&frontend.warnings);
    if frontend.has_sc_access {
        models::warn_of_sc_accesses(model);
    }
    if arguments.alloc.is_none() && frontend.machine.assumes_fresh_addresses() {
        output::warning("no address that was freed is given again under XMM: ABA is not found");
    }
    let needs_co = [Check::Liveness, Check::Leak].into_iter().any(|it| arguments.checks().has(it));
    let usual = || match needs_co {
        true => model.equivalences()[0],
        false => model.usual_equivalence(),
    };
    let equivalence = asked.unwrap_or_else(usual);
    let job = Job { model, options: Options { equivalence, ..job.options }, ..job };
    let run = Run { frontend_seconds, ..run_of(arguments, model, equivalence) };
    say_what_was_found_if_stuck(&watch, &frontend, model, &run, arguments.format, &control);
    if let Some(directory) = &arguments.units {
        return write_units(directory, &frontend, arguments, &run, &job);
    }
    let clock = Stopwatch::start();
    let is_kept = arguments.checkpoint.is_some() || arguments.resume.is_some() || arguments.shard.is_some();
    let identity = is_kept
        .then(|| Identity::new(&arguments.input.files[0], &run, &frontend.machine, arguments, equivalence));
    let Explored { outcome, unit } =
        explore(&mut frontend, &job, arguments, &control, &run, identity.as_ref())?;
    let exploration_seconds = clock.seconds();
    if arguments.verbose {
        output::lines(&loops(&frontend.machine));
    }
    let run = Run { exploration_seconds, peak_memory_bytes: memory::peak_bytes(), ..run };
    let sources = frontend.sources();
    let status = match (&arguments.shard, &unit) {
        (Some(_), Some(unit)) => unit.status(&outcome),
        _ => Status::of(&outcome.verdict()),
    };
    let keeping = Keeping::new(&sources);
    let mut report = Report::new(&outcome, &run, &keeping);
    release_sequences::note(&mut report, &outcome, model);
    let unit = unit.map(|unit| unit.with_told(keeping, exploration_seconds));
    let more = More { estimate: numbers(outcome.stopped()), unit: unit.as_ref() };
    if let (Some(file), Some(_)) = (&arguments.checkpoint, &unit) {
        unit::replace(file, report::json_with(&report, "verify", &more).as_bytes())?;
    }
    // A checkpoint is a file of its own.
    let shown = More { unit: more.unit.filter(|_| arguments.shard.is_some()), ..more };
    watch.say(status, || print(&report, arguments.format, &shown))?;
    let status = status
        .after_writing(write_trace(&outcome, trace.as_ref(), &sources))
        .after_writing(graph::write(picture.as_ref(), &outcome, &run, &sources));
    Ok(status)
}

/// A line for each loop with a place in the source: what became of it.
fn loops(machine: &vm::Machine) -> String {
    let line = |(site, text): (base::Site, String)| {
        let info = machine.site_info(site)?;
        let place = info.place.as_ref()?;
        Some(format!("{}:{}: the loop in {} {text}\n", place.file, place.line, info.function))
    };
    machine.loops().into_iter().filter_map(line).collect()
}

/// The run, as it is now.
pub(crate) fn run_of(arguments: &VerifyArguments, model: Model, equivalence: Equivalence) -> Run {
    Run {
        program: arguments.input.name(),
        files: arguments.input.words(),
        model: model.rules(),
        equivalence: equivalence.name(),
        options: replay_options(arguments, model),
        cflags: arguments.input.flag_words(),
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
        let _ = print(&report, format, &More::default());
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
    print(&Report::new(&outcome, run, &NoSource), format, &More::default())
}

/// Options that mean something, only not in this version.
fn refuse_unsupported(arguments: &VerifyArguments) -> anyhow::Result<()> {
    arguments.format.refuse_unless_of_reports()?;
    let has_cycles = arguments.model().rules().cycles == Cycles::Justified;
    let in_parts = [
        ("--checkpoint", arguments.checkpoint.is_some()),
        ("--resume", arguments.resume.is_some()),
        ("--shard", arguments.shard.is_some()),
        ("--units", arguments.units.is_some()),
    ];
    if let Some((option, _)) = in_parts.iter().find(|(_, given)| *given && has_cycles) {
        bail!("`{option}` is not in this version with `--model xmm`; there is: rc11 and the other models");
    }
    if arguments.estimate.is_some() && arguments.model().rules().cycles == Cycles::Justified {
        bail!("`--estimate` is not in this version with `--model xmm`; there is: rc11 and the other models");
    }
    if arguments.model().rules().cycles == Cycles::Justified && arguments.allocation().reuse {
        bail!("`--alloc=reuse` is not in this version with `--model xmm`; there is: fresh, fail");
    }
    let checks = arguments.checks();
    let is_less = Check::ALL.into_iter().any(|it| Checks::default().has(it) && !checks.has(it));
    if has_cycles && is_less {
        bail!(
            "`--check` with less than {} is not in this version with `--model xmm`; there is: rc11 and the other models",
            names_of(Checks::default())
        );
    }
    arguments.unroll.check()
}

/// Leaks are looked for in the memory at the end of an execution, which a coherence order says.
fn refuse_blind_leaks(
    arguments: &VerifyArguments,
    model: Model,
    asked: Option<Equivalence>,
) -> anyhow::Result<()> {
    if !arguments.checks().has(Check::Leak) {
        return Ok(());
    }
    if model.rules().cycles == Cycles::Justified || !model.equivalences().contains(&Equivalence::Co) {
        bail!(
            "`--check leak` is not in this version with `--model {}`; there is: sc, tso, sra, ra, rc11, c20, rc20, relaxed",
            model.rules().name
        );
    }
    if asked == Some(Equivalence::Rf) {
        bail!("`--check leak` is not in this version with `--equivalence rf`; there is: co");
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
    if !arguments.checks().has(Check::Liveness) {
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
pub(crate) fn job(arguments: &VerifyArguments) -> Job {
    let job = Job::new(arguments.model());
    let usual = job.options;
    let options = Options {
        keep_going: arguments.keep_going,
        count_duplicates: arguments.count_duplicates,
        keep_example: arguments.trace_out.is_some(),
        visits_with_bounds: if arguments.timeout.is_some() { u64::MAX } else { usual.visits_with_bounds },
        jobs: arguments.jobs.unwrap_or_else(cores),
        fast_fail: arguments.fast_fail,
        checks: arguments.checks(),
        max_events: arguments.max_steps.unwrap_or(usual.max_events),
        reductions: arguments.reductions(),
        locks: arguments.locks(),
        ..usual
    };
    Job { options, xmm: arguments.xmm.into(), ..job }
}

pub(crate) fn machine_options(arguments: &VerifyArguments, job: &Job) -> vm::Options {
    let usual = job.machine_options();
    vm::Options {
        step_limit: arguments.max_steps.map_or(usual.step_limit, instructions),
        unroll: arguments.unroll.rest(),
        loops: arguments.unroll.loops(),
        spin: arguments.spin.into(),
        alloc: arguments.allocation().into(),
        ..usual
    }
}

/// As many as there are.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// An exploration and what is left of it, if anything is.
struct Explored {
    outcome: Outcome,
    unit: Option<Unit>,
}

fn explore(
    frontend: &mut Frontend,
    job: &Job,
    arguments: &VerifyArguments,
    control: &Arc<Control>,
    run: &Run,
    identity: Option<&Identity>,
) -> anyhow::Result<Explored> {
    let whole = |outcome| Ok(Explored { outcome, unit: None });
    if let Some(replay) = &arguments.replay {
        let mut outcome = engine::replay(&mut frontend.machine, job.model, replay, control)?;
        // Threads that spin for ever are shown always: only an exploration that looks for them writes such a string.
        let checks = arguments.checks().with(Check::Liveness);
        outcome.violations.retain(|violation| checks.count(violation.kind));
        return whole(outcome);
    }
    if let Some(amount) = arguments.estimate {
        let _progress = Progress::line(|seconds| format!("estimating, {seconds} s"));
        return whole(engine::estimate(&mut frontend.machine, job, Sampling { amount, seed: 0 }, control));
    }
    let from = match (&arguments.resume, identity) {
        (None, _) | (_, None) => Exploration::new(&job.options),
        (Some(file), Some(identity)) => {
            let unit = Unit::read(file)?;
            identity.refuse_other(&Identity::of(&unit), file)?;
            unit.exploration
        }
    };
    let about = if io::stderr().is_terminal() { first_estimate(&mut frontend.machine, job) } else { None };
    let _progress = Progress::show(control, about);
    if let (Some(shard), Some(identity)) = (arguments.shard, identity) {
        return explore_shard(frontend, job, control, identity, from, shard);
    }
    if job.model.rules().cycles == Cycles::Justified {
        return whole(engine::explore(&mut frontend.machine, job, control, &mut ()));
    }
    explore_with_checkpoints(frontend, job, arguments, control, run, identity, from)
}

/// Explore, and write what is left from time to time.
fn explore_with_checkpoints(
    frontend: &mut Frontend,
    job: &Job,
    arguments: &VerifyArguments,
    control: &Arc<Control>,
    run: &Run,
    identity: Option<&Identity>,
    mut from: Exploration,
) -> anyhow::Result<Explored> {
    let pausing = Arc::clone(control);
    let every = arguments.checkpoint.as_ref().map(|_| arguments.checkpoint_every.unwrap_or(CHECKPOINT));
    let _timer = every.map(|every| Timer::every(every, move || pausing.pause(true)));
    let clock = Stopwatch::start();
    loop {
        let (outcome, left) = engine::explore_from(&mut frontend.machine, job, control, from);
        let unit = identity.and_then(|identity| Some(identity.unit(left.clone()?, false)));
        match (left, &unit, &arguments.checkpoint) {
            (Some(left), Some(unit), Some(file)) if control.cut().is_none() => {
                let sources = frontend.sources();
                let keeping = Keeping::new(&sources);
                let report = Report::new(&outcome, run, &keeping);
                let unit = unit.clone().with_told(keeping, clock.seconds());
                let more = More { estimate: None, unit: Some(&unit) };
                unit::replace(file, report::json_with(&report, "verify", &more).as_bytes())?;
                control.pause(false);
                from = left;
            }
            (None, _, Some(file)) => {
                // There is nothing left to go on with.
                _ = std::fs::remove_file(file);
                return Ok(Explored { outcome, unit: None });
            }
            _ => return Ok(Explored { outcome, unit }),
        }
    }
}

/// How often a checkpoint is written, if it is not said.
const CHECKPOINT: Duration = Duration::from_secs(60);

/// More subtrees than there are shards: they differ in size.
const SUBTREES_PER_SHARD: usize = 64;

/// Explore one of several parts, which are always the same.
fn explore_shard(
    frontend: &mut Frontend,
    job: &Job,
    control: &Arc<Control>,
    identity: &Identity,
    from: Exploration,
    shard: Shard,
) -> anyhow::Result<Explored> {
    let divided =
        match engine::divide(&mut frontend.machine, job, control, from, shard.of * SUBTREES_PER_SHARD) {
            Ok(divided) => divided,
            Err(outcome) => return Ok(Explored { outcome: *outcome, unit: None }),
        };
    let whole = divided.left().to_vec();
    let is_mine = |&(number, _): &(usize, &Subtree)| number % shard.of == shard.number - 1;
    let taken: Vec<Subtree> = whole.iter().enumerate().filter(is_mine).map(|(_, it)| it.clone()).collect();
    let (outcome, left) =
        engine::explore_from(&mut frontend.machine, job, control, divided.unit(taken.clone()));
    let unit = left.map(|left| Unit { taken, whole, ..identity.unit(left, false) });
    Ok(Explored { outcome, unit })
}

/// Write the compiled program and the state of an exploration that has not begun.
fn write_units(
    directory: &Path,
    frontend: &Frontend,
    arguments: &VerifyArguments,
    run: &Run,
    job: &Job,
) -> anyhow::Result<Status> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", output::name(directory)))?;
    let program = Path::new("program.tbc");
    unit::replace(&directory.join(program), &frontend.bytecode)?;
    let identity = Identity::new(program, run, &frontend.machine, arguments, job.options.equivalence);
    let unit = identity.unit(Exploration::new(&job.options), false);
    let outcome = Outcome::cut_short(StopReason::Paused, Executions::default(), Vec::new());
    let report = Report::new(&outcome, run, &NoSource);
    let text = report::json_with(&report, "verify", &More { estimate: None, unit: Some(&unit) });
    unit::replace(&directory.join("state.json"), text.as_bytes())?;
    Ok(Status::Fine)
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
    let mut options = Vec::from_iter(models::option(model, arguments.input.is_cxx()));
    options.extend(arguments.input.options());
    options.extend(arguments.unroll.options());
    if arguments.spin != Spin::All {
        options.push(format!("--spin={}", arguments.spin.name()));
    }
    if let Some(alloc) = arguments.alloc {
        options.push(format!("--alloc={}", alloc.name()));
    }
    options.extend(words_of(arguments.check, arguments.max_steps));
    // Its threads go on where others stop.
    if arguments.check_liveness {
        options.push("--check-liveness".to_owned());
    }
    options.join(" ")
}

/// What is added to JSON: by `--estimate`, and by whatever leaves something to be explored.
#[derive(Clone, Copy, Default, Serialize)]
pub(crate) struct More<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) estimate: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<&'a Unit>,
}

#[derive(Clone, Copy, Serialize)]
pub(crate) struct Numbers {
    executions: u64,
    low: u64,
    high: u64,
}

fn numbers(stopped: Option<&StopReason>) -> Option<Numbers> {
    match stopped {
        Some(&StopReason::Estimated(Estimate { executions, low, high })) => {
            Some(Numbers { executions, low, high })
        }
        _ => None,
    }
}

fn print(report: &Report, format: Format, more: &More<'_>) -> anyhow::Result<()> {
    output::result(&format.of(report, "verify", more)).context("cannot write the result")
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
