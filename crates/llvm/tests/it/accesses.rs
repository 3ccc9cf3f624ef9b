//! Every access of the source is in the bytecode: once, in order, with its memory order, and no other.

use crate::common::{accesses, function, module};
use vm::bytecode::{BinOp, Op};

fn check(declarations: &str, body: &str, expected: &[&str]) {
    let source = format!(
        "#include <stdatomic.h>\n{declarations}\n__attribute__((noinline)) int f(int c) {{ {body} }}\nint main(int argc, char **argv) {{ return f(argc); }}\n"
    );
    assert_eq!(accesses(&module(&source), "f"), expected, "{body}");
}

#[test]
fn plain_accesses_are_neither_merged_nor_dropped_nor_invented() {
    let g = "int g, h, arr[4];";
    check(g, "int x = g; int y = g; return x == y;", &["L g", "L g"]);
    check(g, "g = 1; g = 2; return 0;", &["S g", "S g"]);
    check(g, "int x = g; (void)x; return 0;", &["L g"]);
    check(g, "g; return 0;", &["L g"]);
    check(g, "g = 5; return g;", &["S g", "L g"]);
    check(g, "while (!g); return h;", &["L g", "L h"]);
    check(g, "for (int i = 0; i < c; i++) g += i; return 0;", &["L g", "S g"]);
    check(g, "for (int i = 0; i < 4; i++) arr[i] = 0; return 0;", &["S ?"]);
    check("volatile int g;", "g; g = 1; return g;", &["L g", "S g", "L g"]);
}

#[test]
fn nothing_is_speculated() {
    let source = "int g; __attribute__((noinline)) int f(int c) { int x = 0; if (c) x = g; return x; }
        __attribute__((noinline)) void h(int c) { g = 0; if (c) g = 1; }
        int main(int argc, char **argv) { h(argc); return f(argc); }";
    let module = module(source);
    assert_eq!(accesses(&module, "f"), ["L g"]);
    assert_eq!(accesses(&module, "h"), ["S g", "S g"]);
    for name in ["f", "h"] {
        let code = &function(&module, name).code;
        let branch = code.iter().position(|op| matches!(op, Op::Branch { .. })).expect("a branch");
        let last = code.iter().rposition(|op| matches!(op, Op::Load { .. } | Op::Store { .. }));
        assert!(branch < last.expect("an access"), "{name}");
    }
}

#[test]
fn orders_are_kept() {
    let a = "atomic_int a; atomic_llong l; _Atomic(int *) p; atomic_flag fl; int n;";
    check(a, "return atomic_load(&a);", &["L SeqCst a"]);
    check(a, "return atomic_load_explicit(&a, memory_order_relaxed);", &["L Relaxed a"]);
    check(a, "return atomic_load_explicit(&a, memory_order_acquire);", &["L Acquire a"]);
    check(a, "return atomic_load_explicit(&a, memory_order_consume);", &["L Acquire a"]);
    check(a, "atomic_store_explicit(&a, 1, memory_order_release); return 0;", &["S Release a"]);
    check(a, "(void)atomic_load_explicit(&a, memory_order_relaxed); return 0;", &["L Relaxed a"]);
    check(a, "a = 1; a++; return 0;", &["S SeqCst a", "Add SeqCst a"]);
    check(a, "atomic_fetch_add_explicit(&a, 0, memory_order_relaxed); return 0;", &["Add Relaxed a"]);
    check(a, "return atomic_exchange_explicit(&l, 1, memory_order_acq_rel);", &["Exchange AcqRel l"]);
    check(a, "atomic_exchange_explicit(&l, 1, memory_order_acq_rel); return 0;", &["Replace AcqRel l"]);
    check(a, "__atomic_fetch_nand(&n, 1, 3); return 0;", &["Nand Release n"]);
    check(a, "__atomic_fetch_min(&n, 1, 2); return 0;", &["Min Acquire n"]);
    check(a, "atomic_flag_test_and_set(&fl); return 0;", &["Exchange SeqCst fl"]);
    check(a, "__sync_fetch_and_add(&n, 1); return 0;", &["Add SeqCst n"]);
    check(
        a,
        "int e = 0; return atomic_compare_exchange_strong_explicit(&a, &e, 1, memory_order_release, memory_order_acquire);",
        &["CAS Release Acquire a"],
    );
    check(
        a,
        "int *e = 0; return atomic_compare_exchange_weak(&p, &e, (int *)8);",
        &["CAS SeqCst SeqCst weak p"],
    );
    check(
        a,
        "atomic_thread_fence(memory_order_acq_rel); __sync_synchronize(); return 0;",
        &["F AcqRel", "F SeqCst"],
    );
    check(
        a,
        "atomic_signal_fence(memory_order_seq_cst); atomic_thread_fence(memory_order_relaxed); return 0;",
        &[],
    );
}

