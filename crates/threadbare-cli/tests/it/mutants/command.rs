//! The command on one mutant, as a user would run it, and everything that may not happen then.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The time that a run is given, in seconds.
pub(crate) const TIMEOUT: &str = "2";
/// With how much more it is late.
const LATE: Duration = Duration::from_secs(7);

/// What the command answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs it in this directory. An error is something that no input may bring about.
pub(crate) fn run(directory: &Path, arguments: &[&str]) -> Result<Answer, String> {
    let temporary = directory.join("temporary");
    let _ = fs::remove_dir_all(&temporary);
    fs::create_dir(&temporary).expect("a directory can be made");
    let output = |name: &str| File::create(directory.join(name)).expect("a file can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args(arguments).current_dir(directory).env("TMPDIR", &temporary).stdin(Stdio::null());
    command.stdout(output("stdout")).stderr(output("stderr"));
    let status = wait(&mut command)?;
    let text = |name: &str| {
        String::from_utf8_lossy(&fs::read(directory.join(name)).expect("it is there")).into_owned()
    };
    let (stdout, stderr) = (text("stdout"), text("stderr"));
    let left = fs::read_dir(&temporary).expect("it is there").count();
    let status = status.code().ok_or_else(|| format!("it died of signal {:?}: {stderr}", status.signal()))?;
    let answer = Answer { status, stdout, stderr };
    match answer.fault() {
        None if left > 0 => Err(format!("{left} temporary files are left")),
        None => Ok(answer),
        Some(what) => Err(format!("{what}: {answer:#?}")),
    }
}

/// Until its end, or until it is late.
fn wait(command: &mut Command) -> Result<ExitStatus, String> {
    let start = Instant::now();
    let mut child = command.spawn().expect("the command runs");
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return Ok(status);
        }
        if start.elapsed() > LATE {
            child.kill().and_then(|()| child.wait()).expect("it can be killed");
            return Err(format!("it is late: {LATE:?}"));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl Answer {
    /// What may not be in any answer.
    fn fault(&self) -> Option<&'static str> {
        let is_silent = self.stdout.is_empty() && self.stderr.is_empty();
        match self.status {
            _ if self.stderr.contains("panicked") => Some("a panic"),
            _ if self.stderr.contains("this is a bug in Threadbare") => Some("a bug"),
            0..=3 if is_silent => Some("an answer without a word"),
            2 if self.stderr.is_empty() => Some("an error without a message"),
            0..=3 => None,
            _ => Some("an exit status that there is not"),
        }
    }

    /// The lines that tell of an error.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &str> {
        self.stderr.lines().filter(|line| line.contains("error: ") || line.starts_with("error["))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(status: i32, stdout: &str, stderr: &str) -> Option<&'static str> {
        Answer { status, stdout: stdout.to_owned(), stderr: stderr.to_owned() }.fault()
    }

    #[test]
    fn faults_are_noticed() {
        assert_eq!(fault(2, "", "thread 'main' panicked at x.rs:1:1"), Some("a panic"));
        assert_eq!(fault(101, "", "error: x"), Some("an exit status that there is not"));
        assert_eq!(fault(0, "", ""), Some("an answer without a word"));
        assert_eq!(fault(2, "verified", ""), Some("an error without a message"));
        assert_eq!((fault(0, "verified", ""), fault(2, "", "error: x")), (None, None));
    }

    #[test]
    fn processes_that_end_otherwise_are_noticed() {
        assert!(wait(&mut Command::new("true")).is_ok_and(|status| status.success()));
        let late = wait(Command::new("sleep").arg("60")).expect_err("it takes too long");
        assert!(late.starts_with("it is late"), "{late}");
    }
}
