//! `threadbare litmus`: exit statuses, formats, directories, expected answers.

use crate::common::{Answer, directory_with, threadbare, threadbare_in};
use serde_json::Value;
use std::path::{Path, PathBuf};

const SB: &str = "C SB
{ }
P0(atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1(atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\\ 1:r0=0)
";

const RACE: &str = "C Race
{ }
P0(int* x) { *x = 1; }
P1(int* x) { int r0 = *x; }
exists (1:r0=1)
";

const NULL: &str = "C Null
{ int *p; }
P0(int** p) { int *r0 = *p; int r1 = *r0; }
exists (0:r1=0)
";

const SPIN: &str = "C Spin
{ }
P0(atomic_int* x) { while (atomic_load_explicit(x, memory_order_acquire) == 0) { } }
P1(atomic_int* x) { atomic_store_explicit(x, 1, memory_order_release); }
exists (x=1)
";

/// A directory of this test's own with these files in it and nothing else.
fn directory(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let name = format!("litmus_{test}");
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(&name);
    let _ = std::fs::remove_dir_all(&directory);
    for (file, text) in files {
        let (below, file) = file.rsplit_once('/').unwrap_or(("", file));
        directory_with(&format!("{name}/{below}"), file, text);
    }
    directory
}

fn run(directory: &Path, arguments: &[&str]) -> Answer {
    threadbare_in(directory, &[&["litmus"], arguments].concat())
}

/// Without what changes from run to run.
fn timeless(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("Time ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn an_answer_is_herds_and_nothing_else() {
    let directory = directory("herd", &[("SB.litmus", SB)]);
    let answer = run(&directory, &["SB.litmus"]);
    let expected = "Test SB Allowed\nStates 4\n0:r0=0; 1:r0=0;\n0:r0=0; 1:r0=1;\n0:r0=1; 1:r0=0;\n0:r0=1; 1:r0=1;\nOk\n\
                    Witnesses\nPositive: 1 Negative: 3\nCondition exists (0:r0=0 /\\ 1:r0=0)\n\
                    Observation SB Sometimes 1 3\n\n";
    assert_eq!((answer.status, timeless(&answer.stdout).as_str()), (0, expected), "{answer:#?}");
    assert!(answer.stdout.contains("\nTime SB 0.") && answer.stderr.is_empty(), "{answer:#?}");
    let strong = run(&directory, &["SB.litmus", "--model", "sc"]);
    strong.expect(0, &["States 3\n", "\nNo\n", "Observation SB Never 0 3"], &[]);
}

#[test]
fn concise_is_a_line_a_test_and_json_an_object_a_line() {
    let directory = directory("formats", &[("a/SB.litmus", SB), ("Race.litmus", RACE)]);
    let concise = run(&directory, &[".", "--format", "concise"]);
    let lines = "./Race.litmus: Race Undef Sometimes 1 1, 2 states, race\n./a/SB.litmus: SB Ok Sometimes 1 3, 4 states\n";
    assert_eq!((concise.status, concise.stdout.as_str()), (1, lines), "{concise:#?}");
    let json = run(&directory, &[".", "--format", "json"]);
    let objects: Vec<Value> =
        json.stdout.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let [race, sb] = &objects[..] else { panic!("{json:#?}") };
    assert_eq!((&race["verdict"], &race["violations"][0]["code"]), (&"violated".into(), &"data-race".into()));
    assert_eq!((&sb["command"], &sb["verdict"]), (&"litmus".into(), &"verified".into()));
    assert_eq!(sb["states"][3], serde_json::json!({"0:r0": 1, "1:r0": 1, "count": 1}));
    assert_eq!(
        (&sb["positive"], &sb["negative"], &sb["observation"]),
        (&1.into(), &3.into(), &"Sometimes".into())
    );
}

#[test]
fn a_race_is_flagged_and_exits_with_1() {
    let directory = directory("race", &[("Race.litmus", RACE)]);
    let answer = run(&directory, &["Race.litmus"]);
    let place = "Race.litmus:3:17: error[data-race]: write of `x` races with read of `x`";
    answer.expect(1, &["\nUndef\n", "\nFlag race\n", "States 2\n"], &[place]);
}

#[test]
fn a_fault_is_an_error_with_its_line() {
    let directory = directory("null", &[("Null.litmus", NULL)]);
    let answer = run(&directory, &["Null.litmus"]);
    answer.expect(
        1,
        &["States 0\n", "Flag invalid-access\n"],
        &["Null.litmus:3:38: error[invalid-access]: "],
    );
}

#[test]
fn a_bad_file_does_not_stop_the_others() {
    let directory = directory("bad", &[("Bad.litmus", "C Bad\n{ }\nP0() { r0 = 1; }"), ("SB.litmus", SB)]);
    let answer = run(&directory, &["Bad.litmus", "none.litmus", "SB.litmus"]);
    let error = "Bad.litmus:3:8: error: `r0` is not declared in P0\n  3 | P0() { r0 = 1; }\n    |        ^\n";
    answer.expect(
        2,
        &["Test SB Allowed"],
        &[error, "error: cannot read none.litmus", "1 tests under RC11, 2 errors"],
    );
    let empty = directory.join("empty");
    std::fs::create_dir_all(&empty).expect("it can be made");
    run(&directory, &["empty"]).expect(2, &[], &["error: there is no *.litmus file below empty"]);
}

#[test]
fn a_loop_without_a_bound_is_inconclusive_and_with_one_it_is_cut() {
    let directory = directory("spin", &[("Spin.litmus", SPIN)]);
    let endless = run(&directory, &["Spin.litmus", "--spin=none"]);
    endless.expect(3, &[], &["Spin.litmus: inconclusive: Spin.litmus:3", "--unroll"]);
    assert!(endless.stdout.is_empty(), "half an answer is none: {endless:#?}");
    let cut = run(&directory, &["Spin.litmus", "--spin=none", "--unroll", "3"]);
    cut.expect(
        0,
        &["\nLoop Ok\n", "Positive: 4 Negative: 0"],
        &["bounded: --unroll cut the loop at Spin.litmus:3"],
    );
    let json = run(&directory, &["Spin.litmus", "--spin=none", "--format", "json", "--timeout", "0"]);
    json.expect(3, &["\"verdict\":\"inconclusive\"", "time was up"], &[]);
}

#[test]
fn a_loop_that_waits_needs_no_bound() {
    let directory = directory("waits", &[("Spin.litmus", SPIN)]);
    let waits = run(&directory, &["Spin.litmus"]);
    waits.expect(0, &["\nOk\n", "Observation Spin Always 1 0"], &[]);
    assert!(waits.stderr.is_empty(), "{waits:#?}");
}

#[test]
fn any_number_of_jobs_gives_the_same_answers_in_the_same_order() {
    let names: Vec<String> = (0..20).map(|i| format!("{i:02}.litmus")).collect();
    let texts: Vec<String> =
        (0..20).map(|i| if i % 5 == 4 { RACE } else { SB }.replacen("C ", &format!("C T{i}"), 1)).collect();
    let files: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let directory = directory("jobs", &files);
    let one = run(&directory, &[".", "--jobs", "1"]);
    let many = run(&directory, &[".", "--jobs", "7"]);
    assert_eq!(timeless(&one.stdout), timeless(&many.stdout));
    assert_eq!((one.status, many.status), (1, 1));
    assert_eq!(one.stdout.matches("\nWitnesses\n").count(), 20);
    one.expect(1, &[], &["20 tests under RC11, 4 with a race or another fault"]);
}

#[test]
fn expected_answers_are_compared() {
    let right = "test,models,observation,positive,negative,flags,states\n\
                 SB,ra rc11,Sometimes,1,3,,0:r0=0; 1:r0=0; | 0:r0=0; 1:r0=1; | 0:r0=1; 1:r0=0; | 0:r0=1; 1:r0=1;\n\
                 SB,sc,Never,0,3,,0:r0=0; 1:r0=1; | 0:r0=1; 1:r0=0; | 0:r0=1; 1:r0=1;\n";
    let wrong = "test,models,observation\nSB,sc rc11,Never\nMP,rc11,Never\n";
    let files = [("SB.litmus", SB), ("right.csv", right), ("wrong.csv", wrong), ("bad.csv", "test,what\n")];
    let directory = directory("expect", &files);
    for model in ["rc11", "ra", "sc"] {
        run(&directory, &["SB.litmus", "--expect", "right.csv", "--model", model]).expect(0, &[], &[]);
    }
    let differences = run(&directory, &["SB.litmus", "--expect", "wrong.csv"]);
    differences.expect(
        1,
        &["Test SB Allowed"],
        &[
            "difference: SB: observation: expected `Never`, found `Sometimes`",
            "difference: MP: the table has a row for it, but it was not run",
        ],
    );
    let no_row = run(&directory, &["SB.litmus", "--expect", "wrong.csv", "--model", "ra"]);
    no_row.expect(1, &[], &["difference: SB: the table has no row for it"]);
    std::fs::write(directory.join("bytes.csv"), b"test,models,observation\nSB,sc,\xff\n")
        .expect("it can be written");
    let no_text = ["bytes.csv is no table of expected answers: line 2: this is no UTF-8 text"];
    run(&directory, &["SB.litmus", "--expect", "bytes.csv"]).expect(2, &[], &no_text);
    run(&directory, &["SB.litmus", "--expect", "bad.csv"]).expect(
        2,
        &[],
        &["is no table of expected answers"],
    );
}

#[test]
fn a_loop_of_n_iterations_is_not_cut_when_n_are_allowed() {
    let body = |text: &str| {
        format!("C Loop\n{{ }}\nP0(atomic_int* x) {{ int i = 0; int r = 0; {text} }}\nexists (0:i=3)\n")
    };
    let loops = [
        "while (i < 3) { i = i + 1; r = atomic_load(x); }",
        "do { i = i + 1; r = atomic_load(x); } while (i < 3);",
        "for (; i < 3; i++) { r = atomic_load(x); }",
        "for (;;) { i++; r = atomic_load(x); if (i == 3) { break; } }",
    ];
    for text in loops {
        let directory = directory("iterations", &[("Loop.litmus", &body(text))]);
        let run = |bound| run(&directory, &["Loop.litmus", "--unroll", bound]);
        run("2").expect(0, &["States 0\nLoop No"], &["bounded: --unroll cut the loop at Loop.litmus:3"]);
        let whole = run("3");
        whole.expect(0, &["States 1\n0:i=3;\nOk"], &[]);
        assert_eq!(whole.stderr, "", "{text}");
    }
}

#[test]
fn a_test_without_an_answer_is_no_difference() {
    let files = [("Spin.litmus", SPIN), ("table.csv", "test,models,observation\nSpin,rc11,Always\n")];
    let directory = directory("unanswered", &files);
    let unbounded = run(&directory, &["Spin.litmus", "--spin=none", "--expect", "table.csv"]);
    unbounded.expect(3, &[], &["inconclusive", "--unroll"]);
    assert!(!unbounded.stderr.contains("difference"), "{}", unbounded.stderr);
    run(&directory, &["Spin.litmus", "--expect", "table.csv"]).expect(0, &[], &[]);
    let bounded = ["Spin.litmus", "--spin=none", "--expect", "table.csv", "--unroll", "2"];
    run(&directory, &bounded).expect(0, &[], &[]);
}

#[test]
fn a_name_twice_matters_to_a_table_only() {
    let table = "test,models,observation\nSB,rc11,Sometimes\n";
    let directory = directory("twice", &[("a.litmus", SB), ("b.litmus", SB), ("table.csv", table)]);
    let twice = run(&directory, &["a.litmus", "b.litmus", "a.litmus"]);
    twice.expect(0, &[], &["3 tests under RC11"]);
    assert_eq!(twice.stdout.matches("Observation SB Sometimes 1 3").count(), 3);
    run(&directory, &[".", "--expect", "table.csv"]).expect(2, &[], &["error: two tests are called `SB`"]);
}

#[test]
fn a_time_is_a_number_of_seconds() {
    for time in ["-1", "nan", "inf", "1e300", "soon"] {
        threadbare("litmus_time", SB, &["litmus", "t.c", "--timeout", time]).expect(
            2,
            &[],
            &["not a number of seconds"],
        );
    }
    threadbare("litmus_time", SB, &["litmus", "t.c", "--timeout", "1e3"]).expect(0, &[], &[]);
}

#[test]
fn what_is_not_there_is_refused_with_what_there_is() {
    let run = |arguments: &[&str]| threadbare("litmus_refused", SB, &[&["litmus"], arguments].concat());
    run(&["t.c"]).expect(0, &["Observation SB Sometimes 1 3"], &[]);
    run(&["t.c", "--equivalence", "rf"]).expect(2, &[], &["there is: co"]);
    run(&["t.c", "--format", "sarif"]).expect(2, &[], &["there is: full, concise, json"]);
    run(&["t.c", "--jobs", "0"]).expect(2, &[], &["give at least 1"]);
    run(&["t.c", "--unroll", "0"]).expect(2, &[], &["give at least 1"]);
    run(&[]).expect(2, &[], &["FILE|DIR"]);
    run(&["--help"]).expect(0, &["Examples:", "--expect <FILE.csv>"], &[]);
}
