//! The inputs that mutants are made of: small programs of the corpus, and what is made of them.

use super::command;
use llvm::CompileRequest;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that are longer than this take long to compile and to explore.
const MOST_BYTES: u64 = 1500;
/// Of so many programs one is taken: all features come up, and making the seeds takes a few seconds.
const EVERY: usize = 6;

/// A program with several violations, of which replay strings have all kinds of steps.
const VIOLATED: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>
atomic_int x, y;
int z;
static void *f(void *a) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  int old = 0;
  atomic_compare_exchange_weak(&x, &old, 3);
  z = 1;
  return 0;
}
static void *g(void *a) {
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  int r = atomic_load_explicit(&y, memory_order_relaxed);
  if (__VERIFIER_nondet_bool()) assert(r == 0 || atomic_load_explicit(&x, memory_order_relaxed) != 2);
  z = 2;
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, f, 0);
  pthread_create(&t, 0, g, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(x != 3);
  return 0;
}
";

/// Steps of it that go on in other ways: all kinds of steps, in order and out of it.
const STEPS: [&str; 5] = [
    "0*3-1*5-2*6-0*3",
    "0*3-2-1w2.0-1-1r1.0-2r1.1-2c1-2",
    "0*3-1-2wi-2ri-2c0-1*3",
    "0*3-1-2-1-1ri",
    "0*3-1*4-2*3-1c1",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files with this ending in a directory and below it, by name.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory of ours can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path, ending),
        false => Vec::from_iter(path.extension().is_some_and(|found| found == ending).then_some(path)),
    };
    paths.into_iter().flat_map(below).collect()
}

/// Programs that need no header of ours.
fn programs() -> Vec<PathBuf> {
    let tests = root().join("tests");
    let all = ["right", "wrong", "spin"].into_iter().flat_map(|name| files(&tests.join(name), "c"));
    let is_small = |path: &PathBuf| fs::metadata(path).expect("it is there").len() <= MOST_BYTES;
    let is_whole = |path: &PathBuf| !fs::read_to_string(path).expect("text").contains("#include \"");
    all.filter(|path| is_small(path) && is_whole(path)).step_by(EVERY).collect()
}

fn read_all(paths: Vec<PathBuf>) -> Vec<Vec<u8>> {
    paths.into_iter().map(|path| fs::read(path).expect("a file of ours can be read")).collect()
}

/// C programs.
pub(crate) fn c() -> Vec<Vec<u8>> {
    read_all(programs())
}

/// The same as bitcode (`-c`) or as its text (`-S`).
pub(crate) fn llvm(form: &str) -> Vec<Vec<u8>> {
    let headers = tempfile::tempdir().expect("a directory can be made");
    fs::write(headers.path().join("threadbare.h"), llvm::HEADER).expect("a file can be written");
    programs().into_iter().map(|path| compile(&path, headers.path(), form)).collect()
}

fn compile(path: &Path, headers: &Path, form: &str) -> Vec<u8> {
    let mut clang = Command::new("clang-22");
    clang.args(["-O1", "-Xclang", "-disable-llvm-passes", "-g", "-emit-llvm", form, "-w", "-o", "-", "-I"]);
    let output = clang.arg(headers).arg(path).output().expect("clang runs");
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The same as bytecode files.
pub(crate) fn bytecode() -> Vec<Vec<u8>> {
    let module = |path: PathBuf| llvm::compile(&CompileRequest::new(path)).expect("it compiles").module;
    programs().into_iter().map(|path| module(path).to_bytes()).collect()
}

/// Litmus tests.
pub(crate) fn litmus() -> Vec<Vec<u8>> {
    read_all(files(&root().join("tests/litmus"), "litmus").into_iter().step_by(EVERY).collect())
}

/// Tables of expected answers.
pub(crate) fn tables() -> Vec<Vec<u8>> {
    read_all(files(&root().join("tests/litmus"), "csv"))
}

/// Executions that `verify` wrote.
pub(crate) fn traces(directory: &Path) -> Vec<Vec<u8>> {
    let mut traces = vec![fs::read(root().join("examples/mp.trace")).expect("it is there")];
    for path in programs().into_iter().step_by(2) {
        let path = path.to_str().expect("text");
        let arguments = ["verify", path, "--timeout", command::TIMEOUT, "--trace-out", "seed.trace"];
        command::run(directory, &arguments).expect("nothing is wrong with it");
        traces.extend(fs::read(directory.join("seed.trace")));
    }
    traces
}

/// The strings of all violations of a program, which is left in the directory as bitcode.
pub(crate) fn replays(directory: &Path, file: &str) -> Vec<Vec<u8>> {
    let source = directory.join("seed.c");
    fs::write(&source, VIOLATED).expect("a file can be written");
    let headers = tempfile::tempdir().expect("a directory can be made");
    fs::write(headers.path().join("threadbare.h"), llvm::HEADER).expect("a file can be written");
    fs::write(directory.join(file), compile(&source, headers.path(), "-c")).expect("a file can be written");
    let arguments = ["verify", file, "--keep-going", "--format", "json", "--equivalence", "co"];
    let answer = command::run(directory, &arguments).expect("nothing is wrong with it");
    let report: serde_json::Value = serde_json::from_str(&answer.stdout).expect("it is JSON");
    let violations = report["violations"].as_array().expect("a list");
    let replays: Vec<&str> = violations.iter().filter_map(|violation| violation["replay"].as_str()).collect();
    let (head, _) = replays[0].split_once(':').expect("strings begin with a number");
    let others = STEPS.map(|steps| format!("{head}:{steps}"));
    replays.iter().map(ToString::to_string).chain(others).map(String::into_bytes).collect()
}
