//! Every C program of the repository as a bytecode file: what is read is what was written.

use llvm::{CompileRequest, compile};
use std::path::{Path, PathBuf};
use vm::bytecode::Module;

/// The C programs below `tests` and in `examples`.
fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut directories, mut found) = (vec![root.join("tests"), root.join("examples")], Vec::new());
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of programs") {
            let path = entry.expect("a directory of programs").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Write it, read it, and compare. The litmus tests want to be told which of their variants is meant.
fn round_trip(program: &Path) {
    let mut request = CompileRequest::new(program);
    request.cflags.push("-DVARIANT_RLX".into());
    let module = compile(&request).unwrap_or_else(|error| panic!("{}: {error}", program.display())).module;
    let read = Module::from_bytes(&module.to_bytes());
    assert!(read.as_ref() == Ok(&module), "{}: {:?}", program.display(), read.err());
}

/// Two at a time: compiling takes most of the time.
#[test]
fn every_program_comes_back() {
    let programs = programs();
    assert!(programs.len() > 400, "only {} programs are found", programs.len());
    let halves = programs.chunks(programs.len().div_ceil(2));
    std::thread::scope(|scope| {
        for half in halves {
            scope.spawn(|| half.iter().for_each(|program| round_trip(program)));
        }
    });
}
