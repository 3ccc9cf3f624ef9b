//! `threadbare verify` on the examples: verdicts, formats, replay.

use crate::common::{Answer, threadbare};
use serde_json::Value;

const RIGHT: &str = include_str!("../../../../examples/mp.c");
const WRONG: &str = include_str!("../../../../examples/mp_relaxed.c");

fn verify(test: &str, text: &str, more: &[&str]) -> Answer {
    threadbare(test, text, &[&["verify", "t.c"], more].concat())
}

fn json(test: &str, text: &str, more: &[&str]) -> Value {
    let answer = verify(test, text, &[&["--format", "json"], more].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error} in {answer:#?}"))
}

/// The line of `text` that has `part` in it, from 1.
fn line_of(text: &str, part: &str) -> usize {
    1 + text.lines().position(|line| line.contains(part)).expect("the line is there")
}

#[test]
fn a_right_program_is_verified() {
    let answer = verify("right", RIGHT, &[]);
    answer.expect(0, &["t.c: verified under RC11 — 2 executions, 0 blocked, "], &[]);
    assert_eq!(answer.stdout.lines().count(), 1, "{answer:#?}");
    let value = json("right_json", RIGHT, &[]);
    assert_eq!(
        (&value["schema"], &value["command"], &value["program"]),
        (&1.into(), &"verify".into(), &"t.c".into())
    );
    assert_eq!((&value["model"], &value["equivalence"]), (&"rc11".into(), &"rf".into()));
    assert_eq!((&value["verdict"], &value["reason"]), (&"verified".into(), &Value::Null));
    assert_eq!(value["executions"]["complete"], 2);
    assert!(value["peak_memory_bytes"].as_u64() > Some(1 << 20));
}

/// Up to reads-from, where there is that.
#[test]
fn the_usual_equivalence() {
    let sc = RIGHT.replace("memory_order_release", "memory_order_seq_cst");
    assert_ne!(sc, RIGHT);
    let chosen =
        |test: &str, text: &str, arguments: &[&str]| json(test, text, arguments)["equivalence"].clone();
    assert_eq!(chosen("usual_sc_access", &sc, &[]), "rf");
    assert_eq!(chosen("usual_sc_access_co", &sc, &["--equivalence", "co"]), "co");
    for (model, equivalence) in [
        ("sc", "rf"),
        ("tso", "rf"),
        ("sra", "rf"),
        ("ra", "rf"),
        ("c20", "rf"),
        ("rc20", "rf"),
        ("relaxed", "rf"),
        ("wra", "rf"),
        ("xmm", "co"),
    ] {
        assert_eq!(chosen(&format!("usual_{model}"), RIGHT, &["--model", model]), equivalence, "{model}");
    }
}

#[test]
fn a_race_is_shown_with_both_places_and_the_missing_order() {
    let (write, read) = (line_of(WRONG, "data = 42;"), line_of(WRONG, "assert(data == 42)"));
    let load = line_of(WRONG, "memory_order_relaxed)");
    let answer = verify("wrong", WRONG, &[]);
    let (write_at, read_at) = (format!("t.c:{write}:"), format!("t.c:{read}:"));
    let why = format!("`flag` is read with relaxed at t.c:{load}");
    answer.expect(1, &["error[data-race]", &write_at, &read_at, &why, "does not synchronise", "help: "], &[]);
    assert!(answer.stdout.starts_with("t.c: violated under RC11"), "{answer:#?}");
    assert!(
        answer.stdout.lines().last().is_some_and(|line| line.contains("1 violation under RC11")),
        "{answer:#?}"
    );
}

#[test]
fn a_race_in_json_and_in_one_line() {
    let value = json("wrong_json", WRONG, &[]);
    let violation = &value["violations"][0];
    assert_eq!((&value["verdict"], &violation["code"]), (&"violated".into(), &"data-race".into()));
    let places = violation["places"].as_array().expect("places");
    let mut lines: Vec<usize> =
        places.iter().map(|place| place["line"].as_u64().expect("a line") as usize).collect();
    lines.sort_unstable();
    assert_eq!(lines, [line_of(WRONG, "data = 42;"), line_of(WRONG, "assert(data == 42)")]);
    assert!(places.iter().all(|place| place["file"] == "t.c" && place["event"].is_string()), "{value}");

    let answer = verify("wrong_concise", WRONG, &["--format", "concise"]);
    answer.expect(1, &["error[data-race]: ", "t.c: 1 violation under RC11"], &[]);
    assert_eq!(answer.stdout.lines().count(), 2, "{answer:#?}");
    assert!(answer.stdout.starts_with("t.c:"), "{answer:#?}");
}

#[test]
fn a_replay_shows_the_same_violation() {
    let value = json("replay", WRONG, &[]);
    let replay = value["violations"][0]["replay"].as_str().expect("a string");
    let again = json("replay", WRONG, &["--replay", replay]);
    assert_eq!(again["verdict"], "violated");
    assert_eq!(again["violations"], value["violations"]);
}

#[test]
fn there_is_no_colour_in_a_pipe() {
    assert!(!verify("no_colour", WRONG, &[]).stdout.contains('\u{1b}'));
}

#[test]
fn a_trace_is_written() {
    verify("trace", WRONG, &["--trace-out", "t.trace"]).expect(1, &[], &[]);
    let file = crate::common::directory_with("trace", "t.c", WRONG).join("t.trace");
    let trace = std::fs::read_to_string(file).expect("the trace is there");
    assert!(trace.starts_with("# threadbare trace 1\n"), "{trace}");
    assert!(trace.contains(" W rel flag ") && trace.contains(" R rlx flag "), "{trace}");
    verify("trace_nowhere", WRONG, &["--trace-out", "no/such/directory/t.trace"]).expect(
        2,
        &[],
        &["t.trace"],
    );
}

#[test]
fn flags_reach_clang_and_its_warnings_the_user() {
    let text = "#ifndef RIGHT\n#error wrong\n#endif\n#warning look here\nint main(void) { return 0; }\n";
    verify("cflags", text, &["--", "-DRIGHT=1"]).expect(0, &["verified"], &["look here"]);
    verify("cflags_missing", text, &[]).expect(2, &[], &["error: wrong"]);
}

#[test]
fn a_weak_compare_exchange_may_fail() {
    let text = "#include <stdatomic.h>\natomic_int x;\nint main(void) {\n  int e = 0;\n  \
                return !atomic_compare_exchange_weak(&x, &e, 1);\n}\n";
    verify("weak", text, &[]).expect(0, &["verified under RC11 — 2 executions"], &[]);
}

#[test]
fn a_deadlock_names_who_waits_for_whom() {
    let text = "#include <pthread.h>\npthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
                void *one(void *x) {\n  pthread_mutex_lock(&a);\n  pthread_mutex_lock(&b);\n  \
                pthread_mutex_unlock(&b);\n  pthread_mutex_unlock(&a);\n  return x;\n}\n\
                int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, one, 0);\n  pthread_mutex_lock(&b);\n  \
                pthread_mutex_lock(&a);\n  pthread_mutex_unlock(&a);\n  pthread_mutex_unlock(&b);\n  \
                pthread_join(t, 0);\n}\n";
    let expected = [
        "error[deadlock]",
        "thread 0 (main) waits at t.c:14 for `a`, which thread 1 (one) holds (locked at t.c:4)",
    ];
    verify("deadlock", text, &[]).expect(1, &expected, &[]);
}

