//! `threadbare fuzz`: what it finds, that seeds show it again, how it ends.

use crate::common::{Answer, directory_with, threadbare, threadbare_in};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

const RIGHT: &str = include_str!("../../../../examples/mp.c");
const WRONG: &str = include_str!("../../../../examples/mp_relaxed.c");
const TICKETS: &str = include_str!("../../../../tests/locks/ticketlock.c");

/// A server that never ends.
const ENDLESS: &str = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\n\
    void *go(void *_) { for (;;) { atomic_fetch_add(&x, 1); atomic_store(&y, 1); } }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, go, 0); for (;;) atomic_load(&y); }\n";

fn fuzz(test: &str, text: &str, more: &[&str]) -> Answer {
    threadbare(test, text, &[&["fuzz", "t.c"], more].concat())
}

/// The answer without what differs from run to run.
fn json(answer: &Answer) -> Value {
    let mut value: Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error} in {answer:#?}"));
    for timed in ["seconds", "peak_memory_bytes", "events_per_second"] {
        assert!(value[timed] != Value::Null, "no {timed} in {value}");
        value[timed] = Value::Null;
    }
    value
}

/// The ticket lock of the corpus, in a directory with what it includes.
fn tickets(test: &str) -> std::path::PathBuf {
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/locks");
    let directory = directory_with(test, "t.c", TICKETS);
    for header in ["mutual_exclusion.h", "threads.h"] {
        std::fs::copy(from.join(header), directory.join(header)).expect("the header can be copied");
    }
    directory
}

#[test]
fn the_seed_of_a_violation_shows_it_again() {
    for strategy in ["uniform", "pct", "pos", "urw"] {
        let common = ["--format", "json", "--strategy", strategy];
        let campaign = ["--seed", "5", "--runs", "2000"];
        let first = fuzz("seed", WRONG, &[&common[..], &campaign].concat());
        let again = fuzz("seed", WRONG, &[&common[..], &campaign].concat());
        assert_eq!(first.status, 1, "{first:#?}");
        let (first, again) = (json(&first), json(&again));
        assert_eq!(first, again, "the same seed, the same bytes");
        assert_eq!((&first["command"], &first["seed"]), (&"fuzz".into(), &5.into()));
        let found = &first["found"][0];
        let seed = found["seed"].to_string();
        let alone = json(&fuzz("seed", WRONG, &[&common[..], &["--seed", &seed, "--runs", "1"]].concat()));
        assert_eq!(first["violations"], alone["violations"], "seed {seed} alone");
        assert_eq!(
            (&found["events"], &found["steps"]),
            (&alone["found"][0]["events"], &alone["found"][0]["steps"])
        );
        assert_eq!(alone["runs"], 1);
    }
}

#[test]
fn what_is_found_does_not_depend_on_the_number_of_jobs() {
    let directory = tickets("jobs");
    let run = |jobs: &str| {
        let arguments =
            ["fuzz", "t.c", "--format", "json", "--jobs", jobs, "--runs", "500", "--strategy", "pct"];
        let flags = ["--", "-DBUG", "-DN=3", "-DOPS=3"];
        json(&threadbare_in(&directory, &[&arguments[..], &flags].concat()))
    };
    let (one, four) = (run("1"), run("4"));
    assert_eq!(one["violations"], four["violations"]);
    assert_eq!(one["found"], four["found"]);
}

#[test]
fn a_violation_is_short_and_an_execution_of_the_model() {
    let directory = tickets("short");
    let flags = ["--", "-DBUG", "-DN=4", "-DOPS=1000"];
    let arguments = ["fuzz", "t.c", "--format", "json", "--runs", "5", "--strategy", "pct", "--seed", "3"];
    let trace = ["--trace-out", "t.trace"];
    let answer = threadbare_in(&directory, &[&arguments[..], &trace, &flags].concat());
    assert_eq!(answer.status, 1, "{answer:#?}");
    let value = json(&answer);
    assert!(value["found"][0]["steps"].as_u64() <= Some(40), "{value}");
    let replay = value["violations"][0]["replay"].as_str().expect("there is a string");
    let verify = ["verify", "t.c", "--spin=none", "--replay", replay];
    threadbare_in(&directory, &[&verify[..], &flags].concat()).expect(1, &["error[data-race]"], &[]);
    threadbare_in(&directory, &["check", "t.trace"]).expect(0, &["consistent"], &[]);
}

