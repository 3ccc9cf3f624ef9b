//! C++ programs as their authors build and read them: the names in reports, and tests of CMake.

use crate::common::{directory_with, threadbare_in};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A class template with a member behind a lock, in the first bytes of which another class begins.
const PROGRAM: &str = "\
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
template<typename T> struct guarded {
  std::mutex mutex;
  T value{};
  void set(T to) {
#ifndef BUG
    std::lock_guard<std::mutex> lock(mutex);
#endif
    value = to;
  }
};
guarded<int> number;
std::map<int, int> table;
int main() {
  std::thread other([] { number.set(1); });
  number.set(2);
#ifdef TABLE
  std::thread adds([] { table[1] = 1; });
  table[2] = 2;
  adds.join();
#endif
  other.join();
}
";

#[test]
fn reports_speak_of_the_users_code() {
    let directory = directory_with("cxx-report", "t.cpp", PROGRAM);
    let answer = threadbare_in(&directory, &["verify", "t.cpp", "--", "-DBUG"]);
    answer.expect(1, &["`number.value`", "t.cpp:12:11", "thread 1 (std::thread)"], &[]);
    assert!(!answer.stdout.contains("/usr/"), "{answer:#?}");
    assert!(!answer.stdout.contains("_Z"), "{answer:#?}");
    threadbare_in(&directory, &["verify", "t.cpp"]).expect(0, &["verified under C20"], &[]);
}

/// The tree is balanced in the library, which the headers call: both are told of at the line that uses the map.
#[test]
fn what_the_library_does_is_told_of_at_the_call() {
    let directory = directory_with("cxx-library", "t.cpp", PROGRAM);
    let answer = threadbare_in(&directory, &["verify", "t.cpp", "--format", "concise", "--", "-DTABLE"]);
    answer.expect(1, &["error[data-race]", "t.cpp:22:", "t.cpp:21:"], &[]);
    assert!(!answer.stdout.contains("/usr/"), "{answer:#?}");
}

#[test]
fn a_thread_that_nobody_joins_ends_the_program() {
    let program = "#include <thread>\nint main() {\n  std::thread thread([] {});\n}\n";
    let directory = directory_with("cxx-unjoined", "t.cpp", program);
    threadbare_in(&directory, &["verify", "t.cpp"]).expect(1, &["t.cpp:4:1", "std::terminate"], &[]);
}

#[test]
fn what_has_no_runtime_is_refused() {
    let stream = "#include <sstream>\nint main() {\n  std::ostringstream out;\n  out << 1;\n}\n";
    let directory = directory_with("cxx-refused", "stream.cpp", stream);
    threadbare_in(&directory, &["verify", "stream.cpp"]).expect(3, &["stream.cpp:3", "std::ios_base"], &[]);
    let wide = "#include <atomic>\nstruct alignas(16) pair { long a, b; };\nstd::atomic<pair> both;\n\
                int main() {\n  both.store({1, 1});\n}\n";
    std::fs::write(directory.join("wide.cpp"), wide).expect("a test file can be written");
    threadbare_in(&directory, &["verify", "wide.cpp"]).expect(3, &["wide.cpp:5", "more than 8 bytes"], &[]);
}

const CMAKE: &str = "\
cmake_minimum_required(VERSION 3.13)
project(test LANGUAGES NONE)
enable_testing()
list(APPEND CMAKE_MODULE_PATH \"${MODULES}\")
include(Threadbare)
add_library(options INTERFACE)
target_compile_definitions(options INTERFACE BUG)
threadbare_add_test(NAME right SOURCES t.cpp)
threadbare_add_test(NAME wrong SOURCES t.cpp FLAGS -DBUG EXPECT violated OPTIONS --model=rc11 TIMEOUT 100)
threadbare_add_test(NAME fails SOURCES t.cpp TARGET options)
threadbare_add_test(NAME no_violation SOURCES t.cpp EXPECT violated)
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the command says.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("cmake is there");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
#[expect(clippy::print_stdout, reason = "it says why it was skipped")]
fn cmake_runs_it_as_a_test() {
    if Command::new("cmake").arg("--version").output().is_err() {
        println!("skipped: there is no cmake");
        return;
    }
    let directory = directory_with("cxx-cmake", "t.cpp", PROGRAM);
    std::fs::write(directory.join("CMakeLists.txt"), CMAKE).expect("a test file can be written");
    let build = directory.join("build");
    let _ = std::fs::remove_dir_all(&build);
    let modules = format!("-DMODULES={}", root().join("cmake").display());
    let binary = concat!("-DTHREADBARE_EXECUTABLE=", env!("CARGO_BIN_EXE_threadbare"));
    let said =
        run(Command::new("cmake").arg("-S").arg(&directory).arg("-B").arg(&build).args([&modules, binary]));
    assert!(said.contains("Build files have been written"), "{said}");
    let said = run(Command::new("ctest").current_dir(&build));
    let is = |name: &str, outcome: &str| said.lines().any(|it| it.contains(name) && it.contains(outcome));
    assert!(is("right", "Passed") && is("wrong", "Passed"), "{said}");
    assert!(is("fails", "Failed") && is("no_violation", "Failed"), "{said}");
}
