//! `threadbare check`: verdicts, explanations, formats, witnesses, faults, and the traces that `verify` writes.

use crate::common::{Answer, directory_with, threadbare, threadbare_in};
use serde_json::Value;
use std::path::Path;

const MODELS: [&str; 10] = ["sc", "tso", "sra", "ra", "wra", "rc11", "c20", "wrc11", "rc20", "relaxed"];

/// Runs `threadbare check` on these events.
fn check(test: &str, events: &str, more: &[&str]) -> Answer {
    check_text(test, &format!("# threadbare trace 1\n{events}"), more)
}

/// Runs `threadbare check` on this text.
fn check_text(test: &str, text: &str, more: &[&str]) -> Answer {
    let directory = directory_with(&format!("check_{test}"), "t.trace", text);
    threadbare_in(&directory, &[&["check", "t.trace"], more].concat())
}

fn json(test: &str, events: &str, more: &[&str]) -> Value {
    let answer = check(test, events, &[&["--format", "json"], more].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error} in {answer:#?}"))
}

/// Message passing: who sees the flag does not see the data.
const STALE: &str = "e0 t0 W rlx x\ne1 t0 W rel y\ne2 t1 R acq y rf=e1\ne3 t1 R rlx x rf=init\n";
/// Load buffering: a cycle of po and rf.
const CYCLE: &str = "a t0 R rlx x rf=d\nb t0 W rlx y\nc t1 R rlx y rf=b\nd t1 W rlx x\n";
/// Two writes and who reads them, one after the other.
const TWO_WRITES: &str = "e0 t0 W rlx x\ne1 t1 W rlx x\ne2 t2 R rlx x rf=e0\ne3 t2 R rlx x rf=e1\n";

#[test]
fn a_consistent_trace() {
    let answer = check("consistent", STALE, &["--model", "relaxed"]);
    answer.expect(0, &["t.trace: consistent under Relaxed — 4 events, 2 threads, 2 locations, "], &[]);
    assert_eq!((answer.stdout.lines().count(), answer.stderr.as_str()), (1, ""), "{answer:#?}");
    check("no_events", "", &[]).expect(0, &["t.trace: consistent under RC11 — 0 events, 0 threads"], &[]);
    check("only_fences", "f t0 F sc\n", &["--model", "ra"]).expect(0, &["1 event, 1 thread"], &[]);
}

#[test]
fn an_inconsistent_trace_is_explained_event_by_event() {
    let answer = check("stale", STALE, &[]);
    answer.expect(1, &["t.trace: inconsistent under RC11 — 4 events", "error[inconsistent]: "], &[]);
    answer.expect(
        1,
        &["e0 (line 2)", "e3 (line 5)", "the initial write of `x`", "e3 t1 R rlx x rf=init"],
        &[],
    );
    assert!(answer.stdout.starts_with("t.trace: inconsistent under RC11"), "{answer:#?}");
    let last = answer.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("t.trace: inconsistent under RC11: a cycle"), "{answer:#?}");
}

#[test]
fn a_cycle_of_po_and_rf_is_inconsistent_under_every_model() {
    for model in MODELS {
        let answer = check("porf", CYCLE, &["--model", model]);
        let steps = ["a (line 2) is before b (line 3) in program order", "c (line 4) reads from b (line 3)"];
        answer.expect(1, &["program order and reads-from have a cycle"], &[]);
        answer.expect(1, &steps, &[]);
    }
    check("itself", "e0 t0 RMW sc x rf=e0\n", &[]).expect(1, &["e0 (line 2) reads from e0 (line 2)"], &[]);
}

#[test]
fn two_updates_of_one_write_are_inconsistent_under_every_model() {
    for model in MODELS {
        let events = "e0 t0 RMW rlx x rf=init\n# between\ne1 t1 RMW rlx x rf=init\n";
        let answer = check("updates", events, &["--model", model, "--format", "concise"]);
        answer.expect(1, &["t.trace:2: inconsistent under ", "e0 and e1 update the same write"], &[]);
        assert_eq!(answer.stdout.lines().count(), 1, "{answer:#?}");
    }
}

#[test]
fn json_has_the_usual_fields() {
    let value = json("json", STALE, &["--model", "rc20"]);
    assert_eq!(
        (&value["schema"], &value["command"], &value["program"], &value["model"]),
        (&1.into(), &"check".into(), &"t.trace".into(), &"rc20".into())
    );
    assert_eq!((&value["verdict"], &value["reason"]), (&"inconsistent".into(), &Value::Null));
    assert!(value["explanation"].as_str().is_some_and(|text| text.contains("e0 (line 2)")), "{value}");
    assert_eq!(value["cycle"][0]["from"], serde_json::json!({"event": "e0", "line": 2}), "{value}");
    assert_eq!((&value["events"], &value["threads"], &value["locations"]), (&4.into(), &2.into(), &2.into()));
    assert!(value["seconds"]["exploration"].is_number() && value["peak_memory_bytes"].is_u64(), "{value}");
    let value = json("json_consistent", TWO_WRITES, &[]);
    assert_eq!((&value["verdict"], &value["equivalence"]), (&"consistent".into(), &"rf".into()));
    assert!(value["explanation"].is_string() && value["cycle"] == serde_json::json!([]), "{value}");
}

