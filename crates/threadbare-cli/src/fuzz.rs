//! `threadbare fuzz`: compile, run at random, report.
//!
//! What the runs find is a replay string. It is replayed as `verify --replay` would: that checks it against the model once
//! more, and gives the execution that the report shows.

use crate::args::{Format, FuzzArguments, Strategy};
use crate::frontend::{self, Frontend, Sources};
use crate::graph as pictures;
use crate::models::{self, Supported};
use crate::peak_memory::peak_memory_bytes;
use crate::progress::Progress;
use crate::{Status, interrupt, output};
use anyhow::{Context, bail};
use base::ThreadId;
use explore::{Executions, Outcome, StopReason, Verdict, ViolationPlace};
use program::FaultKind;
use report::{Answer, Report, Run, SourceMap, counted, shell_word};
use serde::Serialize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long, if nobody says.
const USUAL_TIME: Duration = Duration::from_secs(10);
/// Longer executions are not shown event by event.
const SHOWN: u64 = 200_000;
/// Longer replay strings are of no use to anybody: there is the seed.
const LONGEST: usize = 8000;

pub(crate) fn fuzz(arguments: &FuzzArguments) -> anyhow::Result<Status> {
    let supported = models::supported(arguments.model);
    refuse_unsupported(arguments, supported)?;
    pictures::refuse_unwritable(arguments.graph.as_deref())?;
    let control = Arc::new(fuzz::Control::default());
    let start = Instant::now();
    let mut frontend = compile(arguments, supported)?;
    let frontend_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let options = options(arguments, supported);
    let mut random = run(&mut frontend, arguments, &options, &control);
    let seconds = start.elapsed().as_secs_f64();
    frontend::shorten(&frontend, &options, &mut random);
    let outcome = show(&mut frontend, supported, &random)?;
    let run = Run {
        program: arguments.file.display().to_string(),
        model: supported.name,
        equivalence: "co",
        options: replay_options(arguments, supported),
        cflags: arguments.cflags.iter().map(|flag| shell_word(flag)).collect::<Vec<_>>().join(" "),
        frontend_seconds,
        exploration_seconds: seconds,
        peak_memory_bytes: peak_memory_bytes(),
    };
    let sources = frontend.sources();
    let mut report = Report::new(&outcome, &run, &sources);
    if random.stopped.is_none() && random.violations.is_empty() {
        report.answer = nothing_found(&random, arguments.format);
    }
    print(&report, &random, arguments, &sources, seconds)?;
    write_trace(&outcome, arguments, &sources)?;
    pictures::write(arguments.graph.as_deref(), &outcome, &run, &sources)?;
    Ok(status(&random))
}

fn refuse_unsupported(arguments: &FuzzArguments, supported: Supported) -> anyhow::Result<()> {
    if !fuzz::MODELS.contains(&supported.model) {
        let names: Vec<&str> = fuzz::MODELS.iter().map(|model| model.text().name).collect();
        bail!("`fuzz` has no model `{}`; there is: {}", supported.name.id, names.join(", "));
    }
    if arguments.format == Format::Sarif {
        bail!("`--format sarif` is not in this version; there is: full, concise, json");
    }
    if arguments.alloc.is_some_and(|alloc| alloc.reuse) {
        bail!("`fuzz --alloc=reuse` is not in this version; there is: fresh, fail");
    }
    if arguments.unroll == Some(0) {
        bail!("`--unroll 0` would run nothing: give at least 1");
    }
    if arguments.depth == 0 || arguments.jobs == 0 {
        bail!("`--depth` and `--jobs` are at least 1");
    }
    Ok(())
}

/// Loops that wait are run as they are: nothing is cut in a random run.
fn compile(arguments: &FuzzArguments, supported: Supported) -> anyhow::Result<Frontend> {
    let options = vm::Options {
        unroll: arguments.unroll,
        spin: vm::Spin::None,
        alloc: arguments.alloc.unwrap_or_default().into(),
        has_co: true,
        ..vm::Options::default()
    };
    let frontend = Frontend::compile(&arguments.file, &arguments.cflags, options)?;
    output::lines(frontend.warnings());
    if supported.model == explore::Model::Rc20 && frontend.has_sc_access() {
        output::warning(models::RC20_SC_ACCESSES);
    }
    Ok(frontend)
}

fn run(
    frontend: &mut Frontend,
    arguments: &FuzzArguments,
    options: &fuzz::Options,
    control: &Arc<fuzz::Control>,
) -> fuzz::Outcome {
    let usual = || arguments.runs.is_none().then_some(USUAL_TIME).filter(|_| !arguments.until_saturated);
    stop_in_time(arguments.time.or_else(usual), control);
    let watched = Arc::clone(control);
    let _progress = Progress::line(move |seconds| {
        let (runs, events, graphs) = watched.progress();
        format!("fuzzing: {runs} runs, {events} events, {graphs} graphs, {seconds} s")
    });
    frontend::fuzz(frontend, options, control).expect("models without random runs were refused")
}

