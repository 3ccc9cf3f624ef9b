//! Constructs of LLVM that change what a program does are modelled or refused where they are reached; `lower.rs` has the
//! table of those that are left out, and why.

use crate::common::{module, run, write};
use llvm::{CompileRequest, compile};

fn run_text(body: &str) -> Result<u32, String> {
    let file = write("x.ll", &format!("@g = global i32 7\n{body}"));
    run(compile(&CompileRequest::new(file)).expect("compiles").module)
}

fn refused(end: Result<u32, String>, what: &str) {
    let text = end.expect_err(what);
    assert!(text.starts_with("refused: ") && text.contains(what), "{text}");
}

#[test]
fn atomic_accesses_for_some_threads_only() {
    let scopes = ["syncscope(\"singlethread\") ", "syncscope(\"agent\") "];
    for scope in scopes {
        let accesses = [
            format!("%v = load atomic i32, ptr @g {scope}acquire, align 4"),
            format!("store atomic i32 1, ptr @g {scope}release, align 4"),
            format!("%v = atomicrmw add ptr @g, i32 1 {scope}monotonic, align 4"),
            format!("%v = cmpxchg ptr @g, i32 1, i32 2 {scope}monotonic monotonic, align 4"),
        ];
        for access in accesses {
            let end = run_text(&format!("define i32 @main() {{\n {access}\n ret i32 0\n }}"));
            refused(end, "for some threads only (`syncscope`)");
        }
    }
    let fence =
        |scope: &str| run_text(&format!("define i32 @main() {{\n fence {scope}seq_cst\n ret i32 1\n }}"));
    assert_eq!(fence(scopes[0]), Ok(1), "a signal fence orders nothing between threads");
    refused(fence(scopes[1]), "for some threads only (`syncscope`)");
}

#[test]
fn unordered_accesses() {
    let end =
        run_text("define i32 @main() {\n %v = load atomic i32, ptr @g unordered, align 4\n ret i32 %v\n }");
    refused(end, "`unordered`");
    let end =
        run_text("define i32 @main() {\n store atomic i32 1, ptr @g unordered, align 4\n ret i32 0\n }");
    refused(end, "`unordered`");
}

#[test]
fn other_address_spaces() {
    let spaces = [
        "int x = 3; int main(void) { return *(int __attribute__((address_space(256)))*)&x; }",
        "int x = 3, *q = &x; int main(void) { return *(int __attribute__((address_space(257)))*)q; }",
        "int __attribute__((address_space(5))) x = 3; int main(void) { return x; }",
    ];
    for source in spaces {
        refused(run(module(source)), "addrspace(");
    }
}

#[test]
fn undefined_values_that_decide() {
    let branch = "define i32 @main() {\n br i1 undef, label %a, label %b\na:\n ret i32 1\nb:\n ret i32 2\n }";
    refused(run_text(branch), "a branch on an undefined value");
    let switch = "define i32 @main() {\n switch i32 poison, label %a [ i32 1, label %b ]\na:\n ret i32 1\nb:\n ret i32 2\n }";
    refused(run_text(switch), "a branch on an undefined value");
    let freeze = "define i32 @main() {\n %v = freeze i32 undef\n ret i32 %v\n }";
    refused(run_text(freeze), "a value that may be any");
}

