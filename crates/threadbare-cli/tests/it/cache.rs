//! The cache of the C library, as the command uses it.

use crate::common::{Answer, directory_with};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "#include <assert.h>\n#include <string.h>\n\
    int main(void) { char t[8]; strcpy(t, \"abc\"); assert(strrchr(t, 'c') == t + 2); return 0; }\n";

/// A directory of this test's own with the program in it, and no cache there yet.
fn directory(test: &str) -> (PathBuf, PathBuf) {
    let directory = directory_with(test, "t.c", PROGRAM);
    let cache = directory.join("cache");
    let _ = fs::remove_dir_all(&cache);
    (directory, cache)
}

fn command(directory: &Path, cache: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadbare"));
    command.args(arguments).current_dir(directory).env("THREADBARE_CACHE", cache);
    command
}

fn threadbare(directory: &Path, cache: &Path, arguments: &[&str]) -> Answer {
    let output = command(directory, cache, arguments).output().expect("the command runs");
    Answer {
        status: output.status.code().expect("no signal ends the command"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

fn verify(directory: &Path, cache: &Path) {
    threadbare(directory, cache, &["verify", "t.c"]).expect(0, &["verified"], &[]);
}

fn entries(cache: &Path) -> Vec<PathBuf> {
    fs::read_dir(cache).expect("it is there").map(|entry| entry.expect("it is there").path()).collect()
}

#[test]
fn it_is_filled_told_and_cleaned() {
    let (directory, cache) = directory("cache_filled");
    threadbare(&directory, &cache, &["cache"]).expect(0, &[": 0 entries, 0 bytes\n"], &[]);
    assert!(!cache.exists(), "to ask makes none");
    verify(&directory, &cache);
    assert_eq!(entries(&cache).len(), 2, "copy.c and search.c");
    threadbare(&directory, &cache, &["cache"]).expect(0, &["cache: 2 entries, "], &[]);
    fs::write(cache.join("notes.txt"), "mine").expect("it is ours");
    threadbare(&directory, &cache, &["cache", "clean"]).expect(0, &["cache: removed 2 entries, "], &[]);
    assert_eq!(entries(&cache), [cache.join("notes.txt")], "files of others stay");
}

#[test]
fn a_program_that_lacks_nothing_makes_none() {
    let (directory, cache) = directory("cache_unused");
    fs::write(directory.join("t.c"), "int main(void) { return 0; }\n").expect("it is ours");
    verify(&directory, &cache);
    assert!(!cache.exists());
}

#[test]
fn damaged_entries_are_made_anew() {
    let (directory, cache) = directory("cache_damaged");
    verify(&directory, &cache);
    let whole: Vec<Vec<u8>> = entries(&cache).iter().map(|entry| fs::read(entry).expect("text")).collect();
    for (entry, bytes) in entries(&cache).iter().zip(&whole) {
        let mut changed = bytes.clone();
        *changed.last_mut().expect("it is not empty") ^= 1;
        fs::write(entry, changed).expect("it is ours");
    }
    verify(&directory, &cache);
    for entry in entries(&cache) {
        fs::write(entry, "threadbare cache 1\n").expect("it is ours");
    }
    verify(&directory, &cache);
    let again: Vec<Vec<u8>> = entries(&cache).iter().map(|entry| fs::read(entry).expect("text")).collect();
    assert!(again == whole, "the same as at first");
}

#[test]
fn several_processes_at_a_time() {
    let (directory, cache) = directory("cache_processes");
    let start = |_| command(&directory, &cache, &["verify", "t.c"]).spawn().expect("the command runs");
    let mut running: Vec<_> = (0..4).map(start).collect();
    for child in &mut running {
        assert!(child.wait().expect("it ends").success());
    }
    assert_eq!(entries(&cache).len(), 2, "nothing is left of what was written");
    verify(&directory, &cache);
}

#[test]
fn without_a_directory_to_write_to_it_works() {
    let (directory, cache) = directory("cache_unwritable");
    fs::create_dir_all(&cache).expect("it is ours");
    fs::set_permissions(&cache, Permissions::from_mode(0o500)).expect("it is ours");
    verify(&directory, &cache);
    fs::set_permissions(&cache, Permissions::from_mode(0o700)).expect("it is ours");
    // For the superuser every directory can be written: a file is none for anybody.
    verify(&directory, &directory.join("t.c"));
    verify(&directory, Path::new(""));
    threadbare(&directory, Path::new(""), &["cache"]).expect(0, &["there is no cache"], &[]);
}
