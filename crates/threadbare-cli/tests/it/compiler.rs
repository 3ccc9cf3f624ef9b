//! Clang and LLVM in a process of their own: whatever becomes of it is an answer, and a name is a name.

use crate::common::{directory_with, threadbare_in};
use std::path::{Path, PathBuf};
use std::process::Command;

fn inputs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/input")
}

const RIGHT: &str = include_str!("../../../../examples/mp.c");
const WRONG: &str = include_str!("../../../../examples/mp_relaxed.c");

// --- crashes ----------------------------------------------------------------------------------------------------------

#[test]
fn a_crash_of_llvm_names_the_file_and_what_died() {
    let crashes = [
        ("bc-abort-broken-module.bc", "SIGABRT"),
        ("bc-abort-oom.bc", "more memory than --memory allows"),
        ("bc-sigsegv.bc", "SIGSEGV"),
        ("ll-abort.ll", "SIGABRT"),
        ("ll-sigsegv.ll", "SIGSEGV"),
    ];
    for (file, what) in crashes {
        let answer = threadbare_in(&inputs(), &["verify", file]);
        answer.expect(2, &[], &[file, what]);
        assert_eq!(answer.stderr.lines().count(), 1, "{answer:#?}");
    }
}

/// Types that are defined by themselves, which no compiler writes.
#[test]
fn types_that_go_round_in_circles_are_only_names() {
    let answer = threadbare_in(&inputs(), &["verify", "hang-cyclic-typedef.ll", "--timeout", "20"]);
    assert!([0, 1].contains(&answer.status), "{answer:#?}");
    let answer = threadbare_in(&inputs(), &["verify", "bc-hang.bc", "--timeout", "20"]);
    assert!([0, 1].contains(&answer.status), "{answer:#?}");
}

// --- names ------------------------------------------------------------------------------------------------------------

/// A name with an at sign in front is a file with arguments to clang.
#[test]
fn a_file_is_verified_under_its_own_name() {
    let directory = directory_with("compiler_names", "mp.c", RIGHT);
    std::fs::write(directory.join("@rsp.c"), WRONG).expect("a file can be written");
    std::fs::write(directory.join("rsp.c"), "mp.c -DEVIL -Dmemory_order_relaxed=memory_order_acquire\n")
        .expect("a file can be written");
    std::fs::write(directory.join("-o.c"), WRONG).expect("a file can be written");
    threadbare_in(&directory, &["verify", "mp.c"]).expect(0, &["verified"], &[]);
    threadbare_in(&directory, &["verify", "@rsp.c"]).expect(1, &["--> @rsp.c:", "error[data-race]"], &[]);
    let directory_of_its_own = directory.join("sub");
    std::fs::create_dir_all(&directory_of_its_own).expect("a directory can be made");
    std::fs::write(directory_of_its_own.join("x.h"), WRONG).expect("a file can be written");
    std::fs::write(directory_of_its_own.join("@inc.c"), "#include \"x.h\"\n").expect("a file can be written");
    threadbare_in(&directory, &["verify", "sub/@inc.c"]).expect(1, &["sub/x.h", "error[data-race]"], &[]);
    threadbare_in(&directory, &["fuzz", "@rsp.c", "--runs", "100"]).expect(1, &["error[data-race]"], &[]);
    threadbare_in(&directory, &["verify", "./-o.c"]).expect(1, &["-o.c", "error[data-race]"], &[]);
}

/// What is included comes from the directory of the program first, whatever its name is.
#[test]
fn an_odd_name_is_no_other_program() {
    let program = "#include <assert.h>\n#include \"h.h\"\nint main(void) { assert(HH == 2); }\n";
    let directory = directory_with("compiler_includes", "v.c", program);
    std::fs::create_dir_all(directory.join("q")).expect("a directory can be made");
    for (file, text) in [("@v.c", program), ("h.h", "#define HH 1\n"), ("q/h.h", "#define HH 2\n")] {
        std::fs::write(directory.join(file), text).expect("a file can be written");
    }
    for name in ["v.c", "@v.c"] {
        threadbare_in(&directory, &["verify", name, "--", "-iquote", "q"]).expect(
            1,
            &["error[assertion]"],
            &[],
        );
    }
}

#[test]
fn a_name_loads_no_plugin() {
    let directory = directory_with("compiler_plugin", "mp.c", RIGHT);
    let plugin = "#include <stdio.h>\n\
                  __attribute__((constructor)) static void c(void) { fclose(fopen(\"ran\", \"w\")); }\n";
    std::fs::write(directory.join("plug.c"), plugin).expect("a file can be written");
    std::fs::write(directory.join("r.c"), "mp.c -fplugin=./plug.so\n").expect("a file can be written");
    std::fs::write(directory.join("@r.c"), WRONG).expect("a file can be written");
    let mut compiler = Command::new("clang-22");
    compiler.args(["-shared", "-fPIC", "-o", "plug.so", "plug.c"]).current_dir(&directory);
    assert!(compiler.status().expect("clang runs").success());
    let _ = std::fs::remove_file(directory.join("ran"));
    threadbare_in(&directory, &["verify", "@r.c"]).expect(1, &["error[data-race]"], &[]);
    assert!(!directory.join("ran").exists(), "the plugin was loaded");
}
