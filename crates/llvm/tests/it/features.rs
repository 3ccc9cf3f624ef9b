//! Everything that C programs with threads use goes through the lowering and gives a module that is well-formed,
//! even where parts of it are refused when they are reached.

use crate::common::{function, module, refusals, try_compile};
use vm::bytecode::{FunctionId, Module, Op, Relocation};
use vm::{Builtin, Machine};

fn well_formed(source: &str) -> Module {
    for (unroll, allocate_registers) in [(false, true), (true, true), (true, false)] {
        let compiled = try_compile(source, |request| {
            request.unroll = unroll;
            request.allocate_registers = allocate_registers;
        });
        let module = compiled.expect("the snippet compiles").module;
        Machine::new(module, vm::Options::default()).expect("the module is well-formed");
    }
    module(source)
}

fn builtins(module: &Module, name: &str) -> Vec<Builtin> {
    let builtin = |op: &Op| if let Op::Builtin { builtin, .. } = op { Some(*builtin) } else { None };
    function(module, name).code.iter().filter_map(builtin).collect()
}

#[test]
fn threads_and_mutexes() {
    let module = well_formed(
        "#include <pthread.h>
         #include <assert.h>
         #include <stdatomic.h>
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n; int g; atomic_int x;
         void *t(void *a) { pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m); if (!pthread_mutex_trylock(&n)) pthread_mutex_unlock(&n); pthread_exit(a); }
         int main(void) { pthread_t a, b; pthread_mutex_init(&n, 0); pthread_create(&a, 0, t, &x); pthread_create(&b, 0, t, 0);
           void *r; pthread_join(a, &r); pthread_join(b, 0); pthread_mutex_destroy(&n); assert(g == 2); return pthread_equal(pthread_self(), a); }",
    );
    assert_eq!(refusals(&module), [""; 0]);
    use Builtin::*;
    assert_eq!(builtins(&module, "t"), [MutexLock, MutexUnlock, MutexTryLock, MutexUnlock, PthreadExit]);
    let main = [
        MutexInit,
        PthreadCreate,
        PthreadCreate,
        PthreadJoin,
        PthreadJoin,
        MutexDestroy,
        AssertFail,
        PthreadSelf,
        PthreadEqual,
    ];
    assert_eq!(builtins(&module, "main"), main);
}

#[test]
fn the_header_declares_what_programs_use() {
    let module = well_formed(
        "#include <threadbare.h>
         int main(void) { __VERIFIER_assume(__VERIFIER_nondet_bool()); __VERIFIER_atomic_begin(); __VERIFIER_atomic_end(); __VERIFIER_spin_start(); __VERIFIER_spin_end(0 * 0);
           if (__VERIFIER_nondet_int() + __VERIFIER_nondet_uint() + __VERIFIER_nondet_size_t() + __VERIFIER_nondet_u8() + (__VERIFIER_nondet_pointer() != 0)) __VERIFIER_error(); return 0; }"
            .replace("(0 * 0)", "()")
            .as_str(),
    );
    use Builtin::*;
    assert_eq!(
        builtins(&module, "main"),
        [NondetBool, Assume, AtomicBegin, AtomicEnd, Hint, Hint, Nondet, VerifierError]
    );
    let calls = |name| {
        let called = module.functions.iter().position(|function| function.name == name);
        let is_it = |op: &Op| matches!(op, Op::Call { function, .. } if Some(function.0 as usize) == called);
        function(&module, "main").code.iter().any(is_it)
    };
    let numbers = ["int", "uint", "size_t", "u8"];
    assert!(numbers.iter().all(|name| calls(format!("__VERIFIER_nondet_{name}"))), "by the runtime");
    assert_eq!(refusals(&module), [""; 0]);
}

