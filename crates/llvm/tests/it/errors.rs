//! Bad input: each has a clear message; what is not modelled is refused where it is reached.

use crate::common::{module, refusals, run, try_compile, write};
use llvm::{CompileError, CompileRequest, compile};
use std::error::Error as _;

#[test]
fn a_missing_file() {
    let error = compile(&CompileRequest::new("/nonexistent/x.c")).expect_err("no such file");
    assert!(matches!(error, CompileError::Unreadable { .. }));
    assert_eq!(error.to_string(), "cannot read /nonexistent/x.c");
    assert!(error.source().is_some(), "the reason is told once, by whoever shows the chain of errors");
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
    assert!(matches!(error, CompileError::NoEntry { .. }));
    assert!(error.to_string().contains("no function `main`"), "{error}");
    assert!(matches!(try_compile("int main(void);", |_| {}), Err(CompileError::NoEntry { .. })));
}

#[test]
fn variables_for_which_there_is_no_room() {
    let sources = [
        "char huge[1ull << 40]; int main(void) { return huge[0]; }",
        "int main(int c, char **v) { static char huge[1ull << 33]; return huge[c]; }",
        "_Thread_local char huge[1ull << 40]; int main(int c, char **v) { return huge[c]; }",
        "extern char huge[1ull << 40]; int main(int c, char **v) { return huge[c]; }",
        "char a[300 << 20], huge[300 << 20]; int main(int c, char **v) { return a[c] + huge[c]; }",
    ];
    for source in sources {
        let error = try_compile(source, |_| {}).expect_err("too large");
        assert!(matches!(&error, CompileError::TooLarge { variable, .. } if variable == "huge"), "{error}");
        assert!(error.to_string().contains(&vm::MAX_BYTES.to_string()), "{error}");
    }
}

#[test]
fn local_variables_for_which_there_is_no_room_are_refused_when_they_are_reached() {
    let refused = |source: &str| run(module(source)).expect_err("refused");
    let text = refused("int main(int c, char **v) { char huge[1ull << 40]; huge[c] = 1; return huge[c]; }");
    assert_eq!(text, "refused: the local variable `huge` of 1099511627776 bytes is not modelled");
    let text = refused("int main(int c, char **v) { char huge[1 << 30]; huge[c] = 1; return huge[c]; }");
    assert!(text.starts_with("refused: the local variables of this thread"), "{text}");
    let text = refused(
        "int main(int c, char **v) { unsigned long n = 1ul << 62; long a[n]; a[c] = 1; return a[c]; }",
    );
    assert!(text.starts_with("refused: the local variables of this thread"), "{text}");
    let source =
        "__attribute__((noinline)) int f(int c) { char huge[1ull << 40]; huge[c] = 1; return huge[c]; }
        int main(int c, char **v) { return c > 99 ? f(c) : 4; }";
    assert_eq!(run(module(source)), Ok(4));
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
        (
            "__int128 x; int main(void) { return __sync_lock_test_and_set(&x, 1); }",
            "an atomic access of type `i128` is not modelled: it has more than 8 bytes",
        ),
        (
            "_Atomic struct { long a[3]; } x; int main(void) { x = x; }",
            "`__atomic_load`, an atomic access of more than 8 bytes, is not modelled: protect it with a mutex",
        ),
        ("_BitInt(256) x; int main(void) { x = x + x; }", "a value of type `i256` is not modelled"),
        (
            "__int128 x; int main(void) { return (double)x > 1; }",
            "a conversion between floating point and more than 64 bits is not modelled",
        ),
        ("long double x; int main(void) { x = x + 1; }", "a value of type `x86_fp80` is not modelled"),
        (
            "struct s { _Alignas(16) long a[4]; } g; int f(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); return 0; } int main(void) { return f(1, g); }",
            "a variable argument of type `%struct.s",
        ),
        (
            "double sin(double); int main(int c, char **v) { return sin(c); }",
            "call of the external function `sin`, which has no body and no model",
        ),
        ("_Atomic double d; int main(void) { __atomic_fetch_add((float *)&d, 1.0f, 0); }", "fadd"),
    ];
    for (source, text) in table {
        let found = refused(source);
        assert!(found.contains(text), "{source}\n{found}");
    }
}

#[test]
fn initialisers_that_are_too_wide_are_not_modelled() {
    let text = "@x = global i128 sub (i128 ptrtoint (ptr @x to i128), i128 ptrtoint (ptr @y to i128))\n\
                @y = global i8 0\ndefine i32 @main() {\n  %x = load i128, ptr @x\n  ret i32 0\n}\n";
    let itself = text.replace("@y to", "@x to");
    let texts =
        [text, &itself].map(|text| compile(&CompileRequest::new(write("x.ll", text))).expect("compiles"));
    let wide = module("_BitInt(256) x = 5; int main(void) { return x == 5; }");
    for module in texts.map(|compiled| compiled.module).into_iter().chain([wide]) {
        let x = module.globals.iter().find(|global| global.name == "x").expect("it is there");
        assert!(x.unmodelled.as_ref().is_some_and(|text| text.contains("is not modelled")), "{x:?}");
    }
}

#[test]
fn the_table_of_a_computed_goto_may_be_anywhere() {
    for storage in ["static void *", "void *", "static const void *const "] {
        let source = format!(
            "int main(int c, char **v) {{ {storage}t[] = {{ &&a, &&b }}; goto *t[1]; a: return 1; b: return 2; }}"
        );
        assert_eq!(run(module(&source)), Ok(2), "{storage}");
    }
    let nowhere = "int main(void) { void *volatile to = (void *)8; goto *to; a: return to == &&a; }";
    let text = run(module(nowhere)).expect_err("undefined behaviour");
    assert!(text.contains("code that cannot be reached is reached"), "{text}");
    let text = run(module("extern int x; int main(void) { return x; }")).expect_err("refused");
    assert_eq!(text, "refused: access to `x`, a variable that is not part of the program");
}

#[test]
fn the_result_of_output_is_refused_where_it_is_used() {
    let source = "#include <stdio.h>\nint main(int c, char **v) { if (c == 77) return printf(\"%s\", v[0]); printf(\"%s %Lf\", v[0], 1.0L); return 3; }";
    assert_eq!(refusals(&module(source)), ["the result of printf is not modelled"]);
    assert_eq!(run(module(source)), Ok(3));
    let source = "#include <stdio.h>\nint main(void) { return puts(\"x\"); }";
    assert_eq!(run(module(source)), Err("refused: the result of puts is not modelled".into()));
    let through = |call: &str| {
        format!(
            "#include <stdio.h>\nint (*print)(const char *, ...) = printf; int main(void) {{ {call} return 4; }}"
        )
    };
    assert_eq!(run(module(&through("print(\"%d\", 1);"))), Ok(4));
    let text = run(module(&through("return print(\"%d\", 1);")));
    assert_eq!(text, Err("refused: the result of printf is not modelled".into()));
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
