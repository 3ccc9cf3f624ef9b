//! The speed gate: instructions per execution of nine explorations, compared with those that are recorded in
//! `tests/instructions.tsv`.
//!
//! `make instructions` fails if a program needs 5 % more than recorded, `make bless-instructions` records. Instructions are
//! counted by callgrind: two counts of one binary differ by less than 0.01 %, however busy the machine is.
//! `THREADBARE_BINARY=/path/to/threadbare` counts those of another binary than the one just built.
//!
//! The programs are those in which an exploration spends its time in different ways: plain accesses up to `co` and up to
//! `rf`, a lock, a lock-free structure, RC11 with SC accesses up to both, a model with a global axiom, one without `co`, and
//! XMM.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints what it finds")]

mod callgrind;

use callgrind::{Callgrind, Cost};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Fails from so many percent more on.
const MOST_PERCENT: f64 = 5.0;

/// A line of the record.
struct Recorded {
    /// From the root of the workspace.
    program: String,
    /// Options of `verify`, and macros for clang.
    arguments: String,
    executions: u64,
    per_execution: u64,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn path() -> PathBuf {
    root().join("tests/instructions.tsv")
}

fn main() -> ExitCode {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_threadbare"));
    let binary = std::env::var_os("THREADBARE_BINARY").map_or(built, PathBuf::from);
    let callgrind = Callgrind::new(binary.canonicalize().expect("the binary is there"));
    let mut record = read();
    println!(
        "{:<24} {:<38} {:>10} {:>14} {:>13} {:>8}",
        "program", "arguments", "executions", "instructions", "per execution", "change"
    );
    let mut failures = Vec::new();
    for recorded in &mut record {
        let cost = callgrind.cost(&recorded.command());
        println!("{}", recorded.line(cost));
        failures.extend(recorded.failure(cost));
        (recorded.executions, recorded.per_execution) = (cost.executions, cost.per_execution);
    }
    if std::env::var_os("THREADBARE_BLESS").is_some() {
        write(&record);
        return ExitCode::SUCCESS;
    }
    failures.iter().for_each(|failure| println!("\n{failure}"));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Recorded {
    fn parse(line: &str) -> Option<Recorded> {
        let mut cells = line.split('\t').map(str::to_owned);
        let (program, arguments) = (cells.next()?, cells.next()?);
        let (executions, per_execution) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        cells.next().is_none().then_some(Recorded { program, arguments, executions, per_execution })
    }

    /// The arguments of `verify`.
    fn command(&self) -> Vec<&str> {
        let (macros, options): (Vec<&str>, Vec<&str>) =
            self.arguments.split(' ').partition(|word| word.starts_with("-D"));
        [&options[..], &[&self.program, "--"], &macros[..]].concat()
    }

    fn change_in_percent(&self, cost: Cost) -> f64 {
        (cost.per_execution as f64 / self.per_execution as f64 - 1.0) * 100.0
    }

    fn line(&self, cost: Cost) -> String {
        let (program, arguments) = (&self.program, &self.arguments);
        let Cost { executions, instructions, per_execution } = cost;
        let change = self.change_in_percent(cost);
        format!(
            "{program:<24} {arguments:<38} {executions:>10} {instructions:>14} {per_execution:>13} {change:>+7.2}%"
        )
    }

    fn failure(&self, cost: Cost) -> Option<String> {
        let Recorded { program, executions, per_execution, .. } = self;
        if cost.executions != *executions {
            return Some(format!(
                "{program}: {executions} executions are recorded, {} found",
                cost.executions
            ));
        }
        let change = self.change_in_percent(cost);
        (change > MOST_PERCENT).then(|| {
            format!(
                "{program}: {} instructions per execution, {change:.1} % more than the {per_execution} recorded.\n\
                 Find the reason: valgrind --tool=callgrind on both binaries, then callgrind_annotate. If it is worth its\n\
                 price, say so in the commit, and `make bless-instructions`.",
                cost.per_execution
            )
        })
    }
}

fn read() -> Vec<Recorded> {
    let text = std::fs::read_to_string(path()).expect("the record can be read");
    let line =
        |line: &str| Recorded::parse(line).unwrap_or_else(|| panic!("not a line of the record: {line}"));
    text.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

fn write(record: &[Recorded]) {
    let mut text = "# program\targuments\texecutions\tinstructions per execution\n".to_owned();
    for Recorded { program, arguments, executions, per_execution } in record {
        writeln!(text, "{program}\t{arguments}\t{executions}\t{per_execution}").expect("a string takes all");
    }
    std::fs::write(path(), text).expect("the record can be written");
}
