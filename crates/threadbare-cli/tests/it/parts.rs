//! Explorations in parts, as users run them: several jobs, checkpoints, shards, units. The result is always that of the whole.

use crate::common::{Answer, directory_with, threadbare_in};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use testkit::effort;

/// Threads that add to one variable and look at another one: 5,160 executions for N = 5, 103,680 for N = 6.
const RIGHT: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int id[N], turn[N];
static void *run(void *arg) {
    int me = *(int *)arg;
    turn[me] = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    if (atomic_load_explicit(&y, memory_order_relaxed) == me)
        atomic_store_explicit(&y, me + 1, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) { id[i] = i; pthread_create(&t[i], 0, run, &id[i]); }
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    int backwards = 1;
    for (int i = 0; i < N; i++) backwards &= turn[i] == N - 1 - i;
    assert(turn[0] >= 0);
    return 0;
}
";

/// The same, and wrong where the threads take their turns in the opposite order.
fn wrong() -> String {
    RIGHT.replace("assert(turn[0] >= 0)", "assert(!backwards)")
}

/// Threads that create threads, some of them in some executions only.
const NESTED: &str = "
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
static void *child(void *arg) {
    atomic_fetch_add_explicit(&y, (int)(long)arg, memory_order_relaxed);
    return 0;
}
static void *parent(void *arg) {
    pthread_t t;
    int turn = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    if ((turn + (int)(long)arg) % 2 == 0) {
        pthread_create(&t, 0, child, arg);
        atomic_load_explicit(&y, memory_order_relaxed);
        pthread_join(t, 0);
    }
    return 0;
}
int main(void) {
    pthread_t t[N - 2];
    for (long i = 0; i < N - 2; i++) pthread_create(&t[i], 0, parent, (void *)i);
    for (int i = 0; i < N - 2; i++) pthread_join(t[i], 0);
    return 0;
}
";

fn directory(test: &str, text: &str) -> PathBuf {
    let directory = directory_with(&format!("parts-{test}"), "t.c", text);
    // Tests run again in the same directory.
    for entry in std::fs::read_dir(&directory).expect("it was made").flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "json") {
            std::fs::remove_file(entry.path()).expect("it is a file of this test");
        }
    }
    directory
}

fn verify(directory: &Path, n: u32, options: &[&str]) -> Answer {
    let n = format!("-DN={n}");
    let arguments = [&["verify", "t.c", "--no-symmetry", "--format", "json"], options, &["--", &n]].concat();
    threadbare_in(directory, &arguments)
}

/// What does not depend on how it was explored: not the times, nor what is left.
fn result(answer: &Answer) -> Value {
    let mut json: Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("JSON: {answer:#?}"));
    let object = json.as_object_mut().expect("an object");
    for field in ["seconds", "peak_memory_bytes", "unit", "command"] {
        object.remove(field);
    }
    json
}

#[test]
fn any_number_of_jobs_has_the_same_result() {
    for (name, text) in [("right", RIGHT.to_owned()), ("wrong", wrong()), ("nested", NESTED.to_owned())] {
        let directory = directory(&format!("jobs-{name}"), &text);
        let one = verify(&directory, 6, &["--jobs", "1"]);
        assert_eq!(one.status, i32::from(name == "wrong"), "{one:#?}");
        for jobs in ["2", "3", "8", "64"] {
            let answer = verify(&directory, 6, &["--jobs", jobs]);
            assert_eq!((answer.status, result(&answer)), (one.status, result(&one)), "{jobs} jobs");
        }
        let all = verify(&directory, 6, &["--jobs", "1", "--keep-going"]);
        let several = verify(&directory, 6, &["--jobs", "3", "--keep-going"]);
        assert_eq!(result(&several), result(&all));
    }
}

#[test]
fn the_first_violation_that_is_met_ends_the_run_if_it_may() {
    let directory = directory("fast-fail", &wrong());
    let answer = verify(&directory, 6, &["--jobs", "2", "--fast-fail"]);
    answer.expect(1, &["\"verdict\":\"violated\"", "\"code\":\"assertion\""], &[]);
}

