//! `threadbare check`: whether an execution is consistent.
//!
//! The trace is read and checked in a thread of its own: a check has no place to look at a clock, so when the time is
//! up, it is left where it is and ends with the process.

mod explain;
mod fault;
mod input;
mod json;

use crate::args::{CheckArguments, Format};
use crate::clock::Stopwatch;
use crate::models;
use crate::output_file::{self, OutputFile};
use crate::watch::{Limits, Watch};
use crate::{Status, output};
use anyhow::{Context, anyhow, bail};
use base::{Order, escaped, escaped_lines};
use consistency::{Answer, Op, Reason, Trace, Witness, trace};
use engine::Cut;
use explain::Explanation;
use input::{Input, Meter};
use model::{Cycles, Model};
use report::{counted, duration};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

pub(crate) fn check(arguments: &CheckArguments) -> anyhow::Result<Status> {
    let model = arguments.model;
    arguments.format.refuse_for("traces")?;
    if model.rules().cycles == Cycles::Justified {
        bail!(
            "`check --model xmm` is not there: whether XMM allows an execution with a cycle depends on the other \
             executions of its program, which a trace does not have; without a cycle it allows what rc11 allows"
        );
    }
    // Accepted from the start, as by `verify`.
    let (_symmetry, _spin) = (arguments.no_symmetry, arguments.spin);
    let [witness] = output_file::open([("--witness", arguments.witness.as_deref())], &[source(arguments)])?;
    let watch = Watch::start(Limits { time: arguments.timeout, memory: arguments.memory });
    let checked = match answer_in_time(&arguments.trace, model, &watch)? {
        Ok(checked) => checked,
        Err(fault) => {
            output::log(&fault);
            return Ok(Status::Failed);
        }
    };
    if let Some(trace) = &checked.trace {
        warn(trace, model);
    }
    let program = arguments.trace.display().to_string();
    let report = Report { program, model, checked: &checked };
    let status = checked.verdict.status();
    watch.say(status, || print(&report, arguments.format))?;
    let written = witness.map_or(Ok(()), |file| write_witness(&checked, &file));
    Ok(status.after_writing(written))
}

/// The file that the trace comes from.
fn source(arguments: &CheckArguments) -> &Path {
    if arguments.trace == Path::new("-") { Path::new("/dev/stdin") } else { &arguments.trace }
}

/// What came out.
#[derive(Debug)]
struct Checked {
    /// What was read; `None` if the time was up.
    trace: Option<Trace>,
    verdict: Verdict,
    reading: f64,
    checking: f64,
}

#[derive(Debug)]
enum Verdict {
    Consistent(Witness),
    Inconsistent(Reason),
    /// Neither is known, for this reason.
    Inconclusive(String),
}

impl Verdict {
    fn word(&self) -> &'static str {
        match self {
            Verdict::Consistent(_) => "consistent",
            Verdict::Inconsistent(_) => "inconsistent",
            Verdict::Inconclusive(_) => "inconclusive",
        }
    }

    fn status(&self) -> Status {
        match self {
            Verdict::Consistent(_) => Status::Fine,
            Verdict::Inconsistent(_) => Status::Violated,
            Verdict::Inconclusive(_) => Status::Inconclusive,
        }
    }
}

/// What was checked, or what is wrong with the trace.
type Outcome = anyhow::Result<Result<Checked, String>>;

fn answer_in_time(path: &Path, model: Model, watch: &Watch) -> Outcome {
    let clock = Stopwatch::start();
    let meter = Arc::new(Meter::default());
    let _progress = meter.show();
    let (sender, receiver) = channel();
    let cut_short = sender.clone();
    // Nobody listens any more when there is an answer.
    watch.on_cut(move |cut| _ = cut_short.send(Ok(Ok(unanswered(cut, clock)))));
    thread::spawn({
        let (meter, path) = (Arc::clone(&meter), path.to_owned());
        // Nor when the time is up. (A pipe that nobody writes to cannot even be opened.)
        move || _ = sender.send(Input::open(&path).and_then(|input| answer(input, &meter, model)))
    });
    receiver.recv().map_err(|_| anyhow!("the check ended without an answer"))?
}

fn unanswered(cut: Cut, clock: Stopwatch) -> Checked {
    let reason = match cut {
        Cut::Time => "the time was up before there was an answer; raise --timeout",
        Cut::Memory => "memory: the limit was met before there was an answer; raise --memory",
        Cut::Signal => "it was interrupted before there was an answer",
    };
    let verdict = Verdict::Inconclusive(reason.to_owned());
    Checked { trace: None, verdict, reading: 0.0, checking: clock.seconds() }
}

