//! `--graph`: what is drawn, in which format, and what is refused.

use crate::common::{Answer, directory_with, threadbare, threadbare_in};
use std::path::{Path, PathBuf};

const RIGHT: &str = include_str!("../../../../examples/mp.c");
const WRONG: &str = include_str!("../../../../examples/mp_relaxed.c");
const LB: &str = include_str!("../../../../tests/xmm/lb_assert.c");
const SB: &str = include_str!("../../../../examples/SB.litmus");

/// A program that does not even compile: what is refused before that never comes to it.
const BROKEN: &str = "int main(void) { return }\n";

fn verify(test: &str, text: &str, more: &[&str]) -> (PathBuf, Answer) {
    let directory = directory_with(test, "t.c", text);
    for old in ["t.dot", "t.svg", "t.html"] {
        _ = std::fs::remove_file(directory.join(old));
    }
    let answer = threadbare_in(&directory, &[&["verify", "t.c"], more].concat());
    (directory, answer)
}

fn read(directory: &Path, file: &str) -> String {
    std::fs::read_to_string(directory.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn the_extension_says_what_to_draw() {
    for (file, start, part) in [
        ("t.dot", "digraph execution {", r#""1:1" -> "2:0""#),
        ("t.svg", "<svg xmlns=", "class=\"node event wrong\""),
        ("t.html", "<!DOCTYPE html>", "atomic_store_explicit(&amp;flag, 1, memory_order_release);"),
    ] {
        let (directory, answer) = verify("graph", WRONG, &["--graph", file]);
        answer.expect(1, &["violated under RC11: data-race"], &[]);
        assert_eq!(answer.stderr, "");
        let text = read(&directory, file);
        assert!(text.starts_with(start) && text.contains(part), "{text}");
        assert!(text.contains("t.c: data-race under RC11"), "{text}");
    }
}

#[test]
fn the_same_bytes_each_time() {
    let (directory, _) = verify("graph_twice", WRONG, &["--graph", "t.html"]);
    let first = read(&directory, "t.html");
    let (directory, _) = verify("graph_twice", WRONG, &["--graph", "t.html"]);
    assert_eq!(first, read(&directory, "t.html"));
}

#[test]
fn a_replayed_execution_is_drawn_wrong_or_not() {
    let replay =
        |text: &str| format!("{}:0*3-1*2-2*2", crate::common::replay_head("graph_replay_head", text, &[]));
    let (wrong, right) = (replay(WRONG), replay(RIGHT));
    let (directory, answer) = verify("graph_replay", WRONG, &["--replay", &wrong, "--graph", "t.svg"]);
    answer.expect(1, &["data-race"], &[]);
    assert!(read(&directory, "t.svg").contains("class=\"badge\""));
    let (directory, answer) = verify("graph_replay_right", RIGHT, &["--replay", &right, "--graph", "t.svg"]);
    answer.expect(3, &["nothing is wrong with it"], &[]);
    let text = read(&directory, "t.svg");
    assert!(text.contains("t.c: an execution under RC11") && !text.contains("class=\"badge\""), "{text}");
    assert!(text.contains("rf, sw"), "{text}");
}

#[test]
fn without_a_violation_there_is_nothing_to_draw() {
    let (directory, answer) = verify("graph_right", RIGHT, &["--graph", "t.svg"]);
    answer.expect(0, &["verified"], &["warning: there is nothing to draw: t.svg is not written"]);
    assert!(!directory.join("t.svg").exists());
}

#[test]
fn a_cycle_is_drawn_with_what_justifies_it() {
    let (directory, answer) = verify("graph_xmm", LB, &["--model", "xmm", "--graph", "t.dot"]);
    answer.expect(1, &["not thin air"], &[]);
    let text = read(&directory, "t.dot");
    assert!(text.contains("not thin air: ") && text.contains("on the cycle · committed"), "{text}");
    assert!(text.matches("penwidth=2.5").count() >= 4, "{text}");
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_done() {
    for file in ["t.png", "t", "t.svg.gz"] {
        let (_, answer) = verify("graph_unknown", BROKEN, &["--graph", file]);
        answer.expect(2, &[], &[file, "there is: .dot, .svg, .html"]);
    }
    let (_, answer) = verify("graph_nowhere", BROKEN, &["--graph", "nowhere/t.svg"]);
    answer.expect(2, &[], &["there is no directory nowhere", "name another file"]);
    let directory = directory_with("graph_directory", "t.c", BROKEN);
    std::fs::create_dir_all(directory.join("d.svg")).expect("a directory");
    threadbare_in(&directory, &["verify", "t.c", "--graph", "d.svg"]).expect(2, &[], &["is a directory"]);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    // Longer than the names that file systems have.
    let name = "x".repeat(300) + ".svg";
    let (_, answer) = verify("graph_unwritable", BROKEN, &["--graph", &name]);
    answer.expect(2, &[], &["this file cannot be written, name another: File name too long"]);
}

#[test]
fn fuzz_draws_what_it_finds() {
    let directory = directory_with("graph_fuzz", "t.c", WRONG);
    let answer = threadbare_in(&directory, &["fuzz", "t.c", "--runs", "200", "--graph", "t.svg"]);
    answer.expect(1, &["data-race"], &[]);
    assert!(read(&directory, "t.svg").contains("t.c: data-race under RC11"));
    threadbare("graph_fuzz_unknown", BROKEN, &["fuzz", "t.c", "--graph", "t.gif"]).expect(
        2,
        &[],
        &[".dot, .svg, .html"],
    );
}

#[test]
fn litmus_draws_a_witness() {
    let directory = directory_with("graph_litmus", "SB.litmus", SB);
    let answer = threadbare_in(&directory, &["litmus", "SB.litmus", "--graph", "t.svg"]);
    answer.expect(0, &["Observation SB Sometimes 1 3"], &[]);
    let text = read(&directory, "t.svg");
    assert!(text.contains("condition: exists (0:r0=0 /\\ 1:r0=0)"), "{text}");
    assert_eq!(
        text.matches("<g class=\"edge fr\" data-from").count(),
        2,
        "both miss the other's store: {text}"
    );
    _ = std::fs::remove_file(directory.join("t.svg"));
    let answer = threadbare_in(&directory, &["litmus", "SB.litmus", "--model", "sc", "--graph", "t.svg"]);
    answer.expect(0, &["Never"], &["no execution decides the condition: t.svg is not written"]);
    assert!(!directory.join("t.svg").exists());
    std::fs::write(directory.join("SB2.litmus"), SB).expect("a second test");
    let answer = threadbare_in(&directory, &["litmus", ".", "--graph", "t.svg"]);
    answer.expect(2, &[], &["draws one test, and there are 2"]);
}

#[test]
fn a_witness_with_a_cycle_is_justified() {
    let test = include_str!("../../../../tests/litmus/lb/LB.litmus");
    let directory = directory_with("graph_litmus_xmm", "LB.litmus", test);
    let answer = threadbare_in(&directory, &["litmus", "LB.litmus", "--model", "xmm", "--graph", "t.svg"]);
    answer.expect(0, &["Observation LB Sometimes 1 3"], &[]);
    let text = read(&directory, "t.svg");
    assert_eq!(text.matches("class=\"edge rf cycle\"").count(), 2, "{text}");
    assert!(text.contains("not thin air: "), "{text}");
}

/// The pictures of the documentation are what the command draws; `THREADBARE_BLESS=1` draws them anew.
#[test]
fn the_documentation_shows_what_is_drawn() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (program, model) in [("examples/mp_relaxed.c", "rc11"), ("tests/xmm/lb_assert.c", "xmm")] {
        let name = Path::new(program).with_extension("svg");
        let name = name.file_name().expect("a name");
        let drawn = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let file = drawn.to_str().expect("text");
        threadbare_in(&root, &["verify", program, "--model", model, "--graph", file]).expect(1, &[], &[]);
        let drawn = std::fs::read_to_string(&drawn).expect("the picture was drawn");
        let shown = root.join("docs/graphs").join(name);
        if std::env::var_os("THREADBARE_BLESS").is_some() {
            std::fs::write(&shown, &drawn).expect("the picture can be written");
        }
        let shown = std::fs::read_to_string(&shown).unwrap_or_default();
        assert!(
            drawn == shown,
            "docs/graphs has another picture of {program}; THREADBARE_BLESS=1 draws it anew"
        );
    }
}
