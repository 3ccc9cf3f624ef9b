//! What users are told about tests that are wrong: the message, the place, the line with a caret, and what to do.

use base::Rng;
use litmus::Test;

fn error(text: &[u8]) -> String {
    Test::parse("t.litmus", text).expect_err("it is wrong").to_string()
}

/// A test of one process with this body.
fn body(body: &str) -> String {
    format!("C t\n{{ x = 0; }}\nP0(atomic_int* x, int* y) {{\n  {body}\n}}\nexists (x=1)\n")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(error(text.as_bytes()), expected.trim_start_matches('\n').trim_end(), "in:\n{text}");
}

#[test]
fn headers() {
    check(
        "int main() { }",
        "
t.litmus:1:1: error: a litmus test starts with `C NAME`, found `int`
  1 | int main() { }
    | ^
  = help: the first line names the language and the test: `C MP`",
    );
    check(
        "AArch64 MP\n{ }\n",
        "
t.litmus:1:1: error: a test for AArch64: only C litmus tests (`C NAME`) can be run
  1 | AArch64 MP
    | ^",
    );
    check(
        "",
        "
t.litmus:1:1: error: a litmus test starts with `C NAME`, found the end of the file
  1 | \n    | ^
  = help: the first line names the language and the test: `C MP`",
    );
    check(
        "C MP\nP0(int* x) { }",
        "
t.litmus:2:1: error: the initial state `{ … }` is missing before the processes
  2 | P0(int* x) { }
    | ^
  = help: write `{ }` if everything starts as 0",
    );
}

#[test]
fn unknown_names() {
    check(
        &body("int r0 = atomic_laod_explicit(x, memory_order_relaxed);"),
        "
t.litmus:4:12: error: unknown function `atomic_laod_explicit`
  4 |   int r0 = atomic_laod_explicit(x, memory_order_relaxed);
    |            ^
  = help: did you mean `atomic_load_explicit`?",
    );
    check(
        &body("r0 = atomic_load(x);"),
        "
t.litmus:4:3: error: `r0` is not declared in P0
  4 |   r0 = atomic_load(x);
    |   ^
  = help: declare it as a register (`int r0;`), or as a parameter of P0 if it is shared (`atomic_int* r0`)",
    );
    check(
        &body("if (1) { int r0 = 1; } r0 = 2;"),
        "
t.litmus:4:26: error: `r0` is not declared in P0
  4 |   if (1) { int r0 = 1; } r0 = 2;
    |                          ^
  = help: declare it as a register (`int r0;`), or as a parameter of P0 if it is shared (`atomic_int* r0`)",
    );
}

#[test]
fn conditions_on_what_is_not_there() {
    let with = |condition: &str| format!("C t\n{{ }}\nP0(int* x) {{ int r0 = 1; }}\n{condition}");
    check(
        &with("exists (x=1 /\\ z=2)"),
        "
t.litmus:4:16: error: there is no location `z`
  4 | exists (x=1 /\\ z=2)
    |                ^
  = help: give it a value in the initial state (`z = 0;`) or pass it to a process",
    );
    check(
        &with("forall (0:r1=1)"),
        "
t.litmus:4:9: error: P0 has no register `r1`
  4 | forall (0:r1=1)
    |         ^",
    );
    check(
        &with("locations [1:r0]"),
        "
t.litmus:4:12: error: there is no process P1
  4 | locations [1:r0]
    |            ^",
    );
    check(
        &with("exists (x)"),
        "
t.litmus:4:10: error: expected `=` or `!=`, found `)`
  4 | exists (x)
    |          ^",
    );
    check(
        &with("exists (x=y)"),
        "
t.litmus:4:11: error: there is no location `y`
  4 | exists (x=y)
    |           ^
  = help: give it a value in the initial state (`y = 0;`) or pass it to a process",
    );
}

#[test]
fn memory_orders_and_arguments() {
    check(
        &body("atomic_store_explicit(x, 1, memory_order_acquire);"),
        "
t.litmus:4:31: error: memory_order_acquire is no order for a store
  4 |   atomic_store_explicit(x, 1, memory_order_acquire);
    |                               ^
  = help: use memory_order_relaxed, memory_order_release or memory_order_seq_cst",
    );
    check(
        &body("int r0 = atomic_load_explicit(x, memory_order_release);"),
        "
t.litmus:4:36: error: memory_order_release is no order for a load
  4 |   int r0 = atomic_load_explicit(x, memory_order_release);
    |                                    ^
  = help: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst",
    );
    check(
        &body("int r0 = atomic_load_explicit(x);"),
        "
t.litmus:4:12: error: `atomic_load_explicit` takes 2 arguments, found 1
  4 |   int r0 = atomic_load_explicit(x);
    |            ^",
    );
    check(
        &body("int r0 = atomic_load_explicit(x, relaxed);"),
        "
t.litmus:4:36: error: expected a memory order, found `relaxed`
  4 |   int r0 = atomic_load_explicit(x, relaxed);
    |                                    ^
  = help: memory_order_relaxed, …_acquire, …_release, …_acq_rel or …_seq_cst",
    );
}

