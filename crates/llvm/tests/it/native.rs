//! Arithmetic as the processor does it: programs that note what they compute come to the same number compiled for the processor
//! and run by the virtual machine.

use crate::common::run;
use llvm::{CompileRequest, compile};
use std::path::{Path, PathBuf};
use std::process::Command;

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native").join(name)
}

/// The number that the program prints when the processor runs it.
fn natively(name: &str, flags: &[&str]) -> String {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory for the test");
    let program = directory.path().join("program");
    let mut clang = Command::new("clang-22");
    let compiled = clang.args(flags).arg("-o").arg(&program).arg(source(name)).status();
    assert!(compiled.expect("clang runs").success(), "{name} {flags:?}");
    let output = Command::new(program).output().expect("the program runs");
    assert!(output.status.success(), "{name}");
    String::from_utf8(output.stdout).expect("a number")
}

fn same(name: &str, flags: &[&str]) {
    let expected = natively(name, flags);
    let ends_with = |number: &str| {
        let mut request = CompileRequest::new(source(name));
        request.cflags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        request.cflags.push(format!("-DEXPECTED={number}ull"));
        run(compile(&request).expect("compiles").module)
    };
    assert_eq!(ends_with(&expected), Ok(0), "{name} {flags:?}");
    assert_eq!(ends_with("1"), Ok(1), "{name} {flags:?}: another number is not the same");
}

#[test]
fn inline_assembly() {
    same("assembly.c", &["-O1"]);
}

#[test]
fn integers_of_more_than_64_bits() {
    same("wide.c", &["-O1"]);
}

#[test]
fn vectors() {
    same("vectors.c", &["-O1", "-Wno-psabi"]);
}

#[test]
fn computed_goto() {
    same("goto.c", &["-O1"]);
}
