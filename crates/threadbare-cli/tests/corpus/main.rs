//! The corpus: every C and C++ program under `tests/`, verified as its table of expectations says; each row is a test with a name.
//!
//! Beside `NAME.c` or `NAME.cpp` there is `NAME.expect`, a table with one run a row: options of the command (`--spin=…`, `--unroll=…`;
//! without `--symmetry` it is `--no-symmetry`, since most counts are those of papers) and flags for clang (`-`: none of both),
//! model (`rc11/rf`: explored up to `rf`), verdict, complete executions, blocked executions (`-`: not pinned), and `long` if it
//! is for `make test-long` only. A program that is wrong marks the lines that its first violation must name (`marks.rs`).
//!
//! A row is the test `bench/ainc::rc11 -DN=6`. `bench/ainc::rc11 -DN=6 (up to rf)` and `(with symmetry)` explore no more
//! executions, and must come to the same verdict. `bench/ainc::table` is about the table itself, `bench::files` about the directory.
//! `cargo test -p threadbare-cli --test corpus ms_queue` runs the tests with `ms_queue` in their names. All tests at once
//! write a dot each, unless a `--format` is asked for.
//!
//! `THREADBARE_JOBS=8` gives every run `--jobs 8`: the counts are the same with any number.
//! `THREADBARE_BLESS=1` (`make bless`) rewrites pinned counts that differ, never verdicts.
//! Cost: a run of clang for each of the 5,000 tests.

mod marks;
mod row;
mod rules;
mod run;
mod table;

use engine::Reduction;
use libtest_mimic::{Arguments, Failed, Trial};
use row::{Counts, XMM};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use table::{Case, Directory};

/// The directories. The programs of `fuzz` are those of `threadbare fuzz`, small: so that they are known to be right.
const DIRECTORIES: [&str; 13] = [
    "bench",
    "tracer",
    "long",
    "litmus",
    "fuzz",
    "wrong",
    "right",
    "inconclusive",
    "xmm",
    "spin",
    "locks",
    "cxx",
    "exceptions",
];

/// The tests of the corpus' own code: what is wrong in a table is noticed.
const OWN: [(&str, fn()); 3] = [
    ("rows are read", row::rows_are_read),
    ("marks are read", marks::marks_are_read),
    ("tables are read", table::tables_are_read),
];

fn own_test((name, run): (&str, fn())) -> Trial {
    test(format!("corpus::{name}"), move || {
        run();
        Ok(())
    })
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.quiet |= arguments.filter.is_none() && arguments.format.is_none() && !arguments.list;
    let mut trials: Vec<Trial> = OWN.map(own_test).into();
    let is_long = testkit::effort::is_long();
    let mut cases: Vec<Shared> = Vec::new();
    for directory in DIRECTORIES.map(Directory::read) {
        let problems = directory.problems;
        trials.push(test(format!("{}::files", directory.name), move || none(&problems)));
        for case in directory.cases {
            let shared = Shared::new(case);
            trials.extend(tests_of(directory.name, &shared, is_long));
            cases.push(shared);
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    cases.into_iter().for_each(Shared::bless);
    conclusion.exit_code()
}

fn test(name: String, run: impl FnOnce() -> Result<(), String> + Send + 'static) -> Trial {
    Trial::test(name, || run().map_err(Failed::from))
}

fn none(problems: &[String]) -> Result<(), String> {
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// A program with the counts that `make bless` writes, by the index of the row.
#[derive(Clone)]
struct Shared {
    case: Arc<Case>,
    counts: Arc<Mutex<BTreeMap<usize, Counts>>>,
}

impl Shared {
    fn new(case: Case) -> Shared {
        Shared { case: Arc::new(case), counts: Arc::default() }
    }

    /// Runs a row. Counts that differ are no failure if they are to be written.
    fn check(&self, row: usize) -> Result<(), String> {
        let Err(failure) = run::check(&self.case, &self.case.rows[row]) else { return Ok(()) };
        match failure.counts {
            Some(counts) if std::env::var_os("THREADBARE_BLESS").is_some() => {
                self.counts.lock().expect("no panic").insert(row, counts);
                Ok(())
            }
            _ => Err(failure.text),
        }
    }

    /// Writes the counts that were found, after all tests.
    fn bless(self) {
        let counts = std::mem::take(&mut *self.counts.lock().expect("no panic"));
        if counts.is_empty() {
            return;
        }
        let mut case = Arc::into_inner(self.case).expect("all tests have ended");
        for (row, counts) in counts {
            case.rows[row].pin(counts);
        }
        case.write();
    }
}

/// The tests of a program, with those of long rows or without.
fn tests_of(directory: &str, shared: &Shared, is_long: bool) -> Vec<Trial> {
    let name = shared.case.name();
    let about_case = |what: &str, check: fn(&Case) -> Result<(), String>| {
        let case = Arc::clone(&shared.case);
        test(format!("{name}::{what}"), move || check(&case))
    };
    let mut trials = vec![about_case("table", |case| none(&case.problems))];
    trials.extend(rules::of(directory).iter().map(|&(what, rule)| about_case(what, rule)));
    let rows = shared.case.rows.iter().enumerate();
    for (index, row) in rows.filter(|(_, row)| is_long || !row.is_long) {
        let it = shared.clone();
        trials.push(test(format!("{name}::{row}"), move || it.check(index)));
        let fewer = [
            ("up to rf", row.up_to_rf()),
            ("with symmetry", row.with_symmetry()),
            ("with lock order", row.with_lock_order()),
        ];
        for (how, fewer) in fewer.into_iter().filter_map(|(how, fewer)| Some((how, fewer?))) {
            let case = Arc::clone(&shared.case);
            let check = move || run::check_fewer(&case, &case.rows[index], &fewer).map_err(|it| it.text);
            trials.push(test(format!("{name}::{row} ({how})"), check));
        }
    }
    if directory == "wrong" {
        trials.extend(without_reductions(shared, is_long));
    }
    trials
}

/// A wrong program is wrong without any one reduction: its first row, without each of them, or in a short run without one
/// that its name chooses.
fn without_reductions(shared: &Shared, is_long: bool) -> Vec<Trial> {
    let chosen = shared.case.name().len() % Reduction::ALL.len();
    let is_wanted = |&(index, _): &(usize, Reduction)| is_long || index == chosen;
    let violated = shared.case.rows.iter().find(|row| row.verdict == "violated" && row.model != XMM);
    let rows = Reduction::ALL.into_iter().enumerate().filter(is_wanted);
    rows.filter_map(|(_, reduction)| {
        let (case, row) = (Arc::clone(&shared.case), violated?.without(reduction.name()));
        let name = format!("{}::{row}", case.name());
        Some(test(name, move || run::check_wrong(&case, &row).map_err(|it| it.text)))
    })
    .collect()
}
