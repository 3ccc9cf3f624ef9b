//! The two tools: how they are called, and how long they take.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Times are the best of so many.
const RUNS: u32 = 3;

/// What a tool printed, and how long it took.
pub(crate) struct Run {
    pub(crate) output: String,
    time: Duration,
}

/// herd7 on a list of files.
pub(crate) struct Herd {
    program: String,
    library: Option<String>,
    files: Vec<PathBuf>,
}

impl Herd {
    pub(crate) fn new(program: String, library: Option<String>, files: Vec<PathBuf>) -> Herd {
        Herd { program, library, files }
    }

    /// All files in one process. `-optace true` drops candidates that are incoherent at one location before the axioms
    /// are asked, which forbid them anyway; without it herd takes several times as long. No loop of the library has
    /// more than 6 rounds.
    pub(crate) fn run(&self) -> Run {
        let mut command = Command::new(&self.program);
        if let Some(library) = &self.library {
            command.args(["-set-libdir", library]);
        }
        command.args(["-model", "rc11.cat", "-optace", "true", "-unroll", "6"]).args(&self.files);
        let run = timed(&mut command, &[0]);
        assert!(!run.output.is_empty(), "{} answers nothing; does it need HERDLIB?", self.program);
        run
    }

    pub(crate) fn seconds(&self) -> f64 {
        best(|| self.run())
    }
}

/// `threadbare litmus` on a directory.
pub(crate) struct Ours {
    program: String,
    directory: PathBuf,
}

impl Ours {
    pub(crate) fn new(program: Option<String>, directory: PathBuf) -> Ours {
        Ours { program: program.unwrap_or(env!("CARGO_BIN_EXE_threadbare").to_owned()), directory }
    }

    /// The whole library; with as many jobs as there are cores, unless a number is given.
    pub(crate) fn run(&self, jobs: Option<u32>) -> Run {
        let mut command = Command::new(&self.program);
        command.args(["litmus", "--model", "rc11"]);
        if let Some(jobs) = jobs {
            command.args(["--jobs", &jobs.to_string()]);
        }
        // 1 says that some test has a data race, and some tests have.
        timed(command.arg(&self.directory), &[0, 1])
    }

    pub(crate) fn seconds(&self, jobs: Option<u32>) -> f64 {
        best(|| self.run(jobs))
    }
}

fn timed(command: &mut Command, expected: &[i32]) -> Run {
    let start = Instant::now();
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let time = start.elapsed();
    assert!(output.status.code().is_some_and(|code| expected.contains(&code)), "{}", complaint(&output));
    Run { output: String::from_utf8(output.stdout).expect("text"), time }
}

fn complaint(output: &Output) -> String {
    format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr))
}

fn best(run: impl Fn() -> Run) -> f64 {
    (0..RUNS).map(|_| run().time).min().expect("at least one run").as_secs_f64()
}