/// The large programs of `tests/fuzz`: nothing is found in the right ones, and the bug in the others.
#[test]
fn large_programs() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz");
    for (program, size, code) in [
        ("hash_table.c", ["-DN=4", "-DOPS=200"], "error[data-race]"),
        ("late_handover.c", ["-DROUNDS=100", "-DUNUSED"], "error[assertion]"),
    ] {
        let right = [&["fuzz", program, "--runs", "20", "--"], &size[..]].concat();
        threadbare_in(&directory, &right).expect(0, &["no violation found", "20 runs from seed 0"], &[]);
        let wrong = [&["fuzz", program, "--runs", "300", "--"], &size[..], &["-DBUG"]].concat();
        threadbare_in(&directory, &wrong).expect(1, &[code, "--runs 1 -- "], &[]);
    }
}

#[test]
fn nothing_found_is_not_verified() {
    let answer = fuzz("fuzz_right", RIGHT, &["--runs", "300"]);
    answer.expect(
        0,
        &["no violation found", "300 random executions", "300 runs from seed 0", "2 graphs"],
        &[],
    );
    assert!(!answer.stdout.contains("verified"), "{answer:#?}");
    let value = json(&fuzz("fuzz_right", RIGHT, &["--runs", "300", "--format", "json"]));
    assert_eq!((&value["verdict"], &value["runs"]), (&"no-violation".into(), &300.into()));
    assert_eq!(value["coverage"]["graphs"], 2);
    fuzz("fuzz_right", RIGHT, &["--until-saturated"]).expect(0, &["saturation 100.0 %"], &[]);
}

#[test]
fn models_and_options_that_are_not_there_are_refused() {
    fuzz("refused", RIGHT, &["--model", "tso"]).expect(2, &[], &["c20, rc11, rc20, ra, relaxed, sc"]);
    fuzz("refused", RIGHT, &["--jobs", "0"]).expect(2, &[], &["at least 1"]);
    fuzz("refused", RIGHT, &["--format", "sarif"]).expect(2, &[], &["full, concise, json"]);
}

/// Message passing with relaxed accesses is wrong under RC11 only: the others order all of them, or race anyway.
#[test]
fn the_model_decides() {
    for (model, status) in [("rc11", 1), ("c20", 1), ("rc20", 1), ("relaxed", 1), ("ra", 0), ("sc", 0)] {
        let answer = fuzz("model", WRONG, &["--model", model, "--runs", "500"]);
        assert_eq!(answer.status, status, "{model}: {answer:#?}");
    }
}

#[test]
fn runs_end_by_limits_of_events_and_time() {
    let cut = fuzz("endless", ENDLESS, &["--events", "20000", "--runs", "2"]);
    cut.expect(0, &["2 runs from seed 0, 40000 events", "2 runs cut by --events 20000"], &[]);
    let timed = fuzz("endless", ENDLESS, &["--time", "0.5"]);
    timed.expect(0, &["no violation found", "from seed 0"], &[]);
}

/// A lock whose holder never gives it back, taken in a function of its own.
const KEPT: &str = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int taken;\n\
    __attribute__((noinline)) int take(void) { int free = 0; return atomic_compare_exchange_strong(&taken, &free, 1); }\n\
    void *go(void *keep) {\n  while (!take())\n    ;\n  if (!keep) taken = 0;\n  return 0;\n}\n\
    int main(void) { pthread_t t[2]; pthread_create(t, 0, go, t); pthread_create(t + 1, 0, go, 0);\n\
    pthread_join(t[0], 0); pthread_join(t[1], 0); }\n";

