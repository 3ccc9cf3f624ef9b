/* Every instruction of inline assembly that is understood, on numbers at the edges of all sizes. */
#include "native.h"

typedef uint8_t b;
typedef uint16_t w;
typedef uint32_t l;
typedef uint64_t q;

static const q NUMBERS[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff,
							0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x123456789abcdef0};

/* A locked operation on memory with a register, and the conditions after it. */
#define BINARY(name, T)                                                                                        \
	{                                                                                                          \
		T m = x;                                                                                               \
		bool z, c, s, o, less, greater, below, other;                                                          \
		asm volatile("lock; " name #T " %9, %0; setz %1; setc %2; sets %3; seto %4; setl %5; setg %6; "        \
					 "setbe %7; setne %8"                                                                      \
					 : "+m"(m), "=&q"(z), "=&q"(c), "=&q"(s), "=&q"(o), "=&q"(less), "=&q"(greater),           \
					   "=&q"(below), "=&q"(other)                                                              \
					 : "r"((T)y)                                                                               \
					 : "memory", "cc");                                                                        \
		note(m), note(z), note(c), note(s), note(o), note(less), note(greater), note(below), note(other);      \
	}

#define EXCHANGE_ADD(T)                                                                                        \
	{                                                                                                          \
		T m = x, r = y;                                                                                        \
		bool z, c;                                                                                             \
		asm volatile("lock; xadd" #T " %1, %0; setz %2; setc %3"                                               \
					 : "+m"(m), "+q"(r), "=&q"(z), "=&q"(c)                                                    \
					 :                                                                                         \
					 : "memory", "cc");                                                                        \
		note(m), note(r), note(z), note(c);                                                                    \
	}

