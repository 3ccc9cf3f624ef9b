//! Bad input: each has a clear message; what is not modelled is refused where it is reached.

mod common;
use common::{module, refusals, run, try_compile, write};
use llvm::{CompileError, CompileRequest, compile};

#[test]
fn a_missing_file() {
    let error = compile(&CompileRequest::new("/nonexistent/x.c")).expect_err("no such file");
    assert!(matches!(error, CompileError::Unreadable { .. }));
    assert!(error.to_string().starts_with("cannot read /nonexistent/x.c"), "{error}");
}

#[test]
fn an_unknown_kind_of_file() {
    let error = compile(&CompileRequest::new("x.py")).expect_err("not ours");
    assert!(matches!(error, CompileError::UnknownFile { .. }), "{error}");
}

#[test]
fn an_error_of_clang_is_passed_on() {
    let error = try_compile("int main(void) { retrun 0; }", |_| {}).expect_err("a syntax error");
    assert!(matches!(error, CompileError::Clang { .. }));
    assert!(error.to_string().contains("test.c:1:18: error: "), "{error}");
}

#[test]
fn warnings_are_passed_on() {
    let compiled = try_compile("int main(void) { int x; }", |request| request.cflags.push("-Wall".into()));
    assert!(compiled.expect("compiles").warnings.contains("unused variable 'x'"));
    let source = "__attribute__((destructor)) static void d(void) {} int main(void) { return 0; }";
    let compiled = try_compile(source, |_| {}).expect("compiles");
    assert!(compiled.warnings.contains("the destructor `d` is not run"), "{}", compiled.warnings);
}

#[test]
fn flags_reach_clang() {
    let compiled =
        try_compile("int main(void) { return N; }", |request| request.cflags.push("-DN=42".into()));
    assert_eq!(run(compiled.expect("compiles").module), Ok(42));
}

#[test]
fn no_main() {
    let error = try_compile("int f(void) { return 0; }", |_| {}).expect_err("no main");
    assert!(matches!(error, CompileError::NoMain { .. }));
    assert!(error.to_string().ends_with("no function `main`"), "{error}");
    assert!(matches!(try_compile("int main(void);", |_| {}), Err(CompileError::NoMain { .. })));
}

#[test]
fn no_clang() {
    let error = try_compile("int main(void) {}", |request| request.clang = Some("/nonexistent/clang".into()));
    let error = error.expect_err("no such program").to_string();
    assert!(error.contains("/nonexistent/clang") && error.contains("clang-22"), "{error}");
}

#[test]
fn not_bitcode() {
    let error = compile(&CompileRequest::new(write("x.bc", "hello"))).expect_err("not bitcode");
    assert!(matches!(error, CompileError::NotBitcode { .. }), "{error}");
    let error = compile(&CompileRequest::new(write("x.ll", "define i32 @main() { ret i64 0 }")));
    assert!(matches!(error, Err(CompileError::NotBitcode { .. })));
}

#[test]
fn bitcode_text_is_read() {
    let file = write("x.ll", "define i32 @main() {\n  %x = add i32 40, 2\n  ret i32 %x\n}\n");
    assert_eq!(run(compile(&CompileRequest::new(file)).expect("compiles").module), Ok(42));
}

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let refused = |source: &str| refusals(&module(source)).join("; ");
    let table = [
        (
            "void foo(void); int main(void) { foo(); }",
            "call of the external function `foo`, which has no body and no model",
        ),
        (
            "int main(void) { asm volatile(\"cpuid\" ::: \"eax\", \"ebx\", \"ecx\", \"edx\"); }",
            "inline assembly `cpuid` is not modelled",
        ),
        ("_Atomic __int128 x; int main(void) { x = 1; }", "a value of type `i128` is not modelled"),
        (
            "typedef int v __attribute__((vector_size(16))); v x; int main(void) { x = x + x; }",
            "a value of type `<4 x i32>` is not modelled",
        ),
        ("long double x; int main(void) { x = x + 1; }", "a value of type `x86_fp80` is not modelled"),
        (
            "#include <stdarg.h>\nint f(int n, ...) { va_list a; va_start(a, n); int r = va_arg(a, int); va_end(a); return r; } int main(void) { return f(1, 2); }",
            "variable arguments (`va_start`) are not modelled",
        ),
        (
            "int main(int c, char **v) { static void *t[] = { &&a, &&b }; goto *t[c & 1]; a: return 1; b: return 2; }",
            "a computed `goto` is not modelled",
        ),
        (
            "#include <setjmp.h>\njmp_buf b; int main(void) { return setjmp(b); }",
            "call of the external function `_setjmp`, which has no body and no model",
        ),
        (
            "double sin(double); int main(int c, char **v) { return sin(c); }",
            "call of the external function `sin`, which has no body and no model",
        ),
        ("_Atomic double d; int main(void) { __atomic_fetch_add((float *)&d, 1.0f, 0); }", "fadd"),
        ("_Atomic struct { long a[3]; } s; int main(void) { s = s; }", "__atomic_load"),
    ];
    for (source, text) in table {
        let found = refused(source);
        assert!(found.contains(text), "{source}\n{found}");
    }
}

#[test]
fn what_is_not_reached_is_not_refused() {
    let source = "void foo(void); int main(int c, char **v) { if (c == 77) foo(); return 3; }";
    assert_eq!(run(module(source)), Ok(3));
    let source = "void foo(void); int main(void) { foo(); return 3; }";
    assert!(run(module(source)).expect_err("refused").contains("`foo`"));
}

#[test]
fn arguments_that_are_missing_are_refused() {
    let source =
        "int f(); int g(void) { return f(); } int f(int a) { return a; } int main(void) { return g(); }";
    let compiled = try_compile(source, |request| request.cflags.push("-std=c89".into())).expect("compiles");
    let texts = refusals(&compiled.module).join("");
    assert!(texts.contains("too few arguments"), "{texts}");
}
