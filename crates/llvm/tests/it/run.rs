//! Programs without threads do what they do natively: compiled by clang to machine code, and to bytecode for the
//! virtual machine, with and without register allocation and loop counters.

use crate::common::{module, run, run_all_ways, try_compile, write};
use base::Rng;
use std::fmt::Write;
use std::process::Command;

/// `unsigned compute(void)` gives the same on the machine and on ours.
fn same_as_native(source: &str) {
    let native = write(
        "native.c",
        &format!("{source}\n#include <stdio.h>\nint main(void) {{ printf(\"%u\", compute()); }}\n"),
    );
    let program = native.with_extension("out");
    // No optimisation: what is undefined behaviour has no chance to differ.
    let built = Command::new("clang-22").args(["-w", "-O0", "-o"]).arg(&program).arg(&native).status();
    assert!(built.expect("clang runs").success(), "the snippet builds");
    let output = Command::new(&program).output().expect("the program runs");
    let expected: u32 = String::from_utf8_lossy(&output.stdout).parse().expect("a number");
    let ours = run_all_ways(&format!("{source}\nint main(void) {{ return compute(); }}\n"));
    assert_eq!(ours, Ok(expected), "{source}");
}

#[test]
fn recursion_and_loops() {
    same_as_native(
        "static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
         static unsigned ack(unsigned m, unsigned n) { return !m ? n + 1 : !n ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
         static int even(int n); static int odd(int n) { return n ? even(n - 1) : 0; } static int even(int n) { return n ? odd(n - 1) : 1; }
         unsigned compute(void) {
             unsigned s = 0;
             for (int i = 0; i < 10; i++) for (int j = i; j; j--) { if (j == 7) continue; if (j == 2) break; s = s * 31 + i * j; }
             int k = 3; do s += k; while (k--);
             return s + fib(12) + ack(2, 3) + even(10);
         }",
    );
}

#[test]
fn phis_that_swap_and_rotate() {
    same_as_native(
        "unsigned compute(void) {
             unsigned a = 1, b = 2, c = 3, s = 0;
             for (int i = 0; i < 17; i++) { unsigned t = a; a = b; b = c; c = t; s = s * 7 + a; if (i % 3 == 0) { t = a; a = b; b = t; } }
             unsigned last = 0, before = 0;
             for (unsigned i = 0; i < 9; i++) { before = last; last = i; }
             return s ^ a ^ b << 3 ^ c << 9 ^ before << 16 ^ last << 20;
         }",
    );
}

#[test]
fn structs_unions_and_bit_fields() {
    same_as_native(
        "#include <string.h>
         struct small { char c; int i; }; struct big { long a[5]; char tail; }; struct nested { struct small s[2]; struct { short x, y; } in; };
         union u { unsigned w; unsigned char b[4]; float f; };
         struct bits { unsigned a : 3; int b : 7; unsigned c : 22; unsigned long d : 40; };
         __attribute__((noinline)) static struct small mk(int i) { struct small s = { (char)i, i * 3 }; return s; }
         __attribute__((noinline)) static struct big grow(struct big b) { b.a[2] += b.tail; b.tail++; return b; }
         __attribute__((noinline)) static int sum(struct small s, struct nested n) { return s.c + s.i + n.s[1].i + n.in.y; }
         static struct nested g = { { { 1, 2 }, { 3, 4 } }, { 5, 6 } };
         unsigned compute(void) {
             struct small s = mk(200), t = s; t.i++;
             struct big b = { { 1, 2, 3, 4, 5 }, 9 }; struct big c = grow(grow(b));
             struct nested n = g; n.s[1] = t; n.in.y = -3;
             union u u; u.f = 1.5f; u.b[1] = 7;
             struct bits f; memset(&f, 0, sizeof f); f.a = 13; f.b = -5; f.c = 12345678; f.d = 1ul << 39 | 5; f.b--; f.c += f.a;
             return sum(s, n) + sum(t, g) * 3 + (unsigned)c.a[2] * 7 + c.tail + b.tail + u.w + f.a + f.b + f.c * 3 + (unsigned)(f.d >> 8);
         }",
    );
}

