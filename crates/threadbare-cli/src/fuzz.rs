//! `threadbare fuzz`: compile, run at random, report.
//!
//! What the runs find is a replay string. It is replayed as `verify --replay` would: that checks it against the model once
//! more, and gives the execution that the report shows.

use crate::args::{Format, FuzzArguments, Strategy, instructions, names_of, words_of};
use crate::clock::{Stopwatch, Timer};
use crate::frontend::{Frontend, Sources};
use crate::graph as pictures;
use crate::memory;
use crate::models;
use crate::output_file::{self, OutputFile};
use crate::progress::Progress;
use crate::watch::{Limits, Watch};
use crate::{Status, contradictions, output, release_sequences};
use anyhow::{Context, bail};
use base::{ThreadId, escaped};
use engine::{Check, Checks, Control, Cut, Executions, Job, Model, Outcome, StopReason, ViolationPlace};
use program::FaultKind;
use report::{Answer, NoSource, Report, Run, SourceMap, counted};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// How long, if nobody says.
const USUAL_TIME: Duration = Duration::from_secs(10);
/// What was found just before the time was up is made shorter all the same, for this time.
const SHORTENING: Duration = Duration::from_millis(300);
/// And in a run that was cut short it is made shorter, and then replayed, for this time each.
const AFTERWARDS: Duration = Duration::from_millis(150);
/// Longer executions are not shown event by event: nobody reads them, and to replay and explain one of 200,000 events takes
/// ten seconds, one of these a few tenths of a second.
const SHOWN: u64 = 20_000;
/// Longer replay strings are of no use to anybody: there is the seed.
const LONGEST: usize = 8000;

pub(crate) fn fuzz(arguments: &FuzzArguments) -> anyhow::Result<Status> {
    let model = arguments.model();
    refuse_unsupported(arguments, model)?;
    contradictions::fuzz(arguments)?;
    arguments.input.check()?;
    pictures::refuse_format(arguments.graph.as_deref())?;
    let [picture, trace] = output_file::open(
        [("--graph", arguments.graph.as_deref()), ("--trace-out", arguments.trace_out.as_deref())],
        &arguments.input.inputs(),
    )?;
    let clock = Stopwatch::start();
    let time = time(arguments);
    let watch = Watch::start(Limits { time: time.map(|time| time + SHORTENING), memory: arguments.memory });
    say_if_stuck_compiling(&watch, arguments, model);
    let Some(mut frontend) = compile(arguments, model, &watch)? else {
        return say_cut_short(&watch, arguments, model);
    };
    let frontend_seconds = clock.seconds();
    let arguments = &arguments.of_program(frontend.is_cxx);
    let model = arguments.model();
    let options = options(arguments, model);
    let running = Stopwatch::start();
    let left = clock.left_of(time);
    let control = control(&watch);
    say_what_was_found_if_stuck(&watch, &frontend, arguments, model, &control);
    let mut random = run(&mut frontend, &options, left, &control);
    let seconds = running.seconds();
    let run = Run { frontend_seconds, exploration_seconds: seconds, ..run_of(arguments, model) };
    say_if_stuck(&watch, &frontend, &random, &run, arguments);
    let shortening = clock.left_of(time.map(|time| time + SHORTENING));
    shorten(&frontend, &options, &mut random, shortening, &watch);
    let outcome = show(&mut frontend, model, &random, &watch)?;
    let sources = frontend.sources();
    let mut report = report_of(&outcome, &random, &run, &sources, arguments);
    release_sequences::note(&mut report, &outcome, model);
    let status = status(&outcome);
    watch.say(status, || print(&report, &random, arguments, &sources, seconds))?;
    let status = status
        .after_writing(write_trace(&outcome, trace.as_ref(), &sources))
        .after_writing(pictures::write(picture.as_ref(), &outcome, &run, &sources));
    Ok(status)
}

/// The run, as it is now.
fn run_of(arguments: &FuzzArguments, model: Model) -> Run {
    Run {
        program: arguments.input.name(),
        files: arguments.input.words(),
        model: model.rules(),
        equivalence: "co",
        options: replay_options(arguments, model),
        cflags: arguments.input.flag_words(),
        frontend_seconds: 0.0,
        exploration_seconds: 0.0,
        peak_memory_bytes: memory::peak_bytes(),
    }
}

