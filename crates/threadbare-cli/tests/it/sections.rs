//! Atomic sections in C programs: replays, random runs, and what is refused.

use crate::common::{Answer, threadbare};

const MIXED: &str = include_str!("../../../../tests/right/atomic_section_against_outside.c");
const ORDERED: &str = include_str!("../../../../tests/wrong/atomic_section_order.c");

fn verify(test: &str, text: &str, more: &[&str]) -> Answer {
    threadbare(test, text, &[&["verify", "t.c"], more].concat())
}

/// The replay string of the first violation.
fn replay_of(answer: &Answer) -> String {
    let line = answer.stdout.lines().find(|line| line.contains("--replay")).expect("there is a violation");
    line.split('\'').nth(1).expect("the string is quoted").to_owned()
}

#[test]
fn replays_know_which_sections_exclude_each_other() {
    let found = verify("sections_found", ORDERED, &[]);
    let replay = replay_of(&found);
    assert!(replay.contains(":s0."), "{replay}");
    let again = verify("sections_replayed", ORDERED, &["--replay", &replay]);
    again.expect(1, &["error[assertion]: assertion `a == 0` failed"], &[]);
    assert_eq!(replay_of(&again), replay);
    let found = threadbare("sections_fuzz", ORDERED, &["fuzz", "t.c", "--runs", "100"]);
    let replay = replay_of(&found);
    assert!(replay.contains(":s*-"), "{replay}");
    let again = verify("sections_fuzz_replayed", ORDERED, &["--spin=none", "--replay", &replay]);
    again.expect(1, &["error[assertion]: assertion `a == 0` failed"], &[]);
}

#[test]
fn a_replay_does_not_interrupt_a_section() {
    // The addition comes between the load and the store.
    let steps = "0*3-1-2-1*1-0*3";
    let refused = verify("sections_interrupted", MIXED, &["--replay", &format!("h00000000:{steps}")]);
    let program = refused.stderr.split("this is ").nth(1).and_then(|text| text.get(..9));
    let replay = format!("{}:{steps}", program.expect("the program is named"));
    verify("sections_interrupted", MIXED, &["--replay", &replay]).expect(
        2,
        &[],
        &["another thread runs in the middle of an atomic section"],
    );
}

#[test]
fn random_runs_do_not_interrupt_sections() {
    for (test, model) in
        [("sections_rc11", "rc11"), ("sections_c20", "c20"), ("sections_sc", "sc"), ("sections_ra", "ra")]
    {
        let answer = threadbare(test, MIXED, &["fuzz", "t.c", "--runs", "2000", "--model", model]);
        answer.expect(0, &["2000 executions, 0 blocked"], &[]);
    }
}

/// A program whose second thread does this in a section.
fn inside(what: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <threadbare.h>\n\
         pthread_mutex_t m; pthread_t a, b;\n\
         void *nothing(void *p) {{ return p; }}\n\
         void *t(void *p) {{\n__VERIFIER_atomic_begin();\n{what}\n__VERIFIER_atomic_end();\nreturn 0;\n}}\n\
         int main(void) {{ pthread_create(&a, 0, t, 0); pthread_join(a, 0); return 0; }}\n"
    )
}

#[test]
fn what_has_no_meaning_in_a_section_is_refused_with_its_line() {
    let waits = "a call in an atomic section that creates a thread, or may wait for others";
    for (test, what, message) in [
        ("sections_lock", "pthread_mutex_lock(&m);", waits),
        ("sections_join", "pthread_join(b, 0);", waits),
        ("sections_create", "pthread_create(&b, 0, nothing, 0);", waits),
        (
            "sections_nested",
            "__VERIFIER_atomic_begin();",
            "an atomic section that begins in an atomic section",
        ),
        ("sections_exit", "pthread_exit(0);", "a thread that ends in an atomic section"),
    ] {
        let answer = verify(test, &inside(what), &[]);
        answer.expect(3, &[message, "t.c:7"], &[]);
    }
}