#[test]
fn models_and_help() {
    threadbare("models", "", &["models"]).expect(0, &["rc11 ", "sc ", "ra "], &[]);
    threadbare("help", "", &["verify", "--help"]).expect(0, &["--unroll", "Examples:"], &[]);
    let sc = json("sc", WRONG, &["--model", "sc"]);
    assert_eq!((&sc["model"], &sc["verdict"]), (&"sc".into(), &"verified".into()));
}

/// Nothing grows with the number of executions: 2,258 of them need what 525,630 do.
#[test]
fn memory_does_not_grow_with_the_number_of_executions() {
    let text = include_str!("../../../../tests/bench/fib_bench.c");
    let peak =
        |test, rounds| json(test, text, &["--", rounds])["peak_memory_bytes"].as_u64().expect("a number");
    let (few, many) = (peak("fib_3", "-DK=3"), peak("fib_5", "-DK=5"));
    assert!(many <= few + few / 10, "{few} bytes for fib_bench(3), {many} for fib_bench(5)");
}

/// Executions in which a round is kept that is usually left out, and in which a thread reads what another one frees: in the
/// order of the exploration it went on after that, in the order of the replay it does not.
#[test]
fn replays_of_rounds_and_freed_memory_show_what_was_found() {
    let program = r#"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { _Atomic(struct node *) next; };
_Atomic(struct node *) head;
atomic_int go;
static struct node *node(void) {
    struct node *n = malloc(sizeof *n);
    atomic_init(&n->next, (struct node *)0);
    return n;
}
static void *push(void *a) {
    struct node *n = node(), *h = atomic_load_explicit(&head, memory_order_relaxed);
    do atomic_store_explicit(&n->next, h, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(&head, &h, n, memory_order_release, memory_order_relaxed));
    atomic_store_explicit(&go, 1, memory_order_relaxed);
    return 0;
}
static void *pop(void *a) {
    struct node *h = atomic_load_explicit(&head, memory_order_acquire);
    while (h && !atomic_compare_exchange_weak_explicit(&head, &h,
               atomic_load_explicit(&h->next, memory_order_relaxed), memory_order_release, memory_order_relaxed))
        ;
    while (!atomic_load_explicit(&go, memory_order_relaxed))
        ;
    free(h);
    return 0;
}
int main(void) {
    pthread_t t[3];
    atomic_init(&head, node());
    pthread_create(&t[0], 0, push, 0);
    pthread_create(&t[1], 0, pop, 0);
    pthread_create(&t[2], 0, pop, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
"#;
    for alloc in ["--alloc=fresh", "--alloc=reuse"] {
        let run = |more: &[&str]| {
            let arguments = [&["verify", "t.c", "--format", "json", alloc], more].concat();
            let answer = threadbare("replays_of_rounds", program, &arguments);
            serde_json::from_str::<Value>(&answer.stdout)
                .unwrap_or_else(|error| panic!("{error}: {answer:#?}"))
        };
        let found = run(&["--keep-going"]);
        let found = found["violations"].as_array().expect("a list");
        assert!(found.len() > 2, "{found:#?}");
        for violation in found {
            let shown = run(&["--replay", violation["replay"].as_str().expect("a string")]);
            let shown = shown["violations"].as_array().expect("a list");
            assert!(
                shown.iter().any(|shown| shown["code"] == violation["code"]),
                "{violation:#}: {shown:#?}"
            );
        }
    }
}

/// A replay string belongs to a program, a model and options; with others it is refused, not found to be right.
#[test]
fn a_replay_string_of_another_run_is_refused() {
    let text = include_str!("../../../../tests/wrong/assert_store_buffering.c");
    let value = json("replay_other", text, &[]);
    let replay = value["violations"][0]["replay"].as_str().expect("a string");
    let others: [&[&str]; 3] = [&["--model", "sc"], &["--unroll", "5"], &["--spin=none"]];
    let refused = "belongs to another program, model or options";
    for options in others {
        let again = verify("replay_other", text, &[options, &["--replay", replay]].concat());
        again.expect(2, &[], &[refused, "run `threadbare verify` again"]);
        assert_eq!(again.stdout, "");
    }
    let changed = text.replacen("memory_order_relaxed", "memory_order_seq_cst", 1);
    assert_ne!(changed, text);
    verify("replay_changed", &changed, &["--replay", replay]).expect(2, &[], &[refused]);
    let (_, steps) = replay.split_once(':').expect("a number and steps");
    verify("replay_bare", text, &["--replay", steps]).expect(2, &[], &["does not say which program"]);
    // Neither where the file is nor where its lines are matters.
    let commented = format!("/* A comment. */ {text}");
    verify("replay_moved", &commented, &["--replay", replay]).expect(1, &["violated under"], &[]);
}

/// Steps that the model does not allow are no execution, even with the right number before them.
#[test]
fn a_replay_that_the_model_forbids_is_refused() {
    let text = include_str!("../../../../tests/wrong/assert_store_buffering.c");
    let value = json("replay_forbidden", text, &[]);
    let replay = value["violations"][0]["replay"].as_str().expect("a string");
    let (_, steps) = replay.split_once(':').expect("a number and steps");
    let head = crate::common::replay_head("replay_forbidden", text, &["--model", "sc"]);
    let replay = format!("{head}:{steps}");
    let forbidden = verify("replay_forbidden", text, &["--model", "sc", "--replay", &replay]);
    forbidden.expect(2, &[], &["cannot replay", "the model does not allow this step of thread"]);
}

#[test]
fn a_moved_file_still_replays() {
    let text = format!("#include <assert.h>\n{}", WRONG);
    let value = json("replay_before", &text, &[]);
    let replay = value["violations"][0]["replay"].as_str().expect("a string");
    let directory = crate::common::directory_with("replay_after", "other_name.c", &text);
    let again = crate::common::threadbare_in(&directory, &["verify", "./other_name.c", "--replay", replay]);
    again.expect(1, &["data-race"], &[]);
}

/// Clang splits such a path, and neither half names the file.
#[test]
fn places_in_a_file_beside_the_current_directory_can_be_found() {
    let beside = crate::common::directory_with("beside", "t.c", WRONG);
    let here = crate::common::directory_with("beside_here", "other.c", "");
    let file = beside.join("t.c").display().to_string();
    let answer = crate::common::threadbare_in(&here, &["verify", &file]);
    answer.expect(1, &[&format!("--> {file}:10:8"), "10 |   data = 42;"], &[]);
}

/// A violation's replay string works in every program of the corpus that has one, also where accesses were refined or a
/// step failed.
#[test]
fn violations_of_the_corpus_can_be_replayed() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/wrong");
    let files =
        std::fs::read_dir(corpus).expect("the corpus is there").map(|entry| entry.expect("an entry").path());
    let mut replayed = 0;
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "c")) {
        let text = std::fs::read_to_string(&file).expect("a text");
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let flags: &[&str] = match &*name {
            name if name.starts_with("liveness") => &["--check-liveness"],
            name if name.starts_with("leak") => &["--check", "assertion,race,memory,deadlock,leak"],
            // Their loops are not cut, or should not be.
            "allocation_fails" => &["--alloc=fail"],
            "assert_undone_addition_seen_twice" | "race_of_a_round_under_mutex" => {
                &["--spin=static", "--unroll=4"]
            }
            _ => &[],
        };
        let violation = json(&name, &text, flags)["violations"][0].clone();
        let replay = violation["replay"].as_str().expect("a string");
        let again = json(&name, &text, &[flags, &["--replay", replay]].concat());
        let same =
            |other: &Value| other["code"] == violation["code"] && other["places"] == violation["places"];
        let violations = again["violations"].as_array().expect("an array");
        assert!(violations.iter().any(same), "{name}: {replay} leads to {again}, not to {violation}");
        replayed += 1;
    }
    assert!(replayed > 80, "only {replayed} programs");
}

