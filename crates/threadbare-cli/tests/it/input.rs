//! The program of a command line: several files, archives, stubs, a function to start with, a compilation database,
//! `volatile`, bounds on loops.

use crate::common::{Answer, directory_with, threadbare_in};
use std::path::{Path, PathBuf};
use std::process::Command;

const TEST: &str = "\
#include <assert.h>
#include <pthread.h>
int get(void);
void put(int);
static void *writer(void *x) { put(1); return x; }
static void *reader(void *x) { assert(get() <= LIMIT); return x; }
static void test(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
void other(void) { test(); }
void with_parameter(int x) { put(x); }
#ifndef NO_MAIN
int main(void) { test(); return 0; }
#endif
";

const ATOMIC: &str = "\
#include <stdatomic.h>
#include \"scale.h\"
static atomic_int v;
int get(void) { return atomic_load_explicit(&v, memory_order_relaxed) * SCALE; }
void put(int x) { atomic_store_explicit(&v, x, memory_order_relaxed); }
";

const VOLATILE: &str = "\
static volatile int v;
int get(void) { return v; }
void put(int x) { v = x; }
";

/// A directory with a test, two ways to do what it tests, and a header.
fn directory(test: &str) -> PathBuf {
    let directory = directory_with(test, "test.c", TEST);
    write(&directory, "atomic.c", ATOMIC);
    write(&directory, "volatile.c", VOLATILE);
    write(&directory, "include/scale.h", "#define SCALE 2\n");
    directory
}

fn write(directory: &Path, file: &str, text: &str) {
    let file = directory.join(file);
    std::fs::create_dir_all(file.parent().expect("a file is in a directory"))
        .expect("a directory can be made");
    std::fs::write(file, text).expect("a file can be written");
}

fn verify(directory: &Path, words: &str) -> Answer {
    let words: Vec<&str> = ["verify"].into_iter().chain(words.split_whitespace()).collect();
    threadbare_in(directory, &words)
}

fn fuzz(directory: &Path, words: &str) -> Answer {
    let words: Vec<&str> = ["fuzz"].into_iter().chain(words.split_whitespace()).collect();
    threadbare_in(directory, &words)
}

fn run(directory: &Path, program: &str, words: &str) {
    let status = Command::new(program).args(words.split_whitespace()).current_dir(directory).status();
    assert!(status.expect("it runs").success(), "{program} {words}");
}

#[test]
fn several_files_are_one_program() {
    let directory = &directory("input_several");
    let right = verify(directory, "test.c atomic.c -- -Iinclude -DLIMIT=2");
    right.expect(0, &["test.c atomic.c: verified under RC11 — 2 executions"], &[]);
    let wrong = verify(directory, "test.c atomic.c -- -Iinclude -DLIMIT=1");
    wrong.expect(1, &["--> test.c:6", "atomic.c:5", "threadbare verify test.c atomic.c --replay"], &[]);
    let json = verify(directory, "test.c atomic.c --format json -- -Iinclude -DLIMIT=2");
    json.expect(0, &[r#""program":"test.c atomic.c""#], &[]);
    let twice = verify(directory, "test.c volatile.c atomic.c -- -Iinclude -DLIMIT=2");
    twice.expect(2, &[], &["atomic.c: cannot be linked with the other files", "get"]);
    let fuzz = ["fuzz", "test.c", "atomic.c", "--runs", "200", "--", "-Iinclude", "-DLIMIT=1"];
    threadbare_in(directory, &fuzz).expect(1, &["error[assertion]", "threadbare fuzz test.c atomic.c"], &[]);
}

/// The command that a report shows is one that can be run.
#[test]
fn a_replay_names_all_files_and_how_they_are_compiled() {
    let directory = &directory("input_replay");
    let words = "test.c --stubs atomic.c --entry other -- -Iinclude -DLIMIT=1 -DNO_MAIN";
    let wrong = verify(directory, words);
    wrong.expect(1, &["error[assertion]"], &[]);
    let (_, command) = wrong.stdout.split_once("= replay: threadbare ").expect("a command");
    let command = command.lines().next().expect("a line").replace('\'', "");
    let words: Vec<&str> = command.split_whitespace().collect();
    threadbare_in(directory, &words).expect(1, &["error[assertion]"], &[]);
}

#[test]
fn members_of_archives_are_taken_if_they_are_needed() {
    let directory = &directory("input_archive");
    for name in ["atomic", "volatile"] {
        run(directory, "clang-22", &format!("-g -Iinclude -emit-llvm -c {name}.c -o {name}.bc"));
    }
    run(directory, "ar", "rcs libatomic.a atomic.bc");
    run(directory, "ar", "rcs libboth.a volatile.bc atomic.bc");
    let words = |archive| format!("test.c {archive} -- -DLIMIT=2");
    verify(directory, &words("libatomic.a")).expect(0, &["verified"], &[]);
    // The first that defines what is missing, as a linker takes it.
    verify(directory, &words("libboth.a")).expect(1, &["error[data-race]", "volatile.c"], &[]);
    verify(directory, &words("libatomic.a libboth.a")).expect(0, &["verified"], &[]);
    write(directory, "libtext.a", "!<arch>\nnothing of the kind");
    verify(directory, &words("libtext.a")).expect(2, &[], &["libtext.a: not an archive"]);
    run(directory, "cc", "-Iinclude -c atomic.c -o atomic.o");
    run(directory, "ar", "rcs libobject.a atomic.o");
    verify(directory, &words("libobject.a")).expect(2, &[], &["libobject.a(atomic.o): not LLVM bitcode"]);
}

#[test]
fn stubs_are_for_what_is_missing() {
    let directory = &directory("input_stubs");
    let missing = verify(directory, "test.c -- -DLIMIT=2");
    missing.expect(3, &["no body and no model"], &[]);
    verify(directory, "test.c --stubs atomic.c -- -Iinclude -DLIMIT=2").expect(0, &["verified"], &[]);
    let not_needed = verify(directory, "test.c atomic.c --stubs volatile.c -- -Iinclude -DLIMIT=2");
    not_needed.expect(0, &["verified under RC11 — 2 executions"], &[]);
}

#[test]
fn a_program_may_start_elsewhere() {
    let directory = &directory("input_entry");
    let flags = "-- -Iinclude -DLIMIT=2 -DNO_MAIN";
    let files = "test.c atomic.c";
    verify(directory, &format!("{files} --entry other {flags}")).expect(0, &["verified"], &[]);
    verify(directory, &format!("{files} {flags}")).expect(
        2,
        &[],
        &["no function `main`", "--entry FUNCTION"],
    );
    verify(directory, &format!("{files} --entry nothing {flags}")).expect(2, &[], &["no function `nothing`"]);
    let with_parameter = verify(directory, &format!("{files} --entry with_parameter {flags}"));
    with_parameter.expect(2, &[], &["`with_parameter` has parameters"]);
}

#[test]
fn volatile_is_plain_unless_it_is_said_to_be_relaxed() {
    let directory = &directory("input_volatile");
    let plain = verify(directory, "test.c volatile.c -- -DLIMIT=1");
    plain.expect(
        1,
        &["error[data-race]", "a `volatile` access is not atomic in C", "--volatile=relaxed"],
        &[],
    );
    let relaxed = verify(directory, "test.c volatile.c --volatile=relaxed -- -DLIMIT=1");
    relaxed.expect(0, &["verified under RC11 — 2 executions"], &[]);
    let wrong = verify(directory, "test.c volatile.c --volatile=relaxed -- -DLIMIT=0");
    wrong.expect(1, &["error[assertion]", "R.rlx v", "--volatile=relaxed --replay"], &[]);
}

/// A race between accesses that are not volatile says nothing of the option.
#[test]
fn other_races_are_told_as_before() {
    let directory = directory("input_plain");
    write(&directory, "plain.c", &VOLATILE.replace("volatile ", ""));
    let answer = verify(&directory, "test.c plain.c -- -DLIMIT=1");
    answer.expect(1, &["error[data-race]"], &[]);
    assert!(!answer.stdout.contains("volatile"), "{answer:#?}");
}

#[test]
fn flags_come_from_the_compilation_database() {
    let directory = &directory("input_database");
    let build = directory.join("build").display().to_string();
    let database = |command: &str| {
        format!(
            r#"[{{"directory": "{build}", "file": "../test.c", "arguments": ["cc", "-DLIMIT=2", "-c", "../test.c", "-o", "x"]}},
                {{"directory": "{build}", "file": "../atomic.c", "command": "{command}"}}]"#
        )
    };
    let usual = "cc -I../include -MD -MT x -MF x.d -o a.o -c -O2 '../atomic.c'";
    write(directory, "build/compile_commands.json", &database(usual));
    let words = "test.c atomic.c --compile-commands build";
    verify(directory, words).expect(0, &["verified under RC11 — 2 executions"], &[]);
    // Flags after `--` come last, and places are seen from here.
    let wrong = verify(directory, &format!("{words} -- -DLIMIT=1 -Wno-macro-redefined"));
    wrong.expect(1, &["--> test.c:6", "atomic.c:5", "--compile-commands build --replay"], &[]);
    verify(directory, "volatile.c --compile-commands build").expect(
        2,
        &[],
        &["compile_commands.json says nothing about volatile.c"],
    );
    for (command, part) in [
        ("cc -fplugin=x.so -c ../atomic.c", "`-fplugin=x.so` would load code into clang"),
        ("cc -Xclang -load -Xclang x.so -c ../atomic.c", "`-load` would load code into clang"),
        ("cc -fpass-plugin=x.so -c ../atomic.c", "`-fpass-plugin=x.so` would load code"),
        ("cc @flags -c ../atomic.c", "`@flags`"),
        ("cc --config=x -c ../atomic.c", "`--config=x`"),
        ("cc '-c ../atomic.c", "a quote that does not end"),
    ] {
        write(directory, "build/compile_commands.json", &database(command));
        verify(directory, words).expect(2, &[], &[part, "compile_commands.json, for atomic.c"]);
    }
    write(directory, "build/compile_commands.json", "{}");
    verify(directory, words).expect(2, &[], &["compile_commands.json is no list of compile commands"]);
    verify(directory, "test.c --compile-commands nowhere").expect(2, &[], &["cannot read nowhere"]);
}

const LOOPS: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *adder(void *p) {
  for (int i = 0; i < 3; i++)
    atomic_fetch_add(&x, 1);
  return p;
}
int main(void) {
  pthread_t threads[4];
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += i;
  assert(sum == 499500);
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], 0, i < 1 ? adder : adder, 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], 0);
  return 0;
}
";

