//! C++20's release sequences: which model is the default for which program, and what is said where RC11 says otherwise.

use crate::common::{Answer, directory_with, threadbare_in};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Message passing; the flag is written once more, relaxed. In C11 that continues the release sequence. It compiles as C and as
/// C++.
const AGAIN: &str = "\
#include <assert.h>
#include <pthread.h>
static DATA data;
static int flag;
static void *writer(void *p) {
  SET(data, 42);
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
  return p;
}
static void *reader(void *p) {
  if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 2) assert(GET(data) == 42);
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
";

const PLAIN: &str = "#define DATA int\n#define SET(x, v) x = v\n#define GET(x) x\n";
const ATOMIC: &str = "#define DATA int\n#define SET(x, v) __atomic_store_n(&x, v, __ATOMIC_RELAXED)\n\
                      #define GET(x) __atomic_load_n(&x, __ATOMIC_RELAXED)\n";

const NOTE: &str =
    "under RC11 (`--model rc11`), whose release sequences include later stores of the same thread, ";

/// A directory with the program as C and as C++.
fn directory(test: &str, data: &str) -> PathBuf {
    let directory = directory_with(test, "t.c", &format!("{data}{AGAIN}"));
    std::fs::write(directory.join("t.cpp"), format!("{data}{AGAIN}")).expect("a file can be written");
    directory
}

fn run(directory: &Path, words: &str) -> Answer {
    threadbare_in(directory, &words.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn the_language_decides() {
    let directory = directory("language", PLAIN);
    std::fs::write(directory.join("other.cpp"), "int other() { return 0; }\n")
        .expect("a file can be written");
    run(&directory, "verify t.c").expect(0, &["t.c: verified under RC11 — 3 executions"], &[]);
    run(&directory, "verify t.c --model c20").expect(1, &["violated under C20: data-race"], &[]);
    run(&directory, "verify t.cpp").expect(1, &["violated under C20: data-race"], &[]);
    run(&directory, "verify t.cpp --model rc11").expect(0, &["verified under RC11 — 3 executions"], &[]);
    run(&directory, "verify t.c other.cpp").expect(1, &["violated under C20: data-race"], &[]);
    run(&directory, "verify t.c -- -x c++").expect(1, &["violated under C20: data-race"], &[]);
    run(&directory, "fuzz t.c --runs 200").expect(0, &["under RC11"], &[]);
    run(&directory, "fuzz t.cpp --runs 200").expect(1, &["violated under C20: data-race", NOTE], &[]);
    let json = run(&directory, "verify t.cpp --format json");
    json.expect(1, &["\"model\":\"c20\""], &[]);
}

/// With debug information and without.
#[test]
fn bitcode_knows_its_language() {
    let directory = directory("bitcode", PLAIN);
    for (file, options, model) in [
        ("t.c", "-g", "verified under RC11"),
        ("t.c", "-g0", "verified under RC11"),
        ("t.cpp", "-g", "violated under C20"),
        ("t.cpp", "-g0", "violated under C20"),
    ] {
        let mut clang = Command::new("clang-22");
        clang.args([
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
            "-c",
            "-emit-llvm",
            options,
            file,
            "-o",
            "t.bc",
        ]);
        assert!(clang.current_dir(&directory).status().expect("clang runs").success());
        let answer = run(&directory, "verify t.bc");
        assert!(answer.stdout.contains(model), "{file} {options}: {answer:#?}");
    }
}

#[test]
fn what_rc11_does_not_have_is_said() {
    let race = directory("note_race", PLAIN);
    let ordered = format!("{NOTE}the two accesses are ordered");
    run(&race, "verify t.cpp").expect(1, &[&ordered], &[]);
    let assertion = directory("note_assertion", ATOMIC);
    let impossible = format!("{NOTE}this execution is not possible");
    for equivalence in ["co", "rf"] {
        run(&assertion, &format!("verify t.cpp --equivalence {equivalence}")).expect(1, &[&impossible], &[]);
    }
    // Without the release there is no release sequence: RC11 has the same violation, and nothing is said.
    for (test, data) in [("same_race", PLAIN), ("same_assertion", ATOMIC)] {
        let directory = directory(test, data);
        let text = format!("{data}{AGAIN}").replace("__ATOMIC_RELEASE", "__ATOMIC_RELAXED");
        std::fs::write(directory.join("t.cpp"), text).expect("a file can be written");
        let answer = run(&directory, "verify t.cpp");
        answer.expect(1, &["violated under C20"], &[]);
        assert!(!answer.stdout.contains("RC11"), "{answer:#?}");
    }
}

/// A replay string and a unit belong to the model that was the default.
#[test]
fn replays_and_units_have_the_same_default() {
    let directory = directory("replays", PLAIN);
    let found = run(&directory, "verify t.cpp");
    let replay =
        found.stdout.lines().find_map(|line| line.strip_prefix("  = replay: threadbare ")).expect("a replay");
    assert!(!replay.contains("--model"), "{replay}");
    run(&directory, &replay.replace('\'', "")).expect(1, &["violated under C20: data-race"], &[]);
    run(&directory, &(replay.replace('\'', "") + " --model rc11")).expect(2, &[], &["replay string"]);
    run(&directory, "verify t.cpp --units units").expect(0, &[], &[]);
    run(&directory, "work units/state.json --budget 60 --output 1.json").expect(1, &[], &[]);
    let merged = run(&directory, "merge units/state.json 1.json");
    let (_, steps) = replay.split_once("--replay ").expect("a replay has its string");
    merged.expect(1, &["violated under C20: data-race", NOTE, steps], &[]);
    assert!(!merged.stdout.contains("--model c20"), "{merged:#?}");
}
