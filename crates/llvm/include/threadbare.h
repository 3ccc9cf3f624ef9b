/* What a program can tell Threadbare, in the names that SV-COMP, GenMC and Nidhugg programs use already. */
#ifndef THREADBARE_H
#define THREADBARE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define THREADBARE_BOOL bool
#else
#define THREADBARE_BOOL _Bool
#endif

/* Executions in which the condition is 0 are of no interest: the thread goes no further. */
void __VERIFIER_assume(int condition);

/* Getting here is wrong, like a failed assertion. */
void __VERIFIER_error(void) __attribute__((noreturn));

/* Any value of the type. Integers are 0, 1 or -1 (where there is no sign, the largest number), and the verdict is `bounded`;
   pointers and real numbers end in `inconclusive`. */
THREADBARE_BOOL __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
unsigned int __VERIFIER_nondet_unsigned(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
size_t __VERIFIER_nondet_size_t(void);
void *__VERIFIER_nondet_pointer(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
__UINT8_TYPE__ __VERIFIER_nondet_u8(void);
__UINT16_TYPE__ __VERIFIER_nondet_u16(void);
__UINT32_TYPE__ __VERIFIER_nondet_u32(void);
__UINT64_TYPE__ __VERIFIER_nondet_u64(void);

/* No other thread runs between the two. Nor does one while a function runs whose name begins with
   __VERIFIER_atomic_ (but these two). */
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

/* Around the body of a loop that waits for another thread. */
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(void);

/* Right before a loop: at most so many iterations of it start, the last test included. If there would be more, the verdict
   is `bounded`. The number is a constant. */
void __VERIFIER_loop_bound(int iterations);

#ifdef __cplusplus
}
#endif
#undef THREADBARE_BOOL

#endif
