//! Words of each language, to be put where they do not belong; ` | ` is between two.

pub(crate) const LLVM: &str = "i1 | i32 | i64 | i128 | i7 | ptr | null | undef | poison | void | !0 | !1 | #0 | %0 | @x | seq_cst | \
    monotonic | distinct | store | load | <4 x i32> | [1000000000 x i64] | float | label | zeroinitializer | inttoptr | {} | \
    align 4294967296 | alwaysinline | musttail | i8 | i24 | i33 | i65 | i256 | half | double | x86_fp80 | fp128 | {i32, i8} | \
    add | sdiv | lshr | icmp | acquire | acq_rel | unordered | nand | fadd | udec_wrap | volatile | 9223372036854775807";

pub(crate) const C: &str = "int | char | _Atomic | _Bool | __int128 | double | struct | union | [1 << 30] | [] | * | & | sizeof | \
    while | for | goto | return | main | 0 | -1 | 0x7fffffffffffffff | #define | #include | #line 7 \"é\" | /* | // | \
    __attribute__((weak)) | static | _Thread_local | volatile | asm(\"nop\") | ... | ? : | % | _BitInt(256) | _BitInt(7) | long double | _Complex float";

pub(crate) const LITMUS: &str = "{ | } | exists | forall | ~ | /\\ | \\/ | P0 | P99 | 0:r0 | while | for | if | int | atomic_int* | \
    (* | *) | locations | filter | memory_order_seq_cst | atomic_load( | & | << | %";

pub(crate) const TRACE: &str = "# threadbare trace 1 | # | e0 | e1 | t0 | t1 | W | R | RMW | F | na | rlx | acq | rel | acq_rel | \
    sc | rf=init | rf=e0 | co=0 | co=1 | co=-1 | create.1 | end.1 | end.99 | = | \n";

pub(crate) const TABLE: &str =
    "test,models,observation | rc11 | sc | xmm | , | ,, | \" | \"\" | \n | Never | Always | models";

pub(crate) const REPLAY: &str =
    "0*3 | 1 | 2 | - | r | w | c | ri | wi | 1.0 | 2r1.4 | 1c1 | s0 | s | : | . | é | 9";
