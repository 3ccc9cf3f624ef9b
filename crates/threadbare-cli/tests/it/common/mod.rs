//! Running the command on small texts.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the command answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    /// Fails, showing everything, unless status and texts are as expected.
    pub(crate) fn expect(&self, status: i32, stdout: &[&str], stderr: &[&str]) {
        assert_eq!(self.status, status, "exit status of {self:#?}");
        for part in stdout {
            assert!(self.stdout.contains(part), "stdout has no {part:?}: {self:#?}");
        }
        for part in stderr {
            assert!(self.stderr.contains(part), "stderr has no {part:?}: {self:#?}");
        }
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
    }
}

/// A directory of this test's own with a file of this name and text in it. Tests run side by side: no two may have the same
/// name here.
pub(crate) fn directory_with(test: &str, file: &str, text: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&directory).expect("the directory for test files can be made");
    std::fs::write(directory.join(file), text).expect("a test file can be written");
    directory
}

/// Runs `threadbare` with these arguments in a directory with the program `text` as `t.c`.
pub(crate) fn threadbare(test: &str, text: &str, arguments: &[&str]) -> Answer {
    threadbare_in(&directory_with(test, "t.c", text), arguments)
}

/// Runs `threadbare` with these arguments in this directory.
pub(crate) fn threadbare_in(directory: &Path, arguments: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.env("THREADBARE_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    let output = command.args(arguments).current_dir(directory).output().expect("the command runs");
    Answer {
        status: output.status.code().expect("no signal ends the command"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// What a replay string of this program with these options starts with: a string of another one is told so.
pub(crate) fn replay_head(test: &str, text: &str, options: &[&str]) -> String {
    let arguments = [&["verify", "t.c", "--replay", "h00000000:0"], options].concat();
    let answer = threadbare(test, text, &arguments);
    let (_, rest) = answer.stderr.split_once("and this is ").expect("the number is told");
    rest[..9].to_owned()
}