fn options(arguments: &FuzzArguments, supported: Supported) -> fuzz::Options {
    fuzz::Options {
        strategy: match arguments.strategy {
            Strategy::Uniform => fuzz::Strategy::Uniform,
            Strategy::Pct => fuzz::Strategy::Pct { depth: arguments.depth },
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
        ..fuzz::Options::new(supported.model)
    }
}

/// Stops the runs when the time is up or somebody presses Ctrl-C. The thread ends with the process.
fn stop_in_time(time: Option<Duration>, control: &Arc<fuzz::Control>) {
    interrupt::listen();
    let (control, start) = (Arc::clone(control), Instant::now());
    thread::spawn(move || {
        while time.is_none_or(|time| start.elapsed() < time) && !interrupt::is_interrupted() {
            thread::sleep(Duration::from_millis(10));
        }
        control.stop();
    });
}

// --- what was found ---------------------------------------------------------------------------------------------------

/// What was found, as reports want it.
fn show(frontend: &mut Frontend, supported: Supported, random: &fuzz::Outcome) -> anyhow::Result<Outcome> {
    let mut violations = Vec::new();
    for violation in &random.violations {
        violations.extend(shown(frontend, supported, violation)?);
    }
    let stopped = random.stopped.clone().map(|fuzz::StopReason::Unsupported { message, site, thread }| {
        StopReason::Unsupported { message, site, thread }
    });
    let verdict = match (&violations[..], &stopped) {
        ([], Some(reason)) => Verdict::Inconclusive(reason.clone()),
        ([], None) => Verdict::Inconclusive(StopReason::Timeout),
        _ => Verdict::Violated,
    };
    let (complete, blocked) = (random.numbers.complete, random.numbers.blocked);
    let executions = Executions { complete, blocked, duplicate: 0 };
    Ok(Outcome { verdict, executions, violations, stopped, restarts: Vec::new(), example: None })
}

fn shown(
    frontend: &mut Frontend,
    supported: Supported,
    violation: &fuzz::Violation,
) -> anyhow::Result<Vec<explore::Violation>> {
    let Some(replay) = violation.replay.as_ref().filter(|_| violation.steps <= SHOWN) else {
        return Ok(vec![without_execution(violation)]);
    };
    let outcome = frontend::replay_steps(frontend, supported.model, replay).with_context(|| {
        format!("internal error: what was found with seed {} is no execution", violation.seed)
    })?;
    let mut violations = outcome.violations;
    violations.retain(|other| is_the_same(other.kind, violation.found.kind));
    if violations.is_empty() {
        bail!("internal error: what was found with seed {} is not found again: {replay}", violation.seed);
    }
    for other in &mut violations {
        other.number = violation.number + 1;
        let is_short = replay.len() <= LONGEST;
        other.replay = if is_short { frontend.replay_string(supported.model, replay) } else { String::new() };
    }
    violations.truncate(1);
    Ok(violations)
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
fn without_execution(violation: &fuzz::Violation) -> explore::Violation {
    let fuzz::Found { kind, ref message, thread, site } = violation.found;
    let execution = explore::Execution {
        graph: graph::ExecutionGraph::default(),
        sites: Vec::new(),
        ends: Vec::new(),
        justification: None,
    };
    let place = ViolationPlace { thread: ThreadId(thread.0), event: None, site, role: "here".to_owned() };
    explore::Violation {
        kind,
        message: message.clone(),
        places: vec![place],
        execution,
        number: violation.number + 1,
        replay: String::new(),
    }
}

fn nothing_found(random: &fuzz::Outcome, format: Format) -> Answer {
    let word = if format == Format::Json { "no-violation" } else { "no violation found" };
    let runs = counted(random.numbers.runs + random.numbers.unfinished, "random execution");
    Answer { reason: Some(format!("{runs}; that proves nothing")), ..Answer::of(word) }
}

fn status(random: &fuzz::Outcome) -> Status {
    match (&random.violations[..], &random.stopped) {
        ([], Some(_)) => Status::Inconclusive,
        ([], None) => Status::Fine,
        _ => Status::Violated,
    }
}

/// What a replay needs besides the file and the string.
fn replay_options(arguments: &FuzzArguments, supported: Supported) -> String {
    let mut options = vec!["--spin=none".to_owned()];
    if supported.name.id != "rc11" {
        options.push(format!("--model {}", supported.name.id));
    }
    if let Some(unroll) = arguments.unroll {
        options.push(format!("--unroll {unroll}"));
    }
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
    let summary = || summary(random, arguments, sources, seconds);
    let text = match arguments.format {
        Format::Full => report::full(report, output::colour()) + &summary(),
        Format::Concise => report::concise(report) + &summary(),
        Format::Json => report::json_with(report, "fuzz", &more(random, arguments, sources, seconds)),
        Format::Sarif => unreachable!("refused before anything was run"),
    };
    output::result(&text).context("cannot write the result")
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
    lines.join("\n") + "\n"
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
    let mut words = vec!["threadbare fuzz".to_owned(), shell_word(&arguments.file.display().to_string())];
    let model = models::supported(arguments.model).name.id;
    if model != "rc11" {
        words.push(format!("--model {model}"));
    }
    if arguments.strategy != Strategy::Uniform {
        words.push(format!("--strategy {}", arguments.strategy.name()));
    }
    if arguments.strategy == Strategy::Pct && arguments.depth != 3 {
        words.push(format!("--depth {}", arguments.depth));
    }
    if let Some(unroll) = arguments.unroll {
        words.push(format!("--unroll {unroll}"));
    }
    words.push(format!("--seed {seed} --runs 1"));
    if !arguments.cflags.is_empty() {
        let flags: Vec<String> = arguments.cflags.iter().map(|flag| shell_word(flag)).collect();
        words.push(format!("-- {}", flags.join(" ")));
    }
    words.join(" ")
}

fn write_trace(outcome: &Outcome, arguments: &FuzzArguments, sources: &Sources<'_>) -> anyhow::Result<()> {
    let Some(file) = &arguments.trace_out else { return Ok(()) };
    match outcome.violations.first().filter(|violation| !violation.execution.graph.threads.is_empty()) {
        None => output::warning("there is no execution to write: no trace is written"),
        Some(violation) => std::fs::write(file, report::trace(&violation.execution, sources))
            .with_context(|| format!("cannot write {}", file.display()))?,
    }
    Ok(())
}
