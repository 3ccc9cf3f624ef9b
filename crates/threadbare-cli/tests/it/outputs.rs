//! Files that a run writes: refused before anything is done, changed as a whole or not at all, never an input; and a
//! violation is one, whatever comes of its picture.

use crate::common::{Answer, threadbare_in};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const RIGHT: &str = include_str!("../../../../examples/mp.c");
const WRONG: &str = include_str!("../../../../examples/mp_relaxed.c");
/// A program that does not even compile: what is refused before that never comes to it.
const BROKEN: &str = "int main(void) { return }\n";
const TRACE: &str = "# threadbare trace 1\ne0 t0 W rel x\ne1 t1 R acq x rf=e0\n";

/// A new directory with these files.
fn directory(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("outputs_{test}"));
    _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("the directory for test files can be made");
    for (name, text) in files {
        std::fs::write(directory.join(name), text).expect("a test file can be written");
    }
    directory
}

fn read(directory: &Path, file: &str) -> String {
    std::fs::read_to_string(directory.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("it can be read");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> =
        entries.map(name).map(|name| name.into_string().expect("the names of tests are text")).collect();
    names.sort();
    names
}

/// A shell's answer: for what only a shell sets up.
fn shell(directory: &Path, script: &str) -> Answer {
    let script = format!("T={}; {script}", env!("CARGO_BIN_EXE_threadbare"));
    let output =
        Command::new("bash").arg("-c").arg(script).current_dir(directory).output().expect("there is bash");
    Answer {
        status: output.status.code().expect("no signal ends it"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_refused_before_anything_is_done() {
    let directory = directory("early", &[("t.c", BROKEN), ("t.trace", TRACE)]);
    std::fs::create_dir(directory.join("d")).expect("a directory");
    for command in ["verify", "fuzz"] {
        for (name, part) in [
            ("nowhere/t.trace", "there is no directory nowhere: make it, or name another file"),
            ("d", "this is a directory"),
            ("d/", "this is a directory"),
            ("t.c/x", "this file cannot be written, name another"),
            (".", "this is a directory"),
        ] {
            let answer = threadbare_in(&directory, &[command, "t.c", "--trace-out", name]);
            answer.expect(2, &[], &[&format!("error: `--trace-out {name}`: "), part]);
            assert!(!answer.stderr.contains("t.c:1"), "it was not even compiled: {answer:#?}");
        }
    }
    let answer = threadbare_in(&directory, &["check", "t.trace", "--witness", "nowhere/w.trace"]);
    answer.expect(2, &[], &["`--witness nowhere/w.trace`: there is no directory nowhere"]);
    assert_eq!(answer.stdout, "");
}

#[test]
fn no_output_is_an_input() {
    let sb = include_str!("../../../../examples/SB.litmus");
    let files = [("t.c", WRONG), ("x.h", ""), ("SB.litmus", sb), ("t.trace", TRACE)];
    let directory = directory("inputs", &files);
    std::os::unix::fs::symlink("t.c", directory.join("link.svg")).expect("a link");
    std::fs::hard_link(directory.join("SB.litmus"), directory.join("SB.svg")).expect("a link");
    let refused = "this is an input, which is never written: name another file";
    for arguments in [
        &["verify", "t.c", "--trace-out", "t.c"][..],
        &["verify", "t.c", "--graph", "link.svg"],
        &["verify", "t.c", "--trace-out", "x.h", "--", "-include", "x.h"],
        &["fuzz", "t.c", "--runs", "9", "--trace-out", "./t.c"],
        &["litmus", "SB.litmus", "--graph", "SB.svg"],
        &["check", "t.trace", "--witness", "t.trace"],
    ] {
        threadbare_in(&directory, arguments).expect(2, &[], &[refused]);
    }
    shell(&directory, "$T check - --witness t.trace < t.trace").expect(2, &[], &[refused]);
    assert!(files.iter().all(|(name, text)| read(&directory, name) == *text));
    let answer = threadbare_in(&directory, &["verify", "t.c", "--graph", "a.svg", "--trace-out", "./a.svg"]);
    answer.expect(2, &[], &["`--trace-out ./a.svg` is the file of `--graph`, too: name another"]);
}

#[test]
fn nothing_else_is_left_behind() {
    let directory = directory("names", &[("t.c", WRONG)]);
    let outputs = ["--graph", "t.svg", "--trace-out", "t.trace"];
    threadbare_in(&directory, &[&["verify", "t.c"], &outputs[..]].concat()).expect(1, &[], &[]);
    assert_eq!(names(&directory), ["t.c", "t.svg", "t.trace"]);
    threadbare_in(&directory, &[&["fuzz", "t.c", "--runs", "200"], &outputs[..]].concat()).expect(
        1,
        &[],
        &[],
    );
    assert_eq!(names(&directory), ["t.c", "t.svg", "t.trace"]);
}

#[test]
fn without_anything_to_write_the_old_file_stays() {
    let directory = directory("old", &[("t.c", RIGHT), ("t.svg", "old")]);
    let answer = threadbare_in(&directory, &["verify", "t.c", "--graph", "t.svg"]);
    answer.expect(0, &["verified"], &["warning: there is nothing to draw: t.svg is not written"]);
    assert_eq!(read(&directory, "t.svg"), "old");
    assert_eq!(names(&directory), ["t.c", "t.svg"]);
}

/// The device on which there is never room.
#[test]
fn a_violation_stays_one_without_its_picture() {
    let directory = directory("full", &[("t.c", WRONG), ("r.c", RIGHT)]);
    std::os::unix::fs::symlink("/dev/full", directory.join("full.svg")).expect("a link");
    for output in [["--graph", "full.svg"], ["--trace-out", "/dev/full"]] {
        let warning = format!("warning: cannot write {}: No space left", output[1]);
        let answer = threadbare_in(&directory, &[&["verify", "t.c"], &output[..]].concat());
        answer.expect(1, &["data-race"], &[&warning]);
        let answer = threadbare_in(&directory, &[&["fuzz", "t.c", "--runs", "200"], &output[..]].concat());
        answer.expect(1, &["data-race"], &[&warning]);
    }
    let racy = "C racy { x = 0; } P0(int* x) { *x = 1; } P1(int* x) { int r0 = *x; } exists (1:r0=1)";
    std::fs::write(directory.join("racy.litmus"), racy).expect("a test file can be written");
    let answer = threadbare_in(&directory, &["litmus", "racy.litmus", "--graph", "full.svg"]);
    answer.expect(1, &[], &["error[data-race]", "warning: cannot write full.svg: No space left"]);
}

#[test]
fn a_run_that_would_be_fine_is_not_without_its_file() {
    let directory = directory("fine", &[("r.c", RIGHT), ("t.trace", TRACE)]);
    let error = "error: cannot write /dev/full: No space left";
    let verify = threadbare_in(&directory, &["verify", "r.c", "--trace-out", "/dev/full"]);
    verify.expect(2, &["verified"], &[error]);
    let check = threadbare_in(&directory, &["check", "t.trace", "--witness", "/dev/full"]);
    check.expect(2, &["consistent"], &[error]);
}

#[test]
fn devices_and_streams_are_written_as_they_are() {
    let directory = directory("devices", &[("t.c", WRONG)]);
    threadbare_in(&directory, &["verify", "t.c", "--trace-out", "/dev/null"]).expect(1, &[], &[]);
    let null = std::fs::metadata("/dev/null").expect("there is a null device");
    assert!(null.file_type().is_char_device());
    let answer = threadbare_in(&directory, &["verify", "t.c", "--trace-out", "/dev/stdout"]);
    answer.expect(1, &["violated under RC11", "# threadbare trace 1"], &[]);
    // Also if stdout is a file: the report stays in it.
    shell(&directory, "$T verify t.c --trace-out /dev/stdout > out").expect(1, &[], &[]);
    let text = read(&directory, "out");
    assert!(text.starts_with("t.c: violated") && text.contains("# threadbare trace 1"), "{text}");
    assert_eq!(names(&directory), ["out", "t.c"]);
}

#[test]
fn a_named_pipe_is_refused_and_not_waited_for() {
    let directory = directory("pipe", &[("t.c", WRONG)]);
    let answer = shell(&directory, "mkfifo pipe && timeout 20 $T verify t.c --trace-out pipe");
    answer.expect(2, &[], &["`--trace-out pipe`: this is a pipe"]);
}

#[test]
fn what_may_not_be_written_is_refused() {
    let directory = directory("mode", &[("t.c", WRONG), ("t.svg", "old")]);
    let answer = shell(&directory, "ln -s nowhere a.svg; $T verify t.c --graph a.svg");
    answer.expect(2, &[], &["this is a link to a file that is not there: name that file"]);
    // Nobody can make a file there, not even root.
    let answer = threadbare_in(&directory, &["verify", "t.c", "--trace-out", "/proc/t.trace"]);
    answer.expect(2, &[], &["`--trace-out /proc/t.trace`: this file cannot be written, name another"]);
}