#[test]
fn known_assembly_is_fences_and_barriers() {
    let g = "int g;";
    check(g, "g = 1; asm volatile(\"\" ::: \"memory\"); return g;", &["S g", "L g"]);
    check(g, "asm volatile(\"mfence\" ::: \"memory\"); return 0;", &["F SeqCst"]);
    check(g, "asm volatile(\"lock; addl $0,-4(%%rsp)\" ::: \"memory\", \"cc\"); return 0;", &["F SeqCst"]);
    check(g, "asm volatile(\"\" : \"+r\"(c)); return c;", &[]);
}

#[test]
fn members_of_globals_have_constant_addresses() {
    let s = "struct s { char c; _Atomic int a; struct { short x, y; } in; } s; int arr[8];";
    check(s, "s.a = 1; return s.in.y;", &["S SeqCst s+4", "L s+10"]);
    check(s, "return arr[3];", &["L arr+12"]);
}

#[test]
fn sizes_of_accesses() {
    let source = "#include <stdatomic.h>
        atomic_char c; atomic_short s; atomic_int i; atomic_llong l; _Atomic(void *) p; _Atomic float f; _Atomic double d;
        int main(void) { c = 1; s = 1; i = 1; l = 1; p = &c; f = 1; d = 1; return 0; }";
    let module = module(source);
    let sizes: Vec<u8> = function(&module, "main")
        .code
        .iter()
        .filter_map(|op| if let Op::Store { size, .. } = op { Some(*size) } else { None })
        .collect();
    assert_eq!(sizes, [1, 2, 4, 8, 8, 4, 8]);
}

#[test]
fn locals_are_registers_unless_they_may_be_unassigned() {
    let promoted = "int f(int c) { int x = 1, y; if (c) y = 2; else y = x; return y; } int main(int c, char **v) { return f(c); }";
    let kept = "int f(int c) { int x; if (c) x = 1; return x; } int main(int c, char **v) { return f(c); }";
    let in_loop = "int main(int c, char **v) { int s = 0; for (int i = 0; i < c; i++) { int x; if (i & 1) x = i; s += x; } return s; }";
    let member = "struct p { int a, b; }; int main(int c, char **v) { struct p p; p.a = c; return p.b; }";
    let copied =
        "struct p { int a, b; }; int main(int c, char **v) { struct p p, q; p.a = c; q = p; return q.b; }";
    let fine = "struct p { char a; int b; }; int main(int c, char **v) { struct p p, q; p.a = c; p.b = 1; q = p; return q.b; }";
    let locals = |source: &str| {
        let module = module(source);
        function(&module, "main").code.iter().filter(|op| matches!(op, Op::Alloca { .. })).count()
    };
    let counts = [promoted, kept, in_loop, member, copied, fine].map(locals);
    assert_eq!(counts, [0, 1, 1, 1, 2, 0]);
    let helpers = "static void set(int *p, int v) { *p = v; } static int get(int *p) { return *p; }
        int main(int c, char **v) { int s = 0; for (int i = 0; i < c; i++) { int x; set(&x, i); s += get(&x); } return s; }";
    let dangling = "int main(int c, char **v) { int *p; { int x = 1; p = &x; } *p = c; return 0; }";
    let unassigned = "static int get(int *p) { return *p; } int main(void) { int x; return get(&x); }";
    assert_eq!([helpers, dangling, unassigned].map(locals), [0, 1, 1]);
}

#[test]
fn workers_need_few_registers() {
    let source = "#include <stdatomic.h>
        atomic_int x, y; int a[16];
        __attribute__((noinline)) void *worker(void *arg) {
            int i = (int)(long)arg, sum = 0;
            for (int k = 0; k < 8; k++) {
                atomic_store_explicit(&x, i, memory_order_release);
                int r = atomic_load_explicit(&y, memory_order_acquire);
                if (r > 3 && atomic_compare_exchange_strong(&x, &r, k)) a[k] = r; else a[i & 15] += r;
                sum += r;
            }
            return (void *)(long)sum; }
        int main(int c, char **v) { return worker((void *)(long)c) != 0; }";
    let module = module(source);
    assert!(function(&module, "worker").registers <= 7, "{}", llvm::dump(&module));
}

#[test]
fn a_variable_index_into_a_global_is_checked() {
    let module = module("int a[8], b; int main(int c, char **v) { a[c] = 1; return a[9] + b; }");
    let code = &function(&module, "main").code;
    let checks: Vec<u32> = code
        .iter()
        .filter_map(|op| if let Op::InBounds { size, .. } = op { Some(*size) } else { None })
        .collect();
    assert_eq!(checks, [32, 28]);
}

#[test]
fn division_is_kept_and_dead_arithmetic_is_not() {
    let module = module("int main(int c, char **v) { int d = c / (c - 1); int e = c * 3; return 0; }");
    let operations: Vec<BinOp> = function(&module, "main")
        .code
        .iter()
        .filter_map(|op| if let Op::Bin { op, .. } = op { Some(*op) } else { None })
        .collect();
    assert_eq!(operations, [BinOp::Sub, BinOp::SDiv]);
}