#[test]
fn a_run_that_was_cut_short_goes_on_from_its_checkpoint() {
    let directory = directory("checkpoint", RIGHT);
    let whole = verify(&directory, 7, &[]);
    let mut answer = verify(&directory, 7, &["--timeout", "0.4", "--checkpoint", "c.json"]);
    let mut cuts = 0;
    while answer.status == 3 {
        cuts += 1;
        assert!(cuts < 500, "it does not come to its end: {answer:#?}");
        let jobs = (1 + cuts % 3).to_string();
        let options =
            ["--timeout", "0.4", "--checkpoint", "c.json", "--resume", "c.json", "--jobs", jobs.as_str()];
        answer = verify(&directory, 7, &options);
    }
    assert_eq!((answer.status, result(&answer)), (0, result(&whole)), "after {cuts} cuts");
    assert!(cuts > 0, "it was not cut at all");
    assert!(!directory.join("c.json").exists(), "there is nothing left to go on with");
}

#[test]
fn a_run_that_was_killed_goes_on_from_its_last_checkpoint() {
    let directory = directory("kill", &wrong());
    let whole = verify(&directory, 7, &["--keep-going"]);
    let kills = effort::of(50);
    for kill in 0..kills {
        let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
        command.args(["verify", "t.c", "--no-symmetry", "--keep-going", "--checkpoint", "k.json"]);
        command.args(["--checkpoint-every", "0.02", "--format", "json", "--jobs", "2"]);
        if directory.join("k.json").exists() {
            command.args(["--resume", "k.json"]);
        }
        command.args(["--", "-DN=7"]).current_dir(&directory);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command runs");
        thread::sleep(Duration::from_millis(150 + 7 * (kill % 20)));
        // It may have come to its end.
        _ = child.kill();
        child.wait().expect("it has ended");
    }
    let resume: &[&str] = if directory.join("k.json").exists() {
        &["--keep-going", "--resume", "k.json"]
    } else {
        &["--keep-going"]
    };
    let answer = verify(&directory, 7, resume);
    assert_eq!((answer.status, result(&answer)), (1, result(&whole)), "after {kills} kills");
}

#[test]
fn shards_are_the_whole_together() {
    for (name, text, options) in [("right", RIGHT.to_owned(), &[][..]), ("wrong", wrong(), &["--keep-going"])]
    {
        let directory = directory(&format!("shards-{name}"), &text);
        let whole = verify(&directory, 5, options);
        for shard in 1..=7 {
            let number = format!("{shard}/7");
            let answer = verify(&directory, 5, &[&["--shard", &number], options].concat());
            assert!(answer.status == 0 || answer.status == 1 && name == "wrong", "{answer:#?}");
            std::fs::write(directory.join(format!("{shard}.json")), &answer.stdout).expect("a file");
        }
        let files = ["2.json", "1.json", "3.json", "4.json", "7.json", "6.json", "5.json"];
        let merge =
            |files: &[&str]| threadbare_in(&directory, &[&["merge", "--format", "json"], files].concat());
        let merged = merge(&files);
        assert_eq!((merged.status, result(&merged)), (whole.status, result(&whole)), "{name}");
        let most = merge(&files[1..]);
        assert!(most.stdout.contains("only a part"), "{most:#?}");
        assert_eq!(most.status, if name == "wrong" { most.status } else { 3 });
        let half =
            threadbare_in(&directory, &["merge", "1.json", "2.json", "3.json", "--output", "half.json"]);
        assert!(half.stdout.contains("t.c"), "{half:#?}");
        for shard in 1..=2 {
            let number = format!("{shard}/2");
            let more = ["--resume", "half.json", "--shard", &number];
            let answer = verify(&directory, 5, &[&more[..], options].concat());
            std::fs::write(directory.join(format!("h{shard}.json")), &answer.stdout).expect("a file");
        }
        let rest = merge(&["half.json", "h2.json", "h1.json"]);
        assert_eq!((rest.status, result(&rest)), (whole.status, result(&whole)), "{name}");
        let twice = merge(&["1.json", "2.json", "2.json"]);
        assert!(twice.stderr.contains("2.json adds nothing"), "{twice:#?}");
    }
}