/// `main` ends in no execution: there is nothing behind a verdict, with or without a bound.
#[test]
fn that_nothing_ran_to_its_end_is_no_verdict() {
    let assumption = include_str!("../../../../tests/inconclusive/nothing_ends_assumption.c");
    let unroll = include_str!("../../../../tests/inconclusive/nothing_ends_unroll.c");
    let flag = include_str!("../../../../tests/wrong/liveness_flag_never_set.c");
    for (test, text, more) in [
        ("vacuous", assumption, &[][..]),
        ("vacuous_bound", assumption, &["--unroll", "3"]),
        ("vacuous_thread", assumption, &["--", "-DIN_THREAD"]),
        ("vacuous_unroll", unroll, &["--unroll", "3"]),
        ("vacuous_flag", flag, &[]),
    ] {
        let answer = verify(test, text, more);
        answer.expect(
            3,
            &["t.c: inconclusive under RC11: nothing ran to its end\n", "no violation found"],
            &[],
        );
        let value = json(test, text, more);
        assert_eq!((&value["verdict"], &value["vacuous"]), (&"inconclusive".into(), &true.into()), "{value}");
        assert_eq!(value["reason"], "nothing ran to its end", "{value}");
    }
    for (test, text, more) in [
        ("not_vacuous", RIGHT, &[][..]),
        ("not_vacuous_violated", WRONG, &[]),
        ("not_vacuous_unroll", unroll, &["--unroll", "6"]),
        ("not_vacuous_liveness", flag, &["--check-liveness"]),
    ] {
        assert_eq!(json(test, text, more)["vacuous"], false);
    }
}