#define EXCHANGE(T)                                                                                            \
	{                                                                                                          \
		T m = x, r = y;                                                                                        \
		asm volatile("xchg" #T " %1, %0" : "+m"(m), "+q"(r) : : "memory");                                     \
		note(m), note(r);                                                                                      \
		asm volatile("xchg" #T " %0, %1" : "+m"(m), "+q"(r) : : "memory");                                     \
		note(m), note(r);                                                                                      \
	}

#define COMPARE_EXCHANGE(T)                                                                                    \
	for (int same = 0; same < 2; same++) {                                                                     \
		T m = x, expected = same ? x : y, r = y;                                                               \
		bool z;                                                                                                \
		asm volatile("lock; cmpxchg" #T " %3, %0; sete %1"                                                     \
					 : "+m"(m), "=q"(z), "+a"(expected)                                                        \
					 : "q"(r)                                                                                  \
					 : "memory", "cc");                                                                        \
		note(m), note(expected), note(z);                                                                      \
		m = x, expected = same ? x : y;                                                                        \
		asm volatile("lock; cmpxchg" #T " %3, %0"                                                              \
					 : "+m"(m), "=@ccz"(z), "+a"(expected)                                                     \
					 : "q"(r)                                                                                  \
					 : "memory", "cc");                                                                        \
		note(m), note(expected), note(z);                                                                      \
	}

#define UNARY(name, T)                                                                                         \
	{                                                                                                          \
		T m = x;                                                                                               \
		bool z, s;                                                                                             \
		asm volatile("lock; " name #T " %0; setz %1; sets %2"                                                  \
					 : "+m"(m), "=&q"(z), "=&q"(s)                                                             \
					 :                                                                                         \
					 : "memory", "cc");                                                                        \
		note(m), note(z), note(s);                                                                             \
	}

/* A bit that may be beyond the first element, and one of a register. */
#define BIT(name, T)                                                                                           \
	{                                                                                                          \
		T m[4] = {x, y, x, y}, r = x, bit = y % (8 * sizeof m);                                                \
		bool c;                                                                                                \
		asm volatile("lock; " name #T " %2, %0; setc %1" : "+m"(m), "=q"(c) : "r"(bit) : "memory", "cc");      \
		note(m[0]), note(m[1]), note(m[2]), note(m[3]), note(c);                                               \
		asm volatile(name #T " %2, %0; setc %1" : "+r"(r), "=&q"(c) : "r"(bit) : "cc");                        \
		note(r), note(c);                                                                                      \
	}

static void one(q x)
{
	UNARY("inc", b) UNARY("dec", w) UNARY("inc", l) UNARY("dec", q) UNARY("neg", b) UNARY("neg", q);
	w m = x;
	asm volatile("lock; notw %0" : "+m"(m) : : "memory");
	note(m);
	q r;
	asm("popcnt %1, %0" : "=r"(r) : "r"(x) : "cc");
	note(r);
	if (x) {
		asm("bsf %1, %0" : "=r"(r) : "r"(x));
		note(r);
		asm("bsr %1, %0 ; xor $63, %0" : "=r"(r) : "r"(x));
		note(r);
	}
	l swapped;
	asm("bswapl %0" : "=r"(swapped) : "0"((l)x));
	note(swapped);
	asm("movzbl %b1, %k0; shll $3, %k0" : "=r"(r) : "r"(x));
	note(r);
	asm("movsbq %b1, %0" : "=r"(r) : "r"(x));
	note(r);
	asm("movslq %k1, %0" : "=r"(r) : "r"(x));
	note(r);
	int all;
	asm("btl $5, %1; sbbl %0, %0" : "=r"(all) : "r"((l)x) : "cc");
	note(all);
	/* A loop, and a jump over an instruction. */
	q n = x & 7, sum = 0;
	asm("1: testq %0, %0; jz 2f; addq %0, %1; decq %0; jmp 1b; 2:" : "+r"(n), "+r"(sum) : : "cc");
	note(n), note(sum);
	l count = 5;
	asm("cmpq $0, %1; jne .Lover%=; movl $9, %0\n.Lover%=: incl %0" : "+r"(count) : "r"(x) : "cc");
	note(count);
}

static void two(q x, q y)
{
	BINARY("add", b) BINARY("add", w) BINARY("add", l) BINARY("add", q);
	BINARY("sub", b) BINARY("sub", w) BINARY("sub", l) BINARY("sub", q);
	BINARY("and", b) BINARY("or", w) BINARY("xor", l) BINARY("xor", q);
	EXCHANGE_ADD(b) EXCHANGE_ADD(w) EXCHANGE_ADD(l) EXCHANGE_ADD(q);
	EXCHANGE(b) EXCHANGE(w) EXCHANGE(l) EXCHANGE(q);
	COMPARE_EXCHANGE(b) COMPARE_EXCHANGE(w) COMPARE_EXCHANGE(l) COMPARE_EXCHANGE(q);
	BIT("bts", w) BIT("btr", l) BIT("btc", q);
	q m = x, r;
	l low = x ^ (y & 1), high = x >> 32;
	bool z;
	asm volatile("lock; cmpxchg8b %0; setz %1"
				 : "+m"(m), "=q"(z), "+a"(low), "+d"(high)
				 : "b"((l)y), "c"((l)(y >> 32))
				 : "memory", "cc");
	note(m), note(low), note(high), note(z);
	asm("leaq 5(%1,%2,4), %0" : "=r"(r) : "r"(x), "r"(y));
	note(r);
	r = x;
	asm("cmpq %1, %0; cmovb %1, %0" : "+r"(r) : "r"(y) : "cc");
	note(r);
	r = x;
	asm("movb %b1, %b0; movw $7, %%ax; addw %%ax, %w0" : "+r"(r) : "r"(y) : "cc", "rax");
	note(r);
}

int main(void)
{
	for (unsigned i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
		one(NUMBERS[i]);
		for (unsigned j = 0; j < sizeof NUMBERS / sizeof *NUMBERS; j++)
			two(NUMBERS[i], NUMBERS[j]);
	}
	return finish();
}
