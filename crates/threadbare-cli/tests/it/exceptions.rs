//! Exceptions: what reports say of them, what they cost a program that throws none, and the programs of `tests/exceptions` natively.
//!
//! Natively, each program ends as its table says that it ends here.
//! A program that is verified returns 0; one whose violation is an uncaught exception or a failed assertion is aborted. Other
//! violations, a race for one, need not show.

use crate::common::{directory_with, threadbare_in};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As the C library of Linux has it.
const SIGABRT: i32 = 6;

#[derive(PartialEq, Eq, Debug)]
enum End {
    Zero,
    Aborted,
}

fn programs() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/exceptions");
    let files = std::fs::read_dir(directory).expect("there is one").map(|file| file.expect("a file").path());
    let is_ours = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("exc_") && name.ends_with(".cpp")
    };
    let mut found: Vec<PathBuf> = files.filter(is_ours).collect();
    found.sort();
    found
}

/// The flag for clang and the end that the table and the marks of a program say. `None`: it may end in any way.
fn expected(program: &Path) -> (Option<String>, Option<End>) {
    let table = std::fs::read_to_string(program.with_extension("expect")).expect("a table");
    let row = table.lines().find(|line| !line.starts_with('#')).expect("a row");
    let words: Vec<&str> = row.split_whitespace().collect();
    let flag = Some(words[0]).filter(|&flag| flag != "-").map(str::to_owned);
    let source = std::fs::read_to_string(program).expect("a program");
    let aborts =
        ["uncaught-exception", "assertion"].iter().any(|code| source.contains(&format!("ERROR[{code}]")));
    let end = match words[2] {
        "verified" => Some(End::Zero),
        "violated" if aborts => Some(End::Aborted),
        _ => None,
    };
    (flag, end)
}

fn native_end(program: &Path, flag: Option<String>, directory: &Path) -> End {
    let binary = directory.join(program.file_stem().expect("it has a name"));
    let mut clang = Command::new("clang++-22");
    clang.args(["-O1", "-w", "-std=gnu++17", "-pthread", "-o"]).arg(&binary).args(flag).arg(program);
    assert!(clang.status().expect("clang runs").success(), "{}", program.display());
    let output = Command::new(&binary).output().expect("it runs");
    match (output.status.code(), output.status.signal()) {
        (Some(0), _) => End::Zero,
        (_, Some(SIGABRT)) => End::Aborted,
        _ => panic!("{}: {:?}", program.display(), output.status),
    }
}

#[test]
fn exceptions_end_programs_as_they_do_natively() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory for the test");
    let programs = programs();
    assert!(programs.len() >= 30, "{}", programs.len());
    for program in programs {
        let (flag, expected) = expected(&program);
        let end = native_end(&program, flag, directory.path());
        assert!(expected.is_none_or(|expected| expected == end), "{}: {end:?}", program.display());
    }
}

/// Four threads that are the same, and might throw.
const SYMMETRIC: &str = "\
#include <atomic>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number, limit = 9;
static std::atomic<int> x;
static void f() {
  if (number == limit) {
#if __cpp_exceptions
    throw number;
#endif
  }
}
static void *worker(void *) {
  x.fetch_add(1, std::memory_order_relaxed);
  pthread_mutex_lock(&mutex);
  number++;
#if __cpp_exceptions
  try { f(); } catch (int) { x.fetch_add(10, std::memory_order_relaxed); }
#else
  f();
#endif
  pthread_mutex_unlock(&mutex);
  return nullptr;
}
int main(int, char **v) {
  pthread_t threads[N];
#ifdef THROW
  limit = 2;
#endif
  for (auto &thread : threads) pthread_create(&thread, nullptr, worker, nullptr);
  for (auto thread : threads) pthread_join(thread, nullptr);
}
";

/// How many executions there are.
fn executions(directory: &Path, options: &[&str], flags: &[&str]) -> u64 {
    let arguments = [&["verify", "t.cpp", "--format", "json"], options, &["--", "-DN=4"], flags].concat();
    let answer = threadbare_in(directory, &arguments);
    assert_eq!(answer.status, 0, "{answer:#?}");
    let (_, rest) = answer.stdout.split_once("\"complete\":").expect("JSON");
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn a_program_that_does_not_throw_is_explored_as_without_exceptions() {
    let directory = directory_with("exceptions-free", "t.cpp", SYMMETRIC);
    let all = executions(&directory, &["--no-symmetry"], &[]);
    let few = executions(&directory, &[], &[]);
    assert_eq!((all, few), (24 * 24, 24));
    assert_eq!(executions(&directory, &["--no-symmetry"], &["-fno-exceptions"]), all);
    assert_eq!(executions(&directory, &[], &["-fno-exceptions"]), few);
}

/// Symmetric threads of which one throws are not symmetric any more.
#[test]
fn threads_that_throw_are_told_apart() {
    let directory = directory_with("exceptions-thrown", "t.cpp", SYMMETRIC);
    let all = executions(&directory, &["--no-symmetry"], &["-DTHROW"]);
    assert_eq!(executions(&directory, &[], &["-DTHROW"]), all);
}

#[test]
fn an_uncaught_exception_is_told_with_its_type_its_text_and_its_place() {
    let source = "\
#include <stdexcept>
struct failure : std::runtime_error { using std::runtime_error::runtime_error; };
static void fail() { throw failure(\"no luck\"); }
static void outer() noexcept {
  try { fail(); } catch (const std::logic_error &) {}
}
int main() {
#ifdef HANDLER
  try { fail(); } catch (...) { throw; }
#else
  outer();
#endif
}
";
    let directory = directory_with("exceptions-uncaught", "t.cpp", source);
    let first = "error[uncaught-exception]: uncaught exception of type `failure`: \"no luck\"";
    threadbare_in(&directory, &["verify", "t.cpp"]).expect(1, &[first, "t.cpp:3:22", "t.cpp:5:"], &[]);
    let answer = threadbare_in(&directory, &["verify", "t.cpp", "--format", "json", "--", "-DHANDLER"]);
    answer.expect(1, &["\"uncaught-exception\"", "\"line\":3", "\"line\":9"], &[]);
}
