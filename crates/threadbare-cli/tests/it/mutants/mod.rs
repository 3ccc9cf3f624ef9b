//! Mutated inputs of every kind, given to the command as a user would: no panic, no signal, no hang, no file left behind, and
//! no error without a place.
//!
//! `THREADBARE_SEED=n` starts with mutant `n`. A mutant depends on its kind and number only. Every finding is listed, with the file in which its mutant is kept.

#![expect(clippy::disallowed_methods, reason = "times are tested")]
#![expect(clippy::print_stdout, reason = "a test says how much it has done")]

mod bytecode;
mod command;
mod mutate;
mod place;
mod seeds;
mod words;

use mutate::Material;
use place::Place;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use testkit::effort;

/// Without a process for each, there is time for so many more.
const IN_PROCESS: u64 = 10;

/// A kind of input that the command reads.
struct Kind {
    /// The file that is given to the command.
    file: &'static str,
    material: Material,
    arguments: &'static [&'static str],
    /// Each mutant has one of these besides.
    options: &'static [&'static [&'static str]],
    /// The place of an error.
    place: Place,
    /// How many in a full run.
    full: u64,
}

const LIMITS: [&str; 4] = ["--timeout", command::TIMEOUT, "--memory", "1G"];

/// What `verify` can do with a program.
const VERIFY: &[&[&str]] = &[
    &["verify"],
    &["verify", "--unroll", "2", "--equivalence", "co"],
    &["verify", "--spin=none", "--no-symmetry", "--model", "sc"],
    &["verify", "--keep-going", "--graph", "t.svg", "--trace-out", "t.trace"],
    &["verify", "--check-liveness", "--alloc=reuse,fail", "--format", "json", "--graph", "t.html"],
    &["verify", "--estimate"],
    &["fuzz", "--runs", "20", "--strategy", "pct", "--graph", "t.dot"],
];

const CHECK: &[&[&str]] =
    &[&["check"], &["check", "--model", "sc"], &["check", "--model", "relaxed", "--witness", "w.trace"]];

const LITMUS: &[&[&str]] =
    &[&["litmus"], &["litmus", "--unroll", "2", "--format", "json", "--graph", "t.svg"]];

#[test]
fn bitcode() {
    let material = Material::bytes(seeds::llvm("-c"));
    check_files(&Kind {
        file: "t.bc",
        material,
        options: VERIFY,
        arguments: &["t.bc"],
        place: Place::File,
        full: 300,
    });
}

#[test]
fn llvm_text() {
    let material = Material::text(seeds::llvm("-S"), words::LLVM);
    check_files(&Kind {
        file: "t.ll",
        material,
        options: VERIFY,
        arguments: &["t.ll"],
        place: Place::Line,
        full: 300,
    });
}

#[test]
fn c() {
    let material = Material::text(seeds::c(), words::C);
    check_files(&Kind {
        file: "t.c",
        material,
        options: VERIFY,
        arguments: &["t.c"],
        place: Place::Line,
        full: 200,
    });
}

#[test]
fn litmus() {
    let material = Material::text(seeds::litmus(), words::LITMUS);
    check_files(&Kind {
        file: "t.litmus",
        material,
        options: LITMUS,
        arguments: &["t.litmus"],
        place: Place::Line,
        full: 600,
    });
}

#[test]
fn traces() {
    let seeds = seeds::traces(directory().path());
    let material = Material::text(seeds, words::TRACE);
    check_files(&Kind {
        file: "t.trace",
        material,
        options: CHECK,
        arguments: &["t.trace"],
        place: Place::Line,
        full: 600,
    });
}

#[test]
fn tables() {
    let seeds = seeds::tables();
    const TEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/SB.litmus");
    let arguments = &[TEST, "--expect", "t.csv"];
    let material = Material::text(seeds, words::TABLE);
    check_files(&Kind { file: "t.csv", material, options: LITMUS, arguments, place: Place::Line, full: 600 });
}

/// The mutant is an argument: text, as all arguments are.
#[test]
fn replay_strings() {
    let directory = directory();
    let directory = directory.path();
    let seeds = seeds::replays(directory, "t.bc");
    let material = Material::text(seeds, words::REPLAY);
    let mut tally = Tally::new("replay string");
    for number in effort::seeds(200) {
        let text = String::from_utf8_lossy(&material.mutant(number)).replace('\0', "0");
        let replay = format!("--replay={text}");
        let arguments = [&["verify", "t.bc", &replay], &LIMITS[..]].concat();
        tally.add(number, text.as_bytes(), run(directory, &arguments, "t.bc", Place::Step));
    }
    tally.finish();
}

/// Most of them with a header that fits what they have become.
#[test]
fn bytecode_files() {
    let material = Material::bytes(seeds::bytecode());
    let mut tally = Tally::new("bytecode");
    for number in effort::seeds(300 * IN_PROCESS) {
        let mut file = material.mutant(number);
        if number % 8 != 0 && file.len() > 40 {
            vm::reseal(&mut file);
        }
        tally.add(number, &file, bytecode::run(&file).map(|ran| if ran { 0 } else { 2 }));
    }
    tally.finish();
}

/// An empty directory, gone when dropped: of this process alone, for others may run.
fn directory() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory can be made")
}

fn check_files(kind: &Kind) {
    let directory = directory();
    let directory = directory.path();
    let mut tally = Tally::new(kind.file);
    for number in effort::seeds(kind.full) {
        let mutant = kind.material.mutant(number);
        fs::write(directory.join(kind.file), &mutant).expect("a file can be written");
        let options = kind.options[number as usize % kind.options.len()];
        let arguments = [options, kind.arguments, &LIMITS].concat();
        tally.add(number, &mutant, run(directory, &arguments, kind.file, kind.place));
    }
    tally.finish();
}

fn run(directory: &Path, arguments: &[&str], file: &str, place: Place) -> Result<i32, String> {
    let answer = command::run(directory, arguments).map_err(|what| format!("{arguments:?}: {what}"))?;
    match place::misses(&answer, file, place) {
        Some(error) => Err(format!("{arguments:?}: {error}")),
        None => Ok(answer.status),
    }
}

/// What came out.
struct Tally {
    kind: &'static str,
    statuses: BTreeMap<i32, u64>,
    findings: Vec<String>,
}

impl Tally {
    fn new(kind: &'static str) -> Tally {
        Tally { kind, statuses: BTreeMap::new(), findings: Vec::new() }
    }

    fn add(&mut self, number: u64, mutant: &[u8], ran: Result<i32, String>) {
        match ran {
            Ok(status) => *self.statuses.entry(status).or_default() += 1,
            Err(what) => {
                let name = format!("mutant-{number}-{}", self.kind);
                let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
                fs::write(&kept, mutant).expect("a file can be written");
                self.findings.push(format!("mutant {number} ({}): {what}", kept.display()));
            }
        }
    }

    fn finish(self) {
        let Tally { kind, statuses, findings } = self;
        println!("{kind}: by exit status {statuses:?}, {} findings", findings.len());
        assert!(findings.is_empty(), "{kind}:\n{}", findings.join("\n"));
        assert!(statuses.len() > 1, "some mutants are right and some are wrong: {statuses:?}");
    }
}