fn refuse_unsupported(arguments: &FuzzArguments, model: Model) -> anyhow::Result<()> {
    if !fuzz::models().any(|known| known == model) {
        let names: Vec<&str> = fuzz::models().map(|model| model.rules().name).collect();
        bail!("`fuzz` has no model `{}`; there is: {}", model.rules().name, names.join(", "));
    }
    arguments.format.refuse_unless_of_reports()?;
    for check in [Check::Liveness, Check::Leak] {
        if arguments.check.is_some_and(|checks| checks.has(check)) {
            let (name, names) = (check.name(), names_of(Checks::default()));
            bail!("`fuzz --check {name}` is not in this version; there is: {names}");
        }
    }
    if arguments.alloc.is_some_and(|alloc| alloc.reuse) {
        bail!("`fuzz --alloc=reuse` is not in this version; there is: fresh, fail");
    }
    arguments.unroll.check()?;
    if arguments.depth() == 0 || arguments.jobs == 0 {
        bail!("`--depth` and `--jobs` are at least 1");
    }
    if arguments.jobs > fuzz::most_jobs() {
        output::warning(&format!(
            "`--jobs {}` is more than this machine is good for: there are {} jobs",
            arguments.jobs,
            fuzz::most_jobs()
        ));
    }
    Ok(())
}

/// How long to run, if that is bounded by time.
fn time(arguments: &FuzzArguments) -> Option<Duration> {
    let is_bounded = arguments.runs.is_some() || arguments.until_saturated;
    arguments.time.or((!is_bounded).then_some(USUAL_TIME))
}

/// Loops that wait are run as they are: nothing is cut in a random run. `None` if the run was cut short meanwhile.
fn compile(arguments: &FuzzArguments, model: Model, watch: &Watch) -> anyhow::Result<Option<Frontend>> {
    let usual = Job::new(model).machine_options();
    let options = vm::Options {
        unroll: arguments.unroll.rest(),
        loops: arguments.unroll.loops(),
        spin: vm::Spin::None,
        alloc: arguments.alloc.unwrap_or_default().into(),
        step_limit: arguments.max_steps.map_or(usual.step_limit, instructions),
        ..usual
    };
    let source = arguments.input.source(arguments.unroll.is_any())?;
    let frontend = Frontend::compile(&source, options, watch)?;
    if let Some(frontend) = &frontend {
        output::lines(&frontend.warnings);
        if frontend.has_sc_access {
            models::warn_of_sc_accesses(model);
        }
    }
    Ok(frontend)
}

fn run(
    frontend: &mut Frontend,
    options: &fuzz::Options,
    time: Option<Duration>,
    control: &Arc<fuzz::Control>,
) -> fuzz::Outcome {
    let (stopped, watched) = (Arc::clone(control), Arc::clone(control));
    let _deadline = Timer::after(time, move || stopped.stop());
    let _progress = Progress::line(move |seconds| {
        let (runs, events, graphs) = watched.progress();
        format!("fuzzing: {runs} runs, {events} events, {graphs} graphs, {seconds} s")
    });
    fuzz::fuzz(&mut frontend.machine, options, control).expect("models without random runs were refused")
}

/// Runs that are stopped when the whole is cut short.
fn control(watch: &Watch) -> Arc<fuzz::Control> {
    let control = Arc::new(fuzz::Control::default());
    let stopped = Arc::clone(&control);
    watch.on_cut(move |_| stopped.stop());
    control
}

/// Makes what was found short, as far as that is possible in this time.
fn shorten(
    frontend: &Frontend,
    options: &fuzz::Options,
    random: &mut fuzz::Outcome,
    time: Option<Duration>,
    watch: &Watch,
) {
    // After a signal there is some time, too.
    let (control, time) = match watch.cut() {
        None => (control(watch), time),
        Some(_) => (Arc::default(), Some(AFTERWARDS)),
    };
    let stopped = Arc::clone(&control);
    let _deadline = Timer::after(time, move || stopped.stop());
    let _progress = Progress::line(|seconds| format!("making what was found short, {seconds} s"));
    fuzz::shorten(&frontend.machine, options, random, &control);
}