/// Random executions count as `verify` does.
#[test]
fn workers_that_wait_for_work_make_no_execution_blocked() {
    let pool = include_str!("../../../../tests/right/worker_pool_waits_for_work.c");
    let spins = include_str!("../../../../tests/wrong/liveness_not_joined.c");
    for (test, text) in [("pool", pool), ("spinning_worker", spins)] {
        let value = json(test, text, &[]);
        assert_eq!((&value["verdict"], &value["executions"]["blocked"]), (&"verified".into(), &0.into()));
        let answer = threadbare(test, text, &["fuzz", "t.c", "--runs", "20", "--format", "json"]);
        let value: Value = serde_json::from_str(&answer.stdout).expect("JSON");
        assert_eq!(value["executions"]["complete"], 20, "{value}");
    }
}

/// The exploration starts again after it has found the assertion, and comes to a loop without an end before it comes to
/// the assertion once more.
#[test]
fn a_violation_is_kept_when_the_exploration_starts_again() {
    let text = include_str!("../../../../tests/wrong/assert_beside_an_endless_loop.c");
    let first = json("keep_first", text, &[]);
    let all = json("keep_all", text, &["--keep-going"]);
    for value in [&first, &all] {
        assert_eq!(
            (&value["verdict"], &value["violations"][0]["code"]),
            (&"violated".into(), &"assertion".into())
        );
    }
    assert_eq!(first["incomplete"], Value::Null, "{first}");
    let restarts = all["restarts"].as_array().expect("an array");
    assert!(
        restarts.iter().any(|why| why.as_str().is_some_and(|why| why.starts_with("refuted: 0x"))),
        "{all}"
    );
    verify("keep_all", text, &["--keep-going"]).expect(1, &["error[assertion]"], &[]);
}