#[test]
fn pointers_arrays_and_strings() {
    same_as_native(
        "#include <stdlib.h>
         #include <string.h>
         static int grid[3][4] = { { 1, 2 }, { 3, 4, 5, 6 }, { 7 } }; static const char *words[] = { \"alpha\", \"be\", \"gamma!\" };
         struct node { struct node *next; int v; };
         unsigned compute(void) {
             unsigned s = 0;
             for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) s = s * 5 + grid[i][j];
             for (int i = 0; i < 3; i++) { const char *w = words[i]; while (*w) s = s * 3 + *w++; s += strlen(words[i]); }
             struct node *head = 0;
             for (int i = 0; i < 6; i++) { struct node *n = malloc(sizeof *n); n->v = i * i; n->next = head; head = n; }
             while (head) { struct node *n = head; head = n->next; s = s * 7 + n->v; free(n); }
             int *p = calloc(4, sizeof *p); p[3] = 9; p = realloc(p, 10 * sizeof *p); s += p[3] + p[0]; free(p);
             char buffer[16]; memset(buffer, 'x', 8); memcpy(buffer + 4, \"abc\", 4); memmove(buffer + 1, buffer, 7);
             for (int i = 0; i < 8; i++) s = s * 3 + buffer[i];
             int *a = &grid[1][0], *b = &grid[2][2]; s += (unsigned)(b - a) + (a < b);
             int n = 5; int vla[n]; for (int i = 0; i < n; i++) vla[i] = i; s += vla[n - 1];
             s += memcmp(\"abc\", \"abd\", 3) < 0; s += strcmp(\"b\", \"a\") > 0;
             return s;
         }",
    );
}

#[test]
fn switches_function_pointers_and_statics() {
    same_as_native(
        "static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; }
         static int (*const table[])(int, int) = { add, sub, add }; static int (*chosen)(int, int) = sub;
         __attribute__((noinline)) static int next(void) { static int n = 5; return n += 3; }
         static _Thread_local int tl = 7;
         __attribute__((constructor(102))) static void second(void) { tl *= 2; } __attribute__((constructor(101))) static void first(void) { tl += 1; }
         extern int other __attribute__((alias(\"real\"))); int real = 11;
         static int classify(long x) { switch (x) { case -1: return 1; case 0: case 5 ... 9: return 2; case 1L << 40: return 3; default: return x > 100 ? 4 : 5; } }
         unsigned compute(void) {
             unsigned s = 0;
             for (int i = 0; i < 3; i++) s = s * 11 + table[i](i, 4);
             chosen = next() > 7 ? add : chosen; s += chosen(next(), next()); tl++; s += tl; other++; s += real;
             long inputs[] = { -1, 0, 4, 5, 9, 10, 1L << 40, 1000 }; for (int i = 0; i < 8; i++) s = s * 6 + classify(inputs[i]);
             goto middle; top: s ^= 0x55; if (s & 1) goto out; middle: s = s * 3 + 1; if (s % 7) goto top; out: return s;
         }",
    );
}

#[test]
fn floating_point() {
    same_as_native(
        "#include <string.h>
         static unsigned bits(double d) { unsigned long u; memcpy(&u, &d, 8); return (unsigned)(u ^ u >> 32); }
         unsigned compute(void) {
             volatile double a = 1.25, b = -3.5, z = 0; volatile float f = 0.1f; unsigned s = 0;
             s += bits(a + b) + bits(a * b) * 3 + bits(a / b) * 5 + bits(-a) * 7 + bits(f * 3) * 11 + bits((float)(a / 3)) * 13;
             s += (a < b) + (a > b) * 2 + (a == a) * 4 + (z / z == z / z) * 8 + (z / z != 1) * 16 + (a <= b) * 32 + (b >= b) * 64;
             s += (unsigned)(int)b + (unsigned)(long)(a * 100) + bits((double)(int)-7) + bits((double)4000000000u) + bits(__builtin_fabs(b));
             return s;
         }",
    );
}

#[test]
fn bits_and_overflow() {
    same_as_native(
        "unsigned compute(void) {
             volatile unsigned x = 0x00f0a5c3; volatile unsigned long l = 0x123456789abcdef0; volatile int i = 2000000000; volatile short h = 0x1234; unsigned s = 0;
             s += __builtin_popcount(x) + __builtin_clz(x) * 3 + __builtin_ctz(x) * 5 + __builtin_bswap32(x) + (unsigned)__builtin_bswap64(l) + __builtin_popcountl(l) + (unsigned)__builtin_bswap16(h);
             int r; s += __builtin_add_overflow(i, i, &r) + r; s += __builtin_mul_overflow(i, 3, &r) + r; s += __builtin_sub_overflow(-i, i, &r) + r;
             unsigned u; s += __builtin_sub_overflow(3u, x, &u) + u; unsigned long m; s += __builtin_mul_overflow(l, l, &m) + (unsigned)m; s += __builtin_add_overflow(1ul, l, &m);
             s += x << 7 | x >> 25; s += __builtin_rotateleft32(x, x & 31) + (unsigned)__builtin_rotateright64(l, 13) + __builtin_bitreverse32(x);
             signed char c = (signed char)x; s += c + (unsigned char)x + (short)x; _Bool b = x; s += b + !b; s += __builtin_expect(x, 1); s += __builtin_abs(-i);
             return s;
         }",
    );
}

#[test]
fn atomics_without_threads() {
    same_as_native(
        "#include <stdatomic.h>
         static atomic_int x; static atomic_uchar c; static atomic_ushort h; static _Atomic long l; static _Atomic(int *) p; static _Atomic double d; static _Atomic _Bool b; static atomic_flag fl = ATOMIC_FLAG_INIT;
         struct ab { short a, b; }; static _Atomic struct ab st; static int plain[4];
         unsigned compute(void) {
             unsigned s = 0; x = 5; x += 3; s += x++; s += --x; x ^= 0x70; x |= 0x100; x &= 0x1f3; s = s * 3 + x;
             s += atomic_exchange(&x, 9); int e = 8; s += atomic_compare_exchange_strong(&x, &e, 1); s = s * 3 + e; s += atomic_compare_exchange_strong(&x, &e, 77) + x;
             c = 250; c += 10; s = s * 3 + c; h = 1; h -= 2; s += h; l = 1l << 40; s += (unsigned)(atomic_fetch_sub(&l, 5) >> 20) + (unsigned)l;
             p = &plain[1]; p++; *p = 6; s += plain[2]; d = 1.5; d += 2.25; s += (unsigned)(d * 100); b = 0; b |= 1; s += b; s += atomic_flag_test_and_set(&fl) + atomic_flag_test_and_set(&fl) * 2; atomic_flag_clear(&fl);
             int n = 3; s += __atomic_fetch_nand(&n, 6, 5) + n + __atomic_fetch_max(&n, 4, 5) + __atomic_fetch_min(&n, -4, 5) + n;
             st = (struct ab){ 3, 4 }; struct ab got = st; s += got.b * 100 + got.a; atomic_thread_fence(memory_order_seq_cst);
             return s;
         }",
    );
}

/// A random expression over the variables in scope, of unsigned type `types[depth]`.
fn expression(rng: &mut Rng, depth: u32) -> String {
    let types = [
        "unsigned char",
        "unsigned short",
        "unsigned",
        "unsigned long",
        "signed char",
        "short",
        "int",
        "long",
    ];
    if depth == 0 {
        return match rng.below(4) {
            0 => format!("{}u", rng.below(1 << 32)),
            1 => format!("{}", rng.below(64)),
            _ => format!("v{}", rng.below(8)),
        };
    }
    let (a, b) = (expression(rng, depth - 1), expression(rng, depth - 1));
    let ty = rng.pick(&types);
    // Arithmetic on unsigned long never overflows; casts to narrower types wrap with clang.
    match rng.below(14) {
        0 => format!("({ty})((unsigned long)({a}) + (unsigned long)({b}))"),
        1 => format!("({ty})((unsigned long)({a}) - (unsigned long)({b}))"),
        2 => format!("({ty})((unsigned long)({a}) * (unsigned long)({b}))"),
        3 => format!("({ty})((unsigned)({a}) / ((unsigned)({b}) | 1u))"),
        4 => format!("({ty})((long)(short)({a}) / ((long)(signed char)({b}) | 1))"),
        5 => format!("({ty})((long)(int)({a}) % ((long)(short)({b}) | 1))"),
        6 => format!("({ty})((unsigned long)({a}) % ((unsigned long)({b}) | 1))"),
        7 => format!("({ty})(({a}) & ({b}))"),
        8 => format!("({ty})(({a}) ^ ({b}))"),
        9 => format!("({ty})((unsigned long)({a}) << (({b}) & 63))"),
        10 => format!("({ty})((unsigned)({a}) >> (({b}) & 31))"),
        11 => format!("({ty})((long)({ty})({a}) >> (({b}) & 63))"),
        12 => format!("(({ty})({a}) < ({ty})({b}))"),
        _ => format!("((({a}) <= ({b})) ? ({ty})({a}) : ({ty})({b}))"),
    }
}

#[test]
fn random_arithmetic() {
    let rng = &mut Rng::new(0);
    for _ in 0..4 {
        let types = [
            "unsigned char",
            "short",
            "int",
            "unsigned long",
            "signed char",
            "unsigned short",
            "unsigned",
            "long",
        ];
        let mut source = String::from("unsigned compute(void) {\n");
        for (i, ty) in types.iter().enumerate() {
            let _ = writeln!(source, "volatile {ty} w{i} = ({ty}){}u; {ty} v{i} = w{i};", rng.below(1 << 32));
        }
        source.push_str("unsigned s = 0; for (int round = 0; round < 5; round++) {\n");
        for _ in 0..60 {
            let target = rng.below(8);
            let value = expression(rng, 3);
            let condition = expression(rng, 1);
            let _ = match rng.below(3) {
                0 => writeln!(source, "if ({condition}) v{target} = {value};"),
                1 => writeln!(source, "while (({condition}) && s % 3) {{ v{target} = {value}; s++; }}"),
                _ => writeln!(source, "v{target} = {value}; s = s * 31 + (unsigned)v{target};"),
            };
        }
        source.push_str("} return s; }\n");
        same_as_native(&source);
    }
}

#[test]
fn faults_are_seen() {
    let table = [
        ("int main(int c, char **v) { int x; if (c > 5) x = 1; return x; }", "uninitialised-read"),
        ("int a[4], b; int main(int c, char **v) { a[c + 3] = 1; return b; }", "invalid-access"),
        ("int a[4], b; int main(int c, char **v) { a[c + 9] = 1; return b; }", "invalid-access"),
        ("int a[4], b[4]; int main(void) { a[4] = 1; return b[0]; }", "invalid-access"),
        ("int main(void) { int *p = 0; return *p; }", "invalid-access"),
        ("#include <assert.h>\nint main(int c, char **v) { assert(c == 2 && \"two\"); }", "assertion"),
        ("#include <stdlib.h>\nint main(void) { int *p = malloc(4); free(p); return *p; }", "use-after-free"),
        ("#include <stdlib.h>\nint main(void) { abort(); }", "assertion"),
        ("#include <threadbare.h>\nint main(void) { __VERIFIER_error(); }", "assertion"),
        ("int main(int c, char **v) { return 5 / (c - 1); }", "assertion"),
        ("int main(void) { int a[400]; a[0] = 1; return a[0] + a[1]; }", "uninitialised-read"),
        (
            "struct p { int a, b; }; int main(int c, char **v) { struct p p, q; p.a = c; q = p; return q.b; }",
            "uninitialised-read",
        ),
        (
            "int main(int c, char **v) { int s = 0; for (int i = 0; i < 2; i++) { int x; if (!i) x = 1; s += x; } return s; }",
            "uninitialised-read",
        ),
        ("struct b { int a : 3, b : 4; }; int main(void) { struct b b; return b.a; }", "uninitialised-read"),
        ("int *p; int main(int c, char **v) { { int x = c; p = &x; } return *p; }", "u"),
        ("int main(void) { int *p; { int x = 1; p = &x; } return *p; }", "use-after-free"),
        ("int main(void) { int *p; { int x = 1; p = &x; } *p = 2; int y = 3; return y; }", "use-after-free"),
        (
            "static int get(int *p) { return *p; } int main(void) { int x; return get(&x); }",
            "uninitialised-read",
        ),
        (
            "#include <stdlib.h>\nstruct b { int a : 3, b : 15; }; int main(void) { struct b *b = malloc(sizeof *b); return b->b; }",
            "uninitialised-read",
        ),
        (
            "#include <stdlib.h>\nint main(void) { int *b = malloc(sizeof *b); *b = (*b & ~7) | 3; return 0; }",
            "uninitialised-read",
        ),
    ];
    for (source, code) in table {
        let outcome = run(module(source));
        assert!(outcome.as_ref().is_err_and(|text| text.starts_with(code)), "{source}\n{outcome:?}");
    }
}

#[test]
fn padding_is_no_fault() {
    let source = "#include <stdlib.h>
        struct s { char c; int i; }; __attribute__((noinline)) struct s back(struct s *p) { struct s l = *p; return l; }
        int main(void) { struct s *p = malloc(sizeof *p); p->c = 1; p->i = 2; struct s l = *p; struct s m = l; return l.i + m.c; }";
    assert_eq!(run_all_ways(source), Ok(3));
    let bits = "struct b { unsigned a : 3, b : 4; }; int main(void) { struct b b; b.a = 3; b.b = 5; return b.a + b.b; }";
    assert_eq!(run_all_ways(bits), Ok(8));
    let by_value = "#include <stdlib.h>
        struct s { char c; int i; }; __attribute__((noinline)) int sum(struct s s) { return s.c + s.i; }
        __attribute__((noinline)) struct s make(int i) { struct s s; s.c = i; s.i = i + 1; return s; }
        int main(void) { struct s *p = malloc(sizeof *p); p->c = 1; p->i = 2; return sum(*p) + sum(make(3)); }";
    assert_eq!(run_all_ways(by_value), Ok(10));
    let copied = "struct s { int a, b; }; __attribute__((noinline)) void init(struct s *s) { s->a = 3; }
        int main(void) { struct s s, t; init(&s); t = s; return t.a; }";
    assert_eq!(run_all_ways(copied), Ok(3), "copying what has no value is no read of it");
}

#[test]
fn a_store_to_a_bit_field_does_not_read_its_neighbours() {
    let source = "#include <stdlib.h>
        struct b { unsigned a : 3, b : 15; _Bool c : 1; int d : 9; unsigned long e : 40; };
        int main(int n, char **v) { struct b *b = malloc(sizeof *b); b->a = 0; b->b = n; b->c = n; int x = b->d = -7; b->b++; b->e = 1ul << 34;
          return x + b->a + b->b + b->c + b->d + (int)(b->e >> 30); }";
    assert_eq!(run_all_ways(source), Ok(5));
}

#[test]
fn output_is_ignored_and_streams_can_be_named() {
    let source = "#include <stdio.h>\nint main(void) { printf(\"%d %f\\n\", 1, 2.0); fprintf(stderr, \"x\"); puts(\"y\"); fflush(stdout); return 4; }";
    assert_eq!(run_all_ways(source), Ok(4));
}

#[test]
fn cpp_that_is_c() {
    let file = write(
        "x.cpp",
        "#include <threadbare.h>\n#include <atomic>\nstd::atomic<int> x; struct S { int a; S() : a(4) {} int get() const { return a; } }; S s; int main() { x.store(3, std::memory_order_release); __VERIFIER_assume(1); return x.load() + s.get(); }",
    );
    let compiled = llvm::compile(&llvm::CompileRequest::new(file)).expect("compiles");
    assert_eq!(run(compiled.module), Ok(7));
}

#[test]
fn loops_are_bounded_when_counted() {
    let source = "int main(void) { int s = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 400; j++) s++; for (;;) s--; }";
    let compiled = try_compile(source, |request| request.unroll = true).expect("compiles");
    let outcome = run(compiled.module).expect_err("the loop does not end");
    assert!(outcome.contains("Block(Unroll)"), "{outcome}");
}

#[test]
fn variable_arguments() {
    same_as_native(
        "#include <stdarg.h>
         struct big { long a, b, c; }; struct two { int x; long y; }; struct odd { char c[5]; };
         __attribute__((noinline)) static unsigned sum(int n, ...) {
             va_list a, b; va_start(a, n); unsigned s = 0;
             for (int i = 0; i < n; i++) s = s * 31 + va_arg(a, int);
             va_copy(b, a);
             double d = va_arg(a, double); struct big g = va_arg(a, struct big); struct two t = va_arg(a, struct two);
             struct odd o = va_arg(a, struct odd); char *p = va_arg(a, char *);
             s += va_arg(b, double) == d; va_end(a); va_end(b);
             return s + (unsigned)d * 3 + g.a + g.b * 10 + g.c * 100 + t.x + t.y * 5 + o.c[4] + p[0];
         }
         __attribute__((noinline)) static unsigned list(int n, va_list a) { unsigned s = 0; while (n--) s = s * 7 + va_arg(a, long); return s; }
         __attribute__((noinline)) static unsigned wrap(int n, ...) { va_list a; va_start(a, n); unsigned s = list(n / 2, a); s += list(n - n / 2, a); va_end(a); return s; }
         static unsigned (*volatile pointer)(int, ...) = sum;
         __attribute__((noinline)) static int none(int n, ...) { return n; }
         unsigned compute(void) {
             struct big g = { 1, 2, 3 }; struct two t = { 7, 8 }; struct odd o = { { 1, 2, 3, 4, 5 } }; unsigned s = none(3, 4, 5.0);
             for (int i = 0; i < 3; i++) s = s * 3 + sum(10, 1, -2, 3, 4, 5, 6, 7, 8, 9, i, 2.5, g, t, o, \"a\");
             return s + pointer(1, 5, 1.0, g, t, o, \"b\") + wrap(3, 1L, 2L, -3L) * 11;
         }",
    );
}
