//! The C runtime: its functions natively beside those of the C library, linked with programs, and its cache.

use crate::common::{module, run, try_compile, write};
use llvm::{Cache, CompileRequest, compile, cxx_runtime_sources, runtime_sources};
use std::path::Path;
use std::process::Command;

/// Those that are nothing without the machine, and are tested there.
const MACHINES: [&str; 10] = [
    "atexit.c",
    "await.c",
    "environment.c",
    "guard.c",
    "locale.c",
    "name.c",
    "nondet.c",
    "object.c",
    "options.c",
    "output.c",
];

#[test]
fn the_runtime_does_as_the_c_library_of_this_machine() {
    let harness = write("compare.c", include_str!("../runtime/compare.c"));
    let directory = harness.parent().expect("it is in a directory");
    let mut objects = Vec::new();
    for (name, text, defines) in runtime_sources().filter(|(name, ..)| !MACHINES.contains(name)) {
        let (source, object) = (directory.join(format!("rt_{name}")), directory.join(format!("{name}.o")));
        std::fs::write(&source, text).expect("a file for the test");
        let mut clang = Command::new("clang-22");
        clang.args(["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter"]);
        clang.args(["-std=gnu17", "-ffreestanding", "-fno-builtin", "-nostdlibinc", "-c", "-o"]).arg(&object);
        clang.args(defines.iter().map(|name| format!("-D{name}=rt_{name}"))).arg(&source);
        assert!(clang.status().expect("clang runs").success(), "{name}");
        objects.push(object);
    }
    let program = directory.join("compare");
    let mut clang = Command::new("clang-22");
    clang.args(["-O1", "-w", "-std=gnu17", "-fno-builtin", "-o"]).arg(&program).arg(&harness).args(objects);
    assert!(clang.status().expect("clang runs").success());
    let output = Command::new(&program).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Streams are only dropped by the machine, and exceptions land where it knows: those are the library's own.
const LIBRARYS_OWN: [&str; 8] = [
    "exception.cpp",
    "output.cpp",
    "stdexcept.cpp",
    "string.cpp",
    "throw.cpp",
    "throw_error.cpp",
    "type_info.cpp",
    "unwind.cpp",
];

#[test]
fn the_cxx_runtime_does_as_the_standard_says() {
    let harness = write("library.cpp", include_str!("../runtime/library.cpp"));
    let directory = harness.parent().expect("it is in a directory");
    let mut sources = vec![harness.clone()];
    for (name, text) in cxx_runtime_sources().filter(|(name, _)| !LIBRARYS_OWN.contains(name)) {
        let source = directory.join(format!("rt_{name}"));
        std::fs::write(&source, text).expect("a file for the test");
        sources.push(source);
    }
    let program = directory.join("library");
    let mut clang = Command::new("clang++-22");
    clang.args(["-O1", "-w", "-std=gnu++20", "-fno-access-control", "-pthread", "-o"]);
    assert!(clang.arg(&program).args(sources).status().expect("clang runs").success());
    let output = Command::new(&program).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_definition_of_the_program_wins() {
    let source = "char *strrchr(const char *, int);
        char *strchr(const char *s, int c) { return 0; } int memmem;
        int main(void) { char t[] = \"abc\"; return strrchr(t, 'b') - t + (strchr(t, 'a') == 0) * 10 + (memmem == 0) * 100; }";
    assert_eq!(run(module(source)), Ok(111), "`memmem` and `strchr` are also in the file that has `strrchr`");
}

/// The options of a command line, one after the other, and where they end.
#[test]
fn options_are_read_one_by_one() {
    let source = "#include <unistd.h>
        #include <locale.h>
        #include <string.h>
        int main(void) {
          char *words[] = { \"program\", \"-ab\", \"-cone\", \"-c\", \"two\", \"-x\", \"--\", \"-a\", 0 };
          int n = 0, got;
          char letters[8];
          while ((got = getopt(8, words, \"abc:\")) != -1) {
            if (got == 'c' && strcmp(optarg, n == 2 ? \"one\" : \"two\")) return 1;
            if (got == '?' && optopt != 'x') return 2;
            letters[n++] = got;
          }
          letters[n] = 0;
          if (strcmp(letters, \"abcc?\")) return 3;
          if (strcmp(setlocale(LC_ALL, \"\"), \"C\") || setlocale(LC_ALL, \"de\")) return 4;
          return 10 + optind;
        }";
    assert_eq!(run(module(source)), Ok(17));
}

#[test]
fn a_program_that_lacks_nothing_has_nothing_of_it() {
    let functions = |source| -> Vec<String> {
        module(source).functions.into_iter().map(|function| function.name).collect()
    };
    assert_eq!(functions("#include <string.h>\nint main(void) { return strlen(\"abc\"); }"), ["main"]);
    assert_eq!(
        functions("#include <stdlib.h>\nint main(int c, char **v) { return abs(-c); }"),
        ["main"],
        "an intrinsic of LLVM"
    );
    assert_eq!(
        functions("#include <stdlib.h>\nint main(int c, char **v) { return atoi(v[0]); }"),
        ["main", "atoi"],
        "what nobody calls is left out"
    );
}

/// The machine's loops are counted, those of the runtime are not.
#[test]
fn rounds_in_the_runtime_do_not_count() {
    let source = "#include <string.h>\nint main(void) { return strchr(\"aaaaaaaaab\", 'b') != 0; }";
    let compiled = try_compile(source, |request| request.unroll = true).expect("it compiles");
    let counts = compiled.module.functions.iter().flat_map(|function| &function.code);
    assert_eq!(counts.filter(|op| matches!(op, vm::bytecode::Op::Unroll { .. })).count(), 0);
}

fn with_cache(directory: &Path, clang: Option<&str>) -> Result<(), llvm::CompileError> {
    let source = "#include <string.h>\nint main(int c, char **v) { return strspn(v[0], \"p\"); }";
    let mut request = CompileRequest::new(write("test.c", source));
    let (pieces, _) = llvm::bitcode(&request)?;
    request.cache = Some(Cache::new(directory));
    request.clang = clang.map(Into::into);
    llvm::lower(&request, &pieces).map(|module| {
        let has_it = module.functions.iter().any(|function| function.name == "strspn");
        assert_eq!(has_it, clang.is_none() || Cache::new(directory).size().0 > 0);
    })
}

#[test]
fn clang_is_run_once() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory for the test");
    with_cache(directory.path(), Some("/no/clang")).expect("it lacks the function, then");
    with_cache(directory.path(), None).expect("clang is there");
    assert_eq!(Cache::new(directory.path()).size().0, 1);
    with_cache(directory.path(), Some("/no/clang")).expect("clang is not needed");
    with_cache(directory.path(), Some("/bin/false")).expect("clang is not run");
    Cache::new(directory.path()).clean().expect("it is ours");
    assert!(with_cache(directory.path(), Some("/bin/false")).is_err(), "clang fails");
}

#[test]
fn variable_arguments_of_another_declaration_are_refused() {
    let source = "#include <stdarg.h>
        __attribute__((noinline)) int f(int a, int b, ...) { va_list l; va_start(l, b); int r = va_arg(l, int); va_end(l); return r; }
        int main(void) { int (*g)(int, ...) = (int (*)(int, ...))f; return g(1, 2, 3); }";
    let compiled = compile(&CompileRequest::new(write("test.c", source))).expect("it compiles");
    let end = run(compiled.module).expect_err("it is refused");
    assert!(end.contains("declares other parameters"), "{end}");
}