/// Not everything was explored, and something is wrong: both are said.
#[test]
fn a_violated_run_that_met_a_loop_without_end_says_so() {
    let text = include_str!("../../../../tests/wrong/assert_spurious_failure_after_addition.c");
    let more = ["--keep-going"];
    let value = json("says_both", text, &more);
    assert_eq!((&value["verdict"], &value["reason"]), (&"violated".into(), &Value::Null), "{value}");
    let incomplete = value["incomplete"].as_str().expect("a reason");
    assert!(incomplete.contains("made 250000 steps without an end"), "{value}");
    let why = format!("the exploration was not completed, and there may be more violations: {incomplete}\n");
    verify("says_both", text, &more).expect(1, &["error[assertion]", &format!("\nincomplete: {why}")], &[]);
    let concise = verify("says_both", text, &[&more[..], &["--format", "concise"]].concat());
    concise.expect(1, &[&format!("\nt.c: {why}t.c: ")], &[]);
    assert_eq!(json("says_one", text, &[])["incomplete"], Value::Null);
}

const ALONE: &str = include_str!("../../../../tests/inconclusive/loop_without_events.c");
const COUNTS: &str = include_str!("../../../../tests/inconclusive/loop_with_events.c");

/// The loop and the reason are named, whatever else was explored; nothing is said about threads that wait.
#[test]
fn a_loop_without_end_bounds_one_thread() {
    for (test, text, why) in [
        ("endless_alone", ALONE, "t.c:14 (thread 1, in turns): no end after 100000000 steps"),
        ("endless_counts", COUNTS, "t.c:16 (thread 1, in counts) made 250000 steps without an end"),
    ] {
        let value = json(test, text, &[]);
        assert_eq!(
            (&value["verdict"], &value["vacuous"]),
            (&"inconclusive".into(), &false.into()),
            "{value}"
        );
        assert!(value["reason"].as_str().is_some_and(|reason| reason.contains(why)), "{value}");
        assert_eq!(
            value["restarts"],
            serde_json::json!(["refuted: a loop ends within the step limit"]),
            "{value}"
        );
        verify(test, text, &["--timeout", "60"]).expect(3, &[why], &[]);
    }
    let why = "no end after 100000000 steps";
    verify("endless_estimate", ALONE, &["--estimate"]).expect(3, &[why], &[]);
}