fn options(arguments: &FuzzArguments, model: Model) -> fuzz::Options {
    fuzz::Options {
        strategy: match arguments.strategy {
            Strategy::Uniform => fuzz::Strategy::Uniform,
            Strategy::Pct => fuzz::Strategy::Pct { depth: arguments.depth() },
            Strategy::Pos => fuzz::Strategy::Pos,
            Strategy::Urw => fuzz::Strategy::Urw,
        },
        seed: arguments.seed,
        runs: arguments.runs,
        jobs: arguments.jobs,
        events: arguments.events,
        history: arguments.history,
        keep_going: arguments.keep_going,
        until_saturated: arguments.until_saturated,
        checks: arguments.check.unwrap_or_default(),
        ..fuzz::Options::new(model)
    }
}

// --- what was found ---------------------------------------------------------------------------------------------------

/// What was found, as reports want it.
fn show(
    frontend: &mut Frontend,
    model: Model,
    random: &fuzz::Outcome,
    watch: &Watch,
) -> anyhow::Result<Outcome> {
    let (control, time) = match watch.cut() {
        None => (watch.control(), None),
        Some(_) => (Arc::default(), Some(AFTERWARDS)),
    };
    let stopped = Arc::clone(&control);
    let _deadline = Timer::after(time, move || stopped.stop(Cut::Time));
    let mut violations = Vec::new();
    for violation in &random.violations {
        violations.push(shown(frontend, model, violation, &control)?);
    }
    Ok(outcome_of(random, violations, watch.cut()))
}

/// What was found without its executions: for that there was no time.
fn show_briefly(random: &fuzz::Outcome, cut: Option<Cut>) -> Outcome {
    outcome_of(random, random.violations.iter().map(without_execution).collect(), cut)
}

fn outcome_of(random: &fuzz::Outcome, violations: Vec<engine::Violation>, cut: Option<Cut>) -> Outcome {
    let stopped = random.stopped.clone().map(|fuzz::StopReason::Unsupported { message, site, thread }| {
        StopReason::Unsupported { message, site, thread }
    });
    let reached = random.unmodelled.clone();
    let stopped = match reached.is_empty() {
        true => stopped,
        false => Some(StopReason::Unmodelled { reached, also: stopped.map(Box::new) }),
    };
    // That the time is up is the usual end.
    let stopped = stopped.or(cut.filter(|&cut| cut != Cut::Time).map(StopReason::from));
    let usual = if is_any(random) { StopReason::Sampled } else { StopReason::Timeout };
    let (complete, blocked) = (random.numbers.complete, random.numbers.blocked);
    let executions = Executions { complete, blocked, duplicate: 0 };
    Outcome::cut_short(stopped.unwrap_or(usual), executions, violations)
}

/// Whether there was any run.
fn is_any(random: &fuzz::Outcome) -> bool {
    random.numbers.runs + random.numbers.unfinished > 0
}

fn shown(
    frontend: &mut Frontend,
    model: Model,
    violation: &fuzz::Violation,
    control: &Control,
) -> anyhow::Result<engine::Violation> {
    let Some(replay) = violation.replay.as_ref().filter(|_| violation.steps <= SHOWN) else {
        return Ok(without_execution(violation));
    };
    let outcome = engine::replay_steps(&mut frontend.machine, model, replay, control).with_context(|| {
        format!("internal error: what was found with seed {} is no execution", violation.seed)
    })?;
    if outcome.stopped().is_some_and(|reason| *reason != StopReason::Replayed) {
        return Ok(without_execution(violation));
    }
    let mut violations = outcome.violations.into_iter();
    let Some(mut same) = violations.find(|other| is_the_same(other.kind, violation.found.kind)) else {
        bail!("internal error: what was found with seed {} is not found again: {replay}", violation.seed);
    };
    same.number = violation.number + 1;
    let is_short = replay.len() <= LONGEST;
    same.replay = match is_short {
        true => engine::replay_string(&frontend.machine, model, replay),
        false => String::new(),
    };
    Ok(same)
}

/// The runs forget what was freed very long ago, and do not know then why an address is wrong.
fn is_the_same(replayed: FaultKind, found: FaultKind) -> bool {
    let memory = |kind| {
        use FaultKind::{DoubleFree, InvalidAccess, InvalidFree, UseAfterFree};
        matches!(kind, UseAfterFree | DoubleFree | InvalidFree | InvalidAccess)
    };
    replayed == found || (memory(replayed) && memory(found))
}

