//! Time, memory and signals: nothing is late, nothing is left behind, and what was found is told.
//!
//! Times are those of the whole process. The tests run one after the other, for a busy machine is late for reasons of its own.

#![expect(clippy::disallowed_methods, reason = "this is about time")]

use crate::common::{Answer, directory_with};
use rustix::process::{Pid, Signal, kill_process};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// So much later than asked for is late.
const LATE: Duration = Duration::from_secs(5);

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A run that is under way, with a directory of its own for temporary files.
struct Started {
    child: Child,
    temporary: PathBuf,
    start: Instant,
}

fn start(directory: &Path, arguments: &[&str]) -> Started {
    let temporary = directory.join("temporary");
    let _ = std::fs::remove_dir_all(&temporary);
    std::fs::create_dir(&temporary).expect("a directory can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args(arguments).current_dir(directory).env("TMPDIR", &temporary).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    Started { child, temporary, start: Instant::now() }
}

impl Started {
    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it can be sent");
    }

    /// The answer, and how long it took. Nothing is left of the run.
    fn finish(mut self) -> (Answer, Duration) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("text");
        self.child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
        let status = self.child.wait().expect("it ends");
        let time = self.start.elapsed();
        let left: Vec<_> = std::fs::read_dir(&self.temporary).expect("it is there").collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        let status = status.code().unwrap_or_else(|| panic!("ended by signal {:?}", status.signal()));
        (Answer { status, stdout, stderr }, time)
    }
}

fn run(directory: &Path, arguments: &[&str]) -> (Answer, Duration) {
    start(directory, arguments).finish()
}

/// Runs until its time of a second is up.
#[track_caller]
fn expect_in_time(directory: &Path, arguments: &[&str], status: i32, stdout: &[&str]) {
    let _alone = alone();
    let (answer, time) = run(directory, arguments);
    answer.expect(status, stdout, &[]);
    assert!(time < Duration::from_secs(1) + LATE, "{arguments:?} took {time:?}");
}

/// More executions than anybody waits for.
const MANY: &str = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *f(void *a) { for (int i = 0; i < 6; i++) atomic_fetch_add(&x, 1); return 0; }
int main(void) {
    pthread_t t[5];
    for (int i = 0; i < 5; i++) pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 5; i++) pthread_join(t[i], 0);
}";

/// Two threads without an end.
const ENDLESS: &str = "
#include <stdatomic.h>
#include <pthread.h>
atomic_int x;
void *f(void *a) { for (;;) atomic_fetch_add(&x, 1); }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); }";

/// A violation at the end of many events.
const LATE_VIOLATION: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *f(void *a) { for (int i = 0; i < 30000; i++) atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); return 0; }
int main(void) {
    pthread_t t[6];
    for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
    assert(0);
}";

const MP: &str = include_str!("../../../../examples/mp.c");

// --- time -------------------------------------------------------------------------------------------------------------

#[test]
fn an_exploration_ends_in_time() {
    let directory = directory_with("limits_many", "t.c", MANY);
    let (verdict, time) = ("\"verdict\": \"inconclusive\"", ["--timeout", "1"]);
    for more in [&["--format", "json"][..], &["--estimate", "--format", "json", "--no-symmetry"]] {
        let arguments = [&["verify", "t.c"], &time[..], more].concat();
        let _alone = alone();
        let (answer, took) = run(&directory, &arguments);
        answer.expect(3, &[], &[]);
        assert!(answer.stdout.replace("\":\"", "\": \"").contains(verdict), "{answer:#?}");
        assert!(took < Duration::from_secs(1) + LATE, "{took:?}");
    }
}

#[test]
fn threads_without_an_end_are_no_reason_to_be_late() {
    let directory = directory_with("limits_endless", "t.c", ENDLESS);
    expect_in_time(&directory, &["verify", "t.c", "--timeout", "1"], 3, &["inconclusive"]);
    expect_in_time(&directory, &["verify", "t.c", "--timeout", "1", "--estimate"], 3, &["inconclusive"]);
    expect_in_time(&directory, &["fuzz", "t.c", "--time", "1"], 0, &["no violation found"]);
}