#[test]
fn units_are_explored_and_merged_until_nothing_is_left() {
    let directory = directory("units", &wrong());
    let whole = verify(&directory, 6, &[]);
    threadbare_in(&directory, &["verify", "t.c", "--no-symmetry", "--units", ".", "--", "-DN=6"]).expect(
        0,
        &[],
        &[],
    );
    let run = |arguments: &[&str]| threadbare_in(&directory, arguments);
    let merge = ["merge", "state.json", "r.json", "--output", "state.json", "--format", "json"];
    let mut rounds = 0;
    loop {
        rounds += 1;
        run(&["work", "state.json", "--budget", "0.05", "--output", "r.json"]);
        let merged = run(&merge);
        assert!(rounds < 500, "it does not come to its end: {merged:#?}");
        if merged.status != 3 {
            break;
        }
    }
    let merged = run(&["merge", "state.json", "--format", "json"]);
    assert_eq!((merged.status, result(&merged)), (1, result(&whole)), "after {rounds} rounds");
    let report = run(&["merge", "state.json"]);
    report.expect(1, &["error[assertion]", "t.c:", "replay: threadbare verify t.c"], &[]);
}

/// Units of this program until nothing is left, merged; and the state merged once more.
fn merged_units(directory: &Path, options: &[&str]) -> [Answer; 2] {
    let run = |arguments: &[&str]| threadbare_in(directory, arguments);
    run(&[&["verify", "t.c", "--units", "."], options].concat()).expect(0, &[], &[]);
    let merge = ["merge", "state.json", "--output", "state.json", "--format", "json"];
    // One for each time that it starts again.
    for _ in 0..8 {
        run(&["work", "state.json", "--budget", "30", "--output", "r.json"]);
        let merged = run(&[&merge[..], &["r.json"]].concat());
        if !merged.stdout.contains("only a part") {
            return [merged, run(&merge)];
        }
    }
    panic!("it does not come to its end");
}

#[test]
fn an_end_without_a_verdict_stays_one() {
    let sections = "
        #include <pthread.h>
        void __VERIFIER_atomic_begin(void);
        void __VERIFIER_atomic_end(void);
        int main(void) { __VERIFIER_atomic_begin(); __VERIFIER_atomic_end(); return 0; }
    ";
    for answer in merged_units(&directory("sections", sections), &[]) {
        answer.expect(3, &["are explored as a whole: this program has no parts"], &[]);
    }
    let loops = "
        #include <pthread.h>
        #include <stdatomic.h>
        atomic_int x;
        static void *run(void *arg) { for (int i = 0; i < 9; i++) x++; return arg; }
        int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); x++; return 0; }
    ";
    for answer in merged_units(&directory("loops", loops), &["--unroll", "3"]) {
        answer.expect(0, &["\"verdict\":\"bounded\"", "t.c:5"], &[]);
    }
}

#[test]
fn a_unit_whose_time_is_over_has_a_result_however_long_that_takes_to_write() {
    let directory = directory("late", RIGHT);
    let run = |arguments: &[&str]| threadbare_in(&directory, arguments);
    run(&["verify", "t.c", "--no-symmetry", "--units", ".", "--", "-DN=8"]).expect(0, &[], &[]);
    run(&["work", "state.json", "--budget", "0.3", "--output", "r.json"]);
    run(&["merge", "state.json", "r.json", "--output", "state.json"]);
    // Many subtrees, which it does not come to.
    let file = directory.join("state.json");
    let mut state: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let left = state["unit"]["left"].as_array_mut().unwrap();
    let last = left.last().unwrap().as_str().unwrap().to_owned();
    left.extend((0..8000).map(|i| Value::from(format!("{}.{i}", last.trim_end_matches('>')))));
    let count = left.len();
    std::fs::write(&file, state.to_string()).unwrap();
    let answer = run(&["work", "state.json", "--budget", "0.1", "--output", "late.json"]);
    let late = std::fs::read_to_string(directory.join("late.json")).unwrap_or_else(|_| panic!("{answer:#?}"));
    let late: Value = serde_json::from_str(&late).unwrap();
    assert_eq!(late["unit"]["taken"].as_array().unwrap().len(), count);
}