#[test]
fn only_loops_that_depend_on_other_threads_are_bounded() {
    let directory = &directory_with("input_unroll", "t.c", LOOPS);
    // Three rounds and a test.
    verify(directory, "t.c --unroll 4").expect(0, &["t.c: verified under RC11"], &[]);
    let cut = verify(directory, "t.c --unroll 2");
    cut.expect(3, &["nothing ran to its end", "--unroll cut the loop at t.c:6"], &[]);
}

#[test]
fn loops_are_bounded_by_name() {
    let directory = &directory_with("input_unroll_names", "t.c", LOOPS);
    for (words, is_cut) in [
        ("--unroll 2 --unroll adder=4", false),
        ("--unroll adder=4 --unroll 2", false),
        ("--unroll adder=2", true),
        ("--unroll adder=2 --unroll t.c:6=4", false),
        ("--unroll t.c:6=4 --unroll adder=2", true),
        ("--unroll main=2", false),
        ("--unroll 4 --unroll 2", true),
    ] {
        let expected: (i32, &[&str]) = if is_cut { (3, &["--unroll cut"]) } else { (0, &["verified"]) };
        verify(directory, &format!("t.c {words}")).expect(expected.0, expected.1, &[]);
    }
    verify(directory, "t.c --unroll adder=0").expect(2, &[], &["`--unroll adder=0` would explore nothing"]);
    verify(directory, "t.c --unroll adder=x").expect(2, &[], &["`x` is no number of iterations"]);
}

