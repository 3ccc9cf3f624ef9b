/* Store buffering in assembly: a locked instruction between a store and a load keeps their order, whatever it is applied to.
   The processor has a fence on either side of it: one of them is enough if the instruction is the store, or the load. */
#include <assert.h>
#include <pthread.h>

#if defined EXCHANGE
#define BETWEEN asm volatile("xchgl %0, %1" : "+r"(one), "+m"(other) : : "memory")
#elif defined STACK
#define BETWEEN asm volatile("lock; addl $0,0(%%rsp)" : : : "memory", "cc")
#elif defined MFENCE
#define BETWEEN asm volatile("mfence" : : : "memory")
#elif defined LFENCE
#define BETWEEN asm volatile("lfence" : : : "memory")
#elif defined SFENCE
#define BETWEEN asm volatile("sfence" : : : "memory")
#elif defined UNORDERED /* The compiler may move the load up. */
#define BETWEEN asm volatile("lock; incl %0" : "+m"(other) : : "cc")
#elif defined NOTHING || defined STORE || defined LOAD
#define BETWEEN asm volatile("" : : : "memory")
#else
#define BETWEEN asm volatile("lock; incl %0" : "+m"(other) : : "memory", "cc")
#endif

static int x, y, a, b;

static void store(int *p)
{
	int one = 1;

#ifdef STORE
	asm volatile("xchgl %0, %1" : "+r"(one), "+m"(*p) : : "memory");
#else
	asm volatile("movl %1, %0" : "=m"(*p) : "r"(one) : "memory");
#endif
}

static int load(int *p)
{
	int value = 0;

#ifdef LOAD
	asm volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*p) : : "memory", "cc");
#else
	asm volatile("movl %1, %0" : "=r"(value) : "m"(*p) : "memory");
#endif
	return value;
}

static int between(int *to, int *from)
{
	static _Thread_local int other;
	int one = 1;

	(void)one, (void)other;
	store(to);
	BETWEEN;
	return load(from);
}

static void *first(void *unused)
{
	a = between(&x, &y);
	return NULL;
}

static void *second(void *unused)
{
	b = between(&y, &x);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(a == 1 || b == 1); //~ ERROR[assertion]
	return 0;
}