#[test]
fn a_witness_has_a_coherence_order_that_is_accepted() {
    for model in MODELS {
        check("witness", TWO_WRITES, &["--model", model, "--witness", "w.trace"]).expect(0, &[], &[]);
        let directory = directory_with("check_witness", "unused", "");
        let witness = std::fs::read_to_string(directory.join("w.trace")).expect("the witness is written");
        let has_co = !["wra", "wrc11"].contains(&model);
        assert_eq!(
            witness.contains("e0 t0 W rlx x co=0\ne1 t1 W rlx x co=1\n"),
            has_co,
            "{model}: {witness}"
        );
        threadbare_in(&directory, &["check", "w.trace", "--model", model]).expect(0, &["consistent"], &[]);
    }
    let answer = check("no_witness", STALE, &["--witness", "w.trace"]);
    answer.expect(1, &[], &["no witness is written"]);
    let answer = check("witness_nowhere", TWO_WRITES, &["--witness", "no/such/place"]);
    answer.expect(2, &[], &["`--witness no/such/place`: there is no directory no/such"]);
}

#[test]
fn a_given_coherence_order_is_the_one_that_is_checked() {
    let (right, wrong) = (["co=0", "co=1"], ["co=1", "co=0"]);
    let given = |[first, second]: [&str; 2]| {
        TWO_WRITES
            .replace("t0 W rlx x", &format!("t0 W rlx x {first}"))
            .replace("t1 W rlx x", &format!("t1 W rlx x {second}"))
    };
    for model in ["sc", "tso", "sra", "ra", "rc11", "c20", "rc20", "relaxed"] {
        check("co_right", &given(right), &["--model", model]).expect(0, &["co as given"], &[]);
        check("co_wrong", &given(wrong), &["--model", model]).expect(1, &["co as given"], &[]);
    }
    check("co_why", &given(wrong), &[]).expect(1, &["the trace says so (co=)"], &[]);
    assert_eq!(json("co_json", &given(right), &[])["equivalence"], "co");
    for model in ["wra", "wrc11"] {
        check("co_none", &given(wrong), &["--model", model]).expect(0, &[], &["`co=` is ignored"]);
    }
}

#[test]
fn faults_have_a_place_a_caret_and_exit_status_2() {
    for (events, message) in [
        ("e0 t0 R acq x rf=e7\n", "t.trace:2:15: error: there is no event `e7`"),
        ("e0 t0 R acq x rf=e1\ne1 t0 R acq x rf=init\n", "t.trace:2:15: error: `e1` (line 3) is an R"),
        ("e0 t0 W rel y\ne1 t1 R acq x rf=e0\n", "t.trace:3:15: error: `e0` (line 2) writes `y`"),
        (
            "e0 t0 W rel x\ne0 t1 W rel x\n",
            "t.trace:3:1: error: `e0` is the id of another event already, in t0",
        ),
        ("e0 t0 W x\n", "t.trace:2:9: error: `x` is no order of a W"),
        ("e0 t0 R rel x rf=init\n", "t.trace:2:9: error: `rel` is no order of an R"),
        ("e0 t0 F sc x\n", "t.trace:2:12: error: a fence has no location"),
        ("e0 t0 W rel x co=0\ne1 t0 W rel x\n", "t.trace:3:1: error: `co=` is missing here"),
        ("e0 t0 W rel x co=1\n", "t.trace:2:15: error: position 1 of 1"),
        ("e0 t0 R acq x r", "t.trace:2:15: error: `r` is not understood"),
    ] {
        let answer = check("fault", events, &[]);
        answer.expect(2, &[], &[message]);
        let last = answer.stderr.lines().last().unwrap_or_default();
        assert!(last.ends_with('^') && answer.stdout.is_empty(), "{answer:#?}");
    }
}

#[test]
fn what_is_no_trace() {
    let help = "help: start the trace with the line `# threadbare trace 1`";
    check_text("no_header", "e0 t0 W rel x\n", &[]).expect(
        2,
        &[],
        &["t.trace:1:1: error: this is no trace", help],
    );
    check_text("empty", "", &[]).expect(2, &[], &[help]);
    check_text("version", "# threadbare trace 2\n", &[]).expect(2, &[], &["version `2`", "there is: 1"]);
    check_text("noise", "\u{1}\u{2}\0ELF\u{7f}\n\0\0\n", &[]).expect(2, &[], &[help]);
    let long = "x".repeat(10 << 20);
    let answer = check("long", &format!("e0 t0 W rel {long}\n"), &[]);
    answer.expect(2, &[], &["t.trace:2:1: error: the line is longer than 65536 bytes"]);
    assert!(answer.stderr.len() < 1000, "{answer:#?}");
    let directory = directory_with("check_nowhere", "unused", "");
    threadbare_in(&directory, &["check", "nowhere"]).expect(
        2,
        &[],
        &["error: cannot read nowhere: No such file"],
    );
    threadbare_in(&directory, &["check", "."]).expect(2, &[], &["error: cannot read ."]);
}

