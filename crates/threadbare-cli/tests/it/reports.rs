//! Reports name what the user knows: calls, members, objects, files.

use crate::common::{Answer, directory_with, threadbare_in};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The answer of a program that includes `access.h`: functions that read and write atomically, with relaxed.
fn verify(test: &str, text: &str, more: &[&str]) -> Answer {
    let header = "#include <stdatomic.h>\n\
                  static int get(atomic_int *target) {\n\
                  \x20 return atomic_load_explicit(target, memory_order_relaxed);\n\
                  }\n\
                  static void set(atomic_int *target, int value) {\n\
                  \x20 atomic_store_explicit(target, value, memory_order_release);\n\
                  }\n";
    let directory = directory_with(test, "t.c", text);
    std::fs::create_dir_all(directory.join("include")).expect("a directory can be made");
    std::fs::write(directory.join("include/access.h"), header).expect("a file can be written");
    threadbare_in(&directory, &[&["verify", "t.c"], more, &["--", "-Iinclude"]].concat())
}

const ACCESSORS: &str = "#include <access.h>\n#include <pthread.h>\n\
                         struct { atomic_int size; struct { int data; atomic_int ready; } slots[2]; } queue;\n\
                         static void fill(int i) {\n  queue.slots[i].data = 1;\n  set(&queue.slots[i].ready, 1);\n}\n\
                         static void *writer(void *unused) {\n  fill(1);\n  return 0;\n}\n\
                         int main(void) {\n  pthread_t thread;\n  pthread_create(&thread, 0, writer, 0);\n  \
                         if (get(&queue.slots[1].ready))\n    return queue.slots[1].data;\n  return 0;\n}\n";

#[test]
fn calls_and_members_are_named() {
    let expected = [
        "error[data-race]: read of `queue.slots[1].data` races with write of `queue.slots[1].data`\n",
        "R.rlx queue.slots[1].ready = 1  access.h:3 ← t.c:15",
        "W.rel queue.slots[1].ready = 1  access.h:6 ← t.c:6 ← :9",
        "      called from t.c:9:3 in writer\n     9 |   fill(1);\n",
        "is read with relaxed at include/access.h:3 (called from t.c:15), so reading from the release at \
         include/access.h:6 (called from t.c:6)",
        "help: make the load at include/access.h:3 acquire (or use an acquire load at t.c:15)\n",
    ];
    verify("calls_and_members", ACCESSORS, &[]).expect(1, &expected, &[]);
    let json = verify("calls_in_json", ACCESSORS, &["--format", "json"]);
    let stack =
        r#""stack":[{"file":"t.c","line":5,"function":"fill"},{"file":"t.c","line":9,"function":"writer"}]"#;
    json.expect(1, &[stack], &[]);
}

/// Functions that are called at run time, here because they call themselves, are told as those that were inlined.
#[test]
fn calls_at_run_time_are_named() {
    let text = "#include <pthread.h>\nint x;\n\
                static void down(int n) {\n  if (n)\n    down(n - 1);\n  else\n    x++;\n}\n\
                static void *writer(void *unused) {\n  down(5);\n  return 0;\n}\n\
                int main(void) {\n  pthread_t thread;\n  pthread_create(&thread, 0, writer, 0);\n  down(0);\n}\n";
    let expected = [
        "called from t.c:5:5 in down, 5 times\n     5 |     down(n - 1);\n      ",
        "called from t.c:10:3 in writer\n",
        "R.na x = 1  t.c:7 ← :5 ← … ← :10",
        "thread 1 (writer)",
    ];
    verify("calls_at_run_time", text, &[]).expect(1, &expected, &[]);
}

#[test]
fn local_variables_of_several_threads_are_numbered() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>\n\
                struct place { int turn; };\nstatic _Atomic(struct place *) last;\n\
                static void *work(void *unused) {\n  struct place place = {0};\n  \
                struct place *before = atomic_exchange(&last, &place);\n  if (before)\n    before->turn = 1;\n  \
                return (void *)(long)place.turn;\n}\n\
                int main(void) {\n  pthread_t thread;\n  pthread_create(&thread, 0, work, 0);\n  work(0);\n  \
                pthread_join(thread, 0);\n}\n";
    verify("numbered_locals", text, &[]).expect(
        1,
        &["at `place#1` after", "last = &place#1 → &place#2", "place#1.turn = 0"],
        &[],
    );
}

/// Memory that is freed is named by its allocation, which a function of the program has made.
#[test]
fn freed_memory_is_named() {
    let text = "#include <pthread.h>\n#include <stdlib.h>\n\
                struct node { int value; struct node *next; } *head;\n\
                static void *make(size_t size) {\n  void *memory = malloc(size);\n  return memory;\n}\n\
                static void *work(void *unused) {\n  free(head);\n  return 0;\n}\n\
                int main(void) {\n  pthread_t thread;\n  head = make(sizeof *head);\n  head->next = 0;\n  \
                pthread_create(&thread, 0, work, 0);\n  return head->next != 0;\n}\n";
    let expected = ["node#1", "= object: `node#1`, 16 bytes, allocated at t.c:5 ← :14\n"];
    verify("freed", text, &[]).expect(1, &expected, &[]);
}

#[test]
fn files_below_the_current_directory_are_named_from_there() {
    let text = include_str!("../../../../examples/mp_relaxed.c");
    let directory = directory_with("named_from_here", "t.c", text).canonicalize().expect("it is there");
    let file = directory.join("t.c").display().to_string();
    threadbare_in(&directory, &["verify", &file]).expect(1, &["--> t.c:10:8 ", "10 |   data = 42;"], &[]);
}

/// The report in `docs/reports.md` is the one that is printed, but for the time.
#[test]
fn the_documented_report_is_the_one_that_is_printed() {
    let text = std::fs::read_to_string(root().join("docs/reports.md")).expect("it is there");
    let block = text.split("```").nth(1).expect("an example").trim_start();
    let (command, expected) = block.split_once('\n').expect("a command and its output");
    let arguments: Vec<&str> = command.split(' ').skip(2).collect();
    let answer = threadbare_in(&root(), &arguments);
    let without_time = |text: &str| text.trim_end().rsplit_once(", ").expect("the time").0.to_owned();
    assert_eq!(without_time(&answer.stdout), without_time(expected));
}
