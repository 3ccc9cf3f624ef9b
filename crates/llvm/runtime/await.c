/*
 * Nidhugg's accesses that wait until the value that they find fulfils a condition. A thread that finds another value waits:
 * it writes nothing, and is blocked if the value never comes.
 */
#include <stdatomic.h>
#include <stdbool.h>

void __VERIFIER_assume(int condition);

/* Whether a value stands in that relation to another one: bit 0 is greater, bit 1 equal, bit 2 less, bit 3 signed. */
INLINE bool fulfils(int value, int relation, int other)
{
	bool less = relation & 8 ? value < other : (unsigned)value < (unsigned)other;

	return relation & (value == other ? 2 : less ? 4 : 1);
}

int __VERIFIER_load_await_aint(atomic_int *at, int relation, int other)
{
	int value = atomic_load(at);

	__VERIFIER_assume(fulfils(value, relation, other));
	return value;
}

/* The first read only says which value the exchange finds. */
int __VERIFIER_xchg_await_aint(atomic_int *at, int new, int relation, int other)
{
	int old = atomic_load_explicit(at, memory_order_relaxed);

	__VERIFIER_assume(fulfils(old, relation, other));
	__VERIFIER_assume(atomic_compare_exchange_strong_explicit(at, &old, new, memory_order_seq_cst, memory_order_relaxed));
	return old;
}