#[test]
fn a_unit_has_the_program_as_it_was_compiled() {
    // Its loop is watched, and its destructor called: the machine has made something of it.
    let text = "
        #include <pthread.h>
        #include <stdatomic.h>
        atomic_int next, owner;
        __attribute__((destructor)) static void done(void) { atomic_load(&owner); }
        static void *run(void *arg) {
            int mine = atomic_fetch_add(&next, 1);
            while (atomic_load(&owner) != mine) {}
            atomic_store(&owner, mine + 1);
            return arg;
        }
        int main(void) {
            pthread_t t[3];
            for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, run, 0);
            for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
            return 0;
        }
    ";
    let directory = directory("compiled", text);
    let whole = threadbare_in(&directory, &["verify", "t.c", "--format", "json"]);
    for answer in merged_units(&directory, &[]) {
        assert_eq!((answer.status, result(&answer)), (0, result(&whole)), "{answer:#?}");
    }
    // What is over stays so, whatever is asked of it.
    let over = ["verify", "t.c", "--format", "json", "--resume", "state.json", "--checkpoint", "c.json"];
    let answer = threadbare_in(&directory, &over);
    assert_eq!((answer.status, result(&answer)), (0, result(&whole)), "{answer:#?}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let directory = directory("refused", RIGHT);
    let run = |arguments: &[&str]| threadbare_in(&directory, arguments);
    run(&["verify", "t.c", "--units", ".", "--", "-DN=2"]).expect(0, &[], &[]);
    let resume = |options: &[&str], n: &str| {
        run(&[&["verify", "t.c", "--resume", "state.json"], options, &["--", n]].concat())
    };
    resume(&[], "-DN=2").expect(0, &["verified"], &[]);
    resume(&[], "-DN=3").expect(2, &[], &["state.json belongs to another program: t.c has changed since"]);
    resume(&["--model", "sc"], "-DN=2").expect(2, &[], &["state.json was written with other options"]);
    resume(&["--model", "xmm"], "-DN=2").expect(
        2,
        &[],
        &["`--resume` is not in this version with `--model xmm`"],
    );
    let state = std::fs::read_to_string(directory.join("state.json")).expect("it was written");
    let version = state.replace("\"version\":\"", "\"version\":\"9");
    let damaged = state.replace("\"left\":[\"0/\"]", "\"left\":[\"0/x\"]");
    for (text, message) in [
        (version.as_str(), "was written by another build of Threadbare: 90.1.0"),
        (damaged.as_str(), "is damaged"),
        ("{}", "has no field `unit`"),
        ("", "is no JSON"),
    ] {
        std::fs::write(directory.join("bad.json"), text).expect("a file");
        run(&["work", "bad.json", "--budget", "1"]).expect(2, &[], &[message]);
        run(&["merge", "bad.json"]).expect(2, &[], &[message]);
    }
    let elsewhere = state.replace("0/\"", "0/7.7.7\"");
    std::fs::write(directory.join("bad.json"), elsewhere).expect("a file");
    run(&["work", "bad.json", "--budget", "1"]).expect(3, &["there is no graph where"], &[]);
    for (options, message) in [
        (&["--checkpoint-every", "1"][..], "give that, too"),
        (&["--shard", "0/3"], "K from 1 to N"),
        (&["--jobs", "0"], "at least 1"),
        (&["--jobs", "1025"], "at most 1024"),
        (&["--fast-fail", "--keep-going"], "leave one of the two out"),
        (&["--shard", "1/2", "--estimate"], "leave one out"),
    ] {
        run(&[&["verify", "t.c"], options].concat()).expect(2, &[], &[message]);
    }
}
