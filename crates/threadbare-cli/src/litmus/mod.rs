//! `threadbare litmus`: herd's tests, answered as herd does.
//!
//! Answers are on stdout and nothing else, so that scripts made for herd can read them; races, errors and the summary are
//! on stderr. Tests run side by side, their answers come in the order of the files.

mod files;
mod one;

use crate::args::LitmusArguments;
use crate::clock::Stopwatch;
use crate::models;
use crate::progress::Counter;
use crate::verify;
use crate::watch::{Limits, Watch};
use crate::{Status, graph, output, output_file};
use ::litmus::expect::{Cells, Difference, Table};
use anyhow::{Context, bail};
use engine::Model;
use one::Finished;
use std::collections::{BTreeMap, BTreeSet};

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

pub(crate) fn litmus(arguments: &LitmusArguments) -> anyhow::Result<Status> {
    let model = arguments.model;
    // States are found with their coherence orders: what memory holds in the end is a matter of these.
    let there_are = &model.equivalences()[..1];
    let asked = models::equivalence(model, arguments.equivalence, there_are)?;
    let equivalence = asked.unwrap_or(there_are[0]).name();
    refuse_unsupported(arguments)?;
    graph::refuse_format(arguments.graph.as_deref())?;
    models::refuse_search(model, arguments.xmm)?;
    // The time is that of each test.
    let watch = Watch::start(Limits { time: None, memory: arguments.memory });
    let table = arguments.expect.as_ref().map(|file| read_table(file, arguments, &watch)).transpose()?;
    let clock = Stopwatch::start();
    let (files, missing) = files::find(&arguments.paths);
    refuse_several_pictures(arguments, files.len())?;
    let inputs: Vec<&Path> = files.iter().chain(&arguments.expect).map(PathBuf::as_path).collect();
    let [picture] = output_file::open([("--graph", arguments.graph.as_deref())], &inputs)?;
    let mut summary = Summary::default();
    missing.iter().for_each(|message| summary.add_error(message));
    // What is left of the threads if there are few tests, each test has.
    let each = (jobs(arguments) / files.len().max(1)).max(1);
    run_all(
        &files,
        &|file| {
            let run = || one::run(file, arguments, picture.as_ref(), (model, equivalence, each), &watch);
            watch.cut().is_none().then(run)
        },
        jobs(arguments),
        &mut summary,
    )?;
    if let Some(table) = &table {
        summary.compare(table, model);
    }
    if summary.with_sc_accesses > 0 {
        models::warn_of_sc_accesses(model);
    }
    if files.len() > 1 {
        output::log(&summary.line(model, clock.seconds()));
    }
    Ok(summary.status())
}

/// Options that mean something, only not in this version.
fn refuse_unsupported(arguments: &LitmusArguments) -> anyhow::Result<()> {
    arguments.format.refuse_for("litmus tests")?;
    if arguments.unroll == Some(0) {
        bail!("`--unroll 0` would explore nothing: give at least 1");
    }
    if arguments.jobs == Some(0) {
        bail!("`--jobs 0` would run nothing: give at least 1");
    }
    // Accepted, as by `verify`: executions are counted as herd counts them, so there is nothing to switch off.
    let _symmetry = arguments.no_symmetry;
    Ok(())
}

/// One file has room for one picture.
fn refuse_several_pictures(arguments: &LitmusArguments, tests: usize) -> anyhow::Result<()> {
    match &arguments.graph {
        Some(file) if tests > 1 => {
            bail!("`--graph {}` draws one test, and there are {tests}: name one", output::name(file))
        }
        _ => Ok(()),
    }
}

fn read_table(file: &Path, arguments: &LitmusArguments, watch: &Watch) -> anyhow::Result<Table> {
    let bytes = one::read_in_time(file, usize::MAX, arguments.timeout, watch)
        .with_context(|| format!("cannot read {}", output::name(file)))?;
    let table = text(&bytes).and_then(|text| Ok(Table::read(text)?));
    table.with_context(|| format!("{} is no table of expected answers", output::name(file)))
}

/// The text that these bytes are, or the line that is none.
fn text(bytes: &[u8]) -> anyhow::Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        anyhow::anyhow!("line {line}: this is no UTF-8 text")
    })
}