#[test]
fn a_last_line_without_an_end_is_warned_of() {
    check("cut", TWO_WRITES.trim_end(), &[]).expect(0, &["consistent"], &["is the trace complete?"]);
}

#[test]
fn what_there_is_for_traces() {
    check("xmm", STALE, &["--model", "xmm"]).expect(2, &[], &["--model xmm", "other executions", "rc11"]);
    check("sarif", STALE, &["--format", "sarif"]).expect(2, &[], &["sarif", "full, concise, json"]);
    check("equivalence", STALE, &["--equivalence", "rf"]).expect(2, &[], &["--equivalence"]);
    let help = ["--witness", "# threadbare trace 1", "Exit status:"];
    threadbare("check_help", "", &["check", "--help"]).expect(0, &help, &[]);
    check("rc20_sc", "e0 t0 W sc x\n", &["--model", "rc20"]).expect(
        0,
        &[],
        &["rc20 has no SC accesses", "--model c20"],
    );
}

/// Many writes without an order, and a model with nothing better than to try all of them.
#[test]
fn what_is_too_large_to_be_answered_is_inconclusive() {
    let events: String = (0..2000).map(|number| format!("e{number} t{} W rlx x\n", number % 40)).collect();
    let answer = check("too_large", &events, &["--model", "wrc11"]);
    answer.expect(3, &["t.trace: inconclusive under WRC11: "], &[]);
    let value = json("too_large_json", &events, &["--model", "wrc11"]);
    assert_eq!(value["verdict"], "inconclusive");
    assert!(value["reason"].is_string() && value["explanation"].is_string(), "{value}");
}

#[test]
fn more_threads_than_memory_has_room_for_their_clocks() {
    let events: String = (0..100_000).map(|number| format!("e{number} t{number} W rlx x\n")).collect();
    check("many_threads", &events, &[]).expect(3, &["inconclusive under RC11: 100000 threads"], &[]);
    check("many_relaxed", &events, &["--model", "relaxed"]).expect(0, &["100000 threads"], &[]);
}

#[test]
fn the_time_is_up() {
    let events: String =
        (0..300_000).map(|number| format!("e{number} t{} W rel x{}\n", number % 7, number % 13)).collect();
    let answer = check("timeout", &events, &["--timeout", "0.001"]);
    answer.expect(3, &["t.trace: inconclusive under RC11: the time was up", "--timeout"], &[]);
}

/// What `verify` explored is consistent under the model under which it was explored: creation and join, mutexes, SC
/// fences, plain accesses, read-modify-writes, and the executions of violations.
#[test]
fn traces_of_verify_are_consistent_under_their_model() {
    let programs = [
        "right/create_and_join_synchronise.c",
        "right/nested_creation.c",
        "right/no_threads.c",
        "right/dekker_sc_fences.c",
        "right/dekker_sc_accesses.c",
        "right/mutex_two_in_order.c",
        "right/mp_release_sequence.c",
        "right/publication_after_fence.c",
        "right/reference_count.c",
        "right/seqlock.c",
        "right/struct_copies.c",
        "right/ticket_lock.c",
        "wrong/assert_store_buffering.c",
        "wrong/deadlock_two_locks.c",
    ];
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    for program in programs {
        let text = std::fs::read_to_string(corpus.join(program)).expect("the program is there");
        let directory = directory_with(&format!("check_{}", program.replace('/', "_")), "t.c", &text);
        for model in MODELS {
            let trace = format!("{model}.trace");
            threadbare_in(&directory, &["verify", "t.c", "--model", model, "--trace-out", &trace]);
            let answer = threadbare_in(&directory, &["check", &trace, "--model", model]);
            let expected = format!("{trace}: consistent under ");
            assert!(answer.status == 0 && answer.stdout.starts_with(&expected), "{program}: {answer:#?}");
            // The order of the writes is in the trace; without it there is still one.
            let text = std::fs::read_to_string(directory.join(&trace)).expect("the trace is there");
            let without_co: Vec<&str> =
                text.lines().map(|line| line.split(" co=").next().unwrap_or(line)).collect();
            std::fs::write(directory.join(&trace), without_co.join("\n") + "\n").expect("it can be written");
            let answer = threadbare_in(&directory, &["check", &trace, "--model", model]);
            assert!([0, 3].contains(&answer.status), "{program} {model}: {answer:#?}");
        }
    }
}