/// A violation in an execution that is too long to be shown.
fn without_execution(violation: &fuzz::Violation) -> engine::Violation {
    let fuzz::Found { kind, ref message, thread, site } = violation.found;
    let execution = engine::Execution::default();
    let place = ViolationPlace { thread: ThreadId(thread.0), event: None, site, role: "here".to_owned() };
    engine::Violation {
        kind,
        message: message.clone(),
        places: vec![place],
        execution,
        number: violation.number + 1,
        replay: String::new(),
    }
}

fn nothing_found(random: &fuzz::Outcome, format: Format) -> Answer {
    let word = if format.is_for_people() { "no violation found" } else { "no-violation" };
    let runs = counted(random.numbers.runs + random.numbers.unfinished, "random execution");
    Answer { reason: Some(format!("{runs}; that proves nothing")), ..Answer::of(word) }
}

/// Runs that were made count, also if the memory or a signal cut the rest short; but then the answer is not the whole one.
fn status(outcome: &Outcome) -> Status {
    match (&outcome.violations[..], outcome.stopped()) {
        ([], Some(StopReason::Sampled)) => Status::Fine,
        ([], _) => Status::Inconclusive,
        _ => Status::Violated,
    }
}

/// The report. Without a violation it says what was done instead of a verdict.
fn report_of(
    outcome: &Outcome,
    random: &fuzz::Outcome,
    run: &Run,
    sources: &Sources<'_>,
    arguments: &FuzzArguments,
) -> Report {
    let mut report = Report::new(outcome, run, sources);
    if status(outcome) == Status::Fine {
        report.answer = nothing_found(random, arguments.format);
    }
    report
}

/// If the run does not come to its end in time, what was found is told all the same.
fn say_if_stuck(
    watch: &Watch,
    frontend: &Frontend,
    random: &fuzz::Outcome,
    run: &Run,
    arguments: &FuzzArguments,
) {
    let (outcome, sources) = (show_briefly(random, watch.cut()), frontend.sources());
    let report = report_of(&outcome, random, run, &sources, arguments);
    let text = text(&report, random, arguments, &sources, run.exploration_seconds);
    let status = status(&outcome);
    watch.last_word(move |_| {
        // There is nobody left to tell if that fails.
        let _ = output::result(&text);
        status
    });
}

/// The same while it runs: what was found so far.
fn say_what_was_found_if_stuck(
    watch: &Watch,
    frontend: &Frontend,
    arguments: &FuzzArguments,
    model: Model,
    control: &Arc<fuzz::Control>,
) {
    let (frontend, control, run) = (frontend.clone(), Arc::clone(control), run_of(arguments, model));
    let (format, seed) = (arguments.format, arguments.seed);
    watch.last_word(move |cut| {
        let first = control.found().first().map(without_execution);
        let status = if first.is_some() { Status::Violated } else { Status::Inconclusive };
        let outcome = Outcome::cut_short(cut.into(), Executions::default(), first.into_iter().collect());
        // There is nobody left to tell if that fails.
        let _ = output::result(&brief(&Report::new(&outcome, &run, &frontend.sources()), format, seed));
        status
    });
}

/// The same while it compiles.
fn say_if_stuck_compiling(watch: &Watch, arguments: &FuzzArguments, model: Model) {
    let (run, format, seed) = (run_of(arguments, model), arguments.format, arguments.seed);
    watch.last_word(move |cut| {
        // There is nobody left to tell if that fails.
        let _ = output::result(&without_runs(&run, format, seed, cut));
        Status::Inconclusive
    });
}

/// The text of a report on a program that was not run.
fn without_runs(run: &Run, format: Format, seed: u64, cut: Cut) -> String {
    let outcome = Outcome::cut_short(cut.into(), Executions::default(), Vec::new());
    brief(&Report::new(&outcome, run, &NoSource), format, seed)
}

/// The text of a report on runs that were not counted.
fn brief(report: &Report, format: Format, seed: u64) -> String {
    format.of(report, "fuzz", &NoRuns { runs: 0, events: 0, seed })
}

/// The run was cut short before the program was compiled.
fn say_cut_short(watch: &Watch, arguments: &FuzzArguments, model: Model) -> anyhow::Result<Status> {
    let cut = watch.cut().expect("it was cut short");
    let text = without_runs(&run_of(arguments, model), arguments.format, arguments.seed, cut);
    watch.say(Status::Inconclusive, || output::result(&text)).context("cannot write the result")?;
    Ok(Status::Inconclusive)
}

