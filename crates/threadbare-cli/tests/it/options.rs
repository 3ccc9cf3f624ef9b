//! Options together: contradictions are refused in a sentence that names both, and of repeated ones the last wins.

use crate::common::{directory_with, threadbare, threadbare_in};
use std::path::{Path, PathBuf};
use std::process::Command;

const RIGHT: &str = include_str!("../../../../examples/mp.c");
/// A program that does not even compile: what is refused before that never comes to it.
const BROKEN: &str = "int main(void) { return }\n";

fn refused(test: &str, arguments: &[&str], parts: &[&str]) {
    let answer = threadbare(test, BROKEN, arguments);
    answer.expect(2, &[], parts);
    assert!(!answer.stderr.contains("t.c:1"), "it was not even compiled: {answer:#?}");
    assert_eq!((answer.stdout.as_str(), answer.stderr.matches('\n').count()), ("", 1), "{answer:#?}");
}

#[test]
fn contradictions_of_verify() {
    for (options, names) in [
        (&["--estimate=0"][..], ["`--estimate=0`", "give at least 1"]),
        (&["--estimate", "--replay", "h00000000:0"], ["`--estimate`", "`--replay`"]),
        (&["--estimate", "--keep-going"], ["`--estimate`", "`--keep-going`"]),
        (&["--estimate", "--graph", "t.svg"], ["`--estimate`", "`--graph`"]),
        (&["--estimate", "--trace-out", "t.trace"], ["`--estimate`", "`--trace-out`"]),
        (&["--estimate", "--count-duplicates"], ["`--estimate`", "`--count-duplicates`"]),
        (&["--replay", "h00000000:0", "--keep-going"], ["`--replay`", "`--keep-going`"]),
        (&["--replay", "h00000000:0", "--count-duplicates"], ["`--replay`", "`--count-duplicates`"]),
        (&["--check-liveness", "--spin=none"], ["`--check-liveness`", "`--spin`"]),
        (&["--check-liveness", "--equivalence", "rf"], ["`--check-liveness`", "`--equivalence rf`"]),
        (&["--xmm", "heuristic"], ["--xmm", "xmm"]),
    ] {
        refused("contradictions", &[&["verify", "t.c"], options].concat(), &names);
    }
}

/// Two threads that increment a counter under a lock by exchange, and one that waits for both.
const LOCK: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, done;
int counter;
void *work(void *unused) {
  while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {}
  counter++;
  atomic_store_explicit(&lock, 0, memory_order_release);
  atomic_fetch_add_explicit(&done, 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  while (atomic_load_explicit(&done, memory_order_acquire) != 2) {}
  assert(counter == 2);
  return 0;
}
"#;

/// The complete executions are the same without any reduction but symmetry; those that are left out are blocked.
#[test]
fn reductions_can_be_switched_off() {
    let count = |without: &str| {
        let list = ["symmetry", without].join(",");
        let arguments = ["verify", "t.c", "--format", "json", "--without", list.trim_end_matches(',')];
        let answer = threadbare("without", LOCK, &arguments);
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).expect("an object");
        assert_eq!(json["verdict"], "verified", "{without}: {json}");
        let number = |kind: &str| json["executions"][kind].as_u64().expect("a number");
        (number("complete"), number("blocked"))
    };
    let usual = count("");
    for name in [
        "blocked",
        "waiting",
        "exchanges",
        "awaits",
        "confirming",
        "pairs",
        "attempts",
        "undoing",
        "epilogue",
    ] {
        let (complete, blocked) = count(name);
        assert!(
            complete == usual.0 && blocked >= usual.1,
            "{name}: {complete} + {blocked}, usually {usual:?}"
        );
    }
    assert!(count("waiting").1 > usual.1, "threads fail to take the lock");
    assert!(count("blocked").1 > count("waiting").1, "and fail more often than that");
}

#[test]
fn what_is_no_reduction_is_refused() {
    let verify = |list| threadbare("without_what", RIGHT, &["verify", "t.c", "--without", list]);
    verify("nonsense").expect(2, &[], &["`nonsense` is no reduction", "pairs, attempts"]);
    verify("pairs,").expect(2, &[], &["`` is no reduction"]);
    verify("pairs,barriers").expect(2, &[], &["`barriers` cannot be switched off"]);
}

/// Look-ups under one lock: their order makes no difference.
const LOOK_UPS: &str = r#"
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int table[3], found[3];
static void *look_up(void *number)
{
  pthread_mutex_lock(&mutex);
  found[(long)number] = table[(long)number];
  pthread_mutex_unlock(&mutex);
  return NULL;
}
int main(void)
{
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], NULL, look_up, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return 0;
}
"#;

#[test]
fn the_order_of_sections_is_left_open() {
    let verify = |options: &[&str]| threadbare("with", LOOK_UPS, &[&["verify", "t.c"], options].concat());
    verify(&[]).expect(0, &["6 executions"], &[]);
    verify(&["--without", "lock-order"]).expect(0, &["6 executions"], &[]);
    verify(&["--with", "lock-order"]).expect(0, &["1 execution,"], &[]);
    verify(&["--with", "lock-order", "--equivalence", "co"]).expect(0, &["6 executions"], &[]);
    verify(&["--with", "pairs"]).expect(2, &[], &["`pairs` is on anyway", "lock-order"]);
    verify(&["--with", "locks"]).expect(2, &[], &["`locks` is no reduction", "lock-order"]);
}