#[test]
fn a_violation_beside_a_loop_without_end_can_be_replayed() {
    for (test, text) in [("endless_alone_bug", ALONE), ("endless_counts_bug", COUNTS)] {
        let value = json(test, text, &["--", "-DBUG"]);
        let violation = &value["violations"][0];
        assert_eq!(
            (&value["verdict"], &violation["code"]),
            (&"violated".into(), &"assertion".into()),
            "{value}"
        );
        let replay = violation["replay"].as_str().expect("a string");
        let again = json(test, text, &["--replay", replay, "--", "-DBUG"]);
        assert_eq!(again["violations"][0]["code"], "assertion", "{again}");
        assert_eq!(again["violations"][0]["places"], violation["places"]);
    }
}

/// Six threads that never end have more executions, of a few rounds each, than anybody can look at: without a timeout
/// only so many are.
#[test]
fn the_time_after_a_loop_without_end_is_bounded() {
    let text = COUNTS.replace(
        "pthread_t threads[3];",
        "pthread_t threads[3], more[5];\n\
        for (int i = 0; i < 5; i++) pthread_create(&more[i], NULL, counts, NULL);",
    );
    assert_ne!(text, COUNTS);
    let run = || json("endless_many", &text, &["--no-symmetry"]);
    let (one, again) = (run(), run());
    assert_eq!(one["verdict"], "inconclusive", "{one}");
    assert_eq!(one["executions"], again["executions"], "no clock is asked");
}

const LOAD_BUFFERING: &str = include_str!("../../../../tests/xmm/lb_assert.c");

#[test]
fn a_cycle_is_shown_with_what_justifies_it() {
    let parts = [
        "violated under XMM",
        "from 2:2 (t.c:21), on the cycle",
        "on the cycle, committed",
        "= cycle: 1:0 R.rlx x = 1 → 1:2 W.rlx y = 1 ⇢ 2:0 R.rlx y = 1 → 2:2 W.rlx x = 1 ⇢ 1:0 R.rlx x = 1",
        "= not thin air: 1:2 W.rlx y = 1, 2:0 R.rlx y = 1 are in another execution without a cycle, where 1:0 reads 0",
        "an execution with a cycle has no replay string",
    ];
    verify("cycle", LOAD_BUFFERING, &["--model", "xmm"]).expect(1, &parts, &[]);
    let answer = json("cycle_json", LOAD_BUFFERING, &["--model", "xmm"]);
    let violation = &answer["violations"][0];
    assert_eq!(violation["cycle"], serde_json::json!(["1:0", "1:2", "2:0", "2:2"]), "{answer}");
    assert_eq!(violation["committed"], serde_json::json!(["1:2", "2:0"]), "{answer}");
}

#[test]
fn what_there_is_under_xmm() {
    let refused = |test: &str, more: &[&str], why: &[&str]| {
        verify(test, LOAD_BUFFERING, more).expect(2, &[], why);
    };
    refused("xmm_rf", &["--model", "xmm", "--equivalence", "rf"], &["`xmm`", "co"]);
    refused("xmm_liveness", &["--model", "xmm", "--check-liveness"], &["--check-liveness", "xmm"]);
    refused("heuristic", &["--xmm=heuristic"], &["--model xmm", "rc11"]);
    let found = ["violated under XMM"];
    verify("heuristic_xmm", LOAD_BUFFERING, &["--model", "xmm", "--xmm=heuristic"]).expect(1, &found, &[]);
}

#[test]
fn random_numbers_are_told_as_a_bound() {
    let text = "#include <stdlib.h>\nint main(void) {\n  srand(42);\n  return rand() + rand() < 0;\n}\n";
    let answer = threadbare("random_numbers", text, &["verify", "t.c"]);
    answer.expect(
        0,
        &["bounded under RC11: only some of the numbers that are possible at t.c:4 were tried"],
        &[],
    );
}