/// What a replay needs besides the file and the string.
fn replay_options(arguments: &FuzzArguments, model: Model) -> String {
    let mut options = vec!["--spin=none".to_owned()];
    options.extend(models::option(model, arguments.input.is_cxx()));
    options.extend(arguments.input.options());
    options.extend(arguments.unroll.options());
    if let Some(alloc) = arguments.alloc {
        options.push(format!("--alloc={}", alloc.name()));
    }
    options.extend(words_of(arguments.check, arguments.max_steps));
    options.join(" ")
}

// --- output -----------------------------------------------------------------------------------------------------------

/// What `fuzz` adds to the JSON of a report.
#[derive(Serialize)]
struct More<'a> {
    runs: u64,
    events: u64,
    events_per_second: u64,
    seed: u64,
    strategy: &'a str,
    cut: u64,
    stuck: u64,
    standstill: Option<At>,
    forgotten_writes: u64,
    found: Vec<FoundAt>,
    coverage: Covered,
}

/// What there is to say if nothing could be run.
#[derive(Serialize)]
struct NoRuns {
    runs: u64,
    events: u64,
    seed: u64,
}

/// A run in which all threads that have not finished spin for ever.
#[derive(Serialize)]
struct At {
    seed: u64,
    run: u64,
    places: Vec<SpinsAt>,
}

#[derive(Serialize)]
struct SpinsAt {
    thread: u32,
    place: Option<String>,
}

#[derive(Serialize)]
struct FoundAt {
    seed: u64,
    run: u64,
    events: u64,
    steps: u64,
}

#[derive(Serialize)]
struct Covered {
    graphs: u64,
    graphs_estimate: f64,
    saturation: f64,
    rf_pairs: u64,
    racing_pairs: u64,
}

fn standstill(random: &fuzz::Outcome, sources: &Sources<'_>) -> Option<At> {
    let run = random.standstill.as_ref()?;
    let at = |&(thread, site): &fuzz::Spinning| SpinsAt { thread: thread.0, place: place(sources, site) };
    Some(At { seed: run.seed, run: run.number + 1, places: run.spinning.iter().map(at).collect() })
}

fn place(sources: &Sources<'_>, site: base::Site) -> Option<String> {
    sources.site(site).place.map(|place| format!("{}:{}", place.file, place.line))
}

fn more<'a>(
    random: &fuzz::Outcome,
    arguments: &FuzzArguments,
    sources: &Sources<'_>,
    seconds: f64,
) -> More<'a> {
    let (numbers, coverage) = (random.numbers, &random.coverage);
    let at = |violation: &fuzz::Violation| FoundAt {
        seed: violation.seed,
        run: violation.number + 1,
        events: violation.events,
        steps: violation.steps,
    };
    let rounded = |number: f64| (number * 1e4).round() / 1e4;
    More {
        runs: numbers.runs,
        events: numbers.events,
        events_per_second: per_second(numbers.events, seconds),
        seed: random.seed,
        strategy: arguments.strategy.name(),
        cut: numbers.cut,
        stuck: numbers.stuck,
        standstill: standstill(random, sources),
        forgotten_writes: numbers.forgotten,
        found: random.violations.iter().map(at).collect(),
        coverage: Covered {
            graphs: coverage.graphs(),
            graphs_estimate: rounded(coverage.estimate()),
            saturation: rounded(coverage.saturation()),
            rf_pairs: coverage.pairs(),
            racing_pairs: coverage.racing_pairs(),
        },
    }
}

fn per_second(events: u64, seconds: f64) -> u64 {
    if seconds > 0.0 { (events as f64 / seconds) as u64 } else { 0 }
}

fn print(
    report: &Report,
    random: &fuzz::Outcome,
    arguments: &FuzzArguments,
    sources: &Sources<'_>,
    seconds: f64,
) -> anyhow::Result<()> {
    output::result(&text(report, random, arguments, sources, seconds)).context("cannot write the result")
}

fn text(
    report: &Report,
    random: &fuzz::Outcome,
    arguments: &FuzzArguments,
    sources: &Sources<'_>,
    seconds: f64,
) -> String {
    let text = arguments.format.of(report, "fuzz", &more(random, arguments, sources, seconds));
    match arguments.format.is_for_people() {
        true => text + &summary(random, arguments, sources, seconds),
        false => text,
    }
}