#[test]
fn what_fuzzing_found_is_told_although_there_is_no_time_to_make_it_short() {
    let directory = directory_with("limits_late_violation", "t.c", LATE_VIOLATION);
    expect_in_time(&directory, &["fuzz", "t.c", "--time", "1"], 1, &["error[assertion]"]);
}

/// One execution is wrong, and in the other a thread copies for a long time, without looking at any clock.
const HALF_WRONG: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
atomic_int x;
void *f(void *a) { atomic_store(&x, 1); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    assert(atomic_load(&x) == 1);
    char *p = malloc(200 << 20), *q = malloc(200 << 20);
    for (int i = 0; i < 100; i++) { memset(p, i, 200 << 20); memcpy(q, p, 200 << 20); }
}";

#[test]
fn what_was_found_is_told_although_the_run_does_not_stop() {
    let directory = directory_with("limits_half_wrong", "t.c", HALF_WRONG);
    let more = ["--keep-going", "--memory", "4G"];
    let verify = [&["verify", "t.c", "--timeout", "1"], &more[..]].concat();
    expect_in_time(&directory, &verify, 1, &["error[assertion]", "the time was up"]);
    let fuzz = [&["fuzz", "t.c", "--time", "1"], &more[..]].concat();
    expect_in_time(&directory, &fuzz, 1, &["error[assertion]"]);
}

/// A program that takes the preprocessor for ever: each level doubles what it has to look at.
fn explosion() -> String {
    let levels: String = (1..60).map(|i| format!("#define A{i} A{} A{}\n", i - 1, i - 1)).collect();
    format!("#define A0 +1\n{levels}int main(void) {{ return 0 A59; }}\n")
}

#[test]
fn a_compiler_that_does_not_come_to_an_end_is_stopped() {
    let directory = directory_with("limits_compiler", "t.c", &explosion());
    expect_in_time(&directory, &["verify", "t.c", "--timeout", "1"], 3, &["the time was up"]);
    expect_in_time(&directory, &["fuzz", "t.c", "--time", "1"], 3, &["the time was up"]);
}

#[test]
fn pipes_that_nobody_writes_to_are_not_waited_for() {
    let directory = directory_with("limits_pipes", "t.c", MP);
    for name in ["p.c", "p.litmus", "p.trace", "p.ll"] {
        let _ = std::fs::remove_file(directory.join(name));
        let made = Command::new("mkfifo").arg(directory.join(name)).status();
        assert!(made.expect("`mkfifo` runs").success());
    }
    expect_in_time(&directory, &["verify", "p.c", "--timeout", "1"], 3, &["the time was up"]);
    expect_in_time(&directory, &["verify", "p.ll", "--timeout", "1"], 3, &["the time was up"]);
    expect_in_time(&directory, &["check", "p.trace", "--timeout", "1"], 3, &["the time was up"]);
    expect_in_time(&directory, &["litmus", "p.litmus", "--timeout", "1"], 3, &[]);
}

// --- memory -----------------------------------------------------------------------------------------------------------

#[test]
fn the_memory_limit_ends_a_run_with_a_summary() {
    let directory = directory_with("limits_memory", "t.c", ENDLESS);
    let _alone = alone();
    let arguments = ["verify", "t.c", "--spin=none", "--memory", "64M", "--format", "json"];
    let (answer, _) = run(&directory, &arguments);
    answer.expect(3, &["memory: the limit was met"], &[]);
}

#[test]
fn a_compiler_that_takes_all_memory_says_so() {
    let directory = directory_with(
        "limits_compiler_memory",
        "t.c",
        "static char a[1 << 29] = { 1 };\nint main(void) { return a[0]; }\n",
    );
    let _alone = alone();
    let (answer, _) = run(&directory, &["verify", "t.c", "--memory", "128M"]);
    answer.expect(2, &[], &["t.c", "more memory than --memory allows"]);
}

#[test]
fn odd_limits_are_refused() {
    let directory = directory_with("limits_odd", "t.c", MP);
    for limit in ["0", "1M", "x", "-1G", "99999999999T"] {
        let (answer, _) = run(&directory, &["verify", "t.c", "--memory", limit]);
        assert_eq!(answer.status, 2, "{limit}: {answer:#?}");
    }
}

// --- signals ----------------------------------------------------------------------------------------------------------

