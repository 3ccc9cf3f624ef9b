//! Answers in herd's format. The expected texts beside the tests are what herd 7.57 prints with rc11.cat, but for the lines
//! `Time` and `Hash`, and for `Flag *undef*`, which is `Flag race` here.

use engine::Control;
use litmus::{Sources, Test};
use model::Model;
use report::{Report, Run};
use std::path::{Path, PathBuf};

fn golden(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file)
}

fn test(name: &str) -> Test {
    let file = format!("{name}.litmus");
    let bytes = std::fs::read(golden(&file)).expect("the test can be read");
    Test::parse(&file, &bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn check(name: &str) {
    let test = test(name);
    let answer = test.run(Model::Rc11, vm::Options::default(), &Control::new());
    let found = test.herd(&answer, 0.0);
    let expected =
        std::fs::read_to_string(golden(&format!("{name}.out"))).expect("the expected text can be read");
    assert_eq!(found, format!("{expected}Time {name} 0.00\n\n"));
}

#[test]
fn exists_without_a_race() {
    check("MP+rel+acq");
}

#[test]
fn exists_with_a_race() {
    check("MP+rel+rlx");
}

#[test]
fn forall_with_locations() {
    check("SB+sc");
}

#[test]
fn not_exists_with_a_weak_compare_exchange() {
    check("CAS+weak");
}

#[test]
fn pointers_registers_of_the_initial_state_and_nested_conditions() {
    check("Publish");
}

#[test]
fn filter_drops_states_and_its_variables_are_not_shown() {
    check("Filter");
}

fn json(name: &str) -> String {
    let test = test(name);
    let answer = test.run(Model::Rc11, vm::Options::default(), &Control::new());
    let run = Run {
        program: test.file().to_owned(),
        files: String::new(),
        model: Model::Rc11.rules(),
        equivalence: "co",
        options: String::new(),
        cflags: String::new(),
        frontend_seconds: 0.5,
        exploration_seconds: 0.25,
        peak_memory_bytes: 1,
    };
    let sources = Sources::new(&test, &answer);
    test.json(&answer, &Report::new(&answer.outcome, &run, &sources))
}

#[test]
fn json_has_the_states_and_what_herd_says() {
    let expected =
        r#"{"schema":1,"command":"litmus","program":"CAS+weak.litmus","model":"rc11","equivalence":"co","#
            .to_owned()
            + r#""verdict":"verified","reason":null,"executions":{"complete":3,"blocked":0,"duplicate":0},"#
            + r#""vacuous":false,"incomplete":null,"restarts":[],"violations":[],"#
            + r#""seconds":{"frontend":0.5,"exploration":0.25},"peak_memory_bytes":1,"test":"CAS+weak","#
            + r#""states":[{"0:r0":0,"[e]":0,"[x]":1,"count":1},{"0:r0":0,"[e]":1,"[x]":1,"count":1},"#
            + r#"{"0:r0":1,"[e]":1,"[x]":2,"count":1}],"observation":"Sometimes","positive":2,"negative":1,"#
            + r#""condition":"~exists (0:r0=1)","flags":[]}"#
            + "\n";
    assert_eq!(json("CAS+weak"), expected);
}

#[test]
fn json_has_the_race_with_its_lines() {
    let found = json("MP+rel+rlx");
    for part in [
        r#""verdict":"violated""#,
        r#""code":"data-race","message":"write of `x` races with read of `x`""#,
        r#"{"file":"MP+rel+rlx.litmus","line":5,"column":6,"thread":1,"event":"1:0","stack":["#,
        r#"{"file":"MP+rel+rlx.litmus","line":12,"column":10,"thread":2,"event":"2:1","stack":["#,
        r#""flags":["race"]"#,
    ] {
        assert!(found.contains(part), "{part} is not in {found}");
    }
    let pointers = json("Publish");
    assert!(pointers.contains(r#"{"1:p":"p","1:r0":"x","1:r1":5,"#), "{pointers}");
}