const GENMC: &str = "\
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>
atomic_long x;
static void *adder(void *p) {
  long old;
  do {
    old = __VERIFIER_speculative_read(atomic_load(&x));
  } while (!__VERIFIER_confirming_CAS(atomic_compare_exchange_strong(&x, &old, old + STEP)));
  return p;
}
int main(void) {
  __VERIFIER_thread_t one = __VERIFIER_spawn(adder, NULL);
  __VERIFIER_thread_t other = __VERIFIER_spawn_symmetric(adder, NULL, one);
  __VERIFIER_join_symmetric(one);
  assert(__VERIFIER_join(other) == NULL);
  __VERIFIER_assume(atomic_load(&x));
  assert(atomic_load(&x) == EXPECTED);
  return 0;
}
";

/// A condition of more bits than an `int` has is not cut to them.
#[test]
fn programs_of_genmc_compile_as_they_are() {
    let directory = &directory_with("input_genmc", "t.c", GENMC);
    let right = verify(directory, "t.c -- -DSTEP=0x80000000L -DEXPECTED=0x100000000L");
    right.expect(0, &["verified under RC11 — 2 executions"], &[]);
    let wrong = verify(directory, "t.c -- -DSTEP=0x80000000L -DEXPECTED=0x80000000L");
    wrong.expect(1, &["error[assertion]", "--> t.c:18"], &[]);
}

