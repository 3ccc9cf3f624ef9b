//! The command under callgrind.
//!
//! Only the command's own process counts: callgrind does not follow the process that compiles. Its start, mostly the loading
//! of LLVM's library, is counted once with a program that has hardly any executions, and subtracted.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program with two executions.
const SMALL: &str = "examples/mp.c";

/// Counts the instructions of a binary.
pub(crate) struct Callgrind {
    binary: PathBuf,
    /// See `self_exe.c`.
    preloaded: PathBuf,
    /// The instructions of a run that explores hardly anything.
    start: u64,
}

/// The cost of an exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) executions: u64,
    /// Of the whole process.
    pub(crate) instructions: u64,
    pub(crate) per_execution: u64,
}

impl Callgrind {
    /// For this binary.
    pub(crate) fn new(binary: PathBuf) -> Callgrind {
        let preloaded = Path::new(env!("CARGO_TARGET_TMPDIR")).join("self_exe.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions/self_exe.c");
        let mut clang = Command::new("clang-22");
        let status = clang.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&preloaded).arg(source).status();
        assert!(status.expect("clang runs").success(), "clang compiles what is preloaded");
        let mut callgrind = Callgrind { binary, preloaded, start: 0 };
        (callgrind.start, _) = callgrind.run(&[SMALL]);
        callgrind
    }

    /// The cost of `verify` with these arguments.
    pub(crate) fn cost(&self, arguments: &[&str]) -> Cost {
        let (instructions, executions) = self.run(arguments);
        let per_execution = (instructions - self.start) / executions;
        Cost { executions, instructions, per_execution }
    }

    /// Instructions and complete executions. The environment is always the same, for its size counts, too.
    fn run(&self, arguments: &[&str]) -> (u64, u64) {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&self.binary);
        command
            .args(["verify", "--jobs", "1", "--format", "json"])
            .args(arguments)
            .current_dir(crate::root());
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("LD_PRELOAD", &self.preloaded).env("THREADBARE_SELF", &self.binary);
        let output = command.output().expect("valgrind is installed: scripts/setup.sh valgrind");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let collected = stderr.lines().find_map(|line| line.split_once("Collected : ")?.1.parse().ok());
        let answer: Option<Value> = serde_json::from_slice(&output.stdout).ok();
        let executions = answer.and_then(|answer| answer["executions"]["complete"].as_u64());
        match (collected, executions) {
            (Some(instructions), Some(executions)) => (instructions, executions),
            _ => panic!("{arguments:?}: no answer under valgrind\n{stderr}"),
        }
    }
}