#[test]
fn contradictions_of_fuzz() {
    for (options, names) in [
        (&["--depth", "2"][..], ["`--depth`", "`--strategy pct`"]),
        (&["--depth", "3", "--strategy", "pos"], ["`--depth`", "`--strategy pct`"]),
        (&["--runs", "0"], ["`--runs 0`", "give at least 1"]),
        (&["--events", "0"], ["`--events 0`", "give at least 1"]),
        (&["--history", "0"], ["`--history 0`", "give at least 1"]),
    ] {
        refused("contradictions_fuzz", &[&["fuzz", "t.c"], options].concat(), &names);
    }
    let pct = ["fuzz", "t.c", "--runs", "5", "--strategy", "pct", "--depth", "2"];
    threadbare("depth", RIGHT, &pct).expect(0, &["no violation found"], &[]);
}

#[test]
fn flags_for_clang_need_clang() {
    let module = "define i32 @main() {\n  ret i32 0\n}\n";
    let directory = directory_with("flags_without_clang", "t.ll", module);
    threadbare_in(&directory, &["verify", "t.ll"]).expect(0, &["verified"], &[]);
    for command in ["verify", "fuzz"] {
        let answer = threadbare_in(&directory, &[command, "t.ll", "--", "-DN=2"]);
        answer.expect(2, &[], &["`-DN=2` after `--` is for clang, and t.ll is compiled already"]);
    }
}

#[test]
fn of_repeated_options_the_last_one_wins() {
    let options = "--model sc --model ra --equivalence rf --equivalence co --unroll 1 --unroll 9 --timeout 0 --timeout 60 \
                   --format json --format full --keep-going --keep-going --no-symmetry --no-symmetry --spin none --spin all \
                   --jobs 2 --jobs 1 --alloc fail --alloc fresh --xmm heuristic --xmm complete --check-liveness \
                   --check-liveness --graph a.png --graph b.svg --trace-out no/where --trace-out t.trace --model rc11";
    let options: Vec<&str> = options.split_whitespace().collect();
    let answer =
        threadbare("repeated", RIGHT, &[&["verify", "t.c"], &options[..], &["--", "-DX", "-DX"]].concat());
    answer.expect(0, &["t.c: verified under RC11 — 2 executions"], &["b.svg is not written"]);
    let answer = threadbare("repeated_estimate", RIGHT, &["verify", "t.c", "--estimate=0", "--estimate=7"]);
    answer.expect(3, &["without --estimate they are explored"], &[]);
    let fuzz = "fuzz t.c --runs 0 --runs 3 --seed 1 --seed 2 --time 9 --timeout 8 --time 7 --strategy pct --strategy pos \
                --events 0 --events 99 --history 0 --history 9 --jobs 0 --jobs 1 --until-saturated --until-saturated";
    let answer = threadbare("repeated_fuzz", RIGHT, &fuzz.split_whitespace().collect::<Vec<_>>());
    answer.expect(0, &["no violation found", "from seed 2"], &[]);
}

#[test]
fn lists_are_not_options_that_are_repeated() {
    let sb = include_str!("../../../../examples/SB.litmus");
    let directory = directory_with("lists", "a.litmus", sb);
    std::fs::write(directory.join("b.litmus"), sb).expect("a test file can be written");
    let answer = threadbare_in(
        &directory,
        &["litmus", "--format", "json", "a.litmus", "b.litmus", "--format", "concise"],
    );
    answer.expect(0, &[], &["2 tests under RC11"]);
    assert_eq!(answer.stdout.lines().count(), 2, "{answer:#?}");
    let text = "int main(void) { return A + B; }\n";
    threadbare("lists_flags", text, &["verify", "t.c", "--", "-DA=1", "-DB=2"]).expect(0, &["verified"], &[]);
}

#[test]
fn a_temporary_directory_that_is_not_there_is_named() {
    let directory = directory_with("no_tmpdir", "t.c", RIGHT);
    for command in ["verify", "fuzz"] {
        let mut threadbare = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        let threadbare = threadbare.args([command, "t.c"]).current_dir(&directory);
        let output = threadbare.env("TMPDIR", "/no/such/directory").output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("TMPDIR") && stderr.contains("/no/such/directory"), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

/// What `make run` says on another machine, before it installs anything.
#[test]
fn other_machines_get_a_sentence() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (system, machine) in [("Linux", "aarch64"), ("Darwin", "x86_64"), ("Darwin", "arm64")] {
        let script = format!("case $1 in -s) echo {system};; -m) echo {machine};; esac");
        let directory =
            directory_with(&format!("uname_{system}_{machine}"), "uname", &format!("#!/bin/sh\n{script}\n"));
        let uname = directory.join("uname");
        std::fs::set_permissions(&uname, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
        let output = setup(&root, &directory);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let sentence = format!("setup: Threadbare runs on x86-64 Linux, and this is {machine} {system}");
        assert!(stderr.starts_with(&sentence) && stderr.lines().count() == 1, "{stderr}");
        assert!(output.stdout.is_empty());
    }
}

/// Runs the script with the commands of this directory before all others.
fn setup(root: &Path, commands: &Path) -> std::process::Output {
    let script = r#"PATH="$0:$PATH" bash "$1/scripts/setup.sh""#;
    Command::new("bash").args(["-c", script]).arg(commands).arg(root).output().expect("there is bash")
}