const NIDHUGG: &str = "\
#include <assert.h>
#include <nidhugg.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_long x;
static void *writer(void *p) { atomic_store(&x, 0x100000000L); return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  __VERIFIER_assume(atomic_load(&x));
  assert(atomic_load(&x) == EXPECTED);
  return 0;
}
";

#[test]
fn programs_of_nidhugg_compile_as_they_are() {
    let directory = &directory_with("input_nidhugg", "t.c", NIDHUGG);
    verify(directory, "t.c -- -DEXPECTED=0x100000000L").expect(
        0,
        &["verified under RC11 — 1 execution"],
        &[],
    );
    verify(directory, "t.c -- -DEXPECTED=0").expect(1, &["error[assertion]", "--> t.c:11"], &[]);
}

const DARTAGNAN: &str = "\
#include <dat3m.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *writer(void *p) { atomic_store(&x, 1); return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  await_while(atomic_load(&x) == 0);
  __VERIFIER_loop_bound(3);
  __VERIFIER_assert(atomic_load(&x) == EXPECTED);
  return 0;
}
";

#[test]
fn programs_of_dartagnan_compile_as_they_are() {
    let directory = &directory_with("input_dartagnan", "t.c", DARTAGNAN);
    verify(directory, "t.c -- -DEXPECTED=1").expect(0, &["verified"], &[]);
    verify(directory, "t.c -- -DEXPECTED=2").expect(1, &["error[assertion]", "--> t.c:11"], &[]);
}

const BOUNDED: &str = "\
#include <dat3m.h>
#include <stdatomic.h>
atomic_int x;
int main(int argc, char **argv) {
  int n = 3;
  if (__VERIFIER_nondet_bool()) return 0;
  __VERIFIER_loop_bound(BOUND);
  while (n-- > 0) atomic_fetch_add(&x, 1);
  __VERIFIER_assert(atomic_load(&x) == 3);
  return 0;
}
";

#[test]
fn a_program_bounds_its_own_loops() {
    let directory = &directory_with("input_bounds", "t.c", BOUNDED);
    verify(directory, "t.c -- -DBOUND=4").expect(0, &["verified"], &[]);
    let words = [
        "bounded under RC11: `__VERIFIER_loop_bound` cut the loop at t.c:8",
        "raise the bounds in the program",
    ];
    verify(directory, "t.c -- -DBOUND=3").expect(0, &words, &[]);
    // The option that names the loop goes first.
    verify(directory, "t.c --unroll main=9 -- -DBOUND=3").expect(0, &["verified"], &[]);
    let refused = verify(directory, "t.c -- -DBOUND=argc");
    refused.expect(3, &["t.c:7", "a bound of a loop that is no constant is not modelled"], &[]);
}

const UNMODELLED: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern int first(int);
extern void second(void);
extern int variable;
atomic_int x;
int y;
static void *calls(void *p) { atomic_store(&x, 1); first(1); second(); return p; }
static void *looks(void *p) {
  if (atomic_load(&x)) second();
#ifdef BUG
  assert(atomic_load(&x));
  y = 1;
#endif
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, calls, 0);
  pthread_create(&b, 0, looks, 0);
  pthread_create(&b, 0, looks, 0);
  pthread_join(a, 0);
  return variable;
}
";