fn jobs(arguments: &LitmusArguments) -> usize {
    arguments.jobs.unwrap_or_else(verify::cores)
}

/// Runs every file, unless the whole is cut short before, and prints the answers in their order.
fn run_all(
    files: &[PathBuf],
    run: &(impl Fn(&PathBuf) -> Option<Finished> + Sync),
    jobs: usize,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(files.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(index) else { return };
                    // Nobody listens any more when the answers cannot be written.
                    if sender.send((index, run(file))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        print_in_order(&receiver, files.len(), summary)
    })
}

fn print_in_order(
    finished: &Receiver<(usize, Option<Finished>)>,
    all: usize,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let counter = Counter::new(all);
    let mut waiting = BTreeMap::new();
    let (mut printed, mut done) = (0, 0);
    for (index, test) in finished {
        done += 1;
        waiting.insert(index, test);
        while let Some(test) = waiting.remove(&printed) {
            printed += 1;
            let Some(test) = test else {
                summary.left_out += 1;
                continue;
            };
            if !(test.answer.is_empty() && test.messages.is_empty()) {
                counter.without(|| {
                    output::lines(&test.messages);
                    output::result(&test.answer).context("cannot write the result")
                })?;
            }
            summary.add(test);
        }
        counter.update(done);
    }
    Ok(())
}

/// What all tests together came to.
#[derive(Debug, Default)]
struct Summary {
    explored: usize,
    faulty: usize,
    inconclusive: usize,
    /// Not run any more, because the whole was cut short.
    left_out: usize,
    errors: usize,
    differences: usize,
    with_sc_accesses: usize,
    /// By the names of the tests; `None` where one was not explored completely.
    answers: BTreeMap<String, Option<Cells>>,
    /// Names that more than one test has.
    ambiguous: BTreeSet<String>,
}

impl Summary {
    fn add_error(&mut self, message: &str) {
        output::log(message);
        self.errors += 1;
    }

    fn add(&mut self, test: Finished) {
        match test.status {
            Status::Fine => self.explored += 1,
            Status::Violated => self.faulty += 1,
            Status::Inconclusive => self.inconclusive += 1,
            Status::Failed => self.errors += 1,
        }
        self.with_sc_accesses += usize::from(test.has_sc_access);
        if let Some(name) = test.name
            && self.answers.insert(name.clone(), test.cells).is_some()
        {
            self.ambiguous.insert(name);
        }
    }

    /// A row is about a name: only here does it matter that each test has its own.
    fn compare(&mut self, table: &Table, model: Model) {
        for name in std::mem::take(&mut self.ambiguous) {
            self.add_error(&format!(
                "error: two tests are called `{name}`: the table cannot tell them apart"
            ));
        }
        let answered = self.answers.iter().filter_map(|(name, cells)| Some((name.clone(), cells.clone()?)));
        let mut differences = table.compare(model.rules().name, &answered.collect());
        // A test without an answer was run, and its own message says why it has none.
        differences.retain(
            |difference| !matches!(difference, Difference::NoTest(test) if self.answers.contains_key(test)),
        );
        for difference in &differences {
            output::log(&format!("difference: {difference}"));
        }
        self.differences = differences.len();
    }

    fn line(&self, model: Model, seconds: f64) -> String {
        let tests = self.explored + self.faulty + self.inconclusive;
        let mut text = format!("{tests} tests under {}", model.rules().title);
        let parts = [
            (self.faulty, "with a race or another fault"),
            (self.inconclusive, "inconclusive"),
            (self.left_out, "not run"),
            (self.errors, "errors"),
            (self.differences, "differences"),
        ];
        for (count, what) in parts.into_iter().filter(|&(count, _)| count > 0) {
            text += &format!(", {count} {what}");
        }
        text + &format!(" — {seconds:.2} s")
    }

    /// An error counts most: what was asked for was not done.
    fn status(&self) -> Status {
        if self.errors > 0 {
            Status::Failed
        } else if self.faulty > 0 || self.differences > 0 {
            Status::Violated
        } else if self.inconclusive + self.left_out > 0 {
            Status::Inconclusive
        } else {
            Status::Fine
        }
    }
}