fn answer(input: Input, meter: &Arc<Meter>, model: Model) -> Outcome {
    let clock = Stopwatch::start();
    let trace = match input.read(meter)? {
        Ok(trace) => trace,
        Err(fault) => return Ok(Err(fault)),
    };
    let reading = clock.seconds();
    let clock = Stopwatch::start();
    let verdict = match consistency::check_trace(&trace, model) {
        Ok(Answer::Consistent(witness)) => Verdict::Consistent(witness),
        Ok(Answer::Inconsistent(reason)) => Verdict::Inconsistent(reason),
        Err(undecided) => Verdict::Inconclusive(undecided.to_string()),
    };
    let checking = clock.seconds();
    Ok(Ok(Checked { trace: Some(trace), verdict, reading, checking }))
}

/// What to know before reading the answer.
fn warn(trace: &Trace, model: Model) {
    let execution = trace.execution();
    let is_sc_access = |e| execution.op(e) != Op::Fence && execution.order(e) == Order::SeqCst;
    if execution.events().any(is_sc_access) {
        models::warn_of_sc_accesses(model);
    }
    if trace.has_co() && !model.rules().has_co() {
        output::warning(&format!("{} has no coherence order: `co=` is ignored", model.rules().title));
    }
    if trace.ends_in_a_line() {
        output::warning("the last line has no end: is the trace complete?");
    }
}

/// All that is to be said.
#[derive(Debug)]
struct Report<'a> {
    program: String,
    model: Model,
    checked: &'a Checked,
}

impl Report<'_> {
    /// Why it is inconsistent.
    fn explanation(&self) -> Option<Explanation> {
        match (&self.checked.verdict, &self.checked.trace) {
            (Verdict::Inconsistent(reason), Some(trace)) => Some(Explanation::new(reason, trace)),
            _ => None,
        }
    }

    /// The first line: the verdict, with how much was checked.
    fn verdict_line(&self) -> String {
        let (program, title) = (escaped(&self.program), self.model.rules().title);
        let word = self.checked.verdict.word();
        let line = format!("{program}: {word} under {title}");
        match &self.checked.verdict {
            Verdict::Inconclusive(reason) => format!("{line}: {reason}"),
            Verdict::Consistent(_) | Verdict::Inconsistent(_) => format!("{line} — {}", self.counts()),
        }
    }

    fn counts(&self) -> String {
        let time = duration(self.checked.reading + self.checked.checking);
        let Some(trace) = &self.checked.trace else { return time };
        let execution = trace.execution();
        let number = |count: usize, what| counted(count as u64, what);
        let counts = [
            number(execution.len(), "event"),
            number(execution.thread_count(), "thread"),
            number(execution.location_count(), "location"),
        ];
        let given = if self.checks_co() { ", co as given" } else { "" };
        format!("{}{given}, {time}", counts.join(", "))
    }

    /// Whether the answer is about a `co` that the trace gives.
    fn checks_co(&self) -> bool {
        self.model.rules().has_co() && self.checked.trace.as_ref().is_some_and(Trace::has_co)
    }
}

fn print(report: &Report<'_>, format: Format) -> anyhow::Result<()> {
    let explanation = report.explanation();
    let text = match (format, &explanation) {
        (Format::Json, _) => json::json(report, explanation.as_ref()),
        (_, None) => report.verdict_line() + "\n",
        (Format::Concise, Some(explanation)) => escaped_lines(&concise(report, explanation)),
        (_, Some(explanation)) => escaped_lines(&full(report, explanation)),
    };
    output::result(&text).context("cannot write the result")
}

/// The verdict, why, and a summary.
fn full(report: &Report<'_>, explanation: &Explanation) -> String {
    let mut text = format!("{}\n\nerror[inconsistent]: {}\n", report.verdict_line(), explanation.headline);
    for (number, step) in explanation.steps.iter().enumerate() {
        text += &format!("  {}. {}\n", number + 1, step.words);
    }
    if !explanation.events.is_empty() {
        text.push_str("\n  the events:\n");
    }
    let program = escaped(&report.program);
    let lines: Vec<String> = explanation.events.iter().map(|event| escaped(&event.line)).collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    for (line, event) in lines.iter().zip(&explanation.events) {
        text += &format!("    {line:width$}  {program}:{}\n", event.number);
    }
    let summary = &explanation.summary;
    text + &format!("\n{program}: inconsistent under {}: {summary}\n", report.model.rules().title)
}

/// The place of the first event, the verdict and the steps in short.
fn concise(report: &Report<'_>, explanation: &Explanation) -> String {
    let line = explanation.events.first().map(|event| format!(":{}", event.number)).unwrap_or_default();
    let (program, title) = (escaped(&report.program), report.model.rules().title);
    format!("{program}{line}: inconsistent under {title}: {}\n", explanation.summary)
}

/// The trace with the coherence order that was found.
fn write_witness(checked: &Checked, file: &OutputFile) -> anyhow::Result<()> {
    let (Verdict::Consistent(witness), Some(trace)) = (&checked.verdict, &checked.trace) else {
        output::warning("there is no coherence order to write: no witness is written");
        return Ok(());
    };
    file.write(|mut output| trace::write(trace, witness, &mut output))
}