#[test]
fn operand_bundles() {
    let called = |bundle: &str| {
        run_text(&format!(
            "declare void @llvm.assume(i1)
             define i32 @f() noinline optnone {{\n ret i32 5\n }}
             define i32 @main() {{\n call void @llvm.assume(i1 true) [\"align\"(ptr @g, i64 4)]\n %v = call i32 @f() {bundle}\n ret i32 %v\n }}"
        ))
    };
    assert_eq!(called(""), Ok(5));
    refused(called("[\"deopt\"(i32 1)]"), "operand bundles");
}

#[test]
fn calls_that_take_the_place_of_their_function() {
    let source = "__attribute__((noinline)) static int g(int *p) { return p ? *p : 4; }
        __attribute__((noinline)) static int f(int *p) { LOCAL __attribute__((musttail)) return g(ARGUMENT); }
        int main(void) { return f(0); }";
    let plain = source.replace("LOCAL", "").replace("ARGUMENT", "p");
    assert_eq!(run(module(&plain)), Ok(4));
    let local = source.replace("LOCAL", "int x = 1;").replace("ARGUMENT", "p ? p : &x");
    let end = run(module(&local)).expect_err("the variable has ended");
    assert!(end.contains("after its block has ended"), "{end}");
}

#[test]
fn assembly_with_more_than_what_is_known() {
    let run = |assembly: &str| {
        run(module(&format!(
            "int x = 3; int main(void) {{ asm volatile(\"{assembly}\" : \"+m\"(x) :: \"memory\"); return x; }}"
        )))
    };
    let known = [
        "",
        "mfence",
        "lock; addl $0,0(%%rsp)",
        "lock addq $0, -8(%%rsp)",
        "lock\\n\\taddl $0,(%%rsp)\\n",
        "rep; nop",
    ];
    for assembly in known {
        assert_eq!(run(assembly), Ok(3), "{assembly}");
    }
    let executed = [
        ("lock; addl $0,(%%rsp)\\n movl $1, %0", 1),
        ("mfence; movl $1, %0", 1),
        ("lock addl $2,%0 # (%%rsp)", 5),
        ("nop\\n movl $1, %0", 1),
        ("lock; cmpxchgl %%eax, %0; # whatever is there\\n incl %%eax; movl %%eax, %0", 4),
    ];
    for (assembly, value) in executed {
        assert_eq!(run(assembly), Ok(value), "{assembly}");
    }
    let unknown = [
        ("lock; addl $1,(%%rsp)", "`add` is not known with these operands"),
        ("addl $0,(%%rsp)", "the stack of its function"),
        ("lock; addl $0,x(%%rsp)", "`addl $$0,x(%rsp)` is not known"),
        ("cpuid", "`cpuid` is not known"),
        ("cmpxchgl %%ecx, %0", "has no value"),
        ("lock; cmpxchgl %%ecx, %0", "has no value"),
        ("movl $1, %%eax; cmpxchgl %%eax, %0", "without `lock`"),
        ("movl %%eax, %0", "has no value"),
        ("movb $1, %%al; movl %%eax, %0", "more of a register than was written"),
        ("lock movl $1, %0", "not known with these operands"),
        ("jne 1f; 1:", "has no value"),
        ("1: jmp 1b", "does not end"),
        ("rdtsc", "the time is not modelled"),
    ];
    for (assembly, reason) in unknown {
        refused(run(assembly), "inline assembly");
        refused(run(assembly), reason);
    }
    let fence = "int main(void) { asm volatile(\"mfence\"); return 0; }";
    refused(crate::common::run(module(fence)), "without the clobber `memory`");
    let source = "int main(int c, char **v) { asm goto(\"jmp %l0\" :::: there); return 1; there: return 2; }";
    refused(crate::common::run(module(source)), "`asm goto`");
}

#[test]
fn arguments_of_other_types() {
    let source = "int f(); int g(void) { return f(0x500000001L); } __attribute__((noinline)) int f(int a) { return a; } int main(void) { return g(); }";
    let compiled = crate::common::try_compile(source, |request| request.cflags.push("-std=c89".into()));
    refused(run(compiled.expect("compiles").module), "a call of `f` with arguments of other types");
}

#[test]
fn a_call_through_a_pointer_of_another_type_gives_what_fits() {
    let source = "__attribute__((noinline)) static int f(int a) { return a == 1 ? 3 : 4; } typedef int (*wide)(long); volatile wide p = (wide)f; int main(void) { return p(0x500000001L); }";
    assert_eq!(run(module(source)), Ok(3));
}

#[test]
fn a_sum_that_is_rounded_once() {
    refused(run(module("int main(int c, char **v) { return __builtin_fma(c, c, 1.0); }")), "`llvm.fma.f64`");
}

#[test]
fn local_variables_with_a_large_alignment() {
    refused(
        run(module("int main(int c, char **v) { _Alignas(4096) char b[16]; b[c] = 1; return b[c]; }")),
        "aligned to 4096",
    );
    assert_eq!(
        run(module("int main(int c, char **v) { _Alignas(128) char b[16]; b[c] = 1; return b[c]; }")),
        Ok(1)
    );
}

#[test]
fn arrays_of_variable_size_end_with_their_block() {
    let source = "int main(int c, char **v) { int *p; { int a[c + 3]; a[0] = 5; p = a; } return *p; }";
    let text = run(module(source)).expect_err("it has ended");
    assert!(text.starts_with("use-after-free: access to `a[0]` after its block has ended"), "{text}");
    let source = "int main(int c, char **v) { int s = 0; for (int i = 1; i < 4; i++) { int a[c + i]; a[c] = i; { int b[a[c]]; b[0] = a[c]; s += b[0]; } s += a[c]; } return s; }";
    assert_eq!(run(module(source)), Ok(12));
    let source = "__attribute__((noinline)) static int *f(int n) { int a[n]; a[0] = 1; { int b[n]; b[0] = 2; a[0] += b[0]; } int *p = &a[0]; return p; } int main(int c, char **v) { return *f(c); }";
    assert!(run(module(source)).expect_err("it has ended").starts_with("use-after-free"));
}

#[test]
fn functions_that_return_nothing_although_they_should() {
    let declared = "static int x; __attribute__((noinline)) static int f(int a) { x = 1; if (a) return a; } static int g(int a) { x = 1; if (a) return a; }
        __attribute__((noinline)) static int none(void) { x = 2; } struct s { long a, b; }; __attribute__((noinline)) static struct s h(int a) { struct s s = { 1, 2 }, t = { 3, 4 }; x = 1; if (a == 1) return s; if (a == 2) return t; }";
    let run = |source: &str| run(module(&format!("{declared} {source}")));
    for call in
        ["f(0);", "g(0);", "none();", "h(0);", "int (*volatile p)(int) = f; p(0);", "(void)f(0), (void)g(0);"]
    {
        assert!(run(&format!("int main(void) {{ {call} return x ? 3 : 4; }}")) == Ok(3), "{call}");
    }
    assert_eq!(run("int main(void) { return f(2) + g(3) + (int)h(1).b; }"), Ok(7));
    for used in ["f(0)", "g(0)", "none()", "(int)h(0).a", "(f(0) ? 1 : 2)"] {
        let text = run(&format!("int main(void) {{ return {used}; }}")).expect_err(used);
        assert!(text.starts_with("uninitialised-read: "), "{used}: {text}");
    }
    // A variable of the program is read, whatever it is called.
    let source = "__attribute__((noinline)) static int k(int a) { int retval; if (a) retval = a; return retval; } int main(void) { k(0); return 0; }";
    assert!(run(source).expect_err("it is read").starts_with("uninitialised-read: "));
}

#[test]
fn exchanges_of_what_was_never_written() {
    let run = |source: &str| run(module(source));
    let declared = "volatile unsigned long d;";
    assert_eq!(
        run(&format!("int main(void) {{ {declared} __atomic_exchange_n(&d, 9, 0); return (int)d; }}")),
        Ok(9)
    );
    let text = run(&format!("int main(void) {{ {declared} return (int)__atomic_exchange_n(&d, 9, 0); }}"));
    assert!(text.expect_err("it is used").starts_with("uninitialised-read: "));
    let text = run(&format!("int main(void) {{ {declared} __atomic_fetch_add(&d, 9, 0); return 0; }}"));
    assert!(text.expect_err("the sum is of nothing").starts_with("uninitialised-read: "));
}
