/* Locks of assembly: test-and-set by `xchgb`, by `cmpxchg` with its condition in a register or as an output, by `bts`, by
   counting down, and by tickets. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#if defined TICKET
static int next, serving;

static void lock(void)
{
	int mine = 1, now;

	asm volatile("lock; xaddl %0, %1" : "+r"(mine), "+m"(next) : : "memory", "cc");
	do {
		asm volatile("pause; movl %1, %0" : "=r"(now) : "m"(serving) : "memory");
	} while (now != mine);
}

static void unlock(void) { asm volatile("incl %0" : "+m"(serving) : : "memory", "cc"); }
#else
#if defined DECREMENT
static int word = 1;
#define FREE 1
#else
static int word;
#define FREE 0
#endif

static bool try_lock(void)
{
	bool got;

#if defined SETE
	int expected = 0;

	asm volatile("lock; cmpxchgl %3, %1; sete %0"
				 : "=q"(got), "+m"(word), "+a"(expected)
				 : "r"(1)
				 : "memory", "cc");
#elif defined FLAG
	int expected = 0;

	asm volatile("lock; cmpxchgl %[new], %[word]"
				 : "=@ccz"(got), [word] "+m"(word), "+a"(expected)
				 : [new] "r"(1)
				 : "memory", "cc");
#elif defined BIT
	asm volatile("lock; btsl $3, %0; setnc %1" : "+m"(word), "=q"(got) : : "memory", "cc");
#elif defined DECREMENT
	asm volatile("lock; decl %0; sete %1" : "+m"(word), "=rm"(got) : : "memory", "cc");
#else
	char taken = 1;

	asm volatile("lock; xchgb %0, %1" : "+q"(taken), "+m"(*(char *)&word) : : "memory");
	got = !taken;
#endif
	return got;
}

static void lock(void)
{
	while (!try_lock()) {
		int now = FREE;

		asm("pause");
#ifdef DECREMENT
		do {
			asm volatile("movl %1, %0" : "=r"(now) : "m"(word) : "memory");
		} while (now <= 0);
#endif
		(void)now;
	}
}

static void unlock(void)
{
#if defined BIT || defined DECREMENT || defined SETE || defined FLAG
	asm volatile("movl %1, %0" : "=m"(word) : "i"(FREE) : "memory");
#else
	asm volatile("movb $0, %0" : "=m"(*(char *)&word) : : "memory");
#endif
}
#endif

static int counter;

static void *count(void *unused)
{
	lock();
	counter++; //~ ALSO
#ifndef BUG
	unlock();
#else
	unlock();
	counter++; //~ ERROR[data-race]
#endif
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 2);
	return 0;
}