#[test]
fn initialisers() {
    let module = well_formed(
        "static double d = 1.5; static __int128 q = ((__int128)-7) << 70; static struct { char c; int *p; double z[2]; } s = { 1, (int *)&d + 3, { 1, 2 } };
         static int arr[10], *mid = &arr[4]; static void f(void) {} static void (*tab[])(void) = { f, 0, f }; extern void weak(void) __attribute__((weak)), ext(void); void *pw = weak, *px = ext;
         static short sh[3] = { 1, 2, 3 }; static struct { unsigned a : 3, b : 7; } bf = { 5, 100 }; static const char *str = \"hi\"; static long double ld = 1.25L;
         int main(int c, char **v) { tab[c](); q++; ld++; return s.c + *mid + sh[c] + bf.b + str[0] + (pw != px); }",
    );
    let global = |name: &str| module.globals.iter().find(|g| g.name == name).expect("the global is there");
    assert_eq!(global("q").bytes, (-7i128 << 70).to_le_bytes());
    assert_eq!(global("sh").bytes, [1, 0, 2, 0, 3, 0]);
    assert_eq!(global("ld").bytes[..10], [0, 0, 0, 0, 0, 0, 0, 0xa0, 0xff, 0x3f]);
    assert_eq!(global("bf").bytes[..2], [0x25, 0x03]);
    let [(8, Relocation::Global(_, 12))] = global("s").relocations[..] else { panic!("{:?}", global("s")) };
    let [(0, Relocation::Global(_, 16))] = global("mid").relocations[..] else {
        panic!("{:?}", global("mid"))
    };
    let [(0, Relocation::Function(a)), (16, Relocation::Function(b))] = global("tab").relocations[..] else {
        panic!("{:?}", global("tab"))
    };
    assert_eq!(a, b);
    assert_eq!(global("px").relocations, [(0, Relocation::External("ext".into()))]);
    assert!(global("pw").relocations.is_empty() && global("pw").bytes == [0; 8], "undefined and weak: null");
    assert!(global(".str").constant && !global("arr").constant);
}

#[test]
fn externals_constructors_destructors_and_thread_locals() {
    let module = well_formed(
        "extern int elsewhere; extern _Thread_local int far; static _Thread_local int tl = 9; int n;
         __attribute__((constructor(200))) static void late(void) { n = 1; } __attribute__((constructor(150))) static void early(void) { n = 2; }
         __attribute__((destructor)) static void normal(void) { n = 3; } __attribute__((destructor(150))) static void last(void) { n = 4; }
         int main(void) { return elsewhere + far + tl; }",
    );
    let global = |name: &str| module.globals.iter().find(|g| g.name == name).expect("the global is there");
    assert!(global("elsewhere").external && global("far").external && !global("n").external);
    assert!(global("tl").thread_local && global("tl").bytes == [9, 0, 0, 0]);
    let names = |ids: &[FunctionId]| -> Vec<String> {
        ids.iter().map(|id| module.functions[id.0 as usize].name.clone()).collect()
    };
    assert_eq!(names(&module.constructors), ["early", "late"]);
    assert_eq!(names(&module.destructors), ["normal", "last"]);
}

