//! What no function shows (assembly of the file, sections, resolvers, the linker's symbols) is refused or has its meaning;
//! nothing of it is dropped.

use crate::common::{module, run, try_compile, write};
use llvm::{CompileError, CompileRequest, compile};

/// How the text of a module ends.
fn run_text(text: &str) -> Result<u32, String> {
    run(compile(&CompileRequest::new(write("x.ll", text))).expect("compiles").module)
}

fn run_with(source: &str, flag: &str) -> Result<u32, String> {
    run(try_compile(source, |request| request.cflags.push(flag.into())).expect("compiles").module)
}

fn refused(end: Result<u32, String>, what: &str) {
    let text = end.expect_err(what);
    assert!(text.starts_with("refused: ") && text.contains(what), "{text}");
}

#[test]
fn assembly_outside_of_functions() {
    let end = run(module("asm(\"\\n .data\\n.globl y\"); int main(void) { return 0; }"));
    let text = "refused: assembly outside of all functions (`.data`) is not modelled: write it in C, or leave it out";
    assert_eq!(end, Err(text.into()));
    assert_eq!(run(module("asm(\" \\n\"); int main(void) { return 3; }")), Ok(3), "nothing is in it");
}

#[test]
fn sections_that_the_c_library_runs() {
    for section in [".init_array", ".init_array.100", ".fini_array", ".preinit_array", ".ctors", ".dtors"] {
        let source = format!(
            "int x; static void f(void) {{ x = 1; }}
             static void (*p)(void) __attribute__((section(\"{section}\"), used)) = f; int main(void) {{ return x; }}"
        );
        refused(run(module(&source)), &format!("`p` is put into the section `{section}`"));
    }
    let source =
        "__attribute__((section(\".init\"), used)) static void f(void) {} int main(void) { return 0; }";
    refused(run(module(source)), "`f` is put into the section `.init`");
    let source = "int x __attribute__((section(\".initial\"))) = 4; int main(void) { return x; }";
    assert_eq!(run(module(source)), Ok(4), "another section is just a place");
}

#[test]
fn constructors_that_cannot_be_called_as_they_would_be() {
    let source = "int n; __attribute__((constructor)) static void f(int c, char **v) { n = c; } int main(void) { return n; }";
    refused(run(module(source)), "a constructor or destructor with parameters (`f`)");
    let text = "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]
        declare void @f()
        define i32 @main() {\n ret i32 0\n }";
    refused(run_text(text), "a constructor or destructor without a body (`f`)");
}

#[test]
fn functions_that_a_resolver_chooses() {
    let source = "int x; static int f(void) { return 5; } static void *pick(void) { x = 1; return f; }
        int chosen(void) __attribute__((ifunc(\"pick\"))); int main(int c, char **v) { return c > 7 ? chosen() : x; }";
    refused(run(module(source)), "`chosen` is chosen by a resolver");
}

#[test]
fn instrumented_functions() {
    let source = "int n; __attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *a, void *b) { n++; }
        int main(void) { return n; }";
    refused(run_with(source, "-finstrument-functions"), "`main` is instrumented");
    assert_eq!(run(module(source)), Ok(0));
}

#[test]
fn other_targets() {
    let source = "int x; int *p = &x; int main(void) { return *p; }";
    for target in ["-m32", "--target=s390x-linux-gnu"] {
        let error = try_compile(source, |request| request.cflags.push(target.into())).expect_err(target);
        assert!(matches!(error, CompileError::Target { .. }), "{error}");
        assert!(error.to_string().contains("64-bit pointers"), "{error}");
    }
}

#[test]
fn an_undefined_weak_symbol_is_null() {
    let declared = "extern int x __attribute__((weak)), a[4] __attribute__((weak)); extern void f(void) __attribute__((weak));";
    let sources = [
        "int main(void) { return !&x + 2 * !f + 4 * !a; }",
        "int *p = &x, *q = a; void (*g)(void) = f; int main(void) { return !p + 2 * !g + 4 * !q; }",
        "int main(void) { if (f) f(); if (&x) x = 1; return 7; }",
        "int main(void) { return (unsigned long)&a[1] == 4 ? 7 : 0; }",
    ];
    for source in sources {
        assert_eq!(run(module(&format!("{declared} {source}"))), Ok(7), "{source}");
    }
    let faults = [
        ("int main(void) { f(); return 0; }", "invalid-access: call through a null pointer"),
        ("int main(void) { return x; }", "invalid-access: null pointer access"),
    ];
    for (source, fault) in faults {
        assert_eq!(run(module(&format!("{declared} {source}"))), Err(fault.into()), "{source}");
    }
}

#[test]
fn a_weak_symbol_that_is_defined_or_modelled_is_not_null() {
    let source = "__attribute__((weak)) int x = 3; __attribute__((weak)) int f(void) { return 4; }
        int main(void) { return (&x ? x : 0) + (f ? f() : 0); }";
    assert_eq!(run(module(source)), Ok(7));
    let source = "#include <stddef.h>\nextern void *malloc(size_t) __attribute__((weak)); extern int printf(const char *, ...) __attribute__((weak));
        int main(void) { return malloc && printf ? 7 : 0; }";
    assert_eq!(run(module(source)), Ok(7));
    let source = "extern _Thread_local int t __attribute__((weak)); int main(void) { return &t != 0; }";
    refused(run(module(source)), "`t`, a thread-local variable that is weak and undefined");
}

#[test]
fn symbols_that_the_linker_makes_up() {
    let source = "extern int __stop_s[], __start_s[]; int main(void) { int n = 0; for (int *p = __start_s; p < __stop_s; p++) n++; return n; }";
    refused(run(module(source)), "an address that the linker makes up");
    let source =
        "extern char end, *bounds[1]; char *bounds[] = { &end }; int main(void) { return bounds[0] != 0; }";
    refused(run(module(source)), "`end`, an address that the linker makes up");
    assert_eq!(run(module("int end = 5; int main(void) { return end; }")), Ok(5), "one of the program");
}

#[test]
fn what_a_variable_holds_from_outside() {
    let text = "@x = externally_initialized global i32 3
        define i32 @main() {\n %v = load i32, ptr @x\n ret i32 %v\n }";
    refused(run_text(text), "access to `x`: what it holds at the start comes from outside of the program");
}

#[test]
fn code_before_the_first_instruction() {
    let text = "define i32 @main() prologue i32 4 {\n ret i32 0\n }";
    refused(run_text(text), "the prologue data of `main`");
}