#[test]
fn types_that_do_not_go_together() {
    check(
        &body("int r0 = x;"),
        "
t.litmus:4:12: error: `atomic_int*` cannot be used as `int`
  4 |   int r0 = x;
    |            ^
  = help: a register that holds an address is declared as a pointer: `int* r0`",
    );
    check(
        &body("int r0 = 1; int r1 = *r0;"),
        "
t.litmus:4:25: error: `int` is no pointer
  4 |   int r0 = 1; int r1 = *r0;
    |                         ^",
    );
    check(
        "C t\n{ p = x; }\nP0(int* x, int* p) { }",
        "
t.litmus:2:7: error: `&x` cannot be used as `int`
  2 | { p = x; }
    |       ^
  = help: a location or register that holds an address is declared with one more star: `int** p`",
    );
    check(
        "C t\n{ }\nP0(int* x) { }\nP1(long* x) { }",
        "
t.litmus:4:10: error: `x` was declared as `int` before, and as `long` here
  4 | P1(long* x) { }
    |          ^",
    );
}

#[test]
fn types_that_are_not_there() {
    check(
        "C t\n{ float x = 1; }\nP0() { }",
        "
t.litmus:2:3: error: `float` is no type that is modelled
  2 | { float x = 1; }
    |   ^
  = help: there are char, short, int, long and _Bool, unsigned, atomic_…, _Atomic(…) and the names of stdint.h",
    );
}

#[test]
fn twice() {
    check(
        &body("int r0; int r0;"),
        "
t.litmus:4:15: error: `r0` is declared twice
  4 |   int r0; int r0;
    |               ^",
    );
    check(
        "C t\n{ x = 1; x = 2; }\nP0() { }",
        "
t.litmus:2:10: error: `x` is declared twice
  2 | { x = 1; x = 2; }
    |          ^",
    );
    check(
        "C t\n{ }\nP0() { }\nP0() { }",
        "
t.litmus:4:1: error: process P0 is defined twice
  4 | P0() { }
    | ^",
    );
}

#[test]
fn what_does_not_end() {
    check(
        "C t\n{ }\nP0(int* x) {\n  *x = 1;\nexists (x=1)\n",
        "
t.litmus:3:12: error: this `{` is never closed
  3 | P0(int* x) {
    |            ^
  = help: add the missing `}`",
    );
    check(
        "C t\n{ }\nP0(int* x) {\n  /* *x = 1;\n}\n",
        "
t.litmus:4:3: error: this comment does not end: `*/` is missing
  4 |   /* *x = 1;
    |   ^",
    );
    check(
        "C t\n(* title\n{ }\n",
        "
t.litmus:2:1: error: this comment does not end: `*)` is missing
  2 | (* title
    | ^",
    );
    check(
        "C t\n\"title\n{ }\n",
        "
t.litmus:2:1: error: this string does not end
  2 | \"title
    | ^",
    );
}

#[test]
fn what_is_not_modelled() {
    check(
        &body("atomic_init(x, 1);"),
        "
t.litmus:4:3: error: `atomic_init` is neither atomic nor ordered: give the value in the initial state `{ … }`
  4 |   atomic_init(x, 1);
    |   ^",
    );
    check(
        &body("int a[3];"),
        "
t.litmus:4:8: error: arrays are not modelled
  4 |   int a[3];
    |        ^",
    );
    check(
        &body("struct s r0;"),
        "
t.litmus:4:3: error: `struct` is not modelled
  4 |   struct s r0;
    |   ^",
    );
    check(
        &body("break;"),
        "
t.litmus:4:3: error: `break` outside of a loop
  4 |   break;
    |   ^",
    );
}

#[test]
fn noise_is_an_error_and_quickly() {
    // Any bytes, bytes that are text, words, and a plausible start.
    let mut rng = Rng::new(1);
    let noise: Vec<u8> = (0..10 << 20).map(|_| rng.below(256) as u8).collect();
    let too_long = "error: the file has more than 262144 bytes: no litmus test is that long";
    // No line of it is shown: none is what is wrong.
    assert_eq!(error(&noise), format!("t.litmus:1:1: {too_long}"));
    assert!(error(&noise[..200_000]).contains("error: the file is not UTF-8 text"));
    let letters: Vec<u8> = noise[..200_000].iter().map(|byte| b' ' + byte % 95).collect();
    assert!(error(&letters).contains("a litmus test starts with `C NAME`"));
    let started = [b"C t\n{ }\nP0(int* x) { ", &letters[..]].concat();
    assert!(error(&started).contains("t.litmus:"));
    assert!(error(b"C t\n{ }\nP0() { \xff }").contains("t.litmus:3:8: error: the file is not UTF-8 text"));
}

#[test]
fn a_byte_order_mark_is_no_error() {
    let marked = |text: &str| format!("\u{feff}{text}").into_bytes();
    assert!(Test::parse("t.litmus", &marked(&body("*x = 1;"))).is_ok());
    assert!(
        error(&marked("D t")).contains("t.litmus:1:1: error: a litmus test starts with `C NAME`, found `D`")
    );
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = body(&format!("int r0 = {}1{};", "(".repeat(50_000), ")".repeat(50_000)));
    let message = error(deep.as_bytes());
    assert!(message.contains("error: nested more than 100 deep"), "{message}");
    assert!(message.lines().all(|line| line.chars().count() < 120), "{message}");
}