/// The signals that ask a process to end, and what shells expect of it then.
const SIGNALS: [(Signal, i32); 3] = [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)];

#[test]
fn a_signal_ends_an_exploration_with_what_was_done() {
    let directory = directory_with("limits_signal", "t.c", MANY);
    for (signal, status) in SIGNALS {
        let _alone = alone();
        let run = start(&directory, &["verify", "t.c", "--no-symmetry"]);
        std::thread::sleep(Duration::from_millis(800));
        run.signal(signal);
        let (answer, _) = run.finish();
        answer.expect(status, &["it was interrupted", "executions"], &[]);
    }
}

#[test]
fn a_signal_ends_random_runs_with_what_was_done() {
    let directory = directory_with("limits_signal_fuzz", "t.c", MANY);
    for (signal, status) in SIGNALS {
        let _alone = alone();
        let run = start(&directory, &["fuzz", "t.c", "--time", "60"]);
        std::thread::sleep(Duration::from_millis(800));
        run.signal(signal);
        let (answer, _) = run.finish();
        answer.expect(status, &["it was interrupted", "runs from seed"], &[]);
    }
}

/// The processes that have this word among their arguments.
fn processes_with(word: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("there are processes");
    let arguments = processes.filter_map(|process| std::fs::read(process.ok()?.path().join("cmdline")).ok());
    arguments.filter(|arguments| String::from_utf8_lossy(arguments).contains(word)).count()
}

/// Nothing can be done by a process that is killed; but clang and LLVM do not go on without it.
#[test]
fn the_compiler_ends_with_its_parent() {
    let _alone = alone();
    let directory = directory_with("limits_orphans", "t.c", &explosion());
    let word = format!("-DORPHANS_OF_{}", std::process::id());
    let mut run = start(&directory, &["verify", "t.c", "--", &word]);
    let deadline = Instant::now() + LATE;
    let parent = format!("--parent\0{}\0", run.child.id());
    let processes = || processes_with(&word) + processes_with(&parent);
    while processes() < 3 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(processes(), 3, "the command, clang, and the child between them");
    run.child.kill().expect("it runs");
    run.child.wait().expect("it ends");
    let deadline = Instant::now() + LATE;
    while processes() > 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(processes(), 0, "still there");
}

/// A result that nobody reads is no reason to stay.
#[test]
fn a_signal_ends_a_run_whose_result_is_not_read() {
    let _alone = alone();
    let races: String = (0..200).map(|i| format!("a[{i}] = 1;\n")).collect();
    let text = format!(
        "#include <pthread.h>\nint a[200];\nvoid *f(void *_) {{\n{races}return 0; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0);\n{races} }}\n"
    );
    let directory = directory_with("limits_unread", "t.c", &text);
    let mut run = start(&directory, &["verify", "t.c", "--keep-going"]);
    std::thread::sleep(Duration::from_secs(4));
    assert!(run.child.try_wait().expect("it can be asked").is_none(), "it waits for a reader");
    run.signal(Signal::TERM);
    let deadline = Instant::now() + LATE;
    while run.child.try_wait().expect("it can be asked").is_none() {
        assert!(Instant::now() < deadline, "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whenever it comes, also while clang runs, and nothing stays behind: `finish` looks for files, the pipes for processes.
#[test]
fn a_signal_at_any_moment_leaves_nothing_behind() {
    let directory = directory_with("limits_moments", "t.c", MANY);
    for moment in 0..24 {
        for (signal, status) in SIGNALS {
            let _alone = alone();
            let mut run = start(&directory, &["verify", "t.c"]);
            std::thread::sleep(Duration::from_millis(moment * 10));
            run.signal(signal);
            let ended = run.child.wait().expect("it ends");
            // Before it listens it ends as any process does, and has made nothing yet.
            let by_signal = ended.code() == Some(status) || ended.signal() == Some(status - 128);
            assert!(by_signal, "{signal:?} after {moment}0 ms: {ended}");
            let mut text = String::new();
            run.child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
            let left: Vec<_> = std::fs::read_dir(&run.temporary).expect("it is there").collect();
            assert!(left.is_empty(), "{signal:?} after {moment}0 ms left behind: {left:?}");
        }
    }
}