#[test]
fn what_is_rare_does_not_break_the_lowering() {
    let sources = [
        // Kernel style.
        "#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
         #define WRITE_ONCE(x, v) (*(volatile typeof(x) *)&(x) = (v))
         static inline int xchg_(int *p, int v) { __asm__ __volatile__(\"xchgl %0,%1\" : \"+r\"(v), \"+m\"(*p) :: \"memory\"); return v; }
         int a, b; int main(void) { WRITE_ONCE(a, 1); while (!READ_ONCE(b)) __builtin_ia32_pause(); return xchg_(&b, 2); }",
        // Atomics of every size and kind.
        "#include <stdatomic.h>
         struct s3 { char a, b, c; }; struct s8 { int a, b; }; struct s16 { long a, b; }; struct s24 { long a, b, c; };
         _Atomic struct s3 a3; _Atomic struct s8 a8; _Atomic struct s16 a16; _Atomic struct s24 a24; _Atomic __int128 i; _Atomic double d; _Atomic float f; _Atomic long double ld;
         int main(void) { struct s3 x3 = a3; a3 = x3; struct s8 x8 = a8, e8 = { 0 }; a8 = x8; atomic_compare_exchange_strong(&a8, &e8, x8); d += 1.0; f += 2.0f;
           if (x3.a) { struct s16 x = a16; a16 = x; } else if (x3.b) { struct s24 x = a24; a24 = x; } else if (x3.c) i++; else ld = ld + 1; return atomic_is_lock_free(&a24); }",
        // Variable arguments, computed goto, complex numbers, vectors, resolvers.
        "#include <stdarg.h>
         int sum(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int s = 0; for (int i = 0; i < n; i++) s += va_arg(a, int); double d = va_arg(b, double); va_end(a); va_end(b); return s + (int)d; }
         typedef int v4 __attribute__((vector_size(16))); v4 g(v4 a, v4 b) { return a + b; } int cpx(_Complex double z) { return (int)__real__ z; }
         int jump(int i) { static void *t[] = { &&a, &&b }; goto *t[i]; a: return 1; b: return 2; }
         static void f(void) {} static void *pick(void) { return f; } void chosen(void) __attribute__((ifunc(\"pick\")));
         __int128 mul(__int128 a, long b) { return a * b; } float root(float a) { return __builtin_sqrtf(a) + __builtin_fabsf(a); }
         int main(int c, char **v) { v4 a = { 1, 2, 3, 4 }; switch (c) { case 1: return sum(2, 1, 2); case 2: return g(a, a)[0]; case 3: return cpx(1.0); case 4: return jump(1); case 5: chosen(); return 0; case 6: return mul(c, 3); default: return root(c); } }",
        // Phis of a type that no register holds.
        "int main(int c, char **v) { __int128 x = 1, y = 2; while (c--) { if (c & 1) x *= 3; else { __int128 t = x; x = y; y = t; } switch (c) { case 3: y++; case 5: x--; } } return (int)x; }",
        // Control flow that is not reducible, loops of one block, loops without an end.
        "int g; int main(int c, char **v) { if (c & 1) goto b; a: g++; if (g > 9) return 1; b: g += 2; if (g & 4) goto a; while (g & 8); do g++; while (g < 3); goto a; }",
        // A call after something that is refused: its arguments are in no register.
        "void gone(void); static void *pick(void) { return 0; } int chosen(int) __attribute__((ifunc(\"pick\"))); __attribute__((noinline)) static int f(int a) { return a; } int g;
         int main(void) { gone(); int x = chosen(g); return f(x + g); }",
        // What a thread library other than pthread needs.
        "#include <threads.h>
         mtx_t m; int f(void *a) { mtx_lock(&m); mtx_unlock(&m); return 0; }
         int main(void) { thrd_t t; mtx_init(&m, mtx_plain); thrd_create(&t, f, 0); return thrd_join(t, 0); }",
    ];
    for source in sources {
        well_formed(source);
    }
}

#[test]
fn a_call_that_an_exception_may_leave_has_a_landing() {
    let source = "void g(); struct D { ~D() { x = 1; } static int x; }; int D::x;
        int main(int c, char **) { D d; if (c > 1) g(); return 0; }
        void g() { if (D::x) throw 1; }";
    let landings = |flags: &[&str]| {
        let mut request = llvm::CompileRequest::new(crate::common::write("x.cpp", source));
        request.cflags.extend(flags.iter().map(|&flag| flag.to_owned()));
        let module = llvm::compile(&request).expect("compiles").module;
        let main = &module.functions[module.main.expect("there is one").0 as usize];
        let count = main.code.iter().filter(|op| matches!(op, vm::bytecode::Op::Landing { .. })).count();
        assert_eq!(crate::common::run(module), Ok(0));
        count
    };
    assert_eq!(landings(&[]), 1);
    assert_eq!(landings(&["-Dthrow=(void)", "-fno-exceptions"]), 0);
}

#[test]
fn the_dump_shows_every_instruction() {
    let module = module("int x; int main(int c, char **v) { switch (c) { case 1: x = 2; } return x; }");
    let text = llvm::dump(&module);
    let instructions: usize = module.functions.iter().map(|f| f.code.len()).sum();
    assert_eq!(text.lines().count(), instructions + module.globals.len() + module.functions.len(), "{text}");
    assert!(text.contains("Store.4 NotAtomic x, 2"), "{text}");
}