/// Everything that was reached is named once, whatever the number of jobs; what is missing, before.
#[test]
fn what_is_not_modelled_stops_its_thread_alone() {
    let directory = &directory_with("input_unmodelled", "t.c", UNMODELLED);
    let warning = "warning: no body and no model: `first`, `second`, `variable`";
    let reached = "t.c:9 (thread 1, in calls): call of the external function `first`, which has no body and no model; \
                   t.c:11 (threads 2, 3, in looks): call of the external function `second`";
    for jobs in 1..4 {
        let answer = verify(directory, &format!("t.c --no-symmetry --jobs {jobs}"));
        answer.expect(3, &[reached, "0 executions, 4 blocked"], &[warning]);
    }
    let violated = ["error[data-race]", "incomplete: ", "t.c:9 (thread 1, in calls)"];
    verify(directory, "t.c -- -DBUG").expect(1, &violated, &[warning]);
    let both = ["error[assertion]", "error[data-race]", "2 violations"];
    verify(directory, "t.c --keep-going -- -DBUG").expect(1, &both, &[warning]);
    let (answer, violated) = (fuzz(directory, "t.c --runs 50"), fuzz(directory, "t.c --runs 50 -- -DBUG"));
    answer.expect(3, &["t.c:9 (thread 1, in calls)", "t.c:11 (threads"], &[warning]);
    violated.expect(1, &["error["], &[warning]);
}

const CHECKED: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writes(void *p) { x = 1; return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writes, 0);
#ifdef FAILS
  assert(x == 0);
#else
  x = 2;
#endif
  pthread_join(t, 0);
#ifdef FREES
  int *p = malloc(4);
  free(p);
  *p = 1;
#endif
#ifdef WAITS
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
#endif
  return 0;
}
";

#[test]
fn what_is_a_violation_is_a_list() {
    let directory = &directory_with("input_checks", "t.c", CHECKED);
    verify(directory, "t.c").expect(1, &["error[data-race]"], &[]);
    verify(directory, "t.c --check assertion,memory,deadlock").expect(
        0,
        &["verified under RC11 — 1 execution"],
        &[],
    );
    let failed = verify(directory, "t.c --check assertion -- -DFAILS");
    failed.expect(1, &["error[assertion]", "--check assertion", "1 violation "], &[]);
    verify(directory, "t.c --check memory -- -DFAILS").expect(0, &["verified"], &[]);
    let freed = verify(directory, "t.c --check assertion -- -DFREES");
    freed.expect(
        3,
        &["t.c:19", "(use-after-free): --check leaves this out, and nothing is known after it"],
        &[],
    );
    verify(directory, "t.c --check memory -- -DFREES").expect(1, &["error[use-after-free]"], &[]);
    verify(directory, "t.c --check assertion,deadlock -- -DWAITS").expect(1, &["error[deadlock]"], &[]);
    verify(directory, "t.c --check assertion -- -DWAITS").expect(3, &["nothing ran to its end"], &[]);
    let there_are = "there is: assertion, race, memory, deadlock, liveness";
    verify(directory, "t.c --check race,foo").expect(2, &[], &["`foo` is nothing to check", there_are]);
    verify(directory, "t.c --check memory,deadlock").expect(2, &[], &["needs `assertion`"]);
    verify(directory, "t.c --check leak").expect(2, &[], &["`leak` needs `assertion` and `memory`"]);
    let no_leaks = |options: &str, why: &str| {
        let command = format!("t.c --check assertion,race,memory,deadlock,leak {options}");
        verify(directory, &command).expect(2, &[], &["`--check leak` is not in this version with", why]);
    };
    no_leaks("--equivalence rf", "there is: co");
    no_leaks("--model wra", "there is: sc, tso");
    no_leaks("--model xmm", "there is: sc, tso");
    verify(directory, "t.c --check race --model xmm").expect(2, &[], &["with `--model xmm`"]);
    fuzz(directory, "t.c --runs 9 --check assertion").expect(0, &["no violation found"], &[]);
    fuzz(directory, "t.c --runs 9 --check race").expect(1, &["error[data-race]"], &[]);
    fuzz(directory, "t.c --check leak").expect(2, &[], &["`fuzz --check leak` is not in this version"]);
    fuzz(directory, "t.c --check liveness").expect(
        2,
        &[],
        &["`fuzz --check liveness` is not in this version"],
    );
}

#[test]
fn the_step_limit_is_an_option() {
    let source = "\
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *adds(void *p) { for (int i = 0; i < 100; i++) x++; return p; }
int main(void) { pthread_t t; return pthread_create(&t, 0, adds, 0); }
";
    let directory = &directory_with("input_steps", "t.c", source);
    verify(directory, "t.c --max-steps 50").expect(
        3,
        &["made 50 steps without an end", "raise --max-steps"],
        &[],
    );
    verify(directory, "t.c --max-steps 500").expect(0, &["verified"], &[]);
    verify(directory, "t.c --max-steps 0").expect(2, &[], &["--max-steps"]);
}
