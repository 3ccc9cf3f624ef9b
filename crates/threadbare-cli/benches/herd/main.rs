//! Threadbare against herd7 on the litmus library: the same states and executions under RC11, and how long it takes.
//!
//! `make compare-herd HERD=/path/to/herd7`; `HERDLIB=/path/to/share/herdtools7/herd` as well where herd7 does not find
//! its library by itself. herd enumerates candidate executions and filters them by the axioms of its `rc11.cat`: an
//! oracle that shares neither code nor method with us. Both count executions up to rf and co, so the numbers must be
//! equal, too. Every difference is a failure (exit status 1) unless `differences` says which definition it comes from.
//!
//! `THREADBARE_BINARY=/path/to/threadbare` compares another binary than the one just built. Times are the best of three
//! runs over the whole library, start of the process and reading included; only their ratio means something elsewhere.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark prints times"
)]

mod answer;
mod differences;
mod tools;

use answer::{Answer, read_answers};
use differences::KNOWN;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tools::{Herd, Ours};

fn main() -> ExitCode {
    let Some(herd) = variable("HERD") else {
        eprintln!("HERD is not set: make compare-herd HERD=/path/to/herd7");
        return ExitCode::from(2);
    };
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let library = library.canonicalize().expect("the litmus library is there");
    let families = families(&library);
    let files: Vec<PathBuf> = families.iter().flat_map(|(_, files)| files.clone()).collect();
    let herd = Herd::new(herd, variable("HERDLIB"), files);
    let ours = Ours::new(variable("THREADBARE_BINARY"), library);
    let unexplained =
        compare(&families, &read_answers(&ours.run(None).output), &read_answers(&herd.run().output));
    times(&ours, &herd);
    if unexplained == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A variable of the environment; `make` passes on those that are not set as empty ones.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The folders of the library with their tests, sorted.
fn families(library: &Path) -> Vec<(String, Vec<PathBuf>)> {
    let mut families = BTreeMap::new();
    for folder in entries(library).into_iter().filter(|path| path.is_dir()) {
        let mut tests = entries(&folder);
        tests.retain(|path| path.extension().is_some_and(|extension| extension == "litmus"));
        tests.sort();
        families.insert(folder.file_name().expect("a name").to_string_lossy().into_owned(), tests);
    }
    families.into_iter().collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory of ours can be read");
    entries.map(|entry| entry.expect("and so can its entries").path()).collect()
}

/// Prints the table by family and then the differences; returns how many of them nothing explains.
fn compare(
    families: &[(String, Vec<PathBuf>)],
    ours: &BTreeMap<String, Answer>,
    herds: &BTreeMap<String, Answer>,
) -> usize {
    println!(
        "{:<18} {:>6} {:>8} {:>11} {:>6} {:>8}",
        "family", "tests", "states", "executions", "racy", "differ"
    );
    let (mut known, mut unexplained) = (Vec::new(), Vec::new());
    for (family, files) in families {
        let names: Vec<String> = files.iter().map(|file| test_name(file)).collect();
        let answers: Vec<&Answer> = names.iter().filter_map(|name| ours.get(name)).collect();
        let mut differ = 0;
        for name in &names {
            match (difference(ours.get(name), herds.get(name)), KNOWN.iter().find(|(test, _)| test == name)) {
                (None, None) => continue,
                (None, Some(_)) => {
                    unexplained.push(format!("{name}: listed as a difference, but there is none"))
                }
                (Some(text), Some((_, reason))) => known.push(format!("{name}: {text}\n    {reason}")),
                (Some(text), None) => unexplained.push(format!("{name}: {text}")),
            }
            differ += 1;
        }
        println!(
            "{family:<18} {:>6} {:>8} {:>11} {:>6} {differ:>8}",
            names.len(),
            answers.iter().map(|answer| answer.states.len()).sum::<usize>(),
            answers.iter().map(|answer| answer.executions()).sum::<u64>(),
            answers.iter().filter(|answer| answer.undefined).count(),
        );
    }
    list("differences of definition", &known);
    list("DIFFERENCES THAT NOTHING EXPLAINS", &unexplained);
    unexplained.len()
}

/// A test is called as its file.
fn test_name(file: &Path) -> String {
    file.file_stem().expect("a name").to_string_lossy().into_owned()
}

fn difference(ours: Option<&Answer>, herds: Option<&Answer>) -> Option<String> {
    match (ours, herds) {
        (Some(ours), Some(herds)) => ours.difference(herds),
        (Some(_), None) => Some("herd has no answer".to_owned()),
        (None, Some(_)) => Some("we have no answer".to_owned()),
        (None, None) => Some("nobody has an answer".to_owned()),
    }
}

fn list(title: &str, lines: &[String]) {
    println!("\n{title}: {}", lines.len());
    for line in lines {
        println!("  {line}");
    }
}

fn times(ours: &Ours, herd: &Herd) {
    let herds = herd.seconds();
    println!("\n{:<28} {herds:>8.3} s", "herd7 (one process)");
    for (title, jobs) in [("threadbare, one job", Some(1)), ("threadbare, default jobs", None)] {
        let seconds = ours.seconds(jobs);
        println!("{title:<28} {seconds:>8.3} s {:>8.1} times as fast", herds / seconds);
    }
}