/// Threads that wait for ever are said to; they are no violation, and their run ends early.
#[test]
fn a_standstill_is_reported() {
    let kept = fuzz("kept", KEPT, &["--runs", "20"]);
    kept.expect(
        0,
        &["no violation found", "to a standstill: all threads that have not finished spin for ever"],
        &[],
    );
    kept.expect(0, &["(thread 2 at t.c:4)", "--runs 1"], &[]);
    let value = json(&fuzz("kept", KEPT, &["--runs", "20", "--format", "json"]));
    let (stuck, cut) = (value["stuck"].as_u64().expect("a number"), &value["cut"]);
    assert!(stuck > 0 && stuck < 20 && *cut == 0, "{value}");
    assert_eq!(value["standstill"]["places"][0]["place"], "t.c:4");
    let seed = value["standstill"]["seed"].to_string();
    fuzz("kept", KEPT, &["--runs", "1", "--seed", &seed]).expect(0, &["1 run came to a standstill"], &[]);
    // Whoever can still be let go has not come to a standstill.
    let right = json(&fuzz("fuzz_right", RIGHT, &["--runs", "300", "--format", "json"]));
    assert_eq!((&right["stuck"], &right["standstill"]), (&0.into(), &Value::Null));
}

/// Ctrl-C ends a run with what was found so far.
#[test]
fn an_interrupted_run_still_answers() {
    let directory = directory_with("interrupt", "t.c", ENDLESS);
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    let command = command.args(["fuzz", "t.c", "--time", "600"]).current_dir(directory);
    let child = command.stdout(Stdio::piped()).spawn().expect("the command runs");
    std::thread::sleep(Duration::from_millis(1500));
    kill_process(Pid::from_child(&child), Signal::INT).expect("it can be sent");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("it was interrupted") && text.contains("from seed 0"), "{text}");
}

/// The program's own crash is a finding, and what is not modelled is said.
#[test]
fn crashes_are_reported() {
    let null = "#include <stddef.h>\nint main(void) { int *volatile p = NULL; return *p; }\n";
    fuzz("crash", null, &["--runs", "3"]).expect(1, &["error[invalid-access]", "--seed 0 --runs 1"], &[]);
    let deep = "int f(int n) { volatile int x = n; return f(x + 1) + x; }\nint main(void) { return f(0); }\n";
    let answer = fuzz("deep", deep, &["--runs", "1"]);
    assert!(answer.status == 1 || answer.status == 3, "{answer:#?}");
    assert!(!answer.stderr.contains("panicked"), "{answer:#?}");
}

/// Whatever the numbers are: an answer or a refusal, soon.
#[test]
fn extreme_numbers_are_no_trouble() {
    let most = [u32::MAX.to_string(), u64::MAX.to_string()];
    for number in ["0", "1", &most[0], &most[1]] {
        for option in ["--depth", "--jobs", "--seed", "--events", "--history", "--unroll"] {
            let answer = fuzz("extreme", WRONG, &["--strategy", "pct", "--runs", "20", option, number]);
            assert!((0..=3).contains(&answer.status), "{option} {number}: {answer:#?}");
        }
        let answer = fuzz("extreme", WRONG, &["--time", "5", "--runs", number]);
        let expected: &[i32] = if number == "0" { &[2] } else { &[0, 1] };
        assert!(expected.contains(&answer.status), "--runs {number}: {answer:#?}");
    }
    let jobs = fuzz("extreme", WRONG, &["--runs", "20", "--jobs", "100000"]);
    assert!(jobs.stderr.contains("`--jobs 100000` is more than this machine is good for"), "{jobs:#?}");
    fuzz("extreme", RIGHT, &["--runs", "20", "--strategy", "pct", "--depth", &most[0]]).expect(
        0,
        &["20 runs from seed 0"],
        &[],
    );
}

/// A run of 120,000 events that goes wrong in the end: most of them are needed, and it takes long to find that out.
const LATE: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\natomic_int x;\n\
    void *go(void *_) { for (int i = 0; i < 20000; i++) atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);\n\
      return 0; }\n\
    int main(void) { pthread_t t[6]; for (int i = 0; i < 6; i++) pthread_create(t + i, 0, go, 0);\n\
    for (int i = 0; i < 6; i++) pthread_join(t[i], 0); assert(0); }\n";

/// Time is up while the violation is made shorter: it is reported all the same, and at once.
#[allow(clippy::disallowed_methods, reason = "how long it takes is what is tested")]
#[test]
fn shortening_ends_in_time() {
    let start = std::time::Instant::now();
    let late = fuzz("late", LATE, &["--time", "3"]);
    late.expect(1, &["error[assertion]", "--seed 0 --runs 1"], &[]);
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}
