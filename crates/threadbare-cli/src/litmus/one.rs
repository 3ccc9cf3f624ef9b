//! One test: read, explored, answered.

use crate::args::{Format, LitmusArguments};
use crate::clock::{Stopwatch, Timer};
use crate::memory;
use crate::output_file::OutputFile;
use crate::watch::Watch;
use crate::{Status, graph, output};
use ::litmus::expect::Cells;
use ::litmus::{Answer, Keep, MAX_BYTES, Sources, Test};
use base::{escaped, escaped_lines};
use engine::{Cut, Model, Verdict};
use report::{Participant, Picture, Report, Run, shell_word};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// What is to be printed about a test, and what it came to.
#[derive(Debug)]
pub(super) struct Finished {
    /// For stdout.
    pub(super) answer: String,
    /// For stderr.
    pub(super) messages: String,
    pub(super) status: Status,
    /// Its name, if it can be read.
    pub(super) name: Option<String>,
    /// What a table of expected answers says about it; `None` if it was not explored completely.
    pub(super) cells: Option<Cells>,
    pub(super) has_sc_access: bool,
}

impl Finished {
    fn failed(message: String) -> Finished {
        let (answer, messages) = (String::new(), message + "\n");
        Finished { answer, messages, status: Status::Failed, name: None, cells: None, has_sc_access: false }
    }
}

/// Runs the test of a file.
pub(super) fn run(
    file: &Path,
    arguments: &LitmusArguments,
    picture: Option<&OutputFile>,
    (model, equivalence, jobs): (Model, &'static str, usize),
    watch: &Watch,
) -> Finished {
    let name = file.display().to_string();
    let clock = Stopwatch::start();
    let bytes = match read_in_time(file, MAX_BYTES, arguments.timeout, watch) {
        Ok(bytes) => bytes,
        Err(error) => {
            let failed = Finished::failed(format!("error: cannot read {}: {error}", output::name(file)));
            let is_late = error.kind() == io::ErrorKind::TimedOut;
            return Finished {
                status: if is_late { Status::Inconclusive } else { Status::Failed },
                ..failed
            };
        }
    };
    let test = match Test::parse(&name, &bytes) {
        Ok(test) => test,
        Err(error) => return Finished::failed(error.to_string()),
    };
    let frontend_seconds = clock.seconds();
    let control = watch.control();
    let stopped = Arc::clone(&control);
    let left = clock.left_of(arguments.timeout);
    let deadline = Timer::after(left, move || stopped.stop(Cut::Time));
    let clock = Stopwatch::start();
    let (unroll, spin) = (arguments.unroll, arguments.spin.into());
    let options = vm::Options { unroll, spin, ..vm::Options::default() };
    let keep = if picture.is_some() { Keep::Witness } else { Keep::Counts };
    let answer = test.run_by(model, (arguments.xmm.into(), jobs), keep, options, &control);
    let exploration_seconds = clock.seconds();
    drop(deadline);
    let run = Run {
        files: shell_word(&name),
        program: name,
        model: model.rules(),
        equivalence,
        options: String::new(),
        cflags: String::new(),
        frontend_seconds,
        exploration_seconds,
        peak_memory_bytes: memory::peak_bytes(),
    };
    let mut finished = finish(&test, &answer, &run, arguments.format);
    if let Some(file) = picture {
        draw(file, &test, &answer, &run, &mut finished);
    }
    finished
}

/// The witness, or else what is wrong.
fn draw(file: &OutputFile, test: &Test, answer: &Answer, run: &Run, finished: &mut Finished) {
    let sources = Sources::new(test, answer);
    let witness = answer.witness.as_ref().map(|witness| Picture::of_execution(witness, run, &sources));
    let faulty = || answer.outcome.violations.first().map(|first| Picture::new(first, run, &sources));
    let Some(picture) = witness.or_else(faulty) else {
        finished.messages += &format!(
            "warning: no execution decides the condition: {} is not written\n",
            output::name(file.name())
        );
        return;
    };
    let picture = picture.with_note("condition", test.condition());
    finished.status = finished.status.after_writing(graph::write_picture(file, &picture));
}

/// What is in a file; no more than one byte after `most`. A pipe may have nothing to read for a long time.
pub(super) fn read_in_time(
    file: &Path,
    most: usize,
    time: Option<Duration>,
    watch: &Watch,
) -> io::Result<Vec<u8>> {
    if file.metadata()?.is_file() {
        return read(file, most);
    }
    let (sender, receiver) = channel();
    let (cut, path) = (sender.clone(), file.to_owned());
    let late = || io::Error::new(io::ErrorKind::TimedOut, "there was no time to read all of it");
    watch.on_cut(move |_| _ = cut.send(Err(late())));
    thread::spawn(move || sender.send(read(&path, most)));
    let read = match time {
        Some(time) => receiver.recv_timeout(time).ok(),
        None => receiver.recv().ok(),
    };
    read.unwrap_or_else(|| Err(late()))
}

/// No more than is needed to see that it is too much.
fn read(file: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = (most as u64).saturating_add(1);
    std::fs::File::open(file)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn finish(test: &Test, answer: &Answer, run: &Run, format: Format) -> Finished {
    let sources = Sources::new(test, answer);
    let verdict = answer.outcome.verdict_on_states();
    let report = Report::answering(&verdict, &answer.outcome, run, &sources);
    let explored = !matches!(verdict, Verdict::Inconclusive(_));
    let text = match format {
        Format::Json => test.json(answer, &report),
        _ if !explored => String::new(),
        Format::Concise => escaped_lines(&test.concise(answer)),
        _ => escaped_lines(&test.herd(answer, run.exploration_seconds)),
    };
    let status = Status::of(&verdict);
    let (name, cells) = (Some(test.name().to_owned()), explored.then(|| Cells::new(test, answer)));
    let (messages, has_sc_access) = (messages(test, &report), test.has_sc_access());
    Finished { answer: text, messages, status, name, cells, has_sc_access }
}

/// Warnings, faults with their places, and why there is no answer or not a whole one.
fn messages(test: &Test, report: &Report) -> String {
    let mut lines: Vec<String> = test.warnings().to_vec();
    for diagnostic in &report.diagnostics {
        let place = diagnostic.participants.first().and_then(Participant::place);
        let place = place.map_or_else(|| report.run.program.clone(), ToString::to_string);
        lines.push(format!("{place}: error[{}]: {}", diagnostic.code, diagnostic.message));
    }
    if let Some(reason) = &report.answer.reason {
        lines.push(format!("{}: {}: {reason}", report.run.program, report.answer.word));
    }
    if let (Some(help), Some(_)) = (&report.answer.help, &report.answer.reason) {
        lines.push(format!("  = help: {help}"));
    }
    lines.iter().map(|line| escaped(line) + "\n").collect()
}