/// The numbers, a line each.
fn summary(random: &fuzz::Outcome, arguments: &FuzzArguments, sources: &Sources<'_>, seconds: f64) -> String {
    let mut lines = Vec::new();
    for violation in &random.violations {
        lines.push(format!(
            "seed {}: {}; run {} with {}, shown with {}",
            violation.seed,
            command(arguments, violation.seed),
            violation.number + 1,
            counted(violation.events, "event"),
            violation.steps,
        ));
    }
    let (numbers, coverage) = (random.numbers, &random.coverage);
    lines.push(format!(
        "{} from seed {}, {}, {} events per second",
        counted(numbers.runs, "run"),
        random.seed,
        counted(numbers.events, "event"),
        per_second(numbers.events, seconds),
    ));
    lines.push(format!(
        "{} (about {:.0} in all, saturation {:.1} %), {} pairs of a write and a read, {} of them unordered",
        counted(coverage.graphs(), "graph"),
        coverage.estimate(),
        100.0 * coverage.saturation(),
        coverage.pairs(),
        coverage.racing_pairs(),
    ));
    if numbers.unfinished > 0 {
        lines.push(format!("{} not finished", counted(numbers.unfinished, "run")));
    }
    if numbers.cut > 0 {
        lines.push(format!("{} cut by --events {}", counted(numbers.cut, "run"), arguments.events));
    }
    if let Some(run) = &random.standstill {
        lines.push(format!(
            "{} to a standstill: all threads that have not finished spin for ever ({}); {}",
            if numbers.stuck == 1 { "1 run came".to_owned() } else { format!("{} runs came", numbers.stuck) },
            spins(run, sources),
            command(arguments, run.seed),
        ));
    }
    if numbers.forgotten > 0 {
        let forgotten = numbers.forgotten;
        lines.push(format!(
            "{forgotten} old writes were forgotten although they could still be read: raise --history"
        ));
    }
    lines.iter().map(|line| escaped(line) + "\n").collect()
}

/// Which threads spin where; a place that several have is named once.
fn spins(run: &fuzz::Standstill, sources: &Sources<'_>) -> String {
    let mut places: Vec<(String, Vec<String>)> = Vec::new();
    for &(thread, site) in &run.spinning {
        let at = place(sources, site).unwrap_or_else(|| "an unknown place".to_owned());
        match places.iter_mut().find(|(known, _)| *known == at) {
            Some((_, threads)) => threads.push(thread.0.to_string()),
            None => places.push((at, vec![thread.0.to_string()])),
        }
    }
    let words = |(at, threads): (String, Vec<String>)| {
        let noun = if threads.len() == 1 { "thread" } else { "threads" };
        format!("{noun} {} at {at}", threads.join(", "))
    };
    places.into_iter().map(words).collect::<Vec<_>>().join("; ")
}

/// The command that shows the run of a seed again.
fn command(arguments: &FuzzArguments, seed: u64) -> String {
    let mut words = vec!["threadbare fuzz".to_owned(), arguments.input.words()];
    words.extend(arguments.input.options());
    words.extend(models::option(arguments.model(), arguments.input.is_cxx()));
    if arguments.strategy != Strategy::Uniform {
        words.push(format!("--strategy {}", arguments.strategy.name()));
    }
    if let Some(depth) = arguments.depth.filter(|&depth| depth != 3) {
        words.push(format!("--depth {depth}"));
    }
    words.extend(arguments.unroll.options());
    if let Some(alloc) = arguments.alloc {
        words.push(format!("--alloc={}", alloc.name()));
    }
    words.extend(words_of(arguments.check, arguments.max_steps));
    words.push(format!("--seed {seed} --runs 1"));
    if !arguments.input.cflags.is_empty() {
        words.push(format!("-- {}", arguments.input.flag_words()));
    }
    words.join(" ")
}

fn write_trace(outcome: &Outcome, file: Option<&OutputFile>, sources: &Sources<'_>) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    match outcome.violations.first().filter(|violation| !violation.execution.graph.threads.is_empty()) {
        None => output::warning("there is no execution to write: no trace is written"),
        Some(violation) => file.write_text(&report::trace(&violation.execution, sources))?,
    }
    Ok(())
}
